//! The offset of another clock from the local one, and its uncertainty.
//!
//! The agent is assumed to have answered in the middle of the round trip, with an error of at most half
//! the round trip. The answer with the shortest round trip is the most exact. Nothing is averaged, because
//! a slow answer adds nothing to a fast one.
//!
//! Pure.

use serde::Serialize;

/// One question, and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSample {
    /// When it was asked, by this host's clock, in nanoseconds since 1970.
    pub asked_unix_ns: i64,
    /// The time until the answer arrived.
    pub round_trip_ns: u64,
    /// The time in the answer, in nanoseconds since 1970.
    pub answered_unix_ns: i64,
}

/// The offset of another clock from the local one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ClockDifference {
    /// How far the other clock is ahead; negative if it is behind.
    pub offset_ns: i64,
    /// The error bound of the offset, in both directions.
    pub uncertainty_ns: u64,
    /// The shortest round trip.
    pub round_trip_ns: u64,
}

/// The offset by the best of these answers; `None` without any.
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
    fn the_shortest_round_trip_counts() {
        let slow = ClockSample { asked_unix_ns: 1_000, round_trip_ns: 900, answered_unix_ns: 1_900 };
        let fast = ClockSample { asked_unix_ns: 5_000, round_trip_ns: 100, answered_unix_ns: 5_060 };
        let found = difference(&[slow, fast, slow]).unwrap();
        assert_eq!(found, ClockDifference { offset_ns: 10, uncertainty_ns: 50, round_trip_ns: 100 });
        assert_eq!(difference(&[]), None);
    }

    proptest! {
        /// However the round trip is divided, the true offset is within the bound.
        #[test]
        fn true_offset_is_within_the_uncertainty(
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
