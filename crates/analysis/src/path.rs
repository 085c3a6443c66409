//! The path from the local host to the disks, hop by hop: the capacity of each hop, the rate measured
//! there, and the hop with the lowest capacity. An unknown capacity is no bound. Neither is one that was
//! exceeded by the measured rate.
//!
//! * [`site`]: facts that no counter shows. [`ceiling`]: the formulas. [`per_unit`]: streams per part of
//!   the site.
//!
//! Pure. Not here: words and the drawing (report), reading `site.toml` (results).

pub mod ceiling;
pub mod per_unit;
pub mod site;

use serde::{Deserialize, Serialize};

use self::ceiling::{
    buffer_holds_us, bus_bytes_per_s, data_disks, disk_plug_bytes_per_s, random_reads_per_s,
    tcp_payload_bytes_per_s,
};
use self::site::{LinkSort, Raid, Site};

/// The factor by which a rate must exceed a capacity to disprove it; capacities are stated in round
/// numbers.
const OUTRUN_BY: f64 = 1.05;

/// The usual MTU of Ethernet.
const MTU_BYTES: u32 = 1_500;

/// The path to a storage system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StoragePath"))]
pub struct PathFacts {
    /// The hops from the local host to the disks.
    pub hops: Vec<Hop>,
    /// The index of the hop with the lowest capacity, of those whose capacity is known and was not
    /// exceeded.
    pub lowest: Option<usize>,
    /// The load was mostly writes: capacities and rates are those of writing.
    pub is_writing: bool,
    /// The link of this client for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`; empty if it is
    /// unknown.
    pub client_link: String,
    /// How long the buffer of a client's switch port can absorb the full rate of the server's link.
    /// `None` if that is unknown, or the client's link is not the slower one.
    pub buffer_holds_us: Option<f64>,
    /// Random reads per second of all disks together: as stated for one disk, otherwise as typical for
    /// its kind. `None` if neither is known.
    #[serde(default)]
    pub disks_random_reads_per_s: Option<f64>,
    /// The description of the site.
    pub site: Site,
}

/// A part of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hop {
    /// The part of the path.
    pub kind: HopKind,
    /// Its capacity. `None` if that is unknown.
    pub ceiling_bytes_per_s: Option<f64>,
    /// The rate measured there. `None` if nothing was measured.
    pub measured_bytes_per_s: Option<f64>,
    /// The rate that this client reached, if it is above the stated capacity of this hop: a cache before
    /// it answered, or the stated capacity is wrong. `None` elsewhere.
    pub outrun_bytes_per_s: Option<f64>,
}

/// The parts of a path, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HopKind {
    /// The link of the local host.
    ClientLink,
    /// The switch.
    Switch,
    /// The server's link.
    ServerLink,
    /// The server's memory, which answers what it has cached.
    ServerMemory,
    /// The connection of the disks to the server.
    Backplane,
    /// The disks, with their RAID level.
    Disks,
}

/// The detected properties of the local host's link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientLink {
    /// The text for screens: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
    pub words: String,
    /// Its speed, if known.
    pub mbit_per_s: Option<f64>,
    /// The rate that is left for file data.
    pub line_bytes_per_s: Option<f64>,
}

/// The measured rates along the path, in the direction of the load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasuredPath {
    /// From the local host's operations.
    pub client_bytes_per_s: Option<f64>,
    /// From the server's interfaces.
    pub server_link_bytes_per_s: Option<f64>,
    /// From the server's disks.
    pub disks_bytes_per_s: Option<f64>,
    /// More was written than read.
    pub is_writing: bool,
}

