//! What measuring threads told of their waits for a processor, by the operations that it was about.

use std::collections::HashMap;

use reelgauge_record::{OpRecord, ProcessorWait};

/// So many waits are kept; then all are forgotten. Operations come right behind their waits, so these are of
/// no use any more.
const KEPT: usize = 1 << 16;

/// Waits by worker and by the time at which the operation was seen to be done.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    waits: HashMap<(u32, u64), ProcessorWait>,
}

impl Waits {
    /// Keeps one for its operation.
    pub(super) fn put(&mut self, wait: ProcessorWait) {
        if self.waits.len() >= KEPT {
            self.waits.clear();
        }
        self.waits.insert((wait.worker, wait.done_ns), wait);
    }

    /// That of this operation: none at all for nearly all of them. It is kept, because several operations of
    /// a worker may have been seen to be done at once.
    #[inline]
    pub(super) fn of(&self, op: &OpRecord) -> ProcessorWait {
        if self.waits.is_empty() {
            return ProcessorWait::default();
        }
        // Its thread did not wait, or not long enough to be worth noting.
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
