//! What is told of a trace, as numbers with their units in their names: what a report shows and writes as
//! JSON.

use std::collections::BTreeMap;

use reelgauge_record::OpKind;
use reelgauge_record::errno::errno_name;
use serde::{Deserialize, Serialize};

use super::map::OffsetMap;
use super::over_time::OverTime;
use super::sizes::SizeFigures;
use super::times::ServiceFigures;
use crate::fragments::FragmentSigns;

/// The version of [`TraceReport`] as JSON; rises when a field changes its meaning or goes away.
pub const TRACE_REPORT_VERSION: u32 = 1;

/// Everything that a report of a trace shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceReport {
    /// [`TRACE_REPORT_VERSION`].
    pub trace_report_version: u32,
    /// What the trace says about itself.
    pub about: TraceAbout,
    /// All operations together.
    pub figures: TraceFigures,
    /// The files with the most bytes.
    pub files: Vec<FileFigures>,
    /// What was done when.
    pub over_time: OverTime,
    /// Signs of fragmented files.
    pub signs: FragmentSigns,
}

/// What a trace says about itself: the words of its `trace.json` and of its log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceAbout {
    /// What it is called.
    pub name: String,
    /// Where it lies.
    pub path: String,
    /// What it is of, in a sentence; may be empty.
    pub about: String,
    /// How it came about: "record", "import strace", "synthetic"; "run" for a run.
    pub made_by: String,
    /// The file that was imported, or the command that was recorded; may be empty.
    pub source: String,
    /// When it was made, in RFC 3339; empty where that is not known.
    pub made_at: String,
    /// At which level operations were seen: "application", "cache", "network", "block".
    pub capture: String,
    /// Threads that asked for operations; 0 where that is not known.
    pub threads: u32,
    /// What it can't see.
    pub blind_to: Vec<String>,
    /// What somebody who relies on it should know.
    pub warnings: Vec<String>,
    /// What was seen and not kept, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Lines of the source that could not be understood.
    pub malformed_lines: u64,
    /// The first of them: line number, text, what is wrong.
    pub first_malformed: Vec<(u64, String, String)>,
    /// What its reads and writes moved in all, by itself; `None` where it doesn't say.
    #[serde(default)]
    pub moved: Option<TraceMoved>,
    /// What the recorder took per operation, without the way to it and back.
    pub cost_ns_per_op: Option<f64>,
    /// What the way to the recorder and back took per operation, measured before it began.
    #[serde(default)]
    pub round_trip_ns: Option<f64>,
    /// For a synthetic trace: figure, what was published, what the trace has, and how far it may be off.
    pub synthetic: Vec<(String, f64, f64, f64)>,
}

/// What the reads and writes of a whole trace moved, as its maker counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceMoved {
    /// Reads that did not fail.
    pub reads: u64,
    /// What they brought.
    pub read_bytes: u64,
    /// Writes that did not fail.
    pub writes: u64,
    /// What they wrote.
    pub written_bytes: u64,
}

/// The figures of a trace as a whole, over the chosen period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceFigures {
    /// Where the period begins; `None` if all is told.
    pub from_s: Option<f64>,
    /// Where it ends.
    pub to_s: Option<f64>,
    /// When the first operation was issued, since the start of the trace.
    pub first_issued_s: f64,
    /// From then until the last operation was done.
    pub span_s: f64,
    /// Operations of every kind.
    pub ops: u64,
    /// Those that failed.
    pub failed_ops: u64,
    /// Operations of a run's warm-up; in no other figure.
    pub warmup_ops: u64,
    /// Reads and writes that did not fail.
    pub accesses: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes read ÷ span.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written ÷ span.
    pub written_bytes_per_s: Option<f64>,
    /// Accesses that begin where the one before them, in the whole trace, ended in the same file.
    pub sequential_accesses: u64,
    /// Their share of all accesses.
    pub sequential_percent: Option<f64>,
    /// Accesses that begin where the last access to the same file ended.
    pub sequential_in_file_accesses: u64,
    /// Their share of all accesses.
    pub sequential_in_file_percent: Option<f64>,
    /// Operations that the system did itself for a copy.
    pub copied_ops: u64,
    /// Operations through memory maps.
    pub mapped_ops: u64,
    /// Reads that moved nothing, because the file had ended.
    pub reads_at_the_end: u64,
    /// Accesses that moved something, and less than was asked.
    pub short_ops: u64,
    /// Sizes of reads, as moved.
    pub read_sizes: Option<SizeFigures>,
    /// Sizes of writes, as moved.
    pub write_sizes: Option<SizeFigures>,
    /// Service times of reads.
    pub read_service: Option<ServiceFigures>,
    /// Service times of writes.
    pub write_service: Option<ServiceFigures>,
    /// Kinds of operations that occur.
    pub by_kind: Vec<KindFigures>,
    /// What failed, the most frequent first.
    pub errors: Vec<ErrorCount>,
    /// How many files.
    pub files: FilesTouched,
}

/// One kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct KindFigures {
    /// Its name.
    pub kind: String,
    /// Operations.
    pub ops: u64,
    /// Those that failed.
    pub failed_ops: u64,
    /// How long those that did not fail took together. `None` where the trace has no durations.
    pub service_s: Option<f64>,
    /// Their mean.
    pub mean_service_us: Option<f64>,
    /// The longest.
    pub max_service_us: Option<f64>,
}

/// An error and how often it occurred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorCount {
    /// Its number.
    pub errno: i32,
    /// Its name: `ENOENT`; the number where it has none.
    pub name: String,
    /// The kind of operation that failed.
    pub kind: String,
    /// How often.
    pub count: u64,
}

impl ErrorCount {
    pub(crate) fn new(errno: i32, kind: OpKind, count: u64) -> ErrorCount {
        let name = errno_name(errno).map_or_else(|| errno.to_string(), str::to_owned);
        ErrorCount { errno, name, kind: kind.name().to_owned(), count }
    }
}

/// Files with at least one operation in the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FilesTouched {
    /// All of them, directories too.
    pub touched: u64,
    /// With reads and without writes.
    pub only_read: u64,
    /// With writes and without reads.
    pub only_written: u64,
    /// With both.
    pub read_and_written: u64,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileFigures {
    /// Its number in the trace.
    pub file: u32,
    /// Its name.
    pub path: String,
    /// How far it reached at the end, as far as the trace tells.
    pub end_bytes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Reads that did not fail.
    pub reads: u64,
    /// Writes that did not fail.
    pub writes: u64,
    /// Operations that move no data and did not fail.
    pub other_ops: u64,
    /// Operations that failed.
    pub failed_ops: u64,
    /// Share of accesses that are sequential in the whole trace.
    pub sequential_percent: Option<f64>,
    /// Share of accesses that begin where the last one to this file ended.
    pub sequential_in_file_percent: Option<f64>,
    /// Sizes of reads.
    pub read_sizes: Option<SizeFigures>,
    /// Sizes of writes.
    pub write_sizes: Option<SizeFigures>,
    /// Service times of reads.
    pub read_service: Option<ServiceFigures>,
    /// Service times of writes.
    pub write_service: Option<ServiceFigures>,
    /// Where in the file it was read and written, and when.
    pub map: Option<OffsetMap>,
}
