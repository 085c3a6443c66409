//! The facts about its host that a run records.
//!
//! On Linux from `/proc` and `/sys`; elsewhere what the system's calls report. The rest is `None` or
//! empty. Nothing here is measured, and nothing fails: facts that cannot be determined are omitted. Each
//! file has only one line that matters, so procfs-core is not used, which takes whole files or nothing.
//!
//! Not here: mounts are looked up where targets are known, and passed in as text.

#[cfg(windows)]
mod windows;

use std::collections::BTreeMap;

use reelgauge_record::host::{HostFacts, MountFacts, NicFacts};

#[cfg(any(not(windows), test))]
use crate::interface;
use crate::interface::Interface;
#[cfg(any(not(windows), test))]
use crate::meminfo;
use crate::source::{Host, Source};
use crate::system;

/// The facts about this host. `mount` is that of the target, if there is one.
pub fn gather(mount: Option<MountFacts>) -> HostFacts {
    let here = Host::here();
    HostFacts {
        name: system::host_name().unwrap_or_default(),
        agent: None,
        clock_offset_us: None,
        clock_uncertainty_us: None,
        os: os_name(&here),
        kernel: kernel(),
        cpu_model: cpu_model(&here),
        cpu_count: system::processors(),
        memory_bytes: local_memory_bytes(),
        mount,
        nics: local_nics(),
        settings: BTreeMap::new(),
        changed_from_default: BTreeMap::new(),
    }
}

#[cfg(unix)]
fn kernel() -> Option<String> {
    let system = rustix::system::uname();
    Some(format!("{} {}", system.sysname().to_string_lossy(), system.release().to_string_lossy()))
}

#[cfg(windows)]
use windows::kernel;

/// `PRETTY_NAME` of os-release, or the family's name.
fn os_name(source: &impl Source) -> String {
    let text = source.text("/etc/os-release").unwrap_or_default();
    let named = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    named.map_or(std::env::consts::OS, |name| name.trim_matches(['"', '\''])).to_owned()
}

/// The memory of this host, in bytes.
pub fn local_memory_bytes() -> Option<u64> {
    #[cfg(windows)]
    return windows::memory_bytes();
    #[cfg(not(windows))]
    memory_bytes(&Host::here())
}

#[cfg(any(not(windows), test))]
fn memory_bytes(source: &impl Source) -> Option<u64> {
    meminfo::bytes(&source.text(meminfo::FILE)?, "MemTotal")
}

/// The first processor's model. ARM's cpuinfo has none.
fn cpu_model(source: &impl Source) -> Option<String> {
    source.text("/proc/cpuinfo")?.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim().to_owned())
    })
}

/// The interfaces of this host without loopback, by name.
fn local_nics() -> Vec<NicFacts> {
    #[cfg(windows)]
    return windows::nics();
    #[cfg(not(windows))]
    nics(&Host::here())
}

/// The interfaces of Linux. Entries that are no interface have no state (`bonding_masters` is a file).
#[cfg(any(not(windows), test))]
fn nics(source: &impl Source) -> Vec<NicFacts> {
    let names = source.names(interface::ALL).into_iter().filter(|name| name != "lo");
    names.filter_map(|name| nic(interface::read(source, &name), name)).collect()
}

/// An interface for the record of a run; `None` if its state is unknown.
fn nic(interface: Interface, name: String) -> Option<NicFacts> {
    let Interface { state, line_mbit_per_s, mtu_bytes, driver, .. } = interface;
    Some(NicFacts {
        name,
        state: state?,
        speed_mbit_per_s: line_mbit_per_s.map(u64::from),
        mtu_bytes: mtu_bytes.map(u64::from),
        driver,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::texts::Texts;

    fn texts(all: &[(&str, &str)]) -> Texts {
        let mut texts = Texts::default();
        all.iter().for_each(|(name, text)| texts.put(*name, Ok((*text).to_owned())));
        texts
    }

    #[test]
    fn files_are_understood() {
        let host = texts(&[
            ("/etc/os-release", "NAME=\"Rocky\"\nPRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n"),
            ("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Xeon: a name, with a colon\n"),
            ("/proc/meminfo", "MemTotal:       24689652 kB\nMemFree:  1 kB\n"),
        ]);
        assert_eq!(os_name(&host), "Rocky Linux 9.4 (Blue Onyx)");
        assert_eq!(cpu_model(&host).as_deref(), Some("Xeon: a name, with a colon"));
        assert_eq!(memory_bytes(&host), Some(24_689_652 * 1024));
    }

    #[test]
    fn missing_and_mangled_files_leave_facts_out() {
        let none = Texts::default();
        assert_eq!(os_name(&none), std::env::consts::OS);
        assert_eq!((cpu_model(&none), memory_bytes(&none)), (None, None));
        assert!(nics(&none).is_empty());
    }

    #[test]
    fn interfaces_are_listed_with_what_they_report() {
        let host = texts(&[
            ("/sys/class/net", "bonding_masters\neth1\neth0\nlo\n"),
            ("/sys/class/net/eth1", "device\n"),
            ("/sys/class/net/eth1/operstate", "up\n"),
            ("/sys/class/net/eth1/speed", "25000\n"),
            ("/sys/class/net/eth1/mtu", "9000\n"),
            ("/sys/class/net/eth1/device/uevent", "DRIVER=ice\n"),
            ("/sys/class/net/eth0", "device\n"),
            ("/sys/class/net/eth0/operstate", "down\n"),
            ("/sys/class/net/eth0/speed", "-1\n"),
        ]);
        let nic = |name: &str, state: &str, speed_mbit_per_s, mtu_bytes, driver: Option<&str>| NicFacts {
            name: name.to_owned(),
            state: state.to_owned(),
            speed_mbit_per_s,
            mtu_bytes,
            driver: driver.map(str::to_owned),
        };
        let expected = [
            nic("eth0", "down", None, None, None),
            nic("eth1", "up", Some(25_000), Some(9_000), Some("ice")),
        ];
        assert_eq!(nics(&host), expected);
    }

    #[test]
    fn adapter_of_windows_is_recorded_like_an_interface() {
        let adapter = crate::adapter::Adapter {
            name: "Ethernet 2".to_owned(),
            description: "Intel(R) Ethernet Converged Network Adapter X550-T2".to_owned(),
            kind: 6,
            flags: 1,
            oper_status: 1,
            bits_per_s: 10_000_000_000,
            mtu_bytes: 9_000,
        };
        let expected = NicFacts {
            name: "Ethernet 2".to_owned(),
            state: "up".to_owned(),
            speed_mbit_per_s: Some(10_000),
            mtu_bytes: Some(9_000),
            driver: None,
        };
        assert_eq!(nic(adapter.interface(), adapter.name), Some(expected));
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
