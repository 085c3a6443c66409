//! Network adapters, as Windows reports them (`MIB_IF_ROW2`).
//!
//! The conversion into an [`Interface`] is pure and is tested on all systems. As on Linux, a speed is
//! trusted only if the adapter is hardware, and not that of a virtual machine.

use crate::interface::{Interface, MBIT_PER_S_MAX, Speed};

#[cfg(windows)]
mod windows;

#[cfg(all(windows, feature = "sampling"))]
pub(crate) use self::windows::all;
#[cfg(windows)]
pub(crate) use self::windows::index_to;

/// `IF_TYPE_SOFTWARE_LOOPBACK`.
#[cfg(feature = "sampling")]
const LOOPBACK: u32 = 24;
/// `IF_TYPE_IEEE80211`.
const WIRELESS: u32 = 71;
/// `HardwareInterface` among the flags.
const HARDWARE: u8 = 1 << 0;
/// `FilterInterface` among the flags: a layer of another adapter.
#[cfg(feature = "sampling")]
const FILTER: u8 = 1 << 1;
/// No MTU is greater. The loopback adapter reports 4,294,967,295.
const MTU_MAX_BYTES: u32 = 65_536;

/// Beginnings of the descriptions of virtual machines' cards: VMware, QEMU, Hyper-V, Amazon, Google, Xen.
/// Windows appends a number to the second card with the same description.
const OF_VIRTUAL_MACHINES: [&str; 7] = [
    "vmxnet3 ",
    "Red Hat VirtIO ",
    "Microsoft Hyper-V ",
    "Amazon Elastic ",
    "Google VirtIO ",
    "AWS PV ",
    "XenServer PV ",
];

/// The states of RFC 2863 by `OperStatus`, which begins at 1, in the spelling of Linux.
const STATES: [&str; 7] = ["up", "down", "testing", "unknown", "dormant", "notpresent", "lowerlayerdown"];

/// An adapter.
#[derive(Clone, Debug)]
pub(crate) struct Adapter {
    /// The name that users see and can change: `Ethernet 2`.
    pub name: String,
    /// The name of the hardware, by its driver.
    pub description: String,
    pub kind: u32,
    pub flags: u8,
    pub oper_status: i32,
    /// 0 or `u64::MAX` without a connection.
    pub bits_per_s: u64,
    pub mtu_bytes: u32,
}

impl Adapter {
    /// The properties of the adapter. Windows does not report the duplex mode here.
    pub(crate) fn interface(&self) -> Interface {
        let connection = self.connection();
        Interface {
            connection,
            line_mbit_per_s: self.speed().filter(|_| self.is_on_a_line()),
            mtu_bytes: (1..=MTU_MAX_BYTES).contains(&self.mtu_bytes).then_some(self.mtu_bytes),
            is_half_duplex: false,
            bond_of: None,
            state: self.state().map(str::to_owned),
            driver: None,
        }
    }

    /// Whether it is recorded with a run: hardware, and whatever else is connected. Windows also lists the
    /// filters of each adapter and a dozen unused tunnels.
    #[cfg(feature = "sampling")]
    pub(crate) fn is_recorded(&self) -> bool {
        let is_used = self.flags & HARDWARE != 0 || self.state() == Some("up");
        is_used && self.flags & FILTER == 0 && self.kind != LOOPBACK
    }

    fn connection(&self) -> Speed {
        if self.kind == WIRELESS {
            return Speed::WIRELESS;
        }
        if self.flags & HARDWARE == 0 {
            return Speed::VIRTUAL_NETWORK;
        }
        if self.is_of_virtual_machine() {
            return Speed::VIRTUAL_CARD;
        }
        self.speed().map_or(Speed::NOT_REPORTED, Speed::MbitPerS)
    }

    fn is_on_a_line(&self) -> bool {
        self.flags & HARDWARE != 0 && !self.is_of_virtual_machine()
    }

    fn is_of_virtual_machine(&self) -> bool {
        OF_VIRTUAL_MACHINES.iter().any(|begin| self.description.starts_with(begin))
    }

    fn speed(&self) -> Option<u32> {
        let mbit_per_s = u32::try_from(self.bits_per_s / 1_000_000).ok()?;
        (1..=MBIT_PER_S_MAX).contains(&mbit_per_s).then_some(mbit_per_s)
    }

    fn state(&self) -> Option<&'static str> {
        let index = usize::try_from(self.oper_status).ok()?.checked_sub(1)?;
        STATES.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connected adapter of 10 Gbit/s.
    fn adapter(description: &str) -> Adapter {
        Adapter {
            name: "Ethernet 2".to_owned(),
            description: description.to_owned(),
            kind: 6,
            flags: 0b0000_0101,
            oper_status: 1,
            bits_per_s: 10_000_000_000,
            mtu_bytes: 9_000,
        }
    }

    fn card() -> Adapter {
        adapter("Intel(R) Ethernet Converged Network Adapter X550-T2 #2")
    }

    #[test]
    fn connected_card_has_speed_mtu_and_state() {
        let found = card().interface();
        assert_eq!((found.connection, found.line_mbit_per_s), (Speed::MbitPerS(10_000), Some(10_000)));
        assert_eq!((found.mtu_bytes, found.state.as_deref()), (Some(9_000), Some("up")));
    }

    #[test]
    fn speed_without_a_line_is_unknown() {
        let no_cable = |bits_per_s| Adapter { bits_per_s, oper_status: 2, ..card() };
        let virtual_network = Adapter { flags: 0b0000_0000, ..adapter("Hyper-V Virtual Ethernet Adapter") };
        for unknown in [
            no_cable(0),
            no_cable(u64::MAX),
            adapter("vmxnet3 Ethernet Adapter #2"),
            adapter("Red Hat VirtIO Ethernet Adapter"),
            adapter("Microsoft Hyper-V Network Adapter"),
            virtual_network,
        ] {
            let found = unknown.interface();
            assert!(matches!(found.connection, Speed::Unknown(_)), "{unknown:?}");
            assert_eq!(found.line_mbit_per_s, None, "{unknown:?}");
        }
        let wireless = Adapter { kind: WIRELESS, bits_per_s: 866_700_000, ..card() }.interface();
        assert!(matches!(wireless.connection, Speed::Unknown(_)));
        assert_eq!(wireless.line_mbit_per_s, Some(866));
    }

    #[test]
    fn impossible_mtu_and_state_are_unknown() {
        for mtu_bytes in [0, u32::MAX] {
            assert_eq!(Adapter { mtu_bytes, ..card() }.interface().mtu_bytes, None);
        }
        let state = |oper_status| Adapter { oper_status, ..card() }.interface().state;
        assert_eq!((state(0), state(8), state(-1)), (None, None, None));
        assert_eq!((state(2).as_deref(), state(7).as_deref()), (Some("down"), Some("lowerlayerdown")));
    }

    #[test]
    fn loopback_filters_and_unused_tunnels_are_not_recorded() {
        let unplugged = Adapter { oper_status: 2, ..card() };
        let tunnel = Adapter { flags: 0, ..card() };
        assert!(card().is_recorded() && unplugged.is_recorded() && tunnel.is_recorded());
        for omitted in [
            Adapter { kind: LOOPBACK, ..card() },
            Adapter { flags: 0b0000_0010, ..card() },
            Adapter { oper_status: 2, ..tunnel },
        ] {
            assert!(!omitted.is_recorded(), "{omitted:?}");
        }
    }
}
