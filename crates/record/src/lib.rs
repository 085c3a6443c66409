//! The record room: what one operation looked like, and how that is kept.
//!
//! * [`op`]: the fixed-size record of one operation. It is all that the measuring path knows of this crate.
//! * [`turn`]: what is kept beside it when the measuring thread had to wait for a processor.
//! * [`errno`]: names of error numbers.
//! * [`contained`]: others' code that panics over damaged files.
//! * [`identity`]: whose identity files are opened with, on the target and for results.
//! * [`named_file`]: files that the user names, and what is done to what has the name already.
//! * [`regular_file`]: files that others may have made, opened.
//! * [`log`] (feature `log`): the Parquet operation log, written as the run goes, and its readers.
//! * [`counters`] (feature `log`): what was sampled beside the operations, by name, and its Parquet files.
//! * [`run_dir`] (feature `log`): the run directory around it.
//! * [`notes`] (feature `notes`, part of `log`): what people say of a run and its storage.
//! * [`host`] (feature `log`): what is known of the machine that a run was made on.
//! * `typescript` (feature `typescript`): kinds of operations, by name, for the application.
//!
//! Not here: what a run means. Figures, percentiles and verdicts are made in the analysis room from
//! these records alone.

#[cfg(feature = "log")]
pub mod agents;
pub mod contained;
pub mod errno;
pub mod identity;
pub mod op;
pub mod regular_file;
pub mod turn;

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
pub use turn::ProcessorWait;
