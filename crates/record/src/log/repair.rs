//! Cleans up after a killed run: removes files that this reader ignores anyway, so that all other
//! readers (pyarrow, DuckDB) also see each operation once.

use std::fs;
use std::path::Path;

use super::error::LogError;
use super::reader::{SkipReason, Skipped, survey};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Segments whose rows are also in a table.
    pub covered_segments: u32,
    /// Unfinished parts under temporary names.
    pub temporary_files: u32,
}

/// Removes leftovers from an agent's directory. Must not run while its log is being written. Repeating
/// it is harmless. A torn part is kept: it may still be useful.
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
