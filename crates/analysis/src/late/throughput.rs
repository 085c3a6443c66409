//! The smallest mean throughput over any period as long as the buffer: EBU Tech 3362, 9.2(7).
//!
//! The period slides continuously, not in steps. Its sum is smallest just after a frame has left it, so
//! only those times are checked, and the minimum is exact. A period includes its start and excludes its
//! end, and is entirely in the measured time.

use std::collections::VecDeque;

use super::figures::ThroughputFigures;
use crate::figures::{in_point_s, seconds};
use crate::rounding::round_to;

/// Frames in a period, at most. Beyond that, neighbours are combined, which can only make the minimum
/// smaller. No paced stream has nearly as many.
const MAX_FRAMES: usize = 1 << 14;

/// Slides the period over the frames of one stream.
#[derive(Clone, Debug)]
pub(super) struct SlidingMin {
    window_ns: u64,
    from_ns: u64,
    until_ns: u64,
    needed_bytes_per_s: Option<f64>,
    /// For each frame, in order: the first time without it, and its bytes.
    frames: VecDeque<(u64, u64)>,
    sum_bytes: u64,
    min: Option<(u64, u64)>,
    first_below_ns: Option<u64>,
}

impl SlidingMin {
    /// A period of `window_ns` within `from_ns..until_ns`.
    pub(super) fn new(
        window_ns: u64,
        from_ns: u64,
        until_ns: u64,
        needed_bytes_per_s: Option<f64>,
    ) -> SlidingMin {
        SlidingMin {
            window_ns,
            from_ns,
            until_ns,
            needed_bytes_per_s,
            frames: VecDeque::from([(from_ns, 0)]),
            sum_bytes: 0,
            min: None,
            first_below_ns: None,
        }
    }

    /// Adds a complete frame. Times must not decrease.
    pub(super) fn push(&mut self, done_ns: u64, bytes: u64) {
        if done_ns < self.from_ns || done_ns >= self.until_ns || self.window_ns == 0 {
            return;
        }
        self.slide_to(done_ns);
        self.sum_bytes += bytes;
        let are_many = self.frames.len() >= MAX_FRAMES;
        match self.frames.back_mut() {
            Some(last) if are_many => last.1 += bytes,
            _ => self.frames.push_back((done_ns + 1, bytes)),
        }
    }

    /// Records that playback restarted: periods that begin before this time do not count, because the
    /// user had stopped playback.
    pub(super) fn begin_anew(&mut self, from_ns: u64) {
        self.sum_bytes = 0;
        self.frames.clear();
        self.frames.push_back((from_ns.max(self.from_ns), 0));
    }

    /// Checks every period that ends by `time_ns` and begins just after a frame.
    fn slide_to(&mut self, time_ns: u64) {
        while let Some(&(began_ns, bytes)) = self.frames.front() {
            // A period beyond the clock's range never ends.
            let ends_ns = began_ns.saturating_add(self.window_ns);
            if ends_ns > time_ns {
                return;
            }
            self.frames.pop_front();
            assert!(bytes <= self.sum_bytes, "a frame that leaves the window was part of its sum");
            self.sum_bytes -= bytes;
            if self.min.is_none_or(|(min_bytes, _)| self.sum_bytes < min_bytes) {
                self.min = Some((self.sum_bytes, began_ns));
            }
            let rate = self.bytes_per_s(self.sum_bytes);
            if self.needed_bytes_per_s.is_some_and(|needed| rate < needed) {
                self.first_below_ns.get_or_insert(began_ns);
            }
        }
    }

    fn bytes_per_s(&self, bytes: u64) -> f64 {
        bytes as f64 * 1e9 / self.window_ns as f64
    }

    /// Moves the end of the measured time to an earlier time.
    pub(super) fn end_at(&mut self, end_ns: u64) {
        self.until_ns = self.until_ns.min(end_ns);
    }

    /// Ends the measured time.
    pub(super) fn finish(&mut self) {
        if self.window_ns > 0 {
            self.slide_to(self.until_ns);
        }
        let within: u64 = self.frames.iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(within, self.sum_bytes, "the sum of a window equals the sum of its frames");
    }

