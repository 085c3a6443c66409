//! Pauses of Reelgauge: periods in which none of its threads ran. It was stopped by a signal, the host
//! was suspended, or a hypervisor or a quota took its processors.
//!
//! A program cannot see its own absence: an operation in flight seems to take as long as the pause. So a
//! watchdog (in the runner) records the pauses, and the time of operations that were in flight is
//! attributed to Reelgauge.

use crate::figures::stretch_ns;
use serde::{Deserialize, Serialize};

/// A result that is seen within this time after a pause was delayed by it: all threads wake at once, and
/// wait in the run queue.
const SEEN_AFTER_NS: u64 = 50_000_000;

/// Pauses that are kept, at most. The oldest are dropped: the operations that they could delay were seen
/// long ago.
const KEPT: usize = 8192;

/// A period in which Reelgauge did not run, on the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// The last sign of life before it.
    pub from_ns: u64,
    /// The first sign of life after it.
    pub until_ns: u64,
}

impl Pause {
    pub fn length_ns(&self) -> u64 {
        stretch_ns(self.from_ns, self.until_ns)
    }

    /// The part of it that is in a period.
    pub fn within_ns(&self, from_ns: u64, until_ns: u64) -> u64 {
        stretch_ns(self.from_ns.max(from_ns), self.until_ns.min(until_ns))
    }
}

/// Pauses in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    pauses: Vec<Pause>,
}

impl Pauses {
    /// Adds the next pause; it must not begin before the previous one ends.
    pub fn push(&mut self, pause: Pause) {
        if self.pauses.len() >= KEPT {
            self.pauses.drain(..KEPT / 2);
        }
        self.pauses.push(pause);
    }

    /// The pauses that overlap a period.
    pub fn within(&self, from_ns: u64, until_ns: u64) -> impl Iterator<Item = &Pause> {
        let first = self.pauses.partition_point(|pause| pause.until_ns <= from_ns);
        self.pauses[first..].iter().take_while(move |pause| pause.from_ns < until_ns)
    }

    /// How long Reelgauge did not run in a period.
    pub fn total_ns(&self, from_ns: u64, until_ns: u64) -> u64 {
        self.within(from_ns, until_ns).map(|pause| pause.within_ns(from_ns, until_ns)).sum()
    }

    /// The longest part of a single pause in a period.
    pub fn longest_ns(&self, from_ns: u64, until_ns: u64) -> u64 {
        self.within(from_ns, until_ns).map(|pause| pause.within_ns(from_ns, until_ns)).max().unwrap_or(0)
    }

    /// The part of the time from an operation's issue until its result was seen that Reelgauge caused:
    /// that of a pause at whose end it was seen. A result that came long after a pause, or before it,
    /// was not delayed by it.
    #[inline]
    pub fn booked_ns(&self, issued_ns: u64, done_ns: u64) -> u64 {
        if self.pauses.is_empty() {
            return 0;
        }
        self.look_up(issued_ns, done_ns)
    }

    #[cold]
    fn look_up(&self, issued_ns: u64, done_ns: u64) -> u64 {
        let before = self.pauses.partition_point(|pause| pause.from_ns < done_ns);
        let Some(pause) = before.checked_sub(1).and_then(|last| self.pauses.get(last)) else {
            return 0;
        };
        // A time at the end of the clock's range cannot be exceeded.
        if done_ns > pause.until_ns.saturating_add(SEEN_AFTER_NS) {
            return 0;
        }
        pause.within_ns(issued_ns, done_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn pauses(list: &[(u64, u64)]) -> Pauses {
        let mut pauses = Pauses::default();
        list.iter().for_each(|&(from, until)| {
            pauses.push(Pause { from_ns: from * MS, until_ns: until * MS });
        });
        pauses
    }

    #[test]
    fn delay_seen_after_a_pause_is_attributed_to_reelgauge() {
        let one = pauses(&[(1_000, 2_000)]);
        let booked = |issued: u64, done: u64| one.booked_ns(issued * MS, done * MS) / MS;
        assert_eq!(booked(990, 2_003), 1_000);
        assert_eq!(booked(1_500, 2_003), 500);
        // The watchdog woke up a little later than the thread that saw the result.
        assert_eq!(booked(990, 1_998), 998);
        // The storage took longer than the pause, so the pause cannot have delayed the answer.
        assert_eq!(booked(990, 3_000), 0);
        assert_eq!(booked(990, 999), 0);
        assert_eq!(booked(2_010, 2_020), 0);
    }

    #[test]
    fn only_the_last_pause_before_a_completion_can_delay_it() {
        let many = pauses(&[(0, 90), (100, 190), (200, 290)]);
        assert_eq!(many.booked_ns(95 * MS, 292 * MS), 90 * MS);
        assert_eq!((many.total_ns(50 * MS, 250 * MS), many.longest_ns(0, 250 * MS)), (180 * MS, 90 * MS));
        assert_eq!(many.within(90 * MS, 200 * MS).count(), 1);
    }

    #[test]
    fn old_pauses_are_forgotten() {
        let mut many = Pauses::default();
        (0..100_000).for_each(|n| many.push(Pause { from_ns: n * 10, until_ns: n * 10 + 5 }));
        assert!(many.pauses.len() <= KEPT);
        assert_eq!(many.total_ns(999_990, u64::MAX), 5);
    }
}
