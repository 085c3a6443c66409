//! Runs of consecutive late frames of one stream: the hiccups that a viewer would have seen. Late runs
//! of several streams with one cause are one [`crate::incident::Incident`].

use super::figures::LateRun;
use super::timeline::FrameTimeline;
use crate::figures::{in_point_s, seconds, us};

/// Late runs that are kept from the start, at most.
const FIRST_KEPT: usize = 100;

/// The worst late runs that are kept, at most.
const WORST_KEPT: usize = 10;

/// Consecutive late frames that are judged together, from `first_frame` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LateFrames {
    pub(super) first_frame: u64,
    pub(super) frames: u64,
    /// Their lateness, if they arrived.
    pub(super) late_ns: Option<u64>,
    /// How many of them were never begun.
    pub(super) dropped_frames: u64,
    pub(super) failed_frames: u64,
    /// How many of them are late because of the scheduling delay of Reelgauge, or of the limit on bytes per
    /// second.
    pub(super) own_frames: u64,
    /// How many of those are late because of the limit.
    pub(super) rate_limited_frames: u64,
    /// When the first of them was requested: its cause did not begin earlier.
    pub(super) asked_ns: u64,
    /// When the last of them arrived, or should have.
    pub(super) over_ns: u64,
}

/// A run of late frames that has ended, from which incidents are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClosedRun {
    /// When its first frame was requested.
    pub(crate) began_ns: u64,
    /// When its last frame arrived, or should have.
    pub(crate) ended_ns: u64,
    pub(crate) frames: u64,
    /// How many of its frames were never begun.
    pub(crate) dropped_frames: u64,
    pub(crate) failed_frames: u64,
    /// How many of its frames would have been in time without the scheduling delay of Reelgauge and the
    /// limit on bytes per second.
    pub(crate) own_frames: u64,
    /// How many of those are late because of the limit.
    pub(crate) rate_limited_frames: u64,
    /// The largest lateness of the frames that arrived.
    pub(crate) worst_late_ns: Option<u64>,
}

/// A run of late frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first_frame: u64,
    told: ClosedRun,
}

impl Run {
    /// The order of badness: more frames, then larger lateness, then earlier in time.
    fn badness(&self) -> (u64, Option<u64>, std::cmp::Reverse<u64>) {
        (self.told.frames, self.told.worst_late_ns, std::cmp::Reverse(self.first_frame))
    }

    fn figures(&self, timeline: &FrameTimeline, point_started_ns: u64) -> LateRun {
        let began_ns = timeline.deadline_ns(self.first_frame);
        // A stream of a damaged table may have more frames than there are numbers.
        let ended_ns = timeline.deadline_ns(self.first_frame.saturating_add(self.told.frames));
        LateRun {
            first_frame: self.first_frame,
            frames: self.told.frames,
            dropped_frames: self.told.dropped_frames,
            began_s: seconds(began_ns),
            began_in_point_s: in_point_s(began_ns, point_started_ns),
            length_s: seconds(ended_ns - began_ns),
            worst_late_us: self.told.worst_late_ns.map(us),
        }
    }
}

/// Collects late runs from frames that are judged in order.
#[derive(Clone, Debug, Default)]
pub(super) struct LateRuns {
    count: u64,
    open: Option<Run>,
    first: Vec<Run>,
    worst: Vec<Run>,
    /// Late runs that ended since the last call of [`LateRuns::take_closed`].
    closed: Vec<ClosedRun>,
}

impl LateRuns {
    /// Adds late frames. They extend the open run, if there is one.
    pub(super) fn late(&mut self, late: LateFrames) {
        assert!(
            late.own_frames <= late.frames,
            "frames late because of Reelgauge cannot exceed all late frames"
        );
        assert!(
            late.dropped_frames + late.failed_frames <= late.frames,
            "dropped and failed frames are late"
        );
        let follows = |run: &Run| run.first_frame + run.told.frames <= late.first_frame;
        assert!(self.open.as_ref().is_none_or(follows), "late frames are judged in order, each once");
        let new = || Run {
            first_frame: late.first_frame,
            told: ClosedRun { began_ns: late.asked_ns, ..ClosedRun::default() },
        };
        let told = &mut self.open.get_or_insert_with(new).told;
        told.began_ns = told.began_ns.min(late.asked_ns);
        told.ended_ns = told.ended_ns.max(late.over_ns);
        told.frames += late.frames;
        told.dropped_frames += late.dropped_frames;
        told.failed_frames += late.failed_frames;
        told.own_frames += late.own_frames;
        told.rate_limited_frames += late.rate_limited_frames;
        told.worst_late_ns = told.worst_late_ns.max(late.late_ns);
    }

