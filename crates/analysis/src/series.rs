//! The results of every second of the run: the time axis of charts, and of the question "when was it
//! slow?".
//!
//! Bounded: if a run has more than [`MAX_ENTRIES`] entries, neighbours are merged and every entry covers
//! twice the time. An operation counts where it completed, so a stall shows as entries without any. The
//! times in which no operation completed at all are stored separately, to the nanosecond.

use reelgauge_record::{OpFlags, OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use crate::figures::{seconds, stretch_ns, us};
use crate::tally::Peak;

/// Six hours of seconds.
pub const MAX_ENTRIES: usize = 6 * 3600;

const SECOND_NS: u64 = 1_000_000_000;

/// A shorter time without a completed operation is no standstill.
const STANDSTILL_NS: u64 = SECOND_NS;

/// Standstills that are kept, at most: the longest.
const STANDSTILLS_MAX: usize = 16;

/// The run in equal steps, from its start. Steps without operations are included, with zeros.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Series {
    /// Length of a step: 1, or a power of two of it for runs of more than six hours.
    pub step_s: u64,
    /// The steps, without a gap.
    pub steps: Vec<SeriesStep>,
    /// Times of a second or longer in which operations were in flight and no worker's operation
    /// completed: the longest, in order of time. In steps of several seconds, those within one step are
    /// not detected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub standstills: Vec<Standstill>,
}

/// A time in which operations were in flight and none completed, whatever the cause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standstill {
    /// Its start, in seconds since the start of the run.
    pub began_s: f64,
    /// The time until the next operation completed.
    pub lasted_s: f64,
}

/// One step of the series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SeriesStep {
    /// When the step began, since the start of the run.
    pub began_s: u64,
    /// The highest load point that has a measured operation in it.
    pub point: Option<u16>,
    /// Measured operations of every kind.
    pub ops: u64,
    /// Operations of the warm-up; no other figure includes them.
    pub warmup_ops: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Operations that failed.
    pub errors: u64,
    /// The longest response of a measured operation of any kind that succeeded.
    pub max_response_us: Option<f64>,
    /// When that operation was due, since the start of the run.
    pub max_response_began_s: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    ops: u64,
    warmup_ops: u64,
    read_bytes: u64,
    written_bytes: u64,
    errors: u64,
    max_response: Peak,
    point: u16,
    /// The first and the last completion, including the warm-up.
    first_done_ns: u64,
    last_done_ns: u64,
    /// The issue time of the oldest operation that completed here.
    oldest_issued_ns: u64,
}

impl Default for Step {
    fn default() -> Step {
        Step {
            ops: 0,
            warmup_ops: 0,
            read_bytes: 0,
            written_bytes: 0,
            errors: 0,
            max_response: Peak::default(),
            point: 0,
            first_done_ns: u64::MAX,
            last_done_ns: 0,
            oldest_issued_ns: u64::MAX,
        }
    }
}

impl Step {
    fn has_answers(&self) -> bool {
        self.first_done_ns != u64::MAX
    }

    fn merge(&mut self, later: &Step) {
        self.point = self.point.max(later.point);
        self.max_response.take(later.max_response.ns, later.max_response.began_ns);
        self.ops += later.ops;
        self.warmup_ops += later.warmup_ops;
        self.read_bytes += later.read_bytes;
        self.written_bytes += later.written_bytes;
        self.errors += later.errors;
        self.first_done_ns = self.first_done_ns.min(later.first_done_ns);
        self.last_done_ns = self.last_done_ns.max(later.last_done_ns);
        self.oldest_issued_ns = self.oldest_issued_ns.min(later.oldest_issued_ns);
    }
}

/// Takes records and keeps the series.
#[derive(Clone, Debug)]
pub(crate) struct SeriesTally {
    step_s: u64,
    steps: Vec<Step>,
    max_entries: usize,
    /// The step of the last record: its index and its time range.
    at: usize,
    from_ns: u64,
    until_ns: u64,
}

impl Default for SeriesTally {
    fn default() -> SeriesTally {
        SeriesTally::with_max_entries(MAX_ENTRIES)
    }
}

