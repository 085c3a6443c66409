//! Routes, interfaces and disks on Linux: `/proc/net` and `/sys`.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::address::ServerAddress;
use super::{Link, LinkKind, disk};
use crate::interface::{self, Interface, Speed};
use crate::mount::Mount;
use crate::route::{self, TABLE_V4, TABLE_V6};
use crate::source::Host;
use crate::{devices, mountinfo};

/// The link to a server.
pub(super) fn route_to(server: &ServerAddress) -> Link {
    let is_this_machine = is_this_machine(server.ip);
    let Some(name) = interface_to(server).filter(|name| is_plain(name)) else {
        return Link::unknown(format!("an unknown link (no route to {})", server.ip));
    };
    let interface = interface::read(&Host::here(), &name);
    let sentence = match is_this_machine {
        true => format!("the server {} is this client, so no network is used", server.ip),
        false => sentence(&name, server.ip, &interface),
    };
    let kind = LinkKind::Network {
        interface: name,
        speed_mbit_per_s: interface.connection.mbit_per_s(),
        mtu_bytes: interface.mtu_bytes,
        is_half_duplex: interface.is_half_duplex,
        server_address: server.ip,
        is_this_machine,
    };
    Link { kind, sentence }
}

/// Whether an interface has no other interface of the host below it.
pub(super) fn is_last(name: &str) -> bool {
    is_plain(name) && interface::is_last(&Host::here(), name)
}

/// An interface's name is a file name; the value of a mount option may be anything.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && name != "." && name != ".."
}

fn interface_to(server: &ServerAddress) -> Option<String> {
    if server.interface.is_some() {
        return server.interface.clone();
    }
    let [v4, v6] = [TABLE_V4, TABLE_V6].map(|table| fs::read_to_string(table).unwrap_or_default());
    route::to(&v4, &v6, server.ip).map(|route| route.interface.to_owned())
}

/// Whether an address is one of the local host: then packets to it also have it as their source.
/// Connecting a UDP socket sends nothing.
fn is_this_machine(ip: IpAddr) -> bool {
    let any: IpAddr = match ip {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let source = UdpSocket::bind(SocketAddr::new(any, 0)).and_then(|socket| {
        // Any port except 0; nothing is sent to it.
        socket.connect(SocketAddr::new(ip, 9))?;
        socket.local_addr()
    });
    ip.is_loopback() || source.is_ok_and(|source| source.ip() == ip)
}

/// `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
fn sentence(name: &str, server: IpAddr, interface: &Interface) -> String {
    let speed = match interface.connection {
        Speed::MbitPerS(speed) => speed_text(speed),
        Speed::Unknown(why) => format!("speed unknown ({why})"),
    };
    let each = match interface.bond_of {
        Some(members) if members > 1 => format!(" per connection (a bond of {members})"),
        _ => String::new(),
    };
    let mtu = interface.mtu_bytes.map_or(String::new(), |mtu| format!(", MTU {mtu}"));
    let half = if interface.is_half_duplex { ", half duplex" } else { "" };
    format!("{name} to {server}, {speed}{each}{mtu}{half}")
}

fn speed_text(mbit_per_s: u32) -> String {
    match mbit_per_s {
        less if less < 1_000 => format!("{less} Mbit/s"),
        more => format!("{} Gbit/s", f64::from(more) / 1e3),
    }
}

/// The disk below a mount.
pub(super) fn disk(mount: &Mount) -> Link {
    let dir = device_dir(mount).and_then(|dir| fs::canonicalize(dir).ok());
    let Some(disk) = dir.as_deref().and_then(disk::read) else {
        let why = format!("unknown disks below {}", mount.description());
        return Link::unknown(why);
    };
    let sentence = format!("{}, {}", disk.device, disk.what);
    let kind = LinkKind::Block { device: disk.device, what: disk.what, rotational: disk.rotational };
    Link { kind, sentence }
}

/// The loop device below a mount that goes through the cache.
pub(super) fn cached_loop(mount: &Mount) -> Option<String> {
    let mounts = mountinfo::here().ok()?;
    let name = devices::cached_loop(&Host::here(), &mounts, &mount.mount_point)?;
    is_on_a_disk(&name).then_some(name)
}

/// Whether a loop device's file is on a disk of the host whose reads are counted. A file behind a
/// program or a server may be slow for any reason, and no counter below the loop device would show it.
fn is_on_a_disk(name: &str) -> bool {
    let file = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file"));
    let about = file.ok().and_then(|file| fs::metadata(file.trim_end_matches('\n')).ok());
    about.is_some_and(|about| rustix::fs::major(about.dev()) != 0)
}

/// The directory of a mount's device: by the mounted device, otherwise (for names like `/dev/root`,
/// which exist only in the kernel) by the device number of the files.
fn device_dir(mount: &Mount) -> Option<PathBuf> {
    let dir = |number: u64| {
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let dir = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
        dir.exists().then_some(dir)
    };
    let named = || {
        let device = fs::metadata(&mount.source).ok().filter(|_| mount.source.starts_with("/dev/"))?;
        dir(device.rdev()).filter(|_| device.file_type().is_block_device())
    };
    named().or_else(|| dir(fs::metadata(&mount.mount_point).ok()?.dev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let mut interface = Interface {
            connection: Speed::MbitPerS(2_500),
            line_mbit_per_s: None,
            mtu_bytes: Some(1500),
            is_half_duplex: false,
            bond_of: None,
            state: None,
            driver: None,
        };
        let say = |interface: &Interface| sentence("eth0", IpAddr::from([10, 0, 0, 2]), interface);
        assert_eq!(say(&interface), "eth0 to 10.0.0.2, 2.5 Gbit/s, MTU 1500");
        interface.connection = Speed::MbitPerS(100);
        interface.is_half_duplex = true;
        assert_eq!(say(&interface), "eth0 to 10.0.0.2, 100 Mbit/s, MTU 1500, half duplex");
        interface = Interface {
            connection: Speed::MbitPerS(10_000),
            bond_of: Some(2),
            is_half_duplex: false,
            ..interface
        };
        assert_eq!(say(&interface), "eth0 to 10.0.0.2, 10 Gbit/s per connection (a bond of 2), MTU 1500");
        interface = Interface {
            connection: Speed::Unknown("a virtual network"),
            bond_of: None,
            mtu_bytes: None,
            ..interface
        };
        assert_eq!(say(&interface), "eth0 to 10.0.0.2, speed unknown (a virtual network)");
    }

    #[test]
    fn local_server_is_recognized() {
        let here = route_to(&ServerAddress { ip: Ipv4Addr::LOCALHOST.into(), interface: None });
        let LinkKind::Network { interface, is_this_machine: true, .. } = &here.kind else {
            panic!("{here:?}");
        };
        assert_eq!(interface, "lo");
        assert_eq!(here.realistic_mb_per_s(), None);
        // A documentation address: whatever the route is, it is not the local host.
        assert!(!is_this_machine(IpAddr::from([192, 0, 2, 213])));
    }

    #[test]
    fn interface_names_with_path_parts_are_refused() {
        for name in ["", "..", "../../etc", "."] {
            let server = ServerAddress { ip: IpAddr::from([10, 0, 0, 2]), interface: Some(name.to_owned()) };
            assert_eq!(route_to(&server).kind, LinkKind::Unknown, "{name}");
        }
    }
}
