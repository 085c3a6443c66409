//! The timeline of a stream: when each frame is needed.
//!
//! It never shifts. Every deadline is computed from the frame's number alone, with integers, so that the
//! last frame of a week has the same error as the first: less than a nanosecond.

use serde::{Deserialize, Serialize};

const NS_PER_S: u128 = 1_000_000_000;

/// When the frames of one stream are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameTimeline {
    /// Frames in [`FrameTimeline::rate_den`] seconds: 25, or 60000 for 59.94 frames/s.
    pub rate_num: u32,
    /// 1, or 1001 for the NTSC family.
    pub rate_den: u32,
    /// When frame 0 would be needed without any buffer, on the run's clock.
    pub t0_ns: u64,
    /// How long the stream may lag: the play-out or recording buffer.
    pub prebuffer_ns: u64,
}

impl FrameTimeline {
    /// When frame 0 is needed.
    fn start_ns(&self) -> u64 {
        // A time beyond the clock's range means never, here and below.
        self.t0_ns.saturating_add(self.prebuffer_ns)
    }

    /// The deadline of a frame: t0 + prebuffer + frame × den ÷ num seconds, rounded down to a
    /// nanosecond. `done > deadline` on whole nanoseconds is therefore exact. [`u64::MAX`] if it is
    /// beyond that, and for a rate of 0.
    pub fn deadline_ns(&self, frame: u64) -> u64 {
        // See `start_ns`.
        self.start_ns().saturating_add(self.frames_last_ns(frame))
    }

    /// How long this many frames last, rounded down to a nanosecond.
    pub fn frames_last_ns(&self, frames: u64) -> u64 {
        let scaled = u128::from(frames) * u128::from(self.rate_den) * NS_PER_S;
        match scaled.checked_div(u128::from(self.rate_num)) {
            Some(ns) => u64::try_from(ns).unwrap_or(u64::MAX),
            None => u64::MAX,
        }
    }

    /// How many frames have a deadline before this time; also the number of the first that has not.
    pub fn frames_before(&self, time_ns: u64) -> u64 {
        let Some(elapsed_ns) = time_ns.checked_sub(self.start_ns()) else {
            return 0;
        };
        // floor(i × den × 10^9 ÷ num) < e  <=>  i × den × 10^9 < e × num
        let scaled = u128::from(elapsed_ns) * u128::from(self.rate_num);
        let per_frame = u128::from(self.rate_den) * NS_PER_S;
        if per_frame == 0 {
            return u64::MAX;
        }
        u64::try_from(scaled.div_ceil(per_frame)).unwrap_or(u64::MAX)
    }

    pub fn frames_per_s(&self) -> f64 {
        f64::from(self.rate_num) / f64::from(self.rate_den)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY_S: u64 = 24 * 3600;

    fn timeline(rate_num: u32, rate_den: u32) -> FrameTimeline {
        FrameTimeline { rate_num, rate_den, t0_ns: 0, prebuffer_ns: 0 }
    }

    #[test]
    fn a_day_of_59_94_does_not_drift() {
        let ntsc = timeline(60_000, 1001);
        // 86 400 s × 60000 ÷ 1001 = 5 178 821.178…, so the frames 0 to 5 178 821 are needed before its end.
        let frames = ntsc.frames_before(DAY_S * 1_000_000_000);
        assert_eq!(frames, 5_178_822);
        assert_eq!(frames, (DAY_S * 60_000).div_ceil(1001));
        // 60 000 frames last exactly 1001 s, any number of times.
        for thousand_seconds in [1_u64, 86, 1_000_000] {
            let deadline_ns = ntsc.deadline_ns(60_000 * thousand_seconds);
            assert_eq!(deadline_ns, 1001 * thousand_seconds * 1_000_000_000);
        }
        // By hand: 5 178 821 × 1001 ÷ 60000 = 86 399.997016666… s.
        let last_ns = ntsc.deadline_ns(5_178_821);
        assert_eq!(last_ns, 86_399_997_016_666);
        // Adding up 16 683 333 ns for each frame would be wrong by 1.7 ms here.
        assert_eq!(last_ns - 5_178_821 * 16_683_333, 1_726_273);
    }

    #[test]
    fn t0_and_prebuffer_shift_every_deadline() {
        let late = FrameTimeline { t0_ns: 7, prebuffer_ns: 1_000, ..timeline(25, 1) };
        assert_eq!(late.deadline_ns(0), 1_007);
        assert_eq!(late.deadline_ns(3), 120_001_007);
        assert_eq!(late.frames_before(1_007), 0);
        assert_eq!(late.frames_before(1_008), 1);
        assert_eq!(late.frames_before(120_001_007), 3);
        assert_eq!(late.frames_before(120_001_008), 4);
    }

    #[test]
    fn absurd_rates_and_times_do_not_panic() {
        assert_eq!(timeline(0, 1).deadline_ns(1), u64::MAX);
        assert_eq!(timeline(0, 0).deadline_ns(0), u64::MAX);
        assert_eq!(timeline(25, 0).deadline_ns(9), 0);
        assert_eq!(timeline(25, 0).frames_before(1), u64::MAX);
        assert_eq!(timeline(1, u32::MAX).deadline_ns(u64::MAX), u64::MAX);
        assert_eq!(timeline(0, 1).frames_before(u64::MAX), 0);
        assert_eq!(timeline(u32::MAX, 1).frames_before(u64::MAX), u64::MAX);
    }

    proptest! {
        /// Both functions agree: a frame counts as before a time exactly if its deadline is earlier.
        #[test]
        fn counting_and_deadlines_agree(
            rate_num in 1_u32..200_000,
            rate_den in 1_u32..2_000,
            t0_ns in 0_u64..1 << 50,
            prebuffer_ns in 0_u64..1 << 40,
            frame in 0_u64..1 << 32,
        ) {
            let timeline = FrameTimeline { rate_num, rate_den, t0_ns, prebuffer_ns };
            let deadline_ns = timeline.deadline_ns(frame);
            prop_assume!(deadline_ns < u64::MAX);
            prop_assert!(timeline.frames_before(deadline_ns) <= frame);
            prop_assert!(timeline.frames_before(deadline_ns + 1) > frame);
        }
    }
}
