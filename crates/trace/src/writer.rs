//! Writes a trace: assigns numbers to names, sorts operations by time of issue, and makes the trace
//! visible under its name when it is complete.
//!
//! A recording is also protected against a kill of the recorder ([`TraceWriter::keep_safe`]).
//!
//! Sources report operations at their end, so a long operation comes after short ones that started
//! later. A window of operations is held in memory, and the earliest is written first. An operation that
//! is too late for the window is written out of order, and counted ([`TraceWriter::finish`] adds a
//! warning).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_record::OpRecord;
use reelgauge_record::log::{FileEntry, LogMeta, LogWriter};
use reelgauge_record::run_dir::label;

use crate::MAX_FILES;
use crate::error::TraceError;
use crate::held_operation::HeldOperation;
use crate::info::{Moved, TraceInfo};
use crate::safety_log::{SafetyLog, log_dir};
use crate::trace::Trace;

/// Limit of the memory for names.
const MAX_NAME_BYTES: usize = 256 << 20;
/// Number of operations that are held for sorting.
const WINDOW: usize = 1 << 17;
/// Operations per call of the log.
const BATCH: usize = 1 << 10;
/// More traces of one name indicate an error elsewhere.
const MAX_COLLISIONS: u32 = 1000;

/// The subdirectory of the trace itself, until it is complete.
const WHOLE: &str = "whole";

/// Writes one trace. If dropped before [`TraceWriter::finish`], it removes everything.
#[derive(Debug)]
pub struct TraceWriter {
    temporary: PathBuf,
    target: PathBuf,
    /// `None` only after it was finished or abandoned.
    log: Option<LogWriter>,
    safe: Option<SafetyLog>,
    meta: LogMeta,
    numbers: HashMap<String, u32>,
    name_bytes: usize,
    window: usize,
    /// Operations that came in order. Most do, and a queue is cheap.
    in_order: VecDeque<HeldOperation>,
    /// Operations that came after a later one.
    behind: BinaryHeap<Reverse<HeldOperation>>,
    arrived: u64,
    batch: Vec<OpRecord>,
    written_ns: u64,
    late_ops: u64,
    first_ns: Option<u64>,
    last_ns: u64,
    /// By file: whether it has an operation. The second name of a rename is a name, but not one more
    /// file.
    touched: Vec<bool>,
    threads: HashSet<(u32, u32)>,
    last_thread: Option<(u32, u32)>,
    moved: Moved,
}

impl TraceWriter {
    /// Starts a trace in a new directory inside `parent`, named after `name`, with a number appended if
    /// that name is taken.
    pub fn create(parent: &Path, name: &str, meta: LogMeta) -> Result<TraceWriter, TraceError> {
        fs::create_dir_all(parent).map_err(TraceError::io("create", parent))?;
        let target = free_name(parent, name)?;
        let temporary = hidden_dir(parent, &target)?;
        let log = LogWriter::create(&log_dir(&temporary.join(WHOLE), &meta), meta.clone(), Vec::new())?;
        Ok(TraceWriter {
            temporary,
            target,
            log: Some(log),
            safe: None,
            meta,
            numbers: HashMap::new(),
            name_bytes: 0,
            window: WINDOW,
            in_order: VecDeque::new(),
            behind: BinaryHeap::new(),
            arrived: 0,
            batch: Vec::with_capacity(BATCH),
            written_ns: 0,
            late_ops: 0,
            first_ns: None,
            last_ns: 0,
            touched: Vec::new(),
            threads: HashSet::new(),
            last_thread: None,
            moved: Moved::default(),
        })
    }

    /// For a recording, to be called before its first operation. If the process is killed, all but the
    /// last second remains in a directory that can be opened as a trace. `info` is its description.
    pub fn keep_safe(&mut self, info: &TraceInfo) -> Result<(), TraceError> {
        self.safe = Some(SafetyLog::create(&self.temporary, self.meta.clone(), info)?);
        Ok(())
    }

    /// Must be called several times a second by the owner of the recording.
    pub fn tick(&mut self) {
        if let (Some(safe), Some(log)) = (&mut self.safe, &mut self.log) {
            safe.tick(log.files_mut());
        }
    }

