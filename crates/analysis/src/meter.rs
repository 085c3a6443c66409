//! The meter: takes every operation as it completes, and has the figures at the end of a load point.
//!
//! Its memory is bounded however long the run is: a running load point keeps histograms per worker, a
//! finished one keeps nothing, and the time series has a maximum size.

use std::collections::{BTreeMap, BTreeSet};

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::figures::{Figures, LatenessFigures, PointTiming, TimeFigures, WorkerFigures};
use crate::paper::{PaperTables, PaperTally};
use crate::response_counts::ResponseCounts;
use crate::scope::{Lateness, ScopeSums, Times};
use crate::series::{Series, SeriesTally};
pub use crate::tally::ShortOps;
use crate::tally::WorkerTally;

/// Workers with numbers below this are found by index.
const DENSE_WORKERS: u32 = 1 << 16;

const NO_SLOT: u32 = u32::MAX;

/// All counts of one load point. Tallies of several hosts can be merged exactly: the figures are those
/// of a single meter.
#[derive(Clone, Debug)]
pub struct PointTally {
    point: u16,
    is_limited: bool,
    workers: Vec<WorkerTally>,
    dense: Vec<u32>,
    sparse: BTreeMap<u32, u32>,
    first_issued_ns: u64,
    last_done_ns: u64,
}

/// The figures of one load point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointFigures {
    /// Its number.
    pub point: u16,
    /// When it ran.
    pub timing: PointTiming,
    /// All workers together.
    pub total: Figures,
    /// Each worker, by number.
    pub per_worker: Vec<WorkerFigures>,
    /// The paper's three tables, over all workers.
    pub paper: PaperTables,
}

/// Counts of the load point under way, for a progress display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Measured operations.
    pub ops: u64,
    /// Operations of the warm-up.
    pub warmup_ops: u64,
    /// Bytes read, without the warm-up.
    pub read_bytes: u64,
    /// Bytes written, without the warm-up.
    pub written_bytes: u64,
    /// Bytes read in the warm-up: they show progress, but no figure includes them.
    pub warmup_read_bytes: u64,
    /// Bytes written in the warm-up.
    pub warmup_written_bytes: u64,
    /// Operations that failed.
    pub errors: u64,
}

/// The sums over the finished load points, with which the cost of Reelgauge itself is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTotals {
    /// Operations, warm-up included.
    pub ops: u64,
    /// Bytes that warm-ups read; no figure includes them.
    pub warmup_read_bytes: u64,
    /// The scheduling delay of Reelgauge over all measured operations.
    pub lateness: Option<LatenessFigures>,
    /// The number of operations in `lateness`.
    pub lateness_ops: u64,
    /// Response times of all measured reads and writes.
    pub data_response: Option<TimeFigures>,
}

/// Takes operations and returns figures.
///
/// The operations of each worker come in order; how workers are interleaved does not matter. Load points
/// follow one another. Operations of the next may arrive before the last ones of the previous, as long
/// as that is not finished.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    current: Option<PointTally>,
    /// Load points that have begun and are not current.
    waiting: Vec<PointTally>,
    finished: BTreeSet<u16>,
    stragglers: u64,
    short_ops: ShortOps,
    is_limited: bool,
    series: SeriesTally,
    run_ops: u64,
    run_warmup_read_bytes: u64,
    run_lateness: Lateness,
    run_response: Times,
}

impl PointTally {
    fn new(point: u16, is_limited: bool) -> PointTally {
        PointTally {
            point,
            is_limited,
            workers: Vec::new(),
            dense: Vec::new(),
            sparse: BTreeMap::new(),
            first_issued_ns: u64::MAX,
            last_done_ns: 0,
        }
    }

    #[inline]
    fn add(&mut self, op: &OpRecord, short_ops: ShortOps) {
        let slot = match self.dense.get(op.worker as usize) {
            Some(&slot) if slot != NO_SLOT => slot,
            _ => self.slot(op.worker),
        };
        let worker = &mut self.workers[slot as usize];
        if op.flags.has(OpFlags::WARMUP) {
            worker.add_warmup(op);
            return;
        }
        self.first_issued_ns = self.first_issued_ns.min(op.issued_ns);
        self.last_done_ns = self.last_done_ns.max(op.done_ns);
        worker.add(op, short_ops);
    }

    /// The slot of a worker that is new or has a large number.
    #[cold]
    fn slot(&mut self, worker: u32) -> u32 {
        if let Some(&slot) = self.sparse.get(&worker) {
            return slot;
        }
        let slot = self.workers.len() as u32;
        self.workers.push(WorkerTally::new(worker, self.is_limited));
        if worker < DENSE_WORKERS {
            let needed = worker as usize + 1;
            if self.dense.len() < needed {
                self.dense.resize(needed, NO_SLOT);
            }
            self.dense[worker as usize] = slot;
        } else {
            self.sparse.insert(worker, slot);
        }
        slot
    }

