//! The statements of synthetic summaries.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::facts::{CheckFacts, VdaFacts};
use crate::facts::{SearchFacts, StoppedBy, VdaPoint};
use crate::figures::{Figures, PointTiming};
use crate::incident::Incident;
use crate::late::LateFigures;
use crate::late::{StreamFigures, StreamTotals};
use crate::meter::PointFigures;
use crate::summary::Summary;
use crate::summary::{LoadPoint, Outcome};
use crate::summary::{LoadPointFacts, Target};
use crate::sustained::SustainedRate;
use crate::verdict::Verdict;
use crate::verdict::failure_of_tests;

pub(super) fn summary(points: Vec<LoadPoint>) -> Summary {
    let mut summary = Summary::new("0.1.0", "2026-11-22T10:00:00Z", "streams", Target::default());
    summary.load_points = points;
    summary
}

/// A load point of three streams with 1,125 frames, of which this many were late in one incident.
pub(super) fn point(late_frames: u64, culprit: Culprit) -> LoadPoint {
    let figures = PointFigures {
        point: 0,
        timing: PointTiming { started_ns: 0, measured_ns: 60_000_000_000 },
        total: Figures { ops: 1_125, ..Figures::default() },
        per_worker: Vec::new(),
        paper: Default::default(),
    };
    let mut point = LoadPoint::new(LoadPointFacts::default(), figures);
    let incident = Incident { late_frames, culprit, stream_count: 3, ..Incident::default() };
    point.stream_count = Some(3);
    point.streams = Some(LateFigures {
        total: StreamTotals {
            streams: 3,
            streams_with_late_frames: if late_frames > 0 { 3 } else { 0 },
            frames_judged: 1_125,
            late_frames,
            ..StreamTotals::default()
        },
        streams: vec![StreamFigures::default(); 3],
        incidents: if late_frames > 0 { vec![incident] } else { Vec::new() },
        incident_count: u64::from(late_frames > 0),
        ignored_ops: 0,
    });
    let passed = late_frames == 0;
    let failures = if passed { Vec::new() } else { vec![failure_of_tests()] };
    point.verdict = Some(Verdict {
        passed,
        failed_first: failures.first().cloned(),
        storage_failed: !passed,
        failures,
        asked: vec![Criterion::LateFrames],
    });
    point.culprit = (!passed).then_some(culprit);
    point
}

#[test]
fn late_frames_of_all_streams_are_the_number_and_the_worst_incident_the_cause() {
    let said = of(&summary(vec![point(57, Culprit::Storage)]));
    assert_eq!(said.judgement, Judgement::NotMet);
    let number = Number::LateFrames {
        point: 0,
        late_frames: 57,
        frames_judged: 1_125,
        streams_with_late_frames: 3,
        streams: 3,
    };
    assert_eq!(said.number, number);
    assert_eq!(
        said.cause,
        Some(Cause { culprit: Culprit::Storage, point: 0, incident: Some(0), incidents: 1 })
    );
}

#[test]
fn late_frames_caused_by_reelgauge_are_not_attributed_to_storage() {
    let said = of(&summary(vec![point(57, Culprit::Tool)]));
    assert_eq!(
        (said.judgement, &said.inconclusive[..]),
        (Judgement::Inconclusive, &[Inconclusive::ClientDelay][..])
    );
    assert_eq!(said.confidence.doubts, [Doubt::OwnFault]);
}

