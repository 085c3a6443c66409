//! Flags and modes of `open` on Linux and macOS, and calls that work alike on paths and descriptors.

use std::os::fd::{AsFd, OwnedFd};

use reelgauge_record::AccessBits;
use reelgauge_workload::script::OpenMode;
use rustix::fs::{Access, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::ErrorNumber;

/// Converts access bits to those of the `access` call.
pub(super) fn access_of(asked: AccessBits) -> Access {
    if !asked.is_known() {
        return Access::READ_OK;
    }
    let questions = [
        (AccessBits::READ, Access::READ_OK),
        (AccessBits::WRITE, Access::WRITE_OK),
        (AccessBits::EXECUTE, Access::EXEC_OK),
    ];
    let asked = questions.into_iter().filter(|(bit, _)| asked.has(*bit));
    asked.fold(Access::EXISTS, |all, (_, one)| all | one)
}

/// Truncates or extends an open file to this size.
pub(crate) fn set_size(file: impl AsFd, size_bytes: u64) -> Result<(), ErrorNumber> {
    retry_on_intr(|| rustix::fs::ftruncate(&file, size_bytes)).map_err(Errno::raw_os_error)
}

/// Reads all names, as the C library does: 32 KiB at a time.
#[cfg(target_os = "linux")]
pub(super) fn list_to_end(directory: OwnedFd) -> rustix::io::Result<()> {
    let mut names = [std::mem::MaybeUninit::uninit(); 32 * 1024];
    let mut listing = rustix::fs::RawDir::new(directory, &mut names);
    while let Some(entry) = listing.next() {
        entry?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn list_to_end(directory: OwnedFd) -> rustix::io::Result<()> {
    for entry in rustix::fs::Dir::new(directory)? {
        entry?;
    }
    Ok(())
}

/// The flags of `open` for this mode.
pub(crate) fn open_flags(mode: OpenMode) -> OFlags {
    let mut flags = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    flags |= match mode {
        OpenMode { write_only: true, .. } => OFlags::WRONLY,
        OpenMode { write: true, .. } => OFlags::RDWR,
        _ => OFlags::RDONLY,
    };
    if mode.append {
        flags |= OFlags::APPEND;
    }
    #[cfg(target_os = "linux")]
    if mode.direct {
        flags |= OFlags::DIRECT;
    }
    if mode.dsync {
        flags |= OFlags::DSYNC;
    }
    flags
}

/// The permissions of a new file, before the umask: owner read and write, others read.
pub(crate) const NEW_FILE: Mode = Mode::from_raw_mode(0o644);

/// The permissions of a new directory.
pub(super) const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o755);

/// The flags of `open` for creating or emptying a file in this mode.
pub(crate) fn create_flags(mode: OpenMode) -> OFlags {
    let mut flags = open_flags(OpenMode { write: true, ..mode });
    if !mode.existing {
        flags |= OFlags::CREATE;
        if mode.exclusive {
            flags |= OFlags::EXCL;
        }
    }
    if !mode.keep {
        flags |= OFlags::TRUNC;
    }
    flags
}
