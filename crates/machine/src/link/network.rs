//! The link to a server, from the interface of its route.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::{Link, LinkKind};
use crate::interface::{Interface, Speed};

impl Link {
    /// The link through this interface to a server.
    pub(super) fn network(name: String, interface: &Interface, server: IpAddr) -> Link {
        let is_this_machine = is_this_machine(server);
        let sentence = match is_this_machine {
            true => format!("the server {server} is this client, so no network is used"),
            false => sentence(&name, server, interface),
        };
        let kind = LinkKind::Network {
            interface: name,
            speed_mbit_per_s: interface.connection.mbit_per_s(),
            mtu_bytes: interface.mtu_bytes,
            is_half_duplex: interface.is_half_duplex,
            server_address: server,
            is_this_machine,
        };
        Link { kind, sentence }
    }

    /// Without a route to the server.
    pub(super) fn no_route(server: IpAddr) -> Link {
        Link::unknown(format!("an unknown link (no route to {server})"))
    }
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
    fn address_of_another_host_is_not_local() {
        // A documentation address: whatever the route is, it is not the local host.
        assert!(!is_this_machine(IpAddr::from([192, 0, 2, 213])));
        assert!(is_this_machine(Ipv4Addr::LOCALHOST.into()));
    }
}
