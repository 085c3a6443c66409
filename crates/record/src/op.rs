//! The record of one operation: the row of the log, and the only thing that the hot path writes.
//!
//! Its size is fixed and it owns nothing, so that recording is a copy of 64 bytes. Names (paths,
//! hosts) live in the run's metadata and are referred to by number.

/// What an operation asked the storage to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum OpKind {
    /// Open an existing file. In a run of a mix, `offset` is the block size in bytes that was drawn for the
    /// transfer that begins here; 0 where nothing was drawn.
    Open = 0,
    /// Read at an offset.
    Read = 1,
    /// Write at an offset.
    Write = 2,
    /// Make what was written durable (`fdatasync`, or the platform's nearest).
    Sync = 3,
    /// Close a file.
    Close = 4,
    /// Make a file, or empty one that is there, and open it for writing. In a trace: every open that may
    /// make or empty a file; [`OpenBits`] say which.
    Create = 5,
    /// Remove a file.
    Unlink = 6,
    /// Ask for a file's size and times.
    Stat = 7,
    /// Ask whether a file may be read, or what [`AccessBits`] say.
    Access = 8,
    /// List a directory from its beginning to its end.
    ReadDir = 9,
    /// Set a file's size; `offset` is the new size in bytes.
    Truncate = 10,
    /// Reserve room for a part of a file.
    Allocate = 11,
    /// Give a file another name; `offset` is the new name's index in the file table.
    Rename = 12,
    /// Make a directory.
    MakeDir = 13,
    /// Remove an empty directory.
    RemoveDir = 14,
    /// Change a file's times, owner or rights. A replay sets its times.
    SetAttr = 15,
    /// Seen in a capture, and without an equivalent here (a lock, a link of which only one name is known):
    /// counted, not replayed. [`OtherBits`] say which of them, where that matters.
    Other = 16,
    /// Give a file an additional name (a hard link); `offset` is that name's index in the file table.
    Link = 17,
    /// Make a name that leads to another (a symbolic link); `offset` is that other's index in the file table,
    /// or the link's own where it leads out of what was recorded.
    SymLink = 18,
    /// Ask where a symbolic link leads.
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

    /// The name that logs and screens use.
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

    /// Whether the operation moves file data (a read or a write).
    pub const fn moves_data(self) -> bool {
        matches!(self, OpKind::Read | OpKind::Write)
    }

    /// Whether the operation names a second file, whose index in the file table its offset is.
    pub const fn names_two(self) -> bool {
        matches!(self, OpKind::Rename | OpKind::Link | OpKind::SymLink)
    }

    /// Whether the operation names its file by path and needs no handle. A truncation goes by handle or
    /// by path, as its script chooses.
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

/// Facts about an operation that are not in its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct OpFlags(pub u8);

impl OpFlags {
    /// Nothing special.
    pub const NONE: OpFlags = OpFlags(0);
    /// Belongs to a transfer that writes.
    pub const WRITING: OpFlags = OpFlags(1);
    /// Belongs to a transfer whose blocks lie at random places.
    pub const RANDOM: OpFlags = OpFlags(2);
    /// With [`OpKind::Allocate`], which no transfer has: the file keeps its size (`FALLOC_FL_KEEP_SIZE`).
    pub const KEEPS_SIZE: OpFlags = OpFlags(2);
    /// With [`OpKind::Rename`], which no transfer has: the two names exchange their files
    /// (`RENAME_EXCHANGE`).
    pub const EXCHANGES: OpFlags = OpFlags(2);
    /// Begun in the warm-up: kept in the log, excluded from every figure.
    pub const WARMUP: OpFlags = OpFlags(4);
    /// The last operation of its transfer.
    pub const LAST: OpFlags = OpFlags(8);
    /// Carries a part of a frame: `transfer` is then the number of the frame on its stream's timeline,
    /// from 0 in every load point.
    pub const FRAME: OpFlags = OpFlags(16);
    /// With [`OpFlags::FRAME`]: play restarts at this frame (after a jump, or a stop). Frames between
    /// the last one begun and this one were not wanted, so they are neither dropped nor late.
    pub const CUE: OpFlags = OpFlags(32);

    /// In a trace: a read or write that the system did itself for a copy (`copy_file_range`, `sendfile`); the
    /// application never saw the data.
    pub const COPIED: OpFlags = OpFlags(64);
    /// In a trace: done through a memory map or by the page cache for one, so size and time are the
    /// system's choice, not the application's.
    pub const MAPPED: OpFlags = OpFlags(128);

