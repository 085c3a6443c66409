//! Finds the block devices below a mount: the device itself, the disk of a partition, and the devices
//! below arrays, mapped volumes and loop devices. The sources are the table of mounts, the list of disks
//! with their components, and `/proc/mdstat`.
//!
//! The target itself is never accessed: on a dead mount that would never return. Devices that no text
//! shows stay unknown: [`Below::is_whole`] shows whether all levels are known.

use std::collections::VecDeque;
use std::path::Path;

use crate::file_system::{MountKind, kind_of};
use crate::mountinfo::{Entry, showing};
use crate::source::Source;

/// Limits the devices of large arrays.
const DEVICES_MAX: usize = 24;
/// The list of disks.
pub(crate) const DISKS: &str = "/sys/block";
/// The major number of software arrays.
const MD_MAJOR: u32 = 9;

/// Names of block devices, as in `/proc/diskstats`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// From the top down, the nearest first.
    pub names: Vec<String>,
    /// Whether these are all of them.
    pub is_whole: bool,
}

/// The devices below the mount at `mount_point`; empty for file systems without a device of the host.
pub fn below(source: &impl Source, mounts: &[Entry], mount_point: &Path) -> Below {
    // Of several mounts at one place, the last one is on top.
    let mount = mounts.iter().rfind(|entry| entry.is_at(mount_point));
    let Some(first) = mount.and_then(|mount| device_of(source, mount)) else {
        return Below::default();
    };
    let mut found = Below { names: Vec::new(), is_whole: true };
    let mut open = VecDeque::from([first]);
    if mount.is_some_and(|mount| mount.fs_type == "btrfs") {
        // The table of mounts names only one of several devices.
        match btrfs_devices(source, open.front().map_or("", String::as_str)) {
            Some(all) => open.extend(all),
            None => found.is_whole = false,
        }
    }
    while let Some(name) = open.pop_front() {
        if found.names.len() == DEVICES_MAX || found.names.contains(&name) {
            continue;
        }
        match next_below(source, &name, mounts) {
            Some(below) => open.extend(below),
            None => found.is_whole = false,
        }
        found.names.push(name);
    }
    found
}

/// The devices of the btrfs that contains this one: from the kernel's directory for each file system,
/// otherwise from the program's list; `None` if neither is known.
fn btrfs_devices(source: &impl Source, device: &str) -> Option<Vec<String>> {
    const FILE_SYSTEMS: &str = "/sys/fs/btrfs";
    let folders = source.names(FILE_SYSTEMS).into_iter();
    let by_kernel = folders.map(|uuid| source.names(&format!("{FILE_SYSTEMS}/{uuid}/devices")));
    let said = source.text_beginning("btrfs filesystem show").unwrap_or_default();
    let by_program = said.split("Label:").map(|block| {
        let paths = block.lines().filter_map(|line| line.split(" path /dev/").nth(1));
        paths.filter_map(|path| path.split_whitespace().next()).map(str::to_owned).collect()
    });
    by_kernel.chain(by_program).find(|devices: &Vec<String>| devices.iter().any(|own| own == device))
}

/// The mounted device: by its number, otherwise by its name. btrfs has different numbers, which belong
/// to no device.
fn device_of(source: &impl Source, mount: &Entry) -> Option<String> {
    let (major, minor) = mount.device;
    let numbers = mount.numbers();
    let uevent = source.text(&format!("/sys/dev/block/{numbers}/uevent")).unwrap_or_default();
    if let Some(name) = uevent.lines().find_map(|line| line.strip_prefix("DEVNAME=")) {
        return Some(name.replace('/', "!"));
    }
    let is_it = |name: &String| source.value(&format!("{DISKS}/{name}/dev")).is_some_and(|it| it == numbers);
    if let Some(name) = source.names(DISKS).into_iter().find(is_it) {
        return Some(name);
    }
    let name = mount.source.strip_prefix("/dev/")?;
    match name.split_once('/') {
        // The kernel's own names of these contain the minor number.
        Some(("mapper", _)) if major != 0 => Some(format!("dm-{minor}")),
        Some(("md", _)) if major == MD_MAJOR => Some(format!("md{minor}")),
        // `/dev/root` is not the name of a device.
        None if name != "root" => Some(name.to_owned()),
        _ => None,
    }
}

