//! What the `threads` driver asks of the operating system: open, positional read and write, sync, close.
//!
//! Each call is one system call (plus retries after a signal) and hands back the system's own error
//! number. A file is never created, and a link in the last component is never followed: the area holds
//! only files that the tool made.
//!
//! | asked for | Linux | macOS | Windows |
//! |---|---|---|---|
//! | `direct` | `O_DIRECT` | `F_NOCACHE` | `FILE_FLAG_NO_BUFFERING` |
//! | `dsync` | `O_DSYNC` | `O_DSYNC` | `FILE_FLAG_WRITE_THROUGH` |
//! | no links | `O_NOFOLLOW` | `O_NOFOLLOW` | opened as itself, then refused |
//! | sync | `fdatasync` | `F_FULLFSYNC` | `FlushFileBuffers` |
//! | close | result known | result known | result not known (always 0) |

#[cfg(unix)]
pub(crate) use self::unix::{FileName, OpenFile};
#[cfg(windows)]
pub(crate) use self::windows::{FileName, OpenFile};

/// A system error number, never 0.
pub(crate) type ErrorNumber = i32;

/// The error number of using a handle that is not open.
#[cfg(unix)]
pub(crate) const NOT_OPEN: ErrorNumber = rustix::io::Errno::BADF.raw_os_error();
/// The error number of an impossible request.
#[cfg(unix)]
pub(crate) const IMPOSSIBLE: ErrorNumber = rustix::io::Errno::INVAL.raw_os_error();
/// The error number of using a handle that is not open.
#[cfg(windows)]
pub(crate) const NOT_OPEN: ErrorNumber = windows_sys::Win32::Foundation::ERROR_INVALID_HANDLE as i32;
/// The error number of an impossible request.
#[cfg(windows)]
pub(crate) const IMPOSSIBLE: ErrorNumber = windows_sys::Win32::Foundation::ERROR_INVALID_PARAMETER as i32;

