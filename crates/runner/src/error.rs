//! Why a run did not happen, or did not end well, and which exit code that is.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use reelgauge_analysis::criteria::{CriteriaError, Criterion};
use reelgauge_engine::area::AreaError;
use reelgauge_engine::dataset::DataSetError;
use reelgauge_engine::driver::DriverError;
use reelgauge_engine::material::MaterialError;
use reelgauge_engine::scratch::ScratchError;
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
    /// The plan makes no sense.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Criteria that can't be understood.
    #[error("--criteria {text}: {source}")]
    Criteria {
        /// As they were written.
        text: String,
        source: CriteriaError,
    },
    /// A criterion that a mix has no figure for.
    #[error("a mix has no figure for the criterion '{criterion}'; use p99, throughput and errors")]
    NotOfMix { criterion: Criterion },
    /// The target can't be used.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// The test files can't be made.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
    /// The user's own files can't be read, or are too few.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The target is too small.
    #[error(
        "the test files need {}, and {target} has {} free, and {} must stay free (--keep-free \
         changes that); use smaller files (--file-size, --clip), fewer files (--files), workers or streams, \
         or make room",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    Space {
        target: PathBuf,
        /// What the data set takes.
        needed: Size,
        available: Size,
        /// What of it stays free.
        kept: Size,
    },
    /// The target is too small for what a load point writes.
    #[error(
        "a load point writes {}, and {target} has {} free, the test files of earlier runs aside, and \
         {} must stay free (--keep-free changes that); use a shorter --duration or fewer streams, or make room",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    LoadSpace {
        target: PathBuf,
        needed: Size,
        available: Size,
        /// What of it stays free.
        kept: Size,
    },
    /// The target is too small for a first look, which has no smaller files.
    #[error(
        "a first look needs {} for its test files, and {target} has {} free, and {} must stay \
         free; make room, or give a directory on the same storage that has some",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    LookSpace {
        target: PathBuf,
        /// What the test files take, with their margin.
        needed: Size,
        available: Size,
        /// What of it stays free.
        kept: Size,
    },
    /// The target, or a quota on it, ran full while a first look made its test files.
    #[error(
        "no space or quota was left while writing {path}; make room or have the quota raised, then look again. \
         'reelgauge clean' gives back what was written"
    )]
    LookFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The target is too small for what a trace needs.
    #[error(
        "the images of this replay need {}, and {target} has {} free, and {} must stay free \
         (--keep-free changes that); make room, or use fewer copies (replay --copies) or passes (--batch)",
        amount(needed.0),
        amount(available.0),
        amount(kept.0)
    )]
    ReplaySpace {
        target: PathBuf,
        /// What all images take, with their margin.
        needed: Size,
        available: Size,
        /// What of it stays free.
        kept: Size,
    },
    /// The target, or a quota on it, ran full while images were made.
    #[error(
        "no space or quota was left while writing {path}; make room, or use fewer copies (replay --copies) or passes \
         (--batch). \
         'reelgauge clean' gives back what was written"
    )]
    ReplayFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The table of a suite.
    #[error("{} can't be used: {why}; name the directory of a suite that ran", path.display())]
    SuiteFile { path: PathBuf, why: String },
    /// The trace can't be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// This machine does not allow this process what the load takes.
    #[error(transparent)]
    Machine(#[from] Refusal),
    /// This process may not have so many files open.
    #[error(
        "this replay has up to {needed} files open at once, and a process may have {allowed} here; raise the limit \
         (ulimit -n), or use fewer --copies"
    )]
    OpenFiles {
        needed: u64,
        /// How many are allowed.
        allowed: u64,
    },
    /// Direct I/O was demanded and is not to be had.
    #[error(
        "direct I/O does not work on {target} ({why}); use --buffered, and read the figures as this machine's cache and storage together"
    )]
    NotDirect {
        target: PathBuf,
        /// What came of trying.
        why: String,
    },
    /// Direct I/O needs larger pieces.
    #[error(
        "direct I/O on {target} needs multiples of {needed}, and these blocks are multiples of {given}; use larger --blocks or --buffered"
    )]
    DirectAlignment {
        target: PathBuf,
        /// What the file system states.
        needed: Size,
        /// What the plan gives.
        given: Size,
    },
    /// Results have no place to go.
    #[error("{}", with_a_way_out(.0))]
    RunDir(#[from] RunDirError),
    /// The summary of what was measured has no place to go.
    #[error(
        "{0}. The log is kept as far as it was written: 'reelgauge report' makes the figures anew from it"
    )]
    NotKept(#[source] RunDirError),
    /// Results have no place to go, known before anything was touched.
    #[error("cannot make the folder {path} for results: {source}; choose another one with --out")]
    Out {
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder for results lies where test data lie.
    #[error(
        "{out} lies in the area {area}, which 'reelgauge clean' removes; nothing was done. Choose another folder for \
         results with --out"
    )]
    OutInArea { out: PathBuf, area: PathBuf },
    /// The log can't be begun.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The driver can't start.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Nothing to play, or criteria that make no sense.
    #[error(transparent)]
    Actors(#[from] ActorsError),
    /// The folder for what actors write can't be made.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// A search that can't be.
    #[error("the search for the largest count can't begin: {source}")]
    Search {
        #[from]
        source: SearchError,
    },
    /// A search that is to go on with evidence of something else.
    #[error(
        "the search in {run} had another {name} ({before}; now {now}), so its trials say nothing about \
         this one; leave out --resume to begin anew"
    )]
    OtherSearch {
        run: PathBuf,
        name: String,
        /// What it was there.
        before: String,
        /// What it is here.
        now: String,
    },
    /// Something of the operating system.
    #[error("cannot {doing}: {source}")]
    Io { doing: String, source: io::Error },
    /// A name that no plan can say.
    #[error(
        "{path:?} is not valid UTF-8, and the plan of a run (run.toml) can't name such a path; rename it, or give it \
         by a bind mount"
    )]
    NotText { path: PathBuf },
    /// There is nothing to watch.
    #[error("nothing can be watched: {0}")]
    NotWatched(String),
    /// What ended the run before its first load point, when test files had been made.
    #[error(
        "{0} (nothing was measured; what was made on the target stays for the next run, or goes with 'reelgauge \
         clean')"
    )]
    NotBegun(Box<RunError>),
    /// The machine that makes the test files of several did not.
    #[error(
        "the machine that makes the test files for all did not share {area} within {} s; see whether it was refused,          and whether both machines mean the same directory of the same storage",
        waited.as_secs()
    )]
    NotShared { area: PathBuf, waited: Duration },
    /// The test files of several machines are not there, as this one sees it.
    #[error(
        "{} of the test files that another machine of this run made are not in {area}; see whether both machines          mean the same directory of the same storage",
        amount(*missing_bytes)
    )]
    SharedFilesMissing { area: PathBuf, missing_bytes: u64 },
    /// Somebody stopped it while it waited to be told when to begin.
    #[error("{0} before its first load point; nothing was measured")]
    StoppedWaiting(StoppedBy),
    #[error(transparent)]
    Drain(#[from] DrainDied),
}

impl RunError {
    /// For `map_err`: an I/O error with what was tried.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> RunError {
        let doing = doing.into();
        move |source| RunError::Io { doing, source }
    }

    /// The same, of a run that had already made things on the target. What is said of test files is said
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

    /// The exit code: 2 wrong input, nothing touched, 3 broke off, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunError::DataSet(DataSetError::Interrupted { .. }) | RunError::StoppedWaiting(_) => 130,
            RunError::DataSet(error) if !is_input(error) => 3,
            RunError::Drain(_) | RunError::NotBegun(_) | RunError::NotKept(_) => 3,
            RunError::LookFull { .. } | RunError::ReplayFull { .. } => 3,
            _ => 2,
        }
    }
}

/// What is wrong with a run directory, with the way out once.
fn with_a_way_out(error: &RunDirError) -> String {
    let said = error.to_string();
    if said.contains("--out") {
        said
    } else {
        format!("{said}; choose another folder for results with --out")
    }
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
