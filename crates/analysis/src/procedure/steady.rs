//! Whether storage is in its steady state, by the rule of SNIA's Solid State Storage Performance Test
//! Specification. In a window of five rounds, the range (the largest value minus the smallest) is at
//! most 20 % of the mean, and the regression line changes by at most 10 % of it.

use serde::{Deserialize, Serialize};

use super::line_through;

/// Rounds of the window.
pub const WINDOW: usize = 5;
/// The allowed range, in percent of the mean.
const RANGE_PERCENT: f64 = 20.0;
/// The allowed change along the regression line, in percent of the mean.
const SLOPE_PERCENT: f64 = 10.0;

/// The result for the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steadiness {
    /// Whether both conditions hold.
    pub is_steady: bool,
    /// The mean of the window, bytes/s.
    pub average_bytes_per_s: f64,
    /// The largest value minus the smallest, in percent of the mean; at most 20.
    pub range_percent: f64,
    /// The change along the regression line, in percent of the mean; at most 10 up or down.
    pub slope_percent: f64,
}

/// The result for the last five rounds; `None` if there are fewer.
pub fn steadiness(rates: &[f64]) -> Option<Steadiness> {
    let window = rates.get(rates.len().checked_sub(WINDOW)?..)?;
    let line = line_through(window)?;
    let highest = window.iter().copied().fold(f64::MIN, f64::max);
    let lowest = window.iter().copied().fold(f64::MAX, f64::min);
    let range_percent = (highest - lowest) / line.average * 100.0;
    let slope_percent = line.change() / line.average * 100.0;
    Some(Steadiness {
        is_steady: range_percent <= RANGE_PERCENT && slope_percent.abs() <= SLOPE_PERCENT,
        average_bytes_per_s: line.average,
        range_percent,
        slope_percent,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn five_rounds_within_the_range_and_the_slope_are_steady() {
        assert_eq!(steadiness(&[100.0; 4]), None);
        let found = steadiness(&[900.0, 100.0, 110.0, 92.0, 105.0, 95.0]).unwrap();
        assert!(found.is_steady, "{found:?}");
        assert!((found.average_bytes_per_s - 100.4).abs() < 1e-9);
        assert!((found.range_percent - 17.928).abs() < 0.001, "{found:?}");
    }

    #[test]
    fn both_conditions_are_required() {
        // Within 20 %, but with a downward slope of 16 %.
        let falling = steadiness(&[108.0, 104.0, 100.0, 96.0, 92.0]).unwrap();
        assert!(!falling.is_steady && falling.range_percent <= 20.0, "{falling:?}");
        assert!((falling.slope_percent - -16.0).abs() < 1e-9);
        // Without a slope, but up and down.
        let spread = steadiness(&[88.0, 112.0, 100.0, 112.0, 88.0]).unwrap();
        assert!(!spread.is_steady && spread.slope_percent <= 10.0, "{spread:?}");
        assert_eq!(steadiness(&[0.0; 5]), None);
    }
}
