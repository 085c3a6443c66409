//! Writes a data set, on the working thread.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::error::named;
use super::manifest::{Manifest, fresh_file};
use super::{DataSet, DataSetError, DataSetSpec, Shared, earlier_sets, survey};
use crate::area::{Area, AreaDir};
use crate::area_path::EntryKind;
use crate::pattern::{FILL_WRITER, PatternSpec, WriteData};
use crate::set_names::{file_name, part_of};
use crate::space::Space;
use crate::target_file::TargetFile;

/// Bytes of one write.
pub(super) const WRITE_BYTES: usize = 1 << 20;

/// Prepares the whole set. The caller sets `seconds`.
pub(super) fn prepare(area: &Area, spec: &DataSetSpec, shared: &Shared) -> Result<DataSet, DataSetError> {
    let at = area.dir();
    let directory = area.data_dir().join(spec.name());
    let (known, found) = survey::look(area, &directory, spec)?;
    let missing_files = found.missing.len() as u64;
    let missing_bytes = missing_files * spec.file_bytes;
    let reused_bytes = (u64::from(spec.files) - missing_files) * spec.file_bytes;
    shared.reused_bytes.store(reused_bytes, Ordering::Relaxed);
    refuse_without_room(area, &directory, spec, missing_bytes)?;
    own_dir(at, &area.data_dir(), spec)?;
    own_dir(at, &directory, spec)?;

    let seed = known.as_ref().map_or(spec.seed, |(_, seed)| *seed);
    let pattern = PatternSpec { seed, unit_bytes: spec.unit_bytes };
    let incomplete = known.as_ref().is_none_or(|(manifest, _)| !manifest.complete);
    // A larger complete set stays complete when some of its files are repaired.
    let complete_files =
        known.filter(|(manifest, _)| manifest.complete).map_or(0, |(manifest, _)| manifest.files);
    let files_there = complete_files.max(spec.files);
    if !found.missing.is_empty() || incomplete {
        remove_useless(at, &directory, spec, &found)?;
        let files = files_there;
        Manifest::new(spec, files, seed, false).write(at, &directory)?;
        fill_all((at, &directory), spec, &found.missing, pattern, shared)?;
        at.sync_dir(&directory);
        Manifest::new(spec, files, seed, true).write(at, &directory)?;
        at.sync_dir(&directory);
    } else {
        earlier_sets::used_now(at, &directory);
    }
    let files = (0..spec.files)
        .map(|number| TargetFile { path: directory.join(file_name(number)), size_bytes: spec.file_bytes });
    Ok(DataSet {
        files: files.collect(),
        directory,
        pattern,
        files_there,
        reused_bytes,
        written_bytes: missing_bytes,
        seconds: 0.0,
    })
}

/// Creates a directory if it is missing, and checks that it is a real one.
fn own_dir(area: &AreaDir, path: &Path, spec: &DataSetSpec) -> Result<(), DataSetError> {
    match area.create_dir(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(named("create the directory", path, spec.file_bytes, error)),
    }
    let facts = area.facts(path).map_err(|error| named("access", path, spec.file_bytes, error))?;
    let what = match facts.what {
        EntryKind::Directory => return Ok(()),
        EntryKind::Link => "a symbolic link",
        EntryKind::File | EntryKind::Other => "not a directory",
    };
    Err(DataSetError::NotOurs { path: path.to_owned(), what })
}

/// Checks for enough free space before anything is created or removed. Useless files count as free
/// space.
fn refuse_without_room(
    area: &Area,
    directory: &Path,
    spec: &DataSetSpec,
    missing_bytes: u64,
) -> Result<(), DataSetError> {
    let root = area.root();
    let space = crate::space::space(root)
        .map_err(|error| named("query the free space of", root, spec.file_bytes, error))?;
    let check = |space| survey::check_room(root, missing_bytes, space, area.keep_free());
    check(space).or_else(|_| {
        let useless_bytes = survey::useless_bytes(area.dir(), directory, spec);
        check(space.map(|space| Space {
            // Values reported by a file system are untrusted: the sum must not overflow.
            available_bytes: space.available_bytes.saturating_add(useless_bytes),
            ..space
        }))
    })
}

/// Removes unusable files of earlier preparations.
fn remove_useless(
    area: &AreaDir,
    directory: &Path,
    spec: &DataSetSpec,
    found: &survey::Survey,
) -> Result<(), DataSetError> {
    survey::remove_parts(area, directory, spec)?;
    for path in &found.unfit {
        area.remove_file(path).map_err(|error| named("remove", path, spec.file_bytes, error))?;
    }
    Ok(())
}

fn fill_all(
    (area, directory): (&AreaDir, &Path),
    spec: &DataSetSpec,
    missing: &[u32],
    pattern: PatternSpec,
    shared: &Shared,
) -> Result<(), DataSetError> {
    let mut data = WriteData::new(pattern, FILL_WRITER, WRITE_BYTES)?;
    for &number in missing {
        let path = directory.join(file_name(number));
        let part = Part::create(area, &path, spec.file_bytes)?;
        part.fill(number, spec.file_bytes, &mut data, shared)?;
        part.complete(&path, spec.file_bytes)?;
    }
    Ok(())
}

/// A file that is being written. It is removed if it is dropped before it is complete.
struct Part<'a> {
    area: &'a AreaDir,
    path: PathBuf,
    /// `None` when it is complete.
    file: Option<File>,
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // If this fails, the next preparation removes the file.
            let _ = self.area.remove_file(&self.path);
        }
    }
}

