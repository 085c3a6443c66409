//! The settings of a host that matter for storage, as far as the kernel shows them: recorded with every
//! run, so that two runs show what was changed between them. [`default_of`]: the kernel's defaults.
//!
//! The module reads files of a few bytes, and asks the kernel for its cards' settings
//! ([`crate::netlink::ethtool`]). The kernel reports the firmware of cards only through ioctl, which
//! `ethtool -i` uses, if it is installed. Settings that do not exist are omitted: an unknown value is no
//! setting.
//!
//! Not here: recommended settings (the doctor's rules).

use std::collections::BTreeMap;
use std::path::Path;

use crate::netlink::ethtool::card_settings;
use crate::source::{Host, Source};
use crate::texts::command;
use crate::{devices, interface, mountinfo};

/// The longest setting that is recorded. The longest usual one names every scheduler of a disk.
const TEXT_MAX_BYTES: usize = 256;
/// Interfaces or disks whose settings are recorded, at most. Hosts with containers have hundreds.
const DEVICES_MAX: usize = 16;

/// Kernel files, below `/proc/sys`.
const KERNEL: [&str; 24] = [
    "net/core/default_qdisc",
    "net/core/netdev_budget",
    "net/core/netdev_max_backlog",
    "net/core/rmem_max",
    "net/core/wmem_max",
    "net/ipv4/tcp_congestion_control",
    "net/ipv4/tcp_moderate_rcvbuf",
    "net/ipv4/tcp_mtu_probing",
    "net/ipv4/tcp_rmem",
    "net/ipv4/tcp_sack",
    "net/ipv4/tcp_slow_start_after_idle",
    "net/ipv4/tcp_timestamps",
    "net/ipv4/tcp_window_scaling",
    "net/ipv4/tcp_wmem",
    "sunrpc/tcp_max_slot_table_entries",
    "sunrpc/tcp_slot_table_entries",
    "vm/dirty_background_bytes",
    "vm/dirty_background_ratio",
    "vm/dirty_bytes",
    "vm/dirty_ratio",
    "vm/min_free_kbytes",
    "vm/swappiness",
    "vm/vfs_cache_pressure",
    "vm/zone_reclaim_mode",
];
/// Files of each network interface, below its directory, and their names here.
const INTERFACE: [(&str, &str); 7] = [
    ("mtu", "mtu"),
    ("tx_queue_len", "tx_queue_len"),
    ("gro_flush_timeout", "gro_flush_timeout"),
    ("queues/rx-0/rps_cpus", "rps_cpus"),
    ("device/driver/module/version", "driver version"),
    ("device/current_link_speed", "slot speed"),
    ("device/current_link_width", "slot lanes"),
];
/// Parameters of the kernel's modules, below `/sys/module`.
const MODULES: [&str; 4] = [
    "nfs/parameters/max_session_slots",
    "zfs/parameters/zfs_arc_max",
    "zfs/parameters/zfetch_max_distance",
    "zfs/parameters/zfetch_max_streams",
];
/// The kernel's defaults that are the same on every host. Defaults that depend on distributions, drivers
/// or the size of the host are not listed.
const DEFAULTS: [(&str, &str); 19] = [
    ("net.core.netdev_budget", "300"),
    ("net.core.netdev_max_backlog", "1000"),
    ("net.ipv4.tcp_moderate_rcvbuf", "1"),
    ("net.ipv4.tcp_mtu_probing", "0"),
    ("net.ipv4.tcp_sack", "1"),
    ("net.ipv4.tcp_slow_start_after_idle", "1"),
    ("net.ipv4.tcp_timestamps", "1"),
    ("net.ipv4.tcp_window_scaling", "1"),
    ("sunrpc.tcp_max_slot_table_entries", "65536"),
    ("sunrpc.tcp_slot_table_entries", "2"),
    ("vm.dirty_background_bytes", "0"),
    ("vm.dirty_background_ratio", "10"),
    ("vm.dirty_bytes", "0"),
    ("vm.dirty_ratio", "20"),
    ("vm.swappiness", "60"),
    ("vm.vfs_cache_pressure", "100"),
    ("vm.zone_reclaim_mode", "0"),
    ("nfs max_session_slots", "64"),
    ("zfs zfs_arc_max", "0"),
];
/// Settings of every interface, disk or mount.
const DEVICE_DEFAULTS: [(&str, &str); 4] =
    [("mtu", "1500"), ("tx_queue_len", "1000"), ("gro_flush_timeout", "0"), ("read_ahead_kb", "128")];
