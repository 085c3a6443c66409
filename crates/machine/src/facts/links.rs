//! Which interface leads to a server: by the kernel's tables of routes.

use std::net::{IpAddr, Ipv6Addr};

use super::{FactKind, Facts, Subject};
use crate::texts::{NotKnown, Texts};

/// The table for IPv4.
pub(super) const ROUTES: &str = "/proc/net/route";
/// The table for IPv6.
const ROUTES_6: &str = "/proc/net/ipv6_route";

/// The way to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) interface: String,
    pub(super) has_gateway: bool,
}

/// This machine's link to a server, as far as texts tell it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTo {
    /// The interface that the route takes.
    pub interface: String,
    /// Its speed, where it has hardware behind it that says so.
    pub mbit_per_s: Option<f64>,
    /// Its largest packet.
    pub mtu_bytes: Option<u32>,
}

/// The interface that leads to a server, by the two tables of routes; `None` where none does.
pub fn interface_to(routes: String, routes_6: String, server: IpAddr) -> Option<String> {
    let mut texts = Texts::default();
    texts.put(ROUTES, Ok(routes));
    texts.put(ROUTES_6, Ok(routes_6));
    Some(Links::new(&texts, &[]).way(&server.to_string()).ok()?.interface)
}

/// The link to a server with this address; `None` where no table of routes tells.
pub fn link_to(texts: &Texts, server: IpAddr) -> Option<LinkTo> {
    let facts = Facts::of(texts);
    let interfaces: Vec<Subject> = facts.of_kind(FactKind::Interface).cloned().collect();
    let links = Links::new(texts, &interfaces);
    let way = links.way(&server.to_string()).ok()?;
    Some(link_named(texts, &way.interface))
}

/// What is known of a link of this name.
pub fn link_named(texts: &Texts, interface: &str) -> LinkTo {
    let facts = Facts::of(texts);
    let subject = facts.of_kind(FactKind::Interface).find(|subject| subject.name == interface);
    let of_link = |name: &str| subject.and_then(|subject| subject.number_of(name));
    LinkTo {
        interface: interface.to_owned(),
        mbit_per_s: of_link("speed_mbit_per_s"),
        mtu_bytes: of_link("mtu_bytes").map(|mtu| mtu as u32),
    }
}

/// Routes and interfaces.
pub(super) struct Links<'a> {
    routes: Result<Vec<Route<'a>>, NotKnown>,
    routes_6: Result<Vec<Route<'a>>, NotKnown>,
    interfaces: &'a [Subject],
}

/// A route, in addresses of IPv6: those of IPv4 lie in the lowest bits.
struct Route<'a> {
    interface: &'a str,
    to: u128,
    mask: u128,
    metric: u32,
    has_gateway: bool,
}

impl<'a> Links<'a> {
    pub(super) fn new(texts: &'a Texts, interfaces: &'a [Subject]) -> Links<'a> {
        let table = |name: &str, line: fn(&'a str) -> Option<Route<'a>>| {
            // Where a route is missing another one seems to lead there.
            let said = texts.damaged(name).map_or_else(|| texts.get(name), Err)?;
            Ok(said.lines().filter_map(line).collect())
        };
        Links { routes: table(ROUTES, route), routes_6: table(ROUTES_6, route_6), interfaces }
    }

    /// The way to a server with this address.
    pub(super) fn way(&self, address: &str) -> Result<Way, NotKnown> {
        // A zone stands behind the address of a link: `fe80::1%eth0`.
        let plain = address.split('%').next().unwrap_or(address);
        let address = plain.parse::<IpAddr>().map_err(|_| NotKnown::NotTold)?;
        if address.is_loopback() {
            return Ok(Way { interface: "lo".to_owned(), has_gateway: false });
        }
        let (routes, number) = match address {
            IpAddr::V4(address) => (&self.routes, u128::from(u32::from(address))),
            IpAddr::V6(address) => (&self.routes_6, u128::from(address)),
        };
        let fitting = routes.as_ref().map_err(NotKnown::clone)?.iter();
        let fitting = fitting.filter(|route| number & route.mask == route.to && route.interface != "lo");
        // The narrowest, and of those the cheapest.
        let best = fitting.max_by_key(|route| (route.mask.count_ones(), u32::MAX - route.metric));
        best.map(|route| Way { interface: route.interface.to_owned(), has_gateway: route.has_gateway })
            .ok_or(NotKnown::NotTold)
    }

