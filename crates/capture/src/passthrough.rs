//! Executes requests from the kernel on the storage and records them.
//!
//! How the record shows the application's operations, and not those of the page cache:
//!
//! * Every file is opened for direct I/O on the kernel's side, so offsets and lengths are those of the
//!   application. The storage itself is used as the application requested, through the cache or with
//!   direct I/O.
//! * The kernel caches no names and attributes, so every query is recorded. Lookups of parent
//!   directories are the kernel's, and not recorded; a failed lookup is recorded as a failed stat,
//!   unless the same thread then creates the name.
//! * Reads and writes for memory maps come from the page cache; their flags mark them.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fuser::{
    AccessFlags, BsdFileFlags, CopyFileRangeFlags, FileHandle, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, IoctlFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs,
    ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use reelgauge_record::{AccessBits, OpFlags, OpKind, OtherBits};
use rustix::fs::{FileType, OFlags, Stat};
use rustix::io::{Errno, Result};

use crate::attributes::attributes;
use crate::handles::{OpenDir, with_aligned};
use crate::journal::{Call, ServiceTime, What};
use crate::request_recorder::{Data, Recorder, errno_of, refused};
use crate::requests::max_request_bytes;
use crate::storage::{Change, Locator};

/// Limit of asynchronous requests that the kernel may have in flight.
const MAX_BACKGROUND: u16 = 1024;
/// The attribute with a file's capabilities. The kernel reads it before the first write to a file, because
/// a write removes them.
const SYSTEMS_XATTR: &str = "security.capability";
/// The kernel must not cache.
const NO_TTL: Duration = Duration::ZERO;

/// Optional features; kernels without them do not affect the recording.
const WISHES: [InitFlags; 5] = [
    // O_TRUNC is part of the open, not a separate change of size.
    InitFlags::FUSE_ATOMIC_O_TRUNC,
    InitFlags::FUSE_ASYNC_DIO,
    InitFlags::FUSE_PARALLEL_DIROPS,
    InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP,
    InitFlags::FUSE_MAX_PAGES,
];

/// The trace's numbers of an operation's first and second name.
type TwoNames = (Option<u32>, Option<u32>);

/// The numbers of an operation with one name.
fn alone(number: Option<u32>) -> TwoNames {
    (number, None)
}

/// The flags for files on the kernel's side.
fn open_flags() -> FopenFlags {
    FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
}

/// The kind of a rename with flags that a plain rename cannot express.
fn unlike_a_rename(flags: RenameFlags, error: Option<Errno>) -> Option<OtherBits> {
    if flags.contains(RenameFlags::RENAME_WHITEOUT) {
        Some(OtherBits::WHITEOUT)
    } else if flags.contains(RenameFlags::RENAME_NOREPLACE) && error == Some(Errno::EXIST) {
        Some(OtherBits::NO_REPLACE)
    } else {
        None
    }
}

fn flags_of(flags: i32) -> OFlags {
    OFlags::from_bits_retain(flags.cast_unsigned())
}

fn answer(reply: ReplyEmpty, result: Result<()>) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(refused(error)),
    }
}

fn answer_entry(reply: ReplyEntry, result: Result<(u64, u64, Stat)>) {
    match result {
        Ok((id, generation, stat)) => reply.entry(&NO_TTL, &attributes(id, &stat), Generation(generation)),
        Err(error) => reply.error(refused(error)),
    }
}

fn answer_xattr(reply: ReplyXattr, room: u32, result: Result<Vec<u8>>) {
    match result {
        Ok(value) if room == 0 => reply.size(value.len() as u32),
        Ok(value) if value.len() > room as usize => reply.error(refused(Errno::RANGE)),
        Ok(value) => reply.data(&value),
        Err(error) => reply.error(refused(error)),
    }
}

