//! The switches of the failing file system, and their effect on a request.

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::costs::{Costs, Fading, Write};
use super::pipe::{Allowance, OwnPipe, Pipe};

/// The unit of a server's page cache.
const PAGE_BYTES: u64 = 4096;

/// Which faults are on. Changed by the test while the binary runs.
#[derive(Debug)]
pub struct Faults {
    pub(super) read_errno: AtomicI32,
    pub(super) write_errno: AtomicI32,
    pub(super) sync_errno: AtomicI32,
    range_from: AtomicU64,
    range_to: AtomicU64,
    healthy_ops: AtomicU64,
    delay_us: AtomicU64,
    seek_every: AtomicU64,
    seek_us: AtomicU64,
    first_read_us: AtomicU64,
    /// The pages read so far, by file: a server would have them in memory.
    remembered: Mutex<HashSet<(u64, u64)>>,
    short_reads: AtomicBool,
    flip_bits: AtomicBool,
    hang: AtomicBool,
    clock_ahead_s: AtomicI64,
    no_case: AtomicBool,
    no_replacing: AtomicBool,
    ops: AtomicU64,
    pipe: Pipe,
    /// The burst rate, while a burst is allowed.
    peak: Pipe,
    each_bytes_per_s: AtomicU64,
    /// The pipe's rate before anything slows it down.
    fresh_bytes_per_s: AtomicU64,
    costs: Costs,
    held: Mutex<Held>,
}

/// Answers withheld until the hang ends.
#[derive(Default)]
struct Held(Vec<Box<dyn FnOnce() + Send>>);

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} held", self.0.len())
    }
}

/// The result of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is carried out.
    Done,
    /// It is carried out with a wrong result.
    Spoilt,
    /// It fails with this error.
    Fails(i32),
    /// It is never answered.
    Hangs,
}

impl Faults {
    pub(super) fn none() -> Faults {
        Faults {
            read_errno: AtomicI32::new(0),
            write_errno: AtomicI32::new(0),
            sync_errno: AtomicI32::new(0),
            range_from: AtomicU64::new(0),
            range_to: AtomicU64::new(u64::MAX),
            healthy_ops: AtomicU64::new(0),
            delay_us: AtomicU64::new(0),
            seek_every: AtomicU64::new(0),
            seek_us: AtomicU64::new(0),
            first_read_us: AtomicU64::new(0),
            remembered: Mutex::default(),
            short_reads: AtomicBool::new(false),
            flip_bits: AtomicBool::new(false),
            hang: AtomicBool::new(false),
            clock_ahead_s: AtomicI64::new(0),
            no_case: AtomicBool::new(false),
            no_replacing: AtomicBool::new(false),
            ops: AtomicU64::new(0),
            pipe: Pipe::unlimited(),
            peak: Pipe::unlimited(),
            each_bytes_per_s: AtomicU64::new(0),
            fresh_bytes_per_s: AtomicU64::new(0),
            costs: Costs::default(),
            held: Mutex::default(),
        }
    }

    /// Reads fail with this error number; 0 ends it.
    pub fn fail_reads(&self, errno: i32) {
        self.read_errno.store(errno, Ordering::SeqCst);
    }

    /// Writes fail with this error number; 0 ends it.
    pub fn fail_writes(&self, errno: i32) {
        self.write_errno.store(errno, Ordering::SeqCst);
    }

    /// Syncs fail with this error number; 0 ends it.
    pub fn fail_syncs(&self, errno: i32) {
        self.sync_errno.store(errno, Ordering::SeqCst);
    }

    /// Faults hit only reads and writes that touch these bytes of a file.
    pub fn only_in(&self, bytes: Range<u64>) {
        self.range_from.store(bytes.start, Ordering::SeqCst);
        self.range_to.store(bytes.end, Ordering::SeqCst);
    }

    /// Faults begin only after this many more reads and writes.
    pub fn after(&self, ops: u64) {
        self.healthy_ops.store(ops, Ordering::SeqCst);
    }

    /// Every read, write and sync takes this much longer.
    pub fn delay(&self, by: Duration) {
        self.delay_us.store(u64::try_from(by.as_micros()).unwrap(), Ordering::SeqCst);
    }

    /// Reads and writes that begin at a multiple of so many bytes take this much longer. This is a disk
    /// that has to seek because another extent begins.
    pub fn seek_every(&self, bytes: u64, takes: Duration) {
        self.seek_us.store(u64::try_from(takes.as_micros()).unwrap(), Ordering::SeqCst);
        self.seek_every.store(bytes, Ordering::SeqCst);
    }

