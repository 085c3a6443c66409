//! The link from this client to the storage: the network interface and its speed, or the disk.
//!
//! A rate is hard to judge without the capacity of the link: 110 MB/s is poor for a disk, but the
//! maximum on 1 Gbit/s. So the link is determined together with the mount: the server's address from the
//! mount options, the route to it, the interface of that route and the speed from its driver.
//! [`crate::interface`] decides which speeds are trusted.
//!
//! Nothing here accesses the mount or the server. Only a server's name must be resolved. That runs on a
//! separate thread which may be abandoned, so that a DNS server that does not respond costs at most
//! [`LOOKUP_MAX`].
//!
//! Not here: what is behind the interface (cables, switches, the server's own link), and the advice for
//! a slow one.

use std::net::IpAddr;
use std::time::Duration;

use crate::packet_overhead;

use crate::mount::{Mount, MountKind};

mod address;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(any(target_vendor = "apple", test))]
mod ifconfig;
#[cfg(any(target_os = "linux", target_vendor = "apple", windows))]
mod network;

#[cfg(target_os = "linux")]
#[path = "link/linux.rs"]
mod system;
#[cfg(windows)]
#[path = "link/windows.rs"]
mod system;
#[cfg(target_vendor = "apple")]
#[path = "link/apple.rs"]
mod system;
#[cfg(not(any(target_os = "linux", target_vendor = "apple", windows)))]
#[path = "link/other.rs"]
mod system;

/// The time limit for resolving a server's name.
pub const LOOKUP_MAX: Duration = Duration::from_secs(2);

/// The link from this client to the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    /// The link as text: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
    pub sentence: String,
}

/// The kind of link to the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkKind {
    Network {
        /// The interface that the route to the server takes.
        interface: String,
        /// The rate that one connection can use; `None` without a reliable source.
        speed_mbit_per_s: Option<u32>,
        mtu_bytes: Option<u32>,
        /// Whether it cannot send and receive at the same time, which is a fault nowadays.
        is_half_duplex: bool,
        server_address: IpAddr,
        /// Whether the server is the local host, so that no packet leaves it.
        is_this_machine: bool,
    },
    /// A block device of the local host.
    Block {
        /// Its name: `sda1`, `nvme0n1p2`.
        device: String,
        /// Its description: `an NVMe SSD`, `a loop device on the file /srv/image`.
        what: String,
        /// Whether it is a hard disk; `None` if that is unknown.
        rotational: Option<bool>,
    },
    Memory,
    /// The link could not be determined; the sentence has the reason.
    Unknown,
}

/// Determines the link from this client to a mount. Takes at most [`LOOKUP_MAX`].
pub fn of(mount: &Mount) -> Link {
    match mount.kind {
        MountKind::Memory => Link::memory(),
        MountKind::Network => network(mount),
        MountKind::Fuse if mount.server.is_some() => network(mount),
        MountKind::Fuse if mount.source.starts_with("/dev/") => system::disk(mount),
        MountKind::Fuse => Link::unknown("a FUSE program on this client; its storage is unknown"),
        MountKind::LocalDisk | MountKind::Unknown => system::disk(mount),
        MountKind::Overlay => Link::unknown("an overlay of other file systems; its disks are unknown"),
    }
}

/// Whether traffic through this interface uses no other interface of the local host: a card, the
/// loopback interface, or an end of a pair whose other end is in another network. Behind bridges and
/// tunnels it may use any.
pub fn is_last(interface: &str) -> bool {
    system::is_last(interface)
}

/// The loop device below a mount, directly or below an array or a volume, that reads and writes its file
/// through the local host's cache. `None` if there is none, or it is not visible.
pub fn cached_loop(mount: &Mount) -> Option<String> {
    match mount.kind {
        MountKind::LocalDisk | MountKind::Unknown => system::cached_loop(mount),
        MountKind::Memory | MountKind::Network | MountKind::Fuse | MountKind::Overlay => None,
    }
}

fn network(mount: &Mount) -> Link {
    match address::of(mount, LOOKUP_MAX) {
        Ok(server) => system::route_to(&server),
        Err(why) => Link::unknown(why.to_string()),
    }
}

