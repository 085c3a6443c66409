//! The recorder: the state that requests share, and the requests by handle, which are the most frequent
//! ones.
//!
//! [`crate::passthrough`] receives the requests from the kernel and handles those by path.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use fuser::Errno as FuseErrno;
use reelgauge_record::{OpFlags, OpKind, OtherBits};
use reelgauge_trace::pieces::{PIECE_BYTES, pieces};
use rustix::fs::{FallocateFlags, OFlags, SeekFrom, copy_file_range, fallocate, fdatasync, fsync, seek};
use rustix::io::{Errno, Result};

use crate::attributes::open_bits;
use crate::handles::{HeldFile, OpenDir};
use crate::journal::{Call, Journal, ServiceTime, What};
use crate::storage::{Locator, Storage};
use crate::tree::Tree;

/// A file released this long after the close of its last descriptor was held by something else, such as
/// a map.
const LATE_RELEASE_NS: u64 = 1_000_000_000;

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) journal: Arc<Journal>,
    pub(crate) storage: Storage,
    pub(crate) tree: Tree,
    /// The paths under which the directory is known: a symbolic link may start with any of them.
    pub(crate) homes: Vec<PathBuf>,
    pub(crate) open: Arc<Handles>,
}

/// A read or write request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) kind: OpKind,
    pub(crate) offset: u64,
    pub(crate) size: usize,
    /// From the page cache, for a memory map.
    pub(crate) is_mapped: bool,
}

/// All open files and directories, by the kernel's handle.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    files: RwLock<HashMap<u64, Arc<HeldFile>>>,
    dirs: RwLock<HashMap<u64, Arc<OpenDir>>>,
    next: AtomicU64,
    transfers: AtomicU32,
}

