//! An event of the user's own during a run: its command, and how the streams got over it.

use serde::{Deserialize, Serialize};

/// What is this close to a whole number of streams is one: sampling cuts off less than a frame.
const ROUNDING: f64 = 0.02;

/// An event, and what it did to the streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventFacts {
    /// What the user calls it.
    pub name: String,
    /// What the shell ran.
    pub command: String,
    /// The command is ended after so long.
    pub time_limit_s: f64,
    /// When it began, in seconds since the run began. `None` where it did not.
    pub began_s: Option<f64>,
    /// When it ended. `None` where it did not begin, or went on when the run was over.
    pub ended_s: Option<f64>,
    pub end: EventEnd,
    /// The file in the run directory with what the command printed.
    pub output: Option<String>,
    /// Whether it printed more than is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_is_cut: bool,
    /// What it did to the streams. `None` where none had frames meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EventEffect>,
}

/// How an event ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum EventEnd {
    /// Its time has not come.
    Pending,
    /// The load was over before its time.
    NotBegun,
    /// The system could not start the command.
    NotStarted {
        /// What the system reported.
        why: String,
    },
    /// It goes on, or went on when the run was over.
    Running,
    Exit {
        code: i32,
    },
    /// A signal ended the command.
    Signal {
        number: i32,
    },
    /// It was ended at its time limit.
    TimeLimit,
}

impl EventEnd {
    /// Whether the command did what it was to do.
    pub fn is_success(&self) -> bool {
        *self == EventEnd::Exit { code: 0 }
    }

    /// Whether the command failed; one that a limit or the end of the run ended has not.
    pub fn is_failure(&self) -> bool {
        matches!(self, EventEnd::Signal { .. } | EventEnd::Exit { .. }) && !self.is_success()
    }
}

/// What an event did to the streams of its load point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventEffect {
    /// Streams that were played.
    pub streams: u32,
    /// For how many of them the storage delivered until it was over and frames were in time again. `None`
    /// where that was too short, or others than streams moved data.
    pub served: Option<f64>,
    /// From its end until frames were in time again.
    pub recovery_after_end: Recovery,
    /// From its beginning until then.
    pub recovery_after_begin: Recovery,
}

impl EventEffect {
    /// Whole streams that the storage sustained while the event went on.
    pub fn streams_sustained(&self) -> Option<u32> {
        Some(whole_streams(self.served?, self.streams))
    }
}

/// How long it took until frames were in time again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Recovery {
    /// So long; 0 where no frame was late.
    After { s: f64 },
    /// They were not when the load point ended, or too shortly to tell.
    AtLeast { s: f64 },
    Unknown {
        /// Why not. `None` in summaries of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<WhyUnknown>,
    },
}

/// Why nothing shows when frames were in time again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum WhyUnknown {
    /// The event did not take place.
    NoEvent,
    /// Its command failed, and no frame was late.
    Failed,
    /// The load point ended before the event.
    EndedBefore,
    /// The load point ended too soon after it.
    EndedSoon {
        /// What was left of it, in seconds.
        left_s: f64,
    },
    /// There were more incidents than are kept.
    IncidentsCutOff,
}

/// Whole streams of so many.
pub fn whole_streams(served: f64, streams: u32) -> u32 {
    ((served + ROUNDING).floor().max(0.0) as u32).min(streams)
}
