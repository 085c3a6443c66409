//! The results of a watch: counters of one host without load from Reelgauge, each with its mean and its
//! largest value.
//!
//! Not here: the samples themselves, which stay in `counters/`.

use serde::{Deserialize, Serialize};

/// The counters that were sampled without a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WatchFacts {
    /// The host, by the name of its directory in `counters/`.
    pub agent: String,
    /// From the first sample to the last.
    pub watched_s: f64,
    /// The number of sample rounds.
    pub looks: u64,
    /// The counters, the most informative first.
    pub counters: Vec<WatchedCounter>,
    /// What could not be sampled, as text.
    #[serde(default)]
    pub unread: Vec<String>,
}

/// One counter of a watch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WatchedCounter {
    /// `host`, `network`, `disk`, `mount` or `tool`.
    pub layer: String,
    /// As in the log: `util_percent`.
    pub name: String,
    /// Name of the device if there are several; empty if there is one.
    pub device: String,
    /// For display, without the unit: "sda busy".
    pub words: String,
    /// `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`.
    pub unit: String,
    /// The mean over the time in which it was sampled.
    pub mean: f64,
    /// The largest sample.
    pub largest: f64,
    /// When that was, in seconds since the watch began.
    pub largest_at_s: f64,
}
