//! Pages of runs and traces, made on request, and kept for further requests.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::html::page::PageKind;
use reelgauge_results::compare::{compare_page, compare_runs};
use reelgauge_results::page::{page, run_page, trace_page};
use serde::Serialize;

use crate::error::ApiError;
use crate::events::{Life, life};
use crate::log_reading_time::Weight;
use crate::runs::{Runs, Stamp};
use crate::traces::Traces;

/// The number of pages to keep. Each takes a few megabytes.
const KEPT: usize = 4;
/// The largest number of runs in a comparison.
const COMPARED_MAX: usize = 8;

/// Makes pages, and keeps the latest pages of single runs.
#[derive(Debug, Default)]
pub struct Pages {
    kept: Mutex<VecDeque<Kept>>,
}

/// A page as JSON, and its source.
#[derive(Clone, Debug)]
struct Kept {
    id: String,
    stamp: Stamp,
    json: Bytes,
}

/// The cost of the page of a run.
#[derive(Clone, Debug)]
pub enum Look {
    /// No cost: the page is kept.
    Kept(Bytes),
    ToMake(Weight),
}

impl Pages {
    /// Whether the page of a run is kept, or how long it takes to make it.
    ///
    /// # Errors
    /// If the run is in progress or can't be read.
    pub fn look(&self, runs: &Runs, id: &str) -> Result<Look, ApiError> {
        let run_dir = ended(runs, id)?;
        let kept = self.kept(id, &Stamp::of(run_dir.path()));
        Ok(kept.map_or_else(|| Look::ToMake(Weight::of_logs([run_dir.ops_path()])), Look::Kept))
    }

    /// The page of a run that has ended, as JSON. `stop` is polled.
    ///
    /// # Errors
    /// If the run is in progress or can't be read, or `stop` returns true.
    pub fn of_run(&self, runs: &Runs, id: &str, stop: &dyn Fn() -> bool) -> Result<Bytes, ApiError> {
        let run_dir = ended(runs, id)?;
        // Read the stamp first, so that a change during the reading is noticed next time.
        let stamp = Stamp::of(run_dir.path());
        if let Some(json) = self.kept(id, &stamp) {
            return Ok(json);
        }
        let run = run_page(run_dir.path(), stop).map_err(ApiError::failed)?;
        let json = as_json(&page(PageKind::Run, vec![run], None))?;
        self.keep(Kept { id: id.to_owned(), stamp, json: json.clone() });
        Ok(json)
    }

    /// The page of several runs, compared with the first of them, as JSON.
    ///
    /// # Errors
    /// If there are fewer than two or more than eight runs, one is in progress or cannot be read, or
    /// `stop` returns true.
    pub fn of_several(
        &self,
        runs: &Runs,
        ids: &[String],
        stop: &dyn Fn() -> bool,
    ) -> Result<Bytes, ApiError> {
        if !(2..=COMPARED_MAX).contains(&ids.len()) {
            let count = ids.len();
            return Err(ApiError::bad(format!("cannot compare {count} runs; choose 2 to {COMPARED_MAX}")));
        }
        let dirs = ids.iter().map(|id| Ok(ended(runs, id)?.path().to_owned()));
        let dirs: Vec<PathBuf> = dirs.collect::<Result<_, ApiError>>()?;
        let comparison = compare_runs(&dirs, None).map_err(ApiError::bad)?;
        as_json(&compare_page(&dirs, &comparison, stop).map_err(ApiError::failed)?)
    }

    /// The page of a trace of the library, as JSON.
    ///
    /// # Errors
    /// If the trace does not exist or can't be read, or `stop` returns true.
    pub fn of_trace(&self, traces: &Traces, name: &str, stop: &dyn Fn() -> bool) -> Result<Bytes, ApiError> {
        let held = traces.open(name)?;
        let built_in = held.is_temporary().then_some(name);
        let mut trace = trace_page(held.trace().dir(), built_in, stop).map_err(ApiError::failed)?;
        name.clone_into(&mut trace.id);
        as_json(&page(PageKind::Trace, Vec::new(), Some(trace)))
    }

    fn kept(&self, id: &str, stamp: &Stamp) -> Option<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|page| page.id == id && page.stamp == *stamp)?;
        // It was used last, so it moves to the end and is dropped last.
        let page = kept.remove(at)?;
        kept.push_back(page.clone());
        Some(page.json)
    }

    fn keep(&self, page: Kept) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.id != page.id);
        kept.push_back(page);
        while kept.len() > KEPT {
            kept.pop_front();
        }
    }
}

/// A run that has ended. A run in progress would be mistaken for one that was killed.
fn ended(runs: &Runs, id: &str) -> Result<RunDir, ApiError> {
    let run_dir = runs.open(id)?;
    match life(run_dir.path()) {
        Life::Running(_) => Err(ApiError::conflict(
            "this run is in progress; its page is written at \
             the end",
        )),
        _ => Ok(run_dir),
    }
}

fn as_json(value: &impl Serialize) -> Result<Bytes, ApiError> {
    serde_json::to_vec(value).map(Bytes::from).map_err(ApiError::failed)
}
