//! Counting on the hot path: the operations of one worker in one load point.
//!
//! Only workers are counted here. A load point's total is the sum over its workers, computed once at its
//! end, so that an operation is counted in one place.

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::figures::stretch_ns;
use crate::paper::PaperTally;
use crate::spread::{PairRecorder, Recorder};
use crate::transfer::Transfers;

/// The longest time, and when that operation began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peak {
    pub(crate) ns: u64,
    pub(crate) began_ns: u64,
}

impl Default for Peak {
    fn default() -> Peak {
        Peak { ns: 0, began_ns: u64::MAX }
    }
}

impl Peak {
    /// Takes a time; of equal ones the earlier is kept, so that the order of workers does not matter.
    #[inline]
    pub(crate) fn take(&mut self, ns: u64, began_ns: u64) {
        if ns >= self.ns && (ns > self.ns || began_ns < self.began_ns) {
            *self = Peak { ns, began_ns };
        }
    }
}

/// The meaning of a read or write that succeeds but transfers less than requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShortOps {
    /// It is no valid result: the files of the workload have a known size. Its bytes count, but its
    /// time, which may be very short, is no response time.
    #[default]
    Failures,
    /// It is a valid result: a replay reads beyond the ends of files where the application did.
    Answers,
}

/// Operations of one kind that succeeded.
#[derive(Clone, Debug, Default)]
pub(crate) struct KindTally {
    pub(crate) succeeded: u64,
    /// Operations that transferred less than requested and are no valid results; no time here includes
    /// them.
    short: u64,
    pub(crate) bytes: u64,
    pub(crate) service_sum_ns: u64,
    pub(crate) response_sum_ns: u64,
    pub(crate) service_max: Peak,
    pub(crate) response_max: Peak,
    pub(crate) times: PairRecorder,
}

impl KindTally {
    #[inline]
    fn add(&mut self, op: &OpRecord) {
        let (service_ns, response_ns) = (op.service_ns(), op.response_ns());
        self.succeeded += 1;
        self.bytes += u64::from(op.done_len);
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        self.service_sum_ns = self.service_sum_ns.saturating_add(service_ns);
        self.response_sum_ns = self.response_sum_ns.saturating_add(response_ns);
        self.service_max.take(service_ns, op.issued_ns);
        self.response_max.take(response_ns, op.due_ns);
        self.times.record(service_ns, response_ns);
    }

    fn came_short(&mut self, op: &OpRecord) {
        self.short += 1;
        self.bytes += u64::from(op.done_len);
    }
}

/// The scheduling delay of Reelgauge: from when an operation was due and its worker was free until it
/// was issued.
///
/// Issued − due alone is wrong: behind a slow operation of a paced worker, the next ones are issued late
/// through no fault of Reelgauge. Zero delay is the most frequent case and needs no histogram.
#[derive(Clone, Debug, Default)]
pub(crate) struct LatenessTally {
    pub(crate) on_time: u64,
    pub(crate) max_ns: u64,
    pub(crate) late: Recorder,
    free_since_ns: u64,
}

impl LatenessTally {
    #[inline]
    fn add(&mut self, op: &OpRecord) {
        // If several operations are in flight, the worker was not waiting for the previous one.
        let waited = self.free_since_ns <= op.issued_ns;
        let could_ns = if waited { op.due_ns.max(self.free_since_ns) } else { op.due_ns };
        let lateness_ns = stretch_ns(could_ns, op.issued_ns);
        self.free_since_ns = op.done_ns;
        if op.flags.has(OpFlags::RATE_LIMITED) {
            // Its wait for the limit is no delay of Reelgauge. How much Reelgauge added to it is unknown.
        } else if lateness_ns == 0 {
            self.on_time += 1;
        } else {
            self.late.record(lateness_ns);
            self.max_ns = self.max_ns.max(lateness_ns);
        }
    }
}

/// Failures with one error number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ErrorTally {
    pub(crate) count: u64,
    pub(crate) max_response_ns: u64,
    pub(crate) first: OpRecord,
}

impl ErrorTally {
    pub(crate) fn add(&mut self, other: &ErrorTally) {
        self.count += other.count;
        self.max_response_ns = self.max_response_ns.max(other.max_response_ns);
        if comes_before(&other.first, &self.first) {
            self.first = other.first;
        }
    }
}

/// An order of failures that does not depend on the order of the workers.
pub(crate) fn comes_before(one: &OpRecord, other: &OpRecord) -> bool {
    (one.done_ns, one.worker, one.transfer) < (other.done_ns, other.worker, other.transfer)
}

/// Adds failures to a list that has one entry per error number.
pub(crate) fn add_error(errors: &mut Vec<ErrorTally>, failure: &ErrorTally) {
    match errors.iter_mut().find(|known| known.first.errno == failure.first.errno) {
        Some(known) => known.add(failure),
        None => errors.push(*failure),
    }
}

/// Kinds below this number are those that most workers use.
const COMMON_KINDS: usize = OpKind::Unlink as usize;

/// The number of all other kinds.
const RARE_KINDS: usize = OpKind::ALL.len() - COMMON_KINDS;

