//! Rates that were not reached, as text. Not here: checking them ([`reelgauge_analysis::vda`]).

use reelgauge_analysis::vda::{GlobalCheck, ProcessCheck, RatioCheck};

use crate::units::counted;

/// `worker 0 (camera) reached 6.30 of 9.00 op/s (70.0 %, needs 75.0 %); 1 worker fell short`
pub(super) fn of_worker(found: &ProcessCheck, limit: f64) -> String {
    let worst = &found.worst;
    format!(
        "worker {} ({}) reached {:.2} of {:.2} op/s ({}, needs {}); {} fell short",
        worst.worker,
        worst.component,
        worst.achieved_ops_per_s,
        worst.requested_ops_per_s,
        tenths(found.worst_share),
        tenths(limit),
        counted(found.failed_processes, "worker")
    )
}

/// `all workers together reached 162.0 of 180.0 op/s (90.0 %, 95.0 % needed)`
pub(super) fn of_all(found: &GlobalCheck, limit: f64) -> String {
    format!(
        "all workers together reached {:.1} of {:.1} op/s ({}, {} needed)",
        found.achieved_ops_per_s,
        found.requested_ops_per_s,
        tenths(found.share),
        tenths(limit)
    )
}

/// `the ratio of camera to companion operations was 6.30 to 1 instead of 9.00 to 1 (…)`
pub(super) fn ratio(found: &RatioCheck, limit: f64) -> String {
    let (one, two) = found.worst.clone().unwrap_or_default();
    let came = match found.achieved_ratio {
        Some(achieved) => format!("{achieved:.2} to 1"),
        None => format!("undefined (no {two} operations)"),
    };
    format!(
        "the ratio of {one} to {two} operations was {came} instead of {:.2} to 1 (deviation of {:.1} % \
         allowed)",
        found.requested_ratio.unwrap_or_default(),
        limit * 100.0
    )
}

/// A share in percent, to a tenth: `94.9 %` must not be rounded to the 95 % that are required.
fn tenths(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
