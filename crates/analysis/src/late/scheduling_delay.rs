//! Separates the scheduling delay of Reelgauge from the storage's: see the head of [`crate::late`].

use std::collections::VecDeque;

use reelgauge_record::{OpFlags, OpRecord, ProcessorWait};

use crate::figures::stretch_ns;
use crate::incident::OwnShare;
use crate::pause::Pauses;

/// Completions of a worker that are remembered. An operation that was overtaken by more of them counts
/// as issued in time: compared with its duration, the delay of Reelgauge before it hardly matters.
const REMEMBERED: usize = 512;

/// A moment on the two timelines without delays of Reelgauge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IdealNs {
    /// If also no operation had waited for the limit on bytes per second.
    pub(super) unlimited: u64,
    /// With the waits for that limit.
    pub(super) limited: u64,
}

impl IdealNs {
    pub(super) const LAST: IdealNs = IdealNs::at(u64::MAX);

    /// The same moment on both.
    const fn at(ns: u64) -> IdealNs {
        IdealNs { unlimited: ns, limited: ns }
    }

    /// The later moment, on each.
    pub(super) fn max(self, other: IdealNs) -> IdealNs {
        IdealNs { unlimited: self.unlimited.max(other.unlimited), limited: self.limited.max(other.limited) }
    }

    /// The earlier moment, on each.
    pub(super) fn min(self, other: IdealNs) -> IdealNs {
        IdealNs { unlimited: self.unlimited.min(other.unlimited), limited: self.limited.min(other.limited) }
    }
}

/// The times of an operation on the timelines without delays of Reelgauge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnTimes {
    /// When it would have completed.
    pub(super) done: IdealNs,
    /// When its worker would have been free for it; 0 for the first operation of all.
    pub(super) free: IdealNs,
    /// How long Reelgauge waited although the operation was due and the worker free, plus the time in
    /// which it did not run although the operation's result was available.
    pub(super) delay_ns: u64,
    pub(super) booked_ns: u64,
    /// How long its thread waited for a processor.
    pub(super) wait: ProcessorWait,
}

impl OwnTimes {
    /// The part of the operation's time that Reelgauge caused.
    pub(super) fn share(&self) -> OwnShare {
        OwnShare { booked_ns: self.booked_ns, delay_ns: self.delay_ns, wait: self.wait }
    }
}

/// How much of the time from an operation's issue until its result was seen Reelgauge caused: the final
/// wait of its thread for a processor, and the pause before that.
pub(super) fn booked_ns(op: &OpRecord, pauses: &Pauses, wait: ProcessorWait) -> u64 {
    let wait_ns = wait.in_flight_ns.min(op.service_ns());
    wait_ns + pauses.booked_ns(op.issued_ns, op.done_ns - wait_ns)
}

/// The latest completions of one worker.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerPast {
    /// When each completed, ascending, and when it would have completed without the delays of Reelgauge.
    completions: VecDeque<(u64, IdealNs)>,
}

