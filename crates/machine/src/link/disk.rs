//! The kind of a block device, from `/sys/dev/block`.
//!
//! Everything is read below the device's own directory, so that tests can supply one.

use std::path::Path;

use crate::devices::is_of_virtual_machine;
use crate::source::{Host, Source};

/// The properties of a block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Disk {
    /// `sda1`, `dm-0`.
    pub device: String,
    /// `a SATA SSD (Samsung SSD 870)`.
    pub what: String,
    /// Whether it is a hard disk; `None` if the kernel's answer is about something else, as for a
    /// virtual disk.
    pub rotational: Option<bool>,
}

/// Reads a device from its directory, with links resolved: `/sys/devices/…/block/sda/sda1`.
pub(super) fn read(dir: &Path) -> Option<Disk> {
    let device = name(dir)?;
    let whole = if dir.join("partition").exists() { dir.parent()? } else { dir };
    let about = Host::below(whole);
    let (what, rotational) = layered(&about).unwrap_or_else(|| physical(whole, &about));
    Some(Disk { device, what, rotational })
}

/// A device that consists of others, or of a file.
fn layered(about: &Host) -> Option<(String, Option<bool>)> {
    if let Some(file) = about.value("loop/backing_file") {
        return Some((format!("a loop device backed by {file}"), None));
    }
    let kind = if let Some(level) = about.value("md/level") {
        format!("a {level} array")
    } else {
        match about.value("dm/uuid")?.split('-').next() {
            Some("LVM") => "an LVM volume".to_owned(),
            Some("CRYPT") => "an encrypted volume".to_owned(),
            Some("mpath") => "a multipath disk".to_owned(),
            _ => "a mapped volume".to_owned(),
        }
    };
    let below = about.names("slaves");
    let on = if below.is_empty() { String::new() } else { format!(" on {}", below.join(", ")) };
    Some((format!("{kind}{on}"), is_rotational(about)))
}

fn physical(dir: &Path, about: &Host) -> (String, Option<bool>) {
    let (kind, rotational) = kind_of(dir, about);
    let model = about.value("device/model").filter(|model| !model.is_empty());
    (model.map_or(kind.clone(), |model| format!("{kind} ({model})")), rotational)
}

fn kind_of(dir: &Path, about: &Host) -> (String, Option<bool>) {
    let device = name(dir).unwrap_or_default();
    let path = dir.to_string_lossy();
    let through = |part: &str| path.contains(part);
    let vendor = about.value("device/vendor").unwrap_or_default();
    let plain = |kind: &str| (kind.to_owned(), None);
    if device.starts_with("nvme") {
        // Fabrics name their transport; a local device has pcie, or nothing on old kernels.
        let transport = about.value("device/transport").filter(|transport| transport != "pcie");
        return match transport {
            Some(transport) => (format!("an NVMe disk over a network ({transport})"), None),
            None => ("an NVMe SSD".to_owned(), Some(false)),
        };
    }
    if device.starts_with("nbd") || device.starts_with("rbd") {
        return plain("a block device over a network");
    }
    if through("/session") {
        return plain("an iSCSI disk over a network");
    }
    if device.starts_with("zram") {
        return plain("zram (compressed memory) on this client");
    }
    if through("/virtio") || is_of_virtual_machine(&device, &vendor) {
        return plain("a disk of a virtual machine");
    }
    if through("/usb") {
        // The bridge in the enclosure answers for the disk, often wrongly.
        return plain("a USB disk");
    }
    if device.starts_with("mmcblk") {
        return ("a memory card".to_owned(), Some(false));
    }
    let bus = if through("/ata") { "SATA " } else { "" };
    match is_rotational(about) {
        Some(true) => (format!("a {bus}hard disk"), Some(true)),
        Some(false) => {
            (if bus.is_empty() { "an SSD".to_owned() } else { format!("a {bus}SSD") }, Some(false))
        }
        None => (format!("a {bus}disk"), None),
    }
}

