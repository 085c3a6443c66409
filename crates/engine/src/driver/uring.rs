//! The `uring` driver: one ring per core, many workers per ring. Linux.
//!
//! Operations are prepared for as many workers as are due, up to [`BATCH`], and submitted together. The
//! newer kernel features in use are listed in [`ring_features`]. Each one is dropped separately if the kernel
//! refuses it, and [`ThreadEnd::notes`] lists those in use.
//!
//! The times have these meanings. *Issued* is read right before a batch is assembled (some nanoseconds
//! per operation) and submitted, and is the same for the whole batch. *Done* is read when the completion
//! queue is checked, and is the same for all completions found there. A read that is served from memory
//! runs inside the submitting call, so its service time includes the earlier operations of its batch.
//!
//! Operations that the file system cannot do without waiting (FUSE, buffered writes on ext4, sync, most
//! opens on network file systems) are passed to the kernel's own worker threads. Their number is raised
//! to the possible operations in flight, so no operation waits for a thread. (The kernel still performs
//! buffered writes to the same file one at a time, as most file systems do anyway.) Operations that
//! io_uring does not support run on the ring's helper threads: see [`offload`].

mod alarms;
mod coalesce;
mod files;
mod offload;
mod ring_features;
mod slots;
#[cfg(test)]
mod tests;

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{self, Fd, FsyncFlags, OpenHow, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, opcode};
use reelgauge_record::{OpFlags, OpKind, ProcessorWait};
use reelgauge_workload::script::{Done, Script, Step};
use rustix::fs::{AtFlags, FallocateFlags, OFlags, RenameFlags, StatxFlags};
use rustix::io::Errno;

use self::alarms::Alarms;
use self::coalesce::Coalesce;
use self::offload::Offload;
pub(super) use self::ring_features::Ladder;
use self::ring_features::{Taken, register_read};
use self::slots::{Slot, Slots, assert_landed};
use super::launch::{Ready, ThreadContext, launch};
use super::run_delay::RunDelays;
use super::wait::{LONGEST_SLEEP_NS, Waiter};
use super::{Context, DriverError, Ends, Heartbeat, Running, Sink, ThreadEnd, Worker, let_through, record};
use crate::area_path::KEPT_TO;
use crate::io::{self, Anchors, NEW_FILE, Name, Names, Opening, create_flags, open_flags};

/// The maximum number of operations per system call. With more, each would wait for the others.
const BATCH: usize = 16;
/// How often a ring determines the oldest of its operations in flight.
const HEARTBEAT_NS: u64 = 10_000_000;

/// See [`super::start`]. The rings use what `ladder` allows.
pub(super) fn start<S: Script + 'static, K: Sink>(
    workers: Vec<Worker<S>>,
    sinks: Vec<K>,
    context: &Arc<Context>,
    ladder: Ladder,
) -> Result<Running<S, K>, DriverError> {
    let rings = sinks.len();
    let mut dealt: Vec<Vec<Worker<S>>> = (0..rings).map(|_| Vec::new()).collect();
    for (number, worker) in workers.into_iter().enumerate() {
        dealt[number % rings].push(worker);
    }
    let (ends, ended) = mpsc::channel();
    let mut lives = Vec::with_capacity(rings);
    for (number, (workers, sink)) in dealt.into_iter().zip(sinks).enumerate() {
        let ends = ends.clone();
        let life = move |post: ThreadContext, ready: Ready| live(&post, ready, ladder, workers, sink, &ends);
        lives.push((format!("ring {number}"), life));
    }
    let heartbeats = launch(context, lives)?;
    Ok(Running::new(heartbeats, ended, context.clock))
}

/// Runs a ring's thread to its end. Sending the result fails only if the caller has abandoned this load
/// point and dropped the receiver.
fn live<S: Script, K: Sink>(
    post: &ThreadContext,
    ready: Ready,
    ladder: Ladder,
    workers: Vec<Worker<S>>,
    sink: K,
    ends: &Ends<S, K>,
) {
    let made = Slots::new(&post.context, workers)
        .and_then(|mut slots| ladder.setup(&mut slots).map(|(ring, taken)| (slots, ring, taken)));
    if let Some((slots, mut ring, taken)) = ready.wait_for_start(made) {
        // See above.
        let _ = ends.send(RingThread::new(post, slots, taken, sink).run(&mut ring));
    }
}

