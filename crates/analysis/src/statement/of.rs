//! What a summary says on top.

use super::{Cause, Number, Statement, doubt, next_step, number};
use crate::incident::Incident;
use crate::limit::Limit;
use crate::summary::Summary;

/// What is to be said on top of this run.
pub fn of(summary: &Summary) -> Statement {
    let confidence = doubt::confidence(summary);
    let said = number::of(summary);
    let next_step = next_step::after(summary, &said, &confidence);
    let number::StatedFigures { judgement, number, cause } = said;
    let limit_point = limit_point(summary, &number, cause);
    Statement { judgement, number, cause, confidence, next_step, limit_point }
}

/// Where the limit is looked for: in the load point that failed, else in the one that the number is of, else
/// in the one that moved most.
fn limit_point(summary: &Summary, number: &Number, cause: Option<Cause>) -> Option<usize> {
    let points = &summary.load_points;
    if summary.check.is_some() {
        // The trial that ended a count.
        let at = points.iter().rposition(|point| point.culprit.is_some())?;
        return points[at].limit.as_ref().map(|_| at);
    }
    let of_number = match *number {
        Number::LateFrames { point, .. }
        | Number::Streams { point, .. }
        | Number::Failed { point, .. }
        | Number::Throughput { point, .. } => Some(point),
        Number::Capacity { streams, .. } => {
            points.iter().rposition(|point| point.stream_count == Some(streams))
        }
        Number::ValidPoint { .. }
        | Number::FirstLook { .. }
        | Number::Replay { .. }
        | Number::NotMeasured => None,
    };
    let rate = |at: &usize| points[*at].total.bytes_per_s.unwrap_or(0.0);
    let of_most = || (0..points.len()).max_by(|one, two| rate(one).total_cmp(&rate(two)));
    let at = cause.map(|cause| cause.point).or(of_number).or_else(of_most)?;
    points.get(at)?.limit.as_ref().map(|_| at)
}

impl Statement {
    /// The incident that is said to be the cause.
    pub fn worst_incident<'a>(&self, summary: &'a Summary) -> Option<&'a Incident> {
        let cause = self.cause?;
        summary.load_points.get(cause.point)?.streams.as_ref()?.incidents.get(cause.incident?)
    }

    /// What limited the load point that it is about.
    pub fn limit<'a>(&self, summary: &'a Summary) -> Option<&'a Limit> {
        summary.load_points.get(self.limit_point?)?.limit.as_ref()
    }
}
