//! Mounts, from `/proc/self/mountinfo`, with the link to their server.
//!
//! The options are those that the kernel prints: `nfs_show_mount_options` in `fs/nfs/super.c` (which
//! omits `nconnect` if it is 1) and `cifs_show_options` in `fs/smb/client/cifsfs.c`.

use std::path::Path;

use super::disks::is_virtual;
use super::number::strict;
use super::server_link::Links;
use super::{FactKind, FactSubject, Facts, fstab, is_one_word, no_such_word};
use crate::devices::is_no_disk;
use crate::file_system::{Protocol, protocol_of};
use crate::mountinfo::{Entry, FILE as MOUNTS, parse};
use crate::mountstats;
use crate::route::TABLE_V4;
use crate::texts::required_texts::{SPACE, named};
use crate::texts::{NotKnown, Texts};

pub(super) fn mounts(texts: &Texts, links: &Links, facts: &mut Facts) {
    let said = match texts.get(MOUNTS) {
        Ok(said) => said,
        Err(why) => {
            let kinds =
                [FactKind::NfsMount, FactKind::SmbMount, FactKind::StornextMount, FactKind::LocalMount];
            return facts.cannot_see(&kinds, MOUNTS, &why);
        }
    };
    let mut sources: Vec<String> = Vec::new();
    for mount in parse(said.as_bytes()) {
        let subject = match protocol_of(&mount.fs_type) {
            Some(Protocol::Nfs) => nfs(&mount, texts, links),
            Some(Protocol::Smb) => smb(&mount, links),
            Some(Protocol::Stornext) => super::stornext::stornext(&mount, texts),
            _ if mount.mount_point.starts_with(b"/boot") => continue,
            _ if mount.source.starts_with("/dev/") && !sources.contains(&mount.source) => {
                local(&mount, texts)
            }
            _ => continue,
        };
        sources.push(mount.source);
        facts.subjects.push(subject);
    }
}

fn nfs(mount: &Entry, texts: &Texts, links: &Links) -> FactSubject {
    let mut nfs = FactSubject::new(FactKind::NfsMount, mount.point());
    option(&mut nfs, mount, "vers", "vers");
    // As written: 4.0 is not 4, which requests any version from 4.2 down.
    match mount.option("vers") {
        Some(vers) if is_one_word(vers) => nfs.word("vers_option", vers),
        _ => nfs.gap("vers_option", MOUNTS, NotKnown::NotTold),
    }
    requests(&mut nfs, mount);
    // The kernel always prints these; if they are missing, they are unknown.
    shown(&mut nfs, mount, "proto");
    nfs.told("nconnect", mount.option("nconnect").unwrap_or("1"), MOUNTS);
    shown(&mut nfs, mount, "sec");
    match ["soft", "softerr", "hard"].into_iter().find(|name| mount.has(name)) {
        Some(failing) => nfs.word("on_failure", failing),
        None => nfs.gap("on_failure", MOUNTS, NotKnown::NotTold),
    }
    nfs.yes_no("is_writable", mount.has("rw"));
    nfs.yes_no("is_sync", mount.has("sync"));
    let is_uncached = mount.has("noac") || mount.option("acregmax") == Some("0");
    nfs.word("attribute_cache", if is_uncached { "off" } else { "on" });
    nfs.word("lookup_cache", mount.option("lookupcache").unwrap_or("all"));
    let locks = if mount.has("nolock") { "all" } else { mount.option("local_lock").unwrap_or("none") };
    nfs.word("local_locks", locks);
    nfs.word("device", mount.numbers());
    nfs.whole("read_ahead_kib", texts, &format!("/sys/class/bdi/{}/read_ahead_kb", mount.numbers()));
    connections(&mut nfs, mount, texts);
    of_fstab(&mut nfs, mount, texts);
    way(&mut nfs, mount, links);
    nfs
}

fn smb(mount: &Entry, links: &Links) -> FactSubject {
    let mut smb = FactSubject::new(FactKind::SmbMount, mount.point());
    smb.number("dialect", mount.option("vers").and_then(dialect), MOUNTS);
    requests(&mut smb, mount);
    shown(&mut smb, mount, "cache");
    let kept = mount.option("actimeo").or(mount.option("acregmax"));
    smb.told("attributes_kept_s", kept.unwrap_or_default(), MOUNTS);
    smb.yes_no("has_multichannel", mount.has("multichannel") || mount.has("max_channels"));
    let is_signed = mount.has("sign") || mount.option("sec").is_some_and(|sec| sec.ends_with('i'));
    smb.yes_no("is_signed", is_signed);
    smb.yes_no("is_encrypted", mount.has("seal"));
    way(&mut smb, mount, links);
    smb
}