    /// Reads of pages that were not read before take this much longer. This is a server with a page
    /// cache that has to fetch new pages from its disk. Forgets which pages were read so far.
    ///
    /// # Panics
    /// If a thread of the file system has panicked.
    pub fn first_reads_take(&self, longer: Duration) {
        self.remembered.lock().unwrap().clear();
        self.first_read_us.store(u64::try_from(longer.as_micros()).unwrap(), Ordering::SeqCst);
    }

    /// Waits as long as a first read takes, if this is one.
    pub(super) fn fetch(&self, file: u64, offset: u64, len: u64) {
        let first_read_us = self.first_read_us.load(Ordering::SeqCst);
        if first_read_us == 0 {
            return;
        }
        let pages = offset / PAGE_BYTES..(offset + len).div_ceil(PAGE_BYTES);
        let new = {
            let mut remembered = self.remembered.lock().unwrap();
            pages.filter(|&page| remembered.insert((file, page))).count()
        };
        if new > 0 {
            std::thread::sleep(Duration::from_micros(first_read_us));
        }
    }

    /// All reads and writes together move at most this many bytes per second; 0 ends it.
    pub fn limit_bytes_per_s(&self, bytes_per_s: u64) {
        self.pipe.limit(bytes_per_s);
        self.peak.limit(0);
    }

    /// The same with a burst allowance, as cloud volumes and write caches have. So many bytes pass at
    /// the peak rate first, and again after the store was idle.
    pub fn limit_with_burst(&self, bytes_per_s: u64, burst_bytes: u64, peak_bytes_per_s: u64) {
        self.peak.limit(peak_bytes_per_s);
        self.pipe.limit_with(bytes_per_s, Allowance { bytes: burst_bytes });
    }

    /// A write that does not continue where the last one through the same open file ended costs the line
    /// as much as so many bytes. This is a store with read-modify-write around an edit.
    pub fn jumps_cost(&self, bytes: u64) {
        self.costs.jumps_cost(bytes);
    }

    /// A write that extends a file costs the line this share of its bytes in addition. This is a store
    /// that has to allocate space.
    pub fn growth_costs(&self, percent: u64) {
        self.costs.growth_costs(percent);
    }

    /// While so many requests or more wait at a time, each takes so many times as long. This is a store
    /// that collapses under too many streams. The number of requests given at mount time is the most
    /// that can wait.
    pub fn collapse_from(&self, requests: u64, times: u64) {
        self.costs.crowds_cost(requests, times);
    }

    /// All reads and writes together move so many bytes per second while the volume of this folder is
    /// empty. The rate falls linearly, by `loss` when the volume is full.
    pub fn limit_falling_with_space(&self, bytes_per_s: u64, folder: PathBuf, loss: f64) {
        self.fade(bytes_per_s, Fading::Full { folder, loss });
    }

    /// All reads and writes together move so many bytes per second. The rate halves after so many bytes
    /// were written into files with this name prefix, and is a third after twice as many.
    pub fn limit_falling_with_wear(&self, bytes_per_s: u64, prefix: &str, half_bytes: f64) {
        let prefix = prefix.to_owned();
        self.fade(bytes_per_s, Fading::Worn { prefix, half_bytes, written_bytes: 0 });
    }

    fn fade(&self, bytes_per_s: u64, fading: Fading) {
        self.limit_bytes_per_s(bytes_per_s);
        self.fresh_bytes_per_s.store(bytes_per_s, Ordering::SeqCst);
        self.costs.fade(fading);
    }

    /// Bytes written so far into files that wear the store.
    pub fn worn_bytes(&self) -> u64 {
        self.costs.worn_bytes()
    }

    /// Books a write. Returns its cost on the line beyond its bytes.
    pub(super) fn cost_of_write(&self, write: Write<'_>) -> u64 {
        self.costs.of_write(write)
    }

    /// Each file opened from now on moves so many bytes per second, whatever others do. This is a store
    /// that shares its bandwidth evenly between files, not by the number of requests. 0 ends it.
    pub fn limit_each_bytes_per_s(&self, bytes_per_s: u64) {
        self.each_bytes_per_s.store(bytes_per_s, Ordering::SeqCst);
    }

    /// Whether files that are opened now are limited one by one.
    pub(super) fn limits_each(&self) -> bool {
        self.each_bytes_per_s.load(Ordering::SeqCst) > 0
    }

    /// The pipe of a file that is opened now.
    pub(super) fn own_pipe(&self) -> OwnPipe {
        OwnPipe::new(self.each_bytes_per_s.load(Ordering::SeqCst))
    }

