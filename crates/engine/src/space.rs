//! How much room a file system has.
//!
//! What is asked for here is what an unprivileged user may still write, not what is physically free:
//! blocks that are reserved for root don't count. Quotas of users and groups can't be seen this way on
//! most file systems, so a write may fail for lack of room even though there seems to be enough.

use std::io;
use std::path::Path;

/// The room of a file system, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// What may still be written.
    pub available_bytes: u64,
    /// The size of the whole file system.
    pub total_bytes: u64,
}

/// The room of the file system that holds `dir`; `None` where the file system doesn't tell.
///
/// Some FUSE and network file systems answer with zeros throughout, which means "unknown", not "full".
///
/// # Errors
/// What the operating system says when `dir` can't be asked (it is missing, or its mount is dead).
pub fn space(dir: &Path) -> io::Result<Option<Space>> {
    Ok(told(ask(dir)?))
}

/// A file system of no size at all is one that doesn't tell.
fn told(space: Space) -> Option<Space> {
    (space.total_bytes > 0).then_some(space)
}

#[cfg(unix)]
fn ask(dir: &Path) -> io::Result<Space> {
    let stat = rustix::fs::statvfs(dir)?;
    Ok(Space {
        available_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        total_bytes: stat.f_blocks.saturating_mul(stat.f_frsize),
    })
}

#[cfg(windows)]
fn ask(dir: &Path) -> io::Result<Space> {
    use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

    // The trailing backslash is required for UNC paths; it does no harm elsewhere.
    let dir = crate::mount::wide(&dir.join(""));
    let mut space = Space { available_bytes: 0, total_bytes: 0 };
    // SAFETY: `dir` ends with a zero and outlives the call; the out pointers are valid u64, and the
    // last one may be null.
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
    fn the_temporary_directory_has_room_and_not_more_than_its_size() {
        let space = space(&std::env::temp_dir()).unwrap().unwrap();
        assert!(space.available_bytes > 0);
        assert!(space.available_bytes <= space.total_bytes);
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
