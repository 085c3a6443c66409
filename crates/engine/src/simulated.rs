//! A driver in virtual time: the same scripts, a fake store, no waiting.
//!
//! Every figure of a run follows exactly from what the fake store answers, so tests can demand exact
//! percentiles, exact numbers of late frames, and see what errors and freezes do, in no time. It keeps to
//! the rules that all drivers keep to ([`crate::driver`]): a script is asked again only when its
//! operation has been issued, no operation begins at or after the end, and those in flight finish.
//!
//! Deterministic: what happens at the same time happens in the order in which it was scheduled.
//!
//! Not here: opening, creating, closing and buffers. A fake store decides what an operation on a file that
//! isn't open comes to, and one that goes by path is to it an operation like any other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reelgauge_record::{OpFlags, OpRecord};
use reelgauge_workload::script::{Done, Op, Script, Step};

use crate::driver::Worker;

/// What a fake store makes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When it is done; not before it was issued. [`Outcome::NEVER`]: it hangs.
    pub done_ns: u64,
    /// Bytes moved.
    pub done_len: u32,
    /// 0, or an error number.
    pub errno: i32,
}

impl Outcome {
    /// The time of something that does not happen.
    pub const NEVER: u64 = u64::MAX;

    /// All of it moved, at this time.
    pub const fn whole(op: &Op, done_ns: u64) -> Outcome {
        let done_len = if op.kind.moves_data() { op.len } else { 0 };
        Outcome { done_ns, done_len, errno: 0 }
    }

    /// Failed, at this time.
    pub const fn failed(errno: i32, done_ns: u64) -> Outcome {
        Outcome { done_ns, done_len: 0, errno }
    }

    /// Never finishes.
    pub const HANGS: Outcome = Outcome { done_ns: Outcome::NEVER, done_len: 0, errno: 0 };
}

/// Storage that answers as a test wants. Operations come in the order of their issue times.
pub trait FakeStore {
    /// What becomes of this operation of this worker, issued at this time.
    fn perform(&mut self, worker: u32, op: &Op, issued_ns: u64) -> Outcome;
}

impl<F: FnMut(u32, &Op, u64) -> Outcome> FakeStore for F {
    fn perform(&mut self, worker: u32, op: &Op, issued_ns: u64) -> Outcome {
        self(worker, op, issued_ns)
    }
}

/// The times of a simulated load point, in nanoseconds of virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// When it begins.
    pub start_ns: u64,
    /// No operation is begun at or after this time.
    pub end_ns: u64,
    /// Operations that are due before this time are warm-up.
    pub warmup_until_ns: u64,
    /// Its number.
    pub point: u16,
}

/// What is left when a simulated load point is over.
#[derive(Debug)]
pub struct Simulated<S> {
    /// The workers, to be used again.
    pub workers: Vec<Worker<S>>,
    /// Operations that hang: worker, operation, issue time.
    pub hanging: Vec<(u32, Op, u64)>,
    /// When the last operation was done, or `start_ns`.
    pub last_done_ns: u64,
    /// How many scripts said that they are finished.
    pub finished_scripts: u32,
    /// Workers that waited for an operation that they never began: a fault of their script.
    pub stuck: Vec<u32>,
}

/// Runs workers against a fake store for one load point; every finished operation goes to `sink`, in the
/// order of completion.
pub fn simulate<S, F, K>(workers: Vec<Worker<S>>, store: &mut F, span: Span, sink: K) -> Simulated<S>
where
    S: Script,
    F: FakeStore + ?Sized,
    K: FnMut(&OpRecord),
{
    let actors = workers
        .into_iter()
        .map(|worker| Actor {
            in_flight_most: u32::from(worker.script.needs().in_flight),
            worker,
            in_flight: 0,
            held: None,
            asked: 0,
            finished: false,
        })
        .collect();
    let mut kernel = Kernel {
        actors,
        store,
        span,
        sink,
        events: BinaryHeap::new(),
        scheduled: 0,
        left: Simulated {
            workers: Vec::new(),
            hanging: Vec::new(),
            last_done_ns: span.start_ns,
            finished_scripts: 0,
            stuck: Vec::new(),
        },
    };
    kernel.run();
    kernel.left.workers = kernel.actors.into_iter().map(|actor| actor.worker).collect();
    kernel.left
}

