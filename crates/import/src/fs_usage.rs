//! Importer for macOS's `fs_usage -w -f filesys`.
//!
//! ```text
//! HH:MM:SS.uuuuuu  CALL  F=fd [errno] B=0xbytes O=0xoffset (flags) path  elapsed[ W]  process.thread
//! ```
//! A line is printed at the end of the call, with the time of the end. Reads and writes that use the
//! file position show no offset, so positions are tracked as for strace. Opens and calls by path show a
//! path. If the line is too long, the beginning of the path is cut off. This is rarest with `sudo
//! fs_usage -w` in a wide terminal, or with output to a file.
//!
//! `O=` of `pread` and `pwrite` has the call's third argument in the upper 32 bits, and the lower half
//! of the fourth argument in the lower 32 bits. On 32-bit PowerPC that was the offset. In 64-bit
//! processes it is the requested length, and the lower half of the offset. The upper half of the offset
//! is not shown. Sequential reads and writes are tracked across 4 GiB; others are ambiguous.
//!
//! Without `-w`, in a terminal of up to 132 columns, the tool prints whole seconds and no `F=`, `B=` or
//! `O=`, and cuts paths to the width of the line. Such a source is refused. With `-w` a path is cut only
//! if it does not fit into 264 columns. Such a path has no beginning and fills its column completely.
//!
//! Lines of disk I/O (`RdData`, `WrMeta[A]`, `PgIn` …) are the effects of other calls in the source.
//! They are dropped.
//!
//! Cannot see: processes (descriptors are tracked by process name), requested lengths (only bytes
//! transferred), the new name in a rename, offsets if a file's open was missed, and events that the tool
//! drops under load.

use reelgauge_record::{OpKind, OpenBits, OtherBits};

use crate::day_clock::DayClock;
use crate::descriptors::{Handle, OpenDescription, Processes};
use crate::errno;
use crate::number::{decimal, hexadecimal, seconds, time_of_day};
use crate::sink::{Op, Sink, UNKNOWN_HANDLE};
use crate::source_clock::Shown;
use crate::{ImportError, LineError, LineResult, Source};

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&[
        "memory-mapped I/O",
        "requested lengths",
        "new names of renames",
        "the upper 32 bits of offsets of pread and pwrite (4 GiB and more)",
        "events that fs_usage dropped under load",
    ]);
    let mut usage = FsUsage::default();
    source.each_line(|sink, line| usage.line(sink, line))
}

/// Whether a line is from this tool.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    parse(line).is_ok()
}

#[derive(Default)]
struct FsUsage {
    clock: DayClock,
    /// Descriptors, by numbers assigned to process names.
    processes: Processes,
    names: Vec<Vec<u8>>,
}

impl Line<'_> {
    /// Whether the beginning of its path is missing.
    fn is_cut(&self) -> bool {
        self.is_full && !matches!(self.path.first(), None | Some(b'/' | b'['))
    }
}

/// The reason why a source is refused.
const NARROW: &str = "it was recorded without -w: its paths are cut, its times are whole seconds, and its \
    reads and writes do not name their file";
/// The reason why an operation is skipped.
const CUT: &str = "a path whose beginning fs_usage cut off (it was too long for the line)";
/// The reason why a line is skipped: the call that caused it is already in the trace.
const DISK_IO: &str = "disk I/O below the file system (RdData, WrData, PgIn and similar)";
const NO_FILE_CALL: &str = "calls that are not file operations";

/// Limit of distinct process names.
const MAX_NAMES: usize = 1 << 12;

/// The parts of a line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Line<'a> {
    end_of_day_ns: u64,
    /// Whether its time is in whole seconds.
    is_narrow: bool,
    /// Whether its path fills its column, so that its beginning may be missing.
    is_full: bool,
    call: &'a [u8],
    descriptor: Option<i32>,
    second_descriptor: Option<i32>,
    errno: i32,
    bytes: Option<u64>,
    offset: Option<u64>,
    flags: &'a [u8],
    /// The text in angle brackets: `FULLFSYNC`, `SEEK_SET`.
    command: &'a [u8],
    path: &'a [u8],
    elapsed_ns: u64,
    process: &'a [u8],
    thread: u64,
}

