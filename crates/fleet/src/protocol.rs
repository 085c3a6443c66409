//! The messages between a controller and its agents about a run.
//!
//! Any message may be lost, duplicated, late or out of order, so nothing depends on a single one. An
//! agent sends its whole state in every [`Beat`], once a second and whenever it changes. The controller
//! repeats its orders until a beat shows that they took effect, and a repeated message does nothing the
//! second time. Load is permitted to continue by an answer to a beat that the agent knows to be recent,
//! so an old message never permits it.
//!
//! Times are those of monotonic clocks: of an agent's host, and of the controller. Wall clocks only name
//! moments for users and enter no difference, so that setting one during a run changes nothing.
//!
//! Not here: who may send what (the envelope), and how it travels (the connection).

use std::time::Duration;

use reelgauge_runner::remote_control::messages::{JudgedTrial, LiveReport, RequestedTrial};
use serde::{Deserialize, Serialize};

/// An agent sends a beat at least this often.
pub const BEAT_EVERY: Duration = Duration::from_secs(1);
/// The version of the protocol between agents and controller. 2: times are monotonic, agents send how
/// long they load without contact, and commands are sealed.
pub const PROTOCOL: u32 = 2;
/// Load continues for this long after the last beat that the controller answered, unless the agent's
/// owner allows another time.
pub const LEASE: Duration = Duration::from_secs(15);
/// The shortest time that an owner may set: two beats, so that one may be lost.
pub const LEASE_LEAST: Duration = Duration::from_secs(2);
pub const LEASE_MOST: Duration = Duration::from_secs(60);
/// An agent that is silent for this much longer than it may load is missing. The time in which nothing
/// could be received does not count.
pub const MISSING_GRACE: Duration = Duration::from_secs(1);
/// An agent that has reported no run and is silent for this long is treated as missing.
pub const UNHEARD_FOR: Duration = Duration::from_secs(5);
/// A load point begins this long after all agents were ready.
pub const START_AHEAD: Duration = Duration::from_secs(3);
/// If an agent has not confirmed a start this long before it, the start is postponed for all.
pub const CALLED_OFF_AHEAD: Duration = Duration::from_millis(1_500);
/// From this long before a start it can no longer be postponed: some agents are already preparing their
/// threads.
pub const CALLED_AHEAD: Duration = Duration::from_millis(900);
/// A start whose time passed longer ago than this is ignored.
pub const LATE_MOST: Duration = Duration::from_secs(1);
/// The largest piece of a file, which fits into one message.
pub const PIECE_BYTES: u32 = 256 << 10;

/// An order of the controller to one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Answers a beat: the controller is there, and this run may continue.
    Hold {
        run: String,
        /// The beat that is answered.
        beat: u64,
        /// The process of the controller that sends it.
        epoch: u64,
        /// When the beat was heard, on the controller's clock.
        heard_ns: i64,
        /// When this was sent.
        said_ns: i64,
    },
    /// Prepare for this plan.
    Prepare {
        run: String,
        /// SHA-256 of the plan.
        plan_sha256: String,
        plan_toml: String,
    },
    /// The trial that the agent requested.
    Trial {
        run: String,
        /// The number of its load point, from 0.
        point: u16,
        /// This agent's share; 0 if it has nothing to do in it.
        scale: u32,
        /// Whether it lasts as long as an answer must be sustained.
        confirms: bool,
    },
    /// The search is over: there is no trial for this load point.
    Enough {
        run: String,
        /// The number of its load point, from 0.
        point: u16,
    },
    /// Begin a load point.
    Start {
        run: String,
        /// Its number, from 0.
        point: u16,
        /// The controller that the clock belongs to.
        epoch: u64,
        /// The time, on the controller's clock.
        at_ns: i64,
    },
    /// End, and keep the measurements.
    Stop { run: String },
    /// List the files of the run.
    Files { run: String },
    /// Send a piece of a file.
    Piece {
        run: String,
        /// Its name in the run directory.
        file: String,
        offset: u64,
        /// Its length; at most [`PIECE_BYTES`].
        len: u32,
    },
    /// Every file has arrived whole: the agent need not keep them.
    Kept { run: String },
}

impl Order {
    /// The run that it applies to.
    pub fn run(&self) -> &str {
        match self {
            Order::Hold { run, .. }
            | Order::Prepare { run, .. }
            | Order::Trial { run, .. }
            | Order::Enough { run, .. }
            | Order::Start { run, .. }
            | Order::Stop { run }
            | Order::Files { run }
            | Order::Piece { run, .. }
            | Order::Kept { run } => run,
        }
    }
}