impl Handles {
    pub(crate) fn file(&self, handle: u64) -> Result<Arc<HeldFile>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.get(&handle).cloned().ok_or(Errno::BADF)
    }

    /// An open file of this node, for a node without a name.
    pub(crate) fn file_of(&self, node: u64) -> Option<Arc<HeldFile>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        files.values().find(|file| file.node == node).cloned()
    }

    pub(crate) fn dir(&self, handle: u64) -> Result<Arc<OpenDir>> {
        let dirs = self.dirs.read().unwrap_or_else(PoisonError::into_inner);
        dirs.get(&handle).cloned().ok_or(Errno::BADF)
    }

    /// The next transfer number, from 1.
    pub(crate) fn next_transfer(&self) -> u32 {
        self.transfers.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn keep_file(&self, file: HeldFile) -> u64 {
        let handle = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.insert(handle, Arc::new(file));
        handle
    }

    pub(crate) fn keep_dir(&self, dir: OpenDir) -> u64 {
        let handle = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut dirs = self.dirs.write().unwrap_or_else(PoisonError::into_inner);
        dirs.insert(handle, Arc::new(dir));
        handle
    }

    pub(crate) fn drop_file(&self, handle: u64) -> Option<Arc<HeldFile>> {
        self.files.write().unwrap_or_else(PoisonError::into_inner).remove(&handle)
    }

    pub(crate) fn drop_dir(&self, handle: u64) -> Option<Arc<OpenDir>> {
        self.dirs.write().unwrap_or_else(PoisonError::into_inner).remove(&handle)
    }

    /// Number of open files.
    pub(crate) fn count(&self) -> usize {
        self.files.read().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Converts an error for the FUSE library.
pub(crate) fn refused(error: Errno) -> FuseErrno {
    FuseErrno::from_i32(error.raw_os_error())
}

/// The error number of a result, 0 for success.
pub(crate) fn errno_of<T>(result: &Result<T>) -> i32 {
    result.as_ref().err().map_or(0, |error| error.raw_os_error())
}

/// A length as stored in a record.
fn short(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Resolves a relative path from a directory; `None` if the result is outside, or the root itself.
fn way(from: &Path, text: &Path) -> Option<PathBuf> {
    let mut way = from.to_owned();
    for part in text.components() {
        match part {
            Component::Normal(name) => way.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !way.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!way.as_os_str().is_empty()).then_some(way)
}

/// Splits a range that is too long for a record.
fn parts(offset: u64, len: u64, whole: ServiceTime) -> impl Iterator<Item = (u64, u32, ServiceTime)> {
    pieces(len, whole.begun_ns, whole.done_ns).map(move |piece| {
        let span = ServiceTime { begun_ns: piece.start_ns, done_ns: piece.end_ns };
        (offset.saturating_add(piece.from), piece.len, span)
    })
}

impl Recorder {
    /// Calls `act` with the location of a node: its path, or an open file if it has none.
    pub(crate) fn at_node<T>(&self, node: u64, act: impl FnOnce(Locator) -> Result<T>) -> Result<T> {
        match self.tree.path(node) {
            Ok(path) => act(Locator::Path(&path)),
            Err(error) => act(Locator::Open(&self.open.file_of(node).ok_or(error)?.file)),
        }
    }

    /// The path that a symbolic link points to; `None` if that is outside the directory, or the
    /// directory itself.
    pub(crate) fn target(&self, link: &Path, text: &Path) -> Option<PathBuf> {
        let home = self.homes.iter().find_map(|home| text.strip_prefix(home).ok());
        match home {
            Some(inside) => way(Path::new(""), inside),
            None if text.is_absolute() => None,
            None => way(link.parent().unwrap_or(Path::new("")), text),
        }
    }

    /// The trace's number for a node: that of its current name, or of the name under which it was
    /// opened.
    pub(crate) fn number_of_node(&self, node: u64) -> Option<u32> {
        self.tree.number(node).or_else(|| self.open.file_of(node)?.number)
    }

    /// Records an open, and stores the file. Returns the handle.
    pub(crate) fn opened(
        &self,
        call: &Call,
        how: (OFlags, bool),
        node: (Option<u64>, Option<u32>),
        result: Result<File>,
        span: ServiceTime,
    ) -> Result<u64> {
        let ((flags, was_made), (node, number)) = (how, node);
        let bits = open_bits(flags);
        let makes = flags.intersects(OFlags::CREATE | OFlags::TRUNC);
        let kind = if makes { OpKind::Create } else { OpKind::Open };
        let transfer = self.open.next_transfer();
        let what = What {
            transfer,
            len: bits.0,
            done_len: u32::from(was_made),
            errno: errno_of(&result),
            ..What::default()
        };
        call.note(kind, number, what, span);
        let mut file = HeldFile::new(result?, number, transfer);
        file.node = node.unwrap_or(0);
        file.opener = call.stream();
        file.is_direct = flags.contains(OFlags::DIRECT);
        Ok(self.open.keep_file(file))
    }

    /// Reads or writes, and records it.
    pub(crate) fn move_data(
        &self,
        call: &Call,
        handle: u64,
        asked: &Data,
        act: impl FnOnce(&HeldFile) -> Result<usize>,
    ) -> Result<usize> {
        let file = self.open.file(handle)?;
        let (result, span) = call.time(|| act(&file));
        file.is_used();
        let what = What {
            offset: asked.offset,
            transfer: file.transfer,
            len: short(asked.size as u64),
            done_len: short(result.unwrap_or(0) as u64),
            flags: OpFlags::NONE.with_if(OpFlags::MAPPED, asked.is_mapped),
            errno: errno_of(&result),
            ..What::default()
        };
        call.note(asked.kind, file.number, what, span);
        call.finish(span);
        result
    }

    /// Records an operation on an open file that transfers no data.
    fn note_handle(
        &self,
        call: &Call,
        kind: OpKind,
        file: &HeldFile,
        at: (u64, u32),
        errno: i32,
        span: ServiceTime,
    ) {
        file.is_used();
        let what = What { offset: at.0, len: at.1, transfer: file.transfer, errno, ..What::default() };
        call.note(kind, file.number, what, span);
    }

    /// Makes written data durable.
    pub(crate) fn sync(&self, call: &Call, handle: u64, data_only: bool) -> (Result<()>, ServiceTime) {
        let file = match self.open.file(handle) {
            Ok(file) => file,
            Err(error) => return (Err(error), ServiceTime::default()),
        };
        let act = || if data_only { fdatasync(&file.file) } else { fsync(&file.file) };
        let (result, span) = call.time(act);
        self.note_handle(call, OpKind::Sync, &file, (0, 0), errno_of(&result), span);
        (result, span)
    }

    /// Handles the close of a descriptor.
    pub(crate) fn flush(&self, call: &Call, handle: u64) -> (Result<()>, ServiceTime) {
        let file = match self.open.file(handle) {
            Ok(file) => file,
            Err(error) => return (Err(error), ServiceTime::default()),
        };
        let (result, span) = call.time(|| file.flush());
        file.flushed(call.stream(), span);
        (result, span)
    }

    /// Handles the close of the last descriptor of a file.
    pub(crate) fn release(&self, call: &Call, handle: u64) -> ServiceTime {
        let Some(file) = self.open.drop_file(handle) else { return ServiceTime::default() };
        let (transfer, number, opener) = (file.transfer, file.number, file.opener);
        let closed = file.closed();
        let span = call.time(|| drop(file)).1;
        let told = closed.filter(|closed| span.begun_ns.saturating_sub(closed.1.done_ns) < LATE_RELEASE_NS);
        let (stream, span_told) = told.unwrap_or((opener, span));
        call.note_as(Some(stream), OpKind::Close, number, What { transfer, ..What::default() }, span_told);
        span
    }

    /// Preallocates or deallocates a part of a file.
    pub(crate) fn allocate(
        &self,
        call: &Call,
        handle: u64,
        stretch: (u64, u64),
        mode: i32,
    ) -> (Result<()>, ServiceTime) {
        let file = match self.open.file(handle) {
            Ok(file) => file,
            Err(error) => return (Err(error), ServiceTime::default()),
        };
        let flags = FallocateFlags::from_bits_retain(mode.unsigned_abs());
        let (result, span) = call.time(|| fallocate(&file.file, flags, stretch.0, stretch.1));
        let errno = errno_of(&result);
        if FallocateFlags::KEEP_SIZE.contains(flags) {
            file.is_used();
            let keeps_size = flags.contains(FallocateFlags::KEEP_SIZE);
            for (offset, len, span) in parts(stretch.0, stretch.1, span) {
                let flags = OpFlags::NONE.with_if(OpFlags::KEEPS_SIZE, keeps_size);
                let what = What { offset, len, transfer: file.transfer, errno, flags, ..What::default() };
                call.note(OpKind::Allocate, file.number, what, span);
            }
        } else {
            // The length field of this kind stores the operation.
            self.note_handle(call, OpKind::Other, &file, (stretch.0, OtherBits::RANGE.0), errno, span);
        }
        (result, span)
    }

    /// Handles a write by a process that may not keep set-id bits. If the bits can't be removed, the
    /// storage refuses the write, too.
    pub(crate) fn end_rights(&self, handle: u64) {
        if let Ok(file) = self.open.file(handle) {
            let _ = Storage::end_rights(&file.file);
        }
    }

    /// Handles `SEEK_DATA` and `SEEK_HOLE`.
    pub(crate) fn seek(
        &self,
        call: &Call,
        handle: u64,
        offset: i64,
        whence: i32,
    ) -> (Result<u64>, ServiceTime) {
        const SEEK_DATA: i32 = 3;
        const SEEK_HOLE: i32 = 4;
        let found = self.open.file(handle).and_then(|file| {
            let offset = u64::try_from(offset).map_err(|_| Errno::NXIO)?;
            let to = match whence {
                SEEK_DATA => SeekFrom::Data(offset),
                SEEK_HOLE => SeekFrom::Hole(offset),
                _ => return Err(Errno::INVAL),
            };
            Ok((file, to, offset))
        });
        let (file, to, offset) = match found {
            Ok(found) => found,
            Err(error) => return (Err(error), ServiceTime::default()),
        };
        let (result, span) = call.time(|| seek(&file.file, to));
        self.note_handle(call, OpKind::Other, &file, (offset, 0), errno_of(&result), span);
        (result, span)
    }

    /// Copies between two open files inside the kernel.
    pub(crate) fn copy(
        &self,
        call: &Call,
        from: (u64, u64),
        to: (u64, u64),
        len: u64,
    ) -> (Result<usize>, ServiceTime) {
        let (source, target) = match (self.open.file(from.0), self.open.file(to.0)) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(error), _) | (_, Err(error)) => return (Err(error), ServiceTime::default()),
        };
        let (mut read_at, mut write_at) = (from.1, to.1);
        let most = len.min(PIECE_BYTES) as usize;
        let (result, span) = call.time(|| {
            copy_file_range(&source.file, Some(&mut read_at), &target.file, Some(&mut write_at), most)
        });
        let Ok(done) = result else {
            // The kernel or the application falls back to reads and writes, which are then recorded.
            self.note_handle(call, OpKind::Other, &source, (from.1, 0), errno_of(&result), span);
            return (result, span);
        };
        for (kind, file, offset) in [(OpKind::Read, &source, from.1), (OpKind::Write, &target, to.1)] {
            file.is_used();
            let what = What {
                offset,
                transfer: file.transfer,
                len: done as u32,
                done_len: done as u32,
                flags: OpFlags::COPIED,
                ..What::default()
            };
            call.note(kind, file.number, what, span);
        }
        (result, span)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Mutex;

    use reelgauge_record::OpRecord;

    use super::*;
    use crate::names::NameTable;
    use crate::tree::key_of;

    /// The records of one [`Recorder::allocate`] in a file of `len` bytes.
    fn noted(len: u64, stretch: (u64, u64), mode: FallocateFlags) -> Vec<OpRecord> {
        let dir = tempfile::tempdir().unwrap();
        let storage = Storage::open(dir.path()).unwrap();
        let root = storage.stat(Locator::Path(Path::new(""))).unwrap();
        let journal = Arc::new(Journal::new(1));
        journal.switch(true);
        let recorder = Recorder {
            journal: Arc::clone(&journal),
            storage,
            tree: Tree::new(key_of(&root), Arc::new(Mutex::new(NameTable::new(None)))),
            homes: Vec::new(),
            open: Arc::default(),
        };
        let file = File::create(dir.path().join("reel")).unwrap();
        file.set_len(len).unwrap();
        let handle = recorder.open.keep_file(HeldFile::new(file, Some(3), 1));
        let call = journal.arrive(7);
        let mode = i32::try_from(mode.bits()).unwrap();
        let (_, span) = recorder.allocate(&call, handle, stretch, mode);
        call.finish(span);
        let mut rings = journal.new_rings();
        rings.iter_mut().flat_map(|ring| std::iter::from_fn(|| ring.pop().ok())).collect()
    }

    #[test]
    fn a_hole_of_any_size_is_no_link() {
        let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        for stretch in [(4096, 1), (0, 2), (0, PIECE_BYTES + 1)] {
            let ops = noted(8192, stretch, punch);
            let [hole] = ops[..] else { panic!("{ops:?}") };
            assert_eq!((hole.kind, OtherBits(hole.len)), (OpKind::Other, OtherBits::RANGE), "{stretch:?}");
            assert_eq!((hole.file, hole.offset), (3, stretch.0));
        }
    }

    #[test]
    fn room_that_is_reserved_keeps_its_length() {
        let ops = noted(0, (4096, 100), FallocateFlags::KEEP_SIZE);
        let [room] = ops[..] else { panic!("{ops:?}") };
        assert_eq!((room.kind, room.offset, room.len), (OpKind::Allocate, 4096, 100));
    }

    #[test]
    fn links_stay_inside_the_directory() {
        for (from, text, to) in [
            ("", "a", Some("a")),
            ("d", "a", Some("d/a")),
            ("d", "./../a/", Some("a")),
            ("d/e", "../f", Some("d/f")),
            ("d", "../..", None),
            ("d", "..", None),
            ("", "../a", None),
            ("", "", None),
        ] {
            assert_eq!(way(Path::new(from), Path::new(text)).as_deref(), to.map(Path::new), "{from}: {text}");
        }
    }

    #[test]
    fn long_ranges_are_recorded_in_contiguous_parts() {
        let span = ServiceTime { begun_ns: 100, done_ns: 700 };
        let all = |offset, len| {
            let parts = parts(offset, len, span).collect::<Vec<_>>();
            let took_ns: u64 = parts.iter().map(|(.., span)| span.done_ns - span.begun_ns).sum();
            assert_eq!((parts[0].2.begun_ns, took_ns), (100, 600), "the time of the whole");
            parts.into_iter().map(|(offset, len, _)| (offset, len)).collect::<Vec<_>>()
        };
        assert_eq!(all(7, 0), [(7, 0)]);
        assert_eq!(all(7, PIECE_BYTES), [(7, 1 << 30)]);
        assert_eq!(
            all(7, 2 * PIECE_BYTES + 1),
            [(7, 1 << 30), (7 + PIECE_BYTES, 1 << 30), (7 + 2 * PIECE_BYTES, 1)]
        );
    }
}
