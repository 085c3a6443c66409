//! The figures of one scope: a load point's total, or one of its workers.
//!
//! These are plain numbers with their units in their names, made to be written as JSON and read by users
//! and `jq`. Figures without a measurement are `None`, never 0.
//!
//! `ops`, `failed_ops` and `lateness` cover every measured operation. Times and bytes cover operations
//! that succeeded, and times only those that transferred all requested bytes. The time of a failed
//! operation is listed with its error, so that an error returned in a microsecond cannot make the
//! storage look fast.

use serde::{Deserialize, Serialize};

use reelgauge_record::OpKind;

use crate::paper::PaperTables;
use crate::rounding::round_to;

/// When a load point ran, on the run's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointTiming {
    /// When it began, including the warm-up.
    pub started_ns: u64,
    /// The measured time, without the warm-up; throughput is divided by it.
    pub measured_ns: u64,
}

/// The figures of a load point or of one worker in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Figures {
    /// Measured operations of every kind, including failed ones.
    pub ops: u64,
    /// Failed operations.
    pub failed_ops: u64,
    /// The measured operations by kind.
    pub ops_by_kind: OpsByKind,
    /// Operations of the warm-up. They are in no other figure.
    pub warmup_ops: u64,
    /// Transfers that completed without a failure.
    pub transfers: u64,
    /// Transfers that did not: cut off by the end or by the warm-up, or with a failed operation.
    pub transfers_left_out: u64,
    /// Reads and writes that succeeded but transferred less than requested. They end the run, except in
    /// a replay, and no time here includes them.
    pub short_transfers: u64,
    /// The writes among these. `None` in summaries of versions that did not separate them.
    #[serde(default)]
    pub short_writes: Option<u64>,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Throughput: bytes read ÷ measured time. `None` if that time is 0.
    pub read_bytes_per_s: Option<f64>,
    /// Throughput: bytes written ÷ measured time.
    pub written_bytes_per_s: Option<f64>,
    /// Both together.
    pub bytes_per_s: Option<f64>,
    /// Reads and writes that succeeded ÷ measured time.
    pub data_ops_per_s: Option<f64>,
    /// From when operations were due until they completed: the latency that an application sees.
    pub response: TimesByKind,
    /// From when operations were issued until they completed: the time of the storage.
    pub service: TimesByKind,
    /// Time from when operations were due *and their worker was free* until they were issued: the
    /// scheduling delay of Reelgauge.
    pub lateness: Option<LatenessFigures>,
    /// The failures, by error number.
    pub errors: Vec<ErrorFigures>,
    /// The failure that came first.
    pub first_error: Option<FirstError>,
}

impl Figures {
    /// The throughput of the busier direction: a link has its full rate in each direction at the same
    /// time.
    pub fn busier_bytes_per_s(&self) -> Option<f64> {
        [self.read_bytes_per_s, self.written_bytes_per_s].into_iter().flatten().reduce(f64::max)
    }

    /// Removes the rates of a load point that was stopped before an operation completed: a rate of 0
    /// would mean nothing.
    pub(crate) fn forget_rates(&mut self) {
        self.read_bytes_per_s = None;
        self.written_bytes_per_s = None;
        self.bytes_per_s = None;
        self.data_ops_per_s = None;
    }
}

/// Counts of operations by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct OpsByKind {
    /// Files opened.
    pub open: u64,
    /// Reads.
    pub read: u64,
    /// Writes.
    pub write: u64,
    /// Syncs.
    pub sync: u64,
    /// Files closed.
    pub close: u64,
    /// Files created.
    pub create: u64,
    /// Files removed.
    pub unlink: u64,
    /// Queries for a file's size and times.
    pub stat: u64,
    /// Queries whether a file may be read.
    pub access: u64,
    /// Directories listed.
    pub readdir: u64,
    /// Changes of a file's size.
    pub truncate: u64,
    /// Reservations of space in a file.
    pub allocate: u64,
    /// Files renamed.
    pub rename: u64,
    /// Directories created.
    pub mkdir: u64,
    /// Directories removed.
    pub rmdir: u64,
    /// Changes of a file's times, owner or permissions.
    pub setattr: u64,
    /// Operations of all other kinds.
    pub other: u64,
    /// Hard links created.
    pub link: u64,
    /// Symbolic links created.
    pub symlink: u64,
    /// Symbolic links read.
    pub readlink: u64,
}