    /// Reads return half of the requested bytes.
    pub fn shorten_reads(&self) {
        self.short_reads.store(true, Ordering::SeqCst);
    }

    /// Reads return one wrong bit, in the middle.
    pub fn flip_bits(&self) {
        self.flip_bits.store(true, Ordering::SeqCst);
    }

    /// File times come from a clock that is ahead by so many seconds.
    pub fn shift_clock(&self, seconds: i64) {
        self.clock_ahead_s.store(seconds, Ordering::SeqCst);
    }

    pub(super) fn clock_ahead_s(&self) -> i64 {
        self.clock_ahead_s.load(Ordering::SeqCst)
    }

    /// Names that differ only in case are the same name.
    pub fn ignore_case(&self) {
        self.no_case.store(true, Ordering::SeqCst);
    }

    pub(super) fn ignores_case(&self) -> bool {
        self.no_case.load(Ordering::SeqCst)
    }

    /// Renames over an existing file are refused.
    pub fn refuse_replacing(&self) {
        self.no_replacing.store(true, Ordering::SeqCst);
    }

    pub(super) fn refuses_replacing(&self) -> bool {
        self.no_replacing.load(Ordering::SeqCst)
    }

    /// Requests that move or sync data are no longer answered.
    pub fn hang(&self) {
        self.hang.store(true, Ordering::SeqCst);
    }

    /// Ends the hang. Held requests fail with an I/O error; later ones are carried out.
    ///
    /// # Panics
    /// If a thread of the file system has panicked.
    pub fn release(&self) {
        self.hang.store(false, Ordering::SeqCst);
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        held.0.into_iter().for_each(|answer| answer());
    }

    /// How many requests are held.
    ///
    /// # Panics
    /// If a thread of the file system has panicked.
    pub fn held(&self) -> usize {
        self.held.lock().unwrap().0.len()
    }

    /// How many reads and writes have arrived.
    pub fn ops(&self) -> u64 {
        self.ops.load(Ordering::SeqCst)
    }

    /// Decides about a read or write and waits as long as it takes. `cost` is in bytes of the line.
    pub(super) fn fate_of_transfer(&self, errno: &AtomicI32, offset: u64, len: u64, cost: u64) -> Fate {
        self.ops.fetch_add(1, Ordering::SeqCst);
        if let Some(left) = self.costs.rate_left() {
            let fresh = self.fresh_bytes_per_s.load(Ordering::SeqCst) as f64;
            self.pipe.change_rate((fresh * left).max(1.0) as u64);
        }
        let (waiting, cost) = self.costs.begin(cost);
        if let Some(until) = self.pipe.reserve(cost).max(self.peak.reserve(cost)) {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
        drop(waiting);
        let every = self.seek_every.load(Ordering::SeqCst);
        if every > 0 && offset.is_multiple_of(every) {
            std::thread::sleep(Duration::from_micros(self.seek_us.load(Ordering::SeqCst)));
        }
        let healthy =
            self.healthy_ops.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let hit = offset < self.range_to.load(Ordering::SeqCst)
            && offset.saturating_add(len) > self.range_from.load(Ordering::SeqCst);
        if healthy.is_ok() || !hit {
            return Fate::Done;
        }
        self.fate(errno)
    }

    /// Decides about a request that faults apply to.
    pub(super) fn fate(&self, errno: &AtomicI32) -> Fate {
        if self.hang.load(Ordering::SeqCst) {
            return Fate::Hangs;
        }
        std::thread::sleep(Duration::from_micros(self.delay_us.load(Ordering::SeqCst)));
        match errno.load(Ordering::SeqCst) {
            0 if self.short_reads.load(Ordering::SeqCst) || self.flip_bits.load(Ordering::SeqCst) => {
                Fate::Spoilt
            }
            0 => Fate::Done,
            errno => Fate::Fails(errno),
        }
    }

    pub(super) fn hold(&self, answer: impl FnOnce() + Send + 'static) {
        self.held.lock().unwrap().0.push(Box::new(answer));
    }

    /// Corrupts read data if a switch is on.
    pub(super) fn spoil(&self, data: &mut Vec<u8>) {
        if self.short_reads.load(Ordering::SeqCst) {
            data.truncate(data.len() / 2);
        }
        let middle = data.len() / 2;
        if let Some(byte) = data.get_mut(middle).filter(|_| self.flip_bits.load(Ordering::SeqCst)) {
            *byte ^= 1;
        }
    }
}
