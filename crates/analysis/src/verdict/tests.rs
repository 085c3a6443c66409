//! Rulings on handmade figures. Sentences about them are in the report crate.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::criteria::Criteria;
use crate::figures::{ErrorFigures, FirstError, TimeFigures};
use crate::late::{FirstLateFrame, LateRun, Policy, StreamFigures, ThroughputFigures};
use crate::test_figures::{judged_stream as stream, late_stream as late, operations, times};
use crate::vda::{ProcessRate, RateError};
use reelgauge_record::OpKind;

fn ruling(criteria: &str, streams: &[StreamFigures]) -> Ruling {
    let change: crate::criteria::CriteriaChange = criteria.parse().unwrap();
    let criteria = change.apply_to(Criteria::default());
    let total = operations();
    judge(&criteria, &Measured { streams, total: Some(&total), rates: &[] })
}

fn judged(criteria: &str, streams: &[StreamFigures]) -> Verdict {
    without_sentences(ruling(criteria, streams))
}

/// The verdict without sentences.
fn without_sentences(ruling: Ruling) -> Verdict {
    ruling.in_words(|_| String::new())
}

/// The reason for the first failure.
fn reason(ruling: &Ruling) -> &Reason {
    ruling.unmet()[0].reason()
}

/// The same for late frames.
fn late_stream(ruling: &Ruling) -> &LateStream {
    match reason(ruling) {
        Reason::LateFrames(late) => late,
        other => panic!("{other:?} is about late frames"),
    }
}

fn name_of(stream: &StreamFigures) -> StreamName {
    StreamName { number: stream.stream, name: stream.name.clone() }
}

#[test]
fn met_criteria_pass_and_are_listed() {
    let verdict = judged("late=0,errors=0,p99=40ms", &[stream(0), stream(1)]);
    assert!(verdict.passed && !verdict.storage_failed && verdict.failed_first.is_none());
    assert_eq!(verdict.asked, [Criterion::LateFrames, Criterion::FailedOps, Criterion::P99Response]);
    assert!(!verdict.is_no_fault_of_the_storage());
}

#[test]
fn the_stream_that_was_late_first_is_named() {
    let streams = [stream(0), late(3, 20.0, 40), late(14, 8.48, 12), late(2, 9.0, 1)];
    let verdict = judged("late=0", &streams);
    let first = verdict.failed_first.as_ref().unwrap();
    assert_eq!((first.criterion, first.stream), (Criterion::LateFrames, Some(14)));
    assert_eq!((first.at_s, first.at_in_point_s.map(|s| (s * 100.0).round())), (Some(108.48), Some(848.0)));
    let found = ruling("late=0", &streams);
    let expected = LateStream {
        stream: name_of(&streams[2]),
        first_frame: 212,
        deadline_in_point_s: 8.48,
        fate: FrameFate::Came { late_us: 310_000.0 },
        writes: false,
        late_frames: 12,
        frames_judged: 1500,
        late_frames_without_own_delay: 12,
    };
    assert_eq!(late_stream(&found), &expected);
    let order: Vec<Option<u32>> = verdict.failures.iter().map(|failure| failure.stream).collect();
    assert_eq!(order, [Some(14), Some(2), Some(3)]);
    assert!(verdict.storage_failed);
    assert_eq!((first.limit, first.found), (0.0, Some(12.0)));
}

#[test]
fn failure_time_is_that_of_the_first_frame_above_the_limit() {
    let mut stream = late(1, 10.0, 4);
    stream.first_late_runs.push(LateRun {
        first_frame: 500,
        frames: 6,
        began_s: 120.0,
        ..stream.first_late_runs[0]
    });
    stream.late_frames = 10;
    // Four in the first late run, so the seventh is the third of the second run.
    let verdict = judged("late=6", &[stream.clone()]);
    assert_eq!(verdict.failed_first.as_ref().unwrap().at_s, Some(120.08));
    let found = ruling("late=6", &[stream.clone()]);
    assert_eq!((late_stream(&found).late_frames, late_stream(&found).frames_judged), (10, 1500));
    assert_eq!(found.unmet()[0].limit(), 6.0);
    assert!(judged("late=10", &[stream]).passed);
}

#[test]
fn missing_and_late_frames_have_different_reasons() {
    let without = |dropped, failed, policy, writes| {
        let mut stream = StreamFigures { policy, writes, ..late(0, 1.0, 1) };
        let first = stream.first_late.unwrap();
        stream.first_late = Some(FirstLateFrame { late_us: None, dropped, failed, ..first });
        let found = ruling("late=0", &[stream]);
        let late = late_stream(&found);
        assert_eq!((late.first_frame, late.writes), (25, writes));
        late.fate
    };
    assert_eq!(without(true, false, Policy::Drop, false), FrameFate::Skipped);
    assert_eq!(without(true, false, Policy::Stall, true), FrameFate::NeverBegun);
    assert_eq!(without(false, true, Policy::Drop, true), FrameFate::Failed);
    assert_eq!(without(false, false, Policy::Drop, false), FrameFate::Incomplete);
}

