//! The files that a run's workers make: the scratch folder, which is removed when the run ends for any
//! reason.
//!
//! Storage that no longer answers may never release a file. So a run that is known to hang there leaves
//! its folder ([`MadeFiles::leave`]), and after Ctrl-C the removal has a short time limit. Remains are
//! removed by the next run, or by `reelgauge clean`.
//!
//! Not here: test files, which are made before the run and kept after it.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use reelgauge_engine::area::AreaLock;
use reelgauge_engine::scratch::{Scratch, ScratchError};

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::session::locked_target::LockedTarget;

/// The interval of checks for interruptions.
const BEAT: Duration = Duration::from_millis(20);
/// The time limit for the removal after an interruption. The run must be over in 2 s. Closing the files
/// before the removal, and abandoning its thread afterwards, take up to half a second each.
const GRACE: Duration = Duration::from_millis(900);

/// The scratch folder of a run. Dropping it removes the folder.
#[derive(Debug)]
pub struct MadeFiles {
    /// `None` after it was removed or left.
    held: Option<Held>,
    interrupt: Interrupt,
}

/// The folder, and the right to remove it.
#[derive(Debug)]
struct Held {
    scratch: Scratch,
    lock: Arc<AreaLock>,
}

/// Why a scratch folder still exists.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeftBehind {
    /// The system refused.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// It took too long after an interruption.
    #[error("the storage had not finished removing them at the end of the run")]
    Busy,
    /// No thread can be started to remove them.
    #[error("cannot start a thread that removes them ({0})")]
    Thread(std::io::Error),
}

impl MadeFiles {
    /// An empty scratch folder.
    ///
    /// # Errors
    /// If its name is taken, if something is mounted in it, or if the storage fails.
    pub fn begin(locked: &LockedTarget, interrupt: &Interrupt) -> Result<MadeFiles, RunError> {
        let held = Held { scratch: Scratch::create(&locked.area)?, lock: Arc::clone(&locked.lock) };
        Ok(MadeFiles { held: Some(held), interrupt: interrupt.clone() })
    }

    /// The folder; `None` once it was removed.
    pub fn scratch(&self) -> Option<&Scratch> {
        self.held.as_ref().map(|held| &held.scratch)
    }

    /// Removes the folder and everything in it.
    ///
    /// # Errors
    /// See [`LeftBehind`]; the folder then stays for the next run.
    pub fn remove(&mut self) -> Result<(), LeftBehind> {
        let Some(held) = self.held.take() else {
            return Ok(());
        };
        let (sender, result) = channel();
        let work = move || {
            let removed = held.scratch.remove();
            drop(held.lock);
            // The receiver is dropped if the removal was abandoned.
            let _ = sender.send(removed);
        };
        std::thread::Builder::new().name("remove".to_owned()).spawn(work).map_err(LeftBehind::Thread)?;
        let begun = Instant::now();
        loop {
            match result.recv_timeout(BEAT) {
                Ok(removed) => return Ok(removed?),
                Err(RecvTimeoutError::Disconnected) => return Err(LeftBehind::Busy),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.interrupt.asked() && begun.elapsed() >= GRACE {
                return Err(LeftBehind::Busy);
            }
        }
    }

    /// Leaves the folder: its storage no longer answers.
    pub fn leave(&mut self) {
        // Closing files on a dead mount may never return.
        std::mem::forget(self.held.take());
    }
}

impl Drop for MadeFiles {
    fn drop(&mut self) {
        // The run ended by an error, which matters more than a folder that the next run removes.
        let _ = self.remove();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_engine::area::Area;

    use super::*;

    fn locked() -> (LockedTarget, tempfile::TempDir) {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        (LockedTarget::take(&area).unwrap(), target)
    }

    #[test]
    fn made_files_are_removed_with_their_guard() {
        let (locked, _target) = locked();
        let made = MadeFiles::begin(&locked, &Interrupt::default()).unwrap();
        let folder = made.scratch().unwrap().directory("00-recorder-0000").unwrap();
        std::fs::write(folder.join("recording"), "frames").unwrap();
        drop(made);
        assert!(!folder.parent().unwrap().exists());
    }

    #[test]
    fn left_files_stay_and_their_area_stays_locked() {
        let (locked, _target) = locked();
        let mut made = MadeFiles::begin(&locked, &Interrupt::default()).unwrap();
        let folder = made.scratch().unwrap().path().to_path_buf();
        made.leave();
        drop(made);
        assert!(folder.exists());
        let area = locked.area.clone();
        drop(locked);
        assert!(area.lock().is_err());
    }

    #[cfg(unix)]
    #[test]
    fn files_that_cannot_be_removed_are_reported() {
        let (locked, target) = locked();
        let mut made = MadeFiles::begin(&locked, &Interrupt::default()).unwrap();
        let folder = made.scratch().unwrap().path().to_path_buf();
        std::fs::remove_dir(&folder).unwrap();
        std::os::unix::fs::symlink(target.path(), &folder).unwrap();
        let error = made.remove().unwrap_err();
        assert!(matches!(error, LeftBehind::Scratch(_)), "{error}");
        assert!(folder.is_symlink());
    }
}
