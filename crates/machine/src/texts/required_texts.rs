//! The texts to collect from a host: files, directory listings, and commands that only read.
//!
//! One list for the local host ([`super::local`]) and for the scripts that collect on others
//! ([`super::collect_script`]). `IF`, `DISK`, `CPU` and `BDI` are replaced by each interface, disk,
//! processor and mounted device.

use crate::mountinfo::{self, Entry};

use crate::facts::CONTROLLER_PROGRAMS;

/// Directories whose listing is a separate text, and whose entries replace `IF`, `DISK`, `CPU` or `BDI`.
pub const LISTINGS: [&str; 2] = ["/sys/class/net", "/sys/block"];

/// Files that a host has once.
pub const FILES: &[&str] = &[
    "/etc/fstab",
    "/etc/nsmb.conf",
    "/etc/os-release",
    "/etc/samba/smb.conf",
    "/etc/version",
    "/proc/cpuinfo",
    "/proc/fs/nfsd/threads",
    "/proc/mdstat",
    "/proc/meminfo",
    "/proc/net/ipv6_route",
    "/proc/net/route",
    "/proc/net/vlan/config",
    "/proc/net/wireless",
    mountinfo::FILE,
    "/proc/self/mountstats",
    "/proc/spl/kstat/zfs/arcstats",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/net/ipv4/tcp_congestion_control",
    "/proc/sys/net/ipv4/tcp_moderate_rcvbuf",
    "/proc/sys/net/ipv4/tcp_mtu_probing",
    "/proc/sys/net/ipv4/tcp_rmem",
    "/proc/sys/net/ipv4/tcp_sack",
    "/proc/sys/net/ipv4/tcp_slow_start_after_idle",
    "/proc/sys/net/ipv4/tcp_timestamps",
    "/proc/sys/net/ipv4/tcp_window_scaling",
    "/proc/sys/net/ipv4/tcp_wmem",
    "/proc/sys/sunrpc/tcp_max_slot_table_entries",
    "/proc/sys/vm/dirty_background_bytes",
    "/proc/sys/vm/dirty_background_ratio",
    "/proc/sys/vm/dirty_bytes",
    "/proc/sys/vm/dirty_ratio",
    "/sys/devices/system/node/online",
    "/usr/cvfs/config/deviceparams",
    "/var/lib/nfs/etab",
];

/// The directory of each interface whose listing shows its components (`lower_eth0`).
pub const INTERFACE_LISTING: &str = "/sys/class/net/IF";

/// Files of each interface.
pub const INTERFACE_FILES: &[&str] = &[
    "/proc/net/bonding/IF",
    "/sys/class/net/IF/device/current_link_speed",
    "/sys/class/net/IF/device/current_link_width",
    "/sys/class/net/IF/device/max_link_speed",
    "/sys/class/net/IF/device/max_link_width",
    "/sys/class/net/IF/device/numa_node",
    "/sys/class/net/IF/device/uevent",
    "/sys/class/net/IF/bonding/active_slave",
    "/sys/class/net/IF/bonding/mode",
    "/sys/class/net/IF/bonding/slaves",
    "/sys/class/net/IF/duplex",
    "/sys/class/net/IF/mtu",
    "/sys/class/net/IF/operstate",
    "/sys/class/net/IF/speed",
    "/sys/class/net/IF/statistics/rx_fifo_errors",
    "/sys/class/net/IF/statistics/rx_missed_errors",
    "/sys/class/net/IF/uevent",
];

/// Files of each disk.
pub const DISK_FILES: &[&str] = &[
    "/sys/block/DISK/dev",
    "/sys/block/DISK/device/queue_depth",
    "/sys/block/DISK/device/vendor",
    "/sys/block/DISK/dm/name",
    "/sys/block/DISK/loop/backing_file",
    "/sys/block/DISK/md/level",
    "/sys/block/DISK/queue/nr_requests",
    "/sys/block/DISK/queue/read_ahead_kb",
    "/sys/block/DISK/queue/rotational",
    "/sys/block/DISK/queue/scheduler",
];

/// The directory of each disk whose listing shows its components.
pub const DISK_LISTING: &str = "/sys/block/DISK/slaves";

/// Files of each processor.
pub const CPU_FILES: &[&str] = &[
    "/sys/devices/system/cpu/CPU/cpufreq/energy_performance_preference",
    "/sys/devices/system/cpu/CPU/cpufreq/scaling_driver",
    "/sys/devices/system/cpu/CPU/cpufreq/scaling_governor",
];

/// The file of each mounted file system without its own disk, by its number.
pub const BDI_FILE: &str = "/sys/class/bdi/BDI/read_ahead_kb";

