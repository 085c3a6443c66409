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
    let facts = facts(&ten());
    assert_eq!(facts.label, "VDA-like, not a SPEC result");
    assert_eq!(facts.data_set_note, "2 files of 16 MiB instead of 11 of 1 GiB");
    assert_eq!((facts.overall_response_time_ms, facts.knee_point), (Some(3.0), Some(8)));
    assert_eq!((facts.ort_note, facts.uneven_steps), (None, Vec::new()));
    assert!(facts.points.iter().all(|point| point.valid && point.why_not.is_none()));
}

#[test]
fn few_points_compare_with_none_and_one_is_no_curve() {
    let note = facts(&ten()[..4]).ort_note.unwrap();
    assert!(note.contains("from 4 load points. Published results have at least 10"), "{note}");
    let one = facts(&ten()[..1]);
    let note = one.ort_note.unwrap();
    assert!(note.starts_with("No overall response time: the curve has 1 load point"), "{note}");
    assert_eq!(one.overall_response_time_ms, None);
}

#[test]
fn curve_ends_before_the_first_invalid_point() {
    let mut points = ten();
    points[8] = point(18, 0.9, Some(40.0));
    let facts = facts(&points);
    let why_not = facts.points[8].why_not.as_deref().unwrap();
    assert_eq!(why_not, "all workers together reached 162.0 of 180.0 op/s (90.0 %, 95.0 % needed)");
    assert!(!facts.points[8].valid);
    assert_eq!(
        facts.ort_note.unwrap(),
        "It is from 8 load points. Published results have at least 10, so they cannot be compared with it. The \
         curve ends before load point 9 (18 streams), which is not valid."
    );
}

#[test]
fn a_long_curve_that_ends_early_is_not_accepted() {
    let mut points: Vec<LoadPoint> = (1..=12).map(|n| point(n, 1.0, Some(2.0))).collect();
    points[11].rates_mean_response_ms = None;
    assert_eq!(
        facts(&points).ort_note.unwrap(),
        "The published rules reject a curve that stops before the last planned load point. The curve ends \
         before load point 12 (12 streams), which has no response time."
    );
    points[0].rates_mean_response_ms = None;
    let note = facts(&points).ort_note.unwrap();
    assert!(note.ends_with("before load point 1 (1 stream), which has no response time."), "{note}");
}

#[test]
fn unmeasured_points_are_shown_once() {
    let mut points = ten();
    points[3] = LoadPoint { rates: Vec::new(), ..points[3].clone() };
    points[6].ended_early = Some("no answer for 30 s".to_owned());
    let facts = facts(&points);
    let why_not = facts.points[3].why_not.as_deref().unwrap();
    assert_eq!(why_not.matches("no process ran").count(), 1, "{why_not}");
    assert_eq!(facts.points[6].why_not.as_deref(), Some("it ended early: no answer for 30 s"));
    assert!(facts.ort_note.unwrap().contains("is from 3 load points"));
}

#[test]
fn several_reasons_are_joined() {
    let mut points = ten();
    // All operations of one camera, and a tenth of everything else: each of the three tests fails.
    points[0].rates.iter_mut().skip(1).for_each(|rate| rate.achieved_ops_per_s *= 0.1);
    let why_not = facts(&points).points[0].why_not.clone().unwrap();
    let reasons: Vec<&str> = why_not.split("; ").collect();
    assert_eq!(reasons.len(), 4, "the first says how many workers did not: {why_not}");
    assert!(reasons[0].starts_with("worker 1 (companion) reached 0.10 of 1.00 op/s (10.0 %"), "{why_not}");
    assert!(reasons[2].starts_with("all workers together"), "{why_not}");
    assert!(reasons[3].starts_with("the ratio of camera to companion operations"), "{why_not}");
}

#[test]
fn saturated_points_are_listed_by_number() {
    let points = [point(10, 1.0, Some(2.0)), point(20, 1.0, Some(3.0)), point(20, 1.0, Some(9.0))];
    let facts = facts(&points);
    assert_eq!(facts.overall_response_time_ms, None);
    assert!(facts.ort_note.unwrap().contains("load point 3 reached 200.0"));
    assert!(facts.uneven_steps[0].contains("load point 3 reached 20.0"));
}

#[test]
fn uneven_steps_are_listed_individually() {
    // The mean step is 2; steps up to 2.6 are even.
    let streams = [4, 6, 8, 10, 12, 13, 14, 16, 18, 20];
    let points: Vec<LoadPoint> = streams.iter().map(|&n| point(n, 1.0, Some(2.0))).collect();
    let found = facts(&points);
    let expected = ["from 0 to 4 streams", "from 12 to 13 streams", "from 13 to 14 streams"];
    assert_eq!(found.uneven_steps, expected.map(|start| format!("{start} (mean step 2.0)")));
    assert!(found.ort_note.unwrap().contains("by more than 30 % from the mean step"));
}

#[test]
fn interrupted_point_has_no_other_reason() {
    let mut points = ten();
    // Far below the required rates, but the load point was cut off: it might still have caught up.
    points[2] =
        LoadPoint { ended_early: Some("stopped by the user".to_owned()), ..point(30, 0.1, Some(2.0)) };
    let facts = facts(&points);
    assert_eq!(facts.points[2].why_not.as_deref(), Some("it ended early: stopped by the user"));
    let note = facts.ort_note.unwrap();
    assert!(note.ends_with("which was not measured to its end."), "{note}");
    assert!(!note.contains("not valid"), "{note}");
}
