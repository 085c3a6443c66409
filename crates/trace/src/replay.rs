//! Replay: loads a trace into memory, decides which files must exist before it, and runs it as a script.
//!
//! - [`loader`]: reads a trace once, in the order of issue, and packs it; refuses unsafe traces.
//!   [`packed`]: the stored operations. [`handles`]: the open file of an operation. [`lanes`]: its
//!   thread, and the concurrency within the thread. [`order`]: the operations it depends on.
//!   [`not_replayed`]: the omitted operations.
//! - [`script`]: one user who replays all threads of the trace. [`outcome`]: differences from the
//!   recording. [`slots`]: the open files of a user. [`delays`]: how late operations started.
//!
//! Not here: the files that must exist before ([`crate::prestate`]), and executing operations (the
//! engine).

pub mod delays;
pub mod error;
mod handles;
mod lanes;
pub mod loader;
pub mod not_replayed;
mod order;
pub mod outcome;
pub mod packed;
#[cfg(test)]
pub(crate) mod sample;
pub mod script;
mod slots;

pub use delays::Delays;
pub use error::ReplayError;
pub use loader::{LinkCounts, Replayable, Wanted, load};
pub use not_replayed::{NotReplayed, Without};
pub use outcome::{Difference, Outcomes};
pub use packed::PackedTrace;
pub use script::{ReplayScript, Setting};
