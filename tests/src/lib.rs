//! The test beds: everything the end-to-end tests in `tests/tests/` need to drive the binary against
//! real mounts, real servers and real faults.
//!
//! The tests know the product only by its command line, its exit codes and its files; no crate of it is
//! linked. (One exception: a test of hostile traces uses the trace writer to create traces that no
//! importer accepts.) Everything a bed sets up (mounts, network namespaces, servers, folders) is taken
//! down when its guard is dropped, even if the test fails. The leftovers of a killed test run have its
//! process number in their names. The next run removes them ([`scratch`]).
//!
//! A test that cannot run on this host reports that and is counted ([`needs`]). It never passes
//! silently.
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
