//! Files on Windows. The table of [`super`] lists the differences.

use std::fs::{self, File, FileTimes, OpenOptions, TryLockError};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use reelgauge_machine::mount::Mount;
use reelgauge_record::AccessBits;
use reelgauge_workload::script::{Op, OpenMode};
use windows_sys::Win32::Foundation::{ERROR_CANT_ACCESS_FILE, ERROR_LOCK_VIOLATION, ERROR_NOT_SUPPORTED};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_FLAG_WRITE_THROUGH, FILE_READ_ATTRIBUTES, FILE_STORAGE_INFO,
    FILE_WRITE_ATTRIBUTES, FileStorageInfo, GetDiskFreeSpaceW, GetFileInformationByHandleEx,
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

use super::{ErrorNumber, IMPOSSIBLE};
use crate::area::AreaDir;
use crate::sectors::{OddSectors, Sectors};

/// The position of a write that appends: `FILE_WRITE_TO_END_OF_FILE` of Windows.
const TO_THE_END: u64 = u64::MAX;

/// The names of the files of a load point, by index.
#[derive(Debug)]
pub(crate) struct Names(Vec<FileName>);

/// The sectors of the volume that contains this directory.
pub(crate) fn sectors(dir: &Path) -> Result<Sectors, OddSectors> {
    Sectors::new([reported_by_handle(dir), reported_by_volume(dir)])
}