/// Builds the path from the site description, the local host's link, and the measured rates.
pub fn path(site: &Site, client: Option<&ClientLink>, measured: MeasuredPath) -> PathFacts {
    let hop = |kind, ceiling_bytes_per_s: Option<f64>, measured_bytes_per_s| Hop {
        kind,
        ceiling_bytes_per_s,
        measured_bytes_per_s,
        // The capacity of the local link is reported by the kernel.
        outrun_bytes_per_s: measured.client_bytes_per_s.filter(|got| {
            kind != HopKind::ClientLink && ceiling_bytes_per_s.is_some_and(|most| *got > most * OUTRUN_BY)
        }),
    };
    let line = client.and_then(|link| link.line_bytes_per_s);
    let hops = vec![
        hop(HopKind::ClientLink, line, measured.client_bytes_per_s),
        hop(HopKind::Switch, None, None),
        hop(HopKind::ServerLink, server_link(site), measured.server_link_bytes_per_s),
        // Memory is no bound on the rate of the disks.
        hop(HopKind::ServerMemory, None, None),
        hop(HopKind::Backplane, backplane(site), None),
        hop(HopKind::Disks, disks(site, measured.is_writing), measured.disks_bytes_per_s),
    ];
    let bounds = hops.iter().enumerate().filter(|(_, hop)| hop.outrun_bytes_per_s.is_none());
    let known = bounds.filter_map(|(at, hop)| Some((at, hop.ceiling_bytes_per_s?)));
    let lowest = known.min_by(|one, two| one.1.total_cmp(&two.1)).map(|(at, _)| at);
    let speeds = site.server.link_mbit_per_s.zip(client.and_then(|link| link.mbit_per_s));
    let holds = site.switch.buffer_per_port_kib.zip(speeds);
    PathFacts {
        hops,
        lowest,
        is_writing: measured.is_writing,
        // An unknown link has no text.
        client_link: client.map(|link| link.words.clone()).unwrap_or_default(),
        buffer_holds_us: holds
            .and_then(|(kib, (server, client))| buffer_holds_us(kib * 1024.0, server, client)),
        disks_random_reads_per_s: disks_random_reads_per_s(site),
        site: site.clone(),
    }
}

fn server_link(site: &Site) -> Option<f64> {
    let server = &site.server;
    let mbit = server.link_mbit_per_s?;
    Some(match server.link_kind.unwrap_or(LinkSort::Ethernet) {
        LinkSort::Ethernet => tcp_payload_bytes_per_s(mbit, server.mtu_bytes.unwrap_or(MTU_BYTES)),
        // Its packet overhead is unknown here, so this is an upper bound.
        LinkSort::Infiniband | LinkSort::FibreChannel => mbit * 1e6 / 8.0,
    })
}

fn backplane(site: &Site) -> Option<f64> {
    let backplane = &site.backplane;
    bus_bytes_per_s(backplane.bus?, backplane.generation?, backplane.lanes?)
}

fn disks(site: &Site, is_writing: bool) -> Option<f64> {
    let disks = &site.disks;
    let stated = disks.each_mb_per_s.map(|mb| mb * 1e6);
    let each = stated.or_else(|| disks.kind.and_then(disk_plug_bytes_per_s))?;
    // If the RAID level is unknown, only all disks together are a bound.
    let (raid, groups) = (disks.raid.unwrap_or(Raid::Raid0), disks.groups.unwrap_or(1));
    let (reading, writing) = data_disks(raid, disks.count?, groups)?;
    Some(each * if is_writing { writing } else { reading })
}

