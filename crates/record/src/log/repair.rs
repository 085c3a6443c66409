//! Tidying up after a killed run: removes files that the reader here ignores anyway, so that every other
//! reader (pyarrow, DuckDB) also sees each operation once.

use std::fs;
use std::path::Path;

use super::error::LogError;
use super::reader::{SkipReason, Skipped, survey};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Segments whose rows a table holds as well.
    pub covered_segments: u32,
    /// Parts that were never finished.
    pub temporary_files: u32,
}

/// Removes leftovers from an agent's directory. Must not run while its log is being written. Doing it
/// twice does no harm. A torn part stays: it may still be useful.
pub fn repair(dir: &Path) -> Result<RepairReport, LogError> {
    let mut report = RepairReport::default();
    for Skipped { path, reason } in survey(dir)?.skipped {
        let count = match reason {
            SkipReason::Covered => &mut report.covered_segments,
            SkipReason::Temporary => &mut report.temporary_files,
            SkipReason::Torn | SkipReason::Missing | SkipReason::Empty => continue,
        };
        fs::remove_file(&path).map_err(LogError::io("delete", &path))?;
        *count += 1;
    }
    Ok(report)
}
