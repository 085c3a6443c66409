//! Calls on paths, and calls that read or change file attributes.

use reelgauge_record::{AccessBits, OpFlags, OpKind, OtherBits};

use crate::descriptors::Handle;
use crate::errno;
use crate::known_files::Known;
use crate::path_filter::OUTSIDE;
use crate::sink::{Op, Place, Sink};
use crate::strace::args::{descriptor, field, has_flag, string, unsigned};
use crate::strace::calls::exists;
use crate::strace::{Call, Strace};
use crate::{LineError, LineResult};

/// The object of a call.
enum Named {
    /// A path, as a file or directory of the trace.
    Path(Place),
    /// An open file, or the reason why it is skipped.
    Handle(Result<Handle, &'static str>),
}

impl Strace {
    /// Handles all calls that neither transfer data nor create descriptors.
    pub(super) fn apply_meta(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        match call.name {
            b"getdents" | b"getdents64" => self.list(sink, call),
            b"stat" | b"stat64" | b"lstat" | b"lstat64" => self.stat(sink, call, None, Some(0), 1),
            b"newfstatat" | b"fstatat64" => self.stat(sink, call, Some(0), Some(1), 2),
            b"statx" => self.stat(sink, call, Some(0), Some(1), 4),
            b"fstat" | b"fstat64" => self.stat(sink, call, None, None, 1),
            b"access" => self.access(sink, call, None, 0),
            b"faccessat" | b"faccessat2" => self.access(sink, call, Some(0), 1),
            b"unlink" => self.remove(sink, call, None, 0, false),
            b"rmdir" => self.remove(sink, call, None, 0, true),
            b"unlinkat" => self.remove(sink, call, Some(0), 1, has_flag(call.args.at(2), b"AT_REMOVEDIR")),
            b"mkdir" => self.make_directory(sink, call, None, 0),
            b"mkdirat" => self.make_directory(sink, call, Some(0), 1),
            b"rename" => self.rename(sink, call, None, 0, None, 1),
            b"renameat" | b"renameat2" => self.rename(sink, call, Some(0), 1, Some(2), 3),
            b"link" => self.link(sink, call, None, 0, None, 1),
            b"linkat" => self.link(sink, call, Some(0), 1, Some(2), 3),
            b"truncate" | b"truncate64" | b"ftruncate" | b"ftruncate64" => self.resize(sink, call),
            b"fallocate" => self.allocate(sink, call),
            b"fsync" | b"fdatasync" | b"sync_file_range" => self.by_handle(sink, call, OpKind::Sync),
            b"sync" | b"syncfs" | b"msync" => {
                sink.leave_out("syncs of a whole file system or of a part of a file");
                Ok(())
            }
            b"mmap" | b"mmap2" => self.map(sink, call),
            _ => self.apply_attributes(sink, call),
        }
    }

    /// Attribute calls, and calls without an equivalent in a trace.
    fn apply_attributes(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let other = OpKind::Other;
        match call.name {
            b"chmod" | b"chown" | b"lchown" | b"utime" | b"utimes" | b"setxattr" | b"lsetxattr"
            | b"removexattr" | b"lremovexattr" => self.by_path(sink, call, OpKind::SetAttr, None, 0),
            b"fchmodat" | b"fchmodat2" | b"fchownat" | b"utimensat" | b"futimesat" | b"utimensat_time64" => {
                self.by_path(sink, call, OpKind::SetAttr, Some(0), 1)
            }
            b"fchmod" | b"fchown" | b"fsetxattr" | b"fremovexattr" => {
                self.by_handle(sink, call, OpKind::SetAttr)
            }
            b"readlink" => self.read_link(sink, call, None, 0),
            b"readlinkat" => self.read_link(sink, call, Some(0), 1),
            b"statfs" | b"getxattr" | b"lgetxattr" | b"listxattr" | b"llistxattr" | b"mknod" => {
                self.by_path(sink, call, other, None, 0)
            }
            b"mknodat" => self.by_path(sink, call, other, Some(0), 1),
            // symlink(target, name): the target need not exist, and is not listed as a file.
            b"symlink" => self.symbolic_link(sink, call, None, 1),
            b"symlinkat" => self.symbolic_link(sink, call, Some(1), 2),
            b"ioctl"
                if has_flag(call.args.at(1), b"FICLONE") || has_flag(call.args.at(1), b"FICLONERANGE") =>
            {
                let named = Named::Handle(self.handle(sink, call, 0)?);
                self.push_asking(sink, call, (OpKind::Other, OtherBits::CLONE.0.into()), &named).map(drop)
            }
            b"flock" | b"ioctl" | b"fadvise64" | b"readahead" | b"fstatfs" | b"fgetxattr" | b"flistxattr" => {
                self.by_handle(sink, call, other)
            }
            _ => self.not_of_files(sink),
        }
    }