/// The running thread of a ring.
struct RingThread<'a, S, K> {
    post: &'a ThreadContext,
    context: &'a Context,
    slots: Slots<S>,
    taken: Taken,
    sink: K,
    alarms: Alarms,
    coalesce: Coalesce,
    waiter: Waiter,
    /// The slots for the next system call.
    batch: Vec<u32>,
    /// Whether the batch contains closes.
    has_closes: bool,
    /// Whether the batch contains first reads of their slots, whose buffers are not registered with the
    /// kernel yet.
    has_first_reads: bool,
    /// The number of offloaded operations in the batch.
    offloads_due: usize,
    /// The helpers for offloaded operations; `None` until there is one.
    offload: Option<Offload>,
    /// Slots whose operation is still in flight and needs another call: a signal interrupted it, or a
    /// file must be emptied.
    again: Vec<u32>,
    in_flight: u32,
    looked_ns: u64,
    turns: RunDelays,
    /// When it last reaped completions.
    reaped_ns: u64,
    /// How long it has waited for a processor since then.
    waited_ns: u64,
    finished_scripts: u32,
}

/// The three parts of a ring.
struct Queues<'a> {
    submitter: Submitter<'a>,
    sq: SubmissionQueue<'a>,
    cq: CompletionQueue<'a>,
}