/// Times of operations that succeeded, by kind. `None` for kinds without operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimesByKind {
    /// Reads and writes together.
    pub data: Option<TimeFigures>,
    /// Reads.
    pub read: Option<TimeFigures>,
    /// Writes.
    pub write: Option<TimeFigures>,
    /// Opening files.
    pub open: Option<TimeFigures>,
    /// Closing files.
    pub close: Option<TimeFigures>,
    /// Syncs.
    pub sync: Option<TimeFigures>,
    /// Making files.
    pub create: Option<TimeFigures>,
    /// Removing files.
    pub unlink: Option<TimeFigures>,
    /// Asking for a file's size and times.
    pub stat: Option<TimeFigures>,
    /// Asking whether a file may be read.
    pub access: Option<TimeFigures>,
    /// Listing directories.
    pub readdir: Option<TimeFigures>,
    /// Setting a file's size.
    #[serde(default)]
    pub truncate: Option<TimeFigures>,
    /// Reserving room in a file.
    #[serde(default)]
    pub allocate: Option<TimeFigures>,
    /// Renaming.
    #[serde(default)]
    pub rename: Option<TimeFigures>,
    /// Making directories.
    #[serde(default)]
    pub mkdir: Option<TimeFigures>,
    /// Removing directories.
    #[serde(default)]
    pub rmdir: Option<TimeFigures>,
    /// Changing a file's times, owner or rights.
    #[serde(default)]
    pub setattr: Option<TimeFigures>,
    /// All other kinds.
    #[serde(default)]
    pub other: Option<TimeFigures>,
    /// Making hard links.
    #[serde(default)]
    pub link: Option<TimeFigures>,
    /// Making symbolic links.
    #[serde(default)]
    pub symlink: Option<TimeFigures>,
    /// Reading symbolic links.
    #[serde(default)]
    pub readlink: Option<TimeFigures>,
}

impl TimesByKind {
    /// The times of one kind.
    pub fn of(&self, kind: OpKind) -> Option<&TimeFigures> {
        let times = match kind {
            OpKind::Open => &self.open,
            OpKind::Read => &self.read,
            OpKind::Write => &self.write,
            OpKind::Sync => &self.sync,
            OpKind::Close => &self.close,
            OpKind::Create => &self.create,
            OpKind::Unlink => &self.unlink,
            OpKind::Stat => &self.stat,
            OpKind::Access => &self.access,
            OpKind::ReadDir => &self.readdir,
            OpKind::Truncate => &self.truncate,
            OpKind::Allocate => &self.allocate,
            OpKind::Rename => &self.rename,
            OpKind::MakeDir => &self.mkdir,
            OpKind::RemoveDir => &self.rmdir,
            OpKind::SetAttr => &self.setattr,
            OpKind::Other => &self.other,
            OpKind::Link => &self.link,
            OpKind::SymLink => &self.symlink,
            OpKind::ReadLink => &self.readlink,
        };
        times.as_ref()
    }

    /// The kind of operation that took longest, and its times.
    pub fn slowest(&self) -> Option<(OpKind, &TimeFigures)> {
        let kinds = OpKind::ALL.into_iter().filter_map(|kind| Some((kind, self.of(kind)?)));
        kinds.max_by(|a, b| a.1.max_us.total_cmp(&b.1.max_us))
    }
}

/// A distribution of times. Percentiles are good for three digits; the mean and maximum are exact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeFigures {
    /// How many operations.
    pub count: u64,
    /// The arithmetic mean.
    pub mean_us: f64,
    /// Standard deviation of the whole population, not of a sample, to three digits. `None` in summaries
    /// of versions that did not compute it, and for times of frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation_us: Option<f64>,
    /// Half of them took no longer.
    pub p50_us: f64,
    /// 95 of 100 took no longer.
    pub p95_us: f64,
    /// 99 of 100 took no longer.
    pub p99_us: f64,
    /// 999 of 1000 took no longer.
    pub p99_9_us: f64,
    /// The longest.
    pub max_us: f64,
    /// When the longest began, since the start of the run.
    pub max_began_s: f64,
    /// When the longest began, since the start of the load point.
    pub max_began_in_point_s: f64,
}

