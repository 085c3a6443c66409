//! Sentences of verdicts on synthetic figures, judged like those of a run.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::criteria::{Criteria, CriteriaChange};
use reelgauge_analysis::figures::{ErrorFigures, Figures, FirstError, TimeFigures};
use reelgauge_analysis::late::{FirstLateFrame, MarginTrend, Policy, StreamFigures, ThroughputFigures};
use reelgauge_analysis::test_figures::{judged_stream as stream, late_stream as late, operations, times};
use reelgauge_analysis::vda::ProcessRate;
use reelgauge_analysis::verdict::{Measured, judge};
use reelgauge_record::OpKind;

use super::*;

/// All sentences about these streams, first failures first.
fn said(criteria: &str, streams: &[StreamFigures]) -> Vec<String> {
    let change: CriteriaChange = criteria.parse().unwrap();
    let total = operations();
    let measured = Measured { streams, total: Some(&total), rates: &[] };
    sentences(&change.apply_to(Criteria::default()), &measured)
}

fn sentences(criteria: &Criteria, measured: &Measured) -> Vec<String> {
    let verdict = in_words(judge(criteria, measured));
    assert_eq!(verdict.failed_first.as_ref(), verdict.failures.first());
    verdict.failures.into_iter().map(|failure| failure.sentence).collect()
}

#[test]
fn late_frame_is_shown_with_its_time() {
    assert_eq!(
        said("late=0", &[late(14, 8.48, 12)]),
        [
            "stream 14 (player, XAVC-I class 300 UHD50) was late: frame 212 at 00:08.5 came 310 ms late; 12 of \
          1,500 frames were late"
        ]
    );
    let said = said("late=6", &[late(1, 10.0, 10)]);
    assert!(said[0].ends_with("10 of 1,500 frames were late (6 allowed)"), "{said:?}");
}

#[test]
fn frames_that_did_not_come_are_described() {
    let without = |dropped, failed, policy, writes| {
        let mut stream = StreamFigures { policy, writes, ..late(0, 1.0, 1) };
        let first = stream.first_late.unwrap();
        stream.first_late = Some(FirstLateFrame { late_us: None, dropped, failed, ..first });
        said("late=0", &[stream]).concat()
    };
    let skipped = without(true, false, Policy::Drop, false);
    assert!(skipped.contains("was skipped: its deadline passed before it could be read;"), "{skipped}");
    assert!(without(true, false, Policy::Stall, true).contains("frame 25 at 00:01.0 was never written;"));
    let failed = without(false, true, Policy::Drop, true);
    assert!(failed.contains("could not be written: the write failed"), "{failed}");
    assert!(without(false, false, Policy::Drop, false).contains("was never completely read"));
}

#[test]
fn late_frames_caused_by_reelgauge_do_not_fail_the_storage() {
    let tools = StreamFigures { late_frames_with_own_delay: 12, ..late(0, 5.0, 12) };
    let said_of_tool = said("late=0", &[tools]).concat();
    assert!(
        said_of_tool
            .contains("without that delay, 0 would have been late. This shows nothing about the storage"),
        "{said_of_tool}"
    );
    assert!(!said("late=0", &[late(0, 5.0, 12)]).concat().contains("Reelgauge"));
}

#[test]
fn unmeasured_criterion_is_shown_with_its_remedy() {
    let never = StreamFigures { began_s: None, frames_judged: 0, ..stream(7) };
    let short = StreamFigures { frames_judged: 0, name: String::new(), ..stream(8) };
    assert_eq!(
        said("late=0", &[never, short]),
        [
            "stream 7 (player, XAVC-I class 300 UHD50) never started; see the run's errors",
            "stream 8 had no frame to judge in the measured time; use a longer --duration"
        ]
    );
    assert_eq!(said("late=0", &[]), ["no stream was measured, so late is unknown; see the run's errors"]);
    let nothing = Criteria { failed_ops_max: Some(0), p99_response_ms: Some(1.0), ..Criteria::default() };
    assert_eq!(
        sentences(&nothing, &Measured::default()),
        [
            "no operation was measured; use a longer --duration",
            "no read or write succeeded, so there are no response times; see the run's errors"
        ]
    );
    let none_came = StreamFigures { response: None, name: String::new(), ..stream(0) };
    assert_eq!(
        said("p99=1s", &[none_came]),
        ["stream 0 has no response times: none of its frames completed"]
    );
    let no_room = StreamFigures { buffer_s: 2.5, name: String::new(), ..stream(0) };
    assert_eq!(
        said("throughput=1MB/s", &[no_room]),
        ["stream 0 has no throughput figure: its buffer time of 2.5 s does not fit into the measured time; \
          use a longer --duration or a --buffer above 0"]
    );
}

