//! What a steered run and whoever steers it say to each other. A line of JSON each; unknown words are passed
//! over, so that a newer side may say more.

use reelgauge_analysis::ResponseCounts;
use reelgauge_analysis::facts::StoppedBy;
use serde::{Deserialize, Serialize};

/// What a steered run is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum SteerOrder {
    /// Begin this load point then. Said again with a later time, as long as its threads are not called, it is
    /// put off; of another load point it does nothing.
    Start {
        /// From 0.
        point: u16,
        /// On this machine's monotonic clock, which is never set.
        at_machine_ns: i64,
    },
    /// What the trial is that it asks for. Said again, or of another load point, it does nothing.
    Trial {
        /// Its load point, from 0.
        point: u16,
        /// This machine's share; 0 where it has nothing to do in it.
        scale: u32,
        /// For as long as an answer must hold on.
        confirms: bool,
    },
    /// No trial is made any more, instead of the one that it asks for.
    Enough {
        /// Its load point, from 0.
        point: u16,
    },
    /// The load may go on for so long from now.
    Hold {
        for_ms: u64,
        /// For how long the controller has not been heard already.
        #[serde(default)]
        silent_ms: u64,
    },
    /// End, and keep what was measured.
    Stop,
    /// The same, because the controller was not heard for so long.
    Lapse { silent_ms: u64 },
}

/// What a steered run says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum SteeredWord {
    Hello {
        version: String,
        /// SHA-256 of the plan's file.
        plan_sha256: String,
    },
    /// There is a place for its results.
    Begun { run_dir: String },
    /// Its clock has begun: every time in its log is one of that.
    Clock {
        /// Time 0 of it, on this machine's monotonic clock.
        zero_machine_ns: i64,
    },
    /// A phase begins: preparing, measuring, verifying, …
    Phase { name: String },
    /// So much of the test files is there.
    Prepared {
        /// Bytes that are there.
        done_bytes: u64,
        total_bytes: u64,
    },
    /// A trial could be made, and it waits to be told which.
    Asks(AskedTrial),
    /// How a trial went.
    Judged(JudgedTrial),
    /// A load point could begin.
    Ready(ReadyPoint),
    /// A start was not obeyed.
    Refused { point: u16, why: StartRefusal },
    /// A load point began.
    Started {
        /// From 0.
        point: u16,
        /// How much later than it was told to.
        skew_ns: i64,
        /// When, on this machine's monotonic clock.
        begun_machine_ns: i64,
    },
    /// Once a second while a load point goes on, and at its end.
    Live(LiveSaid),
    /// A load point is over.
    PointOver {
        /// From 0.
        point: u16,
        /// Whether nothing stopped it.
        is_complete: bool,
    },
    /// The run is over, and nothing is said any more.
    Done {
        /// As the program's exit code.
        code: u8,
        /// Where it lies, if it has begun.
        run_dir: Option<String>,
        /// Why it did not complete.
        reason: Option<String>,
    },
}

/// A trial that could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedTrial {
    /// Its load point, from 0.
    pub point: u16,
    /// The largest scale that this machine can try.
    pub most: u32,
    /// The largest that it can hold on with for as long as an answer must.
    pub most_confirmed: u32,
    /// What keeps it from more.
    pub limited_by: StoppedBy,
}

/// How a trial went on one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedTrial {
    /// Its load point, from 0.
    pub point: u16,
    /// Whether its criteria were met.
    pub passed: bool,
    /// Whether this machine, and not the storage, was the limit. Only matters where it did not pass.
    pub limited_by_client: bool,
}

/// A load point that could begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyPoint {
    /// From 0.
    pub point: u16,
    /// What screens call it.
    pub label: String,
    /// How many workers it has.
    pub workers: u32,
    /// Left out of the figures.
    pub warmup_ns: u64,
    pub measured_ns: u64,
}

/// Why a start was not obeyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StartRefusal {
    /// Its time was over.
    Late { by_ns: i64 },
    /// Its time is so far ahead that a clock must be wrong.
    FarAhead { by_ns: i64 },
}

/// How a load point goes. Counts are those since it began, without the warm-up, so that a lost line loses
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveSaid {
    /// From 0.
    pub point: u16,
    /// Since it began, warm-up included.
    pub elapsed_ms: u64,
    /// The part of it that counts.
    #[serde(default)]
    pub measured_ms: u64,
    /// Whether that was all warm-up.
    pub is_warming_up: bool,
    /// In the last second, also of the warm-up.
    pub read_bytes_per_s: f64,
    /// In the last second, also of the warm-up.
    pub write_bytes_per_s: f64,
    /// Operations.
    pub ops: u64,
    pub failed_ops: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Late frames by the clock; `None` where there are no frames.
    pub late_frames: Option<u64>,
    /// How long the storage has answered nothing; `None` where it answers.
    pub no_answer_ms: Option<u64>,
    /// What the load point is called.
    #[serde(default)]
    pub label: String,
    /// How much of its time is warm-up.
    #[serde(default)]
    pub warmup_ms: u64,
    /// How long it will take, warm-up included.
    #[serde(default)]
    pub total_ms: Option<u64>,
    /// How long the oldest operation in flight has been so; `None` where none is.
    #[serde(default)]
    pub longest_in_flight_ms: Option<u64>,
    /// The smallest margin of all streams since the word before; `None` where nothing was due.
    #[serde(default)]
    pub margin_ms: Option<i64>,
    /// The streams that stand worst, the worst first; a few.
    #[serde(default)]
    pub streams: Vec<StreamSaid>,
    /// Response times of reads and writes.
    pub response_counts: ResponseCounts,
    /// Nothing of this load point comes behind this.
    pub is_over: bool,
}

/// How one stream stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSaid {
    /// Its number on its machine.
    pub stream: u32,
    /// In this load point.
    pub late_frames: u64,
    /// The smallest since the word before; `None` where nothing of it was due.
    pub margin_ms: Option<i64>,
    /// How long it may lag.
    pub buffer_ms: u64,
}
