//! Drivers perform the operations that scripts request. There is one file per driver; this file holds
//! the shared parts: the context of a load point, the workers, and the handle on running threads.
//!
//! A driver keeps an absolute schedule. The script gives the due time of each operation. The driver
//! sleeps until shortly before it and then spins (bounded), so that delays never add up. The path of an
//! operation neither allocates nor locks nor formats.
//!
//! Rules that every driver follows, so that scripts behave the same on all of them:
//!
//! * A script is asked for its next operation only when its last one has been issued. Results of
//!   finished operations are delivered immediately.
//! * Write data is generated, and entered in the write map, before the operation is issued. Neither
//!   counts as service time.
//! * A system error is a result: it is recorded and passed to the script. The same is true of an invalid
//!   request, which never reaches the system and is recorded as `EBADF` or `EINVAL`. Examples are a
//!   handle that is not open, an open or create on a handle in use, a length beyond the script's
//!   announced maximum, a file that is not in the table, a change of a read-only file, and
//!   [`OpKind::Other`].
//! * Operations that go by path ([`Op::goes_by_path`]) use no handle. No link is ever followed, whatever
//!   its origin: see [`crate::io`].
//! * A close begins only when no change of size is in flight on its handle, so that none can affect
//!   another file.
//! * At the end no operation is started. Operations in flight finish. Open files are closed without a
//!   record.
//!
//! Driver threads are detached on purpose: a thread that hangs in a dead mount cannot be joined. The
//! caller watches [`Heartbeat`]s, abandons threads that make no progress, and keeps everything recorded
//! until then.

mod launch;
mod performer;
mod run_delay;
#[cfg(feature = "simulation")]
mod simulated;
#[cfg(test)]
mod tests;
mod threads;
#[cfg(target_os = "linux")]
mod uring;
mod wait;
mod worker_threads;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use reelgauge_machine::system::processors;
use reelgauge_record::{OpFlags, OpKind, OpRecord, ProcessorWait};
use reelgauge_workload::script::{Done, Needs, Op, Script};

use crate::area::AreaDir;
use crate::buffer::AlignedBuffer;
use crate::clock::Clock;
use crate::driver::wait::Waiter;
use crate::internal_store::InternalStore;
use crate::io;
use crate::pattern::{PatternSpec, WriteData};
use crate::throttle::Throttle;
use crate::verify::{WriteAt, WriteMap};

pub use crate::driver_error::DriverError;
pub use crate::target_file::TargetFile;

/// The destination of finished operations. Each driver thread has its own, so it needs no lock.
pub trait Sink: Send + 'static {
    /// Keeps this record. Must neither block nor allocate.
    fn record(&mut self, op: &OpRecord);

    /// Reports that the thread waited for a processor around the operation that is recorded next. Must
    /// neither block nor allocate. A sink that attributes no delays need not implement it.
    fn waited(&mut self, _wait: &ProcessorWait) {}
}

/// The driver that performs the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverKind {
    /// One OS thread per worker, positional reads and writes. Every platform.
    Threads,
    /// One ring per core, many workers per ring. Linux.
    Uring,
    /// Simulated threads that use the virtual time of the context's clock, and its store.
    #[cfg(feature = "simulation")]
    Simulated {
        /// The maximum number of threads. The workers are divided among them.
        threads: u16,
    },
}

/// Everything that the driver threads of one load point share.
#[derive(Debug)]
pub struct Context {
    pub clock: Clock,
    /// The area's directory, from which files in it are opened. Without it, all files are opened by
    /// their paths.
    pub area: Option<AreaDir>,
    /// The run's file table.
    pub files: Vec<TargetFile>,
    /// The files of the table that do not belong to Reelgauge: they are only read.
    pub read_only: ReadOnly,
    /// The specification of write data.
    pub pattern: PatternSpec,
    /// The last write of every unit, if the run verifies.
    pub write_map: Option<Arc<WriteMap>>,
    /// Number of the load point, for the records.
    pub point: u16,
    /// Its time window.
    pub window: Window,
    /// Any thread may set it to end the load point early.
    pub stop: AtomicBool,
    /// Delays operations to keep the rate limit; `None` without a limit.
    pub throttle: Option<Throttle>,
    /// Answers in place of the storage, in a self-test with the threads driver.
    pub internal_store: Option<InternalStore>,
}

