//! Directories of a run: their entries, and the directories of its observers.
//!
//! Not here: their content ([`crate::counters`], [`crate::observers`]).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reelgauge_analysis::facts::ObserverFacts;
use reelgauge_record::counters::CountersError;

use crate::small_file::read_json;

/// The directory of observers in a run directory.
pub(crate) const OBSERVERS: &str = "observers";

/// The facts about an observer, in its directory.
pub(crate) const OBSERVER_FILE: &str = "observer.json";

/// Bytes that are read of it, at most.
const OBSERVER_MAX_BYTES: u64 = 1 << 20;

/// The entries of a directory, sorted; empty if it does not exist.
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

/// Names and directories of the observers of a run. A directory's name has no colon, that of a host may.
pub(crate) fn of_observers(run_dir: &Path) -> Vec<(String, PathBuf)> {
    let dirs = listed(&run_dir.join(OBSERVERS)).unwrap_or_default();
    let named = dirs.into_iter().filter_map(|dir| {
        let of_folder = dir.file_name()?.to_string_lossy().strip_prefix("agent=")?.to_owned();
        let told = facts_in(&dir).map(|facts| facts.name).filter(|name| !name.is_empty());
        Some((told.unwrap_or(of_folder), dir))
    });
    named.collect()
}

/// The facts about the observer in this directory; `None` if they cannot be read.
pub(crate) fn facts_in(dir: &Path) -> Option<ObserverFacts> {
    read_json(&dir.join(OBSERVER_FILE), OBSERVER_MAX_BYTES)
}
