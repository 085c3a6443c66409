//! Decides whether a rate was sustained: compares the later seconds of an unlimited load with those
//! before.
//!
//! Storage with a burst allowance (a token bucket, a write cache) is fast first and slower later.
//! Storage whose cache fills with the data that is read is slow first and faster later. In both cases,
//! streams can rely on the lower level. Pure: computed from bytes per second.

use serde::{Deserialize, Serialize};

/// The number of later seconds, whose level is compared with the seconds before.
const LATER_S: usize = 3;
/// A level is sustained if it lasted for this long after the last sign of a burst.
pub const HELD_S: usize = 5;
/// A second differs from the later ones if the difference is this many times the noise …
const NOISE_TIMES: f64 = 3.0;
/// … and at least this share of the level.
const SHARE: f64 = 0.05;
/// The mean of a steady rate is uncertain by at least this share of it.
const MEAN_ERROR: f64 = 0.005;
/// Streams that were played prove the rate that they need, minus this share: buffers hide a smaller
/// shortfall for longer than a check takes.
pub const HOLD_ERROR: f64 = 0.01;
/// The number of seconds from which the noise is computed.
const NOISE_S: usize = 6;

/// The development of a rate over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RateTrend {
    /// Constant from the start.
    Steady,
    /// Faster at first: a burst allowance or a cache. The later level lasted long enough.
    Burst,
    /// Slower at first: a cache was filling. The first level counts.
    Rose,
    /// It was still changing at the end.
    Unsettled,
    /// Too few seconds to tell.
    #[default]
    TooShort,
}

impl RateTrend {
    /// Whether the level lasted long enough to rely on it.
    pub fn is_sustained(self) -> bool {
        matches!(self, RateTrend::Steady | RateTrend::Burst | RateTrend::Rose)
    }
}

/// A rate that was measured for some seconds. MB = 10^6 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SustainedRate {
    /// The level that streams can rely on: the lower one, if there are two.
    pub mb_per_s: f64,
    /// Its uncertainty, up or down.
    pub error_mb_per_s: f64,
    /// Its development over time.
    pub trend: RateTrend,
    /// How long that level lasted, at the end of the measurement; for a rate that rose, at its start.
    pub held_s: f64,
    /// The level of the other part, if there are two.
    pub other_mb_per_s: Option<f64>,
    /// The data that was transferred above the later level before it was reached.
    pub burst_mb: Option<f64>,
}

impl SustainedRate {
    /// From the bytes of each second, in order. `None` without any.
    pub fn of(seconds: &[f64]) -> Option<SustainedRate> {
        if seconds.is_empty() {
            return None;
        }
        if seconds.len() < HELD_S {
            let error = MEAN_ERROR * mean(seconds);
            return Some(SustainedRate::level(seconds, error, RateTrend::TooShort, seconds.len()));
        }
        let (before, later) = seconds.split_at(seconds.len() - LATER_S);
        let noise = noise(seconds);
        let level = mean(later);
        let apart = (NOISE_TIMES * noise).max(SHARE * level);
        // The first second contains the start.
        let slow = before[1..].iter().take_while(|second| is_low(**second, level, apart)).count();
        if slow > 0 {
            let trend = if seconds.len() > slow + HELD_S { RateTrend::Rose } else { RateTrend::Unsettled };
            let of_it = SustainedRate::level(&seconds[1..=slow], noise, trend, slow);
            return Some(SustainedRate { other_mb_per_s: Some(level / 1e6), ..of_it });
        }
        if falls(seconds, level) {
            return Some(SustainedRate::level(later, noise, RateTrend::Unsettled, LATER_S));
        }
        let Some(fast) = before.iter().rposition(|second| *second > level + apart) else {
            let steady = if is_low(before[0], level, apart) { &seconds[1..] } else { seconds };
            return Some(SustainedRate::level(steady, noise, RateTrend::Steady, steady.len()));
        };
        let held = &seconds[fast + 1..];
        let trend = if held.len() >= HELD_S { RateTrend::Burst } else { RateTrend::Unsettled };
        let of_it = SustainedRate::level(held, noise, trend, held.len());
        let burst: f64 = seconds[..=fast].iter().map(|second| (second - mean(held)).max(0.0)).sum();
        let first = seconds[..=fast].iter().copied().fold(0.0, f64::max);
        Some(SustainedRate { other_mb_per_s: Some(first / 1e6), burst_mb: Some(burst / 1e6), ..of_it })
    }

    fn level(seconds: &[f64], noise: f64, trend: RateTrend, held: usize) -> SustainedRate {
        let mean = mean(seconds);
        let error = (2.0 * noise / (seconds.len() as f64).sqrt()).max(MEAN_ERROR * mean);
        SustainedRate {
            mb_per_s: mean / 1e6,
            error_mb_per_s: error / 1e6,
            trend,
            held_s: held as f64,
            other_mb_per_s: None,
            burst_mb: None,
        }
    }

    /// The lower bound, in bytes per second.
    pub fn least_bytes_per_s(&self) -> f64 {
        (self.mb_per_s - self.error_mb_per_s).max(0.0) * 1e6
    }

    /// The upper bound, in bytes per second.
    pub fn most_bytes_per_s(&self) -> f64 {
        (self.mb_per_s + self.error_mb_per_s) * 1e6
    }

