//! Trials that a controller decides on, by the measurements of other hosts, too: a search over many
//! hosts. This run makes the trials, and reports their results.

use reelgauge_analysis::Culprit;

use super::{SearchState, StreamsRun};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::{NextTrial, Observer, TrialAhead, TrialJudged};

impl StreamsRun {
    /// All trials, until the search is over. `known` has this host's maxima.
    pub(super) fn all_told(
        &mut self,
        known: &SearchState,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        observer.phase("searching");
        while let Some(point) = self.session.next_index() {
            let ahead = TrialAhead {
                point,
                most: known.search.cap(),
                most_confirmed: self.room_to_confirm(),
                limited_by: known.capped_by,
            };
            let (scale, confirms) = match observer.next_trial(&ahead, interrupt) {
                NextTrial::Try { scale, confirms } if scale <= ahead.most => (scale, confirms),
                // A trial beyond the reported maximum is not made; then there is no verdict on it
                // either.
                NextTrial::Try { .. } | NextTrial::Enough => return Ok(()),
                NextTrial::Never => return Err(RunError::StoppedWaiting(interrupt.by())),
            };
            let measured = if confirms { self.confirm() } else { self.plan.duration };
            if scale > 0 {
                let trial_s = (self.actors.warmup_ns() + self.plan.duration.ns()) as f64 / 1e9;
                self.provide(scale, trial_s, observer, interrupt)?;
            }
            let passed = self.point(scale, measured, observer, interrupt)?;
            if !self.session.goes_on() {
                return Ok(());
            }
            let culprit = self.session.done().last().and_then(|point| point.culprit);
            let limited_by_client = culprit.is_some_and(Culprit::is_own);
            observer.trial_judged(TrialJudged { point, passed, limited_by_client });
        }
        Ok(())
    }
}
