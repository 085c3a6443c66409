//! What a network interface is, from `/sys/class/net`.
//!
//! A bond, bridge or VLAN is as fast as what carries it; a driver without hardware below it invents its
//! speed. Everything is read below a folder that is given, so that tests bring their own.

use std::fs;
use std::path::{Path, PathBuf};

/// Interfaces on interfaces, deeper than anybody stacks them.
const DEPTH_MAX: u32 = 5;
/// Drivers of virtual machines that claim a speed which means nothing; others say that they do not know.
const INVENTING_DRIVERS: [&str; 1] = ["vmxnet3"];

/// What is known about an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interface {
    /// What one connection can use.
    pub speed: Speed,
    pub mtu_bytes: Option<u32>,
    pub is_half_duplex: bool,
    /// How many active members a bond has.
    pub bond_of: Option<usize>,
}

/// How fast an interface is, as far as that can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speed {
    MbitPerS(u32),
    /// Why not, for people.
    Unknown(&'static str),
}

impl Speed {
    pub fn mbit_per_s(self) -> Option<u32> {
        match self {
            Speed::MbitPerS(speed) => Some(speed),
            Speed::Unknown(_) => None,
        }
    }
}

/// Reads an interface below `net`, which is `/sys/class/net`.
pub(super) fn read(net: &Path, name: &str) -> Interface {
    let dir = net.join(name);
    let bond_of = dir.join("bonding").is_dir().then(|| active_members(net, &dir).len());
    Interface {
        speed: speed(net, name, 0),
        mtu_bytes: number(&dir.join("mtu")),
        is_half_duplex: text(&dir.join("duplex")).as_deref() == Some("half"),
        bond_of,
    }
}

/// Whether it is a card, this machine itself, or an end of a pair (veth). Such a pair looks like Ethernet,
/// says that it belongs to another interface, and lies on none of this network.
pub(super) fn is_last(net: &Path, name: &str) -> bool {
    let dir = net.join(name);
    if name == "lo" || dir.join("device").exists() {
        return true;
    }
    let (own, other) = (number::<u32>(&dir.join("ifindex")), number::<u32>(&dir.join("iflink")));
    let is_pair = own.is_some() && other.is_some() && own != other;
    let is_ethernet = number::<u32>(&dir.join("type")) == Some(ETHERNET);
    is_pair && is_ethernet && members(&dir).is_empty() && !dir.join("master").exists()
}

/// `ARPHRD_ETHER`.
const ETHERNET: u32 = 1;

fn speed(net: &Path, name: &str, depth: u32) -> Speed {
    let dir = net.join(name);
    if depth > DEPTH_MAX {
        return Speed::Unknown("too many layers of interfaces");
    }
    if dir.join("wireless").exists() || dir.join("phy80211").exists() {
        return Speed::Unknown("wireless, so its speed changes all the time");
    }
    if dir.join("bonding").is_dir() {
        return bond_speed(net, &dir, depth);
    }
    if dir.join("device").exists() {
        return hardware_speed(&dir);
    }
    let carriers = members(&dir).into_iter().map(|member| speed(net, &member, depth + 1));
    let fastest = carriers.filter_map(Speed::mbit_per_s).max();
    fastest.map_or(Speed::Unknown("a virtual network"), Speed::MbitPerS)
}

/// One connection goes over one member, except where packets are dealt out in turn.
fn bond_speed(net: &Path, dir: &Path, depth: u32) -> Speed {
    let speeds = active_members(net, dir).into_iter().map(|member| speed(net, &member, depth + 1));
    let speeds: Vec<u32> = speeds.filter_map(Speed::mbit_per_s).collect();
    let mode = text(&dir.join("bonding/mode")).unwrap_or_default();
    let together = if mode.starts_with("balance-rr") {
        speeds.iter().copied().reduce(u32::saturating_add)
    } else {
        speeds.iter().copied().max()
    };
    together.map_or(Speed::Unknown("a bond whose members don't tell"), Speed::MbitPerS)
}

