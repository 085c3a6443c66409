//! Several operations of one worker in flight, on plain threads: one thread asks the script, and there
//! is one helper thread for each operation that may be in flight.
//!
//! The asking thread keeps the schedule and the records. A helper reads the clock right before and right
//! after its system call, so the times have the same meaning as with one operation in flight. Passing an
//! operation to a helper takes some microseconds, more on a busy host, so it is passed that much before
//! its due time. The helper prepares its data in that time and spins until the due time. The files are
//! shared: a close waits for operations in flight on its handle.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use reelgauge_record::{OpKind, ProcessorWait};
use reelgauge_workload::script::{Done, Needs, Op, Script, Step};

use super::launch::{STACK_BYTES, ThreadContext};
use super::performer::{Hands, outcome};
use super::run_delay::RunDelays;
use super::wait::{LONGEST_SLEEP_NS, LONGEST_SPIN_NS, Waiter};
use super::{
    Context, DriverError, Heartbeat, Sink, ThreadEnd, Worker, impossible, let_through, record, write_at,
};
use crate::io::{self, ErrorNumber, IMPOSSIBLE, NOT_OPEN, Names, OpenFile};
use crate::pattern::Stamped;

type Handles = Arc<[RwLock<Option<OpenFile>>]>;

/// The result of a helper's operation.
struct Finished {
    slot: u16,
    issued_ns: u64,
    done: Done,
    wait: Option<ProcessorWait>,
}

/// The helpers of one worker.
pub(super) struct WorkerThreads {
    needs: Needs,
    jobs: Vec<Sender<Op>>,
    /// `None` is a helper's last message before it dies.
    finished: Receiver<Option<Finished>>,
    handles: Handles,
}

/// The operations in flight, and the free helpers.
struct Flight {
    free: Vec<u16>,
    /// The operation of each slot, and when it was passed to the helper.
    ops: Vec<Option<(Op, u64)>>,
}

impl Flight {
    /// With nothing in flight, for at most this many operations.
    fn of(most: u16) -> Flight {
        Flight { free: (0..most).rev().collect(), ops: vec![None; usize::from(most)] }
    }

    /// Puts an operation into a free slot.
    fn take_off(&mut self, op: Op, now_ns: u64) -> u16 {
        let slot = self.free.pop().expect("a script is asked only when a helper is free");
        let before = self.ops[usize::from(slot)].replace((op, now_ns));
        assert_eq!(before, None, "a free helper has nothing in flight");
        slot
    }

    /// Removes the finished operation of a slot.
    fn land(&mut self, slot: u16) -> Op {
        let flown = self.ops[usize::from(slot)].take();
        let (op, _) = flown.expect("a completion belongs to an operation in flight");
        self.free.push(slot);
        debug_assert!(
            self.free.len() <= self.ops.len(),
            "the number of free helpers does not exceed their total number"
        );
        op
    }
}

impl WorkerThreads {
    /// Starts the helpers of a worker.
    pub(super) fn gather(
        post: &ThreadContext,
        worker: u32,
        needs: Needs,
    ) -> Result<WorkerThreads, DriverError> {
        let handles: Handles = (0..needs.handles).map(|_| RwLock::new(None)).collect();
        let (report, finished) = mpsc::channel();
        let mut jobs = Vec::with_capacity(usize::from(needs.in_flight));
        for slot in 0..needs.in_flight {
            let (job, orders) = mpsc::channel();
            jobs.push(job);
            let helper = Helper {
                slot,
                worker,
                hands: Hands::new(&post.context, needs, worker, slot)?,
                handles: Arc::clone(&handles),
                context: Arc::clone(&post.context),
                names: Arc::clone(&post.names),
            };
            let report = report.clone();
            thread::Builder::new()
                .name(format!("worker {worker}.{slot}"))
                .stack_size(STACK_BYTES)
                .spawn(move || helper.serve(&orders, &report))
                .map_err(|source| DriverError::Thread { source })?;
        }
        Ok(WorkerThreads { needs, jobs, finished, handles })
    }

    /// Runs the worker until the load point is over. The helpers end when the channel of their orders
    /// closes.
    pub(super) fn run<S: Script, K: Sink>(
        self,
        post: &ThreadContext,
        mut worker: Worker<S>,
        mut sink: K,
    ) -> ThreadEnd<S, K> {
        let mut flight = Flight::of(self.needs.in_flight);
        let mut asking = Asking {
            worker_threads: &self,
            post,
            worker: &mut worker,
            sink: &mut sink,
            flight: &mut flight,
            waiter: Waiter::new(),
            released_ns: 0,
        };
        let (failure, finished) = asking.run();
        for handle in &*self.handles {
            if let Some(file) = handle.write().unwrap_or_else(PoisonError::into_inner).take() {
                // The script was interrupted with this file open. This close is not part of the script,
                // so it is not recorded.
                let _ = file.close();
            }
        }
        ThreadEnd {
            workers: vec![worker],
            sink,
            thread: post.number,
            failure,
            finished_scripts: u32::from(finished),
            notes: Vec::new(),
        }
    }
}

