//! Folders of a run directory: what is in one, and those of the machines that were put beside the run.
//!
//! Not here: what lies in them ([`crate::counters`], [`crate::observers`]).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reelgauge_record::counters::CountersError;

/// The folder of observers in a run directory.
pub(crate) const OBSERVERS: &str = "observers";

/// What is in a folder, sorted; nothing where there is no such folder.
pub(crate) fn listed(dir: &Path) -> Result<Vec<PathBuf>, CountersError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(CountersError::io("list", dir)(error)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(CountersError::io("list", dir))?;
    paths.sort();
    Ok(paths)
}

/// Names and folders of the observers of a run.
pub(crate) fn of_observers(run_dir: &Path) -> Vec<(String, PathBuf)> {
    let dirs = listed(&run_dir.join(OBSERVERS)).unwrap_or_default();
    let named = dirs.into_iter().filter_map(|dir| {
        let name = dir.file_name()?.to_string_lossy().strip_prefix("agent=")?.to_owned();
        Some((name, dir))
    });
    named.collect()
}
