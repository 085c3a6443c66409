//! The runner: holds the ends together. It carries out a plan and hands back a summary.
//!
//! * [`mod@session`]: what every measuring run keeps and does between taking its target ([`ground`]) and its
//!   summary ([`summarise`]): [`file_table`], [`point`] for each load point, [`judging`] of late frames and
//!   rates while it goes on, [`made_files`] removed behind it, [`failure`] when it broke off.
//! * The kinds of runs: [`mod@run`], a mix ([`prepare`] before it); [`mod@streams`], players, recorders and
//!   others, and the search for the largest count; [`mod@check`], a first look.
//! * [`against_copy`]: a file against a copy of it, written anew.
//! * [`reopen`]: a run from its directory alone. [`mod@trace_report`]: a trace, or a run as one, file by
//!   file; [`ops_listing`]: its operations one by one.
//! * [`mod@compare`]: runs side by side.
//! * [`mod@page`]: the page of a run or a trace, and the `report.html` that every run gets.
//! * [`mod@replay`]: a trace replayed, pass by pass. [`suite`]: many, one after the other.
//! * [`results`]: where its results go, from before it prepares; [`mod@live`]: what it tells meanwhile.
//! * [`sink`] and [`drain`]: from the measuring threads to the meter and the log, without waiting.
//! * [`interrupt`] and [`supervise`]: how it ends when somebody or something stops it; [`own_session`]: what
//!   doesn't.
//!
//! Not here: flags and screens (the binary), figures (analysis), I/O on the target (engine).

pub mod against_copy;
pub mod allowance;
pub mod check;
pub mod clean;
pub mod drain;
pub mod error;
pub mod failure;
pub mod file_table;
pub mod forecast;
pub mod ground;
pub mod interrupt;
pub mod judging;
pub mod live_log;
pub mod made_files;
pub mod meddling;
pub mod observer;
pub mod own_cpu;
pub mod own_session;
pub mod point;
pub mod prepare;
pub mod replay;
pub mod results_dir;
pub mod room;
pub mod run;
pub mod session;
#[cfg(test)]
mod simulation;
pub mod sink;
pub mod streams;
pub mod suite;
pub mod summarise;
pub mod supervise;
pub mod verify;
pub mod watchdog;
pub mod workers;

use std::time::{SystemTime, UNIX_EPOCH};

/// A seed for a run that was given none. It stands in the plan, so that the run can be repeated.
pub fn fresh_seed() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let clock = since_epoch.as_nanos() as u64;
    // JSON readers keep whole numbers up to 2^53.
    (clock ^ u64::from(std::process::id()).rotate_left(32)) & ((1 << 53) - 1)
}
