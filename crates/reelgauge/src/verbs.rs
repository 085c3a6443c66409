//! One file per verb.

pub mod ahead;
pub mod check;
pub mod clean;
pub mod compare;
pub mod completions;
pub mod console;
pub mod doctor;
#[cfg(test)]
mod every_flag;
pub mod export;
pub mod extents;
pub mod formats;
pub mod import;
mod job;
mod latest;
pub mod list;
pub mod man;
pub mod mix;
pub mod ops;
pub mod prove;
pub mod record;
pub mod replay;
pub mod report;
pub mod run;
pub mod scenarios;
pub mod streams;
pub mod suite;
pub mod traces;
pub mod vda;
