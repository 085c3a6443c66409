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
pub mod busy_host;
pub mod console;
pub mod daemon;
pub mod exclusive_timing;
pub mod fault_attribution;
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
pub mod player_search;
pub mod powershell;
pub mod programs;
pub mod proof;
pub mod python;
pub mod recording;
pub mod refusal;
pub mod resource_limits;
pub mod run_dir;
pub mod samba;
pub mod scratch;
pub mod seeded_random;
pub mod sentences;
pub mod set_clock;
pub mod smb;
pub mod sshfs;
pub mod streams;
pub mod surroundings;
pub mod terminal;
pub mod throttle;
pub mod tree;
pub mod verb;
pub mod wine;
