//! Receives parsed operations from importers. Converts paths to names, makes times start at 0, splits
//! operations that are too long for a record, and counts everything that is not imported.

use std::collections::{HashMap, HashSet};

use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_trace::info::MALFORMED_SHOWN;
use reelgauge_trace::pieces::{PIECE_BYTES, pieces};
use reelgauge_trace::{TraceError, TraceInfo, TraceNote};

use crate::known_files::Known;
use crate::path_filter::{PathScope, Spelling};
use crate::receiver::{AGENT, Receiver};
use crate::source_clock::{Shown, Steps, Timeline};
use crate::{Format, Options};

/// The longest operation that a record can hold. An operation whose pieces the system chooses (a copy, a
/// preallocation) is split if it is longer than a piece.
const RECORD_BYTES_MAX: u64 = u32::MAX as u64;
/// Limit of pieces of one operation. More would bloat the trace.
const PIECES_MAX: u64 = 1 << 16;
/// No system supports larger offsets.
const OFFSET_MAX: u64 = i64::MAX as u64;
/// Further threads share one number.
const MAX_THREADS: usize = 1 << 20;

/// Packets captured on several queues are out of order by less than this.
const PACKET_JITTER_NS: u64 = 1_000_000;

/// Skipped: no file supports this offset.
pub(crate) const BEYOND: &str = "an offset beyond 2^63";
/// The latest time in a log.
const TIME_MAX_NS: u64 = i64::MAX as u64;
/// Skipped: its time can't be from the same capture.
const TOO_LATE: &str = "a time more than 292 years after the first";
/// Skipped: its source is inconsistent.
const MORE_THAN_ASKED: &str = "more bytes done than requested, and more than 4 GiB";
/// Skipped: the source shows only its end, or only its start.
pub(crate) const HALF: &str = "a call without its end, or an end without its call";
/// Skipped: the origin of its handle is unknown.
pub(crate) const UNKNOWN_HANDLE: &str = "through a handle whose file is unknown";

/// The warning for a write at an unknown end of file.
pub(crate) const END_UNKNOWN: &str =
    "writes to the end of a file of unknown size; they were placed after the trace's own writes";

/// A file's number, or the reason why it is skipped.
pub(crate) type Place = Result<u32, &'static str>;

/// An operation, with times of the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub kind: OpKind,
    pub file: u32,
    /// The handle; 0 for an operation by path.
    pub transfer: u32,
    /// The thread, as numbered by [`Sink::thread`].
    pub stream: u32,
    pub offset: u64,
    /// The requested length, or the bits of an open.
    pub len: u64,
    /// The transferred length, in bytes.
    pub done_len: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    pub errno: i32,
    pub flags: OpFlags,
}

impl Op {
    /// An operation without a length.
    pub fn new(kind: OpKind, file: u32, stream: u32, start_ns: u64, end_ns: u64, errno: i32) -> Op {
        let (transfer, offset, len, done_len) = (0, 0, 0, 0);
        Op {
            kind,
            file,
            transfer,
            stream,
            offset,
            len,
            done_len,
            start_ns,
            end_ns,
            errno,
            flags: OpFlags::NONE,
        }
    }
}

/// Collects the operations of one import.
pub(crate) struct Sink<'a> {
    receiver: &'a mut dyn Receiver,
    meta: LogMeta,
    has_begun: bool,
    /// The description of the trace.
    pub info: TraceInfo,
    /// The known facts about its files.
    pub known: Known,
    scope: PathScope,
    base_ns: Option<u64>,
    threads: HashMap<u64, u32>,
    thread_count: u32,
    last_thread: Option<(u64, u32)>,
    transfers: u32,
    files: u32,
    /// Old and new names of renamed directories, each with its `/`.
    renamed_directories: HashSet<String>,
    ops: u64,
    left_out: Vec<(&'static str, u64)>,
    warnings: Vec<(&'static str, u64)>,
    /// Number of the current line of the source.
    pub line: u64,
    timeline: Timeline,
    /// Lines at which AM or PM was assumed.
    halves_assumed: Lines,
    /// Operations that were split.
    long: Lines,
    /// Requests for more than a record can hold that transferred less.
    long_requests: Lines,
}

/// Lines of the source with a common property: their number, and the first one's line number.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    times: u64,
    first_line: u64,
}

impl Lines {
    fn add(&mut self, line: u64) {
        if self.times == 0 {
            self.first_line = line;
        }
        self.times += 1;
    }
}

