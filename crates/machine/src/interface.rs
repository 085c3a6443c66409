//! The properties of a network interface, from `/sys/class/net`: a single rule for all questions about a
//! speed.
//!
//! A bond, bridge or VLAN is as fast as the interfaces below it. A speed is trusted only if the
//! interface has hardware: virtual networks report an invented one, and so does the card of a virtual
//! machine.
//!
//! Not here: the settings of a card ([`crate::facts`]), and its counters.

use crate::source::Source;

/// The directory of all interfaces.
pub const ALL: &str = "/sys/class/net";
/// Layers of interfaces, at most.
const DEPTH_MAX: u32 = 5;
const ETHERNET: u32 = 1;
/// No link is faster.
pub(crate) const MBIT_PER_S_MAX: u32 = 10_000_000;

/// Cards of virtual machines, whose speed is not that of a line. By the drivers in the kernel's
/// `drivers/net`:
///
/// * `virtio_net` and `hv_netvsc` show the value from the host or a user, or nothing; `ibmveth` 1 Gbit/s
///   until a user sets another (`ethtool_virtdev_set_link_ksettings`).
/// * `vmxnet3` shows what the hypervisor states, 10 Gbit/s whatever is below it.
/// * `ena` and `gve` show what the provider's device states; the share of an instance is limited
///   elsewhere.
/// * Xen's `xen-netfront` has no speed. Its driver has the name of its devices, `vif`.
const OF_VIRTUAL_MACHINES: [&str; 7] = ["ena", "gve", "hv_netvsc", "ibmveth", "vif", "virtio_net", "vmxnet3"];

/// The properties of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The rate that one connection can use.
    pub connection: Speed,
    /// The rate that all connections together can use, in Mbit/s.
    pub line_mbit_per_s: Option<u32>,
    pub mtu_bytes: Option<u32>,
    /// Whether it cannot send and receive at the same time.
    pub is_half_duplex: bool,
    /// The number of active members of a bond.
    pub bond_of: Option<usize>,
    pub state: Option<String>,
    /// The kernel's driver; `None` for virtual interfaces.
    pub driver: Option<String>,
}

/// The speed of an interface, if it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    MbitPerS(u32),
    /// The reason why it is unknown, for screens.
    Unknown(&'static str),
}

impl Speed {
    pub(crate) const WIRELESS: Speed = Speed::Unknown("wireless, with a varying speed");
    pub(crate) const VIRTUAL_NETWORK: Speed = Speed::Unknown("a virtual network");
    pub(crate) const VIRTUAL_CARD: Speed = Speed::Unknown("a virtual card, which may report any speed");
    pub(crate) const NOT_REPORTED: Speed = Speed::Unknown("its driver reports no speed");

    /// The speed, if known.
    pub fn mbit_per_s(self) -> Option<u32> {
        match self {
            Speed::MbitPerS(speed) => Some(speed),
            Speed::Unknown(_) => None,
        }
    }
}

/// Whether a driver is that of a virtual machine's card, whose speed is meaningless.
pub fn is_of_virtual_machine(driver: &str) -> bool {
    OF_VIRTUAL_MACHINES.contains(&driver)
}

/// The driver that an interface's `device/uevent` names.
pub fn driver_in(uevent: &str) -> Option<&str> {
    uevent.lines().find_map(|line| line.strip_prefix("DRIVER="))
}

/// Whether a number means no speed: `SPEED_UNKNOWN` of the kernel's `ethtool.h` is -1, as 16 bits 65,535
/// and as 32 bits 4,294,967,295.
pub fn is_no_speed(mbit_per_s: i64) -> bool {
    mbit_per_s <= 0 || [i64::from(u16::MAX), i64::from(u32::MAX)].contains(&mbit_per_s)
}

/// A speed as the kernel shows it, in Mbit/s.
pub fn speed_in(text: &str) -> Option<u32> {
    let speed = text.trim().parse().ok().filter(|speed| !is_no_speed(*speed))?;
    u32::try_from(speed).ok().filter(|speed| *speed <= MBIT_PER_S_MAX)
}

pub fn read(source: &impl Source, name: &str) -> Interface {
    let net = Net(source);
    Interface {
        connection: net.connection(name, 0),
        line_mbit_per_s: net.told(name).filter(|_| net.is_on_a_line(name, 0)),
        mtu_bytes: source.number(&file(name, "mtu")),
        is_half_duplex: source.value(&file(name, "duplex")).as_deref() == Some("half"),
        bond_of: net.has(name, "bonding").then(|| net.active_members(name).len()),
        state: source.value(&file(name, "operstate")),
        driver: net.driver(name),
    }
}

