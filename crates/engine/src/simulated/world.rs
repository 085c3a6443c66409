//! A simulated world: virtual time for a whole run, and the other participants.
//!
//! Everything happens on one thread. While the run waits ([`crate::clock::Clock::receive`],
//! [`crate::clock::Clock::sleep`]), the world advances time and all participants do their due work: the
//! driver's threads ([`crate::driver::DriverKind::Simulated`]) and any others. So a run in such a world
//! is deterministic to the nanosecond.
//!
//! Not here: implementations of worlds. They are in tests.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};

use reelgauge_workload::script::{Done, Op};

use super::Outcome;

/// A world with virtual time. Its state belongs to the thread that uses it.
pub trait VirtualWorld: fmt::Debug + Sync {
    /// The current time.
    fn now_ns(&self) -> u64;

    /// Advances time to the next event, but at most to `until_ns`.
    fn step(&self, until_ns: u64);

    /// Adds a participant.
    fn join(&self, part: Box<dyn Part>);

    /// The outcome of this operation, issued now by this worker.
    fn perform(&self, worker: u32, op: &Op) -> Outcome;

    /// Called when an operation has completed.
    fn done(&self, worker: u32, op: &Op, issued_ns: u64, done: &Done);

    /// The fate of each driver thread with these workers; `None` if the threads cannot be started.
    fn fates(&self, threads: &[Vec<u32>]) -> Option<Vec<ThreadFate>>;

    /// A driver thread ended without a failure. `was_cut`: it was stopped before it was done.
    fn thread_ended(&self, was_cut: bool);

    /// Advances time by `ns`.
    fn pass(&self, ns: u64) {
        let until_ns = self.now_ns() + ns;
        while self.now_ns() < until_ns {
            self.step(until_ns);
        }
    }
}

/// A participant of a simulated world.
pub trait Part {
    /// The time of its next action, not before now; `None` if nothing is scheduled.
    fn next_ns(&self, now_ns: u64) -> Option<u64>;

    /// Does the work that is due now.
    fn act(&mut self, now_ns: u64);
}

/// The fate of a driver thread. Times are those of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadFate {
    pub dies_ns: Option<u64>,
    /// At this time its driver fails and abandons operations in flight.
    pub fails_ns: Option<u64>,
    /// How long it takes to close its files at the end.
    pub closing_ns: u64,
}

/// Implements [`crate::clock::Clock::receive`] for a world.
pub(crate) fn receive<T>(
    world: &dyn VirtualWorld,
    from: &Receiver<T>,
    timeout_ns: u64,
) -> Result<T, RecvTimeoutError> {
    let until_ns = world.now_ns() + timeout_ns;
    loop {
        match from.try_recv() {
            Ok(came) => return Ok(came),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) if world.now_ns() >= until_ns => return Err(RecvTimeoutError::Timeout),
            Err(TryRecvError::Empty) => world.step(until_ns),
        }
    }
}
