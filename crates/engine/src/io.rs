//! What the `threads` driver asks of the operating system: open, create, positional read and write, sync,
//! close, and what goes by path.
//!
//! Each call is one system call (plus retries after a signal; listing takes as many as the directory is
//! long) and hands back the system's own error number. No file is made unless that is what was asked for,
//! and a link in the last component is never followed: the area holds only files that the tool made.
//!
//! | asked for | Linux | macOS | Windows |
//! |---|---|---|---|
//! | `direct` | `O_DIRECT` | `F_NOCACHE` | `FILE_FLAG_NO_BUFFERING` |
//! | `dsync` | `O_DSYNC` | `O_DSYNC` | `FILE_FLAG_WRITE_THROUGH` |
//! | no links | `O_NOFOLLOW` | `O_NOFOLLOW` | opened as itself, then refused |
//! | sync | `fdatasync` | `F_FULLFSYNC` | `FlushFileBuffers` |
//! | close | result known | result known | result not known (always 0) |
//! | create | `O_CREAT`, `O_TRUNC` | the same | opened or made, then emptied |
//! | stat | `lstat` | `lstat` | attributes of the file itself |
//! | access | `faccessat2`, for reading | `faccessat`, for reading | as stat: there is nothing nearer |
//! | readdir | `getdents`, 32 KiB at a time | `readdir` | `FindNextFile` |
//!
//! Linux before 5.8 can't ask for access without following a link, so there it is followed.

use reelgauge_record::OpKind;

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

