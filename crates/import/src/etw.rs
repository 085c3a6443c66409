//! Importer for the text of Windows's event tracing: `xperf -i FILE.etl -a dumper`.
//!
//! ```text
//! FileIoRead|FileIoWrite, TimeStamp, Process Name ( PID), ThreadID, LoggingProcessName ( PID),
//!   LoggingThreadID, CPU, IrpPtr, FileObject, ByteOffset, Size, Flags, ExtraFlags, Priority, FileName,
//!   ParsedFlags
//! FileIoOpEnd, TimeStamp, …, IrpPtr, FileObject, ElapsedTime, Status, ExtraInfo, Type, FileName
//! ```
//! The text may start with a header that names the columns of every event. Without it, the columns of
//! current tools are assumed. An operation ends with the `FileIoOpEnd` of the same request packet, whose
//! ExtraInfo is the number of bytes transferred. Reads and writes of the cache manager (paging) are
//! dropped.
//!
//! Cannot see: whether a file was opened to read or to write, memory-mapped I/O, new names of renames.
//! Times are in microseconds.

use std::borrow::Cow;
use std::collections::HashMap;

use reelgauge_record::{OpKind, OpenBits};

use crate::errno;
use crate::fields::Columns;
use crate::ntstatus;
use crate::number::{decimal, either, hexadecimal};
use crate::sink::{HALF, Op, Place, Sink};
use crate::smb2::disposition_bits;
use crate::source_clock::Shown;
use crate::{ImportError, LineError, LineResult, Source};

/// The required columns, in the order of their numbers below.
const NEEDED: [&str; 5] = ["TimeStamp", "Process Name ( PID)", "ThreadID", "IrpPtr", "FileObject"];
const USEFUL: [&str; 9] =
    ["FileName", "ByteOffset", "Size", "Flags", "Options", "ElapsedTime", "Status", "ExtraInfo", "InfoClass"];
const NAME: usize = 5;
const OFFSET: usize = 6;
const SIZE: usize = 7;
const FLAGS: usize = 8;
const OPTIONS: usize = 9;
const ELAPSED: usize = 10;
const STATUS: usize = 11;
const EXTRA: usize = 12;
const CLASS: usize = 13;

/// The columns of each event in the output of current tools.
const COLUMNS: &[(&str, &str)] = &[
    ("FileIoCreate", "FileObject, Options, Attributes, ShareAccess, FileName"),
    ("FileIoCleanup", "FileObject, FileName"),
    ("FileIoClose", "FileObject, FileName"),
    ("FileIoFlush", "FileObject, FileName"),
    ("FileIoRead", "FileObject, ByteOffset, Size, Flags, ExtraFlags, Priority, FileName, ParsedFlags"),
    ("FileIoWrite", "FileObject, ByteOffset, Size, Flags, ExtraFlags, Priority, FileName, ParsedFlags"),
    ("FileIoSetInfo", "FileObject, ExtraInfo, InfoClass, FileName"),
    ("FileIoDelete", "FileObject, ExtraInfo, InfoClass, FileName"),
    ("FileIoRename", "FileObject, ExtraInfo, InfoClass, FileName"),
    ("FileIoQueryInfo", "FileObject, ExtraInfo, InfoClass, FileName"),
    ("FileIoFSCTL", "FileObject, ExtraInfo, InfoClass, FileName"),
    ("FileIoDirEnum", "FileObject, FileIndex, Size, InfoClass, FileName, FileName"),
    ("FileIoOpEnd", "FileObject, ElapsedTime, Status, ExtraInfo, Type, FileName"),
];
/// The columns that precede them in every event.
const COMMON: &str =
    "TimeStamp, Process Name ( PID), ThreadID, LoggingProcessName ( PID), LoggingThreadID, CPU, IrpPtr";

