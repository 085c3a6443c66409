//! The figures of streams: plain numbers with their units in their names, to be written as JSON.
//!
//! What nothing was measured for is `None`, never 0. Times named `_s` run from the start of the run,
//! those named `_in_point_s` from the start of the load point.

use serde::{Deserialize, Serialize};

use super::Policy;
use super::kind::{StreamKind, of_earlier_name};
use crate::figures::{LatenessFigures, TimeFigures};
use crate::incident::Incident;

/// Every stream of a load point, and all together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LateFigures {
    /// All streams together.
    pub total: StreamTotals,
    /// Each stream, by number.
    pub streams: Vec<StreamFigures>,
    /// The disturbances that made frames late: the first of them, in the order of time.
    #[serde(default)]
    pub incidents: Vec<Incident>,
    /// How many there were in all.
    #[serde(default)]
    pub incident_count: u64,
    /// Operations of other load points or of unknown streams; in no figure.
    pub ignored_ops: u64,
}

/// One stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamFigures {
    /// Its number.
    pub stream: u32,
    /// What it is, in words.
    pub name: String,
    /// What it is. `None` where that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<StreamKind>,
    /// The name of its format. `None` where that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The machine that it ran on, in a run of several. `None` where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it records; otherwise it plays.
    pub writes: bool,
    /// What it does with frames whose time has passed.
    pub policy: Policy,
    /// How long it may lag.
    pub buffer_s: f64,
    /// The frames it should move per second.
    pub nominal_frames_per_s: f64,
    /// When its first operation was due (t0). `None` for a stream that never began: then nothing is known.
    pub began_s: Option<f64>,
    /// Frames whose deadline lies in the measured part.
    pub frames_judged: u64,
    /// Those that came after their deadline or not at all.
    pub late_frames: u64,
    /// Late frames of which no operation came back: skipped by the stream (policy drop), not reached before
    /// the end (policy stall), or stuck until the end.
    pub dropped_frames: u64,
    /// Late frames with an operation that failed or moved less than was asked.
    pub failed_frames: u64,
    /// Late frames of which a part never came.
    pub unfinished_frames: u64,
    /// Late frames that would have been in time without the scheduling delay of Reelgauge.
    pub late_frames_with_own_delay: u64,
    /// The frame that came closest to its deadline, or farthest behind it.
    pub worst_margin: Option<WorstMargin>,
    /// All but one in a hundred frames had this margin or more; negative when late. `None` without frames
    /// and where one in a hundred or more never came.
    pub margin_p1_us: Option<f64>,
    /// Whether its margins shrank. `None` with too few frames to judge, and where play restarted in
    /// between.
    #[serde(default)]
    pub margin_trend: Option<MarginTrend>,
    /// The first late frame.
    pub first_late: Option<FirstLateFrame>,
    /// Runs of consecutive late frames.
    pub late_runs: u64,
    /// The first 100 of them.
    pub first_late_runs: Vec<LateRun>,
    /// The ten with most frames, worst first.
    pub worst_late_runs: Vec<LateRun>,
    /// Of judged frames that came, each as a whole: from when its first operation was due until its last
    /// byte. Single operations have theirs in the load point's `total.response`.
    pub response: Option<TimeFigures>,
    /// The smallest mean throughput over the buffer time.
    pub throughput: Option<ThroughputFigures>,
    /// Frames completed per second of the measured time in which it moved at its pace: from its beginning,
    /// or, where a player had filled its buffer before, from when that was shown.
    pub frames_per_s: Option<f64>,
    /// The same as a share of the nominal rate.
    pub achieved_share: Option<f64>,
    /// Operations of every kind per second of the same time.
    pub ops_per_s: Option<f64>,
    /// Bytes of completed frames per second of the same time.
    pub bytes_per_s: Option<f64>,
    /// The scheduling delay of Reelgauge: how long operations waited although they were due and their
    /// worker was free.
    pub own_delay: Option<LatenessFigures>,
    /// Operations of frames that had been settled before; in no other figure of frames.
    pub ops_after_frame: u64,
}

