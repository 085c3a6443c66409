//! Systems whose mounts are not looked at: nothing is known of how the target is mounted.

use std::path::Path;

#[derive(Clone, Debug)]
pub(super) struct MountBefore;

impl MountBefore {
    pub(super) fn of(_target: &Path) -> Option<MountBefore> {
        None
    }

    pub(super) fn still_changed(&self) -> Option<String> {
        None
    }
}
