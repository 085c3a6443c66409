//! Incidents: disturbances as an observer would describe them. "From 7.9 s to 9.6 s nothing answered,
//! and 57 frames of all three recorders were late."
//!
//! Late frames of several streams that have one cause are one incident. Each has its time, the affected
//! streams, the state of the storage ([`StorageThen`]) and of the local host ([`MachineThen`]) during
//! it, and the culprit ([`Culprit`], decided in [`crate::culprit`] and nowhere else).
//!
//! * [`answers`]: when the storage answered and when it did not, from every operation of a load point.
//! * `gather`: combines the late runs of all streams by time.
//! * [`host_merge`]: combines incidents of several hosts that happened at the same time.
//! * [`machine`]: what the sampled counters show for a period.
//!
//! Not here: which frames are late ([`crate::late`]), words (report).

pub mod answers;
mod grouping;
pub mod host_merge;

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;

pub use crate::host_state::MachineThen;
pub use answers::{AnswerTally, OwnShare, Silence};
pub use grouping::{APART_NS, IncidentTally};

/// Stream numbers of an incident that are listed, at most.
pub const STREAMS_NAMED: usize = 64;

/// Incidents of a load point that are listed, at most: the first ones.
pub const INCIDENTS_KEPT: usize = 200;

/// One disturbance. Times named `_s` count from the start of the run, those named `_in_point_s` from the
/// start of the load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Incident {
    /// When it began: when the storage or this client started to lag, which is before the first late
    /// frame.
    pub began_s: f64,
    /// The same, in the load point.
    pub began_in_point_s: f64,
    /// The same as UTC time (RFC 3339), for comparison with server logs. `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
    /// When it was over: when the last of its late frames arrived, or their deadlines passed.
    pub ended_s: f64,
    /// The affected hosts, in a run on several hosts. Otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The number of streams with late frames.
    pub stream_count: u64,
    /// The first 64 of them, by number.
    pub streams: Vec<u32>,
    /// Late frames.
    pub late_frames: u64,
    /// Late frames that were never begun.
    pub dropped_frames: u64,
    /// Late frames that failed: an operation returned an error or transferred too little.
    pub failed_frames: u64,
    /// Late frames that would have been in time without the scheduling delay of Reelgauge.
    pub late_frames_with_own_delay: u64,
    /// Late frames that would have been in time without the limit on bytes per second that the user set.
    #[serde(default, skip_serializing_if = "crate::figures::is_zero")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub late_frames_rate_limited: u64,
    /// The largest lateness of the frames that arrived. `None` if none arrived.
    pub worst_late_us: Option<f64>,
    /// The state of the storage.
    pub storage: StorageThen,
    /// The state of the local host. `None` if it was not sampled.
    pub machine: Option<MachineThen>,
    /// The culprit.
    pub culprit: Culprit,
}

/// How the storage behaved in an incident, judged by its answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Operations were in flight and none completed.
    NoAnswer,
    /// Operations failed.
    Failed,
    /// Answers came, but at less than the rate that the streams needed.
    Slow,
    /// The total rate was high enough, but single operations took long.
    SingleSlowOps,
    /// Nothing unusual: the lateness has another reason.
    Usual,
    /// There is too little evidence.
    #[default]
    NotKnown,
}

impl Behaviour {
    /// The name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Behaviour::NoAnswer => "no_answer",
            Behaviour::Failed => "failed",
            Behaviour::Slow => "slow",
            Behaviour::SingleSlowOps => "single_slow_ops",
            Behaviour::Usual => "usual",
            Behaviour::NotKnown => "not_known",
        }
    }
}

/// The state of the storage in an incident. Pauses of Reelgauge are excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StorageThen {
    /// The behaviour in one word.
    pub behaviour: Behaviour,
    /// The longest time in which operations were in flight and none completed.
    pub no_answer_s: Option<f64>,
    /// The start of that time.
    pub no_answer_began_s: Option<f64>,
    /// Bytes received, as a share of the bytes that the streams needed in that time; may be above 1.
    /// `None` if Reelgauge hardly ran.
    pub answered_share: Option<f64>,
    /// The share of the time in which something was in flight. Delays and pauses of Reelgauge are
    /// excluded from both times.
    #[serde(default)]
    pub busy_share: Option<f64>,
    /// The longest operation: from its issue until Reelgauge saw its result.
    pub longest_op_us: Option<f64>,
}