#[test]
fn slow_responses_are_shown_with_their_limit() {
    let slow = StreamFigures { response: Some(times(41_000.0)), ..stream(4) };
    assert_eq!(
        said("p99=40ms", &[slow]),
        ["99 of 100 frames of stream 4 (player, XAVC-I class 300 UHD50) took up to 41 ms (40 ms allowed)"]
    );
    assert_eq!(said("p99=29ms", &[]), ["99 of 100 reads and writes took up to 30 ms (29 ms allowed)"]);
    let few = TimeFigures { count: 60, p50_us: 5_000.0, ..times(41_000.0) };
    let few = StreamFigures { response: Some(few), name: String::new(), ..stream(4) };
    assert_eq!(
        said("p99=40ms", std::slice::from_ref(&few)),
        ["60 frames of stream 4 are too few to compute a p99 (the longest took 41 ms); use a longer \
          --duration"]
    );
    assert_eq!(
        said("p99=4ms", &[few]),
        ["half of 60 frames of stream 4 took longer than 5 ms (limit for p99: 4 ms)"]
    );
}

#[test]
fn lowest_buffer_throughput_is_shown_with_its_time() {
    let throughput = ThroughputFigures {
        buffer_s: 1.0,
        min_bytes_per_s: 12_340_000.0,
        min_began_s: 130.0,
        min_began_in_point_s: 30.0,
        needed_bytes_per_s: Some(60e6),
        first_below_s: Some(120.0),
    };
    let slow = StreamFigures { throughput: Some(throughput), buffer_s: 1.0, ..stream(5) };
    let said = said("throughput=60MB/s", &[slow]);
    assert!(
        said[0].ends_with("got 12.3 MB/s (needs 60.0 MB/s) over its buffer time of 1 s, starting at 00:30.0"),
        "{said:?}"
    );
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
    let error = ErrorFigures {
        errno: 5,
        message: "Input/output error".to_owned(),
        count: 2,
        max_response_us: 1.0,
        first,
    };
    let total = Figures { failed_ops: 2, first_error: Some(first), errors: vec![error], ..operations() };
    let at_most = |failed_ops_max| {
        let criteria = Criteria { failed_ops_max: Some(failed_ops_max), ..Criteria::default() };
        sentences(&criteria, &Measured { total: Some(&total), ..Measured::default() })
    };
    assert_eq!(
        at_most(0),
        ["2 of 10,000 operations failed; the first was a read by worker 3 at 00:12.0: Input/output error"]
    );
    assert_eq!(
        at_most(1),
        ["2 of 10,000 operations failed (1 allowed); the first was a read by worker 3 at 00:12.0: \
             Input/output error"]
    );
}

#[test]
fn falling_margins_are_shown_with_the_time_until_a_late_frame() {
    let trend = MarginTrend {
        fall_ms_per_s: 1e3 * (1.0 - 6.95 / 7.0),
        standard_error_ms_per_s: 1.1,
        observed_s: 10.0,
        at_end_ms: 900.0,
    };
    let falling = |number| StreamFigures { margin_trend: Some(trend), name: String::new(), ..stream(number) };
    let seven: Vec<StreamFigures> = (0..7).map(falling).collect();
    assert_eq!(
        said("margins=60s", &seven),
        ["the margins of all 7 streams shrank by 7.14 ms per second for 10 s, to 900 ms: the buffers were \
          emptying. Frames would have been late after another 2 min 06 s"]
    );
    let one = said("margins=60s", &seven[3..4]);
    assert!(one[0].starts_with("the margin of stream 3 shrank by 7.14 ms per second"), "{one:?}");
}

#[test]
fn rates_are_shown_with_the_required_rate() {
    let rate = |worker, component: &str, requested_ops_per_s, achieved_ops_per_s| ProcessRate {
        worker,
        component: component.to_owned(),
        requested_ops_per_s,
        achieved_ops_per_s,
    };
    let of = |rates: &[ProcessRate]| {
        let criteria = Criteria { failed_ops_max: None, ..Criteria::of_rates() };
        sentences(&criteria, &Measured { rates, ..Measured::default() })
    };
    assert_eq!(
        of(&[rate(0, "camera", 9.0, 6.3), rate(1, "companion", 1.0, 1.0)]),
        [
            "worker 0 (camera) reached 6.30 of 9.00 op/s (70.0 %, needs 75.0 %); 1 worker fell short",
            "all workers together reached 7.3 of 10.0 op/s (73.0 %, 95.0 % needed)",
            "the ratio of camera to companion operations was 6.30 to 1 instead of 9.00 to 1 (deviation of \
             5.0 % allowed)"
        ]
    );
    let idle = of(&[rate(0, "camera", 9.0, 9.0), rate(1, "companion", 1.0, 0.0)]);
    assert!(idle[2].contains("(no companion operations) instead of 9.00 to 1"), "{idle:?}");
    let none = of(&[]);
    assert_eq!(none.len(), 3);
    assert!(none.iter().all(|said| said.starts_with("no process ran in this load point")), "{none:?}");
}
