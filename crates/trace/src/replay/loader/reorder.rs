//! Sorts operations by time of issue, within a window.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reelgauge_record::OpRecord;

use crate::held_operation::HeldOperation;

/// Operations in the window (18 MiB). A run is written in the order of completion, so a slow operation
/// comes after many that started later.
pub(super) const WINDOW: usize = 1 << 18;

/// The operations in the window.
#[derive(Debug)]
pub(super) struct Reorder {
    window: usize,
    held: BinaryHeap<Reverse<HeldOperation>>,
    arrived: u64,
    last_ns: u64,
    late_ops: u64,
}

impl Reorder {
    /// With a window of 0, operations keep their order.
    pub fn new(window: usize) -> Reorder {
        Reorder { window, held: BinaryHeap::new(), arrived: 0, last_ns: 0, late_ops: 0 }
    }

    /// Adds an operation. Returns the earliest one if the window is full.
    pub fn push(&mut self, op: OpRecord) -> Option<OpRecord> {
        if self.window == 0 {
            return Some(self.let_go(op));
        }
        self.held.push(Reverse(HeldOperation { arrived: self.arrived, op }));
        self.arrived += 1;
        if self.held.len() > self.window { self.pop() } else { None }
    }

    /// Removes the earliest operation.
    pub fn pop(&mut self) -> Option<OpRecord> {
        let Reverse(HeldOperation { op, .. }) = self.held.pop()?;
        Some(self.let_go(op))
    }

    /// Number of operations that came too late for the window. They count as issued with their
    /// predecessor.
    pub fn late_ops(&self) -> u64 {
        self.late_ops
    }

    fn let_go(&mut self, mut op: OpRecord) -> OpRecord {
        self.late_ops += u64::from(op.issued_ns < self.last_ns);
        self.last_ns = self.last_ns.max(op.issued_ns);
        op.issued_ns = self.last_ns;
        op
    }
}