impl Context {
    /// Whether a due operation may start now; otherwise the time to ask again. An operation that is
    /// delayed in the measured time is counted once: `is_first` marks its first request.
    #[inline]
    fn admit(&self, now_ns: u64, op: &Op, is_first: bool) -> Result<(), u64> {
        let Some(throttle) = &self.throttle else { return Ok(()) };
        let counts = is_first && now_ns >= self.window.warmup_until_ns();
        throttle.admit_op(now_ns, (op.kind, op.len), counts)
    }
}

/// Releases an operation of a worker whose latest wait for the throttle ended at `released_ns`. If it was
/// due before, it could not begin earlier, so the wait is not Reelgauge's scheduling delay. A part of a
/// frame keeps its due time, because a frame's deadline does not move, and is marked.
fn let_through(op: &mut Op, released_ns: u64) {
    if op.due_ns >= released_ns {
        return;
    }
    if op.flags.has(OpFlags::FRAME) {
        op.flags = op.flags.with(OpFlags::RATE_LIMITED);
    } else {
        op.due_ns = released_ns;
    }
}

/// Files that may only be opened for reading, read, queried and closed. Any other operation on them is
/// refused before it reaches the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOnly {
    files: Vec<u32>,
}

impl ReadOnly {
    /// Adds a file by its index in the file table.
    pub fn add(&mut self, file: u32) {
        if let Err(at) = self.files.binary_search(&file) {
            self.files.insert(at, file);
        }
    }

    /// Whether an operation would change one of them.
    fn forbids(&self, op: &Op) -> bool {
        let changes = match op.kind {
            OpKind::Open => op.open.write || op.open.write_only || op.open.append,
            OpKind::Read | OpKind::Close | OpKind::Stat => false,
            OpKind::Access | OpKind::ReadDir | OpKind::ReadLink => false,
            _ => true,
        };
        let is_one = |file: u32| self.files.binary_search(&file).is_ok();
        // The target of a symbolic link stays unchanged.
        let changes_second = matches!(op.kind, OpKind::Rename | OpKind::Link);
        let second = changes_second && u32::try_from(op.offset).is_ok_and(is_one);
        changes && !self.files.is_empty() && (is_one(op.file) || second)
    }
}

/// The time window of a load point. It begins when every driver thread is ready. Before that, the
/// buffers of many writers are created, which takes time (1 ms per 4 MiB) and must not affect any
/// figure.
#[derive(Debug)]
pub struct Window {
    begun_ns: AtomicU64,
    /// [`Window::NEVER`] unless the load point was ended early.
    cut_ns: AtomicU64,
    warmup_ns: u64,
    duration_ns: u64,
    not_before_ns: u64,
}

impl Window {
    const NEVER: u64 = u64::MAX;

    /// A warm-up followed by a measured time.
    pub fn new(warmup_ns: u64, duration_ns: u64) -> Window {
        let (begun_ns, cut_ns) = (AtomicU64::new(0), AtomicU64::new(Window::NEVER));
        Window { begun_ns, cut_ns, warmup_ns, duration_ns, not_before_ns: 0 }
    }

    /// Sets the earliest start on the run's clock. Ready threads wait for it.
    #[must_use]
    pub fn not_before(self, not_before_ns: u64) -> Window {
        Window { not_before_ns, ..self }
    }

    /// Ends the load point early: operations after this time do not count as missing. Called before the
    /// threads are stopped, so that readers of their records can rely on it. Only the first time counts.
    pub fn cut(&self, now_ns: u64) {
        self.cut_ns.fetch_min(now_ns, Ordering::Relaxed);
    }

