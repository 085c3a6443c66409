//! What a run's record keeps of the host that it was made on.
//!
//! On Linux from `/proc` and `/sys`; elsewhere what the standard library and `uname` report, the rest is
//! `None` or empty. Nothing here is measured, and nothing fails: what can't be found out is left out. It is
//! one line of a file that matters each time, and procfs-core takes whole files or nothing.
//!
//! Not here: mounts are looked up where targets are known and handed in as text.

use std::collections::BTreeMap;
use std::path::Path;

use reelgauge_record::host::{HostFacts, MountFacts, NicFacts};

/// The facts about this host. `mount` is that of the target, if there is one.
pub fn gather(mount: Option<MountFacts>) -> HostFacts {
    let (name, kernel) = name_and_kernel();
    HostFacts {
        name,
        agent: None,
        clock_offset_us: None,
        clock_uncertainty_us: None,
        os: os_name(Path::new("/etc/os-release")),
        kernel,
        cpu_model: cpu_model(Path::new("/proc/cpuinfo")),
        cpu_count: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        memory_bytes: memory_bytes(Path::new("/proc/meminfo")),
        mount,
        nics: nics(Path::new("/sys/class/net")),
        settings: BTreeMap::new(),
        changed_from_default: BTreeMap::new(),
    }
}

#[cfg(unix)]
fn name_and_kernel() -> (String, Option<String>) {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let kernel = format!("{} {}", text(system.sysname()), text(system.release()));
    (text(system.nodename()), Some(kernel))
}

/// Windows keeps its name in the environment of every process; its version is left out.
#[cfg(not(unix))]
fn name_and_kernel() -> (String, Option<String>) {
    (std::env::var("COMPUTERNAME").unwrap_or_default(), None)
}

/// `PRETTY_NAME` of os-release, or the family's name.
fn os_name(os_release: &Path) -> String {
    read(os_release)
        .and_then(|text| {
            let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
            Some(value.trim_matches(['"', '\'']).to_string())
        })
        .unwrap_or_else(|| std::env::consts::OS.to_string())
}

/// The first processor's model. ARM's cpuinfo has none.
fn cpu_model(cpuinfo: &Path) -> Option<String> {
    colon_value(&read(cpuinfo)?, "model name")
}

fn memory_bytes(meminfo: &Path) -> Option<u64> {
    let total = colon_value(&read(meminfo)?, "MemTotal")?;
    let kib: u64 = total.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The value of the first line `key : value`.
fn colon_value(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_string())
    })
}

/// The interfaces under `/sys/class/net`, by name.
fn nics(class_net: &Path) -> Vec<NicFacts> {
    let Ok(entries) = std::fs::read_dir(class_net) else {
        return Vec::new();
    };
    let mut nics: Vec<NicFacts> = entries
        .flatten()
        .filter(|entry| entry.file_name() != "lo")
        .filter_map(|entry| nic(&entry.path()))
        .collect();
    nics.sort_by(|one, other| one.name.cmp(&other.name));
    nics
}

/// One interface; `None` for what is no interface (`bonding_masters` is a file).
fn nic(dir: &Path) -> Option<NicFacts> {
    let attribute = |name: &str| read(&dir.join(name)).map(|text| text.trim().to_string());
    let state = attribute("operstate")?;
    let driver = std::fs::read_link(dir.join("device/driver")).ok();
    Some(NicFacts {
        name: dir.file_name()?.to_string_lossy().into_owned(),
        state,
        // -1 or an error without a link: neither is a speed. What no hardware carries says one that means
        // nothing.
        speed_mbit_per_s: attribute("speed")
            .filter(|_| is_carried(dir, 0))
            .and_then(|speed| speed.parse().ok())
            .filter(|&speed: &u64| speed > 0 && speed != u64::from(u32::MAX)),
        mtu_bytes: attribute("mtu").and_then(|mtu| mtu.parse().ok()),
        driver: driver.and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned())),
    })
}