    /// The figures; `None` if no period fits into the measured time.
    pub(super) fn figures(&self, point_started_ns: u64) -> Option<ThroughputFigures> {
        let (min_bytes, began_ns) = self.min?;
        Some(ThroughputFigures {
            buffer_s: seconds(self.window_ns),
            min_bytes_per_s: round_to(self.bytes_per_s(min_bytes), 3),
            min_began_s: seconds(began_ns),
            min_began_in_point_s: in_point_s(began_ns, point_started_ns),
            needed_bytes_per_s: self.needed_bytes_per_s,
            first_below_s: self.first_below_ns.map(seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    fn minimum(window_ns: u64, range: (u64, u64), frames: &[(u64, u64)]) -> Option<(u64, u64)> {
        let mut sliding = SlidingMin::new(window_ns, range.0, range.1, None);
        frames.iter().for_each(|&(done_ns, bytes)| sliding.push(done_ns, bytes));
        sliding.finish();
        sliding.min
    }

    /// Checks every period at every nanosecond.
    fn by_hand(window_ns: u64, range: (u64, u64), frames: &[(u64, u64)]) -> Option<u64> {
        let sum = |began_ns: u64| {
            let within = |&&(done_ns, _): &&(u64, u64)| (began_ns..began_ns + window_ns).contains(&done_ns);
            frames.iter().filter(within).map(|frame| frame.1).sum::<u64>()
        };
        (range.0..=range.1.checked_sub(window_ns)?).map(sum).min()
    }

    #[test]
    fn a_freeze_shows_fully() {
        // A frame of 10 bytes every 40, none from 400 to 600; the buffer holds 200.
        let frames: Vec<(u64, u64)> =
            (0..25).map(|n| n * 40).filter(|t| !(400..600).contains(t)).map(|t| (t, 10)).collect();
        // From 361, just after the frame at 360, to 561: nothing.
        assert_eq!(minimum(200, (0, 1000), &frames), Some((0, 361)));
        let even: Vec<(u64, u64)> = (0..25).map(|n| (n * 40, 10)).collect();
        // 5 frames, but 4 just after one has left... none: 201..=400 holds 240, 280, 320, 360, 400.
        assert_eq!(minimum(200, (0, 1000), &even), Some((50, 0)));
        assert_eq!(minimum(190, (0, 1000), &even).unwrap().0, 40);
    }

    #[test]
    fn throughput_reports_when_it_dropped_below_the_need() {
        let mut sliding = SlidingMin::new(1_000_000_000, 0, 10_000_000_000, Some(90.0));
        for second in (0..10).filter(|second| *second != 5) {
            sliding.push(second * 1_000_000_000, 100);
        }
        sliding.finish();
        let figures = sliding.figures(0).unwrap();
        assert_eq!((figures.min_bytes_per_s, figures.min_began_s), (0.0, 4.0));
        assert_eq!(figures.first_below_s, Some(4.0));
        assert_eq!(figures.needed_bytes_per_s, Some(90.0));
    }

    #[test]
    #[should_panic(expected = "a frame that leaves the window was part of its sum")]
    fn a_sum_without_one_of_its_frames_is_a_defect() {
        let mut sliding = SlidingMin::new(200, 0, 1000, None);
        sliding.push(40, 10);
        sliding.sum_bytes = 0;
        sliding.push(400, 10);
    }

    #[test]
    #[should_panic(expected = "the sum of a window equals the sum of its frames")]
    fn a_sum_of_more_than_its_frames_is_a_defect() {
        let mut sliding = SlidingMin::new(200, 0, 1000, None);
        sliding.push(900, 10);
        sliding.sum_bytes += 1;
        sliding.finish();
    }

    #[test]
    fn no_stretch_fits_or_there_is_none() {
        assert_eq!(minimum(200, (0, 199), &[(5, 5)]), None);
        assert_eq!(minimum(0, (0, 199), &[(5, 5)]), None);
        assert_eq!(minimum(200, (0, 200), &[]), Some((0, 0)));
    }

    #[test]
    fn many_frames_are_bounded_and_never_flatter() {
        let frames: Vec<(u64, u64)> = (0..100_000).map(|n| (n, 1)).collect();
        let mut sliding = SlidingMin::new(50_000, 0, 100_000, None);
        for &(done_ns, bytes) in &frames {
            sliding.push(done_ns, bytes);
            assert!(sliding.frames.len() <= MAX_FRAMES);
        }
        sliding.finish();
        assert!(sliding.min.unwrap().0 <= 50_000);
    }

    proptest! {
        #[test]
        fn window_minimum_equals_brute_force(
            window_ns in 1_u64..60,
            from_ns in 0_u64..40,
            length_ns in 0_u64..200,
            steps in prop::collection::vec((0_u64..30, 0_u64..100), 0..40),
        ) {
            let mut time_ns = 0;
            let frames: Vec<(u64, u64)> = steps.iter().map(|&(step_ns, bytes)| {
                time_ns += step_ns;
                (time_ns, bytes)
            }).collect();
            let range = (from_ns, from_ns + length_ns);
            let found = minimum(window_ns, range, &frames).map(|(bytes, _)| bytes);
            prop_assert_eq!(found, by_hand(window_ns, range, &frames));
        }
    }
}
