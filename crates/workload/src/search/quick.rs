//! The quick form of the search: two or three trials lead to the count at the limit, and to how far off it
//! may be.
//!
//! The throughput of failed streams determines what to try next. Only a count that passed is ever
//! claimed. A count that failed although more was expected is tried again before it counts, and counts
//! where it failed more often than it passed. Streams that held on for longer than a trial
//! ([`super::Trial::confirms`]) show that shorter trials of as many or fewer were disturbed; a count
//! that did not hold on is refuted.

use super::{CountEvidence, Edges, Search, Why};

/// The span between the count that passed and the one that failed is small enough at a twentieth.
const CLOSE_ENOUGH: u32 = 20;
/// A trial of a second and a half sees margins fall when storage gives so much less than is needed.
const TRIAL_ERROR: f64 = 0.03;
/// What streams too many got is what the storage gives, up or down by this share.
const RATE_ERROR: f64 = 0.05;
/// A count of less than this share of what was expected must not fail at once.
const SURPRISING_SHARE: f64 = 0.85;
/// Nor one that gets less than this share of it.
const DISTURBED_SHARE: f64 = 0.60;
/// Storage that is asked for more than this many times what it gives may give less than it gives to fewer
/// streams: they stand in each other's way. What it gave is no bound then.
pub const FAR_OVER: f64 = 1.5;
/// From this count on, a first trial that failed far over what it got is not made again: fewer streams say
/// more.
const MANY: u32 = 20;
/// So many trials are made even beyond the time, as long as nothing has passed.
const TRIALS_FOR_ONE: u32 = 6;

impl CountEvidence {
    /// What its failed trials got. Where nothing was moved, nothing is known to have been given.
    fn got(&self) -> f64 {
        self.reached.unwrap_or(0.0)
    }

    /// Whether so many streams needed far more than they got.
    fn is_far_over(&self) -> bool {
        f64::from(self.streams) > FAR_OVER * self.got()
    }
}

impl Search {
    /// The largest count that held on, below all that did not; 0 if there is none.
    pub fn held(&self) -> u32 {
        let known = self.evidence.iter().take_while(|known| known.refuted == 0);
        known.filter(|known| known.confirmed > 0).last().map_or(0, |known| known.streams)
    }

    /// The smallest count that failed.
    pub fn failed_from(&self) -> Option<u32> {
        self.edges().first_fall
    }

    /// Whether this count failed a trial by the storage's fault, though it passed another.
    pub fn is_contested(&self, streams: u32) -> bool {
        let known = self.of(streams);
        known.failed > 0 && known.stands() > 0 && streams > self.held()
    }

    /// How often so many streams failed by the storage's fault.
    pub fn times_failed(&self, streams: u32) -> u32 {
        self.of(streams).failed
    }

    /// The smallest count of which trials of the usual length failed by the storage's fault.
    pub fn failed_least(&self) -> Option<u32> {
        self.failed_short().map(|known| known.streams).next()
    }

    /// Whether streams that failed such a trial got less than so many need. Not streams far too many.
    pub fn failed_below(&self, streams: f64) -> bool {
        self.failed_short().any(|known| !known.is_far_over() && known.got() < streams)
    }

    /// By how many streams the count may be off, up or down, where so many are claimed of those that passed.
    pub fn error(&self, claimed: u32) -> u32 {
        // A count that passed and failed is held up by what it got when it failed.
        let got = if self.is_contested(claimed) { self.of(claimed).got() as u32 } else { claimed };
        let below = (f64::from(claimed) * TRIAL_ERROR).ceil() as u32;
        let below = below.max(claimed - got.min(claimed));
        let Some(fall) = self.failed_from() else {
            return below;
        };
        // The largest that can be: one less than what failed, and no more than what the storage gave then.
        let given = self.overloaded().map(|given| (given * (1.0 + RATE_ERROR)) as u32);
        let held = self.evidence.iter().rfind(|known| known.confirmed > 0).map_or(0, |known| known.streams);
        let most = given.map_or(fall - 1, |given| given.min(fall - 1)).max(claimed).max(held);
        below.max(most - claimed)
    }

    pub(super) fn falls_quickly(&self, known: &CountEvidence) -> bool {
        known.refuted > 0 || self.fails_trials(known)
    }

    /// Whether a count failed more trials of the usual length than it passed.
    fn fails_trials(&self, known: &CountEvidence) -> bool {
        let (fell, passed) = (known.fell() - known.refuted, known.passed - known.confirmed);
        fell > passed && known.streams > self.held()
    }

    /// Whether a trial is made even beyond the time: "not even one" takes two trials, and where none passed,
    /// a few are made.
    pub(super) fn must_find_one(&self) -> bool {
        let Edges { sure, first_fall, .. } = self.edges();
        sure == 0 && (self.trials() < TRIALS_FOR_ONE || first_fall == Some(1))
    }

    /// The trial that is most wanted; `None` when the edges are close enough.
    pub(super) fn wanted_quickly(&self, expected: f64, edges: &Edges) -> Option<(u32, Why)> {
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

    /// Whether a count that failed should have passed, or failed through no fault of the storage. Not when
    /// another failed twice: then the expectation is wrong.
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

    /// What the storage gave to streams too many; the most of it. `None` where all were far too many.
    fn overloaded(&self) -> Option<f64> {
        let failed = self.evidence.iter().filter(|known| self.fails_trials(known) && !known.is_far_over());
        failed.filter_map(|known| known.reached).max_by(f64::total_cmp)
    }
}

/// As many times the one as the other is times it.
fn geometric_middle(less: u32, more: u32) -> u32 {
    (f64::from(less) * f64::from(more)).sqrt() as u32
}

#[cfg(test)]
mod tests;
