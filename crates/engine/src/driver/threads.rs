//! The `threads` driver: one OS thread per operation in flight, positional reads and writes.
//!
//! It works on every platform, and on network file systems it behaves exactly like an application's
//! thread. A worker whose script has one operation in flight runs on one thread, and every operation is
//! a plain system call between two clock readings. A script that requests more in flight gets further
//! threads: see [`super::worker_threads`].
//!
//! Each operation has two clock readings: issued is read right before the system call and done right
//! after it. So the script's decisions, the generation of write data and the recording do not count as
//! the storage's time. The script receives the done time of the previous operation as "now". It is less
//! than a microsecond old, and it only decides whether something is due.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;

use reelgauge_record::OpKind;
use reelgauge_workload::script::{Op, Script, Step};

use super::launch::{Ready, ThreadContext, launch};
use super::performer::{Hands, outcome};
use super::run_delay::RunDelays;
use super::wait::Waiter;
use super::{
    Context, DriverError, Ends, Running, Sink, ThreadEnd, Worker, impossible, let_through, record,
    worker_threads, write_at,
};
use crate::io::{self, ErrorNumber, IMPOSSIBLE, NOT_OPEN, OpenFile};
use crate::pattern::Stamped;

pub(super) fn start<S: Script + 'static, K: Sink>(
    workers: Vec<Worker<S>>,
    sinks: Vec<K>,
    context: &Arc<Context>,
) -> Result<Running<S, K>, DriverError> {
    let (ends, ended) = mpsc::channel();
    let mut lives = Vec::with_capacity(workers.len());
    for (worker, sink) in workers.into_iter().zip(sinks) {
        let ends = ends.clone();
        let name = format!("worker {}", worker.id);
        lives.push((name, move |post: ThreadContext, ready: Ready| live(&post, ready, worker, sink, &ends)));
    }
    let heartbeats = launch(context, lives)?;
    Ok(Running::new(heartbeats, ended, context.clock))
}

/// Runs a worker's thread to its end. Sending the result fails only if the caller has abandoned this
/// load point and dropped the receiver.
fn live<S: Script, K: Sink>(
    post: &ThreadContext,
    ready: Ready,
    worker: Worker<S>,
    sink: K,
    ends: &Ends<S, K>,
) {
    let needs = worker.script.needs();
    if needs.in_flight > 1 {
        if let Some(worker_threads) =
            ready.wait_for_start(worker_threads::WorkerThreads::gather(post, worker.id, needs))
        {
            // A failure has the reason given above, here and below.
            let _ = ends.send(worker_threads.run(post, worker, sink));
        }
    } else if let Some(hands) = ready.wait_for_start(Hands::new(&post.context, needs, worker.id, 0)) {
        // See above.
        let _ = ends.send(Solo::new(post, worker, sink, hands).run());
    }
}

/// A worker with one operation in flight, on its own thread.
struct Solo<'a, S, K> {
    post: &'a ThreadContext,
    worker: Worker<S>,
    sink: K,
    hands: Hands,
    handles: Vec<Option<OpenFile>>,
    waiter: Waiter,
    turns: RunDelays,
    /// When the latest operation was done.
    free_ns: u64,
}

