//! A simulated world: virtual time for a whole run, and the other participants.
//!
//! Everything happens on one thread. Where the run waits ([`crate::clock::Clock::receive`],
//! [`crate::clock::Clock::sleep`]), the world advances time and all participants do what falls due: the
//! driver's threads ([`crate::driver::DriverKind::Simulated`]), and whatever else takes part. So a run
//! in such a world is deterministic to the nanosecond.
//!
//! Not here: any world. Those belong to tests.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};

use reelgauge_workload::script::{Done, Op};

use super::Outcome;

/// A world with virtual time. Its state belongs to the thread that lives in it.
pub trait VirtualWorld: fmt::Debug + Sync {
    /// What time it is.
    fn now_ns(&self) -> u64;

    /// Lets time pass until the next thing has happened, but no longer than until this time.
    fn step(&self, until_ns: u64);

    /// From now on this takes part in what happens.
    fn join(&self, part: Box<dyn Part>);

    /// What becomes of this operation of this worker, issued now.
    fn perform(&self, worker: u32, op: &Op) -> Outcome;

    /// An operation was done.
    fn done(&self, worker: u32, op: &Op, issued_ns: u64, done: &Done);

    /// What is going to happen to each of so many driver threads, which have these workers; `None` where
    /// they can't be started.
    fn fates(&self, threads: &[Vec<u32>]) -> Option<Vec<ThreadFate>>;

    /// A driver thread ended without a failure. `was_cut`: it was stopped before it was done.
    fn thread_ended(&self, was_cut: bool);

    /// Lets so much time pass.
    fn pass(&self, ns: u64) {
        let until_ns = self.now_ns() + ns;
        while self.now_ns() < until_ns {
            self.step(until_ns);
        }
    }
}

/// A participant of a simulated world.
pub trait Part {
    /// When it has to do something next; not before now. `None`: never, as things are.
    fn next_ns(&self, now_ns: u64) -> Option<u64>;

    /// Does what is due now.
    fn act(&mut self, now_ns: u64);
}

/// What is going to happen to a driver thread. Times are those of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadFate {
    pub dies_ns: Option<u64>,
    /// Its driver can't go on then, and gives up what is in flight.
    pub fails_ns: Option<u64>,
    /// At its end it takes so long to close what is open.
    pub closing_ns: u64,
}

/// What [`crate::clock::Clock::receive`] does in a world.
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
