//! What ended a run before its time, as data. The words are beside it, in the summary's `outcome_reason`.

use serde::{Deserialize, Serialize};

/// What ended a run before its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunEnding {
    /// It was stopped, or its steering was lost.
    Stopped { by: RunStop },
    /// It was measured, and what it wrote could not be read back to the end.
    NotReadBack {
        /// Who stopped that. `None` where it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stopped_by: Option<RunStop>,
    },
    /// Something else removed, shortened or replaced files of the run. What was late or came short by that is
    /// no figure of the storage.
    FilesChanged,
    /// An operation failed, or moved less than was asked.
    OperationFailed {
        /// Its kind: `read`, `write`, …
        operation: String,
        /// The error's number; 0 where it only moved less.
        errno: i32,
        /// When, since the run began.
        after_s: f64,
    },
    NoAnswer {
        threads: u64,
        /// How long the oldest operation had been under way.
        for_s: f64,
    },
    /// The target was unmounted.
    Unmounted,
    /// Others filled the storage beyond what is to stay free.
    StorageFilled {
        available_bytes: u64,
        /// What is to stay free.
        kept_bytes: u64,
    },
    /// Threads of the driver died, which only a defect can cause.
    ThreadsDied { threads: u64 },
    /// Anything else, and a kind that this version does not know.
    #[serde(other)]
    Other,
}

/// Who stopped a run, or what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStop {
    User,
    /// The controller of a fleet.
    Controller,
    /// The controller of a fleet was not heard for too long.
    Silence,
    /// The agent of a fleet that steered it was gone.
    AgentGone,
}

impl RunEnding {
    /// Who stopped it, where it was stopped.
    pub fn stopped_by(&self) -> Option<RunStop> {
        match self {
            RunEnding::Stopped { by } | RunEnding::NotReadBack { stopped_by: Some(by) } => Some(*by),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_ending_is_its_kind_and_figures_and_an_unknown_kind_is_another() {
        let filled = RunEnding::StorageFilled { available_bytes: 5, kept_bytes: 9 };
        let json = serde_json::to_value(&filled).unwrap();
        let expected = serde_json::json!({"kind": "storage_filled", "available_bytes": 5, "kept_bytes": 9});
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<RunEnding>(json).unwrap(), filled);
        let unknown = r#"{"kind": "struck_by_lightning", "volts": 7}"#;
        assert_eq!(serde_json::from_str::<RunEnding>(unknown).unwrap(), RunEnding::Other);
        assert_eq!(RunEnding::Stopped { by: RunStop::Silence }.stopped_by(), Some(RunStop::Silence));
        assert_eq!(RunEnding::NotReadBack { stopped_by: None }.stopped_by(), None);
    }
}
