//! Statistics of an application's storage access, from its operations alone: bytes, sizes, times and
//! order, of a trace or a run, in total and for each file.
//!
//! Operations are taken in order of issue (see [`InOrder`](crate::in_order::InOrder)), in two passes.
//! [`TraceStats`] counts everything, and so finds which files matter and how long the trace is.
//! [`TraceDetails`] then evaluates those files in detail. So memory is bounded: 56 bytes for every file,
//! histograms and maps for a few.
//!
//! An *access* is a read or write that did not fail. It is *sequential* if it begins where the previous
//! access of the whole trace ended in the same file (the definition of the NASPT paper). It is
//! *sequential in its file* if it begins where the last access to that file ended. Sizes are transferred
//! bytes, not requested ones. Operations of a run's warm-up are only counted as such.
//!
//! Not here: screens, and late frames ([`late`](crate::late)).

pub mod details;
pub mod figures;
mod files;
pub mod map;
mod moments;
pub mod over_time;
pub mod sizes;
#[cfg(test)]
pub(crate) mod tests;
pub mod times;

pub use details::TraceDetails;
pub use figures::{
    ErrorCount, FileFigures, FilesTouched, KindFigures, TRACE_REPORT_VERSION, TraceAbout, TraceFigures,
    TraceMoved, TraceReport,
};
pub use map::{MapCell, OffsetMap};
pub use over_time::{OverTime, OverTimeBin};
pub use sizes::{SizeCount, SizeFigures, SizeRow};
pub use times::{ServiceFigures, ServiceRow};

use std::collections::BTreeMap;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::figures::{per_second, seconds, stretch_ns};

use crate::fragments::hints::HintDetector;
use crate::rounding::round_to;
use files::FileTallies;
use sizes::Sizes;
use times::ServiceTimes;

/// Different sizes that are counted exactly, in total.
const EXACT_SIZES: usize = 1 << 16;
/// Kinds of errors that are counted separately; a real log has fewer.
const MAX_ERRORS: usize = 256;

/// A part of a trace, by when operations were issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// From this time on, in nanoseconds since the start.
    pub from_ns: u64,
    /// Before this time.
    pub to_ns: u64,
}

impl Period {
    /// The whole trace.
    pub const WHOLE: Period = Period { from_ns: 0, to_ns: u64::MAX };

    /// Whether the operation counts. A period until the end of the clock's range excludes nothing.
    pub fn holds(&self, op: &OpRecord) -> bool {
        op.issued_ns >= self.from_ns && (op.issued_ns < self.to_ns || self.to_ns == u64::MAX)
    }
}

/// A pair of values, for reads and writes.
#[derive(Clone, Debug)]
struct Direction {
    count: u64,
    bytes: u64,
    sizes: Sizes,
    service: ServiceTimes,
}

impl Direction {
    fn new() -> Direction {
        Direction { count: 0, bytes: 0, sizes: Sizes::new(EXACT_SIZES), service: ServiceTimes::default() }
    }

    fn add(&mut self, op: &OpRecord) {
        self.count += 1;
        self.bytes += u64::from(op.done_len);
        self.sizes.add(op.done_len);
        self.service.add(op.service_ns());
    }
}

/// Sums of one kind of operation.
#[derive(Clone, Copy, Debug, Default)]
struct KindTally {
    ops: u64,
    failed: u64,
    service_ns: u64,
    max_service_ns: u64,
}

/// The first pass: takes every operation in order of issue.
#[derive(Clone, Debug)]
pub struct TraceStats {
    period: Period,
    files: FileTallies,
    hints: HintDetector,
    previous: Option<(u32, u64)>,
    kinds: [KindTally; OpKind::ALL.len()],
    errors: BTreeMap<(i32, OpKind), u64>,
    reads: Direction,
    writes: Direction,
    sequential: u64,
    sequential_in_file: u64,
    warmup_ops: u64,
    copied_ops: u64,
    mapped_ops: u64,
    empty_reads: u64,
    short_ops: u64,
    span: Option<(u64, u64)>,
}

impl TraceStats {
    /// For a trace with these files, given by their initial sizes (`None` if unknown).
    pub fn new(sizes_before: impl IntoIterator<Item = impl Into<Option<u64>>>, period: Period) -> TraceStats {
        TraceStats {
            period,
            files: FileTallies::new(sizes_before),
            hints: HintDetector::default(),
            previous: None,
            kinds: [KindTally::default(); OpKind::ALL.len()],
            errors: BTreeMap::new(),
            reads: Direction::new(),
            writes: Direction::new(),
            sequential: 0,
            sequential_in_file: 0,
            warmup_ops: 0,
            copied_ops: 0,
            mapped_ops: 0,
            empty_reads: 0,
            short_ops: 0,
            span: None,
        }
    }

    /// Takes an operation. Operations outside the period only set the position for the next ones.
    pub fn add(&mut self, op: &OpRecord) {
        let is_access = op.kind.moves_data() && op.errno == 0;
        let sequential = is_access && self.previous == Some((op.file, op.offset));
        let counts = self.period.holds(op) && !op.flags.has(OpFlags::WARMUP);
        let end_before = self.files.end_bytes(op.file);
        let known_end = self.files.known_end_bytes(op.file);
        let in_file = self.files.add(op, sequential, counts);
        if is_access {
            self.previous = Some((op.file, op.end_offset()));
        }
        if counts {
            self.hints.add(op, end_before, known_end);
            self.count(op);
            self.sequential += u64::from(sequential);
            self.sequential_in_file += u64::from(in_file);
        } else {
            self.warmup_ops += u64::from(op.flags.has(OpFlags::WARMUP) && self.period.holds(op));
        }
    }

