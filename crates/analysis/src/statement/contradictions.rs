//! No statement points at two components for the same harm: generated summaries of every kind, with
//! every possible culprit, limit, doubt and end. The kinds come from the enums; no pair is written by
//! hand.

use proptest::prelude::*;

use super::tests::{point, summary};
use super::*;
use crate::cached_reads::{CacheEvidence, CacheSuspicion};
use crate::facts::{
    CheckBasis, CheckCount, CheckFacts, CheckFormat, ReplayFacts, ReplayPass, SearchFacts, StoppedBy,
    VdaFacts, VdaPoint,
};
use crate::limit::{Limit, LimitFinding, LimitStep, LimitVerdict, Measure, Seen};
use crate::summary::{HeldBack, LoadPoint, Outcome, Summary};
use crate::sustained::{RateTrend, SustainedRate};

fn culprit() -> impl Strategy<Value = Culprit> {
    prop::sample::select(vec![
        Culprit::Tool,
        Culprit::ThisMachine,
        Culprit::MaxRate,
        Culprit::Link,
        Culprit::Storage,
        Culprit::NotKnown,
    ])
}

fn step() -> impl Strategy<Value = LimitStep> {
    let all: Vec<LimitStep> = LimitStep::ALL.into_iter().chain([LimitStep::MaxRate]).collect();
    prop::sample::select(all)
}

fn finding(step: LimitStep) -> LimitFinding {
    let seen = vec![Seen { measure: Measure::OthersPercent, value: 66.0, threshold: Some(50.0) }];
    LimitFinding { step, at: None, seen, rules: Vec::new() }
}

fn limit() -> impl Strategy<Value = Option<Limit>> {
    let verdict = prop::sample::select(vec![
        LimitVerdict::Found,
        LimitVerdict::NothingStoodOut,
        LimitVerdict::NothingLimited,
        LimitVerdict::OwnFault,
        LimitVerdict::NotKnown,
    ]);
    let parts = (verdict, prop::option::of(step()), prop::collection::vec(step(), 0..3));
    prop::option::of(parts.prop_map(|(verdict, found, beside)| Limit {
        verdict,
        found: found.map(finding),
        contributing: beside.into_iter().map(finding).collect(),
        ..Limit::default()
    }))
}

fn load_point() -> impl Strategy<Value = LoadPoint> {
    let parts = (0..60_u64, culprit(), limit(), 1..6_u32, any::<bool>(), any::<bool>());
    parts.prop_map(|(late, culprit, limit, streams, is_measured, has_incident)| {
        let late = if late < 20 { 0 } else { late };
        let mut point = LoadPoint { limit, ..point(late, culprit) };
        point.stream_count = Some(streams);
        let failures = point.verdict.iter_mut().flat_map(|verdict| &mut verdict.failures);
        failures.for_each(|failure| failure.measured = is_measured);
        if !has_incident && let Some(late) = &mut point.streams {
            late.incidents.clear();
        }
        point.held_back =
            (culprit == Culprit::MaxRate).then_some(HeldBack { max_bytes_per_s: 1, operations: 9 });
        point
    })
}

fn count() -> impl Strategy<Value = Option<CheckCount>> {
    let basis = prop::sample::select(vec![
        None,
        Some(CheckBasis::Held),
        Some(CheckBasis::SustainedRate),
        Some(CheckBasis::ShortTrial),
    ]);
    let parts = (0..4_u32, 0..3_u32, any::<bool>(), basis).prop_map(|(streams, error, at_least, basis)| {
        CheckCount { streams, error_streams: Some(error), at_least, basis, ..CheckCount::default() }
    });
    prop::option::of(parts)
}

fn check() -> impl Strategy<Value = CheckFacts> {
    let format = (count(), count());
    let format = format.prop_map(|(play, record)| CheckFormat { play, record, ..CheckFormat::default() });
    let trend = prop::sample::select(vec![RateTrend::Steady, RateTrend::Burst, RateTrend::Unsettled]);
    let rate = trend.prop_map(|trend| SustainedRate { trend, ..SustainedRate::default() });
    let parts = (
        prop::collection::vec(format, 0..4),
        prop::option::of(culprit()),
        any::<bool>(),
        prop::option::of(rate),
    );
    parts.prop_map(|(formats, limit_culprit, is_unsteady, sequential_reads)| CheckFacts {
        formats,
        limit_culprit,
        unsteady: is_unsteady.then(String::new),
        sequential_reads,
        ..CheckFacts::default()
    })
}

