//! Open files and open directories.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fuser::FileType;
use rustix::fs::{AtFlags, Dir, fdatasync, fsync, statat};
use rustix::io::{Errno, Result, pread, pwrite};

use crate::attributes::file_type;
use crate::journal::ServiceTime;
use crate::mutex::lock;

/// The memory alignment that direct I/O requires.
const ALIGNMENT: usize = 4096;

thread_local! {
    /// This thread's data buffer. It grows to the longest request and is then reused.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A file that the application has open.
#[derive(Debug)]
pub(crate) struct HeldFile {
    pub(crate) file: File,
    pub(crate) node: u64,
    /// The trace's number of the name under which it was opened.
    pub(crate) number: Option<u32>,
    /// Its transfer number in the trace.
    pub(crate) transfer: u32,
    /// Opened for direct I/O, so memory must be aligned.
    pub(crate) is_direct: bool,
    /// The thread that opened it.
    pub(crate) opener: u32,
    is_used_since_flush: AtomicBool,
    last_flush: Mutex<Option<(u32, ServiceTime)>>,
}

impl HeldFile {
    pub(crate) fn new(file: File, number: Option<u32>, transfer: u32) -> HeldFile {
        HeldFile {
            file,
            node: 0,
            number,
            transfer,
            is_direct: false,
            opener: 0,
            is_used_since_flush: AtomicBool::new(false),
            last_flush: Mutex::default(),
        }
    }

    /// Records a use other than a close.
    pub(crate) fn is_used(&self) {
        self.is_used_since_flush.store(true, Ordering::Relaxed);
    }

    /// Records that this thread closed one of its descriptors. It may be the last one: the kernel
    /// releases a file later and does not report for which thread.
    pub(crate) fn flushed(&self, stream: u32, span: ServiceTime) {
        *lock(&self.last_flush) = Some((stream, span));
        self.is_used_since_flush.store(false, Ordering::Relaxed);
    }

    /// The thread and the time of the last close, if no other use followed.
    pub(crate) fn closed(&self) -> Option<(u32, ServiceTime)> {
        let was_last = !self.is_used_since_flush.load(Ordering::Relaxed);
        lock(&self.last_flush).filter(|_| was_last)
    }

    /// Reads into a buffer. `whole`: continues until the end of the file, because the page cache treats
    /// missing bytes as zeros.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64, whole: bool) -> Result<usize> {
        let mut done = pread(&self.file, &mut *buffer, offset)?;
        while whole && done > 0 && done < buffer.len() {
            match pread(&self.file, &mut buffer[done..], offset + done as u64)? {
                0 => break,
                more => done += more,
            }
        }
        Ok(done)
    }

    pub(crate) fn write(&self, data: &[u8], offset: u64) -> Result<usize> {
        if !self.is_direct {
            return pwrite(&self.file, data, offset);
        }
        with_aligned(data.len(), |buffer| {
            buffer.copy_from_slice(data);
            pwrite(&self.file, buffer, offset)
        })
    }

    /// The storage's result when a descriptor is closed: network file systems report lost writes there.
    pub(crate) fn flush(&self) -> Result<()> {
        let copy =
            self.file.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        nix::unistd::close(copy).map_err(|errno| Errno::from_raw_os_error(errno as i32))
    }
}

/// Provides this thread's buffer, aligned for direct I/O.
pub(crate) fn with_aligned<T>(size: usize, act: impl FnOnce(&mut [u8]) -> T) -> T {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < size + ALIGNMENT {
            buffer.resize(size + ALIGNMENT, 0);
        }
        let start = buffer.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        act(&mut buffer[start..start + size])
    })
}

/// An entry of a directory.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) inode: u64,
    pub(crate) kind: FileType,
    pub(crate) name: OsString,
}

/// A directory that the application has open.
#[derive(Debug)]
pub(crate) struct OpenDir {
    dir: OwnedFd,
    pub(crate) number: Option<u32>,
    listing: Mutex<Listing>,
}

/// The progress of a listing.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    /// From the first request to the last answer, and the requesting thread; `None` if no listing is in
    /// progress.
    pub(crate) asked: Option<(u32, ServiceTime)>,
}

impl OpenDir {
    pub(crate) fn new(dir: OwnedFd, number: Option<u32>) -> OpenDir {
        OpenDir { dir, number, listing: Mutex::default() }
    }

    /// Makes changes in it durable.
    pub(crate) fn sync(&self, data_only: bool) -> Result<()> {
        if data_only { fdatasync(&self.dir) } else { fsync(&self.dir) }
    }

    pub(crate) fn listing(&self) -> std::sync::MutexGuard<'_, Listing> {
        lock(&self.listing)
    }

    /// All its current entries.
    pub(crate) fn read(&self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.dir)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            let kind = match entry.file_type() {
                rustix::fs::FileType::Unknown => {
                    let stat = statat(&self.dir, &name, AtFlags::SYMLINK_NOFOLLOW);
                    stat.map_or(FileType::RegularFile, |stat| file_type(stat.st_mode))
                }
                known => file_type(known.as_raw_mode()),
            };
            entries.push(Entry { inode: entry.ino(), kind, name });
        }
        Ok(entries)
    }
}
