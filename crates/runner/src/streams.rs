//! Runs of streams: the actors of a load point ([`actors`], each [`actor_instance`]), what they read or write
//! ([`media`]), in which files ([`files`]), and how it went, load point by load point ([`run`]). [`seek`]
//! searches the largest count that passes.
//!
//! Not here: what a player or recorder does (the workload room), what counts as late (analysis).

pub mod actor_instance;
pub mod actors;
pub mod curve;
pub mod files;
pub mod forecast;
pub mod media;
pub mod people;
pub mod run;
pub mod seek;
pub mod verdict;

pub use run::{StreamsRequest, run_streams};
