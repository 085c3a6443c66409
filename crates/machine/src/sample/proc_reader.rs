//! One sample round of everything: reads the kernel's files and passes them to their parsers.
//!
//! A file that cannot be read is omitted, tried again in the next round, and reported once. All of them
//! are answered from the kernel's memory; none contacts a server or a disk.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use crate::file_system::{Protocol, protocol_of};
use crate::process::ticks_per_s;
use crate::sample::counter::Look;
use crate::sample::disturbances::Disturbances;
use crate::sample::net_reader::NetReader;
use crate::sample::parse::pressure::{self, Resource};
use crate::sample::parse::{
    disks, interfaces, memory, nfs, own_process, processors, quota, smb, softnet, tcp,
};
use crate::sample::programs::Programs;
use crate::sample::reading_time::OwnTime;
use crate::sample::thread_waits::ThreadWaits;
use crate::source::Host;
use crate::{cgroup, devices, interface, mountinfo};

/// Interfaces that are sampled, at most. Hosts with containers have hundreds of virtual ones.
const INTERFACES_MAX: usize = 12;

/// A virtual interface is sampled from the time when it transferred this much between two rounds.
const CARRIES_BYTES: u64 = 1_000_000;

/// The mount of the run's I/O.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Type of the file system: `nfs4`, `cifs`, `ext4`.
    pub fs_type: String,
    /// The source of the mount: `nas1:/export`, `//nas1/media`.
    pub source: String,
    pub mount_point: PathBuf,
    /// The server's address, if there is one and it is known.
    pub server: Option<IpAddr>,
    /// Its ports for the target; an empty list means all.
    pub ports: Vec<u16>,
    /// Whether there is no mount: every disk of the host counts, as on a server.
    pub is_whole_machine: bool,
}

/// Samples one target and its host.
#[derive(Debug)]
pub struct ProcReader {
    target: Target,
    disks: Vec<String>,
    seen: Interfaces,
    net: NetReader,
    programs: Programs,
    waits: ThreadWaits,
    disturbances: Disturbances,
    own_time: OwnTime,
    /// Files that could not be read, and why.
    unread: BTreeMap<&'static str, String>,
}

impl ProcReader {
    /// Determines the devices of the target.
    pub fn open(target: Target) -> ProcReader {
        let net = NetReader::new(target.server, target.ports.clone());
        let disturbances = Disturbances::new(&target.mount_point, target.server);
        let mut proc_reader = ProcReader {
            target,
            disturbances,
            disks: Vec::new(),
            seen: Interfaces::default(),
            net,
            programs: Programs::default(),
            waits: ThreadWaits::default(),
            own_time: OwnTime::start(),
            unread: BTreeMap::new(),
        };
        if proc_reader.target.is_whole_machine {
            proc_reader.disks = devices::every(&Host::here());
        } else if let Some(mounts) = proc_reader.read(mountinfo::FILE) {
            let mounts = mountinfo::parse(mounts.as_bytes());
            let below = devices::below(&Host::here(), &mounts, &proc_reader.target.mount_point);
            proc_reader.disks = below.names;
        }
        proc_reader
    }

    /// One sample round, at `now_ns` of the run's clock.
    pub fn look(&mut self, now_ns: u64) -> Look {
        let mut look = Look::new();
        self.own_time.look_begins();
        self.look_at_machine(&mut look);
        self.look_at_network(&mut look);
        self.net.look(&mut look);
        self.programs.look(now_ns, ticks_per_s(), &mut look);
        if !self.disks.is_empty()
            && let Some(text) = self.read("/proc/diskstats")
        {
            disks::parse(&text, &self.disks, &mut look);
        }
        self.look_at_mount(&mut look);
        self.disturbances.look(&mut look);
        self.look_at_self(&mut look);
        look
    }

    /// What could not be read, as text, each with the reason.
    pub fn unread(&self) -> Vec<String> {
        let files = self.unread.iter().map(|(path, why)| (*path, why.as_str()));
        files.chain(self.net.unread()).map(|(what, why)| format!("{what}: {why}")).collect()
    }

