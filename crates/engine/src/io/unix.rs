//! Files on Linux and macOS. What differs between the two stands in the table of [`super`].

use std::ffi::CString;
use std::os::fd::{AsFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use reelgauge_record::AccessBits;
use reelgauge_workload::script::OpenMode;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::{Errno, retry_on_intr};

use super::ErrorNumber;

/// A path in the form that the system takes, so that opening converts nothing.
#[derive(Clone, Debug)]
pub(crate) struct FileName(CString);

impl FileName {
    /// Of this path, without slashes at its end. A path with a zero byte can't exist; it becomes the empty
    /// one, which doesn't either.
    pub(crate) fn new(path: &Path) -> FileName {
        let path: PathBuf = path.components().collect();
        FileName(CString::new(path.as_os_str().as_bytes()).unwrap_or_default())
    }

    /// As C wants it.
    #[cfg(target_os = "linux")]
    pub(crate) fn as_ptr(&self) -> *const std::ffi::c_char {
        self.0.as_ptr()
    }

    /// Removes the file. A directory is refused.
    pub(crate) fn unlink(&self) -> Result<(), ErrorNumber> {
        retry_on_intr(|| rustix::fs::unlink(self.0.as_c_str())).map_err(Errno::raw_os_error)
    }

    /// Asks for its size and times.
    pub(crate) fn stat(&self) -> Result<(), ErrorNumber> {
        let stat = retry_on_intr(|| rustix::fs::lstat(self.0.as_c_str()));
        stat.map(drop).map_err(Errno::raw_os_error)
    }

    /// Asks whether it may be used so; for reading if that is not known.
    pub(crate) fn access(&self, asked: AccessBits) -> Result<(), ErrorNumber> {
        let asked = access_of(asked);
        let ask = |flags| retry_on_intr(|| rustix::fs::accessat(CWD, &*self.0, asked, flags));
        match ask(AtFlags::SYMLINK_NOFOLLOW) {
            // See the module head.
            Err(Errno::NOSYS) => ask(AtFlags::empty()),
            asked => asked,
        }
        .map_err(Errno::raw_os_error)
    }

    /// Lists the directory from its beginning to its end.
    pub(crate) fn list(&self) -> Result<(), ErrorNumber> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = retry_on_intr(|| rustix::fs::open(self.0.as_c_str(), flags, Mode::empty()));
        opened.and_then(list_to_end).map_err(Errno::raw_os_error)
    }

    /// Cuts the file off at this size, or lets it grow to it.
    pub(crate) fn set_size(&self, size_bytes: u64) -> Result<(), ErrorNumber> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = retry_on_intr(|| rustix::fs::open(self.0.as_c_str(), flags, Mode::empty()));
        set_size(opened.map_err(Errno::raw_os_error)?, size_bytes)
    }

    /// Gives it another name. What has that name is replaced.
    pub(crate) fn rename(&self, new: &FileName) -> Result<(), ErrorNumber> {
        let rename = || rustix::fs::rename(self.0.as_c_str(), new.0.as_c_str());
        retry_on_intr(rename).map_err(Errno::raw_os_error)
    }

    /// Makes a directory of this name.
    pub(crate) fn make_dir(&self) -> Result<(), ErrorNumber> {
        retry_on_intr(|| rustix::fs::mkdir(self.0.as_c_str(), NEW_DIRECTORY)).map_err(Errno::raw_os_error)
    }

    /// Removes the directory, which must be empty.
    pub(crate) fn remove_dir(&self) -> Result<(), ErrorNumber> {
        retry_on_intr(|| rustix::fs::rmdir(self.0.as_c_str())).map_err(Errno::raw_os_error)
    }

    /// Sets its times to now.
    pub(crate) fn touch(&self) -> Result<(), ErrorNumber> {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let now = Timestamps { last_access: now, last_modification: now };
        let set = || rustix::fs::utimensat(CWD, self.0.as_c_str(), &now, AtFlags::SYMLINK_NOFOLLOW);
        retry_on_intr(set).map_err(Errno::raw_os_error)
    }
}

/// A question as the system takes it.
fn access_of(asked: AccessBits) -> Access {
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

/// Cuts an open file off at this size, or lets it grow to it.
pub(crate) fn set_size(file: impl AsFd, size_bytes: u64) -> Result<(), ErrorNumber> {
    retry_on_intr(|| rustix::fs::ftruncate(&file, size_bytes)).map_err(Errno::raw_os_error)
}

/// Reads all names, as the C library does: 32 KiB at a time.
#[cfg(target_os = "linux")]
fn list_to_end(directory: OwnedFd) -> rustix::io::Result<()> {
    let mut names = [std::mem::MaybeUninit::uninit(); 32 * 1024];
    let mut listing = rustix::fs::RawDir::new(directory, &mut names);
    while let Some(entry) = listing.next() {
        entry?;
    }
    Ok(())
}

/// Reads all names.
#[cfg(not(target_os = "linux"))]
fn list_to_end(directory: OwnedFd) -> rustix::io::Result<()> {
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

/// What a new file allows: its owner everything, others to read it, less what the process's mask
/// takes away.
pub(crate) const NEW_FILE: Mode = Mode::from_raw_mode(0o644);

/// The same for a directory.
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o755);

/// The flags of `open` for making, or emptying, a file in this mode.
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

/// A file that is open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    fd: OwnedFd,
    /// Whether writes go to its end.
    appends: bool,
}

impl OpenFile {
    pub(crate) fn open(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
        OpenFile::with_flags(name, mode, open_flags(mode))
    }

    /// Makes the file, or opens the one that is there as the mode says: refused, kept or emptied.
    pub(crate) fn create(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
        OpenFile::with_flags(name, mode, create_flags(mode))
    }

    fn with_flags(name: &FileName, mode: OpenMode, flags: OFlags) -> Result<OpenFile, ErrorNumber> {
        let fd = retry_on_intr(|| rustix::fs::open(name.0.as_c_str(), flags, NEW_FILE))
            .map_err(Errno::raw_os_error)?;
        #[cfg(target_os = "macos")]
        if mode.direct {
            rustix::fs::fcntl_nocache(&fd, true).map_err(Errno::raw_os_error)?;
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
        retry_on_intr(|| rustix::fs::fcntl_fullfsync(&self.fd)).map_err(Errno::raw_os_error)
    }

    /// Cuts it off at this size, or lets it grow to it.
    pub(crate) fn set_size(&self, size_bytes: u64) -> Result<(), ErrorNumber> {
        set_size(&self.fd, size_bytes)
    }

    /// Reserves room for a part of it, and lets it grow if the part reaches beyond its end.
    #[cfg(target_os = "linux")]
    pub(crate) fn allocate(&self, offset: u64, len: u32) -> Result<(), ErrorNumber> {
        let mode = rustix::fs::FallocateFlags::empty();
        let allocate = || rustix::fs::fallocate(&self.fd, mode, offset, u64::from(len));
        retry_on_intr(allocate).map_err(Errno::raw_os_error)
    }

    /// Not possible here: see the head of [`super`].
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn allocate(&self, _offset: u64, _len: u32) -> Result<(), ErrorNumber> {
        Err(Errno::NOTSUP.raw_os_error())
    }

    /// Closes it and says what the system said: on network file systems this is where late write
    /// errors appear. Not repeated after a signal, because the descriptor is gone either way.
    pub(crate) fn close(self) -> Result<(), ErrorNumber> {
        // SAFETY: the descriptor was owned by `self`, which gives it up here; nobody else has it.
        unsafe { rustix::io::try_close(self.fd.into_raw_fd()) }.map_err(Errno::raw_os_error)
    }
}
