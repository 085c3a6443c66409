//! A procedure on its page: the terminal's screen, and the progress and run of each step.

use reelgauge_report::Style;
use reelgauge_runner::procedure::procedure_file::{ProcedureRecord, Row, RowState};
use reelgauge_runner::procedure::report_data::{procedure_text, row_name};
use serde::Serialize;

use crate::error::ApiError;
use crate::runs::Runs;

/// The width of the text.
const COLUMNS: usize = 100;

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProcedurePage {
    /// The terminal's screen.
    pub text: String,
    /// Its steps, in their order.
    pub steps: Vec<ProcedureStepRow>,
}

/// A step of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProcedureStepRow {
    /// Its name, with its round.
    pub name: String,
    /// Its progress.
    pub state: RowState,
    /// Its run, by its name in the list; `None` for an action, and for a run that has not ended.
    pub run: Option<String>,
    /// Why it ended early.
    pub why: Option<String>,
}

impl ProcedurePage {
    /// The procedure with this name in the list.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn of(runs: &Runs, id: &str) -> Result<ProcedurePage, ApiError> {
        let dir = runs.suite_dir(id)?;
        let record = ProcedureRecord::read(&dir).map_err(|error| ApiError::conflict(error.to_string()))?;
        let goes_on = record.goes_on(&dir);
        let row = |row: &Row| ProcedureStepRow {
            name: row_name(row),
            state: match row.state {
                // Its process ended without recording how.
                RowState::Running if !goes_on => RowState::BrokeOff,
                state => state,
            },
            run: row.run.as_ref().map(|run| format!("{id}/{}", run.display())),
            why: row.why.clone(),
        };
        Ok(ProcedurePage {
            text: procedure_text(&record, &dir, Style { width: COLUMNS, ..Style::default() }),
            steps: record.rows.iter().map(row).collect(),
        })
    }
}