    /// Adds the counts of another host in the same load point. Its workers get the numbers from
    /// `first_worker` on, which must be above all numbers used here.
    pub fn merge(&mut self, other: PointTally, first_worker: u32) {
        self.first_issued_ns = self.first_issued_ns.min(other.first_issued_ns);
        self.last_done_ns = self.last_done_ns.max(other.last_done_ns);
        for mut worker in other.workers {
            // The worker numbers of a host are read from a file.
            worker.worker = worker.worker.saturating_add(first_worker);
            for failure in &mut worker.errors {
                failure.first.worker = worker.worker;
            }
            self.workers.push(worker);
        }
    }

    /// The sum of several tallies, whose worker numbers do not overlap; `None` without any.
    pub fn together<'a>(tallies: impl IntoIterator<Item = &'a PointTally>) -> Option<PointTally> {
        let mut tallies = tallies.into_iter();
        let mut all = tallies.next()?.clone();
        tallies.for_each(|tally| all.merge(tally.clone(), 0));
        Some(all)
    }

    /// Measured operations of every kind, including failed ones.
    pub fn ops(&self) -> u64 {
        self.counts().ops
    }

    /// Whether no operation was counted, not even in the warm-up.
    pub fn is_empty(&self) -> bool {
        self.workers.is_empty()
    }

    /// The timing from the operations alone: from the first issue to the last completion. For runs that
    /// were killed before their measured time was recorded.
    pub fn timing_from_ops(&self) -> PointTiming {
        match self.last_done_ns.checked_sub(self.first_issued_ns) {
            Some(measured_ns) => PointTiming { started_ns: self.first_issued_ns, measured_ns },
            None => PointTiming::default(),
        }
    }

    pub fn figures(&self, timing: PointTiming) -> PointFigures {
        self.total_and_figures(timing).1
    }

    fn total_and_figures(&self, timing: PointTiming) -> (ScopeSums, PointFigures) {
        let mut total = ScopeSums::default();
        let mut paper = PaperTally::default();
        let mut per_worker = Vec::with_capacity(self.workers.len());
        for worker in &self.workers {
            let scope = ScopeSums::of(worker);
            total.add(&scope);
            paper.add(&worker.paper);
            per_worker.push(WorkerFigures {
                worker: worker.worker,
                figures: scope.figures(timing),
                paper: worker.paper.own_tables(),
            });
        }
        per_worker.sort_by_key(|figures| figures.worker);
        let figures = PointFigures {
            point: self.point,
            timing,
            total: total.figures(timing),
            per_worker,
            paper: paper.tables(),
        };
        (total, figures)
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for worker in &self.workers {
            counts.ops += OpKind::ALL.into_iter().map(|kind| worker.ops(kind)).sum::<u64>();
            counts.warmup_ops += worker.warmup_ops;
            counts.warmup_read_bytes += worker.warmup_read_bytes;
            counts.warmup_written_bytes += worker.warmup_written_bytes;
            counts.read_bytes += worker.bytes(OpKind::Read);
            counts.written_bytes += worker.bytes(OpKind::Write);
            counts.errors += worker.failed_by_kind.iter().sum::<u64>();
        }
        counts
    }
}

impl Meter {
    pub fn new() -> Meter {
        Meter::default()
    }

    /// Sets the meaning of reads and writes that transfer less than requested; to be called before the
    /// first is added.
    pub fn take_short(&mut self, short_ops: ShortOps) {
        self.short_ops = short_ops;
    }

    /// Records that a byte rate limit is set; to be called before the first operation is added. The time
    /// in which it held an operation back is no latency of a transfer.
    pub fn take_limit(&mut self) {
        self.is_limited = true;
    }

    /// Takes an operation. Cheap: some tens of nanoseconds at most, and no allocation except for growth.
    #[inline]
    pub fn add(&mut self, op: &OpRecord) {
        if self.current.as_ref().is_none_or(|current| current.point != op.point) {
            self.switch_to(op.point);
        }
        let Some(current) = &mut self.current else {
            self.stragglers += 1;
            return;
        };
        self.series.add(op);
        current.add(op, self.short_ops);
    }

    /// Makes a load point current. If it is finished, no load point is current afterwards.
    #[cold]
    fn switch_to(&mut self, point: u16) {
        self.waiting.extend(self.current.take());
        let known = self.waiting.iter().position(|tally| tally.point == point);
        self.current = match known {
            Some(at) => Some(self.waiting.swap_remove(at)),
            None if self.finished.contains(&point) => None,
            None => Some(PointTally::new(point, self.is_limited)),
        };
    }

    /// Ends a load point and returns its figures; its memory is freed. Its operations that are added
    /// later are only counted, see [`Meter::stragglers`]. A point without operations has empty figures.
    pub fn finish_point(&mut self, point: u16, timing: PointTiming) -> PointFigures {
        let tally = self.take_point(point);
        let (total, figures) = tally.total_and_figures(timing);
        self.remember(&tally, &total, &figures);
        figures
    }

    /// Like [`Meter::finish_point`], with the timing from the operations.
    pub fn finish_point_from_ops(&mut self, point: u16) -> PointFigures {
        let tally = self.take_point(point);
        let (total, figures) = tally.total_and_figures(tally.timing_from_ops());
        self.remember(&tally, &total, &figures);
        figures
    }

