//! Dispatches calls by name, and handles calls that create, share and close descriptors.

use reelgauge_record::{OpKind, OpenBits, OtherBits};

use crate::descriptors::{Handle, OpenDescription};
use crate::errno::ENOENT;
use crate::path_filter::NOT_A_FILE;
use crate::sink::{Op, Sink, UNKNOWN_HANDLE};
use crate::strace::args::{CWD, Descriptor, descriptor, has_flag, is_absolute, string, unescape, unsigned};
use crate::strace::{Call, Strace};
use crate::{LineError, LineResult};

/// The reason why a directory's handle is skipped: it is part of the listing.
pub(super) const DIRECTORY_HANDLE: &str = "opens and closes of directories (their listing is kept)";
const NO_FILE_CALL: &str = "calls that are not file operations";

/// Whether a call that creates a process shares the descriptors with it.
pub(super) fn shares_files(text: &[u8]) -> bool {
    if memchr::memmem::find(text, b"CLONE_FILES").is_some() {
        return true;
    }
    // With `-X raw`: `flags=0x1200000|17`.
    let raw = memchr::memmem::find(text, b"flags=0x").and_then(|at| {
        let digits = &text[at + b"flags=0x".len()..];
        let end = digits.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(digits.len());
        crate::number::hexadecimal(&digits[..end])
    });
    raw.is_some_and(|flags| flags & CLONE_FILES != 0)
}

/// The value of `CLONE_FILES` on Linux.
const CLONE_FILES: u64 = 0x400;

impl Strace {
    /// Applies the effect of a call to the state, and adds its operations.
    pub(super) fn apply(&mut self, sink: &mut Sink, mut call: Call<'_>) -> LineResult {
        call.stream = sink.thread(u64::from(call.pid));
        let call = &call;
        match call.name {
            b"read" | b"write" | b"readv" | b"writev" | b"pread64" | b"pwrite64" | b"preadv" | b"pwritev"
            | b"preadv2" | b"pwritev2" | b"pread" | b"pwrite" => self.move_data(sink, call),
            b"lseek" | b"_llseek" => self.seek(sink, call),
            b"sendfile" | b"sendfile64" => self.send_file(sink, call),
            b"copy_file_range" => self.copy_range(sink, call),
            b"splice" => self.splice(sink, call),
            b"open" => self.open(sink, call, None, 0, call.args.at(1)),
            b"openat" => self.open(sink, call, Some(0), 1, call.args.at(2)),
            b"openat2" => self.open(sink, call, Some(0), 1, call.args.at(2)),
            b"creat" => self.open(sink, call, None, 0, b"O_WRONLY|O_CREAT|O_TRUNC"),
            b"close" => self.close(sink, call),
            b"close_range" => self.close_range(sink, call),
            b"dup" | b"dup2" | b"dup3" => self.duplicate(sink, call, has_flag(call.args.at(2), b"O_CLOEXEC")),
            b"fcntl" | b"fcntl64" => self.control(sink, call),
            b"clone" | b"clone3" | b"fork" | b"vfork" => self.make_process(sink, call),
            b"execve" | b"execveat" => self.exec(sink, call),
            b"chdir" | b"fchdir" => self.change_directory(sink, call),
            b"io_uring_setup" | b"io_uring_enter" | b"io_uring_register" => {
                sink.warn(
                    "calls of io_uring, whose operations are not in this trace. Use 'reelgauge record' \
                     instead",
                );
                Ok(())
            }
            b"io_submit" | b"io_setup" => {
                sink.warn("calls of asynchronous I/O, whose reads and writes are not in this trace");
                Ok(())
            }
            _ => self.apply_meta(sink, call),
        }
    }

    /// Handles a call that is in none of the tables.
    pub(super) fn not_of_files(&mut self, sink: &mut Sink) -> LineResult {
        sink.leave_out(NO_FILE_CALL);
        Ok(())
    }

