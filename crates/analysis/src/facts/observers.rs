//! Who else sampled while a run measured: a server, an array, a switch. Data, for the summary.
//!
//! Not here: their samples (in `observers/` of the run directory).

use serde::{Deserialize, Serialize};

/// Where an observer's samples are from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ObserverKind {
    /// A watch of this tool on another machine.
    #[default]
    Watch,
    /// A table of numbers with named columns.
    Csv,
    /// Prometheus' text with time stamps.
    Prometheus,
}

/// One observer of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ObserverFacts {
    /// What it is called: a machine's name, or the file's.
    pub name: String,
    /// Where its samples are from.
    pub kind: ObserverKind,
    /// The directory or file, as it was given.
    pub source: String,
    /// How far its clock is ahead of the clock of the measuring computer, as given by the user, in
    /// milliseconds.
    pub clock_offset_ms: f64,
    /// Whether the user gave the difference. Otherwise both clocks are assumed to agree.
    pub is_offset_stated: bool,
    /// When its first sample that was kept was, in seconds since the run began.
    pub from_s: f64,
    /// When its last one was.
    pub until_s: f64,
    /// Samples that were kept.
    pub samples: u64,
    /// Samples from before or after the run, which were not.
    pub outside: u64,
    /// What could not be read of it, and why, in words.
    pub not_read: Vec<String>,
}
