//! Systems whose mounts are not inspected: the mount of the target is unknown.

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