impl<'a, S: Script, K: Sink> RingThread<'a, S, K> {
    fn new(post: &'a ThreadContext, slots: Slots<S>, taken: Taken, sink: K) -> RingThread<'a, S, K> {
        RingThread {
            post,
            context: &post.context,
            alarms: Alarms::new(slots.workers.len()),
            coalesce: Coalesce::default(),
            slots,
            taken,
            sink,
            waiter: Waiter::new(),
            batch: Vec::with_capacity(BATCH),
            has_closes: false,
            has_first_reads: false,
            offloads_due: 0,
            offload: None,
            again: Vec::new(),
            in_flight: 0,
            looked_ns: 0,
            turns: RunDelays::of_this_thread(),
            reaped_ns: 0,
            waited_ns: 0,
            finished_scripts: 0,
        }
    }

    fn run(mut self, ring: &mut IoUring) -> ThreadEnd<S, K> {
        let (submitter, sq, cq) = ring.split();
        let mut queues = Queues { submitter, sq, cq };
        if self.taken.registered_ring {
            self.taken.registered_ring = queues.submitter.register_ring_fd().is_ok();
        }
        let outcome = self.work(&mut queues).and(self.drain(&mut queues));
        self.close_all(&queues);
        if self.in_flight == 0 {
            assert_landed(&self.slots.slots);
            drop(ManuallyDrop::into_inner(self.slots.slots));
        } else {
            // Operations still in flight may use a directory that the names keep open.
            std::mem::forget(Arc::clone(&self.post.names));
        }
        ThreadEnd {
            workers: self.slots.workers.into_iter().map(|ring_worker| ring_worker.worker).collect(),
            sink: self.sink,
            thread: self.post.number,
            failure: outcome.err(),
            finished_scripts: self.finished_scripts,
            notes: vec![self.taken.to_string()],
        }
    }

    /// Runs the load point: asks scripts, submits and reaps, until its end.
    fn work(&mut self, queues: &mut Queues<'_>) -> Result<(), DriverError> {
        let mut now_ns = self.context.clock.now_ns();
        for ring_worker in 0..self.slots.workers.len() {
            self.slots.workers[ring_worker].worker.script.resume(now_ns);
            self.slots.make_ready(ring_worker as u32);
        }
        while now_ns < self.context.window.end_ns() && !self.context.stop.load(Ordering::Relaxed) {
            self.wake(now_ns);
            self.ask(now_ns)?;
            let idle = self.slots.ready.is_empty() && self.batch.is_empty() && self.in_flight == 0;
            if idle && self.alarms.earliest_ns() == Alarms::NEVER {
                break;
            }
            self.submit(queues, now_ns)?;
            now_ns = self.reap(queues);
        }
        Ok(())
    }

    /// Makes workers ready whose alarm is due.
    fn wake(&mut self, now_ns: u64) {
        let mut woken = 0;
        while let Some(ring_worker) = self.alarms.take_due(now_ns) {
            self.slots.make_ready(ring_worker);
            woken += 1;
        }
        self.coalesce.met(woken, now_ns);
    }

    /// Asks ready workers for their next step, until the batch is full.
    fn ask(&mut self, now_ns: u64) -> Result<(), DriverError> {
        while self.batch.len() < BATCH {
            let Some(number) = self.slots.ready.pop_front() else {
                break;
            };
            let ring_worker = &mut self.slots.workers[number as usize];
            ring_worker.is_ready = false;
            if std::mem::take(&mut ring_worker.has_alarm) {
                self.alarms.clear(number);
            }
            if let Some(slot) = ring_worker.held.take() {
                let is_first = !std::mem::take(&mut ring_worker.is_throttled);
                ring_worker.is_held_back = false;
                self.enlist_in_turn(slot, now_ns, is_first);
                continue;
            }
            if ring_worker.free == Slot::NONE {
                continue;
            }
            match ring_worker.worker.script.next(now_ns) {
                Step::Do(op) => {
                    let Some(slot) = self.slots.occupy(number) else {
                        continue;
                    };
                    self.slots.slots[slot as usize].prepare(
                        &op,
                        self.post.names.len(),
                        &self.post.context.read_only,
                    );
                    if op.due_ns > now_ns {
                        let ring_worker = &mut self.slots.workers[number as usize];
                        ring_worker.held = Some(slot);
                        ring_worker.has_alarm = true;
                        self.alarms.set(number, op.due_ns);
                    } else {
                        self.enlist_in_turn(slot, now_ns, true);
                    }
                }
                Step::Wait { until_ns } => {
                    ring_worker.has_alarm = true;
                    // A time that never comes also gets an alarm: the load point ends first, and the
                    // ring continues until then.
                    self.alarms.set(number, until_ns.clamp(now_ns + 1, Alarms::NEVER - 1));
                }
                Step::Blocked if ring_worker.busy == 0 => {
                    return Err(DriverError::Stuck { worker: ring_worker.worker.id });
                }
                Step::Blocked => {}
                Step::Finished => {
                    ring_worker.is_finished = true;
                    self.finished_scripts += 1;
                }
            }
        }
        Ok(())
    }

    /// Like [`RingThread::enlist`], unless the throttle delays the operation. Then its worker is asked
    /// again when it may start.
    #[inline]
    fn enlist_in_turn(&mut self, number: u32, now_ns: u64, is_first: bool) {
        let slot = &self.slots.slots[number as usize];
        let admitted = match slot.refused {
            None => self.context.admit(now_ns, &slot.op, is_first),
            Some(_) => Ok(()),
        };
        match admitted {
            Err(again_ns) => {
                let ring_worker = slot.ring_worker;
                self.alarms.set(ring_worker, again_ns.clamp(now_ns + 1, Alarms::NEVER - 1));
                let ring_worker = &mut self.slots.workers[ring_worker as usize];
                (ring_worker.held, ring_worker.has_alarm) = (Some(number), true);
                ring_worker.is_throttled = true;
            }
            Ok(()) => {
                let slot = &mut self.slots.slots[number as usize];
                let released_ns = &mut self.slots.workers[slot.ring_worker as usize].released_ns;
                *released_ns = if is_first { *released_ns } else { now_ns };
                let_through(&mut slot.op, *released_ns);
                self.enlist(number, now_ns);
            }
        }
    }

    /// Adds a prepared, due operation to the batch. An invalid operation completes immediately.
    fn enlist(&mut self, number: u32, now_ns: u64) {
        let slot = &self.slots.slots[number as usize];
        let ring_worker = slot.ring_worker;
        match slot.refused.or_else(|| self.slots.misuse(number)) {
            Some(errno) => {
                self.slots.slots[number as usize].issue(now_ns);
                self.finish(number, -errno, now_ns);
            }
            None if slot.op.kind == OpKind::Close && self.slots.files.is_lent(slot.handle()) => {
                let ring_worker = &mut self.slots.workers[ring_worker as usize];
                (ring_worker.held, ring_worker.is_held_back) = (Some(number), true);
                return;
            }
            None => {
                match slot.op.kind {
                    OpKind::Close => {
                        self.has_closes = true;
                        self.slots.files.closing(slot.handle());
                    }
                    OpKind::Truncate if !slot.op.goes_by_path() => self.slots.files.lend(slot.handle()),
                    OpKind::Read => self.has_first_reads |= slot.is_read_registered.is_none(),
                    _ => {}
                }
                if slot.names_files() {
                    self.post.names.foresee(&slot.op);
                    let anchors = self.post.names.anchors(&slot.op);
                    self.slots.slots[number as usize].anchors = anchors;
                }
                self.offloads_due += usize::from(self.slots.slots[number as usize].is_offloaded());
                self.batch.push(number);
            }
        }
        // The worker may be allowed more operations in flight.
        if self.slots.workers[ring_worker as usize].free != Slot::NONE {
            self.slots.make_ready(ring_worker);
        }
    }

    /// The submission queue entry of a valid operation; `None` for an offloaded operation.
    #[inline]
    fn entry(&mut self, number: u32) -> Option<Entry> {
        let slot = &mut self.slots.slots[number as usize];
        if slot.is_offloaded() || slot.emptied.is_some() {
            return None;
        }
        if slot.names_files() {
            let entry = named_entry(slot, &self.post.names);
            return entry.map(|entry| entry.user_data(u64::from(number)));
        }
        let op = &slot.op;
        let (fd, flags) = match &slot.closing {
            Some(closing) => (Fd(closing.as_raw_fd()), Flags::empty()),
            None => self.slots.files.target(slot.handle()),
        };
        let registered = self.taken.registered_buffers;
        let entry = match op.kind {
            OpKind::Read if slot.is_read_registered == Some(true) => {
                let read = opcode::ReadFixed::new(fd, slot.read.as_mut_ptr(), op.len, slot.read_index);
                read.offset(op.offset).build()
            }
            OpKind::Read => opcode::Read::new(fd, slot.read.as_mut_ptr(), op.len).offset(op.offset).build(),
            OpKind::Write if registered => {
                let write = opcode::WriteFixed::new(fd, slot.write_from(), op.len, slot.data_index);
                write.offset(op.offset).build()
            }
            OpKind::Write => opcode::Write::new(fd, slot.write_from(), op.len).offset(op.offset).build(),
            OpKind::Sync => opcode::Fsync::new(fd).flags(FsyncFlags::DATASYNC).build(),
            OpKind::Allocate => {
                let keeps_size = op.flags.has(OpFlags::KEEPS_SIZE);
                let mode = if keeps_size { FallocateFlags::KEEP_SIZE } else { FallocateFlags::empty() };
                let allocate = opcode::Fallocate::new(fd, u64::from(op.len)).offset(op.offset);
                allocate.mode(mode.bits().cast_signed()).build()
            }
            _ => opcode::Close::new(fd).build(),
        };
        Some(entry.flags(flags).user_data(u64::from(number)))
    }
}

/// The submission queue entry of an operation that names its file by path; `None` for an offloaded operation.
fn named_entry(slot: &mut Slot, names: &Names) -> Option<Entry> {
    let Anchors(from, new_from) = slot.anchors?;
    let name = names.get(slot.op.file)?;
    let (from, new_from, last) = (Fd(from), Fd(new_from), name.last_part());
    match slot.op.kind {
        OpKind::Open => Some(opening(slot, from, name, open_flags(slot.op.open))),
        OpKind::Create => Some(opening(slot, from, name, create_flags(slot.op.open))),
        OpKind::Unlink => Some(opcode::UnlinkAt::new(from, last).build()),
        OpKind::RemoveDir => {
            let flags = AtFlags::REMOVEDIR.bits() as i32;
            Some(opcode::UnlinkAt::new(from, last).flags(flags).build())
        }
        OpKind::Rename => {
            let new = io::new_name(&slot.op, names)?.last_part();
            let exchanges = slot.op.flags.has(OpFlags::EXCHANGES);
            let flags = if exchanges { RenameFlags::EXCHANGE } else { RenameFlags::empty() };
            Some(opcode::RenameAt::new(from, last, new_from, new).flags(flags.bits()).build())
        }
        OpKind::Stat => {
            // The result is never read, so it may overwrite the read buffer.
            let answer = slot.read.as_mut_ptr().cast::<types::statx>();
            let stat = opcode::Statx::new(from, last, answer).mask(StatxFlags::BASIC_STATS.bits());
            Some(stat.flags(AtFlags::SYMLINK_NOFOLLOW.bits() as i32).build())
        }
        _ => None,
    }
}

/// The entry of an open. In the area, the open is restricted to the area.
fn opening(slot: &mut Slot, from: Fd, name: Name<'_>, flags: OFlags) -> Entry {
    let path = name.path_from_anchor();
    slot.opening = Opening::of(flags, name.is_inside());
    let flags = slot.opening.flags;
    if !name.is_inside() {
        let open = opcode::OpenAt::new(from, path).flags(flags.bits() as i32);
        return open.mode(NEW_FILE.as_raw_mode()).build();
    }
    // `openat2` refuses a mode if no file is created.
    let mode = if flags.contains(OFlags::CREATE) { NEW_FILE.as_raw_mode() } else { 0 };
    let how = OpenHow::new().flags(u64::from(flags.bits())).mode(u64::from(mode));
    slot.how = how.resolve(KEPT_TO.bits());
    opcode::OpenAt2::new(from, path, &raw const slot.how).build()
}

/// Submitting and reaping.
impl<S: Script, K: Sink> RingThread<'_, S, K> {
    /// Submits the batch, and waits for a completion or the next alarm if no worker is ready.
    fn submit(&mut self, queues: &mut Queues<'_>, now_ns: u64) -> Result<(), DriverError> {
        self.resubmit(queues)?;
        if !self.batch.is_empty() && !self.issue(queues)? {
            return Ok(());
        }
        self.listen(queues)?;
        if !self.slots.ready.is_empty() {
            return enter(queues, None).map(drop);
        }
        let lead_ns = self.waiter.lead_ns();
        let wake_ns = self.coalesce.sleep_until_ns(self.alarms.earliest_ns(), lead_ns);
        // An end that has passed needs no wait.
        let end_ns = self.context.window.end_ns().saturating_sub(lead_ns);
        // Neither does a due time that has passed.
        let patience = wake_ns.min(end_ns).saturating_sub(now_ns).min(LONGEST_SLEEP_NS);
        if enter(queues, (patience > 0).then_some(patience))? == Entered::TimedOut {
            self.waiter.learn(now_ns + patience, self.context.clock.now_ns());
        }
        Ok(())
    }