    /// The interface of this name, where it has hardware behind it.
    pub(super) fn interface(&self, name: &str) -> Option<&Subject> {
        self.interfaces.iter().find(|interface| interface.name == name)
    }
}

/// A line of the table for IPv4; its head has no numbers.
fn route(line: &str) -> Option<Route<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // In the order of the processor's bytes.
    let address = |at: usize| {
        let number = u32::from_str_radix(words.get(at)?, 16).ok()?;
        Some(u128::from(u32::from_be_bytes(number.to_le_bytes())))
    };
    let (interface, to, gateway, mask) = (*words.first()?, address(1)?, address(2)?, address(7)?);
    Some(Route { interface, to, mask, metric: words.get(6)?.parse().ok()?, has_gateway: gateway != 0 })
}

/// A line of the table for IPv6: destination, its bits, source, its bits, gateway, metric, …, interface.
fn route_6(line: &str) -> Option<Route<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| u128::from_str_radix(words.get(at)?, 16).ok();
    let bits = u32::try_from(number(1)?).ok().filter(|bits| *bits <= Ipv6Addr::BITS)?;
    let mask = u128::MAX.checked_shl(Ipv6Addr::BITS - bits).unwrap_or(0);
    let metric = u32::try_from(number(5)?).ok()?;
    Some(Route { interface: words.get(9)?, to: number(0)?, mask, metric, has_gateway: number(4)? != 0 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_narrowest_route_leads_there() {
        let mut texts = Texts::default();
        let table = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n\
                     eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n\
                     eth1\t0000000A\t00000000\t0001\t0\t0\t100\t000000FF\t0\t0\t0\n\
                     eth2\t0000000A\t00000000\t0001\t0\t0\t50\t000000FF\t0\t0\t0\n";
        texts.put(ROUTES, Ok(table.to_owned()));
        let links = Links::new(&texts, &[]);
        let way = |address: &str| links.way(address).map(|way| (way.interface, way.has_gateway));
        assert_eq!(way("10.1.2.3"), Ok(("eth2".to_owned(), false)));
        assert_eq!(way("192.168.1.1"), Ok(("eth0".to_owned(), true)));
        assert_eq!(way("127.0.0.1"), Ok(("lo".to_owned(), false)));
        assert_eq!(way("nas"), Err(NotKnown::NotTold));
        let hex = |address: &str| format!("{:032x}", u128::from(address.parse::<Ipv6Addr>().unwrap()));
        let line = |to: &str, bits: &str, by: &str, interface: &str| {
            format!("{} {bits} {} 00 {} 00000100 1 0 00000001 {interface}\n", hex(to), hex("::"), hex(by))
        };
        let table = line("fd00::", "40", "::", "eth3")
            + &line("::", "00", "fe80::1", "eth0")
            + &line("::", "00", "::", "lo");
        texts.put(ROUTES_6, Ok(table));
        let links = Links::new(&texts, &[]);
        let way = |address: &str| links.way(address).map(|way| (way.interface, way.has_gateway));
        assert_eq!(way("fd00::5"), Ok(("eth3".to_owned(), false)));
        assert_eq!(way("2001:db8::1"), Ok(("eth0".to_owned(), true)));
        assert_eq!(way("::1"), Ok(("lo".to_owned(), false)));
        assert_eq!(Links::new(&Texts::default(), &[]).way("10.1.2.3"), Err(NotKnown::NotCollected));
    }
}
