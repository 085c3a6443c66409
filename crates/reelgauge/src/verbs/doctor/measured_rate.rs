//! A run's rate on the path to a target, for rules that need a speed which no card reports.

use std::path::{Path, PathBuf};

use reelgauge_analysis::limit::{LimitFinding, Measure};
use reelgauge_analysis::summary::Summary;
use reelgauge_machine::facts::{MEASURED_RATE, MEASURED_ROUND_TRIP};
use reelgauge_results::reopen::reopen;

use super::super::latest_run::newest;

/// The number of runs to search for one of the path.
const RUNS_SEARCHED_MAX: usize = 20;

/// The text of the named run; otherwise of the newest run of this path, or of any, among the runs in
/// `runs`. `None` if there is none, if it measured nothing, or if there was no network to its target: a
/// local disk's speed does not determine TCP buffers.
pub(super) fn measured(named: Option<&Path>, path: Option<&Path>, runs: Option<&Path>) -> Option<String> {
    let dirs: Vec<PathBuf> = match (named, runs) {
        (Some(named), _) => vec![named.to_owned()],
        (None, Some(runs)) => of_path(path, runs),
        (None, None) => Vec::new(),
    };
    let summaries = dirs.iter().filter_map(|run| reopen(run).ok());
    summaries.filter(|summary| summary.target.server.is_some()).find_map(|summary| text(&summary))
}

/// Runs of a path, the newest first.
fn of_path(path: Option<&Path>, runs: &Path) -> Vec<PathBuf> {
    let path = path.and_then(|path| std::path::absolute(path).ok());
    let is_of_path = |target: &str| {
        let target = Path::new(target);
        path.as_ref().is_none_or(|path| target.starts_with(path) || path.starts_with(target))
    };
    let entries = newest(runs, RUNS_SEARCHED_MAX).map(|(entries, _)| entries).unwrap_or_default();
    let entries = entries.iter().filter(|entry| !entry.target.is_empty() && is_of_path(&entry.target));
    entries.map(|entry| runs.join(&entry.id)).collect()
}

fn text(summary: &Summary) -> Option<String> {
    let points = &summary.load_points;
    let rate = points.iter().filter_map(|point| point.total.busier_bytes_per_s()).reduce(f64::max)?;
    let findings = points
        .iter()
        .filter_map(|point| point.limit.as_ref())
        .flat_map(|limit| limit.found.iter().chain(&limit.contributing).chain(&limit.nearest));
    let trips = findings.filter_map(|finding: &LimitFinding| finding.value(Measure::RttUs));
    let mut text = format!("{MEASURED_RATE} = {rate:.0}\n");
    if let Some(shortest) = trips.reduce(f64::min) {
        text += &format!("{MEASURED_ROUND_TRIP} = {shortest:.0}\n");
    }
    Some(text)
}
