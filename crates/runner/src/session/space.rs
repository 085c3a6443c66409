//! Whether what a run is going to write fits on its target, and what is said where it does not.
//!
//! Not here: making room ([`super::room`]).

use std::path::Path;

use reelgauge_engine::space::{KeepFree, Space};
use reelgauge_workload::units::Size;

use crate::error::RunError;

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
    let Lacking { needed, available, kept } = Lacking::of(files_bytes, space, keep_free);
    Err(RunError::Space { target: target.to_path_buf(), needed, available, kept })
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
            needed: Size::mib(needed_bytes.div_ceil(1 << 20)),
            available: Size::mib(space.available_bytes >> 20),
            kept: Size::mib(space.kept_bytes(keep_free) >> 20),
        }
    }
}