    /// The object of a path argument; an empty path, or `NULL`, refers to the directory's descriptor
    /// itself.
    fn named(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
        is_directory: bool,
    ) -> Result<Named, LineError> {
        let argument = call.args.at(path);
        let is_empty = matches!(argument, b"\"\"" | b"NULL");
        let base = directory.filter(|_| is_empty);
        if let Some(place) = base
            && descriptor(call.args.at(place)).is_some_and(|base| base.number >= 0)
        {
            return Ok(Named::Handle(self.handle(sink, call, place)?));
        }
        if is_empty && !call.succeeded() {
            return Ok(Named::Path(Err("an empty path")));
        }
        let path = match follows(call) {
            true => self.resolve_whole(call, directory, path)?,
            false => self.resolve(call, directory, path)?,
        };
        let is_directory = is_directory || sink.knows_directory(&path);
        Ok(Named::Path(if is_directory { sink.directory(&path)? } else { sink.file(&path)? }))
    }

    /// Adds a plain operation on an object. Returns the file's number if the operation was added.
    fn push_named(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        kind: OpKind,
        named: &Named,
    ) -> Result<Option<u32>, LineError> {
        self.push_asking(sink, call, (kind, 0), named)
    }

    /// Like [`Strace::push_named`], with a value for the length field. For operations on a path without
    /// an equivalent, or that failed.
    pub(super) fn push_other(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        place: Place,
        what: OtherBits,
    ) -> LineResult {
        self.push_asking(sink, call, (OpKind::Other, what.0.into()), &Named::Path(place)).map(drop)
    }

    fn push_asking(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        (kind, len): (OpKind, u64),
        named: &Named,
    ) -> Result<Option<u32>, LineError> {
        let (place, transfer) = match named {
            Named::Path(place) => (*place, 0),
            Named::Handle(Err(why)) => (Err(*why), 0),
            Named::Handle(Ok(handle)) => {
                let file = handle.borrow();
                (file.place, file.transfer)
            }
        };
        match place {
            Ok(file) => {
                let op = Op::new(kind, file, call.stream, call.start_ns, call.end_ns, call.errno);
                sink.push(Op { transfer, len, ..op })?;
                Ok(Some(file))
            }
            Err(why) => {
                sink.leave_out(why);
                Ok(None)
            }
        }
    }

    /// An operation on a path that needs the file and does not remove it.
    fn by_path(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        kind: OpKind,
        directory: Option<usize>,
        path: usize,
    ) -> LineResult {
        let named = self.named(sink, call, directory, path, false)?;
        if let Some(file) = self.push_named(sink, call, kind, &named)?
            && matches!(named, Named::Path(_))
        {
            exists(sink, file, call.errno);
        }
        Ok(())
    }

    /// `access` and its variants.
    fn access(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
    ) -> LineResult {
        let mode = call.args.at(path + 1);
        let [read, write, execute] = [b"R_OK", b"W_OK", b"X_OK"].map(|flag| has_flag(mode, flag));
        let asked = match mode {
            b"" => AccessBits::UNKNOWN,
            _ => AccessBits::of(read, write, execute),
        };
        let named = self.named(sink, call, directory, path, false)?;
        if let Some(file) = self.push_asking(sink, call, (OpKind::Access, u64::from(asked.0)), &named)? {
            exists(sink, file, call.errno);
        }
        Ok(())
    }

    /// An operation on the open file of the first argument.
    pub(super) fn by_handle(&mut self, sink: &mut Sink, call: &Call<'_>, kind: OpKind) -> LineResult {
        let named = Named::Handle(self.handle(sink, call, 0)?);
        self.push_named(sink, call, kind, &named)?;
        Ok(())
    }

