//! The path from the local host to the disks, drawn for a terminal and as text for a page: each hop with
//! its maximum and the measured rate. The hop with the lowest maximum is marked.
//!
//! Not here: the maxima ([`reelgauge_analysis::path`]).

use std::net::IpAddr;

use reelgauge_analysis::path::per_unit::{PerUnit, SiteShares, SiteUnit};
use reelgauge_analysis::path::site::{Bus, DiskKind, LinkSort, Raid, Site};
use reelgauge_analysis::path::{HopKind, PathFacts};
use serde::{Deserialize, Serialize};

use crate::text::{plain, plain_short, wrap};
use crate::units::{count, counted, duration, mb_per_s, number};

/// Longer texts about a hop are cut.
const WORDS_CHARS: usize = 160;

/// The width of a hop's name in a line.
const NAME_CHARS: usize = 15;

/// A hop as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HopWords {
    /// The name of its kind.
    pub name: String,
    /// The known facts, or a text that none are known.
    pub known: String,
    /// Whether any fact is known.
    pub is_known: bool,
    /// Its maximum and the measured rate: "at most 1,177 MB/s; 640 MB/s measured".
    pub carries: String,
    /// Whether its maximum is the lowest known one.
    pub is_lowest: bool,
}

/// The path, hop by hop. Empty if nothing is known beyond the local host's own link, which has a
/// separate line.
pub fn hop_words(path: &PathFacts) -> Vec<HopWords> {
    if path.site == Site::default() && path.hops.iter().skip(1).all(|hop| hop.measured_bytes_per_s.is_none())
    {
        return Vec::new();
    }
    all_hops(path)
}

/// The whole path, even if nothing is known.
pub(crate) fn all_hops(path: &PathFacts) -> Vec<HopWords> {
    let words = |(at, hop): (usize, &reelgauge_analysis::path::Hop)| {
        let known = known(hop.kind, path);
        let ceiling = hop.ceiling_bytes_per_s.map(|bytes| format!("at most {} MB/s", mb_per_s(bytes)));
        let measured = hop.measured_bytes_per_s.map(|bytes| format!("{} MB/s measured", mb_per_s(bytes)));
        let outrun = hop.outrun_bytes_per_s.map(|bytes| {
            format!(
                "but {} MB/s were transferred: a cache answered, or site.toml is wrong here",
                mb_per_s(bytes)
            )
        });
        let carries: Vec<String> = ceiling.into_iter().chain(measured).chain(outrun).collect();
        HopWords {
            name: name(hop.kind).to_owned(),
            is_known: !known.is_empty(),
            known: if known.is_empty() { "unknown".to_owned() } else { plain_short(&known, WORDS_CHARS) },
            carries: carries.join("; "),
            is_lowest: path.lowest == Some(at),
        }
    };
    path.hops.iter().enumerate().map(words).collect()
}

/// The path as lines of a screen, from the local host down to the disks.
pub fn path_lines(hops: &[HopWords], width: usize) -> Vec<String> {
    let indent = NAME_CHARS + 3;
    let lines_of = |hop: &HopWords| {
        let mark = if hop.is_lowest { ">" } else { " " };
        let carries = if hop.carries.is_empty() { String::new() } else { format!(": {}", hop.carries) };
        let lowest = if hop.is_lowest { " (the lowest)" } else { "" };
        let text = wrap(&format!("{}{carries}{lowest}", hop.known), width.saturating_sub(indent), 0);
        let head = |at: usize| match at {
            0 => format!("{mark} {:<NAME_CHARS$} ", hop.name),
            _ => " ".repeat(indent),
        };
        text.lines().enumerate().map(|(at, line)| format!("{}{line}", head(at))).collect::<Vec<_>>()
    };
    hops.iter().flat_map(lines_of).collect()
}

/// The local host's link: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
pub fn link_words(
    interface: &str,
    server: IpAddr,
    mbit_per_s: Option<f64>,
    mtu_bytes: Option<u32>,
) -> String {
    let speed =
        mbit_per_s.map_or_else(|| ", speed unknown".to_owned(), |mbit| format!(", {}", speed_words(mbit)));
    let mtu = mtu_bytes.map_or_else(String::new, |mtu| format!(", MTU {mtu}"));
    format!("{} to {server}{speed}{mtu}", plain_short(interface, 24))
}

fn speed_words(mbit_per_s: f64) -> String {
    match mbit_per_s >= 1_000.0 {
        true => format!("{} Gbit/s", mbit_per_s / 1_000.0),
        false => format!("{mbit_per_s} Mbit/s"),
    }
}

