//! Converts suites into the report's data, side by side.

use std::path::{Path, PathBuf};

use reelgauge_report::html::page::{Page, PageKind};
use reelgauge_report::user_description::storage_words;
use reelgauge_report::{SuiteToShow, SuitesPage, suites_page, suites_sections};
use reelgauge_results::page::page;
use reelgauge_results::run_notes;

use super::Suite;
use crate::error::RunError;

/// A suite and its directory.
#[derive(Clone, Debug)]
pub struct OpenedSuite {
    pub dir: PathBuf,
    /// The content of the suite's files.
    pub suite: Suite,
}

impl OpenedSuite {
    /// The suite in this directory.
    ///
    /// # Errors
    /// If there is none, it is damaged, or a newer version wrote it.
    pub fn open(dir: &Path) -> Result<OpenedSuite, RunError> {
        Ok(OpenedSuite { dir: dir.to_path_buf(), suite: Suite::read(dir)? })
    }

    fn to_show(&self) -> SuiteToShow<'_> {
        let notes = run_notes::read(&self.dir).unwrap_or_default();
        let Suite { name, target, batch, pace, workloads, ended_early, table, .. } = &self.suite;
        SuiteToShow {
            id: self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            name,
            target: target.display().to_string(),
            passes: *batch,
            pace: pace.to_string(),
            wanted: workloads.len(),
            ended_early: ended_early.as_deref(),
            storage: storage_words(&notes.storage()),
            tags: notes.tags,
            table,
        }
    }
}

/// The data of a page; rates of the others are multiples of the first.
pub fn side_by_side(suites: &[OpenedSuite]) -> SuitesPage {
    suites_page(&suites.iter().map(OpenedSuite::to_show).collect::<Vec<_>>())
}

pub fn page_of_suites(suites: &[OpenedSuite]) -> Page {
    let suites = side_by_side(suites);
    let sections = suites_sections(&suites);
    Page { suites: Some(suites), sections, ..page(PageKind::Suites, Vec::new(), None) }
}
