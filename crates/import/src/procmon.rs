//! Importer for the CSV of Windows's Process Monitor.
//!
//! Numbers in its details have the separators of the user's country (`5,242,880`, `5.242.880`,
//! `52,42,880`), its Time of Day has the country's format ([`crate::day_clock`]), and there may be a
//! byte order mark. The columns Duration, TID and Relative Time are not shown by default; without the
//! first two the trace has no durations and no threads. Relative Time is preferred, because its format
//! is the same in every country.
//!
//! Rows with "Paging I/O" are dropped: they are from the cache manager, and follow a row of the
//! application. So are those with the result "FAST IO DISALLOWED": the system repeats the request in
//! another way, and that row follows. An open for attributes alone is a "stat". Cannot see: handles
//! (they are distinguished by process and path), memory-mapped I/O, and the length of a read at the end
//! of a file.

use std::borrow::Cow;
use std::collections::HashMap;

use reelgauge_record::{OpKind, OpenBits};

use crate::day_clock::{CountryClock, clock_span, latin_digits};
use crate::errno;
use crate::fields::{Columns, csv};
use crate::ntstatus;
use crate::number::{decimal, seconds};
use crate::sink::{END_UNKNOWN, Op, Sink};
use crate::source_clock::Shown;
use crate::{ImportError, LineError, LineResult, Source};

/// How to make such a file.
pub(crate) const COMMAND: &str = "Process Monitor: add the columns Duration, TID and Relative Time (Options, \
    Select Columns), show only file system events, then File, Save, CSV";

const NEEDED: [&str; 4] = ["Operation", "Path", "Result", "Detail"];
const USEFUL: [&str; 5] = ["Relative Time", "Time of Day", "Duration", "TID", "PID"];
/// The reason why a row is refused.
const NO_TIME: &str = "no readable time. Add the column Relative Time (Options, Select Columns) and save the \
    CSV again";
/// Limit of handles that are open at the same time.
const MAX_OPEN: usize = 1 << 20;

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&[
        "memory-mapped I/O",
        "handles (identified by process and path)",
        "lengths of short reads",
    ]);
    let header = source.header()?;
    let mut names = Vec::new();
    if csv(&header, b',', &mut names).is_none() {
        return Err(source.not_of_format("its first line is not a row of CSV"));
    }
    let columns = Columns::find(names.iter().map(AsRef::as_ref), &NEEDED, &USEFUL);
    let columns = columns.map_err(|why| source.not_of_format(why))?;
    if !columns.has(4) && !columns.has(5) {
        return Err(source.not_of_format("it has neither a column Relative Time nor Time of Day"));
    }
    for (column, what) in [(6, "durations"), (7, "threads")] {
        if !columns.has(column) {
            source.sink.blind(&[what]);
        }
    }
    let mut procmon = Procmon {
        columns,
        clock: CountryClock::default(),
        is_relative: None,
        open: HashMap::new(),
        handles: 0,
    };
    source.each_line(|sink, line| {
        let mut row = Vec::new();
        csv(line, b',', &mut row).ok_or(LineError::Malformed("not a row of CSV"))?;
        procmon.row(sink, &row)
    })
}

struct Procmon {
    columns: Columns,
    clock: CountryClock,
    /// Whether times are from Relative Time; decided by the first row.
    is_relative: Option<bool>,
    /// Handles by process and file; the last one opened is used.
    open: HashMap<(u64, u32), Vec<u32>>,
    handles: usize,
}

/// The columns of a row that the importer uses.
struct Row<'r> {
    operation: &'r [u8],
    path: &'r [u8],
    result: &'r [u8],
    detail: &'r [u8],
    process: u64,
    stream: u32,
    start_ns: u64,
    end_ns: u64,
    errno: i32,
}

impl Row<'_> {
    fn op(&self, kind: OpKind, file: u32) -> Op {
        Op::new(kind, file, self.stream, self.start_ns, self.end_ns, self.errno)
    }
}