/// Puts the facts of a kind of run into a summary: streams, a mix, a search, a curve, a replay, a check.
fn kind() -> impl Strategy<Value = Summary> {
    let stopped_by = prop::sample::select(vec![
        None,
        Some(StoppedBy::Time),
        Some(StoppedBy::Trials),
        Some(StoppedBy::Cap),
        Some(StoppedBy::Room),
        Some(StoppedBy::OneProcess),
    ]);
    let search = (any::<bool>(), any::<bool>(), prop::option::of(0..6_u32), stopped_by);
    let replay = (0..200_u64, 0..200_u64);
    let parts = (prop::collection::vec(load_point(), 1..4), 0..6_u8, search, replay, check());
    parts.prop_map(
        |(points, kind, (complete, limited_by_client, streams, stopped_by), (late, held), check)| {
            let mut summary = summary(points);
            match kind {
                0 => {}
                1 => summary.load_points.iter_mut().for_each(|point| {
                    (point.streams, point.stream_count, point.verdict) = (None, None, None);
                    point.culprit = None;
                }),
                2 => {
                    summary.search = Some(SearchFacts {
                        complete,
                        limited_by_client,
                        streams,
                        stopped_by,
                        ..Default::default()
                    });
                }
                3 => {
                    let passed =
                        |point: &LoadPoint| point.verdict.as_ref().is_some_and(|verdict| verdict.passed);
                    let vda = |point: &LoadPoint| VdaPoint { valid: passed(point), ..VdaPoint::default() };
                    let points = summary.load_points.iter().map(vda).collect();
                    summary.vda = Some(VdaFacts { points, ..VdaFacts::default() });
                }
                4 => summary.check = Some(check),
                _ => {
                    let pass = ReplayPass {
                        complete: true,
                        done_ops: 1_000,
                        begun_late_ops: late,
                        held_up_ops: held,
                        ..ReplayPass::default()
                    };
                    summary.replay = Some(ReplayFacts {
                        pace: "recorded".to_owned(),
                        passes: vec![pass],
                        ..Default::default()
                    });
                }
            }
            summary
        },
    )
}

fn any_summary() -> impl Strategy<Value = Summary> {
    let outcome = prop::sample::select(vec![
        Outcome::Complete,
        Outcome::Complete,
        Outcome::Interrupted,
        Outcome::BrokeOff,
        Outcome::Running,
    ]);
    let suspicion = prop::sample::select(vec![
        None,
        Some(CacheSuspicion::NotSuspected),
        Some(CacheSuspicion::Answered { evidence: CacheEvidence::TargetIsMemory }),
        Some(CacheSuspicion::Answered { evidence: CacheEvidence::ClientCounted { share: 0.9 } }),
    ]);
    (kind(), outcome, prop::option::of(any::<bool>()), suspicion).prop_map(
        |(mut summary, outcome, timing, suspicion)| {
            summary.outcome = outcome;
            summary.self_cost.timing_good_enough = timing;
            summary.memory = Some(crate::MemoryFacts { suspicion, ..Default::default() });
            summary
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_statement_points_at_two_components(summary in any_summary()) {
        let said = of(&summary);
        prop_assert!(said.is_consistent(&summary), "{:?} of {said:#?}", said.components(&summary));
    }

    #[test]
    fn next_to_a_certain_cause_no_limit_is_unknown_and_this_client_is_one_doubt(summary in any_summary()) {
        let said = of(&summary);
        if said.is_certain() {
            let limit = said.limit(&summary);
            let is_told = |limit: &Limit| limit.found.is_some() || !limit.contributing.is_empty();
            prop_assert!(limit.as_ref().is_none_or(is_told), "{limit:?}");
            let client = [Doubt::OwnFault, Doubt::OwnTiming, Doubt::ClientBusy];
            let doubts = said.confidence.doubts.iter().filter(|doubt| client.contains(doubt));
            prop_assert!(doubts.count() <= 1, "{:?}", said.confidence);
        }
    }

    #[test]
    fn passed_run_is_not_doubted_for_its_timing(summary in any_summary()) {
        let said = of(&summary);
        prop_assert_eq!(said.judgement == Judgement::Inconclusive, !said.inconclusive.is_empty());
        if said.judgement == Judgement::Met {
            prop_assert!(!said.confidence.doubts.contains(&Doubt::OwnTiming), "{:?}", said);
        }
    }
}

#[test]
fn a_statement_that_contradicts_itself_is_found() {
    let summary = summary(vec![point(57, Culprit::Storage)]);
    let said = of(&summary);
    assert!(said.is_consistent(&summary));
    let other = Statement { next_step: Some(NextStep::FreeThisMachine), ..said };
    assert!(!other.is_consistent(&summary));
}
