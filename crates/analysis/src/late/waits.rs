//! The waits of measuring threads for a processor, by the operations that they affected.

use std::collections::HashMap;

use reelgauge_record::{OpRecord, ProcessorWait};

/// Waits that are kept. When there are more, all are dropped: operations follow their waits immediately,
/// so older ones are no longer needed.
const KEPT: usize = 1 << 16;

/// Waits by worker and by the time at which the operation's completion was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    waits: HashMap<(u32, u64), ProcessorWait>,
}

impl Waits {
    /// Stores the wait for its operation.
    pub(super) fn put(&mut self, wait: ProcessorWait) {
        if self.waits.len() >= KEPT {
            self.waits.clear();
        }
        self.waits.insert((wait.worker, wait.done_ns), wait);
    }

    /// The wait of this operation; zero for nearly all operations. It stays stored, because several
    /// operations of a worker may have been seen as completed at the same time.
    #[inline]
    pub(super) fn of(&self, op: &OpRecord) -> ProcessorWait {
        if self.waits.is_empty() {
            return ProcessorWait::default();
        }
        // Its thread did not wait, or too briefly to be recorded.
        self.waits.get(&(op.worker, op.done_ns)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::read;

    use super::*;

    #[test]
    fn a_wait_is_known_by_worker_and_time() {
        let mut waits = Waits::default();
        let wait = ProcessorWait { worker: 3, done_ns: 70, before_ns: 5, in_flight_ns: 9 };
        let seen = |worker, done_ns| read(0, 0, 100).by_worker(worker).done_at_ns(done_ns);
        assert_eq!(waits.of(&seen(3, 70)), ProcessorWait::default());
        waits.put(wait);
        assert_eq!(waits.of(&seen(2, 70)), ProcessorWait::default());
        assert_eq!(waits.of(&seen(3, 71)), ProcessorWait::default());
        assert_eq!(waits.of(&seen(3, 70)), wait);
    }

    #[test]
    fn old_waits_are_forgotten() {
        let mut waits = Waits::default();
        (0..1_000_000).for_each(|done_ns| waits.put(ProcessorWait { done_ns, ..ProcessorWait::default() }));
        assert!(waits.waits.len() <= KEPT);
    }
}