impl Recorder {
    /// Creates a name, and records it. `names` returns the operation's names in the trace, from the
    /// number of the new one.
    fn make(
        &self,
        request: &Request,
        (kind, names): (OpKind, impl FnOnce(Option<u32>) -> TwoNames),
        place: (INodeNo, &OsStr, Option<u32>),
        reply: ReplyEntry,
        act: impl FnOnce(&Path) -> Result<()>,
    ) {
        let (parent, name, mode) = place;
        let call = self.journal.arrive(request.pid());
        call.made((parent.0, name));
        let path = self.tree.child(parent.0, name);
        let owner = (request.uid(), request.gid());
        let (made, span) = call.time(|| {
            let path = path.as_ref().map_err(|error| *error)?;
            act(path)?;
            match mode {
                Some(mode) => self.storage.settle(path, mode, owner),
                // An additional name of an existing file, which keeps its owner.
                None => self.storage.stat(Locator::Path(path)),
            }
        });
        let errno = errno_of(&made);
        let entered = made.and_then(|stat| {
            let entered = self.tree.made(parent.0, name, path.as_ref().map_err(|error| *error)?, &stat);
            Ok((entered.id, entered.generation, stat))
        });
        let number = path.ok().and_then(|path| self.tree.number_of(&path, matches!(kind, OpKind::MakeDir)));
        let (number, second) = names(number);
        let what = What { errno, offset: u64::from(second.unwrap_or(0)), ..What::default() };
        call.note(kind, number, what, span);
        call.finish(span);
        answer_entry(reply, entered);
    }

    /// Removes a name, and records it.
    fn remove(
        &self,
        request: &Request,
        kind: OpKind,
        place: (INodeNo, &OsStr),
        reply: ReplyEmpty,
        act: impl FnOnce(&Path) -> Result<()>,
    ) {
        let call = self.journal.arrive(request.pid());
        call.settle();
        let path = self.tree.child(place.0.0, place.1);
        let is_dir = matches!(kind, OpKind::RemoveDir);
        let number = path.as_ref().ok().and_then(|path| self.tree.number_of(path, is_dir));
        let (result, span) = call.time(|| act(&path?));
        if result.is_ok() {
            self.tree.remove(place.0.0, place.1);
        }
        call.note(kind, number, What { errno: errno_of(&result), ..What::default() }, span);
        call.finish(span);
        answer(reply, result);
    }

    /// An operation on a node that is recorded by name alone.
    fn by_node<T>(
        &self,
        request: &Request,
        kind: OpKind,
        node: INodeNo,
        act: impl FnOnce(Locator) -> Result<T>,
        reply: impl FnOnce(Result<T>),
    ) {
        self.asking(request, (kind, 0), node, act, reply);
    }

    /// [`Recorder::by_node`], with a value for the length field.
    fn asking<T>(
        &self,
        request: &Request,
        (kind, len): (OpKind, u32),
        node: INodeNo,
        act: impl FnOnce(Locator) -> Result<T>,
        reply: impl FnOnce(Result<T>),
    ) {
        let call = self.journal.arrive(request.pid());
        call.settle();
        let (result, span) = call.time(|| self.at_node(node.0, act));
        let what = What { len, errno: errno_of(&result), ..What::default() };
        call.note(kind, self.number_of_node(node.0), what, span);
        call.finish(span);
        reply(result);
    }

    /// A stat or an attribute change, by handle if there is one.
    fn attributes_of(
        &self,
        request: &Request,
        of: (OpKind, INodeNo, Option<FileHandle>),
        offset: u64,
        reply: ReplyAttr,
        act: impl FnOnce(Locator) -> Result<Stat>,
    ) {
        let (kind, node, handle) = of;
        let call = self.journal.arrive(request.pid());
        call.settle();
        let file = handle.and_then(|handle| self.open.file(handle.0).ok());
        let (result, span) = call.time(|| match &file {
            Some(file) => act(Locator::Open(&file.file)),
            None => self.at_node(node.0, act),
        });
        let (transfer, number) = match &file {
            Some(file) => {
                file.is_used();
                // Of these three kinds only a truncation is recorded with its handle.
                let by_handle = matches!(kind, OpKind::Truncate);
                (if by_handle { file.transfer } else { 0 }, file.number)
            }
            None => (0, self.number_of_node(node.0)),
        };
        let what = What { offset, transfer, errno: errno_of(&result), ..What::default() };
        call.note(kind, number, what, span);
        call.finish(span);
        match result {
            Ok(stat) => reply.attr(&NO_TTL, &attributes(node.0, &stat)),
            Err(error) => reply.error(refused(error)),
        }
    }

