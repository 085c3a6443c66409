//! The library of traces, for the page's list and by the names of replays.
//!
//! Counting their operations takes a moment, so a list is reused for a while.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reelgauge_trace::library::{Library, Materialised};
use serde::Serialize;

use crate::error::ApiError;
use crate::log_reading_time::Weight;
use crate::runs::shown;

/// How long a list is reused.
const FRESH: Duration = Duration::from_secs(30);

/// A trace of the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TraceEntry {
    /// The trace's name.
    pub name: String,
    /// A description in a sentence; or what is wrong with it.
    pub about: String,
    /// The number of its operations; 0 for a damaged one.
    #[serde(skip)]
    ops: u64,
}

#[derive(Debug, Default)]
pub struct Traces {
    listed: Mutex<Option<(Instant, Arc<Vec<TraceEntry>>)>>,
}

impl Traces {
    pub fn list(&self) -> Arc<Vec<TraceEntry>> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        match &*listed {
            Some((at, entries)) if at.elapsed() < FRESH => Arc::clone(entries),
            _ => {
                let entries = Library::standard().list().into_iter().map(|entry| {
                    let (about, ops) = match entry.facts {
                        Ok(facts) => (facts.about, facts.ops),
                        Err(why) => (format!("damaged: {why}"), 0),
                    };
                    TraceEntry { name: entry.name, about, ops }
                });
                let entries = Arc::new(entries.collect::<Vec<_>>());
                *listed = Some((Instant::now(), Arc::clone(&entries)));
                entries
            }
        }
    }

    /// Whether there is a trace with this name.
    pub fn has(&self, name: &str) -> bool {
        self.list().iter().any(|entry| entry.name == name)
    }

    /// The cost of reading the trace with this name. For a missing one it is small.
    pub fn weight(&self, name: &str) -> Weight {
        let listed = self.list();
        let ops = listed.iter().find(|entry| entry.name == name).map(|entry| entry.ops);
        Weight::of_ops(ops.unwrap_or(0))
    }

    /// The trace with this name, as a directory. Only names of the list are opened.
    ///
    /// # Errors
    /// If there is no trace with this name, or it is damaged.
    pub fn open(&self, name: &str) -> Result<Materialised, ApiError> {
        if !self.has(name) {
            return Err(ApiError::missing(format!("there is no trace '{}' in the library", shown(name))));
        }
        Library::standard().open(Path::new(name)).map_err(ApiError::failed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use axum::http::StatusCode;

    use super::*;

    #[test]
    fn only_names_of_the_library_are_opened() {
        let traces = Traces::default();
        let name = traces.list()[0].name.clone();
        assert!(traces.open(&name).unwrap().trace().ops() > 0);
        let folder = tempfile::tempdir().unwrap();
        let absolute = folder.path().display().to_string();
        for name in ["", "..", ".", "../reelgauge-runs", "no-such-trace", &absolute, "PhotoAlbum-synth/ops"] {
            assert_eq!(traces.open(name).unwrap_err().status, StatusCode::NOT_FOUND, "{name}");
        }
    }
}
