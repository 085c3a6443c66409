//! Removing the area below a target, and files next to it from starts that were killed while making one.

use std::path::{Path, PathBuf};

use reelgauge_engine::area::{Area, AreaError, Cleaned, Sharing};

/// The result of a removal, or of its preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The area, and which parts of it; `None` if there is none.
    pub area: Option<(PathBuf, Cleaned)>,
    /// The files of killed starts.
    pub leftovers: Vec<PathBuf>,
}

/// Removes the area below `target` and leftovers, as far as Reelgauge made them, and nothing else.
///
/// # Errors
/// If the area is not Reelgauge's, a run uses it, or something cannot be removed.
pub fn clean(target: &Path, sharing: Sharing) -> Result<Removed, AreaError> {
    let area = existing(target, sharing, Area::clean)?;
    Ok(Removed { area, leftovers: Area::remove_leftovers(target, sharing)? })
}

/// A preview of [`clean`]. Nothing is changed.
///
/// # Errors
/// If the area is not Reelgauge's, or cannot be read.
pub fn look(target: &Path, sharing: Sharing) -> Result<Removed, AreaError> {
    let area = existing(target, sharing, |area| area.to_clean())?;
    Ok(Removed { area, leftovers: Area::leftovers(target, sharing)? })
}

/// The effect on the area, if there is one.
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
