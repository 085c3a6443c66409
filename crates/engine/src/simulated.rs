//! A driver in virtual time: the same scripts, a fake store, no waiting.
//!
//! Every figure of a run follows exactly from the results of the fake store. So tests can require exact
//! percentiles and exact numbers of late frames, and check the effects of errors and freezes, without
//! delay. It follows the rules of all drivers ([`crate::driver`]): a script is asked for its next
//! operation only when its last one has been issued, no operation begins at or after the end, and those
//! in flight finish.
//!
//! Deterministic: simultaneous events happen in the order in which they were scheduled.
//!
//! Not here: opening, creating, closing and buffers. A fake store decides the result of an operation on
//! a file that is not open, and it treats operations by path like any other.

#[cfg(feature = "simulation")]
pub mod world;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reelgauge_record::OpRecord;
use reelgauge_workload::script::{Done, Op, Script, Step};

use crate::driver::{Worker, record_in};

/// The result of an operation in a fake store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When it is done; not before it was issued. [`Outcome::NEVER`] if it hangs.
    pub done_ns: u64,
    pub done_len: u32,
    /// 0, or an error number.
    pub errno: i32,
}

impl Outcome {
    /// The time of an event that never happens.
    pub const NEVER: u64 = u64::MAX;

    /// Success at this time, with all bytes transferred.
    pub const fn whole(op: &Op, done_ns: u64) -> Outcome {
        let done_len = if op.kind.moves_data() { op.len } else { 0 };
        Outcome { done_ns, done_len, errno: 0 }
    }

    /// Failure at this time.
    pub const fn failed(errno: i32, done_ns: u64) -> Outcome {
        Outcome { done_ns, done_len: 0, errno }
    }

    pub const HANGS: Outcome = Outcome { done_ns: Outcome::NEVER, done_len: 0, errno: 0 };
}

/// Storage that responds as a test specifies. Operations arrive in the order of their issue times.
pub trait FakeStore {
    /// The result of this operation of this worker, issued at this time.
    fn perform(&mut self, worker: u32, op: &Op, issued_ns: u64) -> Outcome;
}

impl<F: FnMut(u32, &Op, u64) -> Outcome> FakeStore for F {
    fn perform(&mut self, worker: u32, op: &Op, issued_ns: u64) -> Outcome {
        self(worker, op, issued_ns)
    }
}

/// The times of a simulated load point, in nanoseconds of virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatedTimes {
    pub start_ns: u64,
    /// No operation begins at or after this time.
    pub end_ns: u64,
    /// Operations that are due before this time are warm-up.
    pub warmup_until_ns: u64,
    pub point: u16,
}

/// The result of a simulated load point.
#[derive(Debug)]
pub struct Simulated<S> {
    /// The workers, for reuse.
    pub workers: Vec<Worker<S>>,
    /// Operations that hang: worker, operation, issue time.
    pub hanging: Vec<(u32, Op, u64)>,
    /// When the last operation was done, or `start_ns`.
    pub last_done_ns: u64,
    /// Number of scripts that reported that they are finished.
    pub finished_scripts: u32,
    /// Workers that waited for an operation that they never began: a defect of their script.
    pub stuck: Vec<u32>,
}

/// Runs workers against a fake store for one load point. Every finished operation is passed to `sink`,
/// in the order of completion.
pub fn simulate<S, F, K>(
    workers: Vec<Worker<S>>,
    store: &mut F,
    span: SimulatedTimes,
    mut sink: K,
) -> Simulated<S>
where
    S: Script,
    F: FakeStore + ?Sized,
    K: FnMut(&OpRecord),
{
    let store = |worker: u32, op: &Op, issued_ns: u64| store.perform(worker, op, issued_ns);
    let sink = |worker: u32, op: &Op, issued_ns: u64, done: &Done| {
        sink(&record_in((span.point, span.warmup_until_ns), worker, op, issued_ns, done));
    };
    let mut kernel = Kernel::new(workers, store, span.start_ns, span.end_ns, sink);
    kernel.begin();
    while kernel.step(0) {}
    let Kernel { actors, mut left, .. } = kernel;
    left.workers = actors.into_iter().flatten().map(|actor| actor.worker).collect();
    left
}

