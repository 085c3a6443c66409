//! The self-test of Reelgauge on a host: its figures, and whether the host can be trusted to measure.
//!
//! Not here: measuring (runner) and sentences (report).

use std::ops::Range;

use reelgauge_formats::Format;
use serde::Serialize;

use crate::figures::CARRY_P99;

/// The format of the streams that a host can judge, the most demanding one of a quick check.
pub const FORMAT: &str = "prores-422-hq-uhd-25";
/// The share of the processors' time for Reelgauge. The rest is left to the system, whose copies cost more
/// than those of the store in memory, to the network protocol, and to other programs. Two processors, half
/// busy with other programs, played 0.13 of the full rate from files in memory in time, but not 0.2.
pub const PROCESSOR_SHARE: f64 = 0.12;
/// 99 of 100 waits may end this late: a quarter of the time of a frame at 25 frames per second.
pub const LATE_P99_US: f64 = 10_000.0;
/// No wait may end later than this: a quarter of the buffer of a quick check's players.
pub const LATE_MAX_US: f64 = 100_000.0;
/// The mean number of requests in flight, as a share of the requested number, must be at least this.
const DEPTH_SHARE: f64 = 0.8;
/// A result above this share of what the host can judge is close to it.
const CLOSE_SHARE: f64 = 0.8;

/// All figures of a self-test. Nothing in it names the host, its user or a path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SelfTest {
    /// The version of Reelgauge.
    pub version: String,
    /// The operating system.
    pub system: String,
    pub kernel: Option<String>,
    pub processor: Option<String>,
    /// Logical processors that this process may use.
    pub processors: usize,
    pub clock: ClockFigures,
    /// How late waits ended.
    pub waits: Option<Durations>,
    pub in_flight: Vec<DepthFigures>,
    /// `None` if the system does not report processor time.
    pub core: Option<CoreFigures>,
    pub known_answer: KnownAnswer,
    /// `None` without a path.
    pub storage: Option<StorageFigures>,
    /// Why the host is unfit; empty if it is fit.
    pub unfit: Vec<Unfit>,
    /// What the host can judge. `None` if it is unfit, and without the figures of a core.
    pub capacity: Option<Capacity>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClockFigures {
    /// The number of readings, by all processors at the same time.
    pub readings: u64,
    /// Readings that were earlier than a previous one.
    pub backward_steps: u64,
    /// The smallest step; `None` if all readings were equal.
    pub resolution_ns: Option<u64>,
    /// The cost of one reading.
    pub reading_ns: f64,
}

/// Percentiles of durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Durations {
    pub count: u64,
    pub p50_us: f64,
    /// `None` for fewer than 100 durations.
    pub p99_us: Option<f64>,
    pub max_us: f64,
}

/// The number of requests in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DepthFigures {
    pub requested: u64,
    pub mean: f64,
    pub max: u64,
}

/// The work that one processor does for Reelgauge: the driver, its records and their log, with a store in
/// memory. Per second of processor time, over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CoreFigures {
    /// Reads of 4 KiB.
    pub ops_per_s: f64,
    /// Reads of frames of [`FORMAT`].
    pub mb_per_s: f64,
}

/// The frames that players judged late, compared with an independent count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KnownAnswer {
    pub players: u64,
    pub expected_frames: u64,
    pub frames: u64,
    pub expected_late_frames: u64,
    pub late_frames: u64,
}

/// What was measured on storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StorageFigures {
    /// The type of its file system.
    pub file_system: String,
    pub direct_read: DirectState,
    pub direct_write: DirectState,
    /// The duration of an fsync after a write of 4 KiB. `None` if none succeeded.
    pub fsync: Option<Durations>,
}

/// Whether direct I/O bypasses the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectState {
    Works,
    /// Accepted, but the data passes through the cache.
    Ignored,
    Refused,
    #[default]
    Unmeasured,
}

