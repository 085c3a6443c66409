//! What is told of a session of the original Media Storage Meter's workers.
//!
//! Its figures carry the original's meaning in their names, since its "latency" is not what this program
//! calls latency. Not here: how it is carried out (the msmeter room), its tables ([`crate::msmeter`]).

use serde::{Deserialize, Serialize};

use crate::msmeter::MeterFigures;

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterFacts {
    /// The script's name.
    pub script: String,
    /// How long its waits are together, s.
    pub script_takes_s: f64,
    /// Folders that workers could be sent to.
    pub roots: Vec<String>,
    /// Who came, in this order.
    pub workers: Vec<MeterWorker>,
    /// What was measured, from one "Results" to the next.
    pub tests: Vec<MeterTest>,
    /// Records that came while no test was open: in `records.csv`, and in no figure.
    pub records_outside: u64,
    /// Lines that are no record.
    pub lines_not_understood: u64,
}

/// A worker of the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterWorker {
    /// The script's number for it: they are counted as they come.
    pub number: usize,
    /// Where it came from.
    pub address: String,
    /// Records of it.
    pub records: u64,
    /// How often it could open no file.
    pub no_files: u64,
    /// The script makes it report nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_told_silence: bool,
    /// When it left, in s from the beginning, where it left before it was dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_s: Option<f64>,
    /// Why it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_why: Option<String>,
}

/// What lies between a "Results" and the pause of the worker with the highest number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterTest {
    /// The name of the file that the script asks for.
    pub name: String,
    /// The text as the original wrote it, in the session's directory.
    pub text_file: String,
    /// From when on, s from the beginning: when its first worker was started.
    pub began_s: Option<f64>,
    /// When its last record came, s from the beginning.
    pub last_record_s: Option<f64>,
    /// All bytes ÷ the time from the first start to the last record, MiB/s. `None`: nothing was measured.
    pub wall_clock_mib_per_s: Option<f64>,
    /// The longest time in which a worker that ran reported nothing.
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
    /// Which worker.
    pub worker: usize,
    /// From when on, s from the beginning.
    pub from_s: f64,
    /// How long, s.
    pub seconds: f64,
}

/// A worker that was silent for less is not called stalled.
const STALLED_S_MIN: f64 = 2.0;
/// Nor one that was silent for less than so many times what it took for a record before: it may just have had
/// a long operation in hand.
const STALLED_TIMES: f64 = 4.0;

impl Silence {
    /// Whether a worker that was silent for so long stood still, and did not just have an operation in hand:
    /// beside the longest time that it took for any record before.
    pub fn is_stall(seconds: f64, longest_before_s: f64) -> bool {
        seconds >= STALLED_S_MIN && seconds >= STALLED_TIMES * longest_before_s
    }
}

impl MeterFacts {
    /// Whether everybody who was asked to measure did.
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
    fn a_long_silence_is_a_stall_beside_how_long_records_took_before() {
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
