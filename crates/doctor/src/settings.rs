//! What a machine is set to, as far as it bears on storage and files tell it: kept with every run, so that
//! two runs show what was changed between them.
//!
//! Only files of a few bytes are read; what a program would have to be asked for is not here. What is not
//! there is left out: not known is no setting.
//!
//! Not here: what a setting should be ([`crate::rule`]).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use reelgauge_record::mountinfo::{self, Entry};

use crate::devices;

/// The longest setting that is kept. The longest usual one names every scheduler of a disk.
const TEXT_MAX_BYTES: u64 = 256;
/// Interfaces or disks of which settings are kept. Containers have hundreds.
const DEVICES_MAX: usize = 16;

/// Files of the kernel, below `/proc/sys`.
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
/// Files of each network interface, below its folder.
const INTERFACE: [&str; 4] = ["mtu", "tx_queue_len", "gro_flush_timeout", "queues/rx-0/rps_cpus"];
/// Files of each disk under the target, below its folder.
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
    ("cpu0 governor", "devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    ("cpu0 energy preference", "devices/system/cpu/cpu0/cpufreq/energy_performance_preference"),
];

/// What this machine is set to, by name: `net.ipv4.tcp_sack`, `eth0 mtu`, `sda read_ahead_kb`. Of disks only
/// those under the target that is mounted here.
pub fn settings(mount_point: &Path) -> BTreeMap<String, String> {
    settings_in(Path::new("/proc"), Path::new("/sys"), mount_point)
}

fn settings_in(proc: &Path, sys: &Path, mount_point: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut put = |name: String, path: &Path| {
        if let Some(value) = read(path) {
            all.insert(name, value);
        }
    };
    for name in KERNEL {
        put(name.replace('/', "."), &proc.join("sys").join(name));
    }
    for interface in interfaces(sys) {
        let folder = sys.join("class/net").join(&interface);
        INTERFACE.iter().for_each(|name| put(format!("{interface} {}", last(name)), &folder.join(name)));
    }
    let mounts = fs::read_to_string(proc.join("self/mountinfo")).unwrap_or_default();
    for disk in devices::below(&mounts, mount_point, sys).into_iter().take(DEVICES_MAX) {
        let folder = sys.join("block").join(&disk);
        DISK.iter().for_each(|name| put(format!("{disk} {}", last(name)), &folder.join(name)));
    }
    if let Some(number) = device_number(&mounts, mount_point) {
        put("mount read_ahead_kb".to_owned(), &sys.join("class/bdi").join(number).join("read_ahead_kb"));
    }
    PROCESSOR.iter().for_each(|(name, path)| put((*name).to_owned(), &sys.join(path)));
    all
}

/// Interfaces with hardware, or a switch's port, behind them.
fn interfaces(sys: &Path) -> Vec<String> {
    let entries = fs::read_dir(sys.join("class/net")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "lo" && !name.starts_with("veth") && !name.starts_with("docker"));
    names.sort();
    names.truncate(DEVICES_MAX);
    names
}

/// The number of the device that is mounted here last, as `/sys` names it.
fn device_number(mounts: &str, mount_point: &Path) -> Option<String> {
    let mounts = mountinfo::parse(mounts.as_bytes());
    let is_here = |entry: &&Entry| entry.mount_point == mount_point.as_os_str().as_encoded_bytes();
    let (major, minor) = mounts.iter().rfind(is_here)?.device;
    Some(format!("{major}:{minor}"))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What a file says, white space made single; of a list with one chosen in brackets that one.
fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(TEXT_MAX_BYTES).read_to_string(&mut text).ok()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let chosen = words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    let value = chosen.map_or_else(|| words.join(" "), str::to_owned);
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn files_tell_settings_and_what_is_not_there_is_left_out() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
        put("proc/self/mountinfo", "33 29 0:52 / /mnt/nas rw - nfs4 nas1:/media rw\n");
        put("sys/class/net/eth0/mtu", "9000\n");
        put("sys/class/net/lo/mtu", "65536\n");
        put("sys/class/bdi/0:52/read_ahead_kb", "128\n");
        put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
        let told = settings_in(&root.path().join("proc"), &root.path().join("sys"), Path::new("/mnt/nas"));
        let told: Vec<(&str, &str)> =
            told.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let expected = [
            ("eth0 mtu", "9000"),
            ("mount read_ahead_kb", "128"),
            ("net.ipv4.tcp_rmem", "4096 131072 6291456"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn of_a_list_the_chosen_one_is_the_setting() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "none [mq-deadline] kyber bfq\n").unwrap();
        assert_eq!(read(file.path()).as_deref(), Some("mq-deadline"));
    }
}
