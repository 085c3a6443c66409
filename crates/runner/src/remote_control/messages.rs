//! The messages between a remotely controlled run and its controlling process. A line of JSON each;
//! unknown messages are ignored, so that a newer side may send more.

use reelgauge_analysis::ResponseCounts;
use reelgauge_analysis::facts::StoppedBy;
use serde::{Deserialize, Serialize};

/// An order to the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum RemoteOrder {
    /// Begin this load point at this time. If it is repeated with a later time before its threads
    /// prepare, the start is postponed; for another load point it has no effect.
    Start {
        /// Its number, from 0.
        point: u16,
        /// The time on the host's monotonic clock, which is never set.
        at_machine_ns: i64,
    },
    /// The trial that the run requested. Repeated, or for another load point, it has no effect.
    Trial {
        /// The number of its load point, from 0.
        point: u16,
        /// This host's share; 0 if it has nothing to do in it.
        scale: u32,
        /// Whether it lasts as long as an answer must be sustained.
        confirms: bool,
    },
    /// The search is over: there is no trial for this load point.
    Enough {
        /// The number of its load point, from 0.
        point: u16,
    },
    /// The load may continue for this long from now.
    Hold {
        for_ms: u64,
        /// How long the controller has been silent already.
        #[serde(default)]
        silent_ms: u64,
    },
    /// End, and keep the measurements.
    Stop,
    /// Stop, because the controller was silent for this long.
    Lapse { silent_ms: u64 },
}

/// A message of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum RemoteReport {
    Hello {
        version: String,
        /// SHA-256 of the plan's file.
        plan_sha256: String,
    },
    /// The directory for its results exists.
    Begun { run_dir: String },
    /// Its clock has begun: all times in its log are readings of it.
    Clock {
        /// Its time 0, on the host's monotonic clock.
        zero_machine_ns: i64,
    },
    /// A phase begins: preparing, measuring, verifying, …
    Phase { name: String },
    /// The progress of the test files.
    Prepared {
        /// Bytes that exist.
        done_bytes: u64,
        total_bytes: u64,
    },
    /// A trial is ready, and the run waits for it.
    Asks(RequestedTrial),
    /// The result of a trial.
    Judged(JudgedTrial),
    /// A load point is ready.
    Ready(ReadyPoint),
    /// A start was not obeyed.
    Refused { point: u16, why: StartRefusal },
    /// A load point began.
    Started {
        /// Its number, from 0.
        point: u16,
        /// How much later it began than ordered.
        skew_ns: i64,
        /// The time on the host's monotonic clock.
        begun_machine_ns: i64,
    },
    /// Once a second during a load point, and at its end.
    Live(LiveReport),
    /// A load point is over.
    PointOver {
        /// Its number, from 0.
        point: u16,
        /// Whether it was complete.
        is_complete: bool,
    },
    /// The run is over; this is the last message.
    Done {
        /// The program's exit status.
        code: u8,
        /// Its directory, if it has begun.
        run_dir: Option<String>,
        /// Why it did not complete.
        reason: Option<String>,
    },
}

/// A trial that is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedTrial {
    /// The number of its load point, from 0.
    pub point: u16,
    /// The largest scale that this host can try.
    pub most: u32,
    /// The largest scale that it can hold for as long as an answer must be sustained.
    pub most_confirmed: u32,
    /// The reason why it can try no more.
    pub limited_by: StoppedBy,
}

/// The result of a trial on one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedTrial {
    /// The number of its load point, from 0.
    pub point: u16,
    /// Whether its criteria were met.
    pub passed: bool,
    /// Whether this host, and not the storage, was the limit. Only relevant if it failed.
    pub limited_by_client: bool,
}

/// A load point that is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyPoint {
    /// Its number, from 0.
    pub point: u16,
    /// Its label on screens.
    pub label: String,
    /// The number of its workers.
    pub workers: u32,
    /// Excluded from the figures.
    pub warmup_ns: u64,
    pub measured_ns: u64,
}

/// Why a start was not obeyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StartRefusal {
    /// Its time had passed.
    Late { by_ns: i64 },
    /// Its time is so far in the future that a clock must be wrong.
    FarAhead { by_ns: i64 },
}

/// The progress of a load point. Counts are totals since it began, without the warm-up, so that a lost
/// line loses nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveReport {
    /// Its number, from 0.
    pub point: u16,
    /// Since it began, warm-up included.
    pub elapsed_ms: u64,
    /// The part of it that counts.
    #[serde(default)]
    pub measured_ms: u64,
    /// Whether that was all warm-up.
    pub is_warming_up: bool,
    /// In the last second, also during the warm-up.
    pub read_bytes_per_s: f64,
    /// In the last second, also during the warm-up.
    pub write_bytes_per_s: f64,
    /// Operations.
    pub ops: u64,
    pub failed_ops: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Late frames by the clock; `None` without frames.
    pub late_frames: Option<u64>,
    /// How long the storage has not answered; `None` if it answers.
    pub no_answer_ms: Option<u64>,
    /// The label of the load point.
    #[serde(default)]
    pub label: String,
    /// The warm-up part of its time.
    #[serde(default)]
    pub warmup_ms: u64,
    /// Its planned length, warm-up included.
    #[serde(default)]
    pub total_ms: Option<u64>,
    /// The age of the oldest operation in flight; `None` if none is.
    #[serde(default)]
    pub longest_in_flight_ms: Option<u64>,
    /// The smallest margin of all streams since the last message; `None` if nothing was due.
    #[serde(default)]
    pub margin_ms: Option<i64>,
    /// The worst few streams, the worst first.
    #[serde(default)]
    pub streams: Vec<StreamReport>,
    /// Response times of reads and writes.
    pub response_counts: ResponseCounts,
    /// Whether this is the last message on this load point.
    pub is_over: bool,
}

/// The state of one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamReport {
    /// Its number on its host.
    pub stream: u32,
    /// Late frames in this load point.
    pub late_frames: u64,
    /// The smallest margin since the last message; `None` if nothing of it was due.
    pub margin_ms: Option<i64>,
    /// How long it may lag.
    pub buffer_ms: u64,
}