impl Procmon {
    fn row(&mut self, sink: &mut Sink, row: &[impl AsRef<[u8]>]) -> LineResult {
        let field = |column| self.columns.of(row, column);
        let (operation, detail) = (field(0), field(3));
        if row.len() < 4 {
            return Err(LineError::Malformed("too few fields"));
        }
        let at_ns = shown_ns(&mut self.clock, &mut self.is_relative, sink, (field(4), field(5)))
            .ok_or(LineError::Malformed(NO_TIME))?;
        if !is_of_files(operation) {
            sink.leave_out("events that are not file operations");
            return Ok(());
        }
        if memchr::memmem::find(detail, b"Paging I/O").is_some() {
            sink.leave_out("paging I/O of the cache manager");
            return Ok(());
        }
        if field(2) == b"FAST IO DISALLOWED" {
            sink.leave_out("refused fast I/O (it is requested again, and that row is kept)");
            return Ok(());
        }
        let process = decimal(field(8)).unwrap_or(0);
        let thread = decimal(field(7)).unwrap_or(process);
        let start_ns = sink.time(Shown { thread, at_ns, ..Shown::default() });
        let end_ns = start_ns.saturating_add(seconds(&latin(field(6))).unwrap_or(0));
        sink.lasted(thread, end_ns);
        sink.begin(start_ns, None);
        let row = Row {
            operation,
            path: field(1),
            result: field(2),
            detail,
            process,
            stream: sink.thread(thread),
            start_ns,
            end_ns,
            errno: ntstatus::of_name(field(2)).unwrap_or_else(|| {
                sink.warn("unknown results; they were imported as input/output errors");
                errno::EIO
            }),
        };
        self.operation(sink, &row)
    }

