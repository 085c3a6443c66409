//! Disturbances of storage that files of the kernel and of tools show: arrays and file systems that are
//! being checked or rebuilt, links that went down, the mount at a place, snapshots.
//!
//! Not here: states that need a command, such as `zpool status`, which a separate thread runs
//! ([`crate::sample::disturbances`]).

use std::path::Path;

use crate::mountinfo;

use super::put_on;
use crate::sample::counter::{Layer, Look, Reading};
use crate::unraid::UnraidArray;

/// The names in `/proc/mdstat` of work that uses disk time.
const ARRAY_WORK: [&str; 4] = ["resync", "recovery", "reshape", "check"];

/// Work on the arrays of `/proc/mdstat`, each with its name: `md0 resync`. Delayed work does not count.
pub fn array_work(mdstat: &str) -> Vec<String> {
    if let Some(array) = UnraidArray::read(mdstat) {
        return array.work().map(|work| format!("unraid {work}")).into_iter().collect();
    }
    let mut array = "";
    let mut found = Vec::new();
    for line in mdstat.lines() {
        if let Some((name, _)) = line.split_once(" : ").filter(|(name, _)| !name.contains(' ')) {
            array = name;
        }
        // `[==>......]  resync = 12.6% (37043392/292945152) finish=127.5min speed=33440K/sec`
        let work = ARRAY_WORK
            .iter()
            .find(|work| line.contains(&format!("{work} =")) || line.contains(&format!("{work}=")));
        let is_waiting = line.contains("DELAYED") || line.contains("PENDING");
        if let Some(work) = work.filter(|_| !is_waiting && !array.is_empty()) {
            found.push(format!("{array} {work}"));
        }
    }
    found
}

/// The exclusive work on a btrfs file system, from `/sys/fs/btrfs/UUID/exclusive_operation`: `balance`,
/// `device replace`; `None` if there is none, or it is paused.
pub fn exclusive_work(text: &str) -> Option<&str> {
    let work = text.trim();
    (!work.is_empty() && work != "none" && !work.contains("paused")).then_some(work)
}

/// Whether a scrub is in progress, from btrfs-progs' file `scrub.status.UUID`: a line for each device.
pub fn is_scrubbing(status: &str) -> bool {
    let has = |line: &str, flag: &str| line.split('|').any(|part| part == flag);
    status.lines().any(|line| has(line, "finished:0") && has(line, "canceled:0"))
}

/// Work on the pools of `zpool status`, each with its name: `tank scrub`. Paused work does not count.
pub fn pool_work(status: &str) -> Vec<String> {
    let mut pool = "";
    let mut found = Vec::new();
    for line in status.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("pool:") {
            pool = name.trim();
        }
        // `scan: scrub in progress since Sun Nov 16 00:24:01 2025`
        let scan = line.strip_prefix("scan:").filter(|scan| scan.contains("in progress") && !pool.is_empty());
        let work = scan.and_then(|scan| ["scrub", "resilver"].into_iter().find(|work| scan.contains(work)));
        found.extend(work.map(|work| format!("{pool} {work}")));
    }
    found
}

/// The mount at a mount point, in a form that can be compared: the mount's number, device, type and
/// options.
pub fn shown_at(mountinfo: &str, mount_point: &Path) -> Option<String> {
    let entries = mountinfo::parse(mountinfo.as_bytes());
    let entry = entries.iter().rfind(|entry| entry.is_at(mount_point))?;
    Some(format!("{:?} {} {} {:?}", entry.device, entry.fs_type, entry.source, entry.options))
}

/// Adds work in progress on a device.
pub fn put_work(device: &str, look: &mut Look) {
    put_on(look, Layer::Disk, "background_work_count", device, Reading::Level(1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After md(4) and the kernel's `md.c`.
    const MDSTAT: &str = "\
Personalities : [raid1] [raid6] [raid5] [raid4]
md1 : active raid1 sdd1[1] sdc1[0]
      976630464 blocks super 1.2 [2/2] [UU]
      \tresync=DELAYED

md0 : active raid5 sda1[0] sdb1[1] sdc1[3]
      1953260544 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/3] [UUU]
      [==>..................]  check = 12.6% (123456789/976630272) finish=127.5min speed=33440K/sec

unused devices: <none>
";

    #[test]
    fn delayed_array_work_is_not_reported() {
        assert_eq!(array_work(MDSTAT), ["md0 check"]);
        assert!(array_work("Personalities : \nunused devices: <none>\n").is_empty());
        assert!(array_work("resync = 1%").is_empty(), "of no array");
        assert_eq!(array_work(&MDSTAT.replace("check =", "recovery =")), ["md0 recovery"]);
    }

    #[test]
    fn btrfs_balance_and_scrub_are_found() {
        assert_eq!(exclusive_work("balance\n"), Some("balance"));
        for text in ["none\n", "", "balance paused\n"] {
            assert_eq!(exclusive_work(text), None, "{text}");
        }
        let status = |finished: u8, canceled: u8| {
            format!(
                "scrub status:1\n4d6b0c2e-0000:1|data_extents_scrubbed:10|t_start:1700000000|duration:5|canceled:{canceled}|finished:{finished}\n"
            )
        };
        assert!(is_scrubbing(&status(0, 0)));
        assert!(
            !is_scrubbing(&status(1, 0)) && !is_scrubbing(&status(0, 1)) && !is_scrubbing("scrub status:1\n")
        );
    }

    /// After zpool-status(8).
    #[test]
    fn a_pool_that_is_scrubbed_is_named() {
        let pool = |scan: &str| format!("  pool: tank\n state: ONLINE\n  scan: {scan}\nconfig:\n");
        assert_eq!(pool_work(&pool("scrub in progress since Sun Nov 16 00:24:01 2025")), ["tank scrub"]);
        assert_eq!(
            pool_work(&pool("resilver in progress since Sun Nov 16 00:24:01 2025")),
            ["tank resilver"]
        );
        for scan in
            ["scrub repaired 0B in 01:02:03 with 0 errors", "scrub paused since Sun", "none requested"]
        {
            assert!(pool_work(&pool(scan)).is_empty(), "{scan}");
        }
        assert!(pool_work("scan: scrub in progress").is_empty(), "of no pool");
    }

    #[test]
    fn remount_changes_the_comparable_mount() {
        let mounts = |options: &str| format!("33 29 0:52 / /mnt/nas rw - nfs4 nas1:/media {options}\n");
        let at = |text: &str| shown_at(text, Path::new("/mnt/nas"));
        assert_eq!(at(&mounts("rw,vers=4.2")), at(&mounts("rw,vers=4.2")));
        assert_ne!(at(&mounts("rw,vers=4.2")), at(&mounts("ro,vers=4.2")));
        assert_eq!(at(""), None);
    }
}
