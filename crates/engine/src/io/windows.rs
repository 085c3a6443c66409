//! Files on Windows. The table of [`super`] lists the differences.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use reelgauge_record::AccessBits;
use reelgauge_workload::script::{Op, OpenMode};
use windows_sys::Win32::Foundation::{ERROR_CANT_ACCESS_FILE, ERROR_NOT_SUPPORTED};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_FLAG_WRITE_THROUGH, FILE_WRITE_ATTRIBUTES,
};

use super::{ErrorNumber, IMPOSSIBLE};
use crate::area::AreaDir;

/// The position of a write that appends: `FILE_WRITE_TO_END_OF_FILE` of Windows.
const TO_THE_END: u64 = u64::MAX;

/// The names of the files of a load point, by index.
#[derive(Debug)]
pub(crate) struct Names(Vec<FileName>);

/// One of the names.
pub(crate) type Name<'a> = &'a FileName;

impl Names {
    /// For these paths, in the area or outside: see [`crate::area_path`].
    pub(crate) fn new<'a>(_area: Option<&AreaDir>, paths: impl Iterator<Item = &'a Path>) -> Names {
        Names(paths.map(FileName::new).collect())
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, file: u32) -> Option<Name<'_>> {
        self.0.get(file as usize)
    }

    /// Does nothing: no directory is kept open.
    pub(crate) fn foresee(&self, _op: &Op) {}
}

/// A path in the form for opening.
#[derive(Clone, Debug)]
pub(crate) struct FileName(PathBuf);

impl FileName {
    /// For this path, without trailing slashes.
    fn new(path: &Path) -> FileName {
        FileName(path.components().collect())
    }

    /// Removes the file. A directory is refused.
    pub(crate) fn unlink(&self) -> Result<(), ErrorNumber> {
        fs::remove_file(&self.0).map_err(number)
    }

    /// Queries size and times.
    pub(crate) fn stat(&self) -> Result<(), ErrorNumber> {
        fs::symlink_metadata(&self.0).map(drop).map_err(number)
    }

    /// Checks whether it may be read: see the module head.
    pub(crate) fn access(&self, _asked: AccessBits) -> Result<(), ErrorNumber> {
        self.stat()
    }

    /// Lists the whole directory.
    pub(crate) fn list(&self) -> Result<(), ErrorNumber> {
        self.refuse_link()?;
        for entry in fs::read_dir(&self.0).map_err(number)? {
            entry.map_err(number)?;
        }
        Ok(())
    }

    /// Truncates or extends the file to this size.
    pub(crate) fn set_size(&self, size_bytes: u64) -> Result<(), ErrorNumber> {
        let mode = OpenMode { write_only: true, ..OpenMode::READ };
        OpenFile::open(self, mode)?.set_size(size_bytes)
    }

    /// Renames the entry. An entry with the new name is replaced.
    pub(crate) fn rename(&self, new: &FileName) -> Result<(), ErrorNumber> {
        fs::rename(&self.0, &new.0).map_err(number)
    }

    /// Would exchange the entries of two names.
    pub(crate) fn exchange(&self, _new: &FileName) -> Result<(), ErrorNumber> {
        Err(ERROR_NOT_SUPPORTED as i32)
    }

    /// Gives it an additional name.
    pub(crate) fn link(&self, new: &FileName) -> Result<(), ErrorNumber> {
        self.refuse_link()?;
        fs::hard_link(&self.0, &new.0).map_err(number)
    }

    /// Would create a symbolic link, which requires a privilege that few users have.
    pub(crate) fn lead_to(&self, _target: &FileName) -> Result<(), ErrorNumber> {
        Err(ERROR_NOT_SUPPORTED as i32)
    }

    /// Reads the target of the link.
    pub(crate) fn read_link(&self) -> Result<(), ErrorNumber> {
        fs::read_link(&self.0).map(drop).map_err(number)
    }

    /// Creates a directory with this name.
    pub(crate) fn make_dir(&self) -> Result<(), ErrorNumber> {
        fs::create_dir(&self.0).map_err(number)
    }

    /// Removes the directory, which must be empty.
    pub(crate) fn remove_dir(&self) -> Result<(), ErrorNumber> {
        self.refuse_link()?;
        fs::remove_dir(&self.0).map_err(number)
    }

    /// Sets its times to now.
    pub(crate) fn touch(&self) -> Result<(), ErrorNumber> {
        let mut options = OpenOptions::new();
        // Windows opens a directory only with "backup semantics".
        options
            .access_mode(FILE_WRITE_ATTRIBUTES)
            .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS);
        let now = SystemTime::now();
        let now = FileTimes::new().set_accessed(now).set_modified(now);
        options.open(&self.0).and_then(|file| file.set_times(now)).map_err(number)
    }

    /// Returns an error if it is a link.
    fn refuse_link(&self) -> Result<(), ErrorNumber> {
        match fs::symlink_metadata(&self.0).map_err(number)?.is_symlink() {
            true => Err(ERROR_CANT_ACCESS_FILE as ErrorNumber),
            false => Ok(()),
        }
    }
}

#[derive(Debug)]
pub(crate) struct OpenFile {
    file: File,
    /// Whether writes append.
    appends: bool,
}

impl OpenFile {
    pub(crate) fn open(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
        let mut options = OpenOptions::new();
        options.read(!mode.write_only).write(mode.write || mode.write_only);
        OpenFile::with_options(name, mode, &mut options)
    }

    /// Creates the file. If it exists, the mode decides whether it is refused, kept or emptied. It is
    /// emptied only after it is open and known not to be a link, because Windows cannot open a link as
    /// itself and empty it in one call.
    pub(crate) fn create(name: &FileName, mode: OpenMode) -> Result<OpenFile, ErrorNumber> {
        let mut options = OpenOptions::new();
        options.read(!mode.write_only).write(true).create(!mode.existing).truncate(false);
        options.create_new(mode.exclusive && !mode.existing);
        let file = OpenFile::with_options(name, mode, &mut options)?;
        if !mode.keep {
            file.set_size(0)?;
        }
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
        Ok(OpenFile { file, appends: mode.append })
    }

    pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<usize, ErrorNumber> {
        self.file.seek_read(into, offset).map_err(number)
    }

    pub(crate) fn write_at(&self, from: &[u8], offset: u64) -> Result<usize, ErrorNumber> {
        // A handle opened only for appending cannot empty the file. So it is opened for all access, and
        // each write passes the append offset.
        let offset = if self.appends { TO_THE_END } else { offset };
        self.file.seek_write(from, offset).map_err(number)
    }

    pub(crate) fn sync(&self) -> Result<(), ErrorNumber> {
        self.file.sync_data().map_err(number)
    }

    /// Truncates or extends the file to this size.
    pub(crate) fn set_size(&self, size_bytes: u64) -> Result<(), ErrorNumber> {
        self.file.set_len(size_bytes).map_err(number)
    }

    /// Not possible on this system: see the head of [`super`].
    pub(crate) fn allocate(&self, _offset: u64, _len: u32, _keeps_size: bool) -> Result<(), ErrorNumber> {
        Err(ERROR_NOT_SUPPORTED as ErrorNumber)
    }

    pub(crate) fn close(self) -> Result<(), ErrorNumber> {
        drop(self.file);
        Ok(())
    }
}

fn number(error: io::Error) -> ErrorNumber {
    error.raw_os_error().unwrap_or(IMPOSSIBLE)
}
