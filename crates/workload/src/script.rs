//! The contract between what decides (a script) and what does (a driver).
//!
//! A script is pure: it has no clock, does no I/O and starts no threads. It is asked for its next
//! step with the current time and told when an operation has finished. Everything that can be known
//! about pacing and order is therefore testable with a virtual clock, to the nanosecond.
//!
//! All times are nanoseconds on the run's clock, 0 at the start of the run.

use reelgauge_record::{OpFlags, OpKind};

/// What a script wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Do this operation when it is due (`due_ns` may lie in the past).
    Do(Op),
    /// Ask again at this time, or when an operation has finished, whichever is first.
    Wait {
        /// When to ask again.
        until_ns: u64,
    },
    /// Nothing to do until one of the operations in flight has finished.
    Blocked,
    /// Nothing more to do, ever.
    Finished,
}

/// One operation, as a script asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// What to do.
    pub kind: OpKind,
    /// Which of the worker's own handles it uses, from 0; below [`Needs::handles`].
    pub handle: u16,
    /// Index into the run's file table.
    pub file: u32,
    /// Byte position.
    pub offset: u64,
    /// Bytes to move.
    pub len: u32,
    /// When it should begin.
    pub due_ns: u64,
    /// The transfer it belongs to.
    pub transfer: u32,
    /// The stream it belongs to.
    pub stream: u32,
    /// Carried into the record.
    pub flags: OpFlags,
    /// How to open; only read for [`OpKind::Open`].
    pub open: OpenMode,
    /// The script's own mark, handed back in [`Done`].
    pub token: u32,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// For writing as well as reading.
    pub write: bool,
    /// Past the client's cache (`O_DIRECT`, `FILE_FLAG_NO_BUFFERING`, `F_NOCACHE`).
    pub direct: bool,
    /// Every write is durable before it returns (`O_DSYNC`, `FILE_FLAG_WRITE_THROUGH`).
    pub dsync: bool,
}

/// What became of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The mark that [`Op::token`] carried.
    pub token: u32,
    /// When its result was seen.
    pub done_ns: u64,
    /// Bytes moved.
    pub done_len: u32,
    /// 0, or the operating system's error number.
    pub errno: i32,
}

/// What a script needs from its driver, asked once before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// How many files it may hold open at once.
    pub handles: u16,
    /// How many operations it may have in flight at once; at least 1.
    pub in_flight: u16,
    /// The longest read or write, in bytes.
    pub max_len: u32,
    /// Whether it ever writes, so that buffers for write data are made only where needed.
    pub writes: bool,
}

/// Decides what one worker does. See the module for the rules.
///
/// Termination: when a driver is told to stop, it asks no script for further steps, lets operations
/// in flight finish and closes what is open itself. The script may be asked again later, in the next
/// load point, after [`Script::resume`]; it must then begin a new transfer.
pub trait Script: Send {
    /// What it needs; constant over its life.
    fn needs(&self) -> Needs;

    /// What to do next, at `now_ns`.
    fn next(&mut self, now_ns: u64) -> Step;

    /// An operation has finished.
    fn done(&mut self, done: &Done);

    /// Called before the first step of every load point: forget a transfer that was cut short, and
    /// take `now_ns` as the time from which the first operation is due.
    fn resume(&mut self, now_ns: u64);
}

impl<S: Script + ?Sized> Script for Box<S> {
    fn needs(&self) -> Needs {
        (**self).needs()
    }

    fn next(&mut self, now_ns: u64) -> Step {
        (**self).next(now_ns)
    }

    fn done(&mut self, done: &Done) {
        (**self).done(done);
    }

    fn resume(&mut self, now_ns: u64) {
        (**self).resume(now_ns);
    }
}