    fn look_at_machine(&mut self, look: &mut Look) {
        if let Some(text) = self.read("/proc/stat") {
            processors::parse(&text, look);
        }
        if let Some(text) = self.read("/proc/meminfo") {
            memory::parse_meminfo(&text, look);
        }
        if let Some(text) = self.read("/proc/vmstat") {
            memory::parse_vmstat(&text, look);
        }
        for (path, resource) in [
            ("/proc/pressure/io", Resource::Io),
            ("/proc/pressure/cpu", Resource::Cpu),
            ("/proc/pressure/memory", Resource::Memory),
        ] {
            if let Some(text) = self.read(path) {
                pressure::parse(resource, &text, look);
            }
        }
    }

    fn look_at_network(&mut self, look: &mut Look) {
        if let Some(text) = self.read("/proc/net/dev") {
            let here = Host::here();
            self.seen.look(&text, &|name| interface::is_physical(&here, name), look);
        }
        if let Some(text) = self.read("/proc/net/snmp") {
            tcp::parse_snmp(&text, look);
        }
        if let Some(text) = self.read("/proc/net/netstat") {
            tcp::parse_netstat(&text, look);
        }
        if let Some(text) = self.read("/proc/net/softnet_stat") {
            softnet::parse(&text, look);
        }
    }

    fn look_at_mount(&mut self, look: &mut Look) {
        match protocol_of(&self.target.fs_type) {
            Some(Protocol::Nfs) => {
                if let Some(text) = self.read("/proc/self/mountstats") {
                    nfs::parse(&text, &self.target.mount_point, look);
                }
            }
            Some(Protocol::Smb) => {
                if let Some(text) = self.read("/proc/fs/cifs/Stats") {
                    smb::parse(&text, &self.target.source, look);
                }
            }
            _ => {}
        }
    }

    fn look_at_self(&mut self, look: &mut Look) {
        if let Some((cpu_ns, at)) = self.own_time.timed(own_process::process_cpu_ns) {
            own_process::put_cpu(cpu_ns, at.as_nanos() as u64, look);
        }
        self.waits.look(look);
        if let Some(text) = self.read("/proc/self/statm") {
            own_process::parse_statm(&text, page_bytes(), look);
        }
        self.look_at_quotas(look);
    }

    /// Adds the effects of the processor quotas of this process's groups. Without control groups, or
    /// without a quota, there are no such files, which is no error.
    fn look_at_quotas(&self, look: &mut Look) {
        let text = std::fs::read_to_string(cgroup::FILE).unwrap_or_default();
        for group in quota::groups(&text) {
            let stat = cgroup::folder(&group).join(quota::STAT);
            let throttled = || quota::throttled_us(&std::fs::read_to_string(&stat).unwrap_or_default());
            if let Some((throttled_us, at)) = self.own_time.timed(throttled) {
                quota::put_throttled(&group, throttled_us, at.as_micros() as u64, look);
            }
        }
    }

