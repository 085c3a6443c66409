//! A store in memory that answers in place of the storage, for the self-test of Reelgauge.
//!
//! The threads driver uses it if its context has one: scripts, waits, clock readings and records are those of
//! every run. Only the system call is replaced. Files are not opened, and written data is discarded.

use std::ops::Range;
use std::thread::sleep;
use std::time::Duration;

use reelgauge_record::OpKind;
use reelgauge_workload::script::Op;

/// Larger than the caches of most processors, so that a read costs a copy from memory.
const DATA_BYTES: usize = 64 << 20;

/// Memory that answers every valid operation.
#[derive(Debug)]
pub struct InternalStore {
    data: Vec<u8>,
    answers_after: Duration,
    freezes_ns: Vec<Range<u64>>,
}

impl InternalStore {
    /// A store that answers at once.
    pub fn immediate() -> InternalStore {
        // Not zeros: the system could map them all to one page, which stays in the processor's cache.
        InternalStore { data: vec![0xA5; DATA_BYTES], answers_after: Duration::ZERO, freezes_ns: Vec::new() }
    }

    /// A store without content for short reads: it answers each operation after this time, and answers
    /// nothing during the freezes, in nanoseconds since the start of the load point.
    pub fn timed(answers_after: Duration, freezes_ns: Vec<Range<u64>>) -> InternalStore {
        InternalStore { data: vec![0xA5; 1 << 20], answers_after, freezes_ns }
    }

    /// Performs an operation, and returns the number of bytes transferred. `buffer` holds what is read;
    /// `now_ns` returns the time since the start of the load point.
    pub(crate) fn perform(&self, op: &Op, buffer: &mut [u8], now_ns: impl Fn() -> u64) -> usize {
        if !self.answers_after.is_zero() {
            sleep(self.answers_after);
        }
        if !self.freezes_ns.is_empty() {
            let at_ns = now_ns();
            if let Some(freeze) = self.freezes_ns.iter().find(|freeze| freeze.contains(&at_ns)) {
                sleep(Duration::from_nanos(freeze.end - at_ns));
            }
        }
        match op.kind {
            OpKind::Read => self.read(op.offset, &mut buffer[..op.len as usize]),
            OpKind::Write => {}
            _ => return 0,
        }
        op.len as usize
    }

    /// Copies from the position of an offset, which wraps around.
    fn read(&self, offset: u64, buffer: &mut [u8]) {
        let from = (offset % self.data.len() as u64) as usize;
        let first = buffer.len().min(self.data.len() - from);
        buffer[..first].copy_from_slice(&self.data[from..from + first]);
        for piece in buffer[first..].chunks_mut(self.data.len()) {
            piece.copy_from_slice(&self.data[..piece.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::OpFlags;
    use reelgauge_workload::script::OpenMode;

    use super::*;

    fn read_at(offset: u64, len: u32) -> Op {
        Op {
            kind: OpKind::Read,
            handle: 0,
            file: 0,
            offset,
            len,
            due_ns: 0,
            transfer: 0,
            stream: 0,
            flags: OpFlags::NONE,
            open: OpenMode::default(),
            token: 0,
        }
    }

    #[test]
    fn operation_in_a_freeze_is_answered_after_it() {
        let clock = std::time::Instant::now();
        let now_ns = || u64::try_from(clock.elapsed().as_nanos()).unwrap();
        let store = InternalStore::timed(Duration::ZERO, vec![Range { start: 0, end: 30_000_000 }]);
        assert_eq!(store.perform(&read_at(0, 8), &mut [0; 8], now_ns), 8);
        assert!(now_ns() >= 30_000_000);
    }

    #[test]
    fn read_fills_the_buffer_from_any_offset() {
        let store = InternalStore::timed(Duration::ZERO, Vec::new());
        for offset in [0, (1 << 20) - 3, u64::MAX] {
            let mut buffer = [0; 64];
            assert_eq!(store.perform(&read_at(offset, 64), &mut buffer, || 0), 64);
            assert_eq!(buffer, [0xA5; 64], "{offset}");
        }
    }
}
