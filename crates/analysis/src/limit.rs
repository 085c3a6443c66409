//! Finds the limit of a load point: the layer whose counters reached their thresholds, with the values.
//!
//! Twelve questions are asked in a fixed order, over the means of exactly the measured time, from "did a
//! cache answer?" to "is it only latency?" ([`step`]). The first one that is answered with yes is the
//! limit; later ones contribute. If all answers are no, the nearest misses are reported with their
//! margins: "no counter reached its threshold" is a valid result. A counter that was not sampled is "not
//! measured", never a no.
//!
//! If a load point failed because of incidents, the questions are asked for the incidents first
//! ([`incidents`]), then for the whole load point.
//!
//! The result never contradicts [`crate::culprit`], which decides the cause of a failed load point; it
//! only locates the limit on that side ([`choose`]). A load that met its criteria was limited by
//! nothing; high counters are then reported without blame. Busy processors are never the limit, they
//! only contribute.
//!
//! A quick check has several counts, each with a reason for its end ([`CountLimit`]); [`TrialEvidence`]
//! is the combined evidence of its failed trials.
//!
//! Pure. Not here: sampling (machine), reading samples back (results), words (report).

mod choose;
mod count;
mod factors;
mod finding;
mod foreign_disk_load;
pub mod incidents;
mod input;
mod similar_connections;
mod step;
mod trials;

use serde::{Deserialize, Serialize};

pub use choose::of_point;
pub use count::CountLimit;
pub use finding::{LimitFinding, LimitStep, Measure, Seen};
pub use input::{LimitInput, Observed};
pub use step::way_is_queued;
pub use trials::TrialEvidence;

/// The limit of a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Limit {
    /// The result in one word.
    pub verdict: LimitVerdict,
    /// The layer, with the measured values. `None` if no counter reached its threshold, or nothing
    /// limited it.
    pub found: Option<LimitFinding>,
    /// Other counters above their threshold, in the order of the questions. They are not the cause.
    pub contributing: Vec<LimitFinding>,
    /// If no counter reached its threshold: the nearest misses, the nearest first.
    pub nearest: Vec<LimitFinding>,
    /// Questions for which no counter was sampled.
    pub not_measured: Vec<LimitStep>,
}

impl Limit {
    /// The largest share of all processors that other programs used, in percent, if it is worth
    /// reporting.
    pub fn others_percent(&self) -> Option<f64> {
        let findings = self.found.iter().chain(&self.contributing);
        findings.filter_map(|finding| finding.value(Measure::OthersPercent)).reduce(f64::max)
    }
}

/// Whether the limit is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LimitVerdict {
    /// The limit is known.
    Found,
    /// Something limited it, but no counter reached its threshold.
    NothingStoodOut,
    /// Nothing limited it: the demand was met, or the load was as large as requested.
    NothingLimited,
    /// Reelgauge itself was late, so no layer can be judged.
    OwnFault,
    /// There is too little evidence.
    #[default]
    NotKnown,
}