/// Commands that only read, for facts that no file has.
pub const COMMANDS: &[&[&str]] = &[
    &["ss", "-tinHO"],
    &["testparm", "-s", "-v"],
    SPACE,
    &["zpool", "status"],
    &["zpool", "list", "-Hp", "-o", "name,cap"],
    &["zpool", "get", "-Hp", "-o", "name,value", "ashift"],
    &["zfs", "get", "-Hp", "-t", "filesystem", "-o", "name,property,value", ZFS_PROPERTIES],
    &["btrfs", "filesystem", "show", "--mounted"],
    &["lvs", "-a"],
];

/// The name of btrfs' list of devices.
pub const BTRFS_SHOW: &str = "btrfs filesystem show --mounted";

/// The output of RAID controller tools about virtual disks and the disks below them. Only a script runs
/// them: some take seconds.
pub const CONTROLLER_COMMANDS: &[&[&str]] = &[
    &["storcli64", "/call/vall", "show", "nolog"],
    &["storcli64", "/call/eall/sall", "show", "nolog"],
    &["perccli64", "/call/vall", "show", "nolog"],
    &["perccli64", "/call/eall/sall", "show", "nolog"],
    &["MegaCli64", "-LDPDInfo", "-aALL", "-NoLog"],
    &["ssacli", "ctrl", "all", "show", "config"],
    &["arcconf", "getconfig", "1", "nologs"],
];

/// The usage of file systems on disks. Others are not queried: a server that does not respond would hang
/// the query.
pub const SPACE: &[&str] = &[
    "df", "-P", "-k", "-t", "ext3", "-t", "ext4", "-t", "xfs", "-t", "btrfs", "-t", "f2fs", "-t", "bcachefs",
    "-t", "exfat", "-t", "ntfs3",
];

/// The properties to query from ZFS datasets.
pub const ZFS_PROPERTIES: &str = "recordsize,sync,atime,relatime,dedup,mountpoint,used";

/// Commands of each interface.
pub const INTERFACE_COMMANDS: &[&[&str]] = &[
    &["ethtool", "IF"],
    &["ethtool", "-a", "IF"],
    &["ethtool", "-c", "IF"],
    &["ethtool", "-g", "IF"],
    &["ethtool", "-k", "IF"],
    &["ethtool", "-l", "IF"],
    &["ethtool", "--show-eee", "IF"],
];

/// Commands on a Mac. Their output is meant for humans, but is stable.
pub const MAC_COMMANDS: &[&[&str]] = &[
    &["sw_vers"],
    &["nfsstat", "-m"],
    &["smbutil", "statshares", "-a"],
    &["sysctl", "net.inet.tcp"],
    &["defaults", "read", "com.apple.desktopservices", "DSDontWriteNetworkStores"],
];

/// Commands that open files for writing while they read: only a script runs them, on a server where
/// administrators run them anyway. Each has the reason why it is not run here.
pub const WRITING_COMMANDS: &[(&[&str], &str)] = &[(
    &["smbstatus", "--json"],
    "smbstatus opens Samba's databases for writing, so Reelgauge does not run it",
)];

/// Whether a text with this name may be one of those to collect, or a similar one that the user
/// supplied.
pub fn is_text(name: &str) -> bool {
    let program = name.split(' ').next().unwrap_or_default();
    let asked = [COMMANDS, INTERFACE_COMMANDS, MAC_COMMANDS].into_iter().flatten().map(|words| words[0]);
    let asked = asked.chain(WRITING_COMMANDS.iter().map(|(words, _)| words[0])).chain(["uname", "sysctl"]);
    let asked = asked.chain(CONTROLLER_PROGRAMS);
    name.starts_with('/') || name.starts_with("Get-") || asked.into_iter().any(|asked| asked == program)
}

/// The script for PowerShell, which has its own list.
pub(super) const POWERSHELL: &str = include_str!("collect_script/collect.ps1");

/// Texts that are on no list, but are used if the user or a script supplied them.
const BROUGHT: [&str; 2] = ["sysctl -a", "uname -sr"];

/// Prefixes of texts that are used with any arguments.
const BROUGHT_BEGINNINGS: [&str; 5] =
    ["btrfs filesystem show", "btrfs device stats", "btrfs scrub status", "btrfs balance status", "lvs"];

/// Whether a text of this name is read.
pub fn is_wanted(name: &str) -> bool {
    let files = [FILES, &LISTINGS, INTERFACE_FILES, DISK_FILES, CPU_FILES, &FOLDERS, &BROUGHT];
    let commands = [COMMANDS, INTERFACE_COMMANDS, MAC_COMMANDS].into_iter().flatten().copied();
    let mut commands = commands.chain(WRITING_COMMANDS.iter().map(|(words, _)| *words));
    let program = name.split(' ').next().unwrap_or_default();
    let is_brought =
        |begin: &&str| name.strip_prefix(*begin).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    CONTROLLER_PROGRAMS.contains(&program)
        || is_stornext_config(name)
        || BROUGHT_BEGINNINGS.iter().any(is_brought)
        || files.into_iter().flatten().any(|pattern| is_like(name, pattern, '/'))
        || commands.any(|words| is_like(name, &named(words), ' '))
        || POWERSHELL.contains(&format!("Save '{name}' "))
}

