//! Why a run did not happen, or ended early, and the exit status of each reason.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use reelgauge_analysis::criteria::{CriteriaError, Criterion};
use reelgauge_engine::area::AreaError;
use reelgauge_engine::dataset::DataSetError;
use reelgauge_engine::driver::DriverError;
use reelgauge_engine::scratch::ScratchError;
use reelgauge_engine::user_files::UserFilesError;
use reelgauge_record::log::LogError;
use reelgauge_record::run_dir::RunDirError;
use reelgauge_report::units::amount;
use reelgauge_trace::replay::ReplayError;
use reelgauge_workload::plan::PlanError;
use reelgauge_workload::search::SearchError;
use reelgauge_workload::units::Size;

use crate::interrupt::StoppedBy;
use crate::session::allowance::Refusal;
use crate::session::drain::DrainDied;
use crate::streams::actors::ActorsError;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The plan is invalid.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Criteria that cannot be parsed.
    #[error("--criteria {text}: {source}")]
    Criteria {
        /// The text as it was written.
        text: String,
        source: CriteriaError,
    },
    /// A criterion that a mix has no figure for.
    #[error("criterion '{criterion}' does not apply to a mix; use p99, throughput or errors")]
    NotOfMix { criterion: Criterion },
    /// The target can't be used.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// The test files can't be made.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
    /// The user's own files can't be read, or are too few.
    #[error(transparent)]
    Material(#[from] UserFilesError),
    /// The target is too small.
    #[error(
        "the test files need {}, but {target} has {} free, and {} must stay free (--keep-free). Use \
         {smaller}, or free some space",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    Space {
        target: PathBuf,
        /// The size of the data set.
        needed: Size,
        available: Size,
        /// The space that must stay free.
        kept: Size,
        /// The settings that can reduce the space, with the flags of the verb.
        smaller: &'static str,
    },
    /// The target is too small for the writes of a load point.
    #[error(
        "a load point writes {}, but {target} has {} free, and {} must stay free (--keep-free). Use a \
         shorter --duration or fewer streams, or free some space. 'reelgauge clean' removes test files of \
         earlier runs",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    LoadSpace {
        target: PathBuf,
        needed: Size,
        available: Size,
        /// The space that must stay free.
        kept: Size,
    },
    /// The target is too small for a quick check, which has no smaller files.
    #[error(
        "the test files need {}, but {target} has {} free, and {} must stay free. \
         Free some space, or use another directory on the same storage",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    LookSpace {
        target: PathBuf,
        /// The size of the test files, with their margin.
        needed: Size,
        available: Size,
        /// The space that must stay free.
        kept: Size,
    },
    /// The target, or a quota on it, was filled while a quick check made its test files.
    #[error(
        "cannot write {path}: no space or quota left. Free some space or raise the quota, then check \
         again. 'reelgauge clean' removes what was written"
    )]
    LookFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The target is too small for a trace.
    #[error(
        "the images of this replay need {}, but {target} has {} free, and {} must stay free \
         (--keep-free). Free some space, or use fewer copies or passes. 'reelgauge clean' removes test files \
         of earlier runs",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    ReplaySpace {
        target: PathBuf,
        /// The size of all images, with their margin.
        needed: Size,
        available: Size,
        /// The space that must stay free.
        kept: Size,
    },
    /// The target, or a quota on it, was filled while images were made.
    #[error(
        "cannot write {path}: no space or quota left. Free some space, or use fewer copies or passes. \
         'reelgauge clean' removes what was written"
    )]
    ReplayFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The table of a suite is missing or damaged.
    #[error("cannot read suite {}: {why}. Name the directory of a suite that ran", path.display())]
    SuiteFile { path: PathBuf, why: String },
    /// The trace can't be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The local host does not allow this process the resources of the load.
    #[error(transparent)]
    Machine(#[from] Refusal),
    /// The process may not have enough files open.
    #[error(
        "this replay opens up to {needed} files at once, but the limit per process is {allowed}. Raise it \
         (ulimit -n), or use fewer --copies"
    )]
    OpenFiles {
        needed: u64,
        /// The number allowed.
        allowed: u64,
    },
    /// Direct I/O was demanded and is unavailable.
    #[error(
        "direct I/O does not work on {target}: {why}. Use --buffered; the figures then include this \
         client's cache"
    )]
    NotDirect {
        target: PathBuf,
        /// The result of the attempt.
        why: String,
    },
    /// Direct I/O needs larger pieces.
    #[error(
        "direct I/O on {target} needs multiples of {needed}, but these blocks are multiples of {given}. \
         Use larger --blocks, or --buffered"
    )]
    DirectAlignment {
        target: PathBuf,
        /// The size that the file system reports.
        needed: Size,
        /// The size in the plan.
        given: Size,
    },
    /// Results cannot be stored.
    #[error("{}", with_a_way_out(.0))]
    RunDir(#[from] RunDirError),
    /// The summary cannot be stored.
    #[error("{0}. The log is kept up to that point; 'reelgauge report' computes the figures from it")]
    NotKept(#[source] RunDirError),
    /// Results cannot be stored, known before anything was touched.
    #[error("cannot create the results folder {path}: {source}. Choose another one with --out")]
    Out {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder for results is inside the test data.
    #[error(
        "{out} is in the area {area}, which 'reelgauge clean' removes. Nothing was done. Choose another \
         results folder with --out"
    )]
    OutInArea { out: PathBuf, area: PathBuf },
    /// The log can't be begun.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The driver can't start.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Nothing to play, or invalid criteria.
    #[error(transparent)]
    Actors(#[from] ActorsError),
    /// The folder for the actors' files can't be made.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// An impossible search.
    #[error("cannot start the search for the largest count: {source}")]
    Search {
        #[from]
        source: SearchError,
    },
    /// A search that is to continue with evidence from different settings.
    #[error(
        "cannot resume the search in {run}: its {name} was {before}, now it is {now}. Use the former value, \
         or omit --resume to start a new search"
    )]
    OtherSearch {
        run: PathBuf,
        name: String,
        /// The setting there.
        before: String,
        /// The setting here.
        now: String,
    },
    /// An operation of the operating system failed.
    #[error("cannot {doing}: {source}")]
    Io { doing: String, source: io::Error },
    /// A name that a plan cannot contain.
    #[error(
        "{path:?} is not valid UTF-8, so the plan (run.toml) cannot contain it. Rename it, or use a bind \
         mount"
    )]
    NotText { path: PathBuf },
    /// There is nothing to watch.
    #[error("cannot watch: {0}")]
    NotWatched(String),
    /// The run ended before its first load point, but after test files were made.
    #[error(
        "{0}. Nothing was measured. The test files stay for the next run; 'reelgauge clean' removes them"
    )]
    NotBegun(Box<RunError>),
    /// The host that makes the test files of several hosts did not.
    #[error(
        "the host that creates the test files did not open {area} to this host within {} s. Check whether \
         its run was rejected, and whether both hosts use the same directory on the same storage",
        waited.as_secs()
    )]
    NotShared { area: PathBuf, waited: Duration },
    /// The test files of several hosts are not visible on this one.
    #[error(
        "{} of the test files that another host made are not in {area}. Check whether both hosts use the \
         same directory of the same storage",
        amount(*missing_bytes)
    )]
    SharedFilesMissing { area: PathBuf, missing_bytes: u64 },
    /// The run was stopped while it waited for its start.
    #[error("the run was {0} before its first load point; nothing was measured")]
    StoppedWaiting(StoppedBy),
    /// Operations of a self-test did not come back.
    #[error("the storage has not responded for {} s. Check it, then run the self-test again", waited.as_secs())]
    NotAnswered { waited: Duration },
    #[error(transparent)]
    Drain(#[from] DrainDied),
}