    fn count(&mut self, op: &OpRecord) {
        let (first_ns, last_ns) = self.span.unwrap_or((op.issued_ns, op.done_ns));
        self.span = Some((first_ns.min(op.issued_ns), last_ns.max(op.done_ns)));
        let kind = &mut self.kinds[op.kind as usize];
        kind.ops += 1;
        if op.errno != 0 {
            kind.failed += 1;
            let key = (op.errno, op.kind);
            if self.errors.len() < MAX_ERRORS || self.errors.contains_key(&key) {
                *self.errors.entry(key).or_default() += 1;
            }
            return;
        }
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        kind.service_ns = kind.service_ns.saturating_add(op.service_ns());
        kind.max_service_ns = kind.max_service_ns.max(op.service_ns());
        self.copied_ops += u64::from(op.flags.is_copied());
        self.mapped_ops += u64::from(op.flags.has(OpFlags::MAPPED));
        match op.kind {
            OpKind::Read => self.reads.add(op),
            OpKind::Write => self.writes.add(op),
            _ => return,
        }
        let is_empty = op.done_len == 0 && op.len > 0;
        self.empty_reads += u64::from(is_empty && op.kind == OpKind::Read);
        self.short_ops += u64::from(op.is_short() && !is_empty);
    }

    /// From the first operation's issue to the last one's end within the period.
    pub fn span_ns(&self) -> Option<(u64, u64)> {
        self.span
    }

    /// The signs of a client that writes single bytes ahead.
    pub fn hints(&self) -> &HintDetector {
        &self.hints
    }

    /// The files with the most bytes, the largest first; files without bytes are sorted by their
    /// operations.
    pub fn top_files(&self, count: usize) -> Vec<u32> {
        self.files.top(count)
    }

    /// The known end of a file, from its reads and writes.
    pub fn file_end_bytes(&self, file: u32) -> u64 {
        self.files.end_bytes(file)
    }

    /// The figures of these files, without those of the second pass.
    pub fn files(&self, files: &[u32], name: impl Fn(u32) -> String) -> Vec<FileFigures> {
        files.iter().filter_map(|&file| self.files.figures(file, name(file))).collect()
    }

    /// The figures of all operations together.
    pub fn figures(&self) -> TraceFigures {
        let accesses = self.reads.count + self.writes.count;
        // A trace without operations lasts from 0 to 0.
        let (first_ns, last_ns) = self.span.unwrap_or_default();
        let span_ns = stretch_ns(first_ns, last_ns);
        TraceFigures {
            from_s: (self.period.from_ns > 0).then(|| seconds(self.period.from_ns)),
            to_s: (self.period.to_ns < u64::MAX).then(|| seconds(self.period.to_ns)),
            first_issued_s: seconds(first_ns),
            span_s: seconds(span_ns),
            ops: self.kinds.iter().map(|kind| kind.ops).sum(),
            failed_ops: self.kinds.iter().map(|kind| kind.failed).sum(),
            warmup_ops: self.warmup_ops,
            accesses,
            reads: self.reads.count,
            writes: self.writes.count,
            read_bytes: self.reads.bytes,
            written_bytes: self.writes.bytes,
            read_bytes_per_s: per_second(self.reads.bytes, span_ns),
            written_bytes_per_s: per_second(self.writes.bytes, span_ns),
            sequential_accesses: self.sequential,
            sequential_percent: percent(self.sequential, accesses),
            sequential_in_file_accesses: self.sequential_in_file,
            sequential_in_file_percent: percent(self.sequential_in_file, accesses),
            copied_ops: self.copied_ops,
            mapped_ops: self.mapped_ops,
            reads_at_the_end: self.empty_reads,
            short_ops: self.short_ops,
            read_sizes: self.reads.sizes.figures(),
            write_sizes: self.writes.sizes.figures(),
            read_service: self.reads.service.figures().filter(|_| self.has_durations()),
            write_service: self.writes.service.figures().filter(|_| self.has_durations()),
            by_kind: self.by_kind(),
            errors: self.error_counts(),
            files: self.files.touched(),
        }
    }

    /// Whether any operation took time. Some sources (fio iologs, some captures) have no durations: all
    /// their operations end when they begin.
    fn has_durations(&self) -> bool {
        self.kinds.iter().any(|tally| tally.service_ns > 0)
    }

    fn by_kind(&self) -> Vec<KindFigures> {
        let has_durations = self.has_durations();
        let kinds = OpKind::ALL.into_iter().zip(&self.kinds).filter(|(_, tally)| tally.ops > 0);
        let figures = kinds.map(|(kind, tally)| {
            let done = tally.ops - tally.failed;
            KindFigures {
                kind: kind.name().to_owned(),
                ops: tally.ops,
                failed_ops: tally.failed,
                service_s: has_durations.then(|| seconds(tally.service_ns)),
                mean_service_us: (done > 0 && has_durations)
                    .then(|| round_to(tally.service_ns as f64 / done as f64 / 1e3, 3)),
                max_service_us: (done > 0 && has_durations).then_some(tally.max_service_ns as f64 / 1e3),
            }
        });
        figures.collect()
    }

    fn error_counts(&self) -> Vec<ErrorCount> {
        let mut errors: Vec<ErrorCount> =
            self.errors.iter().map(|(&(errno, kind), &count)| ErrorCount::new(errno, kind, count)).collect();
        errors.sort_by_key(|error| std::cmp::Reverse(error.count));
        errors
    }
}

/// A share in percent, to two decimals; `None` if the whole is 0.
pub(crate) fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| round_to(part as f64 * 100.0 / whole as f64, 2))
}
