//! The verdict on a load point: whether it met its criteria, and which component caused a failure.
//!
//! Not here: its criteria and the figures to compare with them, which each kind of run knows.

use reelgauge_analysis::point_culprit::{acquit_fast_storage, of_point};
use reelgauge_analysis::verdict::Ruling;
use reelgauge_analysis::{LoadPoint, rate_limit_delay};
use reelgauge_report::verdict::{in_words, in_words_held_back};

use super::{PointDone, Session};

impl Session {
    /// Stores the ruling on the last load point (`done`), and the component that caused a failure
    /// (possibly a rate limit set by the user). Returns whether it passed. A load point that was stopped
    /// is not judged.
    pub fn rule_last<S>(&mut self, done: &PointDone<S>, ruling: Ruling) -> bool {
        let passed = ruling.unmet().is_empty();
        if done.complete {
            self.keep_ruling(done, ruling);
        }
        passed
    }

    /// The same for a load point that may have been stopped: only failures that more time could not have
    /// changed are judged.
    pub fn rule_last_stopped<S>(&mut self, done: &PointDone<S>, ruling: Ruling) -> bool {
        let passed = ruling.unmet().is_empty();
        if let Some(ruling) = if done.complete { Some(ruling) } else { ruling.certain() } {
            self.keep_ruling(done, ruling);
        }
        passed
    }

    fn keep_ruling<S>(&mut self, done: &PointDone<S>, ruling: Ruling) {
        let held = self.done().last().and_then(LoadPoint::was_held_back);
        let verdict = if held.is_some() { in_words_held_back(ruling) } else { in_words(ruling) };
        let line_bytes_per_s = self.line_bytes_per_s();
        if let Some(point) = self.last_point() {
            let incidents = &done.judged.late.incidents;
            let culprit = of_point(&verdict, incidents, done.total.busier_bytes_per_s(), line_bytes_per_s);
            (point.culprit, point.verdict) = (culprit, Some(verdict));
            rate_limit_delay::book(point);
            acquit_fast_storage(point);
        }
    }
}