    /// Ends the open run: a frame was in time, or the judged part is over.
    pub(super) fn in_time(&mut self) {
        let Some(run) = self.open.take() else { return };
        self.count += 1;
        self.closed.push(run.told);
        if self.first.len() < FIRST_KEPT {
            self.first.push(run);
        }
        let place = self.worst.partition_point(|worse| worse.badness() > run.badness());
        if place < WORST_KEPT {
            self.worst.insert(place, run);
            self.worst.truncate(WORST_KEPT);
        }
    }

    /// Returns the late runs that ended since the last call.
    #[inline]
    pub(super) fn take_closed(&mut self) -> Option<Vec<ClosedRun>> {
        if self.closed.is_empty() { None } else { Some(std::mem::take(&mut self.closed)) }
    }

    /// The number of late runs.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The first late runs, in order.
    pub(super) fn first(&self, timeline: &FrameTimeline, point_started_ns: u64) -> Vec<LateRun> {
        self.first.iter().map(|run| run.figures(timeline, point_started_ns)).collect()
    }

    /// The worst late runs, worst first.
    pub(super) fn worst(&self, timeline: &FrameTimeline, point_started_ns: u64) -> Vec<LateRun> {
        self.worst.iter().map(|run| run.figures(timeline, point_started_ns)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_late_runs_are_counted_and_first_and_worst_are_kept() {
        let mut late_runs = LateRuns::default();
        for n in 0..1_000_u64 {
            let frames = if n == 900 { 7 } else { 1 + n % 3 };
            late_runs.late(LateFrames {
                first_frame: n * 10,
                frames,
                late_ns: Some(n),
                ..LateFrames::default()
            });
            late_runs.in_time();
            late_runs.in_time();
        }
        assert_eq!(late_runs.count(), 1_000);
        assert_eq!(late_runs.first.len(), FIRST_KEPT);
        assert_eq!(late_runs.first[99].first_frame, 990);
        let worst: Vec<u64> = late_runs.worst.iter().map(|run| run.first_frame).collect();
        assert_eq!(worst, [9000, 9980, 9950, 9920, 9890, 9860, 9830, 9800, 9770, 9740]);
    }

    #[test]
    #[should_panic(expected = "frames late because of Reelgauge cannot exceed all late frames")]
    fn more_own_frames_than_late_ones_is_a_defect() {
        LateRuns::default().late(LateFrames { frames: 1, own_frames: 2, ..LateFrames::default() });
    }

    #[test]
    #[should_panic(expected = "dropped and failed frames are late")]
    fn more_dropped_frames_than_late_ones_is_a_defect() {
        LateRuns::default().late(LateFrames { frames: 1, dropped_frames: 2, ..LateFrames::default() });
    }

    #[test]
    #[should_panic(expected = "late frames are judged in order, each once")]
    fn a_frame_that_is_late_twice_is_a_defect() {
        let mut late_runs = LateRuns::default();
        late_runs.late(LateFrames { first_frame: 5, frames: 3, ..LateFrames::default() });
        late_runs.late(LateFrames { first_frame: 7, frames: 1, ..LateFrames::default() });
    }

    #[test]
    fn a_run_lasts_until_the_next_good_frame_is_due() {
        let timeline = FrameTimeline { rate_num: 25, rate_den: 1, t0_ns: 0, prebuffer_ns: 1_000_000_000 };
        let mut late_runs = LateRuns::default();
        late_runs.late(LateFrames {
            first_frame: 50,
            frames: 2,
            dropped_frames: 2,
            asked_ns: 70,
            over_ns: 90,
            ..LateFrames::default()
        });
        late_runs.late(LateFrames {
            first_frame: 52,
            frames: 1,
            late_ns: Some(5_000_000),
            own_frames: 1,
            asked_ns: 80,
            over_ns: 95,
            ..LateFrames::default()
        });
        late_runs.in_time();
        let found = late_runs.first(&timeline, 500_000_000);
        assert_eq!(found, late_runs.worst(&timeline, 500_000_000));
        assert_eq!((found[0].first_frame, found[0].frames, found[0].dropped_frames), (50, 3, 2));
        assert_eq!((found[0].began_s, found[0].began_in_point_s, found[0].length_s), (3.0, 2.5, 0.12));
        assert_eq!(found[0].worst_late_us, Some(5_000.0));
        let closed = late_runs.take_closed().unwrap_or_default();
        assert_eq!((closed.len(), closed[0].began_ns, closed[0].ended_ns), (1, 70, 95));
        assert_eq!((closed[0].frames, closed[0].own_frames), (3, 1));
        assert_eq!(late_runs.take_closed(), None);
    }
}
