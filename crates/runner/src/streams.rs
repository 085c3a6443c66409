//! Runs of streams: who plays ([`cast`]), what they play ([`footage`], [`parts`]), on what ([`stage`]), and
//! how it went, load point by load point ([`show`]). [`seek`] searches the largest count that passes.
//!
//! Not here: what a player or recorder does (the workload room), what counts as late (analysis).

pub mod cast;
pub mod footage;
pub mod parts;
pub mod people;
pub mod seek;
pub mod show;
pub mod stage;
pub mod verdict;

pub use show::{StreamsRequest, run_streams};