impl SeriesTally {
    fn with_max_entries(max_entries: usize) -> SeriesTally {
        SeriesTally { step_s: 1, steps: Vec::new(), max_entries, at: 0, from_ns: 0, until_ns: 0 }
    }

    #[inline]
    pub(crate) fn add(&mut self, op: &OpRecord) {
        if op.done_ns < self.from_ns || op.done_ns >= self.until_ns {
            self.seek(op.done_ns);
        }
        let step = &mut self.steps[self.at];
        step.first_done_ns = step.first_done_ns.min(op.done_ns);
        step.last_done_ns = step.last_done_ns.max(op.done_ns);
        step.oldest_issued_ns = step.oldest_issued_ns.min(op.issued_ns);
        if op.flags.has(OpFlags::WARMUP) {
            step.warmup_ops += 1;
            return;
        }
        step.ops += 1;
        step.point = step.point.max(op.point);
        if op.errno != 0 {
            step.errors += 1;
            return;
        }
        match op.kind {
            OpKind::Read => step.read_bytes += u64::from(op.done_len),
            OpKind::Write => step.written_bytes += u64::from(op.done_len),
            _ => {}
        }
        step.max_response.take(op.response_ns(), op.due_ns);
    }

    /// Makes the step of this time the current one.
    #[cold]
    fn seek(&mut self, done_ns: u64) {
        let second = done_ns / SECOND_NS;
        while second / self.step_s >= self.max_entries as u64 {
            self.coarsen();
        }
        self.at = (second / self.step_s) as usize;
        if self.at >= self.steps.len() {
            self.steps.resize(self.at + 1, Step::default());
        }
        // A step cannot end after the clock's range, here and below.
        self.from_ns = (self.at as u64 * self.step_s).saturating_mul(SECOND_NS);
        self.until_ns = self.from_ns.saturating_add(self.step_s.saturating_mul(SECOND_NS));
    }

    /// Adds the results of another host, on the same clock.
    pub(crate) fn merge(&mut self, other: &SeriesTally) {
        while self.step_s < other.step_s {
            self.coarsen();
        }
        for (at, step) in other.steps.iter().enumerate() {
            // See above.
            self.seek((at as u64).saturating_mul(other.step_s).saturating_mul(SECOND_NS));
            self.steps[self.at].merge(step);
        }
    }

    fn coarsen(&mut self) {
        let merged = self.steps.chunks(2).map(|pair| {
            let mut step = pair[0];
            if let Some(later) = pair.get(1) {
                step.merge(later);
            }
            step
        });
        self.steps = merged.collect();
        self.step_s *= 2;
    }

    /// The series so far.
    pub(crate) fn series(&self) -> Series {
        let steps = (0_u64..).zip(&self.steps).map(|(index, step)| {
            let succeeded = step.ops > step.errors;
            SeriesStep {
                began_s: index * self.step_s,
                point: (step.ops > 0).then_some(step.point),
                ops: step.ops,
                warmup_ops: step.warmup_ops,
                read_bytes: step.read_bytes,
                written_bytes: step.written_bytes,
                errors: step.errors,
                max_response_us: succeeded.then(|| us(step.max_response.ns)),
                max_response_began_s: succeeded.then(|| seconds(step.max_response.began_ns)),
            }
        });
        Series { step_s: self.step_s, steps: steps.collect(), standstills: self.standstills() }
    }

