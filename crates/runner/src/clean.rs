//! Removing the area below a target.

use std::path::{Path, PathBuf};

use reelgauge_engine::area::{Area, AreaError, Cleaned, Sharing};

/// What was removed, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The area.
    pub root: PathBuf,
    /// What of it.
    pub what: Cleaned,
}

/// Removes the area below `target`, as far as the tool made it, and nothing else.
///
/// # Errors
/// When there is no area, when it is not ours, when a run uses it, or when something can't be removed.
pub fn clean(target: &Path, sharing: Sharing) -> Result<Removed, AreaError> {
    let area = Area::open_existing_on(target, sharing)?;
    let root = area.root().to_path_buf();
    Ok(Removed { root, what: area.clean()? })
}

/// What [`clean`] would do. Nothing is changed.
///
/// # Errors
/// When there is no area, when it is not ours, or when it can't be looked at.
pub fn look(target: &Path, sharing: Sharing) -> Result<Removed, AreaError> {
    let area = Area::open_existing_on(target, sharing)?;
    Ok(Removed { root: area.root().to_path_buf(), what: area.to_clean()? })
}
