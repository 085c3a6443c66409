//! The record of one operation: a row of the log, and all that the measuring path writes.
//!
//! Its size is fixed and it owns nothing, so that recording is a copy of 64 bytes. Names (paths, hosts)
//! are in the run's metadata, and records refer to them by number.

/// What an operation asked the storage to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum OpKind {
    /// Open an existing file. In a mix, `offset` is the block size in bytes that was drawn for the
    /// transfer that starts here; 0 if none was drawn.
    Open = 0,
    /// Read at an offset.
    Read = 1,
    /// Write at an offset.
    Write = 2,
    /// Make written data durable (`fdatasync`, or the platform's nearest equivalent).
    Sync = 3,
    /// Close an open file.
    Close = 4,
    /// Create a file, or truncate an existing one, and open it for writing. In a trace: every open that
    /// may create or truncate a file; [`OpenBits`] show which.
    Create = 5,
    /// Remove a file's name.
    Unlink = 6,
    /// Query a file's size and times.
    Stat = 7,
    /// Query whether a file may be read; [`AccessBits`] can name other accesses.
    Access = 8,
    /// List a directory from start to end.
    ReadDir = 9,
    /// Set a file's size; `offset` is the new size in bytes.
    Truncate = 10,
    /// Preallocate a part of a file.
    Allocate = 11,
    /// Rename a file; `offset` is the new name's index in the file table.
    Rename = 12,
    /// Create an empty directory.
    MakeDir = 13,
    /// Remove an empty directory.
    RemoveDir = 14,
    /// Change a file's times, owner or permissions. A replay sets its times.
    SetAttr = 15,
    /// An operation of a capture without an equivalent here (a lock, a link of which only one name is
    /// known): counted, not replayed. [`OtherBits`] show which, if that matters.
    Other = 16,
    /// Create a hard link; `offset` is the new name's index in the file table.
    Link = 17,
    /// Create a symbolic link; `offset` is the target's index in the file table, or the link's own if
    /// the target is outside the recorded directory.
    SymLink = 18,
    /// Read a symbolic link.
    ReadLink = 19,
}

impl OpKind {
    /// Every kind, in the order of its number.
    pub const ALL: [OpKind; 20] = [
        OpKind::Open,
        OpKind::Read,
        OpKind::Write,
        OpKind::Sync,
        OpKind::Close,
        OpKind::Create,
        OpKind::Unlink,
        OpKind::Stat,
        OpKind::Access,
        OpKind::ReadDir,
        OpKind::Truncate,
        OpKind::Allocate,
        OpKind::Rename,
        OpKind::MakeDir,
        OpKind::RemoveDir,
        OpKind::SetAttr,
        OpKind::Other,
        OpKind::Link,
        OpKind::SymLink,
        OpKind::ReadLink,
    ];

    /// The name in logs and on screens.
    pub const fn name(self) -> &'static str {
        match self {
            OpKind::Open => "open",
            OpKind::Read => "read",
            OpKind::Write => "write",
            OpKind::Sync => "sync",
            OpKind::Close => "close",
            OpKind::Create => "create",
            OpKind::Unlink => "unlink",
            OpKind::Stat => "stat",
            OpKind::Access => "access",
            OpKind::ReadDir => "readdir",
            OpKind::Truncate => "truncate",
            OpKind::Allocate => "allocate",
            OpKind::Rename => "rename",
            OpKind::MakeDir => "mkdir",
            OpKind::RemoveDir => "rmdir",
            OpKind::SetAttr => "setattr",
            OpKind::Other => "other",
            OpKind::Link => "link",
            OpKind::SymLink => "symlink",
            OpKind::ReadLink => "readlink",
        }
    }

    /// The kind with this name, if there is one.
    pub fn from_name(name: &str) -> Option<OpKind> {
        OpKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether the operation transfers file data (a read or a write).
    pub const fn moves_data(self) -> bool {
        matches!(self, OpKind::Read | OpKind::Write)
    }

    /// Whether the operation names a second file; its offset is then that file's index in the file
    /// table.
    pub const fn names_two(self) -> bool {
        matches!(self, OpKind::Rename | OpKind::Link | OpKind::SymLink)
    }

    /// Whether the operation is on a path and needs no handle. A truncation can use either; its script
    /// decides.
    pub const fn goes_by_path(self) -> bool {
        matches!(
            self,
            OpKind::Unlink
                | OpKind::Stat
                | OpKind::Access
                | OpKind::ReadDir
                | OpKind::Rename
                | OpKind::MakeDir
                | OpKind::RemoveDir
                | OpKind::SetAttr
                | OpKind::Link
                | OpKind::SymLink
                | OpKind::ReadLink
        )
    }
}

