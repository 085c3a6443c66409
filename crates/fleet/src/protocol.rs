//! What a controller and its agents say to each other about a run.
//!
//! Anything may be lost, doubled, late or out of order, so nothing rests on a single message. An agent says
//! its whole state in every [`Beat`], once a second and whenever it changes; the controller says what it
//! wants until a beat shows that it is so; and whatever is said twice does nothing the second time. What
//! lets load go on is an answer to a beat that the agent knows to be young, so that an old message never
//! does.
//!
//! Times are those of monotonic clocks: the machine's of an agent, and the controller's. Wall clocks name
//! moments for people and enter no difference, so that one that is set during a run changes nothing.
//!
//! Not here: who may say what (the envelope), and how it travels (the connection).

use std::time::Duration;

use reelgauge_runner::steered::messages::{AskedTrial, JudgedTrial, LiveSaid};
use serde::{Deserialize, Serialize};

/// An agent says how it stands at least this often.
pub const BEAT_EVERY: Duration = Duration::from_secs(1);
/// The version of what agents and controller say to each other. 2: times are monotonic, agents say for how
/// long they load without being heard, and wishes are sealed.
pub const PROTOCOL: u32 = 2;
/// Load goes on for so long after the last beat that the controller answered, unless the agent's owner allows
/// another time.
pub const LEASE: Duration = Duration::from_secs(15);
/// The shortest time that an owner may allow: a beat more than may be lost.
pub const LEASE_LEAST: Duration = Duration::from_secs(2);
pub const LEASE_MOST: Duration = Duration::from_secs(60);
/// An agent that was not heard for so much longer than it may load is missing. The time in which nothing
/// could be heard does not count.
pub const MISSING_GRACE: Duration = Duration::from_secs(1);
/// Nothing more is learnt of an agent that has told of no run and is not heard for so long.
pub const UNHEARD_FOR: Duration = Duration::from_secs(5);
/// A load point begins so long after everybody was ready.
pub const START_AHEAD: Duration = Duration::from_secs(3);
/// Where somebody has not said by then that it knows of a start, everybody's is put off: so long before it.
pub const CALLED_OFF_AHEAD: Duration = Duration::from_millis(1_500);
/// Nobody is reached any more so long before a start: the threads of some have been called.
pub const CALLED_AHEAD: Duration = Duration::from_millis(900);
/// A start whose time is over by more than this is none.
pub const LATE_MOST: Duration = Duration::from_secs(1);
/// One piece of a file has at most so many bytes: it fits into one message.
pub const PIECE_BYTES: u32 = 256 << 10;

/// What the controller tells one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Answers a beat: the controller was there, and this run may go on.
    Hold {
        run: String,
        /// The beat that is answered.
        beat: u64,
        /// Which process of a controller says it.
        epoch: u64,
        /// When the beat was heard, on the controller's clock.
        heard_ns: i64,
        /// When this was said.
        said_ns: i64,
    },
    /// Make everything ready for this plan.
    Prepare {
        run: String,
        /// SHA-256 of the plan.
        plan_sha256: String,
        plan_toml: String,
    },
    /// What the trial is that it asks for.
    Trial {
        run: String,
        /// Its load point, from 0.
        point: u16,
        /// This agent's share; 0 where it has nothing to do in it.
        scale: u32,
        /// For as long as an answer must hold on.
        confirms: bool,
    },
    /// No trial is made any more, instead of the one that it asks for.
    Enough {
        run: String,
        /// Its load point, from 0.
        point: u16,
    },
    /// Begin a load point.
    Start {
        run: String,
        /// From 0.
        point: u16,
        /// Whose clock it is.
        epoch: u64,
        /// When, on the controller's clock.
        at_ns: i64,
    },
    /// End, and keep what was measured.
    Stop { run: String },
    /// Say which files there are.
    Files { run: String },
    /// Send a piece of a file.
    Piece {
        run: String,
        /// Its name in the run directory.
        file: String,
        offset: u64,
        /// So many bytes; [`PIECE_BYTES`] at most.
        len: u32,
    },
    /// Every file has arrived whole: they need not be kept.
    Kept { run: String },
}

