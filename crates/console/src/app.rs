//! The state that all answers share, and blocking work outside the threads that answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::access::AccessRules;
use crate::error::ApiError;
use crate::fair_queue::{FairQueue, QueueLimits};
use crate::log_reading_time::Weight;
use crate::metrics::Metrics;
use crate::pages::Pages;
use crate::requester::Client;
use crate::run_start::Starter;
use crate::run_stop::Stopper;
use crate::runs::Runs;
use crate::shares::{Full, Share, Shares};
use crate::traces::Traces;

/// Large logs that are read. More at once would only compete for the disk and the memory.
const LARGE: QueueLimits = QueueLimits { at_once: 2, line_of_each: 8, line_of_all: 64 };
/// The queue for small requests, which never wait behind large ones.
const SMALL: QueueLimits = QueueLimits { at_once: 2, line_of_each: 16, line_of_all: 128 };
/// The largest numbers of runs that are being started at the same time: by one client, and by all.
const STARTS: (usize, usize) = (2, 4);
/// The largest numbers of browser pages that watch at the same time: of one client, and of all.
const WATCHERS: (usize, usize) = (16, 64);

/// The state that all answers share.
#[derive(Debug)]
pub struct App {
    /// Version of this program.
    pub version: String,
    pub host: String,
    pub access: AccessRules,
    /// The folder of runs.
    pub runs: Runs,
    /// The library of traces.
    pub traces: Arc<Traces>,
    pub pages: Pages,
    pub starter: Starter,
    pub stopper: Stopper,
    /// Follows runs for Prometheus.
    pub metrics: Metrics,
    large: FairQueue,
    small: FairQueue,
    starts: Arc<Shares>,
    watchers: Arc<Shares>,
}

impl App {
    /// An app of these parts.
    pub fn new(version: String, host: String, access: AccessRules, runs: Runs, starter: Starter) -> App {
        App {
            version,
            host,
            access,
            runs,
            traces: Arc::clone(&starter.traces),
            pages: Pages::default(),
            starter,
            stopper: Stopper::default(),
            metrics: Metrics::default(),
            large: FairQueue::new(LARGE),
            small: FairQueue::new(SMALL),
            starts: Shares::new(STARTS.0, STARTS.1),
            watchers: Shares::new(WATCHERS.0, WATCHERS.1),
        }
    }

    /// Does work that reads a few files, on a thread that may block.
    ///
    /// # Errors
    /// The errors of the work.
    pub async fn light<T: Send + 'static>(
        self: &Arc<App>,
        work: impl FnOnce(&App) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let app = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&app)).await.map_err(ApiError::failed)?
    }

    /// Does work that reads whole logs: a few at once, and the clients in turn ([`crate::fair_queue`]).
    /// The work is informed when the client stops waiting.
    ///
    /// # Errors
    /// The errors of the work, and an error if too many requests are pending.
    pub async fn heavy<T: Send + 'static>(
        self: &Arc<App>,
        client: Client,
        weight: Weight,
        work: impl FnOnce(&App, &dyn Fn() -> bool) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let fair_queue = match weight {
            Weight::Small => &self.small,
            Weight::Large => &self.large,
        };
        let turn = fair_queue.turn(client).await?;
        let awaited = Awaited(Arc::new(AtomicBool::new(true)));
        let flag = Arc::clone(&awaited.0);
        let done = self.light(move |app| {
            let _turn = turn;
            work(app, &|| !flag.load(Ordering::Relaxed))
        });
        done.await
    }

    /// Starts a run; only a few at once.
    ///
    /// # Errors
    /// The errors of the work, and an error if too many runs are being started.
    pub async fn starting<T: Send + 'static>(
        self: &Arc<App>,
        client: Client,
        work: impl FnOnce(&App) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let share = self.starts.take(client);
        let share = share.map_err(|_| ApiError::busy("other runs are starting; try again"))?;
        self.light(move |app| {
            let _share = share;
            work(app)
        })
        .await
    }

    /// A place for a watcher.
    ///
    /// # Errors
    /// If all are taken, or all of this client's.
    pub fn place_to_watch(&self, client: Client) -> Result<Share, ApiError> {
        self.watchers.take(client).map_err(|full| {
            ApiError::busy(match full {
                Full::Own(most) => format!("you already have {most} live pages open; close one"),
                Full::All(most) => {
                    format!("{most} live pages are already open on this console, the maximum; close one")
                }
            })
        })
    }
}

/// Sets the flag when the client stops waiting.
struct Awaited(Arc<AtomicBool>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
