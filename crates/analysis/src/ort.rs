//! Curves of load points: the overall response time, whether the points are evenly spaced, and the knee
//! of the curve.
//!
//! The overall response time shows in one number how long operations took between idle and fully loaded
//! storage. It hides a knee at the last point (a published curve of 1.6 to 3.9 ms that ends at 30 ms has
//! one of 4.12 ms). So [`knee`] and the latency of the last point must be shown with it.
//!
//! Not here: whether a single load point is valid; see [`crate::vda`].

use serde::{Deserialize, Serialize};

/// A curve needs this many load points to be compared with published ones.
pub const POINTS_MIN: usize = 10;

/// How far a step between load points may be from the mean step, as a share of it.
pub const STEP_TOLERANCE: f64 = 0.30;

/// A knee must lie this far below the straight line from the first to the last point, as a share of the
/// latency's whole rise.
pub const KNEE_DEPTH_MIN: f64 = 0.25;

/// From the knee to the last point, latency must grow at least to this multiple.
pub const KNEE_RISE_MIN: f64 = 1.5;

/// One measured load point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Achieved operations per second, not the requested ones.
    pub achieved_ops_per_s: f64,
    /// Mean response time of all operations.
    pub mean_latency_ms: f64,
}

/// The point where a curve turns upwards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// The last point before the turn, from 0.
    pub index: usize,
    pub point: CurvePoint,
    /// Its distance below the straight line from the first to the last point, 0 to 1.
    pub depth: f64,
}

/// A step between load points that is too short or too long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnevenStep {
    /// The point that the step leads to, from 0; the first step leads from no load to point 0.
    pub index: usize,
    pub step: f64,
    /// The mean step: the largest load ÷ the number of points.
    pub nominal: f64,
}

/// Why a curve cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// Too few load points.
    #[error(
        "the curve has {have} load point{}, but needs at least {need}",
        if *.have == 1 { "" } else { "s" }
    )]
    TooFewPoints {
        /// How many there are.
        have: usize,
        /// The required number.
        need: usize,
    },
    /// An impossible value.
    #[error("load point {} has a negative or missing value; measure it again", .index + 1)]
    NotMeasured {
        /// The point, from 0.
        index: usize,
    },
    /// A load point that is not above the previous one.
    #[error(
        "load point {} reached {after:.1} {unit}, no more than the one before ({before:.1} {unit}): a limit \
         was already reached. Omit this load point and all later ones",
        .index + 1
    )]
    NotIncreasing {
        /// The point, from 0.
        index: usize,
        /// The load of the previous point.
        before: f64,
        after: f64,
        unit: &'static str,
    },
}

/// The overall response time of a curve, in milliseconds.
///
/// It is the area under latency over achieved rate (trapezoids between measured points, none before the
/// first), divided by the distance between the first and the last rate. Published rules read "divided by
/// the peak throughput", but the published values follow the formula here.
///
/// # Errors
/// Fewer than two points; rates that do not increase; values that are negative or not numbers.
pub fn overall_response_time_ms(points: &[CurvePoint]) -> Result<f64, CurveError> {
    let (first, last) = check_curve(points)?;
    let trapezoid = |pair: &[CurvePoint]| {
        let width = pair[1].achieved_ops_per_s - pair[0].achieved_ops_per_s;
        width * (pair[0].mean_latency_ms + pair[1].mean_latency_ms) / 2.0
    };
    let area: f64 = points.windows(2).map(trapezoid).sum();
    Ok(area / (last.achieved_ops_per_s - first.achieved_ops_per_s))
}

/// The steps that are too uneven for the curve to be compared with published ones. Each step, including
/// the one from no load to the first point, must be within ±30 % of the largest load ÷ the number of
/// points. `loads` is the requested load (streams), ascending.
///
/// # Errors
/// Fewer than [`POINTS_MIN`] loads; loads that do not increase from 0; values that are not numbers.
pub fn uneven_steps(loads: &[f64]) -> Result<Vec<UnevenStep>, CurveError> {
    if loads.len() < POINTS_MIN {
        return Err(CurveError::TooFewPoints { have: loads.len(), need: POINTS_MIN });
    }
    steps_off(loads)
}

