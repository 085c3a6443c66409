//! The interface of the route to an address, from `/proc/net/route` and `/proc/net/ipv6_route`.
//!
//! Pure: no I/O. The files contain the main routing table; policy routing is ignored. procfs-core cannot
//! parse the table for IPv6. Of the other one it takes all lines or none, and their use counts may
//! exceed its 16 bits.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The table for IPv4.
pub const TABLE_V4: &str = "/proc/net/route";
/// The table for IPv6.
pub const TABLE_V6: &str = "/proc/net/ipv6_route";

/// `RTF_UP` and `RTF_REJECT` among a route's flags: one that rejects leads nowhere (`unreachable`,
/// `blackhole`).
const UP: u32 = 0x1;
const REJECT: u32 = 0x200;

/// The selected route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route<'a> {
    pub interface: &'a str,
    /// Whether it uses a gateway.
    pub has_gateway: bool,
}

/// The order of routes: the longest prefix, then the smallest metric.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    prefix_bits: u32,
    /// Negated, so that the greatest is the best.
    nearness: i64,
}

/// The route to an address, by the table of its kind.
pub fn to<'a>(table_v4: &'a str, table_v6: &'a str, to: IpAddr) -> Option<Route<'a>> {
    match to {
        // Its routes are in a separate table.
        _ if to.is_loopback() => Some(Route { interface: "lo", has_gateway: false }),
        IpAddr::V4(ip) => best(table_v4.lines().filter_map(|line| line_v4(line, ip))),
        IpAddr::V6(ip) => best(table_v6.lines().filter_map(|line| line_v6(line, ip))),
    }
}

/// A line whose destination includes an IPv4 address.
fn line_v4(line: &str, to: Ipv4Addr) -> Option<(Rank, Route<'_>)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [interface, destination, gateway, flags, _, _, metric, mask, ..] = fields[..] else {
        return None;
    };
    let (destination, mask) = (address_v4(destination)?, address_v4(mask)?);
    let fits = is_used(flags)? && to.to_bits() & mask == destination;
    let rank = Rank { prefix_bits: mask.count_ones(), nearness: -metric.parse::<i64>().ok()? };
    fits.then_some((rank, Route { interface, has_gateway: address_v4(gateway)? != 0 }))
}

/// A line whose destination includes an IPv6 address: destination, its bits, source, its bits, gateway,
/// metric, …, interface.
fn line_v6(line: &str, to: Ipv6Addr) -> Option<(Rank, Route<'_>)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [destination, prefix_bits, _, _, gateway, metric, _, _, flags, interface] = fields[..] else {
        return None;
    };
    let address = |text: &str| u128::from_str_radix(text, 16).ok();
    let prefix_bits = u32::from_str_radix(prefix_bits, 16).ok().filter(|bits| *bits <= Ipv6Addr::BITS)?;
    let mask = u128::MAX.checked_shl(Ipv6Addr::BITS - prefix_bits).unwrap_or(0);
    let fits = is_used(flags)? && to.to_bits() & mask == address(destination)? & mask;
    let rank = Rank { prefix_bits, nearness: -i64::from_str_radix(metric, 16).ok()? };
    fits.then_some((rank, Route { interface, has_gateway: address(gateway)? != 0 }))
}

/// The first of the best routes, which the kernel selects.
fn best<'a>(routes: impl Iterator<Item = (Rank, Route<'a>)>) -> Option<Route<'a>> {
    let better = |best: (Rank, Route<'a>), next: (Rank, Route<'a>)| if next.0 > best.0 { next } else { best };
    routes.reduce(better).map(|(_, route)| route)
}

/// An address of `/proc/net/route`: its bytes in memory, printed as a number. The supported kernels are
/// little-endian.
fn address_v4(text: &str) -> Option<u32> {
    Some(u32::from_str_radix(text, 16).ok()?.swap_bytes())
}

fn is_used(flags: &str) -> Option<bool> {
    let flags = u32::from_str_radix(flags, 16).ok()?;
    Some(flags & UP != 0 && flags & REJECT == 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// As a little-endian kernel prints it: a default route over Wi-Fi and a worse one over eth0, the
    /// media network on bond0.40, one host of it over eth1, and a rejected network.
    const V4: &str = "\
Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	010200C0	0003	0	0	600	00000000	0	0	0
wlan0	00000000	0100A8C0	0003	0	0	100	00000000	0	0	0
bond0.40	0028000A	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth1	0928000A	00000000	0005	0	0	0	FFFFFFFF	0	0	0
*	0010000A	00000000	0201	0	0	0	00FFFFFF	0	0	0
half a line
";

    const V6: &str = "\
fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000002 00000000 00000003     wlan0
00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo
fd000000000000000000000000000002 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000003 00000000 80200001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
";

    fn way(address: &str) -> Option<(&'static str, bool)> {
        to(V4, V6, address.parse().unwrap()).map(|route| (route.interface, route.has_gateway))
    }

    #[test]
    fn the_longest_prefix_wins_then_the_smallest_metric() {
        assert_eq!(way("10.0.40.2"), Some(("bond0.40", false)));
        assert_eq!(way("10.0.40.9"), Some(("eth1", false)));
        assert_eq!(way("192.0.2.77"), Some(("wlan0", true)));
        assert_eq!(way("10.0.16.4"), Some(("wlan0", true)), "a rejecting route is no way");
        assert_eq!(way("127.0.0.1"), Some(("lo", false)));
        assert_eq!(to("", "", "10.0.0.1".parse().unwrap()), None);
    }

    #[test]
    fn routes_of_ipv6() {
        assert_eq!(way("fd00::99"), Some(("eth0", false)));
        assert_eq!(way("2001:db8::1"), Some(("wlan0", true)));
        assert_eq!(way("::1"), Some(("lo", false)));
        let unreachable = V6.lines().last().unwrap();
        assert_eq!(to("", unreachable, "2001:db8::1".parse().unwrap()), None);
    }

    /// Of two routes with equal metrics, the kernel uses the first.
    #[test]
    fn the_first_of_equal_routes_is_taken() {
        let first = "eth0\t0000000A\t00000000\t0001\t0\t0\t50\t000000FF\t0\t0\t0\n";
        let table = first.to_owned() + &first.replace("eth0", "eth1");
        let found = to(&table, "", "10.1.2.3".parse().unwrap()).unwrap();
        assert_eq!(found.interface, "eth0");
    }
}
