//! The figures of a trace, as numbers with their units in their names: what a report shows and writes as
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

/// The version of [`TraceReport`] as JSON; rises when a field changes its meaning or is removed.
pub const TRACE_REPORT_VERSION: u32 = 1;

/// Everything that a report of a trace shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceReport {
    /// [`TRACE_REPORT_VERSION`].
    pub trace_report_version: u32,
    /// The trace's own description.
    pub about: TraceAbout,
    /// All operations together.
    pub figures: TraceFigures,
    /// The files with the most bytes.
    pub files: Vec<FileFigures>,
    /// Operations and bytes over time.
    pub over_time: OverTime,
    /// Signs of fragmented files.
    pub signs: FragmentSigns,
}

/// A trace's own description, from its `trace.json` and its log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceAbout {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: String,
    /// A sentence about its content; may be empty.
    pub about: String,
    /// How it was made: "record", "import strace", "synthetic"; "run" for a run.
    pub made_by: String,
    /// The file that was imported, or the command that was recorded; may be empty.
    pub source: String,
    /// When it was made, in RFC 3339; empty if unknown.
    pub made_at: String,
    /// The level at which operations were captured: "application", "cache", "network", "block".
    pub capture: String,
    /// Threads that requested operations; 0 if unknown.
    pub threads: u32,
    /// Operations that it could not capture.
    pub blind_to: Vec<String>,
    /// Warnings for users who rely on it.
    pub warnings: Vec<String>,
    /// Operations that were captured and not kept, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Lines of the source that could not be understood.
    pub malformed_lines: u64,
    /// The first of them: line number, text, and the error.
    pub first_malformed: Vec<(u64, String, String)>,
    /// The total of its reads and writes, as it states it; `None` if it does not.
    #[serde(default)]
    pub moved: Option<TraceMoved>,
    /// The recorder's time per operation, without the time to reach it and return.
    pub cost_ns_per_op: Option<f64>,
    /// The time to reach the recorder and return per operation, measured before the recording.
    #[serde(default)]
    pub round_trip_ns: Option<f64>,
    /// For a synthetic trace: figure, published value, value of the trace, and the tolerance.
    pub synthetic: Vec<(String, f64, f64, f64)>,
}

/// The total of a trace's reads and writes, as its maker counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceMoved {
    /// Reads that did not fail.
    pub reads: u64,
    /// Bytes of these reads.
    pub read_bytes: u64,
    /// Writes that did not fail.
    pub writes: u64,
    /// Bytes of these writes.
    pub written_bytes: u64,
}

/// The figures of a whole trace, over the selected period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TraceFigures {
    /// The start of the period; `None` for the whole trace.
    pub from_s: Option<f64>,
    /// The end of the period.
    pub to_s: Option<f64>,
    /// When the first operation was issued, since the start of the trace.
    pub first_issued_s: f64,
    /// Time from then until the last operation completed.
    pub span_s: f64,
    /// Operations of every kind.
    pub ops: u64,
    /// Failed operations.
    pub failed_ops: u64,
    /// Operations of a run's warm-up; no other figure includes them.
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
    /// Accesses that begin where the previous access of the whole trace ended, in the same file.
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
    /// Reads that returned nothing, at the end of the file.
    pub reads_at_the_end: u64,
    /// Accesses that transferred something, but less than requested.
    pub short_ops: u64,
    /// Sizes of reads, as transferred.
    pub read_sizes: Option<SizeFigures>,
    /// Sizes of writes, as transferred.
    pub write_sizes: Option<SizeFigures>,
    /// Service times of reads.
    pub read_service: Option<ServiceFigures>,
    /// Service times of writes.
    pub write_service: Option<ServiceFigures>,
    /// Kinds of operations that occur.
    pub by_kind: Vec<KindFigures>,
    /// What failed, the most frequent first.
    pub errors: Vec<ErrorCount>,
    /// The number of files.
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
    /// Failed operations.
    pub failed_ops: u64,
    /// Total time of those that did not fail. `None` if the trace has no durations.
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
    /// Its name: `ENOENT`; the number if it has no name.
    pub name: String,
    /// The kind of operation that failed.
    pub kind: String,
    /// The number of such errors.
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
    /// All files, including directories.
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
    /// The known end of the file after the trace.
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
    /// Bytes read and written in the file, by time and position.
    pub map: Option<OffsetMap>,
}
