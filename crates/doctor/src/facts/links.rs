//! Which interface leads to a server: by the kernel's table of routes.

use std::net::{IpAddr, Ipv4Addr};

use super::Subject;
use crate::texts::{NotKnown, Texts};

/// The table for IPv4.
pub(super) const ROUTES: &str = "/proc/net/route";

/// The way to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) interface: String,
    pub(super) has_gateway: bool,
}

/// Routes and interfaces.
pub(super) struct Links<'a> {
    routes: Result<Vec<Route<'a>>, NotKnown>,
    interfaces: &'a [Subject],
}

struct Route<'a> {
    interface: &'a str,
    to: u32,
    mask: u32,
    metric: u32,
    has_gateway: bool,
}

impl<'a> Links<'a> {
    pub(super) fn new(texts: &'a Texts, interfaces: &'a [Subject]) -> Links<'a> {
        let routes = texts.get(ROUTES).map(|said| said.lines().filter_map(route).collect());
        Links { routes, interfaces }
    }

    /// The way to a server with this address.
    pub(super) fn way(&self, address: &str) -> Result<Way, NotKnown> {
        let routes = self.routes.as_ref().map_err(NotKnown::clone)?;
        let Ok(IpAddr::V4(address)) = address.parse::<IpAddr>() else { return Err(NotKnown::NotTold) };
        if address.is_loopback() {
            return Ok(Way { interface: "lo".to_owned(), has_gateway: false });
        }
        let fitting = routes.iter().filter(|route| u32::from(address) & route.mask == route.to);
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

/// A line of the table; its head has no numbers.
fn route(line: &str) -> Option<Route<'_>> {
    let mut words = line.split_whitespace();
    let interface = words.next()?;
    let words: Vec<&str> = words.collect();
    // In the order of the processor's bytes.
    let address = |at: usize| {
        let number = u32::from_str_radix(words.get(at)?, 16).ok()?;
        Some(u32::from(Ipv4Addr::from(number.to_le_bytes())))
    };
    let (to, gateway, mask) = (address(0)?, address(1)?, address(6)?);
    Some(Route { interface, to, mask, metric: words.get(5)?.parse().ok()?, has_gateway: gateway != 0 })
}

#[cfg(test)]
mod tests {
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
        assert_eq!(Links::new(&Texts::default(), &[]).way("10.1.2.3"), Err(NotKnown::NotCollected));
    }
}
