//! The verdict on a load point: every group is held to its own criteria, and what failed first of all counts.

use reelgauge_analysis::LoadPoint;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::StreamFigures;
use reelgauge_analysis::point_culprit::of_point;
use reelgauge_analysis::vda::ProcessRate;
use reelgauge_analysis::verdict::{Failure, Measured, Verdict, judge};

use super::actors::Group;
use crate::session::judging::Judged;
use crate::session::{PointDone, Session};

/// Judges the session's last load point, which is `done`, and keeps the verdict with it. Whether its criteria
/// were met.
pub(crate) fn judge_last<S>(
    session: &mut Session,
    groups: &[Group],
    done: &PointDone<S>,
    stream_count: u32,
) -> bool {
    let verdict = verdict_of(groups, &done.judged, &done.total);
    let passed = verdict.passed;
    let line_bytes_per_s = session.line_bytes_per_s();
    if let Some(point) = session.last_point() {
        let incidents = &done.judged.late.incidents;
        point.culprit = of_point(&verdict, incidents, done.total.bytes_per_s, line_bytes_per_s);
        point.stream_count = Some(stream_count);
        // A load point that somebody stopped is not judged.
        point.verdict = done.complete.then_some(verdict);
        if !done.complete {
            point.culprit = None;
        }
    }
    passed
}

/// The verdict on a run of planned load points: that on the first that failed, else on the last.
pub(crate) fn verdict_of_run(points: &[LoadPoint]) -> Option<Verdict> {
    let verdicts = || points.iter().filter_map(|point| point.verdict.as_ref());
    verdicts().find(|verdict| !verdict.passed).or(verdicts().next_back()).cloned()
}

/// Judges a load point.
pub fn verdict_of(groups: &[Group], judged: &Judged, total: &Figures) -> Verdict {
    let mut verdict = Verdict { passed: true, ..Verdict::default() };
    let rated = |group: &Group| judged.rates.iter().any(|rate| group.workers.contains(&rate.worker));
    for group in groups {
        let streams: Vec<StreamFigures> = judged
            .late
            .streams
            .iter()
            .filter(|stream| group.streams.contains(&stream.stream))
            .cloned()
            .collect();
        let criteria = without_rates(&group.criteria);
        add(&mut verdict, judge(&criteria, &Measured { streams: &streams, total: Some(total), rates: &[] }));
    }
    // The ratio between components is one of all of them together.
    if let Some(group) = groups.iter().find(|group| rated(group)) {
        let rates: &[ProcessRate] = &judged.rates;
        let criteria = only_rates(&group.criteria);
        add(&mut verdict, judge(&criteria, &Measured { streams: &[], total: Some(total), rates }));
    }
    let moment = |failure: &Failure| failure.at_s.unwrap_or(f64::INFINITY);
    verdict
        .failures
        .sort_by(|one, two| two.measured.cmp(&one.measured).then(moment(one).total_cmp(&moment(two))));
    verdict.failed_first = verdict.failures.first().cloned();
    verdict
}

fn add(verdict: &mut Verdict, other: Verdict) {
    verdict.passed &= other.passed;
    verdict.storage_failed |= other.storage_failed;
    for failure in other.failures {
        // Failed operations are those of the whole load point, and every group asks for none.
        if !verdict.failures.contains(&failure) {
            verdict.failures.push(failure);
        }
    }
    for criterion in other.asked {
        if !verdict.asked.contains(&criterion) {
            verdict.asked.push(criterion);
        }
    }
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
