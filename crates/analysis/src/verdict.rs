//! Whether the criteria were met, and which one failed first.
//!
//! A criterion that was required and not measured is not met: only a measurement can pass. And the
//! storage is only blamed for its own effects: late frames that the scheduling delay of Reelgauge
//! explains are counted separately.
//!
//! [`mod@judge`] compares figures with criteria. The result is a [`Ruling`], each failure with its
//! [`Reason`]; it becomes a [`Verdict`] only with a sentence for each.
//!
//! Not here: the limits ([`crate::criteria`]), what limited the storage ([`crate::limit`]), and the
//! sentences (report).

pub mod hosts;
pub mod judge;
pub mod margins;
pub mod mix;
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
    /// The criterion.
    pub criterion: Criterion,
    /// `false` if nothing was measured that could have met it.
    pub measured: bool,
    /// The stream, if it is one stream's failure.
    pub stream: Option<u32>,
    /// The worker, if it is one worker's failure.
    pub worker: Option<u32>,
    /// When it failed, since the start of the run; `None` for figures of the whole load point.
    pub at_s: Option<f64>,
    /// The same since the start of the load point.
    pub at_in_point_s: Option<f64>,
    /// The limit, in the criterion's unit: frames, operations, ms, MB/s or a share.
    pub limit: f64,
    /// The measured value, in the same unit.
    pub found: Option<f64>,
    /// The limit would have been met without the scheduling delay of Reelgauge: this is no
    /// evidence about the storage.
    pub because_of_tool: bool,
    /// The failure as a sentence.
    pub sentence: String,
}

/// Whether a load point met its criteria.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Verdict {
    /// Whether everything required was measured and met.
    pub passed: bool,
    /// The failure that came first in time.
    pub failed_first: Option<Failure>,
    /// Every failure in order of time; those without a time come after those with one, and those that
    /// were not measured last.
    pub failures: Vec<Failure>,
    /// The required criteria.
    pub asked: Vec<Criterion>,
    /// The storage failed at least one criterion: this was measured, and Reelgauge's scheduling delay
    /// does not explain it.
    pub storage_failed: bool,
}

impl Verdict {
    /// Whether all failures are caused by Reelgauge's scheduling delay, or by a lack of measurements.
    pub fn is_no_fault_of_the_storage(&self) -> bool {
        !self.passed && !self.storage_failed
    }
}

#[cfg(test)]
mod tests;
