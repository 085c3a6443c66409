//! The runner composes the parts: it carries out a plan and returns a summary.
//!
//! * The kinds of runs: [`mod@mix`]; [`mod@streams`], players, recorders and others, and the search for
//!   the largest count; [`mod@check`], a quick check; [`mod@replay`], a trace, pass by pass; [`suite`]:
//!   many, one after the other. Each contains only its differences.
//! * [`prove`]: the same work with and without a change, alternately. [`procedure`]: a series of runs and
//!   actions. The files that such series keep: `series`.
//! * [`mod@watch`]: counters without load. `probe`: the behaviour of a target's file system, tested in
//!   its area.
//! * [`estimate`]: the forecast of a plan before it is started.
//! * [`mod@session`]: the state and the steps of every kind of run between taking its target and its
//!   summary.
//! * [`interrupt`] and [`supervise`]: how a run ends when it is stopped, `command_watcher`: how a
//!   command of the user does. [`observer`]: the events for viewers of a run.
//! * [`remote_control`]: a run whose load points begin on the order of another process, and which ends
//!   without such orders.
//! * [`exit_code`]: the exit status for scripts. [`folder_lock`]: a folder for one process.
//!   [`mod@extents`]: a file compared with a fresh copy of it. [`clean`]: removes the area.
//!
//! Not here: flags and screens (the binary), figures (analysis), I/O on the target (engine), earlier
//! measurements (results).

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
pub mod remote_control;
pub mod replay;
mod run_series;
pub mod selftest;
pub mod session;
#[cfg(test)]
mod simulation;
pub mod streams;
pub mod suite;
pub mod supervise;
pub mod watch;

use std::time::{SystemTime, UNIX_EPOCH};

/// A seed for a run without one. It is written to the plan, so that the run can be repeated.
pub fn fresh_seed() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let clock = since_epoch.as_nanos() as u64;
    // JSON readers keep whole numbers up to 2^53.
    (clock ^ u64::from(std::process::id()).rotate_left(32)) & ((1 << 53) - 1)
}