/// The thread that asks the script.
struct Asking<'a, S, K> {
    worker_threads: &'a WorkerThreads,
    post: &'a ThreadContext,
    worker: &'a mut Worker<S>,
    sink: &'a mut K,
    flight: &'a mut Flight,
    waiter: Waiter,
    /// When its latest wait for the throttle ended.
    released_ns: u64,
}

impl<S: Script, K: Sink> Asking<'_, S, K> {
    /// Runs the load point. Returns the error if the script broke a rule, and whether the script
    /// finished.
    fn run(&mut self) -> (Option<DriverError>, bool) {
        let context = &*self.post.context;
        let (mut failure, mut finished) = (None, false);
        self.worker.script.resume(context.clock.now_ns());
        while self.goes_on() && failure.is_none() && !finished {
            if self.flight.free.is_empty() {
                self.collect_until(u64::MAX, true);
                continue;
            }
            match self.worker.script.next(context.clock.now_ns()) {
                Step::Do(op) => self.order(op),
                Step::Wait { until_ns } => self.collect_until(until_ns, true),
                Step::Blocked if self.in_flight() == 0 => {
                    failure = Some(DriverError::Stuck { worker: self.worker.id });
                }
                Step::Blocked => self.collect_until(u64::MAX, true),
                Step::Finished => finished = true,
            }
        }
        while self.in_flight() > 0 {
            self.collect(Duration::from_nanos(LONGEST_SLEEP_NS));
        }
        (failure, finished)
    }

    fn goes_on(&self) -> bool {
        let context = &*self.post.context;
        context.clock.now_ns() < context.window.end_ns() && !context.stop.load(Ordering::Relaxed)
    }

    fn in_flight(&self) -> usize {
        self.flight.ops.len() - self.flight.free.len()
    }

    /// Passes an operation to a free helper shortly before it is due, unless the load point is over by
    /// then.
    fn order(&mut self, mut op: Op) {
        let context = &*self.post.context;
        // An operation due in the run's first tenth of a millisecond is passed on immediately.
        let hand_over_ns = op.due_ns.saturating_sub(LONGEST_SPIN_NS);
        if hand_over_ns > context.clock.now_ns() {
            self.collect_until(hand_over_ns, false);
        }
        let mut is_first = true;
        while let Err(again_ns) = context.admit(context.clock.now_ns().max(op.due_ns), &op, is_first) {
            is_first = false;
            self.collect_until(again_ns, false);
            if !self.goes_on() {
                return;
            }
            self.released_ns = context.clock.now_ns();
        }
        let_through(&mut op, self.released_ns);
        if !self.goes_on() || op.due_ns >= context.window.end_ns() {
            return;
        }
        let slot = self.flight.take_off(op, context.clock.now_ns());
        self.show_heartbeat();
        let sent = self.worker_threads.jobs[usize::from(slot)].send(op);
        sent.expect("a helper thread runs until no more operations can be sent to it");
    }

    /// Processes results until this time or the end of the load point. With `first`, returns after the
    /// first result.
    fn collect_until(&mut self, until_ns: u64, first: bool) {
        let context = &*self.post.context;
        let until_ns = until_ns.min(context.window.end_ns());
        loop {
            let now_ns = context.clock.now_ns();
            if now_ns >= until_ns || !self.goes_on() {
                return;
            }
            let left_ns = until_ns - now_ns;
            // If the lead is longer, no sleep remains.
            let sleep_ns = left_ns.saturating_sub(self.waiter.lead_ns()).min(LONGEST_SLEEP_NS);
            if self.collect(Duration::from_nanos(sleep_ns)) {
                if first {
                    return;
                }
            } else if sleep_ns > 0 {
                self.waiter.learn(now_ns + sleep_ns, context.clock.now_ns());
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Processes one finished operation, if one finishes within `timeout`.
    fn collect(&mut self, timeout: Duration) -> bool {
        let finished = match self.worker_threads.finished.recv_timeout(timeout) {
            Ok(finished) => finished,
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => None,
        };
        // The dead helper's operation never returns. The storage did not cause that, so this thread must
        // die, too.
        let finished = finished.expect("helper threads outlive the operations sent to them");
        let op = self.flight.land(finished.slot);
        self.show_heartbeat();
        let Finished { issued_ns, done, wait, .. } = finished;
        if let Some(wait) = wait {
            self.sink.waited(&wait);
        }
        self.sink.record(&record(&self.post.context, self.worker.id, &op, issued_ns, &done));
        self.worker.script.done(&done);
        true
    }

    fn show_heartbeat(&self) {
        let oldest = self.flight.ops.iter().flatten().map(|(_, since_ns)| *since_ns).min();
        self.post.heartbeat.busy_since(oldest.unwrap_or(Heartbeat::IDLE));
    }
}

/// Reports the end of its thread if that panics. Otherwise the receiver would wait forever.
pub(super) struct LastWord<T>(pub(super) Sender<Option<T>>);

impl<T> Drop for LastWord<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            // Fails only if the receiver was dropped.
            let _ = self.0.send(None);
        }
    }
}

