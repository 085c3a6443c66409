//! Synthetic traces: made to match published statistics of a workload, or to provoke an effect.
//!
//! - [`naspt`]: the twelve workloads of the NASPT paper, from its published statistics; `video`,
//!   `copying`, `content`, `office` and `photo` are their parts.
//! - [`hints`]: traces that provoke fragmentation.
//! - [`tape`]: records the operations of generators. [`tally`]: their totals. `draw` and `fit`: random
//!   draws, and the search for settings that are not published.
//!
//! Not here: finding them by name (the library).

mod content;
mod copying;
mod draw;
mod fit;
pub mod hints;
pub mod naspt;
mod office;
mod photo;
pub mod tally;
pub mod tape;
mod video;

pub use naspt::{STANDARD_SEED, Workload, workload, workloads};
