//! The curve of a VDA-like run as in a summary: with the reasons why points are not valid, why there is
//! no overall response time or why it is not comparable with published ones, and the uneven steps.
//!
//! Not here: calculating the curve ([`mod@reelgauge_analysis::vda_curve`]), and the screen (`vda`).

use reelgauge_analysis::ort::{CurveError, POINTS_MIN, STEP_TOLERANCE};
use reelgauge_analysis::vda::{LABEL, RateLimits};
use reelgauge_analysis::vda_curve::{CurveEnd, Incomparable, NotValid, StreamStep, WhyOffCurve};
use reelgauge_analysis::{LoadPoint, VdaCurve, VdaFacts, VdaPoint, vda_curve};

use crate::verdict::unmet_sentence;

/// The facts needed in addition to the load points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VdaInput {
    /// The limits for a valid point.
    pub limits: RateLimits,
    /// See [`VdaFacts::data_set_note`].
    pub data_set_note: String,
}

/// The curve of these load points, in the order in which they ran.
pub fn vda_facts(load_points: &[LoadPoint], input: &VdaInput) -> VdaFacts {
    let curve = vda_curve(load_points, input.limits);
    let ort_note = note(&curve);
    let points: Vec<VdaPoint> = curve.loads.into_iter().map(|load| load.in_words(why_not)).collect();
    let last_valid = points.iter().take_while(|point| point.valid).last();
    VdaFacts {
        streams: last_valid.map(|point| point.streams),
        published_mb_per_s: last_valid.and_then(|point| point.published_mb_per_s),
        label: LABEL.to_owned(),
        data_set_note: input.data_set_note.clone(),
        overall_response_time_ms: curve.overall_response_time_ms.ok(),
        ort_note,
        knee_point: curve.knee_point,
        uneven_steps: uneven(&curve.uneven_steps),
        points,
    }
}

/// Why there is no overall response time, or why it is not comparable; `None` if it is comparable.
fn note(curve: &VdaCurve) -> Option<String> {
    let none = curve.overall_response_time_ms.as_ref().err();
    let none = none.map(|error| format!("No overall response time: {error}."));
    let incomparable = curve.incomparable.iter().map(|why| incomparable(*why));
    let notes: Vec<String> =
        none.into_iter().chain(incomparable).chain(curve.end.as_ref().map(curve_ends)).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Why a load point is not valid, without the full stop.
fn why_not(reasons: &[NotValid]) -> String {
    let sentence = |reason: &NotValid| match reason {
        NotValid::EndedEarly(why) => format!("it ended early: {why}"),
        NotValid::Unmet(unmet) => unmet_sentence(unmet),
    };
    reasons.iter().map(sentence).collect::<Vec<_>>().join("; ")
}

fn incomparable(why: Incomparable) -> String {
    match why {
        Incomparable::FewPoints { points } => format!(
            "It is from {points} load points. Published results have at least {POINTS_MIN}, so they cannot \
             be compared with it."
        ),
        Incomparable::EndsEarly => {
            "The published rules reject a curve that stops before the last planned load point.".to_owned()
        }
        Incomparable::UnevenSteps => format!(
            "Some steps between load points differ by more than {:.0} % from the mean step. Published \
             results cannot be compared with such a curve.",
            STEP_TOLERANCE * 100.0
        ),
    }
}

fn curve_ends(end: &CurveEnd) -> String {
    let why = match end.why {
        WhyOffCurve::CutOff => "was not measured to its end",
        WhyOffCurve::NoResponseTime => "has no response time",
        WhyOffCurve::NotValid => "is not valid",
    };
    let plural = if end.streams == 1 { "" } else { "s" };
    format!(
        "The curve ends before load point {} ({} stream{plural}), which {why}.",
        end.index + 1,
        end.streams
    )
}

fn uneven(steps: &Result<Vec<StreamStep>, CurveError>) -> Vec<String> {
    let sentence =
        |step: &StreamStep| format!("from {} to {} streams (mean step {:.1})", step.from, step.to, step.mean);
    match steps {
        Err(error) => vec![error.to_string()],
        Ok(steps) => steps.iter().map(sentence).collect(),
    }
}

#[cfg(test)]
mod tests;
