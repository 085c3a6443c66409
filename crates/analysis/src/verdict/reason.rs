//! Why a criterion was not met: the data for a sentence about it.

use reelgauge_record::OpKind;

use crate::late::{FirstLateFrame, MarginTrend, Policy, StreamFigures};
use crate::vda::{GlobalCheck, ProcessCheck, RateError, RatioCheck};

/// Why a criterion was not met, or is unknown. The limit is in [`super::Unmet::limit`].
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// No stream was measured.
    NoStream,
    /// A stream never began.
    NeverBegan(StreamName),
    /// No frame of a stream was due in the measured part.
    NoFrameJudged(StreamName),
    /// A stream had late frames.
    LateFrames(LateStream),
    /// A stream's buffer time does not fit into the measured part.
    NoBufferThroughput { stream: StreamName, buffer_s: f64 },
    /// The throughput of a stream over its buffer time was too low.
    BufferThroughput {
        stream: StreamName,
        /// The smallest throughput.
        least_bytes_per_s: f64,
        buffer_s: f64,
        /// The start of that period, since the start of the load point.
        began_in_point_s: f64,
    },
    /// The throughput of all workers in one second, or one step of the log, was too low.
    SlowSecond {
        /// The smallest throughput.
        least_bytes_per_s: f64,
        over_s: f64,
        /// The start of that period, since the start of the load point.
        began_in_point_s: f64,
    },
    /// The measured part has no whole second.
    NoWholeSecond,
    /// No frame of a stream arrived.
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
    /// There are too few frames of a stream, or too few reads and writes if no stream is named, for a
    /// 99th percentile.
    TooFewForP99 {
        stream: Option<StreamName>,
        /// How many there were.
        count: u64,
        /// The longest time.
        max_us: f64,
    },
    /// The same, but half of them took too long, so the 99th percentile does too.
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
    /// Margins shrink too fast.
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
    /// A description of the stream; may be empty.
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
    /// The deadline of that frame, since the start of the load point.
    pub deadline_in_point_s: f64,
    /// The final state of that frame.
    pub fate: FrameFate,
    /// Whether the stream writes.
    pub writes: bool,
    /// Frames that were late.
    pub late_frames: u64,
    pub frames_judged: u64,
    /// How many were late without those that Reelgauge's scheduling delay explains.
    pub late_frames_without_own_delay: u64,
}

/// The final state of a late frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameFate {
    Came {
        /// It arrived this long after its deadline.
        late_us: f64,
    },
    /// It was skipped, because its time had passed before it was begun.
    Skipped,
    /// It was never begun.
    NeverBegun,
    /// One of its operations failed.
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
    /// The kind of the operation.
    pub kind: OpKind,
    pub worker: u32,
    /// When it failed, since the start of the load point.
    pub at_in_point_s: f64,
    /// The system's message for its error; may be empty.
    pub message: String,
}

/// Margins that shrink.
#[derive(Clone, Debug, PartialEq)]
pub struct FallingMargins {
    pub whose: WhoseMargin,
    pub trend: MarginTrend,
    /// At that rate, frames are late after this time.
    pub late_in_s: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhoseMargin {
    /// The margin of one stream.
    Stream(StreamName),
    /// The margins of all streams.
    All {
        /// How many streams there are.
        streams: u64,
    },
}
