//! Why a criterion was not met: what a sentence about it needs, as data.

use reelgauge_record::OpKind;

use crate::late::{FirstLateFrame, MarginTrend, Policy, StreamFigures};
use crate::vda::{GlobalCheck, ProcessCheck, RateError, RatioCheck};

/// Why a criterion was not met, or is not known to be. What was allowed stands in [`super::Unmet::limit`].
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// No stream was measured.
    NoStream,
    /// A stream never began.
    NeverBegan(StreamName),
    /// No frame of a stream was to come in the measured part.
    NoFrameJudged(StreamName),
    /// A stream had late frames.
    LateFrames(LateStream),
    /// A stream's buffer time does not fit into the measured part.
    NoBufferThroughput { stream: StreamName, buffer_s: f64 },
    /// A stream got too little over its buffer time.
    BufferThroughput {
        stream: StreamName,
        /// What it got where that was least.
        least_bytes_per_s: f64,
        buffer_s: f64,
        /// From then on, since the start of the load point.
        began_in_point_s: f64,
    },
    /// All workers together moved too little in a second, or in as long as the log's steps are.
    SlowSecond {
        /// What they moved where that was least.
        least_bytes_per_s: f64,
        over_s: f64,
        /// From then on, since the start of the load point.
        began_in_point_s: f64,
    },
    /// The measured part has no whole second.
    NoWholeSecond,
    /// No frame of a stream came.
    NoFrameCame(StreamName),
    /// Frames of a stream took too long.
    SlowFrames {
        stream: StreamName,
        /// 99 of 100 took no longer.
        p99_us: f64,
    },
    /// No read or write succeeded.
    NoDataResponse,
    /// Reads and writes took too long.
    SlowResponses {
        /// 99 of 100 took no longer.
        p99_us: f64,
    },
    /// Too few frames of a stream, or reads and writes where none is named, to know how long 99 of 100 take.
    TooFewForP99 {
        stream: Option<StreamName>,
        /// How many there were.
        count: u64,
        /// The longest took so long.
        max_us: f64,
    },
    /// The same, and half of them took too long, so that 99 of 100 do.
    SlowHalf {
        stream: Option<StreamName>,
        /// How many there were.
        count: u64,
        /// Half of them took longer.
        p50_us: f64,
    },
    /// No operation was measured.
    NoOperation,
    /// Operations failed.
    FailedOps { failed_ops: u64, ops: u64, first: Option<FirstFailed> },
    /// Margins fall.
    FallingMargins(FallingMargins),
    /// There are no rates that could be judged.
    NoRates(RateError),
    /// A worker was too slow.
    WorkerRate(ProcessCheck),
    /// All workers together were too slow.
    GlobalRate(GlobalCheck),
    /// The component workloads did not keep their ratio.
    Ratio(RatioCheck),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamName {
    pub number: u32,
    /// What it is; may be empty.
    pub name: String,
}

impl StreamName {
    pub(super) fn of(stream: &StreamFigures) -> StreamName {
        StreamName { number: stream.stream, name: stream.name.clone() }
    }
}

/// A stream with late frames.
#[derive(Clone, Debug, PartialEq)]
pub struct LateStream {
    pub stream: StreamName,
    /// The number of its first late frame.
    pub first_frame: u64,
    /// When that was needed, since the start of the load point.
    pub deadline_in_point_s: f64,
    /// What became of it.
    pub fate: FrameFate,
    /// Whether the stream writes.
    pub writes: bool,
    /// Frames that were late.
    pub late_frames: u64,
    pub frames_judged: u64,
    /// How many were late without those that the tool's own delay explains.
    pub late_frames_without_own_delay: u64,
}

/// What became of a late frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameFate {
    Came {
        /// This much after its time.
        late_us: f64,
    },
    /// It was left out, because its time had passed before it was begun.
    Skipped,
    /// It was never begun.
    NeverBegun,
    /// An operation of it failed.
    Failed,
    /// It was never complete.
    Incomplete,
}

impl FrameFate {
    pub(super) fn of(first: &FirstLateFrame, policy: Policy) -> FrameFate {
        match (first.late_us, first.dropped, first.failed) {
            (Some(late_us), ..) => FrameFate::Came { late_us },
            (None, true, _) if policy == Policy::Drop => FrameFate::Skipped,
            (None, true, _) => FrameFate::NeverBegun,
            (None, false, true) => FrameFate::Failed,
            (None, false, false) => FrameFate::Incomplete,
        }
    }
}

/// The first operation that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstFailed {
    /// What it was to do.
    pub kind: OpKind,
    pub worker: u32,
    /// When it failed, since the start of the load point.
    pub at_in_point_s: f64,
    /// The system's words for its error; may be empty.
    pub message: String,
}

/// Margins that fall.
#[derive(Clone, Debug, PartialEq)]
pub struct FallingMargins {
    pub whose: WhoseMargin,
    pub trend: MarginTrend,
    /// At that pace, frames are late after this time.
    pub late_in_s: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhoseMargin {
    /// That of one stream.
    Stream(StreamName),
    /// Those of all streams.
    All {
        /// How many there are.
        streams: u64,
    },
}
