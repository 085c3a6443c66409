//! Runs of streams: the actors of a load point ([`actors`], each an [`actor`]), the files that they read
//! and write ([`files`]), and the results, load point by load point ([`run`]). [`count_search`] searches
//! for the largest count that passes.
//!
//! Not here: what a player or recorder does, reads and writes (workload), what counts as late
//! (analysis).

pub mod actor;
pub mod actors;
pub mod count_search;
pub mod curve;
pub mod files;
pub mod forecast;
pub mod plan_listing;
pub mod run;
pub mod verdict;

pub use run::{StreamsRequest, run_streams};
