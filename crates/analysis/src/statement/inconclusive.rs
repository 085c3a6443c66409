//! Why a run does not show whether its criteria are met, although something was measured.
//!
//! "Not met" needs harm by the storage. "Met" needs a measurement that Reelgauge itself did not spoil,
//! and a completed search. Between the two, a run is *inconclusive*: exit status 1, because the criteria
//! were not shown to be met, and no blame. Decided here, once, from facts alone.
//!
//! Not here: the facts themselves, and the words (report).

use serde::{Deserialize, Serialize};

use super::{AtLeast, Judgement};
use crate::culprit::Culprit;
use crate::facts::{ReplayFacts, ReplayPass, ReplayTiming};
use crate::summary::LoadPoint;

/// A reason why a run shows neither that its criteria are met nor that they are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InconclusiveReason"))]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Inconclusive {
    /// A search ended before its limit was certain.
    SearchUnfinished,
    /// Beyond the count that passed, this client or Reelgauge was the limit, not the storage.
    ClientLimit,
    /// Criteria were not met only because this client, Reelgauge or the configured limit delayed
    /// operations.
    ClientDelay,
    /// The result is a response time, and Reelgauge's own timing was not good enough for it.
    OwnTiming,
    /// Reelgauge began many operations of a replay later than recorded.
    BegunLate {
        /// Operations that began more than a millisecond late.
        late_ops: u64,
        /// All operations of that pass.
        ops: u64,
    },
    /// Many operations of a replay could not begin when due, because a previous operation had not
    /// completed.
    HeldUp {
        /// Operations that had to wait.
        held_up_ops: u64,
        /// All operations of that pass.
        ops: u64,
    },
}

/// Whether a load point met its criteria, as one word for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointVerdict {
    /// All criteria were met.
    Met,
    /// Measured, and not met.
    NotMet,
    /// Not met, but only because this client, Reelgauge or the configured limit delayed operations.
    Inconclusive,
    /// Nothing was measured that could have met them.
    NotKnown,
}

impl LoadPoint {
    /// Whether it met its criteria; `None` if it was not judged.
    pub fn criteria_verdict(&self) -> Option<PointVerdict> {
        let verdict = self.verdict.as_ref()?;
        Some(match verdict.failures.iter().any(|failure| failure.measured) {
            _ if verdict.passed => PointVerdict::Met,
            false => PointVerdict::NotKnown,
            true if self.culprit.is_some_and(Culprit::is_own) => PointVerdict::Inconclusive,
            true => PointVerdict::NotMet,
        })
    }
}

/// If at least this percentage of a replay's operations could not begin when due, the load is a
/// different one.
const HELD_UP_PERCENT: u64 = 10;

/// The evidence for the decision.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// The judgement from the figures alone.
    pub judgement: Judgement,
    /// Whether the run ended as planned.
    pub is_complete: bool,
    /// The component because of which criteria were not met.
    pub culprit: Option<Culprit>,
    /// Why a search may have found too few streams.
    pub at_least: Option<AtLeast>,
    /// Whether the result is a response time, to which a late start of Reelgauge adds. Frames and rates
    /// that were in time although Reelgauge was late would have been in time without the delay, too.
    pub is_response_time: bool,
    /// Whether Reelgauge's own timing was good enough; `None` if that is unknown.
    pub is_timing_good: Option<bool>,
    /// The replay, if it was one.
    pub replay: Option<&'a ReplayFacts>,
}

/// The reasons why a run is inconclusive; empty if it is not.
pub fn reasons(evidence: &Evidence<'_>) -> Vec<Inconclusive> {
    let is_own = evidence.culprit.is_some_and(Culprit::is_own);
    match evidence.judgement {
        Judgement::NotMet if is_own => vec![Inconclusive::ClientDelay],
        Judgement::NotMet => Vec::new(),
        Judgement::Met => of_pass(evidence),
        _ if !evidence.is_complete => Vec::new(),
        Judgement::NotKnown => of_search(evidence).into_iter().collect(),
        // A run without a replay has no reasons of this kind.
        Judgement::NothingAsked => evidence.replay.map(of_replay).unwrap_or_default(),
        Judgement::Inconclusive => Vec::new(),
    }
}

fn of_pass(evidence: &Evidence<'_>) -> Vec<Inconclusive> {
    let is_untimed = evidence.is_response_time && evidence.is_timing_good == Some(false);
    of_search(evidence).into_iter().chain(is_untimed.then_some(Inconclusive::OwnTiming)).collect()
}

