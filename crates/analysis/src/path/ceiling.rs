//! The capacity of a part of the path, by formulas alone. It is an upper bound that nothing can exceed,
//! not a prediction.
//!
//! The formulas are those of `catalogue/rules` (F1 for links, F7 for PCIe). The rates of buses are those
//! of their standards, minus the line coding.

use super::site::{Bus, DiskKind, Raid};

/// Bytes that Ethernet adds to each packet: preamble, header, checksum, gap.
const ETHERNET_BYTES: f64 = 38.0;

/// Bytes of IPv4 and TCP in each packet, including TCP time stamps, which are enabled by default.
const IP_TCP_BYTES: f64 = 52.0;

/// The share of PCIe's rate that is left for data after its packet overhead.
const PCIE_DATA_SHARE: f64 = 0.9;

/// The highest rate of file data that TCP allows on an Ethernet link, in each direction (F1).
pub fn tcp_payload_bytes_per_s(link_mbit_per_s: f64, mtu_bytes: u32) -> f64 {
    let mtu = f64::from(mtu_bytes.max(576));
    link_mbit_per_s * 1e6 / 8.0 * (mtu - IP_TCP_BYTES) / (mtu + ETHERNET_BYTES)
}

/// The capacity of a bus of this generation with this many lanes (PCIe: F7). `None` for unknown
/// generations.
pub fn bus_bytes_per_s(bus: Bus, generation: u32, lanes: u32) -> Option<f64> {
    // Transfers per second of a lane, and the share that is left after its line coding.
    let (gt_per_s, coding) = match (bus, generation) {
        (Bus::Sas, 1) => (3.0, 0.8),
        (Bus::Sas, 2) => (6.0, 0.8),
        (Bus::Sas, 3) => (12.0, 0.8),
        (Bus::Sas, 4) => (22.5, 128.0 / 150.0),
        (Bus::Sata, 1) => (1.5, 0.8),
        (Bus::Sata, 2) => (3.0, 0.8),
        (Bus::Sata, 3) => (6.0, 0.8),
        (Bus::Pcie, 1) => (2.5, 0.8),
        (Bus::Pcie, 2) => (5.0, 0.8),
        (Bus::Pcie, 3) => (8.0, 128.0 / 130.0),
        (Bus::Pcie, 4) => (16.0, 128.0 / 130.0),
        (Bus::Pcie, 5) => (32.0, 128.0 / 130.0),
        // Of the 256 bytes of a flit, 236 are for packets.
        (Bus::Pcie, 6) => (64.0, 236.0 / 256.0),
        (Bus::Pcie, 7) => (128.0, 236.0 / 256.0),
        _ => return None,
    };
    let share = if bus == Bus::Pcie { PCIE_DATA_SHARE } else { 1.0 };
    Some(gt_per_s * 1e9 / 8.0 * coding * f64::from(lanes) * share)
}

/// The capacity of one disk's connection, an upper bound if the disk's own rate is not stated. `None`
/// for NVMe, whose lanes differ.
pub fn disk_plug_bytes_per_s(kind: DiskKind) -> Option<f64> {
    match kind {
        DiskKind::HddSata | DiskKind::SsdSata => bus_bytes_per_s(Bus::Sata, 3, 1),
        DiskKind::HddSas | DiskKind::SsdSas => bus_bytes_per_s(Bus::Sas, 3, 1),
        DiskKind::Nvme => None,
    }
}

/// The number of disks whose rates add up, for these disks in these groups: for reads, and for writes.
/// `None` if there are too few disks.
pub fn data_disks(raid: Raid, count: u32, groups: u32) -> Option<(f64, f64)> {
    if groups == 0 || u64::from(count) < u64::from(raid.least_disks()) * u64::from(groups) {
        return None;
    }
    let parity = groups
        * match raid {
            Raid::Raid0 | Raid::Mirror => 0,
            Raid::Raid5 => 1,
            Raid::Raid6 => 2,
            Raid::Raidz3 => 3,
        };
    // At most `count`: every group has disks in addition to its parity.
    let (all, data) = (f64::from(count), f64::from(count - parity));
    Some(if raid == Raid::Mirror { (all, all / 2.0) } else { (data, data) })
}

/// Random reads per second of a disk, one after another: seek time plus half a rotation. With several
/// requests in the queue it may be twice as many. `None` for flash, which has neither.
pub fn random_reads_per_s(kind: DiskKind) -> Option<f64> {
    // Average seek time in milliseconds, and rotations per minute: 7,200 for SATA and near-line SAS,
    // 15,000 for SAS.
    let (seek_ms, per_minute) = match kind {
        DiskKind::HddSata => (8.5, 7_200.0),
        DiskKind::HddSas => (3.5, 15_000.0),
        DiskKind::SsdSata | DiskKind::SsdSas | DiskKind::Nvme => return None,
    };
    Some(1e3 / (seek_ms + 60e3 / per_minute / 2.0))
}

