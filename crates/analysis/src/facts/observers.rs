//! Other sources of samples during a run: a server, an array, a switch. Data for the summary.
//!
//! Not here: their samples (in `observers/` of the run directory).

use serde::{Deserialize, Serialize};

/// The source of an observer's samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ObserverKind {
    /// A Reelgauge watch on another host.
    #[default]
    Watch,
    /// A table of numbers with named columns.
    Csv,
    /// The Prometheus text format with time stamps.
    Prometheus,
}

/// One observer of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ObserverFacts {
    /// Its name: a host name, or the name of the file.
    pub name: String,
    /// Where its samples are from.
    pub kind: ObserverKind,
    /// The directory or file, as given by the user.
    pub source: String,
    /// How far its clock is ahead of the measuring host's clock, in milliseconds, as given by the user.
    pub clock_offset_ms: f64,
    /// Whether the user gave the difference. Otherwise both clocks are assumed to agree.
    pub is_offset_stated: bool,
    /// The time of its first sample that was kept, in seconds since the run began.
    pub from_s: f64,
    /// The time of its last sample that was kept.
    pub until_s: f64,
    /// Samples that were kept.
    pub samples: u64,
    /// Samples from before or after the run, which were not kept.
    pub outside: u64,
    /// What could not be read, and why, as text.
    pub not_read: Vec<String>,
}
