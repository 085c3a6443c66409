//! A first pass over data that a server does not have in its memory, and later passes over the same
//! data.
//!
//! Each pass reads every block once, so nothing is read from memory until the end of the first pass. The
//! time to warm up is the time of all passes before the first one that is as fast as the last.

use serde::{Deserialize, Serialize};

/// A pass with this share of the last pass's rate is warm.
const WARM: f64 = 0.9;

/// What the passes show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warming {
    /// The rate of the first pass, bytes/s.
    pub cold_bytes_per_s: f64,
    /// The rate of the last pass.
    pub warm_bytes_per_s: f64,
    /// The time until passes were warm, in seconds; `None` if the first pass was as fast as the last:
    /// the server was not cold, or its memory cannot hold the data.
    pub warm_after_s: Option<f64>,
}

/// Evaluates the rate and the time of each pass. `None` for fewer than two.
pub fn warming(passes: &[(f64, f64)]) -> Option<Warming> {
    let (&[(cold_bytes_per_s, _), _, ..], &[.., (warm_bytes_per_s, _)]) = (passes, passes) else {
        return None;
    };
    let is_warm = |&(rate, _): &(f64, f64)| rate >= WARM * warm_bytes_per_s;
    let cold = passes.iter().take_while(|pass| !is_warm(pass));
    let cold_s: f64 = cold.map(|&(_, seconds)| seconds).sum();
    Some(Warming { cold_bytes_per_s, warm_bytes_per_s, warm_after_s: (cold_s > 0.0).then_some(cold_s) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_first_pass_is_cold_and_its_time_is_that_to_warm() {
        let found = warming(&[(50.0, 20.0), (98.0, 10.2), (100.0, 10.0)]).unwrap();
        assert_eq!((found.cold_bytes_per_s, found.warm_bytes_per_s), (50.0, 100.0));
        assert_eq!(found.warm_after_s, Some(20.0));
    }

    #[test]
    fn a_memory_that_fills_over_several_passes_takes_their_time() {
        let found = warming(&[(50.0, 20.0), (70.0, 14.0), (95.0, 10.5), (100.0, 10.0)]).unwrap();
        assert_eq!(found.warm_after_s, Some(34.0));
    }

    #[test]
    fn without_a_difference_there_is_no_time_to_warm() {
        assert_eq!(warming(&[(99.0, 10.0), (100.0, 10.0)]).unwrap().warm_after_s, None);
        assert_eq!(warming(&[(99.0, 10.0)]), None);
    }
}
