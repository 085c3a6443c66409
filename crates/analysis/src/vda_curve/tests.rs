//! Curves of handmade load points. Sentences about them are in the report crate.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::criteria::Criterion;
use crate::test_figures::{ten_load_points as ten, vda_point as point};
use crate::vda::RateError;

fn curve(points: &[LoadPoint]) -> VdaCurve {
    vda_curve(points, RateLimits::default())
}

#[test]
fn a_whole_curve_compares() {
    let found = curve(&ten());
    // Eight spans at 2 ms and one from 2 to 20 ms: (8 × 2 + 11) ÷ 9.
    assert_eq!(found.overall_response_time_ms, Ok(3.0));
    assert_eq!((&found.incomparable[..], found.end, found.knee_point), (&[][..], None, Some(8)));
    assert_eq!(found.uneven_steps, Ok(Vec::new()));
    let last = found.loads.last().unwrap().clone();
    assert!(last.why_not().is_empty());
    let last = last.in_words(|_| panic!("nothing is to be said of what is valid"));
    assert_eq!((last.streams, last.requested_ops_per_s, last.achieved_ops_per_s), (20, 200.0, 200.0));
    assert_eq!((last.written_mib_per_s, last.read_mib_per_s), (Some(80.0), Some(10.0)));
    assert!(last.valid && last.why_not.is_none());
}

#[test]
fn fewer_than_ten_points_have_a_value_that_compares_with_none() {
    let found = curve(&ten()[..4]);
    assert_eq!(found.overall_response_time_ms, Ok(2.0));
    assert_eq!(found.incomparable, [Incomparable::FewPoints { points: 4 }]);
    assert_eq!((found.end, found.knee_point), (None, None));
}

#[test]
fn one_point_is_no_curve() {
    let one = curve(&ten()[..1]);
    assert_eq!(one.overall_response_time_ms, Err(CurveError::TooFewPoints { have: 1, need: 2 }));
    assert!(one.incomparable.is_empty() && one.loads[0].point.valid);
    assert_eq!(curve(&[]).loads, []);
}

#[test]
fn the_curve_ends_before_the_first_point_that_is_not_valid() {
    let mut points = ten();
    points[8] = point(18, 0.9, Some(40.0));
    let found = curve(&points);
    assert_eq!(found.overall_response_time_ms, Ok(2.0));
    let valid: Vec<bool> = found.loads.iter().map(|load| load.point.valid).collect();
    assert_eq!(valid, [true, true, true, true, true, true, true, true, false, true]);
    let [NotValid::Unmet(unmet)] = found.loads[8].why_not() else {
        panic!("{:?} has one reason", found.loads[8]);
    };
    assert_eq!((unmet.criterion(), unmet.limit()), (Criterion::GlobalRate, 0.95));
    assert_eq!(found.end, Some(CurveEnd { index: 8, streams: 18, why: WhyOffCurve::NotValid }));
    let worded = found.loads[8].clone().in_words(|why_not| format!("{} reason", why_not.len()));
    assert_eq!(worded.why_not.as_deref(), Some("1 reason"));
}

#[test]
fn a_long_curve_that_ends_early_is_not_accepted() {
    let mut points: Vec<LoadPoint> = (1..=12).map(|n| point(n * 2, 1.0, Some(2.0))).collect();
    points[11].rates_mean_response_ms = None;
    let found = curve(&points);
    assert_eq!(found.incomparable, [Incomparable::EndsEarly]);
    assert_eq!(found.end, Some(CurveEnd { index: 11, streams: 24, why: WhyOffCurve::NoResponseTime }));
}

#[test]
fn unmeasured_point_is_invalid() {
    let mut points = ten();
    points[3] = LoadPoint { rates: Vec::new(), ..points[3].clone() };
    points[5].rates_mean_response_ms = None;
    points[6].ended_early = Some("no answer for 30 s".to_owned());
    let found = curve(&points);
    let [NotValid::Unmet(unmet)] = found.loads[3].why_not() else {
        panic!("{:?} has one reason, and no second that says the same", found.loads[3]);
    };
    assert_eq!(unmet.reason(), &Reason::NoRates(RateError::NoProcesses));
    assert_eq!(found.loads[6].why_not(), [NotValid::EndedEarly("no answer for 30 s".to_owned())]);
    assert!(found.loads[5].point.valid);
    assert_eq!(found.incomparable, [Incomparable::FewPoints { points: 3 }]);
}

#[test]
fn saturated_points_do_not_make_a_curve() {
    let points = [point(10, 1.0, Some(2.0)), point(20, 1.0, Some(3.0)), point(20, 1.0, Some(9.0))];
    let found = curve(&points);
    let not_above = |before, after, unit| CurveError::NotIncreasing { index: 2, before, after, unit };
    assert_eq!(found.overall_response_time_ms, Err(not_above(200.0, 200.0, "op/s")));
    assert_eq!(found.uneven_steps, Err(not_above(20.0, 20.0, "streams")));
}

#[test]
fn steps_are_judged_from_no_load_on() {
    // The mean step is 2; up to 2.6 is even.
    let streams = [4, 6, 8, 10, 12, 13, 14, 16, 18, 20];
    let points: Vec<LoadPoint> = streams.iter().map(|&n| point(n, 1.0, Some(2.0))).collect();
    let found = curve(&points);
    let step = |from, to| StreamStep { from, to, mean: 2.0 };
    assert_eq!(found.uneven_steps, Ok(vec![step(0, 4), step(12, 13), step(13, 14)]));
    assert_eq!(found.incomparable, [Incomparable::UnevenSteps]);
    assert_eq!(curve(&points[..1]).uneven_steps, Ok(Vec::new()));
}

#[test]
fn interrupted_point_has_no_other_reason() {
    let mut points = ten();
    // Far below the required rates, but the load point was cut off: it might still have caught up.
    points[2] =
        LoadPoint { ended_early: Some("stopped by the user".to_owned()), ..point(30, 0.1, Some(2.0)) };
    let found = curve(&points);
    assert_eq!(found.loads[2].why_not(), [NotValid::EndedEarly("stopped by the user".to_owned())]);
    assert_eq!(found.end, Some(CurveEnd { index: 2, streams: 30, why: WhyOffCurve::CutOff }));
}