    /// When the load point was ended early; `None` if it was not.
    pub fn cut_ns(&self) -> Option<u64> {
        Some(self.cut_ns.load(Ordering::Relaxed)).filter(|&cut_ns| cut_ns != Window::NEVER)
    }

    /// Begins the window now. Called once, before any driver thread starts.
    pub(crate) fn begin(&self, now_ns: u64) {
        self.begun_ns.store(now_ns, Ordering::Relaxed);
    }

    /// Begins the window at its earliest start time.
    pub(crate) fn begin_in_time(&self, clock: &Clock, stop: &AtomicBool) {
        let now_ns = clock.now_ns();
        let waits = now_ns < self.not_before_ns;
        self.begin(if waits { Waiter::new().wait_until(clock, self.not_before_ns, stop) } else { now_ns });
    }

    /// The time at which it began; 0 until then.
    #[inline]
    pub fn begun_ns(&self) -> u64 {
        self.begun_ns.load(Ordering::Relaxed)
    }

    /// The end of the warm-up. Operations issued earlier are warm-up. Operations that were due earlier
    /// but could not begin count as work of the measured time. A window without an end has the largest
    /// possible times, so these sums may saturate.
    #[inline]
    pub fn warmup_until_ns(&self) -> u64 {
        // See above; the same applies to the end.
        self.begun_ns().saturating_add(self.warmup_ns)
    }

    /// No operation begins at or after this time.
    #[inline]
    pub fn end_ns(&self) -> u64 {
        // See above.
        self.warmup_until_ns().saturating_add(self.duration_ns)
    }
}

/// One worker: its number and its script.
#[derive(Debug)]
pub struct Worker<S> {
    /// From 0.
    pub id: u32,
    pub script: S,
}

/// The result of a driver thread that ended.
#[derive(Debug)]
pub struct ThreadEnd<S, K> {
    /// The workers it ran, with their scripts, to be used again in the next load point.
    pub workers: Vec<Worker<S>>,
    pub sink: K,
    /// The index of this thread in [`Running::heartbeats`].
    pub thread: usize,
    /// Why a driver could not start or continue.
    pub failure: Option<DriverError>,
    /// Number of scripts that reported that they are finished (for example, because every block was read
    /// once).
    pub finished_scripts: u32,
    /// The kernel features that the driver could use, as text for the report, one line each.
    pub notes: Vec<String>,
}

/// A driver thread's heartbeat, written by it and read by the watchdog.
///
/// `since_ns` is the time at which the oldest operation in flight was issued, or [`Heartbeat::IDLE`]
/// while there is none. Relaxed stores: the watchdog needs seconds, not nanoseconds.
#[derive(Debug)]
#[repr(align(128))]
pub struct Heartbeat {
    since_ns: AtomicU64,
}

impl Heartbeat {
    /// No operation is in flight.
    pub const IDLE: u64 = u64::MAX;

    /// The thread died: it panicked, which only a defect can cause, and delivers no result.
    const DEAD: u64 = u64::MAX - 1;

    /// A heartbeat of a thread that has not started.
    pub const fn new() -> Heartbeat {
        Heartbeat { since_ns: AtomicU64::new(Heartbeat::IDLE) }
    }

    /// Records that an operation was issued at this time (or the oldest of several).
    #[inline]
    pub fn busy_since(&self, issued_ns: u64) {
        self.since_ns.store(issued_ns, Ordering::Relaxed);
    }

    /// Records that nothing is in flight.
    #[inline]
    pub fn idle(&self) {
        self.since_ns.store(Heartbeat::IDLE, Ordering::Relaxed);
    }

    fn die(&self) {
        self.since_ns.store(Heartbeat::DEAD, Ordering::Relaxed);
    }

