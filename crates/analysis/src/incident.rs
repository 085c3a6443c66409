//! Incidents: disturbances as somebody outside would tell them. "From 7.9 s to 9.6 s nothing answered, and 57
//! frames of all three recorders were late."
//!
//! Late frames of several streams that have one cause are one incident. Each says when it was, whom it hit,
//! what the storage did meanwhile ([`StorageThen`]), what this machine did ([`MachineThen`]) and whose fault
//! it was ([`Culprit`], decided in [`crate::culprit`] and nowhere else).
//!
//! * [`answers`]: when the storage answered and when it did not, from every operation of a load point.
//! * `gather`: the late runs of all streams put together by time.
//! * [`together`]: incidents of several machines that were hit at the same moment.
//! * [`machine`]: what the sampled counters say of a stretch of time.
//!
//! Not here: which frames are late ([`crate::late`]), words (the report room).

pub mod answers;
mod grouping;
pub mod together;

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;

pub use crate::machine_then::MachineThen;
pub use answers::{AnswerTally, OwnShare, Silence};
pub use grouping::{APART_NS, IncidentTally};

/// So many streams of an incident are named by their numbers.
pub const STREAMS_NAMED: usize = 64;

/// So many incidents of a load point are told one by one: the first ones.
pub const INCIDENTS_KEPT: usize = 200;

/// One disturbance. Times named `_s` run from the start of the run, those named `_in_point_s` from the start
/// of the load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Incident {
    /// When it began: when the storage or this client started to lag, which is before the first late
    /// frame.
    pub began_s: f64,
    /// The same.
    pub began_in_point_s: f64,
    /// The same as UTC time (RFC 3339), to compare with server logs. `None` where that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
    /// When it was over: when the last of its late frames had come, or their deadlines had passed.
    pub ended_s: f64,
    /// The machines that it hit, in a run of several. Empty where there was one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// How many streams had late frames.
    pub stream_count: u64,
    /// The first 64 of them, by number.
    pub streams: Vec<u32>,
    /// Late frames.
    pub late_frames: u64,
    /// Those of them that were never begun.
    pub dropped_frames: u64,
    /// Those of them that failed: an operation returned an error or moved too little.
    pub failed_frames: u64,
    /// Those that would have been in time without the scheduling delay of Reelgauge.
    pub late_frames_with_own_delay: u64,
    /// How late the latest of those that came was. `None` where none came.
    pub worst_late_us: Option<f64>,
    /// What the storage did.
    pub storage: StorageThen,
    /// What this machine did. `None` where nothing of it was sampled.
    pub machine: Option<MachineThen>,
    /// Whose it was.
    pub culprit: Culprit,
}

/// How the storage behaved in an incident, as its answers tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Operations were in flight and none was answered.
    NoAnswer,
    /// Operations failed.
    Failed,
    /// Answers came, but at less than the rate that the streams needed.
    Slow,
    /// Answers came fast enough in all; single operations took long.
    SingleSlowOps,
    /// Nothing of note: what was late was late for another reason.
    Usual,
    /// Too little is known.
    #[default]
    NotKnown,
}

impl Behaviour {
    /// As in JSON and CSV.
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

/// What the storage did in an incident. The tool's own pauses are taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StorageThen {
    /// In a word.
    pub behaviour: Behaviour,
    /// The longest time in which operations were in flight and none was answered.
    pub no_answer_s: Option<f64>,
    /// When that began.
    pub no_answer_began_s: Option<f64>,
    /// Bytes that came, as a share of what the streams needed in that time; may be above 1. `None` where the
    /// tool hardly ran.
    pub answered_share: Option<f64>,
    /// The share of the time in which something was in flight. The tool's own delays and pauses are no part
    /// of either.
    #[serde(default)]
    pub busy_share: Option<f64>,
    /// The longest operation: from when it was issued until its result was seen.
    pub longest_op_us: Option<f64>,
}
