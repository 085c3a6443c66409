//! Errors of the operation log.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

/// The reason why the operation log could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// The operation: "write", "rename", …
        action: &'static str,
        path: PathBuf,
        /// The system's error of that operation.
        source: io::Error,
    },
    /// The directory already holds a log; a log is never appended to.
    #[error("{} already has an operation log. Choose a new run directory", dir.display())]
    AlreadyThere { dir: PathBuf },
    /// An operation that the log can't store: an offset or time of 2^63 or more.
    #[error(
        "an operation of worker {worker} has an offset or time above 2^63-1, the largest that the log can \
         store"
    )]
    OutOfRange {
        /// The worker that issued the operation.
        worker: u32,
    },
    /// The log was abandoned after an earlier error.
    #[error("the operation log in {} was abandoned after an earlier error", dir.display())]
    GivenUp { dir: PathBuf },
    /// The Parquet library refused the encoder's output: a bug.
    #[error("cannot encode the operation log: {source}")]
    Encode {
        /// The error of the Parquet library.
        source: ParquetError,
    },
    /// There is no operation log.
    #[error("{} has no operation log (no agent=NAME/part-*.parquet)", dir.display())]
    NoLog {
        /// The directory that was searched.
        dir: PathBuf,
    },
    /// A Parquet file that is not a part of an operation log.
    #[error("{} is not part of an operation log: {why}", path.display())]
    NotALog {
        path: PathBuf,
        /// The missing or invalid part.
        why: String,
    },
    /// The log was written by a newer version.
    #[error(
        "{} was written by a newer version of Reelgauge (log schema {found}; this one reads up to {known}). \
         Update Reelgauge",
        path.display()
    )]
    NewerVersion {
        path: PathBuf,
        /// The version in the log.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// A part is damaged.
    #[error("{} is damaged: {why}. Move it away to read the rest", path.display())]
    Corrupt {
        path: PathBuf,
        /// The reason why the part is damaged.
        why: String,
    },
    /// More rows than the caller's memory limit allows.
    #[error("{} has more operations than fit into memory here (limit: {limit} operations)", dir.display())]
    TooMany {
        dir: PathBuf,
        /// The limit, in rows.
        limit: usize,
    },
}

impl LogError {
    /// Whether a part of the log was missing.
    pub fn is_not_found(&self) -> bool {
        matches!(self, LogError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// For `map_err`: adds the action and the path to an I/O error.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LogError {
        move |source| LogError::Io { action, path: path.to_path_buf(), source }
    }

    /// For `map_err`: adds the path of a damaged file.
    pub(super) fn corrupt(path: &Path) -> impl FnOnce(ParquetError) -> LogError {
        move |error| LogError::Corrupt { path: path.to_path_buf(), why: error.to_string() }
    }
}

/// The usual remedy for an error, if there is one.
pub(crate) fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            ". Free some space there, or choose another results folder with --out"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            ". Choose a results folder that you can write to with --out"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_disk_error_has_a_remedy() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let text = LogError::io("write", Path::new("/x/part"))(full).to_string();
        assert!(text.starts_with("cannot write /x/part: "), "{text}");
        assert!(text.ends_with("--out"), "{text}");
    }
}
