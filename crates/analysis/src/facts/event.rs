//! An event that the user scheduled during a run: its command, and its effect on the streams.

use serde::{Deserialize, Serialize};

/// A value this close to a whole number of streams is rounded up: sampling loses less than a frame.
const ROUNDING: f64 = 0.02;

/// An event, and its effect on the streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventFacts {
    /// The user's name for it.
    pub name: String,
    /// The command as given to the shell.
    pub command: String,
    /// The command is ended after this time.
    pub time_limit_s: f64,
    /// When it began, in seconds since the run began. `None` if it did not.
    pub began_s: Option<f64>,
    /// When it ended. `None` if it did not begin, or was still running at the end of the run.
    pub ended_s: Option<f64>,
    pub end: EventEnd,
    /// The file in the run directory with what the command printed.
    pub output: Option<String>,
    /// Whether it printed more than is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_is_cut: bool,
    /// The effect on the streams. `None` if no stream had frames during the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EventEffect>,
}

/// How an event ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum EventEnd {
    /// The event is scheduled for later.
    Pending,
    /// The load ended before the event was due.
    NotBegun,
    /// The system could not start the command.
    NotStarted {
        /// The reason that the system reported.
        why: String,
    },
    /// The command is running, or was running at the end of the run.
    Running,
    Exit {
        code: i32,
    },
    /// A signal ended the command.
    Signal {
        number: i32,
    },
    /// The command reached its time limit and was ended.
    TimeLimit,
}

impl EventEnd {
    /// Whether the command succeeded.
    pub fn is_success(&self) -> bool {
        *self == EventEnd::Exit { code: 0 }
    }

    /// Whether the command failed. A command that its time limit or the end of the run ended has not
    /// failed.
    pub fn is_failure(&self) -> bool {
        matches!(self, EventEnd::Signal { .. } | EventEnd::Exit { .. }) && !self.is_success()
    }
}

/// The effect of an event on the streams of its load point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventEffect {
    /// Streams that were played.
    pub streams: u32,
    /// The number of streams that the storage served from the start of the event until frames were in
    /// time again. `None` if that time was too short, or if other actors than streams transferred data.
    pub served: Option<f64>,
    /// Time from its end until frames were in time again.
    pub recovery_after_end: Recovery,
    /// Time from its start until frames were in time again.
    pub recovery_after_begin: Recovery,
}

impl EventEffect {
    /// Whole streams that the storage sustained during the event.
    pub fn streams_sustained(&self) -> Option<u32> {
        Some(whole_streams(self.served?, self.streams))
    }
}

/// How long it took until frames were in time again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Recovery {
    /// This time; 0 if no frame was late.
    After { s: f64 },
    /// Frames were still late at the end of the load point, or shortly before it.
    AtLeast { s: f64 },
    Unknown {
        /// The reason. `None` in summaries of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<WhyUnknown>,
    },
}

/// Why it is unknown when frames were in time again.
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
        /// Its remaining time, in seconds.
        left_s: f64,
    },
    /// There were more incidents than are kept.
    IncidentsCutOff,
}

/// Whole streams that were served, out of this many.
pub fn whole_streams(served: f64, streams: u32) -> u32 {
    ((served + ROUNDING).floor().max(0.0) as u32).min(streams)
}
