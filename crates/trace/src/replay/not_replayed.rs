//! Operations of a trace that a replay does not do, by kind.
//!
//! A kind is here for one of two reasons: nothing does it on every system, or the target does not have it.
//! What was refused when it was recorded changed nothing. It is counted all the same, because it took time.

use reelgauge_record::{OpFlags, OpKind, OpRecord, OtherBits};

/// Linux's number of the error of a name that is not there.
const ENOENT: i32 = 2;

/// Operations that the target does not support and that are therefore omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// Several names for a file.
    pub hard_links: bool,
    /// Names that lead to others.
    pub symbolic_links: bool,
    /// Renames that exchange two names.
    pub exchanges: bool,
}

/// A kind of operation that is not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotReplayed {
    /// A further name of a file that the trace does not name.
    UnknownHardLink,
    /// A further name of a file, on a target without any.
    HardLink,
    /// A symbolic link, on a target without any.
    SymbolicLink,
    /// Two names that changed places, on a target that can't do that, or where only one of them is known.
    RenameExchange,
    /// A rename that left a whiteout.
    RenameWhiteout,
    /// A rename that was refused because it must not replace a file, or because the storage exchanges no
    /// names.
    RenameRefused,
    /// A file without a name that was refused.
    NamelessFile,
    /// A clone of a file.
    Clone,
    /// A part of a file freed, zeroed, taken out or put in.
    Range,
    /// A lock or another operation.
    Other,
}

impl NotReplayed {
    /// The kind of an operation that is not replayed on such a target. A link that could not be made changed
    /// nothing.
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
            // A missing name is replayed as such. Otherwise this target may do what that one refused.
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

    /// As in JSON.
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

    /// In words.
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
