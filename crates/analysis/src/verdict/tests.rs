//! Figures made by hand, and what is said about them.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::figures::{ErrorFigures, FirstError, TimeFigures};
use crate::late::{LateRun, ThroughputFigures};
use reelgauge_record::OpKind;

fn times(p99_us: f64) -> TimeFigures {
    TimeFigures {
        count: 1000,
        mean_us: 5.0,
        p50_us: 5.0,
        p95_us: 5.0,
        p99_us,
        p99_9_us: p99_us,
        max_us: p99_us,
        max_began_s: 1.0,
        max_began_in_point_s: 1.0,
    }
}

/// A stream in time: 25 frames/s, the load point began at 100 s.
fn stream(number: u32) -> StreamFigures {
    StreamFigures {
        stream: number,
        name: "player, XAVC-I class 300 UHD50".to_owned(),
        nominal_frames_per_s: 25.0,
        began_s: Some(100.0),
        frames_judged: 1500,
        response: Some(times(30_000.0)),
        ..StreamFigures::default()
    }
}

/// The same with late frames from a moment of the load point on.
fn late(number: u32, in_point_s: f64, frames: u64) -> StreamFigures {
    let first_frame = (in_point_s * 25.0) as u64;
    StreamFigures {
        late_frames: frames,
        late_runs: 1,
        first_late: Some(FirstLateFrame {
            frame: first_frame,
            deadline_s: 100.0 + in_point_s,
            deadline_in_point_s: in_point_s,
            late_us: Some(310_000.0),
            dropped: false,
            failed: false,
        }),
        first_late_runs: vec![LateRun {
            first_frame,
            frames,
            dropped_frames: 0,
            began_s: 100.0 + in_point_s,
            began_in_point_s: in_point_s,
            length_s: frames as f64 / 25.0,
            worst_late_us: Some(310_000.0),
        }],
        ..stream(number)
    }
}

fn operations() -> Figures {
    let mut figures = Figures { ops: 10_000, ..Figures::default() };
    figures.response.data = Some(times(30_000.0));
    figures
}

fn judged(criteria: &str, streams: &[StreamFigures]) -> Verdict {
    let change: crate::criteria::CriteriaChange = criteria.parse().unwrap();
    let criteria = change.apply_to(Criteria::default());
    let total = operations();
    judge(&criteria, &Measured { streams, total: Some(&total), rates: &[] })
}

fn sentence(verdict: &Verdict) -> &str {
    &verdict.failed_first.as_ref().unwrap().sentence
}

#[test]
fn what_is_met_passes_and_is_named() {
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
    assert_eq!(
        first.sentence,
        "stream 14 (player, XAVC-I class 300 UHD50) was late: frame 212 at 00:08.5 came 310 ms after its \
         time; 12 of 1500 frames were late"
    );
    let order: Vec<Option<u32>> = verdict.failures.iter().map(|failure| failure.stream).collect();
    assert_eq!(order, [Some(14), Some(2), Some(3)]);
    assert!(verdict.storage_failed);
    assert_eq!((first.limit, first.found), (0.0, Some(12.0)));
}

#[test]
fn with_frames_to_spare_the_moment_is_that_of_the_first_frame_too_many() {
    let mut stream = late(1, 10.0, 4);
    stream.first_late_runs.push(LateRun {
        first_frame: 500,
        frames: 6,
        began_s: 120.0,
        ..stream.first_late_runs[0]
    });
    stream.late_frames = 10;
    // Four in the first late run, so the seventh is the third of the second.
    let verdict = judged("late=6", &[stream.clone()]);
    assert_eq!(verdict.failed_first.as_ref().unwrap().at_s, Some(120.08));
    assert!(sentence(&verdict).ends_with("10 of 1500 frames were late, 6 are allowed"));
    assert!(judged("late=10", &[stream]).passed);
}

