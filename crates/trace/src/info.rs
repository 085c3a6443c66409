//! The description of a trace: `trace.json`, next to its operations.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use reelgauge_record::run_dir::write_atomically;
use reelgauge_record::{OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use crate::TRACE_VERSION;
use crate::error::TraceError;
use crate::note::TraceNote;

/// The file's name in a trace's directory.
pub const FILE_NAME: &str = "trace.json";
/// The largest `trace.json` that is read.
const MAX_BYTES: u64 = 16 << 20;
/// Number of malformed lines that are kept for display.
pub const MALFORMED_SHOWN: usize = 10;
/// Length of a malformed line that is kept, in characters.
const MALFORMED_CHARS: usize = 200;

/// The description of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceInfo {
    /// Version of the format; see [`TRACE_VERSION`].
    pub trace_version: u32,
    /// The name of the trace in lists and messages.
    pub name: String,
    /// A sentence about the recorded application; may be empty.
    pub about: String,
    /// How it was made: "record", "import strace", "synthetic".
    pub made_by: String,
    /// The file that was imported, or the command that was recorded.
    pub source: String,
    /// When it was made, in RFC 3339 (UTC).
    pub made_at: String,
    /// Number of operations in the trace.
    pub ops: u64,
    /// Threads that issued them.
    pub threads: u32,
    /// Files and directories with at least one operation. All figures of a trace count files this way.
    pub files: u32,
    /// From the start of the first operation to the end of the last one.
    pub duration_ns: u64,
    /// Bytes transferred by reads and writes; `None` in traces of early versions, which did not count
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// The recording was interrupted: its last second is missing. In the directory that it left,
    /// operations are in order of completion.
    #[serde(skip_serializing_if = "is_false")]
    pub cut_off: bool,
    /// Kinds of operations that this capture can't see ("memory-mapped I/O").
    pub blind_to: Vec<String>,
    /// Warnings for users of this trace.
    pub warnings: Vec<String>,
    /// The same warnings as data, without text. The report crate has the texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TraceNote>,
    /// Operations that were seen and omitted, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Lines of the source that could not be parsed.
    pub malformed_lines: u64,
    /// The first malformed lines.
    pub first_malformed: Vec<MalformedLine>,
    /// The recorder's own cost per operation, in nanoseconds, measured during the recording: from
    /// receiving a request to sending the answer, without the time of the storage. The transfer to and
    /// from the recorder is not included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ns_per_op: Option<f64>,
    /// The round trip from the application to the recorder (two context switches, and the kernel's
    /// part), in nanoseconds per operation: the median of many requests before the recording began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_ns: Option<f64>,
    /// For a synthetic trace: the published and the achieved figures. Otherwise empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub synthetic: Vec<TargetFigure>,
}

/// Reads and writes of a trace, without failed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moved {
    /// Reads, including those at the end of the file.
    pub reads: u64,
    /// Bytes that these reads returned.
    pub read_bytes: u64,
    /// Writes, of any length.
    pub writes: u64,
    /// Bytes that these writes transferred.
    pub written_bytes: u64,
}

impl Moved {
    /// Counts an operation if it is a successful read or write.
    pub fn add(&mut self, op: &OpRecord) {
        let (count, bytes) = match op.kind {
            OpKind::Read => (&mut self.reads, &mut self.read_bytes),
            OpKind::Write => (&mut self.writes, &mut self.written_bytes),
            _ => return,
        };
        if op.errno == 0 {
            *count += 1;
            *bytes = bytes.saturating_add(u64::from(op.done_len));
        }
    }

    /// Bytes in either direction.
    pub const fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes)
    }
}

/// A line that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MalformedLine {
    /// Its line number in the source, from 1.
    pub line: u64,
    /// Its text, with unprintable characters replaced.
    pub text: String,
    /// Why it could not be parsed.
    pub why: String,
}

/// A published figure, and the same figure of a synthetic trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetFigure {
    /// The figure's name and unit.
    pub figure: String,
    /// The value that was published.
    pub target: f64,
    /// The value that the synthetic trace has.
    pub achieved: f64,
    /// The allowed difference, in the figure's own unit.
    pub tolerance: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it in this form")]