impl Link {
    /// The highest rate of file data, in MB/s (MB = 10^6 bytes): the line rate without the overhead of
    /// Ethernet, IP and TCP. Of 1500-byte packets 94.1 % is left, of 9000-byte packets 99.0 %. `None` if
    /// the speed is unknown, if no line is used, and for disks, whose limit must be measured.
    pub fn realistic_mb_per_s(&self) -> Option<f64> {
        let LinkKind::Network { speed_mbit_per_s, mtu_bytes, server_address, is_this_machine, .. } =
            &self.kind
        else {
            return None;
        };
        let speed_mbit_per_s = speed_mbit_per_s.filter(|_| !is_this_machine)?;
        let mtu_bytes = mtu_bytes.unwrap_or(packet_overhead::ETHERNET_MTU_BYTES);
        let payload_share = packet_overhead::payload_share(mtu_bytes, server_address.is_ipv6());
        Some(f64::from(speed_mbit_per_s) / 8.0 * payload_share)
    }

    fn memory() -> Link {
        Link { kind: LinkKind::Memory, sentence: "memory of this client".to_owned() }
    }

    fn unknown(why: impl Into<String>) -> Link {
        Link { kind: LinkKind::Unknown, sentence: why.into() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn line(speed_mbit_per_s: Option<u32>, mtu_bytes: Option<u32>, server: &str) -> Link {
        let kind = LinkKind::Network {
            interface: "eth0".to_owned(),
            speed_mbit_per_s,
            mtu_bytes,
            is_half_duplex: false,
            server_address: server.parse().unwrap(),
            is_this_machine: false,
        };
        Link { kind, sentence: String::new() }
    }

    fn mount(fs_type: &str, source: &str, kind: MountKind, server: Option<&str>) -> Mount {
        Mount {
            fs_type: fs_type.to_owned(),
            source: source.to_owned(),
            mount_point: "/no/such/mount".into(),
            options: Vec::new(),
            kind,
            server: server.map(str::to_owned),
            protocol_version: None,
        }
    }

    #[test]
    fn goodput_is_line_rate_minus_overhead() {
        let rate = |speed, mtu, server| line(Some(speed), Some(mtu), server).realistic_mb_per_s().unwrap();
        // The figures of the reference: payload of TCP with timestamps.
        assert!((rate(1_000, 1500, "10.0.0.2") - 117.7).abs() < 0.05);
        assert!((rate(10_000, 1500, "10.0.0.2") - 1176.9).abs() < 0.05);
        assert!((rate(10_000, 9000, "10.0.0.2") - 1237.6).abs() < 0.05);
        assert!((rate(1_000, 1500, "fd00::2") / 125.0 - 0.9285).abs() < 0.0001);
        // An unknown or impossible MTU gives no rate, or a plausible one.
        assert_eq!(
            line(Some(1_000), None, "10.0.0.2").realistic_mb_per_s(),
            Some(rate(1_000, 1500, "10.0.0.2"))
        );
        assert!(rate(1_000, 0, "10.0.0.2") > 0.0);
    }

    #[test]
    fn rate_is_unknown_if_no_link_limits() {
        assert_eq!(line(None, Some(1500), "10.0.0.2").realistic_mb_per_s(), None);
        assert_eq!(Link::memory().realistic_mb_per_s(), None);
        let mut here = line(Some(10_000), Some(1500), "10.0.0.2");
        if let LinkKind::Network { is_this_machine, .. } = &mut here.kind {
            *is_this_machine = true;
        }
        assert_eq!(here.realistic_mb_per_s(), None);
    }

    #[test]
    fn mount_without_a_link_has_a_reason() {
        assert_eq!(of(&mount("tmpfs", "tmpfs", MountKind::Memory, None)).kind, LinkKind::Memory);
        for (fs_type, source, kind) in [
            ("overlay", "overlay", MountKind::Overlay),
            ("fuse.rclone", "cloud:", MountKind::Fuse),
            ("virtiofs", "share0", MountKind::Network),
            ("zfs", "tank/media", MountKind::LocalDisk),
            ("ext4", "/dev/reelgauge-no-such-disk", MountKind::LocalDisk),
        ] {
            let link = of(&mount(fs_type, source, kind, None));
            assert_eq!(link.kind, LinkKind::Unknown, "{link:?}");
            assert!(!link.sentence.is_empty());
        }
    }
}
