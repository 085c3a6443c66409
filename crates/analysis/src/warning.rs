//! Warnings that the reader must know before trusting the figures. Not here: the sentences about them,
//! and the remedies (report).

use crate::cached_reads::{CacheEvidence, CacheSuspicion};
use crate::facts::MemoryFacts;
use crate::meter::RunTotals;
use crate::note::NoteFact;
use crate::paper::{Mode, PaperTables};
use crate::self_cost::SelfCost;
use crate::summary::LoadPoint;

pub use crate::note::LogTrouble;

/// A load point with a shorter measured time shows little about storage with a cache.
pub const SHORT_LOOK_S: f64 = 30.0;

/// A mean of fewer transfers than this is unreliable.
pub const FEW_TRANSFERS: u64 = 30;

/// A reason to doubt the figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Reelgauge issued operations so late that response times are doubtful.
    OwnLateness {
        /// 99 of 100 operations were no later; with fewer than 100, all of them.
        late_us: f64,
        /// Whether it is the maximum over all operations.
        of_all: bool,
        /// The median response of reads and writes.
        response_p50_us: f64,
    },
    /// A cache answered reads, or may have.
    Cache {
        memory: Box<MemoryFacts>,
        /// The command, whose flags are the remedy.
        verb: String,
    },
    /// Operations were counted but are not in the log.
    LogDropped {
        ops: u64,
        /// Why they are missing.
        trouble: LogTrouble,
    },
    /// The load points were short.
    ShortLook { measured_s: f64 },
    /// Means and maxima in the tables are from few transfers.
    FewTransfers {
        /// Cells with fewer than [`FEW_TRANSFERS`] transfers.
        cells: u64,
        of: u64,
    },
    /// The target is a file system in memory.
    TargetIsMemory { fs_type: String },
    /// The run directory is on the storage that is measured.
    RunDirectoryOnTarget { path: String },
    /// Operations completed after their load point had been given up.
    Stragglers { ops: u64 },
}

impl Warning {
    /// Its rank, the worst first: figures of something else, doubtful figures, and weak figures.
    pub fn rank(&self) -> u8 {
        match self {
            Warning::TargetIsMemory { .. } => 0,
            Warning::Cache { .. } => 1,
            Warning::OwnLateness { .. } => 2,
            Warning::RunDirectoryOnTarget { .. } => 3,
            Warning::Stragglers { .. } => 4,
            Warning::LogDropped { .. } => 5,
            Warning::ShortLook { .. } => 6,
            Warning::FewTransfers { .. } => 7,
        }
    }

    /// The fact of its note.
    pub fn fact(&self) -> NoteFact {
        match self {
            Warning::TargetIsMemory { fs_type } => NoteFact::TargetIsMemory { fs_type: fs_type.clone() },
            Warning::Cache { .. } => NoteFact::Cache,
            Warning::OwnLateness { late_us, of_all, response_p50_us } => NoteFact::OwnLateness {
                late_us: *late_us,
                of_all: *of_all,
                response_p50_us: *response_p50_us,
            },
            Warning::RunDirectoryOnTarget { path } => NoteFact::RunDirectoryOnTarget { path: path.clone() },
            Warning::Stragglers { ops } => NoteFact::Stragglers { ops: *ops },
            Warning::LogDropped { ops, trouble } => NoteFact::LogDropped { ops: *ops, trouble: *trouble },
            Warning::ShortLook { measured_s } => NoteFact::ShortLook { measured_s: *measured_s },
            Warning::FewTransfers { cells, of } => NoteFact::FewTransfers { cells: *cells, of: *of },
        }
    }

    /// The warnings from the figures themselves: lateness, short measurements, few transfers.
    pub fn from_figures(points: &[LoadPoint], cost: &SelfCost, totals: &RunTotals) -> Vec<Warning> {
        let mut warnings = Vec::new();
        // For streams, the sentence about Reelgauge's own cost compares the delay with their buffers. It
        // also reports stops, which are separate from lateness.
        let is_bad = cost.is_lateness_good() == Some(false) && cost.own_delay_max_us.is_none();
        if let (true, Some(lateness), Some(response)) = (is_bad, totals.lateness, &totals.data_response) {
            let response_p50_us = response.p50_us;
            let of_all = cost.lateness_p99_us.is_none();
            let late_us = cost.lateness_p99_us.unwrap_or(lateness.max_us);
            warnings.push(Warning::OwnLateness { late_us, of_all, response_p50_us });
        }
        let with_ops = || points.iter().filter(|point| point.total.ops > 0);
        let shortest_s = with_ops().map(|point| point.measured_s).min_by(f64::total_cmp);
        if let Some(measured_s) = shortest_s.filter(|seconds| *seconds < SHORT_LOOK_S) {
            warnings.push(Warning::ShortLook { measured_s });
        }
        warnings.extend(Warning::if_few_transfers(points));
        warnings
    }

    /// A warning if cells of the tables depend on few transfers.
    pub fn if_few_transfers(points: &[LoadPoint]) -> Option<Warning> {
        let with_ops = points.iter().filter(|point| point.total.ops > 0);
        let counts = with_ops.map(|point| few_transfers(&point.paper));
        let (cells, of) = counts.fold((0, 0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (cells > 0).then_some(Warning::FewTransfers { cells, of })
    }

    /// A warning if a cache answered, or may have; `verb` is the command, whose flags are the remedy.
    pub fn if_cached(memory: &MemoryFacts, verb: &str) -> Option<Warning> {
        match memory.suspicion.as_ref()? {
            CacheSuspicion::NotSuspected => None,
            // A target in memory has a separate warning.
            CacheSuspicion::Answered { evidence: CacheEvidence::TargetIsMemory } => None,
            _ => Some(Warning::Cache { memory: Box::new(memory.clone()), verb: verb.to_owned() }),
        }
    }
}

/// Cells with few transfers, and cells with any. Totals do not count.
fn few_transfers(paper: &PaperTables) -> (u64, u64) {
    let inner = paper
        .cells
        .iter()
        .filter(|cell| cell.block_bytes.is_some() && cell.mode != Mode::All && cell.transfers > 0);
    inner.fold((0, 0), |(few, all), cell| (few + u64::from(cell.transfers < FEW_TRANSFERS), all + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_run_has_no_warning() {
        let in_memory = CacheSuspicion::Answered { evidence: CacheEvidence::TargetIsMemory };
        for suspicion in [None, Some(CacheSuspicion::NotSuspected), Some(in_memory)] {
            let memory = MemoryFacts { suspicion, ..MemoryFacts::default() };
            assert_eq!(Warning::if_cached(&memory, "mix"), None);
        }
    }
}
