//! A quick check of a target, in a minute and a half: its rate for this client, how many streams of
//! everyday formats it sustains playing and recording, its limit, and one recommendation.
//!
//! * [`common_formats`]: the formats. [`budget`]: the limits of a check, in time and space.
//! * [`target_setup`]: the target made ready. [`load`]: the readers and writers. [`check_run`]: the whole
//!   check, in order.
//! * [`level`]: the sustained rate, which no count may exceed unless it was held for long enough.
//!   [`longer_trials`]: selects the counts to hold. [`counting`]: the count of one format.
//! * [`agreement`]: whether the counts describe the same storage; if not, the check measures again.
//! * [`findings`]: the results, as a summary. [`hint`]: the doctor's rule to follow first. [`run_toml`]:
//!   its `run.toml`.
//!
//! The decisions that all verbs share are elsewhere: which component failed a trial, what ended a count
//! ([`reelgauge_analysis::limit`]) and the next step ([`reelgauge_analysis::statement`]).
//!
//! Counts are measured at the limit, not divided from a rate. A short trial cannot see that storage
//! bursts or that players' buffers run empty, so a count is claimed only up to the sustained rate, or if
//! it was held. A cache of the storage that is larger than the test files still affects it. `reelgauge
//! streams --find-max` takes its time.

pub mod agreement;
pub mod budget;
pub mod check_run;
pub mod common_formats;
mod completion;
#[cfg(test)]
mod contradictions;
pub mod counting;
pub mod findings;
pub mod hint;
pub mod level;
pub mod load;
pub mod longer_trials;
pub mod run_toml;
pub mod target_setup;

pub use check_run::{CheckRequest, check};

/// The command, and the prefix of the run's name.
const VERB: &str = "check";
