//! The statement of a summary.

use super::inconclusive::{self, Evidence};
use super::stated_figures::{self, StatedFigures};
use super::{Confidence, Judgement, Number, Statement, doubt, next_step};
use crate::culprit::Culprit;
use crate::incident::Incident;
use crate::limit::{Limit, LimitFinding, LimitVerdict};
use crate::run_ending::RunEnding;
use crate::summary::{Outcome, Summary};

/// The statement of this run.
pub fn of(summary: &Summary) -> Statement {
    let mut figures = stated_figures::of(summary);
    if summary.ending == Some(RunEnding::FilesChanged) {
        // The reason for the end of the run is shown before the number, so no other cause is shown.
        figures.cause = None;
    }
    let inconclusive = inconclusive::reasons(&evidence(summary, &figures));
    let judgement = if inconclusive.is_empty() { figures.judgement } else { Judgement::Inconclusive };
    let mut statement = Statement {
        judgement,
        inconclusive,
        number: figures.number,
        cause: figures.cause,
        confidence: Confidence::default(),
        next_step: None,
        limit_point: None,
    };
    statement.confidence = doubt::confidence(summary, &statement);
    statement.limit_point = limit_point(summary, &statement);
    statement.next_step = next_step::after(summary, &statement);
    statement
}

fn evidence<'a>(summary: &'a Summary, figures: &StatedFigures) -> Evidence<'a> {
    let at_least = match figures.number {
        Number::Capacity { at_least, .. } => at_least,
        _ => summary.search.as_ref().and_then(stated_figures::at_least),
    };
    Evidence {
        judgement: figures.judgement,
        is_complete: summary.outcome == Outcome::Complete,
        culprit: figures.cause.map(|cause| cause.culprit),
        at_least,
        is_response_time: summary.vda.is_some(),
        is_timing_good: summary.self_cost.timing_good_enough,
        replay: summary.replay.as_ref(),
    }
}

/// The load point whose limit is reported: the one that failed, otherwise the one of the number,
/// otherwise the one with the highest throughput. `None` if its limit would add nothing to the cause or
/// contradict it.
fn limit_point(summary: &Summary, statement: &Statement) -> Option<usize> {
    let points = &summary.load_points;
    if summary.check.is_some() {
        // The trial that ended a count.
        let at = points.iter().rposition(|point| point.culprit.is_some())?;
        return points[at].limit.as_ref().map(|_| at);
    }
    let of_number = match statement.number {
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
    let at = statement.cause.map(|cause| cause.point).or(of_number).or_else(of_most)?;
    let limit = stated_limit(summary.point(at)?.limit.as_ref()?, statement)?;
    let says_something = limit.found.is_some() || !limit.contributing.is_empty() || !statement.blames();
    says_something.then_some(at)
}

/// The part of a limit that may be shown next to the cause. If the criteria were met, nothing limited
/// the load. If there is already a culprit, findings that point elsewhere are omitted, and so is "no
/// counter reached its threshold".
fn stated_limit(limit: &Limit, statement: &Statement) -> Option<Limit> {
    let is_free = limit.verdict == LimitVerdict::NothingLimited;
    if is_free && statement.judgement != Judgement::NothingAsked {
        return None;
    }
    if !statement.blames() {
        return Some(limit.clone());
    }
    let is_its = |finding: &LimitFinding| statement.allows(finding.step.components());
    let found = limit.found.clone().filter(is_its);
    let contributing = limit.contributing.iter().filter(|finding| is_its(finding)).cloned().collect();
    // "No counter reached its threshold" is no news if the cause is known.
    let verdict = if found.is_some() { limit.verdict } else { LimitVerdict::NothingLimited };
    Some(Limit { verdict, found, contributing, nearest: Vec::new(), ..limit.clone() })
}

impl Statement {
    /// Whether the cause is known.
    pub fn is_certain(&self) -> bool {
        self.cause.is_some_and(|cause| cause.culprit != Culprit::NotKnown)
    }

    /// The incident that is shown as the cause.
    pub fn worst_incident<'a>(&self, summary: &'a Summary) -> Option<&'a Incident> {
        let cause = self.cause?;
        summary.point(cause.point)?.streams.as_ref()?.incidents.get(cause.incident?)
    }

    /// The limit of the load point that it is about, unless it contradicts the cause.
    pub fn limit(&self, summary: &Summary) -> Option<Limit> {
        let limit = summary.point(self.limit_point?)?.limit.as_ref()?;
        if let Some(check) = &summary.check {
            return Some(check.agreed(limit.clone()));
        }
        stated_limit(limit, self)
    }
}
