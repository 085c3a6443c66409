//! Synthetic runs: matching, searches, repeats, and unknown judgements.

use super::*;
use crate::facts::{CheckBasis, CheckCount, CheckFacts, CheckFormat, SearchFacts, VdaFacts, VdaPoint};
use crate::figures::Figures;
use crate::meter::PointFigures;
use crate::paper::PaperTables;
use crate::series::SeriesStep;
use crate::summary::{LoadPoint, LoadPointFacts};

/// A run with one load point for each label, each of `seconds` that read about this many MB.
pub(super) fn reading(labels: &[&str], mb_per_s: f64, seconds: u64) -> Summary {
    let mut summary = Summary::new("1", "2026-11-20T15:40:12Z", "mix", target());
    for (index, label) in labels.iter().enumerate() {
        let wobble = |second: u64| mb_per_s * (1.0 + 0.01 * ((second * 7 % 5) as f64 - 2.0));
        let began_s = summary.series.steps.len() as u64;
        for second in 0..seconds {
            summary.series.steps.push(SeriesStep {
                began_s: began_s + second,
                point: Some(index as u16),
                ops: wobble(second) as u64,
                read_bytes: (wobble(second) * 1e6) as u64,
                max_response_us: Some(900.0 + 50.0 * (second % 3) as f64),
                ..SeriesStep::default()
            });
        }
        let rate = Some(mb_per_s * 1e6);
        let total = Figures { read_bytes_per_s: rate, data_ops_per_s: Some(mb_per_s), ..Figures::default() };
        let figures = PointFigures {
            point: index as u16,
            timing: crate::figures::PointTiming {
                started_ns: began_s * 1_000_000_000,
                measured_ns: seconds * 1_000_000_000,
            },
            total,
            per_worker: Vec::new(),
            paper: PaperTables::default(),
        };
        let facts = LoadPointFacts { label: (*label).to_owned(), workers: 4, ..LoadPointFacts::default() };
        summary.load_points.push(LoadPoint::new(facts, figures));
    }
    summary
}

pub(super) const READ: &str = "total.read_bytes_per_s";

#[test]
fn a_wobble_of_two_percent_is_no_gain_and_a_fifth_is() {
    let judged = |mb_per_s: f64| {
        let comparison = compared(&[reading(&["a"], 100.0, 60), reading(&["a"], mb_per_s, 60)], None);
        let row = row(&comparison, READ).clone();
        (row.judgement[1], row.change_percent[1].unwrap(), row.noise_percent[1].unwrap())
    };
    let (same, change, noise) = judged(102.0);
    assert_eq!(same, Judgement::Same);
    assert!((change - 2.0).abs() < 1e-9 && noise >= 3.0, "{change} {noise}");
    assert_eq!(judged(98.0).0, Judgement::Same);
    assert_eq!((judged(120.0).0, judged(80.0).0), (Judgement::Better, Judgement::Worse));
}

#[test]
fn too_few_data_are_reported_as_unknown() {
    let comparison = compared(&[reading(&["a"], 100.0, 5), reading(&["a"], 50.0, 5)], None);
    let read = row(&comparison, READ);
    assert_eq!((read.judgement[1], read.noise_percent[1]), (Judgement::Unknown, None));
    assert_eq!(read.change_percent[1], Some(-50.0));
    let gate = Gate { threshold_percent: 5.0, with_the_tool: false };
    assert!(gate.fallen(&comparison).is_empty() && !gate.could_judge(&comparison));
}

/// A check that played this many streams of a format.
fn checked(streams: u32, at_least: bool, basis: CheckBasis) -> Summary {
    let error_streams = if at_least { None } else { Some(1) };
    let play = CheckCount { streams, at_least, error_streams, basis: Some(basis), ..CheckCount::default() };
    let format = CheckFormat { id: "a".to_owned(), play: Some(play), ..CheckFormat::default() };
    let mut summary = reading(&["a"], 100.0, 5);
    summary.check = Some(CheckFacts { formats: vec![format], ..CheckFacts::default() });
    summary
}