    /// Marks the batch as issued and adds it to the submission queue. Returns `false` if the load point
    /// has ended and nothing was begun.
    fn issue(&mut self, queues: &mut Queues<'_>) -> Result<bool, DriverError> {
        if let Some(map) = &self.context.write_map {
            for &number in &self.batch {
                if let Some(write) = self.slots.slots[number as usize].write() {
                    map.begin(&write);
                }
            }
        }
        self.slots.files.settle(&queues.submitter);
        if std::mem::take(&mut self.has_closes) {
            self.give_up_files(queues);
        }
        if std::mem::take(&mut self.has_first_reads) && self.taken.registered_buffers {
            self.register_reads(queues);
        }
        let due = std::mem::take(&mut self.offloads_due);
        if let Err(error) = self.muster(due) {
            self.call_off();
            return Err(error);
        }
        let issued_ns = self.context.clock.now_ns();
        if issued_ns >= self.context.window.end_ns() {
            self.call_off();
            return Ok(false);
        }
        if self.in_flight == 0 {
            self.post.heartbeat.busy_since(issued_ns);
            self.looked_ns = issued_ns;
        }
        self.in_flight += self.batch.len() as u32;
        for at in 0..self.batch.len() {
            let number = self.batch[at];
            self.slots.slots[number as usize].issue(issued_ns);
            self.submit_slot(queues, number)?;
        }
        self.batch.clear();
        Ok(true)
    }