/// Whether it is a card, the loopback interface, or an end of a pair (veth). The end of a pair looks
/// like Ethernet, reports that it belongs to another interface, and has no interface of this network
/// below it.
pub fn is_last(source: &impl Source, name: &str) -> bool {
    let net = Net(source);
    if name == "lo" || net.has(name, "device") {
        return true;
    }
    let number = |of: &str| source.number::<u32>(&file(name, of));
    let (own, other) = (number("ifindex"), number("iflink"));
    let is_pair = own.is_some() && other.is_some() && own != other;
    let is_ethernet = number("type") == Some(ETHERNET);
    is_pair && is_ethernet && net.members(name).is_empty() && !net.has(name, "master")
}

/// Whether an interface has hardware, or consists of several that have.
#[cfg(feature = "sampling")]
pub(crate) fn is_physical(source: &impl Source, name: &str) -> bool {
    has(source, name, "device") || has(source, name, "bonding")
}

/// Whether an interface has this file or directory.
pub(crate) fn has(source: &impl Source, name: &str, wanted: &str) -> bool {
    source.names(&format!("{ALL}/{name}")).iter().any(|found| found == wanted)
}

/// The kernel's driver of an interface.
pub(crate) fn driver(source: &impl Source, name: &str) -> Option<String> {
    driver_in(&source.text(&file(name, "device/uevent"))?).map(str::to_owned)
}

fn file(name: &str, file: &str) -> String {
    format!("{ALL}/{name}/{file}")
}

/// All interfaces of a host.
struct Net<'a, S>(&'a S);

