//! How sure the number on top is, and what makes it less sure.

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::summary::{Outcome, Summary};
use crate::warning::SHORT_LOOK_S;

/// How sure the number is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confidence {
    /// What makes it less sure, the worst first; empty where nothing does.
    pub doubts: Vec<Doubt>,
}

/// Something that makes the number less sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The run broke off.
    BrokeOff,
    /// Somebody stopped it.
    Interrupted,
    /// The tool or this machine made frames late that the storage did not.
    OwnFault,
    /// The tool's own timing was not good enough.
    OwnTiming,
    /// The target is this machine's memory.
    Memory,
    /// Reads came out of this machine's cache.
    ClientCache,
    /// Measured for too short a time to see past a cache.
    ShortLook,
    /// Not every operation is in the log.
    LogIncomplete,
}

/// From the summary's own figures.
pub(super) fn confidence(summary: &Summary) -> Confidence {
    let own = |culprit: Option<Culprit>| culprit.is_some_and(Culprit::is_own);
    let measured = summary.load_points.iter().filter(|point| point.total.ops > 0);
    let shortest_s = measured.map(|point| point.measured_s).min_by(f64::total_cmp);
    let is_network = summary.target.server.is_some();
    let mode = &summary.effective_mode;
    let cached = mode.found != "direct" && mode.cached_share_after.is_some_and(|share| share >= 0.1);
    let doubts = [
        (summary.outcome == Outcome::BrokeOff, Doubt::BrokeOff),
        (summary.outcome == Outcome::Interrupted, Doubt::Interrupted),
        (summary.load_points.iter().any(|point| own(point.culprit)), Doubt::OwnFault),
        (summary.self_cost.timing_good_enough == Some(false), Doubt::OwnTiming),
        (summary.target.fs_type.as_deref().is_some_and(|fs| matches!(fs, "tmpfs" | "ramfs")), Doubt::Memory),
        (cached && !is_network, Doubt::ClientCache),
        (summary.check.is_none() && shortest_s.is_some_and(|s| s < SHORT_LOOK_S), Doubt::ShortLook),
        (!summary.log.complete && summary.log.dropped_to_histograms_ops > 0, Doubt::LogIncomplete),
    ];
    Confidence { doubts: doubts.into_iter().filter_map(|(is_so, doubt)| is_so.then_some(doubt)).collect() }
}
