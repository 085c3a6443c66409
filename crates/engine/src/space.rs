//! The size and free space of a file system.
//!
//! The figure is the space that an unprivileged user may still write, not the physically free space:
//! blocks reserved for root do not count. Quotas of users and groups are invisible here on most file
//! systems, so a write may fail for lack of space even though there seems to be enough.

use std::io;
use std::path::Path;

/// The space of a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// The space that may still be written.
    pub available_bytes: u64,
    /// The size of the whole file system.
    pub total_bytes: u64,
}

/// How much of a file system is never filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepFree {
    /// A twentieth of it, or 10 GB, whichever is less: other users work there, and full file systems are
    /// slow.
    #[default]
    Usual,
    /// This many bytes, set by the user.
    Bytes(u64),
}

/// The maximum space that is kept free by default.
const KEPT_BYTES_MAX: u64 = 10_000_000_000;
/// The divisor for the share of a file system that is kept free by default, if that is less.
const KEPT_SHARE: u64 = 20;

impl Space {
    pub fn kept_bytes(&self, keep_free: KeepFree) -> u64 {
        match keep_free {
            KeepFree::Usual => (self.total_bytes / KEPT_SHARE).min(KEPT_BYTES_MAX),
            KeepFree::Bytes(bytes) => bytes,
        }
    }

    /// The space that may be written without touching the space to keep free; 0 if there is less.
    pub fn usable_bytes(&self, keep_free: KeepFree) -> u64 {
        // A file system may have less free space than that.
        self.available_bytes.saturating_sub(self.kept_bytes(keep_free))
    }
}

/// The space of the file system that holds `dir`; `None` if the file system does not report it.
///
/// Some FUSE and network file systems return only zeros, which means "unknown", not "full".
///
/// # Errors
/// The error of the system if `dir` cannot be queried (it is missing, or its mount is dead).
pub fn space(dir: &Path) -> io::Result<Option<Space>> {
    Ok(told(ask(dir)?))
}

/// A file system with size 0 does not report its space.
fn told(space: Space) -> Option<Space> {
    (space.total_bytes > 0).then_some(space)
}

#[cfg(unix)]
fn ask(dir: &Path) -> io::Result<Space> {
    let stat = rustix::fs::statvfs(dir)?;
    Ok(Space {
        // Values reported by a file system are untrusted: the products must not overflow.
        available_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        total_bytes: stat.f_blocks.saturating_mul(stat.f_frsize),
    })
}

#[cfg(windows)]
fn ask(dir: &Path) -> io::Result<Space> {
    use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

    // The trailing backslash is required for UNC paths, and harmless elsewhere.
    let dir = reelgauge_machine::mount::wide(&dir.join(""));
    let mut space = Space { available_bytes: 0, total_bytes: 0 };
    // SAFETY: `dir` ends with a zero and outlives the call. The out pointers are valid u64, and the last
    // one may be null.
    let done = unsafe {
        GetDiskFreeSpaceExW(
            dir.as_ptr(),
            &raw mut space.available_bytes,
            &raw mut space.total_bytes,
            std::ptr::null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(space)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn free_space_is_positive_and_at_most_the_size() {
        let space = space(&std::env::temp_dir()).unwrap().unwrap();
        assert!(space.available_bytes > 0);
        assert!(space.available_bytes <= space.total_bytes);
    }

    #[test]
    fn reserve_is_a_twentieth_or_10_gb_or_the_flag() {
        let of = |total_bytes| Space { available_bytes: total_bytes, total_bytes };
        let (small, large) = (of(100_000_000), of(400_000_000_000));
        assert_eq!(small.kept_bytes(KeepFree::Usual), 5_000_000);
        assert_eq!(large.kept_bytes(KeepFree::Usual), 10_000_000_000);
        assert_eq!(large.usable_bytes(KeepFree::Usual), 390_000_000_000);
        assert_eq!(small.usable_bytes(KeepFree::Bytes(0)), 100_000_000);
        assert_eq!(small.usable_bytes(KeepFree::Bytes(200_000_000)), 0);
    }

    #[test]
    fn zeros_mean_unknown() {
        let nothing = Space { available_bytes: 0, total_bytes: 0 };
        assert_eq!(told(nothing), None);
        let full = Space { available_bytes: 0, total_bytes: 4096 };
        assert_eq!(told(full), Some(full));
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let missing = std::env::temp_dir().join("reelgauge-there-is-no-such-directory");
        assert_eq!(space(&missing).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
