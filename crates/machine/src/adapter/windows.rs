//! Calls of the IP helper: `GetIfTable2`, `GetIfEntry2`, `GetBestInterfaceEx`.

use std::net::IpAddr;

#[cfg(feature = "sampling")]
use windows_sys::Win32::NetworkManagement::IpHelper::{FreeMibTable, GetIfTable2};
use windows_sys::Win32::NetworkManagement::IpHelper::{GetBestInterfaceEx, GetIfEntry2, MIB_IF_ROW2};
use windows_sys::Win32::Networking::WinSock::{AF_INET, AF_INET6, SOCKADDR_IN, SOCKADDR_IN6};

use super::Adapter;

/// All adapters of the host; empty if Windows does not list them.
#[cfg(feature = "sampling")]
pub(crate) fn all() -> Vec<Adapter> {
    let mut table = std::ptr::null_mut();
    // SAFETY: the call stores a pointer to a table that it allocates.
    if unsafe { GetIfTable2(&raw mut table) } != 0 || table.is_null() {
        return Vec::new();
    }
    // SAFETY: the table has as many rows as it states. They are read before the table is freed, and
    // `FreeMibTable` frees what `GetIfTable2` allocated.
    unsafe {
        let first = (&raw const (*table).Table).cast::<MIB_IF_ROW2>();
        let rows = std::slice::from_raw_parts(first, (*table).NumEntries as usize);
        let adapters = rows.iter().map(Adapter::from_row).collect();
        FreeMibTable(table.cast());
        adapters
    }
}

/// The index of the adapter that leads to an address. `zone` is that of the address, on Windows an index:
/// `fe80::1%12`.
pub(crate) fn index_to(ip: IpAddr, zone: Option<&str>) -> Option<u32> {
    if let Some(index) = zone.and_then(|zone| zone.parse().ok()) {
        return Some(index);
    }
    let (mut v4, mut v6) = (SOCKADDR_IN::default(), SOCKADDR_IN6::default());
    let address = match ip {
        IpAddr::V4(ip) => {
            v4.sin_family = AF_INET;
            v4.sin_addr.S_un.S_addr = u32::from_ne_bytes(ip.octets());
            (&raw const v4).cast()
        }
        IpAddr::V6(ip) => {
            v6.sin6_family = AF_INET6;
            v6.sin6_addr.u.Byte = ip.octets();
            (&raw const v6).cast()
        }
    };
    let mut index = 0;
    // SAFETY: the address is a whole socket address of its family, and outlives the call, as `index` does.
    (unsafe { GetBestInterfaceEx(address, &raw mut index) } == 0).then_some(index)
}

impl Adapter {
    /// The adapter with this index.
    pub(crate) fn with_index(index: u32) -> Option<Adapter> {
        let mut row = MIB_IF_ROW2 { InterfaceIndex: index, ..Default::default() };
        // SAFETY: the row is writable and names its adapter by the index.
        (unsafe { GetIfEntry2(&raw mut row) } == 0).then(|| Adapter::from_row(&row))
    }

    fn from_row(row: &MIB_IF_ROW2) -> Adapter {
        Adapter {
            name: text(&row.Alias),
            description: text(&row.Description),
            kind: row.Type,
            flags: row.InterfaceAndOperStatusFlags._bitfield,
            oper_status: row.OperStatus,
            bits_per_s: row.TransmitLinkSpeed,
            mtu_bytes: row.Mtu,
        }
    }
}

/// Text that ends at a zero.
fn text(units: &[u16]) -> String {
    String::from_utf16_lossy(units.split(|unit| *unit == 0).next().unwrap_or(units))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wine routes even the loopback address through another adapter, so any adapter is accepted.
    #[test]
    fn adapter_of_a_route_is_in_the_table() {
        let adapter = index_to([127, 0, 0, 1].into(), None).and_then(Adapter::with_index);
        let name = adapter.map(|adapter| adapter.name);
        assert!(all().into_iter().any(|adapter| Some(adapter.name) == name), "{name:?}");
        assert_eq!(index_to([10, 0, 0, 1].into(), Some("12")), Some(12));
    }
}
