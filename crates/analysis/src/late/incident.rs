//! Incidents: runs of consecutive late frames, the hiccups that somebody at the screen would have seen.

use super::figures::Incident;
use super::timeline::FrameTimeline;
use crate::figures::{seconds, us};

/// How many incidents are kept from the beginning.
const FIRST_KEPT: usize = 100;

/// How many of the worst are kept.
const WORST_KEPT: usize = 10;

/// A run of late frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first_frame: u64,
    frames: u64,
    dropped_frames: u64,
    /// Of the frames that came.
    worst_late_ns: Option<u64>,
}

impl Run {
    /// What makes one worse than another: more frames, then later ones, then earlier in time.
    fn badness(&self) -> (u64, Option<u64>, std::cmp::Reverse<u64>) {
        (self.frames, self.worst_late_ns, std::cmp::Reverse(self.first_frame))
    }

    fn figures(&self, timeline: &FrameTimeline, point_started_ns: u64) -> Incident {
        let began_ns = timeline.deadline_ns(self.first_frame);
        let ended_ns = timeline.deadline_ns(self.first_frame.saturating_add(self.frames));
        Incident {
            first_frame: self.first_frame,
            frames: self.frames,
            dropped_frames: self.dropped_frames,
            began_s: seconds(began_ns),
            began_in_point_s: seconds(began_ns.saturating_sub(point_started_ns)),
            length_s: seconds(ended_ns - began_ns),
            worst_late_us: self.worst_late_ns.map(us),
        }
    }
}

/// Collects incidents from frames that are judged in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Incidents {
    count: u64,
    open: Option<Run>,
    first: Vec<Run>,
    worst: Vec<Run>,
}

impl Incidents {
    /// `frames` late frames from `first_frame` on; `late_ns` is by how much, where they came.
    pub(super) fn late(&mut self, first_frame: u64, frames: u64, late_ns: Option<u64>, dropped_frames: u64) {
        let run =
            self.open.get_or_insert(Run { first_frame, frames: 0, dropped_frames: 0, worst_late_ns: None });
        run.frames += frames;
        run.dropped_frames += dropped_frames;
        run.worst_late_ns = run.worst_late_ns.max(late_ns);
    }

    /// A frame was in time, or the judged part is over.
    pub(super) fn in_time(&mut self) {
        let Some(run) = self.open.take() else { return };
        self.count += 1;
        if self.first.len() < FIRST_KEPT {
            self.first.push(run);
        }
        let place = self.worst.partition_point(|worse| worse.badness() > run.badness());
        if place < WORST_KEPT {
            self.worst.insert(place, run);
            self.worst.truncate(WORST_KEPT);
        }
    }

    /// How many there were.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The first ones, in order.
    pub(super) fn first(&self, timeline: &FrameTimeline, point_started_ns: u64) -> Vec<Incident> {
        self.first.iter().map(|run| run.figures(timeline, point_started_ns)).collect()
    }

    /// The worst ones, worst first.
    pub(super) fn worst(&self, timeline: &FrameTimeline, point_started_ns: u64) -> Vec<Incident> {
        self.worst.iter().map(|run| run.figures(timeline, point_started_ns)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_the_first_and_the_worst_kept() {
        let mut incidents = Incidents::default();
        for n in 0..1_000_u64 {
            let frames = if n == 900 { 7 } else { 1 + n % 3 };
            incidents.late(n * 10, frames, Some(n), 0);
            incidents.in_time();
            incidents.in_time();
        }
        assert_eq!(incidents.count(), 1_000);
        assert_eq!(incidents.first.len(), FIRST_KEPT);
        assert_eq!(incidents.first[99].first_frame, 990);
        let worst: Vec<u64> = incidents.worst.iter().map(|run| run.first_frame).collect();
        assert_eq!(worst, [9000, 9980, 9950, 9920, 9890, 9860, 9830, 9800, 9770, 9740]);
    }

    #[test]
    fn a_run_lasts_until_the_next_good_frame_is_due() {
        let timeline = FrameTimeline { rate_num: 25, rate_den: 1, t0_ns: 0, prebuffer_ns: 1_000_000_000 };
        let mut incidents = Incidents::default();
        incidents.late(50, 2, None, 2);
        incidents.late(52, 1, Some(5_000_000), 0);
        incidents.in_time();
        let found = incidents.first(&timeline, 500_000_000);
        assert_eq!(found, incidents.worst(&timeline, 500_000_000));
        assert_eq!((found[0].first_frame, found[0].frames, found[0].dropped_frames), (50, 3, 2));
        assert_eq!((found[0].began_s, found[0].began_in_point_s, found[0].length_s), (3.0, 2.5, 0.12));
        assert_eq!(found[0].worst_late_us, Some(5_000.0));
    }
}