/// A reason not to trust measurements of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unfit {
    ClockStepsBack,
    LateWaits,
    RequestsNotKept,
    WrongAnswer,
}

/// The load that a host can judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Capacity {
    /// The name of the format.
    pub format: String,
    pub streams: u64,
    pub mb_per_s: f64,
}

impl SelfTest {
    /// Judges the figures.
    pub fn judge(&mut self, format: &Format) {
        let is_late =
            |waits: &Durations| waits.p99_us.is_some_and(|us| us > LATE_P99_US) || waits.max_us > LATE_MAX_US;
        let reasons = [
            (self.clock.backward_steps > 0, Unfit::ClockStepsBack),
            (self.waits.as_ref().is_none_or(is_late), Unfit::LateWaits),
            (!self.in_flight.iter().all(DepthFigures::is_kept), Unfit::RequestsNotKept),
            (!self.known_answer.is_right(), Unfit::WrongAnswer),
        ];
        self.unfit = reasons.into_iter().filter_map(|(is_unfit, why)| is_unfit.then_some(why)).collect();
        let core = self.core.filter(|_| self.unfit.is_empty());
        self.capacity = core.map(|core| Capacity::of(core.mb_per_s, self.processors, format));
    }
}

impl Durations {
    /// The percentiles of these durations; `None` without any.
    pub fn of(mut durations_ns: Vec<u64>) -> Option<Durations> {
        durations_ns.sort_unstable();
        let count = durations_ns.len();
        let max_ns = durations_ns.last()?;
        let quantile_us = |percent: usize| durations_ns[(count * percent).div_ceil(100) - 1] as f64 / 1e3;
        Some(Durations {
            count: count as u64,
            p50_us: quantile_us(50),
            p99_us: (count as u64 >= CARRY_P99).then(|| quantile_us(99)),
            max_us: *max_ns as f64 / 1e3,
        })
    }
}

impl DepthFigures {
    /// From the times of each request (issued, done), within this period. `None` for an empty period.
    pub fn of(requested: u64, requests_ns: &[Range<u64>], period_ns: Range<u64>) -> Option<DepthFigures> {
        let mut changes = Vec::with_capacity(2 * requests_ns.len());
        let mut busy_ns = 0;
        for request in requests_ns {
            let (from_ns, until_ns) = (request.start.max(period_ns.start), request.end.min(period_ns.end));
            if from_ns < until_ns {
                busy_ns += until_ns - from_ns;
                changes.extend([(from_ns, 1), (until_ns, -1)]);
            }
        }
        // At the same time, a request ends before another one begins.
        changes.sort_unstable();
        let depths = changes.iter().scan(0_i64, |depth, (_, change)| {
            *depth += change;
            Some(depth.unsigned_abs())
        });
        let max = depths.max().unwrap_or(0);
        let length_ns = period_ns.end.checked_sub(period_ns.start).filter(|length_ns| *length_ns > 0)?;
        Some(DepthFigures { requested, mean: busy_ns as f64 / length_ns as f64, max })
    }

    /// Whether the requested number was kept in flight, and never exceeded.
    pub fn is_kept(&self) -> bool {
        self.max == self.requested && self.mean >= DEPTH_SHARE * self.requested as f64
    }
}

impl KnownAnswer {
    /// Whether the pipeline counted what it should have counted.
    pub fn is_right(&self) -> bool {
        self.players > 0
            && self.frames == self.expected_frames
            && self.late_frames == self.expected_late_frames
    }
}

impl Capacity {
    /// Of processors of which one reads frames at this rate.
    pub fn of(core_mb_per_s: f64, processors: usize, format: &Format) -> Capacity {
        let mb_per_s = judged_mb_per_s(core_mb_per_s, processors);
        // A cast from a float saturates.
        let streams = (mb_per_s / format.mb_per_s()).floor() as u64;
        Capacity { format: format.title(), streams, mb_per_s }
    }
}

