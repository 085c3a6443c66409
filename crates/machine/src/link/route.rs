//! Which interface the route to an address takes, from `/proc/net/route` and `/proc/net/ipv6_route`.
//!
//! Pure: no I/O. The tables are those of the main routing table; policy routing is not looked at. procfs-core
//! has no table for IPv6, and of the other it takes all lines or none, whose counts of use may be beyond its
//! 16 bits.

use std::net::{Ipv4Addr, Ipv6Addr};

/// `RTF_UP` and `RTF_REJECT` among a route's flags.
const UP: u32 = 0x1;
const REJECT: u32 = 0x200;

/// What chooses a route: the longest prefix, then the smallest metric.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    prefix_bits: u32,
    /// Negated, so that the greatest is the best.
    nearness: i64,
}

/// The interface of the route to an IPv4 address.
pub(super) fn interface_v4(table: &str, to: Ipv4Addr) -> Option<&str> {
    let routes = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [name, destination, _gateway, flags, _, _, metric, mask, ..] = fields[..] else {
            return None;
        };
        let (destination, mask) = (address_v4(destination)?, address_v4(mask)?);
        let fits = is_used(flags)? && to.to_bits() & mask == destination;
        let rank = Rank { prefix_bits: mask.count_ones(), nearness: -metric.parse::<i64>().ok()? };
        fits.then_some((rank, name))
    });
    best(routes)
}

/// The interface of the route to an IPv6 address.
pub(super) fn interface_v6(table: &str, to: Ipv6Addr) -> Option<&str> {
    let routes = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [destination, prefix_bits, _, _, _next_hop, metric, _, _, flags, name] = fields[..] else {
            return None;
        };
        let destination = u128::from_str_radix(destination, 16).ok()?;
        let prefix_bits = u32::from_str_radix(prefix_bits, 16).ok().filter(|bits| *bits <= 128)?;
        let mask = u128::MAX.checked_shl(128 - prefix_bits).unwrap_or(0);
        let fits = is_used(flags)? && to.to_bits() & mask == destination & mask;
        let rank = Rank { prefix_bits, nearness: -i64::from_str_radix(metric, 16).ok()? };
        fits.then_some((rank, name))
    });
    best(routes)
}

/// The first of the best, as the kernel takes it.
fn best<'a>(routes: impl Iterator<Item = (Rank, &'a str)>) -> Option<&'a str> {
    let mut best: Option<(Rank, &str)> = None;
    for route in routes {
        if best.is_none_or(|(rank, _)| route.0 > rank) {
            best = Some(route);
        }
    }
    best.map(|(_, name)| name)
}

/// An address of `/proc/net/route`: the bytes as they lie in memory, printed as a number.
fn address_v4(text: &str) -> Option<u32> {
    let number = u32::from_str_radix(text, 16).ok()?;
    Some(u32::from_be_bytes(number.to_ne_bytes()))
}

fn is_used(flags: &str) -> Option<bool> {
    let flags = u32::from_str_radix(flags, 16).ok()?;
    Some(flags & UP != 0 && flags & REJECT == 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// As a little-endian kernel prints it: a default route over Wi-Fi and a worse one over eth0, the media
    /// network on bond0.40, one host of it over eth1, a network that is cut off.
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

    #[test]
    #[cfg(target_endian = "little")]
    fn the_longest_prefix_wins_then_the_smallest_metric() {
        let to = |address: &str| interface_v4(V4, address.parse().unwrap());
        assert_eq!(to("10.0.40.2"), Some("bond0.40"));
        assert_eq!(to("10.0.40.9"), Some("eth1"));
        assert_eq!(to("192.0.2.77"), Some("wlan0"));
        assert_eq!(to("10.0.16.4"), Some("wlan0"), "a rejecting route is no way");
        assert_eq!(interface_v4("", "10.0.0.1".parse().unwrap()), None);
    }

    #[test]
    fn routes_of_ipv6() {
        let to = |address: &str| interface_v6(V6, address.parse().unwrap());
        assert_eq!(to("fd00::99"), Some("eth0"));
        assert_eq!(to("2001:db8::1"), Some("wlan0"));
        assert_eq!(to("::1"), Some("lo"));
        let unreachable = V6.lines().last().unwrap();
        assert_eq!(interface_v6(unreachable, "2001:db8::1".parse().unwrap()), None);
    }
}
