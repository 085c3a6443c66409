//! What the actors have in common: how an operation is filled in, how one frame is read, and how a process
//! without frames goes from one transfer to the next.
//!
//! Not here: what the actors are (their own files) and the arithmetic of time ([`crate::pace`]).

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::{Clip, FramePlace};
use crate::pace::OpRate;
use crate::script::{Done, Op, OpenMode};

/// After a failed operation that would be tried again at once, an actor pauses this long, so that a dead
/// target is not hammered.
pub(crate) const PAUSE_AFTER_ERROR_NS: u64 = 10_000_000;

/// A stream's file handle: what all operations on it have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hand {
    pub(crate) stream: u32,
    /// Also the operations' token.
    pub(crate) handle: u16,
    pub(crate) open: OpenMode,
}

impl Hand {
    /// A handle for reading.
    pub(crate) fn reading(stream: u32, handle: u16, direct: bool) -> Hand {
        Hand { stream, handle, open: OpenMode { direct, ..OpenMode::default() } }
    }

    /// A handle for writing, and reading too.
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

    /// A read or write of this place.
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

/// The reading of one frame: a read, and for a sequence an open before it and a close after it. The
/// first operation is due when the frame is, the others when theirs precede is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameRead {
    place: FramePlace,
    /// Number of the frame, or of the transfer.
    number: u32,
    is_file: bool,
    step: ReadStep,
    due_ns: u64,
    /// Carried by the open and the read; the close is no part of the frame.
    flags: OpFlags,
}

impl FrameRead {
    /// The reading of the clip's frame at `position`, whose transfer is `number`.
    pub(crate) fn new(clip: &Clip, position: u64, number: u32, due_ns: u64, flags: OpFlags) -> FrameRead {
        let is_file = clip.is_sequence();
        let step = if is_file { ReadStep::Open } else { ReadStep::Read };
        FrameRead { place: clip.place(position), number, is_file, step, due_ns, flags }
    }

    /// When [`FrameRead::op`] is due.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// The operation whose turn it is. `ends_transfer`: the read is the last of its transfer.
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

    /// What is left to do now that this operation has finished; `None` when the reading is over.
    pub(crate) fn after(self, done: &Done) -> Option<FrameRead> {
        let step = match self.step {
            ReadStep::Open if done.errno == 0 => ReadStep::Read,
            ReadStep::Read if self.is_file => ReadStep::Close,
            ReadStep::Open | ReadStep::Read | ReadStep::Close => return None,
        };
        Some(FrameRead { step, due_ns: done.done_ns, ..self })
    }
}

/// A process that does one transfer after the other, each due at its own time however long those before
/// it took (open loop): after a slow one the next begin late, and none is skipped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    rate: OpRate,
    t0_ns: u64,
    begun: u64,
    /// What is left of the transfer under way.
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

    /// Begins the next transfer, of these operations; never none.
    pub(crate) fn begin(&mut self, kinds: &'static [OpKind]) {
        self.kinds = kinds;
        self.due_ns = self.t0_ns.saturating_add(self.rate.due_ns(self.begun));
        self.begun += 1;
    }

    /// The operation of the transfer whose turn it is; `None` between two transfers.
    pub(crate) fn kind(&self) -> Option<OpKind> {
        self.kinds.first().copied()
    }

    /// The transfer's number.
    pub(crate) fn number(&self) -> u32 {
        self.begun.saturating_sub(1) as u32
    }

    /// When its operation in turn is due: the first when the transfer is, the others when the one before
    /// is done.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// [`OpFlags::LAST`] when the operation in turn is the transfer's last.
    pub(crate) fn last(&self) -> OpFlags {
        OpFlags::NONE.with_if(OpFlags::LAST, self.kinds.len() == 1)
    }

    /// The operation in turn has finished. One that failed ends its transfer.
    pub(crate) fn done(&mut self, done: &Done) {
        self.is_in_flight = false;
        self.due_ns = done.done_ns;
        self.kinds = match self.kinds {
            [_, rest @ ..] if done.errno == 0 => rest,
            _ => &[],
        };
    }
}