#[test]
fn change_between_two_lower_bounds_is_unknown_and_one_beyond_a_figure_is_not() {
    let short = |streams| checked(streams, true, CheckBasis::ShortTrial);
    let held = |streams, at_least| checked(streams, at_least, CheckBasis::Held);
    let judged = |base: Summary, other: Summary| {
        let comparison = compared(&[base, other], None);
        let row = row(&comparison, "check.formats.a.play.streams");
        (row.judgement[1], row.change_percent[1])
    };
    for (base, other) in [(short(257), held(7, true)), (held(7, true), short(257)), (short(0), short(0))] {
        assert_eq!(judged(base, other), (Judgement::Unknown, None));
    }
    assert_eq!(judged(held(10, false), held(20, true)), (Judgement::Better, Some(100.0)));
    assert_eq!(judged(held(20, true), held(10, false)), (Judgement::Worse, Some(-50.0)));
    // There may be more than 10, and more than 20.
    assert_eq!(judged(held(20, false), held(10, true)), (Judgement::Unknown, None));
    assert_eq!(judged(held(20, false), held(10, false)).0, Judgement::Worse);
}

#[test]
fn load_points_are_matched_by_configuration_not_by_index() {
    let base = reading(&["1 worker", "2 workers"], 100.0, 30);
    let other = reading(&["2 workers", "3 workers"], 100.0, 30);
    let comparison = compared(&[base, other], None);
    let of = |group: &str| {
        let mut rows = comparison.rows.iter().filter(|row| row.figure == READ);
        rows.find(|row| row.group == group).unwrap_or_else(|| panic!("no {group}"))
    };
    assert_eq!(of("2 workers").judgement, [Judgement::Base, Judgement::Same]);
    assert_eq!(of("1 worker").values, [Some(1e8), None]);
    assert_eq!(of("1 worker").texts, ["100000000.0", "-"]);
    assert_eq!((of("3 workers").values[0], of("3 workers").judgement[1]), (None, Judgement::Unknown));
    // Totals over different load points cannot be compared.
    assert!(comparison.rows.iter().all(|row| !(row.group.is_empty() && row.figure == READ)));
    // If the single load points differ, the totals are all there is.
    let single = compared(&[reading(&["1 worker"], 100.0, 30), reading(&["2 workers"], 150.0, 30)], None);
    assert!(single.rows.iter().any(|row| row.group.is_empty() && row.figure == READ));
}

fn searched(streams: u32, at_most: u32, complete: bool) -> Summary {
    let mut summary = Summary::new("1", "", "streams", target());
    let facts =
        SearchFacts { streams: Some(streams), at_most: Some(at_most), complete, ..SearchFacts::default() };
    summary.search = Some(facts);
    summary
}

#[test]
fn searches_differ_where_their_answers_do_not_touch() {
    let judged = |one: (u32, u32, bool), two: (u32, u32, bool)| {
        let summaries = [searched(one.0, one.1, one.2), searched(two.0, two.1, two.2)];
        row(&compared(&summaries, None), "search.streams").judgement[1]
    };
    assert_eq!(judged((31, 31, true), (30, 30, true)), Judgement::Same);
    assert_eq!(judged((31, 31, true), (28, 28, true)), Judgement::Worse);
    assert_eq!(judged((31, 34, true), (33, 33, true)), Judgement::Same);
    assert_eq!(judged((31, 34, true), (40, 40, true)), Judgement::Better);
    // "At least 20" is more than 10, but may be more or less than 25.
    assert_eq!(judged((10, 10, true), (20, 20, false)), Judgement::Better);
    assert_eq!(judged((20, 20, false), (25, 25, true)), Judgement::Unknown);
    assert_eq!(judged((20, 20, false), (10, 10, true)), Judgement::Worse);
}

