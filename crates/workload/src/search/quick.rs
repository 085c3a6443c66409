//! The quick form of the search: two or three trials determine the count at the limit and its possible
//! error.
//!
//! The throughput of failed streams determines the next trial. Only a count that passed is ever claimed.
//! A count that failed although it was expected to pass is tried again first, and counts as failed if it
//! failed more often than it passed. If streams passed a confirmation trial
//! ([`super::Trial::confirms`]), shorter failed trials of as many or fewer streams were disturbed. A
//! count that failed its confirmation is refuted.

use super::{CountEvidence, Edges, Search, Why};

/// The search ends when the counts that passed and failed differ by at most 1/20.
const CLOSE_ENOUGH: u32 = 20;
/// A trial of 1.5 s detects falling margins if the storage delivers this share less than required.
const TRIAL_ERROR: f64 = 0.03;
/// The throughput of an overloaded trial estimates the storage's capacity, within this share.
const RATE_ERROR: f64 = 0.05;
/// A count below this share of the expected one does not count as failed after one trial.
const SURPRISING_SHARE: f64 = 0.85;
/// A trial whose throughput is below this share of the expected one does not count as failed, either.
const DISTURBED_SHARE: f64 = 0.60;
/// If the demand exceeds the throughput by this factor, streams may slow each other down, so the
/// throughput is no upper bound.
pub const FAR_OVER: f64 = 1.5;
/// From this count on, a first trial that was far overloaded is not repeated: a smaller count is more
/// informative.
const MANY: u32 = 20;
/// This many trials are made even after the time budget, while no count has passed.
const TRIALS_FOR_ONE: u32 = 6;

impl CountEvidence {
    /// The throughput of its failed trials, in streams; 0 if nothing was transferred.
    fn got(&self) -> f64 {
        self.reached.unwrap_or(0.0)
    }

    /// Whether the demand of this count was far above the throughput.
    fn is_far_over(&self) -> bool {
        f64::from(self.streams) > FAR_OVER * self.got()
    }
}

impl Search {
    /// The largest confirmed count below all refuted ones; 0 if there is none.
    pub fn held(&self) -> u32 {
        let known = self.evidence.iter().take_while(|known| known.refuted == 0);
        known.filter(|known| known.confirmed > 0).last().map_or(0, |known| known.streams)
    }

    /// The smallest count that failed.
    pub fn failed_from(&self) -> Option<u32> {
        self.edges().first_fall
    }

    /// Whether this count failed a trial because of the storage, though it passed another.
    pub fn is_contested(&self, streams: u32) -> bool {
        let known = self.of(streams);
        known.failed > 0 && known.stands() > 0 && streams > self.held()
    }

    /// How often this count failed because of the storage.
    pub fn times_failed(&self, streams: u32) -> u32 {
        self.of(streams).failed
    }

    /// The smallest count that failed a trial of normal length because of the storage.
    pub fn failed_least(&self) -> Option<u32> {
        self.failed_short().map(|known| known.streams).next()
    }

    /// Whether a failed trial's throughput was below the demand of `streams`; far overloaded trials are
    /// ignored.
    pub fn failed_below(&self, streams: f64) -> bool {
        self.failed_short().any(|known| !known.is_far_over() && known.got() < streams)
    }

    /// The possible error of the claimed count, in streams, up or down.
    pub fn error(&self, claimed: u32) -> u32 {
        // For a count that passed and failed, the throughput of its failed trials is the lower bound.
        let got = if self.is_contested(claimed) { self.of(claimed).got() as u32 } else { claimed };
        let below = (f64::from(claimed) * TRIAL_ERROR).ceil() as u32;
        let below = below.max(claimed - got.min(claimed));
        let Some(fall) = self.failed_from() else {
            return below;
        };
        // The upper bound: one less than the smallest failed count, and at most the measured capacity.
        let given = self.overloaded().map(|given| (given * (1.0 + RATE_ERROR)) as u32);
        let held = self.evidence.iter().rfind(|known| known.confirmed > 0).map_or(0, |known| known.streams);
        let most = given.map_or(fall - 1, |given| given.min(fall - 1)).max(claimed).max(held);
        below.max(most - claimed)
    }

    pub(super) fn fails_quick_search(&self, known: &CountEvidence) -> bool {
        known.refuted > 0 || self.fails_trials(known)
    }

    /// Whether a count failed more trials of normal length than it passed.
    fn fails_trials(&self, known: &CountEvidence) -> bool {
        let (fell, passed) = (known.fell() - known.refuted, known.passed - known.confirmed);
        fell > passed && known.streams > self.held()
    }

    /// Whether a trial is made even after the time budget. The answer "not even one" requires two
    /// trials, and while none passed, a few more are made.
    pub(super) fn must_find_one(&self) -> bool {
        let Edges { sure, first_fall, .. } = self.edges();
        sure == 0 && (self.trials() < TRIALS_FOR_ONE || first_fall == Some(1))
    }

    /// The most useful next trial; `None` if the bounds are close enough.
    pub(super) fn next_quick_trial(&self, expected: f64, edges: &Edges) -> Option<(u32, Why)> {
        let (sure, cap) = (edges.sure, self.settings.cap);
        let Some(fall) = edges.first_fall else {
            let more = sure.saturating_add((sure / 10).max(1)).min(cap);
            let next = if sure == 0 { self.settings.start } else { more };
            return (sure < cap).then_some((next, Why::Rise));
        };
        let known = self.of(fall);
        let is_surprising = self.is_surprising(&known, expected, edges);
        let is_crowd = is_surprising && fall == self.settings.start && fall >= MANY && known.is_far_over();
        if is_surprising && !is_crowd || fall == 1 && known.trials() == 1 {
            return Some((fall, Why::Repeat));
        }
        let (reached, span) = (known.got() as u32, fall - sure);
        if span <= (sure / CLOSE_ENOUGH).max(1) {
            return None;
        }
        let between = match () {
            () if is_crowd => geometric_middle(sure.max(reached).max(1), fall),
            () if (sure + 1..fall).contains(&reached) => reached,
            () if sure > 0 && self.overloaded().is_none() => geometric_middle(sure, fall),
            () => sure + span / 2,
        };
        Some((between.clamp(sure + 1, fall - 1), Why::Bisect))
    }

    /// Whether a failed count was expected to pass, or did not fail because of the storage. Not if
    /// another count failed twice: then the expectation is wrong.
    fn is_surprising(&self, known: &CountEvidence, expected: f64, edges: &Edges) -> bool {
        let failed_twice = self.evidence.iter().any(|known| known.trials() > 1 && self.falls(known));
        let is_expected = f64::from(known.streams) < SURPRISING_SHARE * expected
            || known.got() < DISTURBED_SHARE * expected;
        let is_doubtful = is_expected || edges.top_pass >= known.streams || known.client_limited > 0;
        known.trials() == 1 && known.refuted == 0 && !failed_twice && is_doubtful
    }

    fn failed_short(&self) -> impl Iterator<Item = &CountEvidence> {
        self.evidence.iter().filter(|known| known.failed > known.refuted && self.fails_trials(known))
    }

    /// The highest throughput of overloaded trials; `None` if all were far overloaded.
    fn overloaded(&self) -> Option<f64> {
        let failed = self.evidence.iter().filter(|known| self.fails_trials(known) && !known.is_far_over());
        failed.filter_map(|known| known.reached).max_by(f64::total_cmp)
    }
}

/// The geometric mean of both.
fn geometric_middle(less: u32, more: u32) -> u32 {
    (f64::from(less) * f64::from(more)).sqrt() as u32
}

#[cfg(test)]
mod tests;
