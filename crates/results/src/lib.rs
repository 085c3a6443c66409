//! The results room: opens what was measured, from its directory alone.
//!
//! * [`mod@reopen`]: a run's summary, or, when nobody lived to write one, the figures of its log. [`live`]:
//!   what it tells while it goes on, and whether it still lives.
//! * [`mod@trace_report`]: a trace, or a run as one, file by file; [`ops_listing`]: its operations
//!   one by one.
//! * [`mod@compare`]: runs side by side. [`mod@page`]: the page of a run or a trace.
//! * [`run_notes`]: what people say of a run, from its start on or later.
//! * [`counters`]: what was sampled beside the I/O; [`limits`]: which layer limited each load point by it.
//! * [`load_points`] and [`stream_table`]: what a run writes down before each load point, so that all this
//!   can be done without its summary.
//!
//! Not here: figures (analysis), sentences (report), measuring (runner).

pub mod compare;
pub mod counters;
pub mod limits;
pub mod live;
pub mod load_points;
pub mod ops_listing;
pub mod page;
pub mod reopen;
pub mod run_notes;
mod small_file;
pub mod stream_table;
pub mod trace_report;