/// Names that are replaced by one text for each device.
const FOLDERS: [&str; 3] = [BDI_FILE, DISK_LISTING, INTERFACE_LISTING];

/// Whether it is the configuration of a StorNext file system.
fn is_stornext_config(name: &str) -> bool {
    let file = name.strip_prefix("/usr/cvfs/config/").and_then(|name| name.strip_suffix(".cfgx"));
    file.is_some_and(|file| !file.is_empty() && !file.contains('/'))
}

/// Whether a name matches this one, with any word in place of `IF`, `DISK`, `CPU` or `BDI`.
fn is_like(name: &str, pattern: &str, between: char) -> bool {
    let (mut words, mut wanted) = (name.split(between), pattern.split(between));
    loop {
        match (words.next(), wanted.next()) {
            (None, None) => return true,
            (Some(word), Some("IF" | "DISK" | "CPU" | "BDI")) if !word.is_empty() => {}
            (Some(word), Some(wanted)) if word == wanted => {}
            _ => return false,
        }
    }
}

/// Whether a blank text means that the list is empty. Any other blank text is no information.
pub fn says_nothing_blank(name: &str) -> bool {
    const LISTS: [&str; 8] = [
        BTRFS_SHOW,
        "/var/lib/nfs/etab",
        "Get-SmbConnection",
        "Get-SmbMultichannelConnection",
        "lvs -a",
        "nfsstat -m",
        "smbutil statshares -a",
        "ss -tinHO",
    ];
    LISTS.contains(&name) || name.starts_with("zfs get ") || name.ends_with("/slaves")
}

/// The mounted loop devices that may hold data: they have read-ahead like disks.
pub fn mounted_loops(mounts: &[Entry]) -> Vec<String> {
    let on_disks = mounts.iter().filter(|mount| SPACE.contains(&mount.fs_type.as_str()));
    let mut loops: Vec<String> = on_disks.filter_map(|mount| loop_of(&mount.source)).collect();
    loops.sort();
    loops.dedup();
    loops
}

/// `loop0` of `/dev/loop0` and of its partition `/dev/loop0p1`.
fn loop_of(source: &str) -> Option<String> {
    let number = source.strip_prefix("/dev/loop")?;
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let is_whole = number[end..].is_empty() || number[end..].starts_with('p');
    (end > 0 && is_whole).then(|| format!("loop{}", &number[..end]))
}

/// The name of a command's text.
pub fn named(words: &[&str]) -> String {
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mountinfo::parse;

    #[test]
    fn required_texts_are_distinguished_from_other_files() {
        for name in ["/proc/meminfo", "ethtool -a eth0", "smbstatus --json", "Get-SmbConnection", "sysctl -a"]
        {
            assert!(is_text(name), "{name}");
        }
        assert!(!is_text("notes.txt") && !is_text("collect.sh") && !is_text(""));
    }

    #[test]
    fn required_texts_match_exact_names_only() {
        for name in [
            "/proc/meminfo",
            "/sys/class/net/eth0/mtu",
            "/sys/block/nvme0n1/queue/scheduler",
            "/sys/class/bdi/0:52/read_ahead_kb",
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
            "ethtool -a eth0",
            "smbstatus --json",
            "Get-SmbConnection",
            "Get-CimInstance Win32_OperatingSystem",
            "uname -sr",
            "/usr/cvfs/config/media.cfgx",
        ] {
            assert!(is_wanted(name), "{name}");
        }
        for name in
            ["/proc/meminfo2", "/sys/class/net//mtu", "ethtool -x eth0", "Get-Content", "collect.sh", ""]
        {
            assert!(!is_wanted(name), "{name}");
        }
    }

    #[test]
    fn a_loop_device_counts_where_data_is_mounted_from_it() {
        let mounts = b"\
            29 1 7:2 / /snap/a ro - squashfs /dev/loop2 ro\n\
            30 1 7:0 / /srv/a rw - ext4 /dev/loop0 rw\n\
            31 1 259:1 / /srv/b rw - xfs /dev/loop11p1 rw\n\
            32 1 259:1 / /srv/c rw - xfs /dev/loop11p1 rw\n\
            33 1 8:1 / /srv/d rw - ext4 /dev/loopback rw\n";
        assert_eq!(mounted_loops(&parse(mounts)), ["loop0", "loop11"]);
    }
}
