//! Over what this client reaches the storage: the network interface and its speed, or the disk.
//!
//! A rate means little without the most that the way there can carry: 110 MB/s is poor for a disk, and all
//! there is behind 1 Gbit/s. So the link is found out beside the mount: the server's address from the mount
//! options, the route to it, the interface of that route and what its driver says about it. Which speeds
//! are believed is decided in [`crate::interface`].
//!
//! Nothing here touches the mount or the server. Only a server's name must be looked up, and that on a thread
//! of its own which may be left behind, so that dead DNS costs [`LOOKUP_MAX`] and no more.
//!
//! Not here: what lies behind the interface (cables, switches, the server's own link), and what to do about a
//! slow one.

use std::net::IpAddr;
use std::time::Duration;

use crate::packet_overhead;

use crate::mount::{Mount, MountKind};

mod address;
#[cfg(target_os = "linux")]
mod disk;

#[cfg(target_os = "linux")]
#[path = "link/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "link/other.rs"]
mod system;

/// How long the look-up of a server's name may take.
pub const LOOKUP_MAX: Duration = Duration::from_secs(2);

/// Over what this client reaches the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    /// The same in words: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
    pub sentence: String,
}

/// What kind of way leads to the storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkKind {
    Network {
        /// The interface that the route to the server takes.
        interface: String,
        /// What one connection can use; `None` where nothing that can be believed tells it.
        speed_mbit_per_s: Option<u32>,
        mtu_bytes: Option<u32>,
        /// Whether it can't send and receive at once, which is a fault nowadays.
        is_half_duplex: bool,
        server_address: IpAddr,
        /// Whether the server is this machine, so that no packet leaves it.
        is_this_machine: bool,
    },
    /// A block device of this machine.
    Block {
        /// Its name: `sda1`, `nvme0n1p2`.
        device: String,
        /// What it is: `an NVMe SSD`, `a loop device on the file /srv/image`.
        what: String,
        /// Whether its heads must move; `None` where that can't be known.
        rotational: Option<bool>,
    },
    Memory,
    /// It can't be found out; the sentence says why.
    Unknown,
}

/// Finds out over what this client reaches a mount. Takes [`LOOKUP_MAX`] at most.
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

/// Whether what goes by this interface of this machine goes by no other one of it: a card, this machine
/// itself, or an end of a pair whose other end another network has. Behind bridges and tunnels it may be any.
pub fn is_last(interface: &str) -> bool {
    system::is_last(interface)
}

/// The loop device below a mount, of itself or of an array or a volume, that reads and writes its file
/// through this machine's cache. `None` where there is none, or it can't be seen.
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
    /// The most that can come through for files, in MB/s (MB = 10^6 bytes): the line rate without what
    /// Ethernet, IP and TCP add. Of 1500-byte packets 94.1 % is left, of 9000-byte packets 99.0 %. `None`
    /// where the speed isn't known, where no line is used, and for disks, whose limit is found by measuring.
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
    fn what_is_left_of_the_line_rate() {
        let rate = |speed, mtu, server| line(Some(speed), Some(mtu), server).realistic_mb_per_s().unwrap();
        // The figures of the reference: payload of TCP with timestamps.
        assert!((rate(1_000, 1500, "10.0.0.2") - 117.7).abs() < 0.05);
        assert!((rate(10_000, 1500, "10.0.0.2") - 1176.9).abs() < 0.05);
        assert!((rate(10_000, 9000, "10.0.0.2") - 1237.6).abs() < 0.05);
        assert!((rate(1_000, 1500, "fd00::2") / 125.0 - 0.9285).abs() < 0.0001);
        // An MTU that isn't known, or can't be, gives no nonsense.
        assert_eq!(
            line(Some(1_000), None, "10.0.0.2").realistic_mb_per_s(),
            Some(rate(1_000, 1500, "10.0.0.2"))
        );
        assert!(rate(1_000, 0, "10.0.0.2") > 0.0);
    }

    #[test]
    fn where_no_line_is_the_limit_there_is_no_rate() {
        assert_eq!(line(None, Some(1500), "10.0.0.2").realistic_mb_per_s(), None);
        assert_eq!(Link::memory().realistic_mb_per_s(), None);
        let mut here = line(Some(10_000), Some(1500), "10.0.0.2");
        if let LinkKind::Network { is_this_machine, .. } = &mut here.kind {
            *is_this_machine = true;
        }
        assert_eq!(here.realistic_mb_per_s(), None);
    }

    #[test]
    fn mounts_without_a_line_say_so() {
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