    /// Takes the files of the batch's closes from their handles. From then on no operation can use them,
    /// and their descriptor numbers may soon be reused.
    fn give_up_files(&mut self, queues: &Queues<'_>) {
        for &number in &self.batch {
            let slot = &mut self.slots.slots[number as usize];
            if slot.op.kind == OpKind::Close {
                slot.closing = self.slots.files.give_up(slot.handle(), &queues.submitter);
            }
        }
    }

    /// Registers the buffers of the batch's first reads with the kernel.
    fn register_reads(&mut self, queues: &Queues<'_>) {
        for &number in &self.batch {
            let slot = &mut self.slots.slots[number as usize];
            if slot.op.kind == OpKind::Read && slot.is_read_registered.is_none() {
                register_read(&queues.submitter, slot);
            }
        }
    }

    /// Ensures that there is a helper thread for every offloaded operation of the batch.
    fn muster(&mut self, due: usize) -> Result<(), DriverError> {
        match (due, &mut self.offload) {
            (0, _) => Ok(()),
            (due, Some(offload)) => offload.muster(self.post, due),
            (due, none) => none.insert(Offload::new()?).muster(self.post, due),
        }
    }

    /// Adds a slot's operation to the submission queue, or passes it to a helper thread.
    #[inline]
    fn submit_slot(&mut self, queues: &mut Queues<'_>, number: u32) -> Result<(), DriverError> {
        if let Some(entry) = self.entry(number) {
            return push(queues, &entry);
        }
        let offload = self.offload.as_mut().expect("helpers are set up before they get work");
        let slot = &self.slots.slots[number as usize];
        let lent = match &slot.emptied {
            Some(opened) => Some(opened.as_raw_fd()),
            None if slot.op.goes_by_path() => None,
            None => self.slots.files.lent(slot.handle()),
        };
        // SAFETY: a file that is lent, or is being emptied, stays open until the helper has finished. If
        // the ring fails before that, it stays open forever.
        let file = lent.map(|fd| unsafe { BorrowedFd::borrow_raw(fd) });
        offload.send(number, &slot.op, file);
        Ok(())
    }

