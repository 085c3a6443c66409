//! Common parts of the actors: the fields of an operation, reading one frame, and the transfers of a
//! process without frames.
//!
//! Not here: the actors (their own files) and the arithmetic of time ([`crate::pace`]).

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::{Clip, FramePlace};
use crate::pace::OpRate;
use crate::script::{Done, Op, OpenMode};

/// The pause of an actor after a failed operation that it would otherwise retry immediately, so that a
/// dead target is not flooded with requests.
pub(crate) const PAUSE_AFTER_ERROR_NS: u64 = 10_000_000;

/// A stream's file handle: the fields that all operations on it share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hand {
    pub(crate) stream: u32,
    /// Also the token of the operations.
    pub(crate) handle: u16,
    pub(crate) open: OpenMode,
}

impl Hand {
    /// A handle for reading.
    pub(crate) fn reading(stream: u32, handle: u16, direct: bool) -> Hand {
        Hand { stream, handle, open: OpenMode { direct, ..OpenMode::default() } }
    }

    /// A handle for writing and reading.
    pub(crate) fn writing(stream: u32, handle: u16, direct: bool) -> Hand {
        Hand { stream, handle, open: OpenMode { write: true, direct, ..OpenMode::default() } }
    }

    /// An operation that moves no data, without flags.
    pub(crate) fn op(&self, kind: OpKind, file: u32, transfer: u32, due_ns: u64) -> Op {
        Op {
            kind,
            handle: self.handle,
            file,
            offset: 0,
            len: 0,
            due_ns,
            transfer,
            stream: self.stream,
            flags: OpFlags::NONE,
            open: self.open,
            token: u32::from(self.handle),
        }
    }

    /// A read or write at this position.
    pub(crate) fn block(&self, kind: OpKind, place: FramePlace, transfer: u32, due_ns: u64) -> Op {
        Op { offset: place.offset, len: place.len, ..self.op(kind, place.file, transfer, due_ns) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadStep {
    Open,
    Read,
    Close,
}

/// Reads one frame: a read, with an open before it and a close after it in a sequence. The first
/// operation is due when the frame is, each later one when the previous one is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameRead {
    place: FramePlace,
    /// Number of the frame, or of the transfer.
    number: u32,
    is_file: bool,
    step: ReadStep,
    due_ns: u64,
    /// Flags of the open and the read. The close is not part of the frame.
    flags: OpFlags,
}

impl FrameRead {
    /// Reads the clip's frame at `position`; its transfer is `number`.
    pub(crate) fn new(clip: &Clip, position: u64, number: u32, due_ns: u64, flags: OpFlags) -> FrameRead {
        let is_file = clip.is_sequence();
        let step = if is_file { ReadStep::Open } else { ReadStep::Read };
        FrameRead { place: clip.place(position), number, is_file, step, due_ns, flags }
    }

    /// When [`FrameRead::op`] is due.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// The next operation. `ends_transfer`: the read is the last operation of its transfer.
    pub(crate) fn op(&self, hand: &Hand, ends_transfer: bool) -> Op {
        match self.step {
            ReadStep::Open => {
                let op = hand.op(OpKind::Open, self.place.file, self.number, self.due_ns);
                Op { flags: self.flags, ..op }
            }
            ReadStep::Read => {
                let op = hand.block(OpKind::Read, self.place, self.number, self.due_ns);
                Op { flags: self.flags.with_if(OpFlags::LAST, ends_transfer), ..op }
            }
            ReadStep::Close => hand.op(OpKind::Close, self.place.file, self.number, self.due_ns),
        }
    }

    /// The remaining work after this operation; `None` if the frame is complete.
    pub(crate) fn after(self, done: &Done) -> Option<FrameRead> {
        let step = match self.step {
            ReadStep::Open if done.errno == 0 => ReadStep::Read,
            ReadStep::Read if self.is_file => ReadStep::Close,
            ReadStep::Open | ReadStep::Read | ReadStep::Close => return None,
        };
        Some(FrameRead { step, due_ns: done.done_ns, ..self })
    }
}

/// A process that does one transfer after the other, each due at its own time regardless of earlier ones
/// (open loop). After a slow transfer the next ones begin late, and none is skipped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    rate: OpRate,
    t0_ns: u64,
    begun: u64,
    /// The remaining operations of the current transfer.
    kinds: &'static [OpKind],
    due_ns: u64,
    pub(crate) is_in_flight: bool,
}

impl Process {
    pub(crate) fn new(rate: OpRate) -> Process {
        Process { rate, t0_ns: 0, begun: 0, kinds: &[], due_ns: 0, is_in_flight: false }
    }

    /// Starts over, with the first transfer due at `t0_ns`.
    pub(crate) fn resume(&mut self, t0_ns: u64) {
        *self = Process { t0_ns, ..Process::new(self.rate) };
    }

    /// Begins the next transfer with these operations, at least one.
    pub(crate) fn begin(&mut self, kinds: &'static [OpKind]) {
        self.kinds = kinds;
        self.due_ns = self.t0_ns.saturating_add(self.rate.due_ns(self.begun));
        self.begun += 1;
    }

    /// The next operation of the transfer; `None` between two transfers.
    pub(crate) fn kind(&self) -> Option<OpKind> {
        self.kinds.first().copied()
    }

    /// The transfer's number.
    pub(crate) fn number(&self) -> u32 {
        self.begun.saturating_sub(1) as u32
    }

    /// When its next operation is due: the first when the transfer is, each later one when the previous
    /// one is done.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// [`OpFlags::LAST`] if the next operation is the transfer's last.
    pub(crate) fn last(&self) -> OpFlags {
        OpFlags::NONE.with_if(OpFlags::LAST, self.kinds.len() == 1)
    }

    /// Records that the current operation has finished. A failure ends its transfer.
    pub(crate) fn done(&mut self, done: &Done) {
        self.is_in_flight = false;
        self.due_ns = done.done_ns;
        self.kinds = match self.kinds {
            [_, rest @ ..] if done.errno == 0 => rest,
            _ => &[],
        };
    }
}
