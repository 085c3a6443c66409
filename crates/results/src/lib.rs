//! The results crate: opens measurements from their directory alone.
//!
//! * [`mod@reopen`]: a run's summary or, if the run was killed before it wrote one, the figures of its
//!   log. [`live`]: the events of a running run, and whether it is still alive.
//! * [`mod@trace_report`]: a trace, or a run as one, file by file; [`ops_listing`]: its single
//!   operations.
//! * [`mod@compare`]: runs side by side. [`mod@page`]: the page of a run or a trace. [`document`]: runs
//!   and their site as a document for a customer, as HTML and PDF.
//! * [`observers`]: counters of other hosts during a run, added to it; [`run_context`]: what these and
//!   the site show about the run; [`run_judgement`]: judges the run again with them.
//! * [`entered_marks`]: events that users observed during a run; [`run_event`]: the event that the run
//!   itself started.
//! * [`watch_summary`]: a watch, which measures nothing.
//! * [`site`]: facts about a site that no counter shows.
//! * [`run_notes`]: the user's notes on a run, from its start or later.
//! * [`counters`]: counters that were sampled during the I/O; [`limiting_layers`]: the layer that
//!   limited each load point according to them.
//! * [`process_group`]: how a program ends that it starts.
//! * [`load_points`] and [`stream_table`]: what a run records before each load point, so that all of
//!   this is possible without its summary.
//!
//! Not here: figures (analysis), sentences (report), measuring (runner).

pub mod compare;
pub mod counters;
pub mod document;
pub mod entered_marks;
mod folders;
pub mod limiting_layers;
pub mod live;
pub mod load_points;
pub mod mix_fit;
pub mod observers;
pub mod ops_listing;
pub mod page;
mod partial_results;
pub mod procedure_step;
pub mod process_group;
pub mod reopen;
pub mod run_context;
pub mod run_event;
pub mod run_judgement;
pub mod run_notes;
pub mod site;
mod small_file;
pub mod stream_table;
pub mod trace_report;
pub mod watch_summary;
