//! A suite as a page shows it: what each of its workloads moved, and which run that was.
//!
//! Not here: how a suite is run and what it writes (the runner).

use std::path::Path;

use reelgauge_report::suite_sentence;
use reelgauge_runner::suite::Suite;
use serde::Serialize;

use crate::error::ApiError;
use crate::runs::Runs;

/// A suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SuitePage {
    /// Name of its directory.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The directory that was measured.
    pub target: String,
    /// Passes of each workload.
    pub passes: u32,
    /// What came of it, in a sentence.
    pub sentence: String,
    /// Whether all of them ran to their end.
    pub complete: bool,
    /// Why not, where something stopped it.
    pub ended_early: Option<String>,
    /// Its workloads in their order, also those that have yet to run.
    pub rows: Vec<SuiteRow>,
    /// The geometric mean of all medians; `None` unless every workload has one.
    pub geometric_mean_bytes_per_s: Option<f64>,
}

/// A workload of a suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SuiteRow {
    /// What it is called.
    pub workload: String,
    /// The run, by its name in the list; `None` where it has not ended.
    pub run: Option<String>,
    /// The median of the passes that count; `None` where none does.
    pub median_bytes_per_s: Option<f64>,
    /// Each pass; `None` for one that does not count.
    pub passes_bytes_per_s: Vec<Option<f64>>,
}

impl SuitePage {
    /// The suite of this name.
    ///
    /// # Errors
    /// The list has none, or its file can't be read.
    pub fn of(runs: &Runs, id: &str) -> Result<SuitePage, ApiError> {
        let dir = runs.suite_dir(id)?;
        if !Suite::is_in(&dir) {
            return Err(ApiError::conflict(
                "this suite has no figures yet: its first workload has not ended",
            ));
        }
        let suite = Suite::read(&dir).map_err(ApiError::failed)?;
        Ok(SuitePage::made_of(id, suite))
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
            }
        };
        SuitePage {
            id: id.to_owned(),
            sentence: suite_sentence(&suite.name, &suite.target.display().to_string(), &suite.table),
            rows: suite.workloads.iter().map(row).collect(),
            geometric_mean_bytes_per_s: suite.table.geometric_mean_bytes_per_s,
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
