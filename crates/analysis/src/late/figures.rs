//! The figures of streams: plain numbers with their units in their names, to be written as JSON.
//!
//! Figures without a measurement are `None`, never 0. Times named `_s` count from the start of the run,
//! those named `_in_point_s` from the start of the load point.

use serde::{Deserialize, Serialize};

use super::Policy;
use super::kind::{StreamKind, of_earlier_name};
use crate::figures::{LatenessFigures, TimeFigures};
use crate::incident::Incident;

/// The figures of every stream of a load point, and the totals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LateFigures {
    /// All streams together.
    pub total: StreamTotals,
    /// Each stream, by number.
    pub streams: Vec<StreamFigures>,
    /// The disturbances that made frames late: the first of them, in order of time.
    #[serde(default)]
    pub incidents: Vec<Incident>,
    /// The total number of incidents.
    #[serde(default)]
    pub incident_count: u64,
    /// Operations of other load points or of unknown streams; no figure includes them.
    pub ignored_ops: u64,
}

/// One stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StreamFigures {
    /// Its stream number.
    pub stream: u32,
    /// A description of the stream.
    pub name: String,
    /// Its kind. `None` if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<StreamKind>,
    /// The name of its format; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The host that it ran on, in a run on several hosts. Otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it records; otherwise it plays.
    pub writes: bool,
    /// How it treats frames whose time has passed.
    pub policy: Policy,
    /// How long it may lag.
    pub buffer_s: f64,
    /// Its nominal frame rate.
    pub nominal_frames_per_s: f64,
    /// When its first operation was due (t0). `None` for a stream that never began and has no figures.
    pub began_s: Option<f64>,
    /// Frames whose deadline is in the measured part.
    pub frames_judged: u64,
    /// Frames that arrived after their deadline, or never.
    pub late_frames: u64,
    /// Late frames of which no operation completed: skipped by the stream (policy drop), not reached
    /// before the end (policy stall), or in flight until the end.
    pub dropped_frames: u64,
    /// Late frames with an operation that failed or transferred less than requested.
    pub failed_frames: u64,
    /// Late frames of which a part never arrived.
    pub unfinished_frames: u64,
    /// Late frames that would have been in time without the scheduling delay of Reelgauge.
    pub late_frames_with_own_delay: u64,
    /// Late frames that would have been in time without the limit on bytes per second that the user set.
    #[serde(default, skip_serializing_if = "crate::figures::is_zero")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub late_frames_rate_limited: u64,
    /// The frame that was closest to its deadline, or latest.
    pub worst_margin: Option<WorstMargin>,
    /// All but one in a hundred frames had this margin or more; negative when late. `None` without
    /// frames, and if one in a hundred or more never arrived.
    pub margin_p1_us: Option<f64>,
    /// Whether its margins shrank. `None` with too few frames to judge, or if playback restarted in
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
    /// Times of judged frames that arrived, each as a whole: from when its first operation was due until
    /// its last byte. Times of single operations are in the load point's `total.response`.
    pub response: Option<TimeFigures>,
    /// The smallest mean throughput over the buffer time.
    pub throughput: Option<ThroughputFigures>,
    /// Frames completed per second of the time in which it transferred at its pace: the measured part
    /// from its start on. For a player whose buffer was already full, the time starts when that buffer
    /// has been played out.
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
    /// Operations of frames that were already settled; no other figure of frames includes them.
    pub ops_after_frame: u64,
}

impl StreamFigures {
    /// Takes kind and format from the name, if an earlier version kept only that.
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
    /// The number of streams that never began.
    pub streams_not_begun: u64,
    /// The number of streams with late frames.
    pub streams_with_late_frames: u64,
    /// Frames whose deadline is in the measured part.
    pub frames_judged: u64,
    /// Frames that arrived after their deadline, or never.
    pub late_frames: u64,
    /// See [`StreamFigures::dropped_frames`].
    pub dropped_frames: u64,
    /// See [`StreamFigures::failed_frames`].
    pub failed_frames: u64,
    /// See [`StreamFigures::unfinished_frames`].
    pub unfinished_frames: u64,
    /// See [`StreamFigures::late_frames_with_own_delay`].
    pub late_frames_with_own_delay: u64,
    /// See [`StreamFigures::late_frames_rate_limited`].
    #[serde(default, skip_serializing_if = "crate::figures::is_zero")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub late_frames_rate_limited: u64,
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

/// The margin of a frame: how close it was to its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WorstMargin {
    /// Deadline − completion; negative when late.
    pub margin_us: f64,
    /// The frame's number on the timeline.
    pub frame: u64,
    /// Its deadline, in seconds of the run.
    pub deadline_s: f64,
    /// Its deadline, in seconds of the load point.
    pub deadline_in_point_s: f64,
    /// `false` for a frame that had not arrived when the measured part ended: it is at least this late.
    pub has_come: bool,
}

/// How the best margins of a stream changed over the measured part, without the scheduling delay of
/// Reelgauge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MarginTrend {
    /// The loss of margin per second; negative if it grew.
    pub fall_ms_per_s: f64,
    /// The standard error of that.
    pub standard_error_ms_per_s: f64,
    /// The time over which it was observed.
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
    /// Its deadline, in seconds of the run.
    pub deadline_s: f64,
    /// Its deadline, in seconds of the load point.
    pub deadline_in_point_s: f64,
    /// Its lateness. `None` if it never arrived.
    pub late_us: Option<f64>,
    /// Whether it was never begun.
    pub dropped: bool,
    /// Whether one of its operations failed.
    pub failed: bool,
}

/// The first late frame of all streams, and its stream.
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
    /// The number of its first frame.
    pub first_frame: u64,
    /// The number of its frames.
    pub frames: u64,
    /// How many of them were never begun.
    pub dropped_frames: u64,
    /// The deadline of the first frame, in seconds of the run.
    pub began_s: f64,
    /// The deadline of the first frame, in seconds of the load point.
    pub began_in_point_s: f64,
    /// Time until the deadline of the next frame that was in time.
    pub length_s: f64,
    /// The largest lateness of its frames that arrived. `None` if none arrived.
    pub worst_late_us: Option<f64>,
}

/// The smallest mean throughput over the buffer time (EBU Tech 3362, 9.2(7)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThroughputFigures {
    /// The buffer time.
    pub buffer_s: f64,
    /// The smallest mean over it.
    pub min_bytes_per_s: f64,
    /// The start of that period, in seconds of the run.
    pub min_began_s: f64,
    /// The start of that period, in seconds of the load point.
    pub min_began_in_point_s: f64,
    /// The throughput that the application needs, if it was given.
    pub needed_bytes_per_s: Option<f64>,
    /// The start of the first period with less than that.
    pub first_below_s: Option<f64>,
}
