//! The tool's own delay, told apart from the storage's: see the head of [`crate::late`].

use std::collections::VecDeque;

use reelgauge_record::OpRecord;

/// How many completions of a worker are remembered. An operation that was overtaken by more of them is
/// taken as issued in time: beside what it took, the tool's delay before it hardly matters.
const REMEMBERED: usize = 512;

/// An operation on the timeline of a tool without delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnTimes {
    /// When it would have been done.
    pub(super) done_ns: u64,
    /// When its worker would have been free for it; 0 for the first operation of all.
    pub(super) free_ns: u64,
    /// How long the tool waited although the operation was due and the worker free.
    pub(super) delay_ns: u64,
}

/// The latest completions of one worker.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerPast {
    /// When each was done, ascending, and when it would have been done without the tool's delays.
    completions: VecDeque<(u64, u64)>,
}

impl WorkerPast {
    /// Takes the worker's next operation.
    pub(super) fn take(&mut self, op: &OpRecord) -> OwnTimes {
        let before = self.completions.partition_point(|(done_ns, _)| *done_ns <= op.issued_ns);
        let (freed_ns, free_ns) = match before.checked_sub(1).map(|latest| self.completions[latest]) {
            Some(completion) => completion,
            None if self.completions.len() < REMEMBERED => (0, 0),
            None => (op.issued_ns, op.issued_ns),
        };
        let issued_ns = op.due_ns.max(free_ns).min(op.issued_ns);
        let times = OwnTimes {
            done_ns: issued_ns + op.service_ns(),
            free_ns,
            delay_ns: op.issued_ns.saturating_sub(op.due_ns.max(freed_ns)),
        };
        if self.completions.len() >= REMEMBERED {
            self.completions.pop_front();
        }
        self.completions.push_back((op.done_ns, times.done_ns));
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::late::tests::op;

    fn delays(ops: &[(u64, u64, u64)]) -> Vec<(u64, u64)> {
        let mut past = WorkerPast::default();
        let take = |&(due_ns, issued_ns, done_ns): &(u64, u64, u64)| {
            let times = past.take(&OpRecord { due_ns, issued_ns, done_ns, ..op() });
            (times.delay_ns, times.done_ns)
        };
        ops.iter().map(take).collect()
    }

    #[test]
    fn waiting_behind_a_slow_operation_is_not_the_tools_delay() {
        // The second was due at 40 and could not begin before 1000.
        assert_eq!(
            delays(&[(0, 0, 1000), (40, 1000, 1010), (80, 1010, 1020)]),
            [(0, 1000), (0, 1010), (0, 1020)]
        );
    }

    #[test]
    fn a_pause_of_the_tool_moves_everything_queued_behind_it() {
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
