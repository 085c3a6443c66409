//! A suite as a page shows it: what each of its workloads moved, and which run that was; and two of them side
//! by side.
//!
//! Not here: how a suite is run and what it writes (the runner).

use std::path::Path;

use reelgauge_report::{row_doubts, suite_comparison_sentence, suite_sentence};
use reelgauge_runner::suite::Suite;
use serde::Serialize;

use crate::error::ApiError;
use crate::runs::Runs;

/// What is said where suites can't be compared.
pub const NOT_TWO_SUITES: &str =
    "a suite is compared with one other suite; for one of its workloads, choose its runs in both";

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
    /// What its run doubts, in a word or two, the client's cache first; empty where it has not ended.
    pub doubts: String,
}

/// Two suites: how many times as fast the second was.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SuiteComparison {
    /// What the other is held against.
    pub before: SuitePage,
    /// The other.
    pub after: SuitePage,
    /// What came of it, in the terminal's words.
    pub sentence: String,
    /// The geometric mean of the ratios; `None` where no workload has one.
    pub geometric_mean: Option<f64>,
    /// The workloads of `after`, in its order.
    pub rows: Vec<SuiteRatio>,
    /// Workloads of `before` that `after` lacks.
    pub missing: Vec<String>,
}

/// A workload in two suites.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SuiteRatio {
    /// What it is called.
    pub workload: String,
    /// Its median in the first suite; `None` where it has none.
    pub before_bytes_per_s: Option<f64>,
    /// Its median in the second suite; `None` where it has none.
    pub after_bytes_per_s: Option<f64>,
    /// How many times as fast the second was; `None` where one of the two has no median.
    pub ratio: Option<f64>,
}

impl SuiteComparison {
    /// The second suite in multiples of the first, by their names.
    ///
    /// # Errors
    /// There are not two names, one of them is no suite's, or a suite can't be read.
    pub fn of(runs: &Runs, ids: &[String]) -> Result<SuiteComparison, ApiError> {
        let [before, after] = ids else { return Err(ApiError::bad(NOT_TWO_SUITES)) };
        if before == after {
            return Err(ApiError::bad("this is one suite twice, which tells nothing; choose another suite"));
        }
        let [one, two] = [before, after].map(|id| Ok((id, read(runs, id)?)));
        let (one, two): ((&String, Suite), (&String, Suite)) = (one?, two?);
        let ratios = two.1.table.ratios_to(&one.1.table);
        let median = |suite: &Suite, workload: &str| {
            suite.table.rows.iter().find(|row| row.workload == workload)?.median_bytes_per_s
        };
        let row = |(workload, ratio): &(String, Option<f64>)| SuiteRatio {
            workload: workload.clone(),
            before_bytes_per_s: median(&one.1, workload),
            after_bytes_per_s: median(&two.1, workload),
            ratio: *ratio,
        };
        Ok(SuiteComparison {
            sentence: suite_comparison_sentence(before, &ratios),
            rows: ratios.rows.iter().map(row).collect(),
            geometric_mean: ratios.geometric_mean,
            missing: ratios.missing,
            before: SuitePage::made_of(one.0, one.1),
            after: SuitePage::made_of(two.0, two.1),
        })
    }
}

fn read(runs: &Runs, id: &str) -> Result<Suite, ApiError> {
    let dir = runs.suite_dir(id)?;
    if !Suite::is_in(&dir) {
        return Err(ApiError::conflict("this suite has no figures yet: its first workload has not ended"));
    }
    Suite::read(&dir).map_err(ApiError::failed)
}

impl SuitePage {
    /// The suite of this name.
    ///
    /// # Errors
    /// The list has none, or its file can't be read.
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
