//! The verdict on a load point: every group has its own criteria, and the worst failure counts.

use reelgauge_analysis::LoadPoint;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::StreamFigures;
use reelgauge_analysis::vda::ProcessRate;
use reelgauge_analysis::verdict::{Measured, Ruling, Verdict, judge};
use reelgauge_report::verdict::in_words;
use reelgauge_workload::streams::StreamsPlan;

use super::actors::{Group, criteria};
use crate::session::live_verdict::Judged;
use crate::session::{PointDone, Session};

/// Judges the session's last load point, which is `done`, and keeps the verdict with it. Returns whether
/// its criteria were met. Late frames of a planned load point count even if it was stopped; a trial of a
/// search that was stopped is no evidence.
pub(crate) fn judge_last<S>(
    session: &mut Session,
    groups: &[Group],
    done: &PointDone<S>,
    (stream_count, is_planned): (u32, bool),
) -> bool {
    if let Some(point) = session.last_point() {
        point.stream_count = Some(stream_count);
    }
    let ruling = ruling_of(groups, &done.judged, &done.total);
    if is_planned { session.rule_last_stopped(done, ruling) } else { session.rule_last(done, ruling) }
}

/// The verdict on a run of planned load points: that on the first that failed, else on the last.
pub(crate) fn verdict_of_run(points: &[LoadPoint]) -> Option<Verdict> {
    let verdicts = || points.iter().filter_map(|point| point.verdict.as_ref());
    verdicts().find(|verdict| !verdict.passed).or(verdicts().next_back()).cloned()
}

/// Judges a load point.
fn ruling_of(groups: &[Group], judged: &Judged, total: &Figures) -> Ruling {
    let mut ruling = Ruling::default();
    let rated = |group: &Group| judged.rates.iter().any(|rate| group.workers.contains(&rate.worker));
    for group in groups {
        let streams: Vec<StreamFigures> = judged
            .late
            .streams
            .iter()
            .filter(|stream| group.streams.contains(&stream.stream))
            .cloned()
            .collect();
        let measured = Measured { streams: &streams, total: Some(total), rates: &[] };
        ruling = ruling.and(judge(&without_rates(&group.criteria), &measured));
    }
    // The ratio between components applies to all of them together.
    if let Some(group) = groups.iter().find(|group| rated(group)) {
        let measured = Measured { streams: &[], total: Some(total), rates: &judged.rates };
        ruling = ruling.and(judge(&only_rates(&group.criteria), &measured));
    }
    ruling
}

/// The criteria of a plan for rates; `None` if no actor has one.
pub fn rate_criteria(plan: &StreamsPlan) -> Option<Criteria> {
    criteria(plan.actors.iter().find(|actor| actor.outline(None).ops_per_s.is_some())?).ok()
}

/// The verdict on rates alone, which are those of all workers together.
pub fn verdict_on_rates(criteria: &Criteria, rates: &[ProcessRate]) -> Verdict {
    in_words(judge(&only_rates(criteria), &Measured { streams: &[], total: None, rates }))
}

/// The verdict on a load point that was stopped, as far as no further time could have changed it: more
/// frames were late than are allowed. `None` if that is not so, or groups have different criteria.
pub fn verdict_when_stopped(plan: &StreamsPlan, streams: &[StreamFigures]) -> Option<Verdict> {
    let all: Vec<Criteria> = plan.actors.iter().map(criteria).collect::<Result<_, _>>().ok()?;
    let first = all.first().filter(|first| all.iter().all(|other| other == *first))?;
    let ruling = judge(&without_rates(first), &Measured { streams, total: None, rates: &[] });
    ruling.certain().map(in_words)
}

fn without_rates(criteria: &Criteria) -> Criteria {
    Criteria { op_rate_per_worker_min: None, op_rate_global_min: None, ratio_tolerance: None, ..*criteria }
}

fn only_rates(criteria: &Criteria) -> Criteria {
    Criteria {
        op_rate_per_worker_min: criteria.op_rate_per_worker_min,
        op_rate_global_min: criteria.op_rate_global_min,
        ratio_tolerance: criteria.ratio_tolerance,
        ..Criteria::default()
    }
}
