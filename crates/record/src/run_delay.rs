//! Waits of a measuring thread for a processor: the thread was runnable, but no processor was free.
//!
//! The record of an operation has no room for this, and it is rare. So it is stored separately, keyed by
//! the worker and the time at which the operation was seen to be done.

/// How long the thread of one operation waited for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "log", derive(serde::Serialize, serde::Deserialize))]
pub struct ProcessorWait {
    /// The worker of the operation.
    pub worker: u32,
    /// When the operation was seen to be done, on the run's clock.
    pub done_ns: u64,
    /// The wait before the operation was issued, which was late by this time.
    pub before_ns: u64,
    /// The wait between the issue of the operation and the time when it was seen to be done.
    pub in_flight_ns: u64,
}

impl ProcessorWait {
    pub fn total_ns(&self) -> u64 {
        // Waits can also be read from a file: absurd ones must not wrap.
        self.before_ns.saturating_add(self.in_flight_ns)
    }
}
