//! What only the log knows, as plain numbers: the JSON of a page. Long lists are columns, one array a field,
//! because they are small and fast to read. Times named `_s` run from the start of the run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Decimal;
use crate::rounding::round_to;
use crate::trace_stats::over_time::TimeBins;

/// What a page tells of a log. Times are seconds since the start of the run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Detail {
    /// Operations in the log.
    pub ops: u64,
    /// What is meant by latency here.
    pub measure: Measure,
    /// The bins of [`Detail::over_time`] and [`Detail::latency`].
    pub time: TimeAxis,
    /// What was done when.
    pub over_time: OverTime,
    /// How long it took when.
    pub latency: LatencyGrid,
    /// One curve for each kind of operation that happened.
    pub percentiles: Vec<PercentileCurve>,
    /// Sizes that were asked for.
    pub sizes: Vec<SizeCounts>,
    /// The slowest operations, slowest first, without those of the warm-up.
    pub worst: OpColumns,
    /// Operations in order of issue.
    pub listed: OpColumns,
    /// Whether these are all.
    pub listed_all: bool,
    /// Names of the files that occur above and below, by number. Long names are cut, with an ellipsis.
    pub file_names: BTreeMap<u32, String>,
    /// The files with the most bytes.
    pub files: FileRows,
    /// Where in the files with the most accesses data were read and written, and when.
    pub maps: Vec<FileMap>,
    /// Each load point that had streams with frames.
    pub streams: Vec<PointStreams>,
    /// What each host did when; `None` where one host made the run.
    pub hosts: Option<HostsOverTime>,
}

impl Detail {
    /// What runs side by side show of each: charts over time and curves, and all its streams as one strip.
    /// Without single operations, files and streams, eight runs fit on one page.
    pub fn keep_what_is_compared(&mut self) {
        self.worst = OpColumns::default();
        self.listed = OpColumns::default();
        self.listed_all = false;
        self.file_names.clear();
        self.files = FileRows::default();
        self.maps.clear();
        self.hosts = None;
        for point in &mut self.streams {
            point.host_late_frames.clear();
            point.left_out += point.streams.len() as u64;
            point.streams.clear();
        }
    }
}

/// What is meant by latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// From when an operation was due until it was done.
    Response,
    /// From when it was issued until it was done.
    Service,
}

/// Equal bins of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeAxis {
    /// Where the first begins.
    pub from_s: Decimal,
    /// How long each is.
    pub bin_s: Decimal,
    /// How many there are; at most 1,200.
    pub bins: usize,
}

impl TimeAxis {
    /// Bins of time as a page has them.
    pub(super) fn of(time: TimeBins) -> TimeAxis {
        TimeAxis {
            from_s: Decimal::seconds(time.from_ns),
            bin_s: Decimal(round_to(time.width_ns as f64 / 1e9, 6)),
            bins: time.count,
        }
    }
}

/// One number a bin. An operation counts where it was done, those of the warm-up too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OverTime {
    /// Operations of every kind.
    pub ops: Vec<u64>,
    /// Those that failed.
    pub failed_ops: Vec<u64>,
    /// Those of the warm-up.
    pub warmup_ops: Vec<u64>,
    /// Bytes read.
    pub read_bytes: Vec<u64>,
    /// Bytes written.
    pub written_bytes: Vec<u64>,
}

/// Latencies of reads and writes that succeeded, without the warm-up. Bin b of latency holds µs with
/// 2^(b/4) ≤ µs < 2^((b+1)/4); bin 0 also everything below 1 µs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LatencyGrid {
    /// Of reads.
    pub reads: LatencySide,
    /// Of writes.
    pub writes: LatencySide,
}

/// One side of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LatencySide {
    /// Triples: bin of time, bin of latency, count.
    pub cells: Vec<u64>,
    /// For each bin of time the longest; 0 where nothing was done.
    pub max_us: Vec<Decimal>,
    /// For each bin of time the sum of all.
    pub sum_us: Vec<u64>,
}

/// How long operations of a kind took, as HdrHistogram prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PercentileCurve {
    /// Name of the kind.
    pub kind: String,
    /// Operations that succeeded, without the warm-up.
    pub count: u64,
    /// 0 to 100, denser and denser towards 100.
    pub percentile: Vec<Decimal>,
    /// So many percent took no longer than this, to three digits; the last is exact.
    pub us: Vec<Decimal>,
}

/// Sizes that were asked for, of operations that succeeded, without the warm-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeCounts {
    /// `read` or `write`.
    pub kind: String,
    /// Ascending.
    pub bytes: Vec<u64>,
    /// How often.
    pub count: Vec<u64>,
    /// Rounded up to powers of two, because there are too many different ones.
    pub rounded: bool,
}

/// Operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OpColumns {
    /// Name of the kind.
    pub kind: Vec<&'static str>,
    /// Number of the worker.
    pub worker: Vec<u32>,
    /// Number of the stream, -1 where it belongs to none; in a trace, of the thread.
    pub stream: Vec<i64>,
    /// Number of the file; -1 where there is none.
    pub file: Vec<i64>,
    /// Place in the file.
    pub offset_bytes: Vec<u64>,
    /// What was asked for.
    pub len_bytes: Vec<u32>,
    /// What was moved.
    pub done_bytes: Vec<u32>,
    /// When it should have begun.
    pub due_s: Vec<Decimal>,
    /// When it began.
    pub issued_s: Vec<Decimal>,
    /// From due to done.
    pub response_us: Vec<Decimal>,
    /// From issued to done.
    pub service_us: Vec<Decimal>,
    /// 0, or the error's number.
    pub errno: Vec<i32>,
    /// Number of the load point.
    pub point: Vec<u16>,
    /// Whether it belongs to the warm-up.
    pub warmup: Vec<bool>,
}

/// The files with the most bytes, at most 1,000, without the warm-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileRows {
    /// Its number.
    pub file: Vec<u32>,
    /// Operations of every kind, failed ones too.
    pub ops: Vec<u64>,
    /// Reads that succeeded.
    pub reads: Vec<u64>,
    /// Writes that succeeded.
    pub writes: Vec<u64>,
    /// Bytes read.
    pub read_bytes: Vec<u64>,
    /// Bytes written.
    pub written_bytes: Vec<u64>,
    /// Share of accesses that begin where the last one to the same file ended.
    pub sequential_percent: Vec<Option<Decimal>>,
    /// Mean service time of accesses.
    pub mean_service_us: Vec<Option<Decimal>>,
    /// The longest.
    pub max_service_us: Vec<Option<Decimal>>,
    /// Operations that failed.
    pub failed_ops: Vec<u64>,
    /// Files with operations that are not listed.
    pub left_out: u64,
}

/// Where in a file the application was, and when.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileMap {
    /// Its number.
    pub file: u32,
    /// How far it reached, as far as is known.
    pub end_bytes: u64,
    /// Coarse to fine.
    pub levels: Vec<MapLevel>,
    /// Every access, where they are few.
    pub points: Option<MapPoints>,
}

/// A map in cells of one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapLevel {
    /// Where the first bin of time begins.
    pub from_s: Decimal,
    /// How long each is.
    pub time_bin_s: Decimal,
    /// How many there are.
    pub time_bins: u64,
    /// Where the first bin of the file begins.
    pub from_bytes: u64,
    /// How long each is.
    pub offset_bin_bytes: u64,
    /// How many there are.
    pub offset_bins: u64,
    /// Quadruples: bin of time, bin of the file, bytes read, bytes written.
    pub cells: Vec<u64>,
}

/// Accesses one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapPoints {
    /// When.
    pub issued_s: Vec<Decimal>,
    /// Where.
    pub offset_bytes: Vec<u64>,
    /// How much was moved.
    pub len_bytes: Vec<u32>,
    /// Whether it was written.
    pub write: Vec<bool>,
    /// How long it took, from its issue to its end.
    pub service_us: Vec<Decimal>,
}

/// The streams of one load point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointStreams {
    /// Its number.
    pub point: u16,
    /// The bins of everything below: the time that was judged.
    pub time: TimeAxis,
    /// The streams with the most late frames, then by number; at most 64.
    pub streams: Vec<StreamStrip>,
    /// Streams without a strip of their own.
    pub left_out: u64,
    /// The smallest margin by the clock in a bin, of all streams: how long until the deadline of the frame
    /// after the last one that came; negative while that is overdue. `None` where no frame was expected.
    pub min_margin_us: Vec<Option<i64>>,
    /// Late frames of all streams in a bin, those that never came too.
    pub late_frames: Vec<u64>,
    /// Late frames of each host in a bin, in the order of [`HostsOverTime::hosts`]; empty where one host made
    /// the run.
    pub host_late_frames: Vec<Vec<u64>>,
    /// How much of their time frames had left.
    pub headroom: Headroom,
}

/// One stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamStrip {
    /// Its number.
    pub stream: u32,
    /// What it is.
    pub name: String,
    /// As in [`PointStreams`].
    pub min_margin_us: Vec<Option<i64>>,
    /// As in [`PointStreams`].
    pub late_frames: Vec<u64>,
}

/// The hosts of a run over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostsOverTime {
    /// The bins of everything below.
    pub time: TimeAxis,
    /// In the order of the summary's hosts; at most 64.
    pub hosts: Vec<HostOverTime>,
}

/// One host. An operation counts where it was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostOverTime {
    /// Bytes read and written in a bin, those of the warm-up too.
    pub bytes: Vec<u64>,
    /// The slowest read or write in a bin, without the warm-up; 0 where nothing was done.
    pub max_response_us: Vec<Decimal>,
}

/// Frames by margin ÷ (buffer + one frame), in percent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Headroom {
    /// Where the first bin begins; it also holds everything below. The last holds everything above.
    pub from_percent: i64,
    /// How wide each is.
    pub step_percent: i64,
    /// Frames.
    pub count: Vec<u64>,
    /// Frames that never came.
    pub never: u64,
}
