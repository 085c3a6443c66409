//! Driver threads in a simulated world. They follow the rules of all drivers without using real threads.
//!
//! The world chooses the result of an operation and the fate of a thread. The runner sees the same as
//! with real threads: records in each thread's sink, heartbeats, ends, and silence.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;

use reelgauge_workload::script::{Done, Op, Script};

use super::{Context, DriverError, Ends, Heartbeat, Running, Sink, ThreadEnd, Worker, record};
use crate::simulated::world::{Part, ThreadFate, VirtualWorld};
use crate::simulated::{Kernel, Outcome};

type Store = Box<dyn FnMut(u32, &Op, u64) -> Outcome>;
type Told = Box<dyn FnMut(u32, &Op, u64, &Done)>;
type Sinks<K> = Rc<RefCell<Vec<Option<K>>>>;

pub(super) fn start<S: Script + 'static, K: Sink>(
    workers: Vec<Worker<S>>,
    sinks: Vec<K>,
    context: &Arc<Context>,
) -> Result<Running<S, K>, DriverError> {
    let world = context.clock.world().ok_or(DriverError::Unavailable("simulated"))?;
    let mut crews = vec![Vec::new(); sinks.len()];
    let thread_of: Vec<usize> = (0..workers.len()).map(|at| at % sinks.len()).collect();
    for (worker, &thread) in workers.iter().zip(&thread_of) {
        crews[thread].push(worker.id);
    }
    let refused = || DriverError::Thread { source: io::ErrorKind::WouldBlock.into() };
    let fates = world.fates(&crews).ok_or_else(refused)?;
    let now_ns = context.clock.now_ns();
    context.window.begin(now_ns);
    let (ends, ended) = mpsc::channel();
    let thread = |fate| Thread { fate, heartbeat: Arc::default(), state: State::Works, ends: ends.clone() };
    let threads: Vec<Option<Thread<S, K>>> = fates.into_iter().map(|fate| Some(thread(fate))).collect();
    let heartbeats = threads.iter().flatten().map(|thread| Arc::clone(&thread.heartbeat)).collect();
    let sinks: Sinks<K> = Rc::new(RefCell::new(sinks.into_iter().map(Some).collect()));
    let store: Store = Box::new(|worker, op, _| world.perform(worker, op));
    let told = told(world, Arc::clone(context), crews, Rc::clone(&sinks));
    let mut kernel = Kernel::new(workers, store, now_ns, context.window.end_ns(), told);
    kernel.begin();
    world.join(Box::new(Threads {
        world,
        context: Arc::clone(context),
        kernel,
        thread_of,
        threads,
        sinks,
        is_over: false,
    }));
    Ok(Running::new(heartbeats, ended, context.clock))
}

/// A callback that reports a finished operation to the world, and then records it like every driver.
fn told<K: Sink>(
    world: &'static dyn VirtualWorld,
    context: Arc<Context>,
    crews: Vec<Vec<u32>>,
    sinks: Sinks<K>,
) -> Told {
    Box::new(move |worker, op, issued_ns, done| {
        world.done(worker, op, issued_ns, done);
        let thread = crews.iter().position(|worker_threads| worker_threads.contains(&worker));
        let mut sinks = sinks.borrow_mut();
        if let Some(sink) = thread.and_then(|thread| sinks[thread].as_mut()) {
            sink.record(&record(&context, worker, op, issued_ns, done));
        }
    })
}

/// A driver thread. It ends as real ones do: it sends its result, or it dies silently.
struct Thread<S, K> {
    fate: ThreadFate,
    heartbeat: Arc<Heartbeat>,
    state: State,
    ends: Ends<S, K>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Works,
    /// It closes its open files.
    Closes {
        until_ns: u64,
    },
}

/// The threads of a load point and their shared state.
struct Threads<S, K> {
    world: &'static dyn VirtualWorld,
    context: Arc<Context>,
    kernel: Kernel<S, Store, Told>,
    thread_of: Vec<usize>,
    /// The threads that have not ended.
    threads: Vec<Option<Thread<S, K>>>,
    sinks: Sinks<K>,
    /// The end of the load point has been noticed.
    is_over: bool,
}