    /// The times between two successive completions in which something was in flight.
    fn standstills(&self) -> Vec<Standstill> {
        let answered: Vec<&Step> = self.steps.iter().filter(|step| step.has_answers()).collect();
        let (mut oldest_ns, mut found) = (u64::MAX, Vec::new());
        // From the end, so that the issue time of the oldest operation that completes later is known.
        for (at, step) in answered.iter().enumerate().rev() {
            oldest_ns = oldest_ns.min(step.oldest_issued_ns);
            let before_ns = at.checked_sub(1).map_or(0, |before| answered[before].last_done_ns);
            let from_ns = before_ns.max(oldest_ns);
            let length_ns = stretch_ns(from_ns, step.first_done_ns);
            if length_ns >= STANDSTILL_NS {
                found.push(Standstill { began_s: seconds(from_ns), lasted_s: seconds(length_ns) });
            }
        }
        found.sort_by(|one, two| two.lasted_s.total_cmp(&one.lasted_s));
        found.truncate(STANDSTILLS_MAX);
        found.sort_by(|one, two| one.began_s.total_cmp(&two.began_s));
        found
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records as made_up;

    use super::*;

    fn read(due_ms: u64, done_ms: u64) -> OpRecord {
        made_up::read(0, 0, 100).at_ms(due_ms).done_at_ms(done_ms)
    }

    fn series_of(records: &[OpRecord], max_entries: usize) -> Series {
        let mut tally = SeriesTally::with_max_entries(max_entries);
        records.iter().for_each(|op| tally.add(op));
        tally.series()
    }

    #[test]
    fn a_stall_shows_as_empty_steps_and_one_long_answer() {
        let series = series_of(&[read(100, 200), read(500, 3_700), read(3_700, 3_800)], 100);
        let ops: Vec<u64> = series.steps.iter().map(|step| step.ops).collect();
        assert_eq!(ops, [1, 0, 0, 2]);
        assert_eq!(series.steps[1].max_response_us, None);
        assert_eq!(series.steps[3].max_response_us, Some(3_200_000.0));
        assert_eq!(series.steps[3].max_response_began_s, Some(0.5));
    }

    #[test]
    fn a_time_without_any_answer_is_a_standstill_where_something_was_in_flight() {
        let of = |records: &[OpRecord]| {
            let found = series_of(records, 100).standstills;
            found.iter().map(|still| (still.began_s, still.lasted_s)).collect::<Vec<_>>()
        };
        // Two workers: operations in flight wait from the last completion of either worker on.
        let frozen = [read(0, 900), read(100, 2_950), read(900, 9_030), read(2_950, 9_040)];
        assert_eq!(of(&frozen), [(0.9, 2.05), (2.95, 6.08)]);
        let mut turned = frozen;
        turned.reverse();
        assert_eq!(of(&turned), of(&frozen));
        // Another worker's operations completed all the time, and nothing was requested for a while.
        let other: Vec<OpRecord> = (0..20).map(|at| read(at * 500, at * 500 + 400)).collect();
        assert_eq!(of(&[&frozen[..], &other[..]].concat()), []);
        assert_eq!(of(&[read(0, 100), read(8_000, 8_100)]), []);
        // Completions of the warm-up count.
        let warmup = OpRecord { flags: OpFlags::WARMUP, ..read(900, 5_000) };
        assert_eq!(of(&[read(0, 900), warmup]), [(0.9, 4.1)]);
    }

    #[test]
    fn order_is_irrelevant_and_warm_up_and_errors_are_separate() {
        let warmup = OpRecord { flags: OpFlags::WARMUP, ..read(0, 900) };
        let failed = OpRecord { errno: 5, done_len: 0, ..read(1_000, 1_900) };
        let mut records = [warmup, failed, read(1_100, 1_200), read(2_000, 2_500), read(1_000, 1_100)];
        let series = series_of(&records, 100);
        records.reverse();
        assert_eq!(series, series_of(&records, 100));
        assert_eq!((series.steps[0].ops, series.steps[0].warmup_ops), (0, 1));
        assert_eq!((series.steps[1].ops, series.steps[1].errors), (3, 1));
        assert_eq!(series.steps[1].read_bytes, 200);
        assert_eq!(series.steps[1].max_response_us, Some(100_000.0));
        assert_eq!(series.steps[1].max_response_began_s, Some(1.0));
    }

    #[test]
    fn long_runs_are_coarsened_and_lose_nothing() {
        let records: Vec<OpRecord> = (0..1000).map(|s| read(s * 1000, s * 1000 + s)).collect();
        let series = series_of(&records, 100);
        assert_eq!(series.step_s, 16);
        assert!(series.steps.len() <= 100);
        assert_eq!(series.steps.iter().map(|step| step.read_bytes).sum::<u64>(), 100_000);
        assert_eq!(series.steps[62].began_s, 992);
        assert_eq!(series.steps[62].max_response_us, Some(999_000.0));
        let absurd = series_of(&[read(0, 1), OpRecord { done_ns: u64::MAX, ..read(0, 1) }], 100);
        assert_eq!(absurd.steps.iter().map(|step| step.ops).sum::<u64>(), 2);
    }
}
