//! Whether what a run is going to write fits on its target, and what is said where it does not.
//!
//! Not here: making room ([`super::room`]).

use std::path::Path;

use reelgauge_engine::area::{AREA_DIR, AreaError};
use reelgauge_engine::space::{KeepFree, Space, space};
use reelgauge_machine::mount::Mount;
use reelgauge_workload::units::Size;

use crate::error::RunError;

/// The room of a target before even the area is made. `None` where it has one already, in which files may lie
/// that serve again, and where something is wrong with the target, which is better said by the area.
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

/// Refuses files that take more than may be used.
pub fn check_room(
    target: &Path,
    files_bytes: u64,
    space: Space,
    keep_free: KeepFree,
) -> Result<(), RunError> {
    if files_bytes <= space.usable_bytes(keep_free) {
        return Ok(());
    }
    // No room on a read-only volume would help.
    if Mount::at(target).is_ok_and(|mount| mount.is_read_only()) {
        return Err(RunError::Area(AreaError::ReadOnly { path: target.to_path_buf() }));
    }
    let Lacking { needed, available, kept } = Lacking::of(files_bytes, space, keep_free);
    let (target, smaller) = (target.to_path_buf(), "smaller or fewer files");
    Err(RunError::Space { target, needed, available, kept, smaller })
}

/// What is needed, what there is, and what of that stays free; in whole MiB, which people can read: up what
/// is needed, down what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lacking {
    pub(crate) needed: Size,
    pub(crate) available: Size,
    pub(crate) kept: Size,
}

impl Lacking {
    pub(crate) fn of(needed_bytes: u64, space: Space, keep_free: KeepFree) -> Lacking {
        Lacking {
            // Rounded up, the largest number has no room.
            needed: Size(needed_bytes.checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX)),
            available: Size::mib(space.available_bytes >> 20),
            kept: Size::mib(space.kept_bytes(keep_free) >> 20),
        }
    }
}
