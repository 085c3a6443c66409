//! Shared code of the import tests: imports a source, and formats operations as lines of text.

#![allow(clippy::unwrap_used, dead_code)]

use std::path::PathBuf;

use reelgauge_import::{Format, ImportError, Options, import};
use reelgauge_record::{AccessBits, OpFlags, OpKind, OpRecord, OpenBits};
use reelgauge_trace::{Trace, TraceInfo};

/// An imported trace, with its folder.
pub struct Imported {
    pub trace: Trace,
    _folder: tempfile::TempDir,
}

/// Imports a source.
pub fn try_import(
    source: &[u8],
    format: Option<Format>,
    root: Option<&str>,
) -> Result<Imported, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        name: "test".to_owned(),
        parent: folder.path().to_owned(),
        root: root.map(PathBuf::from),
        format,
        source: "source.txt".to_owned(),
    };
    let result = import(source, &options);
    if result.is_err() {
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "an error leaves nothing behind");
    }
    Ok(Imported { trace: result?, _folder: folder })
}

/// Imports a source whose format is detected.
pub fn imported(source: &str) -> Imported {
    try_import(source.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error}"))
}

impl Imported {
    pub fn info(&self) -> &TraceInfo {
        self.trace.info().unwrap()
    }

    pub fn ops(&self) -> Vec<OpRecord> {
        self.trace.batches().flat_map(Result::unwrap).collect()
    }

    pub fn path(&self, file: u32) -> &str {
        &self.trace.files()[file as usize].path
    }

    /// Every operation: `read in.ts 0+32768=32768 h1`. The thread, the error and special flags follow if
    /// they are not 0.
    pub fn lines(&self) -> Vec<String> {
        self.ops().iter().map(|op| self.line(op)).collect()
    }

    fn line(&self, op: &OpRecord) -> String {
        let mut line = format!("{} {}", op.kind.name(), self.path(op.file));
        match op.kind {
            OpKind::Open | OpKind::Create => line += &format!(" {}", bits(op)),
            OpKind::Read | OpKind::Write => line += &format!(" {}+{}={}", op.offset, op.len, op.done_len),
            OpKind::Allocate => line += &format!(" {}+{}", op.offset, op.len),
            OpKind::Access => line += &format!(" {}", asked(op)),
            OpKind::Truncate => line += &format!(" {}", op.offset),
            kind if kind.names_two() => line += &format!(" to {}", self.path(op.offset as u32)),
            _ => {}
        }
        for (mark, number) in [("h", op.transfer), ("t", op.stream), ("e", op.errno as u32)] {
            if number != 0 {
                line += &format!(" {mark}{number}");
            }
        }
        if op.flags.has(OpFlags::COPIED) {
            line += " copied";
        }
        if op.kind == OpKind::Rename && op.flags.has(OpFlags::EXCHANGES) {
            line += " exchanges";
        }
        line
    }

    /// Start and end of each operation, in microseconds.
    pub fn times_us(&self) -> Vec<(u64, u64)> {
        self.ops().iter().map(|op| (op.issued_ns / 1000, op.done_ns / 1000)).collect()
    }

    /// The state of a file before the trace: "found 100", "absent", "unknown".
    pub fn before(&self, path: &str) -> String {
        let entry = self.trace.files().iter().find(|entry| entry.path == path);
        let entry = entry.unwrap_or_else(|| panic!("no file {path}"));
        if let Some(to) = &entry.leads_to {
            return format!("{} link to {to}", entry.prepared);
        }
        match entry.size_before_bytes {
            Some(size) => format!("{} {size}", entry.prepared),
            None => entry.prepared.clone(),
        }
    }
}

fn asked(op: &OpRecord) -> String {
    let letters = [
        (AccessBits::READ, 'r'),
        (AccessBits::WRITE, 'w'),
        (AccessBits::EXECUTE, 'x'),
        (AccessBits::EXISTS, 'f'),
    ];
    let set = letters.iter().filter(|(bit, _)| AccessBits(op.len).has(*bit)).map(|(_, letter)| *letter);
    Some(set.collect::<String>()).filter(|text| !text.is_empty()).unwrap_or_else(|| "?".to_owned())
}

fn bits(op: &OpRecord) -> String {
    let bits = OpenBits(op.len);
    let letters = [
        (OpenBits::READ, 'r'),
        (OpenBits::WRITE, 'w'),
        (OpenBits::APPEND, 'a'),
        (OpenBits::CREATE, 'c'),
        (OpenBits::EXCLUSIVE, 'x'),
        (OpenBits::TRUNCATE, 't'),
        (OpenBits::DIRECT, 'd'),
        (OpenBits::DSYNC, 's'),
    ];
    let mut text: String =
        letters.iter().filter(|(bit, _)| bits.has(*bit)).map(|(_, letter)| *letter).collect();
    if text.is_empty() {
        text.push('?');
    }
    if op.kind == OpKind::Create && op.done_len == 1 {
        text += " made";
    }
    text
}
