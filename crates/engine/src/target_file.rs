//! A file that operations may name.

use std::path::PathBuf;

/// A file that operations may name by its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
    /// Absolute path, inside the area.
    pub path: PathBuf,
    pub size_bytes: u64,
}
