//! The settings of a watch: its duration, its path, and its name. A watch has no load, so `reelgauge
//! run` cannot repeat it.
//!
//! Not here: watching (the runner).

use std::path::PathBuf;

use reelgauge_record::notes::StorageDetails;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;
use crate::units::Span;

/// The table that identifies a watch in a file.
pub const TABLE: &str = "watch";

/// A watch as in its `run.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchPlan {
    /// The program that wrote it.
    #[serde(default)]
    pub written_by: String,
    /// Tags to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The user's description of the storage.
    #[serde(default, skip_serializing_if = "StorageDetails::is_empty")]
    pub storage: StorageDetails,
    pub watch: WatchSettings,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchSettings {
    /// The name of this host in `counters/agent=NAME`.
    pub agent: String,
    /// The directory whose mount and disks are watched. Without it, all disks of the host are watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The duration; without it, until the user stops it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Span>,
}

impl WatchPlan {
    /// The watch as TOML, for [`WatchPlan::from_toml`].
    ///
    /// # Errors
    /// If a path is not Unicode, which TOML does not support.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        Ok(toml::to_string_pretty(self)?)
    }

    /// Reads a watch from a `run.toml`.
    ///
    /// # Errors
    /// If it is not that of a watch.
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