    fn operation(&mut self, sink: &mut Sink, row: &Row<'_>) -> LineResult {
        let is_listing = row.operation == b"QueryDirectory";
        let is_directory = is_listing
            || memchr::memmem::find(value(row.detail, b"Options: ").unwrap_or_default(), b"Directory")
                .is_some()
            || sink.knows_directory(row.path);
        let is_file = memchr::memmem::find(row.detail, b"Non-Directory").is_some();
        let place = if is_directory && !is_file { sink.directory(row.path)? } else { sink.file(row.path)? };
        let file = match place {
            Ok(file) => file,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let number = |key: &[u8]| number_of(row.detail, key);
        match row.operation {
            b"CreateFile" => self.create(sink, row, file, is_directory && !is_file),
            b"ReadFile" | b"WriteFile" => self.data(sink, row, file),
            b"CloseFile" => self.close(sink, row, file),
            b"FlushBuffersFile" => self.on_handle(sink, row, row.op(OpKind::Sync, file)),
            b"SetEndOfFileInformationFile" => {
                let offset = number(b"EndOfFile: ")?.ok_or(LineError::Malformed("no EndOfFile"))?;
                if row.errno == 0 {
                    sink.known.node(file).resized(offset);
                }
                self.on_handle(sink, row, Op { offset, ..row.op(OpKind::Truncate, file) })
            }
            b"SetAllocationInformationFile" => {
                let len = number(b"AllocationSize: ")?.ok_or(LineError::Malformed("no AllocationSize"))?;
                let done_len = if row.errno == 0 { len } else { 0 };
                self.on_handle(sink, row, Op { len, done_len, ..row.op(OpKind::Allocate, file) })
            }
            b"SetRenameInformationFile" | b"SetRenameInformationEx" => {
                named_anew(sink, row, OpKind::Rename, file, is_directory)
            }
            b"SetLinkInformationFile" | b"SetLinkInformationEx" => {
                named_anew(sink, row, OpKind::Link, file, is_directory)
            }
            b"SetDispositionInformationFile" | b"SetDispositionInformationEx" => {
                let deletes = memchr::memmem::find(row.detail, b"Delete: True").is_some()
                    || memchr::memmem::find(row.detail, b"FILE_DISPOSITION_DELETE").is_some();
                let removal = if is_directory { OpKind::RemoveDir } else { OpKind::Unlink };
                if deletes && row.errno == 0 {
                    sink.known.removed(file);
                }
                Ok(sink.push(row.op(if deletes { removal } else { OpKind::Other }, file))?)
            }
            b"SetBasicInformationFile" | b"SetSecurityFile" => {
                self.on_handle(sink, row, row.op(OpKind::SetAttr, file))
            }
            b"QueryDirectory" => Ok(sink.push(row.op(OpKind::ReadDir, file))?),
            name if name.starts_with(b"Query") => {
                if let Some(size) = number(b"EndOfFile: ")?.filter(|_| row.errno == 0 && !is_directory) {
                    sink.known.found(file);
                    let node = sink.known.node(file);
                    sink.known.size_seen(&node, size);
                }
                self.on_handle(sink, row, row.op(OpKind::Stat, file))
            }
            _ => self.on_handle(sink, row, row.op(OpKind::Other, file)),
        }
    }

    fn create(&mut self, sink: &mut Sink, row: &Row<'_>, file: u32, is_directory: bool) -> LineResult {
        let (bits, moves_data) = open_bits(row.detail);
        let outcome = value(row.detail, b"OpenResult: ").unwrap_or_default();
        let made = row.errno == 0 && outcome == b"Created";
        match row.errno {
            0 if made => sink.known.made(file),
            0 => sink.known.found(file),
            errno::ENOENT => sink.known.missing(file),
            _ => {}
        }
        if row.errno == 0 && matches!(outcome, b"Overwritten" | b"Superseded") {
            sink.known.node(file).resized(0);
        }
        let makes = bits.has(OpenBits::CREATE) || bits.has(OpenBits::TRUNCATE);
        let kind = match (is_directory, makes, moves_data) {
            (true, ..) if made => OpKind::MakeDir,
            (true, ..) | (false, false, false) => OpKind::Stat,
            (false, true, _) => OpKind::Create,
            (false, false, true) => OpKind::Open,
        };
        if !matches!(kind, OpKind::Create | OpKind::Open) {
            return Ok(sink.push(row.op(kind, file))?);
        }
        let transfer = sink.transfer();
        let (len, done_len) = (u64::from(bits.0), u64::from(made));
        sink.push(Op { transfer, len, done_len, ..row.op(kind, file) })?;
        if row.errno == 0 && self.handles < MAX_OPEN {
            self.open.entry((row.process, file)).or_default().push(transfer);
            self.handles += 1;
        }
        Ok(())
    }

    /// The handle of a process for a file: the one opened last.
    fn handle(&self, row: &Row<'_>, file: u32) -> Option<u32> {
        self.open.get(&(row.process, file)).and_then(|handles| handles.last()).copied()
    }

    fn on_handle(&mut self, sink: &mut Sink, row: &Row<'_>, op: Op) -> LineResult {
        let transfer = self.handle(row, op.file).unwrap_or(0);
        Ok(sink.push(Op { transfer, ..op })?)
    }

    fn data(&mut self, sink: &mut Sink, row: &Row<'_>, file: u32) -> LineResult {
        let len = number_of(row.detail, b"Length: ")?.ok_or(LineError::Malformed("no Length"))?;
        let is_write = row.operation == b"WriteFile";
        let offset = match offset_of(row.detail)? {
            Offset::At(offset) => offset,
            Offset::End if is_write => end_of(sink, file),
            Offset::End | Offset::Position => {
                sink.leave_out("reads and writes at a handle's own position, because it is not shown");
                return Ok(());
            }
        };
        let transfer = match self.handle(row, file) {
            Some(transfer) => transfer,
            None => {
                let transfer = sink.unseen_open(file, row.stream, row.start_ns)?;
                if self.handles < MAX_OPEN {
                    self.open.entry((row.process, file)).or_default().push(transfer);
                    self.handles += 1;
                }
                transfer
            }
        };
        let nothing = row.errno != 0 || row.result == b"END OF FILE";
        let done_len = if nothing { 0 } else { len };
        if is_write && !nothing {
            sink.known.node(file).written(offset.saturating_add(len));
        }
        let kind = if is_write { OpKind::Write } else { OpKind::Read };
        Ok(sink.push(Op { transfer, offset, len, done_len, ..row.op(kind, file) })?)
    }

    fn close(&mut self, sink: &mut Sink, row: &Row<'_>, file: u32) -> LineResult {
        let key = (row.process, file);
        let Some(transfer) = self.open.get_mut(&key).and_then(Vec::pop) else {
            sink.leave_out("closes of files opened for their attributes, or before the trace");
            return Ok(());
        };
        self.handles -= 1;
        if self.open.get(&key).is_some_and(Vec::is_empty) {
            self.open.remove(&key);
        }
        Ok(sink.push(Op { transfer, ..row.op(OpKind::Close, file) })?)
    }
}

/// The time of a row: its Relative Time, or its Time of Day if the source has no other.
fn shown_ns(
    clock: &mut CountryClock,
    is_relative: &mut Option<bool>,
    sink: &mut Sink,
    (relative, of_day): (&[u8], &[u8]),
) -> Option<u64> {
    if *is_relative != Some(false)
        && let Some(relative_ns) = clock_span(relative)
    {
        *is_relative = Some(true);
        return Some(relative_ns);
    }
    if *is_relative == Some(true) {
        return None;
    }
    let time = clock.at(of_day)?;
    *is_relative = Some(false);
    if time.is_half_assumed {
        sink.half_assumed();
    }
    Some(time.at_ns)
}

/// Text with ASCII digits.
fn latin(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(latin_digits(text)) }
}

