//! A trace in memory: 32 bytes for each operation, plus extra data for a few of them.
//!
//! Ten million operations take 320 MB, and 40 MB more if the trace has several threads. The result of an
//! operation is stored only if it is an error or a short read. Its dependencies are stored only if the
//! order of its thread does not imply them.

use std::collections::BTreeSet;

use reelgauge_record::OpKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PackedOp {
    /// The time at which it is due, in nanoseconds since the start of the trace. With think times, since
    /// the end of its thread's previous operation, unless [`Marks::ABSOLUTE`] is set.
    pub time_ns: u64,
    /// The offset in its record.
    pub offset: u64,
    /// The length in its record; for opens, the open bits.
    pub len: u32,
    /// Index into the trace's file table.
    pub file: u32,
    /// The open file that it uses or creates, or [`NO_HANDLE`].
    pub handle: u32,
    /// The lane it belongs to.
    pub lane: u16,
    pub kind: OpKind,
    /// Flags in addition to the numbers above.
    pub marks: Marks,
}

/// The handle of an operation without an open file.
pub const NO_HANDLE: u32 = u32::MAX;
pub const NO_OP: u32 = u32::MAX;

/// Flags of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// It failed or was short: see [`PackedTrace::recorded`].
    pub const ODD: Marks = Marks(1);
    /// It waits for operations of other lanes: see [`PackedTrace::waits_for`].
    pub const WAITS: Marks = Marks(2);
    /// Its time is measured from the start of the trace.
    pub const ABSOLUTE: Marks = Marks(4);
    /// It preallocates space without changing the file size.
    pub const KEEPS_SIZE: Marks = Marks(8);
    /// It exchanges the files of two names.
    pub const EXCHANGES: Marks = Marks(16);

    /// Whether all of these are set.
    pub const fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets these if `on`.
    pub(super) const fn set_if(&mut self, other: Marks, on: bool) {
        if on {
            self.0 |= other.0;
        }
    }
}

/// The recorded result of an operation with an error or a short read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Odd {
    pub op: u32,
    pub done_len: u32,
    pub errno: i32,
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Result {
    pub done_len: u32,
    /// 0 on success, or an error number.
    pub errno: i32,
}

/// An open file of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// Index into the trace's file table.
    pub file: u32,
    /// All reads and writes through it are aligned to two to the power of this.
    pub align_log2: u8,
    /// Whether it is used for reads.
    pub read: bool,
    /// Whether it is used for writes or resizes.
    pub written: bool,
    /// Whether its open flags are unknown.
    pub unknown: bool,
    /// Whether its open must create the file, although the trace does not show that.
    pub makes: bool,
}

/// A trace in memory.
#[derive(Debug, Default)]
pub struct PackedTrace {
    /// The operations, in the order of their issue.
    pub ops: Vec<PackedOp>,
    /// By operation: the next one in its lane. Empty if all are in one lane.
    pub(super) next: Vec<u32>,
    /// By lane: its first operation.
    pub(super) first: Vec<u32>,
    /// By lane: the number of its stream in the log.
    pub(super) streams: Vec<u32>,
    pub(super) odd: Vec<Odd>,
    /// Operations with dependencies, ascending, each with the start of its list in `awaited`.
    pub(super) waits: Vec<(u32, u32)>,
    pub(super) awaited: Vec<u32>,
    /// Every open of the trace, and every file that was open before it began.
    pub handles: Vec<Handle>,
    /// Handles that were open before the trace began.
    pub preopened: Vec<u32>,
    /// The largest number of files that are open at once.
    pub open_most: u32,
    /// The longest read or write, in bytes.
    pub max_len: u32,
    /// Whether any operation writes.
    pub writes: bool,
    /// From the due time of the first operation to the end of the last one.
    pub span_ns: u64,
    /// Whether any operation has a duration: not every source records them.
    pub has_durations: bool,
}

impl PackedTrace {
    /// Limit of operations in flight: one per chain.
    pub fn chains(&self) -> usize {
        self.first.len()
    }

    /// Number of threads in the trace. A thread counts once for each operation that it had in flight.
    pub fn lanes(&self) -> usize {
        self.streams.len()
    }

    /// The first operation of a chain.
    pub(super) fn first_of(&self, chain: usize) -> u32 {
        self.first.get(chain).copied().unwrap_or(NO_OP)
    }

    /// The next operation in its chain.
    pub(super) fn next_of(&self, op: u32) -> u32 {
        match self.next.get(op as usize) {
            Some(&next) => next,
            None if !self.next.is_empty() => NO_OP,
            None if (op as usize) + 1 < self.ops.len() => op + 1,
            None => NO_OP,
        }
    }

    /// The stream under which operations of this lane are logged.
    pub(super) fn stream_of(&self, lane: u16) -> u32 {
        self.streams.get(usize::from(lane)).copied().unwrap_or(0)
    }

    /// The recorded result of an operation.
    pub fn recorded(&self, number: u32) -> Result {
        let Some(op) = self.ops.get(number as usize) else {
            return Result { done_len: 0, errno: 0 };
        };
        let odd = op.marks.has(Marks::ODD).then(|| self.odd.binary_search_by_key(&number, |odd| odd.op).ok());
        match odd.flatten().and_then(|at| self.odd.get(at)) {
            Some(odd) => Result { done_len: odd.done_len, errno: odd.errno },
            None => Result { done_len: if op.kind.moves_data() { op.len } else { 0 }, errno: 0 },
        }
    }

    /// The operations of other lanes that this one waits for. All have smaller numbers.
    pub fn waits_for(&self, number: u32) -> &[u32] {
        let waits = self.ops.get(number as usize).is_some_and(|op| op.marks.has(Marks::WAITS));
        let found = waits.then(|| self.waits.binary_search_by_key(&number, |wait| wait.0).ok());
        let Some(at) = found.flatten() else {
            return &[];
        };
        let from = self.waits[at].1 as usize;
        let to = self.waits.get(at + 1).map_or(self.awaited.len(), |next| next.1 as usize);
        &self.awaited[from..to]
    }

    /// All errors that were recorded.
    pub fn recorded_errors(&self) -> BTreeSet<i32> {
        self.odd.iter().map(|odd| odd.errno).filter(|&errno| errno != 0).collect()
    }

    /// Memory used, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<PackedOp>() * self.ops.capacity()
            + size_of::<u32>() * (self.next.capacity() + self.first.capacity() + self.streams.capacity())
            + size_of::<Odd>() * self.odd.capacity()
            + size_of::<(u32, u32)>() * self.waits.capacity()
            + size_of::<u32>() * (self.awaited.capacity() + self.preopened.capacity())
            + size_of::<Handle>() * self.handles.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_32_bytes() {
        assert_eq!(size_of::<PackedOp>(), 32);
    }
}
