//! Fits a setting of a generator to the published sequential share, by bisection.

/// Number of halvings. They find the setting to a millionth of its range.
const ROUNDS: u32 = 20;

/// The setting between `low` and `high` whose share is closest to `target`. The share must mostly
/// increase from `low` to `high` (`low` may be the larger number). Random draws make it uneven, so the
/// best setting tried is returned, not the last.
///
/// # Errors
/// Those of `share_of`.
pub(crate) fn bisect<E>(
    low: f64,
    high: f64,
    target: f64,
    close_enough: f64,
    mut share_of: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let (mut low, mut high) = (low, high);
    let mut best = (f64::INFINITY, low);
    for _ in 0..ROUNDS {
        let middle = (low + high) / 2.0;
        let share = share_of(middle)?;
        let miss = (share - target).abs();
        if miss < best.0 {
            best = (miss, middle);
        }
        if miss <= close_enough {
            break;
        }
        if share < target { low = middle } else { high = middle }
    }
    Ok(best.1)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn fit_finds_the_setting_for_rising_and_falling_shares() {
        let rising = bisect(0.0, 10.0, 49.0, 1e-3, |x| Ok::<_, Infallible>(x * x));
        assert!((rising.unwrap_or(0.0) - 7.0).abs() < 1e-3);
        let falling = bisect(10.0, 0.0, -3.0, 1e-3, |x| Ok::<_, Infallible>(-x));
        assert!((falling.unwrap_or(0.0) - 3.0).abs() < 1e-2);
    }

    #[test]
    fn an_error_ends_the_search() {
        assert_eq!(bisect(0.0, 1.0, 0.5, 0.0, |_| Err::<f64, _>("no")), Err("no"));
    }
}