/// Flags of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct OpFlags(pub u8);

impl OpFlags {
    /// None of the flags below.
    pub const NONE: OpFlags = OpFlags(0);
    /// Part of a transfer that writes.
    pub const WRITING: OpFlags = OpFlags(1);
    /// Part of a transfer with blocks at random offsets.
    pub const RANDOM: OpFlags = OpFlags(2);
    /// With [`OpKind::Allocate`], which no transfer has: the file keeps its size (`FALLOC_FL_KEEP_SIZE`).
    pub const KEEPS_SIZE: OpFlags = OpFlags(2);
    /// With [`OpKind::Rename`], which no transfer has: the two names exchange their files
    /// (`RENAME_EXCHANGE`).
    pub const EXCHANGES: OpFlags = OpFlags(2);
    /// Started in the warm-up: logged, but excluded from all figures.
    pub const WARMUP: OpFlags = OpFlags(4);
    /// The last operation of its transfer.
    pub const LAST: OpFlags = OpFlags(8);
    /// Transfers a part of a frame: `transfer` is then the number of the frame on its stream's timeline,
    /// from 0 in every load point.
    pub const FRAME: OpFlags = OpFlags(16);
    /// With [`OpFlags::FRAME`]: playback restarts at this frame (after a jump, or a stop). Frames
    /// between the last one started and this one were not requested, so they are neither dropped nor
    /// late.
    pub const CUE: OpFlags = OpFlags(32);

    /// A part of a frame ([`OpFlags::FRAME`]) that the limit on bytes per second delayed, itself or an
    /// earlier operation of its worker. Operations without a frame are not marked: they are due when they
    /// may begin.
    pub const RATE_LIMITED: OpFlags = OpFlags(16 | 64);

    /// In a trace, without [`OpFlags::FRAME`]: a read or write of a copy by the system
    /// (`copy_file_range`, `sendfile`); the application never saw the data.
    pub const COPIED: OpFlags = OpFlags(64);
    /// In a trace: done through a memory map or by the page cache for one. So the system chose size and
    /// time, not the application.
    pub const MAPPED: OpFlags = OpFlags(128);

    /// Whether every flag of `other` is set.
    pub const fn has(self, other: OpFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the system copied the data: see [`OpFlags::COPIED`].
    pub const fn is_copied(self) -> bool {
        self.has(OpFlags::COPIED) && !self.has(OpFlags::FRAME)
    }

    /// These flags and those of `other`.
    #[must_use]
    pub const fn with(self, other: OpFlags) -> OpFlags {
        OpFlags(self.0 | other.0)
    }

    /// These flags and those of `other` if `on`.
    #[must_use]
    pub const fn with_if(self, other: OpFlags, on: bool) -> OpFlags {
        if on { self.with(other) } else { self }
    }
}

/// How a file was opened: the value of [`OpRecord::len`] for [`OpKind::Open`] and [`OpKind::Create`]. No
/// bit means unknown: older logs, and captures that can't see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct OpenBits(pub u32);

impl OpenBits {
    /// Nothing is known about the open.
    pub const UNKNOWN: OpenBits = OpenBits(0);
    /// The file was opened for reading.
    pub const READ: OpenBits = OpenBits(1);
    /// The file was opened for writing.
    pub const WRITE: OpenBits = OpenBits(2);
    /// Every write goes to the end of the file.
    pub const APPEND: OpenBits = OpenBits(4);
    /// Created if it does not exist.
    pub const CREATE: OpenBits = OpenBits(8);
    /// With [`OpenBits::CREATE`]: an error if it exists.
    pub const EXCLUSIVE: OpenBits = OpenBits(16);
    /// Truncated if it exists.
    pub const TRUNCATE: OpenBits = OpenBits(32);
    /// Direct I/O, which bypasses the client's cache.
    pub const DIRECT: OpenBits = OpenBits(64);
    /// Every write is durable before it returns.
    pub const DSYNC: OpenBits = OpenBits(128);