    fn stat(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: Option<usize>,
        result: usize,
    ) -> LineResult {
        let result = call.args.at(result);
        let is = |mode: &[u8]| has_type(result, mode);
        let named = match path {
            Some(path) => self.named(sink, call, directory, path, is(b"S_IFDIR"))?,
            None => Named::Handle(self.handle(sink, call, 0)?),
        };
        let Some(file) = self.push_named(sink, call, OpKind::Stat, &named)? else { return Ok(()) };
        if let Named::Path(_) = named {
            exists(sink, file, call.errno);
        }
        let size = field(result, b"st_size=").or_else(|| field(result, b"stx_size="));
        if let Some(size) = size.filter(|_| call.succeeded() && is(b"S_IFREG")) {
            let node = match &named {
                Named::Handle(Ok(handle)) => std::rc::Rc::clone(&handle.borrow().node),
                _ => sink.known.node(file),
            };
            sink.known.size_seen(&node, size);
        }
        Ok(())
    }

    fn remove(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
        is_directory: bool,
    ) -> LineResult {
        let named = self.named(sink, call, directory, path, is_directory)?;
        let kind = if is_directory { OpKind::RemoveDir } else { OpKind::Unlink };
        if let Some(file) = self.push_named(sink, call, kind, &named)? {
            match call.errno {
                0 => sink.known.removed(file),
                errno => exists(sink, file, errno),
            }
        }
        if call.succeeded() && matches!(named, Named::Path(_)) {
            let path = self.resolve(call, directory, path)?;
            self.links.forget(&path);
        }
        Ok(())
    }

    fn make_directory(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
    ) -> LineResult {
        let named = self.named(sink, call, directory, path, true)?;
        if let Some(file) = self.push_named(sink, call, OpKind::MakeDir, &named)? {
            // If the name existed, mkdir does not report its type; it is most likely a directory.
            sink.known.asked_for(file, call.errno);
        }
        Ok(())
    }

    fn rename(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        old_directory: Option<usize>,
        old: usize,
        new_directory: Option<usize>,
        new: usize,
    ) -> LineResult {
        let old = self.resolve(call, old_directory, old)?;
        let new = self.resolve(call, new_directory, new)?;
        let exchanges = has_flag(call.args.at(4), b"RENAME_EXCHANGE");
        match exchanges {
            _ if !call.succeeded() => {}
            true => self.links.exchanged(&old, &new),
            false => self.links.renamed(&old, &new),
        }
        let is_directory = sink.knows_directory(&old) || sink.knows_directory(&new);
        let mut place = |path: &[u8]| if is_directory { sink.directory(path) } else { sink.file(path) };
        let (old, new) = (place(&old)?, place(&new)?);
        let (Ok(old), Ok(new)) = (old, new) else {
            let is_half = old.is_ok() != new.is_ok();
            sink.leave_out(if is_half { "a rename into or out of the imported directory" } else { OUTSIDE });
            return Ok(());
        };
        if let Some(other) = unlike_a_rename(call.args.at(4), call.errno) {
            // Such a rename is recorded, but its effect on the names is not tracked.
            let op = Op::new(OpKind::Other, old, call.stream, call.start_ns, call.end_ns, call.errno);
            sink.push(Op { len: u64::from(other.0), ..op })?;
            return Ok(());
        }
        let op = Op::new(OpKind::Rename, old, call.stream, call.start_ns, call.end_ns, call.errno);
        let flags = OpFlags::NONE.with_if(OpFlags::EXCHANGES, exchanges);
        sink.push(Op { offset: u64::from(new), flags, ..op })?;
        match call.errno {
            0 => {
                match exchanges {
                    true => sink.known.exchanged(old, new),
                    false => sink.known.renamed(old, new),
                }
                if is_directory {
                    self.directories_renamed = true;
                    sink.directories_renamed([old, new]);
                }
            }
            errno::ENOENT if !exchanges => sink.known.missing(old),
            _ => {}
        }
        Ok(())
    }

    fn link(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        old_directory: Option<usize>,
        old: usize,
        new_directory: Option<usize>,
        new: usize,
    ) -> LineResult {
        let old = match self.by_proc(call, old) {
            Some(handle) => Named::Handle(Ok(handle)),
            None => self.named(sink, call, old_directory, old, false)?,
        };
        let new = self.resolve(call, new_directory, new)?;
        let new = sink.file(&new)?;
        if let Named::Handle(Ok(handle)) = &old
            && handle.borrow().is_nameless
            && call.succeeded()
        {
            return named_at_last(sink, call, handle, new);
        }
        let old = match &old {
            Named::Path(place) => place.ok(),
            Named::Handle(handle) => handle.as_ref().ok().and_then(|handle| handle.borrow().place.ok()),
        };
        let (Some(old), Ok(new)) = (old, new) else {
            // Counted for the new name, because later operations on that name need a file.
            let what = (OpKind::Other, OtherBits::HARD_LINK.0.into());
            return self.push_asking(sink, call, what, &Named::Path(new)).map(drop);
        };
        let op = Op::new(OpKind::Link, old, call.stream, call.start_ns, call.end_ns, call.errno);
        sink.push(Op { offset: u64::from(new), ..op })?;
        sink.known.link_asked_for(old, new, call.errno);
        Ok(())
    }

