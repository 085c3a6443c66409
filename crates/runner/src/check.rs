//! A first look at a target, in a minute and a half: how fast it is for this client, how many streams of
//! everyday formats it carries playing and recording, what limits it, and one thing to do next.
//!
//! * [`everyday`]: which formats. [`budget`]: what the look may take, in time and room.
//! * [`place`]: the target made ready. [`load`]: who reads and writes there. [`look`]: all of it, in order.
//! * [`level`]: the rate that was sustained, which no count may exceed unless it was held for long enough.
//!   [`holding`]: which counts are held. [`counting`]: the count of one format, with all of that.
//! * [`agreement`]: whether the counts speak of the same storage; where they don't, it looks again.
//! * [`findings`]: what was found, as a summary. [`hint`]: the doctor's rule to look at first. [`written`]:
//!   its `run.toml`.
//!
//! Whose fault a trial was, what ended a count ([`reelgauge_analysis::limit`]) and what to do next
//! ([`reelgauge_analysis::statement`]) is decided where it is for every other verb.
//!
//! Counts are measured at the limit, not divided from a rate. A short trial can't see that storage bursts or
//! that players' buffers run empty, so a count is claimed only up to the sustained rate, or where it was
//! held. A cache of the storage that is larger than the test files is still part of it. `reelgauge streams
//! --find-max` takes its time.

pub mod agreement;
pub mod budget;
#[cfg(test)]
mod contradictions;
pub mod counting;
mod end;
pub mod everyday;
pub mod findings;
pub mod hint;
pub mod holding;
pub mod level;
pub mod load;
pub mod look;
pub mod place;
pub mod written;

pub use look::{CheckRequest, check};

/// The command, which is all that the run is called after.
const VERB: &str = "check";
