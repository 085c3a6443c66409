//! A ring's knowledge of its workers: an entry for each, the slots for their operations in flight, and
//! their open files.

use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::os::fd::OwnedFd;

use io_uring::types::OpenHow;
use reelgauge_record::OpKind;
use reelgauge_workload::script::{Needs, Op, OpenMode, Script};
use rustix::fs::{OFlags, Statx};

use super::super::{Context, DriverError, ReadOnly, Worker, impossible, read_buffer, write_at, write_data};
use super::files::OpenHandles;
use super::offload::is_offloaded;
use crate::buffer::AlignedBuffer;
use crate::io::{Anchors, IMPOSSIBLE, NOT_OPEN, Opening};
use crate::pattern::{Stamped, WriteData};
use crate::verify::WriteAt;

/// A worker from its ring's view.
pub(super) struct RingWorker<S> {
    pub(super) worker: Worker<S>,
    /// The first of its free slots, or [`Slot::NONE`]; [`Slot::next_free`] links to the next one.
    pub(super) free: u32,
    /// The number of its slots in use.
    pub(super) busy: u16,
    /// A prepared operation that is not yet due.
    pub(super) held: Option<u32>,
    /// Whether that operation is a close that waits for offloaded operations on its file.
    pub(super) is_held_back: bool,
    /// Whether the throttle delays that operation.
    pub(super) is_throttled: bool,
    /// When its latest wait for the throttle ended.
    pub(super) released_ns: u64,
    /// Whether the slot is in the queue of workers to ask.
    pub(super) is_ready: bool,
    /// Whether its alarm is set.
    pub(super) has_alarm: bool,
    /// Whether its script has finished.
    pub(super) is_finished: bool,
}

/// One operation in flight, with its memory.
pub(super) struct Slot {
    pub(super) op: Op,
    /// When it was issued, or [`Slot::GROUNDED`].
    pub(super) issued_ns: u64,
    /// The directories that its paths start from, if the ring performs it by path; `None` for an
    /// offloaded operation.
    pub(super) anchors: Option<Anchors>,
    /// The parameters of its open. They live as long as the kernel may read them.
    pub(super) how: OpenHow,
    /// The checks for its open.
    pub(super) opening: Opening,
    /// The file that it has opened, and that must be emptied before the operation is complete.
    pub(super) emptied: Option<OwnedFd>,
    /// Why the operation is invalid, as an error number.
    pub(super) refused: Option<i32>,
    pub(super) next_free: u32,
    pub(super) ring_worker: u32,
    pub(super) worker: u32,
    /// The worker's first handle in [`Slots::files`].
    pub(super) first_handle: u32,
    pub(super) read: AlignedBuffer,
    pub(super) data: Option<Box<WriteData>>,
    /// Whether the read buffer is registered with the kernel; `None` until that was tried.
    pub(super) is_read_registered: Option<bool>,
    /// The indexes of the two buffers, `read` and the data's pool, if they are registered; in the order
    /// of the slots.
    pub(super) read_index: u16,
    pub(super) data_index: u16,
    /// The file that its close is closing.
    pub(super) closing: Option<OwnedFd>,
    stamped: Option<Stamped>,
    needs: Needs,
}

impl Slot {
    pub(super) const NONE: u32 = u32::MAX;
    /// The issue time of an operation that is not in flight.
    pub(super) const GROUNDED: u64 = u64::MAX;

    /// Stores an operation and generates its data, or allocates the read buffer.
    #[inline]
    pub(super) fn prepare(&mut self, op: &Op, files: usize, read_only: &ReadOnly) {
        self.op = *op;
        self.refused = impossible(op, &self.needs, files, read_only);
        self.stamped = None;
        if op.kind == OpKind::Write && self.refused.is_none() {
            let data = self.data.as_mut();
            self.stamped = data.map(|data| data.stamp(op.file, op.offset, op.len as usize));
            debug_assert!(self.stamped.is_some(), "a script that writes has memory for its data");
        } else if op.kind == OpKind::Read {
            self.read.touch();
        }
    }