/// Limit of requests without their end, and of open files.
const MAX_WAITING: usize = 1 << 17;
const MAX_OPEN: usize = 1 << 20;
/// Flags of a request packet of the cache manager.
const PAGING: u64 = 0x42;

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&[
        "memory-mapped I/O",
        "whether files were opened to read or to write",
        "new names of renames",
    ]);
    let mut etw = Etw { columns: HashMap::new(), waiting: HashMap::new(), open: HashMap::new() };
    for (event, columns) in COLUMNS {
        etw.learn(event.as_bytes(), &split(format!("{COMMON}, {columns}").as_bytes()));
    }
    source.each_line(|sink, line| etw.line(sink, line))?;
    etw.waiting.drain().for_each(|_| source.sink.leave_out(HALF));
    Ok(())
}

struct Etw {
    columns: HashMap<Vec<u8>, Columns>,
    waiting: HashMap<u64, Op>,
    /// Handles and files by the address of the file object. A file that was opened before the trace has
    /// handle 0 until its first read or write. Other events show its name; reads and writes often don't.
    open: HashMap<u64, (u32, u32)>,
}

/// Splits a line into fields, without surrounding blanks and quotes. This is not CSV: there are blanks
/// before a quote, and an unclosed quote ends with the line.
fn split(line: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut fields = Vec::with_capacity(18);
    let mut rest = line;
    loop {
        let field = rest.trim_ascii_start();
        let end = match field.strip_prefix(b"\"") {
            Some(inside) => memchr::memchr(b'"', inside).map_or(field.len(), |quote| quote + 2),
            None => 0,
        };
        let comma = memchr::memchr(b',', &field[end..]).map(|comma| end + comma);
        let text = field[..comma.unwrap_or(field.len())].trim_ascii();
        let bare = text.strip_prefix(b"\"").map(|text| text.strip_suffix(b"\"").unwrap_or(text));
        fields.push(Cow::Borrowed(bare.unwrap_or(text)));
        match comma {
            Some(comma) => rest = &field[comma + 1..],
            None => return fields,
        }
    }
}