    /// Whether every bit of `other` is set.
    pub const fn has(self, other: OpenBits) -> bool {
        self.0 & other.0 == other.0
    }

    /// These bits and those of `other`.
    #[must_use]
    pub const fn with(self, other: OpenBits) -> OpenBits {
        OpenBits(self.0 | other.0)
    }

    /// These bits and those of `other` if `on`.
    #[must_use]
    pub const fn with_if(self, other: OpenBits, on: bool) -> OpenBits {
        if on { self.with(other) } else { self }
    }
}

/// The operation without an equivalent: the value of [`OpRecord::len`] for [`OpKind::Other`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct OtherBits(pub u32);

impl OtherBits {
    /// The operation is unknown.
    pub const UNKNOWN: OtherBits = OtherBits(0);
    /// The file got this name in addition to another one that is unknown.
    pub const HARD_LINK: OtherBits = OtherBits(1);
    /// Two names were exchanged (`RENAME_EXCHANGE`), and only one of them is known. Also in traces from
    /// before [`OpFlags::EXCHANGES`] existed.
    pub const EXCHANGE: OtherBits = OtherBits(2);
    /// A rename that left a whiteout in place of the old name (`RENAME_WHITEOUT`).
    pub const WHITEOUT: OtherBits = OtherBits(3);
    /// A rename that failed because it must not replace a file (`RENAME_NOREPLACE`).
    pub const NO_REPLACE: OtherBits = OtherBits(4);
    /// An unnamed file (`O_TMPFILE`) that could not be created.
    pub const NAMELESS: OtherBits = OtherBits(5);
    /// A file was created as a clone of another one (`clonefileat`, `FICLONE`).
    pub const CLONE: OtherBits = OtherBits(6);
    /// A range of a file was deallocated, zeroed, collapsed or inserted (other modes of `fallocate`).
    pub const RANGE: OtherBits = OtherBits(7);
}

/// The access that was checked: the value of [`OpRecord::len`] for [`OpKind::Access`]. None of these
/// bits means unknown (older logs, and sources that don't record it), and is treated as
/// [`AccessBits::READ`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct AccessBits(pub u32);

impl AccessBits {
    /// The checked access is unknown.
    pub const UNKNOWN: AccessBits = AccessBits(0);
    /// Whether it may be read.
    pub const READ: AccessBits = AccessBits(1);
    /// Whether it may be written.
    pub const WRITE: AccessBits = AccessBits(2);
    /// Whether it may be executed, or searched if it is a directory.
    pub const EXECUTE: AccessBits = AccessBits(4);
    /// Only whether it exists.
    pub const EXISTS: AccessBits = AccessBits(8);

    /// The bits for these accesses; [`AccessBits::EXISTS`] if there are none.
    pub const fn of(read: bool, write: bool, execute: bool) -> AccessBits {
        let bits = read as u32 | (write as u32) << 1 | (execute as u32) << 2;
        if bits == 0 { AccessBits::EXISTS } else { AccessBits(bits) }
    }