/// The components of a device: empty if it is a disk, `None` if no text shows them.
fn next_below(source: &impl Source, name: &str, mounts: &[Entry]) -> Option<Vec<String>> {
    if let Some(disk) = partitioned(source, name)? {
        return Some(vec![disk]);
    }
    let slaves = source.text(&format!("{DISKS}/{name}/slaves"));
    if name.starts_with("loop") {
        let file = source.text(&format!("{DISKS}/{name}/loop/backing_file"))?;
        return below_file(source, Path::new(file.trim_end_matches('\n')), mounts);
    }
    match (slaves, name.starts_with("md"), name.starts_with("dm-")) {
        (Some(names), ..) => Some(names.split_whitespace().map(str::to_owned).collect()),
        (None, true, _) => members(&source.text("/proc/mdstat")?, name),
        (None, _, true) => None,
        _ => Some(Vec::new()),
    }
}

/// The disk of a partition: `Some(None)` if it is no partition, `None` if that is unknown.
fn partitioned(source: &impl Source, name: &str) -> Option<Option<String>> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let names = source.names(DISKS);
    let is_disk = |name: &str| names.iter().any(|disk| disk == name);
    if !names.is_empty() {
        if is_disk(name) {
            return Some(None);
        }
        let of = [Some(stem), stem.strip_suffix('p')].into_iter().flatten().find(|disk| is_disk(disk));
        return of.map(|disk| Some(disk.to_owned()));
    }
    // Without a list, by the kernel's naming rules: `sda1`, and with a `p` if the disk's name ends with
    // a digit.
    let is_lettered = ["sd", "vd", "xvd", "hd"].iter().any(|kind| name.starts_with(kind));
    let disk = match stem.strip_suffix('p') {
        _ if stem == name => None,
        _ if is_lettered => Some(stem),
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => Some(disk),
        _ => None,
    };
    Some(disk.map(str::to_owned))
}

/// The members of an array, from `/proc/mdstat`: `md0 : active raid1 sdb1[1] sda1[0]`.
fn members(mdstat: &str, array: &str) -> Option<Vec<String>> {
    let line =
        mdstat.lines().find_map(|line| line.split_once(" : ").filter(|(name, _)| name.trim() == array))?;
    let words = line.1.split_whitespace().filter_map(|word| word.split_once('['));
    Some(words.map(|(name, _)| name.to_owned()).collect())
}

/// The device below a file, by the file's name alone: the file itself may be on a mount that hangs.
/// Empty for a file in memory; `None` if it is unknown.
fn below_file(source: &impl Source, file: &Path, mounts: &[Entry]) -> Option<Vec<String>> {
    let mount = showing(mounts, file)?;
    match kind_of(&mount.fs_type, &mount.source) {
        MountKind::Memory => Some(Vec::new()),
        _ => Some(vec![device_of(source, mount)?]),
    }
}

/// Whether a disk is virtual, so that the physical device is unknown: by its name (virtio's and Xen's)
/// or by its reported vendor.
pub fn is_of_virtual_machine(disk: &str, vendor: &str) -> bool {
    ["vd", "xvd"].iter().any(|kind| disk.starts_with(kind))
        || ["QEMU", "VMware", "Msft", "VBOX", "Xen"].iter().any(|name| vendor.starts_with(name))
}

/// The first loop device below a mount that reads and writes its file through the local host's cache.
pub fn cached_loop(source: &impl Source, mounts: &[Entry], mount_point: &Path) -> Option<String> {
    let is_cached =
        |name: &String| source.value(&format!("{DISKS}/{name}/loop/dio")).is_some_and(|it| it == "0");
    below(source, mounts, mount_point).names.into_iter().find(is_cached)
}