    /// Looks up a name.
    fn look(&self, call: &Call, parent: u64, name: &OsStr) -> (Result<(u64, u64, Stat)>, ServiceTime) {
        let path = match self.tree.child(parent, name) {
            Ok(path) => path,
            Err(error) => return (Err(error), ServiceTime::default()),
        };
        let (result, span) = call.time(|| self.storage.stat(Locator::Path(&path)));
        match result {
            Ok(stat) => {
                let leads_to = self.leads_to(&path, &stat);
                let entered = self.tree.found(parent, name, &path, &stat, leads_to.as_deref());
                (Ok((entered.id, entered.generation, stat)), span)
            }
            Err(error) => {
                if error == Errno::NOENT {
                    self.tree.missed(parent, name, &path);
                }
                let number = self.tree.number_of(&path, false);
                let what = What { errno: error.raw_os_error(), ..What::default() };
                call.note_miss((parent, name), number, what, span);
                (Err(error), span)
            }
        }
    }

    /// The target of a symbolic link; its own path if the target is outside.
    fn leads_to(&self, path: &Path, stat: &Stat) -> Option<PathBuf> {
        if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
            return None;
        }
        let text = self.storage.read_link(path).ok()?;
        Some(self.target(path, Path::new(OsStr::from_bytes(&text))).unwrap_or_else(|| path.to_owned()))
    }

    /// Records the listing in progress.
    fn note_listing(&self, call: &Call, dir: &OpenDir) {
        let mut listing = dir.listing();
        if let Some((stream, span)) = listing.asked.take() {
            let what = What { done_len: listing.entries.len() as u32, ..What::default() };
            call.note_as(Some(stream), OpKind::ReadDir, dir.number, what, span);
        }
    }
}