fn parse(text: &[u8]) -> Result<Line<'_>, &'static str> {
    let (time, rest) = word(text);
    let end_of_day_ns = time_of_day(time).ok_or("no time of day")?;
    let (call, rest) = word(rest);
    if call.is_empty() {
        return Err("no call");
    }
    let is_narrow = memchr::memchr(b'.', time).is_none();
    let mut line = Line { end_of_day_ns, is_narrow, call, ..Line::default() };
    let (mut rest, tail) = elapsed(rest).ok_or("no elapsed time")?;
    line.is_full = is_full(text, rest);
    (line.elapsed_ns, line.process, line.thread) = (tail.elapsed_ns, tail.process, tail.thread);
    loop {
        let (next, after) = word(rest);
        let Some(&first) = next.first() else { break };
        match (first, next.get(1)) {
            (b'F', Some(b'=')) => {
                let (number, failed) = match memchr::memchr(b'[', next) {
                    Some(at) => (&next[2..at], true),
                    None => (&next[2..], false),
                };
                let number = decimal(number).and_then(|number| i32::try_from(number).ok());
                let place = if line.descriptor.is_none() {
                    &mut line.descriptor
                } else {
                    &mut line.second_descriptor
                };
                *place = number;
                if failed {
                    rest = &rest[memchr::memchr(b'[', rest).unwrap_or(0)..];
                    continue;
                }
            }
            (b'[', _) => {
                let end = memchr::memchr(b']', rest).ok_or("an unterminated error number")?;
                let inside = decimal(rest[1..end].trim_ascii());
                // `[5]/name` is a name relative to a descriptor, not an error.
                if rest.get(end + 1) == Some(&b'/') {
                    line.path = rest.trim_ascii();
                    break;
                }
                line.errno = errno::of_macos(inside.ok_or("no error number")?);
                rest = rest[end + 1..].trim_ascii_start();
                continue;
            }
            (b'B', Some(b'=')) => line.bytes = Some(hexadecimal(&next[2..]).ok_or("no number of bytes")?),
            (b'O', Some(b'=')) => line.offset = Some(hexadecimal(&next[2..]).ok_or("no offset")?),
            (b'(', _) => line.flags = next,
            (b'<', _) => {
                let end = memchr::memchr(b'>', rest).ok_or("'<' without '>'")?;
                line.command = &rest[1..end];
                rest = rest[end + 1..].trim_ascii_start();
                continue;
            }
            (b'A' | b'D' | b'S' | b'P' | b'N', Some(b'=')) => {}
            _ => {
                line.path = rest.trim_ascii();
                break;
            }
        }
        rest = after;
    }
    Ok(line)
}

/// Whether the text before the elapsed time reaches up to it. `shown` is the part of the line up to the
/// end of the path.
fn is_full(text: &[u8], shown: &[u8]) -> bool {
    /// Much narrower than the width with `-w`, or with output to a file (219 columns before the elapsed
    /// time).
    const NARROWEST: usize = 150;
    /// Blanks after a path that does not fit, and before the seconds, which have three digits.
    const BLANKS: usize = 3;
    let end = shown.as_ptr_range().end as usize - text.as_ptr_range().start as usize;
    let blanks = text[end..].iter().take_while(|byte| **byte == b' ').count();
    end >= NARROWEST && blanks <= BLANKS
}

fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}

/// The end of a line.
struct Tail<'a> {
    elapsed_ns: u64,
    process: &'a [u8],
    thread: u64,
}

/// Splits a line at the elapsed time: the text before it, and the tail that starts with it.
fn elapsed(text: &[u8]) -> Option<(&[u8], Tail<'_>)> {
    let text = text.trim_ascii_end();
    // Parsed from the end: process.thread (the process name may contain blanks), then the time.
    let mut end = text.len();
    loop {
        let start = memchr::memrchr(b' ', &text[..end]).map_or(0, |at| at + 1);
        let candidate = &text[start..end];
        let has_point = candidate.len() > 7 && candidate[candidate.len() - 7] == b'.';
        if has_point && let Some(elapsed_ns) = seconds(candidate) {
            let process = text[end..].trim_ascii();
            let process = process.strip_prefix(b"W ").unwrap_or(process).trim_ascii();
            let (process, thread) = match memchr::memrchr(b'.', process) {
                Some(at) => (&process[..at], decimal(&process[at + 1..]).unwrap_or(0)),
                None => (process, 0),
            };
            return Some((text[..start].trim_ascii_end(), Tail { elapsed_ns, process, thread }));
        }
        end = start.checked_sub(1)?;
    }
}

