//! Runs of streams: the actors of a load point ([`actors`], each an [`actor`]), in which files they read and
//! write ([`files`]), and how it went, load point by load point ([`run`]). [`seek`] searches the largest
//! count that passes.
//!
//! Not here: what a player or recorder does, reads and writes (the workload room), what counts as late
//! (analysis).

pub mod actor;
pub mod actors;
pub mod curve;
pub mod files;
pub mod forecast;
pub mod people;
pub mod run;
pub mod seek;
pub mod verdict;

pub use run::{StreamsRequest, run_streams};