/// Random reads per second of all disks together.
fn disks_random_reads_per_s(site: &Site) -> Option<f64> {
    let disks = &site.disks;
    let each = disks.each_random_reads_per_s.or_else(|| disks.kind.and_then(random_reads_per_s))?;
    Some(each * f64::from(disks.count?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::site::{BackplaneSite, Bus, DiskKind, DisksSite, ServerSite, SwitchSite};
    use super::*;

    fn site() -> Site {
        Site {
            server: ServerSite {
                link_mbit_per_s: Some(10_000.0),
                memory_gib: Some(64.0),
                ..ServerSite::default()
            },
            switch: SwitchSite { buffer_per_port_kib: Some(512.0), ..SwitchSite::default() },
            backplane: BackplaneSite { bus: Some(Bus::Sas), generation: Some(2), lanes: Some(4) },
            disks: DisksSite {
                kind: Some(DiskKind::HddSata),
                count: Some(8),
                each_mb_per_s: Some(180.0),
                raid: Some(Raid::Mirror),
                ..DisksSite::default()
            },
            ..Site::default()
        }
    }

    fn client(mbit_per_s: f64) -> ClientLink {
        ClientLink {
            words: "eth0 to 10.0.0.2".to_owned(),
            mbit_per_s: Some(mbit_per_s),
            line_bytes_per_s: Some(tcp_payload_bytes_per_s(mbit_per_s, 1_500)),
        }
    }

    fn ceilings(path: &PathFacts) -> Vec<Option<f64>> {
        path.hops.iter().map(|hop| hop.ceiling_bytes_per_s.map(|bytes| (bytes / 1e6).round())).collect()
    }

    #[test]
    fn the_hop_that_can_carry_least_is_marked_in_the_direction_of_the_load() {
        let reading = path(&site(), Some(&client(10_000.0)), MeasuredPath::default());
        let expected = [Some(1_177.0), None, Some(1_177.0), None, Some(2_400.0), Some(1_440.0)];
        assert_eq!((ceilings(&reading), reading.lowest), (expected.to_vec(), Some(0)));
        let writing = MeasuredPath { is_writing: true, ..MeasuredPath::default() };
        let writing = path(&site(), Some(&client(10_000.0)), writing);
        assert_eq!(ceilings(&writing)[5], Some(720.0), "each mirror is written twice");
        assert_eq!(writing.hops[writing.lowest.unwrap()].kind, HopKind::Disks);
    }

    #[test]
    fn several_groups_have_a_parity_each_and_disks_a_number_of_random_reads() {
        let mut site = site();
        site.disks = DisksSite {
            kind: Some(DiskKind::HddSata),
            count: Some(30),
            each_mb_per_s: Some(150.0),
            raid: Some(Raid::Raid6),
            groups: Some(3),
            each_random_reads_per_s: None,
        };
        let facts = path(&site, None, MeasuredPath::default());
        assert_eq!(ceilings(&facts)[5], Some(24.0 * 150.0));
        assert_eq!(facts.disks_random_reads_per_s.map(f64::round), Some(2368.0));
        site.disks.each_random_reads_per_s = Some(100.0);
        assert_eq!(path(&site, None, MeasuredPath::default()).disks_random_reads_per_s, Some(3_000.0));
        site.disks = DisksSite { kind: Some(DiskKind::Nvme), count: Some(4), ..DisksSite::default() };
        assert_eq!(path(&site, None, MeasuredPath::default()).disks_random_reads_per_s, None);
    }

    #[test]
    fn unstated_part_has_no_ceiling() {
        let nothing = path(&Site::default(), None, MeasuredPath::default());
        assert!(nothing.hops.iter().all(|hop| hop.ceiling_bytes_per_s.is_none()), "{nothing:?}");
        assert_eq!((nothing.hops.len(), nothing.lowest), (6, None));
        let measured = MeasuredPath { disks_bytes_per_s: Some(9e6), ..MeasuredPath::default() };
        let measured = path(&Site::default(), None, measured);
        assert_eq!(measured.hops[5].measured_bytes_per_s, Some(9e6));
    }

    #[test]
    fn exceeded_ceiling_is_no_bound() {
        let got = |client_bytes_per_s| {
            let measured =
                MeasuredPath { client_bytes_per_s: Some(client_bytes_per_s), ..MeasuredPath::default() };
            let path = path(&site(), Some(&client(100_000.0)), measured);
            let outrun: Vec<bool> = path.hops.iter().map(|hop| hop.outrun_bytes_per_s.is_some()).collect();
            (outrun, path.lowest)
        };
        // The server's link has a stated capacity of 1,177 MB/s, the disks of 1,440.
        assert_eq!(got(1_180e6), (vec![false; 6], Some(2)));
        assert_eq!(got(1_300e6), (vec![false, false, true, false, false, false], Some(5)));
        assert_eq!(got(2_000e6), (vec![false, false, true, false, false, true], Some(4)));
    }

    #[test]
    fn slower_client_needs_a_buffer() {
        let holds = |mbit| {
            path(&site(), Some(&client(mbit)), MeasuredPath::default()).buffer_holds_us.map(f64::round)
        };
        assert_eq!(holds(1_000.0), Some(466.0));
        assert_eq!(holds(10_000.0), None);
    }
}