#[test]
fn late_frames_caused_by_reelgauge_do_not_fail_the_storage() {
    let tools = StreamFigures { late_frames_with_own_delay: 12, ..late(0, 5.0, 12) };
    let verdict = judged("late=0", std::slice::from_ref(&tools));
    assert!(!verdict.passed && !verdict.storage_failed && verdict.is_no_fault_of_the_storage());
    assert!(verdict.failures[0].because_of_tool);
    let found = ruling("late=0", std::slice::from_ref(&tools));
    assert!(found.unmet()[0].is_because_of_tool());
    assert_eq!(late_stream(&found).late_frames_without_own_delay, 0);
    // A single frame that Reelgauge does not explain is enough.
    let mixed = StreamFigures { late_frames_with_own_delay: 11, ..tools.clone() };
    assert!(judged("late=0", &[mixed]).storage_failed);
    // So is another stream.
    assert!(judged("late=0", &[tools, late(1, 50.0, 1)]).storage_failed);
}

#[test]
fn unmeasured_criterion_is_not_met() {
    for criteria in ["late=0", "throughput=1MB/s", "worker-rate=75", "global-rate=95", "ratio=5"] {
        let verdict = judged(criteria, &[]);
        assert!(!verdict.passed && !verdict.storage_failed, "{criteria}");
        assert!(!verdict.failures[0].measured && verdict.failures[0].found.is_none());
    }
    let never = StreamFigures { began_s: None, frames_judged: 0, ..stream(7) };
    let short = StreamFigures { frames_judged: 0, ..stream(8) };
    let (never_name, short_name) = (name_of(&never), name_of(&short));
    let found = ruling("late=0", &[never, short, late(9, 3.0, 1)]);
    assert_eq!(found.unmet()[1].reason(), &Reason::NeverBegan(never_name));
    assert_eq!(found.unmet()[2].reason(), &Reason::NoFrameJudged(short_name));
    // Measured failures come before failures without a measurement.
    let verdict = without_sentences(found);
    let order: Vec<Option<u32>> = verdict.failures.iter().map(|failure| failure.stream).collect();
    assert_eq!(order, [Some(9), Some(7), Some(8)]);
    // Also if the measured one has no time.
    let never = StreamFigures { began_s: None, frames_judged: 0, ..stream(7) };
    let verdict = judged("late=0,p99=1ms", &[never, stream(9)]);
    assert_eq!(verdict.failed_first.unwrap().criterion, Criterion::P99Response);
    let nothing = judge(
        &Criteria { failed_ops_max: Some(0), p99_response_ms: Some(1.0), ..Criteria::default() },
        &Measured::default(),
    );
    let reasons: Vec<&Reason> = nothing.unmet().iter().map(Unmet::reason).collect();
    assert_eq!(reasons, [&Reason::NoOperation, &Reason::NoDataResponse]);
    let none_came = StreamFigures { response: None, ..stream(0) };
    let found = ruling("p99=1s", std::slice::from_ref(&none_came));
    assert_eq!(reason(&found), &Reason::NoFrameCame(name_of(&none_came)));
    assert!(!without_sentences(found).passed);
}

#[test]
fn empty_criteria_pass() {
    assert!(without_sentences(judge(&Criteria::default(), &Measured::default())).passed);
    assert!(without_sentences(Ruling::default()).passed);
}

#[test]
fn failures_without_a_time_are_listed_after_those_with_one() {
    let mut slow = late(4, 30.0, 1);
    slow.response = Some(times(41_000.0));
    let slow_name = name_of(&slow);
    let found = ruling("p99=40ms,late=0", &[slow]);
    assert_eq!(found.unmet()[1].reason(), &Reason::SlowFrames { stream: slow_name, p99_us: 41_000.0 });
    let verdict = without_sentences(found);
    let order: Vec<Criterion> = verdict.failures.iter().map(|failure| failure.criterion).collect();
    assert_eq!(order, [Criterion::LateFrames, Criterion::P99Response]);
    let p99 = &verdict.failures[1];
    assert_eq!((p99.at_s, p99.found), (None, Some(41.0)));
    // Without streams all reads and writes count.
    assert!(judged("p99=30ms", &[]).passed);
    let found = ruling("p99=29ms", &[]);
    assert_eq!(reason(&found), &Reason::SlowResponses { p99_us: 30_000.0 });
    assert_eq!(found.unmet()[0].limit(), 29.0);
}