/// Handles a rename or a hard link.
fn named_anew(sink: &mut Sink, row: &Row<'_>, kind: OpKind, old: u32, is_directory: bool) -> LineResult {
    let at = memchr::memmem::find(row.detail, b"FileName: ").ok_or(LineError::Malformed("no FileName"))?;
    let new = &row.detail[at + b"FileName: ".len()..];
    let new = if is_directory { sink.directory(new)? } else { sink.file(new)? };
    let Ok(new) = new else {
        sink.leave_out("a rename into or out of the imported directory");
        return Ok(());
    };
    if row.errno == 0 {
        match kind {
            OpKind::Link => sink.known.linked(old, new),
            _ => sink.known.renamed(old, new),
        }
    }
    Ok(sink.push(Op { offset: u64::from(new), ..row.op(kind, old) })?)
}

/// Whether an event is of the file system, not of the registry, network or processes.
fn is_of_files(operation: &[u8]) -> bool {
    let others: [&[u8]; 7] = [b"Reg", b"TCP", b"UDP", b"Process", b"Thread", b"Load Image", b"Profil"];
    !operation.is_empty()
        && operation != b"IRP_MJ_CLOSE"
        && !others.iter().any(|other| operation.starts_with(other))
}

/// The text after a key, up to the next key.
fn value<'d>(detail: &'d [u8], key: &[u8]) -> Option<&'d [u8]> {
    let at = memchr::memmem::find(detail, key)? + key.len();
    let rest = &detail[at..];
    // The next key is a word with a colon, after a comma; options themselves are separated by commas.
    let mut end = rest.len();
    for comma in memchr::memmem::find_iter(rest, b", ") {
        let next = &rest[comma + 2..];
        let word = next.iter().position(|byte| !byte.is_ascii_alphabetic() && *byte != b' ');
        if word.is_some_and(|word| next[word] == b':') {
            end = comma;
            break;
        }
    }
    Some(&rest[..end])
}

