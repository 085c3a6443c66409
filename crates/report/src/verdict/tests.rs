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
    let mut printed = Vec::<String>::new();
    printed.extend(said("late=0", &[late(14, 8.48, 12)]).iter().map(|text| text.to_string()));
    let said = said("late=6", &[late(1, 10.0, 10)]);
    printed.push(said[0].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn frames_that_did_not_come_are_described() {
    let mut printed = Vec::<String>::new();
    let without = |dropped, failed, policy, writes| {
        let mut stream = StreamFigures { policy, writes, ..late(0, 1.0, 1) };
        let first = stream.first_late.unwrap();
        stream.first_late = Some(FirstLateFrame { late_us: None, dropped, failed, ..first });
        said("late=0", &[stream]).concat()
    };
    let skipped = without(true, false, Policy::Drop, false);
    printed.push(skipped.to_string());
    printed.push(without(true, false, Policy::Stall, true).to_string());
    let failed = without(false, true, Policy::Drop, true);
    printed.push(failed.to_string());
    printed.push(without(false, false, Policy::Drop, false).to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn late_frames_caused_by_reelgauge_do_not_fail_the_storage() {
    let tools = StreamFigures { late_frames_with_own_delay: 12, ..late(0, 5.0, 12) };
    let said_of_tool = said("late=0", &[tools]).concat();
    insta::assert_snapshot!(said_of_tool);
    assert!(!said("late=0", &[late(0, 5.0, 12)]).concat().contains("Reelgauge"));
}

#[test]
fn unmeasured_criterion_is_shown_with_its_remedy() {
    let mut printed = Vec::<String>::new();
    let never = StreamFigures { began_s: None, frames_judged: 0, ..stream(7) };
    let short = StreamFigures { frames_judged: 0, name: String::new(), ..stream(8) };
    printed.extend(said("late=0", &[never, short]).iter().map(|text| text.to_string()));
    printed.extend(said("late=0", &[]).iter().map(|text| text.to_string()));
    let nothing = Criteria { failed_ops_max: Some(0), p99_response_ms: Some(1.0), ..Criteria::default() };
    printed.extend(sentences(&nothing, &Measured::default()).iter().map(|text| text.to_string()));
    let none_came = StreamFigures { response: None, name: String::new(), ..stream(0) };
    printed.extend(said("p99=1s", &[none_came]).iter().map(|text| text.to_string()));
    let no_room = StreamFigures { buffer_s: 2.5, name: String::new(), ..stream(0) };
    printed.extend(said("throughput=1MB/s", &[no_room]).iter().map(|text| text.to_string()));
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn slow_responses_are_shown_with_their_limit() {
    let mut printed = Vec::<String>::new();
    let slow = StreamFigures { response: Some(times(41_000.0)), ..stream(4) };
    printed.extend(said("p99=40ms", &[slow]).iter().map(|text| text.to_string()));
    printed.extend(said("p99=29ms", &[]).iter().map(|text| text.to_string()));
    let few = TimeFigures { count: 60, p50_us: 5_000.0, ..times(41_000.0) };
    let few = StreamFigures { response: Some(few), name: String::new(), ..stream(4) };
    printed.extend(said("p99=40ms", std::slice::from_ref(&few)).iter().map(|text| text.to_string()));
    printed.extend(said("p99=4ms", &[few]).iter().map(|text| text.to_string()));
    insta::assert_snapshot!(printed.join("\n"));
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
    insta::assert_snapshot!(said[0]);
}

#[test]
fn failed_operations_name_the_first() {
    let mut printed = Vec::<String>::new();
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
    printed.extend(at_most(0).iter().map(|text| text.to_string()));
    printed.extend(at_most(1).iter().map(|text| text.to_string()));
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn falling_margins_are_shown_with_the_time_until_a_late_frame() {
    let mut printed = Vec::<String>::new();
    let trend = MarginTrend {
        fall_ms_per_s: 1e3 * (1.0 - 6.95 / 7.0),
        standard_error_ms_per_s: 1.1,
        observed_s: 10.0,
        at_end_ms: 900.0,
    };
    let falling = |number| StreamFigures { margin_trend: Some(trend), name: String::new(), ..stream(number) };
    let seven: Vec<StreamFigures> = (0..7).map(falling).collect();
    printed.extend(said("margins=60s", &seven).iter().map(|text| text.to_string()));
    let one = said("margins=60s", &seven[3..4]);
    printed.push(one[0].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn rates_are_shown_with_the_required_rate() {
    let mut printed = Vec::<String>::new();
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
    printed.extend(
        of(&[rate(0, "camera", 9.0, 6.3), rate(1, "companion", 1.0, 1.0)])
            .iter()
            .map(|text| text.to_string()),
    );
    let idle = of(&[rate(0, "camera", 9.0, 9.0), rate(1, "companion", 1.0, 0.0)]);
    printed.push(idle[2].to_string());
    let none = of(&[]);
    assert_eq!(none.len(), 3);
    printed.extend(none);
    insta::assert_snapshot!(printed.join("\n"));
}
