//! The recorded operations, as fixed-size records: written by the serving threads, drained by another
//! thread.
//!
//! A serving thread copies a record into its private ring and formats nothing. If the ring is full it
//! waits: no record is dropped. Times are nanoseconds since the start of the recording.
//!
//! Not here: the trace on disk ([`crate::drain`]) and executing operations
//! ([`crate::request_recorder`]).

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use rtrb::{Consumer, Producer, PushError, RingBuffer};

use crate::mutex::lock;
use crate::worker_threads::WorkerThreads;

/// Records that a serving thread can be ahead of the drain: 2 MiB, or several seconds at any rate that
/// this recorder can reach.
const RING_RECORDS: usize = 1 << 15;
/// How long a thread sleeps when its ring is full.
const FULL_WAIT: Duration = Duration::from_micros(100);
/// The name prefix of the kernel threads that do the blocking part of io_uring, before their owner's
/// number.
const RING_WORKER: &str = "iou-wrk-";

thread_local! {
    /// This thread's end of its ring, with the number of the journal.
    static RING: RefCell<Option<(u64, Producer<OpRecord>)>> = const { RefCell::new(None) };
}

/// The journal that all threads write to.
#[derive(Debug)]
pub(crate) struct Journal {
    number: u64,
    start: Instant,
    is_on: AtomicBool,
    is_closed: AtomicBool,
    has_failed: AtomicBool,
    streams: RwLock<HashMap<u32, u32>>,
    rings: Mutex<Vec<Consumer<OpRecord>>>,
    misses: Mutex<HashMap<u32, Miss>>,
    left_out: Mutex<BTreeMap<&'static str, u64>>,
    own_ns: AtomicU64,
    ops: AtomicU64,
    full_waits: AtomicU64,
    /// The threads that serve requests, and how many of them wait.
    pub(crate) worker_threads: WorkerThreads,
}

/// A lookup of a name that doesn't exist. If the same thread then creates the name, the lookup was the
/// kernel's; otherwise it was the application's.
#[derive(Debug)]
struct Miss {
    parent: u64,
    name: OsString,
    op: OpRecord,
}

/// The content of a record, without thread and time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct What {
    pub(crate) file: u32,
    pub(crate) transfer: u32,
    pub(crate) offset: u64,
    pub(crate) len: u32,
    pub(crate) done_len: u32,
    pub(crate) flags: OpFlags,
    pub(crate) errno: i32,
}

/// From passing a request to the storage until its result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ServiceTime {
    pub(crate) begun_ns: u64,
    pub(crate) done_ns: u64,
}

/// A request in progress, until it is answered.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    journal: &'a Journal,
    thread: u32,
    arrived_ns: u64,
    is_finished: Cell<bool>,
}

impl Journal {
    /// A journal for this many threads.
    pub(crate) fn new(threads: u32) -> Journal {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Journal {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            start: Instant::now(),
            is_on: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            streams: RwLock::default(),
            rings: Mutex::default(),
            misses: Mutex::default(),
            left_out: Mutex::default(),
            own_ns: AtomicU64::new(0),
            ops: AtomicU64::new(0),
            full_waits: AtomicU64::new(0),
            worker_threads: WorkerThreads::new(threads),
        }
    }

    /// Starts or stops the recording. While stopped, operations are served but not recorded.
    pub(crate) fn switch(&self, on: bool) {
        self.is_on.store(on, Ordering::Release);
    }

