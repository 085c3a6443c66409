//! File system states that only commands show. A thread runs them periodically, so that a command that
//! hangs blocks nothing. Only the listing commands of ZFS and btrfs are run, which change nothing.
//!
//! Not here: states that need no command (the parent module).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::mountinfo;
use crate::sample::parse::disturbances::pool_work;
use crate::texts::command;

/// The interval of the commands.
const EVERY: Duration = Duration::from_secs(10);

/// The last output. The state of a file system without output is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LastAnswer {
    /// `tank scrub`.
    pub(super) work: Vec<String>,
    /// The number of snapshots, by the kind of file system.
    pub(super) snapshots: BTreeMap<&'static str, u32>,
}

/// The file systems with commands. The thread ends at its next iteration after this is dropped.
#[derive(Debug)]
pub(super) struct Asked {
    said: Arc<Mutex<LastAnswer>>,
}

impl Asked {
    /// Commands for the host's ZFS, and for the btrfs that is mounted at this place; `None` if there is
    /// neither.
    pub(super) fn of(mount_point: &Path) -> Option<Asked> {
        let has_zfs = Path::new("/dev/zfs").exists();
        let mounts = mountinfo::here().unwrap_or_default();
        let mount = mounts.iter().rfind(|mount| mount.is_at(mount_point));
        let is_btrfs = mount.is_some_and(|mount| mount.fs_type == "btrfs");
        let btrfs = is_btrfs.then(|| mount_point.to_path_buf());
        (has_zfs || btrfs.is_some()).then(|| Asked::begin(has_zfs, btrfs))
    }

    fn begin(has_zfs: bool, btrfs: Option<PathBuf>) -> Asked {
        let said = Arc::new(Mutex::new(LastAnswer::default()));
        let kept = Arc::downgrade(&said);
        let work = move || {
            while let Some(said) = kept.upgrade() {
                let new = ask(has_zfs, btrfs.as_deref(), &|words| command::output(words).ok());
                *said.lock().unwrap_or_else(PoisonError::into_inner) = new;
                drop(said);
                thread::sleep(EVERY);
            }
        };
        // If no thread can be started, their state is unknown.
        let _ = thread::Builder::new().name("asked".to_owned()).spawn(work);
        Asked { said }
    }

    /// Their last output.
    pub(super) fn last_output(&self) -> LastAnswer {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs each command once.
fn ask(has_zfs: bool, btrfs: Option<&Path>, output: &dyn Fn(&[&str]) -> Option<String>) -> LastAnswer {
    let mut said = LastAnswer::default();
    if has_zfs {
        said.work = output(&["zpool", "status"]).map(|text| pool_work(&text)).unwrap_or_default();
        let snapshots = output(&["zfs", "list", "-H", "-t", "snapshot", "-o", "name"]);
        said.snapshots.extend(snapshots.map(|text| ("zfs", lines(&text))));
    }
    if let Some(mount_point) = btrfs.and_then(Path::to_str) {
        let snapshots = output(&["btrfs", "subvolume", "list", "-s", mount_point]);
        said.snapshots.extend(snapshots.map(|text| ("btrfs", lines(&text))));
    }
    said
}

/// Lines that are not blank; each is a snapshot.
fn lines(text: &str) -> u32 {
    text.lines().filter(|line| !line.trim().is_empty()).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_counted_and_failed_command_is_unknown() {
        let output = |words: &[&str]| match words {
            ["zpool", ..] => Some("  pool: tank\n  scan: scrub in progress since Sun\n".to_owned()),
            ["zfs", ..] => Some("tank/media@hourly-1\ntank/media@hourly-2\n".to_owned()),
            ["btrfs", "subvolume", "list", "-s", "/mnt/b"] => Some(String::new()),
            _ => None,
        };
        let said = ask(true, Some(Path::new("/mnt/b")), &output);
        assert_eq!(said.work, ["tank scrub"]);
        assert_eq!(said.snapshots, BTreeMap::from([("zfs", 2), ("btrfs", 0)]));
        let refused = ask(true, Some(Path::new("/mnt/other")), &|_| None);
        assert_eq!(refused, LastAnswer::default(), "unknown, and not 0");
    }
}
