//! What people wrote down about a run and its storage.

use serde::{Deserialize, Serialize};

/// `notes.json` in a run directory: what people wrote down about a run and its storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct RunNotes {
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Anything.
    pub note: String,
    /// Who made the storage.
    pub storage_make: String,
    /// Which storage it is.
    pub storage_model: String,
    /// Its firmware or version.
    pub storage_firmware: String,
}
