//! An operation that is held until all earlier ones have arrived. Sorted by time of issue, then by
//! arrival.

use std::cmp::Ordering;

use reelgauge_record::OpRecord;

#[derive(Debug)]
pub(crate) struct Held {
    /// Number of operations that arrived before it.
    pub arrived: u64,
    pub op: OpRecord,
}

impl Held {
    fn key(&self) -> (u64, u64) {
        (self.op.issued_ns, self.arrived)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Held) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Held) -> Ordering {
        self.key().cmp(&other.key())
    }
}
