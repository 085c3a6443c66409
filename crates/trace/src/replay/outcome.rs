//! Differences between a replay and the recording, and the delays of the replay.

use reelgauge_record::OpKind;
use reelgauge_workload::script::Done;

use super::delays::Delays;
use super::packed::{PackedTrace, Result};

/// Number of differences that are kept for display.
pub const SHOWN: usize = 10;

/// An operation whose result differs from the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its number in the replayed trace, from 0.
    pub op: u32,
    pub kind: OpKind,
    /// Index into the trace's file table.
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// The result in the recording.
    pub recorded: Result,
    /// The result of the replay.
    pub now: Result,
}

/// An operation that completes this long after it was due may have waited for storage that did not
/// respond.
pub const LONG_ANSWER_NS: u64 = 100_000_000;
/// Limit of long answers that are stored.
pub const LONG_ANSWERS_KEPT: usize = 1 << 16;

/// The parts of an operation's delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Delay {
    /// The scheduling delay of Reelgauge.
    pub own_ns: u64,
    /// The wait for an earlier operation, as far as Reelgauge had started that one late.
    pub behind_tool_ns: u64,
    /// Its wait for the limit on bytes per second, and the one for an earlier operation as far as that had
    /// waited for the limit.
    pub limit_ns: u64,
    /// The rest of the wait for earlier operations.
    pub storage_ns: u64,
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Number of completed operations.
    pub done_ops: u64,
    /// Operations with a different result.
    pub different_ops: u64,
    /// The first differences, for display.
    pub first: Vec<Difference>,
    /// Operations that could not start when due, because an earlier one had not completed.
    pub held_up_ops: u64,
    /// The longest wait of such an operation.
    pub held_up_most_ns: u64,
    /// From the time at which each operation could start (due, and its dependencies complete) until it
    /// was issued: Reelgauge's scheduling delay.
    pub own_lateness: Delays,
    /// Operations that started late because of Reelgauge: either the operation itself, or one that it
    /// waited for. In the second case the wait was longer because of Reelgauge than because of the
    /// storage.
    pub begun_late_ops: u64,
    /// Operations that started late because the storage had not completed the operations they waited
    /// for.
    pub storage_late_ops: u64,
    /// Operations that started late because of the limit on bytes per second: they or earlier ones waited
    /// for it.
    pub limit_late_ops: u64,
    /// The longest delay after a due time, from any cause.
    pub behind_most_ns: u64,
    /// Due times and completion times of operations that completed [`LONG_ANSWER_NS`] or more after they
    /// were due: the first [`LONG_ANSWERS_KEPT`].
    pub long_answers: Vec<(u64, u64)>,
    /// The time at which the first operation was due.
    pub begun_ns: u64,
    /// The time at which the last operation completed.
    pub ended_ns: u64,
    /// Operations that were refused because another process had replaced their file with a link.
    pub displaced_ops: u64,
    /// Opens that failed in the recording and succeeded now; their files were closed again.
    pub extra_closes: u64,
}

impl Outcomes {
    /// Counts a completed operation's delay. A delay of more than `late_after_ns` counts as late.
    pub(super) fn take_delay(&mut self, delay: &Delay, done: &Done, late_after_ns: u64) {
        let Delay { own_ns, behind_tool_ns, limit_ns, storage_ns } = *delay;
        let through_tool_ns = own_ns + behind_tool_ns;
        let is_mostly_own = through_tool_ns > late_after_ns.max(limit_ns).max(storage_ns);
        self.own_lateness.add(own_ns);
        self.begun_late_ops += u64::from(own_ns > late_after_ns || is_mostly_own);
        self.storage_late_ops += u64::from(storage_ns > late_after_ns);
        self.limit_late_ops += u64::from(limit_ns > late_after_ns);
        self.behind_most_ns = self.behind_most_ns.max(through_tool_ns + limit_ns + storage_ns);
        let is_long = done.done_ns.saturating_sub(done.due_ns) >= LONG_ANSWER_NS;
        if is_long && self.long_answers.len() < LONG_ANSWERS_KEPT {
            self.long_answers.push((done.due_ns, done.done_ns));
        }
    }

    /// Counts a completed operation.
    pub(super) fn take(&mut self, trace: &PackedTrace, number: u32, done: &Done) {
        self.done_ops += 1;
        self.ended_ns = self.ended_ns.max(done.done_ns);
        let Some(op) = trace.ops.get(number as usize) else { return };
        let recorded = trace.recorded(number);
        let now = Result { done_len: done.done_len, errno: done.errno };
        if is_alike(op.kind, recorded, now) {
            return;
        }
        self.different_ops += 1;
        self.displaced_ops += u64::from(is_displaced(op.kind, recorded, now));
        if self.first.len() < SHOWN {
            let (kind, file, offset, len) = (op.kind, op.file, op.offset, op.len);
            self.first.push(Difference { op: number, kind, file, offset, len, recorded, now });
        }
    }
}

/// Whether a file that could be opened in the recording is now a link, which is not followed (`ELOOP`),
/// or has a second name and is not written (`EMLINK`).
fn is_displaced(kind: OpKind, recorded: Result, now: Result) -> bool {
    let opens = matches!(kind, OpKind::Open | OpKind::Create | OpKind::Truncate);
    cfg!(target_os = "linux") && opens && recorded.errno == 0 && matches!(now.errno, 31 | 40)
}

/// Whether an application would see two results as equal. Error numbers differ between systems, so on
/// other systems only success or failure counts.
fn is_alike(kind: OpKind, recorded: Result, now: Result) -> bool {
    let same_error = if cfg!(target_os = "linux") {
        recorded.errno == now.errno
    } else {
        (recorded.errno == 0) == (now.errno == 0)
    };
    same_error && (!kind.moves_data() || recorded.done_len == now.done_len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn link_in_place_of_a_file_is_distinguished_from_recorded_errors() {
        let (good, looped) = (Result { done_len: 0, errno: 0 }, Result { done_len: 0, errno: 40 });
        let two_names = Result { done_len: 0, errno: 31 };
        assert!(is_displaced(OpKind::Open, good, looped) && is_displaced(OpKind::Create, good, two_names));
        assert!(!is_displaced(OpKind::Open, looped, looped), "so it was when it was recorded");
        assert!(!is_displaced(OpKind::Link, good, two_names), "a file may have too many names");
        assert!(!is_displaced(OpKind::Open, good, Result { done_len: 0, errno: 2 }));
    }
}