    fn symbolic_link(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
    ) -> LineResult {
        let link = self.resolve(call, directory, path)?;
        let text = string(call.args.at(0)).ok_or(LineError::Malformed("no target of a link"))?;
        let new = match sink.file(&link)? {
            Ok(new) => new,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let target = self.target(sink, &link, &text)?;
        if target.is_none() {
            sink.warn(
                "symbolic links that lead out of the imported directory; in a replay they point to \
                 themselves",
            );
        }
        let op = Op::new(OpKind::SymLink, new, call.stream, call.start_ns, call.end_ns, call.errno);
        sink.push(Op { offset: u64::from(target.unwrap_or(new)), ..op })?;
        sink.known.asked_for(new, call.errno);
        if call.succeeded() {
            self.links.learn(&link, text);
        }
        Ok(())
    }

    /// The target of a symbolic link; `None` if it is not recorded.
    fn target(&self, sink: &mut Sink, link: &[u8], text: &[u8]) -> Result<Option<u32>, LineError> {
        let path = self.links.follow(Known::meant_by(link, text), false);
        let place = if sink.knows_directory(&path) { sink.directory(&path)? } else { sink.file(&path)? };
        Ok(place.ok())
    }

    /// `readlink` and its variants. A link whose creation was not seen existed before.
    fn read_link(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
    ) -> LineResult {
        let named = self.named(sink, call, directory, path, false)?;
        let Some(file) = self.push_named(sink, call, OpKind::ReadLink, &named)? else { return Ok(()) };
        if !matches!(named, Named::Path(_)) {
            return Ok(());
        }
        let link = self.resolve(call, directory, path)?;
        let text = string(call.args.at(path + 1)).filter(|_| call.succeeded());
        match text.filter(|_| !self.links.knows(&link)) {
            Some(text) => {
                let target = self.target(sink, &link, &text)?.unwrap_or(file);
                let name = sink.name_of(target).unwrap_or_default().to_owned();
                if !name.is_empty() {
                    sink.known.leads_to(file, &name);
                }
                self.links.learn(&link, text);
            }
            None => exists(sink, file, call.errno),
        }
        Ok(())
    }

    /// The open file of `/proc/self/fd/N`. Linking it names an open file without extra privileges.
    fn by_proc(&mut self, call: &Call<'_>, path: usize) -> Option<Handle> {
        let path = string(call.args.at(path))?;
        let rest = path.strip_prefix(b"/proc/")?;
        let (process, number) = rest.split_at(memchr::memmem::find(rest, b"/fd/")?);
        let pid = match process {
            b"self" | b"thread-self" => call.pid,
            other => u32::try_from(unsigned(other)?).ok()?,
        };
        let number = i32::try_from(unsigned(number.strip_prefix(b"/fd/")?)?).ok()?;
        self.processes.get(pid, number)
    }

    /// `truncate` and `ftruncate`.
    fn resize(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let size = unsigned(call.args.at(1)).ok_or(LineError::Malformed("no size"))?;
        let named = match call.name[0] {
            b'f' => Named::Handle(self.handle(sink, call, 0)?),
            _ => self.named(sink, call, None, 0, false)?,
        };
        let (place, transfer, node) = match &named {
            Named::Handle(Ok(handle)) => {
                let file = handle.borrow();
                (file.place, file.transfer, Some(std::rc::Rc::clone(&file.node)))
            }
            Named::Handle(Err(why)) => (Err(*why), 0, None),
            Named::Path(place) => (*place, 0, None),
        };
        let file = match place {
            Ok(file) => file,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let op = Op::new(OpKind::Truncate, file, call.stream, call.start_ns, call.end_ns, call.errno);
        sink.push(Op { transfer, offset: size, ..op })?;
        if transfer == 0 {
            exists(sink, file, call.errno);
        }
        if call.succeeded() {
            node.unwrap_or_else(|| sink.known.node(file)).resized(size);
        }
        Ok(())
    }

    fn allocate(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let keeps_size = match call.args.at(1) {
            b"0" => false,
            b"FALLOC_FL_KEEP_SIZE" => true,
            _ => {
                let named = Named::Handle(self.handle(sink, call, 0)?);
                let what = (OpKind::Other, OtherBits::RANGE.0.into());
                return self.push_asking(sink, call, what, &named).map(drop);
            }
        };
        let (offset, len) = (unsigned(call.args.at(2)), unsigned(call.args.at(3)));
        let (Some(offset), Some(len)) = (offset, len) else { return Err(LineError::Malformed("no range")) };
        let handle = match self.handle(sink, call, 0)? {
            Ok(handle) => handle,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let file = handle.borrow();
        let Ok(number) = file.place else {
            sink.leave_out(file.place.err().unwrap_or_default());
            return Ok(());
        };
        let op = Op::new(OpKind::Allocate, number, call.stream, call.start_ns, call.end_ns, call.errno);
        let done_len = if call.succeeded() { len } else { 0 };
        let flags = OpFlags::NONE.with_if(OpFlags::KEEPS_SIZE, keeps_size);
        sink.push(Op { transfer: file.transfer, offset, len, done_len, flags, ..op })?;
        if call.succeeded() && !keeps_size {
            file.node.written(offset.saturating_add(len));
        }
        Ok(())
    }

    /// `mmap` of a file.
    fn map(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        if descriptor(call.args.at(4)).is_none() || !call.succeeded() {
            return self.not_of_files(sink);
        }
        let named = Named::Handle(self.handle(sink, call, 4)?);
        if self.push_named(sink, call, OpKind::Other, &named)?.is_some() {
            sink.warn(
                "files were mapped into memory; reads and writes through a map are not in this trace. Use \
                 'reelgauge record' instead",
            );
        }
        Ok(())
    }
}

/// Whether a printed `stat` has this file type: by name, or by number with `-X raw`.
fn has_type(result: &[u8], name: &[u8]) -> bool {
    if memchr::memmem::find(result, name).is_some() {
        return true;
    }
    let mode: &[u8] = if name == b"S_IFDIR" { b"mode=040" } else { b"mode=0100" };
    memchr::memmem::find(result, mode).is_some_and(|at| {
        let digits = result[at + b"mode=0".len()..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits == if name == b"S_IFDIR" { 5 } else { 6 }
    })
}

/// Whether a call follows symbolic links.
fn follows(call: &Call<'_>) -> bool {
    match call.name {
        b"link" => false,
        b"linkat" => (0..5).any(|at| has_flag(call.args.at(at), b"AT_SYMLINK_FOLLOW")),
        b"unlink" | b"unlinkat" | b"rmdir" | b"mkdir" | b"mkdirat" | b"mknod" | b"mknodat" | b"readlink"
        | b"readlinkat" | b"lstat" | b"lstat64" | b"lchown" | b"lsetxattr" | b"lremovexattr"
        | b"lgetxattr" | b"llistxattr" => false,
        _ => !(0..5).any(|at| has_flag(call.args.at(at), b"AT_SYMLINK_NOFOLLOW")),
    }
}

/// Records that an unnamed file (`O_TMPFILE`) was linked.
fn named_at_last(sink: &mut Sink, call: &Call<'_>, handle: &Handle, new: Place) -> LineResult {
    let mut file = handle.borrow_mut();
    file.is_nameless = false;
    match (file.place, new) {
        (Ok(old), Ok(new)) => {
            let op = Op::new(OpKind::Rename, old, call.stream, call.start_ns, call.end_ns, 0);
            sink.push(Op { offset: u64::from(new), ..op })?;
            sink.known.renamed(old, new);
        }
        _ => sink.leave_out("a rename into or out of the imported directory"),
    }
    Ok(())
}

/// The kind of a rename with flags that a plain rename cannot express.
fn unlike_a_rename(flags: &[u8], errno: i32) -> Option<OtherBits> {
    if has_flag(flags, b"RENAME_WHITEOUT") {
        Some(OtherBits::WHITEOUT)
    } else if has_flag(flags, b"RENAME_NOREPLACE") && errno == errno::EEXIST {
        Some(OtherBits::NO_REPLACE)
    } else {
        None
    }
}
