//! The timeline of a stream: when a frame may be requested, its deadline, and the next frame. Pure
//! arithmetic on exact frame rates, shared by all actors with frames. Also the timeline of a process
//! with a rate in operations per second.
//!
//! Neither ever shifts. The deadline of frame i is `t0 + prebuffer + i ÷ rate`, whatever happened
//! before.

use reelgauge_formats::FrameRate;
pub use reelgauge_formats::Policy;

/// How many frames a player requests at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum ReadAhead {
    /// One frame at a time
    ///
    /// What most applications on network file systems do.
    Closed,
    /// All frames that fit into the buffer at once
    Open,
}

/// The rate and the buffer of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Frames per second.
    pub rate: FrameRate,
    /// The number of frames in the buffer; at least 1. The prebuffer is their duration.
    pub buffer_frames: u32,
    /// The handling of frames that are too late to be requested.
    pub policy: Policy,
}

impl Pace {
    /// The duration of a full buffer: how far the stream may lag before a frame is late.
    pub fn prebuffer_ns(&self) -> u64 {
        self.rate.frame_due_ns(u64::from(self.buffer_frames))
    }

    /// The deadline of a frame.
    pub fn deadline_ns(&self, t0_ns: u64, frame: u64) -> u64 {
        t0_ns.saturating_add(self.prebuffer_ns()).saturating_add(self.rate.frame_due_ns(frame))
    }

    /// When a player may request a frame: the first buffer-full at once, each later frame when the frame
    /// that had its place has been shown.
    pub fn readable_ns(&self, t0_ns: u64, frame: u64) -> u64 {
        match frame.checked_sub(u64::from(self.buffer_frames)) {
            Some(shown) => self.deadline_ns(t0_ns, shown),
            None => t0_ns,
        }
    }

    /// When the camera has captured a frame, so that a recorder can write it.
    pub fn captured_ns(&self, t0_ns: u64, frame: u64) -> u64 {
        t0_ns.saturating_add(self.rate.frame_due_ns(frame))
    }

    /// The frame to request at `now_ns` if `next` is the next one: itself, or under [`Policy::Drop`] the
    /// first frame whose deadline has not passed.
    pub fn next_frame(&self, t0_ns: u64, next: u64, now_ns: u64) -> u64 {
        if self.policy == Policy::Stall || self.deadline_ns(t0_ns, next) >= now_ns {
            return next;
        }
        let since_first_ns = now_ns - self.deadline_ns(t0_ns, 0);
        self.rate.frames_in(since_first_ns).max(next)
    }
}

/// Operations per second of a process without frames, exact to a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpRate {
    micro_ops_per_s: u64,
}

impl OpRate {
    /// This rate, rounded to a millionth. A rate that is not above 0 becomes the slowest possible one.
    pub fn new(ops_per_s: f64) -> OpRate {
        // A cast from a float saturates, and converts NaN to 0.
        OpRate { micro_ops_per_s: ((ops_per_s * 1e6).round() as u64).max(1) }
    }

    /// When a transfer (from 0) is due, in nanoseconds, rounded down from the exact time.
    pub fn due_ns(self, transfer: u64) -> u64 {
        let exact_ns = u128::from(transfer) * 1_000_000_000_000_000 / u128::from(self.micro_ops_per_s);
        u64::try_from(exact_ns).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn pace(rate: &str, buffer_frames: u32, policy: Policy) -> Pace {
        Pace { rate: rate.parse().unwrap(), buffer_frames, policy }
    }

    #[test]
    fn frame_times_of_a_day_at_59_94_are_exact() {
        let pace = pace("59.94", 60, Policy::Drop);
        // 24 h have 86,400 × 60000 ÷ 1001 frames; the last whole one is exact to the nanosecond.
        let frames = 86_400 * 60_000 / 1001;
        let exact_ns = u128::from(frames + 60) * 1001 * 1_000_000_000 / 60_000;
        let found_ns = u128::from(pace.deadline_ns(0, frames));
        // Prebuffer and frame are rounded down separately: an error of at most one nanosecond.
        assert!(exact_ns - found_ns <= 1, "{exact_ns} {found_ns}");
    }

    #[test]
    fn a_place_in_the_buffer_is_free_when_its_frame_was_shown() {
        let pace = pace("25", 5, Policy::Drop);
        assert_eq!(pace.prebuffer_ns(), 200_000_000);
        assert_eq!(pace.readable_ns(7, 4), 7);
        assert_eq!(pace.readable_ns(7, 5), 7 + 200_000_000);
        assert_eq!(pace.readable_ns(7, 6), 7 + 240_000_000);
        assert_eq!(pace.captured_ns(7, 6), 7 + 240_000_000);
    }

    #[test]
    fn rates_of_operations_are_exact_and_never_drift() {
        let nine = OpRate::new(9.0);
        // After a day the rounding error is still below a nanosecond.
        assert_eq!(
            (nine.due_ns(1), nine.due_ns(9), nine.due_ns(777_600)),
            (111_111_111, 1_000_000_000, 86_400_000_000_000)
        );
        assert_eq!(OpRate::new(0.1).due_ns(3), 30_000_000_000);
        for nonsense in [0.0, -1.0, f64::NAN] {
            assert_eq!(OpRate::new(nonsense).due_ns(1), 1_000_000_000_000_000);
        }
    }

    proptest! {
        #[test]
        fn skipping_lands_on_the_first_frame_that_can_still_be_in_time(
            rate in prop::sample::select(vec!["23.976", "24", "25", "29.97", "59.94", "60"]),
            buffer in 1_u32..200, next in 0_u64..10_000, now in 0_u64..1_000_000_000_000,
        ) {
            let drop = pace(rate, buffer, Policy::Drop);
            let frame = drop.next_frame(1000, next, now);
            prop_assert!(frame >= next && drop.deadline_ns(1000, frame) >= now);
            prop_assert!(frame == next || drop.deadline_ns(1000, frame - 1) < now);
            prop_assert_eq!(pace(rate, buffer, Policy::Stall).next_frame(1000, next, now), next);
        }
    }
}