/// Files of each disk below the target, below its directory.
const DISK: [&str; 6] = [
    "queue/scheduler",
    "queue/nr_requests",
    "queue/read_ahead_kb",
    "queue/rq_affinity",
    "queue/wbt_lat_usec",
    "device/queue_depth",
];
/// Files of the processors.
const PROCESSOR: [(&str, &str); 2] = [
    ("cpu0 governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    ("cpu0 energy preference", "/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference"),
];

/// The settings of the local host, by name: `net.ipv4.tcp_sack`, `eth0 mtu`, `sda read_ahead_kb`. Of
/// disks only those below the target that is mounted here.
pub fn settings(mount_point: &Path) -> BTreeMap<String, String> {
    let here = Host::here();
    let mut all = settings_in(&here, mount_point);
    let interfaces = interfaces(&here);
    let of_cards = card_settings().into_iter().filter(|((interface, _), _)| interfaces.contains(interface));
    all.extend(of_cards.map(|((interface, name), value)| (format!("{interface} {name}"), value)));
    for interface in interfaces.iter().filter(|interface| interface::has(&here, interface, "device")) {
        let said = command::output(&["ethtool", "-i", interface]).unwrap_or_default();
        all.extend(firmware(&said).map(|firmware| (format!("{interface} firmware"), firmware)));
    }
    all
}

/// The firmware in the output of `ethtool -i`; drivers that do not know it print nothing, or `N/A`.
fn firmware(said: &str) -> Option<String> {
    let version = said.lines().find_map(|line| line.strip_prefix("firmware-version:"))?.trim();
    let is_known = !version.is_empty() && version != "N/A";
    is_known.then(|| version.chars().filter(|c| !c.is_control()).take(TEXT_MAX_BYTES).collect())
}

/// The kernel's default; `None` if it depends on more than the kernel.
pub fn default_of(name: &str) -> Option<&'static str> {
    let of = |table: &'static [(&str, &str)], name: &str| {
        table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    };
    of(&DEFAULTS, name).or_else(|| of(&DEVICE_DEFAULTS, name.split_once(' ')?.1))
}

/// The settings that differ from a known default, each with its default.
pub fn changed_from_default(settings: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let changed = settings.iter().filter_map(|(name, value)| {
        let default = default_of(name).filter(|default| value != default)?;
        Some((name.clone(), default.to_owned()))
    });
    changed.collect()
}

fn settings_in(source: &impl Source, mount_point: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut put = |name: String, path: &str| {
        if let Some(value) = source.text(path).and_then(|text| value_in(&text)) {
            all.insert(name, value);
        }
    };
    for name in KERNEL {
        put(name.replace('/', "."), &format!("/proc/sys/{name}"));
    }
    let interfaces = interfaces(source);
    for interface in &interfaces {
        let file = |file| format!("{}/{interface}/{file}", interface::ALL);
        INTERFACE.iter().for_each(|(name, called)| put(format!("{interface} {called}"), &file(name)));
    }
    for path in MODULES {
        let module = path.split('/').next().unwrap_or_default();
        put(format!("{module} {}", last(path)), &format!("/sys/module/{path}"));
    }
    let mounts = mountinfo::parse(source.text(mountinfo::FILE).unwrap_or_default().as_bytes());
    for disk in devices::below(source, &mounts, mount_point).names.into_iter().take(DEVICES_MAX) {
        let file = |name| format!("{}/{disk}/{name}", devices::DISKS);
        DISK.iter().for_each(|name| put(format!("{disk} {}", last(name)), &file(name)));
    }
    // Of several mounts at one place, the last one is on top.
    if let Some(mount) = mounts.iter().rfind(|mount| mount.is_at(mount_point)) {
        let file = format!("/sys/class/bdi/{}/read_ahead_kb", mount.numbers());
        put("mount read_ahead_kb".to_owned(), &file);
    }
    PROCESSOR.iter().for_each(|(name, path)| put((*name).to_owned(), path));
    // This setting exists only on an NFS server.
    put("nfsd threads".to_owned(), "/proc/fs/nfsd/threads");
    let driver = |name: &String| Some((format!("{name} driver"), interface::driver(source, name)?));
    all.extend(interfaces.iter().filter_map(driver));
    all
}

