//! An operation that is held until all earlier ones have arrived. Sorted by time of issue, then by
//! arrival.

use std::cmp::Ordering;

use reelgauge_record::OpRecord;

#[derive(Debug)]
pub(crate) struct HeldOperation {
    /// Number of operations that arrived before it.
    pub arrived: u64,
    pub op: OpRecord,
}

impl HeldOperation {
    fn key(&self) -> (u64, u64) {
        (self.op.issued_ns, self.arrived)
    }
}

impl PartialEq for HeldOperation {
    fn eq(&self, other: &HeldOperation) -> bool {
        self.key() == other.key()
    }
}

impl Eq for HeldOperation {}

impl PartialOrd for HeldOperation {
    fn partial_cmp(&self, other: &HeldOperation) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HeldOperation {
    fn cmp(&self, other: &HeldOperation) -> Ordering {
        self.key().cmp(&other.key())
    }
}