#[test]
fn frames_that_did_not_come_are_described() {
    let without = |dropped, failed, policy, writes| {
        let mut stream = StreamFigures { policy, writes, ..late(0, 1.0, 1) };
        let first = stream.first_late.unwrap();
        stream.first_late = Some(FirstLateFrame { late_us: None, dropped, failed, ..first });
        sentence(&judged("late=0", &[stream])).to_owned()
    };
    let skipped = without(true, false, Policy::Drop, false);
    assert!(
        skipped.contains("was skipped, because its time had passed before it could be read;"),
        "{skipped}"
    );
    assert!(without(true, false, Policy::Stall, true).contains("frame 25 at 00:01.0 was never written;"));
    let failed = without(false, true, Policy::Drop, true);
    assert!(failed.contains("could not be written: an attempt to write it failed"), "{failed}");
    assert!(without(false, false, Policy::Drop, false).contains("was never read completely"));
}

#[test]
fn the_storage_is_not_blamed_for_the_tool() {
    let tools = StreamFigures { late_frames_with_own_delay: 12, ..late(0, 5.0, 12) };
    let verdict = judged("late=0", std::slice::from_ref(&tools));
    assert!(!verdict.passed && !verdict.storage_failed && verdict.is_no_fault_of_the_storage());
    assert!(verdict.failures[0].because_of_tool);
    assert!(
        sentence(&verdict).contains("without that 0 would have been: this says nothing about the storage")
    );
    // One frame that the tool does not explain is enough.
    let mixed = StreamFigures { late_frames_with_own_delay: 11, ..tools.clone() };
    assert!(judged("late=0", &[mixed]).storage_failed);
    // So is another stream.
    assert!(judged("late=0", &[tools, late(1, 50.0, 1)]).storage_failed);
}

#[test]
fn what_was_not_measured_is_not_met() {
    for criteria in ["late=0", "throughput=1MB/s", "worker-rate=75", "global-rate=95", "ratio=5"] {
        let verdict = judged(criteria, &[]);
        assert!(!verdict.passed && !verdict.storage_failed, "{criteria}");
        assert!(!verdict.failures[0].measured && verdict.failures[0].found.is_none());
    }
    let never = StreamFigures { began_s: None, frames_judged: 0, ..stream(7) };
    let short = StreamFigures { frames_judged: 0, ..stream(8) };
    let verdict = judged("late=0", &[never, short, late(9, 3.0, 1)]);
    // What was measured stands before what was not.
    let order: Vec<Option<u32>> = verdict.failures.iter().map(|failure| failure.stream).collect();
    assert_eq!(order, [Some(9), Some(7), Some(8)]);
    assert!(verdict.failures[1].sentence.ends_with("never began; look at the run's errors"));
    assert!(verdict.failures[2].sentence.ends_with("use a longer --duration"));
    // Also where that has no moment.
    let never = StreamFigures { began_s: None, frames_judged: 0, ..stream(7) };
    let verdict = judged("late=0,p99=1ms", &[never, stream(9)]);
    assert_eq!(verdict.failed_first.unwrap().criterion, Criterion::P99Response);
    let nothing = judge(
        &Criteria { failed_ops_max: Some(0), p99_response_ms: Some(1.0), ..Criteria::default() },
        &Measured::default(),
    );
    assert_eq!(nothing.failures.len(), 2);
    let none_came = StreamFigures { response: None, ..stream(0) };
    assert!(!judged("p99=1s", &[none_came]).passed);
}

#[test]
fn nothing_asked_is_met() {
    assert!(judge(&Criteria::default(), &Measured::default()).passed);
}

#[test]
fn slow_responses_have_no_moment_and_come_after_what_has_one() {
    let mut slow = late(4, 30.0, 1);
    slow.response = Some(times(41_000.0));
    let verdict = judged("p99=40ms,late=0", &[slow]);
    let order: Vec<Criterion> = verdict.failures.iter().map(|failure| failure.criterion).collect();
    assert_eq!(order, [Criterion::LateFrames, Criterion::P99Response]);
    let p99 = &verdict.failures[1];
    assert_eq!((p99.at_s, p99.found), (None, Some(41.0)));
    assert!(p99.sentence.ends_with("took up to 41 ms, and 40 ms is allowed"), "{}", p99.sentence);
    // Without streams all reads and writes count.
    assert!(judged("p99=30ms", &[]).passed);
    assert_eq!(
        sentence(&judged("p99=29ms", &[])),
        "99 of 100 reads and writes took up to 30 ms, and 29 ms is allowed"
    );
}

