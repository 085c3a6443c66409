//! Which block devices carry the target: its own, the disk around a partition, and what lies below arrays,
//! mapped volumes and loop devices.
//!
//! From the table of mounts and `/sys` alone. Nothing looks at the target: on a dead mount that never
//! returns.

pub mod told;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use crate::mountinfo::{Entry, showing};

/// An array may have more disks than anybody wants to look at.
const DEVICES_MAX: usize = 24;

/// The names, in `/proc/diskstats`, of the devices below the mount at `mount_point`, the nearest first; none
/// for file systems that lie on no device of this machine.
pub fn below(mounts: &[Entry], mount_point: &Path, sys: &Path) -> Vec<String> {
    // Of several mounts at one place the last lies on top.
    let Some(mount) = mounts.iter().rfind(|mount| mount.is_at(mount_point)) else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::new();
    let mut open: VecDeque<PathBuf> = folder_of(mount, sys).into_iter().collect();
    open.extend(btrfs_siblings(&mount.source, sys));
    while let Some(folder) = open.pop_front() {
        let Some(name) = folder.file_name().map(|name| name.to_string_lossy().into_owned()) else {
            continue;
        };
        if found.len() == DEVICES_MAX || found.contains(&name) {
            continue;
        }
        found.push(name);
        open.extend(next_below(&folder, mounts, sys));
    }
    found
}

