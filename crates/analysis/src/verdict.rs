//! Whether the criteria were met, and which one failed first.
//!
//! What was asked for and not measured is not met: no measurement is a pass. And the storage is only
//! blamed for what it did: late frames that the tool's own delay explains are told apart.
//!
//! [`mod@judge`] holds figures against criteria. What it finds is a [`Ruling`], each failure with its
//! [`Reason`]; a [`Verdict`] comes of that only with a sentence for each.
//!
//! Not here: what is good enough ([`crate::criteria`]), what limited the storage (the doctor room), and the
//! sentences (the report room's).

pub mod judge;
pub mod margins;
pub mod of_hosts;
pub mod of_mix;
mod rates;
pub mod reason;
pub mod ruling;

use serde::{Deserialize, Serialize};

use crate::criteria::Criterion;

pub use judge::{Measured, judge};
pub use reason::{FallingMargins, FirstFailed, FrameFate, LateStream, Reason, StreamName, WhoseMargin};
#[cfg(test)]
pub(crate) use ruling::failure_of_tests;
pub use ruling::{Ruling, Unmet};

/// A criterion that was not met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Failure {
    /// Which.
    pub criterion: Criterion,
    /// `false` where nothing was measured that could have met it.
    pub measured: bool,
    /// The stream, where it is one stream's failure.
    pub stream: Option<u32>,
    /// The worker, where it is one worker's failure.
    pub worker: Option<u32>,
    /// When it failed, since the start of the run; `None` for figures of the whole load point.
    pub at_s: Option<f64>,
    /// The same since the start of the load point.
    pub at_in_point_s: Option<f64>,
    /// The limit: frames, operations, ms, MB/s or a share, as the criterion is.
    pub limit: f64,
    /// What was found, in the same unit.
    pub found: Option<f64>,
    /// The limit would have been met without the scheduling delay of Reelgauge: this is no statement
    /// about the storage.
    pub because_of_tool: bool,
    /// All of that in words.
    pub sentence: String,
}

/// Whether a load point met its criteria.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Verdict {
    /// Everything that was asked for was measured and met.
    pub passed: bool,
    /// The failure that came first in time.
    pub failed_first: Option<Failure>,
    /// Every failure, first ones first; those without a moment after those with one, and what was not
    /// measured last.
    pub failures: Vec<Failure>,
    /// What was asked for.
    pub asked: Vec<Criterion>,
    /// The storage failed at least one criterion: this was measured, and Reelgauge's scheduling delay
    /// does not explain it.
    pub storage_failed: bool,
}

impl Verdict {
    /// Nothing but the tool's own delay, or a lack of measurements, stands against the storage.
    pub fn is_no_fault_of_the_storage(&self) -> bool {
        !self.passed && !self.storage_failed
    }
}

#[cfg(test)]
mod tests;
