//! How another clock differs from this one, and how well that is known.
//!
//! A question is answered somewhere on its way there and back. The answer of the shortest way says most: it
//! was given in the middle of it, give or take one half. Nothing is averaged: a slow way says nothing that a
//! fast one does not say better.
//!
//! Pure.

use serde::Serialize;

/// One question, and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSample {
    /// When it was asked, by this machine's clock, in nanoseconds since 1970.
    pub asked_unix_ns: i64,
    /// How long until the answer was there.
    pub round_trip_ns: u64,
    /// What the other clock said, in nanoseconds since 1970.
    pub answered_unix_ns: i64,
}

/// How another clock differs from this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockDifference {
    /// How far the other one is ahead; negative where it is behind.
    pub offset_ns: i64,
    /// How far that may be off, either way.
    pub uncertainty_ns: u64,
    /// The shortest way there and back.
    pub round_trip_ns: u64,
}

/// What the best of these answers says; `None` without any.
pub fn difference(samples: &[ClockSample]) -> Option<ClockDifference> {
    let best = samples.iter().min_by_key(|sample| sample.round_trip_ns)?;
    let half_ns = best.round_trip_ns.div_ceil(2);
    let middle_ns = best.asked_unix_ns.saturating_add_unsigned(half_ns);
    Some(ClockDifference {
        offset_ns: best.answered_unix_ns.saturating_sub(middle_ns),
        uncertainty_ns: half_ns,
        round_trip_ns: best.round_trip_ns,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_shortest_way_says_most() {
        let slow = ClockSample { asked_unix_ns: 1_000, round_trip_ns: 900, answered_unix_ns: 1_900 };
        let fast = ClockSample { asked_unix_ns: 5_000, round_trip_ns: 100, answered_unix_ns: 5_060 };
        let found = difference(&[slow, fast, slow]).unwrap();
        assert_eq!(found, ClockDifference { offset_ns: 10, uncertainty_ns: 50, round_trip_ns: 100 });
        assert_eq!(difference(&[]), None);
    }

    proptest! {
        /// However the time is spent on the way, the other clock is where it is said to be.
        #[test]
        fn the_truth_lies_within_the_uncertainty(
            offset_ns in -10_000_000_000_000_i64..10_000_000_000_000,
            ways in proptest::collection::vec((0_u64..50_000_000, 0_u64..50_000_000), 1..20),
        ) {
            let mut now = 1_700_000_000_000_000_000_i64;
            let mut samples = Vec::new();
            for (there, back) in ways {
                let answered_unix_ns = now.saturating_add_unsigned(there) + offset_ns;
                let round_trip_ns = there + back;
                samples.push(ClockSample { asked_unix_ns: now, round_trip_ns, answered_unix_ns });
                now = now.saturating_add_unsigned(there + back + 1_000);
            }
            let found = difference(&samples).unwrap();
            prop_assert!(found.offset_ns.abs_diff(offset_ns) <= found.uncertainty_ns);
        }
    }
}