/// The highest rate that a host can judge.
pub fn judged_mb_per_s(core_mb_per_s: f64, processors: usize) -> f64 {
    core_mb_per_s * processors as f64 * PROCESSOR_SHARE
}

/// Whether a measured rate is near or above the highest rate that the host can judge.
pub fn is_close(mb_per_s: f64, judged_mb_per_s: f64) -> bool {
    mb_per_s >= CLOSE_SHARE * judged_mb_per_s
}

/// Players of a store that freezes at known times. Everything happens in the middle between two frames, so
/// that a host must be late by half a frame before the answer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrozenTimeline {
    pub players: u32,
    pub frames_per_s: u32,
    pub buffer_frames: u32,
    /// The store freezes half a frame after the first of these frames was due, until half a frame after the
    /// second one.
    pub freezes: [(u64, u64); 2],
    /// The test ends half a frame after this one.
    pub last_frame: u64,
}

impl FrozenTimeline {
    /// A freeze of 1 s and one of 0.4 s within 4.4 s.
    pub const USUAL: FrozenTimeline = FrozenTimeline {
        players: 8,
        frames_per_s: 25,
        buffer_frames: 5,
        freezes: [(30, 55), (75, 85)],
        last_frame: 110,
    };

    fn after_ns(&self, frame: u64) -> u64 {
        (2 * frame + 1) * 500_000_000 / u64::from(self.frames_per_s)
    }

    pub fn freezes_ns(&self) -> Vec<Range<u64>> {
        self.freezes.map(|(from, until)| self.after_ns(from)..self.after_ns(until)).to_vec()
    }

    pub fn end_ns(&self) -> u64 {
        self.after_ns(self.last_frame)
    }

    /// The frames of all players with a deadline before the end: the first deadline is that of frame 0, when
    /// the buffer is full.
    pub fn frames(&self) -> u64 {
        u64::from(self.players) * (self.last_frame + 1 - u64::from(self.buffer_frames))
    }

