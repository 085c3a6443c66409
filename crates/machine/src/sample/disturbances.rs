//! Finds disturbances of storage during a run: work on arrays and file systems, links that went down,
//! mounts that changed, snapshots. It reads a few small kernel files in each sample round, and contacts
//! no server or disk.
//!
//! ZFS shows scrubs and snapshots only through commands, and btrfs snapshots: these are run now and then
//! ([`tool_status`]), and a sample round uses their last output.
//!
//! Not here: the parsers ([`crate::sample::parse::disturbances`]), and the meaning of a mark (analysis).

mod tool_status;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::tool_status::Asked;
use crate::route;
use crate::sample::counter::{Layer, Look, Reading};
use crate::sample::parse::disturbances::{array_work, exclusive_work, is_scrubbing, put_work, shown_at};
use crate::sample::parse::put_on;

/// Interfaces whose link is checked, at most. Hosts with containers have hundreds.
const LINKS_MAX: usize = 32;

/// Finds the disturbances of one host.
#[derive(Debug)]
pub struct Disturbances {
    /// `/`, except in tests.
    root: PathBuf,
    mount_point: PathBuf,
    /// The server of the mount.
    server: Option<IpAddr>,
    /// Work that was seen, so that its end is reported, too.
    work: BTreeSet<String>,
    /// The mount at the mount point in the last round, and how often it changed.
    shown: Option<String>,
    remounts: u64,
    asked: Option<Asked>,
}

impl Disturbances {
    /// For the local host, and the mount at this place, from this server.
    pub fn new(mount_point: &Path, server: Option<IpAddr>) -> Disturbances {
        let asked = Asked::of(mount_point);
        Disturbances { asked, server, ..Disturbances::below(Path::new("/"), mount_point) }
    }

    fn below(root: &Path, mount_point: &Path) -> Disturbances {
        Disturbances {
            root: root.to_path_buf(),
            mount_point: mount_point.to_path_buf(),
            server: None,
            work: BTreeSet::new(),
            shown: None,
            remounts: 0,
            asked: None,
        }
    }

    /// One sample round.
    pub fn look(&mut self, look: &mut Look) {
        let mut now: BTreeSet<String> = array_work(&self.text("proc/mdstat")).into_iter().collect();
        now.extend(self.file_system_work());
        let said = self.asked.as_ref().map(Asked::last_output).unwrap_or_default();
        now.extend(said.work);
        for ended in self.work.difference(&now) {
            put_on(look, Layer::Disk, "background_work_count", ended, Reading::Level(0.0));
        }
        now.iter().for_each(|work| put_work(work, look));
        self.work.extend(now);
        self.look_at_links(look);
        self.look_at_mount(look);
        for (of, count) in self.mapped_snapshots().into_iter().chain(said.snapshots) {
            put_on(look, Layer::Disk, "snapshots_count", of, Reading::Level(f64::from(count)));
        }
    }

