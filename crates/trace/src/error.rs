//! Errors of reading and writing traces. Lines that an importer cannot parse are counted by the
//! importer.

use std::io;
use std::path::{Path, PathBuf};

use reelgauge_record::log::LogError;

/// Why a trace could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation: "read", "write", "rename".
        action: &'static str,
        path: PathBuf,
        /// The system's error of that operation.
        source: io::Error,
    },
    /// The operation log could not be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The directory holds no operation log.
    #[error(
        "{} is neither a trace nor a run: it has no ops/. Make a trace with 'reelgauge import' (from files \
         of other programs) or 'reelgauge record' (of an application)",
        path.display()
    )]
    NotATrace { path: PathBuf },
    /// The log holds no complete part; all of it was cut off.
    #[error("cannot read {}: its parts in ops/ are truncated. Copy or record it again", path.display())]
    Torn { path: PathBuf },
    /// `trace.json` can't be parsed.
    #[error("{} is damaged: {why}", path.display())]
    Info { path: PathBuf, why: String },
    /// The trace was written by a newer version.
    #[error(
        "{} was written by a newer version of Reelgauge (trace version {found}; this one reads up to {}). \
         Update Reelgauge",
        path.display(),
        crate::TRACE_VERSION
    )]
    NewerVersion {
        path: PathBuf,
        /// The version in `trace.json`.
        found: u32,
    },
    /// The trace would be empty.
    #[error("it has no operations{}", because(warnings))]
    NoOperations {
        /// Warnings that explain why it is empty; may be empty.
        warnings: String,
    },
    /// Too many or too long names.
    #[error(
        "the file names of the trace take more than {limit_mib} MiB. Record or import a part of it (fewer \
         files or a shorter time)"
    )]
    TooManyNames {
        /// The limit, in MiB.
        limit_mib: usize,
    },
    /// The log holds the operations of several agents.
    #[error(
        "{} has the operations of {agents} hosts, but a trace has those of only one. Name one of them: \
         {}/ops/agent=NAME",
        path.display(),
        path.display()
    )]
    ManyAgents { path: PathBuf, agents: usize },
    /// Another recording uses the directory.
    #[error("{} is in use by another recording. Choose another place with --out", path.display())]
    InUse { path: PathBuf },
    /// All numbered names are taken, too.
    #[error(
        "{} already exists, and so do a thousand numbered variants of its name. Choose another place with \
         --out", path.display())]
    NoFreeName {
        /// The name without a number.
        path: PathBuf,
    },
}

/// Formats a reason to append to the message that it explains.
fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

impl TraceError {
    /// Converts an I/O error.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TraceError {
        move |source| TraceError::Io { action, path: path.to_owned(), source }
    }
}
