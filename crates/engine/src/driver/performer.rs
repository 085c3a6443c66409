//! Performs one operation at a time, on the calling thread.

use reelgauge_record::{OpFlags, OpKind};
use reelgauge_workload::script::{Done, Needs, Op};

use super::{Context, DriverError, read_buffer, write_data};
use crate::buffer::AlignedBuffer;
use crate::io::{ErrorNumber, NOT_OPEN, OpenFile};
use crate::pattern::{Stamped, WriteData};

/// The memory that a thread needs to perform one operation at a time: a read buffer and write data.
pub(super) struct Hands {
    pub(super) needs: Needs,
    read: AlignedBuffer,
    data: Option<WriteData>,
}

impl Hands {
    /// For the `slot`-th operation in flight of a worker.
    pub(super) fn new(context: &Context, needs: Needs, worker: u32, slot: u16) -> Result<Hands, DriverError> {
        let read = read_buffer(needs.max_len as usize, &needs)?;
        Ok(Hands { needs, read, data: write_data(context, &needs, worker, slot)? })
    }

    /// Prepares a valid operation: generates its data, or allocates the read buffer. This takes time
    /// that must not count as the storage's.
    #[inline]
    pub(super) fn prepare(&mut self, op: &Op) -> Option<Stamped> {
        match op.kind {
            OpKind::Write => {
                debug_assert!(self.data.is_some(), "a script that writes has memory for its data");
                self.data.as_mut().map(|data| data.stamp(op.file, op.offset, op.len as usize))
            }
            OpKind::Read => {
                self.read.touch();
                None
            }
            _ => None,
        }
    }

    /// Performs an operation in the context's internal store; `None` if it has none.
    #[inline]
    pub(super) fn work_internally(&mut self, op: &Op, context: &Context) -> Option<usize> {
        let store = context.internal_store.as_ref()?;
        let now_ns = || context.clock.now_ns() - context.window.begun_ns();
        Some(store.perform(op, self.read.as_mut_slice(), now_ns))
    }

    /// Performs an operation on an open file, except close, with one system call.
    #[inline]
    pub(super) fn work(
        &mut self,
        op: &Op,
        stamped: Option<&Stamped>,
        file: &OpenFile,
    ) -> Result<usize, ErrorNumber> {
        let len = op.len as usize;
        match (op.kind, stamped, &self.data) {
            (OpKind::Read, _, _) => {
                let result = file.read_at(&mut self.read.as_mut_slice()[..len], op.offset);
                #[cfg(test)]
                super::tests::look_at(op, &self.read.as_slice()[..result.unwrap_or(0)]);
                result
            }
            (OpKind::Write, Some(stamped), Some(data)) => file.write_at(data.slice(stamped, len), op.offset),
            (OpKind::Sync, _, _) => file.sync().map(|()| 0),
            (OpKind::Truncate, _, _) => file.set_size(op.offset).map(|()| 0),
            (OpKind::Allocate, _, _) => {
                file.allocate(op.offset, op.len, op.flags.has(OpFlags::KEEPS_SIZE)).map(|()| 0)
            }
            _ => Err(NOT_OPEN),
        }
    }
}

/// The part of a result that the script receives.
#[inline]
pub(super) fn outcome(op: &Op, issued_ns: u64, done_ns: u64, result: Result<usize, ErrorNumber>) -> Done {
    let (done_len, errno) = match result {
        Ok(moved) => {
            debug_assert!(moved <= op.len as usize, "a system call transfers no more bytes than requested");
            (moved as u32, 0)
        }
        Err(errno) => (0, errno),
    };
    Done { token: op.token, due_ns: op.due_ns, issued_ns, done_ns, done_len, errno }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::op;
    use super::*;

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a script that writes has memory for its data")]
    fn a_write_without_memory_is_a_defect() {
        let needs = Needs { handles: 1, in_flight: 1, max_len: 4096, writes: true };
        let mut hands = Hands { needs, read: AlignedBuffer::new(4096).unwrap(), data: None };
        hands.prepare(&op(OpKind::Write));
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a system call transfers no more bytes than requested")]
    fn more_bytes_than_requested_is_a_defect() {
        outcome(&Op { len: 5, ..op(OpKind::Read) }, 1, 2, Ok(6));
    }
}
