//! Observers of a run: what a server, an array or a switch counted meanwhile, put beside it afterwards.
//!
//! ```text
//! observers/agent=nas1/part-000001.parquet   as in counters/, on the run's clock
//! observers/agent=nas1/observer.json         where it is from, and what its clock was taken for
//! ```
//!
//! They lie apart from `counters/`, which is what the run's own machines sampled: what says something of this
//! machine is never read from an observer. [`alignment`] puts a source onto the run's clock; [`csv_table`]
//! and [`prometheus`] read foreign texts, and [`named`] gives their columns the names that counters have
//! here.
//!
//! Not here: what it means that a server's disk was busy ([`reelgauge_analysis::limit`]).

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

/// Why an observer can't be put beside a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserverError {
    /// Its directory can't be written to.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// The samples can't be written.
    #[error(transparent)]
    Counters(#[from] CountersError),
    /// The source can't be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The source is nothing that is understood.
    #[error("cannot use {path} as an observer: {why}", path = path.display())]
    NotUnderstood {
        /// Which.
        path: PathBuf,
        /// What it lacks.
        why: String,
    },
    /// Its time and the run's have nothing in common.
    #[error(
        "{path} has no samples from the time of the run: it covers {theirs}, the run covers {run}. If the \
         observer's clock is wrong, set how far it is ahead with --clock-offset",
        path = path.display()
    )]
    AnotherTime {
        /// Which.
        path: PathBuf,
        /// When it sampled.
        theirs: String,
        /// When the run was.
        run: String,
    },
    /// Nothing tells when the run was.
    #[error("the run directory does not record when the run took place, so no observer can be added")]
    NoClock,
}

/// What the observers of a run are, by name.
pub fn observers(run_dir: &Path) -> Vec<ObserverFacts> {
    of_observers(run_dir).iter().filter_map(|(_, dir)| facts_in(dir)).collect()
}

/// Puts what a watch, a table or a Prometheus text tells beside a run, on its clock: an observer for each
/// machine in it, or for those of these names. `clock_offset_ns` is how far the observer's clock was ahead of
/// that of the run's machine; where nobody says, they are taken for the same. One of the same name is
/// replaced.
///
/// # Errors
/// It can't be read, has nothing of the run's time, or can't be written. Then the run is as before.
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

/// Writes one observer in the place of one of the same name.
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

/// The folder of an observer of this name: names that differ only in what no folder's name may have
/// (`nas1:9100`, `nas1-9100`) get folders of their own.
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

/// When a run, or a watch, began by the clock on its wall; `None` where it has neither counters nor a log.
pub fn began_ns(run_dir: &RunDir) -> Option<i64> {
    alignment::began_ns(run_dir)
}

#[cfg(test)]
mod tests;