#[test]
fn stopped_run_is_not_reported_as_passed() {
    let mut stopped = summary(vec![point(0, Culprit::NotKnown)]);
    stopped.outcome = Outcome::Interrupted;
    stopped.load_points[0].verdict = None;
    let said = of(&stopped);
    assert_eq!(said.judgement, Judgement::NotKnown);
    // Frames were late, although no operation completed.
    let mut silent = summary(vec![point(30, Culprit::Storage)]);
    silent.outcome = Outcome::Interrupted;
    silent.load_points[0].verdict = None;
    silent.load_points[0].total = Figures::default();
    let said = of(&silent);
    assert!(matches!(said.number, Number::LateFrames { late_frames: 30, .. }), "{:?}", said.number);
    assert_eq!(said.judgement, Judgement::NotKnown);
    // Without any judged frame there is no number.
    stopped.load_points[0].streams = None;
    assert_eq!(of(&stopped).number, Number::NotMeasured);
    let nothing = of(&summary(Vec::new()));
    assert_eq!((nothing.judgement, nothing.number), (Judgement::NothingAsked, Number::NotMeasured));
}

#[test]
fn a_rate_that_was_not_steady_is_a_doubt_of_a_check() {
    let doubts = |reads: Option<SustainedRate>, writes: Option<SustainedRate>| {
        let mut summary = summary(Vec::new());
        let check =
            CheckFacts { sequential_reads: reads, sequential_writes: writes, ..CheckFacts::default() };
        summary.check = Some(check);
        of(&summary).confidence.doubts.contains(&Doubt::Burst)
    };
    let rate = |seconds: &[f64]| SustainedRate::of(seconds);
    let burst = rate(&[480e6, 390e6, 250e6, 251e6, 249e6, 250e6, 250e6]);
    let rose = rate(&[60e6, 60e6, 60e6, 60e6, 200e6, 200e6, 200e6, 200e6, 200e6, 200e6]);
    let steady = rate(&[250e6; 7]);
    assert_eq!([doubts(steady, steady), doubts(None, None)], [false; 2]);
    assert_eq!([doubts(burst, steady), doubts(steady, burst), doubts(rose, None)], [true; 3]);
    // Too few seconds show no burst.
    assert!(!doubts(rate(&[480e6, 250e6]), None));
}

#[test]
fn unfinished_search_does_not_report_capacity_0() {
    let facts = |streams, complete| SearchFacts { streams, complete, ..SearchFacts::default() };
    let said = |facts| {
        let mut summary = summary(Vec::new());
        summary.search = Some(facts);
        of(&summary)
    };
    assert_eq!(said(facts(Some(0), false)).number, Number::NotMeasured);
    // Measured, but neither is shown.
    assert_eq!(said(facts(Some(0), false)).inconclusive, [Inconclusive::SearchUnfinished]);
    assert_eq!(said(facts(Some(0), true)).judgement, Judgement::NotMet);
    let some = said(facts(Some(31), false));
    assert_eq!(
        some.number,
        Number::Capacity { streams: 31, sometimes: None, at_least: Some(AtLeast::Unfinished) }
    );
    // Continuing would not find more if there was no room for more.
    for (stopped_by, at_least) in
        [(StoppedBy::Room, AtLeast::NoMoreTried), (StoppedBy::Time, AtLeast::Unfinished)]
    {
        let number = said(SearchFacts { stopped_by: Some(stopped_by), ..facts(Some(31), false) }).number;
        assert_eq!(number, Number::Capacity { streams: 31, sometimes: None, at_least: Some(at_least) });
    }
}

#[test]
fn cause_is_from_the_first_failed_count_not_from_lower_ones() {
    let with =
        |count, late_frames, culprit| LoadPoint { stream_count: Some(count), ..point(late_frames, culprit) };
    let points =
        vec![with(4, 57, Culprit::Tool), with(4, 0, Culprit::NotKnown), with(5, 9, Culprit::Storage)];
    let mut summary = summary(points);
    summary.search = Some(SearchFacts { streams: Some(4), complete: true, ..SearchFacts::default() });
    let cause = of(&summary).cause.unwrap();
    assert_eq!((cause.point, cause.culprit), (2, Culprit::Storage));
}

