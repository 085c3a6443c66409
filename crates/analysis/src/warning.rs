//! What the reader must know before believing the figures. Every warning says what to do about it.

use std::fmt;

use crate::cache_warning::CacheWarning;
use crate::facts::MemoryFacts;
use crate::figures::in_words;
use crate::meter::RunTotals;
use crate::paper::{Mode, PaperTables};
use crate::self_cost::SelfCost;
use crate::summary::LoadPoint;

/// A load point that is measured for less than this says little about storage with a cache.
pub const SHORT_LOOK_S: f64 = 30.0;

/// A mean of fewer transfers than this says little.
pub const FEW_TRANSFERS: u64 = 30;

/// From this share of its CPUs on, the client itself may be the limit.
pub const BUSY_SHARE: f64 = 0.9;

/// Something that makes figures doubtful. `Display` is the sentence with the advice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The tool issued operations so late that response times are doubtful.
    OwnLateness {
        /// 99 of 100 operations were no later.
        p99_us: f64,
        /// The median response of reads and writes.
        response_p50_us: f64,
    },
    /// A cache answered reads, or may have.
    Cache(Box<CacheWarning>),
    /// Operations were counted but are not in the log.
    LogDropped {
        /// How many.
        ops: u64,
        /// What kept them out.
        trouble: LogTrouble,
    },
    /// This machine's CPUs were busy.
    ClientCpuSaturated {
        /// Mean share of all CPUs, 0 to 1.
        busy_share: f64,
    },
    /// The load points were short.
    ShortLook {
        /// The shortest.
        measured_s: f64,
    },
    /// Means and maxima in the tables come from few transfers.
    FewTransfers {
        /// Cells with fewer than [`FEW_TRANSFERS`] transfers.
        cells: u64,
        /// Cells with any.
        of: u64,
    },
    /// The target is a file system in memory.
    TargetIsMemory {
        /// Its type, `tmpfs`.
        fs_type: String,
    },
    /// The run directory lies on what is measured.
    RunDirectoryOnTarget {
        /// Where.
        path: String,
    },
    /// Operations came back after their load point had been given up.
    Stragglers {
        /// How many.
        ops: u64,
    },
}

/// What kept operations out of the log. `Display` is the cause with the advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogTrouble {
    /// Writing took longer than the operations.
    TooSlow,
    /// There is no room where it is written.
    DiskFull,
    /// It could not be written for another reason.
    Failed,
}

impl fmt::Display for LogTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LogTrouble::TooSlow => {
                "the log could not be written fast enough. Put the run directory on a faster disk (--out)"
            }
            LogTrouble::DiskFull => {
                "the disk of the run directory is full. Free space there, or put the run directory on another \
                 disk (--out)"
            }
            LogTrouble::Failed => {
                "the log could not be written. Put the run directory on another disk (--out)"
            }
        })
    }
}

impl Warning {
    /// Its place among others, the worst first: what makes the figures those of something else, what makes
    /// them doubtful, what makes them say little.
    pub fn rank(&self) -> u8 {
        match self {
            Warning::TargetIsMemory { .. } => 0,
            Warning::Cache(_) => 1,
            Warning::OwnLateness { .. } => 2,
            Warning::ClientCpuSaturated { .. } => 3,
            Warning::RunDirectoryOnTarget { .. } => 4,
            Warning::Stragglers { .. } => 5,
            Warning::LogDropped { .. } => 6,
            Warning::ShortLook { .. } => 7,
            Warning::FewTransfers { .. } => 8,
        }
    }

