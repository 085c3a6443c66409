//! The contract between scripts, which decide on operations, and drivers, which perform them.
//!
//! A script is pure: it has no clock, does no I/O and starts no threads. A driver asks it for its next
//! step with the current time, and reports each finished operation to it. So pacing and order can be
//! tested completely with a virtual clock, to the nanosecond.
//!
//! All times are nanoseconds on the run's clock, 0 at the start of the run.

use reelgauge_record::{OpFlags, OpKind, OpenBits};

/// The next step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Perform this operation when it is due (`due_ns` may be in the past).
    Do(Op),
    /// Ask again at this time, or when an operation has finished, whichever is first.
    Wait {
        /// When to ask again.
        until_ns: u64,
    },
    /// Nothing to do until one of the operations in flight has finished.
    Blocked,
    /// The script has finished.
    Finished,
}

/// One operation that a script requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The kind of operation.
    pub kind: OpKind,
    /// The worker's handle that it uses, from 0; below [`Needs::handles`]. [`Op::BY_PATH`] for a
    /// truncation that names its file by path. Ignored if the kind goes by path anyway.
    pub handle: u16,
    /// Index into the run's file table.
    pub file: u32,
    /// Offset in bytes. For [`OpKind::Truncate`] the new size; for kinds with two names
    /// ([`OpKind::names_two`]) the index of the second name in the file table.
    pub offset: u64,
    /// Bytes to transfer, or to preallocate ([`OpKind::Allocate`]). For [`OpKind::Access`] the access to
    /// check (`AccessBits`; 0: whether it may be read).
    pub len: u32,
    /// Its due time.
    pub due_ns: u64,
    /// The transfer it belongs to.
    pub transfer: u32,
    /// The stream it belongs to.
    pub stream: u32,
    /// Copied to the record.
    pub flags: OpFlags,
    /// How to open; used for [`OpKind::Open`] and [`OpKind::Create`] only.
    pub open: OpenMode,
    /// The script's own mark, returned in [`Done`].
    pub token: u32,
}

impl Op {
    /// The handle of an operation without a handle.
    pub const BY_PATH: u16 = u16::MAX;

    /// Whether it names its file by path and uses no handle.
    pub const fn goes_by_path(&self) -> bool {
        self.kind.goes_by_path() || (matches!(self.kind, OpKind::Truncate) && self.handle == Op::BY_PATH)
    }

    /// The length in its record: the [`OpenBits`] of an operation that opens a file, the bytes of
    /// others.
    pub const fn recorded_len(&self) -> u32 {
        match self.kind {
            OpKind::Open => self.open.bits().0,
            OpKind::Create => self.open.create_bits().0,
            _ => self.len,
        }
    }
}

/// How a file is opened. The default is for reading.
///
/// With `append`, the system chooses the position of a write: the end of the file, whatever the
/// operation's offset. Data written that way cannot be verified by its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// For writing as well as reading. [`OpKind::Create`] always is.
    pub write: bool,
    /// For writing and not for reading, even if `write` is false.
    pub write_only: bool,
    /// Every write goes to the end of the file (`O_APPEND`).
    pub append: bool,
    /// [`OpKind::Create`] only: an error if the file exists (`O_EXCL`).
    pub exclusive: bool,
    /// [`OpKind::Create`] only: an existing file is not emptied (no `O_TRUNC`).
    pub keep: bool,
    /// [`OpKind::Create`] only: a missing file is not created (no `O_CREAT`), so an existing file is
    /// only emptied.
    pub existing: bool,
    /// Bypasses the client's cache (`O_DIRECT`, `FILE_FLAG_NO_BUFFERING`, `F_NOCACHE`).
    pub direct: bool,
    /// Every write is durable before it returns (`O_DSYNC`, `FILE_FLAG_WRITE_THROUGH`).
    pub dsync: bool,
}

impl OpenMode {
    /// For reading: the default.
    pub const READ: OpenMode = OpenMode {
        write: false,
        write_only: false,
        append: false,
        exclusive: false,
        keep: false,
        existing: false,
        direct: false,
        dsync: false,
    };