/// Whether hardware is behind an interface, or carries it: a VLAN or a bond is as real as what is below it. A
/// veth is nothing of the kind, and says 10000; so does vmxnet3 of a virtual machine.
fn is_carried(dir: &Path, depth: u32) -> bool {
    const DEPTH_MAX: u32 = 5;
    if dir.join("device").exists() {
        let driver = std::fs::read_link(dir.join("device/driver")).unwrap_or_default();
        return driver.file_name().is_none_or(|name| name != "vmxnet3");
    }
    let (Some(net), Ok(entries)) = (dir.parent(), std::fs::read_dir(dir)) else { return false };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut below = names.filter_map(|name| Some(net.join(name.strip_prefix("lower_")?)));
    depth < DEPTH_MAX && below.any(|below| is_carried(&below, depth + 1))
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    fn file(dir: &tempfile::TempDir, name: &str, text: &str) -> std::path::PathBuf {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn proc_files_are_understood() {
        let dir = tempfile::tempdir().unwrap();
        let release =
            file(&dir, "os-release", "NAME=\"Rocky\"\nPRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n");
        assert_eq!(os_name(&release), "Rocky Linux 9.4 (Blue Onyx)");
        let cpuinfo = file(&dir, "cpuinfo", "processor\t: 0\nmodel name\t: Xeon: a name, with a colon\n");
        assert_eq!(cpu_model(&cpuinfo).unwrap(), "Xeon: a name, with a colon");
        let meminfo = file(&dir, "meminfo", "MemTotal:       24689652 kB\nMemFree:  1 kB\n");
        assert_eq!(memory_bytes(&meminfo), Some(24_689_652 * 1024));
    }

    #[test]
    fn missing_and_mangled_files_leave_facts_out() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("missing");
        assert_eq!(os_name(&missing), std::env::consts::OS);
        assert_eq!(cpu_model(&missing), None);
        assert!(nics(&missing).is_empty());
        let mangled = file(&dir, "meminfo", "MemTotal: 99999999999999999999 kB\nMemTotal\n");
        assert_eq!(memory_bytes(&mangled), None);
        let overflow = file(&dir, "overflow", "MemTotal: 18446744073709551615 kB\n");
        assert_eq!(memory_bytes(&overflow), None);
    }

    #[test]
    fn interfaces_are_listed_with_what_they_tell() {
        let dir = tempfile::tempdir().unwrap();
        for (name, state, speed, mtu) in
            [("eth1", "up", "25000", "9000"), ("eth0", "down", "-1", "1500"), ("lo", "unknown", "", "65536")]
        {
            let nic = dir.path().join(name);
            fs::create_dir_all(nic.join("device")).unwrap();
            fs::write(nic.join("operstate"), format!("{state}\n")).unwrap();
            fs::write(nic.join("speed"), format!("{speed}\n")).unwrap();
            fs::write(nic.join("mtu"), format!("{mtu}\n")).unwrap();
        }
        fs::write(dir.path().join("bonding_masters"), "bond0\n").unwrap();
        let found: Vec<_> = nics(dir.path())
            .into_iter()
            .map(|nic| (nic.name, nic.state, nic.speed_mbit_per_s, nic.mtu_bytes))
            .collect();
        let expected = [
            ("eth0".to_string(), "down".to_string(), None, Some(1500)),
            ("eth1".to_string(), "up".to_string(), Some(25_000), Some(9000)),
        ];
        assert_eq!(found, expected);
    }

    /// Where the run says that a speed is unknown, so do the facts of its host.
    #[test]
    fn a_speed_that_no_hardware_has_is_not_known() {
        let dir = tempfile::tempdir().unwrap();
        let made = |name: &str, below: &[&str]| {
            let nic = dir.path().join(name);
            below.iter().for_each(|below| fs::create_dir_all(nic.join(below)).unwrap());
            fs::create_dir_all(&nic).unwrap();
            fs::write(nic.join("operstate"), "up\n").unwrap();
            fs::write(nic.join("speed"), "10000\n").unwrap();
        };
        made("veth0", &[]);
        made("br0", &["lower_veth0"]);
        made("eth0", &["device"]);
        made("eth0.100", &["lower_eth0"]);
        made("loop0", &["lower_loop0"]);
        let of = |name: &str| {
            let found = nics(dir.path()).into_iter().find(|nic| nic.name == name);
            found.and_then(|nic| nic.speed_mbit_per_s)
        };
        assert_eq!(["veth0", "br0", "loop0"].map(of), [None; 3]);
        assert_eq!(["eth0", "eth0.100"].map(of), [Some(10_000); 2]);
    }

    #[test]
    fn this_host_is_described_and_survives_json() {
        let facts = gather(Some(MountFacts {
            fs_type: "nfs4".to_string(),
            source: "nas1:/export".to_string(),
            options: "rw,nconnect=8".to_string(),
        }));
        assert!(facts.cpu_count >= 1);
        #[cfg(target_os = "linux")]
        assert!(facts.memory_bytes.is_some() && facts.kernel.as_ref().unwrap().starts_with("Linux "));
        let text = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<HostFacts>(&text).unwrap(), facts);
    }
}