impl Etw {
    /// Stores the columns of an event from a header line. A header without the required columns is
    /// ignored.
    fn learn(&mut self, event: &[u8], columns: &[Cow<'_, [u8]>]) {
        let names = columns.iter().map(AsRef::as_ref);
        if let Ok(columns) = Columns::find(names, &NEEDED, &USEFUL) {
            self.columns.insert(event.to_vec(), columns);
        }
    }

    fn line(&mut self, sink: &mut Sink, line: &[u8]) -> LineResult {
        let line = line.trim_ascii();
        if !line.starts_with(b"FileIo") {
            if memchr::memchr(b',', line).is_some() {
                sink.leave_out("events that are not file operations");
            }
            return Ok(());
        }
        let mut row = split(line);
        let event = row.remove(0);
        if row.first().is_some_and(|field| field.as_ref() == b"TimeStamp") {
            if COLUMNS.iter().any(|(known, _)| known.as_bytes() == event.as_ref()) {
                self.learn(&event, &row);
            }
            return Ok(());
        }
        let Some(columns) = self.columns.get(event.as_ref()).cloned() else {
            sink.leave_out("events that are not file operations");
            return Ok(());
        };
        let field = |column| columns.of(&row, column);
        let at_us = decimal(field(0)).ok_or(LineError::Malformed("no TimeStamp"))?;
        let at_ns = at_us.checked_mul(1000).ok_or(LineError::Malformed("a time beyond 500 years"))?;
        // The whole text is in order of time: a request may end on another thread.
        let at_ns = sink.time(Shown { at_ns, ..Shown::default() });
        sink.begin(at_ns, None);
        let request = hexadecimal(field(3)).ok_or(LineError::Malformed("no IrpPtr"))?;
        if event.as_ref() == b"FileIoOpEnd" {
            return self.ended(sink, request, at_ns, &field);
        }
        if matches!(event.as_ref(), b"FileIoRead" | b"FileIoWrite")
            && either(field(FLAGS)).is_some_and(|flags| flags & PAGING != 0)
        {
            sink.leave_out("paging I/O of the cache manager");
            return Ok(());
        }
        self.begun(sink, &event, request, at_ns, &field)
    }

    fn begun<'r>(
        &mut self,
        sink: &mut Sink,
        event: &[u8],
        request: u64,
        at_ns: u64,
        field: &impl Fn(usize) -> &'r [u8],
    ) -> LineResult {
        let object = hexadecimal(field(4)).ok_or(LineError::Malformed("no FileObject"))?;
        let thread = decimal(field(2)).ok_or(LineError::Malformed("no ThreadID"))?;
        let stream = sink.thread(thread);
        let options = either(field(OPTIONS)).unwrap_or(0);
        let is_directory = event == b"FileIoDirEnum" || event == b"FileIoCreate" && options & 1 != 0;
        let known = self.open.get(&object).copied();
        let file = match self.named(sink, event, object, field(NAME), is_directory)? {
            Ok(file) => file,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let op = |kind: OpKind| Op::new(kind, file, stream, at_ns, at_ns, 0);
        let handle = known.map_or(0, |(transfer, _)| transfer);
        let number = |column: usize| either(field(column));
        let op = match event {
            b"FileIoCreate" if is_directory => op(OpKind::Stat),
            b"FileIoCreate" => self.create(sink, object, options >> 24, op(OpKind::Open)),
            b"FileIoCleanup" => {
                let open = self.open.remove(&object).filter(|(transfer, _)| *transfer != 0);
                let Some((transfer, file)) = open else {
                    sink.leave_out("closes of directories, or of files opened before the trace");
                    return Ok(());
                };
                Op { transfer, file, ..op(OpKind::Close) }
            }
            b"FileIoClose" => {
                sink.leave_out("end-of-file updates by the system when a file is closed");
                return Ok(());
            }
            b"FileIoRead" | b"FileIoWrite" => {
                let kind = if event == b"FileIoRead" { OpKind::Read } else { OpKind::Write };
                let offset = hexadecimal(field(OFFSET)).ok_or(LineError::Malformed("no ByteOffset"))?;
                let len = hexadecimal(field(SIZE)).ok_or(LineError::Malformed("no Size"))?;
                let transfer = if handle == 0 { self.unseen(sink, object, op(kind))? } else { handle };
                Op { transfer, offset, len, ..op(kind) }
            }
            b"FileIoFlush" => Op { transfer: handle, ..op(OpKind::Sync) },
            b"FileIoDelete" => op(OpKind::Unlink),
            b"FileIoDirEnum" => op(OpKind::ReadDir),
            b"FileIoQueryInfo" => Op { transfer: handle, ..op(OpKind::Stat) },
            b"FileIoSetInfo" if field(CLASS).starts_with(b"FileEndOfFile") => {
                let offset = number(EXTRA).ok_or(LineError::Malformed("no ExtraInfo"))?;
                Op { transfer: handle, offset, ..op(OpKind::Truncate) }
            }
            b"FileIoSetInfo" if field(CLASS).starts_with(b"FileBasic") => {
                Op { transfer: handle, ..op(OpKind::SetAttr) }
            }
            _ => op(OpKind::Other),
        };
        if event == b"FileIoRename" {
            sink.warn("renames, because this text does not show the new name");
        }
        self.wait(sink, request, op)
    }

    /// The file of an event: the one it names, or that of its file object.
    fn named(
        &mut self,
        sink: &mut Sink,
        event: &[u8],
        object: u64,
        name: &[u8],
        is_directory: bool,
    ) -> Result<Place, LineError> {
        let known = self.open.get(&object).copied();
        let place = match (known, name.is_empty()) {
            (Some((_, file)), true) => Ok(file),
            (None, true) => Err("an event without a file name"),
            (_, false) if is_directory || sink.knows_directory(name) => sink.directory(name)?,
            (_, false) => sink.file(name)?,
        };
        // Events that create, clean up or close a file object do not show its earlier use.
        let tells_name = known.is_none() && !is_directory && !event.starts_with(b"FileIoC");
        if let (Ok(file), true) = (place, tells_name && self.open.len() < MAX_OPEN) {
            self.open.insert(object, (0, file));
        }
        Ok(place)
    }

    /// Registers an open. Its end will show whether the file existed.
    fn create(&mut self, sink: &mut Sink, object: u64, disposition: u64, op: Op) -> Op {
        let transfer = sink.transfer();
        let bits = disposition_bits(OpenBits::UNKNOWN, disposition);
        let makes = bits != OpenBits::UNKNOWN;
        // An open that creates or truncates a file implies writing; the source shows no access rights.
        let bits = bits.with_if(OpenBits::READ.with(OpenBits::WRITE), makes);
        if self.open.len() < MAX_OPEN {
            self.open.insert(object, (transfer, op.file));
        }
        let kind = if makes { OpKind::Create } else { OpKind::Open };
        Op { kind, transfer, len: u64::from(bits.0), ..op }
    }

    fn unseen(&mut self, sink: &mut Sink, object: u64, op: Op) -> Result<u32, LineError> {
        let transfer = sink.unseen_open(op.file, op.stream, op.start_ns)?;
        if self.open.len() < MAX_OPEN {
            self.open.insert(object, (transfer, op.file));
        }
        Ok(transfer)
    }

    fn wait(&mut self, sink: &mut Sink, request: u64, op: Op) -> LineResult {
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.drain().for_each(|_| sink.leave_out(HALF));
        }
        if self.waiting.insert(request, op).is_some() {
            sink.leave_out(HALF);
        }
        Ok(())
    }