    /// Whether the thread has died.
    pub fn has_died(&self) -> bool {
        self.since_ns.load(Ordering::Relaxed) == Heartbeat::DEAD
    }

    /// How long the oldest operation has been in flight at `now_ns`; `None` if there is none.
    pub fn stuck_for(&self, now_ns: u64) -> Option<Duration> {
        match self.since_ns.load(Ordering::Relaxed) {
            Heartbeat::IDLE | Heartbeat::DEAD => None,
            // The operation may have been issued after the caller read the clock.
            since_ns => Some(Duration::from_nanos(now_ns.saturating_sub(since_ns))),
        }
    }
}

/// Reports the end of the thread if it panics.
#[derive(Debug)]
struct Deathwatch(Arc<Heartbeat>);

impl Drop for Deathwatch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.die();
        }
    }
}

impl Default for Heartbeat {
    fn default() -> Heartbeat {
        Heartbeat::new()
    }
}

/// The running driver threads of a load point.
#[derive(Debug)]
pub struct Running<S, K> {
    /// One per driver thread.
    pub heartbeats: Vec<Arc<Heartbeat>>,
    ends: Receiver<ThreadEnd<S, K>>,
    clock: Clock,
}

impl<S, K> Running<S, K> {
    /// Combines the parts; used by the drivers.
    fn new(heartbeats: Vec<Arc<Heartbeat>>, ends: Receiver<ThreadEnd<S, K>>, clock: Clock) -> Running<S, K> {
        Running { heartbeats, ends, clock }
    }

    /// The next thread that ends within `timeout`; `Ok(None)` if none did; `Err` if all have ended.
    pub fn next_end(&self, timeout: Duration) -> Result<Option<ThreadEnd<S, K>>, AllEnded> {
        match self.clock.receive(&self.ends, timeout) {
            Ok(end) => Ok(Some(end)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(AllEnded),
        }
    }
}

/// Every driver thread has ended and delivered its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllEnded;

/// Checks that the local host supports a driver, before anything is prepared for it.
///
/// # Errors
/// Why the driver is unavailable.
pub fn available(kind: DriverKind) -> Result<(), DriverError> {
    match kind {
        DriverKind::Threads => Ok(()),
        #[cfg(target_os = "linux")]
        DriverKind::Uring => uring::Ladder::probe(),
        #[cfg(not(target_os = "linux"))]
        DriverKind::Uring => Err(DriverError::Unavailable("uring")),
        #[cfg(feature = "simulation")]
        DriverKind::Simulated { .. } => Ok(()),
    }
}

/// How many driver threads (and sinks) a driver uses for this many workers.
pub fn threads_for(kind: DriverKind, workers: usize) -> usize {
    match kind {
        DriverKind::Threads => workers,
        DriverKind::Uring => workers.min(processors()),
        #[cfg(feature = "simulation")]
        DriverKind::Simulated { threads } => workers.min(usize::from(threads)),
    }
}

/// The channel to which driver threads send their results.
pub type Ends<S, K> = Sender<ThreadEnd<S, K>>;

/// Starts a load point. Returns when every driver thread has its memory and has begun.
///
/// Each driver thread takes one of `sinks`. The context's [`Window`] begins when all are ready.
///
/// # Errors
/// If a thread, memory or io_uring is refused. Nothing runs then.
///
/// # Panics
/// If there are not exactly [`threads_for`] sinks.
pub fn start<S: Script + 'static, K: Sink>(
    kind: DriverKind,
    workers: Vec<Worker<S>>,
    sinks: Vec<K>,
    context: &Arc<Context>,
) -> Result<Running<S, K>, DriverError> {
    assert_eq!(sinks.len(), threads_for(kind, workers.len()), "one sink per driver thread");
    let can_work = workers.iter().all(|worker| worker.script.needs().in_flight > 0);
    assert!(can_work, "a script has at least one operation in flight");
    match kind {
        DriverKind::Threads => threads::start(workers, sinks, context),
        #[cfg(target_os = "linux")]
        DriverKind::Uring => uring::start(workers, sinks, context, uring::Ladder::TOP),
        #[cfg(not(target_os = "linux"))]
        DriverKind::Uring => Err(DriverError::Unavailable("uring")),
        #[cfg(feature = "simulation")]
        DriverKind::Simulated { .. } => simulated::start(workers, sinks, context),
    }
}