impl FsUsage {
    fn line(&mut self, sink: &mut Sink, text: &[u8]) -> LineResult {
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        let line = parse(text).map_err(LineError::Malformed)?;
        if line.is_narrow {
            return Err(LineError::Refused(NARROW));
        }
        let shown = Shown {
            thread: line.thread,
            at_ns: self.clock.at(line.end_of_day_ns),
            began_before_ns: line.elapsed_ns,
            printed_after_ns: None,
        };
        let end_ns = sink.time(shown);
        let start_ns = end_ns.saturating_sub(line.elapsed_ns);
        sink.begin(start_ns, None);
        let thread = sink.thread(line.thread);
        let process = self.process(line.process);
        let op = |kind: OpKind| Op::new(kind, 0, thread, start_ns, end_ns, line.errno);
        let call = line.call.strip_suffix(b"_nocancel").unwrap_or(line.call);
        match call {
            b"open" | b"openat" | b"open_dprotected" | b"guarded_open_np" | b"open_extended" => {
                self.open(sink, process, &line, op(OpKind::Open))
            }
            b"close" | b"guarded_close_np" => self.close(sink, process, &line, op(OpKind::Close)),
            b"read" | b"readv" | b"pread" | b"preadv" => self.data(sink, process, &line, op(OpKind::Read)),
            b"write" | b"writev" | b"pwrite" | b"pwritev" | b"guarded_write_np" | b"guarded_writev_np" => {
                self.data(sink, process, &line, op(OpKind::Write))
            }
            b"guarded_pwrite_np" => {
                sink.leave_out("guarded_pwrite_np, because fs_usage shows no offset");
                Ok(())
            }
            b"fcntl" if is_sync(line.command) => self.by_handle(sink, process, &line, op(OpKind::Sync)),
            b"lseek" => self.seek(process, &line),
            b"dup" | b"dup2" => self.duplicate(process, &line),
            b"fsync" | b"fdatasync" => self.by_handle(sink, process, &line, op(OpKind::Sync)),
            b"ftruncate" => {
                let offset = line.offset.unwrap_or(0);
                self.by_handle(sink, process, &line, Op { offset, ..op(OpKind::Truncate) })
            }
            b"fstat64" | b"fstat" => self.by_handle(sink, process, &line, op(OpKind::Stat)),
            b"getdirentries64" | b"getdirentries" | b"getattrlistbulk" => {
                self.by_handle(sink, process, &line, op(OpKind::ReadDir))
            }
            b"fchmod" | b"fchown" | b"futimes" | b"fsetattrlist" | b"fsetxattr" => {
                self.by_handle(sink, process, &line, op(OpKind::SetAttr))
            }
            _ => by_path(sink, &line, call, op),
        }
    }

    /// The number of a process name. All names beyond the limit share one number.
    fn process(&mut self, name: &[u8]) -> u32 {
        if let Some(at) = self.names.iter().position(|known| known == name) {
            return at as u32 + 1;
        }
        if self.names.len() < MAX_NAMES {
            self.names.push(name.to_vec());
            self.processes.begin_alone(self.names.len() as u32);
        }
        self.names.len() as u32
    }

    fn open(&mut self, sink: &mut Sink, process: u32, line: &Line<'_>, op: Op) -> LineResult {
        let mut file = OpenDescription::out("a name below an unknown directory", line.path);
        if line.is_cut() {
            file.place = Err(CUT);
        } else if line.path.first() != Some(&b'[') {
            file.place = sink.file(line.path)?;
        }
        let bits = open_bits(line.flags);
        file.append = bits.has(OpenBits::APPEND);
        match file.place {
            Err(why) => sink.leave_out(why),
            Ok(number) => {
                file.transfer = sink.transfer();
                self.opened(sink, number, bits, op.errno);
                file.node = sink.known.node(number);
                let may_make = bits.has(OpenBits::CREATE) || bits.has(OpenBits::TRUNCATE);
                let kind = if may_make { OpKind::Create } else { OpKind::Open };
                let done_len = u64::from(op.errno == 0 && bits.has(OpenBits::EXCLUSIVE));
                let len = u64::from(bits.0);
                sink.push(Op { kind, file: number, transfer: file.transfer, len, done_len, ..op })?;
            }
        }
        if let Some(descriptor) = line.descriptor.filter(|_| op.errno == 0) {
            self.processes.set(process, descriptor, file.shared(), false);
        }
        Ok(())
    }

