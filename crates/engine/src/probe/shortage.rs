//! Whether a file system is short of something, so that what fails on it says nothing of what it can do.

use std::io;
use std::path::Path;

use rustix::fs::{FsWord, StatVfs, statfs, statvfs};

/// With less than this free, what needs some more blocks fails for want of them.
const ROOM_BYTES: u64 = 1 << 20;
/// So many a probe needs at a time, and some: in memory a large attribute takes as many.
const INODES: u64 = 128;

/// What file systems in memory are called. Attributes are counted there as inodes.
const IN_MEMORY: FsWord = 0x0102_1994;

/// What a file system has too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    Room,
    Inodes,
    /// Somebody's share of it is used up.
    Quota,
    /// No inode is left, and some file systems keep large attributes in one of their own: whether that was
    /// missing nobody knows.
    MaybeInodes,
}

/// What something takes of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// What is new: a file, a folder, a symbolic link.
    Inode,
    /// An extended attribute. It lies beside its file, in the room of an inode and of a block: ext4 says that
    /// no room is left where one is larger than that.
    Attribute,
    /// Blocks alone.
    Room,
}

impl Takes {
    /// By what was being done.
    pub(super) fn of(doing: &str) -> Takes {
        match doing {
            "make a file" | "make a folder" | "make a symbolic link" => Takes::Inode,
            _ if doing.starts_with("set a") && doing.contains("attribute") => Takes::Attribute,
            _ => Takes::Room,
        }
    }
}

/// Whether an error says that something is missing. Some file systems call so what is too large for them.
pub(super) fn says_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What is missing on the file system of this path for something that failed so; `None` where there is
/// enough, or nobody knows.
pub(super) fn shortage(path: &Path, error: &io::Error, takes: Takes) -> Option<Shortage> {
    if error.kind() == io::ErrorKind::QuotaExceeded {
        return Some(Shortage::Quota);
    }
    let is_in_memory = statfs(path).is_ok_and(|told| told.f_type == IN_MEMORY);
    of(&statvfs(path).ok()?, takes, is_in_memory)
}

fn of(told: &StatVfs, takes: Takes, is_in_memory: bool) -> Option<Shortage> {
    // File systems that make inodes as they need them tell none at all.
    let counts_inodes = told.f_files > 0;
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
    fn what_is_missing_is_told_apart() {
        let of_a_file = |told: &StatVfs| of(told, Takes::Inode, false);
        assert_eq!(of_a_file(&told(50_000, 9000, 9000)), None);
        assert_eq!(of_a_file(&told(50_000, 0, 0)), None, "btrfs counts no inodes");
        assert_eq!(of_a_file(&told(50_000, 1000, 0)), Some(Shortage::Inodes));
        assert_eq!(of_a_file(&told(10, 9000, 9000)), Some(Shortage::Room));
        assert!(says_full(&io::Error::from_raw_os_error(libc::ENOSPC)));
        assert!(says_full(&io::Error::from_raw_os_error(libc::EDQUOT)));
        assert!(!says_full(&io::Error::from_raw_os_error(libc::ENOTSUP)));
    }

    /// An attribute lies beside its file: a disk's inodes have nothing to do with it.
    #[test]
    fn attributes_and_reserved_room_are_not_refused_for_want_of_inodes() {
        let few = told(50_000, 1000, 40);
        let of = |told: &StatVfs, doing: &str, is_in_memory| of(told, Takes::of(doing), is_in_memory);
        assert_eq!(of(&few, "make a file", false), Some(Shortage::Inodes));
        for doing in ["set an extended attribute", "set a larger extended attribute", "reserve 1 MiB"] {
            assert_eq!(of(&few, doing, false), None, "{doing}");
            assert_eq!(of(&told(10, 1000, 40), doing, false), Some(Shortage::Room), "{doing}");
        }
        let larger = "set a larger extended attribute";
        assert_eq!(of(&few, larger, true), Some(Shortage::Inodes), "in memory attributes count as inodes");
        assert_eq!(of(&told(50_000, 1000, 0), larger, false), Some(Shortage::MaybeInodes));
        let quota = io::Error::from_raw_os_error(libc::EDQUOT);
        assert_eq!(shortage(Path::new("/"), &quota, Takes::Attribute), Some(Shortage::Quota));
    }
}