    /// Whether every bit of `other` is set.
    pub const fn has(self, other: AccessBits) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of these bits is set.
    pub const fn is_known(self) -> bool {
        self.0 & 15 != 0
    }
}

/// One operation: the request, the result, and their times.
///
/// In a run, `worker` is a script, `stream` one of its streams, and `transfer` numbers related
/// operations. In a trace, `worker` is the recorded application, and `stream` the requesting thread
/// (from 0, in order of appearance). `transfer` is then the open file (from 1, one for every open or
/// create; 0 for operations on a path): operations with the same number share a handle.
///
/// Times are nanoseconds on the run's own monotonic clock, 0 at the start of the run. Response time =
/// done − due, service time = done − issued, lateness = issued − due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct OpRecord {
    /// Offset in the file; 0 if the kind has none. See [`OpKind`] for kinds with another meaning.
    pub offset: u64,
    /// When the operation was due.
    pub due_ns: u64,
    /// When it was passed to the operating system.
    pub issued_ns: u64,
    /// When its result was seen.
    pub done_ns: u64,
    /// The worker that issued it, from 0.
    pub worker: u32,
    /// Its stream; equal to `worker` if a worker has one stream.
    pub stream: u32,
    /// Its transfer, counted per worker from 0.
    pub transfer: u32,
    /// Index into the run's file table.
    pub file: u32,
    /// Requested bytes; for [`OpKind::Open`] and [`OpKind::Create`] their [`OpenBits`], for
    /// [`OpKind::Access`] its [`AccessBits`], for [`OpKind::Other`] its [`OtherBits`].
    pub len: u32,
    /// Transferred bytes. Fewer than `len` without an error is a short transfer.
    pub done_len: u32,
    /// 0, or the operating system's error number.
    pub errno: i32,
    /// The kind of operation.
    pub kind: OpKind,
    /// Additional facts; see [`OpFlags`].
    pub flags: OpFlags,
    /// Its load point, from 0.
    pub point: u16,
}

impl OpRecord {
    /// From due to done, in nanoseconds: the application's view.
    ///
    /// The drivers assert the order of the times they take. A log is input: in a damaged or foreign row
    /// an operation may be done before it was due. It then counts as no time, here and below.
    pub const fn response_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.due_ns)
    }

    /// From issued to done, in nanoseconds: the time of the storage.
    pub const fn service_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.issued_ns)
    }

    /// The offset after its last byte. Saturates for a damaged record.
    pub const fn end_offset(&self) -> u64 {
        self.offset.saturating_add(self.done_len as u64)
    }

    /// Whether its duration was measured. In sources without durations, start and end are equal.
    pub const fn has_duration(&self) -> bool {
        self.done_ns > self.issued_ns
    }

    /// From due to issued, in nanoseconds: the scheduling delay of Reelgauge.
    pub const fn lateness_ns(&self) -> u64 {
        self.issued_ns.saturating_sub(self.due_ns)
    }

    /// Whether it succeeded but transferred less than requested.
    pub const fn is_short(&self) -> bool {
        self.errno == 0 && self.kind.moves_data() && self.done_len < self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_cache_line() {
        assert_eq!(size_of::<OpRecord>(), 64);
    }

    #[test]
    fn access_without_bits_asks_for_existence() {
        assert_eq!(AccessBits::of(false, false, false), AccessBits::EXISTS);
        let all = AccessBits::of(true, true, true);
        assert!(all.has(AccessBits::READ) && all.has(AccessBits::WRITE) && all.has(AccessBits::EXECUTE));
        assert_eq!(AccessBits::of(false, true, false), AccessBits::WRITE);
        assert!(AccessBits::EXISTS.is_known() && !AccessBits::UNKNOWN.is_known());
    }

    #[test]
    fn kinds_have_their_numbers_and_names() {
        for (number, kind) in OpKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(OpKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(OpKind::from_name("mmap"), None);
    }
}