    fn ended<'r>(
        &mut self,
        sink: &mut Sink,
        request: u64,
        at_ns: u64,
        field: &impl Fn(usize) -> &'r [u8],
    ) -> LineResult {
        // Requests of the cache manager, of directories and of pipes have ends, too.
        let Some(mut op) = self.waiting.remove(&request) else { return Ok(()) };
        let status = hexadecimal(field(STATUS)).and_then(|status| u32::try_from(status).ok());
        let status = status.ok_or(LineError::Malformed("no Status"))?;
        op.errno = ntstatus::of_number(status);
        let elapsed_ns = decimal(field(ELAPSED)).map(|elapsed_us| elapsed_us.saturating_mul(1000));
        op.end_ns = elapsed_ns.map_or(at_ns, |elapsed_ns| op.start_ns.saturating_add(elapsed_ns));
        let extra = hexadecimal(field(EXTRA)).unwrap_or(0);
        let succeeded = op.errno == 0;
        match op.kind {
            OpKind::Read | OpKind::Write => {
                op.done_len = if succeeded { extra.min(op.len) } else { 0 };
                if op.kind == OpKind::Write && op.done_len > 0 {
                    sink.known.node(op.file).written(op.offset.saturating_add(op.done_len));
                }
            }
            // In the result of NtCreateFile, 2 means "created".
            OpKind::Create if succeeded && extra == 2 => {
                sink.known.made(op.file);
                op.done_len = 1;
            }
            OpKind::Unlink if succeeded => sink.known.removed(op.file),
            OpKind::Open | OpKind::Create | OpKind::Stat if succeeded => sink.known.found(op.file),
            OpKind::Open | OpKind::Create if op.errno == errno::ENOENT => sink.known.missing(op.file),
            OpKind::Truncate if succeeded => sink.known.node(op.file).resized(op.offset),
            _ => {}
        }
        Ok(sink.push(op)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_be_quoted_and_hold_commas() {
        let fields = split(b"  FileIoRead,  14195127, a b.exe (12), \"C:\\x, y\\z.mov\", ");
        let fields: Vec<&[u8]> = fields.iter().map(AsRef::as_ref).collect();
        assert_eq!(fields, [&b"FileIoRead"[..], b"14195127", b"a b.exe (12)", b"C:\\x, y\\z.mov", b""]);
        assert_eq!(split(b"\"open").len(), 1);
    }
}
