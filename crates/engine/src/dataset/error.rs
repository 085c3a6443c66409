//! Why a data set could not be prepared.

use std::io;
use std::path::{Path, PathBuf};

use crate::area::AreaError;
use crate::driver_error::DriverError;

/// Why a data set could not be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataSetError {
    /// The specification is invalid.
    #[error("cannot create this data set: {why}")]
    Spec { why: &'static str },
    /// The file system has too little space. Nothing was written.
    #[error(
        "the data set needs {} more, but {directory} has {} free, and {} must stay free (--keep-free). \
         Use fewer or smaller files, or free some space. 'reelgauge clean' removes test files of earlier runs",
        amount(*needed_bytes), amount(*available_bytes), amount(*kept_bytes)
    )]
    NoSpace {
        /// The directory of the data set.
        directory: PathBuf,
        /// The size that still has to be written.
        needed_bytes: u64,
        kept_bytes: u64,
        /// The space that an ordinary user may still use there.
        available_bytes: u64,
    },
    /// The file system filled up during the preparation. The incomplete file was removed.
    #[error(
        "cannot write {path}: no space left, although enough was reported. Another process writes there, or \
         a hidden limit applies. Use fewer or smaller files. 'reelgauge clean' removes what was written"
    )]
    Full {
        /// The file that was being written.
        path: PathBuf,
    },
    /// A quota was reached. The incomplete file was removed.
    #[error(
        "cannot write {path}: disk quota exceeded. Raise the quota, or use fewer or smaller files. \
         'reelgauge clean' removes what was written"
    )]
    Quota {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The file system does not support files of this size.
    #[error(
        "cannot write {path}: its file system does not support files of {}. Use more and smaller files",
        amount(*file_bytes)
    )]
    TooLarge {
        /// The file that was being written.
        path: PathBuf,
        file_bytes: u64,
    },
    /// An entry in the data set's place does not belong to Reelgauge.
    #[error("{path} is {what}, not a file of Reelgauge. It was not changed. Move it away, then run again")]
    NotOurs {
        /// The entry that blocks the data set.
        path: PathBuf,
        what: &'static str,
    },
    /// A newer version created the data set.
    #[error(
        "the data set {directory} was created by a newer version of Reelgauge (format {format}). Use that \
         version, or remove the area with that version's 'reelgauge clean'"
    )]
    Newer { directory: PathBuf, format: i64 },
    /// Stopped by the caller.
    #[error(
        "interrupted after writing {} of test files. The next run uses the complete ones",
        amount(*written_bytes)
    )]
    Interrupted {
        /// Bytes written until then.
        written_bytes: u64,
    },
    /// The target is read-only or dead, or this user may not write to it.
    #[error(transparent)]
    Target(#[from] AreaError),
    /// Memory for the data could not be allocated.
    #[error(transparent)]
    Memory(#[from] DriverError),
    /// The working thread could not be started.
    #[error("cannot start a thread: {source}. Close other programs, then try again")]
    Thread {
        /// The operating system's error.
        source: io::Error,
    },
    /// The working thread ended without a result.
    #[error(
        "the thread that prepares the data set ended without a result. This is a bug in Reelgauge: please \
         report it"
    )]
    Died,
}

/// Converts an I/O error to the variant of its cause. `file_bytes` is the requested size.
pub(super) fn named(doing: &'static str, path: &Path, file_bytes: u64, source: io::Error) -> DataSetError {
    let owned = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull => DataSetError::Full { path: owned },
        io::ErrorKind::QuotaExceeded => DataSetError::Quota { path: owned },
        io::ErrorKind::FileTooLarge => DataSetError::TooLarge { path: owned, file_bytes },
        _ => DataSetError::Target(AreaError::of_io(doing, path, source)),
    }
}

/// Formats an amount of data in decimal units: `8.6 GB`.
pub fn amount(bytes: u64) -> String {
    let amount = bytes as f64;
    match bytes {
        0..1_000_000 => format!("{bytes} bytes"),
        1_000_000..1_000_000_000 => format!("{:.1} MB", amount / 1e6),
        1_000_000_000..1_000_000_000_000 => format!("{:.1} GB", amount / 1e9),
        _ => format!("{:.1} TB", amount / 1e12),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_have_names_and_remedies() {
        use io::ErrorKind as Kind;
        for (kind, words) in [
            (Kind::StorageFull, "cannot write /a/b: no space left"),
            (Kind::QuotaExceeded, "cannot write /a/b: disk quota"),
            (Kind::FileTooLarge, "files of 5.0 GB"),
            (Kind::ReadOnlyFilesystem, "(rw)"),
            (Kind::Other, "cannot write /a/b"),
        ] {
            let said = named("write", Path::new("/a/b"), 5_000_000_000, kind.into()).to_string();
            assert!(said.contains(words), "{kind:?}: {said}");
        }
    }

    #[test]
    fn bytes_are_shown_with_units() {
        assert_eq!(amount(999), "999 bytes");
        assert_eq!(amount(67_108_864), "67.1 MB");
        assert_eq!(amount(42_949_672_960), "42.9 GB");
        assert_eq!(amount(3_500_000_000_000), "3.5 TB");
    }
}
