//! A queue for long work: some of it in parallel, one piece per client, and the clients in turn.
//!
//! Each client's requests have a separate line, and only the first of them waits for a turn. So a client
//! with forty requests delays another one by the piece in progress, not by forty. Lines have a limit: a
//! request beyond it is refused, to be repeated later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;
use crate::requester::Client;
use crate::shares::{Full, Share, Shares};

/// The lengths of a queue and its lines.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Pieces in progress at once, of all clients together.
    pub at_once: usize,
    /// Pieces of one client, including the one in progress.
    pub line_of_each: usize,
    /// Pieces of all clients, including those in progress.
    pub line_of_all: usize,
}

#[derive(Debug)]
pub struct FairQueue {
    turns: Arc<Semaphore>,
    line: Arc<Shares>,
    /// The line of each client with pending pieces; others are forgotten.
    own: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

/// The turn of a piece of work; dropping it gives the next one its turn.
#[derive(Debug)]
pub struct QueuePlace {
    // In this order: the client's next piece waits for its turn behind other clients' first pieces.
    _turn: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _share: Share,
}

impl FairQueue {
    /// Creates an empty queue.
    pub fn new(limits: QueueLimits) -> FairQueue {
        FairQueue {
            turns: Arc::new(Semaphore::new(limits.at_once)),
            line: Shares::new(limits.line_of_each, limits.line_of_all),
            own: Mutex::default(),
        }
    }

    /// Waits until it is this client's turn. A client that stops waiting leaves the line.
    ///
    /// # Errors
    /// If the line is full.
    pub async fn turn(&self, client: Client) -> Result<QueuePlace, ApiError> {
        let share = self.line.take(client).map_err(come_again)?;
        let own = self.own_line(client).acquire_owned().await.map_err(ApiError::failed)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(ApiError::failed)?;
        Ok(QueuePlace { _turn: turn, _own: own, _share: share })
    }

    /// The line of this client. Permits keep it alive, and so do waiting requests.
    fn own_line(&self, client: Client) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = own.get(&client).and_then(Weak::upgrade) {
            return line;
        }
        own.retain(|_, line| line.strong_count() > 0);
        let line = Arc::new(Semaphore::new(1));
        own.insert(client, Arc::downgrade(&line));
        line
    }
}

fn come_again(full: Full) -> ApiError {
    ApiError::busy(match full {
        Full::Own(most) => format!("{most} of your requests are still being processed; try again"),
        Full::All(most) => format!("{most} requests are still being processed; try again"),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use axum::http::StatusCode;
    use tokio::task::JoinHandle;
    use tokio::time::timeout;

    use super::*;

    const ONE: Client = Client::Session(1);
    const OTHER: Client = Client::Session(2);

    fn fair_queue() -> Arc<FairQueue> {
        Arc::new(FairQueue::new(QueueLimits { at_once: 1, line_of_each: 4, line_of_all: 6 }))
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        // A request that is never refused would wait forever.
        runtime.block_on(async { timeout(Duration::from_secs(30), work).await }).unwrap()
    }

    /// Waits in line, notes its turn, and ends.
    fn in_line(fair_queue: &Arc<FairQueue>, client: Client, had: &Arc<Mutex<Vec<Client>>>) -> JoinHandle<()> {
        let (fair_queue, had) = (Arc::clone(fair_queue), Arc::clone(had));
        tokio::spawn(async move {
            let _turn = fair_queue.turn(client).await.unwrap();
            had.lock().unwrap().push(client);
        })
    }

    #[test]
    fn one_request_does_not_wait_for_all_requests_of_another_client() {
        let (fair_queue, had) = (fair_queue(), Arc::default());
        block_on(async {
            let first = fair_queue.turn(ONE).await.unwrap();
            let mut waiting: Vec<_> = (0..3).map(|_| in_line(&fair_queue, ONE, &had)).collect();
            tokio::task::yield_now().await;
            waiting.push(in_line(&fair_queue, OTHER, &had));
            tokio::task::yield_now().await;
            drop(first);
            for one in waiting {
                one.await.unwrap();
            }
        });
        assert_eq!(had.lock().unwrap().first(), Some(&OTHER));
        assert_eq!(had.lock().unwrap().len(), 4);
    }

    #[test]
    fn one_client_works_on_one_piece_while_others_have_room() {
        let fair_queue = FairQueue::new(QueueLimits { at_once: 2, line_of_each: 4, line_of_all: 8 });
        block_on(async {
            let _first = fair_queue.turn(ONE).await.unwrap();
            assert!(timeout(Duration::from_millis(50), fair_queue.turn(ONE)).await.is_err());
            assert!(timeout(Duration::from_secs(10), fair_queue.turn(OTHER)).await.is_ok());
        });
    }

    #[test]
    fn requests_beyond_the_limit_of_a_line_are_refused() {
        let (fair_queue, had) = (fair_queue(), Arc::default());
        block_on(async {
            let _first = fair_queue.turn(ONE).await.unwrap();
            let waiting: Vec<_> = (0..3).map(|_| in_line(&fair_queue, ONE, &had)).collect();
            tokio::task::yield_now().await;
            let refused = fair_queue.turn(ONE).await.unwrap_err();
            assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
            assert!(refused.text.contains("4 of your requests"), "{}", refused.text);
            let others: Vec<_> = (0..2).map(|_| in_line(&fair_queue, OTHER, &had)).collect();
            tokio::task::yield_now().await;
            assert!(fair_queue.turn(Client::Session(3)).await.unwrap_err().text.starts_with("6 requests"));
            // A client that stops waiting leaves the line.
            waiting.iter().chain(&others).for_each(JoinHandle::abort);
            for one in waiting.into_iter().chain(others) {
                assert!(one.await.unwrap_err().is_cancelled());
            }
            let again = in_line(&fair_queue, ONE, &had);
            tokio::task::yield_now().await;
            assert!(!again.is_finished() && had.lock().unwrap().is_empty());
        });
    }

    #[test]
    fn disconnected_clients_are_forgotten() {
        let fair_queue = fair_queue();
        block_on(async {
            for number in 0..1_000 {
                drop(fair_queue.turn(Client::Session(number)).await.unwrap());
            }
        });
        assert!(fair_queue.own.lock().unwrap().len() <= 1);
    }
}