/// Devices in memory, with removable discs, or the flash of a board.
const NO_DISKS: [&str; 5] = ["fd", "mtdblock", "ram", "sr", "zram"];
/// Devices that show a file, or a device of another host, as a disk.
const FOR_A_FILE: [&str; 2] = ["loop", "nbd"];

fn is_one_of(kinds: &[&str], name: &str) -> bool {
    kinds.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// Whether a device with this name is no disk of the storage: it never holds its data, or only while it is
/// mounted (loop devices).
pub fn is_no_disk(name: &str) -> bool {
    is_one_of(&NO_DISKS, name) || is_one_of(&FOR_A_FILE, name)
}

/// The names of all disks and arrays of a host, for a server. Of the devices for files, only writable
/// ones count, which the server may export. Read-only ones, such as packages, do not. They come after
/// the disks, because there may be many.
pub fn every(source: &impl Source) -> Vec<String> {
    let mut names = source.names(DISKS);
    let value = |name: &str, file: &str| source.value(&format!("{DISKS}/{name}/{file}"));
    let is_for_a_file = |name: &str| is_one_of(&FOR_A_FILE, name);
    names.retain(|name| {
        let is_written = !is_for_a_file(name) || value(name, "ro").is_some_and(|ro| ro == "0");
        let has_size = value(name, "size").is_some_and(|size| size != "0");
        !is_one_of(&NO_DISKS, name) && is_written && has_size
    });
    names.sort_by_key(|name| (is_for_a_file(name), name.clone()));
    names.truncate(DEVICES_MAX);
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;
    use crate::mountinfo::parse;
    use crate::source::Host;
    use crate::texts::Texts;

    const MOUNTS: &str = "\
29 1 8:1 / / rw - ext4 /dev/sda1 rw
30 29 9:0 / /srv/media rw - xfs /dev/md0 rw
31 29 253:2 / /srv/volume rw - xfs /dev/mapper/vg-lv rw
32 29 7:3 / /srv/image rw - xfs /dev/loop3 rw
33 29 259:3 / /srv/fast rw - xfs /dev/nvme0n1p2 rw
34 29 0:40 / /srv/pool rw - zfs tank/media rw
35 29 8:1 / /old rw - ext4 /dev/root rw
";
    const MDSTAT: &str = "\
Personalities : [raid6]
md0 : active raid6 sdb1[0] sdc1[1](F)
      1 blocks [2/1] [U_]
";

    fn texts(more: &[(&str, &str)]) -> Texts {
        let mut texts = Texts::default();
        let all = [("/proc/self/mountinfo", MOUNTS), ("/proc/mdstat", MDSTAT)];
        all.iter().chain(more).for_each(|(name, text)| texts.put(*name, Ok((*text).to_owned())));
        texts
    }

    fn below(texts: &Texts, point: &str) -> (String, bool) {
        let found = super::below(texts, &texts.mounts(), Path::new(point));
        (found.names.join(" "), found.is_whole)
    }

    fn is(names: &str, is_whole: bool) -> (String, bool) {
        (names.to_owned(), is_whole)
    }

    #[test]
    fn device_chain_is_read_from_mounts_and_arrays() {
        let plain = texts(&[]);
        assert_eq!(below(&plain, "/srv/media"), is("md0 sdb1 sdc1 sdb sdc", true));
        assert_eq!(below(&plain, "/srv/fast"), is("nvme0n1p2 nvme0n1", true));
        assert_eq!(below(&plain, "/srv/volume"), is("dm-2", false));
        assert_eq!(below(&plain, "/srv/image"), is("loop3", false));
        assert_eq!(below(&plain, "/srv/pool"), is("", false));
        assert_eq!(below(&plain, "/old"), is("", false));
        assert_eq!(below(&plain, "/absent"), is("", false));
    }

    #[test]
    fn btrfs_with_several_disks_uses_all_of_them() {
        let mounts = ("/proc/self/mountinfo", "30 29 0:41 / /srv rw - btrfs /dev/sdb rw\n");
        let show = "Label: 'a'  uuid: 1\n\tTotal devices 2\n\
                    \tdevid    1 size 3.64TiB used 1.2TiB path /dev/sdb\n\tdevid    2 size 3.64TiB used 1.2TiB path /dev/sdc\n";
        let list = ("/sys/block", "sda sdb sdc");
        assert_eq!(below(&texts(&[mounts, list]), "/srv"), is("sdb", false), "which others no text tells");
        let told = texts(&[mounts, list, ("btrfs filesystem show --mounted", show)]);
        assert_eq!(below(&told, "/srv"), is("sdb sdc", true));
    }

    #[test]
    fn collected_texts_complete_the_device_chain() {
        let whole = texts(&[
            ("/sys/block", "dm-2\nloop3\nmd0\nnvme0n1\nsda\nsdb\nsdc"),
            ("/sys/block/dm-2/slaves", "md0\n"),
            ("/sys/block/md0/slaves", "sdb1\nsdc1\n"),
            ("/sys/block/loop3/loop/backing_file", "/srv/media/a b.img\n"),
            ("/sys/block/sda/slaves", ""),
            ("/sys/block/sda/dev", "8:0\n"),
        ]);
        assert_eq!(below(&whole, "/srv/volume"), is("dm-2 md0 sdb1 sdc1 sdb sdc", true));
        assert_eq!(below(&whole, "/srv/image"), is("loop3 md0 sdb1 sdc1 sdb sdc", true));
        assert_eq!(below(&whole, "/"), is("sda1 sda", true));
        let renamed = texts(&[
            ("/sys/block", "md127"),
            ("/sys/block/md127/dev", "9:0\n"),
            ("/sys/block/md127/slaves", ""),
        ]);
        assert_eq!(below(&renamed, "/srv/media"), is("md127", true), "by its number");
        let strange = texts(&[("/sys/block", "sdz")]);
        assert_eq!(below(&strange, "/srv/fast"), is("nvme0n1p2", false), "a disk that is not in the list");
    }

    /// A host with: vda (a partition on it), a btrfs of vdb and vdc, an array md0 of sda and sdb, a volume
    /// dm-0 on it, and a loop device on a file of the btrfs.
    fn host() -> (tempfile::TempDir, Host) {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (numbers, name) in
            [("254:0", "vda"), ("254:1", "vda1"), ("253:0", "dm-0"), ("9:0", "md0"), ("7:3", "loop3")]
        {
            put(&format!("sys/dev/block/{numbers}/uevent"), &format!("MAJOR=1\nDEVNAME={name}\n"));
        }
        for (name, size, ro) in [
            ("vda", "9", "0"),
            ("vdb", "9", "0"),
            ("vdc", "9", "0"),
            ("sda", "9", "0"),
            ("sdb", "9", "0"),
            ("md0", "18", "0"),
            ("dm-0", "18", "0"),
            ("loop0", "9", "1"),
            ("loop3", "9", "0"),
            ("sr0", "9", "0"),
            ("sdx", "0", "0"),
            ("zram0", "4", "0"),
        ] {
            put(&format!("sys/block/{name}/size"), size);
            put(&format!("sys/block/{name}/ro"), ro);
            fs::create_dir_all(root.path().join(format!("sys/block/{name}/slaves"))).unwrap();
        }
        for (of, member) in [("dm-0", "md0"), ("md0", "sda"), ("md0", "sdb")] {
            fs::create_dir_all(root.path().join(format!("sys/block/{of}/slaves/{member}"))).unwrap();
        }
        for member in ["vdb", "vdc"] {
            fs::create_dir_all(root.path().join(format!("sys/fs/btrfs/u-u-i-d/devices/{member}"))).unwrap();
        }
        put("sys/block/loop3/loop/backing_file", "/home/a b/image\n");
        put("sys/block/loop3/loop/dio", "0\n");
        let host = Host::below(root.path());
        (root, host)
    }

    const HOST_MOUNTS: &[u8] = b"\
29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw,discard
31 29 253:0 / /srv/raid rw,noatime shared:20 master:2 - xfs /dev/mapper/media rw
32 29 0:41 /@home /home rw - btrfs /dev/vdb rw,subvol=/@home
33 29 0:52 / /mnt/nas rw - nfs4 nas1:/tank/media rw,vers=4.2
36 29 7:3 / /mnt/two\\040words rw - ext4 /dev/loop3 rw
37 29 254:1 / /mnt/twice rw - ext4 /dev/vda1 rw
38 37 0:60 / /mnt/twice rw - tmpfs top rw
";

    #[test]
    fn devices_of_a_host_are_followed_down() {
        let (_root, host) = host();
        for (point, names) in [
            ("/", "vda1 vda"),
            ("/srv/raid", "dm-0 md0 sda sdb"),
            ("/home", "vdb vdc"),
            ("/mnt/nas", ""),
            ("/mnt/two words", "loop3 vdb"),
            ("/mnt/twice", ""),
            ("/mnt/absent", ""),
        ] {
            let found = super::below(&host, &parse(HOST_MOUNTS), Path::new(point));
            assert_eq!(
                (found.names.join(" ").as_str(), found.is_whole),
                (names, !names.is_empty()),
                "{point}"
            );
        }
    }

    #[test]
    fn disks_of_virtual_machines_are_known_by_name_or_vendor() {
        for (disk, vendor) in
            [("vda", ""), ("xvdf", ""), ("sda", "QEMU    "), ("sdb", "VMware"), ("sdc", "Msft")]
        {
            assert!(is_of_virtual_machine(disk, vendor), "{disk} {vendor}");
        }
        assert!(!is_of_virtual_machine("sda", "ATA") && !is_of_virtual_machine("nvme0n1", ""));
    }

    #[test]
    fn loops_are_no_disks_and_arrays_are() {
        for name in ["loop0", "zram0", "sr1", "nbd3", "mtdblock0"] {
            assert!(is_no_disk(name), "{name}");
        }
        for name in ["md0", "sda", "nvme0n1", "srv", "dm-2"] {
            assert!(!is_no_disk(name), "{name}");
        }
    }

    #[test]
    fn a_device_made_of_itself_ends() {
        let (root, host) = host();
        fs::create_dir_all(root.path().join("sys/block/sda/slaves/dm-0")).unwrap();
        assert_eq!(super::below(&host, &parse(HOST_MOUNTS), Path::new("/srv/raid")).names.len(), 4);
    }

    #[test]
    fn loop_device_without_direct_io_uses_the_cache() {
        let (root, host) = host();
        let of = |point: &str| cached_loop(&host, &parse(HOST_MOUNTS), Path::new(point));
        assert_eq!(of("/mnt/two words").as_deref(), Some("loop3"));
        assert_eq!(of("/srv/raid"), None);
        fs::create_dir_all(root.path().join("sys/block/md0/slaves/loop3")).unwrap();
        assert_eq!(of("/srv/raid").as_deref(), Some("loop3"), "below an array");
        fs::write(root.path().join("sys/block/loop3/loop/dio"), "1\n").unwrap();
        assert_eq!(of("/mnt/two words"), None);
    }

    #[test]
    fn every_disk_and_array_is_one_and_nothing_else() {
        let (_root, host) = host();
        let expected = ["dm-0", "md0", "sda", "sdb", "vda", "vdb", "vdc", "loop3"];
        assert_eq!(every(&host), expected, "loop0 is that of a package");
        assert!(every(&Host::below("/nonexistent")).is_empty());
    }
}
