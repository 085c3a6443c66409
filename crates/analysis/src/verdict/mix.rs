//! Whether a load point without streams met its criteria: a mix, whose workers have no pace.
//!
//! Throughput over a buffer time (EBU Tech 3362, 9.2 (7)) is that of all workers together, with a buffer
//! time of one second: the least that any whole second of the load point transferred. In runs of more
//! than six hours the log's seconds are merged, and so are these.

use super::judge::{Measured, judge};
use super::reason::Reason;
use super::ruling::{Ruling, Unmet};
use crate::criteria::{Criteria, Criterion};
use crate::series::{Series, SeriesStep};
use crate::summary::LoadPoint;

/// The criteria that a mix may have; the others are for streams and required rates.
pub const OF_MIX: [Criterion; 3] =
    [Criterion::FailedOps, Criterion::P99Response, Criterion::BufferThroughput];

/// The first criterion for which a mix has no figure; `None` if it has all.
pub fn not_of_mix(criteria: &Criteria) -> Option<Criterion> {
    criteria.asked().into_iter().find(|criterion| !OF_MIX.contains(criterion))
}

/// Judges a load point of a mix.
pub fn judge_mix(criteria: &Criteria, series: &Series, point: &LoadPoint) -> Ruling {
    let others = Criteria { min_throughput_over_buffer_mb_per_s: None, ..*criteria };
    let ruling = judge(&others, &Measured { total: Some(&point.total), ..Measured::default() });
    let Some(limit) = criteria.min_throughput_over_buffer_mb_per_s else { return ruling };
    let only = Criteria { min_throughput_over_buffer_mb_per_s: Some(limit), ..Criteria::default() };
    ruling.and(Ruling::new(&only, unmet_seconds(limit, series, point).into_iter().collect()))
}

/// The slowest whole second, if it transferred too little.
fn unmet_seconds(limit: f64, series: &Series, point: &LoadPoint) -> Option<Unmet> {
    let criterion = Criterion::BufferThroughput;
    let step_s = series.step_s.max(1) as f64;
    // A series may be read from a summary, which is untrusted input.
    let rate = |step: &SeriesStep| (step.read_bytes.saturating_add(step.written_bytes)) as f64 / step_s;
    let seconds = whole_seconds(series, point);
    let slowest = seconds.iter().min_by(|one, two| rate(one).total_cmp(&rate(two)));
    let Some(slowest) = slowest else {
        return Some(Unmet::not_measured(criterion, limit, Reason::NoWholeSecond));
    };
    let found = rate(slowest) / 1e6;
    if found >= limit {
        return None;
    }
    let first = seconds.iter().find(|step| rate(step) / 1e6 < limit).unwrap_or(slowest);
    let in_point_s = |step: &SeriesStep| step.began_s as f64 - point.started_s;
    let reason = Reason::SlowSecond {
        least_bytes_per_s: rate(slowest),
        over_s: step_s,
        began_in_point_s: in_point_s(slowest),
    };
    let at = (Some(first.began_s as f64), Some(in_point_s(first)));
    Some(Unmet::new(criterion, limit, found, reason).at(at.0, at.1))
}

/// The seconds that are entirely in the load point, without its first and its last, which it fills only
/// partly. Seconds in between without operations count.
fn whole_seconds<'a>(series: &'a Series, point: &LoadPoint) -> &'a [SeriesStep] {
    let belongs = |step: &SeriesStep| step.point == Some(point.index) && step.ops > 0;
    let first = series.steps.iter().position(belongs);
    let last = series.steps.iter().rposition(belongs);
    // Without whole seconds there is nothing to judge.
    first.zip(last).and_then(|(first, last)| series.steps.get(first + 1..last)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::test_figures::vda_point;

    const MB: u64 = 1_000_000;

    /// Seconds of a load point that begins in second 10, each with its transferred MB.
    fn series(mb: &[u64]) -> Series {
        let step = |(at, mb): (usize, &u64)| SeriesStep {
            began_s: 10 + at as u64,
            point: Some(0),
            ops: u64::from(*mb > 0),
            warmup_ops: 0,
            read_bytes: mb * MB / 2,
            written_bytes: mb * MB / 2,
            errors: 0,
            max_response_us: None,
            max_response_began_s: None,
        };
        Series { step_s: 1, steps: mb.iter().enumerate().map(step).collect(), standstills: Vec::new() }
    }

    fn ruling(text: &str, mb: &[u64]) -> Ruling {
        let change: crate::criteria::CriteriaChange = text.parse().unwrap();
        let criteria = change.apply_to(Criteria::default());
        let point = LoadPoint { started_s: 10.0, ..vda_point(1, 1.0, None) };
        judge_mix(&criteria, &series(mb), &point)
    }

    #[test]
    fn every_whole_second_has_to_move_enough_and_the_first_that_did_not_is_named() {
        assert!(
            ruling("throughput=60MB/s", &[5, 60, 80, 60, 1]).unmet().is_empty(),
            "parts of seconds do not count"
        );
        let slow = ruling("throughput=60MB/s", &[5, 80, 50, 0, 80, 1]);
        let [unmet] = slow.unmet() else { panic!("{slow:?}") };
        let expected = Reason::SlowSecond { least_bytes_per_s: 0.0, over_s: 1.0, began_in_point_s: 3.0 };
        assert_eq!(unmet.reason(), &expected);
        let verdict = slow.in_words(|_| String::new());
        let first = verdict.failed_first.unwrap();
        assert_eq!((first.at_s, first.found, first.limit), (Some(12.0), Some(0.0), 60.0));
    }

    #[test]
    fn no_whole_second_is_no_measurement_and_no_pass() {
        let short = ruling("throughput=60MB/s", &[80, 80]);
        assert_eq!(short.unmet()[0].reason(), &Reason::NoWholeSecond);
        assert!(!short.in_words(|_| String::new()).failures[0].measured);
    }

    #[test]
    fn criteria_of_streams_are_none_of_a_mix() {
        let of = |text: &str| {
            let change: crate::criteria::CriteriaChange = text.parse().unwrap();
            not_of_mix(&change.apply_to(Criteria::default()))
        };
        assert_eq!(of("p99=40ms,throughput=60MB/s,errors=0"), None);
        assert_eq!(of("late=0,p99=40ms"), Some(Criterion::LateFrames));
        assert_eq!(of("worker-rate=75"), Some(Criterion::WorkerRate));
    }
}