/// Carries out an operation that needs no handle: see [`OpKind::goes_by_path`].
pub(crate) fn by_path(kind: OpKind, name: &FileName) -> Result<(), ErrorNumber> {
    match kind {
        OpKind::Unlink => name.unlink(),
        OpKind::Stat => name.stat(),
        OpKind::Access => name.access(),
        OpKind::ReadDir => name.list(),
        OpKind::Open | OpKind::Create | OpKind::Read | OpKind::Write | OpKind::Sync | OpKind::Close => {
            Err(IMPOSSIBLE)
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::CString;
    use std::os::fd::{IntoRawFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use reelgauge_workload::script::OpenMode;
    use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
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

        /// Removes the file. A directory is refused.
        pub(crate) fn unlink(&self) -> Result<(), ErrorNumber> {
            retry_on_intr(|| rustix::fs::unlink(self.0.as_c_str())).map_err(Errno::raw_os_error)
        }

        /// Asks for its size and times.
        pub(crate) fn stat(&self) -> Result<(), ErrorNumber> {
            let stat = retry_on_intr(|| rustix::fs::lstat(self.0.as_c_str()));
            stat.map(drop).map_err(Errno::raw_os_error)
        }

        /// Asks whether it may be read.
        pub(crate) fn access(&self) -> Result<(), ErrorNumber> {
            let ask = |flags| retry_on_intr(|| rustix::fs::accessat(CWD, &*self.0, Access::READ_OK, flags));
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

    /// What a new file allows: its owner everything, others to read it, less what the process's mask
    /// takes away.
    pub(crate) const NEW_FILE: Mode = Mode::from_raw_mode(0o644);

    /// The flags of `open` for making a file, or emptying the one that is there, in this mode.
    pub(crate) fn create_flags(mode: OpenMode) -> OFlags {
        open_flags(OpenMode { write: true, ..mode }) | OFlags::CREATE | OFlags::TRUNC
    }

    /// A file that is open.
    #[derive(Debug)]
    pub(crate) struct OpenFile(OwnedFd);

    impl OpenFile {
        pub(crate) fn open(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
            OpenFile::with_flags(name, mode, open_flags(mode))
        }

        /// Makes the file, or empties the one that is there, and opens it for reading and writing.
        pub(crate) fn create(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
            OpenFile::with_flags(name, mode, create_flags(mode))
        }

        #[cfg_attr(not(target_os = "macos"), expect(unused_variables, reason = "direct is a flag here"))]
        fn with_flags(name: &FileName, mode: OpenMode, flags: OFlags) -> Result<OpenFile, ErrorNumber> {
            let fd = retry_on_intr(|| rustix::fs::open(name.0.as_c_str(), flags, NEW_FILE))
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
pub(crate) use self::unix::{NEW_FILE, create_flags, open_flags};

#[cfg(windows)]
mod windows {
    use std::fs::{self, File, OpenOptions};
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

        /// Removes the file. A directory is refused.
        pub(crate) fn unlink(&self) -> Result<(), ErrorNumber> {
            fs::remove_file(&self.0).map_err(number)
        }

        /// Asks for its size and times.
        pub(crate) fn stat(&self) -> Result<(), ErrorNumber> {
            fs::symlink_metadata(&self.0).map(drop).map_err(number)
        }

        /// Asks whether it may be read: see the module head.
        pub(crate) fn access(&self) -> Result<(), ErrorNumber> {
            self.stat()
        }

        /// Lists the directory from its beginning to its end.
        pub(crate) fn list(&self) -> Result<(), ErrorNumber> {
            if fs::symlink_metadata(&self.0).map_err(number)?.is_symlink() {
                return Err(ERROR_CANT_ACCESS_FILE as ErrorNumber);
            }
            for entry in fs::read_dir(&self.0).map_err(number)? {
                entry.map_err(number)?;
            }
            Ok(())
        }
    }

    /// A file that is open.
    #[derive(Debug)]
    pub(crate) struct OpenFile(File);

    impl OpenFile {
        pub(crate) fn open(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
            OpenFile::with_options(name, mode, OpenOptions::new().read(true).write(mode.write))
        }

        /// Makes the file, or empties the one that is there, and opens it for reading and writing. Emptied
        /// when it is open and known to be no link: Windows can't open a link as itself and empty it at once.
        pub(crate) fn create(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = OpenFile::with_options(name, mode, &mut options)?;
            file.0.set_len(0).map_err(number)?;
            Ok(file)
        }

        fn with_options(
            name: &FileName,
            mode: OpenMode,
            options: &mut OpenOptions,
        ) -> Result<OpenFile, ErrorNumber> {
            let mut flags = FILE_FLAG_OPEN_REPARSE_POINT;
            if mode.direct {
                flags |= FILE_FLAG_NO_BUFFERING;
            }
            if mode.dsync {
                flags |= FILE_FLAG_WRITE_THROUGH;
            }
            let file = options.custom_flags(flags).open(&name.0).map_err(number)?;
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

    #[test]
    fn creating_makes_a_file_or_empties_the_one_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for content in ["hello", "you"] {
            // Creating is for writing, whatever the mode says.
            let file = OpenFile::create(&FileName::new(&path), OpenMode::default()).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), 0);
            assert_eq!(file.write_at(content.as_bytes(), 0), Ok(content.len()));
            let mut back = [0; 8];
            assert_eq!(file.read_at(&mut back, 0), Ok(content.len()));
            assert_eq!(file.close(), Ok(()));
            assert_eq!(fs::read(&path).unwrap(), content.as_bytes());
        }
    }

    #[cfg(unix)]
    #[test]
    fn creating_follows_no_link_and_touches_no_directory() {
        use rustix::io::Errno;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let create = |path| OpenFile::create(&FileName::new(path), WRITE).unwrap_err();
        assert_eq!(create(&link), Errno::LOOP.raw_os_error());
        assert_eq!(fs::read(&path).unwrap(), b"abc");
        assert_eq!(create(folder.path()), Errno::ISDIR.raw_os_error());
        assert_eq!(create(&path.join("below")), Errno::NOTDIR.raw_os_error());
    }

    #[test]
    fn what_goes_by_path_tells_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        let (file, directory) = (FileName::new(&path), FileName::new(folder.path()));
        for kind in [OpKind::Stat, OpKind::Access] {
            assert_eq!(by_path(kind, &file), Ok(()));
            assert_eq!(by_path(kind, &directory), Ok(()));
        }
        assert_eq!(by_path(OpKind::ReadDir, &directory), Ok(()));
        assert!(by_path(OpKind::ReadDir, &file).is_err());
        assert!(by_path(OpKind::Unlink, &directory).is_err());
        assert_eq!(by_path(OpKind::Unlink, &file), Ok(()));
        assert!(!path.exists());
        for kind in OpKind::ALL {
            assert!(by_path(kind, &file).is_err(), "{kind:?} of a file that is gone");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_goes_by_path_follows_no_link() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = folder.path().join("link");
        // The link is there, what it leads to isn't.
        std::os::unix::fs::symlink(other.path().join("missing"), &link).unwrap();
        assert_eq!(by_path(OpKind::Stat, &FileName::new(&link)), Ok(()));
        assert_eq!(by_path(OpKind::Access, &FileName::new(&link)), Ok(()));
        assert_eq!(by_path(OpKind::Unlink, &FileName::new(&link)), Ok(()));

        std::os::unix::fs::symlink(other.path(), &link).unwrap();
        assert!(by_path(OpKind::ReadDir, &FileName::new(&link)).is_err());
        assert_eq!(by_path(OpKind::Unlink, &FileName::new(&link)), Ok(()));
        assert!(other.path().exists() && !link.exists());
    }
}
