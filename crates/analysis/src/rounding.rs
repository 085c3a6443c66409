//! Numbers without digits that mean nothing.

/// A value rounded to this many decimals, so that files hold no digits that mean nothing.
pub(crate) fn round_to(value: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    let rounded = (value * factor).round() / factor;
    if rounded.is_finite() { rounded } else { value }
}
