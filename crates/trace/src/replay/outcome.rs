//! What turned out differently from what was recorded, and how far a replay was held up.

use reelgauge_record::OpKind;
use reelgauge_workload::script::Done;

use super::delays::Delays;
use super::packed::{PackedTrace, Result};

/// Differences that are kept to be shown.
pub const SHOWN: usize = 10;

/// An operation whose result differs from the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its number in the trace as it is replayed, from 0.
    pub op: u32,
    pub kind: OpKind,
    /// Index into the trace's file table.
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    /// The recorded result.
    pub recorded: Result,
    /// The result of the replay.
    pub now: Result,
}

/// An operation that is answered so long after it was due may have waited for a storage that was silent.
pub const LONG_ANSWER_NS: u64 = 100_000_000;
/// So many of these are kept.
pub const LONG_ANSWERS_KEPT: usize = 1 << 16;

/// Why an operation began later than it was due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Delay {
    /// The scheduling delay of Reelgauge.
    pub own_ns: u64,
    /// What it waited for was done so much later because the tool had begun that late.
    pub behind_tool_ns: u64,
    /// The rest of what it waited for others.
    pub storage_ns: u64,
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Operations that were done.
    pub done_ops: u64,
    /// Operations with a different result.
    pub different_ops: u64,
    /// The first of them.
    pub first: Vec<Difference>,
    /// Operations that could not begin when they were due, because one before them was not done.
    pub held_up_ops: u64,
    /// The longest that one of them waited.
    pub held_up_most_ns: u64,
    /// From when each operation could begin (it was due, and what it waited for was done) until it was
    /// issued: the tool's own lateness.
    pub own_lateness: Delays,
    /// Operations that began late through the tool: itself behind time, or waiting for one that it had begun
    /// late and for longer because of that than because of the storage.
    pub begun_late_ops: u64,
    /// Operations that began late because the storage had not done what they waited for.
    pub storage_late_ops: u64,
    /// The longest delay past a due time, whatever its cause.
    pub behind_most_ns: u64,
    /// When operations that were answered [`LONG_ANSWER_NS`] after they were due were due and answered: the
    /// first [`LONG_ANSWERS_KEPT`].
    pub long_answers: Vec<(u64, u64)>,
    /// When the first operation was due.
    pub begun_ns: u64,
    /// When the last one was done.
    pub ended_ns: u64,
    /// Operations that were refused because something else had put a link in the place of their file.
    pub displaced_ops: u64,
    /// Opens that were to fail and did not; what they opened was closed again.
    pub extra_closes: u64,
}

impl Outcomes {
    /// Why an operation that is done began late; from `late_after_ns` on it counts as late.
    pub(super) fn take_delay(&mut self, delay: &Delay, done: &Done, late_after_ns: u64) {
        let Delay { own_ns, behind_tool_ns, storage_ns } = *delay;
        let through_tool_ns = own_ns + behind_tool_ns;
        let is_mostly_own = through_tool_ns > late_after_ns && through_tool_ns > storage_ns;
        self.own_lateness.add(own_ns);
        self.begun_late_ops += u64::from(own_ns > late_after_ns || is_mostly_own);
        self.storage_late_ops += u64::from(storage_ns > late_after_ns);
        self.behind_most_ns = self.behind_most_ns.max(through_tool_ns + storage_ns);
        let is_long = done.done_ns.saturating_sub(done.due_ns) >= LONG_ANSWER_NS;
        if is_long && self.long_answers.len() < LONG_ANSWERS_KEPT {
            self.long_answers.push((done.due_ns, done.done_ns));
        }
    }

    /// An operation is done.
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

/// Whether a file that could be opened when it was recorded is a link now, which is not followed (`ELOOP`),
/// or has a second name and is not written in (`EMLINK`).
fn is_displaced(kind: OpKind, recorded: Result, now: Result) -> bool {
    let opens = matches!(kind, OpKind::Open | OpKind::Create | OpKind::Truncate);
    cfg!(target_os = "linux") && opens && recorded.errno == 0 && matches!(now.errno, 31 | 40)
}

/// Whether two results are the same, as far as an application would notice. Other systems have other error
/// numbers, so there only the failure counts.
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
    fn a_link_in_the_place_of_a_file_is_told_from_what_the_recording_met() {
        let (good, looped) = (Result { done_len: 0, errno: 0 }, Result { done_len: 0, errno: 40 });
        let two_names = Result { done_len: 0, errno: 31 };
        assert!(is_displaced(OpKind::Open, good, looped) && is_displaced(OpKind::Create, good, two_names));
        assert!(!is_displaced(OpKind::Open, looped, looped), "so it was when it was recorded");
        assert!(!is_displaced(OpKind::Link, good, two_names), "a file may have too many names");
        assert!(!is_displaced(OpKind::Open, good, Result { done_len: 0, errno: 2 }));
    }
}