#[test]
fn repeats_show_the_noise_that_single_runs_hide() {
    // The rate is steady within each run, but not from run to run.
    let runs = |rates: &[f64]| rates.iter().map(|rate| reading(&["a"], *rate, 60)).collect::<Vec<_>>();
    let restless = compared(&runs(&[100.0, 115.0, 90.0, 108.0, 95.0, 118.0]), Some(3));
    let read = row(&restless, READ);
    assert_eq!(read.judgement[..3], [Judgement::Base; 3]);
    assert_eq!(read.judgement[3..], [Judgement::Same; 3]);
    assert_eq!(restless.runs.iter().map(|run| run.side).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
    let steady = compared(&runs(&[100.0, 101.0, 99.0, 119.0, 120.0, 121.0]), Some(3));
    let read = row(&steady, READ);
    assert_eq!(read.judgement[3..], [Judgement::Better; 3]);
    assert!((read.change_percent[4].unwrap() - 20.0).abs() < 0.1 && read.noise_percent[4].unwrap() < 6.0);
    // Between two single runs, the same variation of 15 % would have been called a change.
    assert_eq!(row(&compared(&runs(&[100.0, 115.0]), None), READ).judgement[1], Judgement::Better);
}

/// If a search gives only "at least", the means of all runs are shown and all pairs decide, not the
/// first one.
#[test]
fn lower_limits_of_repeats_are_judged_pair_by_pair() {
    let searches = |streams: &[(u32, bool)]| -> ComparisonRow {
        let runs: Vec<Summary> =
            streams.iter().map(|(streams, whole)| searched(*streams, *streams, *whole)).collect();
        row(&compared(&runs, Some(3)), "search.streams").clone()
    };
    let all = [(10, true), (10, true), (10, true), (20, false), (22, false), (24, true)];
    let better = searches(&all);
    assert_eq!(better.judgement[3..], [Judgement::Better; 3]);
    assert_eq!(better.change_percent[3..], [Some(120.0); 3], "the mean of 20, 22 and 24 against 10");
    let one_is_none = [(10, true), (10, true), (10, true), (20, false), (22, false), (10, true)];
    assert_eq!(searches(&one_is_none).judgement[3], Judgement::Same, "the first pair alone decides nothing");
}

#[test]
fn its_json_can_be_read_again() {
    let comparison = compared(&[reading(&["a"], 100.0, 30), reading(&["a"], 50.0, 30)], None);
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json.pointer("/rows/0/judgement/0").unwrap(), "base");
    let back: Comparison = serde_json::from_value(json).unwrap();
    assert_eq!(back, comparison);
}

#[test]
fn the_number_of_runs_is_checked() {
    let summary = reading(&["a"], 100.0, 30);
    let run = run_of(&summary, &[]);
    let of = |runs: usize| compare(&vec![run; runs], None, &say).err();
    assert_eq!((of(1), of(9)), (Some(CompareError::RunCount(1)), Some(CompareError::RunCount(9))));
    assert_eq!(of(8), None);
}

#[test]
fn gate_passes_a_run_compared_with_itself() {
    let run = reading(&["a"], 100.0, 30);
    let comparison = compare(&[run_of(&run, &[]), run_of(&run, &[])], None, &say).unwrap();
    assert_eq!(comparison.runs[1].kinship, Kinship::Itself);
    assert!(!Gate { threshold_percent: 5.0, with_the_tool: true }.could_judge(&comparison));
}

/// One load point of reads with another plan.
fn planned(mb_per_s: f64, plan: &[(&str, &str)]) -> Summary {
    let mut summary = reading(&["4 workers"], mb_per_s, 60);
    let base = [("blocks", "64KiB"), ("direct", "true"), ("duration", "60s"), ("workers", "4")];
    summary.plan = base.into_iter().chain(plan.iter().copied()).map(|(k, v)| (k.into(), v.into())).collect();
    summary
}

