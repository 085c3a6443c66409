//! The measuring threads' end of the spool: a bounded ring of records per thread, without locks.
//!
//! A full ring never makes a measuring thread wait, because that would change what is measured. The
//! record is counted as missed instead, and a run with missed records says so on its first screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use reelgauge_engine::driver::Sink;
use reelgauge_record::{OpRecord, ProcessorWait};
use rtrb::{Consumer, Producer, RingBuffer};

/// Records that all rings together hold: 32 MiB, a third of a second of the fastest storage.
const RECORDS_TOTAL: usize = 524_288;
/// Records that one ring holds at least and at most.
const RECORDS_PER_RING: (usize, usize) = (1024, 262_144);

/// Waits for a processor that one ring holds: they are told at most every few milliseconds.
const WAITS_PER_RING: usize = 1024;

/// Puts records into its ring.
#[derive(Debug)]
pub struct RingSink {
    ring: Producer<OpRecord>,
    waits: Producer<ProcessorWait>,
    missed: Arc<AtomicU64>,
}

/// The other end of a [`RingSink`].
#[derive(Debug)]
pub struct RingSource {
    /// The records, oldest first.
    pub ring: Consumer<OpRecord>,
    /// What was waited for processors. To be emptied before the records that are there: a wait is put in
    /// before its record.
    pub waits: Consumer<ProcessorWait>,
    missed: Arc<AtomicU64>,
}

impl RingSource {
    /// How many records found no room, ever.
    pub fn missed_ops(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

/// One ring for each of so many measuring threads.
pub fn rings(threads: usize) -> (Vec<RingSink>, Vec<RingSource>) {
    let (least, most) = RECORDS_PER_RING;
    let capacity = (RECORDS_TOTAL / threads.max(1)).clamp(least, most);
    let ring = |_| {
        let (producer, consumer) = RingBuffer::new(capacity);
        let (waits, waited) = RingBuffer::new(WAITS_PER_RING);
        let missed = Arc::new(AtomicU64::new(0));
        let sink = RingSink { ring: producer, waits, missed: Arc::clone(&missed) };
        (sink, RingSource { ring: consumer, waits: waited, missed })
    };
    (0..threads).map(ring).unzip()
}

impl Sink for RingSink {
    #[inline]
    fn record(&mut self, op: &OpRecord) {
        if self.ring.push(*op).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn waited(&mut self, wait: &ProcessorWait) {
        // One that finds no room only leaves a delay with the storage, as where no system tells of waits.
        let _ = self.waits.push(*wait);
    }
}
