//! The results room: opens what was measured, from its directory alone.
//!
//! * [`mod@reopen`]: a run's summary, or, when nobody lived to write one, the figures of its log. [`live`]:
//!   what it tells while it goes on, and whether it still lives.
//! * [`mod@trace_report`]: a trace, or a run as one, file by file; [`ops_listing`]: its operations
//!   one by one.
//! * [`mod@compare`]: runs side by side. [`mod@page`]: the page of a run or a trace.
//!   [`document`]: runs and their site as a document to hand over, as HTML and PDF.
//! * [`observers`]: what others counted meanwhile, put beside a run; [`run_context`]: what that and the site
//!   tell of it; [`anew`]: the run judged with it.
//! * [`entered_marks`]: what people saw happen during a run; [`run_event`]: the event that it started itself.
//! * [`watched`]: a watch, which measured nothing.
//! * [`site`]: what no counter tells of a site.
//! * [`run_notes`]: what people say of a run, from its start on or later.
//! * [`counters`]: what was sampled beside the I/O; [`limiting_layers`]: which layer limited each load
//!   point by it.
//! * [`process_group`]: how a program that it starts ends.
//! * [`load_points`] and [`stream_table`]: what a run writes down before each load point, so that all this
//!   can be done without its summary.
//!
//! Not here: figures (analysis), sentences (report), measuring (runner).

pub mod anew;
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
pub mod procedure_step;
pub mod process_group;
pub mod reopen;
pub mod run_context;
pub mod run_event;
pub mod run_notes;
pub mod site;
mod small_file;
pub mod stream_table;
pub mod trace_report;
mod unfinished;
pub mod watched;
