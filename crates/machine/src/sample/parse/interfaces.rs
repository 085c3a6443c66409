//! `/proc/net/dev`: transferred and lost packets of network interfaces. See proc_pid_net(5).

use super::put_on;
use crate::sample::counter::{Layer, Look, Reading};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface<'a> {
    /// `eth0`.
    pub name: &'a str,
    pub rx: Side,
    pub tx: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    pub bytes: u64,
    pub errors: u64,
    /// Dropped packets; includes received ones for which the interface had no free buffer.
    pub drops: u64,
}

/// All interfaces in this text.
pub fn parse(text: &str) -> impl Iterator<Item = Interface<'_>> {
    text.lines().filter_map(|line| {
        // Two heading lines have bars and no colon. A name may be followed directly by its numbers.
        let (name, rest) = line.split_once(':')?;
        let numbers: Vec<u64> = super::numbers(rest.split_ascii_whitespace()).collect();
        let side = |at: usize| {
            let of = |column: usize| numbers.get(at + column).copied();
            Some(Side { bytes: of(0)?, errors: of(2)?, drops: of(3)? })
        };
        Some(Interface { name: name.trim(), rx: side(0)?, tx: side(8)? })
    })
}

/// Adds an interface's counters.
pub fn put(interface: &Interface<'_>, look: &mut Look) {
    let Interface { name, rx, tx } = interface;
    for (counter, total) in [
        ("rx_bytes_per_s", rx.bytes),
        ("tx_bytes_per_s", tx.bytes),
        ("rx_errors_per_s", rx.errors),
        ("tx_errors_per_s", tx.errors),
        ("rx_drops_per_s", rx.drops),
        ("tx_drops_per_s", tx.drops),
    ] {
        put_on(look, Layer::Network, counter, name, Reading::PerSecond(total));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// Linux 6.18; `wlan0` is added, with every number different.
    const DEV: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 3012391450  210062    0    0    0     0          0         0 3012391450  210062    0    0    0     0       0          0
  eth0: 1304844561   34971    0    0    0     0          0         0  1708698   22787    0    0    0     0       0          0
 wlan0:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
   odd: 1 2 3
";

    #[test]
    fn every_interface_with_all_its_columns() {
        let all: Vec<_> = parse(DEV).collect();
        assert_eq!(all.iter().map(|interface| interface.name).collect::<Vec<_>>(), ["lo", "eth0", "wlan0"]);
        let mut look = Look::new();
        for interface in &all {
            put(interface, &mut look);
        }
        all_known(&look);
        assert_eq!(reading(&look, "rx_bytes_per_s", "eth0"), &Reading::PerSecond(1_304_844_561));
        for (name, total) in [
            ("rx_bytes_per_s", 1),
            ("rx_errors_per_s", 3),
            ("rx_drops_per_s", 4),
            ("tx_bytes_per_s", 9),
            ("tx_errors_per_s", 11),
            ("tx_drops_per_s", 12),
        ] {
            assert_eq!(reading(&look, name, "wlan0"), &Reading::PerSecond(total), "{name}");
        }
    }
}
