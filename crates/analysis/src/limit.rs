//! What limited a load point: the layer that its counters speak against, with what was seen of it.
//!
//! Twelve questions are asked in a fixed order over the means of exactly the measured time, from "did a cache
//! answer?" to "is it but latency?" ([`step`]). The first that is answered with yes is the limit; later ones
//! contribute. Where none is, the nearest are told with their margins: "nothing stood out" is an answer, and
//! what was not sampled is "not measured" and never a no.
//!
//! Of a load point that failed by incidents they are asked over the incidents first ([`incidents`]), then
//! over the whole of it.
//!
//! It never contradicts [`crate::culprit`], which decides whose fault a failed load point was: this only says
//! where on that side it lies ([`choose`]). A load that was met was limited by nothing; what stands out
//! beside it is told, and blamed for nothing. Busy processors are never a limit, only ever beside one.
//!
//! A quick check has several counts, each ended by something ([`CountLimit`]); [`TrialEvidence`] is what its
//! failed trials show together.
//!
//! Pure. Not here: sampling (doctor), reading samples back (results), words (report).

mod carried;
mod choose;
mod count;
mod factors;
mod finding;
pub mod incidents;
mod like_connections;
mod scene;
mod step;
mod trials;

use serde::{Deserialize, Serialize};

pub use choose::of_point;
pub use count::CountLimit;
pub use finding::{LimitFinding, LimitStep, Measure, Seen};
pub use scene::{Observed, Scene};
pub use step::way_is_queued;
pub use trials::TrialEvidence;

/// What limited a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Limit {
    /// In a word.
    pub verdict: LimitVerdict,
    /// The layer, with what was seen of it. `None` where nothing stood out, or nothing limited it.
    pub found: Option<LimitFinding>,
    /// Other counters above their threshold, in the order of the questions. They are not the cause.
    pub contributing: Vec<LimitFinding>,
    /// Where nothing stood out: what came nearest to its threshold, the nearest first.
    pub nearest: Vec<LimitFinding>,
    /// Questions that nothing was sampled for.
    pub not_measured: Vec<LimitStep>,
}

impl Limit {
    /// The most that other programs took of all processors, in percent, where that was worth a word.
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
    /// It is.
    Found,
    /// Something limited it, and no counter stood out.
    NothingStoodOut,
    /// Nothing did: what was asked for was met, or the load was as large as it was asked to be.
    NothingLimited,
    /// The tool itself was late, so nothing is known of any layer.
    OwnFault,
    /// Too little was measured to say.
    #[default]
    NotKnown,
}