/// Like [`uneven_steps`], for any number of loads.
pub(crate) fn steps_off(loads: &[f64]) -> Result<Vec<UnevenStep>, CurveError> {
    let largest = loads.last().copied().unwrap_or(0.0);
    let nominal = largest / loads.len() as f64;
    let mut uneven = Vec::new();
    let mut before = 0.0;
    for (index, &after) in loads.iter().enumerate() {
        check_value(index, after)?;
        check_order(index, before, after, "streams")?;
        let step = after - before;
        // A small tolerance, so that a step of exactly 30 % is not rejected because of rounding.
        if (step - nominal).abs() > nominal * (STEP_TOLERANCE + 1e-9) {
            uneven.push(UnevenStep { index, step, nominal });
        }
        before = after;
    }
    Ok(uneven)
}

/// The last point before the latency turns upwards; `None` for a curve without a clear turn.
///
/// The method is that of V. Satopää et al., "Finding a 'Kneedle' in a Haystack" (2011), for a convex
/// curve. Rate and latency are scaled to 0…1, and the knee is the point farthest below the straight line
/// from first to last. Latency is first made non-decreasing, so that a single fast point is no knee. The
/// turn is clear if that distance is at least [`KNEE_DEPTH_MIN`], and the last point's latency is at
/// least [`KNEE_RISE_MIN`] times that of the knee.
///
/// # Errors
/// Fewer than three points; rates that do not increase; values that are negative or not numbers.
pub fn knee(points: &[CurvePoint]) -> Result<Option<Knee>, CurveError> {
    let (first, last) = check_curve(points)?;
    if points.len() < 3 {
        return Err(CurveError::TooFewPoints { have: points.len(), need: 3 });
    }
    let mut highest_ms = first.mean_latency_ms;
    let rising_ms: Vec<f64> = points
        .iter()
        .map(|point| {
            highest_ms = highest_ms.max(point.mean_latency_ms);
            highest_ms
        })
        .collect();
    let rise_ms = highest_ms - first.mean_latency_ms;
    if rise_ms <= 0.0 {
        return Ok(None);
    }
    let span = last.achieved_ops_per_s - first.achieved_ops_per_s;
    let depth = |(point, latency_ms): (&CurvePoint, &f64)| {
        let along = (point.achieved_ops_per_s - first.achieved_ops_per_s) / span;
        along - (latency_ms - first.mean_latency_ms) / rise_ms
    };
    let depths = points.iter().zip(&rising_ms).map(depth).enumerate();
    let deepest = depths.max_by(|one, two| one.1.total_cmp(&two.1));
    Ok(deepest.and_then(|(index, depth)| {
        let clear = depth >= KNEE_DEPTH_MIN && highest_ms >= KNEE_RISE_MIN * rising_ms[index];
        clear.then(|| Knee { index, point: points[index], depth })
    }))
}

/// Checks that a curve can be evaluated, and returns its first and last point.
fn check_curve(points: &[CurvePoint]) -> Result<(CurvePoint, CurvePoint), CurveError> {
    let [first, .., last] = points else {
        return Err(CurveError::TooFewPoints { have: points.len(), need: 2 });
    };
    for (index, point) in points.iter().enumerate() {
        check_value(index, point.achieved_ops_per_s)?;
        check_value(index, point.mean_latency_ms)?;
    }
    for (index, pair) in points.windows(2).enumerate() {
        check_order(index + 1, pair[0].achieved_ops_per_s, pair[1].achieved_ops_per_s, "op/s")?;
    }
    Ok((*first, *last))
}

fn check_value(index: usize, value: f64) -> Result<(), CurveError> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(CurveError::NotMeasured { index }) }
}

fn check_order(index: usize, before: f64, after: f64, unit: &'static str) -> Result<(), CurveError> {
    if after > before { Ok(()) } else { Err(CurveError::NotIncreasing { index, before, after, unit }) }
}

#[cfg(test)]
mod tests;
