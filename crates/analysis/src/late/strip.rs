//! A stream's frames over time, as a chart shows them: how close they came and how many were late, bin by
//! bin, and how much of their time they had left.
//!
//! Taken from the same judging as the figures, so both count the same frames. A frame counts where its
//! deadline lies. Not here: what is done with the strips of many streams ([`crate::detail`]).

use std::ops::Range;

use super::StreamSpec;
use super::timeline::FrameTimeline;
use crate::trace_stats::over_time::TimeBins;

/// Headroom is counted from here on; the first bin also holds everything below.
pub(crate) const HEADROOM_FROM_PERCENT: i64 = -100;
/// Width of a bin of headroom.
pub(crate) const HEADROOM_STEP_PERCENT: i64 = 5;
/// The last bin holds 100 % and more: frames that were fetched ahead of their own time.
pub(crate) const HEADROOM_BINS: usize = 41;

/// What is kept of one stream.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    time: TimeBins,
    /// Buffer and one frame: the time that a frame may take.
    allowance_ns: u64,
    /// Smallest margin of the frames that came; [`i64::MAX`] where none did.
    pub(crate) min_margin_ns: Vec<i64>,
    /// Late frames.
    pub(crate) late_frames: Vec<u64>,
    /// Frames that came, by headroom.
    pub(crate) headroom: [u64; HEADROOM_BINS],
    /// Frames that never came.
    pub(crate) never: u64,
}

impl Strip {
    /// An empty strip of the stream over these bins.
    pub(super) fn new(spec: &StreamSpec, time: TimeBins) -> Strip {
        Strip {
            time,
            allowance_ns: spec.prebuffer_ns.saturating_add(spec.timeline(0).frames_last_ns(1)).max(1),
            min_margin_ns: vec![i64::MAX; time.count],
            late_frames: vec![0; time.count],
            headroom: [0; HEADROOM_BINS],
            never: 0,
        }
    }

    /// A frame came, so long before its deadline.
    pub(super) fn came(&mut self, deadline_ns: u64, margin_ns: i128) {
        let margin_ns = i64::try_from(margin_ns).unwrap_or(i64::MIN).min(i64::MAX - 1);
        let bin = self.time.bin(deadline_ns);
        self.min_margin_ns[bin] = self.min_margin_ns[bin].min(margin_ns);
        self.late_frames[bin] += u64::from(margin_ns < 0);
        let percent = i128::from(margin_ns) * 100;
        let steps = percent.div_euclid(i128::from(self.allowance_ns) * i128::from(HEADROOM_STEP_PERCENT));
        let first = i128::from(HEADROOM_FROM_PERCENT / HEADROOM_STEP_PERCENT);
        let bin = (steps - first).clamp(0, HEADROOM_BINS as i128 - 1);
        self.headroom[bin as usize] += 1;
    }

    /// These frames never came. All have their deadlines in the judged part.
    pub(super) fn never_came(&mut self, frames: Range<u64>, timeline: &FrameTimeline) {
        self.never += frames.end.saturating_sub(frames.start);
        let mut first = frames.start;
        while first < frames.end {
            let bin = self.time.bin(timeline.deadline_ns(first));
            let until = match self.time.end_ns(bin) {
                // The last bin holds whatever lies behind it.
                _ if bin + 1 == self.time.count => frames.end,
                end_ns => timeline.frames_before(end_ns).clamp(first + 1, frames.end),
            };
            self.late_frames[bin] += until - first;
            first = until;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::late::test_streams::player;

    const MS: u64 = 1_000_000;

    /// 25 frames/s and a buffer of 60 ms: an allowance of 100 ms.
    fn strip(time: TimeBins) -> (Strip, FrameTimeline) {
        let spec = player(0).with_buffer_ns(60 * MS);
        (Strip::new(&spec, time), spec.timeline(0))
    }

    #[test]
    fn frames_count_where_their_deadlines_lie() {
        let (mut strip, timeline) = strip(TimeBins { from_ns: 0, width_ns: 1_000 * MS, count: 3 });
        strip.came(999 * MS, 30 * 1_000_000);
        strip.came(1_000 * MS, -1);
        strip.came(1_040 * MS, 7);
        // Deadlines at 60 + 40 n ms: 24 of them lie before 1 s, 25 in each second after it.
        strip.never_came(10..60, &timeline);
        assert_eq!(strip.late_frames, [14, 1 + 25, 11]);
        assert_eq!(strip.min_margin_ns, [30_000_000, -1, i64::MAX]);
        assert_eq!(strip.never, 50);
    }

    #[test]
    fn headroom_is_the_share_of_buffer_and_one_frame() {
        let (mut strip, _) = strip(TimeBins { from_ns: 0, width_ns: MS, count: 1 });
        let percents = [-500, -100, -96, -95, -1, 0, 4, 5, 99, 100, 250];
        for percent in percents {
            strip.came(5, percent * 1_000_000);
        }
        let filled: Vec<(usize, u64)> =
            strip.headroom.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
        assert_eq!(filled, [(0, 3), (1, 1), (19, 1), (20, 2), (21, 1), (39, 1), (40, 2)]);
    }

    #[test]
    fn countless_frames_take_no_time() {
        let (mut strip, timeline) = strip(TimeBins { from_ns: 0, width_ns: 1_000 * MS, count: 4 });
        strip.never_came(0..1 << 60, &timeline);
        assert_eq!(strip.late_frames.iter().sum::<u64>(), 1 << 60);
        strip.came(u64::MAX, i128::MIN);
        assert_eq!(strip.headroom[0], 1);
    }
}
