//! The next step for the user, as data: a single step that follows from the measurement.
//!
//! Not here: words and commands (report), and which doctor rule applies (the caller of the doctor).

use serde::{Deserialize, Serialize};

use super::doubt::Doubt;
use super::{AtLeast, Component, Inconclusive, Judgement, Number, Statement};
use crate::culprit::Culprit;
use crate::facts::CheckFacts;
use crate::limit::{CountLimit, LimitStep};
use crate::summary::{Outcome, Summary};

/// Below this share of free space, file systems get slow; a doctor rule has the same limit for local
/// disks (`fs.free_space_low`).
const FREE_SHARE_MIN: f64 = 0.10;

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// Measure a path on the storage: this one is in memory.
    ChooseStorage,
    /// Repair what aborted the run, if anything did, and run it again.
    RunAgain,
    /// Continue the search where it ended.
    Resume,
    /// Close other programs on the local host, or measure from a faster one.
    FreeThisMachine,
    /// Raise the configured byte rate limit, or request less.
    AllowMore,
    /// Measure with more data than memory.
    PassTheCaches,
    /// Measure while nothing else uses the storage.
    MeasureAlone,
    /// Use a faster link; nothing else raises the throughput of the local host.
    FasterLink,
    /// Repair the network path to the storage, which was the limit.
    MendTheWay,
    /// Check what the storage did at the time of the worst incident.
    LookAtIncident,
    /// Search for the largest count that passes.
    FindMax,
    /// Allow the search more than it had.
    TryMore,
    /// Run the resulting count for a long time.
    ProveForLong,
    /// Measure larger load points.
    MorePoints,
    /// Measure for longer.
    MeasureLonger,
    /// Follow the advice of a doctor rule that the client or its mount violates.
    FollowRule,
    /// Free space on the storage.
    MakeRoom,
    /// Follow the text of a quick check from an earlier version.
    AsTheLookSays,
    /// Add the samples of a watch to the run of a client.
    BesideARun,
    /// Generate the load of the original meter with Reelgauge, which measures what the original omits.
    AsAMix,
    /// Change one thing, measure again, and compare.
    Compare,
}

/// The step that follows from the statement; `None` if there is none, because the sentence about what
/// could not be measured names it.
pub(super) fn after(summary: &Summary, said: &Statement) -> Option<NextStep> {
    let doubts = |doubt: Doubt| said.confidence.doubts.contains(&doubt);
    match summary.outcome {
        // A watch has no load to repeat.
        Outcome::Running if summary.watch.is_some() => None,
        _ if summary.watch.is_some() => Some(NextStep::BesideARun),
        _ if summary.msmeter.is_some() => Some(NextStep::AsAMix),
        _ if doubts(Doubt::Memory) => Some(NextStep::ChooseStorage),
        Outcome::Running => None,
        Outcome::Interrupted | Outcome::BrokeOff if summary.search.is_some() => Some(NextStep::Resume),
        Outcome::Interrupted | Outcome::BrokeOff => Some(NextStep::RunAgain),
        Outcome::Complete => of_complete(summary, said),
    }
}

fn of_complete(summary: &Summary, said: &Statement) -> Option<NextStep> {
    let doubts = |doubt: Doubt| said.confidence.doubts.contains(&doubt);
    let culprit = said.cause.map(|cause| cause.culprit);
    let is_own = culprit.is_some_and(Culprit::is_own);
    let is_clients = |reason: &Inconclusive| reason.components().contains(&Component::Client);
    let limit = said.limit(summary).and_then(|limit| limit.found);
    let is_held_back = said.blames() && limit.is_some_and(|found| found.step == LimitStep::MaxRate);
    if culprit == Some(Culprit::MaxRate) || is_held_back {
        return Some(NextStep::AllowMore);
    }
    if said.inconclusive.iter().any(is_clients) || said.judgement == Judgement::NotKnown && is_own {
        return Some(NextStep::FreeThisMachine);
    }
    // A cache makes nothing late, so a certain cause comes first.
    if doubts(Doubt::CacheAnswered) && !said.is_certain() {
        return Some(NextStep::PassTheCaches);
    }
    // If this client is the limit of a check, other users of the storage are not the reason.
    let check_limit = summary.check.as_ref().and_then(|check| check.limit_culprit);
    let is_of_client = check_limit.is_some_and(Culprit::is_own);
    if doubts(Doubt::Unsteady) && !is_of_client {
        return Some(NextStep::MeasureAlone);
    }
    // Its verdict was lost with its summary; another run gives a new one.
    if said.judgement == Judgement::NotKnown
        && matches!(said.number, Number::Streams { .. })
        && summary.load_points.iter().all(|point| point.verdict.is_none())
    {
        return Some(NextStep::RunAgain);
    }
    match by_number(summary, said) {
        // A run that was held up is no base for a comparison.
        Some(NextStep::Compare) if summary.self_cost.was_only_stopped() => Some(NextStep::RunAgain),
        step => step,
    }
}