impl WorkerPast {
    /// Takes the worker's next operation, and how long its thread waited for a processor around it.
    pub(super) fn take(&mut self, op: &OpRecord, pauses: &Pauses, wait: ProcessorWait) -> OwnTimes {
        let before = self.completions.partition_point(|(done_ns, _)| *done_ns <= op.issued_ns);
        let (freed_ns, free) = match before.checked_sub(1).map(|latest| self.completions[latest]) {
            Some(completion) => completion,
            None if self.completions.len() < REMEMBERED => (0, IdealNs::default()),
            None => (op.issued_ns, IdealNs::at(op.issued_ns)),
        };
        // A step that was due at the completion of the one before it is due as soon as that completes,
        // however much Reelgauge delayed it.
        let issued_ns = |free_ns: u64| {
            let due_ns = if op.due_ns == freed_ns { free_ns } else { op.due_ns };
            due_ns.max(free_ns).min(op.issued_ns)
        };
        let could_ns = op.due_ns.max(freed_ns);
        let waited_ns = stretch_ns(could_ns, op.issued_ns);
        let (before_ns, limited_ns) = if op.flags.has(OpFlags::RATE_LIMITED) {
            let own_ns = wait.before_ns.max(pauses.booked_ns(could_ns, op.issued_ns)).min(waited_ns);
            (own_ns, op.issued_ns - own_ns)
        } else {
            (waited_ns, issued_ns(free.limited))
        };
        let booked_ns = booked_ns(op, pauses, wait);
        let service_ns = op.service_ns() - booked_ns;
        let times = OwnTimes {
            done: IdealNs {
                unlimited: issued_ns(free.unlimited) + service_ns,
                limited: limited_ns + service_ns,
            },
            free,
            delay_ns: before_ns + booked_ns,
            booked_ns,
            wait,
        };
        if self.completions.len() >= REMEMBERED {
            self.completions.pop_front();
        }
        self.completions.push_back((op.done_ns, times.done));
        times
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::read;

    use super::*;
    use crate::pause::Pause;

    fn delays(ops: &[(u64, u64, u64)]) -> Vec<(u64, u64)> {
        delays_with(ops, &Pauses::default())
    }

    fn delays_with(ops: &[(u64, u64, u64)], pauses: &Pauses) -> Vec<(u64, u64)> {
        let mut past = WorkerPast::default();
        let take = |&(due_ns, issued_ns, done_ns): &(u64, u64, u64)| {
            let op = read(0, 0, 100).at_ns(issued_ns).due_at_ns(due_ns).done_at_ns(done_ns);
            let times = past.take(&op, pauses, ProcessorWait::default());
            (times.delay_ns, times.done.limited)
        };
        ops.iter().map(take).collect()
    }

    #[test]
    fn operations_in_flight_during_a_pause_count_as_scheduling_delay() {
        let mut pauses = Pauses::default();
        pauses.push(Pause { from_ns: 5_000, until_ns: 1_005_000 });
        // It would have completed at 5000 at the latest; the next one was due at 40 000.
        let found = delays_with(&[(0, 0, 1_005_500), (40_000, 1_006_000, 1_007_000)], &pauses);
        assert_eq!(found, [(1_000_000, 5_500), (500, 41_000)]);
        // The storage took far longer than the pause, so the pause delayed nothing.
        let found = delays_with(&[(0, 0, 900_000_000)], &pauses);
        assert_eq!(found, [(0, 900_000_000)]);
    }

    #[test]
    fn wait_for_a_processor_is_scheduling_delay() {
        let mut past = WorkerPast::default();
        let op = read(0, 0, 100).at_ns(100).due_at_ns(0).done_at_ns(600_100);
        let waited = |in_flight_ns| ProcessorWait { in_flight_ns, ..ProcessorWait::default() };
        let times = past.take(&op, &Pauses::default(), waited(590_000));
        assert_eq!((times.delay_ns, times.done.limited), (590_100, 10_000));
        // After a pause, it waited in the run queue for a while. The time that both cover counts once.
        let mut pauses = Pauses::default();
        pauses.push(Pause { from_ns: 5_100, until_ns: 500_000 });
        let booked = |wait_ns| booked_ns(&op, &pauses, waited(wait_ns));
        assert_eq!((booked(100_000), booked(590_000), booked(900_000)), (594_900, 595_000, 600_000));
    }

    #[test]
    fn a_step_due_at_the_end_of_the_one_before_moves_with_it() {
        let mut pauses = Pauses::default();
        pauses.push(Pause { from_ns: 1_000, until_ns: 501_000 });
        // Create, write and close of a frame in sequence; Reelgauge saw the create late.
        let found = delays_with(
            &[(0, 0, 501_100), (501_100, 501_100, 501_400), (501_400, 501_450, 501_500)],
            &pauses,
        );
        assert_eq!(found, [(500_000, 1_100), (0, 1_400), (50, 1_450)]);
    }

    #[test]
    fn waiting_for_a_slow_operation_is_no_delay_of_reelgauge() {
        // The second was due at 40 and could not begin before 1000.
        assert_eq!(
            delays(&[(0, 0, 1000), (40, 1000, 1010), (80, 1010, 1020)]),
            [(0, 1000), (0, 1010), (0, 1020)]
        );
    }

    #[test]
    fn pause_of_reelgauge_delays_all_queued_operations() {
        // Due at 40, the worker free since 10, issued at 540: 500 lost. The next ones queue behind it.
        let found = delays(&[(0, 0, 10), (40, 540, 550), (80, 550, 560), (540, 560, 570), (600, 600, 610)]);
        assert_eq!(found, [(0, 10), (500, 50), (0, 90), (0, 550), (0, 610)]);
    }

    #[test]
    fn with_several_in_flight_a_long_one_is_charged_to_the_storage() {
        let mut ops = vec![(0, 0, 5)];
        ops.extend((1..=600).map(|n| (n * 10, n * 10, n * 10 + 5)));
        ops.push((3, 5, 9000));
        let found = delays(&ops);
        assert_eq!(found.last(), Some(&(0, 9000)));
    }

    #[test]
    fn absurd_times_do_not_panic() {
        assert_eq!(delays(&[(u64::MAX, 0, 0), (0, u64::MAX, 5)]), [(0, 0), (u64::MAX, 0)]);
    }
}
