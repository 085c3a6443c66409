//! Visits: reads, or writes, of one worker in one file, without an open or a close between them.

use std::collections::BTreeMap;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

/// Visits that are kept, at most.
const VISITS_MAX: usize = 500_000;

/// A visit that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Visit {
    pub(super) worker: u32,
    pub(super) file: u32,
    pub(super) is_writing: bool,
    pub(super) first_len: u32,
    pub(super) second_len: Option<u32>,
    /// Whether every length follows from a block size and its remainder, as in a mix.
    pub(super) is_of_blocks: bool,
    pub(super) accesses: u32,
    pub(super) bytes: u64,
    /// Position of the first access.
    pub(super) start: u64,
    /// Accesses that begin where the previous one ended.
    pub(super) sequential_accesses: u32,
    /// Whether it begins where the worker's last visit to the file ended.
    pub(super) is_continuation: bool,
    pub(super) syncs: u32,
    /// Time without an operation before it. `None` before a worker's first.
    pub(super) pause_ns: Option<u64>,
    /// Accesses before which the worker waited, within the visit.
    pub(super) waits: u32,
}

/// The order of the accesses of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Each begins where the previous one ended.
    InARow,
    /// At random positions: sequential pairs are no more frequent than by chance.
    Random,
    Between,
}

impl Visit {
    /// The order of its accesses in a file of this size. In thousands of random accesses to a small
    /// file, some follow the previous one by chance. So a random visit may have some sequential pairs:
    /// the expected number, three standard deviations, and one.
    pub(super) fn order(&self, file_bytes: u64) -> Order {
        // A visit without accesses has no pairs either.
        let pairs = self.accesses.saturating_sub(1);
        if self.sequential_accesses == pairs {
            return Order::InARow;
        }
        let places = (file_bytes as f64 / f64::from(self.first_len.max(1))).max(1.0);
        let expected = f64::from(pairs) / places;
        let most_by_chance = expected + 3.0 * expected.sqrt() + 1.0;
        if f64::from(self.sequential_accesses) <= most_by_chance { Order::Random } else { Order::Between }
    }
}

/// A visit in progress.
#[derive(Clone, Debug)]
struct OpenVisit {
    visit: Visit,
    last_len: u32,
    next_offset: u64,
    /// Whether the remainder of the visit has begun.
    is_remainder: bool,
    /// It began before the measurement, so it is incomplete.
    is_cut: bool,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    open: Option<OpenVisit>,
    /// When it last completed something, and its state before its next access.
    last_done_ns: Option<u64>,
    /// The pause before the first operation of the next visit.
    pause_ns: Option<u64>,
    /// A file was opened or closed since the last access, so the next one starts a new visit.
    file_was_opened_or_closed: bool,
    in_warmup: bool,
    has_closed: bool,
    ends: BTreeMap<u32, u64>,
}

/// Within a visit, a longer wait is a pause, and no delay of the recording program.
const WAIT_NS: u64 = 1_000_000;

/// All visits and other operations.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    sizes: Vec<u64>,
    workers: BTreeMap<u32, Worker>,
    pub(super) done: Vec<Visit>,
    /// Operations that no mix does: metadata, failures, copies on the server.
    pub(super) others: u64,
    pub(super) left_out: u64,
    reached: BTreeMap<u32, u64>,
}

impl Visits {
    pub(super) fn new(sizes: Vec<u64>) -> Visits {
        Visits { sizes, ..Visits::default() }
    }

    /// The known size of a file, or how far it was used.
    pub(super) fn file_bytes(&self, file: u32) -> u64 {
        let known = self.sizes.get(file as usize).copied().unwrap_or(0);
        known.max(self.reached.get(&file).copied().unwrap_or(0))
    }

    /// The order of the accesses of a visit.
    pub(super) fn order(&self, visit: &Visit) -> Order {
        visit.order(self.file_bytes(visit.file))
    }

    /// The number of files, used or not.
    pub(super) fn files(&self) -> usize {
        self.sizes.len().max(self.reached.len())
    }

    pub(super) fn add(&mut self, op: &OpRecord) {
        let worker = self.workers.entry(op.worker).or_default();
        // If several operations in flight overlap, the worker was not idle.
        let idle_ns = worker.last_done_ns.map(|last_ns| op.due_ns.saturating_sub(last_ns));
        worker.last_done_ns = worker.last_done_ns.max(Some(op.done_ns));
        if op.flags.has(OpFlags::WARMUP) {
            worker.in_warmup = true;
            worker.file_was_opened_or_closed = true;
            worker.pause_ns = None;
            return;
        }
        match op.kind {
            _ if op.errno != 0 || op.flags.is_copied() => self.others += 1,
            OpKind::Read | OpKind::Write if op.done_len > 0 => self.access(op, idle_ns),
            OpKind::Read | OpKind::Write => self.others += 1,
            OpKind::Open | OpKind::Close => self.open_or_close(op, idle_ns),
            OpKind::Sync => self.add_sync(op),
            // A mix does no other operations.
            _ => self.others += 1,
        }
    }

