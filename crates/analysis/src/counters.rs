//! Counters of host, network, disks and mount, on the same clock as the operations, as a page shows
//! them.
//!
//! [`page_series`] builds them from samples, [`downsampling`] reduces their points, and [`note`] records
//! what is omitted. [`means`] holds the mean of each counter in a stretch of the run; [`watch_summary`]
//! those of a watch, which has no load.
//!
//! Not here: sampling them (machine) and reading them back (results).

pub mod downsampling;
pub mod means;
pub mod note;
pub mod page_series;
pub mod watch_summary;

use reelgauge_record::counters::Layer;
use serde::{Deserialize, Serialize};

/// Points of all series together, at most, so that a page stays small.
pub const MAX_POINTS: usize = 40_000;

/// Counters that show known disturbances of storage ([`crate::marks`]). They are kept even if there is
/// no room, because a host with many counters would otherwise hide them.
pub const MARKING: [(Layer, &str); 5] = [
    (Layer::Disk, "background_work_count"),
    (Layer::Network, "link_changes_per_s"),
    (Layer::Mount, "remounts_per_s"),
    (Layer::Host, "swapped_in_pages_per_s"),
    (Layer::Disk, "snapshots_count"),
];

/// The counters of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Counters {
    /// One for each machine that sampled.
    pub agents: Vec<CounterAgent>,
}

/// The counters of one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CounterAgent {
    /// Its name.
    pub agent: String,
    /// It is no host of the run, but observes it: a server, an array, a switch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_observer: bool,
    /// The counters that it sampled.
    pub series: Vec<CounterSeries>,
    /// What is missing here, and why, as text.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One counter over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CounterSeries {
    /// `host`, `network`, `disk`, `mount`, `tool` or `other`.
    pub layer: String,
    /// As in the log: `cpu_busy_percent`, `rx_bytes_per_s`.
    pub name: String,
    /// Name of the device (`eth0`, `nvme0n1`) if there are several; empty if there is one.
    pub device: String,
    /// The label on screens: "eth0 received".
    #[serde(default)]
    pub words: String,
    /// The same with the unit: "eth0 received, MB/s".
    pub label: String,
    /// `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`.
    pub unit: String,
    /// When, in seconds since the start of the run.
    pub at_s: Vec<f64>,
    /// The values at those times; `None` if there was none.
    pub value: Vec<Option<f64>>,
}