/// From this number of operations on, p50 does not depend on a single one: at least one is beyond it.
pub const CARRY_P50: u64 = 2;
/// The same of p95.
pub const CARRY_P95: u64 = 20;
/// The same of p99.
pub const CARRY_P99: u64 = 100;
/// The same of p99.9.
pub const CARRY_P99_9: u64 = 1000;

/// Percentiles that are shown. With fewer operations, each would be only the maximum under another name.
impl TimeFigures {
    /// [`TimeFigures::p50_us`], if there are enough operations for it.
    pub fn carried_p50_us(&self) -> Option<f64> {
        (self.count >= CARRY_P50).then_some(self.p50_us)
    }

    /// [`TimeFigures::p95_us`], if there are enough operations for it.
    pub fn carried_p95_us(&self) -> Option<f64> {
        (self.count >= CARRY_P95).then_some(self.p95_us)
    }

    /// [`TimeFigures::p99_us`], if there are enough operations for it.
    pub fn carried_p99_us(&self) -> Option<f64> {
        (self.count >= CARRY_P99).then_some(self.p99_us)
    }

    /// [`TimeFigures::p99_9_us`], if there are enough operations for it.
    pub fn carried_p99_9_us(&self) -> Option<f64> {
        (self.count >= CARRY_P99_9).then_some(self.p99_9_us)
    }
}

/// Whether a count is omitted from a file because it is zero.
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The scheduling delay of Reelgauge, to two digits; the maximum is exact. See [`Figures::lateness`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LatenessFigures {
    /// Half of the operations were no later.
    pub p50_us: f64,
    /// 99 of 100 were no later.
    pub p99_us: f64,
    /// The latest.
    pub max_us: f64,
}

/// Failures with one error number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorFigures {
    /// The operating system's number.
    pub errno: i32,
    /// The meaning of the number on the system that wrote these figures.
    pub message: String,
    /// How many operations failed with it.
    pub count: u64,
    /// The longest that one of them took, from when it was due.
    pub max_response_us: f64,
    /// The first of them.
    pub first: FirstError,
}

/// Place and time of the first failure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FirstError {
    /// The operating system's number.
    pub errno: i32,
    /// The kind of operation: `read`, …
    #[serde(with = "kind_name")]
    #[cfg_attr(feature = "typescript", ts(as = "OpKind"))]
    pub kind: OpKind,
    /// The worker.
    pub worker: u32,
    /// Index into the run's file table.
    pub file: u32,
    /// Byte position.
    pub offset_bytes: u64,
    /// When it failed, since the start of the run.
    pub failed_at_s: f64,
    /// When it failed, since the start of the load point.
    pub failed_at_in_point_s: f64,
}

/// The figures of one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WorkerFigures {
    /// Its number.
    pub worker: u32,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// The paper's tables of this worker alone, without the cells for which it measured nothing. `None`
    /// if there are no random block sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperTables>,
}

/// Nanoseconds as microseconds.
pub(crate) fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Nanoseconds as seconds, to the microsecond.
pub(crate) fn seconds(ns: u64) -> f64 {
    round_to(ns as f64 / 1e9, 6)
}

/// The length of a period, 0 if it ends before it begins: two periods do not overlap, a load point was
/// cut short in its warm-up, or a damaged record completed before it was issued.
pub(crate) fn stretch_ns(from_ns: u64, until_ns: u64) -> u64 {
    until_ns.saturating_sub(from_ns)
}

/// Converts a time of the run to seconds of the load point that began at `point_started_ns`. An earlier
/// time counts as its start.
pub(crate) fn in_point_s(time_ns: u64, point_started_ns: u64) -> f64 {
    seconds(time_ns.saturating_sub(point_started_ns))
}

/// `count` per second over a time; `None` if that is 0.
pub(crate) fn per_second(count: u64, time_ns: u64) -> Option<f64> {
    (time_ns > 0).then(|| round_to(count as f64 * 1e9 / time_ns as f64, 3))
}

mod kind_name {
    use reelgauge_record::OpKind;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(kind: &OpKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OpKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        OpKind::from_name(&name)
            .ok_or_else(|| D::Error::custom(format!("'{name}' is not a kind of operation")))
    }
}
