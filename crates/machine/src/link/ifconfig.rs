//! The output of `ifconfig` and `route` on macOS: the interface of a route, its speed and its MTU.
//!
//! `ifconfig` prints the name of the medium (`1000baseT`), not a number, and none for wireless and virtual
//! interfaces. Formats: `ifconfig(8)`, `route(8)` and `ifmedia` of Apple's network_cmds.

use crate::interface::{Interface, MBIT_PER_S_MAX, Speed};

/// The interface in the output of `route -n get`.
pub(super) fn interface_of(told: &str) -> Option<&str> {
    told.lines().find_map(|line| line.trim().strip_prefix("interface: ")).map(str::trim)
}

/// The properties in the output of `ifconfig NAME`.
pub(super) fn interface(name: &str, told: &str) -> Interface {
    let field = |key: &str| told.lines().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
    let medium = field("media: ").unwrap_or_default();
    let speed = speed_of(medium);
    let words = told.lines().next().unwrap_or_default().split_whitespace();
    let mtu = words.skip_while(|word| *word != "mtu").nth(1);
    Interface {
        connection: match speed {
            Some(mbit_per_s) => Speed::MbitPerS(mbit_per_s),
            None if name.starts_with("en") => Speed::NOT_REPORTED,
            None => Speed::VIRTUAL_NETWORK,
        },
        line_mbit_per_s: speed,
        mtu_bytes: mtu.and_then(|mtu| mtu.parse().ok()),
        is_half_duplex: medium.contains("half-duplex"),
        bond_of: None,
        state: field("status: ").map(|status| if status == "active" { "up" } else { "down" }.to_owned()),
        driver: None,
    }
}

/// The speed of a medium in Mbit/s: `autoselect (10Gbase-T <full-duplex>)`.
fn speed_of(medium: &str) -> Option<u32> {
    let active = medium.split_once('(').map_or(medium, |(_, active)| active).to_ascii_lowercase();
    let (number, _) = active.split_once("base")?;
    let (number, mbit) = number.strip_suffix('g').map_or((number, 1), |number| (number, 1_000));
    let speed = number.parse::<u32>().ok()?.checked_mul(mbit)?;
    (1..=MBIT_PER_S_MAX).contains(&speed).then_some(speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: &str = "\
en5: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 9000
\toptions=50b<RXCSUM,TXCSUM,VLAN_HWTAGGING,AV,CHANNEL_IO>
\tether 00:30:93:10:08:32
\tinet 10.0.0.20 netmask 0xffffff00 broadcast 10.0.0.255
\tmedia: autoselect (10Gbase-T <full-duplex,flow-control>)
\tstatus: active
";
    const ROUTE: &str = "\
   route to: 10.0.0.5
destination: 10.0.0.0
       mask: 255.255.255.0
  interface: en5
      flags: <UP,DONE,CLONING,STATIC>
";

    #[test]
    fn route_names_the_interface() {
        assert_eq!(interface_of(ROUTE), Some("en5"));
        assert_eq!(interface_of("route: writing to routing socket: not in table\n"), None);
    }

    #[test]
    fn medium_gives_speed_and_duplex() {
        let ten = interface("en5", TEN);
        assert_eq!((ten.connection, ten.mtu_bytes), (Speed::MbitPerS(10_000), Some(9_000)));
        assert_eq!((ten.line_mbit_per_s, ten.is_half_duplex), (Some(10_000), false));
        assert_eq!(ten.state.as_deref(), Some("up"));
        for (medium, speed) in [
            ("autoselect (1000baseT <full-duplex>)", Some(1_000)),
            ("autoselect (2500Base-T <full-duplex,flow-control,energy-efficient-ethernet>)", Some(2_500)),
            ("100baseTX <half-duplex>", Some(100)),
            ("autoselect (none)", None),
            ("autoselect", None),
            ("<unknown type>", None),
            ("autoselect (99999999999Gbase-T)", None),
        ] {
            assert_eq!(speed_of(medium), speed, "{medium}");
        }
        assert!(interface("en5", &TEN.replace("full-duplex", "half-duplex")).is_half_duplex);
    }

    #[test]
    fn interface_without_a_medium_has_no_speed() {
        let wireless = TEN.replace("autoselect (10Gbase-T <full-duplex,flow-control>)", "autoselect");
        assert_eq!(interface("en0", &wireless).connection, Speed::NOT_REPORTED);
        assert_eq!(interface("utun3", "utun3: flags=8051<UP> mtu 1380\n").connection, Speed::VIRTUAL_NETWORK);
        assert_eq!(interface("en9", "").mtu_bytes, None);
    }
}