/// A message of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    Beat(Box<Beat>),
    /// The progress of a load point.
    Live {
        run: String,
        live: Box<LiveReport>,
    },
    /// The files of a run.
    Files {
        run: String,
        files: Vec<FileThere>,
    },
    /// The files of a run cannot be read. The first version did not send this.
    NoFiles {
        run: String,
        why: String,
    },
    /// It opened none of the controller's orders, and never will.
    Closed {
        why: String,
    },
    /// A piece of a file. Its bytes follow the JSON.
    Piece {
        run: String,
        file: String,
        offset: u64,
        /// The bytes; not in the JSON.
        #[serde(skip)]
        bytes: Vec<u8>,
    },
}

/// A file of a run directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileThere {
    pub name: String,
    pub len: u64,
    /// The digest of all its bytes.
    pub sha256: String,
}

/// The state of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// The agent's process: a larger number after each start.
    pub session: u64,
    pub beat: u64,
    pub version: String,
    /// The version of its protocol: [`PROTOCOL`]. The first version did not send this.
    #[serde(default = "first_protocol")]
    pub protocol: u32,
    /// How long it continues to load without contact, in milliseconds.
    #[serde(default)]
    pub lease_ms: u64,
    /// The offset of its wall clock from the controller's, if known. Only shown to users.
    pub clock: Option<ClockOffset>,
    /// The runs that it knows: the one in progress, and those whose files were not fetched.
    pub runs: Vec<RunState>,
}

fn first_protocol() -> u32 {
    1
}

/// The offset of one clock from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// How far the agent's clock is ahead.
    pub offset_ns: i64,
    /// The error bound of the offset.
    pub uncertainty_ns: i64,
}

/// The state of a run on an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunState {
    pub run: String,
    /// SHA-256 of its plan, as it is on the agent's disk.
    pub plan_sha256: String,
    pub phase: Phase,
    /// Its times, and the offset from the controller's clock.
    #[serde(default)]
    pub times: RunTimes,
    /// The number of load points that were measured for their whole time.
    pub points_complete: u16,
    /// The result of its latest trial, in a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedTrial>,
}

/// The times of events in a run, on the monotonic clock of its agent's host, and the offset of that
/// clock from the controller's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTimes {
    /// Time 0 of its log. `None` until it has begun.
    pub zero_ns: Option<i64>,
    /// Load points that have begun.
    pub starts: Vec<PointStart>,
    /// The offset of the host's clock when the first load point began, or as soon as it was known.
    pub clock_before: Option<ClockOffset>,
    /// The offset when the run was last reported.
    pub clock_after: Option<ClockOffset>,
    /// When it ended; `None` while it is in progress, and if its end was not observed.
    pub over_ns: Option<i64>,
    /// Steps of the wall clock during the run.
    pub clock_steps: Vec<ClockStep>,
}

/// The beginning of a load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointStart {
    /// Its number, from 0.
    pub point: u16,
    pub begun_ns: i64,
    /// The offset of the host's clock at that time, by all answers received so far.
    pub clock: Option<ClockOffset>,
}

/// A step of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockStep {
    /// The time, on the host's monotonic clock.
    pub at_ns: i64,
    /// The size of the step; negative: back.
    pub by_ns: i64,
}

/// The phase of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Phase {
    /// It makes its files.
    Preparing,
    /// It waits for its next trial, in a search.
    Asks(RequestedTrial),
    /// It waits for the start of this load point.
    Ready {
        /// Its number, from 0.
        point: u16,
    },
    /// It knows the start of this load point.
    Starting {
        /// Its number, from 0.
        point: u16,
        /// The start, on the controller's clock. The first version did not send it.
        #[serde(default)]
        at_ns: i64,
    },
    /// This load point is in progress.
    Measuring {
        /// Its number, from 0.
        point: u16,
    },
    /// It samples counters, and loads nothing.
    Observing,
    Over {
        /// Its exit status; `None` if it was not received.
        code: Option<u8>,
        /// Why it did not complete.
        reason: Option<String>,
    },
    /// It was never begun here.
    Refused { why: String },
}

impl Phase {
    /// Whether it loads the storage, or soon will. An observation also ends without a controller, so it
    /// counts.
    pub fn is_load(&self) -> bool {
        matches!(self, Phase::Preparing | Phase::Starting { .. } | Phase::Measuring { .. } | Phase::Observing)
    }

    /// Whether its process has ended, or never existed.
    pub fn is_over(&self) -> bool {
        matches!(self, Phase::Over { .. } | Phase::Refused { .. })
    }
}
