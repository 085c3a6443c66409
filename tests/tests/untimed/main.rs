//! The end-to-end tests that judge nothing by time: output, files, refusals and leftovers. Programs that
//! run in parallel may use the whole host.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod bad_input;
mod cached_reads;
mod console;
mod console_access;
mod counters;
mod doctor;
mod documents;
mod earlier_runs;
mod events;
mod faults_errors;
mod faults_hangs;
mod field_doctor;
mod field_traces;
mod fleet_install;
mod fleet_merge;
mod fleet_site;
mod interrupted_claims;
mod interrupts;
mod limits;
mod live_run_reading;
mod log_python;
mod marks;
mod msmeter;
mod named_files;
mod observers;
mod probes;
mod procedures;
mod reference_document;
mod remote_control;
mod safety;
mod same_seed;
mod screens;
mod selftest;
mod shared_target;
mod stopping;
mod streams_bad_input;
mod suites;
mod supported_systems;
mod swapped_directories;
mod trace_fragments;
mod trace_hostile;
mod trace_hostile_import;
mod trace_import;
mod trace_library;
mod trace_links;
mod trace_record;
mod trace_replay;
mod trace_reports;
mod tune;
mod user_files;
mod watch;