impl<S: Script, K: Sink> Part for Threads<S, K> {
    fn next_ns(&self, now_ns: u64) -> Option<u64> {
        if self.threads.iter().all(Option::is_none) {
            return None;
        }
        if self.context.stop.load(Ordering::Relaxed) && self.kernel.end_ns > now_ns {
            return Some(now_ns);
        }
        let threads = self.threads.iter().flatten();
        let fates = threads.flat_map(|thread| match thread.state {
            State::Works => [thread.fate.dies_ns, thread.fate.fails_ns],
            State::Closes { until_ns } => [thread.fate.dies_ns, Some(until_ns)],
        });
        // At the end, threads with nothing in flight finish.
        let end_ns = (!self.is_over).then_some(self.kernel.end_ns);
        fates.chain([self.kernel.next_ns(), end_ns]).flatten().min().map(|next_ns| next_ns.max(now_ns))
    }

    fn act(&mut self, now_ns: u64) {
        if self.context.stop.load(Ordering::Relaxed) {
            self.kernel.end_ns = self.kernel.end_ns.min(now_ns);
        }
        for number in 0..self.threads.len() {
            self.meet_fate(number, now_ns);
        }
        if self.kernel.next_ns().is_some_and(|next_ns| next_ns <= now_ns) {
            self.kernel.step(now_ns);
        }
        for number in 0..self.threads.len() {
            self.settle(number, now_ns);
        }
        self.is_over |= now_ns >= self.kernel.end_ns;
    }
}

impl<S: Script, K: Sink> Threads<S, K> {
    /// The workers of a thread, by their index in the kernel.
    fn actors(&self, thread: usize) -> Vec<usize> {
        (0..self.thread_of.len()).filter(|&actor| self.thread_of[actor] == thread).collect()
    }

    /// Applies the fate of a thread when its time has come.
    fn meet_fate(&mut self, number: usize, now_ns: u64) {
        let Some(thread) = &self.threads[number] else { return };
        let is_time = |at_ns: Option<u64>| at_ns.is_some_and(|at_ns| at_ns <= now_ns);
        if is_time(thread.fate.dies_ns) {
            thread.heartbeat.die();
            self.threads[number] = None;
            self.sinks.borrow_mut()[number] = None;
            self.actors(number).into_iter().for_each(|actor| self.kernel.actors[actor] = None);
        } else if thread.state == State::Works && is_time(thread.fate.fails_ns) {
            let source = io::Error::from_raw_os_error(5);
            self.end(number, Some(DriverError::UringEnter { source }));
        }
    }

    /// Updates a thread's heartbeat, and ends the thread when it has nothing more to do.
    fn settle(&mut self, number: usize, now_ns: u64) {
        let actors = self.actors(number);
        let actors = || actors.iter().filter_map(|&actor| self.kernel.actors[actor].as_ref());
        let busy_since_ns = actors().filter_map(|actor| actor.busy_since_ns()).min();
        let stuck = actors().find(|actor| actor.stuck).map(|actor| actor.worker.id);
        let is_over = now_ns >= self.kernel.end_ns || actors().all(|actor| actor.finished);
        let Some(thread) = &mut self.threads[number] else { return };
        match (thread.state, busy_since_ns) {
            (State::Closes { until_ns }, _) if until_ns <= now_ns => {
                let failure = stuck.map(|worker| DriverError::Stuck { worker });
                self.end(number, failure);
            }
            (State::Closes { .. }, _) => {}
            (State::Works, Some(since_ns)) => thread.heartbeat.busy_since(since_ns),
            (State::Works, None) if is_over || stuck.is_some() => {
                thread.heartbeat.busy_since(now_ns);
                // A thread may take forever to close its files.
                let until_ns = now_ns.saturating_add(thread.fate.closing_ns);
                thread.state = State::Closes { until_ns };
                if until_ns == now_ns {
                    self.settle(number, now_ns);
                }
            }
            (State::Works, None) => thread.heartbeat.idle(),
        }
    }

    /// Reports a thread's end. If it failed, its operations in flight have no result.
    fn end(&mut self, number: usize, failure: Option<DriverError>) {
        let Some(thread) = self.threads[number].take() else { return };
        let actors = self.actors(number).into_iter();
        let actors: Vec<_> = actors.filter_map(|actor| self.kernel.actors[actor].take()).collect();
        thread.heartbeat.idle();
        if failure.is_none() {
            let is_early = self.kernel.end_ns < self.context.window.end_ns();
            self.world.thread_ended(is_early && !actors.iter().all(|actor| actor.finished));
        }
        let Some(sink) = self.sinks.borrow_mut()[number].take() else { return };
        let end = ThreadEnd {
            finished_scripts: actors.iter().filter(|actor| actor.finished).count() as u32,
            workers: actors.into_iter().map(|actor| actor.worker).collect(),
            sink,
            thread: number,
            failure,
            notes: Vec::new(),
        };
        // Fails only if the caller has abandoned this load point.
        let _ = thread.ends.send(end);
    }
}