/// `3.1.1` is 3.11.
pub(super) fn dialect(version: &str) -> Option<f64> {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    strict(&format!("{major}.{}", minor.replace('.', ""))).filter(|number| (1.0..10.0).contains(number))
}

fn local(mount: &Entry, texts: &Texts) -> FactSubject {
    let mut local = FactSubject::new(FactKind::LocalMount, mount.point());
    local.word("fs_type", &mount.fs_type);
    let kept = ["noatime", "relatime"].into_iter().find(|name| mount.has(name)).unwrap_or("strictatime");
    local.word("atime", kept);
    local.yes_no("is_sync", mount.has("sync"));
    local.yes_no("is_aligned", mount.has("sunit") || mount.has("stripe"));
    local.yes_no("is_writable", mount.has("rw"));
    let text = named(SPACE);
    match texts.get(&text) {
        Ok(said) => local.number("used_percent", used_percent(said, &mount.point()), &text),
        Err(why) => local.gap("used_percent", &text, why),
    }
    let device = mount.source.strip_prefix("/dev/").unwrap_or_default();
    let disk = disk_of(device, texts.get("/sys/block").unwrap_or_default()).filter(|disk| !is_no_disk(disk));
    match disk {
        Some(disk) => {
            let rotational = format!("/sys/block/{disk}/queue/rotational");
            match is_virtual(disk, texts) {
                true => local.gap("rotational", &rotational, NotKnown::VirtualDisk),
                false => local.whole("rotational", texts, &rotational),
            }
            let level = format!("/sys/block/{disk}/md/level");
            match texts.get(&level) {
                Ok(level) if is_one_word(level) => local.word("array_level", level.trim()),
                Ok(said) => local.gap("array_level", &level, no_such_word(said)),
                Err(NotKnown::NotThere) => local.word("array_level", "none"),
                Err(why) => local.gap("array_level", &level, why),
            }
        }
        None if is_no_disk(device) => {
            ["rotational", "array_level"].iter().for_each(|fact| local.nothing(fact))
        }
        None => {
            for fact in ["rotational", "array_level"] {
                local.gap(fact, "/sys/block", NotKnown::NotTold);
            }
        }
    }
    local
}

/// The disk of a partition, or the device itself.
fn disk_of<'a>(device: &str, disks: &'a str) -> Option<&'a str> {
    disks.split_whitespace().filter(|disk| device.starts_with(disk)).max_by_key(|disk| disk.len())
}

/// `12345 45% /srv`: the used share of the file system mounted there.
fn used_percent(df: &str, point: &str) -> Option<f64> {
    df.lines().skip(1).find_map(|line| {
        let (before, after) = line.split_once('%')?;
        (after.trim() == point).then(|| strict(before.rsplit(' ').next()?))?
    })
}

/// An option as a fact: "not stated" if the mount has none with this name.
fn option(subject: &mut FactSubject, mount: &Entry, fact: &str, name: &str) {
    subject.told(fact, mount.option(name).unwrap_or_default(), MOUNTS);
}

/// An option that is a word, under its own name.
fn shown(subject: &mut FactSubject, mount: &Entry, name: &str) {
    match mount.option(name).filter(|word| is_one_word(word) && !word.is_empty()) {
        Some(word) => subject.word(name, word),
        None => subject.gap(name, MOUNTS, NotKnown::NotTold),
    }
}

fn requests(subject: &mut FactSubject, mount: &Entry) {
    option(subject, mount, "rsize_bytes", "rsize");
    option(subject, mount, "wsize_bytes", "wsize");
    let (read, write) = (subject.number_of("rsize_bytes"), subject.number_of("wsize_bytes"));
    subject.number("smallest_request_bytes", read.zip(write).map(|(read, write)| read.min(write)), MOUNTS);
}

/// The actual number of connections of the mount.
fn connections(nfs: &mut FactSubject, mount: &Entry, texts: &Texts) {
    let text = mountstats::FILE;
    let said = match texts.get(text) {
        Ok(said) => said,
        Err(why) => return nfs.gap("connections", text, why),
    };
    let lines = mountstats::lines_of(said, Path::new(&*mount.point())).unwrap_or_default();
    let count = mountstats::connections(&lines);
    nfs.number("connections", (count > 0).then_some(count as f64), text);
}