impl<'a> Part<'a> {
    fn create(area: &'a AreaDir, path: &Path, file_bytes: u64) -> Result<Part<'a>, DataSetError> {
        let path = part_of(path);
        let file = fresh_file(area, &path).map_err(|error| named("create", &path, file_bytes, error))?;
        Ok(Part { area, path, file: Some(file) })
    }

    fn fill(
        &self,
        number: u32,
        file_bytes: u64,
        data: &mut WriteData,
        shared: &Shared,
    ) -> Result<(), DataSetError> {
        let Some(file) = self.file.as_ref() else {
            return Ok(());
        };
        let place = FillTarget { file, path: &self.path, number, bytes: file_bytes };
        write_data(place, WRITE_BYTES, data, shared)
    }

    /// Gives the file its name.
    fn complete(mut self, path: &Path, file_bytes: u64) -> Result<(), DataSetError> {
        // Closed first: some versions of Windows cannot rename open files.
        drop(self.file.take());
        self.area.rename(&self.path, path).map_err(|error| {
            // If this fails, the next preparation removes the file.
            let _ = self.area.remove_file(&self.path);
            named("rename", &self.path, file_bytes, error)
        })
    }
}

/// A file to be filled.
pub(super) struct FillTarget<'a> {
    pub file: &'a File,
    pub path: &'a Path,
    /// The file number in the stamps of its data.
    pub number: u32,
    pub bytes: u64,
}

/// Fills a file from its beginning with unique data, and makes it durable.
pub(super) fn write_data(
    place: FillTarget<'_>,
    write_bytes: usize,
    data: &mut WriteData,
    shared: &Shared,
) -> Result<(), DataSetError> {
    let FillTarget { mut file, path, number, bytes } = place;
    let failed = |error| named("write", path, bytes, error);
    let mut behind = WriteBack::new(file);
    let mut offset = 0;
    while offset < bytes {
        if shared.stopped() {
            let written_bytes = shared.written_bytes.load(Ordering::Relaxed);
            return Err(DataSetError::Interrupted { written_bytes });
        }
        let len = (bytes - offset).min(write_bytes as u64) as usize;
        shared.wait_turn(len as u64);
        let stamped = data.stamp(number, offset, len);
        file.write_all(data.slice(&stamped, len)).map_err(failed)?;
        offset += len as u64;
        shared.written_bytes.fetch_add(len as u64, Ordering::Relaxed);
        behind.written_to(offset).map_err(failed)?;
    }
    file.sync_all().map_err(failed)?;
    behind.finish();
    Ok(())
}

/// Starts write-back shortly after the writes, so that preparing never holds more than two windows of
/// dirty memory and leaves nothing of the file in the cache.
#[cfg(target_os = "linux")]
struct WriteBack<'a> {
    file: &'a File,
    /// The beginning of the window that is being filled.
    window_start: u64,
    /// Whether the file system supports the calls.
    works: bool,
}

#[cfg(target_os = "linux")]
impl<'a> WriteBack<'a> {
    /// Small enough that a stop request takes effect soon even on slow storage; large enough for full
    /// stripes and full network requests.
    const WINDOW_BYTES: u64 = 8 << 20;

    fn new(file: &'a File) -> WriteBack<'a> {
        WriteBack { file, window_start: 0, works: true }
    }

    /// Everything before `offset` has been written: starts the window's write-back, and waits for that
    /// of the previous window.
    fn written_to(&mut self, offset: u64) -> io::Result<()> {
        let start = self.window_start;
        if !self.works || offset - start < Self::WINDOW_BYTES {
            return Ok(());
        }
        self.window_start = offset;
        self.sync(start, offset - start, libc::SYNC_FILE_RANGE_WRITE)?;
        if let Some(before) = start.checked_sub(Self::WINDOW_BYTES) {
            let wait = libc::SYNC_FILE_RANGE_WAIT_BEFORE
                | libc::SYNC_FILE_RANGE_WRITE
                | libc::SYNC_FILE_RANGE_WAIT_AFTER;
            self.sync(before, Self::WINDOW_BYTES, wait)?;
            self.drop_cached(before, Self::WINDOW_BYTES);
        }
        Ok(())
    }

    fn sync(&mut self, offset: u64, len: u64, flags: u32) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        // SAFETY: the call takes no pointers, and the descriptor is open as long as `file` is borrowed.
        let done = unsafe {
            libc::sync_file_range(self.file.as_raw_fd(), offset.cast_signed(), len.cast_signed(), flags)
        };
        if done == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            // This file system or sandbox does not support the call. Then the fsync at the end writes
            // everything back.
            Some(libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP | libc::ESPIPE | libc::EPERM) => {
                self.works = false;
                Ok(())
            }
            // An error of the write-back itself; the fsync at the end would not report it again.
            _ => Err(error),
        }
    }

    fn drop_cached(&self, offset: u64, len: u64) {
        // The call is only a hint. If data stays cached, the check before the run notices it.
        let _ = rustix::fs::fadvise(
            self.file,
            offset,
            std::num::NonZeroU64::new(len),
            rustix::fs::Advice::DontNeed,
        );
    }

    /// Drops the whole file from the cache. Called when the file is durable.
    fn finish(self) {
        self.drop_cached(0, 0);
    }
}

/// macOS has a flag that keeps the file out of its cache. Windows has no such call.
#[cfg(not(target_os = "linux"))]
struct WriteBack;

#[cfg(not(target_os = "linux"))]
impl WriteBack {
    fn new(file: &File) -> WriteBack {
        // A hint, as above. On other systems `file` is unused.
        #[cfg(target_vendor = "apple")]
        let _ = rustix::fs::fcntl_nocache(file, true);
        #[cfg(not(target_vendor = "apple"))]
        let _ = file;
        WriteBack
    }

    fn written_to(&mut self, _offset: u64) -> io::Result<()> {
        Ok(())
    }

    fn finish(self) {}
}