impl Sink<'_> {
    pub fn new<'a>(format: Format, options: &Options, receiver: &'a mut dyn Receiver) -> Sink<'a> {
        let (capture, spelling) = match format {
            Format::Smb2 | Format::Nfs => (CaptureLevel::Network, Spelling::Share),
            Format::Procmon | Format::Etw => (CaptureLevel::Application, Spelling::Windows),
            Format::Fio => (CaptureLevel::Application, Spelling::Benchmark),
            _ => (CaptureLevel::Application, Spelling::Unix),
        };
        let root = options.root.as_deref();
        let info = TraceInfo {
            name: options.name.clone(),
            about: root.map(|root| format!("files below {}", root.display())).unwrap_or_default(),
            made_by: format!("import {}", format.name()),
            source: options.source.clone(),
            ..TraceInfo::default()
        };
        Sink {
            receiver,
            meta: LogMeta { run_ns: 0, agent: AGENT.to_owned(), capture, blind_to: Vec::new() },
            has_begun: false,
            info,
            known: Known::default(),
            scope: PathScope::new(spelling, root),
            base_ns: None,
            threads: HashMap::new(),
            thread_count: 0,
            last_thread: None,
            transfers: 0,
            files: 0,
            renamed_directories: HashSet::new(),
            ops: 0,
            left_out: Vec::new(),
            warnings: Vec::new(),
            line: 0,
            timeline: timeline_of(format),
            halves_assumed: Lines::default(),
            long: Lines::default(),
            long_requests: Lines::default(),
        }
    }

    /// Adds the operations that the source can't show.
    pub fn blind(&mut self, to: &[&str]) {
        for to in to {
            self.info.blind(to);
        }
    }

    /// Sets the source's time at the start of the trace, and that moment since 1970 (`wall_ns`), if
    /// known. Only the first call counts. Operations that began earlier start with the trace.
    pub fn begin(&mut self, first_ns: u64, wall_ns: Option<u64>) {
        if self.base_ns.is_none() {
            self.base_ns = Some(first_ns);
            self.meta.run_ns = wall_ns.and_then(|wall_ns| i64::try_from(wall_ns).ok()).unwrap_or(0);
        }
    }

    /// The number of a file.
    pub fn file(&mut self, path: &[u8]) -> Result<Place, TraceError> {
        match self.scope.name(path) {
            Ok(name) => self.number(&name).map(Ok),
            Err(why) => Ok(Err(why)),
        }
    }

    /// The number of a directory.
    pub fn directory(&mut self, path: &[u8]) -> Result<Place, TraceError> {
        match self.scope.name(path) {
            Ok(mut name) => {
                name.push('/');
                self.number(&name).map(Ok)
            }
            Err(why) => Ok(Err(why)),
        }
    }

    /// Whether the trace has this path as a directory.
    pub fn knows_directory(&self, path: &[u8]) -> bool {
        self.scope.name(path).is_ok_and(|mut name| {
            name.push('/');
            self.receiver.number_of(&name).is_some()
        })
    }

    /// The name of a file in the trace.
    pub fn name_of(&mut self, file: u32) -> Option<&str> {
        Some(&self.receiver.entry(file)?.path)
    }

    fn number(&mut self, name: &str) -> Result<u32, TraceError> {
        let file = self.receiver().file(name)?;
        if file >= self.files {
            self.files = file + 1;
            if self.is_in_renamed_directory(name) {
                self.known.moved(file);
            }
        }
        Ok(file)
    }

    /// Records the old and the new name of a directory.
    pub fn directories_renamed(&mut self, directories: [u32; 2]) {
        let names = directories.map(|directory| self.name_of(directory).map(str::to_owned));
        self.renamed_directories.extend(names.into_iter().flatten());
    }

    fn is_in_renamed_directory(&self, name: &str) -> bool {
        !self.renamed_directories.is_empty()
            && name.match_indices('/').any(|(at, _)| self.renamed_directories.contains(&name[..=at]))
    }

    fn receiver(&mut self) -> &mut dyn Receiver {
        if !self.has_begun {
            self.has_begun = true;
            self.meta.blind_to.clone_from(&self.info.blind_to);
            self.receiver.begin(self.meta.clone());
        }
        self.receiver
    }

    /// The number of a thread, from 0 in order of appearance.
    pub fn thread(&mut self, id: u64) -> u32 {
        if let Some((last, number)) = self.last_thread
            && last == id
        {
            return number;
        }
        let room = self.threads.len() < MAX_THREADS;
        let number = match self.threads.get(&id) {
            Some(&number) => number,
            None if room => {
                let number = self.thread_count;
                self.thread_count += 1;
                self.threads.insert(id, number);
                number
            }
            None => self.thread_count,
        };
        self.last_thread = Some((id, number));
        number
    }

    /// The time of the current line, corrected if the source's clock went backwards.
    pub fn time(&mut self, shown: Shown) -> u64 {
        // A damaged time must not shift all later ones.
        if self.is_too_late(shown.at_ns) { shown.at_ns } else { self.timeline.line(shown, self.line) }
    }

    /// Records the end of a thread's last operation, in corrected time.
    pub fn lasted(&mut self, thread: u64, end_ns: u64) {
        if !self.is_too_late(end_ns) {
            self.timeline.lasted(thread, end_ns);
        }
    }

    fn is_too_late(&self, at_ns: u64) -> bool {
        self.base_ns.is_some_and(|base_ns| at_ns.saturating_sub(base_ns) > TIME_MAX_NS)
    }

    /// Records that the source's clock went backwards, by an amount that another clock in the source
    /// shows.
    pub fn clock_stepped(&mut self, back_ns: u64) {
        self.timeline.stepped(back_ns, self.line);
    }

    /// Records that the half of the day was assumed for this line.
    pub fn half_assumed(&mut self) {
        self.halves_assumed.add(self.line);
    }

    /// Records the end of a thread. Another thread may reuse its number in the source; it is a new one
    /// here.
    pub fn thread_ended(&mut self, id: u64) {
        self.timeline.thread_ended(id);
        self.threads.remove(&id);
        self.last_thread = None;
    }

    /// The number of a new handle, from 1.
    pub fn transfer(&mut self) -> u32 {
        self.transfers = self.transfers.saturating_add(1);
        self.transfers
    }

    /// Adds an open, and its handle, for a file whose open the source does not show. It comes right
    /// before the first use of the file, so that a replay has an open file.
    pub fn unseen_open(&mut self, file: u32, stream: u32, at_ns: u64) -> Result<u32, TraceError> {
        let transfer = self.transfer();
        self.warn("files whose opening the source does not show; an open was added before their first use");
        self.push(Op { transfer, ..Op::new(OpKind::Open, file, stream, at_ns, at_ns, 0) })?;
        Ok(transfer)
    }

    pub fn push(&mut self, op: Op) -> Result<(), TraceError> {
        let is_place = !op.kind.names_two();
        if is_place && (op.offset > OFFSET_MAX || op.offset.saturating_add(op.len) > OFFSET_MAX) {
            self.leave_out(BEYOND);
            return Ok(());
        }
        let is_of_system = op.kind == OpKind::Allocate || op.flags.has(OpFlags::COPIED);
        let most = if is_of_system { PIECE_BYTES } else { RECORD_BYTES_MAX };
        if op.len <= most {
            return self.push_piece(op);
        }
        let op = self.as_answered(op);
        // One preallocation of 2^62 bytes must not become 2^32 operations.
        if op.len.div_ceil(PIECE_BYTES) > PIECES_MAX {
            self.leave_out("an operation of more than 64 TiB");
            return Ok(());
        }
        if op.len <= most {
            return self.push_piece(op);
        }
        self.long.add(self.line);
        pieces_of(&op).try_for_each(|piece| self.push_piece(piece))
    }

    /// A read or write that is too long and transferred less than requested is reduced to the
    /// transferred bytes. A request for the rest would access data that the source did not.
    fn as_answered(&mut self, op: Op) -> Op {
        let answered = (op.done_len / PIECE_BYTES).saturating_add(1).saturating_mul(PIECE_BYTES);
        if !op.kind.moves_data() || op.done_len >= op.len || answered >= op.len {
            return op;
        }
        self.long_requests.add(self.line);
        Op { len: answered, ..op }
    }

    fn push_piece(&mut self, op: Op) -> Result<(), TraceError> {
        self.begin(op.start_ns, None);
        let base_ns = self.base_ns.unwrap_or(0);
        let issued_ns = op.start_ns.saturating_sub(base_ns);
        let done_ns = op.end_ns.saturating_sub(base_ns).max(issued_ns);
        if done_ns > TIME_MAX_NS {
            self.leave_out(TOO_LATE);
            return Ok(());
        }
        let (Ok(len), Ok(done_len)) = (u32::try_from(op.len), u32::try_from(op.done_len)) else {
            self.leave_out(MORE_THAN_ASKED);
            return Ok(());
        };
        let record = OpRecord {
            offset: op.offset,
            due_ns: issued_ns,
            issued_ns,
            done_ns,
            worker: 0,
            stream: op.stream,
            transfer: op.transfer,
            file: op.file,
            len,
            done_len,
            errno: op.errno,
            kind: op.kind,
            flags: op.flags,
            point: 0,
        };
        self.ops += 1;
        self.receiver().push(record)
    }

    /// Counts an operation that is not imported.
    pub fn leave_out(&mut self, why: &'static str) {
        count(&mut self.left_out, why);
    }

    /// Counts a warning for users of the trace.
    pub fn warn(&mut self, what: &'static str) {
        count(&mut self.warnings, what);
    }

    /// Counts a line that can't be parsed.
    pub fn malformed(&mut self, number: u64, line: &[u8], why: &'static str) {
        if self.info.first_malformed.len() < MALFORMED_SHOWN {
            // At most 200 characters are shown, and a character has at most four bytes.
            let start = &line[..line.len().min(1000)];
            self.info.malformed(number, &String::from_utf8_lossy(start), why);
        } else {
            self.info.malformed_lines += 1;
        }
    }

    /// Completes the facts about the files, and the trace's description.
    pub fn finish(mut self) -> Result<TraceInfo, TraceError> {
        for (why, ops) in std::mem::take(&mut self.left_out) {
            self.info.left_out.insert(why.to_owned(), ops);
        }
        for (what, times) in std::mem::take(&mut self.warnings) {
            self.info.warnings.push(format!("{times} {what}"));
        }
        if let Some(steps) = self.timeline.steps() {
            let Steps { times, largest_ns, first_line } = steps;
            self.info.notes.push(TraceNote::ClockWentBack { times, largest_ns, first_line });
        }
        if let Lines { times: times @ 1.., first_line } = self.halves_assumed {
            self.info.notes.push(TraceNote::HalfOfDayAssumed { times, first_line });
        }
        if let Lines { times: times @ 1.., first_line } = self.long {
            self.info.notes.push(TraceNote::LongOperationsSplit { times, first_line });
        }
        if let Lines { times: times @ 1.., first_line } = self.long_requests {
            self.info.notes.push(TraceNote::LongRequestsShortened { times, first_line });
        }
        if self.ops == 0 {
            return Err(TraceError::NoOperations { warnings: self.why_nothing() });
        }
        for file in 0..self.files {
            if let Some(entry) = self.receiver.entry(file) {
                self.known.complete(file, entry);
            }
        }
        Ok(self.info)
    }

    /// Explains why there are no operations.
    fn why_nothing(&self) -> String {
        let mut why: Vec<String> = Vec::new();
        if let Some(first) = self.info.first_malformed.first() {
            let lines = self.info.malformed_lines;
            why.push(format!(
                "{} cannot be parsed; the first is line {}: {} ({})",
                counted(lines, "line"),
                first.line,
                first.why,
                first.text
            ));
        }
        let left_out = self.info.left_out.iter();
        why.extend(
            left_out.map(|(reason, ops)| format!("{} left out: {reason}", counted(*ops, "operation"))),
        );
        why.join("; ")
    }
}

