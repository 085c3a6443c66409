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
    /// Since when it is gone, s from the beginning, where it left before it was sent away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_s: Option<f64>,
    /// Why it is gone.
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

impl MeterFacts {
    /// Whether everybody who was asked to measure did.
    pub fn is_whole(&self) -> bool {
        let all_measured =
            self.tests.iter().all(|test| test.figures.records > 0 && test.workers_without_records.is_empty());
        !self.tests.is_empty() && all_measured && self.workers.iter().all(|worker| worker.gone_s.is_none())
    }
}
