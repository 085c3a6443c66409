//! What is said on top of a run, as data: the verdict, one number, its cause, how sure it is, and what to do
//! next.
//!
//! Everything here stands in the summary already; this chooses. The words are made in the report room, so
//! that a screen, a page and a program say the same.
//!
//! What was not measured has no number, and is neither met nor not met.
//!
//! * `number`: judgement, number and cause. `doubt`: how sure. `next_step`: what to do. `inconclusive`: why
//!   neither is shown. `stream_count`: how many streams were sustained. `component`: which part of the path
//!   each of them points at, so that no two of them point at different ones.

mod check_limit;
mod component;
mod doubt;
mod inconclusive;
mod next_step;
mod of;
mod stated_figures;
mod stream_count;

use serde::{Deserialize, Serialize};

use crate::criteria::Criterion;
use crate::culprit::Culprit;

pub use component::Component;
pub use doubt::{Confidence, Doubt, client_busy_percent};
pub use inconclusive::{Inconclusive, PointVerdict};
pub use next_step::NextStep;
pub use of::of;
pub use stream_count::{StreamCount, stream_count};

/// Whether what was asked for was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Everything that was asked for was measured and met.
    Met,
    /// Something that was measured was not met.
    NotMet,
    /// Measured, and it shows neither: see [`Statement::inconclusive`]. Earlier versions had one such case.
    #[serde(alias = "not_met_by_own_fault")]
    Inconclusive,
    /// It was asked for, and not measured.
    #[default]
    NotKnown,
    /// Nothing was asked for: these are figures.
    NothingAsked,
}

/// The statement of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Statement {
    /// Whether what was asked for was met.
    pub judgement: Judgement,
    /// Why it is inconclusive; empty where it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive: Vec<Inconclusive>,
    /// The main result.
    pub number: Number,
    /// The cause: why the number is not better. `None` where nothing failed, or the cause is unknown.
    pub cause: Option<Cause>,
    /// Confidence in the number.
    pub confidence: Confidence,
    /// The next step. `None` where the sentence about what could not be measured names it.
    #[serde(default)]
    pub next_step: Option<NextStep>,
    /// The load point whose limit is reported, as an index into the summary's. `None` where none is
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_point: Option<usize>,
}

/// The main result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StatedNumber"))]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Number {
    /// There is none: nothing was measured.
    #[default]
    NotMeasured,
    /// Frames were late.
    LateFrames {
        /// The load point, as an index into the summary's.
        point: usize,
        /// How many.
        late_frames: u64,
        /// Of how many that were judged.
        frames_judged: u64,
        /// Streams that had any.
        streams_with_late_frames: u64,
        /// All streams.
        streams: u64,
    },
    /// Every frame of so many streams was in time, or as many were late as were allowed.
    Streams {
        /// The load point, as an index into the summary's.
        point: usize,
        /// Streams.
        streams: u64,
        /// Late frames that were allowed.
        late_frames: u64,
        /// Frames that were judged.
        frames_judged: u64,
    },
    /// The largest count that passes.
    Capacity {
        /// It passed every time.
        streams: u32,
        /// So many passed sometimes, where that is more.
        sometimes: Option<u32>,
        /// Why more may pass; `None` where the limit was found.
        at_least: Option<AtLeast>,
    },
    /// Another criterion failed, in a load point of the summary; its figures stand in the verdict's failure.
    Failed {
        /// The load point, as an index into the summary's.
        point: usize,
        /// Which criterion.
        criterion: Criterion,
    },
    /// Load points of the published rates: the largest that is valid, below the first that is not.
    ValidPoint {
        /// Its streams; `None` where the first is not valid.
        streams: Option<u32>,
    },
    /// Bytes per second of the load point that moved most.
    Throughput {
        /// The load point, as an index into the summary's.
        point: usize,
        /// Reads and writes together.
        bytes_per_s: f64,
    },
    /// Streams of the heaviest of a first look's formats of which any were carried; of the lightest, where
    /// none were.
    FirstLook {
        /// The format, as an index into those of the look.
        format: usize,
        /// Streams that were played. `None` where that was not measured.
        play: Option<u32>,
        /// Streams that were recorded. `None` where that was not measured.
        record: Option<u32>,
    },
    /// Passes of a replay.
    Replay {
        /// The last one, as an index into the replay's.
        pass: usize,
        /// How many completed.
        complete_passes: u64,
    },
}

/// Why more streams may pass than a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AtLeast {
    /// Beyond them this machine or the tool was the limit, not the storage.
    ThisMachine,
    /// The search ended before its limit was certain.
    Unfinished,
    /// All passed, and no more could be tried.
    NoMoreTried,
}

/// Why the number is not better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Cause {
    /// Whose it was.
    pub culprit: Culprit,
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// The incident with most late frames, as an index into those of the load point. `None` without
    /// incidents.
    pub incident: Option<usize>,
    /// How many incidents there were.
    pub incidents: u64,
}

#[cfg(test)]
mod contradictions;
#[cfg(test)]
mod tests;
