//! The report: a summary as screens, pages and files.
//!
//! * [`mod@screen`]: terminal text, the result first; `answer`, `tables` and `workers` are its parts for
//!   runs reported in MB/s; `streams`, `search`, `vda` and `check` for those reported in streams.
//! * `answer_block`: the labelled result of every screen. `statement`: its parts, from the statement in
//!   the summary. `next_step`: the last line. `limit`: the layer that limited it, and the capacity of
//!   the link. `standstill`: periods without responses. [`marks`], [`mod@event`], [`observers`],
//!   [`path`]: facts recorded next to a run. [`mod@hero`]: the block at the top of a page.
//! * [`hosts`]: the hosts of a run on several hosts.
//! * [`csv_files`]: load points, streams, incidents, the paper's tables and the seconds of the run, for
//!   spreadsheets.
//! * [`procedure`]: the screen of a procedure, and its table as CSV.
//! * [`mod@trace`]: the screen of a trace. [`ops_rows`]: single operations. [`extents`]: files and their
//!   extents. `replay`: the screen of a replay; `watch`: that of a watch. [`suite`]: that of a suite;
//!   [`suites`]: several suites side by side.
//! * [`warning`] and [`self_cost`]: limitations of the figures, as sentences; [`fragments`]: signs of
//!   fragmented files in traces; [`counters`]: the counters that are not shown.
//! * [`selftest`]: what a client can judge.
//! * [`verdict`]: why criteria were not met. [`vda_curve`]: the curve of a VDA-like run, with its reasons.
//! * [`doctor`]: findings about a host's settings, and their remedies.
//! * [`tune`]: configuration fragments, with their reasons.
//! * [`fleet_list`]: the agents of a fleet, and their clocks. [`fleet_run`]: the state of a run on a
//!   fleet, and the missing agents. [`preflight`]: findings about their hosts before a run;
//!   [`fleet_doctor`]: the settings of their hosts; [`fleet_prepare`]: the files that they created.
//! * [`compare`]: runs side by side, on the terminal, as Markdown and as JUnit XML.
//! * [`mod@document`]: facts as a result and blocks, which renderers draw; the document for a customer.
//! * [`units`]: the conversion of every number from its unit to text, in one place.
//! * [`text`]: wrapping, and escaping of untrusted strings.
//!
//! The JSON form is [`reelgauge_analysis::Summary::to_json`]. Not here: computing. Every number shown is
//! in the summary.

mod answer;
mod answer_block;
mod answer_parts;
pub mod check;
pub mod compare;
mod count_context;
pub mod counters;
pub mod csv_files;
pub mod deviations;
pub mod doctor;
pub mod document;
mod ending;
pub mod event;
pub mod extents;
pub mod fleet_clean;
pub mod fleet_doctor;
pub mod fleet_list;
pub mod fleet_prepare;
pub mod fleet_run;
pub mod fleet_steps;
mod forecast;
pub mod format_list;
pub mod fragments;
pub mod hero;
pub mod hosts;
pub mod html;
mod latency;
mod limit;
pub mod marks;
mod mix;
pub mod mix_fit;
mod msmeter;
mod next_step;
pub mod note;
pub mod observers;
pub mod ops_rows;
mod page;
pub mod path;
mod points;
pub mod preflight;
pub mod procedure;
pub mod proof;
mod replay;
pub mod run_configuration;
pub mod run_list;
pub mod screen;
mod screen_options;
pub mod search;
pub mod self_cost;
pub mod selftest;
pub mod sentence;
#[cfg(test)]
mod short_form;
mod standstill;
mod statement;
mod streams;
pub mod suite;
pub mod suites;
mod table;
mod tables;
pub mod text;
pub mod trace;
pub mod trace_list;
pub mod trace_note;
mod trust;
pub mod tune;
pub mod units;
pub mod user_description;
mod vda;
pub mod vda_curve;
pub mod verdict;
pub mod warning;
mod watch;
mod workers;

pub use answer::answer_sentences;
pub use csv_files::columns::CsvTable;
pub use csv_files::write_csv;
pub use forecast::{forecast_before_start, forecast_line};
pub use next_step::{again_with, next_step};
pub use ops_rows::{OpRows, RowFormat};
pub use replay::bad_timing_sentence;
pub use screen::{Detail, Screen, Style, Tables, screen};
pub use statement::incident_sentences;
pub use suite::{SuiteScreen, row_doubts, suite_screen, suite_sentence};
pub use suites::{SuiteToShow, SuitesPage, suites_csv, suites_page, suites_screen, suites_sections};
pub use trace::{trace_screen, trace_sections, where_built_in};
pub use user_description::storage_words;
pub use vda_curve::{VdaInput, vda_facts};
pub use warning::{warning_note, warning_sentence};
