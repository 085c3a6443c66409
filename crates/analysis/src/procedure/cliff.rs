//! Finds the number of written bytes after which storage became slow, because a write cache or the
//! reserve of erased flash blocks was used up.
//!
//! Of all ways to divide the time in two, the one with the least spread of the rates on both sides is
//! taken. It is a cliff if the rate after it is at most [`FALL`] of the rate before, and nearly all
//! steps of each side are on their side of the midpoint.

use serde::{Deserialize, Serialize};

/// The rate after a cliff is at most this share of the one before.
const FALL: f64 = 0.7;
/// The share of the steps that must be on their side of the midpoint.
const CLEAR: f64 = 0.8;
/// Sides with fewer steps are not judged.
const STEPS_MIN: usize = 2;

/// The drop of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cliff {
    /// Bytes written until then, including the making of the files.
    pub written_bytes: f64,
    /// How many of these were for making the files.
    pub prepared_bytes: u64,
    /// The rate before, bytes/s.
    pub before_bytes_per_s: f64,
    pub after_bytes_per_s: f64,
}

/// Searches for a drop in equal steps of time, `(bytes, seconds)`. Only `prepared_bytes` were written
/// before.
pub fn cliff(steps: &[(u64, f64)], prepared_bytes: u64) -> Option<Cliff> {
    let rates: Vec<f64> = steps.iter().map(|&(bytes, seconds)| bytes as f64 / seconds).collect();
    let cut = (STEPS_MIN..=rates.len().checked_sub(STEPS_MIN)?)
        .min_by(|&one, &other| spread_about(&rates, one).total_cmp(&spread_about(&rates, other)))?;
    let (before, after) = (median(&rates[..cut])?, median(&rates[cut..])?);
    let middle = f64::midpoint(before, after);
    let is_clear = |rates: &[f64], is_before: bool| {
        let there = rates.iter().filter(|&&rate| (rate > middle) == is_before).count();
        there as f64 >= CLEAR * rates.len() as f64
    };
    if after > FALL * before || !is_clear(&rates[..cut], true) || !is_clear(&rates[cut..], false) {
        return None;
    }
    Some(Cliff {
        written_bytes: prepared_bytes as f64 + bytes_before(steps, &rates, (before, after), cut),
        prepared_bytes,
        before_bytes_per_s: before,
        after_bytes_per_s: after,
    })
}

/// Bytes until the drop, which is within one of the two steps at the cut.
fn bytes_before(steps: &[(u64, f64)], rates: &[f64], (before, after): (f64, f64), cut: usize) -> f64 {
    // The share of a step that was still fast.
    let fast = |at: usize| ((rates[at] - after) / (before - after)).clamp(0.0, 1.0);
    let whole: f64 = steps[..cut - 1].iter().map(|&(bytes, _)| bytes as f64).sum();
    let of_step = |at: usize| fast(at) * steps[at].1 * before;
    whole + of_step(cut - 1).min(steps[cut - 1].0 as f64) + of_step(cut).min(steps[cut].0 as f64)
}

/// The sum of the squared distances from the means of both sides.
fn spread_about(rates: &[f64], cut: usize) -> f64 {
    let of_side = |side: &[f64]| {
        let mean = side.iter().sum::<f64>() / side.len() as f64;
        side.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>()
    };
    of_side(&rates[..cut]) + of_side(&rates[cut..])
}

fn median(rates: &[f64]) -> Option<f64> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Storage with one write rate up to a number of bytes, and another one after it.
    fn store(fast: f64, slow: f64, fast_bytes: f64, seconds: usize) -> Vec<(u64, f64)> {
        let at = |time: f64| {
            let turn = fast_bytes / fast;
            if time <= turn { time * fast } else { fast_bytes + (time - turn) * slow }
        };
        let step = |second: usize| ((at(second as f64 + 1.0) - at(second as f64)) as u64, 1.0);
        (0..seconds).map(step).collect()
    }

    #[test]
    fn cliff_within_a_step_is_located() {
        for fast_bytes in [4e8, 4.3e8, 4.5e8, 4.9e8] {
            let found = cliff(&store(1e8, 2e7, fast_bytes, 12), 0).unwrap();
            assert!((found.written_bytes - fast_bytes).abs() < 1e7, "{fast_bytes}: {found:?}");
            assert_eq!((found.before_bytes_per_s, found.after_bytes_per_s), (1e8, 2e7));
        }
        let found = cliff(&store(1e8, 2e7, 4e8, 12), 50).unwrap();
        assert_eq!((found.written_bytes, found.prepared_bytes), (4e8 + 50.0, 50));
    }

    #[test]
    fn level_rates_small_falls_and_noise_are_no_cliff() {
        assert_eq!(cliff(&store(1e8, 1e8, 1e9, 12), 0), None);
        assert_eq!(cliff(&store(1e8, 8e7, 4e8, 12), 0), None);
        let noise: Vec<(u64, f64)> = (0..20).map(|n| (if n % 2 == 0 { 100 } else { 10 }, 1.0)).collect();
        assert_eq!(cliff(&noise, 0), None);
        assert_eq!(cliff(&[(100, 1.0), (1, 1.0), (1, 1.0)], 0), None);
        // A rate that rises is no cliff.
        let rising: Vec<(u64, f64)> = (0..12).map(|n| (if n < 6 { 10 } else { 100 }, 1.0)).collect();
        assert_eq!(cliff(&rising, 0), None);
    }
}