    /// The warnings that the figures themselves give cause for: lateness, short looks, few transfers.
    pub fn from_figures(points: &[LoadPoint], cost: &SelfCost, totals: &RunTotals) -> Vec<Warning> {
        let mut warnings = Vec::new();
        // Of streams it is told beside their buffers, in the sentence on the tool's own cost.
        let is_bad = cost.timing_good_enough == Some(false) && cost.own_delay_max_us.is_none();
        if let (true, Some(lateness), Some(response)) = (is_bad, totals.lateness, &totals.data_response) {
            warnings.push(Warning::OwnLateness { p99_us: lateness.p99_us, response_p50_us: response.p50_us });
        }
        let with_ops = || points.iter().filter(|point| point.total.ops > 0);
        let shortest_s = with_ops().map(|point| point.measured_s).min_by(f64::total_cmp);
        if let Some(measured_s) = shortest_s.filter(|seconds| *seconds < SHORT_LOOK_S) {
            warnings.push(Warning::ShortLook { measured_s });
        }
        let counts = with_ops().map(|point| few_transfers(&point.paper));
        let (cells, of) = counts.fold((0, 0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        if cells > 0 {
            warnings.push(Warning::FewTransfers { cells, of });
        }
        warnings
    }

    /// A warning if a cache answered, or may have; `verb` is the command, whose flags are the remedy.
    pub fn if_cached(memory: &MemoryFacts, verb: &str) -> Option<Warning> {
        CacheWarning::of(memory, verb).map(|warning| Warning::Cache(Box::new(warning)))
    }

    /// A warning if the CPUs of this machine were busy to this share.
    pub fn if_busy(busy_share: f64) -> Option<Warning> {
        (busy_share >= BUSY_SHARE).then_some(Warning::ClientCpuSaturated { busy_share })
    }
}

/// Cells with few transfers, and cells with any. Margins don't count.
fn few_transfers(paper: &PaperTables) -> (u64, u64) {
    let inner = paper
        .cells
        .iter()
        .filter(|cell| cell.block_bytes.is_some() && cell.mode != Mode::All && cell.transfers > 0);
    inner.fold((0, 0), |(few, all), cell| (few + u64::from(cell.transfers < FEW_TRANSFERS), all + 1))
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::OwnLateness { p99_us, response_p50_us } => write!(
                f,
                "The tool itself was late: up to {} for 99 of 100 operations, beside a median answer of \
                 {}. Rely on service times, and measure again with fewer workers or on a client with more \
                 idle CPU.",
                in_words(*p99_us),
                in_words(*response_p50_us)
            ),
            Warning::Cache(warning) => warning.fmt(f),
            Warning::LogDropped { ops, trouble } => {
                write!(f, "{ops} operations are in the figures but not in the log, because {trouble}.")
            }
            Warning::ClientCpuSaturated { busy_share } => write!(
                f,
                "This machine's CPUs were {:.0} % busy, so it may have been the limit and not the storage. \
                 Spread the workers over more clients, or use larger blocks.",
                busy_share * 100.0
            ),
            Warning::ShortLook { measured_s } => {
                // Of what was stopped at once, "0.0 s" would say that nothing was measured.
                if *measured_s < 0.1 {
                    write!(f, "Measured for only {:.1} ms", measured_s * 1e3)?;
                } else {
                    write!(f, "Measured for only {measured_s:.1} s")?;
                }
                f.write_str(
                    ": storage with a cache can look much faster than it stays. Use --duration 60s or more.",
                )
            }
            Warning::FewTransfers { cells, of } => write!(
                f,
                "{cells} of {of} cells in the tables come from fewer than {FEW_TRANSFERS} transfers and \
                 will differ from run to run. Measure longer (--duration), or use fewer block sizes \
                 (--blocks)."
            ),
            Warning::TargetIsMemory { fs_type } => write!(
                f,
                "The target is memory ({fs_type}): these figures are of this machine and of no storage. \
                 Give a path on the storage you want to know about."
            ),
            Warning::RunDirectoryOnTarget { path } => write!(
                f,
                "The run directory {path} is on the same file system as the target, so writing the log was part of the load. Put \
                 it elsewhere with --out."
            ),
            Warning::Stragglers { ops } => write!(
                f,
                "{ops} operations came back only after their load point had been given up; they are in no \
                 figure. Look at the server's log for what held them."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_carries_advice() {
        let warnings = [
            Warning::OwnLateness { p99_us: 900.0, response_p50_us: 800.0 },
            Warning::LogDropped { ops: 7, trouble: LogTrouble::TooSlow },
            Warning::LogDropped { ops: 7, trouble: LogTrouble::DiskFull },
            Warning::LogDropped { ops: 7, trouble: LogTrouble::Failed },
            Warning::ClientCpuSaturated { busy_share: 0.97 },
            Warning::ShortLook { measured_s: 5.0 },
            Warning::FewTransfers { cells: 3, of: 20 },
            Warning::TargetIsMemory { fs_type: "tmpfs".to_owned() },
            Warning::RunDirectoryOnTarget { path: "/mnt/nas/x".to_owned() },
            Warning::Stragglers { ops: 2 },
        ];
        let verbs = ["Rely", "Free", "Use", "Put", "Spread", "Measure", "Give", "Look"];
        for warning in warnings {
            let text = warning.to_string();
            assert!(verbs.iter().any(|verb| text.contains(verb)), "{text}");
            assert!(text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn thresholds() {
        assert_eq!(Warning::if_busy(0.89), None);
        assert!(Warning::if_busy(0.9).is_some());
    }
}
