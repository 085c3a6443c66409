//! What can go wrong with a trace as such. What an importer can't understand is counted by the importer.

use std::io;
use std::path::{Path, PathBuf};

use reelgauge_record::log::LogError;

/// Why a trace could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "read", "write", "rename".
        action: &'static str,
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The log in it could not be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// There is nothing of the kind.
    #[error(
        "{} is neither a trace nor a run: it has no ops/. Make a trace with 'reelgauge import' (from files \
         of other programs) or 'reelgauge record' (of an application)",
        path.display()
    )]
    NotATrace { path: PathBuf },
    /// All of it was cut off.
    #[error("cannot read {}: its parts in ops/ are truncated. Copy or record it again", path.display())]
    Torn { path: PathBuf },
    /// Its description of itself can't be parsed.
    #[error("{} is damaged: {why}", path.display())]
    Info { path: PathBuf, why: String },
    /// A newer version has made it.
    #[error(
        "{} was written by a newer version of Reelgauge (trace version {found}; this one reads up to {}). \
         Update Reelgauge",
        path.display(),
        crate::TRACE_VERSION
    )]
    NewerVersion {
        path: PathBuf,
        /// The version that it carries.
        found: u32,
    },
    /// It would be empty.
    #[error("it has no operations{}", because(warnings))]
    NoOperations {
        /// What was found to say about that; may be empty.
        warnings: String,
    },
    /// More names than a trace may have, or longer ones.
    #[error(
        "the file names of the trace take more than {limit_mib} MiB. Record or import a part of it (fewer \
         files or a shorter time)"
    )]
    TooManyNames {
        /// How much is allowed.
        limit_mib: usize,
    },
    /// Several agents in one trace.
    #[error(
        "{} has the operations of {agents} hosts, but a trace is of one. Name one of them: {}/ops/agent=NAME",
        path.display(),
        path.display()
    )]
    ManyAgents { path: PathBuf, agents: usize },
    /// Another recording uses the folder.
    #[error("{} is in use by another recording. Choose another place with --out", path.display())]
    InUse { path: PathBuf },
    /// Every name was taken.
    #[error(
        "{} already exists, and so do a thousand numbered variants of its name. Choose another place with \
         --out", path.display())]
    NoFreeName {
        /// The name without a number.
        path: PathBuf,
    },
}

/// A reason, behind what it is the reason for.
fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

impl TraceError {
    /// Makes an I/O error into one of these.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TraceError {
        move |source| TraceError::Io { action, path: path.to_owned(), source }
    }
}
