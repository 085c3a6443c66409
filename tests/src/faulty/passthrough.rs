//! The file system itself: kernel requests become calls on a folder, unless a fault applies.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use fuser::{
    AccessFlags, BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, OpenAccMode, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request,
    TimeOrNow, WriteFlags,
};

use super::costs::Write;
use super::faults::{Fate, Faults};
use super::pipe::OwnPipe;

/// The kernel must ask again every time, so that it caches nothing that a fault should have changed.
const NO_TTL: Duration = Duration::ZERO;

/// Requests of one open file that may be in flight at a time.
const IN_FLIGHT: u16 = 128;

/// The file system behind [`Faulty`]. Requests become calls on the folder `root`.
///
/// The kernel knows a file by its inode number on disk.
#[derive(Debug)]
pub(super) struct Passthrough {
    faults: Arc<Faults>,
    root: PathBuf,
    paths: Mutex<HashMap<u64, PathBuf>>,
    open: Mutex<HashMap<u64, Arc<Handle>>>,
    next_handle: AtomicU64,
    /// Replaces the files themselves for reads and writes.
    data: Option<Arc<dyn DataPath>>,
    /// Locks are handled here and always granted, instead of by the kernel.
    grants_locks: bool,
}

/// Access to file contents, by path below the root.
pub trait DataPath: std::fmt::Debug + Send + Sync {
    /// Reads. Returns the number of bytes read.
    ///
    /// # Errors
    /// Those of the underlying file system.
    fn read_at(&self, path: &Path, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of it.
    ///
    /// # Errors
    /// Those of the underlying file system.
    fn write_all_at(&self, path: &Path, data: &[u8], offset: u64) -> io::Result<()>;
}

#[derive(Debug)]
struct Handle {
    file: File,
    /// The file's own name.
    name: String,
    /// Where the last write ended.
    written_until: AtomicU64,
    pipe: OwnPipe,
    /// The other data path, and the file's path there, if it has one.
    data: Option<(Arc<dyn DataPath>, PathBuf)>,
}

impl Handle {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.data {
            Some((data, path)) => data.read_at(path, into, offset),
            None => self.file.read_at(into, offset),
        }
    }

    /// The properties of a write that are booked.
    fn booked(&self, offset: u64, len: u64) -> Write<'_> {
        let end = offset + len;
        let jumps = self.written_until.swap(end, Ordering::SeqCst) != offset;
        let grows = self.file.metadata().is_ok_and(|about| end > about.size());
        Write { name: &self.name, len, jumps, grows }
    }

    fn write_all_at(&self, from: &[u8], offset: u64) -> io::Result<()> {
        match &self.data {
            Some((data, path)) => data.write_all_at(path, from, offset),
            None => self.file.write_all_at(from, offset),
        }
    }
}

impl Passthrough {
    pub(super) fn new(root: PathBuf, faults: Arc<Faults>, data: Option<Arc<dyn DataPath>>) -> Passthrough {
        Passthrough {
            faults,
            root,
            paths: Mutex::default(),
            open: Mutex::default(),
            next_handle: AtomicU64::new(1),
            data,
            grants_locks: false,
        }
    }

    /// The same file system, which grants every lock.
    pub(super) fn granting_locks(self) -> Passthrough {
        Passthrough { grants_locks: true, ..self }
    }

    /// The entry of this name in a folder, in its real spelling.
    fn named(&self, folder: &Path, name: &OsStr) -> PathBuf {
        let path = folder.join(name);
        if !self.faults.ignores_case() || path.symlink_metadata().is_ok() {
            return path;
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let other = entries.map(|entry| entry.file_name()).find(|other| other.eq_ignore_ascii_case(name));
        other.map_or(path, |other| folder.join(other))
    }

    fn path(&self, node: INodeNo) -> io::Result<PathBuf> {
        if node == INodeNo::ROOT {
            return Ok(self.root.clone());
        }
        let stale = io::Error::from_raw_os_error(rustix::io::Errno::STALE.raw_os_error());
        self.paths.lock().unwrap().get(&node.0).cloned().ok_or(stale)
    }

    /// The attributes of a path. Registers the path, because the kernel may ask about it later.
    fn entry(&self, path: &Path) -> io::Result<FileAttr> {
        let mut attributes = attributes(&std::fs::symlink_metadata(path)?);
        let ahead_s = self.faults.clock_ahead_s();
        let shift = Duration::from_secs(ahead_s.unsigned_abs());
        attributes.mtime = if ahead_s < 0 { attributes.mtime - shift } else { attributes.mtime + shift };
        if path == self.root {
            return Ok(FileAttr { ino: INodeNo::ROOT, ..attributes });
        }
        self.paths.lock().unwrap().insert(attributes.ino.0, path.to_owned());
        Ok(attributes)
    }

    fn handle(&self, handle: FileHandle) -> io::Result<Arc<Handle>> {
        let closed = io::Error::from_raw_os_error(rustix::io::Errno::BADF.raw_os_error());
        self.open.lock().unwrap().get(&handle.0).cloned().ok_or(closed)
    }

    /// Nothing is cached. If each open file has its own bandwidth, the kernel must not serialize the
    /// writes to one file.
    fn open_flags(&self) -> FopenFlags {
        match self.faults.limits_each() {
            true => FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES,
            false => FopenFlags::FOPEN_DIRECT_IO,
        }
    }

    fn keep_open(&self, file: File, path: &Path) -> FileHandle {
        let handle = self.next_handle.fetch_add(1, Ordering::Relaxed);
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let data = self.data.as_ref().map(|data| (Arc::clone(data), below.to_owned()));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let open =
            Handle { file, name, written_until: AtomicU64::new(0), pipe: self.faults.own_pipe(), data };
        self.open.lock().unwrap().insert(handle, Arc::new(open));
        FileHandle(handle)
    }

    /// Creates or empties a file. Returns its attributes and handle.
    fn make(&self, path: &Path, mode: u32, flags: i32) -> io::Result<(FileAttr, FileHandle)> {
        let exclusive = flags & i32::try_from(rustix::fs::OFlags::EXCL.bits()).unwrap_or(0) != 0;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).create_new(exclusive);
        let file = options.open(path)?;
        file.set_permissions(std::fs::Permissions::from_mode(mode & 0o7777))?;
        Ok((self.entry(path)?, self.keep_open(file, path)))
    }