    /// The open file of an argument; an error if the argument is no descriptor.
    pub(super) fn handle(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        place: usize,
    ) -> Result<Result<Handle, &'static str>, LineError> {
        let argument = call.args.at(place);
        let Some(descriptor) = descriptor(argument) else {
            // -1 and other invalid numbers: the call failed with EBADF, or referred to no file.
            return Ok(Err(UNKNOWN_HANDLE));
        };
        let known = match &call.first {
            Some(first) if place == 0 => Some(Handle::clone(first)),
            _ => self.processes.get(call.pid, descriptor.number),
        };
        let Some(path) = descriptor.path else { return Ok(known.ok_or(UNKNOWN_HANDLE)) };
        match known {
            Some(handle) if handle.borrow().path == path => Ok(Ok(handle)),
            Some(handle) if self.is_renamed(sink, &handle, path)? => Ok(Ok(handle)),
            _ => self.unseen(sink, call, descriptor.number, path).map(Ok),
        }
    }

    /// Whether an open file's path changed because the file, or a folder above it, was renamed.
    fn is_renamed(&mut self, sink: &mut Sink, handle: &Handle, path: &[u8]) -> Result<bool, LineError> {
        let mut file = handle.borrow_mut();
        let last = |path: &[u8]| unescape(path).rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
        let is_same = if self.directories_renamed && last(&file.path) == last(path) {
            true
        } else if !is_absolute(path) || !is_absolute(&file.path) {
            false
        } else {
            match sink.file(&unescape(path))? {
                Ok(number) => std::rc::Rc::ptr_eq(&sink.known.node(number), &file.node),
                Err(_) => file.place.is_err(),
            }
        };
        if is_same {
            file.path = path.to_vec();
        }
        Ok(is_same)
    }

    /// An open file whose open is not in the source.
    fn unseen(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        number: i32,
        path: &[u8],
    ) -> Result<Handle, LineError> {
        let mut file = OpenDescription::out(NOT_A_FILE, path);
        if is_absolute(path) {
            file.place = sink.file(&unescape(path))?;
        }
        if let Ok(number) = file.place {
            sink.known.found(number);
            file.node = sink.known.node(number);
            file.transfer = sink.unseen_open(number, call.stream, call.start_ns)?;
        }
        let handle = file.shared();
        if let Some(gone) = self.processes.set(call.pid, number, Handle::clone(&handle), false) {
            self.close_for_good(sink, call.pid, call.start_ns, vec![gone])?;
        }
        Ok(handle)
    }

    /// The full path of a path argument.
    pub(super) fn resolve(
        &mut self,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
    ) -> Result<Vec<u8>, LineError> {
        let path = string(call.args.at(path)).ok_or(LineError::Malformed("a missing path"))?;
        let base = match directory {
            Some(place) => descriptor(call.args.at(place)).ok_or(LineError::Malformed("no directory"))?,
            None => Descriptor { number: CWD, path: None },
        };
        if let (CWD, Some(shown)) = (base.number, base.path) {
            self.processes.set_directory(call.pid, &unescape(shown));
        }
        if path.first() == Some(&b'/') {
            return Ok(self.links.follow(path, false));
        }
        let base = match (base.number, base.path) {
            (_, Some(shown)) => Some(unescape(shown)),
            (CWD, None) => self.processes.directory(call.pid),
            (number, None) => {
                self.processes.get(call.pid, number).map(|handle| unescape(&handle.borrow().path))
            }
        };
        let full = match base {
            Some(mut base) => {
                base.push(b'/');
                base.extend_from_slice(&path);
                base
            }
            None => path,
        };
        Ok(self.links.follow(full, false))
    }

    /// The full path that a path argument refers to, through symbolic links.
    pub(super) fn resolve_whole(
        &mut self,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
    ) -> Result<Vec<u8>, LineError> {
        let path = self.resolve(call, directory, path)?;
        Ok(self.links.follow(path, true))
    }

    /// `open` and its variants.
    fn open(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        directory: Option<usize>,
        path: usize,
        flags: &[u8],
    ) -> LineResult {
        let flags = flags_of(flags);
        let stops =
            has_flag(flags, b"O_NOFOLLOW") || has_flag(flags, b"O_CREAT") && has_flag(flags, b"O_EXCL");
        let asked = match stops {
            true => self.resolve(call, directory, path)?,
            false => self.resolve_whole(call, directory, path)?,
        };
        let nameless = has_flag(flags, b"O_TMPFILE");
        if nameless && !call.succeeded() {
            // Not recorded as an open: a replay would create the file that this storage refused.
            let place = sink.directory(&asked)?;
            return self.push_other(sink, call, place, OtherBits::NAMELESS);
        }
        let asked = if nameless { self.made_up(sink, asked) } else { asked };
        let shown = call.path.map(|path| if is_absolute(path) { Ok(unescape(path)) } else { Err(()) });
        let mut file = OpenDescription::out(NOT_A_FILE, call.path.unwrap_or(&asked));
        file.is_directory = has_flag(flags, b"O_DIRECTORY") && !nameless;
        file.is_nameless = nameless && call.succeeded();
        file.append = has_flag(flags, b"O_APPEND");
        let full = match shown {
            Some(Ok(shown)) => Some(shown),
            Some(Err(())) => None,
            None => Some(asked),
        };
        if has_flag(flags, b"O_PATH") {
            file.place = Err("through a path-only handle (O_PATH)");
        } else if let Some(full) = full {
            file.place = if file.is_directory { sink.directory(&full)? } else { sink.file(&full)? };
        }
        match file.place {
            Err(why) => sink.leave_out(why),
            Ok(number) if file.is_directory => {
                sink.leave_out(DIRECTORY_HANDLE);
                exists(sink, number, call.errno);
            }
            Ok(number) => {
                file.transfer = sink.transfer();
                self.push_open(sink, call, number, file.transfer, flags)?;
                file.node = sink.known.node(number);
            }
        }
        if !call.succeeded() {
            return Ok(());
        }
        let number = i32::try_from(call.value).map_err(|_| LineError::Malformed("no descriptor"))?;
        let gone = self.processes.set(call.pid, number, file.shared(), has_flag(flags, b"O_CLOEXEC"));
        self.close_for_good(sink, call.pid, call.start_ns, gone.into_iter().collect())
    }

    /// A name for an unnamed file, in the directory in which it was created.
    fn made_up(&mut self, sink: &mut Sink, mut directory: Vec<u8>) -> Vec<u8> {
        sink.warn(
            "files created without a name (O_TMPFILE); they have an invented one here, until linkat or their \
             last close",
        );
        self.nameless = self.nameless.saturating_add(1);
        directory.extend_from_slice(format!("/#nameless-{}", self.nameless).as_bytes());
        directory
    }

    fn push_open(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        file: u32,
        transfer: u32,
        flags: &[u8],
    ) -> LineResult {
        let bits = open_bits(flags);
        let before = sink.known.exists(file);
        let creates = bits.has(OpenBits::CREATE);
        let is_new = bits.has(OpenBits::EXCLUSIVE) || before == Some(false) || has_flag(flags, b"O_TMPFILE");
        let made = call.succeeded() && creates && is_new;
        match call.errno {
            0 if made => sink.known.made(file),
            0 if creates && before.is_none() => sink.known.made_or_found(file),
            errno => exists(sink, file, errno),
        }
        if call.succeeded() && !made && bits.has(OpenBits::TRUNCATE) {
            sink.known.node(file).resized(0);
        }
        let may_make = creates || bits.has(OpenBits::TRUNCATE);
        let kind = if may_make { OpKind::Create } else { OpKind::Open };
        let op = Op::new(kind, file, call.stream, call.start_ns, call.end_ns, call.errno);
        sink.push(Op { transfer, len: u64::from(bits.0), done_len: u64::from(made), ..op })?;
        Ok(())
    }

    fn close(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let closed = match &call.closed {
            Some((handle, is_last)) => Some((Handle::clone(handle), *is_last)),
            None => descriptor(call.args.at(0))
                .and_then(|descriptor| self.processes.close(call.pid, descriptor.number)),
        };
        let Some((handle, is_last)) = closed else {
            sink.leave_out(UNKNOWN_HANDLE);
            return Ok(());
        };
        if !is_last {
            sink.leave_out("closes of one of several descriptors of an open file");
            return Ok(());
        }
        self.push_close(sink, call.stream, (call.start_ns, call.end_ns, call.errno), &handle)
    }

    fn push_close(
        &mut self,
        sink: &mut Sink,
        stream: u32,
        (start_ns, end_ns, errno): (u64, u64, i32),
        handle: &Handle,
    ) -> LineResult {
        Self::end_listing(sink, stream, handle)?;
        let file = handle.borrow();
        match file.place {
            Err(why) => sink.leave_out(why),
            Ok(_) if file.is_directory => sink.leave_out(DIRECTORY_HANDLE),
            Ok(number) => {
                let op = Op::new(OpKind::Close, number, stream, start_ns, end_ns, errno);
                sink.push(Op { transfer: file.transfer, ..op })?;
                if file.is_nameless {
                    sink.known.removed(number);
                    sink.push(Op::new(OpKind::Unlink, number, stream, end_ns, end_ns, 0))?;
                }
            }
        }
        Ok(())
    }

    /// Closes open files that have no descriptor left and were not closed by a call.
    pub(super) fn close_for_good(
        &mut self,
        sink: &mut Sink,
        pid: u32,
        at_ns: u64,
        gone: Vec<Handle>,
    ) -> LineResult {
        let stream = sink.thread(u64::from(pid));
        gone.iter().try_for_each(|handle| self.push_close(sink, stream, (at_ns, at_ns, 0), handle))
    }

    fn close_range(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        if !call.succeeded() {
            return Ok(());
        }
        let (first, last) = (unsigned(call.args.at(0)), unsigned(call.args.at(1)));
        let (Some(first), Some(last)) = (first, last) else { return Err(LineError::Malformed("no range")) };
        let is_in = |number: i32| u64::try_from(number).is_ok_and(|number| (first..=last).contains(&number));
        if has_flag(call.args.at(2), b"CLOSE_RANGE_CLOEXEC") {
            return Ok(());
        }
        let gone = self.processes.close_all(call.pid, |number, _| is_in(number));
        let times = (call.start_ns, call.end_ns, 0);
        gone.iter().try_for_each(|handle| self.push_close(sink, call.stream, times, handle))
    }

    /// `dup` and its variants.
    fn duplicate(&mut self, sink: &mut Sink, call: &Call<'_>, close_on_exec: bool) -> LineResult {
        if !call.succeeded() {
            return Ok(());
        }
        let number = i32::try_from(call.value).map_err(|_| LineError::Malformed("no descriptor"))?;
        let old = descriptor(call.args.at(0)).map(|descriptor| descriptor.number);
        if old == Some(number) {
            return Ok(());
        }
        let gone = match self.handle(sink, call, 0)? {
            Ok(handle) => self.processes.set(call.pid, number, handle, close_on_exec),
            // The descriptor's new target is unknown as well.
            Err(_) => {
                self.processes.close(call.pid, number).and_then(|(handle, last)| last.then_some(handle))
            }
        };
        self.close_for_good(sink, call.pid, call.start_ns, gone.into_iter().collect())
    }

    /// `fcntl`: duplicates a descriptor, or changes its flags or a lock.
    fn control(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let number = descriptor(call.args.at(0)).map_or(-1, |descriptor| descriptor.number);
        let argument = call.args.at(2);
        match call.args.at(1) {
            b"F_DUPFD" => self.duplicate(sink, call, false),
            b"F_DUPFD_CLOEXEC" => self.duplicate(sink, call, true),
            b"F_SETFD" if call.succeeded() => {
                self.processes.set_close_on_exec(call.pid, number, has_flag(argument, b"FD_CLOEXEC"));
                Ok(())
            }
            b"F_SETFL" if call.succeeded() => {
                if let Some(handle) = self.processes.get(call.pid, number) {
                    handle.borrow_mut().append = has_flag(argument, b"O_APPEND");
                }
                Ok(())
            }
            b"F_SETLK" | b"F_SETLKW" | b"F_OFD_SETLK" | b"F_OFD_SETLKW" => {
                self.by_handle(sink, call, OpKind::Other)
            }
            _ => self.not_of_files(sink),
        }
    }

    fn make_process(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        if let Some(at) = self.cloning.iter().position(|(pid, _)| *pid == call.pid) {
            self.cloning.remove(at);
        }
        if !call.succeeded() {
            return Ok(());
        }
        let Some(child) = call.child else { return Err(LineError::Malformed("no process")) };
        if child != 0 && !self.processes.knows(child) {
            self.fork(sink, call.pid, child, shares_files(call.text));
        }
        Ok(())
    }

    fn exec(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        sink.leave_out("program starts");
        if !call.succeeded() {
            return Ok(());
        }
        let gone = self.processes.exec(call.pid);
        self.close_for_good(sink, call.pid, call.end_ns, gone)
    }

    fn change_directory(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        if !call.succeeded() {
            return Ok(());
        }
        let path = match call.name {
            b"chdir" => Some(self.resolve(call, None, 0)?),
            _ => match self.handle(sink, call, 0)? {
                Ok(handle) => Some(unescape(&handle.borrow().path)),
                Err(_) => None,
            },
        };
        // The initial working directory may not be shown; a relative path is then relative to it.
        match path {
            Some(path) => self.processes.set_directory(call.pid, &path),
            None => sink.warn("changes of the working directory to an unknown one (strace -y shows it)"),
        }
        Ok(())
    }
}