    /// Takes an open or a close, which ends the visit.
    fn open_or_close(&mut self, op: &OpRecord, idle_ns: Option<u64>) {
        let Some(worker) = self.workers.get_mut(&op.worker) else { return };
        worker.file_was_opened_or_closed = true;
        if op.kind == OpKind::Open {
            worker.pause_ns = idle_ns;
            worker.in_warmup = false;
        }
        Self::close(worker, &mut self.done, &mut self.left_out);
    }

    fn close(worker: &mut Worker, done: &mut Vec<Visit>, left_out: &mut u64) {
        let Some(open) = worker.open.take() else { return };
        worker.has_closed = true;
        worker.ends.insert(open.visit.file, open.next_offset);
        if open.is_cut {
            return;
        }
        if done.len() >= VISITS_MAX {
            *left_out += 1;
        } else {
            done.push(open.visit);
        }
    }

    fn add_sync(&mut self, op: &OpRecord) {
        match self.workers.get_mut(&op.worker).and_then(|worker| worker.open.as_mut()) {
            Some(open) if open.visit.is_writing && open.visit.file == op.file => open.visit.syncs += 1,
            _ => self.others += 1,
        }
    }

    fn access(&mut self, op: &OpRecord, idle_ns: Option<u64>) {
        let end = op.end_offset();
        let reached = self.reached.entry(op.file).or_default();
        *reached = (*reached).max(end);
        let Some(worker) = self.workers.get_mut(&op.worker) else { return };
        let is_writing = op.kind == OpKind::Write;
        let is_same = worker
            .open
            .as_ref()
            .is_some_and(|open| open.visit.file == op.file && open.visit.is_writing == is_writing);
        if is_same && !worker.file_was_opened_or_closed {
            if let Some(open) = &mut worker.open {
                open.take(op, idle_ns);
            }
            return;
        }
        Self::close(worker, &mut self.done, &mut self.left_out);
        let pause_ns = if worker.file_was_opened_or_closed { worker.pause_ns } else { idle_ns };
        worker.file_was_opened_or_closed = false;
        worker.pause_ns = None;
        let goes_on = worker.ends.get(&op.file) == Some(&op.offset) && op.offset > 0;
        let is_cut = std::mem::take(&mut worker.in_warmup);
        worker.open = Some(OpenVisit {
            visit: Visit {
                worker: op.worker,
                file: op.file,
                is_writing,
                first_len: op.len,
                second_len: None,
                is_of_blocks: true,
                accesses: 1,
                bytes: u64::from(op.len),
                start: op.offset,
                sequential_accesses: 0,
                is_continuation: goes_on,
                syncs: 0,
                pause_ns,
                waits: 0,
            },
            last_len: op.len,
            next_offset: end,
            is_remainder: false,
            is_cut,
        });
    }

    /// Ends the last visits. A visit that is still open is incomplete, unless its worker never ended a
    /// visit.
    pub(super) fn finish(&mut self) {
        for worker in self.workers.values_mut() {
            // If a worker never ended a visit, its only visit counts as complete.
            if !worker.has_closed {
                Self::close(worker, &mut self.done, &mut self.left_out);
            }
        }
    }
}

impl OpenVisit {
    fn take(&mut self, op: &OpRecord, idle_ns: Option<u64>) {
        let visit = &mut self.visit;
        if visit.accesses == 1 {
            visit.second_len = Some(op.len);
        }
        // Blocks of the drawn size, and then smaller and smaller ones.
        let is_shorter = op.len < self.last_len;
        let fits = is_shorter || (op.len == self.last_len && !self.is_remainder);
        visit.is_of_blocks &= fits;
        self.is_remainder |= is_shorter;
        visit.sequential_accesses += u32::from(op.offset == self.next_offset);
        // 32 bits: billions of accesses make no difference.
        visit.accesses = visit.accesses.saturating_add(1);
        visit.bytes += u64::from(op.len);
        visit.waits += u32::from(idle_ns.is_some_and(|idle_ns| idle_ns > WAIT_NS));
        self.last_len = op.len;
        self.next_offset = op.end_offset();
    }
}