fn name(kind: HopKind) -> &'static str {
    match kind {
        HopKind::ClientLink => "this client",
        HopKind::Switch => "switch",
        HopKind::ServerLink => "server's link",
        HopKind::ServerMemory => "server's memory",
        HopKind::Backplane => "backplane",
        HopKind::Disks => "disks",
    }
}

/// The known facts about a hop; empty if there are none.
fn known(kind: HopKind, path: &PathFacts) -> String {
    let site = &path.site;
    match kind {
        HopKind::ClientLink => path.client_link.clone(),
        HopKind::Switch => switch(path),
        HopKind::ServerLink => server_link(site),
        HopKind::ServerMemory => site.server.memory_gib.map(|gib| format!("{gib} GiB")).unwrap_or_default(),
        HopKind::Backplane => backplane(site),
        HopKind::Disks => disks(path),
    }
}

fn switch(path: &PathFacts) -> String {
    let switch = &path.site.switch;
    let buffer = switch.buffer_per_port_kib.map(|kib| {
        let whose = match switch.buffer_is_shared {
            Some(true) => ", shared",
            Some(false) => ", not shared",
            None => "",
        };
        let holds =
            path.buffer_holds_us.map(|us| format!(", full after {} at the server's full rate", duration(us)));
        format!("buffer of {kib} KiB per port{whose}{}", holds.unwrap_or_default())
    });
    let on = |is_on: Option<bool>, whose: &str| {
        is_on.map(|is_on| format!("flow control {} at {whose}", if is_on { "on" } else { "off" }))
    };
    let known = [
        switch.model.clone(),
        buffer,
        on(switch.flow_control_at_server, "the server's port"),
        on(switch.flow_control_at_clients, "the clients' ports"),
    ];
    known.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn server_link(site: &Site) -> String {
    let server = &site.server;
    let sort = match server.link_kind {
        None | Some(LinkSort::Ethernet) => "",
        Some(LinkSort::Infiniband) => " InfiniBand",
        Some(LinkSort::FibreChannel) => " Fibre Channel",
    };
    let speed = server.link_mbit_per_s.map(|mbit| format!("{}{sort}", speed_words(mbit)));
    let mtu = server.mtu_bytes.map(|mtu| format!("MTU {mtu}"));
    speed.into_iter().chain(mtu).collect::<Vec<_>>().join(", ")
}

fn backplane(site: &Site) -> String {
    let backplane = &site.backplane;
    let Some(bus) = backplane.bus else { return String::new() };
    let name = match bus {
        Bus::Sas => "SAS",
        Bus::Sata => "SATA",
        Bus::Pcie => "PCIe",
    };
    let generation = backplane.generation.map(|generation| format!(" {generation}")).unwrap_or_default();
    let lanes =
        backplane.lanes.map(|lanes| format!(", {lanes} {}", if lanes == 1 { "lane" } else { "lanes" }));
    format!("{name}{generation}{}", lanes.unwrap_or_default())
}

fn disks(path: &PathFacts) -> String {
    let disks = &path.site.disks;
    let kind = disks.kind.map(|kind| match kind {
        DiskKind::HddSata => "SATA hard disks",
        DiskKind::HddSas => "SAS hard disks",
        DiskKind::SsdSata => "SATA SSDs",
        DiskKind::SsdSas => "SAS SSDs",
        DiskKind::Nvme => "NVMe SSDs",
    });
    let raid = disks.raid.map(|raid| match raid {
        Raid::Raid0 => "striped",
        Raid::Mirror => "mirrored",
        Raid::Raid5 => "RAID 5",
        Raid::Raid6 => "RAID 6",
        Raid::Raidz3 => "RAID-Z3",
    });
    let number = match (disks.count, kind) {
        (Some(number), kind) => Some(format!("{number} {}", kind.unwrap_or("disks"))),
        (None, kind) => kind.map(str::to_owned),
    };
    let each = match (disks.each_mb_per_s, disks.kind) {
        (Some(mb), _) => Some(format!("{mb} MB/s each")),
        // The maximum is then that of their connectors, which no hard disk reaches.
        (None, Some(_)) => Some("rate of each disk unknown".to_owned()),
        (None, None) => None,
    };
    let raid = raid.map(|raid| match disks.groups.filter(|groups| *groups > 1) {
        Some(groups) => format!("{groups} groups of {raid}"),
        None => raid.to_owned(),
    });
    let random = path
        .disks_random_reads_per_s
        .map(|per_s| format!("about {} random reads per second at queue depth 1 per disk", count_of(per_s)));
    let known = [number, raid, each, random];
    known.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `of 7,450 streams, 745 per node (10), 74.5 per drive (100); 100 EUR per stream`. If more streams may
/// have been sustained, every share is a lower bound and the price an upper bound, and both are marked
/// as such.
pub fn shares_words(shares: &SiteShares) -> String {
    let (at_least, at_most) = if shares.at_least { ("at least ", "at most ") } else { ("", "") };
    let share = |one: &PerUnit| {
        let unit = match one.unit {
            SiteUnit::Node => "node",
            SiteUnit::Drive => "drive",
            SiteUnit::Core => "core",
            SiteUnit::Client => "client",
            SiteUnit::RackUnit => "rack unit",
        };
        format!("{at_least}{} per {unit} ({})", number(one.streams), count(u64::from(one.count)))
    };
    let all: Vec<String> = shares.per_unit.iter().map(share).collect();
    let price = shares.price_per_stream.map(|price| {
        let currency = shares.currency.as_deref().map(plain).unwrap_or_default();
        format!("{at_most}{} per stream", format!("{} {currency}", number(price)).trim_end())
    });
    let shares_and_price = [Some(all.join(", ")).filter(|all| !all.is_empty()), price];
    let words: Vec<String> = shares_and_price.into_iter().flatten().collect();
    format!("of {at_least}{}, {}", counted(u64::from(shares.streams), "stream"), words.join("; "))
}

/// Two digits, because it is an estimate from a disk's type.
fn count_of(per_s: f64) -> String {
    let step = 10_f64.powf((per_s.max(1.0).log10().floor() - 1.0).max(0.0));
    count((per_s / step).round() as u64 * step as u64)
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::path::site::{DisksSite, ServerSite};
    use reelgauge_analysis::path::{ClientLink, MeasuredPath, path};

    use super::*;

    #[test]
    fn lower_bound_shares_read_at_least_and_prices_at_most() {
        let mut printed = Vec::<String>::new();
        let per_unit = vec![PerUnit { unit: SiteUnit::Node, count: 10, streams: 745.0 }];
        let shares = |at_least| SiteShares {
            streams: 7_450,
            at_least,
            per_unit: per_unit.clone(),
            price_per_stream: Some(100.0),
            currency: Some("EUR".to_owned()),
        };
        printed.push(shares_words(&shares(false)).to_string());
        printed.push(shares_words(&shares(true)).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    fn told(site: &Site, measured: MeasuredPath) -> String {
        let client = ClientLink {
            words: "eth0 to 10.0.0.2, 10 Gbit/s, MTU 1500".to_owned(),
            mbit_per_s: Some(10_000.0),
            line_bytes_per_s: Some(1_176.9e6),
        };
        path_lines(&hop_words(&path(site, Some(&client), measured)), 80).join("\n")
    }

    #[test]
    fn the_lowest_hop_is_marked_and_unknown_ones_are_drawn_as_unknown() {
        let site = Site {
            server: ServerSite { link_mbit_per_s: Some(1_000.0), ..ServerSite::default() },
            disks: DisksSite { count: Some(4), each_mb_per_s: Some(150.0), ..DisksSite::default() },
            ..Site::default()
        };
        let measured = MeasuredPath { client_bytes_per_s: Some(110e6), ..MeasuredPath::default() };
        let text = told(&site, measured);
        insta::assert_snapshot!(text);

        assert!(text.contains("\n  switch          unknown\n"), "{text}");

        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn exceeded_ceiling_is_shown_and_is_not_the_lowest() {
        let server = ServerSite { link_mbit_per_s: Some(100.0), ..ServerSite::default() };
        let site = Site { server, ..Site::default() };
        let text = told(&site, MeasuredPath { client_bytes_per_s: Some(40e6), ..MeasuredPath::default() });
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let wrong = "100 Mbit/s: at most 11.8 MB/s; but 40.0 MB/s were transferred: a cache answered, or \
            site.toml \
                     is wrong here";
        assert!(said.contains(wrong), "{text}");
        assert!(text.starts_with("> this client"), "{text}");
    }

    #[test]
    fn path_without_facts_is_drawn_only_after_a_measurement() {
        assert_eq!(told(&Site::default(), MeasuredPath::default()), "");
        let measured = MeasuredPath { disks_bytes_per_s: Some(90e6), ..MeasuredPath::default() };
        insta::assert_snapshot!(told(&Site::default(), measured));
    }
}