fn by_number(summary: &Summary, said: &Statement) -> Option<NextStep> {
    Some(match (&said.number, said.judgement) {
        (Number::FirstLook { .. }, _) => after_a_check(summary.check.as_ref()?, summary, said),
        (Number::Capacity { at_least: Some(AtLeast::ThisMachine), .. }, _) => NextStep::FreeThisMachine,
        (Number::Capacity { at_least: Some(AtLeast::Unfinished), .. }, _) => NextStep::Resume,
        (Number::Capacity { at_least: Some(AtLeast::NoMoreTried), .. }, _) => NextStep::TryMore,
        (_, Judgement::NotMet) => after_a_failure(summary, said),
        (Number::Capacity { .. }, _) => NextStep::ProveForLong,
        (Number::Streams { .. }, Judgement::Met) => NextStep::FindMax,
        (Number::ValidPoint { .. }, Judgement::Met) => NextStep::MorePoints,
        (_, Judgement::Inconclusive) if said.inconclusive == [Inconclusive::SearchUnfinished] => {
            NextStep::Resume
        }
        (_, Judgement::NotKnown) => NextStep::MeasureLonger,
        (Number::NotMeasured, _) => return None,
        _ => NextStep::Compare,
    })
}

/// A fault that was found on the network path is to be repaired. Behind a limit of this client, or a
/// configured one, no other limit is known.
fn after_a_check(check: &CheckFacts, summary: &Summary, said: &Statement) -> NextStep {
    let limit = said.limit(summary).and_then(|limit| limit.found);
    let is_broken = |step: LimitStep| step.is_on_the_way() && step != LimitStep::LinkFull;
    let may_be_others = CountLimit::decisive(&check.limits()) == Some(CountLimit::StorageOrOthers);
    match check.limit_culprit {
        _ if limit.is_some_and(|finding| is_broken(finding.step)) => NextStep::MendTheWay,
        _ if check.next_step.is_some() => NextStep::AsTheLookSays,
        Some(Culprit::MaxRate) => NextStep::AllowMore,
        culprit if may_be_others || culprit.is_some_and(Culprit::is_own) => NextStep::FreeThisMachine,
        _ if check.hint.is_some() => NextStep::FollowRule,
        Some(Culprit::Link) => NextStep::FasterLink,
        _ if check.free_share.is_some_and(|share| share < FREE_SHARE_MIN) => NextStep::MakeRoom,
        _ => NextStep::FindMax,
    }
}

/// If the network path is the limit, the storage's log is of no use.
fn after_a_failure(summary: &Summary, said: &Statement) -> NextStep {
    let limit = said.limit(summary).and_then(|limit| limit.found);
    let is_on_the_way = limit.is_some_and(|finding| finding.step.is_on_the_way());
    match said.cause {
        Some(cause) if cause.culprit == Culprit::Storage && is_on_the_way => NextStep::MendTheWay,
        Some(cause) if cause.culprit == Culprit::Link => NextStep::FasterLink,
        Some(cause) if cause.culprit == Culprit::Storage && cause.incident.is_some() => {
            NextStep::LookAtIncident
        }
        _ => NextStep::Compare,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cause, Confidence};
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
        let inconclusive = match judgement {
            Judgement::Inconclusive => vec![Inconclusive::ClientDelay],
            _ => Vec::new(),
        };
        let said = Statement { judgement, inconclusive, number, cause, confidence, ..Statement::default() };
        after(&summary, &said)
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
            step(Judgement::Inconclusive, LATE, Some(Culprit::Tool), &[]),
            Some(NextStep::FreeThisMachine)
        );
        let none = Number::Capacity { streams: 0, sometimes: None, at_least: None };
        assert_eq!(
            step(Judgement::NotMet, none, Some(Culprit::Storage), &[]),
            Some(NextStep::LookAtIncident)
        );
    }

    #[test]
    fn unfinished_search_continues() {
        let found = |at_least| Number::Capacity { streams: 31, sometimes: None, at_least };
        let after = |at_least| step(Judgement::Met, found(at_least), Some(Culprit::Storage), &[]);
        assert_eq!(after(None), Some(NextStep::ProveForLong));
        assert_eq!(after(Some(AtLeast::Unfinished)), Some(NextStep::Resume));
        assert_eq!(after(Some(AtLeast::ThisMachine)), Some(NextStep::FreeThisMachine));
        assert_eq!(after(Some(AtLeast::NoMoreTried)), Some(NextStep::TryMore));
    }

    #[test]
    fn cached_result_advises_a_larger_data_set() {
        assert_eq!(step(Judgement::Met, MET, None, &[Doubt::CacheAnswered]), Some(NextStep::PassTheCaches));
        assert_eq!(step(Judgement::Met, MET, None, &[Doubt::Memory]), Some(NextStep::ChooseStorage));
        let valid = || Number::ValidPoint { streams: Some(60) };
        assert_eq!(step(Judgement::Met, valid(), None, &[]), Some(NextStep::MorePoints));
        let late = step(Judgement::Inconclusive, valid(), None, &[Doubt::OwnTiming]);
        assert_eq!(late, Some(NextStep::FreeThisMachine));
        // A cache makes no frame late.
        let late = step(Judgement::NotMet, LATE, Some(Culprit::Storage), &[Doubt::CacheAnswered]);
        assert_eq!(late, Some(NextStep::LookAtIncident));
    }
}
