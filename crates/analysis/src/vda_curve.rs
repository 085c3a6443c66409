//! From the load points of a VDA-like run to its curve: which points are valid, how long answers took on
//! the way to full load, where the curve turns, and what of that may be compared with anything published.
//!
//! Not here: measuring, and the formulas themselves ([`crate::ort`], [`crate::vda`]).

use crate::criteria::Criteria;
use crate::facts::{VdaFacts, VdaPoint};
use crate::ort::{CurvePoint, POINTS_MIN, STEP_TOLERANCE, knee, overall_response_time_ms, steps_off};
use crate::rounding::round_to;
use crate::summary::LoadPoint;
use crate::vda::{LABEL, RateLimits};
use crate::verdict::{Measured, judge};

const MIB: f64 = 1_048_576.0;

/// What must be known beside the load points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VdaInput {
    /// What makes a point valid.
    pub limits: RateLimits,
    /// See [`VdaFacts::data_set_note`].
    pub data_set_note: String,
}

/// The curve of these load points, in the order in which they ran.
///
/// It ends before the first point that is not valid: what comes after is no longer the requested load.
pub fn vda_facts(load_points: &[LoadPoint], input: &VdaInput) -> VdaFacts {
    let points: Vec<VdaPoint> = load_points.iter().map(|point| vda_point(point, input.limits)).collect();
    let curve = curve_of(&points);
    let loads: Vec<f64> = points.iter().map(|point| f64::from(point.streams)).collect();
    let uneven_steps = uneven(&points, &loads);
    let ort = overall_response_time_ms(&curve);
    let mut notes = Vec::new();
    match &ort {
        Err(error) => notes.push(format!("There is no overall response time: {error}.")),
        Ok(_) => notes.extend(incomparable(&points, curve.len(), !uneven_steps.is_empty())),
    }
    let cut_off = load_points.get(curve.len()).is_some_and(|point| point.ended_early.is_some());
    notes.extend(points.get(curve.len()).map(|point| curve_ends(point, curve.len(), cut_off)));
    VdaFacts {
        label: LABEL.to_owned(),
        data_set_note: input.data_set_note.clone(),
        overall_response_time_ms: ort.ok().map(|ms| round_to(ms, 6)),
        ort_note: (!notes.is_empty()).then(|| notes.join(" ")),
        knee_point: knee(&curve).ok().flatten().map(|knee| knee.index),
        uneven_steps,
        points,
    }
}

/// The points before the first that is not valid or has no response time.
fn curve_of(points: &[VdaPoint]) -> Vec<CurvePoint> {
    let of = |point: &VdaPoint| {
        let mean_latency_ms = point.mean_response_ms.filter(|_| point.valid)?;
        Some(CurvePoint { achieved_ops_per_s: point.achieved_ops_per_s, mean_latency_ms })
    };
    points.iter().map_while(of).collect()
}

fn vda_point(point: &LoadPoint, limits: RateLimits) -> VdaPoint {
    let criteria = Criteria {
        op_rate_per_worker_min: Some(limits.process_min),
        op_rate_global_min: Some(limits.global_min),
        ratio_tolerance: Some(limits.ratio_tolerance),
        ..Criteria::default()
    };
    let verdict = judge(&criteria, &Measured { rates: &point.rates, ..Measured::default() });
    let early = point.ended_early.iter().map(|reason| format!("it ended early: {reason}"));
    let mut reasons: Vec<String> = early.collect();
    // Rates of what was cut off are not what it would have come to.
    let failures = verdict.failures.into_iter().filter(|_| point.ended_early.is_none());
    for failure in failures {
        // Where there are no rates, each criterion says the same.
        if reasons.last() != Some(&failure.sentence) {
            reasons.push(failure.sentence);
        }
    }
    let mib = |rate: Option<f64>| rate.map(|bytes_per_s| round_to(bytes_per_s / MIB, 3));
    VdaPoint {
        // A stream is a camera and its companion.
        streams: point.stream_count.unwrap_or(point.workers / 2),
        requested_ops_per_s: round_to(point.rates.iter().map(|rate| rate.requested_ops_per_s).sum(), 3),
        achieved_ops_per_s: round_to(point.rates.iter().map(|rate| rate.achieved_ops_per_s).sum(), 3),
        mean_response_ms: point.rates_mean_response_ms,
        written_mib_per_s: mib(point.total.written_bytes_per_s),
        read_mib_per_s: mib(point.total.read_bytes_per_s),
        valid: reasons.is_empty(),
        why_not: (!reasons.is_empty()).then(|| reasons.join("; ")),
    }
}

/// Why an overall response time compares with no published one.
fn incomparable(points: &[VdaPoint], on_curve: usize, is_uneven: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if on_curve < POINTS_MIN {
        notes.push(format!(
            "It comes from {on_curve} load points; published ones have at least {POINTS_MIN}, so it does \
             not compare with them."
        ));
    } else if on_curve < points.len() {
        notes.push(
            "Published rules would not accept a curve that ends before its last load point.".to_owned(),
        );
    }
    if is_uneven {
        notes.push(format!(
            "Not every step between load points is within {:.0} % of the mean step, so it does not compare \
             with published ones.",
            STEP_TOLERANCE * 100.0
        ));
    }
    notes
}

fn curve_ends(point: &VdaPoint, index: usize, cut_off: bool) -> String {
    let why = match (cut_off, point.valid) {
        (true, _) => "was not measured to its end",
        (false, true) => "has no response time",
        (false, false) => "is not valid",
    };
    let plural = if point.streams == 1 { "" } else { "s" };
    format!("The curve ends before load point {} ({} stream{plural}), which {why}.", index + 1, point.streams)
}

fn uneven(points: &[VdaPoint], loads: &[f64]) -> Vec<String> {
    match steps_off(loads) {
        Err(error) => vec![error.to_string()],
        Ok(steps) => {
            let from = |index: usize| index.checked_sub(1).map_or(0, |before| points[before].streams);
            let sentence = |step: &crate::ort::UnevenStep| {
                format!(
                    "from {} to {} streams; the mean step is {:.1}",
                    from(step.index),
                    points[step.index].streams,
                    step.nominal
                )
            };
            steps.iter().map(sentence).collect()
        }
    }
}

#[cfg(test)]
mod tests;
