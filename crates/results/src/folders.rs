//! Folders of a run directory: what is in one, and those of the machines that were put beside the run.
//!
//! Not here: what lies in them ([`crate::counters`], [`crate::observers`]).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reelgauge_analysis::facts::ObserverFacts;
use reelgauge_record::counters::CountersError;

use crate::small_file::read_json;

/// The folder of observers in a run directory.
pub(crate) const OBSERVERS: &str = "observers";

/// What is known of an observer, in its folder.
pub(crate) const OBSERVER_FILE: &str = "observer.json";

/// No more is read of it.
const OBSERVER_MAX_BYTES: u64 = 1 << 20;

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

/// Names and folders of the observers of a run. A folder's name has no colon, that of a machine may.
pub(crate) fn of_observers(run_dir: &Path) -> Vec<(String, PathBuf)> {
    let dirs = listed(&run_dir.join(OBSERVERS)).unwrap_or_default();
    let named = dirs.into_iter().filter_map(|dir| {
        let of_folder = dir.file_name()?.to_string_lossy().strip_prefix("agent=")?.to_owned();
        let told = facts_in(&dir).map(|facts| facts.name).filter(|name| !name.is_empty());
        Some((told.unwrap_or(of_folder), dir))
    });
    named.collect()
}

/// What is known of the observer in this folder; `None` where that can't be read.
pub(crate) fn facts_in(dir: &Path) -> Option<ObserverFacts> {
    read_json(&dir.join(OBSERVER_FILE), OBSERVER_MAX_BYTES)
}