/// A thread that performs one operation at a time.
struct Helper {
    slot: u16,
    worker: u32,
    hands: Hands,
    handles: Handles,
    context: Arc<Context>,
    names: Arc<Names>,
}

impl Helper {
    fn serve(mut self, orders: &Receiver<Op>, report: &Sender<Option<Finished>>) {
        let _last_word = LastWord(report.clone());
        let mut turns = RunDelays::of_this_thread();
        while let Ok(op) = orders.recv() {
            let mut finished = self.perform(&op);
            // The time at which the helper was free and had its order is unknown here. The wait before
            // the operation counts only as far as the operation was late.
            finished.wait = turns.look(self.worker, op.due_ns, finished.issued_ns, finished.done.done_ns);
            if report.send(Some(finished)).is_err() {
                return;
            }
        }
    }

    fn perform(&mut self, op: &Op) -> Finished {
        let refused = impossible(op, &self.hands.needs, self.names.len(), &self.context.read_only);
        let stamped = if refused.is_none() { self.hands.prepare(op) } else { None };
        let write = stamped.as_ref().map(|made| write_at(op, self.worker, made.sequence));
        let context = Arc::clone(&self.context);
        let map = context.write_map.as_deref().zip(write);
        if let Some((map, write)) = &map {
            map.begin(write);
        }
        let mut issued_ns = context.clock.now_ns();
        // The operation was passed on at most a tenth of a millisecond early.
        while issued_ns < op.due_ns {
            std::hint::spin_loop();
            issued_ns = context.clock.now_ns();
        }
        let result = match refused {
            None => self.call(op, stamped.as_ref()),
            Some(errno) => Err(errno),
        };
        let done = outcome(op, issued_ns, context.clock.now_ns(), result);
        if let Some((map, write)) = &map {
            map.end(write, done.errno == 0 && done.done_len == op.len);
        }
        Finished { slot: self.slot, issued_ns, done, wait: None }
    }

    fn call(&mut self, op: &Op, stamped: Option<&Stamped>) -> Result<usize, ErrorNumber> {
        if let Some(done_len) = self.hands.work_internally(op, &self.context) {
            return Ok(done_len);
        }
        if op.goes_by_path() {
            return io::by_path(op, &self.names).map(|()| 0);
        }
        let name = self.names.get(op.file).ok_or(IMPOSSIBLE)?;
        let handle = &self.handles[usize::from(op.handle)];
        match op.kind {
            OpKind::Open => keep(handle, || OpenFile::open(name, op.open)),
            OpKind::Create => keep(handle, || OpenFile::create(name, op.open)),
            OpKind::Close => {
                let file = handle.write().unwrap_or_else(PoisonError::into_inner).take();
                file.ok_or(NOT_OPEN)?.close().map(|()| 0)
            }
            _ => {
                let handle = handle.read().unwrap_or_else(PoisonError::into_inner);
                self.hands.work(op, stamped, handle.as_ref().ok_or(NOT_OPEN)?)
            }
        }
    }
}

/// Stores the file that `open` opens in a free handle. The handle is not locked during the open: other
/// operations see at once that it is not open yet, as with io_uring.
fn keep(
    handle: &RwLock<Option<OpenFile>>,
    open: impl FnOnce() -> Result<OpenFile, ErrorNumber>,
) -> Result<usize, ErrorNumber> {
    if handle.read().unwrap_or_else(PoisonError::into_inner).is_some() {
        return Err(IMPOSSIBLE);
    }
    let file = open()?;
    let mut handle = handle.write().unwrap_or_else(PoisonError::into_inner);
    if handle.is_some() {
        return Err(IMPOSSIBLE);
    }
    *handle = Some(file);
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::op;
    use super::*;

    #[test]
    fn slots_are_free_again_when_their_operations_are_over() {
        let mut flight = Flight::of(2);
        let slots = [flight.take_off(op(OpKind::Read), 1), flight.take_off(op(OpKind::Read), 2)];
        slots.into_iter().for_each(|slot| assert_eq!(flight.land(slot), op(OpKind::Read)));
        assert_eq!(flight.free.len(), 2);
    }

    #[test]
    #[should_panic(expected = "a free helper has nothing in flight")]
    fn a_helper_with_two_operations_is_a_defect() {
        let mut flight = Flight::of(2);
        let slot = flight.take_off(op(OpKind::Read), 1);
        flight.free.push(slot);
        flight.take_off(op(OpKind::Read), 2);
    }

    #[test]
    #[should_panic(expected = "a completion belongs to an operation in flight")]
    fn a_second_completion_is_a_defect() {
        let mut flight = Flight::of(2);
        let slot = flight.take_off(op(OpKind::Read), 1);
        flight.land(slot);
        flight.land(slot);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "the number of free helpers does not exceed their total number")]
    fn a_slot_that_is_free_twice_is_a_defect() {
        let mut flight = Flight::of(1);
        let slot = flight.take_off(op(OpKind::Read), 1);
        flight.free.push(slot);
        flight.land(slot);
    }
}
