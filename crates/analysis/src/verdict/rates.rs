//! The criteria of rates, which are judged together: the result of [`crate::vda`], criterion by
//! criterion.

use super::reason::Reason;
use super::ruling::Unmet;
use crate::criteria::{Criteria, Criterion};
use crate::vda::{PointValidity, ProcessRate, RateLimits, judge_rates};

/// The criteria that these rates do not meet.
pub(super) fn unmet(criteria: &Criteria, rates: &[ProcessRate]) -> Vec<Unmet> {
    let rate_criteria = [Criterion::WorkerRate, Criterion::GlobalRate, Criterion::Ratio];
    let asked = rate_criteria.map(|criterion| Some((criterion, criteria.limit(criterion)?)));
    let asked: Vec<(Criterion, f64)> = asked.into_iter().flatten().collect();
    if asked.is_empty() {
        return Vec::new();
    }
    // Criteria that are not required get limits that nothing fails.
    let limits = RateLimits {
        process_min: criteria.op_rate_per_worker_min.unwrap_or(0.0),
        global_min: criteria.op_rate_global_min.unwrap_or(0.0),
        ratio_tolerance: criteria.ratio_tolerance.unwrap_or(f64::INFINITY),
    };
    match judge_rates(rates, limits) {
        Err(error) => {
            let no_rates =
                |(criterion, limit)| Unmet::not_measured(criterion, limit, Reason::NoRates(error.clone()));
            asked.into_iter().map(no_rates).collect()
        }
        Ok(point) => {
            let failed = |(criterion, limit)| of_one(criterion, limit, &point);
            asked.into_iter().filter_map(failed).collect()
        }
    }
}

fn of_one(criterion: Criterion, limit: f64, point: &PointValidity) -> Option<Unmet> {
    let PointValidity { process, global, ratio, .. } = point;
    match criterion {
        Criterion::WorkerRate if !process.passed => {
            let reason = Reason::WorkerRate(process.clone());
            let unmet = Unmet::new(criterion, limit, process.worst_share, reason);
            Some(unmet.of_worker(Some(process.worst.worker)))
        }
        Criterion::GlobalRate if !global.passed => {
            Some(Unmet::new(criterion, limit, global.share, Reason::GlobalRate(*global)))
        }
        // A component that did nothing has no ratio: it is measured, but has no number.
        Criterion::Ratio if !ratio.passed => {
            let found = ratio.deviation.map(f64::abs);
            Some(Unmet::new(criterion, limit, 0.0, Reason::Ratio(ratio.clone())).found(found))
        }
        _ => None,
    }
}
