//! Computes the curve of a VDA-like run from its load points: which points are valid, the response times
//! up to full load, the knee of the curve, and which results can be compared with published ones.
//!
//! Not here: measuring, the formulas ([`crate::ort`], [`crate::vda`]), and the sentences: the report
//! crate writes those of a summary ([`crate::VdaFacts`]).

use crate::criteria::Criteria;
use crate::facts::VdaPoint;
use crate::ort::{CurveError, CurvePoint, POINTS_MIN, knee, overall_response_time_ms, steps_off};
use crate::rounding::round_to;
use crate::summary::LoadPoint;
use crate::vda::RateLimits;
use crate::vda_published::PUBLISHED_UNIT_BYTES;
use crate::verdict::{Measured, Reason, Unmet, judge};

const MIB: f64 = 1_048_576.0;

/// The curve of a VDA-like run, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct VdaCurve {
    /// The load points, in the order in which they ran.
    pub loads: Vec<VdaLoad>,
    /// The overall response time, or why there is none.
    pub overall_response_time_ms: Result<f64, CurveError>,
    /// Why it cannot be compared with published ones; empty if it can, and if there is none.
    pub incomparable: Vec<Incomparable>,
    /// The end of the curve, if it is before the last load point.
    pub end: Option<CurveEnd>,
    /// The last load point before the response time turns upwards, as an index into `loads`.
    pub knee_point: Option<usize>,
    /// Steps between load points that differ from the mean step by more than
    /// [`crate::ort::STEP_TOLERANCE`], or why no steps can be judged.
    pub uneven_steps: Result<Vec<StreamStep>, CurveError>,
}

/// A load point of the curve, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct VdaLoad {
    /// Without its text, and therefore private.
    point: VdaPoint,
    why_not: Vec<NotValid>,
}

/// Why a load point is not valid.
#[derive(Clone, Debug, PartialEq)]
pub enum NotValid {
    /// It ended early, for this reason.
    EndedEarly(String),
    /// A required rate was missed, or not measured.
    Unmet(Unmet),
}

/// Why an overall response time cannot be compared with published ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// It is computed from fewer than [`POINTS_MIN`] load points.
    FewPoints { points: usize },
    /// The curve ends before its last load point.
    EndsEarly,
    /// A step differs too much from the mean step.
    UnevenSteps,
}

/// The end of a curve before its last load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveEnd {
    /// Before this load point, from 0.
    pub index: usize,
    pub streams: u32,
    /// Why that load point is not on the curve.
    pub why: WhyOffCurve,
}

/// Why a load point is not on the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyOffCurve {
    /// It ended early.
    CutOff,
    /// It has no response time.
    NoResponseTime,
    /// It is not valid.
    NotValid,
}

/// A step between two load points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamStep {
    /// Streams before it; 0 before the first load point.
    pub from: u32,
    pub to: u32,
    pub mean: f64,
}

/// The curve of these load points, in the order in which they ran, and the limits of a valid point.
///
/// It ends before the first point that is not valid: after that, the load is no longer the requested
/// one.
pub fn vda_curve(load_points: &[LoadPoint], limits: RateLimits) -> VdaCurve {
    let loads: Vec<VdaLoad> = load_points.iter().map(|point| vda_load(point, limits)).collect();
    let points: Vec<&VdaPoint> = loads.iter().map(|load| &load.point).collect();
    let curve = curve_of(&points);
    let uneven_steps = uneven(&points);
    let ort = overall_response_time_ms(&curve);
    let is_even = uneven_steps.as_ref().is_ok_and(Vec::is_empty);
    let incomparable = match &ort {
        Err(_) => Vec::new(),
        Ok(_) => incomparable(points.len(), curve.len(), is_even),
    };
    let cut_off = load_points.get(curve.len()).is_some_and(|point| point.ended_early.is_some());
    VdaCurve {
        overall_response_time_ms: ort.map(|ms| round_to(ms, 6)),
        incomparable,
        end: points.get(curve.len()).map(|point| curve_end(point, curve.len(), cut_off)),
        knee_point: knee(&curve).ok().flatten().map(|knee| knee.index),
        uneven_steps,
        loads,
    }
}

impl VdaLoad {
    /// Why it is not valid; empty if it is.
    pub fn why_not(&self) -> &[NotValid] {
        &self.why_not
    }