/// The counts of one worker in one load point.
#[derive(Clone, Debug)]
pub(crate) struct WorkerTally {
    pub(crate) worker: u32,
    common: [KindTally; COMMON_KINDS],
    /// Allocated when the first of them occurs: with ten thousand workers, each byte counts.
    rare: Option<Box<[KindTally; RARE_KINDS]>>,
    pub(crate) transfers: Transfers,
    pub(crate) paper: PaperTally,
    pub(crate) lateness: LatenessTally,
    pub(crate) short_transfers: u64,
    pub(crate) short_writes: u64,
    pub(crate) warmup_ops: u64,
    pub(crate) warmup_read_bytes: u64,
    pub(crate) warmup_written_bytes: u64,
    pub(crate) failed_by_kind: [u64; OpKind::ALL.len()],
    pub(crate) errors: Vec<ErrorTally>,
}

impl WorkerTally {
    pub(crate) fn new(worker: u32, is_limited: bool) -> WorkerTally {
        WorkerTally {
            worker,
            common: Default::default(),
            rare: None,
            transfers: Transfers::new(is_limited),
            paper: PaperTally::default(),
            lateness: LatenessTally::default(),
            short_transfers: 0,
            short_writes: 0,
            warmup_ops: 0,
            warmup_read_bytes: 0,
            warmup_written_bytes: 0,
            failed_by_kind: [0; OpKind::ALL.len()],
            errors: Vec::new(),
        }
    }

    /// Takes a measured operation of this worker.
    #[inline]
    pub(crate) fn add(&mut self, op: &OpRecord, short_ops: ShortOps) {
        self.lateness.add(op);
        if op.errno != 0 {
            self.failed(op);
        } else if op.is_short() {
            self.short(op, short_ops);
        } else {
            self.kind_mut(op.kind).add(op);
        }
        self.transfers.add(op, &mut self.paper);
    }

    /// Takes an operation of the warm-up; no figure includes it.
    pub(crate) fn add_warmup(&mut self, op: &OpRecord) {
        self.warmup_ops += 1;
        match op.kind {
            OpKind::Read => self.warmup_read_bytes += u64::from(op.done_len),
            OpKind::Write => self.warmup_written_bytes += u64::from(op.done_len),
            _ => {}
        }
        self.lateness.free_since_ns = op.done_ns;
        self.transfers.warm_up(op);
    }

    #[cold]
    fn short(&mut self, op: &OpRecord, short_ops: ShortOps) {
        self.short_transfers += 1;
        self.short_writes += u64::from(op.kind == OpKind::Write);
        match short_ops {
            ShortOps::Failures => self.kind_mut(op.kind).came_short(op),
            ShortOps::Answers => self.kind_mut(op.kind).add(op),
        }
    }

    #[cold]
    fn failed(&mut self, op: &OpRecord) {
        self.failed_by_kind[op.kind as usize] += 1;
        let failure = ErrorTally { count: 1, max_response_ns: op.response_ns(), first: *op };
        add_error(&mut self.errors, &failure);
    }

    #[inline]
    fn kind_mut(&mut self, kind: OpKind) -> &mut KindTally {
        match (kind as usize).checked_sub(COMMON_KINDS) {
            None => &mut self.common[kind as usize],
            Some(rare) => &mut self.rare.get_or_insert_default()[rare],
        }
    }

    /// The operations of a kind; `None` if none has succeeded.
    pub(crate) fn kind(&self, kind: OpKind) -> Option<&KindTally> {
        self.tally(kind).filter(|tally| tally.succeeded > 0)
    }

    fn tally(&self, kind: OpKind) -> Option<&KindTally> {
        match (kind as usize).checked_sub(COMMON_KINDS) {
            None => Some(&self.common[kind as usize]),
            Some(rare) => Some(&self.rare.as_ref()?[rare]),
        }
    }

    /// Bytes that operations of a kind transferred.
    pub(crate) fn bytes(&self, kind: OpKind) -> u64 {
        self.tally(kind).map_or(0, |tally| tally.bytes)
    }

    /// Measured operations of a kind, including failed and short ones.
    pub(crate) fn ops(&self, kind: OpKind) -> u64 {
        let done = self.tally(kind).map_or(0, |tally| tally.succeeded + tally.short);
        done + self.failed_by_kind[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::read;

    use super::*;

    /// In milliseconds: due, issued, done.
    fn lateness_of(ops: &[(u64, u64, u64)]) -> LatenessTally {
        let mut tally = LatenessTally::default();
        for &(due, issued, done) in ops {
            tally.add(&read(0, 0, 1).at_ms(issued).due_at_ns(due * 1_000_000).done_at_ms(done));
        }
        tally
    }

    #[test]
    fn slow_storage_is_no_delay_of_reelgauge() {
        // A stall of a second; the frames behind it are issued as soon as it is over.
        let stalled =
            lateness_of(&[(0, 0, 1_000), (40, 1_000, 1_010), (80, 1_010, 1_020), (120, 1_025, 1_030)]);
        assert_eq!((stalled.on_time, stalled.max_ns), (3, 5_000_000));
    }

    #[test]
    fn operations_in_flight_hide_no_delay() {
        // The second was due at 10 and issued at 30, while the first was in flight until 50.
        let overlapping = lateness_of(&[(0, 0, 50), (10, 30, 60)]);
        assert_eq!((overlapping.on_time, overlapping.max_ns), (1, 20_000_000));
    }
}