    /// The work of btrfs on its file systems. The tool that starts a scrub records it in a file, which
    /// stays if the host was switched off in between: it counts while the file changes.
    fn file_system_work(&self) -> Vec<String> {
        let mut found = Vec::new();
        for folder in entries(&self.root.join("sys/fs/btrfs")) {
            let uuid = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = self.device_of(&folder).unwrap_or_else(|| uuid.chars().take(8).collect());
            let text = fs::read_to_string(folder.join("exclusive_operation")).unwrap_or_default();
            found.extend(exclusive_work(&text).map(|work| format!("{name} {work}")));
            let status = self.root.join("var/lib/btrfs").join(format!("scrub.status.{uuid}"));
            let is_fresh = fs::metadata(&status)
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|at| at.elapsed().unwrap_or_default() < Duration::from_secs(30));
            if is_fresh && is_scrubbing(&fs::read_to_string(&status).unwrap_or_default()) {
                found.push(format!("{name} scrub"));
            }
        }
        found
    }

    /// The first device of a btrfs file system.
    fn device_of(&self, folder: &Path) -> Option<String> {
        let first = entries(&folder.join("devices")).into_iter().next()?;
        Some(first.file_name()?.to_string_lossy().into_owned())
    }

    /// How often the link of each interface went up or down, that of the path to the server first.
    /// Containers come and go at ports of a bridge, so these are ignored unless the path uses that
    /// bridge.
    fn look_at_links(&self, look: &mut Look) {
        let tables = [self.text("proc/net/route"), self.text("proc/net/ipv6_route")];
        let way = self.server.and_then(|server| route::to(&tables[0], &tables[1], server));
        let way = way.map(|route| route.interface);
        let is_way = |link: &Path| way.is_some() && link.file_name().and_then(OsStr::to_str) == way;
        let mut links = entries(&self.root.join("sys/class/net"));
        links.retain(|link| {
            let name = link.file_name().unwrap_or_default().to_string_lossy();
            let bridge = fs::read_link(link.join("master")).ok();
            !name.starts_with("veth") || bridge.is_none_or(|bridge| is_way(&bridge))
        });
        links.sort_by_key(|link| !is_way(link));
        for link in links.into_iter().take(LINKS_MAX) {
            let changes = fs::read_to_string(link.join("carrier_changes")).ok();
            if let Some(changes) = changes.and_then(|text| text.trim().parse().ok()) {
                let name = link.file_name().unwrap_or_default().to_string_lossy();
                put_on(look, Layer::Network, "link_changes_per_s", &name, Reading::PerSecond(changes));
            }
        }
    }

    /// Records whether the mount at the mount point, or its options, changed.
    fn look_at_mount(&mut self, look: &mut Look) {
        if self.mount_point.as_os_str().is_empty() {
            return;
        }
        let shown = shown_at(&self.text("proc/self/mountinfo"), &self.mount_point);
        if self.shown.is_some() && shown != self.shown {
            self.remounts += 1;
        }
        self.shown = shown.or(self.shown.take());
        put_on(look, Layer::Mount, "remounts_per_s", "", Reading::PerSecond(self.remounts));
    }

    /// Snapshots of device mapper volumes, each of which has a store for the old data; `None` if it has
    /// no devices. A count of 0 is recorded as well, so that the first snapshot is detected.
    fn mapped_snapshots(&self) -> Option<(&'static str, u32)> {
        let mut mapped = entries(&self.root.join("sys/block"));
        mapped.retain(|device| {
            device.file_name().is_some_and(|name| name.to_string_lossy().starts_with("dm-"))
        });
        let is_store = |folder: &&PathBuf| {
            fs::read_to_string(folder.join("dm/uuid")).is_ok_and(|uuid| uuid.trim().ends_with("-cow"))
        };
        (!mapped.is_empty()).then(|| ("", mapped.iter().filter(is_store).count() as u32))
    }

    /// Empty if there is no such file, which is no error.
    fn text(&self, path: &str) -> String {
        fs::read(self.root.join(path))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }
}