    /// The form of a summary, with the text why it is not valid.
    pub fn in_words(self, words: impl Fn(&[NotValid]) -> String) -> VdaPoint {
        let why_not = (!self.why_not.is_empty()).then(|| words(&self.why_not));
        VdaPoint { why_not, ..self.point }
    }
}

/// The points before the first that is not valid or has no response time.
fn curve_of(points: &[&VdaPoint]) -> Vec<CurvePoint> {
    let of = |point: &&VdaPoint| {
        let mean_latency_ms = point.mean_response_ms.filter(|_| point.valid)?;
        Some(CurvePoint { achieved_ops_per_s: point.achieved_ops_per_s, mean_latency_ms })
    };
    points.iter().map_while(of).collect()
}

fn vda_load(point: &LoadPoint, limits: RateLimits) -> VdaLoad {
    let why_not = why_not(point, limits);
    let mib = |rate: Option<f64>| rate.map(|bytes_per_s| round_to(bytes_per_s / MIB, 3));
    let point = VdaPoint {
        // A stream is a camera and its companion.
        streams: point.stream_count.unwrap_or(point.workers / 2),
        requested_ops_per_s: round_to(point.rates.iter().map(|rate| rate.requested_ops_per_s).sum(), 3),
        achieved_ops_per_s: round_to(point.rates.iter().map(|rate| rate.achieved_ops_per_s).sum(), 3),
        mean_response_ms: point.rates_mean_response_ms,
        written_mib_per_s: mib(point.total.written_bytes_per_s),
        read_mib_per_s: mib(point.total.read_bytes_per_s),
        published_mb_per_s: point.total.bytes_per_s.map(|rate| round_to(rate / PUBLISHED_UNIT_BYTES, 3)),
        valid: why_not.is_empty(),
        why_not: None,
    };
    VdaLoad { point, why_not }
}

/// Why a load point is not valid; empty if it is.
fn why_not(point: &LoadPoint, limits: RateLimits) -> Vec<NotValid> {
    // The rates of a load point that was cut off are not its final ones.
    if let Some(reason) = &point.ended_early {
        return vec![NotValid::EndedEarly(reason.clone())];
    }
    let criteria = Criteria {
        op_rate_per_worker_min: Some(limits.process_min),
        op_rate_global_min: Some(limits.global_min),
        ratio_tolerance: Some(limits.ratio_tolerance),
        ..Criteria::default()
    };
    let ruling = judge(&criteria, &Measured { rates: &point.rates, ..Measured::default() });
    let mut unmet = ruling.unmet().to_vec();
    // Without rates, each criterion gives the same reason.
    let says_no_rates = |unmet: &Unmet| matches!(unmet.reason(), Reason::NoRates(_));
    unmet.dedup_by(|one, before| says_no_rates(one) && says_no_rates(before));
    unmet.into_iter().map(NotValid::Unmet).collect()
}

/// Why an overall response time cannot be compared with published ones.
fn incomparable(points: usize, on_curve: usize, is_even: bool) -> Vec<Incomparable> {
    let length = if on_curve < POINTS_MIN {
        Some(Incomparable::FewPoints { points: on_curve })
    } else {
        (on_curve < points).then_some(Incomparable::EndsEarly)
    };
    let steps = (!is_even).then_some(Incomparable::UnevenSteps);
    length.into_iter().chain(steps).collect()
}

fn curve_end(point: &VdaPoint, index: usize, cut_off: bool) -> CurveEnd {
    let why = match (cut_off, point.valid) {
        (true, _) => WhyOffCurve::CutOff,
        (false, true) => WhyOffCurve::NoResponseTime,
        (false, false) => WhyOffCurve::NotValid,
    };
    CurveEnd { index, streams: point.streams, why }
}

fn uneven(points: &[&VdaPoint]) -> Result<Vec<StreamStep>, CurveError> {
    let loads: Vec<f64> = points.iter().map(|point| f64::from(point.streams)).collect();
    let from = |index: usize| index.checked_sub(1).map_or(0, |before| points[before].streams);
    let steps = steps_off(&loads)?.into_iter().map(|step| StreamStep {
        from: from(step.index),
        to: points[step.index].streams,
        mean: step.nominal,
    });
    Ok(steps.collect())
}

#[cfg(test)]
mod tests;
