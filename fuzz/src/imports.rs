//! Importers: any input is refused, or the resulting trace keeps the promises of traces.
//!
//! Everything is kept in memory instead of a trace. One input in [`WRITTEN`] is also imported into a
//! real trace, which must have the same files and operations when it is read back. Writing takes a
//! thousand times as long as most imports.

use std::collections::HashMap;
use std::path::PathBuf;

use reelgauge_import::{Format, Options, Receiver, import, read};
use reelgauge_record::OpRecord;
use reelgauge_record::log::{FileEntry, LogMeta};
use reelgauge_trace::writer::{ABSENT, FOUND, UNKNOWN};
use reelgauge_trace::{TraceError, name};

use crate::is_one_in;

/// One of so many inputs is also written and read back.
const WRITTEN: u64 = 512;
/// Times and positions are below this, because the log has columns of 63 bits.
const BEYOND: u64 = 1 << 63;
/// Operations beyond this number are not kept for comparison: a line can request 64 TiB in pieces of 1
/// GiB.
const KEPT: usize = 1 << 16;

/// Imports bytes as a format.
///
/// # Panics
/// If the result breaks a promise: a name that leaves the area, a time that goes back.
pub fn check(format: Format, bytes: &[u8]) {
    let mut options = Options {
        name: "fuzz".to_owned(),
        parent: PathBuf::new(),
        root: None,
        format: Some(format),
        source: "fuzz".to_owned(),
    };
    let mut seen = Seen { keeps: is_one_in(WRITTEN, bytes), ..Seen::default() };
    let result = read(bytes, &options, &mut seen);
    assert!(result.is_err() || seen.op_count > 0, "a trace without an operation");
    let Ok(info) = result else { return };
    seen.entries.iter().for_each(check_entry);
    assert_eq!(info.made_by, format!("import {}", format.name()));
    if seen.keeps && seen.op_count == seen.ops.len() {
        let folder = tempfile::tempdir().expect("a folder for the trace");
        options.parent = folder.path().to_owned();
        check_written(bytes, &options, seen);
    }
}

/// Checks the output of an importer against the promises of a trace.
#[derive(Default)]
struct Seen {
    has_begun: bool,
    numbers: HashMap<String, u32>,
    entries: Vec<FileEntry>,
    op_count: usize,
    /// Whether operations are kept.
    keeps: bool,
    ops: Vec<OpRecord>,
}

impl Receiver for Seen {
    fn begin(&mut self, meta: LogMeta) {
        assert!(!self.has_begun, "begun twice");
        assert!(meta.run_ns >= 0 && !meta.blind_to.is_empty(), "{meta:?}");
        self.has_begun = true;
    }

    fn file(&mut self, path: &str) -> Result<u32, TraceError> {
        assert!(self.has_begun);
        if let Some(&number) = self.numbers.get(path) {
            return Ok(number);
        }
        assert_eq!(name::check(path), Ok(()), "{path}");
        let number = self.entries.len() as u32;
        self.numbers.insert(path.to_owned(), number);
        let (path, prepared) = (path.to_owned(), UNKNOWN.to_owned());
        self.entries.push(FileEntry { path, prepared, ..FileEntry::default() });
        Ok(number)
    }

    fn number_of(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    fn entry(&mut self, file: u32) -> Option<&mut FileEntry> {
        self.entries.get_mut(file as usize)
    }

    fn push(&mut self, op: OpRecord) -> Result<(), TraceError> {
        assert!(self.has_begun);
        assert!((op.file as usize) < self.entries.len(), "{op:?}");
        assert!(op.due_ns <= op.issued_ns && op.issued_ns <= op.done_ns && op.done_ns < BEYOND, "{op:?}");
        match op.kind {
            kind if kind.names_two() => assert!(op.offset < self.entries.len() as u64, "{op:?}"),
            _ => assert!(op.offset < BEYOND && op.offset + u64::from(op.len) <= BEYOND, "{op:?}"),
        }
        self.op_count += 1;
        if self.keeps && self.ops.len() < KEPT {
            self.ops.push(op);
        }
        Ok(())
    }
}

fn check_entry(entry: &FileEntry) {
    assert!([FOUND, ABSENT, UNKNOWN].contains(&entry.prepared.as_str()), "{entry:?}");
    assert_eq!(entry.existed_before, entry.prepared == FOUND, "{entry:?}");
    assert!(entry.size_before_bytes.is_none() || entry.existed_before, "{entry:?}");
}

/// Imports the input into a trace, which must match the output seen before.
fn check_written(bytes: &[u8], options: &Options, mut seen: Seen) {
    let trace = import(bytes, options).expect("nothing that a trace refuses");
    // Sorted by time of issue. Operations of one moment keep their order of arrival.
    seen.ops.sort_by_key(|op| op.issued_ns);
    let mut wanted = seen.ops.iter();
    for batch in trace.batches() {
        for op in batch.expect("a trace that was just written can be read") {
            assert_eq!(Some(&op), wanted.next());
        }
    }
    assert_eq!(wanted.next(), None);
    // A name that no operation refers to is not in the log.
    for (number, file) in trace.files().iter().enumerate().filter(|(_, file)| !file.path.is_empty()) {
        assert_eq!(Some(file), seen.entries.get(number));
        assert_eq!(name::check(&file.path), Ok(()));
    }
    let named =
        |op: &&OpRecord| trace.files().get(op.file as usize).is_some_and(|file| !file.path.is_empty());
    assert!(seen.ops.iter().all(|op| named(&op)), "an operation on a file without a name");
}
