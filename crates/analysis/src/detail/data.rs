//! The figures that only the log has, as plain numbers: the JSON of a page. Long lists are columns, one
//! array per field, because these are small and fast to read. Times named `_s` count from the start of
//! the run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Decimal;
use crate::rounding::round_to;
use crate::trace_stats::over_time::TimeBins;

/// What a page shows of a log. Times are seconds since the start of the run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Detail {
    /// The number of operations in the log.
    pub ops: u64,
    /// The definition of latency here.
    pub measure: Measure,
    /// The bins of [`Detail::over_time`] and [`Detail::latency`].
    pub time: TimeAxis,
    /// Operations and bytes over time.
    pub over_time: OverTime,
    /// Latencies over time.
    pub latency: LatencyGrid,
    /// One curve for each kind of operation that happened.
    pub percentiles: Vec<PercentileCurve>,
    /// Sizes that the operations requested.
    pub sizes: Vec<SizeCounts>,
    /// The slowest operations, slowest first, without those of the warm-up.
    pub worst: OpColumns,
    /// Operations in order of issue.
    pub listed: OpColumns,
    /// Whether the list is complete.
    pub listed_all: bool,
    /// Names of the files that occur above and below, by number. Long names are shortened with an
    /// ellipsis.
    pub file_names: BTreeMap<u32, String>,
    /// The files with the most bytes.
    pub files: FileRows,
    /// Reads and writes by time and place, in the files with the most accesses.
    pub maps: Vec<FileMap>,
    /// Each load point that had streams with frames.
    pub streams: Vec<PointStreams>,
    /// Figures of each host over time; `None` if one host made the run.
    pub hosts: Option<HostsOverTime>,
}

impl Detail {
    /// Keeps what a comparison shows of each run: charts over time, curves, and all its streams as one
    /// strip. Without single operations, files and streams, eight runs fit on one page.
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

/// The definition of latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// From when an operation was due until it completed.
    Response,
    /// From when it was issued until it completed.
    Service,
}

/// Equal bins of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeAxis {
    /// Start of the first bin.
    pub from_s: Decimal,
    /// Width of a bin.
    pub bin_s: Decimal,
    /// Number of bins; at most 1,200.
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

/// One value per bin. An operation counts in the bin where it completed, also in the warm-up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OverTime {
    /// Operations of every kind.
    pub ops: Vec<u64>,
    /// Failed operations.
    pub failed_ops: Vec<u64>,
    /// Operations of the warm-up.
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
    /// The latencies of reads.
    pub reads: LatencySide,
    /// The latencies of writes.
    pub writes: LatencySide,
}

/// The latencies of one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LatencySide {
    /// Triples: bin of time, bin of latency, count.
    pub cells: Vec<u64>,
    /// The longest latency in each bin of time; 0 if there is none.
    pub max_us: Vec<Decimal>,
    /// The sum of the latencies in each bin of time.
    pub sum_us: Vec<u64>,
}

/// Times of the operations of one kind, in the form of an HdrHistogram printout.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PercentileCurve {
    /// Name of the kind.
    pub kind: String,
    /// Operations that succeeded, without the warm-up.
    pub count: u64,
    /// 0 to 100, denser and denser towards 100.
    pub percentile: Vec<Decimal>,
    /// This percentage took no longer, to three digits; the last value is exact.
    pub us: Vec<Decimal>,
}