impl StreamFigures {
    /// Takes kind and format from the name, where an earlier version kept only that.
    pub(crate) fn take_from_name(&mut self) {
        if self.kind.is_none() {
            (self.kind, self.format) = of_earlier_name(&self.name);
        }
    }
}

/// All streams together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamTotals {
    /// How many streams there are.
    pub streams: u64,
    /// How many never began.
    pub streams_not_begun: u64,
    /// How many had late frames.
    pub streams_with_late_frames: u64,
    /// Frames whose deadline lies in the measured part.
    pub frames_judged: u64,
    /// Those that came after their deadline or not at all.
    pub late_frames: u64,
    /// See [`StreamFigures::dropped_frames`].
    pub dropped_frames: u64,
    /// See [`StreamFigures::failed_frames`].
    pub failed_frames: u64,
    /// See [`StreamFigures::unfinished_frames`].
    pub unfinished_frames: u64,
    /// See [`StreamFigures::late_frames_with_own_delay`].
    pub late_frames_with_own_delay: u64,
    /// Runs of consecutive late frames, summed over the streams.
    pub late_runs: u64,
    /// The worst margin of all streams.
    pub worst_margin: Option<StreamWorstMargin>,
    /// The late frame of all streams whose deadline came first.
    pub first_late: Option<StreamLateFrame>,
    /// Response times of the frames of all streams.
    pub response: Option<TimeFigures>,
    /// The scheduling delay of Reelgauge over all streams.
    pub own_delay: Option<LatenessFigures>,
}

/// Margin of a frame: how close it was to its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WorstMargin {
    /// Deadline − completion; negative when late.
    pub margin_us: f64,
    /// The frame's number on the timeline.
    pub frame: u64,
    /// Its deadline.
    pub deadline_s: f64,
    /// Its deadline.
    pub deadline_in_point_s: f64,
    /// `false` for a frame that had not come when the measured part ended: it is at least this late.
    pub has_come: bool,
}

/// How the best margins of a stream changed over the measured part, without the scheduling delay of
/// Reelgauge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MarginTrend {
    /// How much of the margin was lost in each second; negative where it grew.
    pub fall_ms_per_s: f64,
    /// How far that may be off: one standard error.
    pub standard_error_ms_per_s: f64,
    /// How long that was seen.
    pub observed_s: f64,
    /// The margin at the end of that time, on the line of the trend.
    pub at_end_ms: f64,
}

/// The worst margin, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamWorstMargin {
    /// The stream.
    pub stream: u32,
    /// The margin.
    #[serde(flatten)]
    pub margin: WorstMargin,
}

/// The first late frame of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FirstLateFrame {
    /// The frame's number on the timeline.
    pub frame: u64,
    /// Its deadline.
    pub deadline_s: f64,
    /// Its deadline.
    pub deadline_in_point_s: f64,
    /// How late it came. `None` where it never did.
    pub late_us: Option<f64>,
    /// It was never begun.
    pub dropped: bool,
    /// An operation of it failed.
    pub failed: bool,
}

/// The first late frame of all, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamLateFrame {
    /// The stream.
    pub stream: u32,
    /// The frame.
    #[serde(flatten)]
    pub late: FirstLateFrame,
}

/// A run of consecutive late frames.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LateRun {
    /// The first of them.
    pub first_frame: u64,
    /// How many.
    pub frames: u64,
    /// Those of them that were never begun.
    pub dropped_frames: u64,
    /// The deadline of the first.
    pub began_s: f64,
    /// The deadline of the first.
    pub began_in_point_s: f64,
    /// Until the deadline of the next frame that was in time.
    pub length_s: f64,
    /// How late the latest of them came. `None` where none came.
    pub worst_late_us: Option<f64>,
}

/// The mean throughput over the buffer time, wherever it was smallest (EBU Tech 3362, 9.2(7)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThroughputFigures {
    /// The buffer time.
    pub buffer_s: f64,
    /// The smallest mean over it.
    pub min_bytes_per_s: f64,
    /// When that stretch began.
    pub min_began_s: f64,
    /// When that stretch began.
    pub min_began_in_point_s: f64,
    /// What the application needs, if that was given.
    pub needed_bytes_per_s: Option<f64>,
    /// When the first stretch with less than that began.
    pub first_below_s: Option<f64>,
}
