//! The test beds: what the end-to-end tests in `tests/tests/` need to drive the binary against real mounts,
//! real servers and real faults.
//!
//! The product is known here by its command line, its exit codes and its files alone; nothing links it. (One
//! test, of hostile traces, writes with the trace room's writer what no importer would let through.)
//! Everything that a bed sets up (mounts, network namespaces, servers, folders) is taken down when its guard
//! is dropped, a failing test included. What a killed test run leaves behind carries the number of its
//! process in its name and is removed by the next run ([`scratch`]).
//!
//! A test that cannot run on this machine says so and is counted ([`needs`]); it never passes silently.
//!
//! Harness code may panic: a bed that cannot be set up is a failed test.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

pub mod binary;
pub mod blame;
pub mod bounded;
pub mod busy;
pub mod console;
pub mod daemon;
pub mod draws;
pub mod faulty;
pub mod fleet;
pub mod fleet_bed;
pub mod guest;
pub mod hosts;
pub mod http;
pub mod limited;
pub mod link;
pub mod max_rate;
pub mod meter_worker;
pub mod mix;
pub mod mounts;
pub mod needs;
pub mod powershell;
pub mod proof;
pub mod python;
pub mod recording;
pub mod refusal;
pub mod run_dir;
pub mod samba;
pub mod scratch;
pub mod sentences;
pub mod set_clock;
pub mod smb;
pub mod sought;
pub mod sshfs;
pub mod streams;
pub mod surroundings;
pub mod terminal;
pub mod throttle;
pub mod tool;
pub mod tree;
pub mod turns;
pub mod verb;