impl RunError {
    /// For `map_err`: an I/O error with the operation.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> RunError {
        let doing = doing.into();
        move |source| RunError::Io { doing, source }
    }

    /// The error for a run that had already made files on the target. Errors about test files come
    /// before any are made.
    #[must_use]
    pub fn after_preparing(self) -> RunError {
        match self {
            RunError::Driver(_) | RunError::Log(_) | RunError::RunDir(_) | RunError::Io { .. } => {
                RunError::NotBegun(Box::new(self))
            }
            other => other,
        }
    }

    /// The exit status: 2 wrong input, nothing touched, 3 incomplete, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunError::DataSet(DataSetError::Interrupted { .. }) | RunError::StoppedWaiting(_) => 130,
            RunError::DataSet(error) if !is_input(error) => 3,
            RunError::Drain(_) | RunError::NotBegun(_) | RunError::NotKept(_) => 3,
            RunError::LookFull { .. } | RunError::ReplayFull { .. } | RunError::NotAnswered { .. } => 3,
            _ => 2,
        }
    }
}

/// The fault of a run directory, with one remedy.
fn with_a_way_out(error: &RunDirError) -> String {
    let advice = if error.advises_out() { "" } else { ". Choose another results folder with --out" };
    format!("{error}{advice}")
}

/// Whether a data set was refused before anything was written.
fn is_input(error: &DataSetError) -> bool {
    matches!(
        error,
        DataSetError::Spec { .. }
            | DataSetError::NoSpace { .. }
            | DataSetError::NotOurs { .. }
            | DataSetError::Newer { .. }
            | DataSetError::TooLarge { .. }
    )
}