impl Order {
    /// The run that it is about.
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

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    Beat(Box<Beat>),
    /// How a load point goes.
    Live {
        run: String,
        live: Box<LiveSaid>,
    },
    /// Which files a run left.
    Files {
        run: String,
        files: Vec<FileThere>,
    },
    /// The files that a run left cannot be read. The first version did not say so.
    NoFiles {
        run: String,
        why: String,
    },
    /// It opened none of the controller's orders, and never will.
    Closed {
        why: String,
    },
    /// A piece of a file. Its bytes come beside it.
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
    /// Of all its bytes.
    pub sha256: String,
}

/// How an agent stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// Which process of the agent says it: a larger number after each start.
    pub session: u64,
    pub beat: u64,
    pub version: String,
    /// Of what it understands: [`PROTOCOL`]. The first version did not say so.
    #[serde(default = "first_protocol")]
    pub protocol: u32,
    /// How long it goes on loading without being heard, in milliseconds.
    #[serde(default)]
    pub lease_ms: u64,
    /// Its wall clock against the controller's, if that is known. For people alone.
    pub clock: Option<ClockOffset>,
    /// The runs that it knows: the one that goes on, and those whose files were not fetched.
    pub runs: Vec<RunState>,
}

fn first_protocol() -> u32 {
    1
}

/// One clock against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// How far the agent's is ahead.
    pub offset_ns: i64,
    /// It is no farther off than this.
    pub uncertainty_ns: i64,
}

/// How a run stands on an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunState {
    pub run: String,
    /// SHA-256 of its plan, as it lies on the agent's disk.
    pub plan_sha256: String,
    pub phase: Phase,
    /// Its times against the controller's.
    #[serde(default)]
    pub times: RunTimes,
    /// How many load points had their whole time.
    pub points_complete: u16,
    /// How its latest trial went, in a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedTrial>,
}

/// When things happened in a run, on the monotonic clock of its agent's machine, and how that stands to the
/// controller's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTimes {
    /// Time 0 of its log. `None` before it has begun, and where it never did.
    pub zero_ns: Option<i64>,
    /// Load points that have begun.
    pub starts: Vec<PointStart>,
    /// The machine's clock when the first load point began, or as soon as it was known.
    pub clock_before: Option<ClockOffset>,
    /// The same when the run was heard of last.
    pub clock_after: Option<ClockOffset>,
    /// When it ended; `None` while it goes on, and where nobody saw it end.
    pub over_ns: Option<i64>,
    /// The wall clock was set meanwhile.
    pub clock_steps: Vec<ClockStep>,
}

/// The beginning of a load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointStart {
    /// From 0.
    pub point: u16,
    pub begun_ns: i64,
    /// The machine's clock then: as well as it is known by all answers that came so far.
    pub clock: Option<ClockOffset>,
}

/// A wall clock that was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockStep {
    /// When, on the machine's monotonic clock.
    pub at_ns: i64,
    /// By so much; negative: back.
    pub by_ns: i64,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Phase {
    /// It makes its files.
    Preparing,
    /// It waits to be told what its next trial is, in a search.
    Asks(AskedTrial),
    /// It waits to be told when this load point begins.
    Ready {
        /// From 0.
        point: u16,
    },
    /// It was told when this load point begins.
    Starting {
        /// From 0.
        point: u16,
        /// When, on the controller's clock. The first version did not say so.
        #[serde(default)]
        at_ns: i64,
    },
    /// This load point goes on.
    Measuring {
        /// From 0.
        point: u16,
    },
    /// It samples counters, and loads nothing.
    Observing,
    Over {
        /// Its exit code; `None` where nobody was left to hear it.
        code: Option<u8>,
        /// Why it did not complete.
        reason: Option<String>,
    },
    /// It was never begun here.
    Refused { why: String },
}

impl Phase {
    /// Whether it does something to the storage, or soon will. Nobody observes without a controller, either.
    pub fn is_load(&self) -> bool {
        matches!(self, Phase::Preparing | Phase::Starting { .. } | Phase::Measuring { .. } | Phase::Observing)
    }

    /// Whether its process has ended, or never was.
    pub fn is_over(&self) -> bool {
        matches!(self, Phase::Over { .. } | Phase::Refused { .. })
    }
}
