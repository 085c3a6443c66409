//! Which disks carry a path of a machine of which there are collected texts alone: from its table of mounts,
//! its list of disks, what each of them is made of, and `/proc/mdstat`.
//!
//! What the texts do not tell stays unknown: [`Told::is_whole`] says whether all of the way down was told.

use std::collections::VecDeque;
use std::path::Path;

use crate::mountinfo::{Entry, showing};

use super::DEVICES_MAX;
use crate::texts::Texts;

/// Names of block devices, from collected texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// In the order of the way down, the nearest first.
    pub names: Vec<String>,
    /// Whether these are all of them.
    pub is_whole: bool,
}

/// The devices below what is mounted at `mount_point`, as far as texts tell them.
pub fn told(texts: &Texts, mount_point: &Path) -> Told {
    let entries = texts.mounts();
    let mount = entries.iter().rfind(|entry| entry.is_at(mount_point));
    let Some(first) = mount.and_then(|mount| device_of(texts, mount)) else {
        return Told::default();
    };
    let mut told = Told { names: Vec::new(), is_whole: true };
    let mut open = VecDeque::from([first]);
    if mount.is_some_and(|mount| mount.fs_type == "btrfs") {
        // The table of mounts names one of several devices.
        match btrfs_devices(texts, open.front().map_or("", String::as_str)) {
            Some(all) => open.extend(all),
            None => told.is_whole = false,
        }
    }
    while let Some(name) = open.pop_front() {
        if told.names.len() == DEVICES_MAX || told.names.contains(&name) {
            continue;
        }
        match next_below(texts, &name, &entries) {
            Some(below) => open.extend(below),
            None => told.is_whole = false,
        }
        told.names.push(name);
    }
    told
}

/// The devices of the btrfs that this one is of; `None` where no text lists them.
fn btrfs_devices(texts: &Texts, device: &str) -> Option<Vec<String>> {
    let said = texts.known().find(|name| name.starts_with("btrfs filesystem show"))?;
    let said = texts.get(said).ok()?;
    let devices = |block: &str| -> Vec<String> {
        let paths = block.lines().filter_map(|line| line.split(" path /dev/").nth(1));
        paths.filter_map(|path| path.split_whitespace().next()).map(str::to_owned).collect()
    };
    let mut blocks = said.split("Label:").map(devices);
    blocks.find(|devices| devices.iter().any(|own| own == device))
}

/// The device that is mounted: by its number, else by its name.
fn device_of(texts: &Texts, mount: &Entry) -> Option<String> {
    let (major, minor) = mount.device;
    let numbers = mount.numbers();
    let is_it =
        |name: &&str| texts.get(&format!("/sys/block/{name}/dev")).is_ok_and(|it| it.trim() == numbers);
    if let Some(name) = disks(texts).and_then(|mut names| names.find(is_it)) {
        return Some(name.to_owned());
    }
    let name = mount.source.strip_prefix("/dev/")?;
    match name.split_once('/') {
        // The kernel's own names of these have the minor number in them. btrfs has numbers of its own.
        Some(("mapper", _)) if major != 0 => Some(format!("dm-{minor}")),
        Some(("md", _)) if major == MD_MAJOR => Some(format!("md{minor}")),
        // `/dev/root` is a name of nothing.
        None if name != "root" => Some(name.to_owned()),
        _ => None,
    }
}

/// The number of software arrays.
const MD_MAJOR: u32 = 9;

fn disks(texts: &Texts) -> Option<impl Iterator<Item = &str>> {
    Some(texts.get("/sys/block").ok()?.split_whitespace())
}

/// What a device is made of: nothing where it is a disk, `None` where no text tells.
fn next_below(texts: &Texts, name: &str, mounts: &[Entry]) -> Option<Vec<String>> {
    if let Some(disk) = partitioned(texts, name)? {
        return Some(vec![disk]);
    }
    let slaves = texts.get(&format!("/sys/block/{name}/slaves"));
    if name.starts_with("loop") {
        let file = texts.get(&format!("/sys/block/{name}/loop/backing_file")).ok()?;
        return Some(vec![device_of_file(texts, Path::new(file.trim_end_matches('\n')), mounts)?]);
    }
    match (slaves, name.starts_with("md"), name.starts_with("dm-")) {
        (Ok(names), ..) => Some(names.split_whitespace().map(str::to_owned).collect()),
        (Err(_), true, _) => members(texts.get("/proc/mdstat").ok()?, name),
        (Err(_), _, true) => None,
        _ => Some(Vec::new()),
    }
}

/// The disk that a partition is of: none where it is no partition, `None` where that is not known.
fn partitioned(texts: &Texts, name: &str) -> Option<Option<String>> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if let Some(names) = disks(texts) {
        let names: Vec<&str> = names.collect();
        if names.contains(&name) {
            return Some(None);
        }
        let of = [Some(stem), stem.strip_suffix('p')].into_iter().flatten().find(|disk| names.contains(disk));
        return of.map(|disk| Some(disk.to_owned()));
    }
    // Without a list, by the kernel's rules for names: `sda1`, and `p` where the disk ends with a digit.
    let is_lettered = ["sd", "vd", "xvd", "hd"].iter().any(|kind| name.starts_with(kind));
    let disk = match stem.strip_suffix('p') {
        _ if stem == name => None,
        _ if is_lettered => Some(stem),
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => Some(disk),
        _ => None,
    };
    Some(disk.map(str::to_owned))
}

/// The members of an array, as `/proc/mdstat` has them: `md0 : active raid1 sdb1[1] sda1[0]`.
fn members(mdstat: &str, array: &str) -> Option<Vec<String>> {
    let line =
        mdstat.lines().find_map(|line| line.split_once(" : ").filter(|(name, _)| name.trim() == array))?;
    let words = line.1.split_whitespace().filter_map(|word| word.split_once('['));
    Some(words.map(|(name, _)| name.to_owned()).collect())
}

/// The device that a file lies on, by its name.
fn device_of_file(texts: &Texts, file: &Path, mounts: &[Entry]) -> Option<String> {
    device_of(texts, showing(mounts, file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let told = told(texts, Path::new(point));
        (told.names.join(" "), told.is_whole)
    }

    fn is(names: &str, is_whole: bool) -> (String, bool) {
        (names.to_owned(), is_whole)
    }

    #[test]
    fn the_way_down_is_told_by_the_table_of_mounts_and_the_arrays() {
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
    fn a_btrfs_of_several_disks_lies_on_all_of_them() {
        let mounts = ("/proc/self/mountinfo", "30 29 0:41 / /srv rw - btrfs /dev/sdb rw\n");
        let show = "Label: 'a'  uuid: 1\n\tTotal devices 2\n\
                    \tdevid    1 size 3.64TiB used 1.2TiB path /dev/sdb\n\tdevid    2 size 3.64TiB used 1.2TiB path /dev/sdc\n";
        let list = ("/sys/block", "sda sdb sdc");
        assert_eq!(below(&texts(&[mounts, list]), "/srv"), is("sdb", false), "which others no text tells");
        let told = texts(&[mounts, list, ("btrfs filesystem show --mounted", show)]);
        assert_eq!(below(&told, "/srv"), is("sdb sdc", true));
    }

    #[test]
    fn what_a_script_collected_tells_the_rest() {
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
}