/// The names of all disks and arrays of a machine, as a server has them: what only lies in memory or takes a
/// disc out is left out, and so is a loop device that is read only, as those of packages are. One that can be
/// written may be what the server exports; behind the disks, because there may be many.
pub fn every(sys: &Path) -> Vec<String> {
    const NO_DISK: [&str; 5] = ["ram", "zram", "sr", "fd", "mtd"];
    const FOR_A_FILE: [&str; 2] = ["loop", "nbd"];
    let entries = fs::read_dir(sys.join("block")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let kind = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let text = |name: &str, file: &str| fs::read_to_string(sys.join("block").join(name).join(file));
    let is_for_a_file = |name: &str| FOR_A_FILE.contains(&kind(name).as_str());
    names.retain(|name| {
        let is_written = !is_for_a_file(name) || text(name, "ro").is_ok_and(|ro| ro.trim() == "0");
        let has_size = text(name, "size").is_ok_and(|size| size.trim() != "0");
        !NO_DISK.contains(&kind(name).as_str()) && is_written && has_size
    });
    names.sort_by_key(|name| (is_for_a_file(name), name.clone()));
    names.truncate(DEVICES_MAX);
    names
}

/// The folder of a mount's device in `/sys`. btrfs has numbers of its own, which no device has: there its
/// source names one.
fn folder_of(mount: &Entry, sys: &Path) -> Option<PathBuf> {
    let by_number = sys.join("dev/block").join(mount.numbers());
    let by_name = mount.source.strip_prefix("/dev/").map(|name| sys.join("class/block").join(name));
    fs::canonicalize(by_number).ok().or_else(|| fs::canonicalize(by_name?).ok())
}

/// The other devices of a btrfs, which the table of mounts does not name: `/sys/fs/btrfs/UUID/devices` links
/// to each of them.
fn btrfs_siblings(source: &str, sys: &Path) -> Vec<PathBuf> {
    let Some(name) = source.strip_prefix("/dev/") else { return Vec::new() };
    let all = fs::read_dir(sys.join("fs/btrfs")).into_iter().flatten().flatten();
    let Some(devices) = all.map(|of| of.path().join("devices")).find(|devices| devices.join(name).exists())
    else {
        return Vec::new();
    };
    let links = fs::read_dir(devices).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = links.filter_map(|link| fs::canonicalize(link.path()).ok()).collect();
    found.sort();
    found
}

/// What a device is made of.
fn next_below(folder: &Path, mounts: &[Entry], sys: &Path) -> Vec<PathBuf> {
    if folder.join("partition").exists() {
        return folder.parent().map(Path::to_path_buf).into_iter().collect();
    }
    if let Ok(file) = fs::read_to_string(folder.join("loop/backing_file")) {
        return device_of_file(Path::new(file.trim_end_matches('\n')), mounts, sys).into_iter().collect();
    }
    let members = fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
    let mut members: Vec<PathBuf> =
        members.filter_map(|member| fs::canonicalize(member.path()).ok()).collect();
    members.sort();
    members
}

/// The device that a file lies on, by its name alone: the file itself may be on something that hangs.
fn device_of_file(file: &Path, mounts: &[Entry], sys: &Path) -> Option<PathBuf> {
    folder_of(showing(mounts, file)?, sys)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::mountinfo::parse;

    const MOUNTS: &str = "\
29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard
31 29 253:0 / /srv/raid rw,noatime shared:20 master:2 - xfs /dev/mapper/media rw
32 29 0:41 /@home /home rw - btrfs /dev/vdb rw,subvol=/@home
33 29 0:52 / /mnt/nas rw - nfs4 nas1:/tank/media rw,vers=4.2
36 29 7:3 / /mnt/two\\040words rw - ext4 /dev/loop3 rw
37 29 254:1 / /mnt/twice rw - ext4 /dev/vda1 rw
38 37 0:60 / /mnt/twice rw - tmpfs top rw
";

    /// A `/sys` with: vda (a partition on it), vdb, an array md0 of sda and sdb, a volume dm-0 on it, and a
    /// loop device on a file in `/home`.
    fn sys() -> tempfile::TempDir {
        let sys = tempfile::tempdir().unwrap();
        let link = |from: String, to: &str| {
            let from = sys.path().join(from);
            fs::create_dir_all(from.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(sys.path().join("devices").join(to), from).unwrap();
        };
        let disks = [
            ("254:0", "vda"),
            ("254:1", "vda/vda1"),
            ("254:16", "vdb"),
            ("8:0", "sda"),
            ("8:16", "sdb"),
            ("9:0", "md0"),
            ("253:0", "dm-0"),
            ("7:3", "loop3"),
        ];
        for (numbers, place) in disks {
            fs::create_dir_all(sys.path().join("devices").join(place)).unwrap();
            link(format!("dev/block/{numbers}"), place);
            link(format!("class/block/{}", place.rsplit('/').next().unwrap()), place);
        }
        fs::write(sys.path().join("devices/vda/vda1/partition"), "1\n").unwrap();
        fs::create_dir_all(sys.path().join("devices/loop3/loop")).unwrap();
        fs::write(sys.path().join("devices/loop3/loop/backing_file"), "/home/a b/image\n").unwrap();
        for (of, member) in [("dm-0", "md0"), ("md0", "sda"), ("md0", "sdb")] {
            link(format!("devices/{of}/slaves/{member}"), member);
        }
        sys
    }

    #[test]
    fn devices_are_followed_down() {
        let sys = sys();
        for (mount_point, expected) in [
            ("/", &["vda1", "vda"][..]),
            ("/srv/raid", &["dm-0", "md0", "sda", "sdb"]),
            ("/home", &["vdb"]),
            ("/mnt/nas", &[]),
            ("/mnt/two words", &["loop3", "vdb"]),
            ("/mnt/twice", &[]),
            ("/mnt/absent", &[]),
        ] {
            assert_eq!(
                below(&parse(MOUNTS.as_bytes()), Path::new(mount_point), sys.path()),
                expected,
                "{mount_point}"
            );
        }
    }

    #[test]
    fn a_device_made_of_itself_ends() {
        let sys = sys();
        let target = sys.path().join("devices/dm-0");
        fs::create_dir_all(sys.path().join("devices/sda/slaves")).unwrap();
        std::os::unix::fs::symlink(target, sys.path().join("devices/sda/slaves/dm-0")).unwrap();
        assert_eq!(below(&parse(MOUNTS.as_bytes()), Path::new("/srv/raid"), sys.path()).len(), 4);
    }

    #[test]
    fn every_disk_and_array_is_one_and_nothing_else() {
        let sys = tempfile::tempdir().unwrap();
        for (name, size) in [
            ("sdb", "9"),
            ("md0", "18"),
            ("loop0", "9"),
            ("loop3", "9"),
            ("sr0", "9"),
            ("nvme0n1", "9"),
            ("sdc", "0"),
            ("zram0", "4"),
        ] {
            let folder = sys.path().join("block").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("size"), format!("{size}\n")).unwrap();
            fs::write(folder.join("ro"), if name == "loop0" { "1\n" } else { "0\n" }).unwrap();
        }
        assert_eq!(every(sys.path()), ["md0", "nvme0n1", "sdb", "loop3"], "loop0 is that of a package");
        assert!(every(Path::new("/nonexistent")).is_empty());
    }
}