impl Filesystem for Recorder {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        for wish in WISHES {
            // A missing feature shows where it matters: a memory map fails.
            let _ = config.add_capabilities(wish);
        }
        let _ = config.set_max_write(max_request_bytes());
        let _ = config.set_max_background(MAX_BACKGROUND);
        Ok(())
    }

    fn lookup(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = self.look(&call, parent.0, name);
        call.finish(span);
        answer_entry(reply, result);
    }

    fn forget(&self, _: &Request, node: INodeNo, times: u64) {
        self.tree.forget(node.0, times);
    }

    fn getattr(&self, request: &Request, node: INodeNo, handle: Option<FileHandle>, reply: ReplyAttr) {
        let of = (OpKind::Stat, node, handle);
        self.attributes_of(request, of, 0, reply, |place| self.storage.stat(place));
    }

    fn setattr(
        &self,
        request: &Request,
        node: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        accessed: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        handle: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let change = Change { mode, uid, gid, size, accessed, modified };
        let kind = if size.is_some() { OpKind::Truncate } else { OpKind::SetAttr };
        let of = (kind, node, handle);
        let act = |place: Locator| self.storage.change(place, &change);
        self.attributes_of(request, of, size.unwrap_or(0), reply, act);
    }

    fn readlink(&self, request: &Request, node: INodeNo, reply: ReplyData) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = call.time(|| self.storage.read_link(&self.tree.path(node.0)?));
        self.journal.leave_out("symbolic links that were read or followed");
        call.finish(span);
        match result {
            Ok(target) => reply.data(&target),
            Err(error) => reply.error(refused(error)),
        }
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        device: u32,
        reply: ReplyEntry,
    ) {
        let act = |path: &Path| self.storage.make_node(path, mode, device);
        self.make(request, (OpKind::Other, alone), (parent, name, Some(mode)), reply, act);
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let act = |path: &Path| self.storage.make_dir(path, mode);
        self.make(request, (OpKind::MakeDir, alone), (parent, name, Some(mode)), reply, act);
    }

    fn unlink(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.remove(request, OpKind::Unlink, (parent, name), reply, |path| self.storage.unlink(path));
    }

    fn rmdir(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.remove(request, OpKind::RemoveDir, (parent, name), reply, |path| self.storage.remove_dir(path));
    }

    fn symlink(&self, request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let link = self.tree.child(parent.0, name).ok();
        let leads_to = link.and_then(|link| self.target(&link, target));
        if leads_to.is_none() {
            self.journal.leave_out("targets of symbolic links that lead out of the directory");
        }
        let names = |number: Option<u32>| {
            (number, leads_to.and_then(|path| self.tree.number_of_target(&path)).or(number))
        };
        let act = |path: &Path| self.storage.make_symlink(path, target);
        self.make(request, (OpKind::SymLink, names), (parent, name, Some(0)), reply, act);
    }

    fn link(&self, request: &Request, node: INodeNo, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let old = self.number_of_node(node.0);
        let act = |path: &Path| self.storage.link(&self.tree.path(node.0)?, path);
        self.make(request, (OpKind::Link, |new| (old, new)), (parent, name, None), reply, act);
    }

    fn rename(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let call = self.journal.arrive(request.pid());
        call.made((new_parent.0, new_name));
        let is_dir = self.tree.is_dir(parent.0, name);
        let paths = self.tree.child(parent.0, name).and_then(|old| {
            let new = self.tree.child(new_parent.0, new_name)?;
            Ok((old, new))
        });
        let numbers = paths.as_ref().ok().and_then(|(old, new)| {
            Some((self.tree.number_of(old, is_dir)?, self.tree.number_of(new, is_dir)?))
        });
        let (result, span) = call.time(|| {
            let (old, new) = paths?;
            self.storage.rename(&old, &new, flags.bits())
        });
        if result.is_ok() {
            let is_exchange = flags.contains(RenameFlags::RENAME_EXCHANGE);
            self.tree.rename((parent.0, name), (new_parent.0, new_name), is_exchange);
        }
        let (old, new) = numbers.unzip();
        let errno = errno_of(&result);
        match unlike_a_rename(flags, result.err()) {
            Some(other) => {
                call.note(OpKind::Other, old, What { len: other.0, errno, ..What::default() }, span)
            }
            None => {
                let exchanges = flags.contains(RenameFlags::RENAME_EXCHANGE);
                let flags = OpFlags::NONE.with_if(OpFlags::EXCHANGES, exchanges);
                let what = What { offset: u64::from(new.unwrap_or(0)), errno, flags, ..What::default() };
                call.note(OpKind::Rename, old, what, span);
            }
        }
        call.finish(span);
        answer(reply, result);
    }

    fn open(&self, request: &Request, node: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let call = self.journal.arrive(request.pid());
        call.settle();
        let flags = flags_of(flags.0);
        let number = self.tree.number(node.0);
        let (result, span) = call.time(|| self.storage.open_file(&self.tree.path(node.0)?, flags));
        let opened = self.opened(&call, (flags, false), (Some(node.0), number), result, span);
        call.finish(span);
        match opened {
            Ok(handle) => reply.opened(FileHandle(handle), open_flags()),
            Err(error) => reply.error(refused(error)),
        }
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let call = self.journal.arrive(request.pid());
        call.made((parent.0, name));
        let flags = flags_of(flags) | OFlags::CREATE;
        let path = self.tree.child(parent.0, name);
        let (result, span) = call.time(|| {
            let path = path.as_ref().map_err(|error| *error)?;
            self.storage.create(path, flags, mode)
        });
        let (file, was_made) = match result {
            Ok((file, was_made)) => (Ok(file), was_made),
            Err(error) => (Err(error), false),
        };
        let entered = path.as_ref().map_err(|error| *error).and_then(|path| {
            file.as_ref().map_err(|error| *error)?;
            let stat = match was_made {
                true => self.storage.settle(path, mode, (request.uid(), request.gid()))?,
                false => self.storage.stat(Locator::Path(path))?,
            };
            // A successful open is never of a symbolic link.
            let entered = match was_made {
                true => self.tree.made(parent.0, name, path, &stat),
                false => self.tree.found(parent.0, name, path, &stat, None),
            };
            Ok((entered, stat))
        });
        let number = path.as_ref().ok().and_then(|path| self.tree.number_of(path, false));
        let node = entered.as_ref().ok().map(|(entered, _)| entered.id);
        let opened = self.opened(&call, (flags, was_made), (node, number), file, span);
        call.finish(span);
        match (opened, entered) {
            (Ok(handle), Ok((entered, stat))) => {
                let attr = attributes(entered.id, &stat);
                let generation = Generation(entered.generation);
                reply.created(&NO_TTL, &attr, generation, FileHandle(handle), open_flags());
            }
            (Ok(handle), Err(error)) => {
                self.open.drop_file(handle);
                reply.error(refused(error));
            }
            (Err(error), _) => reply.error(refused(error)),
        }
    }

    fn read(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let call = self.journal.arrive(request.pid());
        // Requests of an application have a lock owner, those of the page cache have none.
        let is_mapped = owner.is_none();
        let size = size as usize;
        with_aligned(size, |buffer| {
            let asked = Data { kind: OpKind::Read, offset, size, is_mapped };
            let result = self.move_data(&call, handle.0, &asked, |file| {
                // The page cache treats missing bytes as zeros.
                file.read(buffer, offset, is_mapped)
            });
            match result {
                Ok(done) => reply.data(&buffer[..done]),
                Err(error) => reply.error(refused(error)),
            }
        });
    }

    fn write(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        flags: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let call = self.journal.arrive(request.pid());
        let is_mapped = flags.contains(WriteFlags::FUSE_WRITE_CACHE);
        let asked = Data { kind: OpKind::Write, offset, size: data.len(), is_mapped };
        if flags.contains(WriteFlags::FUSE_WRITE_KILL_SUIDGID) {
            // The recorder writes as root, for whom the storage would keep the set-user-ID and set-group-ID
            // bits.
            self.end_rights(handle.0);
        }
        match self.move_data(&call, handle.0, &asked, |file| file.write(data, offset)) {
            Ok(done) => reply.written(done as u32),
            Err(error) => reply.error(refused(error)),
        }
    }

    fn flush(&self, request: &Request, _: INodeNo, handle: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = self.flush(&call, handle.0);
        call.finish(span);
        answer(reply, result);
    }

    fn release(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        let call = self.journal.arrive(request.pid());
        let span = self.release(&call, handle.0);
        call.finish(span);
        reply.ok();
    }

    fn fsync(&self, request: &Request, _: INodeNo, handle: FileHandle, data_only: bool, reply: ReplyEmpty) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = self.sync(&call, handle.0, data_only);
        call.finish(span);
        answer(reply, result);
    }

    fn opendir(&self, request: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let call = self.journal.arrive(request.pid());
        call.settle();
        let (result, span) = call.time(|| self.storage.open_dir(&self.tree.path(node.0)?));
        let number = self.tree.number(node.0);
        if let Err(error) = &result {
            let what = What { errno: error.raw_os_error(), ..What::default() };
            call.note(OpKind::ReadDir, number, what, span);
        }
        call.finish(span);
        match result {
            Ok(fd) => {
                let handle = self.open.keep_dir(OpenDir::new(fd, number));
                reply.opened(FileHandle(handle), FopenFlags::empty());
            }
            Err(error) => reply.error(refused(error)),
        }
    }

    fn readdir(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let call = self.journal.arrive(request.pid());
        let dir = match self.open.dir(handle.0) {
            Ok(dir) => dir,
            Err(error) => return reply.error(refused(error)),
        };
        if offset == 0 {
            self.note_listing(&call, &dir);
            let (entries, span) = call.time(|| dir.read());
            let entries = match entries {
                Ok(entries) => entries,
                Err(error) => {
                    let what = What { errno: error.raw_os_error(), ..What::default() };
                    call.note(OpKind::ReadDir, dir.number, what, span);
                    return reply.error(refused(error));
                }
            };
            let mut listing = dir.listing();
            listing.entries = entries;
            listing.asked = Some((call.stream(), span));
        }
        let ((), span) = call.time(|| {
            let listing = dir.listing();
            let from = usize::try_from(offset).unwrap_or(usize::MAX);
            for (at, entry) in listing.entries.iter().enumerate().skip(from) {
                if reply.add(INodeNo(entry.inode), at as u64 + 1, entry.kind, &entry.name) {
                    break;
                }
            }
        });
        if let Some((_, asked)) = &mut dir.listing().asked {
            asked.done_ns = span.done_ns;
        }
        call.finish(span);
        reply.ok();
    }

    fn releasedir(&self, request: &Request, _: INodeNo, handle: FileHandle, _: OpenFlags, reply: ReplyEmpty) {
        let call = self.journal.arrive(request.pid());
        if let Some(dir) = self.open.drop_dir(handle.0) {
            self.note_listing(&call, &dir);
        }
        call.finish(ServiceTime::default());
        reply.ok();
    }

    fn fsyncdir(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        data_only: bool,
        reply: ReplyEmpty,
    ) {
        let call = self.journal.arrive(request.pid());
        let dir = match self.open.dir(handle.0) {
            Ok(dir) => dir,
            Err(error) => return reply.error(refused(error)),
        };
        let (result, span) = call.time(|| dir.sync(data_only));
        call.note(OpKind::Other, dir.number, What { errno: errno_of(&result), ..What::default() }, span);
        call.finish(span);
        answer(reply, result);
    }

    fn statfs(&self, request: &Request, node: INodeNo, reply: ReplyStatfs) {
        let act = |_: Locator| self.storage.statvfs();
        self.by_node(request, OpKind::Other, node, act, |result| match result {
            Ok(stat) => {
                let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
                let (size, name_max) = (small(stat.f_bsize), small(stat.f_namemax));
                let (blocks, free, usable) = (stat.f_blocks, stat.f_bfree, stat.f_bavail);
                let (files, files_free) = (stat.f_files, stat.f_ffree);
                let fragment = small(stat.f_frsize);
                reply.statfs(blocks, free, usable, files, files_free, size, name_max, fragment);
            }
            Err(error) => reply.error(refused(error)),
        });
    }

    fn setxattr(
        &self,
        request: &Request,
        node: INodeNo,
        name: &OsStr,
        value: &[u8],
        flags: i32,
        _: u32,
        reply: ReplyEmpty,
    ) {
        let act = |place: Locator| self.storage.set_xattr(place, name, value, flags);
        self.by_node(request, OpKind::SetAttr, node, act, |result| answer(reply, result));
    }

    fn getxattr(&self, request: &Request, node: INodeNo, name: &OsStr, room: u32, reply: ReplyXattr) {
        let act = |place: Locator| self.storage.xattr(place, name);
        if name == SYSTEMS_XATTR {
            let call = self.journal.arrive(request.pid());
            let (result, span) = call.time(|| self.at_node(node.0, act));
            self.journal.leave_out("reads of security.capability, most of them by the kernel before a write");
            call.finish(span);
            return answer_xattr(reply, room, result);
        }
        self.by_node(request, OpKind::Other, node, act, |result| answer_xattr(reply, room, result));
    }

    fn listxattr(&self, request: &Request, node: INodeNo, room: u32, reply: ReplyXattr) {
        let act = |place: Locator| self.storage.xattrs(place);
        self.by_node(request, OpKind::Other, node, act, |result| answer_xattr(reply, room, result));
    }

    fn removexattr(&self, request: &Request, node: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let act = |place: Locator| self.storage.remove_xattr(place, name);
        self.by_node(request, OpKind::SetAttr, node, act, |result| answer(reply, result));
    }

    fn access(&self, request: &Request, node: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        let act = |place: Locator| match place {
            Locator::Path(path) => self.storage.access(path, mask.bits()),
            Locator::Open(_) => Ok(()),
        };
        let has = |flag| mask.contains(flag);
        let asked = AccessBits::of(has(AccessFlags::R_OK), has(AccessFlags::W_OK), has(AccessFlags::X_OK));
        self.asking(request, (OpKind::Access, asked.0), node, act, |result| answer(reply, result));
    }

    fn ioctl(
        &self,
        request: &Request,
        node: INodeNo,
        _: FileHandle,
        _: IoctlFlags,
        _: u32,
        _: &[u8],
        _: u32,
        reply: ReplyIoctl,
    ) {
        let act = |_: Locator| Err::<(), Errno>(Errno::NOTTY);
        self.by_node(request, OpKind::Other, node, act, |_| reply.error(refused(Errno::NOTTY)));
    }

    fn fallocate(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        len: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = self.allocate(&call, handle.0, (offset, len), mode);
        call.finish(span);
        answer(reply, result);
    }

    fn lseek(
        &self,
        request: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = self.seek(&call, handle.0, offset, whence);
        call.finish(span);
        match result {
            Ok(found) => reply.offset(i64::try_from(found).unwrap_or(i64::MAX)),
            Err(error) => reply.error(refused(error)),
        }
    }

    fn copy_file_range(
        &self,
        request: &Request,
        _: INodeNo,
        from: FileHandle,
        from_offset: u64,
        _: INodeNo,
        to: FileHandle,
        to_offset: u64,
        len: u64,
        _: CopyFileRangeFlags,
        reply: ReplyWrite,
    ) {
        let call = self.journal.arrive(request.pid());
        let (result, span) = self.copy(&call, (from.0, from_offset), (to.0, to_offset), len);
        call.finish(span);
        match result {
            Ok(done) => reply.written(done as u32),
            Err(error) => reply.error(refused(error)),
        }
    }
}