    fn opened(&mut self, sink: &mut Sink, file: u32, bits: OpenBits, errno: i32) {
        let creates = bits.has(OpenBits::CREATE);
        match errno {
            0 if creates && bits.has(OpenBits::EXCLUSIVE) => sink.known.made(file),
            0 if creates && sink.known.exists(file) == Some(false) => sink.known.made(file),
            0 if creates => sink.known.made_or_found(file),
            0 => sink.known.found(file),
            errno::ENOENT => sink.known.missing(file),
            _ => {}
        }
        if errno == 0 && bits.has(OpenBits::TRUNCATE) {
            sink.known.node(file).resized(0);
        }
    }

    fn handle(&mut self, process: u32, line: &Line<'_>) -> Result<Handle, &'static str> {
        let descriptor = line.descriptor.ok_or(UNKNOWN_HANDLE)?;
        self.processes.get(process, descriptor).ok_or(UNKNOWN_HANDLE)
    }

    fn data(&mut self, sink: &mut Sink, process: u32, line: &Line<'_>, op: Op) -> LineResult {
        let handle = match self.handle(process, line) {
            Ok(handle) => handle,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let mut file = handle.borrow_mut();
        let done = line.bytes.unwrap_or(0);
        let is_write = op.kind == OpKind::Write;
        let shown = line.offset.map(|shown| Positioned::of(line.call, shown, done));
        let end_of_file = (is_write && file.append).then(|| file.node.end());
        let offset = match shown {
            Some(shown) => shown.offset(sink, &file),
            None => end_of_file.unwrap_or(file.position),
        };
        let asked = shown.and_then(Positioned::asked).unwrap_or(done);
        let end = offset.saturating_add(done);
        if shown.is_some() {
            file.positioned_end = end;
        } else {
            file.position = end;
        }
        match file.place {
            Ok(number) => {
                if is_write && done > 0 {
                    file.node.written(end);
                }
                let transfer = file.transfer;
                sink.push(Op { file: number, transfer, offset, len: asked, done_len: done, ..op })?;
            }
            Err(why) => sink.leave_out(why),
        }
        Ok(())
    }

    fn seek(&mut self, process: u32, line: &Line<'_>) -> LineResult {
        if let (Ok(handle), Some(position), 0) = (self.handle(process, line), line.offset, line.errno) {
            handle.borrow_mut().position = position;
        }
        Ok(())
    }

    fn duplicate(&mut self, process: u32, line: &Line<'_>) -> LineResult {
        if let (Ok(handle), Some(second), 0) =
            (self.handle(process, line), line.second_descriptor, line.errno)
        {
            self.processes.set(process, second, handle, false);
        }
        Ok(())
    }

    fn close(&mut self, sink: &mut Sink, process: u32, line: &Line<'_>, op: Op) -> LineResult {
        let closed = line.descriptor.and_then(|descriptor| self.processes.close(process, descriptor));
        match closed {
            Some((handle, true)) => {
                let file = handle.borrow();
                match file.place {
                    Ok(number) => sink.push(Op { file: number, transfer: file.transfer, ..op })?,
                    Err(why) => sink.leave_out(why),
                }
            }
            Some((_, false)) => sink.leave_out("closes of one of several descriptors of an open file"),
            None => sink.leave_out(UNKNOWN_HANDLE),
        }
        Ok(())
    }

    fn by_handle(&mut self, sink: &mut Sink, process: u32, line: &Line<'_>, op: Op) -> LineResult {
        let handle = match self.handle(process, line) {
            Ok(handle) => handle,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let file = handle.borrow();
        match file.place {
            Ok(number) if op.kind == OpKind::ReadDir => {
                // It is treated as a file until it is listed, which shows that it is a directory.
                let path = file.path.clone();
                if let Ok(directory) = sink.directory(&path)? {
                    sink.known.found(directory);
                    sink.push(Op { file: directory, ..op })?;
                } else {
                    sink.push(Op { file: number, ..op })?;
                }
            }
            Ok(number) => {
                if op.kind == OpKind::Truncate && op.errno == 0 {
                    file.node.resized(op.offset);
                }
                sink.push(Op { file: number, transfer: file.transfer, ..op })?;
            }
            Err(why) => sink.leave_out(why),
        }
        Ok(())
    }
}

/// A positioned read or write this close to the end of the last one counts as its continuation. So
/// several readers of one region, in any order, are tracked across 4 GiB.
const NEAR_BYTES: u64 = 64 << 20;
/// Range of a 32-bit offset.
const WRAP_BYTES: u64 = 1 << 32;

/// The meaning of `O=` in a positioned read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Positioned {
    /// The whole offset, as tools for 32-bit processes print it.
    Whole(u64),
    /// The lower half of the offset, and the requested length if shown.
    Half { low: u32, asked: Option<u64> },
}

impl Positioned {
    fn of(call: &[u8], shown: u64, done: u64) -> Positioned {
        let call = call.strip_suffix(b"_nocancel").unwrap_or(call);
        let (high, low) = (shown >> 32, shown as u32);
        match call {
            // The third argument is the number of buffers.
            b"preadv" | b"pwritev" if high > 0 => Positioned::Half { low, asked: None },
            // No call transfers more than requested, so a smaller upper half is not the length.
            b"pread" | b"pwrite" if high >= done => Positioned::Half { low, asked: Some(high) },
            _ => Positioned::Whole(shown),
        }
    }

    fn asked(self) -> Option<u64> {
        match self {
            Positioned::Half { asked, .. } => asked,
            Positioned::Whole(_) => None,
        }
    }

    /// The whole offset, derived from the order of reads and writes.
    fn offset(self, sink: &mut Sink, file: &OpenDescription) -> u64 {
        let low = match self {
            Positioned::Half { low, .. } => u64::from(low),
            Positioned::Whole(offset) => return offset,
        };
        let before = file.positioned_end;
        let same_turn = before / WRAP_BYTES * WRAP_BYTES + low;
        let turns = [Some(same_turn), same_turn.checked_sub(WRAP_BYTES), same_turn.checked_add(WRAP_BYTES)];
        let near = turns.into_iter().flatten().find(|offset| offset.abs_diff(before) <= NEAR_BYTES);
        let offset = near.unwrap_or(same_turn);
        if near.is_none() && before.max(file.node.end()) >= WRAP_BYTES {
            sink.warn(
                "offsets in files above 4 GiB that may be wrong by a multiple of 4 GiB: fs_usage shows only \
                 the lower 32 bits of pread and pwrite offsets, and these operations do not continue earlier \
                 ones",
            );
        } else if offset >= WRAP_BYTES {
            sink.warn(
                "offsets of 4 GiB and more, of which fs_usage shows only the lower 32 bits; the upper bits \
                 were derived from earlier reads and writes",
            );
        }
        offset
    }
}

/// Whether a call is disk I/O below the file system.
fn is_disk_io(call: &[u8]) -> bool {
    let kinds: [&[u8]; 6] = [b"RdData", b"WrData", b"RdMeta", b"WrMeta", b"PgIn", b"PgOut"];
    kinds.iter().any(|kind| call.starts_with(kind))
}

/// Whether an `fcntl` flushes data to the disk. The tool has no name for `F_BARRIERFSYNC`, which is 85.
fn is_sync(command: &[u8]) -> bool {
    matches!(command, b"FULLFSYNC" | b"CMD=85")
}

/// Handles a call that names its file by path.
fn by_path(sink: &mut Sink, line: &Line<'_>, call: &[u8], op: impl Fn(OpKind) -> Op) -> LineResult {
    let kind = match call {
        b"stat64" | b"stat" | b"lstat64" | b"lstat" | b"getattrlist" | b"fstatat64" => OpKind::Stat,
        b"access" | b"faccessat" | b"access_extended" => OpKind::Access,
        b"unlink" | b"unlinkat" => OpKind::Unlink,
        b"mkdir" | b"mkdirat" => OpKind::MakeDir,
        b"rmdir" => OpKind::RemoveDir,
        b"truncate" => OpKind::Truncate,
        b"chmod" | b"chown" | b"utimes" | b"setattrlist" | b"setxattr" | b"chflags" | b"removexattr" => {
            OpKind::SetAttr
        }
        b"rename" | b"renameat" | b"renamex_np" | b"renameatx_np" | b"clonefileat" | b"fclonefileat"
        | b"link" | b"symlink" | b"readlink" | b"getxattr" => OpKind::Other,
        _ => {
            sink.leave_out(if is_disk_io(call) { DISK_IO } else { NO_FILE_CALL });
            return Ok(());
        }
    };
    if line.is_cut() {
        sink.leave_out(CUT);
        return Ok(());
    }
    if line.path.is_empty() || line.path.first() == Some(&b'[') {
        sink.leave_out("a name below an unknown directory");
        return Ok(());
    }
    let is_directory = matches!(kind, OpKind::MakeDir | OpKind::RemoveDir);
    let place = if is_directory { sink.directory(line.path)? } else { sink.file(line.path)? };
    let file = match place {
        Ok(file) => file,
        Err(why) => {
            sink.leave_out(why);
            return Ok(());
        }
    };
    if call.starts_with(b"rename") {
        sink.warn("renames, because fs_usage does not show the new name");
    }
    match (line.errno, kind) {
        (0, OpKind::MakeDir) => sink.known.made(file),
        (0, OpKind::Unlink | OpKind::RemoveDir) => sink.known.removed(file),
        (0, _) => sink.known.found(file),
        (errno::ENOENT, _) => sink.known.missing(file),
        _ => {}
    }
    let offset = if kind == OpKind::Truncate { line.offset.unwrap_or(0) } else { 0 };
    let len = if call.ends_with(b"clonefileat") { u64::from(OtherBits::CLONE.0) } else { 0 };
    sink.push(Op { file, offset, len, ..op(kind) })?;
    Ok(())
}

/// `(RWCATE)`: letters or underscores for read, write, create, append, truncate, exclusive.
fn open_bits(flags: &[u8]) -> OpenBits {
    let has = |letter: u8| memchr::memchr(letter, flags).is_some();
    OpenBits::UNKNOWN
        .with_if(OpenBits::READ, has(b'R'))
        .with_if(OpenBits::WRITE, has(b'W'))
        .with_if(OpenBits::CREATE, has(b'C'))
        .with_if(OpenBits::APPEND, has(b'A'))
        .with_if(OpenBits::TRUNCATE, has(b'T'))
        .with_if(OpenBits::EXCLUSIVE, has(b'E'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_are_split() {
        let line = parse(
            b"10:00:00.000200  pread   F=5    B=0x8000    O=0x800000010000      0.000100 W Final Cut.77",
        )
        .unwrap();
        let wanted = Line {
            end_of_day_ns: 36_000_000_200_000,
            call: b"pread",
            descriptor: Some(5),
            bytes: Some(0x8000),
            offset: Some(0x8000_0001_0000),
            elapsed_ns: 100_000,
            is_full: false,
            process: b"Final Cut",
            thread: 77,
            ..Line::default()
        };
        assert_eq!(line, wanted);
        let line =
            parse(b"10:00:00.000200  open  F=5   (RW____)  /Volumes/a b/c.mov   0.000100   a.1").unwrap();
        assert_eq!(
            (line.path, line.flags, line.descriptor),
            (&b"/Volumes/a b/c.mov"[..], &b"(RW____)"[..], Some(5))
        );
        let line = parse(b"10:00:00.000200  read  F=5[ 35]    0.000100   a.1").unwrap();
        assert_eq!((line.descriptor, line.errno), (Some(5), 11));
        let line = parse(b"10:00:00.000200  stat64   [  2]   /nosuch    0.000100   a.1").unwrap();
        assert_eq!((line.path, line.errno), (&b"/nosuch"[..], 2));
        let line = parse(b"10:00:00.000200  lseek  F=5  O=0x00000010 <SEEK_SET>   0.000100   a.1").unwrap();
        assert_eq!((line.offset, line.path), (Some(16), &b""[..]));
        assert_eq!(line.command, b"SEEK_SET");
        for bad in ["", "10:00:00", "10:00:00.1 read F=3", "x read 0.000100 a.1"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_without_a_beginning_that_fills_its_place_is_cut() {
        let line = |path: &str, blanks: usize| {
            let gap = " ".repeat(blanks);
            // As wide as `-w` prints it.
            format!("10:00:00.000200  open              F=5   (R_____)  {path}{gap}0.000100   Final Cut.77")
        };
        let long = format!("umes/media/Job 12/{}.mov", "Camera A ".repeat(12));
        for (text, wanted) in [
            (line(&long, 3), true),
            (line(&long, 9), false),
            (line(&format!("/Vol{long}"), 3), false),
            (line("clip 1.mov", 3), false),
        ] {
            let line = parse(text.as_bytes()).unwrap();
            assert_eq!((line.is_cut(), line.is_narrow), (wanted, false), "{text}");
        }
        let narrow = parse(b"08:12:59  read    0.004100 W Final Cut Pr").unwrap();
        assert!(narrow.is_narrow);
    }
}