    /// Makes the ring poll for finished offloaded operations.
    fn listen(&mut self, queues: &mut Queues<'_>) -> Result<(), DriverError> {
        match self.offload.as_mut().and_then(Offload::listen) {
            Some(entry) => push(queues, &entry),
            None => Ok(()),
        }
    }

    /// Discards a batch that is not begun.
    fn call_off(&mut self) {
        for number in self.batch.drain(..) {
            let slot = &mut self.slots.slots[number as usize];
            // A file that was to be closed is closed here, without a record, like all files left open.
            slot.closing = None;
            if slot.op.kind == OpKind::Truncate && !slot.op.goes_by_path() {
                self.slots.files.given_back(slot.handle());
            }
            if let Some((map, write)) = self.context.write_map.as_deref().zip(slot.write()) {
                map.end(&write, false);
            }
        }
    }

    /// Processes all finished operations. Returns the time at which it checked.
    fn reap(&mut self, queues: &mut Queues<'_>) -> u64 {
        queues.cq.sync();
        let mut now_ns = self.context.clock.now_ns();
        let since_ns = now_ns - self.reaped_ns;
        self.waited_ns = self.turns.waited_since(since_ns, now_ns).unwrap_or(0);
        self.reaped_ns = now_ns;
        let mut has_rung = false;
        for completion in queues.cq.by_ref() {
            if completion.user_data() == Offload::BELL {
                has_rung = true;
                continue;
            }
            let number = completion.user_data() as u32;
            if self.is_interrupted(number, completion.result()) {
                self.again.push(number);
                continue;
            }
            let result = self.looked_at(number, completion.result());
            if self.slots.slots[number as usize].emptied.is_some() {
                self.again.push(number);
                continue;
            }
            self.landed();
            self.finish(number, result, now_ns);
        }
        if has_rung {
            now_ns = self.reap_offloaded();
        }
        if self.in_flight == 0 {
            self.post.heartbeat.idle();
        } else if now_ns - self.looked_ns > HEARTBEAT_NS {
            let flying = self.slots.slots.iter().map(|slot| slot.issued_ns);
            let oldest_ns = flying.filter(|&issued_ns| issued_ns != Slot::GROUNDED).min();
            self.post.heartbeat.busy_since(oldest_ns.unwrap_or(Heartbeat::IDLE));
            self.looked_ns = now_ns;
        }
        now_ns
    }