struct Actor<S> {
    worker: Worker<S>,
    in_flight: u32,
    in_flight_most: u32,
    /// An operation that is not yet due.
    held: Option<Op>,
    /// How often it was asked; a wake-up from before the last time is void.
    asked: u64,
    finished: bool,
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

struct Kernel<'a, S, F: ?Sized, K> {
    actors: Vec<Actor<S>>,
    store: &'a mut F,
    span: Span,
    sink: K,
    events: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
    left: Simulated<S>,
}

impl<S: Script, F: FakeStore + ?Sized, K: FnMut(&OpRecord)> Kernel<'_, S, F, K> {
    fn run(&mut self) {
        for actor in 0..self.actors.len() {
            self.actors[actor].worker.script.resume(self.span.start_ns);
            self.schedule(self.span.start_ns, Event::Wake { actor, asked: 0 });
        }
        while let Some(Reverse(Scheduled { at_ns, event, .. })) = self.events.pop() {
            match event {
                Event::Done { actor, op, issued_ns, outcome } => {
                    self.finish(actor, &op, issued_ns, outcome);
                    if self.actors[actor].held.is_none() {
                        self.ask(actor, at_ns);
                    }
                }
                Event::Wake { actor, asked } if asked == self.actors[actor].asked => {
                    if let Some(op) = self.actors[actor].held.take() {
                        self.issue(actor, op, at_ns);
                    }
                    self.ask(actor, at_ns);
                }
                Event::Wake { .. } => {}
            }
        }
    }

    fn schedule(&mut self, at_ns: u64, event: Event) {
        self.events.push(Reverse(Scheduled { at_ns, order: self.scheduled, event }));
        self.scheduled += 1;
    }

    /// Asks a script for as much as it may have in flight.
    fn ask(&mut self, number: usize, now_ns: u64) {
        while now_ns < self.span.end_ns {
            let actor = &mut self.actors[number];
            if actor.finished || actor.in_flight >= actor.in_flight_most {
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
                // A wait that is already over is asked again a nanosecond later, as real time would pass.
                Step::Wait { until_ns } => {
                    return self.wake(number, asked, until_ns.max(now_ns + 1));
                }
                Step::Blocked => {
                    if actor.in_flight == 0 {
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
        if at_ns < self.span.end_ns {
            self.schedule(at_ns, Event::Wake { actor, asked });
        }
    }

    fn issue(&mut self, number: usize, op: Op, now_ns: u64) {
        let actor = &mut self.actors[number];
        actor.in_flight += 1;
        let outcome = self.store.perform(actor.worker.id, &op, now_ns);
        if outcome.done_ns == Outcome::NEVER {
            self.left.hanging.push((actor.worker.id, op, now_ns));
        } else {
            // A store that answers before it was asked is a mistake in a test; time doesn't run backwards.
            let outcome = Outcome { done_ns: outcome.done_ns.max(now_ns), ..outcome };
            let event = Event::Done { actor: number, op, issued_ns: now_ns, outcome };
            self.schedule(outcome.done_ns, event);
        }
    }

    fn finish(&mut self, number: usize, op: &Op, issued_ns: u64, outcome: Outcome) {
        let actor = &mut self.actors[number];
        actor.in_flight -= 1;
        let Outcome { done_ns, done_len, errno } = outcome;
        self.left.last_done_ns = self.left.last_done_ns.max(done_ns);
        (self.sink)(&OpRecord {
            offset: op.offset,
            due_ns: op.due_ns,
            issued_ns,
            done_ns,
            worker: actor.worker.id,
            stream: op.stream,
            transfer: op.transfer,
            file: op.file,
            len: op.recorded_len(),
            done_len,
            errno,
            kind: op.kind,
            flags: op.flags.with_if(OpFlags::WARMUP, op.due_ns < self.span.warmup_until_ns),
            point: self.span.point,
        });
        actor.worker.script.done(&Done { token: op.token, done_ns, done_len, errno });
    }
}

#[cfg(test)]
mod tests;
