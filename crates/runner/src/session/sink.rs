//! The measuring threads' end of the spool: a bounded ring of records per thread, without locks.
//!
//! A full ring never makes a measuring thread wait, because that would change the measurement. The
//! record is counted as missed instead, and a run with missed records reports that on its first screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use reelgauge_engine::driver::Sink;
use reelgauge_record::{OpRecord, ProcessorWait};
use rtrb::{Consumer, Producer, RingBuffer};

/// How many records the rings of a load point hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingRoom {
    pub total: usize,
    pub least: usize,
    pub most: usize,
}

impl Default for RingRoom {
    /// 32 MiB in all, a third of a second of the fastest storage.
    fn default() -> RingRoom {
        RingRoom { total: 524_288, least: 1024, most: 262_144 }
    }
}

/// Failures that one ring holds in addition, for when it is full of records.
const FAILURES_PER_RING: usize = 16;

/// Waits for a processor that one ring holds: one is reported at most every few milliseconds.
const WAITS_PER_RING: usize = 1024;

/// Puts records into its ring.
#[derive(Debug)]
pub struct RingSink {
    ring: Producer<OpRecord>,
    waits: Producer<ProcessorWait>,
    failures: Producer<OpRecord>,
    missed: Arc<AtomicU64>,
}

/// The other end of a [`RingSink`].
#[derive(Debug)]
pub struct RingSource {
    /// The records, oldest first.
    pub ring: Consumer<OpRecord>,
    /// Waits for processors. To be emptied before the records: a wait is put in before its record.
    pub waits: Consumer<ProcessorWait>,
    /// Failed or short operations whose records found no space: they count as missed, but the run must
    /// not continue as if nothing had happened.
    pub failures: Consumer<OpRecord>,
    missed: Arc<AtomicU64>,
}

impl RingSource {
    /// The total number of records that found no space.
    pub fn missed_ops(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

/// One ring for each of this many measuring threads.
pub fn rings(threads: usize, room: RingRoom) -> (Vec<RingSink>, Vec<RingSource>) {
    assert!(0 < room.least && room.least <= room.most, "a ring has room for records");
    let capacity = (room.total / threads.max(1)).clamp(room.least, room.most);
    let ring = |_| {
        let (producer, consumer) = RingBuffer::new(capacity);
        let (waits, waited) = RingBuffer::new(WAITS_PER_RING);
        let (failures, failed) = RingBuffer::new(FAILURES_PER_RING);
        let missed = Arc::new(AtomicU64::new(0));
        let sink = RingSink { ring: producer, waits, failures, missed: Arc::clone(&missed) };
        (sink, RingSource { ring: consumer, waits: waited, failures: failed, missed })
    };
    (0..threads).map(ring).unzip()
}

impl RingSink {
    #[cold]
    fn miss(&mut self, op: &OpRecord) {
        self.missed.fetch_add(1, Ordering::Relaxed);
        if op.errno != 0 || op.is_short() {
            // If there is no space for it here, either, earlier failures are stored, and they suffice.
            let _ = self.failures.push(*op);
        }
    }
}

impl Sink for RingSink {
    #[inline]
    fn record(&mut self, op: &OpRecord) {
        if self.ring.push(*op).is_err() {
            self.miss(op);
        }
    }

    #[inline]
    fn waited(&mut self, wait: &ProcessorWait) {
        // Without space, the delay is attributed to the storage, as on systems that do not report waits.
        let _ = self.waits.push(*wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a ring has room for records")]
    fn ring_without_capacity_is_a_defect() {
        rings(2, RingRoom { total: 8, least: 0, most: 4 });
    }
}