    fn now_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Registers a request of a thread.
    pub(crate) fn arrive(&self, thread: u32) -> Call<'_> {
        self.worker_threads.begin();
        Call { journal: self, thread, arrived_ns: self.now_ns(), is_finished: Cell::new(false) }
    }

    /// The number of a thread, in the order of appearance.
    pub(crate) fn stream(&self, thread: u32) -> u32 {
        let known = self.streams.read().unwrap_or_else(PoisonError::into_inner).get(&thread).copied();
        known.unwrap_or_else(|| {
            let owner = owner_of(thread);
            let mut streams = self.streams.write().unwrap_or_else(PoisonError::into_inner);
            // Several threads can share a number, so the next one is not the number of entries.
            let next = streams.values().max().map_or(0, |most| most + 1);
            let stream = *streams.entry(owner).or_insert(next);
            *streams.entry(thread).or_insert(stream)
        })
    }

    /// Counts an operation that is not recorded.
    pub(crate) fn leave_out(&self, why: &'static str) {
        if self.is_on.load(Ordering::Acquire) {
            *lock(&self.left_out).entry(why).or_insert(0) += 1;
        }
    }

    /// Writes a record to this thread's ring.
    fn write(&self, op: OpRecord) {
        self.ops.fetch_add(1, Ordering::Relaxed);
        RING.with_borrow_mut(|ring| {
            let (_, producer) = match ring {
                Some(ring) if ring.0 == self.number => ring,
                ring => ring.insert((self.number, self.new_ring())),
            };
            let mut op = op;
            while let Err(PushError::Full(back)) = producer.push(op) {
                if self.has_failed.load(Ordering::Acquire) {
                    return;
                }
                self.full_waits.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(FULL_WAIT);
                op = back;
            }
        });
    }

    fn new_ring(&self) -> Producer<OpRecord> {
        let (producer, consumer) = RingBuffer::new(RING_RECORDS);
        lock(&self.rings).push(consumer);
        producer
    }

    /// The rings that were opened since the last call.
    pub(crate) fn new_rings(&self) -> Vec<Consumer<OpRecord>> {
        std::mem::take(&mut *lock(&self.rings))
    }

    /// Closes the journal after the last record.
    pub(crate) fn close(&self) {
        let misses = std::mem::take(&mut *lock(&self.misses));
        misses.into_values().for_each(|miss| self.write(miss.op));
        self.is_closed.store(true, Ordering::Release);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Handles a failure to write the trace: continues to serve, without recording.
    pub(crate) fn fail(&self) {
        self.has_failed.store(true, Ordering::Release);
    }

    /// The recorder's own cost per operation, in nanoseconds.
    pub(crate) fn cost_ns_per_op(&self) -> Option<f64> {
        let ops = self.ops.load(Ordering::Relaxed);
        (ops > 0).then(|| self.own_ns.load(Ordering::Relaxed) as f64 / ops as f64)
    }

    /// How often a thread found its ring full and had to wait.
    pub(crate) fn full_waits(&self) -> u64 {
        self.full_waits.load(Ordering::Relaxed)
    }

    pub(crate) fn left_out(&self) -> BTreeMap<String, u64> {
        lock(&self.left_out).iter().map(|(why, count)| ((*why).to_owned(), *count)).collect()
    }
}

/// The thread that a kernel thread works for: io_uring's kernel threads have their owner's number in
/// their name.
fn owner_of(thread: u32) -> u32 {
    let name = Task::of(thread).program(&Host::here());
    name.and_then(|name| name.strip_prefix(RING_WORKER)?.parse().ok()).unwrap_or(thread)
}