    /// Ends a load point and returns its counts, to be merged with those of other hosts. It is not
    /// included in [`Meter::run_totals`].
    pub fn take_point(&mut self, point: u16) -> PointTally {
        self.finished.insert(point);
        if let Some(tally) = self.current.take_if(|current| current.point == point) {
            return tally;
        }
        match self.waiting.iter().position(|tally| tally.point == point) {
            Some(at) => self.waiting.swap_remove(at),
            None => PointTally::new(point, self.is_limited),
        }
    }

    /// The counts of a load point that is not finished.
    pub fn point(&self, point: u16) -> Option<&PointTally> {
        self.waiting.iter().chain(&self.current).find(|tally| tally.point == point)
    }

    /// Adds the counts of another host, on the same clock and with worker numbers that are not used
    /// here. Exact for load points that are not finished: the result is that of a single meter.
    pub fn merge(&mut self, other: &Meter) {
        self.waiting.extend(self.current.take());
        for tally in other.waiting.iter().chain(&other.current) {
            let known = self.waiting.iter().position(|known| known.point == tally.point);
            match known {
                Some(at) => self.waiting[at].merge(tally.clone(), 0),
                None if self.finished.contains(&tally.point) => {
                    self.stragglers += tally.counts().ops;
                }
                None => self.waiting.push(tally.clone()),
            }
        }
        self.stragglers += other.stragglers;
        self.series.merge(&other.series);
    }

    fn remember(&mut self, tally: &PointTally, total: &ScopeSums, figures: &PointFigures) {
        self.run_warmup_read_bytes += tally.counts().warmup_read_bytes;
        self.run_ops += figures.total.ops + figures.total.warmup_ops;
        self.run_lateness.add(&total.lateness);
        self.run_response.add(&total.data_response());
    }

    /// The load points that have operations and are not finished, ascending.
    pub fn unfinished_points(&self) -> Vec<u16> {
        let all = self.waiting.iter().chain(&self.current);
        let mut points: Vec<u16> = all.map(|tally| tally.point).collect();
        points.sort_unstable();
        points
    }

    /// Counts of the load point that the last operation belonged to. Costs one access per worker.
    pub fn counts(&self) -> Counts {
        // Nothing is counted before the first record.
        self.current.as_ref().map(PointTally::counts).unwrap_or_default()
    }

    /// Response times of the reads and writes of that load point so far. Reads every bucket of every
    /// worker, so it should not be called more often than once a second.
    pub fn response_counts(&self) -> ResponseCounts {
        let Some(current) = &self.current else { return ResponseCounts::default() };
        let mut total = ScopeSums::default();
        current.workers.iter().for_each(|worker| total.add(&ScopeSums::of(worker)));
        total.data_response().counts()
    }

    /// Operations that arrived after their load point was finished. No figure includes them.
    pub fn stragglers(&self) -> u64 {
        self.stragglers
    }

    /// The results of every second so far.
    pub fn series(&self) -> Series {
        self.series.series()
    }

    /// The sums over all finished load points.
    pub fn run_totals(&self) -> RunTotals {
        RunTotals {
            ops: self.run_ops,
            warmup_read_bytes: self.run_warmup_read_bytes,
            lateness: self.run_lateness.figures(),
            lateness_ops: self.run_lateness.count(),
            data_response: self.run_response.figures(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;

    #[test]
    fn response_times_belong_to_the_current_load_point() {
        let mut meter = Meter::new();
        assert_eq!(meter.response_counts().count(), 0);
        meter.add(&read(0, 0, 4096).at_ms(1).took_ms(5));
        meter.add(&write(1, 0, 4096).at_ms(1).took_ms(9));
        let counts = meter.response_counts();
        let figures = meter.finish_point(0, PointTiming::default()).total.response.data;
        let figures = figures.map(|figures| (figures.count, figures.p50_us));
        let half_us = counts.quantile_ns(0.5).map(|ns| (ns as f64 / 5e6 - 1.0).abs());
        assert_eq!(counts.count(), 2);
        assert!(half_us.is_some_and(|off| off < 0.001), "{counts:?}");
        assert_eq!(figures.map(|(count, _)| count), Some(2));
        assert_eq!(meter.response_counts().count(), 0);
    }

    #[test]
    fn warm_up_bytes_are_counted_separately() {
        let mut meter = Meter::new();
        let warm = |op: OpRecord| OpRecord { flags: OpFlags::WARMUP, ..op };
        meter.add(&warm(read(0, 0, 4096)));
        meter.add(&warm(write(0, 1, 512)));
        meter.add(&read(0, 2, 100));
        let counts = meter.counts();
        assert_eq!((counts.warmup_read_bytes, counts.warmup_written_bytes), (4096, 512));
        assert_eq!((counts.read_bytes, counts.written_bytes, counts.ops), (100, 0, 1));
        meter.finish_point(0, PointTiming::default());
        meter.add(&OpRecord { point: 1, ..warm(read(0, 3, 1000)) });
        meter.finish_point_from_ops(1);
        assert_eq!(meter.run_totals().warmup_read_bytes, 5096);
    }
}
