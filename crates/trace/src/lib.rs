//! The trace crate: an application's storage operations, and how they are replayed.
//!
//! A trace is an operation log with a short description ([`info`]); a run is a trace without that
//! description. Traces are [opened](trace), [written](writer), and their names [made safe](name) here.
//! [`prestate`]: what must exist before one can be replayed; [`replay`]: the replay itself, decided
//! without doing it.
//!
//! Not here: the sources of traces, which are other tools' files (the import crate) and recording (the
//! capture crate); reading and writing of user data, which is the engine's; and figures, which the
//! analysis crate makes.

pub mod error;
pub mod export;
mod held;
pub mod info;
pub mod library;
pub mod name;
mod note;
pub mod pieces;
pub mod prestate;
pub mod replay;
pub mod rescue;
mod safe;
pub mod synth;
pub mod trace;
pub mod writer;

pub use error::TraceError;
pub use info::{MalformedLine, Moved, TargetFigure, TraceInfo};
pub use note::TraceNote;
pub use trace::Trace;
pub use writer::TraceWriter;

/// Version of `trace.json`. A program reads every version up to its own.
pub const TRACE_VERSION: u32 = 1;

/// The most files a trace may name.
pub const MAX_FILES: u32 = 1 << 22;
