//! `load-points.json`: the time of each load point, written before it begins, so that a run that was
//! killed can be reported from its log.

use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use serde::{Deserialize, Serialize};

use crate::small_file::{TABLE_MAX_BYTES, read_json};

/// The file's name in the run directory.
const FILE_NAME: &str = "load-points.json";

/// A load point that is about to begin. Times are on the run's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadPointPlan {
    /// From 0.
    pub index: u16,
    /// Its label on screens.
    pub label: String,
    pub workers: u32,
    /// The value that is varied.
    pub sweep_value: Option<String>,
    /// The byte rate limit, if one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes_per_s: Option<u64>,
    /// The format that a trial of a quick check plays or records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<TriedFormat>,
    /// When it began, including the warm-up.
    pub started_ns: u64,
    /// When its warm-up was to end.
    pub warmup_until_ns: u64,
    /// When it was to end.
    pub end_ns: u64,
}

/// The format of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedFormat {
    /// Its name in the catalogue: `prores-422-hq-uhd-25`.
    pub id: String,
    /// Its label on screens: `Apple ProRes 422 HQ UHD, 25 fps`.
    pub name: String,
    /// The rate of one stream, including the padding of direct I/O.
    pub needed_bytes_per_s_each: u64,
}

/// Writes the load points that have begun so far.
pub fn write(run_dir: &RunDir, points: &[LoadPointPlan]) -> Result<(), RunDirError> {
    let path = run_dir.path().join(FILE_NAME);
    let json = serde_json::to_vec_pretty(points)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &json)
}

/// The load points that began; empty if they were not recorded.
pub fn read(run_dir: &RunDir) -> Vec<LoadPointPlan> {
    read_json(&run_dir.path().join(FILE_NAME), TABLE_MAX_BYTES).unwrap_or_default()
}
