//! The workload crate: decides on the operations, but does not perform them.
//!
//! * [`script`]: the contract between scripts and drivers. [`mix`]: the EBU access profile;
//!   [`mix_actor`]: the profile as one of several actors.
//! * [`player`], [`recorder`] and [`editor`]: frame-paced streams; [`pace`]: their timeline; [`clip`]:
//!   the positions of frames. [`transcoder`] and [`copier`]: as fast as possible. [`camera`] and
//!   [`companion`]: the VDA-like pair; [`vda_table`]: its published tables. [`media`]: the footage of
//!   actors with frames.
//! * [`plan`]: everything about a run in one value, from flags or TOML. [`profile`]: the paper's
//!   procedures by name. [`iometer`]: the NASPT paper's IOMeter accesses. [`range`]: ramps, sweeps and
//!   lists of sizes in text form.
//! * [`streams`]: plans of actors that work together, and [`scenario`]: the built-in ones. [`replay`]:
//!   plans of a replayed trace.
//! * [`watch`]: the settings of a watch, which has no load. [`event`]: commands of the user during a
//!   run.
//! * [`search`]: the search for the largest number of streams that passes.
//! * [`units`]: sizes, times and percentages. [`spelling`]: the names of settings in messages.
//!   [`random`]: draws that are exact and repeatable.
//!
//! Not here: I/O, clocks and threads (the engine crate).

pub mod camera;
pub mod clip;
pub mod companion;
pub mod copier;
mod driver_choice;
pub mod editor;
pub mod event;
pub mod iometer;
pub mod media;
pub mod mix;
pub mod mix_actor;
pub mod pace;
mod parts;
pub mod plan;
mod plan_version;
pub mod player;
pub mod procedure;
pub mod profile;
pub mod random;
pub mod range;
pub mod recorder;
pub mod replay;
pub mod scenario;
pub mod script;
pub mod search;
pub mod spelling;
pub mod streams;
#[cfg(test)]
mod test_driver;
pub mod transcoder;
pub mod units;
pub mod vda_table;
pub mod watch;