/// How long a port's buffer can absorb the rate of a faster port, in microseconds. `None` if the port is
/// not the slower one.
pub fn buffer_holds_us(buffer_bytes: f64, from_mbit_per_s: f64, to_mbit_per_s: f64) -> Option<f64> {
    let more_bytes_per_s = (from_mbit_per_s - to_mbit_per_s) * 1e6 / 8.0;
    (more_bytes_per_s > 0.0).then(|| buffer_bytes / more_bytes_per_s * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mb(bytes_per_s: f64) -> f64 {
        (bytes_per_s / 1e5).round() / 10.0
    }

    /// The table of the rules: MTU 1500 and 9000.
    #[test]
    fn link_ceilings_equal_the_table() {
        for (mbit, usual, jumbo) in [
            (1_000.0, 117.7, 123.8),
            (2_500.0, 294.2, 309.4),
            (10_000.0, 1_176.9, 1_237.6),
            (25_000.0, 2_942.1, 3_093.9),
        ] {
            assert_eq!(mb(tcp_payload_bytes_per_s(mbit, 1_500)), usual);
            assert_eq!(mb(tcp_payload_bytes_per_s(mbit, 9_000)), jumbo);
        }
        assert!(tcp_payload_bytes_per_s(1_000.0, 0) > 0.0, "no packet is that small");
    }

    #[test]
    fn bus_ceilings_subtract_line_coding() {
        assert_eq!(bus_bytes_per_s(Bus::Sata, 3, 1).map(mb), Some(600.0));
        assert_eq!(bus_bytes_per_s(Bus::Sas, 3, 4).map(mb), Some(4_800.0));
        // 8 GT/s, eight lanes: 7.88 GB/s, minus a tenth.
        assert_eq!(bus_bytes_per_s(Bus::Pcie, 3, 8).map(mb), Some(7_089.2));
        assert_eq!(bus_bytes_per_s(Bus::Sata, 4, 1), None);
        assert_eq!(disk_plug_bytes_per_s(DiskKind::Nvme), None);
        assert_eq!(disk_plug_bytes_per_s(DiskKind::HddSas).map(mb), Some(1_200.0));
    }

    #[test]
    fn parity_carries_no_data_and_mirrors_read_from_both() {
        assert_eq!(data_disks(Raid::Raid0, 4, 1), Some((4.0, 4.0)));
        assert_eq!(data_disks(Raid::Mirror, 4, 1), Some((4.0, 2.0)));
        assert_eq!(data_disks(Raid::Raid6, 12, 1), Some((10.0, 10.0)));
        assert_eq!(data_disks(Raid::Raidz3, 5, 1), Some((2.0, 2.0)));
        assert_eq!(data_disks(Raid::Raid5, 2, 1), None);
    }

    /// 45Drives' Storinator: three RAIDZ2 of ten.
    #[test]
    fn each_group_has_its_own_parity() {
        assert_eq!(data_disks(Raid::Raid6, 30, 3), Some((24.0, 24.0)));
        assert_eq!(data_disks(Raid::Raid5, 9, 3), Some((6.0, 6.0)));
        assert_eq!(data_disks(Raid::Mirror, 8, 4), Some((8.0, 4.0)));
        assert_eq!(data_disks(Raid::Raid6, 11, 3), None, "nobody has groups of fewer than four");
        assert_eq!(data_disks(Raid::Raid6, 12, 0), None);
        assert_eq!(data_disks(Raid::Raidz3, u32::MAX, u32::MAX), None);
    }

    #[test]
    fn a_disk_that_turns_waits_for_its_arm_and_half_a_turn() {
        let per_s = |kind| random_reads_per_s(kind).map(f64::round);
        assert_eq!(per_s(DiskKind::HddSata), Some(79.0));
        assert_eq!(per_s(DiskKind::HddSas), Some(182.0));
        assert_eq!(per_s(DiskKind::Nvme), None);
    }

    #[test]
    fn buffer_holds_the_excess_of_a_burst() {
        // 512 KiB with a surplus of nine gigabit per second.
        let us = buffer_holds_us(512.0 * 1024.0, 10_000.0, 1_000.0).map(f64::round);
        assert_eq!(us, Some(466.0));
        assert_eq!(buffer_holds_us(1.0, 1_000.0, 1_000.0), None);
    }
}
