//! What to do next, as data. One step, and only one that follows from what was measured.
//!
//! Not here: words and commands (the report room), hints from a mount's options (the first look's own), and
//! what to change in the storage (the doctor).

use serde::{Deserialize, Serialize};

use super::doubt::{Confidence, Doubt};
use super::number::StatedFigures;
use super::{AtLeast, Judgement, Number};
use crate::culprit::Culprit;
use crate::limit::LimitVerdict;
use crate::summary::{Outcome, Summary};

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Measure a path on the storage: this one is memory.
    ChooseStorage,
    /// Mend what broke it off, if anything did, and do the same again.
    RunAgain,
    /// Go on with the search where it ended.
    Resume,
    /// Close what else runs on this machine, or measure from a faster one.
    FreeThisMachine,
    /// Allow more bytes a second than what was set, or ask for fewer.
    AllowMore,
    /// Measure with more data than memory.
    PassTheCaches,
    /// Measure while nothing else uses the storage.
    MeasureAlone,
    /// Nothing but a faster link carries more to this machine.
    FasterLink,
    /// Mend the way to the storage, which is what limited it.
    MendTheWay,
    /// Look at what the storage did at the time of the worst incident.
    LookAtIncident,
    /// Search for the largest count that passes.
    FindMax,
    /// Let the search try more than it could.
    TryMore,
    /// Let the count that was found run for long.
    ProveForLong,
    /// Measure larger load points.
    MorePoints,
    /// Measure for longer.
    MeasureLonger,
    /// What the first look itself says.
    AsTheLookSays,
    /// Put what a watch sampled beside the run of a client.
    BesideARun,
    /// Make the load of the original meter with this program, which measures what that one leaves out.
    AsAMix,
    /// Change one thing, measure again, and compare.
    Compare,
}

/// What follows from what is said; `None` where nothing does, because what to do stands in a sentence on what
/// could not be measured.
pub(super) fn after(summary: &Summary, said: &StatedFigures, confidence: &Confidence) -> Option<NextStep> {
    let doubts = |doubt: Doubt| confidence.doubts.contains(&doubt);
    let own = said.cause.is_some_and(|cause| cause.culprit.is_own());
    let is_held_back = said.cause.is_some_and(|cause| cause.culprit == Culprit::MaxRate);
    match summary.outcome {
        // It has no load to do again.
        Outcome::Running if summary.watch.is_some() => None,
        _ if summary.watch.is_some() => Some(NextStep::BesideARun),
        _ if summary.msmeter.is_some() => Some(NextStep::AsAMix),
        _ if doubts(Doubt::Memory) && summary.check.is_none() => Some(NextStep::ChooseStorage),
        Outcome::Running => None,
        Outcome::Interrupted if summary.search.is_some() => Some(NextStep::Resume),
        Outcome::Interrupted | Outcome::BrokeOff => Some(NextStep::RunAgain),
        Outcome::Complete if is_held_back => Some(NextStep::AllowMore),
        Outcome::Complete if said.judgement == Judgement::NotMetByOwnFault => Some(NextStep::FreeThisMachine),
        Outcome::Complete if said.judgement == Judgement::NotKnown && own => Some(NextStep::FreeThisMachine),
        Outcome::Complete if doubts(Doubt::CacheAnswered) => Some(NextStep::PassTheCaches),
        Outcome::Complete if doubts(Doubt::Unsteady) => Some(NextStep::MeasureAlone),
        // Larger load points would only be later still.
        Outcome::Complete
            if doubts(Doubt::OwnTiming)
                && said.judgement == Judgement::Met
                && matches!(said.number, Number::ValidPoint { .. }) =>
        {
            Some(NextStep::FreeThisMachine)
        }
        // It has lost its verdict with its summary: the same again tells it.
        Outcome::Complete
            if said.judgement == Judgement::NotKnown
                && matches!(said.number, Number::Streams { .. })
                && summary.load_points.iter().all(|point| point.verdict.is_none()) =>
        {
            Some(NextStep::RunAgain)
        }
        Outcome::Complete => match by_number(summary, said) {
            // A run that was held up is nothing to compare with.
            Some(NextStep::Compare) if summary.self_cost.was_only_stopped() => Some(NextStep::RunAgain),
            step => step,
        },
    }
}

fn by_number(summary: &Summary, said: &StatedFigures) -> Option<NextStep> {
    Some(match (&said.number, said.judgement) {
        (Number::FirstLook { .. }, _) => NextStep::AsTheLookSays,
        (Number::Capacity { at_least: Some(AtLeast::ThisMachine), .. }, _) => NextStep::FreeThisMachine,
        (Number::Capacity { at_least: Some(AtLeast::Unfinished), .. }, _) => NextStep::Resume,
        (Number::Capacity { at_least: Some(AtLeast::NoMoreTried), .. }, _) => NextStep::TryMore,
        (_, Judgement::NotMet) => after_a_failure(summary, said),
        (Number::Capacity { .. }, _) => NextStep::ProveForLong,
        (Number::Streams { .. }, Judgement::Met) => NextStep::FindMax,
        (Number::ValidPoint { .. }, Judgement::Met) => NextStep::MorePoints,
        (_, Judgement::NotKnown) => NextStep::MeasureLonger,
        (Number::NotMeasured, _) => return None,
        _ => NextStep::Compare,
    })
}

