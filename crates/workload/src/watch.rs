//! The settings of a watch: its duration, its path, and its name. It has no load, so it is no plan that
//! `reelgauge run` does again.
//!
//! Not here: watching (the runner's).

use std::path::PathBuf;

use reelgauge_record::notes::StorageDetails;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;
use crate::units::Span;

/// The table that makes a file one of a watch.
pub const TABLE: &str = "watch";

/// A watch, as its `run.toml` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchPlan {
    /// The program that wrote it.
    #[serde(default)]
    pub written_by: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The storage as the user describes it.
    #[serde(default, skip_serializing_if = "StorageDetails::is_empty")]
    pub storage: StorageDetails,
    /// What is watched.
    pub watch: WatchSettings,
}

/// What is watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchSettings {
    /// What this machine is called in `counters/agent=NAME`.
    pub agent: String,
    /// The directory whose mount and disks are watched; without one all disks of the machine are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The duration; without it, until the user stops it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Span>,
}

impl WatchPlan {
    /// As TOML; [`WatchPlan::from_toml`] reads it back.
    ///
    /// # Errors
    /// A path that is not Unicode, which TOML can't hold.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        Ok(toml::to_string_pretty(self)?)
    }

    /// Whether a `run.toml` is that of a watch, and which.
    ///
    /// # Errors
    /// It is none.
    pub fn from_toml(text: &str) -> Result<WatchPlan, PlanError> {
        Ok(toml::from_str(text)?)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::streams::AnyPlan;

    #[test]
    fn a_watch_is_read_back_and_is_nothing_to_run() {
        let watch = WatchSettings {
            agent: "nas1".to_owned(),
            path: Some("/mnt/nas".into()),
            duration: Some(Span::secs(60)),
        };
        for watch in [watch, WatchSettings { agent: "nas1".to_owned(), ..WatchSettings::default() }] {
            let plan = WatchPlan { watch, ..WatchPlan::default() };
            let text = plan.to_toml().unwrap();
            assert_eq!(WatchPlan::from_toml(&text).unwrap(), plan);
            assert_eq!(AnyPlan::from_toml(&text), Err(PlanError::Watch));
        }
        assert!(WatchPlan::from_toml("[mix]\n").is_err());
    }
}
