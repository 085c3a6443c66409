//! The record crate: the record of one operation, and how it is stored.
//!
//! * [`op`]: the fixed-size record of one operation. The measuring path uses nothing else of this crate.
//! * [`run_delay`]: the extra record for an operation whose thread had to wait for a processor.
//! * [`errno`]: names of error numbers.
//! * [`panic_guard`]: contains panics of third-party code on damaged files.
//! * [`identity`]: the identity that files are opened with, on the target and for results.
//! * [`named_file`]: files that the user names, and the handling of existing ones.
//! * [`regular_file`]: opens files that other users may have made.
//! * [`log`] (feature `log`): the Parquet operation log, written during the run, and its readers.
//! * [`counters`] (feature `log`): sampled counters, by name, and their Parquet files.
//! * [`run_dir`] (feature `log`): the run directory that contains them.
//! * [`notes`] (feature `notes`, part of `log`): the user's notes about a run and its storage.
//! * [`host`] (feature `log`): facts about the host that made a run.
//! * `typescript` (feature `typescript`): kinds of operations, by name, for the application.
//!
//! Not here: the interpretation of a run. The analysis crate calculates figures, percentiles and
//! verdicts from these records alone.

#[cfg(feature = "log")]
pub mod agents;
pub mod errno;
pub mod identity;
pub mod op;
pub mod panic_guard;
pub mod regular_file;
pub mod run_delay;

#[cfg(feature = "log")]
pub mod counters;
#[cfg(feature = "log")]
pub mod host;
#[cfg(feature = "log")]
pub mod log;
#[cfg(feature = "log")]
pub mod named_file;
#[cfg(feature = "notes")]
pub mod notes;
#[cfg(feature = "log")]
pub mod run_dir;
#[cfg(any(test, feature = "test-records"))]
pub mod test_records;
#[cfg(feature = "typescript")]
mod typescript;

pub use op::{AccessBits, OpFlags, OpKind, OpRecord, OpenBits, OtherBits};
pub use run_delay::ProcessorWait;
