//! The runner composes the parts: it carries out a plan and hands back a summary.
//!
//! * The kinds of runs: [`mod@mix`]; [`mod@streams`], players, recorders and others, and the search for the
//!   largest count; [`mod@check`], a first look; [`mod@replay`], a trace, pass by pass; [`suite`]: many, one
//!   after the other. Each says only what differs.
//! * [`prove`]: the same work with and without a change, in turns. [`procedure`]: a series of runs and
//!   actions. What such series keep: `series`.
//! * [`mod@watch`]: counters without load. `probe`: what a target's file system does, tried in its area.
//! * [`estimate`]: what a plan would take, before anybody starts it.
//! * [`mod@session`]: what every kind of run keeps and does between taking its target and its summary.
//! * [`interrupt`] and [`supervise`]: how a run ends when somebody or something stops it, `command_watcher`:
//!   how a command of the user does. [`observer`]: what whoever watches it is told.
//! * [`steered`]: a run whose load points begin when somebody else says so, and which ends when nobody does.
//! * [`exit_code`]: what a script is told. [`folder_lock`]: a folder that is one process's.
//!   [`mod@extents`]: a file against a copy of it, written anew. [`clean`]: the area removed.
//!
//! Not here: flags and screens (the binary), figures (analysis), I/O on the target (engine), what was
//! measured before (results).

pub mod check;
pub mod clean;
#[cfg(unix)]
mod command_watcher;
pub mod error;
pub mod estimate;
pub mod event;
pub mod exit_code;
pub mod extents;
pub mod folder_lock;
pub mod interrupt;
pub mod mix;
pub mod observer;
#[cfg(target_os = "linux")]
pub mod probe;
pub mod procedure;
pub mod prove;
pub mod replay;
mod run_series;
pub mod session;
#[cfg(test)]
mod simulation;
pub mod steered;
pub mod streams;
pub mod suite;
pub mod supervise;
pub mod watch;

use std::time::{SystemTime, UNIX_EPOCH};

/// A seed for a run that was given none. It stands in the plan, so that the run can be repeated.
pub fn fresh_seed() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let clock = since_epoch.as_nanos() as u64;
    // JSON readers keep whole numbers up to 2^53.
    (clock ^ u64::from(std::process::id()).rotate_left(32)) & ((1 << 53) - 1)
}