/// Whether other programs took much of this machine's processors while no counter stood out anywhere: then
/// it is for them to go before somebody looks for a fault of the storage.
fn others_took_much(summary: &Summary, point: usize) -> bool {
    let limit = summary.load_points.get(point).and_then(|point| point.limit.as_ref());
    limit.is_some_and(|limit| {
        limit.verdict == LimitVerdict::NothingStoodOut && limit.others_percent().is_some()
    })
}

/// Where the way is named as the limit, the storage's log tells nothing.
fn after_a_failure(summary: &Summary, said: &StatedFigures) -> NextStep {
    let limit = |point: usize| summary.load_points.get(point)?.limit.as_ref()?.found.as_ref();
    let is_on_the_way = |point| limit(point).is_some_and(|finding| finding.step.is_on_the_way());
    match said.cause {
        Some(cause) if cause.culprit == Culprit::Storage && is_on_the_way(cause.point) => {
            NextStep::MendTheWay
        }
        Some(cause) if cause.culprit == Culprit::Link => NextStep::FasterLink,
        Some(cause) if cause.culprit == Culprit::Storage && others_took_much(summary, cause.point) => {
            NextStep::FreeThisMachine
        }
        Some(cause) if cause.incident.is_some() => NextStep::LookAtIncident,
        _ => NextStep::Compare,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cause;
    use super::*;
    use crate::summary::Target;

    fn step(
        judgement: Judgement,
        number: Number,
        culprit: Option<Culprit>,
        doubts: &[Doubt],
    ) -> Option<NextStep> {
        let summary = Summary::new("0.1.0", "2026-11-22T10:00:00Z", "streams", Target::default());
        let cause = culprit.map(|culprit| Cause { culprit, point: 0, incident: Some(0), incidents: 1 });
        let confidence = Confidence { doubts: doubts.to_vec() };
        after(&summary, &StatedFigures { judgement, number, cause }, &confidence)
    }

    const MET: Number = Number::Streams { point: 0, streams: 8, late_frames: 0, frames_judged: 800 };
    const LATE: Number = Number::LateFrames {
        point: 0,
        late_frames: 57,
        frames_judged: 1_125,
        streams_with_late_frames: 3,
        streams: 3,
    };

    #[test]
    fn a_pass_leads_to_the_limit_and_a_failure_to_its_cause() {
        assert_eq!(step(Judgement::Met, MET, None, &[]), Some(NextStep::FindMax));
        assert_eq!(
            step(Judgement::NotMet, LATE, Some(Culprit::Storage), &[]),
            Some(NextStep::LookAtIncident)
        );
        assert_eq!(step(Judgement::NotMet, LATE, Some(Culprit::Link), &[]), Some(NextStep::FasterLink));
        assert_eq!(
            step(Judgement::NotMetByOwnFault, LATE, Some(Culprit::Tool), &[]),
            Some(NextStep::FreeThisMachine)
        );
        let none = Number::Capacity { streams: 0, sometimes: None, at_least: None };
        assert_eq!(
            step(Judgement::NotMet, none, Some(Culprit::Storage), &[]),
            Some(NextStep::LookAtIncident)
        );
    }

    #[test]
    fn a_search_that_has_not_ended_goes_on() {
        let found = |at_least| Number::Capacity { streams: 31, sometimes: None, at_least };
        let after = |at_least| step(Judgement::Met, found(at_least), Some(Culprit::Storage), &[]);
        assert_eq!(after(None), Some(NextStep::ProveForLong));
        assert_eq!(after(Some(AtLeast::Unfinished)), Some(NextStep::Resume));
        assert_eq!(after(Some(AtLeast::ThisMachine)), Some(NextStep::FreeThisMachine));
        assert_eq!(after(Some(AtLeast::NoMoreTried)), Some(NextStep::TryMore));
    }

    #[test]
    fn what_a_cache_answered_proves_nothing_yet() {
        assert_eq!(step(Judgement::Met, MET, None, &[Doubt::CacheAnswered]), Some(NextStep::PassTheCaches));
        assert_eq!(step(Judgement::Met, MET, None, &[Doubt::Memory]), Some(NextStep::ChooseStorage));
        let valid = || Number::ValidPoint { streams: Some(60) };
        assert_eq!(step(Judgement::Met, valid(), None, &[]), Some(NextStep::MorePoints));
        let late = step(Judgement::Met, valid(), None, &[Doubt::OwnTiming]);
        assert_eq!(late, Some(NextStep::FreeThisMachine));
    }
}
