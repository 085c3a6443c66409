//! Files on Linux and macOS. The table of [`super`] lists the differences.

use std::os::fd::{IntoRawFd, OwnedFd};

use reelgauge_workload::script::OpenMode;
use rustix::fs::OFlags;
use rustix::io::{Errno, retry_on_intr};

use super::ErrorNumber;
use super::names::Name;
use super::unix_calls::{NEW_FILE, create_flags, open_flags, set_size};

#[derive(Debug)]
pub(crate) struct OpenFile {
    fd: OwnedFd,
    /// Whether writes append.
    appends: bool,
}

impl OpenFile {
    pub(crate) fn open(name: Name<'_>, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
        OpenFile::with_flags(name, mode, open_flags(mode))
    }

    /// Creates the file. If it exists, the mode decides whether it is refused, kept or emptied.
    pub(crate) fn create(name: Name<'_>, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
        OpenFile::with_flags(name, mode, create_flags(mode))
    }

    fn with_flags(name: Name<'_>, mode: OpenMode, flags: OFlags) -> Result<OpenFile, ErrorNumber> {
        let fd = name.opened_to_use(flags, NEW_FILE)?;
        #[cfg(target_os = "macos")]
        if mode.direct {
            rustix::fs::fcntl_nocache(&fd, true).map_err(Errno::raw_os_error)?;
            no_read_ahead(&fd)?;
        }
        Ok(OpenFile { fd, appends: mode.append })
    }

    #[inline]
    pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<usize, ErrorNumber> {
        retry_on_intr(|| rustix::io::pread(&self.fd, &mut *into, offset)).map_err(Errno::raw_os_error)
    }

    #[inline]
    pub(crate) fn write_at(&self, from: &[u8], offset: u64) -> Result<usize, ErrorNumber> {
        if cfg!(not(target_os = "linux")) && self.appends {
            return retry_on_intr(|| rustix::io::write(&self.fd, from)).map_err(Errno::raw_os_error);
        }
        retry_on_intr(|| rustix::io::pwrite(&self.fd, from, offset)).map_err(Errno::raw_os_error)
    }

    #[cfg(not(target_os = "macos"))]
    pub(crate) fn sync(&self) -> Result<(), ErrorNumber> {
        retry_on_intr(|| rustix::fs::fdatasync(&self.fd)).map_err(Errno::raw_os_error)
    }

    #[cfg(target_os = "macos")]
    pub(crate) fn sync(&self) -> Result<(), ErrorNumber> {
        let synced = match retry_on_intr(|| rustix::fs::fcntl_fullfsync(&self.fd)) {
            Err(error) if has_no_full_sync(error) => retry_on_intr(|| rustix::fs::fsync(&self.fd)),
            done => done,
        };
        synced.map_err(Errno::raw_os_error)
    }

    /// Truncates or extends the file to this size.
    pub(crate) fn set_size(&self, size_bytes: u64) -> Result<(), ErrorNumber> {
        set_size(&self.fd, size_bytes)
    }

    /// Allocates space for a part of the file. Unless it `keeps_size`, the file grows if the part
    /// reaches beyond its end.
    #[cfg(target_os = "linux")]
    pub(crate) fn allocate(&self, offset: u64, len: u32, keeps_size: bool) -> Result<(), ErrorNumber> {
        use rustix::fs::FallocateFlags;
        let mode = if keeps_size { FallocateFlags::KEEP_SIZE } else { FallocateFlags::empty() };
        let allocate = || rustix::fs::fallocate(&self.fd, mode, offset, u64::from(len));
        retry_on_intr(allocate).map_err(Errno::raw_os_error)
    }

    /// Not possible on this system: see the head of [`super`].
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn allocate(&self, _offset: u64, _len: u32, _keeps_size: bool) -> Result<(), ErrorNumber> {
        Err(Errno::NOTSUP.raw_os_error())
    }

    /// Its descriptor, for callers that continue with it.
    #[cfg(target_os = "linux")]
    pub(crate) fn into_fd(self) -> OwnedFd {
        self.fd
    }

    /// Closes it and returns the system's error: network file systems report late write errors here. It
    /// is not repeated after a signal, because the descriptor is closed either way.
    pub(crate) fn close(self) -> Result<(), ErrorNumber> {
        // SAFETY: the descriptor was owned by `self`, which releases it here, and it has no other owner.
        unsafe { rustix::io::try_close(self.fd.into_raw_fd()) }.map_err(Errno::raw_os_error)
    }
}

/// Turns the system's read-ahead off, which would read more than was asked for.
#[cfg(target_os = "macos")]
fn no_read_ahead(fd: &OwnedFd) -> Result<(), ErrorNumber> {
    use std::os::fd::AsRawFd;
    // SAFETY: the call takes an integer, and the descriptor is open as long as its owner is borrowed.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_RDAHEAD, 0) } {
        -1 => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or_default()),
        _ => Ok(()),
    }
}

/// Whether a file system does not know `F_FULLFSYNC`, so that `fsync` has to do. Many servers of SMB and
/// NFS do not; Apple's manual page of `fcntl` states it for file systems other than its own.
#[cfg(any(target_os = "macos", test))]
fn has_no_full_sync(error: Errno) -> bool {
    [Errno::NOTSUP, Errno::NOTTY, Errno::INVAL].contains(&error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_full_sync_falls_back_to_fsync() {
        assert!([Errno::NOTSUP, Errno::NOTTY, Errno::INVAL].into_iter().all(has_no_full_sync));
        assert!(![Errno::IO, Errno::NOSPC, Errno::STALE, Errno::BADF].into_iter().any(has_no_full_sync));
    }
}
