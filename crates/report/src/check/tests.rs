//! What is said of a first look in which nothing was answered for a while.

use reelgauge_analysis::series::Standstill;
use reelgauge_analysis::summary::{NotMeasured, Target};
use reelgauge_analysis::test_figures::vda_point;

use super::*;

#[test]
fn what_stood_still_is_told_and_doubted_and_is_no_rate_of_0() {
    let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
    let facts = CheckFacts { sequential_read_mb_per_s: Some(80.0), looked_s: 58.0, ..CheckFacts::default() };
    assert_eq!(standstill_words(&summary), None);
    assert!(how_sure(&summary, &facts).starts_with("a look of 58 s only"));
    let nothing = CheckFacts { sequential_read_mb_per_s: None, ..facts.clone() };
    assert_eq!(how_sure(&summary, &nothing), "nothing was measured.");

    let labelled = |label: &str, started_s: f64| {
        let mut point = vda_point(1, 1.0, None);
        (point.label, point.started_s) = (label.to_owned(), started_s);
        point
    };
    summary.load_points = vec![labelled("sequential reads", 1.0), labelled("sequential writes", 30.0)];
    summary.load_points[1].was_not_measured(NotMeasured::NothingFinished);
    summary.series.standstills = vec![Standstill { began_s: 30.4, lasted_s: 10.17 }];
    assert_eq!(
        standstill_words(&summary).as_deref(),
        Some("Nothing was answered for 10 s while writing, from 30 s on.")
    );
    let told = answer(&summary, &facts);
    assert!(told.iter().any(|(tone, text)| *tone == Tone::Bad && text.contains("while writing")), "{told:?}");
    assert_eq!(
        how_sure(&summary, &facts),
        "not sure: nothing was answered for a while, so another look may come to other counts, and not everything \
         could be measured. It was a look of 58 s only; caches that fill up and other users show later."
    );
    assert!(rates(&summary, &facts).contains("writes not measured."), "{}", rates(&summary, &facts));

    summary.series.standstills = vec![Standstill { began_s: 1.4, lasted_s: 2.0 }];
    assert!(standstill_words(&summary).is_some_and(|words| words.contains("while reading")));
}

#[test]
fn none_is_told_with_its_error_as_any_count_is() {
    let found = |streams, error_streams| CheckCount { streams, error_streams, ..CheckCount::default() };
    let said = [(0, 0), (0, 59), (31, 1)].map(|(streams, error)| marked(Some(&found(streams, error))));
    assert_eq!(said, ["✗ 0", "✗ 0 ± 59", "✓ 31 ± 1"]);
}

#[test]
fn where_no_stream_was_allowed_the_limit_that_was_set_is_named() {
    let found = |limited_by: &str| {
        let none = CheckCount { at_least: true, limited_by: limited_by.to_owned(), ..CheckCount::default() };
        CheckFormat { play: Some(none.clone()), record: Some(none), ..CheckFormat::default() }
    };
    let said = |formats: Vec<CheckFormat>| {
        let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
        let facts = CheckFacts { formats, ..CheckFacts::default() };
        summary.check = Some(facts.clone());
        answer(&summary, &facts).remove(0).1
    };
    let within = "Not one stream of these formats was carried without a late frame within --max-rate.";
    assert_eq!(said(vec![found("--max-rate"), found("--max-rate")]), within);
    let one_is_not = said(vec![found("--max-rate"), found("the storage")]);
    assert_eq!(one_is_not, "Not one stream of these formats was carried without a late frame.");
}