impl<'a, S: Script, K: Sink> Solo<'a, S, K> {
    fn new(post: &'a ThreadContext, worker: Worker<S>, sink: K, hands: Hands) -> Solo<'a, S, K> {
        let handles = (0..hands.needs.handles).map(|_| None).collect();
        let (waiter, turns) = (Waiter::new(), RunDelays::of_this_thread());
        Solo { post, worker, sink, hands, handles, waiter, turns, free_ns: 0 }
    }

    fn run(mut self) -> ThreadEnd<S, K> {
        let context = &*self.post.context;
        let mut failure = None;
        let mut finished_scripts = 0;
        let mut now_ns = context.clock.now_ns();
        self.worker.script.resume(now_ns);
        while now_ns < context.window.end_ns() && !context.stop.load(Ordering::Relaxed) {
            match self.worker.script.next(now_ns) {
                Step::Do(op) => now_ns = self.perform(&op, now_ns),
                Step::Wait { until_ns } => now_ns = self.wait_until(until_ns),
                Step::Blocked => {
                    failure = Some(DriverError::Stuck { worker: self.worker.id });
                    break;
                }
                Step::Finished => {
                    finished_scripts = 1;
                    break;
                }
            }
        }
        self.post.heartbeat.busy_since(now_ns);
        for file in self.handles.into_iter().flatten() {
            // The script was interrupted with this file open. This close is not part of the script, so
            // it is not recorded.
            let _ = file.close();
        }
        self.post.heartbeat.idle();
        ThreadEnd {
            workers: vec![self.worker],
            sink: self.sink,
            thread: self.post.number,
            failure,
            finished_scripts,
            notes: Vec::new(),
        }
    }

    /// Waits until this time, or until the load point is over. Returns the current time.
    fn wait_until(&mut self, until_ns: u64) -> u64 {
        let context = &*self.post.context;
        self.waiter.wait_until(&context.clock, until_ns.min(context.window.end_ns()), &context.stop)
    }

    /// Waits until the throttle admits the operation, and returns it with its new due time.
    ///
    /// # Errors
    /// If the load point is over before that: the current time.
    fn held_back(&mut self, mut op: Op) -> Result<Op, u64> {
        let mut now_ns = self.post.context.clock.now_ns();
        let mut is_first = true;
        while let Err(again_ns) = self.post.context.admit(now_ns, &op, is_first) {
            is_first = false;
            now_ns = self.wait_until(again_ns);
            if now_ns < again_ns {
                return Err(now_ns);
            }
            let_through(&mut op, now_ns);
        }
        Ok(op)
    }

    /// Performs one operation when it is due, and returns the time afterwards. Does nothing if the load
    /// point is over before that.
    #[inline]
    fn perform(&mut self, op: &Op, now_ns: u64) -> u64 {
        let context = &*self.post.context;
        let refused = impossible(op, &self.hands.needs, self.post.names.len(), &context.read_only);
        let stamped = if refused.is_none() { self.hands.prepare(op) } else { None };
        if op.due_ns > now_ns {
            let now_ns = self.wait_until(op.due_ns);
            if now_ns < op.due_ns {
                return now_ns;
            }
        }
        let held;
        let op = if self.post.context.throttle.is_some() && refused.is_none() {
            match self.held_back(*op) {
                Ok(op) => held = op,
                Err(now_ns) => return now_ns,
            }
            &held
        } else {
            op
        };
        let write = stamped.as_ref().map(|made| write_at(op, self.worker.id, made.sequence));
        let map = context.write_map.as_deref().zip(write);
        if let Some((map, write)) = &map {
            map.begin(write);
        }
        let issued_ns = context.clock.now_ns();
        if issued_ns >= context.window.end_ns() {
            if let Some((map, write)) = &map {
                map.end(write, false);
            }
            return issued_ns;
        }
        self.post.heartbeat.busy_since(issued_ns);
        let result = match refused {
            None => self.call(op, stamped.as_ref()),
            Some(errno) => Err(errno),
        };
        let done_ns = context.clock.now_ns();
        self.post.heartbeat.idle();
        let done = outcome(op, issued_ns, done_ns, result);
        if let Some((map, write)) = &map {
            map.end(write, done.errno == 0 && done.done_len == op.len);
        }
        let could_ns = op.due_ns.max(self.free_ns);
        if let Some(wait) = self.turns.look(self.worker.id, could_ns, issued_ns, done_ns) {
            self.sink.waited(&wait);
        }
        self.free_ns = done_ns;
        self.sink.record(&record(context, self.worker.id, op, issued_ns, &done));
        self.worker.script.done(&done);
        done_ns
    }

    /// Makes the system call of an operation that this handle supports.
    #[inline]
    fn call(&mut self, op: &Op, stamped: Option<&Stamped>) -> Result<usize, ErrorNumber> {
        if let Some(done_len) = self.hands.work_internally(op, &self.post.context) {
            return Ok(done_len);
        }
        if op.goes_by_path() {
            return io::by_path(op, &self.post.names).map(|()| 0);
        }
        let name = self.post.names.get(op.file).ok_or(IMPOSSIBLE)?;
        let handle = &mut self.handles[usize::from(op.handle)];
        match (op.kind, handle.as_ref()) {
            (OpKind::Open | OpKind::Create, Some(_)) => Err(IMPOSSIBLE),
            (OpKind::Open, None) => {
                *handle = Some(OpenFile::open(name, op.open)?);
                Ok(0)
            }
            (OpKind::Create, None) => {
                *handle = Some(OpenFile::create(name, op.open)?);
                Ok(0)
            }
            (OpKind::Close, Some(_)) => match handle.take() {
                Some(file) => file.close().map(|()| 0),
                None => Err(NOT_OPEN),
            },
            (_, Some(file)) => self.hands.work(op, stamped, file),
            (_, None) => Err(NOT_OPEN),
        }
    }
}
