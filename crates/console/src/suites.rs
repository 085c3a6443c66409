//! A suite on a page: the rate of each of its workloads, and its run; and several suites side by side.
//!
//! Not here: running a suite, and its files (the runner).

use std::path::Path;

use reelgauge_analysis::compare::RUNS_MAX;
use reelgauge_report::html::page::Page;
use reelgauge_report::{row_doubts, suite_sentence};
use reelgauge_runner::suite::Suite;
use reelgauge_runner::suite::report_data::{OpenedSuite, page_of_suites};
use serde::Serialize;

use crate::error::ApiError;
use crate::runs::Runs;

/// The error if suites can't be compared.
pub const NOT_SUITES: &str = "choose two to eight suites. To compare a single workload, choose the runs of \
                              that workload in each suite";

/// A suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SuitePage {
    /// Name of its directory.
    pub id: String,
    /// The suite's name.
    pub name: String,
    /// The directory that was measured.
    pub target: String,
    /// Passes of each workload.
    pub passes: u32,
    /// The result, in a sentence.
    pub sentence: String,
    /// Whether all of them are complete.
    pub complete: bool,
    /// Why not, if it was stopped.
    pub ended_early: Option<String>,
    /// Its workloads in their order, including those that have not run yet.
    pub rows: Vec<SuiteRow>,
    /// The geometric mean of the medians of the paper's workloads, or of its other workloads if the suite
    /// has none of the paper's. `None` unless each of them has a median.
    pub geometric_mean_bytes_per_s: Option<f64>,
    /// The arithmetic mean of the same.
    pub arithmetic_mean_bytes_per_s: Option<f64>,
}

/// A workload of a suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SuiteRow {
    /// The workload's name.
    pub workload: String,
    /// The run, by its name in the list; `None` if it has not ended.
    pub run: Option<String>,
    /// The median of the passes that count; `None` if none does.
    pub median_bytes_per_s: Option<f64>,
    /// Each pass; `None` for one that does not count.
    pub passes_bytes_per_s: Vec<Option<f64>>,
    /// Doubts about its run, in a word or two, the client's cache first; empty if it has not ended.
    pub doubts: String,
}

/// The page of these suites, by their names; rates of the others are multiples of the first.
///
/// # Errors
/// If there are not two to eight names, one is named twice or is not a suite's, or a suite cannot be
/// read.
pub fn page_of(runs: &Runs, ids: &[String]) -> Result<Page, ApiError> {
    if !(2..=RUNS_MAX).contains(&ids.len()) {
        return Err(ApiError::bad(NOT_SUITES));
    }
    if ids.iter().enumerate().any(|(at, id)| ids[..at].contains(id)) {
        return Err(ApiError::bad("the same suite was given twice; choose another suite"));
    }
    let open = |id: &String| Ok(OpenedSuite { suite: read(runs, id)?, dir: runs.suite_dir(id)? });
    Ok(page_of_suites(&ids.iter().map(open).collect::<Result<Vec<_>, ApiError>>()?))
}

fn read(runs: &Runs, id: &str) -> Result<Suite, ApiError> {
    let dir = runs.suite_dir(id)?;
    if !Suite::is_in(&dir) {
        return Err(ApiError::conflict("this suite has no figures yet: its first workload is still running"));
    }
    Suite::read(&dir).map_err(ApiError::failed)
}

impl SuitePage {
    /// The suite with this name.
    ///
    /// # Errors
    /// If the list has none, or its file can't be read.
    pub fn of(runs: &Runs, id: &str) -> Result<SuitePage, ApiError> {
        Ok(SuitePage::made_of(id, read(runs, id)?))
    }

    fn made_of(id: &str, suite: Suite) -> SuitePage {
        let row = |workload: &String| {
            let at = suite.table.rows.iter().position(|row| row.workload == *workload);
            let found = at.map(|at| &suite.table.rows[at]);
            let run = at.and_then(|at| suite.runs.get(at)).and_then(|run| name_of(run));
            SuiteRow {
                workload: workload.clone(),
                run: run.map(|run| format!("{id}/{run}")),
                median_bytes_per_s: found.and_then(|row| row.median_bytes_per_s),
                passes_bytes_per_s: found
                    .map(|row| row.passes.iter().map(|pass| pass.bytes_per_s()).collect())
                    .unwrap_or_default(),
                doubts: found.map(row_doubts).unwrap_or_default(),
            }
        };
        SuitePage {
            id: id.to_owned(),
            sentence: suite_sentence(&suite.name, &suite.target.display().to_string(), &suite.table),
            rows: suite.workloads.iter().map(row).collect(),
            geometric_mean_bytes_per_s: suite.table.geometric_mean_bytes_per_s,
            arithmetic_mean_bytes_per_s: suite.table.arithmetic_mean_bytes_per_s,
            name: suite.name,
            target: suite.target.display().to_string(),
            passes: suite.batch,
            complete: suite.complete,
            ended_early: suite.ended_early,
        }
    }
}

fn name_of(run: &Path) -> Option<String> {
    Some(run.file_name()?.to_str()?.to_owned())
}