    /// The open bits of an [`OpKind::Open`] in this mode.
    pub const fn bits(self) -> OpenBits {
        OpenBits::UNKNOWN
            .with_if(OpenBits::READ, !self.write_only)
            .with_if(OpenBits::WRITE, self.write || self.write_only)
            .with_if(OpenBits::APPEND, self.append)
            .with_if(OpenBits::DIRECT, self.direct)
            .with_if(OpenBits::DSYNC, self.dsync)
    }

    /// The open bits of an [`OpKind::Create`] in this mode.
    pub const fn create_bits(self) -> OpenBits {
        self.bits()
            .with(OpenBits::WRITE)
            .with_if(OpenBits::CREATE, !self.existing)
            .with_if(OpenBits::EXCLUSIVE, self.exclusive)
            .with_if(OpenBits::TRUNCATE, !self.keep)
    }
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The mark of [`Op::token`].
    pub token: u32,
    /// When it was due. Later than [`Op::due_ns`] if the rate limit delayed it until then.
    pub due_ns: u64,
    /// When it was issued.
    pub issued_ns: u64,
    /// When its result was noticed.
    pub done_ns: u64,
    /// Bytes transferred.
    pub done_len: u32,
    /// 0, or the operating system's error number.
    pub errno: i32,
}

/// A script's requirements of its driver, queried once before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Maximum number of files that it holds open at a time.
    pub handles: u16,
    /// Maximum number of operations in flight; at least 1.
    pub in_flight: u16,
    /// The longest read or write, in bytes.
    pub max_len: u32,
    /// Whether it ever writes, so that buffers for write data are allocated only if needed.
    pub writes: bool,
}

/// Decides on the operations of one worker. See the module for the rules.
///
/// Termination: when a driver is stopped, it asks no script for further steps, lets operations in flight
/// finish and closes open files itself. The script may be asked again later, in the next load point,
/// after [`Script::resume`]; it must then begin a new transfer.
pub trait Script: Send {
    /// Its requirements; constant over its life.
    fn needs(&self) -> Needs;

    /// The next step at `now_ns`.
    fn next(&mut self, now_ns: u64) -> Step;

    /// Reports that an operation has finished.
    fn done(&mut self, done: &Done);

    /// Called before the first step of every load point. The script discards an interrupted transfer,
    /// and takes `now_ns` as the time from which the first operation is due.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn op(kind: OpKind, open: OpenMode) -> Op {
        Op {
            kind,
            handle: 0,
            file: 0,
            offset: 0,
            len: 7,
            due_ns: 0,
            transfer: 0,
            stream: 0,
            flags: OpFlags::NONE,
            open,
            token: 0,
        }
    }

    #[test]
    fn opens_are_recorded_with_flags_and_others_with_bytes() {
        let mode = OpenMode { append: true, exclusive: true, direct: true, ..OpenMode::default() };
        let asked = OpenBits::READ.with(OpenBits::APPEND).with(OpenBits::DIRECT);
        // Only a create can be exclusive or empty the file.
        assert_eq!(op(OpKind::Open, mode).recorded_len(), asked.0);
        let made = OpenBits::WRITE.with(OpenBits::CREATE).with(OpenBits::EXCLUSIVE);
        let emptied = asked.with(made).with(OpenBits::TRUNCATE);
        assert_eq!(op(OpKind::Create, mode).recorded_len(), emptied.0);
        let kept = OpenMode { keep: true, ..mode };
        assert_eq!(op(OpKind::Create, kept).recorded_len(), asked.with(made).0);

        let written = OpenMode { write: true, write_only: true, dsync: true, ..OpenMode::default() };
        let asked = OpenBits::WRITE.with(OpenBits::DSYNC);
        assert_eq!(op(OpKind::Open, written).recorded_len(), asked.0);
        for kind in OpKind::ALL {
            if !matches!(kind, OpKind::Open | OpKind::Create) {
                assert_eq!(op(kind, written).recorded_len(), 7, "{kind:?}");
            }
        }
    }

    #[test]
    fn only_a_truncation_may_choose_between_path_and_handle() {
        for kind in OpKind::ALL {
            let by_handle = op(kind, OpenMode::default());
            assert_eq!(by_handle.goes_by_path(), kind.goes_by_path(), "{kind:?}");
            let no_handle = Op { handle: Op::BY_PATH, ..by_handle };
            let by_path = kind.goes_by_path() || kind == OpKind::Truncate;
            assert_eq!(no_handle.goes_by_path(), by_path, "{kind:?}");
        }
    }
}