/// Records that a file exists, as a result shows.
pub(super) fn exists(sink: &mut Sink, file: u32, errno: i32) {
    match errno {
        0 => sink.known.found(file),
        ENOENT => sink.known.missing(file),
        _ => {}
    }
}

/// The flags of `openat2`, which are in a structure.
fn flags_of(flags: &[u8]) -> &[u8] {
    let Some(at) = memchr::memmem::find(flags, b"flags=") else { return flags };
    let rest = &flags[at + b"flags=".len()..];
    let end = rest.iter().position(|byte| matches!(byte, b',' | b'}')).unwrap_or(rest.len());
    &rest[..end]
}

fn open_bits(flags: &[u8]) -> OpenBits {
    let has = |flag: &[u8]| has_flag(flags, flag);
    let (write_only, both) = (has(b"O_WRONLY"), has(b"O_RDWR"));
    // O_EXCL with O_TMPFILE means that the file never gets a name.
    OpenBits::UNKNOWN
        .with_if(OpenBits::READ, !write_only)
        .with_if(OpenBits::WRITE, write_only || both)
        .with_if(OpenBits::APPEND, has(b"O_APPEND"))
        .with_if(OpenBits::CREATE, has(b"O_CREAT") || has(b"O_TMPFILE"))
        .with_if(OpenBits::EXCLUSIVE, has(b"O_EXCL"))
        .with_if(OpenBits::TRUNCATE, has(b"O_TRUNC"))
        .with_if(OpenBits::DIRECT, has(b"O_DIRECT"))
        .with_if(OpenBits::DSYNC, has(b"O_DSYNC") || has(b"O_SYNC"))
}
