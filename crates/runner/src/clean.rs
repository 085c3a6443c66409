//! Removing the area below a target.

use std::path::{Path, PathBuf};

use reelgauge_engine::area::{Area, AreaError};

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The area.
    pub root: PathBuf,
    /// Files in it.
    pub files: u64,
    /// Bytes in them.
    pub bytes: u64,
}

/// Removes the area below `target` and nothing else.
///
/// # Errors
/// When there is no area, when it is not ours, when a run uses it, or when something can't be removed.
pub fn clean(target: &Path) -> Result<Removed, AreaError> {
    let area = Area::open_existing(target)?;
    let root = area.root().to_path_buf();
    let cleaned = area.clean()?;
    Ok(Removed { root, files: cleaned.files, bytes: cleaned.bytes })
}