#[test]
fn throughput_failure_reports_its_first_time() {
    let throughput = ThroughputFigures {
        buffer_s: 1.0,
        min_bytes_per_s: 12_340_000.0,
        min_began_s: 130.0,
        min_began_in_point_s: 30.0,
        needed_bytes_per_s: Some(60e6),
        first_below_s: Some(120.0),
    };
    let slow = StreamFigures { throughput: Some(throughput), buffer_s: 1.0, ..stream(5) };
    let verdict = judged("throughput=60MB/s", std::slice::from_ref(&slow));
    let first = verdict.failed_first.as_ref().unwrap();
    assert_eq!((first.at_s, first.at_in_point_s, first.found), (Some(120.0), Some(20.0), Some(12.34)));
    let found = ruling("throughput=60MB/s", std::slice::from_ref(&slow));
    let expected = Reason::BufferThroughput {
        stream: name_of(&slow),
        least_bytes_per_s: 12_340_000.0,
        buffer_s: 1.0,
        began_in_point_s: 30.0,
    };
    assert_eq!((reason(&found), found.unmet()[0].limit()), (&expected, 60.0));
    // Another limit than the one that was monitored: only the time of the minimum is known.
    assert_eq!(
        judged("throughput=50MB/s", std::slice::from_ref(&slow)).failed_first.unwrap().at_s,
        Some(130.0)
    );
    assert!(judged("throughput=12MB/s", &[slow]).passed);
    let found = ruling("throughput=12MB/s", &[stream(0)]);
    assert!(matches!(reason(&found), Reason::NoBufferThroughput { .. }));
    assert!(!without_sentences(found).passed);
}

#[test]
fn failed_operations_name_the_first() {
    let first = FirstError {
        errno: 5,
        kind: OpKind::Read,
        worker: 3,
        file: 0,
        offset_bytes: 0,
        failed_at_s: 112.04,
        failed_at_in_point_s: 12.04,
    };
    let mut total = operations();
    total.failed_ops = 2;
    total.first_error = Some(first);
    total.errors = vec![ErrorFigures {
        errno: 5,
        message: "Input/output error".to_owned(),
        count: 2,
        max_response_us: 1.0,
        first,
    }];
    let at_most = |failed_ops_max| {
        let criteria = Criteria { failed_ops_max: Some(failed_ops_max), ..Criteria::default() };
        judge(&criteria, &Measured { total: Some(&total), ..Measured::default() })
    };
    let first = FirstFailed {
        kind: OpKind::Read,
        worker: 3,
        at_in_point_s: 12.04,
        message: "Input/output error".to_owned(),
    };
    let expected = Reason::FailedOps { failed_ops: 2, ops: 10_000, first: Some(first) };
    assert_eq!(reason(&at_most(0)), &expected);
    let verdict = without_sentences(at_most(0));
    assert_eq!((verdict.failures[0].at_s, verdict.failures[0].worker), (Some(112.04), Some(3)));
    assert_eq!(without_sentences(at_most(1)).failures[0].at_s, None);
    assert!(without_sentences(at_most(2)).passed);
}

#[test]
fn rates_are_judged_by_the_criteria() {
    let rate = |worker, component: &str, requested_ops_per_s, achieved_ops_per_s| ProcessRate {
        worker,
        component: component.to_owned(),
        requested_ops_per_s,
        achieved_ops_per_s,
    };
    let rates = [rate(0, "camera", 9.0, 6.3), rate(1, "companion", 1.0, 1.0)];
    let with = |criteria: Criteria| judge(&criteria, &Measured { rates: &rates, ..Measured::default() });
    let camera = Criteria { failed_ops_max: None, ..Criteria::of_rates() };
    let ruling = with(camera);
    let Reason::WorkerRate(slow) = ruling.unmet()[0].reason() else {
        panic!("{ruling:?} begins with a worker");
    };
    assert_eq!((slow.worst.worker, slow.failed_processes), (0, 1));
    assert!((slow.worst_share - 0.7).abs() < 1e-9);
    let Reason::Ratio(ratio) = ruling.unmet()[2].reason() else {
        panic!("{ruling:?} ends with the ratio");
    };
    assert_eq!(ratio.requested_ratio, Some(9.0));
    let verdict = without_sentences(ruling);
    let found: Vec<(Criterion, Option<u32>)> =
        verdict.failures.iter().map(|failure| (failure.criterion, failure.worker)).collect();
    assert_eq!(
        found,
        [(Criterion::WorkerRate, Some(0)), (Criterion::GlobalRate, None), (Criterion::Ratio, None)]
    );
    // Criteria that are not required are not judged.
    assert!(
        without_sentences(with(Criteria { op_rate_per_worker_min: Some(0.7), ..Criteria::default() })).passed
    );
    let idle = [rate(0, "camera", 9.0, 9.0), rate(1, "companion", 1.0, 0.0)];
    let ratio = Criteria { ratio_tolerance: Some(0.05), ..Criteria::default() };
    let ruling = judge(&ratio, &Measured { rates: &idle, ..Measured::default() });
    let Reason::Ratio(to_nothing) = reason(&ruling) else {
        panic!("{ruling:?} is about the ratio");
    };
    assert_eq!((to_nothing.requested_ratio, to_nothing.achieved_ratio), (Some(9.0), None));
    let verdict = without_sentences(ruling);
    assert!(verdict.failures[0].measured && verdict.failures[0].found.is_none());
    let impossible = [rate(0, "camera", 0.0, 9.0)];
    let ruling = judge(&ratio, &Measured { rates: &impossible, ..Measured::default() });
    assert!(matches!(reason(&ruling), Reason::NoRates(RateError::Impossible { worker: 0, .. })));
    let verdict = without_sentences(ruling);
    assert!(!verdict.passed && !verdict.failures[0].measured);
}