pub(crate) struct Actor<S> {
    pub(crate) worker: Worker<S>,
    /// The issue times of the operations in flight.
    in_flight: Vec<u64>,
    in_flight_most: usize,
    /// An operation that is not yet due.
    held: Option<Op>,
    /// How often it was asked. A wake-up scheduled before the last request is void.
    asked: u64,
    pub(crate) finished: bool,
    /// It waits for an operation that it never began.
    pub(crate) stuck: bool,
}

impl<S: Script> Actor<S> {
    fn new(worker: Worker<S>) -> Actor<S> {
        Actor {
            in_flight_most: usize::from(worker.script.needs().in_flight),
            worker,
            in_flight: Vec::new(),
            held: None,
            asked: 0,
            finished: false,
            stuck: false,
        }
    }

    /// The issue time of the oldest operation in flight.
    #[cfg(feature = "simulation")]
    pub(crate) fn busy_since_ns(&self) -> Option<u64> {
        self.in_flight.iter().copied().min()
    }
}

#[derive(Clone, Copy)]
enum Event {
    /// An operation is done.
    Done { actor: usize, op: Op, issued_ns: u64, outcome: Outcome },
    /// An operation is due, or a wait is over, unless the actor was asked since.
    Wake { actor: usize, asked: u64 },
}

/// An event at its time. Ordered by time, then by when it was scheduled.
struct Scheduled {
    at_ns: u64,
    order: u64,
    event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Scheduled) -> bool {
        (self.at_ns, self.order) == (other.at_ns, other.order)
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Scheduled) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Scheduled) -> std::cmp::Ordering {
        (self.at_ns, self.order).cmp(&(other.at_ns, other.order))
    }
}

/// The event queue: actors in virtual time.
pub(crate) struct Kernel<S, F, K> {
    /// Actors. One that was removed gets no more events.
    pub(crate) actors: Vec<Option<Actor<S>>>,
    store: F,
    start_ns: u64,
    /// No operation begins at or after this time.
    pub(crate) end_ns: u64,
    sink: K,
    events: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
    left: Simulated<S>,
}

impl<S: Script, F: FakeStore, K: FnMut(u32, &Op, u64, &Done)> Kernel<S, F, K> {
    pub(crate) fn new(workers: Vec<Worker<S>>, store: F, start_ns: u64, end_ns: u64, sink: K) -> Self {
        Kernel {
            actors: workers.into_iter().map(|worker| Some(Actor::new(worker))).collect(),
            store,
            start_ns,
            end_ns,
            sink,
            events: BinaryHeap::new(),
            scheduled: 0,
            left: Simulated {
                workers: Vec::new(),
                hanging: Vec::new(),
                last_done_ns: start_ns,
                finished_scripts: 0,
                stuck: Vec::new(),
            },
        }
    }

    pub(crate) fn begin(&mut self) {
        self.actors.iter_mut().flatten().for_each(|actor| actor.worker.script.resume(self.start_ns));
        for actor in 0..self.actors.len() {
            self.schedule(self.start_ns, Event::Wake { actor, asked: 0 });
        }
    }

