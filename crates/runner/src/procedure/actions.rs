//! Work on the target itself: ballast. It runs on a separate thread, so that a mount that hangs cannot
//! keep the process from ending.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use reelgauge_engine::area::{Area, AreaError, Terms};
use reelgauge_engine::ballast::{self, Ballast, BallastError};

use super::ProcedureEvent;
use crate::exit_code::{BROKE_OFF, INTERRUPTED, USAGE};
use crate::interrupt::Interrupt;

/// The interval of checks for interruptions.
const BEAT: Duration = Duration::from_millis(50);
/// How long storage may take to end the current operation.
const GRACE: Duration = Duration::from_secs(30);

/// Why an action failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActionError {
    #[error(transparent)]
    Ballast(#[from] BallastError),
    #[error(transparent)]
    Area(#[from] AreaError),
    /// The storage does not respond.
    #[error("{} did not respond for {} s", target.display(), GRACE.as_secs())]
    Hangs { target: PathBuf },
    /// The thread can't be started, or ended without a result.
    #[error("cannot start the thread of the procedure's action")]
    Thread,
}

impl ActionError {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            ActionError::Ballast(BallastError::Stopped) => INTERRUPTED,
            ActionError::Area(_)
            | ActionError::Ballast(BallastError::Area(_) | BallastError::UnknownSpace { .. }) => USAGE,
            _ => BROKE_OFF,
        }
    }
}

/// The place of the ballast.
pub(super) struct BallastTarget<'a> {
    pub(super) target: &'a Path,
    pub(super) terms: Terms,
    pub(super) seed: u64,
    pub(super) interrupt: &'a Interrupt,
}

impl BallastTarget<'_> {
    /// Takes the area and works on its ballast.
    pub(super) fn work<T: Send + 'static>(
        &self,
        tell: &mut dyn FnMut(&ProcedureEvent<'_>),
        work: impl FnOnce(&mut Ballast<'_>) -> Result<T, BallastError> + Send + 'static,
    ) -> Result<T, ActionError> {
        let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (target, terms, seed) = (self.target.to_path_buf(), self.terms, self.seed);
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&written));
        let apart = move || {
            let area = Area::open_or_create_on(&target, terms)?;
            let _lock = area.lock()?;
            Ok(work(&mut Ballast::begin(&area, seed, &stopped, &counted)?)?)
        };
        self.on_thread(apart, &mut || {
            stop.store(self.interrupt.asked(), Ordering::Relaxed);
            tell(&ProcedureEvent::Written(written.load(Ordering::Relaxed)));
            self.interrupt.asked()
        })
    }

    /// Bytes of the existing ballast.
    pub(super) fn ballast_bytes(&self) -> Result<u64, ActionError> {
        let (target, terms) = (self.target.to_path_buf(), self.terms);
        let apart = move || Ok(ballast::bytes_in(&Area::open_existing_on(&target, terms.sharing)?));
        self.on_thread(apart, &mut || true)
    }

    pub(super) fn remove_ballast(&self) -> Result<(), ActionError> {
        let (target, terms) = (self.target.to_path_buf(), self.terms);
        let apart = move || {
            let area = match Area::open_existing_on(&target, terms.sharing) {
                Err(AreaError::NoArea { .. }) => return Ok(()),
                area => area?,
            };
            let _lock = area.lock()?;
            ballast::remove(&area)?;
            Ok(())
        };
        self.on_thread(apart, &mut || self.interrupt.asked())
    }

    /// Runs `work` on a thread. `is_urgent` is polled. From when it first returns true, the storage has
    /// [`GRACE`] to respond; after that, the work is abandoned.
    fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ActionError> + Send + 'static,
        is_urgent: &mut dyn FnMut() -> bool,
    ) -> Result<T, ActionError> {
        let (sender, result) = channel();
        let told = move || {
            // The receiver is dropped if the caller gave up.
            let _ = sender.send(work());
        };
        std::thread::Builder::new()
            .name("ballast".to_owned())
            .spawn(told)
            .map_err(|_| ActionError::Thread)?;
        let mut urgent_since = None;
        loop {
            match result.recv_timeout(BEAT) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(ActionError::Thread),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_urgent() && urgent_since.get_or_insert_with(Instant::now).elapsed() > GRACE {
                return Err(ActionError::Hangs { target: self.target.to_path_buf() });
            }
        }
    }
}
