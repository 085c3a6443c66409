//! Tests of a quick check during which the storage did not respond for a while.

use reelgauge_analysis::CheckBasis;
use reelgauge_analysis::late::{LateFigures, StreamFigures};
use reelgauge_analysis::series::Standstill;
use reelgauge_analysis::summary::{NotMeasured, Target};
use reelgauge_analysis::test_figures::vda_point;

use super::*;

#[test]
fn standstill_is_shown_as_a_doubt_not_as_rate_0() {
    let mut printed = Vec::<String>::new();
    let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
    let facts = CheckFacts { sequential_read_mb_per_s: Some(80.0), looked_s: 58.0, ..CheckFacts::default() };
    assert_eq!(standstill_words(&summary), None);
    assert!(confidence(&summary, &facts, false).starts_with("Measured for 58 s."));
    let nothing = CheckFacts { sequential_read_mb_per_s: None, ..facts.clone() };
    printed.push(confidence(&summary, &nothing, false).to_string());
    assert!(!confidence(&summary, &facts, false).contains("overwrote"));
    let records =
        |streams| CheckFormat { record: Some(found(streams, 0, true, None)), ..CheckFormat::default() };
    let with = |streams| CheckFacts { formats: vec![records(streams)], ..facts.clone() };
    printed.push(confidence(&summary, &with(2), false).to_string());
    assert!(!confidence(&summary, &with(0), false).contains("overwrote"));

    let labelled = |label: &str, started_s: f64| {
        let mut point = vda_point(1, 1.0, None);
        (point.label, point.started_s) = (label.to_owned(), started_s);
        point
    };
    summary.load_points = vec![labelled("sequential reads", 1.0), labelled("sequential writes", 30.0)];
    summary.load_points[0].total.ops_by_kind.read = 7;
    summary.series.standstills = vec![Standstill { began_s: 30.4, lasted_s: 10.17 }];
    // Nothing was finished, so the activity is unknown.
    summary.load_points[1].was_not_measured(NotMeasured::NothingFinished);
    printed.extend(standstill_words(&summary).as_deref().map(|text| text.to_string()));
    summary.load_points[1].total.ops_by_kind.write = 7;
    printed.extend(standstill_words(&summary).as_deref().map(|text| text.to_string()));
    let told = answer(&summary, &facts);
    assert!(told.iter().any(|(tone, text)| *tone == Tone::Bad && text.contains("while writing")), "{told:?}");
    printed.push(confidence(&summary, &facts, false).to_string());
    printed.push(rates(&summary, &facts).to_string());

    summary.series.standstills = vec![Standstill { began_s: 1.4, lasted_s: 2.0 }];
    assert!(standstill_words(&summary).is_some_and(|words| words.contains("while reading")));
    // Streams show their activity before any operation finishes.
    let recorder = StreamFigures { writes: true, ..StreamFigures::default() };
    summary.load_points[0].streams = Some(LateFigures { streams: vec![recorder], ..LateFigures::default() });
    assert!(standstill_words(&summary).is_some_and(|words| words.contains("while writing")));
    insta::assert_snapshot!(printed.join("\n"));
}

fn found(streams: u32, error_streams: u32, at_least: bool, basis: Option<CheckBasis>) -> CheckCount {
    let held_s = basis.map(|basis| if basis == CheckBasis::Held { 5.45 } else { 1.45 });
    let error_streams = Some(error_streams);
    CheckCount { streams, error_streams, at_least, basis, held_s, ..CheckCount::default() }
}

