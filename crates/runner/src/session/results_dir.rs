//! The place of a run's results, made when the target is known to be usable and before anything is
//! prepared on it, so that viewers see the run from its preparation on.
//!
//! A run that never measures leaves none: its directory is removed with the value.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use reelgauge_record::identity;
use reelgauge_record::notes::RunNotes;
use reelgauge_record::run_dir::{RunDir, RunName};

use crate::error::RunError;
use crate::observer::{Observer, RunBegin};
use crate::session::locked_target::LockedTarget;
use crate::session::target::target_label;
use reelgauge_results::{live, run_notes};

/// The parts of a run directory's name, and the user's notes on the run.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// When the user started it.
    pub started: Timestamp,
    /// Folder for run directories.
    pub out: &'a Path,
    /// The command, as in the summary.
    pub verb: &'a str,
    /// As in the summary.
    pub label: &'a str,
    /// The rest of the directory's name, in addition to the target.
    pub what: &'a str,
    /// The user's notes on the run and its storage.
    pub notes: &'a RunNotes,
}

/// A run directory that was made for a run that has not begun.
#[derive(Debug)]
pub struct Results {
    run_dir: RunDir,
    started: Timestamp,
    has_begun: bool,
}

impl Results {
    /// Makes the run directory, and reports it to the observer.
    ///
    /// # Errors
    /// If the results cannot be stored.
    pub fn make(
        naming: &Naming<'_>,
        locked: &LockedTarget,
        observer: &mut dyn Observer,
    ) -> Result<Results, RunError> {
        let target = target_label(locked.target(), &locked.mount);
        let name = RunName { start: naming.started.into(), target: &target, what: naming.what };
        let run_dir = RunDir::create(naming.out, name)?;
        let results = Results { run_dir, started: naming.started, has_begun: false };
        if *naming.notes != RunNotes::default() {
            run_notes::write(results.run_dir.path(), naming.notes)?;
        }
        observer.begun(&RunBegin {
            run_dir: results.run_dir.path(),
            verb: naming.verb,
            label: naming.label,
            target: locked.target(),
        });
        Ok(results)
    }

    /// When the user started the run.
    pub fn started(&self) -> Timestamp {
        self.started
    }

    /// The directory, for a run that begins. From now on it stays.
    pub fn begin(mut self) -> RunDir {
        self.has_begun = true;
        self.run_dir.clone()
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        if self.has_begun {
            return;
        }
        let _own = identity::own();
        // Only this run's own files; any other file belongs to the user, and keeps the directory.
        let _ = fs::remove_file(live::path_in(self.run_dir.path()));
        let _ = fs::remove_file(self.run_dir.plan_path());
        let _ = fs::remove_file(run_notes::path_in(self.run_dir.path()));
        let _ = fs::remove_dir(self.run_dir.path());
    }
}