fn is_rotational(about: &Host) -> Option<bool> {
    Some(about.value("queue/rotational")? == "1")
}

fn name(dir: &Path) -> Option<String> {
    Some(dir.file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    /// Reads the device at `place` of a synthetic `/sys/devices` with these files.
    fn disk(place: &str, files: &[(&str, &str)]) -> Disk {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(place);
        fs::create_dir_all(&dir).unwrap();
        for (file, content) in files {
            let path = dir.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{content}\n")).unwrap();
        }
        read(&dir).unwrap()
    }

    fn what(place: &str, files: &[(&str, &str)]) -> (String, Option<bool>) {
        let disk = disk(place, files);
        (disk.what, disk.rotational)
    }

    #[test]
    fn local_disks_are_found() {
        let sata = "pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        assert_eq!(
            what(sata, &[("queue/rotational", "1"), ("device/model", "ST4000DM004 ")]),
            ("a SATA hard disk (ST4000DM004)".to_owned(), Some(true))
        );
        assert_eq!(what(sata, &[("queue/rotational", "0")]), ("a SATA SSD".to_owned(), Some(false)));
        let nvme = "pci0000:00/nvme/nvme0/nvme0n1";
        assert_eq!(what(nvme, &[("queue/rotational", "0")]), ("an NVMe SSD".to_owned(), Some(false)));
        let sas = "pci0000:00/host2/block/sdb";
        assert_eq!(what(sas, &[("queue/rotational", "1")]), ("a hard disk".to_owned(), Some(true)));
        assert_eq!(what(sas, &[]), ("a disk".to_owned(), None));
    }

    #[test]
    fn a_partition_is_as_its_disk() {
        let root = tempfile::tempdir().unwrap();
        let whole = root.path().join("ata1/block/sda");
        fs::create_dir_all(whole.join("sda1")).unwrap();
        fs::create_dir_all(whole.join("queue")).unwrap();
        fs::write(whole.join("queue/rotational"), "1\n").unwrap();
        fs::write(whole.join("sda1/partition"), "1\n").unwrap();
        let disk = read(&whole.join("sda1")).unwrap();
        assert_eq!((disk.device.as_str(), disk.what.as_str()), ("sda1", "a SATA hard disk"));
        assert_eq!(disk.rotational, Some(true));
    }

    #[test]
    fn backing_of_virtual_and_network_disks_is_unknown() {
        let rotates = [("queue/rotational", "1")];
        for (place, expected) in [
            ("pci0000:00/virtio1/block/vda", "a disk of a virtual machine"),
            ("platform/host3/session1/target3:0:0/block/sdc", "an iSCSI disk over a network"),
            ("virtual/block/nbd0", "a block device over a network"),
            ("virtual/block/zram0", "zram (compressed memory) on this client"),
            ("pci0000:00/usb2/2-1/block/sdd", "a USB disk"),
        ] {
            assert_eq!(what(place, &rotates), (expected.to_owned(), None));
        }
        let fabrics = [("device/transport", "tcp"), ("queue/rotational", "0")];
        assert_eq!(what("virtual/nvme1/nvme1n1", &fabrics).0, "an NVMe disk over a network (tcp)");
    }

    #[test]
    fn device_layers_name_their_lower_devices() {
        let volume =
            [("dm/uuid", "LVM-abc"), ("slaves/sdb/x", ""), ("slaves/sda/x", ""), ("queue/rotational", "1")];
        assert_eq!(what("virtual/block/dm-0", &volume), ("an LVM volume on sda, sdb".to_owned(), Some(true)));
        let raid = [("md/level", "raid6"), ("slaves/sda/x", ""), ("queue/rotational", "0")];
        assert_eq!(what("virtual/block/md0", &raid), ("a raid6 array on sda".to_owned(), Some(false)));
        let image = [("loop/backing_file", "/srv/image"), ("queue/rotational", "1")];
        let expected = ("a loop device backed by /srv/image".to_owned(), None);
        assert_eq!(what("virtual/block/loop0", &image), expected);
    }
}
