//! Runs that end between their load points: earlier measurements have their summary, and the actors'
//! files were removed.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use reelgauge_analysis::{NoteFact, Outcome, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_runner::error::RunError;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::{Observer, Silent};
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_runner::streams::{StreamsRequest, run_streams};
use reelgauge_workload::copier::CopierPlan;
use reelgauge_workload::streams::{FindMaxPlan, StreamsPlan};
use reelgauge_workload::units::{Size, Span};

/// Changes the target when a phase begins for the second time.
struct Meddler<F: FnMut(&Path)> {
    phase: &'static str,
    area: PathBuf,
    begun: u32,
    meddle: F,
}

impl<F: FnMut(&Path)> Observer for Meddler<F> {
    fn phase(&mut self, name: &str) {
        self.begun += u32::from(name == self.phase);
        if name == self.phase && self.begun == 2 {
            (self.meddle)(&self.area);
        }
    }
}

/// Copiers on a target in this folder. They have no deadline: however busy this host is, a search
/// proceeds to its next trial.
fn copiers(folder: &Path, find_max: bool) -> StreamsRequest {
    let search = FindMaxPlan { cap: Some(4), repeats: 1, confirm: Span(0), ..FindMaxPlan::default() };
    let target = folder.join("target");
    std::fs::create_dir_all(&target).unwrap();
    let plan = StreamsPlan {
        target,
        seed: 5,
        warmup: Span(200_000_000),
        duration: Span(500_000_000),
        direct: false,
        actors: vec![CopierPlan { file_size: Size::mib(4), ..CopierPlan::default() }.into()],
        find_max: find_max.then_some(search),
        ..StreamsPlan::default()
    };
    StreamsRequest {
        plan,
        verb: "streams".to_owned(),
        must_be_direct: false,
        out: folder.join("runs"),
        terms: Terms::default(),
        resume: None,
        is_told: false,
        vda: None,
    }
}

/// A search with an event when `phase` begins again, and the folder that it used.
fn searched(phase: &'static str, meddle: impl FnMut(&Path)) -> (Finished, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let area = folder.path().join("target/reelgauge-area");
    let mut observer = Meddler { phase, area, begun: 0, meddle };
    let finished = run_streams(copiers(folder.path(), true), &mut observer, &Interrupt::default());
    (finished.unwrap(), folder)
}

/// The file with this number of the only data set of a search.
fn data_file(area: &Path, number: u32) -> PathBuf {
    let mut sets = std::fs::read_dir(area.join("data")).unwrap();
    sets.next().unwrap().unwrap().path().join(format!("file-{number:04}.bin"))
}

/// The summary of a run, as printed and as stored.
fn kept(finished: &Finished) -> &Summary {
    let json = std::fs::read_to_string(finished.run_dir.join("summary.json")).unwrap();
    assert_eq!(Summary::from_json(&json).unwrap(), finished.summary);
    &finished.summary
}

#[test]
fn file_creation_failure_ends_a_search_and_keeps_results() {
    let in_the_way = |area: &Path| std::fs::create_dir(data_file(area, 1)).unwrap();
    let (finished, folder) = searched("preparing", in_the_way);
    let summary = kept(&finished);
    assert_eq!((summary.outcome, finished.exit_code()), (Outcome::BrokeOff, 3));
    let reason = summary.outcome_reason.as_ref().unwrap();
    assert!(reason.contains("file-0001.bin"), "{reason}");
    assert_eq!(summary.load_points.len(), 1);
    assert!(summary.load_points[0].total.ops > 0);
    let search = summary.search.as_ref().unwrap();
    assert!(!search.complete && search.streams == Some(1), "{search:?}");
    assert!(finished.run_dir.join("search.json").exists());
    let area = folder.path().join("target/reelgauge-area");
    assert!(area.join("data").exists() && !area.join("scratch").exists());
}

#[test]
fn file_creation_failure_at_start_is_an_error_without_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let run = |find_max| run_streams(copiers(folder.path(), find_max), &mut Silent, &Interrupt::default());
    run(false).unwrap();
    let area = folder.path().join("target/reelgauge-area");
    std::fs::remove_file(data_file(&area, 0)).unwrap();
    std::fs::create_dir(data_file(&area, 0)).unwrap();
    for find_max in [false, true] {
        let error = run(find_max).map(|finished| finished.run_dir).unwrap_err();
        assert!(matches!(error, RunError::DataSet(_)), "{error}");
        assert!(!area.join("scratch").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_folder_ends_the_run_and_stays_unchanged() {
    // It is not Reelgauge's, wherever it leads: nothing is written through it, nothing removed.
    let swap = |area: &Path| {
        std::fs::rename(area.join("scratch"), area.join("moved")).unwrap();
        std::os::unix::fs::symlink(area.join("moved"), area.join("scratch")).unwrap();
    };
    let (finished, folder) = searched("searching", swap);
    let summary = kept(&finished);
    assert_eq!(
        (summary.outcome, finished.exit_code()),
        (Outcome::BrokeOff, 3),
        "{:?}",
        summary.outcome_reason
    );
    let note = summary.notes.iter().find(|note| matches!(note.fact, NoteFact::FilesLeft { .. }));
    assert!(note.is_some_and(|note| note.advice.contains("reelgauge clean")), "{:?}", summary.notes);
    assert!(folder.path().join("target/reelgauge-area/scratch").is_symlink());
}
