//! Whether a file system is short of a resource, so that a failed operation does not show what it
//! supports.

use std::io;
use std::path::Path;

use reelgauge_machine::file_system::type_of_magic;
use rustix::fs::{StatVfs, statfs, statvfs};

/// With less free space than this, an operation that needs blocks may fail for lack of space.
const ROOM_BYTES: u64 = 1 << 20;
/// Inodes that a probe needs at once, with reserve. On tmpfs a large attribute counts as that many.
const INODES: u64 = 128;

/// The resource that a file system is short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    Room,
    Inodes,
    /// A quota is exhausted.
    Quota,
    /// No inode is left, and some file systems store large attributes in a separate inode. Whether that
    /// was the cause is unknown.
    MaybeInodes,
}

/// The resource that an operation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// An inode, for a new file, folder or symbolic link.
    Inode,
    /// An extended attribute. It is stored in its file's inode or in one block. If it is larger than
    /// that, ext4 reports that no space is left.
    Attribute,
    Room,
}

/// A probe's operation, worded to follow "could not", and the resource that it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doing {
    pub(super) words: &'static str,
    pub(super) takes: Takes,
}

pub(super) const MAKE_FILE: Doing = Doing { words: "create a file", takes: Takes::Inode };
pub(super) const MAKE_FOLDER: Doing = Doing { words: "create a folder", takes: Takes::Inode };
pub(super) const MAKE_SYMLINK: Doing = Doing { words: "create a symbolic link", takes: Takes::Inode };
pub(super) const SET_XATTR: Doing = Doing { words: "set an extended attribute", takes: Takes::Attribute };
pub(super) const SET_LARGER_XATTR: Doing =
    Doing { words: "set a larger extended attribute", takes: Takes::Attribute };

/// Any other operation needs blocks at most.
impl From<&'static str> for Doing {
    fn from(words: &'static str) -> Doing {
        Doing { words, takes: Takes::Room }
    }
}

/// Whether an error means that a resource is exhausted. Some file systems report the same error for a
/// value that is too large.
pub(super) fn is_full_error(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// The missing resource on this path's file system, after such a failure; `None` if there is enough or
/// it is unknown.
pub(super) fn shortage(path: &Path, error: &io::Error, takes: Takes) -> Option<Shortage> {
    if error.kind() == io::ErrorKind::QuotaExceeded {
        return Some(Shortage::Quota);
    }
    // tmpfs counts attributes as inodes.
    let is_in_memory = statfs(path).is_ok_and(|told| type_of_magic(told.f_type as u64) == Some("tmpfs"));
    of(&statvfs(path).ok()?, takes, is_in_memory)
}

fn of(told: &StatVfs, takes: Takes, is_in_memory: bool) -> Option<Shortage> {
    // File systems that allocate inodes on demand report 0.
    let counts_inodes = told.f_files > 0;
    // Values reported by a file system are untrusted: the product must not overflow.
    let free_bytes = told.f_bavail.saturating_mul(told.f_frsize);
    let is_full = told.f_blocks > 0 && free_bytes < ROOM_BYTES;
    match takes {
        Takes::Inode if counts_inodes && told.f_favail < INODES => Some(Shortage::Inodes),
        Takes::Attribute if counts_inodes && is_in_memory && told.f_favail < INODES => Some(Shortage::Inodes),
        Takes::Attribute if counts_inodes && told.f_favail == 0 && !is_full => Some(Shortage::MaybeInodes),
        _ => is_full.then_some(Shortage::Room),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn told(free_blocks: u64, files: u64, free_files: u64) -> StatVfs {
        let usual = statvfs("/").unwrap();
        StatVfs {
            f_blocks: 100_000,
            f_frsize: 4096,
            f_bavail: free_blocks,
            f_files: files,
            f_favail: free_files,
            ..usual
        }
    }

    #[test]
    fn missing_space_and_inodes_are_distinguished() {
        let of_a_file = |told: &StatVfs| of(told, Takes::Inode, false);
        assert_eq!(of_a_file(&told(50_000, 9000, 9000)), None);
        assert_eq!(of_a_file(&told(50_000, 0, 0)), None, "btrfs counts no inodes");
        assert_eq!(of_a_file(&told(50_000, 1000, 0)), Some(Shortage::Inodes));
        assert_eq!(of_a_file(&told(10, 9000, 9000)), Some(Shortage::Room));
        assert!(is_full_error(&io::Error::from_raw_os_error(libc::ENOSPC)));
        assert!(is_full_error(&io::Error::from_raw_os_error(libc::EDQUOT)));
        assert!(!is_full_error(&io::Error::from_raw_os_error(libc::ENOTSUP)));
    }

    /// An attribute needs no separate inode, so a shortage of inodes is irrelevant.
    #[test]
    fn missing_inodes_do_not_explain_failed_attributes() {
        let few = told(50_000, 1000, 40);
        let of = |told: &StatVfs, doing: Doing, is_in_memory| of(told, doing.takes, is_in_memory);
        assert_eq!(of(&few, MAKE_FILE, false), Some(Shortage::Inodes));
        for doing in [SET_XATTR, SET_LARGER_XATTR, "reserve 1 MiB".into()] {
            assert_eq!(of(&few, doing, false), None, "{doing:?}");
            assert_eq!(of(&told(10, 1000, 40), doing, false), Some(Shortage::Room), "{doing:?}");
        }
        let larger = SET_LARGER_XATTR;
        assert_eq!(of(&few, larger, true), Some(Shortage::Inodes), "in memory attributes count as inodes");
        assert_eq!(of(&told(50_000, 1000, 0), larger, false), Some(Shortage::MaybeInodes));
        let quota = io::Error::from_raw_os_error(libc::EDQUOT);
        assert_eq!(shortage(Path::new("/"), &quota, Takes::Attribute), Some(Shortage::Quota));
    }
}