/// Why an operation is invalid, as an error number: see the module head.
#[inline]
fn impossible(op: &Op, needs: &Needs, files: usize, read_only: &ReadOnly) -> Option<i32> {
    let writes_unannounced = op.kind == OpKind::Write && !needs.writes;
    let fits = !op.kind.moves_data() || op.len <= needs.max_len;
    let is_known = match op.kind {
        OpKind::Other => false,
        kind if kind.names_two() => op.offset < files as u64,
        _ => true,
    };
    if op.handle >= needs.handles && !op.goes_by_path() {
        Some(io::NOT_OPEN)
    } else if !fits || writes_unannounced || !is_known || op.file as usize >= files || read_only.forbids(op) {
        Some(io::IMPOSSIBLE)
    } else {
        None
    }
}

/// The sequence number of a writer's first write in a load point with its `slot`-th buffer. It is chosen
/// so that no two writes of a run have the same writer and number.
fn first_sequence(point: u16, slot: u16) -> u64 {
    u64::from(point) << 48 | u64::from(slot) << 32
}

/// The write data of one operation in flight, for a script that writes.
fn write_data(
    context: &Context,
    needs: &Needs,
    worker: u32,
    slot: u16,
) -> Result<Option<WriteData>, DriverError> {
    if !needs.writes {
        return Ok(None);
    }
    let data = WriteData::new(context.pattern, worker, needs.max_len as usize)?;
    Ok(Some(data.numbered_from(first_sequence(context.point, slot))))
}

/// A read buffer for one operation in flight. A script that also writes gets it at its first read,
/// because most such scripts never read.
fn read_buffer(len: usize, needs: &Needs) -> Result<AlignedBuffer, DriverError> {
    if needs.writes { AlignedBuffer::untouched(len) } else { AlignedBuffer::new(len) }
}

/// The entry in the write map for this write.
fn write_at(op: &Op, worker: u32, sequence: u64) -> WriteAt {
    WriteAt { file: op.file, offset: op.offset, len: op.len, writer: worker, sequence }
}

/// The record of a finished operation.
///
/// # Panics
/// If the operation was issued before it was due, or done before it was issued. A driver with such a
/// defect measures nothing.
#[inline]
fn record(context: &Context, worker: u32, op: &Op, issued_ns: u64, done: &Done) -> OpRecord {
    let in_order = op.due_ns <= issued_ns && issued_ns <= done.done_ns;
    assert!(in_order, "an operation is due, then issued, then done");
    debug_assert!(
        !op.kind.moves_data() || done.done_len <= op.len,
        "an operation transfers no more than requested"
    );
    debug_assert!(done.errno >= 0, "an error number is not negative");
    record_in((context.point, context.window.warmup_until_ns()), worker, op, issued_ns, done)
}

/// Like [`record`], for a load point with this number and this end of the warm-up.
#[inline]
pub(crate) fn record_in(
    (point, warmup_until_ns): (u16, u64),
    worker: u32,
    op: &Op,
    issued_ns: u64,
    done: &Done,
) -> OpRecord {
    OpRecord {
        offset: op.offset,
        due_ns: op.due_ns,
        issued_ns,
        done_ns: done.done_ns,
        worker,
        stream: op.stream,
        transfer: op.transfer,
        file: op.file,
        len: op.recorded_len(),
        done_len: done.done_len,
        errno: done.errno,
        kind: op.kind,
        flags: op.flags.with_if(OpFlags::WARMUP, issued_ns < warmup_until_ns),
        point,
    }
}
