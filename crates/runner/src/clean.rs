//! Removing the area below a target, and what starts that were killed while they made one left beside it.

use std::path::{Path, PathBuf};

use reelgauge_engine::area::{Area, AreaError, Cleaned, Sharing};

/// What was removed, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The area, and what of it; `None` where there is none.
    pub area: Option<(PathBuf, Cleaned)>,
    /// What killed starts left.
    pub leftovers: Vec<PathBuf>,
}

/// Removes the area below `target`, as far as the tool made it, and leftovers, and nothing else.
///
/// # Errors
/// When the area is not ours, when a run uses it, or when something can't be removed.
pub fn clean(target: &Path, sharing: Sharing) -> Result<Removed, AreaError> {
    let area = existing(target, sharing, Area::clean)?;
    Ok(Removed { area, leftovers: Area::remove_leftovers(target, sharing)? })
}

/// What [`clean`] would do. Nothing is changed.
///
/// # Errors
/// When the area is not ours, or when it can't be looked at.
pub fn look(target: &Path, sharing: Sharing) -> Result<Removed, AreaError> {
    let area = existing(target, sharing, |area| area.to_clean())?;
    Ok(Removed { area, leftovers: Area::leftovers(target, sharing)? })
}

/// What becomes of the area, where there is one.
fn existing(
    target: &Path,
    sharing: Sharing,
    act: impl FnOnce(Area) -> Result<Cleaned, AreaError>,
) -> Result<Option<(PathBuf, Cleaned)>, AreaError> {
    match Area::open_existing_on(target, sharing) {
        Err(AreaError::NoArea { .. }) => Ok(None),
        area => {
            let area = area?;
            let root = area.root().to_path_buf();
            Ok(Some((root, act(area)?)))
        }
    }
}
