//! What all answers share, and how work that blocks is done beside the threads that answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

use crate::door::Door;
use crate::error::ApiError;
use crate::metrics::Metrics;
use crate::pages::Pages;
use crate::runs::Runs;
use crate::start::Starter;
use crate::stop::Stopper;
use crate::traces::Traces;

/// Whole logs that are read at once. More would only make each other wait for the disk and the memory.
const HEAVY: usize = 2;
/// Runs that are being started at once.
const STARTS: usize = 4;
/// Browsers that watch at once.
const WATCHERS: usize = 64;

/// What all answers share.
#[derive(Debug)]
pub struct App {
    /// Version of this program.
    pub version: String,
    /// Name of this machine.
    pub host: String,
    /// Who may ask.
    pub door: Door,
    /// The folder of runs.
    pub runs: Runs,
    /// The library of traces.
    pub traces: Arc<Traces>,
    /// Makes pages.
    pub pages: Pages,
    /// Starts runs.
    pub starter: Starter,
    /// Stops runs.
    pub stopper: Stopper,
    /// Follows runs for Prometheus.
    pub metrics: Metrics,
    heavy: Arc<Semaphore>,
    starts: Arc<Semaphore>,
    watchers: Arc<Semaphore>,
}

impl App {
    /// An app of these parts.
    pub fn new(version: String, host: String, door: Door, runs: Runs, starter: Starter) -> App {
        App {
            version,
            host,
            door,
            runs,
            traces: Arc::clone(&starter.traces),
            pages: Pages::default(),
            starter,
            stopper: Stopper::default(),
            metrics: Metrics::default(),
            heavy: Arc::new(Semaphore::new(HEAVY)),
            starts: Arc::new(Semaphore::new(STARTS)),
            watchers: Arc::new(Semaphore::new(WATCHERS)),
        }
    }

    /// Does what reads a few files, on a thread that may block.
    ///
    /// # Errors
    /// Those of the work.
    pub async fn light<T: Send + 'static>(
        self: &Arc<App>,
        work: impl FnOnce(&App) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let app = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&app)).await.map_err(ApiError::failed)?
    }

    /// Does what reads whole logs: a few at once, the others wait. The work is told when nobody waits for it
    /// any more.
    ///
    /// # Errors
    /// Those of the work.
    pub async fn heavy<T: Send + 'static>(
        self: &Arc<App>,
        work: impl FnOnce(&App, &dyn Fn() -> bool) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = Arc::clone(&self.heavy).acquire_owned().await.map_err(ApiError::failed)?;
        let awaited = Awaited(Arc::new(AtomicBool::new(true)));
        let flag = Arc::clone(&awaited.0);
        let done = self.light(move |app| {
            let _permit = permit;
            work(app, &|| !flag.load(Ordering::Relaxed))
        });
        done.await
    }

    /// Starts a run; not many at once.
    ///
    /// # Errors
    /// Those of the work, and when too many are being started.
    pub async fn starting<T: Send + 'static>(
        self: &Arc<App>,
        work: impl FnOnce(&App) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = Arc::clone(&self.starts).try_acquire_owned();
        let permit = permit.map_err(|_| ApiError::busy("other runs are just being started; try again"))?;
        self.light(move |app| {
            let _permit = permit;
            work(app)
        })
        .await
    }

    /// A place to watch from.
    ///
    /// # Errors
    /// When all are taken.
    pub fn place_to_watch(&self) -> Result<tokio::sync::OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.watchers)
            .try_acquire_owned()
            .map_err(|_| ApiError::busy(format!("{WATCHERS} browsers watch already; close one")))
    }
}

/// Says so when the one who waited is gone.
struct Awaited(Arc<AtomicBool>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
