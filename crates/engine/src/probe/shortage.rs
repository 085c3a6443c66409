//! Whether a file system is short of something, so that what fails on it says nothing of what it can do.

use std::io;
use std::path::Path;

use rustix::fs::{StatVfs, statvfs};

/// With less than this free, what needs some more blocks fails for want of them.
const ROOM_BYTES: u64 = 1 << 20;
/// So many a probe needs at a time, and some: in memory a large attribute takes as many.
const INODES: u64 = 128;

/// What a file system has too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    Room,
    Inodes,
}

/// Whether an error says that something is missing. Some file systems call so what is too large for them.
pub(super) fn says_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What is missing on the file system of this path; `None` where there is enough of both, or nobody knows.
pub(super) fn shortage(path: &Path) -> Option<Shortage> {
    of(&statvfs(path).ok()?)
}

fn of(told: &StatVfs) -> Option<Shortage> {
    // File systems that make inodes as they need them tell none at all.
    let counts_inodes = told.f_files > 0;
    if counts_inodes && told.f_favail < INODES {
        return Some(Shortage::Inodes);
    }
    let free_bytes = told.f_bavail.saturating_mul(told.f_frsize);
    (told.f_blocks > 0 && free_bytes < ROOM_BYTES).then_some(Shortage::Room)
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
        assert_eq!(of(&told(50_000, 9000, 9000)), None);
        assert_eq!(of(&told(50_000, 0, 0)), None, "btrfs counts no inodes");
        assert_eq!(of(&told(50_000, 1000, 0)), Some(Shortage::Inodes));
        assert_eq!(of(&told(10, 9000, 9000)), Some(Shortage::Room));
        assert!(says_full(&io::Error::from_raw_os_error(libc::ENOSPC)));
        assert!(says_full(&io::Error::from_raw_os_error(libc::EDQUOT)));
        assert!(!says_full(&io::Error::from_raw_os_error(libc::ENOTSUP)));
    }
}
