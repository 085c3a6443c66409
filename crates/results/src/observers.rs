//! Observers of a run: counters of a server, an array or a switch during the run, added to it
//! afterwards.
//!
//! ```text
//! observers/agent=nas1/part-000001.parquet   as in counters/, on the run's clock
//! observers/agent=nas1/observer.json         its source, and the assumed difference of its clock
//! ```
//!
//! They are kept apart from `counters/`, which contains the samples of the run's own hosts: facts about
//! the local host are never read from an observer. [`alignment`] converts a source to the run's clock;
//! [`csv_table`] and [`prometheus`] parse foreign texts, and [`named`] maps their columns to the names
//! of counters here.
//!
//! Not here: the meaning of a busy disk on a server ([`reelgauge_analysis::limit`]).

mod alignment;
mod csv_table;
mod named;
mod prometheus;
mod query_range;
mod series;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use reelgauge_analysis::facts::ObserverFacts;
use reelgauge_record::counters::CountersError;
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};

use reelgauge_record::run_dir::label;

use crate::folders::{OBSERVER_FILE, OBSERVERS, facts_in, of_observers};

/// Why an observer cannot be added to a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserverError {
    /// Its directory cannot be written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// The samples cannot be written.
    #[error(transparent)]
    Counters(#[from] CountersError),
    /// The source cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The format of the source is not supported.
    #[error("cannot use {path} as an observer: {why}", path = path.display())]
    NotUnderstood { path: PathBuf, why: String },
    /// Its samples and the run do not overlap.
    #[error(
        "{path} has no samples from the time of the run: it covers {theirs}, the run covers {run}. If the \
         observer's clock is wrong, set how far it is ahead with --clock-offset",
        path = path.display()
    )]
    AnotherTime {
        path: PathBuf,
        /// The time of its samples.
        theirs: String,
        /// The time of the run.
        run: String,
    },
    /// The time of the run is unknown.
    #[error("the run directory does not record when the run took place, so no observer can be added")]
    NoClock,
}

/// The observers of a run, by name.
pub fn observers(run_dir: &Path) -> Vec<ObserverFacts> {
    of_observers(run_dir).iter().filter_map(|(_, dir)| facts_in(dir)).collect()
}

/// Adds the samples of a watch, a table or a Prometheus text to a run, on its clock: an observer for
/// each host in it, or for those with these names. `clock_offset_ns` is how far the observer's clock was
/// ahead of that of the run's host; without it, both are assumed to agree. An observer with the same
/// name is replaced.
///
/// # Errors
/// If it cannot be read, has no samples from the time of the run, or cannot be written. Then the run is
/// unchanged.
pub fn add(
    run_dir: &RunDir,
    source: &Path,
    clock_offset_ns: Option<i64>,
    machines: &[String],
) -> Result<Vec<ObserverFacts>, ObserverError> {
    let gathered = alignment::gather(run_dir, source, clock_offset_ns, machines)?;
    let folder = run_dir.path().join(OBSERVERS);
    fs::create_dir_all(&folder).map_err(|error| ObserverError::Io { path: folder.clone(), source: error })?;
    gathered.into_iter().map(|gathered| put(&folder, gathered)).collect()
}

/// Writes one observer, in place of one with the same name.
fn put(folder: &Path, gathered: alignment::Gathered) -> Result<ObserverFacts, ObserverError> {
    let facts = gathered.facts.clone();
    let place = place_of(folder, &facts.name);
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.join(format!("_{name}.new"));
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| ObserverError::Io { path, source }
    };
    let _ = fs::remove_dir_all(&new);
    gathered.write(&new)?;
    let json = serde_json::to_vec_pretty(&facts)
        .map_err(|source| RunDirError::Json { path: new.join(OBSERVER_FILE), source })?;
    write_atomically(&new.join(OBSERVER_FILE), &json)?;
    if place.exists() {
        fs::remove_dir_all(&place).map_err(failed(&place))?;
    }
    fs::rename(&new, &place).map_err(failed(&new))?;
    Ok(facts)
}

/// The directory of an observer with this name. Names that differ only in characters that are not
/// allowed in directories (`nas1:9100`, `nas1-9100`) get separate ones.
fn place_of(folder: &Path, name: &str) -> PathBuf {
    let label = Some(label(name)).filter(|label| !label.is_empty()).unwrap_or_else(|| "observer".to_owned());
    let places = (1_u32..).map(|number| match number {
        1 => folder.join(format!("agent={label}")),
        _ => folder.join(format!("agent={label}-{number}")),
    });
    let is_free = |place: &PathBuf| facts_in(place).is_none_or(|facts| facts.name == name);
    let mut places = places.take(1 << 16);
    places.find(is_free).unwrap_or_else(|| folder.join(format!("agent={label}")))
}

/// When a run, or a watch, began by the wall clock; `None` if it has neither counters nor a log.
pub fn began_ns(run_dir: &RunDir) -> Option<i64> {
    alignment::began_ns(run_dir)
}

#[cfg(test)]
mod tests;