    /// How long a load of this rate has to last until the observed burst can no longer explain it.
    pub fn hold_needed_s(&self, bytes_per_s: f64) -> f64 {
        let beyond = bytes_per_s - self.mb_per_s * 1e6;
        let burst_s = match self.burst_mb {
            Some(burst_mb) if beyond > 0.0 => burst_mb * 1e6 / beyond,
            _ => 0.0,
        };
        HELD_S as f64 + burst_s
    }
}

fn is_low(second: f64, level: f64, apart: f64) -> bool {
    second < level - apart
}

/// Whether each of the last seconds transferred less than the one before, and the total decrease is
/// significant.
fn falls(seconds: &[f64], level: f64) -> bool {
    let last = &seconds[seconds.len() - HELD_S..];
    last.windows(2).all(|pair| pair[1] < pair[0]) && last[0] - last[HELD_S - 1] > SHARE * level
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        len if len % 2 == 1 => sorted[len / 2],
        len => f64::midpoint(sorted[len / 2 - 1], sorted[len / 2]),
    }
}

/// The typical difference between successive seconds at the end of the series. The median: a single step
/// from a burst to the level below it is no noise.
fn noise(seconds: &[f64]) -> f64 {
    // If there are fewer seconds than that, all of them are used.
    let last = &seconds[seconds.len().saturating_sub(NOISE_S)..];
    let steps: Vec<f64> = last.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    median(&steps)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of(mb_per_s: &[f64]) -> SustainedRate {
        let seconds: Vec<f64> = mb_per_s.iter().map(|mb| mb * 1e6).collect();
        SustainedRate::of(&seconds).unwrap()
    }

    #[test]
    fn a_steady_rate_is_its_mean() {
        let steady = of(&[230.0, 248.0, 249.0, 247.0, 248.0, 250.0, 248.0]);
        assert_eq!(steady.trend, RateTrend::Steady);
        assert!((steady.mb_per_s - 248.3).abs() < 3.0 && steady.other_mb_per_s.is_none(), "{steady:?}");
        assert!(steady.least_bytes_per_s() <= 248e6 && steady.most_bytes_per_s() >= 248e6, "{steady:?}");
        // A slow start is no rise.
        assert_eq!(of(&[20.0, 100.0, 101.0, 99.0, 100.0, 100.0, 100.0]).trend, RateTrend::Steady);
    }

    #[test]
    fn a_burst_counts_as_over_only_after_five_seconds_below_it() {
        let burst = of(&[480.0, 390.0, 250.0, 251.0, 249.0, 250.0, 250.0, 250.0]);
        assert_eq!((burst.trend, burst.held_s), (RateTrend::Burst, 6.0));
        assert!((burst.mb_per_s - 250.0).abs() < 1.0 && burst.other_mb_per_s == Some(480.0), "{burst:?}");
        assert!(burst.burst_mb.is_some_and(|burst| (burst - 370.0).abs() < 2.0), "{burst:?}");
        let short = of(&[480.0, 480.0, 480.0, 390.0, 250.0, 250.0, 250.0]);
        assert_eq!((short.trend, short.held_s), (RateTrend::Unsettled, 3.0));
        assert!((short.mb_per_s - 250.0).abs() < 1.0, "{short:?}");
        // 370 MB sustain 27 MB/s more than the level for 13.7 s.
        assert!((burst.hold_needed_s(277e6) - 18.7).abs() < 0.5, "{}", burst.hold_needed_s(277e6));
        assert!((burst.hold_needed_s(240e6) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_burst_that_ends_in_the_last_seconds_is_seen() {
        let last = of(&[400.0, 400.0, 400.0, 400.0, 400.0, 120.0, 100.0]);
        assert!(!last.trend.is_sustained(), "{last:?}");
        let falling = of(&[500.0, 470.0, 440.0, 405.0, 380.0, 350.0, 320.0]);
        assert_eq!(falling.trend, RateTrend::Unsettled);
    }

    #[test]
    fn a_cache_that_fills_does_not_raise_the_level() {
        let rose = of(&[60.0, 60.0, 61.0, 60.0, 200.0, 201.0, 200.0, 199.0, 200.0, 200.0]);
        assert!((rose.mb_per_s - 60.3).abs() < 1.0, "{rose:?}");
        let settled = of(&[60.0, 61.0, 60.0, 60.0, 60.0, 60.0, 200.0, 201.0, 200.0, 199.0, 200.0]);
        assert!(settled.mb_per_s < 61.0 && settled.trend != RateTrend::Steady, "{settled:?}");
    }

    #[test]
    fn sawtooth_is_noise_and_lowers_the_lower_bound() {
        let saw = of(&[200.0, 100.0, 200.0, 100.0, 200.0, 100.0, 200.0]);
        assert_eq!(saw.trend, RateTrend::Steady);
        assert!(saw.least_bytes_per_s() < 100e6, "{saw:?}");
        // Slow waves are not settled.
        let waves = of(&[200.0, 200.0, 200.0, 200.0, 100.0, 100.0, 100.0, 101.0]);
        assert_eq!(waves.trend, RateTrend::Unsettled);
    }

    #[test]
    fn few_seconds_have_no_sustained_rate() {
        assert_eq!(of(&[250.0, 250.0]).trend, RateTrend::TooShort);
        assert_eq!(SustainedRate::of(&[]), None);
        assert!(!of(&[250.0; 4]).trend.is_sustained() && of(&[250.0; 5]).trend.is_sustained());
    }
}
