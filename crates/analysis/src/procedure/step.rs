//! A run as one step of a procedure, as recorded in its summary.

use serde::{Deserialize, Serialize};

/// The procedure that a run is a step of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProcedureStep {
    /// The procedure.
    pub name: String,
    /// The step.
    pub step: String,
    /// Its round, from 1; `None` outside rounds.
    pub round: Option<u32>,
    /// The document and section that the procedure follows.
    pub paper: Option<String>,
    /// Whether it is the short variant.
    pub is_short: bool,
    /// Conditions of the paper that this run did not keep.
    pub deviations: Vec<PaperDeviation>,
}

/// A condition of a paper that was not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PaperDeviation {
    /// The flag, without the dashes; `None` for the number of hosts.
    pub setting: Option<String>,
    /// The value that the paper prescribes.
    pub paper: String,
    /// The value of this run; `None` if the program chose it.
    pub here: Option<String>,
}
