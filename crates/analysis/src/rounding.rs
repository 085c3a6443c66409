//! Rounds numbers to the digits that matter.

/// Rounds to this many decimals, so that files contain no useless digits.
pub(crate) fn round_to(value: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    let rounded = (value * factor).round() / factor;
    if rounded.is_finite() { rounded } else { value }
}
