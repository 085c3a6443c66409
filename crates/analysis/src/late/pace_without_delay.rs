//! Whether a stream's storage could have kept its pace without any scheduling delay of Reelgauge.
//!
//! On the timeline without this delay, a buffer hides storage that is too slow until it is empty. If
//! frames come one after the other, and even the fastest of them took longer than a frame may take, the
//! storage could not have delivered them in time. The delay only made them late earlier.

use super::frames::Frame;

/// With fewer frames, the fastest one is no evidence.
const FRAMES_MIN: u64 = 10;

/// The times of frames on the timeline without scheduling delay of Reelgauge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnPace {
    frames: u64,
    fastest_ns: Option<u64>,
    last_done_ns: u64,
    overlap: bool,
}

impl OwnPace {
    /// Takes a complete frame; in the order of their numbers.
    pub(super) fn take(&mut self, frame: &Frame) {
        let done_ns = frame.own_done.unlimited;
        let began_ns = frame.own_free.unlimited.max(frame.due_ns).min(done_ns);
        let took_ns = done_ns - began_ns;
        self.overlap |= began_ns < self.last_done_ns;
        self.last_done_ns = self.last_done_ns.max(done_ns);
        self.fastest_ns = Some(self.fastest_ns.map_or(took_ns, |fastest_ns| fastest_ns.min(took_ns)));
        self.frames += 1;
    }

    /// Whether no frame could have arrived within the duration of one. Frames that overlap may take
    /// longer.
    pub(super) fn is_too_slow(&self, frame_ns: u64) -> bool {
        let is_known = !self.overlap && self.frames >= FRAMES_MIN;
        is_known && self.fastest_ns.is_some_and(|fastest_ns| fastest_ns > frame_ns)
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::OpRecord;
    use reelgauge_record::test_records::read;

    use crate::late::test_streams::player;
    use crate::late::{LateTally, MeasuredPart};

    const MS: u64 = 1_000_000;

    /// Frames of 24 per second that take this long each, with this much scheduling delay before each.
    fn late_frames(took_us: u64, own_ms: u64) -> (u64, u64) {
        let mut free_ns = 0;
        let ops: Vec<OpRecord> = (0..100_u32)
            .map(|number| {
                let due_ns = u64::from(number) * 41_666_667;
                let issued_ns = due_ns.max(free_ns) + own_ms * MS;
                free_ns = issued_ns + took_us * 1_000;
                let op = read(0, 0, 100).frame(number).at_ns(issued_ns).due_at_ns(due_ns);
                op.done_at_ns(free_ns)
            })
            .collect();
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: free_ns };
        let spec = player(0).at_rate(24, 1).with_buffer_ns(1_000 * MS);
        let mut tally = LateTally::new(vec![spec], part);
        ops.iter().for_each(|op| tally.add(op));
        let total = tally.finish(free_ns).total;
        (total.late_frames, total.late_frames_with_own_delay)
    }

    #[test]
    fn frames_that_storage_could_not_deliver_in_time_are_not_late_through_own_delay() {
        let (late, own) = late_frames(52_600, 30);
        assert!(late > 50, "{late}");
        assert_eq!(own, 0);
        // Frames that could have arrived in time count as in time.
        let (late, own) = late_frames(20_000, 60);
        assert!(late > 50 && own == late, "{own} of {late}");
    }
}
