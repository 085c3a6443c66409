//! Incidents during a run: late frames with less than a second between them are one.
//!
//! Not here: the incidents of the report, which are found afterwards from every operation
//! ([`reelgauge_analysis::incident`]). This is a preview by the counts that a run reports while it is in
//! progress.

use std::time::Duration;

use reelgauge_analysis::incident::APART_NS;

use crate::observer::Live;
use reelgauge_results::live::LiveIncident;

/// As in the report.
const APART: Duration = Duration::from_nanos(APART_NS);

/// The incidents of a load point so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Disturbances {
    count: u64,
    latest: Option<Latest>,
    late_frames: u64,
}

#[derive(Clone, Debug)]
struct Latest {
    began: Duration,
    /// When its latest late frame was seen, or the storage did not answer.
    seen: Duration,
    late_frames: u64,
    no_answer: Option<Duration>,
}

impl Disturbances {
    /// Takes the run's latest report.
    pub(super) fn take(&mut self, live: &Live) {
        let late_frames = live.late_frames.unwrap_or(0);
        // The count of late frames drops when a frame turns out not to have been needed.
        let more = late_frames.saturating_sub(self.late_frames);
        self.late_frames = late_frames;
        let silence = live.waiting.silence();
        let is_over = self.latest.as_ref().is_none_or(|latest| live.elapsed > latest.seen + APART);
        if more > 0 && is_over {
            self.count += 1;
            // A late frame without a silence, or a silence since before the load point.
            let began = live.elapsed.saturating_sub(silence.unwrap_or_default());
            self.latest = Some(Latest { began, seen: live.elapsed, late_frames: 0, no_answer: None });
        }
        if let Some(latest) = self.latest.as_mut().filter(|latest| live.elapsed <= latest.seen + APART) {
            latest.late_frames += more;
            if more > 0 || silence.is_some() {
                latest.seen = live.elapsed;
                latest.no_answer = latest.no_answer.max(silence);
            }
        }
    }

    /// The number of incidents.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The latest incident, as of now.
    pub(super) fn latest(&self, elapsed: Duration) -> Option<LiveIncident> {
        let latest = self.latest.as_ref()?;
        let seconds = |time: Duration| time.as_millis() as f64 / 1e3;
        Some(LiveIncident {
            began_in_point_s: seconds(latest.began),
            late_frames: latest.late_frames,
            no_answer_s: latest.no_answer.map(seconds),
            is_over: elapsed > latest.seen + APART,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Waiting;

    fn live(elapsed_ms: u64, late_frames: u64, no_answer_ms: Option<u64>) -> Live {
        let no_answer = no_answer_ms.map(Duration::from_millis);
        Live {
            elapsed: Duration::from_millis(elapsed_ms),
            late_frames: Some(late_frames),
            waiting: Waiting { longest_in_flight: no_answer, no_answer },
            ..Live::default()
        }
    }

    fn after(told: &[(u64, u64, Option<u64>)]) -> Disturbances {
        let mut found = Disturbances::default();
        told.iter().for_each(|(ms, late, silent)| found.take(&live(*ms, *late, *silent)));
        found
    }

    #[test]
    fn one_stall_is_one_incident_however_often_it_is_reported() {
        let stall =
            [(5_000, 0, None), (6_000, 0, Some(900)), (6_500, 12, Some(1_400)), (6_750, 20, Some(1_650))];
        let found = after(&stall);
        let while_it_lasts =
            LiveIncident { began_in_point_s: 5.1, late_frames: 20, no_answer_s: Some(1.65), is_over: false };
        assert_eq!((found.count(), found.latest(Duration::from_millis(6_750))), (1, Some(while_it_lasts)));
        assert!(found.latest(Duration::from_secs(8)).is_some_and(|latest| latest.is_over));
    }

    #[test]
    fn late_frames_a_second_later_are_another_incident() {
        let found = after(&[(1_000, 1, None), (1_900, 2, None), (4_000, 3, None)]);
        assert_eq!(found.count(), 2);
        assert_eq!(found.latest(Duration::from_secs(4)).map(|latest| latest.late_frames), Some(1));
    }

    #[test]
    fn a_silence_without_late_frames_is_no_incident() {
        let found = after(&[(1_000, 0, Some(800)), (1_250, 0, None)]);
        assert_eq!((found.count(), found.latest(Duration::from_secs(2))), (0, None));
    }
}