    fn change(&self, node: INodeNo, mode: Option<u32>, size: Option<u64>) -> io::Result<FileAttr> {
        let path = self.path(node)?;
        if let Some(mode) = mode {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode & 0o7777))?;
        }
        if let Some(size) = size {
            OpenOptions::new().write(true).open(&path)?.set_len(size)?;
        }
        self.entry(&path)
    }

    fn list(&self, node: INodeNo) -> io::Result<Vec<(INodeNo, FileType, std::ffi::OsString)>> {
        let path = self.path(node)?;
        let dots = [".", ".."].map(|name| (node, FileType::Directory, name.into()));
        let mut all = Vec::from(dots);
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let kind = FileType::from_std(entry.file_type()?).unwrap_or(FileType::RegularFile);
            all.push((INodeNo(entry.metadata()?.ino()), kind, entry.file_name()));
        }
        Ok(all)
    }

    fn move_to(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)?;
        self.entry(to).map(drop)
    }
}

/// The attributes of a file, as the kernel wants them.
fn attributes(about: &Metadata) -> FileAttr {
    let time = |seconds: i64, nanos: i64| {
        SystemTime::UNIX_EPOCH + Duration::new(seconds.unsigned_abs(), u32::try_from(nanos).unwrap_or(0))
    };
    FileAttr {
        ino: INodeNo(about.ino()),
        size: about.size(),
        blocks: about.blocks(),
        atime: time(about.atime(), about.atime_nsec()),
        mtime: time(about.mtime(), about.mtime_nsec()),
        ctime: time(about.ctime(), about.ctime_nsec()),
        crtime: SystemTime::UNIX_EPOCH,
        kind: FileType::from_std(about.file_type()).unwrap_or(FileType::RegularFile),
        perm: u16::try_from(about.mode() & 0o7777).unwrap_or(0),
        nlink: u32::try_from(about.nlink()).unwrap_or(u32::MAX),
        uid: about.uid(),
        gid: about.gid(),
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

/// Answers a request that returns nothing but success.
fn answer(reply: ReplyEmpty, result: io::Result<()>) {
    match result {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error.into()),
    }
}

/// Answers a request about a name.
fn answer_entry(reply: ReplyEntry, result: io::Result<FileAttr>) {
    match result {
        Ok(attributes) => reply.entry(&NO_TTL, &attributes, Generation(0)),
        Err(error) => reply.error(error.into()),
    }
}

/// Answers a request about a node.
fn answer_attr(reply: ReplyAttr, result: io::Result<FileAttr>) {
    match result {
        Ok(attributes) => reply.attr(&NO_TTL, &attributes),
        Err(error) => reply.error(error.into()),
    }
}

impl Filesystem for Passthrough {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Allows more requests at a time than any test needs. An older kernel keeps its own limit.
        let _ = config.set_max_background(IN_FLIGHT);
        if self.grants_locks {
            let locks = InitFlags::FUSE_POSIX_LOCKS | InitFlags::FUSE_FLOCK_LOCKS;
            config
                .add_capabilities(locks)
                .map_err(|_| io::Error::other("the kernel keeps locks to itself"))?;
        }
        Ok(())
    }

    fn setlk(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        _: LockOwner,
        _: u64,
        _: u64,
        _: i32,
        _: u32,
        _: bool,
        reply: ReplyEmpty,
    ) {
        reply.ok();
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer_entry(reply, self.path(parent).and_then(|parent| self.entry(&self.named(&parent, name))));
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer_attr(reply, self.path(node).and_then(|path| self.entry(&path)));
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        answer_attr(reply, self.change(node, mode, size));
    }

    fn readlink(&self, _: &Request, node: INodeNo, reply: ReplyData) {
        match self.path(node).and_then(std::fs::read_link) {
            Ok(target) => reply.data(target.as_os_str().as_encoded_bytes()),
            Err(error) => reply.error(error.into()),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let made = self.path(parent).map(|parent| parent.join(name)).and_then(|path| {
            std::fs::create_dir(&path)?;
            self.entry(&path)
        });
        answer_entry(reply, made);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(reply, self.path(parent).and_then(|parent| std::fs::remove_file(parent.join(name))));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(reply, self.path(parent).and_then(|parent| std::fs::remove_dir(parent.join(name))));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let paths =
            self.path(parent).and_then(|from| Ok((from.join(name), self.path(new_parent)?.join(new_name))));
        match paths {
            Ok((_, to)) if self.faults.refuses_replacing() && to.symlink_metadata().is_ok() => {
                reply.error(Errno::EACCES);
            }
            paths => answer(reply, paths.and_then(|(from, to)| self.move_to(&from, &to))),
        }
    }

    fn open(&self, _: &Request, node: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let write = flags.acc_mode() != OpenAccMode::O_RDONLY;
        let open = |path: &PathBuf| OpenOptions::new().read(true).write(write).open(path);
        match self.path(node).and_then(|path| Ok((open(&path)?, path))) {
            Ok((file, path)) => reply.opened(self.keep_open(file, &path), self.open_flags()),
            Err(error) => reply.error(error.into()),
        }
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        match self.path(parent).and_then(|parent| self.make(&parent.join(name), mode, flags)) {
            Ok((attributes, handle)) => {
                reply.created(&NO_TTL, &attributes, Generation(0), handle, self.open_flags());
            }
            Err(error) => reply.error(error.into()),
        }
    }

    fn read(
        &self,
        _: &Request,
        node: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let arrived = Instant::now();
        self.faults.fetch(node.0, offset, u64::from(size));
        let len = u64::from(size);
        let fate = self.faults.fate_of_transfer(&self.faults.read_errno, offset, len, len);
        match fate {
            Fate::Hangs => return self.faults.hold(move || reply.error(Errno::EIO)),
            Fate::Fails(errno) => return reply.error(Errno::from_i32(errno)),
            Fate::Done | Fate::Spoilt => {}
        }
        let mut data = vec![0; size as usize];
        let read = self.handle(handle).and_then(|open| {
            let len = open.read_at(&mut data, offset)?;
            open.pipe.pass(arrived, len as u64);
            Ok(len)
        });
        match read {
            Ok(len) => {
                data.truncate(len);
                if fate == Fate::Spoilt {
                    self.faults.spoil(&mut data);
                }
                reply.data(&data);
            }
            Err(error) => reply.error(error.into()),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let arrived = Instant::now();
        let len = data.len() as u64;
        let cost = self.handle(handle).map_or(0, |open| self.faults.cost_of_write(open.booked(offset, len)));
        match self.faults.fate_of_transfer(&self.faults.write_errno, offset, len, len + cost) {
            Fate::Hangs => return self.faults.hold(move || reply.error(Errno::EIO)),
            Fate::Fails(errno) => return reply.error(Errno::from_i32(errno)),
            Fate::Done | Fate::Spoilt => {}
        }
        let written = self.handle(handle).and_then(|open| {
            open.write_all_at(data, offset)?;
            open.pipe.pass(arrived, data.len() as u64);
            Ok(())
        });
        match written {
            Ok(()) => reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX)),
            Err(error) => reply.error(error.into()),
        }
    }

    fn fsync(&self, _: &Request, _: INodeNo, handle: FileHandle, _: bool, reply: ReplyEmpty) {
        match self.faults.fate(&self.faults.sync_errno) {
            Fate::Hangs => self.faults.hold(move || reply.error(Errno::EIO)),
            Fate::Fails(errno) => reply.error(Errno::from_i32(errno)),
            Fate::Done | Fate::Spoilt => {
                answer(reply, self.handle(handle).and_then(|open| open.file.sync_data()))
            }
        }
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.open.lock().unwrap().remove(&handle.0);
        reply.ok();
    }

    fn readdir(&self, _: &Request, node: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        match self.list(node) {
            Ok(entries) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                for (at, (node, kind, name)) in entries.into_iter().enumerate().skip(from) {
                    if reply.add(node, at as u64 + 1, kind, name) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(error) => reply.error(error.into()),
        }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        match rustix::fs::statvfs(&self.root) {
            Ok(stat) => {
                let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
                let sizes = (small(stat.f_bsize), small(stat.f_namemax), small(stat.f_frsize));
                let (free, available) = (stat.f_bfree, stat.f_bavail);
                reply.statfs(
                    stat.f_blocks,
                    free,
                    available,
                    stat.f_files,
                    stat.f_ffree,
                    sizes.0,
                    sizes.1,
                    sizes.2,
                );
            }
            Err(error) => reply.error(Errno::from_i32(error.raw_os_error())),
        }
    }

    fn access(&self, _: &Request, _: INodeNo, _: AccessFlags, reply: ReplyEmpty) {
        reply.ok();
    }
}
