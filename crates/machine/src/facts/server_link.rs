//! The interface on the path to a server, from the kernel's routing tables.

use std::net::IpAddr;

use super::FactSubject;
use crate::interface::{self, Interface};
use crate::route::{self, Route, TABLE_V4, TABLE_V6};
use crate::texts::{NotKnown, Texts};

/// The local host's link to a server, as shown by texts.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTo {
    /// The interface that the route takes.
    pub interface: String,
    /// Its speed, if it has hardware that reports it.
    pub mbit_per_s: Option<f64>,
    pub mtu_bytes: Option<u32>,
}

/// The link to a server with this address; `None` if no routing table shows it.
pub fn link_to(texts: &Texts, server: IpAddr) -> Option<LinkTo> {
    let way = Links::new(texts, &[]).way(&server.to_string()).ok()?;
    Some(link_named(texts, way.interface))
}

/// The facts about a link with this name.
pub fn link_named(texts: &Texts, name: &str) -> LinkTo {
    let Interface { connection, mtu_bytes, .. } = interface::read(texts, name);
    LinkTo { interface: name.to_owned(), mbit_per_s: connection.mbit_per_s().map(f64::from), mtu_bytes }
}

pub(super) struct Links<'a> {
    routes: [Result<&'a str, NotKnown>; 2],
    interfaces: &'a [FactSubject],
}

impl<'a> Links<'a> {
    pub(super) fn new(texts: &'a Texts, interfaces: &'a [FactSubject]) -> Links<'a> {
        // If a route is missing, another one would be selected.
        let table = |name: &str| texts.damaged(name).map_or_else(|| texts.get(name), Err);
        Links { routes: [TABLE_V4, TABLE_V6].map(table), interfaces }
    }

    /// The route to a server with this address.
    pub(super) fn way(&self, address: &str) -> Result<Route<'a>, NotKnown> {
        // A link-local address may end with a zone: `fe80::1%eth0`.
        let plain = address.split('%').next().unwrap_or(address);
        let address = plain.parse::<IpAddr>().map_err(|_| NotKnown::NotTold)?;
        let [v4, v6] = &self.routes;
        let own = if address.is_ipv4() { v4 } else { v6 };
        if let (Err(why), false) = (own, address.is_loopback()) {
            return Err(why.clone());
        }
        let table = |table: &Result<&'a str, NotKnown>| table.clone().unwrap_or_default();
        route::to(table(v4), table(v6), address).ok_or(NotKnown::NotTold)
    }

    /// The interface with this name, if it has hardware.
    pub(super) fn interface(&self, name: &str) -> Option<&FactSubject> {
        self.interfaces.iter().find(|interface| interface.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_route_makes_the_path_unknown() {
        let mut texts = Texts::default();
        let table = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n\
                     eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n";
        texts.put(TABLE_V4, Ok(table.to_owned()));
        let links = Links::new(&texts, &[]);
        let way = |address: &str| links.way(address).map(|way| (way.interface, way.has_gateway));
        assert_eq!(way("192.168.1.1"), Ok(("eth0", true)));
        assert_eq!(way("127.0.0.1"), Ok(("lo", false)));
        assert_eq!(way("nas"), Err(NotKnown::NotTold));
        assert_eq!(way("fd00::5"), Err(NotKnown::NotCollected));
        assert_eq!(way("::1"), Ok(("lo", false)));
    }

    /// A bond that reports the sum of its members: one connection uses one of them.
    #[test]
    fn the_link_to_a_server_is_as_fast_as_one_connection() {
        let mut texts = Texts::default();
        for (name, text) in [
            ("bond0", "bonding\nlower_eth0\nlower_eth1\n"),
            ("bond0/bonding/mode", "802.3ad 4\n"),
            ("bond0/speed", "20000\n"),
            ("bond0/mtu", "9000\n"),
            ("eth0", "device\n"),
            ("eth1", "device\n"),
            ("eth0/speed", "10000\n"),
            ("eth1/speed", "10000\n"),
            ("eth0/operstate", "up\n"),
            ("eth1/operstate", "up\n"),
        ] {
            texts.put(format!("/sys/class/net/{name}"), Ok(text.to_owned()));
        }
        let link = link_named(&texts, "bond0");
        assert_eq!((link.mbit_per_s, link.mtu_bytes), (Some(10_000.0), Some(9_000)));
    }
}