#[test]
fn every_failure_gets_its_own_sentence() {
    let found = ruling("late=0,p99=1ms", &[late(1, 2.0, 3), stream(2)]);
    let number = |unmet: &Unmet| match unmet.reason() {
        Reason::LateFrames(late) => format!("late {}", late.stream.number),
        Reason::SlowFrames { stream, .. } => format!("slow {}", stream.number),
        other => panic!("{other:?} was not asked for"),
    };
    let verdict = found.in_words(number);
    let said: Vec<&str> = verdict.failures.iter().map(|failure| failure.sentence.as_str()).collect();
    assert_eq!(said, ["late 1", "slow 1", "slow 2"]);
    assert_eq!(verdict.failed_first.unwrap().sentence, "late 1");
}

#[test]
fn parts_with_separate_criteria_share_one_verdict() {
    let mut total = operations();
    total.failed_ops = 1;
    let of = |criteria: Criteria, streams: &[StreamFigures]| {
        judge(&criteria, &Measured { streams, total: Some(&total), rates: &[] })
    };
    let errors = Criteria { failed_ops_max: Some(0), ..Criteria::default() };
    let frames = Criteria { late_frames_max: Some(0), ..errors };
    let unseen = StreamFigures { began_s: None, ..stream(2) };
    let verdict =
        without_sentences(of(frames, &[late(1, 9.0, 1), unseen]).and(of(frames, &[late(3, 4.0, 1)])));
    let found: Vec<(Criterion, Option<u32>)> =
        verdict.failures.iter().map(|failure| (failure.criterion, failure.stream)).collect();
    // In order of time from both parts, the failed operation once, failures without a measurement last.
    assert_eq!(
        found,
        [
            (Criterion::LateFrames, Some(3)),
            (Criterion::LateFrames, Some(1)),
            (Criterion::FailedOps, None),
            (Criterion::LateFrames, Some(2)),
        ]
    );
    assert_eq!(verdict.asked, [Criterion::LateFrames, Criterion::FailedOps]);
    assert!(!verdict.passed && verdict.storage_failed);
    let met = without_sentences(
        Ruling::default().and(of(Criteria { late_frames_max: Some(0), ..Criteria::default() }, &[stream(0)])),
    );
    assert!(met.passed && !met.storage_failed);
}

#[test]
fn verdict_round_trips_through_a_file() {
    let verdict = judged("late=0,p99=1ms,throughput=5MB/s", &[late(1, 2.0, 3), stream(2)]);
    let json = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&json).unwrap(), verdict);
}

/// The longest of a few is no percentile.
#[test]
fn fewer_than_100_frames_have_no_time_of_99_of_100() {
    let of = |count: u64, p50_us: f64, max_us: f64| {
        let response = TimeFigures { count, p50_us, max_us, ..times(max_us) };
        let found = ruling("p99=40ms", &[StreamFigures { response: Some(response), ..stream(0) }]);
        found.unmet().first().map(|unmet| unmet.reason().clone())
    };
    let stream = Some(name_of(&stream(0)));
    assert_eq!(of(99, 5_000.0, 39_000.0), None, "all of them kept it");
    let too_few = Reason::TooFewForP99 { stream: stream.clone(), count: 99, max_us: 41_000.0 };
    assert_eq!(of(99, 5_000.0, 41_000.0), Some(too_few));
    let half = Reason::SlowHalf { stream, count: 99, p50_us: 40_500.0 };
    assert_eq!(of(99, 40_500.0, 41_000.0), Some(half));
    assert!(matches!(of(100, 5_000.0, 41_000.0), Some(Reason::SlowFrames { .. })));
}