impl<S: Source> Net<'_, S> {
    fn connection(&self, name: &str, depth: u32) -> Speed {
        if depth > DEPTH_MAX {
            return Speed::Unknown("too many layers of interfaces");
        }
        if self.has(name, "wireless") || self.has(name, "phy80211") {
            return Speed::WIRELESS;
        }
        if self.has(name, "bonding") {
            return self.of_a_bond(name, depth);
        }
        if self.has(name, "device") {
            return self.of_hardware(name);
        }
        let carriers = self.members(name).into_iter().map(|member| self.connection(&member, depth + 1));
        let fastest = carriers.filter_map(Speed::mbit_per_s).max();
        fastest.map_or(Speed::VIRTUAL_NETWORK, Speed::MbitPerS)
    }

    /// One connection uses one member, unless packets are distributed in turn.
    fn of_a_bond(&self, name: &str, depth: u32) -> Speed {
        let members = self.active_members(name).into_iter();
        let speeds = members.filter_map(|member| self.connection(&member, depth + 1).mbit_per_s());
        let mode = self.0.value(&file(name, "bonding/mode")).unwrap_or_default();
        let together =
            if mode.starts_with("balance-rr") { speeds.reduce(u32::saturating_add) } else { speeds.max() };
        together.map_or(Speed::Unknown("a bond whose members report no speed"), Speed::MbitPerS)
    }

    fn of_hardware(&self, name: &str) -> Speed {
        if self.driver(name).as_deref().is_some_and(is_of_virtual_machine) {
            return Speed::VIRTUAL_CARD;
        }
        self.told(name).map_or(Speed::NOT_REPORTED, Speed::MbitPerS)
    }

    fn told(&self, name: &str) -> Option<u32> {
        speed_in(&self.0.text(&file(name, "speed"))?)
    }

    /// Whether an interface has hardware, or uses one that has: a VLAN or a bond is as physical as the
    /// interfaces below it.
    fn is_on_a_line(&self, name: &str, depth: u32) -> bool {
        if self.has(name, "device") {
            return !self.driver(name).as_deref().is_some_and(is_of_virtual_machine);
        }
        depth < DEPTH_MAX && self.members(name).iter().any(|below| self.is_on_a_line(below, depth + 1))
    }

    fn driver(&self, name: &str) -> Option<String> {
        driver(self.0, name)
    }

    fn has(&self, name: &str, wanted: &str) -> bool {
        has(self.0, name, wanted)
    }

    /// The members of a bond that transfer packets.
    fn active_members(&self, name: &str) -> Vec<String> {
        let mut members = self.members(name);
        match self.0.value(&file(name, "bonding/active_slave")).filter(|active| !active.is_empty()) {
            Some(active) => members.retain(|member| *member == active),
            None => {
                let state = |member: &str| self.0.value(&file(member, "operstate"));
                members.retain(|member| state(member).as_deref() == Some("up"));
            }
        }
        members
    }

    /// The interfaces directly below this one.
    fn members(&self, name: &str) -> Vec<String> {
        let entries = self.0.names(&format!("{ALL}/{name}"));
        entries.iter().filter_map(|entry| entry.strip_prefix("lower_").map(str::to_owned)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;
    use crate::source::Host;

    struct Net(tempfile::TempDir);

    impl Net {
        fn new() -> Net {
            Net(tempfile::tempdir().unwrap())
        }

        /// An interface with these files; a name that ends in `/` is a folder.
        fn add(&self, name: &str, files: &[(&str, &str)]) -> &Net {
            for (file, content) in [("mtu", "1500"), ("operstate", "up")].iter().chain(files) {
                let path = self.0.path().join("sys/class/net").join(name).join(file.trim_end_matches('/'));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                if file.ends_with('/') {
                    fs::create_dir_all(path).unwrap();
                } else {
                    fs::write(path, format!("{content}\n")).unwrap();
                }
            }
            self
        }

        fn hardware(&self, name: &str, speed: &str, driver: &str) -> &Net {
            let uevent = format!("DRIVER={driver}\nPCI_ID=8086:1563");
            self.add(name, &[("device/uevent", &uevent), ("speed", speed), ("duplex", "full")])
        }

        fn read(&self, name: &str) -> Interface {
            read(&Host::below(self.0.path()), name)
        }

        fn speed(&self, name: &str) -> Option<u32> {
            self.read(name).connection.mbit_per_s()
        }
    }

    #[test]
    fn hardware_is_believed_and_inventions_are_not() {
        let net = Net::new();
        net.hardware("eth0", "10000", "ixgbe").hardware("eth1", "-1", "virtio_net");
        net.hardware("eth2", "10000", "vmxnet3").hardware("eth3", "4294967295", "igb");
        net.hardware("wlan0", "866", "iwlwifi").add("wlan0", &[("wireless/", "")]);
        net.add("v0", &[("speed", "10000")]);
        assert_eq!(net.speed("eth0"), Some(10_000));
        for name in ["eth1", "eth2", "eth3", "wlan0", "v0", "missing"] {
            assert_eq!(net.speed(name), None, "{name}");
        }
        let eth0 = net.read("eth0");
        assert_eq!((eth0.mtu_bytes, eth0.is_half_duplex, eth0.bond_of), (Some(1500), false, None));
        net.add("eth4", &[("device/", ""), ("speed", "100"), ("duplex", "half"), ("mtu", "9000")]);
        let eth4 = net.read("eth4");
        assert_eq!(
            (eth4.connection, eth4.mtu_bytes, eth4.is_half_duplex),
            (Speed::MbitPerS(100), Some(9000), true)
        );
    }

    #[test]
    fn cards_and_pairs_have_no_lower_interface_and_bridges_any() {
        let net = Net::new();
        net.hardware("eth0", "1000", "igb");
        net.add("v0", &[("type", "1"), ("ifindex", "4"), ("iflink", "2")]);
        net.add("v1", &[("type", "1"), ("ifindex", "5"), ("iflink", "3"), ("master/", "")]);
        net.add("br0", &[("type", "1"), ("ifindex", "6"), ("iflink", "6"), ("lower_v1/", "")]);
        net.add("eth0.40", &[("type", "1"), ("ifindex", "7"), ("iflink", "1"), ("lower_eth0/", "")]);
        net.add("wg0", &[("type", "65534"), ("ifindex", "8"), ("iflink", "8")]);
        let is_last = |name: &str| is_last(&Host::below(net.0.path()), name);
        assert!(["lo", "eth0", "v0"].into_iter().all(is_last));
        assert!(!["v1", "br0", "eth0.40", "wg0", "missing"].into_iter().any(is_last));
    }

    #[test]
    fn layer_speed_is_that_of_the_lower_interface() {
        let net = Net::new();
        net.hardware("eth0", "1000", "igb");
        net.add("tap0", &[("speed", "10")]);
        net.add("br0", &[("lower_eth0/", ""), ("lower_tap0/", ""), ("speed", "10000")]);
        net.add("br0.40", &[("lower_br0/", "")]);
        assert_eq!((net.speed("br0"), net.speed("br0.40")), (Some(1_000), Some(1_000)));
        // A loop of layers ends.
        net.add("a", &[("lower_b/", "")]).add("b", &[("lower_a/", "")]);
        assert_eq!(net.speed("a"), None);
    }

    #[test]
    fn one_connection_uses_one_member_of_a_bond() {
        let net = Net::new();
        net.hardware("eth0", "10000", "ixgbe").hardware("eth1", "10000", "ixgbe");
        net.hardware("eth2", "1000", "igb").add("eth2", &[("operstate", "down")]);
        let members = [("lower_eth0/", ""), ("lower_eth1/", ""), ("lower_eth2/", ""), ("speed", "20000")];
        let bond = |name: &str, mode: &str, active: &str| {
            net.add(name, &members).add(name, &[("bonding/mode", mode), ("bonding/active_slave", active)]);
            let read = net.read(name);
            (read.connection.mbit_per_s(), read.bond_of, read.line_mbit_per_s)
        };
        assert_eq!(bond("bond0", "802.3ad 4", ""), (Some(10_000), Some(2), Some(20_000)));
        assert_eq!(bond("bond1", "balance-rr 0", ""), (Some(20_000), Some(2), Some(20_000)));
        assert_eq!(bond("bond2", "active-backup 1", "eth2"), (Some(1_000), Some(1), Some(20_000)));
    }

    /// The value of `speed` with each driver, and whether it is trusted.
    #[test]
    fn a_speed_is_believed_where_a_line_has_it() {
        for (driver, told, believed) in [
            ("ixgbe", "10000", Some(10_000)),
            ("mlx5_core", "100000", Some(100_000)),
            ("r8152", "2500", Some(2_500)),
            // A virtual function of a real card has the speed of the card's port.
            ("iavf", "25000", Some(25_000)),
            ("mana", "200000", Some(200_000)),
            ("igb", "-1", None),
            ("igb", "0", None),
            ("igb", "65535", None),
            ("igb", "4294967295", None),
            ("virtio_net", "-1", None),
            ("virtio_net", "10000", None),
            ("vmxnet3", "10000", None),
            ("hv_netvsc", "40000", None),
            ("ibmveth", "1000", None),
            ("ena", "25000", None),
            ("gve", "32000", None),
            ("vif", "", None),
        ] {
            let net = Net::new();
            net.hardware("eth0", told, driver).add("eth0.40", &[("lower_eth0/", ""), ("speed", told)]);
            net.add("br0", &[("lower_eth0.40/", ""), ("speed", told)]);
            for name in ["eth0", "eth0.40", "br0"] {
                let read = net.read(name);
                let found = (read.connection.mbit_per_s(), read.line_mbit_per_s);
                assert_eq!(found, (believed, believed), "{name} of {driver} that shows {told}");
            }
        }
    }

    /// A veth pair shows 10000, and so does a bridge of such pairs.
    #[test]
    fn a_virtual_network_has_no_speed() {
        let net = Net::new();
        net.add("veth0", &[("speed", "10000")]).add("br0", &[("lower_veth0/", ""), ("speed", "10000")]);
        net.add("loop0", &[("lower_loop0/", ""), ("speed", "10000")]);
        for name in ["veth0", "br0", "loop0", "absent"] {
            let read = net.read(name);
            assert_eq!((read.connection.mbit_per_s(), read.line_mbit_per_s), (None, None), "{name}");
        }
    }

    /// The same files, as collected by a script.
    #[test]
    fn collected_texts_equal_the_local_host() {
        let mut texts = crate::texts::Texts::default();
        for (name, text) in [
            ("bond0", "bonding\nlower_eth0\nlower_eth1\nmtu\n"),
            ("bond0/bonding/mode", "802.3ad 4\n"),
            ("bond0/speed", "20000\n"),
            ("eth0", "device\nspeed\n"),
            ("eth1", "device\nspeed\n"),
            ("eth0/speed", "10000\n"),
            ("eth1/speed", "10000\n"),
            ("eth0/operstate", "up\n"),
            ("eth1/operstate", "up\n"),
            ("eth0/device/uevent", "DRIVER=ixgbe\n"),
        ] {
            texts.put(format!("{ALL}/{name}"), Ok(text.to_owned()));
        }
        let bond = read(&texts, "bond0");
        assert_eq!((bond.connection, bond.line_mbit_per_s), (Speed::MbitPerS(10_000), Some(20_000)));
    }
}
