//! What a summary says on top.

use super::{Statement, doubt, next_step, number};
use crate::incident::Incident;
use crate::summary::Summary;

/// What is to be said on top of this run.
pub fn of(summary: &Summary) -> Statement {
    let confidence = doubt::confidence(summary);
    let said = number::of(summary);
    let next_step = next_step::after(summary, &said, &confidence);
    let number::Said { judgement, number, cause } = said;
    Statement { judgement, number, cause, confidence, next_step }
}

impl Statement {
    /// The incident that is said to be the cause.
    pub fn worst_incident<'a>(&self, summary: &'a Summary) -> Option<&'a Incident> {
        let cause = self.cause?;
        summary.load_points.get(cause.point)?.streams.as_ref()?.incidents.get(cause.incident?)
    }
}