    /// Records that its operation is issued at this time.
    #[inline]
    pub(super) fn issue(&mut self, now_ns: u64) {
        debug_assert_eq!(self.issued_ns, Slot::GROUNDED, "an operation is issued once");
        self.issued_ns = now_ns;
    }

    /// Records that a helper issued its operation at this time, later than the ring sent it.
    pub(super) fn issued_by_helper(&mut self, issued_ns: u64) {
        assert_ne!(self.issued_ns, Slot::GROUNDED, "a helper's operation is in flight");
        self.issued_ns = issued_ns;
    }

    /// Records that its operation is over. Returns when it was issued.
    #[inline]
    pub(super) fn land(&mut self) -> u64 {
        let issued_ns = std::mem::replace(&mut self.issued_ns, Slot::GROUNDED);
        assert_ne!(issued_ns, Slot::GROUNDED, "a completion belongs to an operation in flight");
        issued_ns
    }

    /// Whether it is performed by a path, as an open is.
    #[inline]
    pub(super) fn names_files(&self) -> bool {
        self.op.goes_by_path() || matches!(self.op.kind, OpKind::Open | OpKind::Create)
    }

    /// Whether a helper must perform it.
    #[inline]
    pub(super) fn is_offloaded(&self) -> bool {
        is_offloaded(self.op.kind) || (self.names_files() && self.anchors.is_none())
    }

    /// The entry for the write map, if this is a write.
    #[inline]
    pub(super) fn write(&self) -> Option<WriteAt> {
        self.stamped.as_ref().map(|made| write_at(&self.op, self.worker, made.sequence))
    }

    /// The index in [`Slots::files`] that it uses; only for a valid operation that needs a handle.
    #[inline]
    pub(super) fn handle(&self) -> usize {
        debug_assert!(self.op.handle < self.needs.handles, "a handle belongs to the worker that uses it");
        self.first_handle as usize + usize::from(self.op.handle)
    }

    /// The address of its write data.
    pub(super) fn write_from(&self) -> *const u8 {
        match (&self.data, &self.stamped) {
            (Some(data), Some(stamped)) => data.slice(stamped, self.op.len as usize).as_ptr(),
            _ => unreachable!("a write without data is refused"),
        }
    }
}

/// All of a ring's workers.
pub(super) struct Slots<S> {
    pub(super) workers: Vec<RingWorker<S>>,
    /// Leaked unless nothing is in flight for certain: the kernel may still use the buffers.
    pub(super) slots: ManuallyDrop<Vec<Slot>>,
    /// The workers' files, by [`Slot::handle`].
    pub(super) files: OpenHandles,
    /// The workers to ask next. Each is in it at most once, so it never grows.
    pub(super) ready: VecDeque<u32>,
}

impl<S: Script> Slots<S> {
    /// Creates the slots and buffers that the scripts need.
    pub(super) fn new(context: &Context, workers: Vec<Worker<S>>) -> Result<Slots<S>, DriverError> {
        let mut ring_workers = Vec::with_capacity(workers.len());
        let mut slots: Vec<Slot> = Vec::new();
        let mut handles = 0;
        let mut buffers = 0;
        for (number, worker) in workers.into_iter().enumerate() {
            let needs = worker.script.needs();
            let first_handle = handles;
            handles += u32::from(needs.handles);
            let mut free = Slot::NONE;
            let buffers_each = if needs.writes { 2 } else { 1 };
            for slot in 0..needs.in_flight {
                let next_free = std::mem::replace(&mut free, slots.len() as u32);
                slots.push(Slot {
                    op: NOTHING,
                    issued_ns: Slot::GROUNDED,
                    anchors: None,
                    how: OpenHow::new(),
                    opening: Opening::of(OFlags::empty(), false),
                    emptied: None,
                    refused: None,
                    next_free,
                    ring_worker: number as u32,
                    worker: worker.id,
                    first_handle,
                    read: read_buffer((needs.max_len as usize).max(size_of::<Statx>()), &needs)?,
                    is_read_registered: None,
                    data: write_data(context, &needs, worker.id, slot)?.map(Box::new),
                    // If there are too many for 16 bits, they are not registered at all.
                    read_index: buffers as u16,
                    data_index: (buffers + 1) as u16,
                    closing: None,
                    stamped: None,
                    needs,
                });
                buffers += buffers_each;
            }
            ring_workers.push(RingWorker {
                worker,
                free,
                busy: 0,
                held: None,
                is_held_back: false,
                is_throttled: false,
                released_ns: 0,
                is_ready: false,
                has_alarm: false,
                is_finished: false,
            });
        }
        let ready = VecDeque::with_capacity(ring_workers.len());
        Ok(Slots {
            workers: ring_workers,
            slots: ManuallyDrop::new(slots),
            files: OpenHandles::new(handles as usize),
            ready,
        })
    }
}