/// The size of a sector as the storage driver reports it. Network file systems do not answer.
fn reported_by_handle(dir: &Path) -> Option<u32> {
    let mut options = OpenOptions::new();
    // Windows opens a directory only with "backup semantics".
    let dir = options.access_mode(FILE_READ_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(dir);
    let dir = dir.ok()?;
    let mut info = FILE_STORAGE_INFO::default();
    let size = size_of::<FILE_STORAGE_INFO>() as u32;
    // SAFETY: the handle is open during the call, and `info` is writable for the size that is passed.
    let done = unsafe {
        GetFileInformationByHandleEx(dir.as_raw_handle(), FileStorageInfo, (&raw mut info).cast(), size)
    };
    (done != 0).then_some(info.LogicalBytesPerSector)
}

/// The size of a sector as the file system reports it. Windows also answers for shares.
fn reported_by_volume(dir: &Path) -> Option<u32> {
    let mount = Mount::at(dir).ok()?;
    // The name of a share must end with a backslash.
    let root = reelgauge_machine::mount::wide(&mount.mount_point.join(""));
    let (mut bytes, mut others) = (0, [0; 3]);
    let [per_cluster, free, total] = &mut others;
    // SAFETY: `root` ends with a zero, and every out pointer is a writable integer.
    let done = unsafe { GetDiskFreeSpaceW(root.as_ptr(), per_cluster, &raw mut bytes, free, total) };
    (done != 0).then_some(bytes)
}

/// One of the names.
pub(crate) type Name<'a> = &'a FileName;

impl Names {
    /// For these paths, in the area or outside: see [`crate::area_path`].
    pub(crate) fn new<'a>(area: Option<&AreaDir>, paths: impl Iterator<Item = &'a Path>) -> Names {
        let mut paths = paths.peekable();
        // All files of a load point are on the target's volume. Sectors that make unbuffered I/O impossible
        // were refused when it was tried.
        let dir = area.map(AreaDir::path).or_else(|| paths.peek().and_then(|path| path.parent()));
        let sectors = dir.and_then(|dir| sectors(dir).ok()).unwrap_or(Sectors::LARGEST);
        Names(paths.map(|path| FileName::new(path, sectors)).collect())
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
pub(crate) struct FileName {
    path: PathBuf,
    sectors: Sectors,
}

impl FileName {
    /// For this path, without trailing slashes.
    fn new(path: &Path, sectors: Sectors) -> FileName {
        FileName { path: path.components().collect(), sectors }
    }

    /// Removes the file. A directory is refused.
    pub(crate) fn unlink(&self) -> Result<(), ErrorNumber> {
        fs::remove_file(&self.path).map_err(number)
    }

    /// Queries size and times.
    pub(crate) fn stat(&self) -> Result<(), ErrorNumber> {
        fs::symlink_metadata(&self.path).map(drop).map_err(number)
    }

    /// Checks whether it may be read: see the module head.
    pub(crate) fn access(&self, _asked: AccessBits) -> Result<(), ErrorNumber> {
        self.stat()
    }

    /// Lists the whole directory.
    pub(crate) fn list(&self) -> Result<(), ErrorNumber> {
        self.refuse_link()?;
        for entry in fs::read_dir(&self.path).map_err(number)? {
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
        fs::rename(&self.path, &new.path).map_err(number)
    }

    /// Would exchange the entries of two names.
    pub(crate) fn exchange(&self, _new: &FileName) -> Result<(), ErrorNumber> {
        Err(ERROR_NOT_SUPPORTED as i32)
    }

    /// Gives it an additional name.
    pub(crate) fn link(&self, new: &FileName) -> Result<(), ErrorNumber> {
        self.refuse_link()?;
        fs::hard_link(&self.path, &new.path).map_err(number)
    }

    /// Would create a symbolic link, which requires a privilege that few users have.
    pub(crate) fn lead_to(&self, _target: &FileName) -> Result<(), ErrorNumber> {
        Err(ERROR_NOT_SUPPORTED as i32)
    }

    /// Reads the target of the link.
    pub(crate) fn read_link(&self) -> Result<(), ErrorNumber> {
        fs::read_link(&self.path).map(drop).map_err(number)
    }

    /// Creates a directory with this name.
    pub(crate) fn make_dir(&self) -> Result<(), ErrorNumber> {
        fs::create_dir(&self.path).map_err(number)
    }

    /// Removes the directory, which must be empty.
    pub(crate) fn remove_dir(&self) -> Result<(), ErrorNumber> {
        self.refuse_link()?;
        fs::remove_dir(&self.path).map_err(number)
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
        options.open(&self.path).and_then(|file| file.set_times(now)).map_err(number)
    }

    /// Returns an error if it is a link.
    fn refuse_link(&self) -> Result<(), ErrorNumber> {
        match fs::symlink_metadata(&self.path).map_err(number)?.is_symlink() {
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
    /// The sectors whose multiples it transfers, with direct I/O.
    sectors: Option<Sectors>,
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
        let file = options.custom_flags(flags).open(&name.path).map_err(number)?;
        let attributes = file.metadata().map_err(number)?.file_attributes();
        if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
            return Err(ERROR_CANT_ACCESS_FILE as ErrorNumber);
        }
        Ok(OpenFile { file, appends: mode.append, sectors: mode.direct.then_some(name.sectors) })
    }

    pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<usize, ErrorNumber> {
        self.check_alignment(into, Some(offset))?;
        self.file.seek_read(into, offset).map_err(number)
    }

    /// Returns the error that Windows documents for a direct transfer that is not a multiple of a sector.
    #[inline]
    fn check_alignment(&self, memory: &[u8], position: Option<u64>) -> Result<(), ErrorNumber> {
        match self.sectors {
            Some(sectors) if !sectors.fit(memory, position) => Err(IMPOSSIBLE),
            _ => Ok(()),
        }
    }

    /// Whether the system refuses a direct read that is not a multiple of a sector. File systems that use a
    /// cache have no reason to refuse it.
    pub(crate) fn refuses_unaligned(&self) -> bool {
        self.file.seek_read(&mut [0], 1).is_err_and(|error| number(error) == IMPOSSIBLE)
    }

    pub(crate) fn write_at(&self, from: &[u8], offset: u64) -> Result<usize, ErrorNumber> {
        // A handle opened only for appending cannot empty the file. So it is opened for all access, and
        // each write passes the append offset.
        self.check_alignment(from, (!self.appends).then_some(offset))?;
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

/// Locks a file by one byte far behind its text. Windows refuses every read and write of a locked range,
/// even through another handle of the same process, so a lock of the whole file would hide the text. A
/// lock of the whole file, as Linux takes it on a share, includes this byte.
pub(crate) struct TailLock;

impl TailLock {
    /// The high half of the byte's position: 1 TiB.
    const OFFSET_HIGH: u32 = 1 << 8;

    /// Takes an exclusive lock.
    pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
        TailLock::lock(file, LOCKFILE_EXCLUSIVE_LOCK)
    }

    /// Takes a shared lock.
    pub(crate) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
        TailLock::lock(file, 0)
    }

    fn lock(file: &File, flags: u32) -> Result<(), TryLockError> {
        let (mut at, flags) = (TailLock::position(), flags | LOCKFILE_FAIL_IMMEDIATELY);
        // SAFETY: the handle is open during the call and not overlapped, so the call does not keep `at`.
        match unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut at) } {
            0 => Err(match io::Error::last_os_error() {
                held if held.raw_os_error() == Some(ERROR_LOCK_VIOLATION as i32) => TryLockError::WouldBlock,
                error => TryLockError::Error(error),
            }),
            _ => Ok(()),
        }
    }

    /// Releases the lock.
    pub(crate) fn unlock(file: &File) -> io::Result<()> {
        let mut at = TailLock::position();
        // SAFETY: as for locking.
        match unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut at) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    fn position() -> OVERLAPPED {
        let mut at = OVERLAPPED::default();
        at.Anonymous.Anonymous.OffsetHigh = TailLock::OFFSET_HIGH;
        at
    }
}