fn hardware_speed(dir: &Path) -> Speed {
    let driver = fs::read_link(dir.join("device/driver")).unwrap_or_default();
    let driver = driver.file_name().unwrap_or_default();
    if INVENTING_DRIVERS.iter().any(|inventing| driver == *inventing) {
        return Speed::Unknown("a virtual network card that claims any speed");
    }
    // -1 while there is no link, and from drivers that don't know; some give the same unsigned.
    let told: Option<u32> = number(&dir.join("speed"));
    match told.filter(|speed| (1..=10_000_000).contains(speed)) {
        Some(speed) => Speed::MbitPerS(speed),
        None => Speed::Unknown("its driver doesn't tell"),
    }
}

/// The members of a bond that carry packets.
fn active_members(net: &Path, dir: &Path) -> Vec<String> {
    let members = members(dir);
    if let Some(active) = text(&dir.join("bonding/active_slave")).filter(|name| !name.is_empty()) {
        return members.into_iter().filter(|member| *member == active).collect();
    }
    let is_up = |member: &String| text(&net.join(member).join("operstate")).as_deref() == Some("up");
    members.into_iter().filter(is_up).collect()
}

/// The interfaces directly below this one.
fn members(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut members: Vec<String> =
        names.filter_map(|name| name.strip_prefix("lower_").map(str::to_owned)).collect();
    members.sort();
    members
}

fn text(path: &PathBuf) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn number<T: std::str::FromStr>(path: &PathBuf) -> Option<T> {
    text(path)?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    /// A made-up `/sys/class/net`.
    struct Net(tempfile::TempDir);

    impl Net {
        fn new() -> Net {
            Net(tempfile::tempdir().unwrap())
        }

        /// An interface with these files; a name that ends in `/` is a folder.
        fn add(&self, name: &str, files: &[(&str, &str)]) -> &Net {
            for (file, content) in [("mtu", "1500"), ("operstate", "up")].iter().chain(files) {
                let path = self.0.path().join(name).join(file.trim_end_matches('/'));
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
            self.add(name, &[("device/", ""), ("speed", speed), ("duplex", "full")]);
            symlink(Path::new("/bus/drivers").join(driver), self.0.path().join(name).join("device/driver"))
                .unwrap();
            self
        }

        fn speed(&self, name: &str) -> Option<u32> {
            read(self.0.path(), name).speed.mbit_per_s()
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
        let eth0 = read(net.0.path(), "eth0");
        assert_eq!((eth0.mtu_bytes, eth0.is_half_duplex, eth0.bond_of), (Some(1500), false, None));
        net.add("eth4", &[("device/", ""), ("speed", "100"), ("duplex", "half"), ("mtu", "9000")]);
        let eth4 = read(net.0.path(), "eth4");
        assert_eq!(
            (eth4.speed, eth4.mtu_bytes, eth4.is_half_duplex),
            (Speed::MbitPerS(100), Some(9000), true)
        );
    }

    #[test]
    fn behind_a_card_and_a_pair_is_nothing_and_behind_bridges_and_tunnels_may_be_any() {
        let net = Net::new();
        net.hardware("eth0", "1000", "igb");
        net.add("v0", &[("type", "1"), ("ifindex", "4"), ("iflink", "2")]);
        net.add("v1", &[("type", "1"), ("ifindex", "5"), ("iflink", "3"), ("master/", "")]);
        net.add("br0", &[("type", "1"), ("ifindex", "6"), ("iflink", "6"), ("lower_v1/", "")]);
        net.add("eth0.40", &[("type", "1"), ("ifindex", "7"), ("iflink", "1"), ("lower_eth0/", "")]);
        net.add("wg0", &[("type", "65534"), ("ifindex", "8"), ("iflink", "8")]);
        let is_last = |name: &str| is_last(net.0.path(), name);
        assert!(["lo", "eth0", "v0"].into_iter().all(is_last));
        assert!(!["v1", "br0", "eth0.40", "wg0", "missing"].into_iter().any(is_last));
    }

    #[test]
    fn layers_are_as_fast_as_what_carries_them() {
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
            let read = read(net.0.path(), name);
            (read.speed.mbit_per_s(), read.bond_of)
        };
        assert_eq!(bond("bond0", "802.3ad 4", ""), (Some(10_000), Some(2)));
        assert_eq!(bond("bond1", "balance-rr 0", ""), (Some(20_000), Some(2)));
        assert_eq!(bond("bond2", "active-backup 1", "eth2"), (Some(1_000), Some(1)));
    }
}