#[test]
fn throughput_over_the_buffer_says_when_it_fell_short_first() {
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
    assert!(
        sentence(&verdict)
            .ends_with("got 12.3 MB/s over 1 s from 00:30.0 on, and needs 60.0 MB/s over its buffer time")
    );
    // Another limit than the one that was watched: only the worst moment is known.
    assert_eq!(
        judged("throughput=50MB/s", std::slice::from_ref(&slow)).failed_first.unwrap().at_s,
        Some(130.0)
    );
    assert!(judged("throughput=12MB/s", &[slow]).passed);
    assert!(!judged("throughput=12MB/s", &[stream(0)]).passed);
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
    let verdict = at_most(0);
    assert_eq!(
        sentence(&verdict),
        "2 of 10000 operations failed; the first was a read by worker 3 at 00:12.0: Input/output error"
    );
    assert_eq!(verdict.failures[0].at_s, Some(112.04));
    assert_eq!(at_most(1).failures[0].at_s, None);
    assert!(at_most(2).passed);
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
    let camera = Criteria { failed_ops_max: None, ..Criteria::for_actor("camera").unwrap() };
    let verdict = with(camera);
    let found: Vec<(Criterion, Option<u32>)> =
        verdict.failures.iter().map(|failure| (failure.criterion, failure.worker)).collect();
    assert_eq!(
        found,
        [(Criterion::WorkerRate, Some(0)), (Criterion::GlobalRate, None), (Criterion::Ratio, None)]
    );
    assert_eq!(
        verdict.failures[0].sentence,
        "worker 0 (camera) did 6.30 of 9.00 op/s (70.0 %), and every worker must reach 75.0 %; 1 did not"
    );
    assert_eq!(
        verdict.failures[2].sentence,
        "camera and companion operations came 6.30 to 1 instead of 9.00 to 1, and 5.0 % off is allowed"
    );
    // What is not asked for is not judged.
    assert!(with(Criteria { op_rate_per_worker_min: Some(0.7), ..Criteria::default() }).passed);
    let idle = [rate(0, "camera", 9.0, 9.0), rate(1, "companion", 1.0, 0.0)];
    let ratio = Criteria { ratio_tolerance: Some(0.05), ..Criteria::default() };
    let verdict = judge(&ratio, &Measured { rates: &idle, ..Measured::default() });
    assert!(sentence(&verdict).contains("came all to nothing instead of 9.00 to 1"));
    let impossible = [rate(0, "camera", 0.0, 9.0)];
    let verdict = judge(&ratio, &Measured { rates: &impossible, ..Measured::default() });
    assert!(!verdict.passed && !verdict.failures[0].measured);
}

#[test]
fn moments_and_spans_read_well() {
    let clocks = [0.0, 8.48, 59.94, 59.99, 3_723.04].map(clock);
    assert_eq!(clocks, ["00:00.0", "00:08.5", "00:59.9", "01:00.0", "1:02:03.0"]);
    let spans = [0.4, 12.0, 999.4, 1_000.0, 310_000.0, 41_250.0, 999_600.0, 1_060_000.0, 62e6].map(span);
    let written = ["0.4 µs", "12 µs", "999 µs", "1 ms", "310 ms", "41.2 ms", "1 s", "1.06 s", "62 s"];
    assert_eq!(spans, written);
}

#[test]
fn a_verdict_survives_a_file() {
    let verdict = judged("late=0,p99=1ms,throughput=5MB/s", &[late(1, 2.0, 3), stream(2)]);
    let json = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&json).unwrap(), verdict);
}
