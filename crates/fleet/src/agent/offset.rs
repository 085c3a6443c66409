//! How far an agent's clock is from its controller's, by the answers to its beats. Pure.

use std::collections::VecDeque;

use crate::protocol::ClockOffset;

/// So many answers are remembered. The best of them counts: one that was held up on its way says little.
const REMEMBERED: usize = 30;

/// The four times of a beat and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The beat was sent, on the agent's clock.
    pub sent_ns: i64,
    /// It was heard, on the controller's.
    pub heard_ns: i64,
    /// It was answered, on the controller's.
    pub said_ns: i64,
    /// The answer came, on the agent's.
    pub came_ns: i64,
}

impl Exchange {
    fn offset(self) -> Option<ClockOffset> {
        let there_ns = self.sent_ns.checked_sub(self.heard_ns)?;
        let back_ns = self.came_ns.checked_sub(self.said_ns)?;
        // What the two ways took together; how that is shared between them is not known.
        let both_ns = back_ns.checked_sub(there_ns)?;
        let offset_ns = there_ns.checked_add(both_ns / 2)?;
        (both_ns >= 0).then_some(ClockOffset { offset_ns, uncertainty_ns: both_ns / 2 + 1 })
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Offset {
    epoch: Option<u64>,
    known: VecDeque<ClockOffset>,
}

impl Offset {
    /// Another answer of the controller that has this number.
    pub fn take(&mut self, epoch: u64, exchange: Exchange) {
        if self.epoch != Some(epoch) {
            self.epoch = Some(epoch);
            self.known.clear();
        }
        self.known.extend(exchange.offset());
        if self.known.len() > REMEMBERED {
            self.known.pop_front();
        }
    }

    /// Against the clock of that controller; `None` before its first answer.
    pub fn to(&self, epoch: u64) -> Option<ClockOffset> {
        (self.epoch == Some(epoch)).then(|| self.best()).flatten()
    }

    /// Against the clock of the controller that was heard last.
    pub fn best(&self) -> Option<ClockOffset> {
        self.known.iter().copied().min_by_key(|offset| offset.uncertainty_ns)
    }

    /// Forgets everything: the clock was set.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_never_farther_off_than_it_says(
            offset_ns in -1_000_000_000_000_i64..1_000_000_000_000,
            ways in proptest::collection::vec((0..5_000_000_000_i64, 0..5_000_000_000_i64), 1..50),
        ) {
            let mut known = Offset::default();
            for (at, (there_ns, back_ns)) in (0_i64..).zip(ways) {
                let sent_ns = at * 1_000_000_000;
                let heard_ns = sent_ns + there_ns - offset_ns;
                let came_ns = sent_ns + there_ns + 10 + back_ns;
                known.take(7, Exchange { sent_ns, heard_ns, said_ns: heard_ns + 10, came_ns });
            }
            let found = known.to(7).expect("there were answers");
            prop_assert!((found.offset_ns - offset_ns).abs() <= found.uncertainty_ns);
            prop_assert!(known.to(8).is_none());
        }
    }

    #[test]
    fn an_answer_that_came_before_its_beat_is_none() {
        let mut known = Offset::default();
        known.take(1, Exchange { sent_ns: 10, heard_ns: 0, said_ns: 9, came_ns: 11 });
        known.take(1, Exchange { sent_ns: i64::MIN, heard_ns: i64::MAX, said_ns: 0, came_ns: 0 });
        assert_eq!(known.best(), None);
    }
}