    /// The final path of the trace.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the number of a name that passed [`crate::name::clean`]. A new name gets a new number,
    /// and an entry with unknown state. Complete the entry with [`TraceWriter::entry`].
    pub fn file(&mut self, name: &str) -> Result<u32, TraceError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = self.numbers.len() as u32;
        self.name_bytes += 2 * name.len() + size_of::<FileEntry>() + size_of::<(String, u32)>();
        if number >= MAX_FILES || self.name_bytes > MAX_NAME_BYTES {
            return Err(TraceError::TooManyNames { limit_mib: MAX_NAME_BYTES >> 20 });
        }
        self.numbers.insert(name.to_owned(), number);
        if let Some(log) = &mut self.log {
            let entry =
                FileEntry { path: name.to_owned(), prepared: UNKNOWN.to_owned(), ..FileEntry::default() };
            log.files_mut().push(entry);
        }
        Ok(number)
    }

    /// The number of a name that was passed to [`TraceWriter::file`] before.
    pub fn number_of(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The entry of a file, to be completed before the first operation on it if possible, at the latest
    /// before [`TraceWriter::finish`] (then only the last part of the log has it, which is enough).
    pub fn entry(&mut self, file: u32) -> Option<&mut FileEntry> {
        self.log.as_mut()?.files_mut().get_mut(file as usize)
    }

    /// Adds an operation. They should come approximately in order of completion.
    pub fn push(&mut self, op: OpRecord) -> Result<(), TraceError> {
        self.first_ns = Some(self.first_ns.map_or(op.issued_ns, |first_ns| first_ns.min(op.issued_ns)));
        self.last_ns = self.last_ns.max(op.done_ns);
        if self.last_thread != Some((op.worker, op.stream)) {
            self.last_thread = Some((op.worker, op.stream));
            self.threads.insert((op.worker, op.stream));
        }
        self.moved.add(&op);
        let file = op.file as usize;
        if self.touched.len() <= file {
            self.touched.resize(self.touched.len().max(self.numbers.len()).max(file + 1), false);
        }
        self.touched[file] = true;
        if let Some(safe) = &mut self.safe {
            safe.push(op);
        }
        let held = HeldOperation { arrived: self.arrived, op };
        self.arrived += 1;
        if self.in_order.back().is_none_or(|last| *last <= held) {
            self.in_order.push_back(held);
        } else {
            self.behind.push(Reverse(held));
        }
        while self.in_order.len() + self.behind.len() > self.window {
            self.release()?;
        }
        Ok(())
    }

    /// Writes the rest and renames the trace to its final name. Fills in the counts in `info`. A trace
    /// without operations is an error, because it can be neither shown nor replayed.
    pub fn finish(mut self, mut info: TraceInfo) -> Result<Trace, TraceError> {
        if self.arrived == 0 {
            return Err(TraceError::NoOperations { warnings: info.warnings.join("; ") });
        }
        while !(self.in_order.is_empty() && self.behind.is_empty()) {
            self.release()?;
        }
        self.hand_over()?;
        info.ops = self.arrived;
        info.threads = self.threads.len() as u32;
        info.files = self.touched.iter().filter(|is_touched| **is_touched).count() as u32;
        info.moved = Some(self.moved);
        info.duration_ns = self.last_ns.saturating_sub(self.first_ns.unwrap_or(0));
        if info.made_at.is_empty() {
            info.made_at = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        }
        if self.late_ops > 0 {
            info.warnings.push(format!(
                "{} of its operations came so late in the source that they are not sorted by start time",
                self.late_ops
            ));
        }
        let whole = self.temporary.join(WHOLE);
        info.write(&whole)?;
        if let Some(log) = self.log.take() {
            log.finish()?;
        }
        fs::rename(&whole, &self.target).map_err(TraceError::io("rename", &whole))?;
        Trace::open(&self.target)
    }

    /// Writes the earliest operation.
    fn release(&mut self) -> Result<(), TraceError> {
        let behind = match (self.in_order.front(), self.behind.peek()) {
            (Some(queued), Some(Reverse(behind))) => behind < queued,
            (None, _) => true,
            (Some(_), None) => false,
        };
        let next =
            if behind { self.behind.pop().map(|Reverse(held)| held) } else { self.in_order.pop_front() };
        let Some(HeldOperation { op, .. }) = next else { return Ok(()) };
        self.late_ops += u64::from(op.issued_ns < self.written_ns);
        self.written_ns = self.written_ns.max(op.issued_ns);
        self.batch.push(op);
        if self.batch.len() == BATCH { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> Result<(), TraceError> {
        if let Some(log) = &mut self.log {
            log.append(&self.batch)?;
        }
        self.batch.clear();
        Ok(())
    }
}

impl Drop for TraceWriter {
    fn drop(&mut self) {
        // The recording has ended. On some systems a directory can only be renamed after its log is
        // closed.
        (self.safe, self.log) = (None, None);
        // A partial trace must not be mistaken for a complete one.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// [`FileEntry::prepared`] of a file that existed before.
pub const FOUND: &str = "found";
/// The same for a file that did not exist before.
pub const ABSENT: &str = "absent";
/// The same for a file whose previous existence is unknown.
pub const UNKNOWN: &str = "unknown";

/// Makes a hidden directory next to the trace's final path; lists of traces skip it. An existing one was
/// left by a killed process with the same process id, and may contain its recording.
fn hidden_dir(parent: &Path, target: &Path) -> Result<PathBuf, TraceError> {
    let name = target.file_name().unwrap_or_default();
    for number in 1..=MAX_COLLISIONS {
        let mut hidden = OsString::from("_");
        hidden.push(name);
        hidden.push(format!("-{}", std::process::id()));
        if number > 1 {
            hidden.push(format!("-{number}"));
        }
        hidden.push(".tmp");
        let path = parent.join(hidden);
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(TraceError::io("create", &path)(error)),
        }
    }
    Err(TraceError::NoFreeName { path: target.to_owned() })
}

/// A free directory name in `parent`.
fn free_name(parent: &Path, name: &str) -> Result<PathBuf, TraceError> {
    let base = match label(name) {
        name if name.is_empty() => "trace".to_owned(),
        name => name,
    };
    let names = (1..=MAX_COLLISIONS).map(|number| match number {
        1 => parent.join(&base),
        _ => parent.join(format!("{base}-{number}")),
    });
    for path in names {
        if fs::symlink_metadata(&path).is_err() {
            return Ok(path);
        }
    }
    Err(TraceError::NoFreeName { path: parent.join(base) })
}

#[cfg(test)]
impl TraceWriter {
    /// Acts like a killed process: nothing is cleaned up, and the kernel's resources are released.
    pub(crate) fn abandon(mut self) {
        (self.safe, self.log) = (None, None);
        // Prevents the removal of its directory.
        self.temporary = PathBuf::new();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::OpKind;
    use reelgauge_record::log::CaptureLevel;
    use reelgauge_record::test_records::{op, read};

    use super::*;

    fn meta() -> LogMeta {
        LogMeta { run_ns: 0, agent: "test".to_owned(), capture: CaptureLevel::Application, blind_to: vec![] }
    }

    fn read_at(issued_ns: u64, file: u32) -> OpRecord {
        read(file, 0, 4096).at_ns(issued_ns).took_ns(10).on_stream((issued_ns % 2) as u32)
    }

    fn issued(trace: &Trace) -> Vec<u64> {
        trace.batches().flat_map(Result::unwrap).map(|op| op.issued_ns).collect()
    }

    #[test]
    fn operations_come_back_in_order_of_issue_with_their_names() {
        let parent = tempfile::tempdir().unwrap();
        let mut writer = TraceWriter::create(parent.path(), "my trace", meta()).unwrap();
        let (a, b) = (writer.file("a").unwrap(), writer.file("dir/b").unwrap());
        assert_eq!((writer.file("a").unwrap(), b), (a, 1));
        writer.entry(b).unwrap().size_before_bytes = Some(7);
        for (issued_ns, file) in [(30, a), (10, b), (20, a), (10, a)] {
            writer.push(read_at(issued_ns, file)).unwrap();
        }
        let trace = writer.finish(TraceInfo { name: "mine".to_owned(), ..TraceInfo::default() }).unwrap();
        assert_eq!(trace.dir(), parent.path().join("my-trace"));
        assert_eq!(issued(&trace), [10, 10, 20, 30]);
        let paths: Vec<_> = trace.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a", "dir/b"]);
        assert_eq!(trace.files()[1].size_before_bytes, Some(7));
        let info = trace.info().unwrap();
        assert_eq!((info.ops, info.files, info.threads, info.duration_ns), (4, 2, 1, 30));
        let moved = Moved { reads: 4, read_bytes: 4 * 4096, writes: 0, written_bytes: 0 };
        assert_eq!(info.moved, Some(moved));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn operations_later_than_the_window_are_kept_and_reported() {
        let parent = tempfile::tempdir().unwrap();
        let mut writer = TraceWriter::create(parent.path(), "t", meta()).unwrap();
        writer.window = 2;
        let file = writer.file("a").unwrap();
        for issued_ns in [10, 20, 30, 40, 5, 50] {
            writer.push(read_at(issued_ns, file)).unwrap();
        }
        let trace = writer.finish(TraceInfo::default()).unwrap();
        assert_eq!(issued(&trace), [10, 20, 5, 30, 40, 50]);
        assert!(trace.info().unwrap().warnings[0].starts_with("1 of its operations came so late"));
    }

    #[test]
    fn a_new_name_that_only_a_rename_mentions_is_kept() {
        let parent = tempfile::tempdir().unwrap();
        let mut writer = TraceWriter::create(parent.path(), "t", meta()).unwrap();
        let (old, new) = (writer.file("old").unwrap(), writer.file("new").unwrap());
        let rename = op(OpKind::Rename).on_file(old).at_offset(new.into()).at_ns(1).took_ns(10);
        writer.push(rename).unwrap();
        let trace = writer.finish(TraceInfo::default()).unwrap();
        assert_eq!(trace.files()[new as usize].path, "new");
        assert_eq!(trace.info().unwrap().files, 1, "one file with two names, as every figure counts it");
    }

    #[test]
    fn names_are_not_taken_twice_and_half_a_trace_is_none() {
        let parent = tempfile::tempdir().unwrap();
        let finish = |ops: u64| {
            let mut writer = TraceWriter::create(parent.path(), "t", meta()).unwrap();
            let file = writer.file("a").unwrap();
            (0..ops).for_each(|at| writer.push(read_at(at, file)).unwrap());
            writer.finish(TraceInfo::default())
        };
        drop(TraceWriter::create(parent.path(), "t", meta()).unwrap());
        assert!(matches!(finish(0), Err(TraceError::NoOperations { .. })));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        assert_eq!(finish(1).unwrap().dir(), parent.path().join("t"));
        assert_eq!(finish(1).unwrap().dir(), parent.path().join("t-2"));
    }
}
