//! Replay: a trace in memory, what must be there before it, and the script that does it again.
//!
//! * [`loader`]: reads a trace once, in the order of issue, and packs it; refuses what is not safe to replay.
//!   [`packed`]: how an operation is kept. [`handles`]: which open file it used. [`lanes`]: which thread it
//!   belongs to, and what went on at the same time there. [`order`]: what it has to wait for.
//!   [`not_replayed`]: what is not done again.
//! * [`script`]: one user who replays all threads of the trace. [`outcome`]: what turned out differently.
//!   [`slots`]: the open files of a user. [`delays`]: how late operations began.
//!
//! Not here: what must exist before ([`crate::prestate`]), and doing it (the engine).

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
