//! The end-to-end tests that judge by time: how late, how long, how many. They are a separate program,
//! because each of them needs more of the host than the untimed tests leave
//! (`xtask/src/suite/units.rs`).

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod check;
mod check_counts;
mod check_find_max;
mod check_sustained;
mod compare;
mod console_shared;
mod culprit;
mod culprit_busy_host;
mod data_sets;
mod fleet_clean;
mod fleet_console;
mod fleet_contact;
mod fleet_doctor;
mod fleet_fetch;
mod fleet_hosts;
mod fleet_kills;
mod fleet_observers;
mod fleet_pause;
mod fleet_preflight;
mod fleet_prepare;
mod fleet_replay;
mod fleet_run;
mod fleet_search;
mod fleet_steps;
mod fleet_stop;
mod guest_nas;
mod limiting_layer;
mod max_rate;
mod mix_storage;
mod paper_tables;
mod procedures_computed;
mod procedures_fleet;
mod procedures_found;
mod prove;
mod prove_undo;
mod real_faults;
mod repairs;
mod server_side;
mod streams_buffered;
mod streams_find_max;
mod streams_freeze;
mod streams_hidden_overload;
mod streams_interrupted;
mod streams_live;
mod streams_max_rate;
mod streams_media;
mod streams_scenarios;
mod trace_copy_comparison;
mod trace_lateness;
mod trace_timing;
mod vda;
mod vda_load_points;
mod worst_night;