    /// The time of the next event.
    #[cfg(feature = "simulation")]
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.events.peek().map(|Reverse(next)| next.at_ns)
    }

    /// Processes the next event, at its time but not before `now_ns`. Returns `false` if there is none.
    pub(crate) fn step(&mut self, now_ns: u64) -> bool {
        let Some(Reverse(Scheduled { at_ns, event, .. })) = self.events.pop() else {
            return false;
        };
        let at_ns = at_ns.max(now_ns);
        let (Event::Done { actor: number, .. } | Event::Wake { actor: number, .. }) = event;
        let Some(actor) = &mut self.actors[number] else {
            return true;
        };
        match event {
            Event::Done { op, issued_ns, outcome, .. } => {
                let is_free = actor.held.is_none();
                // The operation is done when its end is processed.
                let outcome = Outcome { done_ns: outcome.done_ns.max(at_ns), ..outcome };
                self.finish(number, &op, issued_ns, outcome);
                if is_free {
                    self.ask(number, at_ns);
                }
            }
            // The load point may have been ended since this was scheduled.
            Event::Wake { asked, .. } if asked == actor.asked && at_ns < self.end_ns => {
                if let Some(op) = actor.held.take() {
                    self.issue(number, op, at_ns);
                }
                self.ask(number, at_ns);
            }
            Event::Wake { .. } => {}
        }
        true
    }

    fn schedule(&mut self, at_ns: u64, event: Event) {
        self.events.push(Reverse(Scheduled { at_ns, order: self.scheduled, event }));
        self.scheduled += 1;
    }

    /// Asks a script for as many operations as it may have in flight.
    fn ask(&mut self, number: usize, now_ns: u64) {
        while now_ns < self.end_ns {
            let Some(actor) = &mut self.actors[number] else { return };
            if actor.finished || actor.in_flight.len() >= actor.in_flight_most {
                return;
            }
            actor.asked += 1;
            let asked = actor.asked;
            match actor.worker.script.next(now_ns) {
                Step::Do(op) if op.due_ns > now_ns => {
                    actor.held = Some(op);
                    return self.wake(number, asked, op.due_ns);
                }
                Step::Do(op) => self.issue(number, op, now_ns),
                // If a wait is already over, the script is asked again 1 ns later, as real time would
                // pass.
                Step::Wait { until_ns } => {
                    return self.wake(number, asked, until_ns.max(now_ns + 1));
                }
                Step::Blocked => {
                    if actor.in_flight.is_empty() {
                        actor.stuck = true;
                        self.left.stuck.push(actor.worker.id);
                    }
                    return;
                }
                Step::Finished => {
                    actor.finished = true;
                    self.left.finished_scripts += 1;
                }
            }
        }
    }

    /// Wakes an actor, unless the load point is over by then.
    fn wake(&mut self, actor: usize, asked: u64, at_ns: u64) {
        if at_ns < self.end_ns {
            self.schedule(at_ns, Event::Wake { actor, asked });
        }
    }

    fn issue(&mut self, number: usize, op: Op, now_ns: u64) {
        let Some(actor) = &mut self.actors[number] else { return };
        actor.in_flight.push(now_ns);
        let outcome = self.store.perform(actor.worker.id, &op, now_ns);
        if outcome.done_ns == Outcome::NEVER {
            self.left.hanging.push((actor.worker.id, op, now_ns));
        } else {
            // A store that responds before the request is a mistake in a test; time does not run
            // backwards.
            let outcome = Outcome { done_ns: outcome.done_ns.max(now_ns), ..outcome };
            let event = Event::Done { actor: number, op, issued_ns: now_ns, outcome };
            self.schedule(outcome.done_ns, event);
        }
    }

    fn finish(&mut self, number: usize, op: &Op, issued_ns: u64, outcome: Outcome) {
        let Some(actor) = &mut self.actors[number] else { return };
        let landed = actor.in_flight.iter().position(|&since_ns| since_ns == issued_ns);
        actor.in_flight.swap_remove(landed.expect("a completed operation was in flight"));
        let Outcome { done_ns, done_len, errno } = outcome;
        self.left.last_done_ns = self.left.last_done_ns.max(done_ns);
        let done = Done { token: op.token, due_ns: op.due_ns, issued_ns, done_ns, done_len, errno };
        (self.sink)(actor.worker.id, op, issued_ns, &done);
        actor.worker.script.done(&done);
    }
}

#[cfg(test)]
mod tests;