/// The offset of a read or write.
#[derive(Debug, PartialEq, Eq)]
enum Offset {
    At(u64),
    /// The end of the file: `FILE_WRITE_TO_END_OF_FILE`, which is -1.
    End,
    /// The end of the handle's last operation: `FILE_USE_FILE_POINTER_POSITION`, which is -2.
    Position,
}

fn offset_of(detail: &[u8]) -> Result<Offset, LineError> {
    let shown = latin(value(detail, b"Offset: ").unwrap_or_default());
    let negative = ["-", "\u{2212}", "\u{200e}-"].iter().find_map(|sign| shown.strip_prefix(sign.as_bytes()));
    match negative.map(<[u8]>::trim_ascii) {
        Some(b"1") => return Ok(Offset::End),
        Some(b"2") => return Ok(Offset::Position),
        _ => {}
    }
    match number_of(detail, b"Offset: ")? {
        Some(u64::MAX) => Ok(Offset::End),
        Some(offset) if offset == u64::MAX - 1 => Ok(Offset::Position),
        Some(offset) => Ok(Offset::At(offset)),
        None => Err(LineError::Malformed("no Offset")),
    }
}

/// The end of a file, as far as known.
fn end_of(sink: &mut Sink, file: u32) -> u64 {
    let node = sink.known.node(file);
    if node.size().is_none() {
        sink.warn(END_UNKNOWN);
    }
    node.end()
}

/// The reason why a number is refused.
const GROUPS: &str = "a number with an unknown grouping of digits";

/// The number after a key, with any country's group separators: the last group has three digits, the
/// others three or (in India) two. `None` if there is no number. Any other grouping is an error, because
/// a guess could be wrong by a factor of a thousand.
fn number_of(detail: &[u8], key: &[u8]) -> Result<Option<u64>, LineError> {
    let Some(at) = memchr::memmem::find(detail, key) else { return Ok(None) };
    let rest = &detail[at + key.len()..];
    let text = latin(&rest[..memchr::memmem::find(rest, b", ").unwrap_or(rest.len())]);
    let (mut digits, mut group) = (Vec::with_capacity(20), 0);
    let mut separator: Option<&[u8]> = None;
    let mut rest = text.trim_ascii();
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    loop {
        let run = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits.extend_from_slice(&rest[..run]);
        let fits = match group {
            0 => run > 0,
            _ => run == 3 || (run == 2 && run < rest.len()),
        };
        (group, rest) = (group + 1, &rest[run..]);
        if !fits || digits.len() > 20 || (group == 2 && digits.len() - run > 3) {
            return Err(LineError::Malformed(GROUPS));
        }
        if rest.is_empty() {
            return decimal(&digits).map(Some).ok_or(LineError::Malformed("a number beyond 2^64"));
        }
        let gap = &rest[..separator_bytes(rest)];
        if gap.is_empty() || *separator.get_or_insert(gap) != gap {
            return Err(LineError::Malformed(GROUPS));
        }
        rest = &rest[gap.len()..];
    }
}

/// Length of the separator at the start of a text; 0 if there is none.
fn separator_bytes(text: &[u8]) -> usize {
    match text.first() {
        Some(b',' | b'.' | b'\'' | b' ') => 1,
        // Another kind of space, in any encoding.
        _ => text.iter().take(3).take_while(|byte| !byte.is_ascii()).count(),
    }
}