impl Call<'_> {
    /// Executes an operation on the storage and measures its time.
    pub(crate) fn time<T>(&self, act: impl FnOnce() -> T) -> (T, ServiceTime) {
        let begun_ns = self.journal.now_ns();
        let result = act();
        (result, ServiceTime { begun_ns, done_ns: self.journal.now_ns() })
    }

    /// The number of the requesting thread.
    pub(crate) fn stream(&self) -> u32 {
        self.journal.stream(self.thread)
    }

    fn record(&self, kind: OpKind, what: What, span: ServiceTime) -> OpRecord {
        OpRecord {
            offset: what.offset,
            due_ns: span.begun_ns,
            issued_ns: span.begun_ns,
            done_ns: span.done_ns,
            worker: 0,
            stream: self.stream(),
            transfer: what.transfer,
            file: what.file,
            len: what.len,
            done_len: what.done_len,
            errno: what.errno,
            kind,
            flags: what.flags,
            point: 0,
        }
    }

    /// Records an operation. Without a file number, the file has no name in the trace; it is only
    /// counted.
    pub(crate) fn note(&self, kind: OpKind, file: Option<u32>, what: What, span: ServiceTime) {
        self.note_as(None, kind, file, what, span);
    }

    /// [`Call::note`] for another thread than the current one.
    pub(crate) fn note_as(
        &self,
        stream: Option<u32>,
        kind: OpKind,
        file: Option<u32>,
        what: What,
        span: ServiceTime,
    ) {
        if !self.journal.is_on.load(Ordering::Acquire) {
            return;
        }
        let Some(file) = file else {
            return self.journal.leave_out("of the recorded directory itself");
        };
        let op = self.record(kind, What { file, ..what }, span);
        self.journal.write(OpRecord { stream: stream.unwrap_or(op.stream), ..op });
    }

    /// Records a failed lookup of a name, unless [`Call::made`] shows that it belonged to a creation.
    pub(crate) fn note_miss(&self, place: (u64, &OsStr), file: Option<u32>, what: What, span: ServiceTime) {
        self.settle();
        let Some(file) = file.filter(|_| self.journal.is_on.load(Ordering::Acquire)) else { return };
        let op = self.record(OpKind::Stat, What { file, ..what }, span);
        let miss = Miss { parent: place.0, name: place.1.to_owned(), op };
        lock(&self.journal.misses).insert(self.thread, miss);
    }

    /// Handles the creation of a name: this thread's previous lookup of that name was the kernel's.
    pub(crate) fn made(&self, place: (u64, &OsStr)) {
        let mut misses = lock(&self.journal.misses);
        if let Some(miss) = misses.get(&self.thread)
            && miss.parent == place.0
            && miss.name == place.1
        {
            misses.remove(&self.thread);
            return;
        }
        drop(misses);
        self.settle();
    }

    /// Handles any other operation: this thread's previous lookup was the application's.
    pub(crate) fn settle(&self) {
        if let Some(miss) = lock(&self.journal.misses).remove(&self.thread) {
            self.journal.write(miss.op);
        }
    }

    /// Completes the record just before the answer, so that the application sees no unrecorded result.
    /// Time beyond the storage's counts as the recorder's.
    pub(crate) fn finish(&self, span: ServiceTime) {
        self.is_finished.set(true);
        self.journal.worker_threads.done();
        if self.journal.is_on.load(Ordering::Acquire) {
            let all_ns = self.journal.now_ns() - self.arrived_ns;
            let own_ns = all_ns.saturating_sub(span.done_ns - span.begun_ns);
            self.journal.own_ns.fetch_add(own_ns, Ordering::Relaxed);
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.is_finished.get() {
            self.journal.worker_threads.done();
        }
        self.journal.worker_threads.answered();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;

    fn on() -> Journal {
        let journal = Journal::new(1);
        journal.switch(true);
        journal
    }

    fn written(journal: &Journal) -> Vec<OpRecord> {
        let mut rings = journal.new_rings();
        rings.iter_mut().flat_map(|ring| std::iter::from_fn(|| ring.pop().ok())).collect()
    }

    #[test]
    fn threads_are_numbered_as_they_appear() {
        let journal = on();
        assert_eq!([4_000_000, 4_000_001, 4_000_000].map(|thread| journal.stream(thread)), [0, 1, 0]);
    }

    #[test]
    fn lookup_before_a_creation_is_not_recorded() {
        let journal = on();
        let miss = |name: &str| {
            let call = journal.arrive(7);
            let span = call.time(|| ()).1;
            call.note_miss((1, OsStr::new(name)), Some(3), What { errno: 2, ..What::default() }, span);
            call.finish(span);
        };
        miss("asked for");
        miss("made");
        journal.arrive(8).made((1, OsStr::new("made")));
        journal.arrive(7).made((1, OsStr::new("made")));
        miss("asked for at the end");
        journal.close();
        let ops = written(&journal);
        assert_eq!(ops.iter().map(|op| (op.kind, op.errno)).collect::<Vec<_>>(), [(OpKind::Stat, 2); 2]);
    }

    #[test]
    fn no_data_are_kept_before_the_start_or_without_a_name() {
        let journal = Journal::new(1);
        let call = journal.arrive(7);
        call.note(OpKind::Read, Some(0), What::default(), ServiceTime::default());
        journal.switch(true);
        call.note(OpKind::ReadDir, None, What::default(), ServiceTime::default());
        assert_eq!(written(&journal).len(), 0);
        assert_eq!(journal.left_out()["of the recorded directory itself"], 1);
        assert_eq!(journal.cost_ns_per_op(), None);
    }

    #[test]
    fn a_full_ring_blocks_and_drops_nothing() {
        let journal = Arc::new(on());
        let more = 1000;
        let writer = Arc::clone(&journal);
        let thread = std::thread::spawn(move || {
            for offset in 0..(RING_RECORDS + more) as u64 {
                let what = What { offset, ..What::default() };
                writer.arrive(7).note(OpKind::Read, Some(0), what, ServiceTime::default());
            }
        });
        while journal.full_waits() == 0 {
            std::thread::yield_now();
        }
        let mut ring = journal.new_rings().remove(0);
        let mut offsets = Vec::new();
        while !thread.is_finished() || !ring.is_empty() {
            offsets.extend(std::iter::from_fn(|| ring.pop().ok()).map(|op| op.offset));
        }
        assert_eq!(offsets, (0..(RING_RECORDS + more) as u64).collect::<Vec<_>>());
    }
}