impl<S> Slots<S> {
    /// Makes a worker ready to be asked for its next step.
    #[inline]
    pub(super) fn make_ready(&mut self, number: u32) {
        let ring_worker = &mut self.workers[number as usize];
        if !ring_worker.is_ready && !ring_worker.is_finished {
            ring_worker.is_ready = true;
            debug_assert!(self.ready.len() < self.workers.len(), "each worker is polled once per turn");
            self.ready.push_back(number);
        }
    }

    /// Takes a free slot of a worker.
    #[inline]
    pub(super) fn occupy(&mut self, number: u32) -> Option<u32> {
        let ring_worker = &mut self.workers[number as usize];
        let slot = ring_worker.free;
        let place = self.slots.get(slot as usize)?;
        debug_assert_eq!(place.ring_worker, number, "a worker has its own slots");
        ring_worker.free = place.next_free;
        ring_worker.busy += 1;
        Some(slot)
    }

    /// Frees a worker's slot.
    #[inline]
    pub(super) fn vacate(&mut self, number: u32, slot: u32) {
        let ring_worker = &mut self.workers[number as usize];
        let place = &mut self.slots[slot as usize];
        debug_assert_eq!(place.ring_worker, number, "a slot goes back to its own worker");
        place.next_free = ring_worker.free;
        ring_worker.free = slot;
        assert!(ring_worker.busy > 0, "a slot that is vacated was occupied");
        ring_worker.busy -= 1;
    }

    /// Why an operation is invalid for the state of its handle, as an error number: an open or create
    /// needs a closed handle, an operation by path needs none, and every other operation needs an open
    /// one.
    #[inline]
    pub(super) fn misuse(&self, slot: u32) -> Option<i32> {
        let slot = &self.slots[slot as usize];
        if slot.op.goes_by_path() {
            return None;
        }
        match slot.op.kind {
            OpKind::Open | OpKind::Create => self.files.is_taken(slot.handle()).then_some(IMPOSSIBLE),
            _ => (!self.files.is_open(slot.handle())).then_some(NOT_OPEN),
        }
    }
}

/// Call it before the slots' memory is freed: the kernel must no longer use it.
pub(super) fn assert_landed(slots: &[Slot]) {
    let has_landed = |slot: &Slot| slot.issued_ns == Slot::GROUNDED;
    assert!(slots.iter().all(has_landed), "nothing is in flight when a ring's memory is released");
}

