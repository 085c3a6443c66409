//! A proof on its page: the terminal's screen, and the state of each measured run.

use reelgauge_report::Style;
use reelgauge_runner::prove::proof_file::{Proof, ProofPass};
use reelgauge_runner::prove::report_data::proof_text;
use serde::Serialize;

use crate::error::ApiError;
use crate::runs::Runs;

/// The width of the text.
const COLUMNS: usize = 100;

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProofPage {
    /// The terminal's screen.
    pub text: String,
    /// Its passes, in the order in which they ran.
    pub passes: Vec<ProofPassRow>,
}

/// A pass of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProofPassRow {
    /// Its run, by its name in the list.
    pub run: String,
    /// The name of the state in which it was measured.
    pub state: String,
    /// Whether it counts: it had no disturbance.
    pub counts: bool,
}

impl ProofPage {
    /// The proof with this name in the list.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn of(runs: &Runs, id: &str) -> Result<ProofPage, ApiError> {
        let dir = runs.suite_dir(id)?;
        let proof = Proof::read(&dir).map_err(|error| ApiError::conflict(error.to_string()))?;
        let names = proof.change.state_names();
        let row = |pass: &ProofPass| ProofPassRow {
            run: format!("{id}/{}", pass.run.display()),
            state: names.get(pass.state).map(ToString::to_string).unwrap_or_default(),
            counts: pass.disturbance.is_none(),
        };
        let style = Style { width: COLUMNS, ..Style::default() };
        Ok(ProofPage {
            text: proof_text(&proof, &dir, style),
            passes: proof.passes.iter().map(row).collect(),
        })
    }
}
