//! Curves of load points made by hand.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::figures::{Figures, PointTiming};
use crate::meter::PointFigures;
use crate::paper::PaperTables;
use crate::summary::LoadPointFacts;
use crate::vda::ProcessRate;

/// So many streams that reach this share of their rates.
fn point(streams: u32, share: f64, mean_response_ms: Option<f64>) -> LoadPoint {
    let total = Figures {
        written_bytes_per_s: Some(f64::from(streams) * 4.0 * MIB),
        read_bytes_per_s: Some(f64::from(streams) * 0.5 * MIB),
        ..Figures::default()
    };
    let timing = PointTiming { started_ns: 0, measured_ns: 300_000_000_000 };
    let figures =
        PointFigures { point: 0, timing, total, per_worker: Vec::new(), paper: PaperTables::default() };
    let facts = LoadPointFacts { workers: 2 * streams, ..LoadPointFacts::default() };
    let rate = |worker: u32, component: &str, requested_ops_per_s: f64| ProcessRate {
        worker,
        component: component.to_owned(),
        requested_ops_per_s,
        achieved_ops_per_s: requested_ops_per_s * share,
    };
    let pair = |n: u32| [rate(2 * n, "camera", 9.0), rate(2 * n + 1, "companion", 1.0)];
    LoadPoint {
        rates: (0..streams).flat_map(pair).collect(),
        rates_mean_response_ms: mean_response_ms,
        stream_count: Some(streams),
        ..LoadPoint::new(facts, figures)
    }
}

fn facts(points: &[LoadPoint]) -> VdaFacts {
    let data_set_note = "2 files of 16 MiB instead of 11 of 1 GiB".to_owned();
    vda_facts(points, &VdaInput { data_set_note, ..VdaInput::default() })
}

/// Ten even load points: flat, and ten times slower at the last.
fn ten() -> Vec<LoadPoint> {
    (1..=10).map(|n| point(n * 2, 1.0, Some(if n == 10 { 20.0 } else { 2.0 }))).collect()
}

#[test]
fn a_whole_curve_compares() {
    let facts = facts(&ten());
    assert_eq!(facts.label, "VDA-like, not a SPEC result");
    assert_eq!(facts.data_set_note, "2 files of 16 MiB instead of 11 of 1 GiB");
    // Eight spans at 2 ms and one from 2 to 20 ms: (8 × 2 + 11) ÷ 9.
    assert_eq!(facts.overall_response_time_ms, Some(3.0));
    assert_eq!((facts.ort_note, facts.knee_point), (None, Some(8)));
    assert!(facts.uneven_steps.is_empty());
    let last = facts.points.last().unwrap();
    assert_eq!((last.streams, last.requested_ops_per_s, last.achieved_ops_per_s), (20, 200.0, 200.0));
    assert_eq!((last.written_mib_per_s, last.read_mib_per_s), (Some(80.0), Some(10.0)));
    assert!(last.valid && last.why_not.is_none());
}

#[test]
fn fewer_than_ten_points_have_a_value_that_compares_with_none() {
    let facts = facts(&ten()[..4]);
    assert_eq!(facts.overall_response_time_ms, Some(2.0));
    let note = facts.ort_note.unwrap();
    assert!(note.contains("from 4 load points; published ones have at least 10"), "{note}");
    assert_eq!(facts.knee_point, None);
}

#[test]
fn one_point_is_no_curve() {
    let one = facts(&ten()[..1]);
    assert_eq!(one.overall_response_time_ms, None);
    let note = one.ort_note.unwrap();
    assert!(note.starts_with("There is no overall response time: the curve has 1 load points"), "{note}");
    assert!(one.points[0].valid);
    assert_eq!(facts(&[]).points, []);
}

#[test]
fn the_curve_ends_before_the_first_point_that_is_not_valid() {
    let mut points = ten();
    points[8] = point(18, 0.9, Some(40.0));
    let facts = facts(&points);
    assert_eq!(facts.overall_response_time_ms, Some(2.0));
    let valid: Vec<bool> = facts.points.iter().map(|point| point.valid).collect();
    assert_eq!(valid, [true, true, true, true, true, true, true, true, false, true]);
    let why_not = facts.points[8].why_not.as_deref().unwrap();
    assert!(why_not.starts_with("all workers together did 162.0 of 180.0 op/s (90.0 %)"), "{why_not}");
    let note = facts.ort_note.unwrap();
    assert!(note.ends_with("The curve ends before load point 9 (18 streams), which is not valid."), "{note}");
}

#[test]
fn what_was_not_measured_is_not_valid() {
    let mut points = ten();
    points[3] = LoadPoint { rates: Vec::new(), ..points[3].clone() };
    points[5].rates_mean_response_ms = None;
    points[6].ended_early = Some("no answer for 30 s".to_owned());
    let facts = facts(&points);
    let why_not = facts.points[3].why_not.as_deref().unwrap();
    assert_eq!(why_not.matches("no process ran").count(), 1, "{why_not}");
    assert_eq!(facts.points[6].why_not.as_deref(), Some("it ended early: no answer for 30 s"));
    assert!(facts.points[5].valid);
    assert!(facts.ort_note.unwrap().contains("comes from 3 load points"));
}

#[test]
fn saturated_points_do_not_make_a_curve() {
    let points = [point(10, 1.0, Some(2.0)), point(20, 1.0, Some(3.0)), point(20, 1.0, Some(9.0))];
    let facts = facts(&points);
    assert_eq!(facts.overall_response_time_ms, None);
    assert!(facts.ort_note.unwrap().contains("load point 3 lies at 200.0, not above"));
    assert!(facts.uneven_steps[0].contains("load point 3 lies at 20.0, not above"));
}

#[test]
fn steps_are_judged_from_no_load_on() {
    // The mean step is 2; up to 2.6 is even.
    let streams = [4, 6, 8, 10, 12, 13, 14, 16, 18, 20];
    let points: Vec<LoadPoint> = streams.iter().map(|&n| point(n, 1.0, Some(2.0))).collect();
    let found = facts(&points);
    let expected = ["from 0 to 4 streams", "from 12 to 13 streams", "from 13 to 14 streams"];
    assert_eq!(found.uneven_steps.len(), 3);
    for (sentence, start) in found.uneven_steps.iter().zip(expected) {
        assert_eq!(sentence, &format!("{start}; the mean step is 2.0"));
    }
    assert!(found.ort_note.unwrap().contains("is within 30 % of the mean step"));
    assert_eq!(facts(&points[..1]).uneven_steps, Vec::<String>::new());
}

#[test]
fn what_was_cut_off_is_told_by_nothing_but_that() {
    let mut points = ten();
    // Rates far below what is needed: it would have been caught up with.
    points[2] =
        LoadPoint { ended_early: Some("stopped by the user".to_owned()), ..point(30, 0.1, Some(2.0)) };
    let facts = facts(&points);
    assert_eq!(facts.points[2].why_not.as_deref(), Some("it ended early: stopped by the user"));
    let note = facts.ort_note.unwrap();
    assert!(note.ends_with("which was not measured to its end."), "{note}");
    assert!(!note.contains("not valid"), "{note}");
}