    /// Whether every flag of `other` is set.
    pub const fn has(self, other: OpFlags) -> bool {
        self.0 & other.0 == other.0
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

/// How a file was opened: what [`OpRecord::len`] holds for [`OpKind::Open`] and [`OpKind::Create`]. No
/// bit at all means unknown: older logs, and captures that can't see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct OpenBits(pub u32);

impl OpenBits {
    /// Unknown.
    pub const UNKNOWN: OpenBits = OpenBits(0);
    /// May be read.
    pub const READ: OpenBits = OpenBits(1);
    /// May be written.
    pub const WRITE: OpenBits = OpenBits(2);
    /// Every write goes to the end of the file.
    pub const APPEND: OpenBits = OpenBits(4);
    /// Made if it was not there.
    pub const CREATE: OpenBits = OpenBits(8);
    /// With [`OpenBits::CREATE`]: an error if it was there.
    pub const EXCLUSIVE: OpenBits = OpenBits(16);
    /// Emptied if it was there.
    pub const TRUNCATE: OpenBits = OpenBits(32);
    /// Past the client's cache.
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

/// Which operation without an equivalent it was: what [`OpRecord::len`] holds for [`OpKind::Other`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct OtherBits(pub u32);

impl OtherBits {
    /// Unknown.
    pub const UNKNOWN: OtherBits = OtherBits(0);
    /// The file got this name in addition to another one, which is unknown.
    pub const HARD_LINK: OtherBits = OtherBits(1);
    /// Two names changed places (`RENAME_EXCHANGE`), and only one of them is known: traces made before
    /// [`OpFlags::EXCHANGES`] was kept.
    pub const EXCHANGE: OtherBits = OtherBits(2);
    /// A rename that left a whiteout in place of the old name (`RENAME_WHITEOUT`).
    pub const WHITEOUT: OtherBits = OtherBits(3);
    /// A rename that was refused because it must not replace a file (`RENAME_NOREPLACE`).
    pub const NO_REPLACE: OtherBits = OtherBits(4);
    /// A file without a name was asked for and refused (`O_TMPFILE`).
    pub const NAMELESS: OtherBits = OtherBits(5);
    /// A file was made as a clone of another (`clonefileat`, `FICLONE`).
    pub const CLONE: OtherBits = OtherBits(6);
    /// A part of a file was freed, zeroed, taken out or put in (other modes of `fallocate`).
    pub const RANGE: OtherBits = OtherBits(7);
}

/// The access that was checked: the value of [`OpRecord::len`] for [`OpKind::Access`]. None of these
/// bits means unknown (older logs, and sources that don't record it), and is treated as
/// [`AccessBits::READ`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct AccessBits(pub u32);

impl AccessBits {
    /// Unknown.
    pub const UNKNOWN: AccessBits = AccessBits(0);
    /// Whether it may be read.
    pub const READ: AccessBits = AccessBits(1);
    /// Whether it may be written.
    pub const WRITE: AccessBits = AccessBits(2);
    /// Whether it may be run, or gone through if it is a directory.
    pub const EXECUTE: AccessBits = AccessBits(4);
    /// Whether it is there, and nothing else.
    pub const EXISTS: AccessBits = AccessBits(8);

    /// Of these questions; [`AccessBits::EXISTS`] if there are none.
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

/// One operation: what was asked, what came back, and when.
///
/// In a run, `worker` is a script, `stream` one of its streams, and `transfer` counts what belongs together.
/// In a trace, `worker` is the recorded application, `stream` the thread that asked (from 0, in the order in
/// which they appear), and `transfer` the open file that was used (from 1, one for every open or create; 0
/// for what goes by path): operations with the same number share a handle.
///
/// Times are nanoseconds on the run's own monotonic clock, 0 at the start of the run.
/// response time = done − due, service time = done − issued, lateness = issued − due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct OpRecord {
    /// Byte position in the file; 0 where the kind has none. See [`OpKind`] for kinds that keep something
    /// else here.
    pub offset: u64,
    /// When the operation should have begun.
    pub due_ns: u64,
    /// When it was handed to the operating system.
    pub issued_ns: u64,
    /// When its result was seen.
    pub done_ns: u64,
    /// The worker that asked for it, from 0.
    pub worker: u32,
    /// The stream it belongs to; equal to `worker` where a worker is one stream.
    pub stream: u32,
    /// The transfer it belongs to, counted per worker from 0.
    pub transfer: u32,
    /// Index into the run's file table.
    pub file: u32,
    /// Bytes asked for; for [`OpKind::Open`] and [`OpKind::Create`] their [`OpenBits`], for
    /// [`OpKind::Access`] its [`AccessBits`], for [`OpKind::Other`] its [`OtherBits`].
    pub len: u32,
    /// Bytes done. Less than `len` without an error is a short transfer.
    pub done_len: u32,
    /// 0, or the operating system's error number.
    pub errno: i32,
    /// What was asked.
    pub kind: OpKind,
    /// See [`OpFlags`].
    pub flags: OpFlags,
    /// The load point it was measured in, from 0.
    pub point: u16,
}

impl OpRecord {
    /// From when it was due until it was done, in nanoseconds: the application's view.
    ///
    /// The drivers assert the order of the times they take. A log that is read is input: a damaged row,
    /// or one of another program, may be done before it was due. It then counts as no time, here and
    /// below.
    pub const fn response_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.due_ns)
    }

    /// From when it was issued until it was done, in nanoseconds: what the storage took.
    pub const fn service_ns(&self) -> u64 {
        self.done_ns.saturating_sub(self.issued_ns)
    }

    /// The position behind its last byte. One that no number can hold, of a damaged record, is the last one.
    pub const fn end_offset(&self) -> u64 {
        self.offset.saturating_add(self.done_len as u64)
    }

    /// Whether its time was measured. Sources without durations have it end when it begins.
    pub const fn has_duration(&self) -> bool {
        self.done_ns > self.issued_ns
    }

    /// From when it was due until it was issued, in nanoseconds: the scheduling delay of Reelgauge.
    pub const fn lateness_ns(&self) -> u64 {
        self.issued_ns.saturating_sub(self.due_ns)
    }

    /// Whether it succeeded but moved less than was asked.
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
    fn a_question_about_nothing_is_whether_it_is_there() {
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
