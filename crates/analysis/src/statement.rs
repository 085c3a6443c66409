//! The first lines of a run's result, as data: the verdict, one number, its cause, the confidence, and
//! the next step.
//!
//! Everything here is in the summary already; this module selects it. The words are made in the report
//! crate, so that a screen, a page and a program show the same.
//!
//! A result that was not measured has no number, and is neither met nor not met.
//!
//! * `number`: judgement, number and cause. `doubt`: confidence. `next_step`: the next step.
//!   `inconclusive`: why a result was shown neither to be met nor to be not met. `stream_count`: how many
//!   streams were sustained. `component`: the part of the path that each of them points at, so that no two
//!   of them point at different ones.

mod check_limit;
mod component;
mod doubt;
mod inconclusive;
mod next_step;
mod stated_figures;
mod stream_count;
mod summary_statement;

use serde::{Deserialize, Serialize};

use crate::criteria::Criterion;
use crate::culprit::Culprit;

pub use component::Component;
pub use doubt::{Confidence, Doubt, client_busy_percent};
pub use inconclusive::{Inconclusive, PointVerdict};
pub use next_step::NextStep;
pub use stream_count::{StreamCount, stream_count};
pub use summary_statement::of;

/// Whether the requirements were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// All requirements were measured and met.
    Met,
    /// A requirement was measured and not met.
    NotMet,
    /// Measured, but neither is shown: see [`Statement::inconclusive`]. Earlier versions had one such
    /// case.
    #[serde(alias = "not_met_by_own_fault")]
    Inconclusive,
    /// There were requirements, but they were not measured.
    #[default]
    NotKnown,
    /// There were no requirements, only figures.
    NothingAsked,
}

/// The statement of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Statement {
    /// Whether the requirements were met.
    pub judgement: Judgement,
    /// Why it is inconclusive; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive: Vec<Inconclusive>,
    /// The main result.
    pub number: Number,
    /// The cause: why the number is not better. `None` if nothing failed, or the cause is unknown.
    pub cause: Option<Cause>,
    /// Confidence in the number.
    pub confidence: Confidence,
    /// The next step. `None` if the sentence about what could not be measured names it.
    #[serde(default)]
    pub next_step: Option<NextStep>,
    /// The load point whose limit is reported, as an index into the summary's load points. `None` if
    /// none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_point: Option<usize>,
}

/// The main result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StatedNumber"))]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Number {
    /// No result: nothing was measured.
    #[default]
    NotMeasured,
    /// Frames were late.
    LateFrames {
        /// The load point, as an index into the summary's load points.
        point: usize,
        /// The number of late frames.
        late_frames: u64,
        /// The number of judged frames.
        frames_judged: u64,
        /// Streams with late frames.
        streams_with_late_frames: u64,
        /// All streams.
        streams: u64,
    },
    /// Every frame of these streams was in time, or no more were late than allowed.
    Streams {
        /// The load point, as an index into the summary's load points.
        point: usize,
        /// Streams.
        streams: u64,
        /// The allowed number of late frames.
        late_frames: u64,
        /// Frames that were judged.
        frames_judged: u64,
    },
    /// The largest count that passes.
    Capacity {
        /// It passed every time.
        streams: u32,
        /// The largest count that passed sometimes, if it is larger.
        sometimes: Option<u32>,
        /// Why more may pass; `None` if the limit was found.
        at_least: Option<AtLeast>,
    },
    /// Another criterion failed, in a load point of the summary; its figures are in the verdict's
    /// failure.
    Failed {
        /// The load point, as an index into the summary's load points.
        point: usize,
        /// The criterion.
        criterion: Criterion,
    },
    /// Load points of the published rates: the largest that is valid, below the first that is not.
    ValidPoint {
        /// Its number of streams; `None` if the first one is not valid.
        streams: Option<u32>,
    },
    /// Bytes per second of the load point with the highest throughput.
    Throughput {
        /// The load point, as an index into the summary's load points.
        point: usize,
        /// Reads and writes together.
        bytes_per_s: f64,
    },
    /// The stream counts of a quick check: of the heaviest format of which any streams were sustained,
    /// or of the lightest one if there is none.
    FirstLook {
        /// The format, as an index into those of the check.
        format: usize,
        /// Streams that were played. `None` if that was not measured.
        play: Option<u32>,
        /// Streams that were recorded. `None` if that was not measured.
        record: Option<u32>,
    },
    /// Passes of a replay.
    Replay {
        /// The last pass, as an index into those of the replay.
        pass: usize,
        /// The number of complete passes.
        complete_passes: u64,
    },
}

/// Why more streams may pass than a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AtLeast {
    /// Above this count, the local host or Reelgauge was the limit, not the storage.
    ThisMachine,
    /// The search ended before its limit was certain.
    Unfinished,
    /// All trials passed, and no more could be tried.
    NoMoreTried,
}

/// Why the number is not better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Cause {
    /// The culprit.
    pub culprit: Culprit,
    /// The load point, as an index into the summary's load points.
    pub point: usize,
    /// The incident with most late frames, as an index into those of the load point. `None` without
    /// incidents.
    pub incident: Option<usize>,
    /// The number of incidents.
    pub incidents: u64,
}

#[cfg(test)]
mod contradictions;
#[cfg(test)]
mod tests;