/// Requested sizes of successful operations, without the warm-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeCounts {
    /// `read` or `write`.
    pub kind: String,
    /// Ascending.
    pub bytes: Vec<u64>,
    /// The number of operations of each size.
    pub count: Vec<u64>,
    /// Whether sizes are rounded up to powers of two, because there are too many different ones.
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
    /// Number of the stream; in a trace, of the thread. -1 if the operation belongs to none.
    pub stream: Vec<i64>,
    /// Number of the file; -1 if there is none.
    pub file: Vec<i64>,
    /// Byte position in the file.
    pub offset_bytes: Vec<u64>,
    /// Requested bytes.
    pub len_bytes: Vec<u32>,
    /// Transferred bytes.
    pub done_bytes: Vec<u32>,
    /// When the operation was due.
    pub due_s: Vec<Decimal>,
    /// When it was issued.
    pub issued_s: Vec<Decimal>,
    /// From due to completed.
    pub response_us: Vec<Decimal>,
    /// From issued to completed.
    pub service_us: Vec<Decimal>,
    /// 0, or the error number.
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
    /// Share of accesses that start where the last one to the same file ended.
    pub sequential_percent: Vec<Option<Decimal>>,
    /// Mean service time of accesses.
    pub mean_service_us: Vec<Option<Decimal>>,
    /// Longest service time of accesses.
    pub max_service_us: Vec<Option<Decimal>>,
    /// Operations that failed.
    pub failed_ops: Vec<u64>,
    /// Number of files with operations that are not listed.
    pub left_out: u64,
}

/// The accesses to one file, by time and position.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileMap {
    /// Its number.
    pub file: u32,
    /// The known size of the file.
    pub end_bytes: u64,
    /// The same map several times, from coarse to fine.
    pub levels: Vec<MapLevel>,
    /// Every access, if there are few.
    pub points: Option<MapPoints>,
}

/// A map in cells of one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapLevel {
    /// Start of the first bin of time.
    pub from_s: Decimal,
    /// Width of a bin of time.
    pub time_bin_s: Decimal,
    /// Number of bins of time.
    pub time_bins: u64,
    /// Start of the first bin of the file.
    pub from_bytes: u64,
    /// Width of a bin of the file.
    pub offset_bin_bytes: u64,
    /// Number of bins of the file.
    pub offset_bins: u64,
    /// Quadruples: bin of time, bin of the file, bytes read, bytes written.
    pub cells: Vec<u64>,
}

/// Accesses one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapPoints {
    /// When it was issued.
    pub issued_s: Vec<Decimal>,
    /// Byte position in the file.
    pub offset_bytes: Vec<u64>,
    /// Transferred bytes.
    pub len_bytes: Vec<u32>,
    /// Whether it was a write.
    pub write: Vec<bool>,
    /// Time from issue to completion.
    pub service_us: Vec<Decimal>,
}

/// The streams of one load point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointStreams {
    /// Its number.
    pub point: u16,
    /// The bins of all figures below: the part that was judged.
    pub time: TimeAxis,
    /// The streams with the most late frames, then by number; at most 64.
    pub streams: Vec<StreamStrip>,
    /// Number of streams that are not in `streams`.
    pub left_out: u64,
    /// The smallest margin by the clock in a bin, over all streams: the time until the deadline of the
    /// next missing frame; negative while that frame is overdue. `None` if no frame was expected.
    pub min_margin_us: Vec<Option<i64>>,
    /// Late frames of all streams in a bin, including those that never arrived.
    pub late_frames: Vec<u64>,
    /// Late frames of each host in a bin, in the order of [`HostsOverTime::hosts`]; empty if one host
    /// made the run.
    pub host_late_frames: Vec<Vec<u64>>,
    /// The share of their available time that frames had left.
    pub headroom: Headroom,
}

/// One stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamStrip {
    /// Its number.
    pub stream: u32,
    /// A description of the stream.
    pub name: String,
    /// The smallest margin in each bin; see [`PointStreams`].
    pub min_margin_us: Vec<Option<i64>>,
    /// Late frames in each bin; see [`PointStreams`].
    pub late_frames: Vec<u64>,
}

/// The hosts of a run over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostsOverTime {
    /// The bins of all figures below.
    pub time: TimeAxis,
    /// In the order of the summary's hosts; at most 64.
    pub hosts: Vec<HostOverTime>,
}

/// One host. An operation counts in the bin where it completed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostOverTime {
    /// Bytes read and written in a bin, including the warm-up.
    pub bytes: Vec<u64>,
    /// The slowest read or write in a bin, without the warm-up; 0 if there was none.
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
    /// Frames that never arrived.
    pub never: u64,
}
