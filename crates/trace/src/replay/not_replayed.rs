//! The kinds of operations that a replay omits.
//!
//! A kind is listed for one of two reasons: not every system supports it, or this target does not.
//! Operations that failed in the recording had no effect. They are counted anyway, because they took
//! time.

use reelgauge_record::{OpFlags, OpKind, OpRecord, OtherBits};

/// Linux's error number for a missing name.
const ENOENT: i32 = 2;

/// Operations that the target does not support and that are therefore omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// The target does not support hard links.
    pub hard_links: bool,
    /// The target does not support symbolic links.
    pub symbolic_links: bool,
    /// The target does not support renames that exchange two names.
    pub exchanges: bool,
}

/// A kind of operation that is not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotReplayed {
    /// A hard link to a file that the trace does not name.
    UnknownHardLink,
    /// A hard link, on a target that does not support them.
    HardLink,
    /// A symbolic link, on a target that does not support them.
    SymbolicLink,
    /// An exchange of two names, on a target that does not support it, or with only one name known.
    RenameExchange,
    /// A rename that left a whiteout.
    RenameWhiteout,
    /// A rename that failed because it must not replace a file, or because the storage does not support
    /// exchanges.
    RenameRefused,
    /// A file without a name (`O_TMPFILE`) that could not be created.
    NamelessFile,
    /// A clone of a file.
    Clone,
    /// A range of a file that was deallocated, zeroed, collapsed or inserted.
    Range,
    /// A lock or another operation.
    Other,
}

impl NotReplayed {
    /// The kind of an operation that is not replayed on such a target. A link whose creation failed had
    /// no effect.
    pub(super) fn of(op: &OpRecord, without: Without) -> Option<NotReplayed> {
        Some(match (op.kind, OtherBits(op.len), op.errno) {
            (OpKind::Other, OtherBits::HARD_LINK, 0) => NotReplayed::UnknownHardLink,
            (OpKind::Other, OtherBits::EXCHANGE, _) => NotReplayed::RenameExchange,
            (OpKind::Other, OtherBits::WHITEOUT, _) => NotReplayed::RenameWhiteout,
            (OpKind::Other, OtherBits::NO_REPLACE, _) => NotReplayed::RenameRefused,
            (OpKind::Other, OtherBits::NAMELESS, _) => NotReplayed::NamelessFile,
            (OpKind::Other, OtherBits::CLONE, _) => NotReplayed::Clone,
            (OpKind::Other, OtherBits::RANGE, _) => NotReplayed::Range,
            (OpKind::Other, ..) => NotReplayed::Other,
            // A missing name is replayed as such. Other renames that failed in the recording may succeed on
            // this target.
            (OpKind::Rename, _, errno)
                if op.flags.has(OpFlags::EXCHANGES) && !matches!(errno, 0 | ENOENT) =>
            {
                NotReplayed::RenameRefused
            }
            (OpKind::Rename, ..) if op.flags.has(OpFlags::EXCHANGES) && without.exchanges => {
                NotReplayed::RenameExchange
            }
            (OpKind::Link, ..) if without.hard_links => NotReplayed::HardLink,
            (OpKind::SymLink | OpKind::ReadLink, ..) if without.symbolic_links => NotReplayed::SymbolicLink,
            _ => return None,
        })
    }

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            NotReplayed::UnknownHardLink => "unknown_hard_link",
            NotReplayed::HardLink => "hard_link",
            NotReplayed::SymbolicLink => "symbolic_link",
            NotReplayed::RenameExchange => "rename_exchange",
            NotReplayed::RenameWhiteout => "rename_whiteout",
            NotReplayed::RenameRefused => "rename_refused",
            NotReplayed::NamelessFile => "nameless_file",
            NotReplayed::Clone => "clone",
            NotReplayed::Range => "range",
            NotReplayed::Other => "other",
        }
    }

    /// The name in texts.
    pub const fn words(self) -> &'static str {
        match self {
            NotReplayed::UnknownHardLink => {
                "a hard link to a file that the trace does not name; its new name is a separate file that \
                 exists before the replay begins"
            }
            NotReplayed::HardLink => {
                "a hard link, which the target does not support; its new name is a separate file that exists \
                 before the replay begins"
            }
            NotReplayed::SymbolicLink => {
                "a symbolic link, which the target does not support; operations on its name use a separate \
                 file"
            }
            NotReplayed::RenameExchange => {
                "a rename that exchanged two names (RENAME_EXCHANGE), which the target does not support, or \
                 of which only one name is known; both names keep their files"
            }
            NotReplayed::RenameWhiteout => {
                "a rename that left a whiteout (RENAME_WHITEOUT); the new name is a separate file that \
                 exists before the replay begins"
            }
            NotReplayed::RenameRefused => {
                "a rename that was refused (RENAME_NOREPLACE on an existing name, RENAME_EXCHANGE)"
            }
            NotReplayed::NamelessFile => "an unnamed file (O_TMPFILE), which the storage refused",
            NotReplayed::Clone => {
                "a clone of a file (clonefile, FICLONE); the clone is a separate file that exists before the \
                 replay begins"
            }
            NotReplayed::Range => "a range of a file that was freed, zeroed, removed or inserted (fallocate)",
            NotReplayed::Other => "a lock or another operation that Reelgauge cannot replay",
        }
    }
}
