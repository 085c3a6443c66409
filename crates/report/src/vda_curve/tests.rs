//! Sentences about the curves of synthetic load points.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::test_figures::{ten_load_points as ten, vda_point as point};

use super::*;

fn facts(points: &[LoadPoint]) -> VdaFacts {
    let data_set_note = "2 files of 16 MiB instead of 11 of 1 GiB".to_owned();
    vda_facts(points, &VdaInput { data_set_note, ..VdaInput::default() })
}

#[test]
fn a_whole_curve_needs_no_note() {
    let mut printed = Vec::<String>::new();
    let facts = facts(&ten());
    printed.push(facts.label.to_string());
    printed.push(facts.data_set_note.to_string());
    assert_eq!((facts.overall_response_time_ms, facts.knee_point), (Some(3.0), Some(8)));
    assert_eq!((facts.ort_note, facts.uneven_steps), (None, Vec::new()));
    assert!(facts.points.iter().all(|point| point.valid && point.why_not.is_none()));
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn few_points_compare_with_none_and_one_is_no_curve() {
    let mut printed = Vec::<String>::new();
    let note = facts(&ten()[..4]).ort_note.unwrap();
    printed.push(note.to_string());
    let one = facts(&ten()[..1]);
    let note = one.ort_note.unwrap();
    printed.push(note.to_string());
    assert_eq!(one.overall_response_time_ms, None);
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn curve_ends_before_the_first_invalid_point() {
    let mut printed = Vec::<String>::new();
    let mut points = ten();
    points[8] = point(18, 0.9, Some(40.0));
    let facts = facts(&points);
    let why_not = facts.points[8].why_not.as_deref().unwrap();
    printed.push(why_not.to_string());
    assert!(!facts.points[8].valid);
    printed.push(facts.ort_note.unwrap().to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn a_long_curve_that_ends_early_is_not_accepted() {
    let mut printed = Vec::<String>::new();
    let mut points: Vec<LoadPoint> = (1..=12).map(|n| point(n, 1.0, Some(2.0))).collect();
    points[11].rates_mean_response_ms = None;
    printed.push(facts(&points).ort_note.unwrap().to_string());
    points[0].rates_mean_response_ms = None;
    let note = facts(&points).ort_note.unwrap();
    printed.push(note.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn unmeasured_points_are_shown_once() {
    let mut printed = Vec::<String>::new();
    let mut points = ten();
    points[3] = LoadPoint { rates: Vec::new(), ..points[3].clone() };
    points[6].ended_early = Some("no answer for 30 s".to_owned());
    let facts = facts(&points);
    printed.extend(facts.points[3].why_not.clone());
    printed.extend(facts.points[6].why_not.as_deref().map(|text| text.to_string()));
    printed.push(facts.ort_note.unwrap().to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn several_reasons_are_joined() {
    let mut printed = Vec::<String>::new();
    let mut points = ten();
    // All operations of one camera, and a tenth of everything else: each of the three tests fails.
    points[0].rates.iter_mut().skip(1).for_each(|rate| rate.achieved_ops_per_s *= 0.1);
    let why_not = facts(&points).points[0].why_not.clone().unwrap();
    let reasons: Vec<&str> = why_not.split("; ").collect();
    assert_eq!(reasons.len(), 4, "the first says how many workers did not: {why_not}");
    printed.push(reasons[0].to_string());
    printed.push(reasons[2].to_string());
    printed.push(reasons[3].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn saturated_points_are_listed_by_number() {
    let mut printed = Vec::<String>::new();
    let points = [point(10, 1.0, Some(2.0)), point(20, 1.0, Some(3.0)), point(20, 1.0, Some(9.0))];
    let facts = facts(&points);
    assert_eq!(facts.overall_response_time_ms, None);
    printed.push(facts.ort_note.unwrap().to_string());
    printed.push(facts.uneven_steps[0].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn uneven_steps_are_listed_individually() {
    // The mean step is 2; steps up to 2.6 are even.
    let streams = [4, 6, 8, 10, 12, 13, 14, 16, 18, 20];
    let points: Vec<LoadPoint> = streams.iter().map(|&n| point(n, 1.0, Some(2.0))).collect();
    let found = facts(&points);
    let expected = ["from 0 to 4 streams", "from 12 to 13 streams", "from 13 to 14 streams"];
    assert_eq!(found.uneven_steps, expected.map(|start| format!("{start} (mean step 2.0)")));
    insta::assert_snapshot!(found.ort_note.unwrap());
}

#[test]
fn interrupted_point_has_no_other_reason() {
    let mut printed = Vec::<String>::new();
    let mut points = ten();
    // Far below the required rates, but the load point was cut off: it might still have caught up.
    points[2] =
        LoadPoint { ended_early: Some("stopped by the user".to_owned()), ..point(30, 0.1, Some(2.0)) };
    let facts = facts(&points);
    printed.extend(facts.points[2].why_not.as_deref().map(|text| text.to_string()));
    let note = facts.ort_note.unwrap();
    printed.push(note.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}