/// The entries of a directory, sorted.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use super::*;
    use crate::sample::parse::testing::all_known;

    const UUID: &str = "4d6b0c2e-1111-2222-3333-444455556666";

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn put(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn disturbances(&self) -> Disturbances {
            Disturbances::below(self.0.path(), Path::new("/mnt/nas"))
        }
    }

    /// The readings, by name and device.
    fn seen(look: &Look) -> BTreeMap<(&str, &str), &Reading> {
        look.iter().map(|(key, reading)| ((key.name, key.device.as_str()), reading)).collect()
    }

    fn look(disturbances: &mut Disturbances) -> Look {
        let mut look = Look::new();
        disturbances.look(&mut look);
        all_known(&look);
        look
    }

    #[test]
    fn idle_host_has_no_marks_or_notes() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let mut disturbances = machine.disturbances();
        let seen_first = look(&mut disturbances);
        assert_eq!(seen(&seen_first).keys().collect::<Vec<_>>(), [&("remounts_per_s", "")]);
    }

    #[test]
    fn work_is_seen_to_begin_and_to_end() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let mut disturbances = machine.disturbances();
        machine.put("proc/mdstat", "md0 : active raid1 sda1[0]\n  [=>..]  resync =  3.1% (1/2)\n");
        machine.put(&format!("sys/fs/btrfs/{UUID}/exclusive_operation"), "balance\n");
        machine.put(&format!("sys/fs/btrfs/{UUID}/devices/vdb"), "");
        machine.put(
            &format!("var/lib/btrfs/scrub.status.{UUID}"),
            "scrub status:1\nx:1|canceled:0|finished:0\n",
        );
        let begun = look(&mut disturbances);
        for work in ["md0 resync", "vdb balance", "vdb scrub"] {
            assert_eq!(seen(&begun)[&("background_work_count", work)], &Reading::Level(1.0), "{begun:#?}");
        }
        machine.put("proc/mdstat", "md0 : active raid1 sda1[0]\n");
        machine.put(
            &format!("var/lib/btrfs/scrub.status.{UUID}"),
            "scrub status:1\nx:1|canceled:0|finished:1\n",
        );
        let ended = look(&mut disturbances);
        for (work, level) in [("md0 resync", 0.0), ("vdb balance", 1.0), ("vdb scrub", 0.0)] {
            assert_eq!(seen(&ended)[&("background_work_count", work)], &Reading::Level(level), "{ended:#?}");
        }
    }

    #[test]
    fn veth_pair_is_omitted_only_as_port_of_another_bridge() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let route = |interface: &str| {
            let table = format!("{interface}\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n");
            machine.put("proc/net/route", &table);
        };
        for link in ["vethnas", "vethport", "br0", "eth0"] {
            machine.put(&format!("sys/class/net/{link}/carrier_changes"), "1\n");
        }
        let port = machine.0.path().join("sys/class/net/vethport/master");
        std::os::unix::fs::symlink("../br0", port).unwrap();
        for link in 0..40 {
            machine.put(&format!("sys/class/net/a{link}/carrier_changes"), "0\n");
        }
        let links = |server: Option<&str>| {
            let server = server.map(|server| server.parse().unwrap());
            let seen = look(&mut Disturbances { server, ..machine.disturbances() });
            let links = seen.iter().filter(|(key, _)| key.name == "link_changes_per_s");
            links.map(|(key, _)| key.device.clone()).collect::<Vec<_>>()
        };
        route("vethnas");
        let has = |link: &str| links(Some("10.0.0.5")).contains(&link.to_owned());
        assert!(has("vethnas"), "the way comes first, whatever it is called");
        route("br0");
        assert!(has("br0") && !has("vethnas"), "only so many are looked at");
        for link in 0..40 {
            fs::remove_dir_all(machine.0.path().join(format!("sys/class/net/a{link}"))).unwrap();
        }
        assert!(has("vethport"));
        route("eth0");
        assert_eq!(links(Some("10.0.0.5")), ["br0", "eth0", "vethnas"]);
        assert_eq!(links(None), ["br0", "eth0", "vethnas"]);
    }

    #[test]
    fn links_mounts_and_snapshots_are_counted() {
        let machine = Machine(tempfile::tempdir().unwrap());
        let mut disturbances = machine.disturbances();
        let mount = |options: &str| {
            machine
                .put("proc/self/mountinfo", &format!("33 29 0:52 / /mnt/nas rw - nfs4 nas1:/m {options}\n"));
        };
        mount("rw,vers=4.2");
        machine.put("sys/class/net/eth0/carrier_changes", "3\n");
        machine.put("sys/block/dm-4/dm/uuid", "LVM-abcdef\n");
        let none_yet = look(&mut disturbances);
        assert_eq!(seen(&none_yet)[&("snapshots_count", "")], &Reading::Level(0.0), "the next is the first");
        machine.put("sys/block/dm-3/dm/uuid", "LVM-abcdef-cow\n");
        let first = look(&mut disturbances);
        assert_eq!(seen(&first)[&("link_changes_per_s", "eth0")], &Reading::PerSecond(3));
        assert_eq!(seen(&first)[&("snapshots_count", "")], &Reading::Level(1.0));
        assert_eq!(seen(&first)[&("remounts_per_s", "")], &Reading::PerSecond(0));
        mount("ro,vers=4.2");
        assert_eq!(seen(&look(&mut disturbances))[&("remounts_per_s", "")], &Reading::PerSecond(1));
        assert_eq!(seen(&look(&mut disturbances))[&("remounts_per_s", "")], &Reading::PerSecond(1));
        // Missing for a moment, and then the same again.
        machine.put("proc/self/mountinfo", "");
        look(&mut disturbances);
        mount("ro,vers=4.2");
        assert!(matches!(seen(&look(&mut disturbances))[&("remounts_per_s", "")], Reading::PerSecond(2..)));
    }
}
