//! The results of a session with the original Media Storage Meter's workers.
//!
//! The figures keep the original's names, because its "latency" has another meaning than elsewhere in
//! Reelgauge. Not here: running a session (the msmeter crate), and its tables ([`crate::msmeter`]).

use serde::{Deserialize, Serialize};

use crate::msmeter::MeterFigures;

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterFacts {
    /// The script's name.
    pub script: String,
    /// The sum of its waits, s.
    pub script_takes_s: f64,
    /// Directories that workers could use.
    pub roots: Vec<String>,
    /// The workers, in the order in which they connected.
    pub workers: Vec<MeterWorker>,
    /// The tests, each from one "Results" to the next.
    pub tests: Vec<MeterTest>,
    /// Records that arrived while no test was open: they are in `records.csv`, but in no figure.
    pub records_outside: u64,
    /// Lines that are not records.
    pub lines_not_understood: u64,
}

/// A worker of the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterWorker {
    /// Its number in the script: workers are numbered in the order in which they connect.
    pub number: usize,
    /// Its network address.
    pub address: String,
    /// Its records.
    pub records: u64,
    /// How often it could not open a file.
    pub no_files: u64,
    /// Whether the script orders it to report nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_told_silence: bool,
    /// When it disconnected, in s from the start of the session, if that was before its dismissal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_s: Option<f64>,
    /// Why it disconnected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_why: Option<String>,
}

/// The part from a "Results" to the pause of the worker with the highest number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterTest {
    /// The name of the file that the script requests.
    pub name: String,
    /// The text in the original's format, in the session's directory.
    pub text_file: String,
    /// The start of its first worker, in s from the start of the session.
    pub began_s: Option<f64>,
    /// The time of its last record, in s from the start of the session.
    pub last_record_s: Option<f64>,
    /// All bytes ÷ the time from the first start to the last record, MiB/s. `None` if nothing was
    /// measured.
    pub wall_clock_mib_per_s: Option<f64>,
    /// The longest time in which a running worker reported nothing.
    pub longest_silence: Option<Silence>,
    /// Workers that were started and reported nothing.
    pub workers_without_records: Vec<usize>,
    /// Workers that reported, then hung until they were paused, and did not report the hang afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stalled: Vec<Silence>,
    /// The tables.
    pub figures: MeterFigures,
}

/// A time in which a worker reported nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Silence {
    /// Number of the worker.
    pub worker: usize,
    /// From when on, s from the beginning.
    pub from_s: f64,
    /// Duration, s.
    pub seconds: f64,
}

/// Shorter silences are never a stall.
const STALLED_S_MIN: f64 = 2.0;
/// Silences shorter than this multiple of the worker's longest previous time for a record are not a
/// stall, either: it may just have a long operation in flight.
const STALLED_TIMES: f64 = 4.0;

impl Silence {
    /// Whether a worker that was silent for this time hung, or just had a long operation in flight.
    /// Decided by its longest previous time for a record.
    pub fn is_stall(seconds: f64, longest_before_s: f64) -> bool {
        seconds >= STALLED_S_MIN && seconds >= STALLED_TIMES * longest_before_s
    }
}

impl MeterFacts {
    /// Whether every worker that had to measure did.
    pub fn is_whole(&self) -> bool {
        let all_measured = self.tests.iter().all(|test| {
            test.figures.records > 0 && test.workers_without_records.is_empty() && test.stalled.is_empty()
        });
        !self.tests.is_empty() && all_measured && self.workers.iter().all(|worker| worker.gone_s.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_longer_than_previous_records_is_a_stall() {
        assert!(Silence::is_stall(2.0, 0.05) && Silence::is_stall(40.0, 10.0));
        assert!(!Silence::is_stall(1.9, 0.05), "too short to tell");
        assert!(!Silence::is_stall(9.0, 10.0), "an operation of its own length");
    }

    #[test]
    fn a_session_with_a_stalled_worker_is_not_whole() {
        let mut test = MeterTest {
            name: String::new(),
            text_file: String::new(),
            began_s: None,
            last_record_s: None,
            wall_clock_mib_per_s: None,
            longest_silence: None,
            workers_without_records: Vec::new(),
            stalled: Vec::new(),
            figures: MeterFigures { records: 9, ..crate::msmeter::MeterTally::default().figures() },
        };
        let whole =
            |test: &MeterTest| MeterFacts { tests: vec![test.clone()], ..MeterFacts::default() }.is_whole();
        assert!(whole(&test));
        test.stalled.push(Silence { worker: 0, from_s: 1.0, seconds: 9.0 });
        assert!(!whole(&test));
    }
}