    /// The text of a file; if it cannot be read, `None`, and the reason is recorded. Names in it need
    /// not be UTF-8.
    fn read(&mut self, path: &'static str) -> Option<String> {
        match std::fs::read(path) {
            Ok(bytes) => Some(
                String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
            Err(error) => {
                self.unread.entry(path).or_insert_with(|| error.to_string());
                None
            }
        }
    }
}

/// The interfaces to sample.
#[derive(Debug, Default)]
struct Interfaces {
    /// By name: whether it is sampled, and its transferred bytes in the last round.
    known: BTreeMap<String, (bool, u64)>,
}

impl Interfaces {
    /// Adds the counters of the relevant interfaces: physical ones, the loopback, and virtual ones with
    /// traffic. In a container every interface is virtual, so all of them count.
    fn look(&mut self, text: &str, is_physical: &dyn Fn(&str) -> bool, look: &mut Look) {
        let all: Vec<_> = interfaces::parse(text).collect();
        let is_new = |name: &str| !self.known.contains_key(name);
        let mut new: Vec<(&str, bool)> = all
            .iter()
            .map(|interface| interface.name)
            .filter(|name| is_new(name))
            .map(|name| (name, name == "lo" || is_physical(name)))
            .collect();
        if self.known.is_empty() && !new.iter().any(|(name, physical)| *physical && *name != "lo") {
            new.iter_mut().for_each(|(_, counts)| *counts = true);
        }
        let new: BTreeMap<&str, bool> = new.into_iter().collect();
        for interface in &all {
            let carried = interface.rx.bytes.saturating_add(interface.tx.bytes);
            let known = self.known.get(interface.name).copied();
            let (counted, before) = known.unwrap_or((false, carried));
            let is_real = new.get(interface.name).copied().unwrap_or(false);
            let wanted = is_real || carried.saturating_sub(before) >= CARRIES_BYTES;
            let counts = counted || wanted && self.count() < INTERFACES_MAX;
            self.known.insert(interface.name.to_owned(), (counts, carried));
            if counts {
                interfaces::put(interface, look);
            }
        }
    }

    fn count(&self) -> usize {
        self.known.values().filter(|(counts, _)| *counts).count()
    }
}

#[cfg(target_os = "linux")]
fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Without `/proc`, nothing is counted in pages.
#[cfg(not(target_os = "linux"))]
fn page_bytes() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(interfaces: &[(&str, u64)]) -> String {
        let line = |(name, bytes): &(&str, u64)| format!("  {name}: {bytes} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
        interfaces.iter().map(line).collect()
    }

    fn seen(interfaces: &mut Interfaces, text: &str) -> Vec<String> {
        let mut look = Look::new();
        interfaces.look(text, &|name| name.starts_with("eth"), &mut look);
        let mut names: Vec<_> = look.into_keys().map(|key| key.device).collect();
        names.dedup();
        names.sort();
        names.dedup();
        names
    }

    #[test]
    fn virtual_interfaces_count_if_they_transfer_data() {
        let mut interfaces = Interfaces::default();
        let first = [("lo", 0), ("eth0", 0), ("veth1", 90_000_000), ("veth2", 0)];
        assert_eq!(seen(&mut interfaces, &table(&first)), ["eth0", "lo"]);
        let second = [("lo", 0), ("eth0", 0), ("veth1", 90_000_001), ("veth2", CARRIES_BYTES), ("eth1", 5)];
        assert_eq!(seen(&mut interfaces, &table(&second)), ["eth0", "eth1", "lo", "veth2"]);
        // It stays, even if it is missing for a while.
        assert_eq!(seen(&mut interfaces, &table(&[("lo", 0)])), ["lo"]);
        assert_eq!(seen(&mut interfaces, &table(&second)), ["eth0", "eth1", "lo", "veth2"]);
    }

    #[test]
    fn in_a_container_every_interface_counts() {
        let mut interfaces = Interfaces::default();
        assert_eq!(seen(&mut interfaces, &table(&[("lo", 0), ("ens3", 5)])), ["ens3", "lo"]);
    }

    #[test]
    fn there_is_a_bound_on_interfaces() {
        let mut interfaces = Interfaces::default();
        let names: Vec<String> = (0..300).map(|number| format!("eth{number}")).collect();
        let many: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 0)).collect();
        assert_eq!(seen(&mut interfaces, &table(&many)).len(), INTERFACES_MAX);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn local_host_is_sampled() {
        let mut proc_reader = ProcReader::open(Target { mount_point: "/".into(), ..Target::default() });
        let look = proc_reader.look(1);
        for name in ["cpu_busy_percent", "memory_available_bytes", "rx_bytes_per_s", "memory_bytes"] {
            assert!(look.keys().any(|key| key.name == name), "{name} in {look:#?}");
        }
        crate::sample::parse::testing::all_known(&look);
    }
}
