//! The state of a load point's streams while it runs. The clock shows that the storage is not responding
//! before any record can.
//!
//! A frame is late as soon as its deadline has passed and it has not arrived. Late frames are counted by
//! the rules of the report: at any time the count is the one that the report would have if the load
//! point ended then. If playback may stop, that is known only when the first read of a scrub has
//! completed. Until then, frames that are overdue by less than half a second are not counted. After that
//! they are counted, and the count drops again if it turns out that they were not wanted.
//!
//! Not here: the counting itself ([`super::LateTally`]), and the recipients.

use std::cmp::Reverse;

/// The state of a load point's streams at some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LateNow {
    /// The time, on the run's clock; at the latest the end of the measured part.
    pub at_ns: u64,
    /// Late frames of all streams.
    pub late_frames: u64,
    pub streams: Vec<StreamNow>,
}

/// The state of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamNow {
    pub stream: u32,
    pub late_frames: u64,
    /// Time from now until the deadline of the frame after the last one that arrived; negative if that
    /// is overdue. `None` for a stream that has not begun, is over, or whose playback has stopped.
    pub margin_ns: Option<i64>,
    /// How long it may lag.
    pub buffer_ns: u64,
}

impl LateNow {
    /// The smallest margin of all streams.
    pub fn margin_ns(&self) -> Option<i64> {
        self.streams.iter().filter_map(|stream| stream.margin_ns).min()
    }

    /// Keeps at most this many streams, the worst first: those with most late frames, then with the
    /// smallest margin.
    pub fn worst_first(mut self, most: usize) -> LateNow {
        let badness = |stream: &StreamNow| {
            (Reverse(stream.late_frames), stream.margin_ns.unwrap_or(i64::MAX), stream.stream)
        };
        self.streams.sort_by_key(badness);
        self.streams.truncate(most);
        self
    }
}

/// Time from one moment to another; negative if the other came first.
pub(super) fn between_ns(from_ns: u64, to_ns: u64) -> i64 {
    let ns = i128::from(to_ns) - i128::from(from_ns);
    i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_streams_are_first_and_the_rest_is_omitted() {
        let stream =
            |stream, late_frames, margin_ns| StreamNow { stream, late_frames, margin_ns, buffer_ns: 9 };
        let streams = vec![
            stream(0, 0, None),
            stream(1, 0, Some(5)),
            stream(2, 7, Some(4)),
            stream(3, 0, Some(-3)),
            stream(4, 7, Some(-9)),
        ];
        let now = LateNow { at_ns: 1, late_frames: 14, streams };
        assert_eq!(now.margin_ns(), Some(-9));
        let numbers = |now: LateNow| now.streams.iter().map(|stream| stream.stream).collect::<Vec<_>>();
        assert_eq!(numbers(now.clone().worst_first(9)), [4, 2, 3, 1, 0]);
        assert_eq!(numbers(now.worst_first(2)), [4, 2]);
        assert_eq!(LateNow::default().margin_ns(), None);
    }
}
