//! The workload room: what is to be done, decided without doing it.
//!
//! * [`script`]: the contract between scripts and drivers. [`mix`]: the EBU access profile.
//! * [`player`] and [`recorder`]: frame-paced streams; [`pace`]: their timeline; [`clip`]: where frames lie.
//! * [`plan`]: everything about a run in one value, from flags or TOML. [`profile`]: the paper's
//!   procedures by name. [`range`]: ramps, sweeps and lists of sizes as people write them.
//! * [`search`]: the search for the largest number of streams that passes.
//! * [`units`]: sizes, times and percentages. [`random`]: draws that are exact and repeatable.
//!
//! Not here: I/O, clocks and threads (the engine room).

pub mod clip;
pub mod mix;
pub mod pace;
pub mod plan;
pub mod player;
pub mod profile;
pub mod random;
pub mod range;
pub mod recorder;
pub mod script;
pub mod search;
pub mod units;