#[test]
fn interrupted_load_point_has_unknown_validity() {
    let vda_point = |valid| VdaPoint { streams: 10, valid, ..VdaPoint::default() };
    let mut stopped = summary(vec![point(0, Culprit::NotKnown)]);
    stopped.outcome = Outcome::Interrupted;
    stopped.load_points[0].ended_early = Some("interrupted".to_owned());
    stopped.vda = Some(VdaFacts { points: vec![vda_point(false)], ..VdaFacts::default() });
    let said = of(&stopped);
    assert_eq!((said.judgement, said.number), (Judgement::NotKnown, Number::NotMeasured));
    stopped.load_points[0].ended_early = None;
    let said = of(&stopped);
    assert_eq!((said.judgement, said.number), (Judgement::NotMet, Number::ValidPoint { streams: None }));
}

#[test]
fn broken_network_path_advises_about_the_path_not_the_storage_log() {
    use crate::limit::{Limit, LimitFinding, LimitStep, LimitVerdict};
    let after = |step: LimitStep| {
        let mut failed = point(57, Culprit::Storage);
        let found = LimitFinding { step, at: None, seen: Vec::new(), rules: Vec::new() };
        failed.limit = Some(Limit { verdict: LimitVerdict::Found, found: Some(found), ..Limit::default() });
        of(&summary(vec![failed])).next_step
    };
    for step in [LimitStep::NetworkLoss, LimitStep::PathBroken, LimitStep::TcpWindow] {
        assert_eq!(after(step), Some(NextStep::MendTheWay), "{step:?}");
    }
    for step in [LimitStep::Server, LimitStep::Disk] {
        assert_eq!(after(step), Some(NextStep::LookAtIncident), "{step:?}");
    }
}

#[test]
fn busy_processors_are_a_doubt_not_a_second_culprit() {
    use crate::limit::{Limit, LimitFinding, LimitStep, LimitVerdict, Measure, Seen};
    let mut failed = point(57, Culprit::Storage);
    let seen = vec![Seen { measure: Measure::OthersPercent, value: 66.0, threshold: Some(50.0) }];
    let others = LimitFinding { step: LimitStep::Client, at: None, seen, rules: Vec::new() };
    let verdict = LimitVerdict::NothingStoodOut;
    failed.limit = Some(Limit { verdict, contributing: vec![others], ..Limit::default() });
    let summary = summary(vec![failed]);
    let said = of(&summary);
    assert_eq!(said.next_step, Some(NextStep::LookAtIncident));
    assert_eq!((said.limit(&summary), said.limit_point), (None, None));
    assert_eq!(said.confidence.doubts, [Doubt::ClientBusy]);
    assert!(said.is_consistent(&summary));
}

#[test]
fn met_criteria_report_no_limit() {
    use crate::limit::{Limit, LimitFinding, LimitStep, LimitVerdict};
    let mut met = point(0, Culprit::NotKnown);
    let server = LimitFinding { step: LimitStep::Server, at: None, seen: Vec::new(), rules: Vec::new() };
    let verdict = LimitVerdict::NothingLimited;
    met.limit = Some(Limit { verdict, contributing: vec![server], ..Limit::default() });
    let summary = summary(vec![met]);
    assert_eq!((of(&summary).judgement, of(&summary).limit(&summary)), (Judgement::Met, None));
}

#[test]
fn lost_verdicts_report_late_frames_of_all_load_points() {
    let lost = |late_frames, bytes_per_s| {
        let mut lost = LoadPoint { verdict: None, culprit: None, ..point(late_frames, Culprit::Storage) };
        lost.total.bytes_per_s = Some(bytes_per_s);
        lost
    };
    // As for a search that was killed: the highest throughput is not its result.
    let said = of(&summary(vec![lost(0, 1e6), lost(29, 2e6), lost(0, 9e6), lost(700, 3e6)]));
    assert_eq!(said.judgement, Judgement::NotKnown);
    assert!(matches!(said.number, Number::LateFrames { point: 1, late_frames: 29, .. }), "{said:?}");
    let said = of(&summary(vec![lost(0, 1e6), lost(0, 9e6)]));
    assert!(matches!(said.number, Number::Streams { point: 1, late_frames: 0, .. }), "{said:?}");
}