/// The requested options.
fn of_fstab(nfs: &mut FactSubject, mount: &Entry, texts: &Texts) {
    let text = "/etc/fstab";
    let said = match texts.damaged(text).map_or_else(|| texts.get(text), Err) {
        Ok(said) => said,
        Err(why) => {
            ["asked_nconnect", "asked_atime"].into_iter().for_each(|fact| nfs.gap(fact, text, why.clone()));
            return;
        }
    };
    let options = fstab::options(said, &mount.point()).unwrap_or_default();
    let asked = options.split(',').find_map(|option| option.strip_prefix("nconnect="));
    nfs.told("asked_nconnect", asked.unwrap_or("1"), text);
    let atime = options.split(',').find(|option| matches!(*option, "noatime" | "nodiratime" | "relatime"));
    nfs.word("asked_atime", atime.unwrap_or("none"));
}

/// The interface that leads to the server, and its facts.
fn way(subject: &mut FactSubject, mount: &Entry, links: &Links) {
    const FACTS: [&str; 5] = ["link", "link_mbit_per_s", "is_routed", "is_wireless", "is_usb"];
    let way = mount.option("addr").ok_or(NotKnown::NotTold).and_then(|address| links.way(address));
    let way = match way {
        Ok(way) => way,
        Err(why) => {
            let text = if mount.has("addr") { TABLE_V4 } else { MOUNTS };
            return FACTS.into_iter().for_each(|fact| subject.gap(fact, text, why.clone()));
        }
    };
    subject.word("link", way.interface);
    subject.yes_no("is_routed", way.has_gateway);
    let interface = links.interface(way.interface);
    for (fact, of_link) in
        [("link_mbit_per_s", "speed_mbit_per_s"), ("is_wireless", "is_wireless"), ("is_usb", "is_usb")]
    {
        let said = interface.and_then(|interface| interface.fact(of_link)).cloned();
        let text = format!("/sys/class/net/{}/speed", way.interface);
        subject.facts.insert(fact.to_owned(), said.unwrap_or(Err(super::Gap::new(&text, NotKnown::NotTold))));
    }
}

/// Settings in a text of the form `key=value`, for tables of other systems.
pub(super) fn options_of(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.split(',').map(|option| option.trim().split_once('=').unwrap_or((option.trim(), "yes")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn versions_of_smb_are_numbers() {
        assert_eq!(dialect("3.1.1"), Some(3.11));
        assert_eq!(dialect("2.1"), Some(2.1));
        assert_eq!(dialect("3.02"), Some(3.02));
        assert_eq!(dialect("x"), None);
    }

    #[test]
    fn a_mount_has_the_options_in_force_and_names_with_blanks() {
        let text = "33 29 0:52 / /mnt/two\\040words rw,relatime shared:2 - nfs4 nas1:/m rw,vers=4.2,rsize=65536\nnoise";
        let mounts = parse(text.as_bytes());
        assert_eq!(mounts.len(), 1);
        assert_eq!((&*mounts[0].point(), mounts[0].option("rsize")), ("/mnt/two words", Some("65536")));
        assert!(mounts[0].has("relatime") && !mounts[0].has("noatime"));
    }

    #[test]
    fn partitions_are_of_the_disk_with_the_longest_name() {
        assert_eq!(disk_of("nvme0n1p2", "nvme0n1\nsda\nsdaa"), Some("nvme0n1"));
        assert_eq!(disk_of("sdaa1", "sda\nsdaa"), Some("sdaa"));
        assert_eq!(disk_of("mapper/media", "sda"), None);
    }

    #[test]
    fn df_is_read_by_the_mount_point() {
        let df =
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 100 97 3 97% /srv/a b\n";
        assert_eq!(used_percent(df, "/srv/a b"), Some(97.0));
        assert_eq!(used_percent(df, "/srv"), None);
    }

    #[test]
    fn connections_of_a_mount_with_a_blank_in_its_name_are_counted() {
        let mut texts = Texts::default();
        let stats = "device nas1:/m mounted on /mnt/two\\040words with fstype nfs4 statvers=1.1\n\txprt:\ttcp 1 0 1\n";
        texts.put(mountstats::FILE, Ok(stats.to_owned()));
        let mounts = parse(b"33 29 0:52 / /mnt/two\\040words rw - nfs4 nas1:/m rw,vers=4.2");
        let found = nfs(&mounts[0], &texts, &Links::new(&texts, &[]));
        assert_eq!(found.number_of("connections"), Some(1.0));
    }
}
