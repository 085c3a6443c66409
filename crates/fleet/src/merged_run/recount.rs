//! Counts every operation of one agent, on the clock and with the numbers of the whole, from its log in
//! the merged run directory.
//!
//! A file that cannot be read to its end is counted as far as possible, and reported.

use std::collections::BTreeMap;

use reelgauge_analysis::late::{LateCounted, LateTally};
use reelgauge_analysis::series::Series;
use reelgauge_analysis::summary::LogFacts;
use reelgauge_analysis::{Meter, PointTally};
use reelgauge_record::agents::AgentPlace;
use reelgauge_record::log::{LogReader, SkipReason, Skipped};
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::units::counted;

use super::agent_part::{AgentPart, PartRun};

/// The counts of an agent.
#[derive(Debug)]
pub(super) struct Counted {
    /// Its operations. Load points are not closed yet.
    pub(super) meter: Meter,
    /// Its figures per second.
    pub(super) series: Series,
    /// Its streams, load point by load point.
    pub(super) late: BTreeMap<u16, LateCounted>,
    /// Operations in its log.
    pub(super) rows: u64,
}

/// Counts the log of one agent. If the log differs from what its run wrote, the part has the reason.
pub(super) fn of(run_dir: &RunDir, part: &mut AgentPart, place: &AgentPlace) -> Counted {
    let mut counting = Counting::of(part.run.as_ref(), place);
    let Some(run) = &mut part.run else { return counting.end() };
    let damage = match counting.take_all(run_dir, &part.folder, place) {
        Ok(0) => None,
        Ok(lost) => Some(format!("{lost} files of its log are missing or damaged")),
        Err(why) => Some(format!("its log cannot be read completely: {why}")),
    };
    if damage.is_some() || counting.rows < run.summary.log.rows {
        run.log_complete = false;
        let short = || short(counting.rows, &run.summary.log);
        part.why_missing = part.why_missing.take().or_else(|| Some(damage.unwrap_or_else(short)));
    }
    counting.end()
}

/// Why operations are missing: they were not written, or were not fetched.
fn short(rows: u64, log: &LogFacts) -> String {
    match log.dropped_to_histograms_ops {
        0 => format!("only {rows} of {} operations of its log are available", log.rows),
        dropped => format!(
            "its log lacks {}: the agent's folder for runs (--keep) was too full or too slow",
            counted(dropped, "operation")
        ),
    }
}

impl Counted {
    /// Measured operations of a load point.
    pub(super) fn ops(&self, index: u16) -> u64 {
        self.meter.point(index).map_or(0, PointTally::ops)
    }

    /// Whether the log has at least the operations that the agent counted in a load point. It may have
    /// more: those that completed after the agent had reported its figures.
    pub(super) fn is_exact(&self, part: &AgentPart, index: u16) -> bool {
        part.point(index).is_some_and(|point| self.ops(index) >= point.total.ops)
    }
}

struct Counting {
    meter: Meter,
    /// For each load point: its index, its end, and its tally.
    tallies: Vec<(u16, u64, LateTally)>,
    /// Without a summary it is unknown which operations were in flight at the end.
    has_summary: bool,
    last_ns: BTreeMap<u16, u64>,
    rows: u64,
}

impl Counting {
    fn of(run: Option<&PartRun>, place: &AgentPlace) -> Counting {
        let points = run.into_iter().flat_map(|run| &run.streams.points);
        let tally = |streams: &reelgauge_results::stream_table::PointStreams| {
            let streams = streams.clone().placed(place);
            let mut tally = LateTally::new(streams.streams.clone(), streams.part());
            streams.pauses.iter().for_each(|pause| tally.paused(*pause));
            streams.waits.iter().for_each(|wait| tally.waited(*wait));
            (streams.point, streams.until_ns, tally)
        };
        let mut meter = Meter::new();
        if run.is_some_and(|run| run.planned.iter().any(|point| point.max_bytes_per_s.is_some())) {
            meter.take_limit();
        }
        Counting {
            meter,
            tallies: points.filter(|point| !point.streams.is_empty()).map(tally).collect(),
            has_summary: run.is_some_and(|run| run.has_summary),
            last_ns: BTreeMap::new(),
            rows: 0,
        }
    }

    /// Counts all files; returns how many files of the log are lost.
    fn take_all(&mut self, run_dir: &RunDir, folder: &str, place: &AgentPlace) -> Result<usize, String> {
        let log = LogReader::open(&run_dir.ops_path().join(folder)).map_err(|error| error.to_string())?;
        for batch in log.batches() {
            let mut ops = batch.map_err(|error| error.to_string())?.ops;
            self.rows += ops.len() as u64;
            for op in &mut ops {
                place.place(op);
                self.meter.add(op);
                let last_ns = self.last_ns.entry(op.point).or_default();
                *last_ns = (*last_ns).max(op.done_ns);
                for (point, _, tally) in &mut self.tallies {
                    if *point == op.point {
                        tally.add(op);
                    }
                }
            }
        }
        let is_lost = |skipped: &&Skipped| skipped.reason != SkipReason::Covered;
        Ok(log.skipped().iter().filter(is_lost).count())
    }

    fn end(self) -> Counted {
        let mut late = BTreeMap::new();
        for (point, until_ns, tally) in self.tallies {
            let last_ns = self.last_ns.get(&point).copied().unwrap_or_default();
            let end_ns = if self.has_summary { until_ns } else { until_ns.min(last_ns) };
            late.insert(point, tally.count(end_ns));
        }
        Counted { series: self.meter.series(), meter: self.meter, late, rows: self.rows }
    }
}
