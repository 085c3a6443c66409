//! The mount of the target, before a change and after its undo: an undo may succeed without effect.
//!
//! Only the table of mounts is read, so that a dead mount cannot block. On a system without such a table
//! nothing is known or reported.

use std::path::{Path, PathBuf};

use reelgauge_machine::mountinfo;

/// A mount, as in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mounted {
    mount_point: Vec<u8>,
    source: String,
    options: Vec<String>,
}

/// The mount of the target before the first change.
#[derive(Clone, Debug)]
pub(super) struct MountBefore {
    target: PathBuf,
    before: Mounted,
}

impl MountBefore {
    /// The current mount of the target; `None` if unknown.
    pub(super) fn of(target: &Path) -> Option<MountBefore> {
        let before = mounted(&mountinfo::here().ok()?, target)?;
        Some(MountBefore { target: target.to_path_buf(), before })
    }

    /// The part that an undo did not restore, as the end of a sentence; `None` if everything is as
    /// before.
    pub(super) fn still_changed(&self) -> Option<String> {
        self.changed_in(&mountinfo::here().ok()?)
    }

    fn changed_in(&self, table: &[mountinfo::Entry]) -> Option<String> {
        let now = mounted(table, &self.target)?;
        if now == self.before {
            return None;
        }
        if (&now.mount_point, &now.source) != (&self.before.mount_point, &self.before.source) {
            let place = String::from_utf8_lossy(&self.before.mount_point).into_owned();
            return Some(format!("{} is no longer mounted at {place}", self.before.source));
        }
        let (before, now) = (self.before.options.join(","), now.options.join(","));
        Some(format!("the storage still has the mount options {now} (before the change: {before})"))
    }
}

/// The mount that is visible at a path.
fn mounted(table: &[mountinfo::Entry], target: &Path) -> Option<Mounted> {
    let mountinfo::Entry { mount_point, source, options, .. } = mountinfo::showing(table, target)?.clone();
    Some(Mounted { mount_point, source, options })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn table(options: &str, source: &str) -> Vec<mountinfo::Entry> {
        let table = format!(
            "29 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n36 29 7:3 / /mnt/a {options} - ext4 {source} rw\n"
        );
        mountinfo::parse(table.as_bytes())
    }

    #[test]
    fn an_undo_that_does_not_restore_the_mount_is_reported() {
        let target = Path::new("/mnt/a/area");
        let before = mounted(&table("rw,relatime", "/dev/loop3"), target).unwrap();
        let mount = MountBefore { target: target.to_path_buf(), before };
        let told = |options, source| mount.changed_in(&table(options, source));
        assert_eq!(told("rw,relatime", "/dev/loop3"), None);
        assert_eq!(
            told("rw,noatime", "/dev/loop3").as_deref(),
            Some("the storage still has the mount options rw,noatime (before the change: rw,relatime)")
        );
        assert_eq!(
            told("rw,relatime", "/dev/loop4").as_deref(),
            Some("/dev/loop3 is no longer mounted at /mnt/a")
        );
        let unmounted = &table("rw,relatime", "/dev/loop3")[..1];
        assert!(mount.changed_in(unmounted).is_some_and(|told| told.contains("no longer")));
    }
}
