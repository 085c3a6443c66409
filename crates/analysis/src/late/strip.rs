//! A stream over time, as a chart shows it: its margin by the clock and its late frames in each bin, and
//! the share of their available time that frames had left.
//!
//! The margin by the clock is the time until the deadline of the frame after the last one that arrived.
//! It shrinks while nothing arrives, is below 0 while a frame is overdue, and grows with each frame. The
//! live view shows the same quantity ([`super::live`]); both take it from `Counting::next_deadline_ns`.
//!
//! Frames are judged in the same way as for the figures, in the bins of their deadlines. Not here:
//! combining the strips of many streams ([`crate::detail`]).

use std::ops::Range;

use super::StreamSpec;
use super::live::between_ns;
use super::timeline::FrameTimeline;
use crate::trace_stats::over_time::TimeBins;

/// Headroom is counted from here on; the first bin also holds everything below.
pub(crate) const HEADROOM_FROM_PERCENT: i64 = -100;
/// Width of a bin of headroom.
pub(crate) const HEADROOM_STEP_PERCENT: i64 = 5;
/// The last bin holds 100 % and more: frames that were fetched ahead of their time.
pub(crate) const HEADROOM_BINS: usize = 41;

/// The strip of one stream.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    time: TimeBins,
    /// Buffer and one frame: the time that a frame may take.
    allowance_ns: u64,
    /// Until when the margin is recorded in the bins.
    clock_ns: u64,
    /// Smallest margin by the clock; [`i64::MAX`] if no frame was expected.
    pub(crate) min_margin_ns: Vec<i64>,
    pub(crate) late_frames: Vec<u64>,
    /// Frames that arrived, by headroom.
    pub(crate) headroom: [u64; HEADROOM_BINS],
    /// Frames that never arrived.
    pub(crate) never: u64,
}

impl Strip {
    /// An empty strip over these bins, of the stream that begins at `t0_ns`.
    pub(super) fn new(spec: &StreamSpec, time: TimeBins, t0_ns: u64) -> Strip {
        Strip {
            time,
            clock_ns: t0_ns.max(time.from_ns),
            // A rate of 0, in a damaged table, gives a frame unlimited time.
            allowance_ns: spec.prebuffer_ns.saturating_add(spec.timeline(0).frames_last_ns(1)).max(1),
            min_margin_ns: vec![i64::MAX; time.count],
            late_frames: vec![0; time.count],
            headroom: [0; HEADROOM_BINS],
            never: 0,
        }
    }

    /// Advances the clock to `until_ns`. All this time the next frame was the one with the deadline
    /// `needed_ns`; `None` if none was expected.
    pub(super) fn clock(&mut self, until_ns: u64, needed_ns: Option<u64>) {
        let from_ns = self.clock_ns;
        let until_ns = until_ns.min(self.time.end_ns(self.time.count - 1));
        if until_ns <= from_ns {
            return;
        }
        self.clock_ns = until_ns;
        let Some(needed_ns) = needed_ns else { return };
        for bin in self.time.bin(from_ns)..=self.time.bin(until_ns - 1) {
            let at_ns = until_ns.min(self.time.end_ns(bin));
            let margin_ns = between_ns(at_ns, needed_ns).min(i64::MAX - 1);
            self.min_margin_ns[bin] = self.min_margin_ns[bin].min(margin_ns);
        }
    }

    /// Records a frame that arrived with this margin.
    pub(super) fn came(&mut self, deadline_ns: u64, margin_ns: i128) {
        let beyond = if margin_ns < 0 { i64::MIN } else { i64::MAX };
        let margin_ns = i64::try_from(margin_ns).unwrap_or(beyond).min(i64::MAX - 1);
        let bin = self.time.bin(deadline_ns);
        self.late_frames[bin] += u64::from(margin_ns < 0);
        let percent = i128::from(margin_ns) * 100;
        let steps = percent.div_euclid(i128::from(self.allowance_ns) * i128::from(HEADROOM_STEP_PERCENT));
        let first = i128::from(HEADROOM_FROM_PERCENT / HEADROOM_STEP_PERCENT);
        let bin = (steps - first).clamp(0, HEADROOM_BINS as i128 - 1);
        self.headroom[bin as usize] += 1;
    }

    /// Records frames that never arrived. All have their deadlines in the judged part.
    pub(super) fn never_came(&mut self, frames: Range<u64>, timeline: &FrameTimeline) {
        self.never += frames.end - frames.start;
        let mut first = frames.start;
        while first < frames.end {
            let bin = self.time.bin(timeline.deadline_ns(first));
            let until = match self.time.end_ns(bin) {
                // The last bin holds everything after it.
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
        (Strip::new(&spec, time, 0), spec.timeline(0))
    }

    #[test]
    fn frames_count_where_their_deadlines_lie() {
        let (mut strip, timeline) = strip(TimeBins { from_ns: 0, width_ns: 1_000 * MS, count: 3 });
        strip.came(999 * MS, 30 * 1_000_000);
        strip.came(1_000 * MS, -1);
        strip.came(1_040 * MS, 7);
        // Deadlines at 60 + 40 n ms: 24 of them are before 1 s, 25 in each second after it.
        strip.never_came(10..60, &timeline);
        assert_eq!(strip.late_frames, [14, 1 + 25, 11]);
        assert_eq!(strip.never, 50);
    }

    #[test]
    fn the_margin_falls_with_the_clock_until_a_frame_comes() {
        let second = 1_000 * MS;
        let (mut strip, _) = strip(TimeBins { from_ns: 2 * second, width_ns: second, count: 5 });
        // Before the bins, in one of them, over three of them, and a period in which no frame is
        // expected.
        strip.clock(second, Some(2 * second));
        strip.clock(2 * second + 300 * MS, Some(3 * second));
        strip.clock(5 * second + 100 * MS, Some(3 * second + 500 * MS));
        strip.clock(6 * second, None);
        strip.clock(u64::MAX, Some(8 * second));
        let ms = strip.min_margin_ns.iter().map(|ns| (*ns < i64::MAX).then_some(ns / MS as i64));
        assert_eq!(ms.collect::<Vec<_>>(), [Some(500), Some(-500), Some(-1_500), Some(-1_600), Some(1_000)]);
        // Times in the wrong order do not turn the clock back.
        let before = strip.min_margin_ns.clone();
        strip.clock(3 * second, Some(0));
        assert_eq!(strip.min_margin_ns, before);
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

    #[test]
    fn a_frame_with_all_of_time_left_is_not_late() {
        let (mut strip, _) = strip(TimeBins { from_ns: 0, width_ns: MS, count: 1 });
        strip.came(u64::MAX, i128::from(u64::MAX));
        assert_eq!((strip.late_frames[0], strip.headroom[HEADROOM_BINS - 1]), (0, 1));
    }
}