fn is_false(is: &bool) -> bool {
    !is
}

impl TraceInfo {
    /// Counts a malformed line, and keeps one of the first.
    pub fn malformed(&mut self, line: u64, text: &str, why: impl Into<String>) {
        self.malformed_lines += 1;
        if self.first_malformed.len() < MALFORMED_SHOWN {
            let text = text.chars().take(MALFORMED_CHARS).collect();
            self.first_malformed.push(MalformedLine { line, text, why: why.into() });
        }
    }

    /// Counts an operation that was seen and is omitted.
    pub fn leave_out(&mut self, why: &str) {
        match self.left_out.get_mut(why) {
            Some(count) => *count += 1,
            None => drop(self.left_out.insert(why.to_owned(), 1)),
        }
    }

    /// Adds a kind of operation that the capture can't see, once.
    pub fn blind(&mut self, to: &str) {
        if !self.blind_to.iter().any(|known| known == to) {
            self.blind_to.push(to.to_owned());
        }
    }

    /// Reads it from a trace's directory. `None` if there is no such file, as in a run.
    pub fn read(dir: &Path) -> Result<Option<TraceInfo>, TraceError> {
        let path = dir.join(FILE_NAME);
        if !fs::exists(&path).map_err(TraceError::io("look for", &path))? {
            return Ok(None);
        }
        // Check the file type by name: opening a FIFO would block until it has a writer.
        if !fs::metadata(&path).map_err(TraceError::io("look at", &path))?.is_file() {
            return Err(TraceError::Info { path, why: "it is not a regular file".to_owned() });
        }
        let mut text = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut text));
        read.map_err(TraceError::io("read", &path))?;
        let info: TraceInfo = serde_json::from_slice(&text)
            .map_err(|error| TraceError::Info { path: path.clone(), why: error.to_string() })?;
        match info.trace_version {
            0 => Err(TraceError::Info { path, why: "it has no trace_version".to_owned() }),
            1..=TRACE_VERSION => Ok(Some(info)),
            found => Err(TraceError::NewerVersion { path, found }),
        }
    }

    /// Writes it into a trace's directory.
    pub fn write(&self, dir: &Path) -> Result<(), TraceError> {
        let path = dir.join(FILE_NAME);
        let info = TraceInfo { trace_version: TRACE_VERSION, ..self.clone() };
        let text = serde_json::to_vec_pretty(&info)
            .map_err(|error| TraceError::Info { path: path.clone(), why: error.to_string() })?;
        write_atomically(&path, &text).map_err(|error| TraceError::Info { path, why: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn value_round_trips() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(TraceInfo::read(dir.path()).unwrap(), None);
        let mut info = TraceInfo { name: "copy".to_owned(), ops: 3, ..TraceInfo::default() };
        info.blind("memory-mapped I/O");
        info.blind("memory-mapped I/O");
        info.leave_out("not a file");
        info.leave_out("not a file");
        info.write(dir.path()).unwrap();
        info.trace_version = TRACE_VERSION;
        assert_eq!(info.blind_to.len(), 1);
        assert_eq!(info.left_out["not a file"], 2);
        assert_eq!(TraceInfo::read(dir.path()).unwrap(), Some(info));
    }

    #[test]
    fn a_newer_or_damaged_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            fs::write(dir.path().join(FILE_NAME), text).unwrap();
            TraceInfo::read(dir.path()).unwrap_err().to_string()
        };
        assert!(read(r#"{"trace_version": 99}"#).contains("newer version"));
        assert!(read("{}").contains("no trace_version"));
        assert!(read("[").contains("damaged"));
    }

    #[test]
    fn only_the_first_malformed_lines_are_kept_and_not_endlessly_long() {
        let mut info = TraceInfo::default();
        for line in 1..=25 {
            info.malformed(line, &"ä".repeat(1000), "no number");
        }
        assert_eq!(info.malformed_lines, 25);
        assert_eq!(info.first_malformed.len(), MALFORMED_SHOWN);
        assert_eq!(info.first_malformed[9].line, 10);
        assert_eq!(info.first_malformed[0].text.chars().count(), MALFORMED_CHARS);
    }
}