#[test]
fn count_has_an_error_and_a_tick_only_if_sustained() {
    let (held, rate) = (Some(CheckBasis::Held), Some(CheckBasis::SustainedRate));
    let short = Some(CheckBasis::ShortTrial);
    let said = |count: CheckCount| marked(Some(&count));
    assert_eq!([said(found(0, 0, false, short)), said(found(0, 59, false, short))], ["✗ 0", "✗ 0 ± 59"]);
    assert_eq!(
        [said(found(31, 1, false, rate)), said(found(31, 0, true, held))],
        ["✓ 31 ± 1", "✓ at least 31"]
    );
    // A lower bound has no error.
    assert_eq!(said(found(31, 1, true, rate)), "✓ at least 31");
    // A count that was sustained too briefly is no bound and has no tick. Neither has a count of an
    // older version.
    assert_eq!(
        [said(found(31, 1, true, short)), said(found(31, 1, false, short))],
        ["31 for 1.4 s", "31 ± 1 for 1.4 s"]
    );
    assert_eq!([said(found(31, 1, true, None)), said(found(31, 1, false, None))], ["31", "31 ± 1"]);
    assert_eq!(said(found(0, 0, true, short)), "unknown");
}

#[test]
fn the_first_line_has_the_error_of_its_table() {
    let mut printed = Vec::<String>::new();
    let first = |play: CheckCount, record: CheckCount| {
        let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
        let format = CheckFormat {
            name: "X".to_owned(),
            play: Some(play),
            record: Some(record),
            ..CheckFormat::default()
        };
        let facts = CheckFacts { formats: vec![format], ..CheckFacts::default() };
        summary.check = Some(facts.clone());
        answer(&summary, &facts).remove(0).1
    };
    let (held, short) = (Some(CheckBasis::Held), Some(CheckBasis::ShortTrial));
    printed.push(first(found(2, 1, false, held), found(3, 0, true, held)).to_string());
    printed.push(first(found(3, 1, true, short), found(2, 0, true, held)).to_string());
    let unknown = first(found(3, 0, true, held), found(0, 0, true, short));
    printed.push(unknown.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn burst_is_shown_with_both_rates() {
    let mut printed = Vec::<String>::new();
    let rate = |mb_per_s: &[f64]| {
        SustainedRate::of(&mb_per_s.iter().map(|mb| mb * 1e6).collect::<Vec<_>>()).unwrap_or_default()
    };
    let ticks = Ticks { column: "play", ticked: 0, all: 2 };
    let words = |mb_per_s: &[f64]| trend_words("Reads", &rate(mb_per_s), ticks);
    assert_eq!(words(&[250.0; 7]), None);
    printed.extend(
        words(&[480.0, 390.0, 250.0, 251.0, 249.0, 250.0, 250.0, 250.0])
            .as_deref()
            .map(|text| text.to_string()),
    );
    let rose = words(&[60.0, 60.0, 60.0, 200.0, 200.0, 200.0, 200.0, 200.0, 200.0]);
    assert!(rose.is_some_and(|words| words.contains("60.0 MB/s to 200 MB/s")));
    let unsettled = [480.0, 480.0, 480.0, 390.0, 250.0, 250.0, 250.0];
    printed.extend(words(&unsettled));
    let of = |ticked, all| {
        trend_words("Reads", &rate(&unsettled), Ticks { column: "play", ticked, all }).unwrap_or_default()
    };
    printed.push(of(0, 2).to_string());
    let some = "Counts with a tick in column \"play\" were tested with streams; they are not calculated \
                from this rate.";
    assert!(of(1, 2).ends_with(some) && of(2, 2).ends_with(some), "{}", of(1, 2));
    printed.push(of(0, 0).to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn zero_streams_name_the_rate_limit() {
    let mut printed = Vec::<String>::new();
    let found = |limited_by: &str| {
        let none = CheckCount { at_least: true, limited_by: limited_by.to_owned(), ..CheckCount::default() };
        CheckFormat { play: Some(none.clone()), record: Some(none), ..CheckFormat::default() }
    };
    let said = |formats: Vec<CheckFormat>, limit_culprit| {
        let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
        let facts = CheckFacts { formats, limit_culprit, ..CheckFacts::default() };
        summary.check = Some(facts.clone());
        answer(&summary, &facts).remove(0).1
    };
    let within = "Within --max-rate, even a single stream of these formats had late frames.";
    let unknown = || vec![found("--max-rate"), found("the storage")];
    assert_eq!(said(unknown(), Some(Culprit::MaxRate)), within);
    printed.push(said(unknown(), None).to_string());
    let none = CheckCount { limited_by: "the storage".to_owned(), ..CheckCount::default() };
    let known = CheckFormat { play: Some(none.clone()), record: Some(none), ..CheckFormat::default() };
    printed.push(said(vec![known.clone(), known], Some(Culprit::Storage)).to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn limits_that_a_second_trial_confirmed_are_one_line() {
    let mut printed = Vec::<String>::new();
    let format = |name: &str, play: bool, record: bool| {
        let count = |own_limit| Some(CheckCount { streams: 4, own_limit, ..CheckCount::default() });
        CheckFormat {
            name: name.to_owned(),
            play: count(play),
            record: count(record),
            ..CheckFormat::default()
        }
    };
    let said = |formats: Vec<CheckFormat>| own_limits(&CheckFacts { formats, ..CheckFacts::default() });
    assert_eq!(said(vec![format("X", false, false)]), None);
    printed.extend(said(vec![format("X", false, true)]).as_deref().map(|text| text.to_string()));
    let three = vec![format("X", true, true), format("Y", false, true), format("Z", false, false)];
    printed.extend(said(three).as_deref().map(|text| text.to_string()));
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn screen_and_page_have_one_text_on_the_confidence() {
    let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
    let play = Some(found(3, 0, true, Some(CheckBasis::Held)));
    let format = CheckFormat { name: "X".to_owned(), play, ..CheckFormat::default() };
    let facts = CheckFacts { formats: vec![format], looked_s: 58.0, ..CheckFacts::default() };
    summary.check = Some(facts.clone());
    summary.load_points = vec![vda_point(1, 1.0, None)];
    summary.log.complete = false;
    summary.log.dropped_to_histograms_ops = 3;
    let text = confidence(&summary, &facts, false);
    assert_eq!(crate::hero::hero(&summary).whole_confidence(), text);
    insta::assert_snapshot!(text);
    let others = crate::answer_sentences(&summary);
    assert!(others.iter().all(|sentence| !text.contains(&sentence.text)), "{others:?}");
}

#[test]
fn a_check_names_no_incident_of_another_culprit_than_its_limit() {
    use reelgauge_analysis::incident::Incident;

    let culprits = [Culprit::Tool, Culprit::ThisMachine, Culprit::MaxRate, Culprit::Link, Culprit::Storage];
    let incident = |culprit| Incident { culprit, late_frames: 3, ..Incident::default() };
    let incidents = culprits.into_iter().chain([Culprit::NotKnown]).map(incident).collect();
    let mut point = vda_point(1, 1.0, None);
    point.streams = Some(LateFigures { incidents, ..LateFigures::default() });
    let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "check", Target::default());
    summary.load_points = vec![point];
    let told = |summary: &Summary| -> Vec<Culprit> {
        let told = crate::incident_sentences(summary);
        let late = summary.load_points[0].streams.as_ref();
        told.iter().filter_map(|one| Some(late?.incidents[one.incident].culprit)).collect()
    };
    assert_eq!(told(&summary).len(), 6, "a run of streams names all");
    for (limit_culprit, named) in [
        (None, vec![]),
        (Some(Culprit::MaxRate), vec![Culprit::MaxRate]),
        (Some(Culprit::ThisMachine), vec![Culprit::Tool, Culprit::ThisMachine]),
        (Some(Culprit::Storage), vec![Culprit::Storage]),
        (Some(Culprit::Link), vec![Culprit::Link]),
    ] {
        summary.check = Some(CheckFacts { limit_culprit, ..CheckFacts::default() });
        assert_eq!(told(&summary), named, "{limit_culprit:?}");
    }
}