fn of_search(evidence: &Evidence<'_>) -> Option<Inconclusive> {
    match evidence.at_least? {
        AtLeast::ThisMachine => Some(Inconclusive::ClientLimit),
        AtLeast::Unfinished => Some(Inconclusive::SearchUnfinished),
        // Every allowed count passed, so that much was shown.
        AtLeast::NoMoreTried => None,
    }
}

/// The reasons from the first pass of a replay whose operations did not begin as its pace requires. A
/// replay as fast as possible cannot be late.
fn of_replay(replay: &ReplayFacts) -> Vec<Inconclusive> {
    if replay.timing() == ReplayTiming::LimitLate || replay.pace == "max" {
        return Vec::new();
    }
    let is_held =
        |pass: &&ReplayPass| pass.held_up_ops > 0 && pass.held_up_ops * 100 > pass.done_ops * HELD_UP_PERCENT;
    let late = replay.passes.iter().find(|pass| pass.has_begun_late());
    let late = late.map(|pass| Inconclusive::BegunLate { late_ops: pass.begun_late_ops, ops: pass.done_ops });
    let held = replay.passes.iter().find(is_held);
    let held = held.map(|pass| Inconclusive::HeldUp { held_up_ops: pass.held_up_ops, ops: pass.done_ops });
    late.into_iter().chain(held).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met() -> Evidence<'static> {
        Evidence { judgement: Judgement::Met, is_complete: true, ..Evidence::default() }
    }

    #[test]
    fn delay_by_storage_is_not_met_and_delay_by_reelgauge_is_inconclusive() {
        let failed =
            |culprit| reasons(&Evidence { judgement: Judgement::NotMet, culprit: Some(culprit), ..met() });
        for culprit in [Culprit::Storage, Culprit::Link, Culprit::NotKnown] {
            assert_eq!(failed(culprit), [], "{culprit:?}");
        }
        for culprit in [Culprit::Tool, Culprit::ThisMachine, Culprit::MaxRate] {
            assert_eq!(failed(culprit), [Inconclusive::ClientDelay], "{culprit:?}");
        }
    }

    #[test]
    fn a_search_without_its_end_shows_no_limit() {
        let of = |at_least| reasons(&Evidence { at_least, ..met() });
        assert_eq!(of(Some(AtLeast::Unfinished)), [Inconclusive::SearchUnfinished]);
        assert_eq!(of(Some(AtLeast::ThisMachine)), [Inconclusive::ClientLimit]);
        assert_eq!((of(Some(AtLeast::NoMoreTried)), of(None)), (vec![], vec![]));
        // A search without any passing count, too.
        let none = Evidence { judgement: Judgement::NotKnown, at_least: Some(AtLeast::Unfinished), ..met() };
        assert_eq!(reasons(&none), [Inconclusive::SearchUnfinished]);
        assert_eq!(reasons(&Evidence { is_complete: false, ..none }), []);
    }

    #[test]
    fn a_response_time_with_bad_timing_shows_nothing_and_a_failure_stays_one() {
        let of = |is_timing_good| reasons(&Evidence { is_timing_good, is_response_time: true, ..met() });
        assert_eq!(of(Some(false)), [Inconclusive::OwnTiming]);
        assert_eq!((of(Some(true)), of(None)), (vec![], vec![]));
        let storage = Evidence {
            judgement: Judgement::NotMet,
            culprit: Some(Culprit::Storage),
            is_timing_good: Some(false),
            ..met()
        };
        assert_eq!(reasons(&storage), []);
        let streams = Evidence { is_timing_good: Some(false), ..met() };
        assert_eq!(reasons(&streams), [], "frames in time despite own delay are in time");
    }

    #[test]
    fn replay_with_late_starts_is_inconclusive() {
        let of = |pace: &str, begun_late_ops, held_up_ops| {
            let pass = ReplayPass { begun_late_ops, held_up_ops, done_ops: 9_227, ..ReplayPass::default() };
            let replay = ReplayFacts { pace: pace.to_owned(), passes: vec![pass], ..ReplayFacts::default() };
            let judgement = Judgement::NothingAsked;
            reasons(&Evidence { judgement, replay: Some(&replay), ..met() })
        };
        let held = Inconclusive::HeldUp { held_up_ops: 3_030, ops: 9_227 };
        assert_eq!(of("recorded", 0, 3_030), [held]);
        let late = Inconclusive::BegunLate { late_ops: 3_030, ops: 9_227 };
        assert_eq!(of("recorded", 3_030, 0), [late]);
        assert_eq!(of("recorded", 3_030, 3_030), [late, held], "one reason does not hide the other");
        assert_eq!((of("recorded", 92, 922), of("max", 3_030, 3_030)), (vec![], vec![]));
    }
}