#[test]
fn other_work_has_no_better_and_no_worse() {
    for change in [("blocks", "1MiB"), ("direct", "false"), ("writes_percent", "30"), ("file_size", "1GiB")] {
        let comparison = compared(&[planned(100.0, &[]), planned(20.0, &[change])], None);
        assert_eq!(comparison.runs[1].kinship, Kinship::OtherPlan, "{change:?}");
        let differences = &comparison.runs[1].plan_differences;
        assert!(differences.len() == 1 && differences[0].setting == change.0, "{differences:?}");
        let judged = |figure: &str| row(&comparison, figure).judgement[1];
        assert_eq!(judged(READ), Judgement::Different, "{change:?}");
        assert_eq!(judged("total.data_ops_per_s"), Judgement::OtherPlan, "{change:?}");
        let all = comparison.rows.iter().flat_map(|row| &row.judgement);
        assert!(all.clone().all(|one| !matches!(one, Judgement::Better | Judgement::Worse)), "{change:?}");
        assert!(!Gate { threshold_percent: 5.0, with_the_tool: true }.could_judge(&comparison));
    }
    // The duration changes no operation, and an unknown plan has no differences.
    for plan in [&[("duration", "30s")][..], &[("warmup", "9s")], &[("workers", "1..4")], &[("sweep", "x")]] {
        let comparison = compared(&[planned(100.0, &[]), planned(20.0, plan)], None);
        assert_eq!(comparison.runs[1].kinship, Kinship::SameWork, "{plan:?}");
        assert_eq!(row(&comparison, READ).judgement[1], Judgement::Worse, "{plan:?}");
    }
    let unknown = compared(&[planned(100.0, &[]), reading(&["4 workers"], 20.0, 60)], None);
    assert_eq!(unknown.runs[1].kinship, Kinship::SameWork);
}

#[test]
fn a_sweep_is_compared_value_by_value() {
    let sweep = |rates: [f64; 3]| {
        let mut summary = reading(&["4 workers"; 3], 100.0, 30);
        for ((point, rate), value) in
            summary.load_points.iter_mut().zip(rates).zip(["64KiB", "256KiB", "1MiB"])
        {
            point.sweep_value = Some(format!("block {value}"));
            point.total.read_bytes_per_s = Some(rate * 1e6);
        }
        summary
    };
    let comparison = compared(&[sweep([50.0, 80.0, 100.0]), sweep([50.0, 80.0, 200.0])], None);
    let of = |value: &str| {
        let mut rows = comparison.rows.iter().filter(|row| row.figure == READ);
        rows.find(|row| row.group.contains(value)).unwrap_or_else(|| panic!("no {value}")).clone()
    };
    assert_eq!(of("64KiB").values, [Some(50e6), Some(50e6)]);
    assert_eq!(of("1MiB").values, [Some(100e6), Some(200e6)]);
    assert_eq!((of("64KiB").judgement[1], of("1MiB").judgement[1]), (Judgement::Same, Judgement::Better));
}

#[test]
fn counts_of_different_times_are_compared_as_rates() {
    let failing = |errors: u64, seconds: u64| {
        let mut summary = reading(&["a"], 100.0, seconds);
        summary.load_points[0].total.failed_ops = errors;
        for (second, step) in summary.series.steps.iter_mut().enumerate() {
            step.errors = errors / seconds + u64::from((second as u64) < errors % seconds);
        }
        summary
    };
    let judged =
        |one: Summary, two: Summary| row(&compared(&[one, two], None), "total.failed_ops").judgement[1];
    assert_eq!(judged(failing(600, 60), failing(1_200, 120)), Judgement::Same);
    assert_eq!(judged(failing(0, 120), failing(25, 60)), Judgement::Worse);
    assert_eq!(judged(failing(0, 30), failing(25, 120)), Judgement::Unknown, "they might have come later");
    assert_eq!(judged(failing(0, 60), failing(700, 66)), Judgement::Worse);
}

/// Operations that failed in a single burst, so that their spread over time is as large as they are.
fn burst(errors: u64) -> Summary {
    let mut summary = reading(&["a"], 100.0, 60);
    summary.load_points[0].total.failed_ops = errors;
    summary.series.steps[30].errors = errors;
    summary
}