    /// Processes the finished offloaded operations, with the times that their helpers read. Returns the
    /// time afterwards.
    fn reap_offloaded(&mut self) -> u64 {
        if let Some(offload) = &mut self.offload {
            offload.heard();
        }
        while let Some(returned) = self.offload.as_mut().and_then(Offload::next_returned) {
            self.landed();
            let slot = &mut self.slots.slots[returned.slot as usize];
            let opened = match slot.emptied.take() {
                // It has been in flight since it was opened.
                Some(emptied) => Some(emptied).filter(|_| returned.result == 0),
                None => {
                    slot.issued_by_helper(returned.issued_ns);
                    if !slot.op.goes_by_path() {
                        self.slots.files.given_back(slot.handle());
                    }
                    returned.opened
                }
            };
            let result = opened.map_or(returned.result, IntoRawFd::into_raw_fd);
            self.finish(returned.slot, result, returned.done_ns);
        }
        self.context.clock.now_ns()
    }

    /// Counts one fewer operation in flight.
    #[inline]
    fn landed(&mut self) {
        assert!(self.in_flight > 0, "a completed operation was in flight");
        self.in_flight -= 1;
    }

    /// Whether a signal prevented an operation. A close takes effect even if it was interrupted.
    #[inline]
    fn is_interrupted(&self, number: u32, result: i32) -> bool {
        result == -Errno::INTR.raw_os_error() && self.slots.slots[number as usize].op.kind != OpKind::Close
    }

    /// Checks the file that a call into the kernel opened, and returns the final result. If the file
    /// must be emptied, it is moved to [`Slot::emptied`], and the operation continues.
    #[inline]
    fn looked_at(&mut self, number: u32, result: i32) -> i32 {
        let slot = &mut self.slots.slots[number as usize];
        let is_opened = matches!(slot.op.kind, OpKind::Open | OpKind::Create) && result >= 0;
        if !is_opened || !slot.opening.is_looked_at {
            return result;
        }
        // SAFETY: the result of an open is a new descriptor without another owner.
        let opened = unsafe { OwnedFd::from_raw_fd(result) };
        match slot.opening.inspect_file(&opened, self.post.names.links()) {
            Ok(false) => opened.into_raw_fd(),
            Ok(true) => {
                slot.emptied = Some(opened);
                result
            }
            // The file is closed, and nothing was written to it.
            Err(errno) => -errno,
        }
    }

    /// Resubmits operations that a signal interrupted, and has a helper empty files that were opened for
    /// that. Both keep their issue time.
    fn resubmit(&mut self, queues: &mut Queues<'_>) -> Result<(), DriverError> {
        while let Some(number) = self.again.pop() {
            if self.slots.slots[number as usize].emptied.is_some() {
                self.muster(1)?;
            }
            self.submit_slot(queues, number)?;
        }
        Ok(())
    }