    /// The late frames of all players. A player requests a frame when its place in the buffer is free. In a
    /// freeze that begins after frame `from` and ends after frame `until`, it cannot read the frames behind
    /// `from`, and the buffer covers as many of them as it holds.
    pub fn late_frames(&self) -> u64 {
        // A buffer that is longer than a freeze covers it.
        let uncovered =
            |(from, until): (u64, u64)| until.saturating_sub(from + u64::from(self.buffer_frames));
        u64::from(self.players) * self.freezes.map(uncovered).iter().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_formats::catalogue;

    use super::*;

    const RIGHT: KnownAnswer = KnownAnswer {
        players: 8,
        expected_frames: 848,
        frames: 848,
        expected_late_frames: 200,
        late_frames: 200,
    };

    fn fit() -> SelfTest {
        SelfTest {
            processors: 4,
            waits: Durations::of(vec![70_000; 100]),
            in_flight: vec![DepthFigures { requested: 4, mean: 3.9, max: 4 }],
            core: Some(CoreFigures { ops_per_s: 1e6, mb_per_s: 1_000.0 }),
            known_answer: RIGHT,
            ..SelfTest::default()
        }
    }

    fn judged(change: impl FnOnce(&mut SelfTest)) -> SelfTest {
        let mut test = fit();
        change(&mut test);
        test.judge(catalogue().find(FORMAT).unwrap());
        test
    }

    #[test]
    fn a_fit_host_can_judge_its_share_of_all_processors() {
        let test = judged(|_| ());
        let capacity = test.capacity.unwrap();
        assert_eq!((test.unfit.len(), capacity.mb_per_s), (0, 480.0));
        let needed = catalogue().find(FORMAT).unwrap().mb_per_s();
        assert_eq!(capacity.streams, (480.0 / needed) as u64);
        assert!(is_close(385.0, capacity.mb_per_s) && !is_close(383.0, capacity.mb_per_s));
    }

    #[test]
    fn a_frame_that_is_dropped_from_the_count_makes_a_host_unfit() {
        for wrong in [
            KnownAnswer { late_frames: 199, ..RIGHT },
            KnownAnswer { frames: 847, ..RIGHT },
            KnownAnswer::default(),
        ] {
            let test = judged(|test| test.known_answer = wrong);
            assert_eq!((test.unfit, test.capacity), (vec![Unfit::WrongAnswer], None), "{wrong:?}");
        }
    }

    #[test]
    fn each_reason_makes_a_host_unfit() {
        assert_eq!(judged(|test| test.clock.backward_steps = 1).unfit, [Unfit::ClockStepsBack]);
        assert_eq!(judged(|test| test.waits = None).unfit, [Unfit::LateWaits]);
        let late_p99 = [vec![0; 98], vec![10_000_001; 2]].concat();
        assert_eq!(judged(|test| test.waits = Durations::of(late_p99)).unfit, [Unfit::LateWaits]);
        let late_once = [vec![0; 999], vec![100_000_001]].concat();
        assert_eq!(judged(|test| test.waits = Durations::of(late_once)).unfit, [Unfit::LateWaits]);
        for (mean, max) in [(3.1, 4), (3.9, 3), (3.9, 5)] {
            let test = judged(|test| test.in_flight[0] = DepthFigures { requested: 4, mean, max });
            assert_eq!(test.unfit, [Unfit::RequestsNotKept], "{mean} {max}");
        }
        let test = judged(|test| test.core = None);
        assert_eq!((test.unfit.len(), test.capacity), (0, None), "unmeasured is not unfit");
    }

    #[test]
    fn percentiles_are_those_of_sorted_durations() {
        let found = Durations::of((1..=200).rev().map(|ms| ms * 1_000_000).collect()).unwrap();
        assert_eq!((found.count, found.p50_us, found.max_us), (200, 100_000.0, 200_000.0));
        assert_eq!(found.p99_us, Some(198_000.0));
        assert_eq!(Durations::of(vec![7_000; 99]).unwrap().p99_us, None);
        assert_eq!(Durations::of(Vec::new()), None);
    }

    #[test]
    fn requests_in_flight_are_counted_within_the_period() {
        const BEFORE: Range<u64> = 0..10;
        let found = DepthFigures::of(2, &[0..10, 5..15, 10..20, 30..40], 0..20).unwrap();
        assert_eq!((found.max, found.mean), (2, 1.5));
        assert_eq!(
            DepthFigures::of(1, &[BEFORE], 10..20).unwrap(),
            DepthFigures { requested: 1, mean: 0.0, max: 0 }
        );
        assert_eq!(DepthFigures::of(1, &[BEFORE], 10..10), None);
    }

    #[test]
    fn formula_of_late_frames_equals_the_naive_count() {
        let timeline = FrozenTimeline::USUAL;
        // Times in half frames: frame i is due at 2 i, and needed when the buffer was played.
        let (buffer, mut late) = (u64::from(timeline.buffer_frames), 0);
        let mut free = 0;
        for frame in 0..=timeline.last_frame - buffer {
            let deadline = 2 * (frame + buffer);
            let begins = free.max(2 * frame);
            let is_frozen = |&(from, until): &(u64, u64)| (2 * from + 1..2 * until + 1).contains(&begins);
            let done = timeline
                .freezes
                .iter()
                .find(|freeze| is_frozen(freeze))
                .map_or(begins, |freeze| 2 * freeze.1 + 1);
            late += u64::from(done > deadline);
            free = if begins > deadline { free } else { done };
        }
        assert_eq!(timeline.late_frames(), u64::from(timeline.players) * late);
        assert_eq!((timeline.frames(), timeline.late_frames()), (848, 200));
        assert_eq!(timeline.freezes_ns()[0], 1_220_000_000..2_220_000_000);
    }
}
