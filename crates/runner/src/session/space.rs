//! Whether a run's files fit on its target, and the error if they do not.
//!
//! Not here: making space ([`super::space_making`]).

use std::path::Path;

use reelgauge_engine::area::{AREA_DIR, AreaError};
use reelgauge_engine::space::{KeepFree, Space, space};
use reelgauge_machine::mount::Mount;
use reelgauge_workload::units::Size;

use crate::error::RunError;

/// The space of a target before even the area is made. `None` if it has an area already, whose files may
/// be used again, and if the target has a fault, which the area reports better.
pub fn space_before_area(target: &Path) -> Option<Space> {
    let has_none = target.is_dir() && !target.join(AREA_DIR).exists();
    has_none.then(|| space(target).ok().flatten()).flatten()
}

/// Refuses files that can't fit, before even the area is made. `smaller`: what the user can reduce, with the
/// flags of the verb.
pub fn check_before_area(
    target: &Path,
    files_bytes: u64,
    keep_free: KeepFree,
    smaller: &'static str,
) -> Result<(), RunError> {
    match space_before_area(target) {
        Some(space) => check_room(target, files_bytes, space, keep_free).map_err(|error| match error {
            RunError::Space { target, needed, available, kept, .. } => {
                RunError::Space { target, needed, available, kept, smaller }
            }
            other => other,
        }),
        None => Ok(()),
    }
}

/// Refuses files that need more than the usable space.
pub fn check_room(
    target: &Path,
    files_bytes: u64,
    space: Space,
    keep_free: KeepFree,
) -> Result<(), RunError> {
    if files_bytes <= space.usable_bytes(keep_free) {
        return Ok(());
    }
    // On a read-only volume, more space would not help.
    if Mount::at(target).is_ok_and(|mount| mount.is_read_only()) {
        return Err(RunError::Area(AreaError::ReadOnly { path: target.to_path_buf() }));
    }
    let Lacking { needed, available, kept } = Lacking::of(files_bytes, space, keep_free);
    let (target, smaller) = (target.to_path_buf(), "smaller or fewer files");
    Err(RunError::Space { target, needed, available, kept, smaller })
}

/// The space needed, the free space, and the part that must stay free; in whole MiB for readability:
/// rounded up if needed, down if free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lacking {
    pub(crate) needed: Size,
    pub(crate) available: Size,
    pub(crate) kept: Size,
}

impl Lacking {
    pub(crate) fn of(needed_bytes: u64, space: Space, keep_free: KeepFree) -> Lacking {
        Lacking {
            // Rounded up, the largest number would overflow.
            needed: Size(needed_bytes.checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX)),
            available: Size::mib(space.available_bytes >> 20),
            kept: Size::mib(space.kept_bytes(keep_free) >> 20),
        }
    }
}