    /// Completes an operation: stores its record and informs its script.
    fn finish(&mut self, number: u32, result: i32, now_ns: u64) {
        let slot = &mut self.slots.slots[number as usize];
        let issued_ns = slot.land();
        if let Some(closed) = slot.closing.take() {
            // The kernel has closed it, even if it reported an error.
            let _ = closed.into_raw_fd();
        }
        let op = &slot.op;
        if op.kind.moves_data() && result >= 0 {
            self.slots.files.used(slot.handle());
        } else if matches!(op.kind, OpKind::Open | OpKind::Create) && result >= 0 {
            // SAFETY: the result of an open is a new descriptor without another owner.
            let opened = unsafe { OwnedFd::from_raw_fd(result) };
            self.slots.files.opened(slot.handle(), opened);
        }
        let done = Done {
            token: op.token,
            due_ns: op.due_ns,
            issued_ns,
            done_ns: now_ns,
            done_len: if op.kind.moves_data() { result.max(0) as u32 } else { 0 },
            errno: if result < 0 { -result } else { 0 },
        };
        #[cfg(test)]
        if op.kind == OpKind::Read {
            super::tests::look_at(op, &slot.read.as_slice()[..done.done_len as usize]);
        }
        if let Some(map) = &self.context.write_map
            && let Some(write) = slot.write()
        {
            map.end(&write, done.errno == 0 && done.done_len == op.len);
        }
        // The result may have been available while the ring waited for a processor after its last check.
        // An offloaded operation may have been issued after the ring read its clock.
        let in_flight_ns = self.waited_ns.min(now_ns.saturating_sub(issued_ns));
        if in_flight_ns > 0 {
            let wait = ProcessorWait { worker: slot.worker, done_ns: now_ns, before_ns: 0, in_flight_ns };
            self.sink.waited(&wait);
        }
        self.sink.record(&record(self.context, slot.worker, op, issued_ns, &done));
        let owner = slot.ring_worker;
        self.slots.vacate(owner, number);
        let ring_worker = &mut self.slots.workers[owner as usize];
        ring_worker.worker.script.done(&done);
        // A worker whose next operation already waits for its due time need not be asked.
        if ring_worker.held.is_none() || ring_worker.is_held_back {
            self.slots.make_ready(owner);
        }
    }

    /// Waits for all operations in flight.
    fn drain(&mut self, queues: &mut Queues<'_>) -> Result<(), DriverError> {
        while self.in_flight > 0 {
            self.resubmit(queues)?;
            self.listen(queues)?;
            enter(queues, Some(LONGEST_SLEEP_NS))?;
            self.reap(queues);
        }
        Ok(())
    }

    /// Closes the files that are still open. The scripts were interrupted, so these closes are not
    /// recorded.
    fn close_all(&mut self, queues: &Queues<'_>) {
        self.post.heartbeat.busy_since(self.context.clock.now_ns());
        self.slots.files.close_all(&queues.submitter);
        self.post.heartbeat.idle();
    }
}

/// The result of a call into the kernel.
#[derive(PartialEq, Eq)]
enum Entered {
    Returned,
    TimedOut,
}

/// Submits the queue to the kernel. With `patience_ns`, waits this long for a completion.
fn enter(queues: &mut Queues<'_>, patience_ns: Option<u64>) -> Result<Entered, DriverError> {
    queues.sq.sync();
    let result = match patience_ns {
        Some(patience_ns) => {
            let timeout = Timespec::from(Duration::from_nanos(patience_ns));
            queues.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
        }
        None if queues.sq.is_empty() && !queues.sq.taskrun() => {
            std::hint::spin_loop();
            Ok(0)
        }
        None => queues.submitter.submit(),
    };
    match result {
        Ok(_) => Ok(Entered::Returned),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::TIME) => Ok(Entered::TimedOut),
            // A signal, or a queue that must be reaped first: the next pass resolves both.
            Some(Errno::INTR | Errno::BUSY | Errno::AGAIN) => Ok(Entered::Returned),
            _ => Err(DriverError::UringEnter { source: error }),
        },
    }
}

/// Adds an entry to the submission queue. Makes room if necessary.
fn push(queues: &mut Queues<'_>, entry: &Entry) -> Result<(), DriverError> {
    loop {
        // SAFETY: the entry points to a slot's buffers or to a path. These live until its completion has
        // been reaped: slots are freed only when nothing is in flight, and leaked otherwise.
        if unsafe { queues.sq.push(entry) }.is_ok() {
            return Ok(());
        }
        enter(queues, None)?;
    }
}