/// The content of a slot before its first operation.
pub(super) const NOTHING: Op = Op {
    kind: OpKind::Close,
    handle: 0,
    file: 0,
    offset: 0,
    len: 0,
    due_ns: 0,
    transfer: 0,
    stream: 0,
    flags: reelgauge_record::OpFlags::NONE,
    open: OpenMode::READ,
    token: 0,
};

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::AtomicBool;

    use reelgauge_workload::script::{Done, Step};

    use super::super::super::Window;
    use super::*;
    use crate::clock::Clock;
    use crate::pattern::PatternSpec;

    /// A script with needs, but without operations.
    pub(in super::super) struct Idle(Needs);

    impl Script for Idle {
        fn needs(&self) -> Needs {
            self.0
        }

        fn next(&mut self, _now_ns: u64) -> Step {
            Step::Finished
        }

        fn done(&mut self, _done: &Done) {}

        fn resume(&mut self, _now_ns: u64) {}
    }

    /// A context without files.
    pub(in super::super) fn context() -> Context {
        Context {
            clock: Clock::start(),
            area: None,
            files: Vec::new(),
            read_only: ReadOnly::default(),
            pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
            write_map: None,
            point: 0,
            window: Window::new(0, u64::MAX),
            stop: AtomicBool::new(false),
            throttle: None,
            internal_store: None,
        }
    }

    /// Two workers with two slots each.
    pub(in super::super) fn two_workers(writes: bool) -> Slots<Idle> {
        let needs = Needs { handles: 1, in_flight: 2, max_len: 4096, writes };
        let worker = |id| Worker { id, script: Idle(needs) };
        Slots::new(&context(), vec![worker(0), worker(1)]).unwrap()
    }

    fn op(kind: OpKind) -> Op {
        Op { kind, len: 4096, ..NOTHING }
    }

    #[test]
    fn slots_come_back_to_their_workers() {
        let mut slots = two_workers(false);
        let taken = [slots.occupy(1).unwrap(), slots.occupy(1).unwrap()];
        assert_eq!(slots.occupy(1), None);
        taken.into_iter().for_each(|slot| slots.vacate(1, slot));
        assert_eq!(slots.workers[1].busy, 0);
        assert_landed(&slots.slots);
    }

    #[test]
    #[should_panic(expected = "a slot that is vacated was occupied")]
    fn vacating_a_free_slot_is_a_defect() {
        two_workers(false).vacate(0, 0);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a slot goes back to its own worker")]
    fn vacating_for_another_worker_is_a_defect() {
        let mut slots = two_workers(false);
        let slot = slots.occupy(0).unwrap();
        slots.vacate(1, slot);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a worker has its own slots")]
    fn a_free_slot_of_another_worker_is_a_defect() {
        let mut slots = two_workers(false);
        slots.workers[0].free = slots.workers[1].free;
        slots.occupy(0);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "each worker is polled once per turn")]
    fn a_worker_that_waits_twice_is_a_defect() {
        let mut slots = two_workers(false);
        slots.ready.extend([0, 0]);
        slots.make_ready(1);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a script that writes has memory for its data")]
    fn a_write_without_memory_is_a_defect() {
        let mut slots = two_workers(true);
        slots.slots[0].data = None;
        slots.slots[0].prepare(&op(OpKind::Write), 1, &ReadOnly::default());
    }

    #[test]
    #[should_panic(expected = "a write without data is refused")]
    fn write_to_an_uncreated_file_is_a_defect() {
        two_workers(true).slots[0].write_from();
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "an operation is issued once")]
    fn issuing_an_operation_twice_is_a_defect() {
        let mut slots = two_workers(false);
        slots.slots[0].issue(7);
        slots.slots[0].issue(8);
    }

    #[test]
    #[should_panic(expected = "a helper's operation is in flight")]
    fn a_helper_that_returns_without_an_operation_in_flight_is_a_defect() {
        two_workers(false).slots[0].issued_by_helper(7);
    }

    #[test]
    #[should_panic(expected = "a completion belongs to an operation in flight")]
    fn a_second_completion_of_an_operation_is_a_defect() {
        let mut slots = two_workers(false);
        slots.slots[0].issue(7);
        assert_eq!(slots.slots[0].land(), 7);
        slots.slots[0].land();
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a handle belongs to the worker that uses it")]
    fn a_handle_of_another_worker_is_a_defect() {
        let mut slots = two_workers(false);
        slots.slots[0].op.handle = 1;
        slots.slots[0].handle();
    }

    #[test]
    #[should_panic(expected = "nothing is in flight when a ring's memory is released")]
    fn giving_back_memory_that_is_in_use_is_a_defect() {
        let mut slots = two_workers(false);
        slots.slots[3].issued_ns = 7;
        assert_landed(&slots.slots);
    }
}
