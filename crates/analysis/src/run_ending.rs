//! Why a run ended early, as data. The text is in the summary's `outcome_reason`.

use serde::{Deserialize, Serialize};

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunEnding {
    /// It was stopped, or its controller was lost.
    Stopped { by: RunStop },
    /// The measurement succeeded, but not all written data could be read back.
    NotReadBack {
        /// Who stopped the reading. `None` if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stopped_by: Option<RunStop>,
    },
    /// Another process removed, shortened or replaced files of the run. Operations that were late or
    /// short because of that say nothing about the storage.
    FilesChanged,
    /// An operation failed, or transferred less than requested.
    OperationFailed {
        /// Its kind: `read`, `write`, …
        operation: String,
        /// The error number; 0 if it only transferred less.
        errno: i32,
        /// When it was, in seconds since the run began.
        after_s: f64,
    },
    NoAnswer {
        threads: u64,
        /// How long the oldest operation had been in flight.
        for_s: f64,
    },
    /// The target was unmounted.
    Unmounted,
    /// Other processes filled the storage beyond the reserved free space.
    StorageFilled {
        available_bytes: u64,
        /// The reserved free space.
        kept_bytes: u64,
    },
    /// Threads of the driver died, which only a bug can cause.
    ThreadsDied { threads: u64 },
    /// Anything else, including kinds that this version does not know.
    #[serde(other)]
    Other,
}

/// Who or what stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStop {
    User,
    /// The controller of a fleet.
    Controller,
    /// The controller of a fleet was silent for too long.
    Silence,
    /// The agent of a fleet that controlled it no longer existed.
    AgentGone,
}

impl RunEnding {
    /// Who stopped it, if it was stopped.
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
