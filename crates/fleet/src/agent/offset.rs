//! The offset between an agent's clock and its controller's, by the answers to its beats. Pure.
//!
//! An answer bounds the offset at the time of its round trip, by half of that. At any other moment the
//! bound is wider by the drift between the two clocks since.

use std::collections::VecDeque;

use crate::protocol::ClockOffset;

/// The number of answers to remember. The best of them counts, since a delayed answer is inexact.
const REMEMBERED: usize = 30;
/// Two monotonic clocks drift apart by at most this: a crystal is off by at most 100 millionths, and
/// clock synchronisation slews it by at most 500.
const DRIFT_PER_MILLION: u128 = 500;

/// The four times of a beat and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The beat was sent, on the agent's clock.
    pub sent_ns: i64,
    /// It was received, on the controller's.
    pub heard_ns: i64,
    /// It was answered, on the controller's.
    pub said_ns: i64,
    /// The answer arrived, on the agent's.
    pub came_ns: i64,
}

/// The offset according to one exchange.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    offset: ClockOffset,
    sent_ns: i64,
    came_ns: i64,
}

impl Exchange {
    fn sample(self) -> Option<Sample> {
        let Exchange { sent_ns, came_ns, .. } = self;
        let there_ns = sent_ns.checked_sub(self.heard_ns)?;
        let back_ns = came_ns.checked_sub(self.said_ns)?;
        // The sum of both directions; how it is divided between them is unknown.
        let both_ns = back_ns.checked_sub(there_ns)?;
        let offset_ns = there_ns.checked_add(both_ns / 2)?;
        let offset = ClockOffset { offset_ns, uncertainty_ns: both_ns / 2 + 1 };
        (both_ns >= 0).then_some(Sample { offset, sent_ns, came_ns })
    }
}

impl Sample {
    /// The offset at another moment of the agent's clock.
    pub fn at(self, at_ns: i64) -> ClockOffset {
        let apart = |from_ns: i64| i128::from(at_ns).abs_diff(i128::from(from_ns));
        let apart_ns = apart(self.sent_ns).max(apart(self.came_ns));
        let drift_ns = i64::try_from(apart_ns * DRIFT_PER_MILLION / 1_000_000).unwrap_or(i64::MAX);
        let uncertainty_ns = self.offset.uncertainty_ns.saturating_add(drift_ns).saturating_add(1);
        ClockOffset { uncertainty_ns, ..self.offset }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Offset {
    epoch: Option<u64>,
    known: VecDeque<Sample>,
}

impl Offset {
    /// Takes another answer of the controller with this number. Returns its offset, if it has one.
    pub fn take(&mut self, epoch: u64, exchange: Exchange) -> Option<Sample> {
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.known.clear();
        }
        let sample = exchange.sample();
        self.known.extend(sample);
        if self.known.len() > REMEMBERED {
            self.known.pop_front();
        }
        sample
    }

    /// The offset from that controller's clock at this time of the agent's; `None` before its first
    /// answer.
    pub fn to(&self, epoch: u64, at_ns: i64) -> Option<ClockOffset> {
        (self.epoch == Some(epoch)).then(|| self.best(at_ns)).flatten()
    }

    /// The offset from the clock of the controller that was heard last.
    pub fn best(&self, at_ns: i64) -> Option<ClockOffset> {
        self.known.iter().map(|sample| sample.at(at_ns)).min_by_key(|offset| offset.uncertainty_ns)
    }
}

/// Of two offsets at the same time, the one with the smaller error bound.
pub fn better(known: Option<ClockOffset>, other: ClockOffset) -> ClockOffset {
    known.filter(|known| known.uncertainty_ns <= other.uncertainty_ns).unwrap_or(other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// For any delays of messages, and any drift within the assumed limit.
        #[test]
        fn the_error_never_exceeds_the_reported_bound(
            offset_ns in -1_000_000_000_000_i64..1_000_000_000_000,
            drift_per_million in -400_i64..400,
            ways in proptest::collection::vec((0..5_000_000_000_i64, 0..5_000_000_000_i64), 1..50),
            at_s in 0_i64..100,
        ) {
            let mut known = Offset::default();
            let agent_ns = |ns: i64| ns + offset_ns + ns / 1_000_000 * drift_per_million;
            let mut now_ns = 0;
            for (there_ns, back_ns) in ways {
                let (sent_ns, heard_ns) = (agent_ns(now_ns), now_ns + there_ns);
                now_ns = heard_ns + 10 + back_ns;
                let (said_ns, came_ns) = (heard_ns + 10, agent_ns(now_ns));
                known.take(7, Exchange { sent_ns, heard_ns, said_ns, came_ns });
            }
            let at_ns = at_s * 1_000_000_000;
            let found = known.to(7, agent_ns(at_ns)).expect("there were answers");
            let truth_ns = agent_ns(at_ns) - at_ns;
            prop_assert!((found.offset_ns - truth_ns).abs() <= found.uncertainty_ns);
            prop_assert!(known.to(8, 0).is_none());
        }
    }

    #[test]
    fn a_quick_answer_of_long_ago_bounds_less_than_a_slower_one_of_now() {
        let mut known = Offset::default();
        let exchange = |at_ns: i64, way_ns: i64| Exchange {
            sent_ns: at_ns,
            heard_ns: at_ns + way_ns,
            said_ns: at_ns + way_ns,
            came_ns: at_ns + 2 * way_ns,
        };
        let second = 1_000_000_000;
        known.take(1, exchange(0, 100_000));
        known.take(1, exchange(20 * second, 2_000_000));
        let now = known.best(20 * second).map(|offset| offset.uncertainty_ns / 1_000_000);
        let then = known.best(0).map(|offset| offset.uncertainty_ns / 1_000);
        assert_eq!((now, then), (Some(2), Some(100)));
    }

    #[test]
    fn answer_before_its_beat_is_ignored() {
        let mut known = Offset::default();
        known.take(1, Exchange { sent_ns: 10, heard_ns: 0, said_ns: 9, came_ns: 11 });
        known.take(1, Exchange { sent_ns: i64::MIN, heard_ns: i64::MAX, said_ns: 0, came_ns: 0 });
        assert_eq!(known.best(0), None);
    }
}
