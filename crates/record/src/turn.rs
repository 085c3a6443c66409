//! When a thread that carries out operations did not get its turn: it could have run, and no processor was
//! given to it.
//!
//! The record of an operation has no room for it, and it happens seldom. So it is kept apart from the
//! records, keyed by the worker and the time at which the operation was seen to be done.

/// How long the thread of one operation waited for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "log", derive(serde::Serialize, serde::Deserialize))]
pub struct ProcessorWait {
    /// The worker whose operation it was.
    pub worker: u32,
    /// When the operation was seen to be done, on the run's clock.
    pub done_ns: u64,
    /// How long it waited before the operation was issued, which was late by that.
    pub before_ns: u64,
    /// How long it waited from when the operation was issued until it was seen to be done.
    pub in_flight_ns: u64,
}

impl ProcessorWait {
    pub fn total_ns(&self) -> u64 {
        // Waits are read back from a file, too: absurd ones must not wrap.
        self.before_ns.saturating_add(self.in_flight_ns)
    }
}
