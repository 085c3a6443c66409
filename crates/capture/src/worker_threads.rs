//! The threads that serve requests, and how many of them wait for one.
//!
//! There are enough threads for an application with many requests in flight. But the kernel gives each
//! request to the thread that has waited longest. If all of them wait, each request is served by another
//! thread, whose memory is in no cache and which may have to move to another processor. So only as many
//! threads wait as there recently were concurrent requests, plus one. The others rest, and are woken
//! when all awake threads are busy.
//!
//! Not here: serving a request.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::mutex::lock;

/// Number of requests after which the number of awake threads is adjusted.
const LOOK_EVERY: u32 = 1 << 10;
/// How long a thread rests at a time before it checks whether the session is over.
const REST: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct WorkerThreads {
    threads: u32,
    rest: Duration,
    /// Requests that are being served.
    busy: AtomicU32,
    most_busy: AtomicU32,
    /// The maximum of `busy` since the last adjustment.
    lately: AtomicU32,
    served: AtomicU32,
    /// Threads that should not rest.
    wanted: AtomicU32,
    resting: AtomicU32,
    bed: Mutex<()>,
    wake: Condvar,
    is_over: AtomicBool,
}

impl WorkerThreads {
    /// A pool of this many threads.
    pub(crate) fn new(threads: u32) -> WorkerThreads {
        WorkerThreads {
            threads,
            rest: REST,
            busy: AtomicU32::new(0),
            most_busy: AtomicU32::new(0),
            lately: AtomicU32::new(0),
            served: AtomicU32::new(0),
            wanted: AtomicU32::new(2),
            resting: AtomicU32::new(0),
            bed: Mutex::new(()),
            wake: Condvar::new(),
            is_over: AtomicBool::new(false),
        }
    }

    /// Called when a thread has received a request.
    pub(crate) fn begin(&self) {
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        if busy > self.lately.load(Ordering::Relaxed) {
            self.lately.fetch_max(busy, Ordering::Relaxed);
            self.most_busy.fetch_max(busy, Ordering::Relaxed);
        }
        let resting = self.resting.load(Ordering::SeqCst);
        if resting > 0 && busy + resting >= self.threads {
            self.wanted.fetch_max(busy + 1, Ordering::Relaxed);
            // Locked, so that a thread about to rest can't miss it.
            drop(lock(&self.bed));
            self.wake.notify_one();
        }
    }

    /// Called just before it answers.
    pub(crate) fn done(&self) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
        if self.served.fetch_add(1, Ordering::Relaxed) % LOOK_EVERY == LOOK_EVERY - 1 {
            let lately = self.lately.swap(self.busy.load(Ordering::Relaxed), Ordering::Relaxed);
            self.wanted.store(lately + 1, Ordering::Relaxed);
        }
    }

    /// Called after it has answered. It rests before the next request if enough other threads wait.
    pub(crate) fn answered(&self) {
        if !self.is_enough() {
            return;
        }
        let bed = lock(&self.bed);
        // Checked again, because other threads may have gone to rest.
        if self.is_enough() && !self.is_over.load(Ordering::Acquire) {
            self.resting.fetch_add(1, Ordering::SeqCst);
            let slept = self.wake.wait_timeout(bed, self.rest);
            drop(slept.unwrap_or_else(PoisonError::into_inner));
            self.resting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Whether one awake thread less would be enough.
    fn is_enough(&self) -> bool {
        let awake = self.threads.saturating_sub(self.resting.load(Ordering::SeqCst));
        let needed = self.busy.load(Ordering::SeqCst) + 1;
        awake > self.wanted.load(Ordering::Relaxed).max(needed)
    }

    /// Ends the session: wakes all resting threads.
    pub(crate) fn dismiss(&self) {
        self.is_over.store(true, Ordering::Release);
        drop(lock(&self.bed));
        self.wake.notify_all();
    }

    /// The largest number of concurrent requests.
    pub(crate) fn most_busy(&self) -> u32 {
        self.most_busy.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Barrier};
    use std::thread::JoinHandle;

    use super::*;

    const FAR: Duration = Duration::from_secs(60);

    type Work = Box<dyn FnOnce() + Send>;

    /// Threads that take requests from a queue until it is closed, and rest for a long time.
    fn serve(threads: u32) -> (Arc<WorkerThreads>, Sender<Work>, Vec<JoinHandle<()>>) {
        let workers = Arc::new(WorkerThreads { rest: 10 * FAR, ..WorkerThreads::new(threads) });
        let (requests, queue) = channel::<Work>();
        let queue = Arc::new(Mutex::new(queue));
        let one = || {
            let (workers, queue): (_, Arc<Mutex<Receiver<Work>>>) =
                (Arc::clone(&workers), Arc::clone(&queue));
            std::thread::spawn(move || {
                loop {
                    let next = queue.lock().unwrap().recv();
                    let Ok(work) = next else { return };
                    workers.begin();
                    work();
                    workers.done();
                    workers.answered();
                }
            })
        };
        let joins = (0..threads).map(|_| one()).collect();
        (workers, requests, joins)
    }

    /// Sends requests one after the other.
    fn one_by_one(requests: &Sender<Work>, count: u32) {
        for _ in 0..count {
            let (done, is_done) = channel();
            requests.send(Box::new(move || done.send(()).unwrap())).unwrap();
            is_done.recv_timeout(FAR).unwrap();
        }
    }

    #[test]
    fn idle_threads_sleep_until_needed() {
        let threads = 6;
        let (workers, requests, joins) = serve(threads);
        // Never ends if no thread, or every thread, would rest.
        while workers.resting.load(Ordering::SeqCst) < threads - 3 {
            one_by_one(&requests, LOOK_EVERY);
        }
        let together = Arc::new(Barrier::new(threads as usize));
        let (done, is_done) = channel();
        for _ in 0..threads {
            let (together, done) = (Arc::clone(&together), done.clone());
            let wait = move || {
                together.wait();
                done.send(()).unwrap();
            };
            requests.send(Box::new(wait)).unwrap();
        }
        for _ in 0..threads {
            is_done.recv_timeout(FAR).expect("somebody still rests");
        }
        assert_eq!(workers.most_busy(), threads);
        one_by_one(&requests, 3 * LOOK_EVERY);
        drop(requests);
        workers.dismiss();
        joins.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(workers.resting.load(Ordering::SeqCst), 0);
    }
}
