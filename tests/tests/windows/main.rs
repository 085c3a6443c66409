//! End-to-end tests of the Windows program, under wine. The step `windows` of `cargo xtask test` builds the
//! program and runs them in parallel with others, so they judge nothing by time.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod endings;
mod late_frames;
mod measurements;
mod offline_verbs;
mod servers;
mod traces;