/// Splits an operation that is too long.
fn pieces_of(op: &Op) -> impl Iterator<Item = Op> + use<> {
    let op = *op;
    pieces(op.len, op.start_ns, op.end_ns).map(move |piece| {
        let len = u64::from(piece.len);
        let done_len = op.done_len.saturating_sub(piece.from).min(len);
        let (start_ns, end_ns) = (piece.start_ns, piece.end_ns);
        Op { offset: op.offset + piece.from, len, done_len, start_ns, end_ns, ..op }
    })
}

/// The timeline for a format, by how well its lines are in order of time.
fn timeline_of(format: Format) -> Timeline {
    match format {
        Format::Strace => Timeline::strict(),
        Format::Smb2 | Format::Nfs => Timeline::with_jitter(PACKET_JITTER_NS),
        _ => Timeline::default(),
    }
}

/// Increments a counter in a list with few entries.
fn count(list: &mut Vec<(&'static str, u64)>, what: &'static str) {
    match list.iter_mut().find(|(known, _)| std::ptr::eq(*known, what) || *known == what) {
        Some((_, times)) => *times += 1,
        None => list.push((what, 1)),
    }
}

/// `1 line`, `12 lines`. This crate does not depend on the report crate, which formats numbers for screens.
pub(crate) fn counted(value: u64, noun: &str) -> String {
    format!("{value} {noun}{}", if value == 1 { "" } else { "s" })
}