/// Interfaces with hardware or a switch port.
fn interfaces(source: &impl Source) -> Vec<String> {
    let mut names = source.names(interface::ALL);
    names.retain(|name| name != "lo" && !name.starts_with("veth") && !name.starts_with("docker"));
    names.truncate(DEVICES_MAX);
    names
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The value of a file, with white space collapsed; for a list with a selected entry in brackets, that
/// entry.
fn value_in(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let chosen = words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    let mut value = chosen.map_or_else(|| words.join(" "), str::to_owned);
    value.truncate(value.floor_char_boundary(TEXT_MAX_BYTES));
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Texts;

    #[test]
    fn settings_are_read_from_files_and_missing_ones_omitted() {
        let mut texts = Texts::default();
        for (path, text) in [
            ("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"),
            ("/proc/self/mountinfo", "33 29 0:52 / /mnt/nas rw - nfs4 nas1:/media rw\n"),
            ("/sys/class/net", "eth0\nlo\n"),
            ("/sys/class/net/eth0/mtu", "9000\n"),
            ("/sys/class/net/eth0/device/uevent", "DRIVER=ixgbe\nPCI_CLASS=20000\n"),
            ("/sys/class/net/lo/mtu", "65536\n"),
            ("/sys/class/bdi/0:52/read_ahead_kb", "128\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ""),
        ] {
            texts.put(path, Ok(text.to_owned()));
        }
        let told = settings_in(&texts, Path::new("/mnt/nas"));
        let told: Vec<(&str, &str)> =
            told.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("eth0 driver", "ixgbe"),
            ("eth0 mtu", "9000"),
            ("mount read_ahead_kb", "128"),
            ("net.ipv4.tcp_rmem", "4096 131072 6291456"),
        ];
        assert_eq!(told, expected);
    }

    /// As ethtool 6.1 prints it for an Intel X710 and for a virtio card.
    #[test]
    fn firmware_is_reported_if_the_driver_has_it() {
        let x710 =
            "driver: i40e\nversion: 6.1.0\nfirmware-version: 9.20 0x8000d83e 22.0.9\nbus-info: 0000:3b\n";
        assert_eq!(firmware(x710).as_deref(), Some("9.20 0x8000d83e 22.0.9"));
        for unknown in
            ["driver: virtio_net\nfirmware-version: \nbus-info: x\n", "firmware-version: N/A\n", ""]
        {
            assert_eq!(firmware(unknown), None);
        }
    }

    #[test]
    fn changed_settings_are_reported_with_known_defaults() {
        let settings = [
            ("eth0 mtu", "9000"),
            ("eth1 mtu", "1500"),
            ("net.ipv4.tcp_sack", "0"),
            ("vm.swappiness", "60"),
            ("sda scheduler", "bfq"),
            ("net.core.rmem_max", "33554432"),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let changed = changed_from_default(&settings);
        let changed: Vec<(&str, &str)> =
            changed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(changed, [("eth0 mtu", "1500"), ("net.ipv4.tcp_sack", "1")]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn local_settings_are_read() {
        let told = settings(Path::new("/"));
        assert!(told.contains_key("net.ipv4.tcp_sack"), "{told:?}");
        // Each has a name and a value, and is no part of a text that was parsed wrongly.
        assert!(told.iter().all(|(name, value)| !name.is_empty() && !value.contains('\n')), "{told:?}");
    }

    #[test]
    fn bracketed_choice_is_the_setting() {
        assert_eq!(value_in("none [mq-deadline] kyber bfq\n").as_deref(), Some("mq-deadline"));
        assert_eq!(value_in(&"ä".repeat(200)).map(|value| value.len()), Some(TEXT_MAX_BYTES));
    }
}