#[cfg(unix)]
mod unix {
    use std::ffi::CString;
    use std::os::fd::{IntoRawFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use reelgauge_workload::script::OpenMode;
    use rustix::fs::{Mode, OFlags};
    use rustix::io::{Errno, retry_on_intr};

    use super::ErrorNumber;

    /// A path in the form that the system takes, so that opening converts nothing.
    #[derive(Clone, Debug)]
    pub(crate) struct FileName(CString);

    impl FileName {
        /// Of this path. A path with a zero byte can't exist; it becomes the empty one, which doesn't either.
        pub(crate) fn new(path: &Path) -> FileName {
            FileName(CString::new(path.as_os_str().as_bytes()).unwrap_or_default())
        }

        /// As C wants it.
        #[cfg(target_os = "linux")]
        pub(crate) fn as_ptr(&self) -> *const std::ffi::c_char {
            self.0.as_ptr()
        }
    }

    /// The flags of `open` for this mode.
    pub(crate) fn open_flags(mode: OpenMode) -> OFlags {
        let mut flags = OFlags::CLOEXEC | OFlags::NOFOLLOW;
        flags |= if mode.write { OFlags::RDWR } else { OFlags::RDONLY };
        #[cfg(target_os = "linux")]
        if mode.direct {
            flags |= OFlags::DIRECT;
        }
        if mode.dsync {
            flags |= OFlags::DSYNC;
        }
        flags
    }

    /// A file that is open.
    #[derive(Debug)]
    pub(crate) struct OpenFile(OwnedFd);

    impl OpenFile {
        pub(crate) fn open(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
            let flags = open_flags(mode);
            let fd = retry_on_intr(|| rustix::fs::open(name.0.as_c_str(), flags, Mode::empty()))
                .map_err(Errno::raw_os_error)?;
            #[cfg(target_os = "macos")]
            if mode.direct {
                rustix::fs::fcntl_nocache(&fd, true).map_err(Errno::raw_os_error)?;
            }
            Ok(OpenFile(fd))
        }

        #[inline]
        pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<usize, ErrorNumber> {
            retry_on_intr(|| rustix::io::pread(&self.0, &mut *into, offset)).map_err(Errno::raw_os_error)
        }

        #[inline]
        pub(crate) fn write_at(&self, from: &[u8], offset: u64) -> Result<usize, ErrorNumber> {
            retry_on_intr(|| rustix::io::pwrite(&self.0, from, offset)).map_err(Errno::raw_os_error)
        }

        #[cfg(not(target_os = "macos"))]
        pub(crate) fn sync(&self) -> Result<(), ErrorNumber> {
            retry_on_intr(|| rustix::fs::fdatasync(&self.0)).map_err(Errno::raw_os_error)
        }

        #[cfg(target_os = "macos")]
        pub(crate) fn sync(&self) -> Result<(), ErrorNumber> {
            retry_on_intr(|| rustix::fs::fcntl_fullfsync(&self.0)).map_err(Errno::raw_os_error)
        }

        /// Closes it and says what the system said: on network file systems this is where late write
        /// errors appear. Not repeated after a signal, because the descriptor is gone either way.
        pub(crate) fn close(self) -> Result<(), ErrorNumber> {
            // SAFETY: the descriptor was owned by `self`, which gives it up here; nobody else has it.
            unsafe { rustix::io::try_close(self.0.into_raw_fd()) }.map_err(Errno::raw_os_error)
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) use self::unix::open_flags;

#[cfg(windows)]
mod windows {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
    use std::path::{Path, PathBuf};

    use reelgauge_workload::script::OpenMode;
    use windows_sys::Win32::Foundation::ERROR_CANT_ACCESS_FILE;
    use windows_sys::Win32::Storage::FileSystem::{
        FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_NO_BUFFERING, FILE_FLAG_OPEN_REPARSE_POINT,
        FILE_FLAG_WRITE_THROUGH,
    };

    use super::{ErrorNumber, IMPOSSIBLE};

    /// A path in the form that opening takes.
    #[derive(Clone, Debug)]
    pub(crate) struct FileName(PathBuf);

    impl FileName {
        pub(crate) fn new(path: &Path) -> FileName {
            FileName(path.to_owned())
        }
    }

    /// A file that is open.
    #[derive(Debug)]
    pub(crate) struct OpenFile(File);

    impl OpenFile {
        pub(crate) fn open(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
            let mut flags = FILE_FLAG_OPEN_REPARSE_POINT;
            if mode.direct {
                flags |= FILE_FLAG_NO_BUFFERING;
            }
            if mode.dsync {
                flags |= FILE_FLAG_WRITE_THROUGH;
            }
            let options = OpenOptions::new().read(true).write(mode.write).custom_flags(flags).to_owned();
            let file = options.open(&name.0).map_err(number)?;
            let attributes = file.metadata().map_err(number)?.file_attributes();
            if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
                return Err(ERROR_CANT_ACCESS_FILE as ErrorNumber);
            }
            Ok(OpenFile(file))
        }

        pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<usize, ErrorNumber> {
            self.0.seek_read(into, offset).map_err(number)
        }

        pub(crate) fn write_at(&self, from: &[u8], offset: u64) -> Result<usize, ErrorNumber> {
            self.0.seek_write(from, offset).map_err(number)
        }

        pub(crate) fn sync(&self) -> Result<(), ErrorNumber> {
            self.0.sync_data().map_err(number)
        }

        pub(crate) fn close(self) -> Result<(), ErrorNumber> {
            drop(self.0);
            Ok(())
        }
    }

    fn number(error: io::Error) -> ErrorNumber {
        error.raw_os_error().unwrap_or(IMPOSSIBLE)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use reelgauge_workload::script::OpenMode;

    use super::*;

    const WRITE: OpenMode = OpenMode { write: true, direct: false, dsync: false };

    #[test]
    fn bytes_go_where_they_are_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [0; 100]).unwrap();
        let file = OpenFile::open(&FileName::new(&path), WRITE).unwrap();
        assert_eq!(file.write_at(b"hello", 90), Ok(5));
        let mut back = [0; 20];
        assert_eq!(file.read_at(&mut back, 88), Ok(12));
        assert_eq!(&back[..12], b"\0\0hello\0\0\0\0\0");
        assert_eq!(file.sync(), Ok(()));
        assert_eq!(file.close(), Ok(()));
    }

    #[test]
    fn reading_does_not_allow_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        let file = OpenFile::open(&FileName::new(&path), OpenMode::default()).unwrap();
        assert!(file.write_at(b"x", 0).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"abc");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_created_and_no_link_is_followed() {
        use rustix::io::Errno;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let missing = OpenFile::open(&FileName::new(&path), WRITE).unwrap_err();
        assert_eq!(missing, Errno::NOENT.raw_os_error());
        assert!(!path.exists());

        fs::write(&path, "abc").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let followed = OpenFile::open(&FileName::new(&link), WRITE).unwrap_err();
        assert_eq!(followed, Errno::LOOP.raw_os_error());

        let directory = OpenFile::open(&FileName::new(folder.path()), WRITE).unwrap_err();
        assert_eq!(directory, Errno::ISDIR.raw_os_error());
    }
}