/// The open bits, and whether the access rights include data.
fn open_bits(detail: &[u8]) -> (OpenBits, bool) {
    let has = |key: &[u8], words: &[&str]| {
        let text = value(detail, key).unwrap_or_default();
        words.iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
    };
    let access = |words: &[&str]| has(b"Desired Access: ", words);
    let reads = access(&["Generic Read", "Read Data", "All Access", "Maximum Allowed", "Execute"]);
    let writes = access(&[
        "Generic Write",
        "Write Data",
        "Append Data",
        "Generic Read/Write",
        "All Access",
        "Maximum Allowed",
    ]);
    let bits = OpenBits::UNKNOWN
        .with_if(OpenBits::READ, reads)
        .with_if(OpenBits::WRITE, writes)
        .with_if(OpenBits::DIRECT, has(b"Options: ", &["No Buffering"]))
        .with_if(OpenBits::DSYNC, has(b"Options: ", &["Write Through"]));
    let disposition = match value(detail, b"Disposition: ").unwrap_or_default() {
        b"Supersede" => 0,
        b"Create" => 2,
        b"OpenIf" => 3,
        b"Overwrite" => 4,
        b"OverwriteIf" => 5,
        _ => 1,
    };
    (crate::smb2::disposition_bits(bits, disposition), reads || writes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_country() {
        let number = |detail: &str, key: &str| match number_of(detail.as_bytes(), key.as_bytes()) {
            Ok(number) => Ok(number),
            Err(LineError::Malformed(why)) => Err(why),
            Err(other) => panic!("{other:?}"),
        };
        for detail in [
            "Offset: 5,242,880, Length: 16",
            "Offset: 5.242.880, Length: 16",
            "Offset: 5'242'880, Length: 16",
            "Offset: 5\u{2019}242\u{2019}880, Length: 16",
            "Offset: 5 242 880, Length: 16",
            "Offset: 5\u{a0}242\u{a0}880, Length: 16",
            "Offset: 5\u{202f}242\u{202f}880, Length: 16",
            "Offset: 52,42,880, Length: 16",
            "Offset: 5242880, Length: 16",
            "Offset: ٥٬٢٤٢٬٨٨٠, Length: ١٦",
            "Offset: ५,२४२,८८०, Length: १६",
        ] {
            assert_eq!(number(detail, "Offset: "), Ok(Some(5_242_880)), "{detail}");
            assert_eq!(number(detail, "Length: "), Ok(Some(16)), "{detail}");
        }
        assert_eq!(number("Offset: 7,41,632, Length: 8,192", "Offset: "), Ok(Some(741_632)));
        assert_eq!(number("Offset: n/a", "Offset: "), Ok(None));
        assert_eq!(number("EndOfFile: 1, 234", "EndOfFile: "), Ok(Some(1)));
        for odd in ["1,2345", "1,23", "1.234,567", "1234,567", "1,234,", "1x", "1,,234"] {
            assert_eq!(number(&format!("Offset: {odd}, Length: 16"), "Offset: "), Err(GROUPS), "{odd}");
        }
    }

    #[test]
    fn offsets_that_are_none() {
        let told = |detail: &str| offset_of(detail.as_bytes()).ok();
        assert_eq!(told("Offset: -1, Length: 88"), Some(Offset::End));
        assert_eq!(told("Offset: \u{2212}2, Length: 88"), Some(Offset::Position));
        assert_eq!(told("Offset: 18446744073709551615, Length: 88"), Some(Offset::End));
        assert_eq!(told("Offset: 18,446,744,073,709,551,615, Length: 88"), Some(Offset::End));
        assert_eq!(told("Offset: 18,446,744,073,709,551,614, Length: 88"), Some(Offset::Position));
        assert_eq!(told("Offset: 1,024, Length: 88"), Some(Offset::At(1024)));
        assert_eq!(told("Offset: n/a"), None);
    }

    #[test]
    fn values_end_where_the_next_key_begins() {
        let detail =
            b"Desired Access: Generic Read/Write, Delete, Disposition: OpenIf, Options: No Buffering";
        assert_eq!(value(detail, b"Desired Access: "), Some(&b"Generic Read/Write, Delete"[..]));
        let (bits, moves_data) = open_bits(detail);
        assert!(moves_data && bits.has(OpenBits::READ.with(OpenBits::WRITE).with(OpenBits::DIRECT)));
        assert!(bits.has(OpenBits::CREATE) && !bits.has(OpenBits::EXCLUSIVE));
        assert!(!open_bits(b"Desired Access: Read Attributes, Disposition: Open").1);
    }
}
