//! The trace crate: an application's storage operations, and how they are replayed.
//!
//! A trace is an operation log with a short description ([`info`]); a run is a trace without that
//! description. This crate [opens](trace) and [writes](writer) traces, and makes their names
//! [safe](name). [`prestate`]: the files that must exist before a replay. [`replay`]: the decisions
//! of a replay, without executing operations.
//!
//! Not here: importing the files of other tools (the import crate), recording (the capture crate),
//! reading and writing of user data (the engine), and figures (the analysis crate).

pub mod error;
pub mod export;
mod held_operation;
pub mod info;
pub mod library;
pub mod name;
mod note;
pub mod pieces;
pub mod prestate;
pub mod replay;
pub mod rescue;
mod safety_log;
pub mod synth;
pub mod trace;
pub mod writer;

pub use error::TraceError;
pub use info::{MalformedLine, Moved, TargetFigure, TraceInfo};
pub use note::TraceNote;
pub use trace::Trace;
pub use writer::TraceWriter;

/// Version of `trace.json`. A program reads all versions up to its own.
pub const TRACE_VERSION: u32 = 1;

/// The most files a trace may name.
pub const MAX_FILES: u32 = 1 << 22;