#[test]
fn none_and_some_are_never_the_same_count() {
    let judged = |one: &Summary, two: &Summary| {
        row(&compared(&[one.clone(), two.clone()], None), "total.failed_ops").judgement[1]
    };
    for errors in [1, 25, 10_000] {
        assert_eq!(judged(&burst(0), &burst(errors)), Judgement::Worse, "{errors}");
        assert_eq!(judged(&burst(errors), &burst(0)), Judgement::Better, "{errors}");
    }
    assert_eq!(judged(&burst(0), &burst(0)), Judgement::Same);
    // Two bursts are one event each.
    assert_eq!(judged(&burst(25), &burst(40)), Judgement::Same);
    let repeated =
        |errors: [u64; 6]| row(&compared(&errors.map(burst), Some(3)), "total.failed_ops").judgement[5];
    assert_eq!(repeated([0, 0, 0, 0, 25, 0]), Judgement::Worse);
    assert_eq!(repeated([0, 25, 0, 0, 0, 0]), Judgement::Better);
    assert_eq!(repeated([0, 25, 0, 0, 25, 0]), Judgement::Same);
}

#[test]
fn total_of_a_requested_vda_count_is_demand() {
    let curve = |total: f64, is_valid: [bool; 2]| {
        let mut summary = reading(&["1 x vda-like", "2 x vda-like"], 100.0, 60);
        let point = |(streams, valid)| VdaPoint { streams, valid, ..VdaPoint::default() };
        summary.vda = Some(VdaFacts {
            points: (1..).zip(is_valid).map(point).collect(),
            streams: Some(if is_valid[1] { 2 } else { 1 }),
            published_mb_per_s: Some(total),
            ..VdaFacts::default()
        });
        summary
    };
    let judged =
        |one: Summary, two: Summary, figure: &str| row(&compared(&[one, two], None), figure).judgement[1];
    let asked = || [curve(18.8, [true; 2]), curve(17.4, [true; 2])];
    let found = || [curve(18.8, [true, false]), curve(17.4, [true, false])];
    let of = |[one, two]: [Summary; 2]| judged(one, two, "vda.published_mb_per_s");
    assert_eq!((of(asked()), of(found())), (Judgement::Demand, Judgement::Worse));
    let [one, two] = asked();
    assert_eq!(judged(one, two, "vda.streams"), Judgement::Unknown);
    // A load point that was cut off is no limit.
    let [mut one, mut two] = found();
    for summary in [&mut one, &mut two] {
        summary.load_points[1].ended_early = Some("interrupted".to_owned());
    }
    assert_eq!(judged(one, two, "vda.published_mb_per_s"), Judgement::Demand);
}

#[test]
fn search_result_0_differs_from_result_1() {
    let searched = |streams: u32| {
        let mut summary = reading(&["a"], 100.0, 60);
        let (streams, at_most) = (Some(streams), Some(streams));
        summary.search = Some(SearchFacts { streams, at_most, complete: true, ..SearchFacts::default() });
        summary
    };
    let judged = |one, two| row(&compared(&[searched(one), searched(two)], None), SEARCH).judgement[1];
    assert_eq!([judged(0, 0), judged(7, 8)], [Judgement::Same; 2]);
    assert_eq!([judged(0, 1), judged(1, 0)], [Judgement::Better, Judgement::Worse]);
}

#[test]
fn tags_common_to_all_runs_are_omitted_from_labels() {
    let tagged = |tags: &[&str]| {
        let mut summary = reading(&["a"], 100.0, 30);
        summary.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        summary
    };
    let of = |all: [&[&str]; 2]| {
        let runs = compared(&all.map(tagged), None).runs;
        runs.into_iter().map(|run| run.distinguishing_tags.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(of([&["lab", "smb"], &["lab", "nfs"]]), ["smb", "nfs"]);
    assert_eq!(of([&["lab"], &["lab", "jumbo", "nfs"]]), ["", "jumbo nfs"]);
    assert_eq!(of([&["lab"], &["lab"]]), ["", ""]);
}
