//! Checks that the description of a site is possible: numbers in their ranges, and enough disks for the
//! RAID level. A file written by hand has to meet the same conditions as an answer in the dialogue.
//!
//! Not here: the units that an answer may have (results).

use std::fmt::Display;

use super::{Bus, PartSite, Raid, Site};

/// The range of link speeds, in Mbit/s.
pub const LINK_MBIT_PER_S: (f64, f64) = (10.0, 1_600_000.0);
/// The range of server memories, in GiB.
pub const MEMORY_GIB: (f64, f64) = (0.1, 1_048_576.0);
/// The range of buffers of a switch port, in KiB.
pub const BUFFER_KIB: (f64, f64) = (1.0, 67_108_864.0);
/// The range of sequential rates of one disk, in MB/s.
pub const DISK_MB_PER_S: (f64, f64) = (1.0, 100_000.0);
/// The range of packet sizes, in bytes: IPv4 requires the lower bound on every link.
pub const MTU_BYTES: (u32, u32) = (68, 65_536);
/// The range of lanes from a backplane to its server.
pub const LANES: (u32, u32) = (1, 32);
/// The range of prices, in any currency.
pub const PRICE: (f64, f64) = (0.01, 1e15);
/// The range of disk counts.
pub const DISKS: (u32, u32) = (1, 100_000);
/// The range of random reads per second of one disk.
pub const RANDOM_READS_PER_S: (f64, f64) = (1.0, 100_000_000.0);

/// Characters of a text, at most.
pub const TEXT_CHARS: usize = 300;
/// Lines of a bill of materials, at most.
pub const PARTS: usize = 500;

/// An impossible value: its place, the value, and the allowed values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value} in [{table}] is invalid: {allowed}")]
pub struct SiteFault {
    /// The table of the file.
    pub table: &'static str,
    /// The key in it.
    pub key: &'static str,
    /// The value in the file.
    pub value: String,
    /// The allowed values.
    pub allowed: String,
}

impl Bus {
    pub const fn latest_generation(self) -> u32 {
        match self {
            Bus::Sas => 4,
            Bus::Sata => 3,
            Bus::Pcie => 7,
        }
    }
}

impl Raid {
    /// The smallest number of disks.
    pub const fn least_disks(self) -> u32 {
        match self {
            Raid::Raid0 => 1,
            Raid::Mirror => 2,
            Raid::Raid5 => 3,
            Raid::Raid6 => 4,
            Raid::Raidz3 => 5,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Raid::Raid0 => "raid0",
            Raid::Mirror => "mirror",
            Raid::Raid5 => "raid5",
            Raid::Raid6 => "raid6",
            Raid::Raidz3 => "raidz3",
        }
    }
}

impl Site {
    /// All impossible values, in the order of the file.
    pub fn faults(&self) -> Vec<SiteFault> {
        let (server, backplane, disks) = (&self.server, &self.backplane, &self.disks);
        let latest = backplane.bus.unwrap_or(Bus::Pcie).latest_generation();
        [
            number("server", "link_mbit_per_s", server.link_mbit_per_s, LINK_MBIT_PER_S),
            whole("server", "mtu_bytes", server.mtu_bytes, MTU_BYTES),
            number("server", "memory_gib", server.memory_gib, MEMORY_GIB),
            number("switch", "buffer_per_port_kib", self.switch.buffer_per_port_kib, BUFFER_KIB),
            whole("backplane", "generation", backplane.generation, (1, latest)),
            whole("backplane", "lanes", backplane.lanes, LANES),
            whole("disks", "count", disks.count, DISKS),
            number("disks", "each_mb_per_s", disks.each_mb_per_s, DISK_MB_PER_S),
            number("disks", "each_random_reads_per_s", disks.each_random_reads_per_s, RANDOM_READS_PER_S),
            whole("disks", "groups", disks.groups, DISKS),
            whole("system", "nodes", self.system.nodes, DISKS),
            whole("system", "cores", self.system.cores, (1, 10_000_000)),
            whole("system", "clients", self.system.clients, DISKS),
            whole("system", "rack_units", self.system.rack_units, DISKS),
            number("system", "price", self.system.price, PRICE),
            currency(self.system.currency.as_deref()),
            too_few(disks.raid, disks.count),
            too_many_groups(disks.raid, disks.count, disks.groups),
        ]
        .into_iter()
        .flatten()
        .chain(self.faults_of_texts())
        .collect()
    }

    /// Texts that are empty or too long, and part counts of 0.
    fn faults_of_texts(&self) -> impl Iterator<Item = SiteFault> {
        let of = &self.document;
        let texts = [
            ("title", &of.title),
            ("customer", &of.customer),
            ("place", &of.place),
            ("author", &of.author),
            ("note", &of.note),
        ];
        let of_document = texts.map(|(key, said)| text("document", key, said.as_deref()));
        let too_many = (self.parts.len() > PARTS).then(|| SiteFault {
            table: "[part]",
            key: "name",
            value: format!("{} times", self.parts.len()),
            allowed: format!("at most {PARTS} parts"),
        });
        let of_parts: Vec<SiteFault> = self.parts.iter().flat_map(faults_of_part).collect();
        of_document.into_iter().flatten().chain(too_many).chain(of_parts)
    }

    /// Checks the description.
    ///
    /// # Errors
    /// The first impossible value.
    pub fn check(&self) -> Result<(), SiteFault> {
        self.faults().into_iter().next().map_or(Ok(()), Err)
    }
}

/// A number that is not finite or out of range.
fn number(
    table: &'static str,
    key: &'static str,
    value: Option<f64>,
    bounds: (f64, f64),
) -> Option<SiteFault> {
    let fault = within(table, key, value, bounds, "a number")?;
    Some(SiteFault { value: number_in_short(value?), ..fault })
}

/// Formats a number without the hundreds of digits that very large and very small ones have.
fn number_in_short(value: f64) -> String {
    match value.abs() {
        large if large.is_finite() && large >= 1e16 => format!("{value:e}"),
        small if small > 0.0 && small < 1e-6 => format!("{value:e}"),
        _ => value.to_string(),
    }
}

fn whole(
    table: &'static str,
    key: &'static str,
    value: Option<u32>,
    bounds: (u32, u32),
) -> Option<SiteFault> {
    within(table, key, value, bounds, "a whole number")
}

fn within<T: PartialOrd + Display>(
    table: &'static str,
    key: &'static str,
    value: Option<T>,
    (least, most): (T, T),
    what: &str,
) -> Option<SiteFault> {
    let value = value.filter(|value| !(&least..=&most).contains(&value))?.to_string();
    Some(SiteFault { table, key, value, allowed: format!("{what} from {least} to {most}") })
}

fn faults_of_part(part: &PartSite) -> Vec<SiteFault> {
    const TABLE: &str = "[part]";
    let texts = [
        ("name", Some(part.name.as_str())),
        ("maker", part.maker.as_deref()),
        ("model", part.model.as_deref()),
        ("version", part.version.as_deref()),
        ("note", part.note.as_deref()),
    ];
    let texts = texts.into_iter().filter_map(|(key, said)| text(TABLE, key, said));
    texts.chain(whole(TABLE, "count", part.count, (1, 10_000_000))).collect()
}

/// A text that is empty or too long. Its characters are escaped where it is shown.
fn text(table: &'static str, key: &'static str, said: Option<&str>) -> Option<SiteFault> {
    let said = said.filter(|said| said.trim().is_empty() || said.chars().count() > TEXT_CHARS)?;
    let allowed = format!("a text of 1 to {TEXT_CHARS} characters");
    Some(SiteFault { table, key, value: quoted(said), allowed })
}

/// The beginning of a text in quotes, without terminal control characters.
fn quoted(said: &str) -> String {
    let harmless: Vec<char> = said.chars().filter(|c| !c.is_control()).collect();
    let start: String = harmless.iter().take(16).collect();
    let more = if harmless.len() > 16 { "..." } else { "" };
    format!("{:?}", start + more)
}

/// A disk count that is too small for the RAID level; other checks report a count of 0.
fn too_few(raid: Option<Raid>, count: Option<u32>) -> Option<SiteFault> {
    let (raid, count) = (raid?, count.filter(|count| *count > 0)?);
    let (word, least) = (raid.word(), raid.least_disks());
    let allowed = format!("{word} needs at least {least} disks, but count = {count}");
    (count < least).then(|| SiteFault { table: "disks", key: "raid", value: format!("\"{word}\""), allowed })
}

/// A currency that is not a word of letters. It is shown on screens and pages.
fn currency(word: Option<&str>) -> Option<SiteFault> {
    let word =
        word.filter(|word| !(1..=8).contains(&word.len()) || !word.chars().all(char::is_alphanumeric))?;
    let allowed = "one to eight letters, such as EUR".to_owned();
    Some(SiteFault { table: "system", key: "currency", value: quoted(word), allowed })
}

/// A number of groups with too few disks for it; other checks report too few disks for one group.
fn too_many_groups(raid: Option<Raid>, count: Option<u32>, groups: Option<u32>) -> Option<SiteFault> {
    let groups = groups.filter(|groups| *groups > 1)?;
    let (least, count) = (raid.unwrap_or(Raid::Raid0).least_disks(), count?);
    let needed = u64::from(least) * u64::from(groups);
    let word = raid.map_or("disks", Raid::word);
    let allowed = format!("{groups} groups of {word} need at least {needed} disks, but count = {count}");
    let is_said = count < least;
    (!is_said && u64::from(count) < needed).then(|| SiteFault {
        table: "disks",
        key: "groups",
        value: groups.to_string(),
        allowed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::ceiling::{bus_bytes_per_s, data_disks};

    #[test]
    fn texts_that_are_empty_or_too_long_are_named_with_their_place() {
        let title = |title: &str| fault(|site| site.document.title = Some(title.to_owned()));
        assert_eq!(title("Acme"), "fine");
        assert_eq!(title(" "), "title = \" \" in [document] is invalid: a text of 1 to 300 characters");
        assert!(title(&"é".repeat(301)).starts_with("title = \"éééééééééééééééé...\" in [document]"));
        let price = |price| fault(|site| site.system.price = Some(price));
        assert!(price(1e308).starts_with("price = 1e308 in [system]"), "{}", price(1e308));
        assert!(price(1e-300).starts_with("price = 1e-300 in [system]"), "{}", price(1e-300));
        let part = |part: PartSite| fault(|site| site.parts = vec![part]);
        let named = PartSite { name: "server".to_owned(), ..PartSite::default() };
        assert_eq!(part(named.clone()), "fine");
        assert!(part(PartSite::default()).starts_with("name = \"\" in [[part]] "));
        assert!(part(PartSite { count: Some(0), ..named.clone() }).starts_with("count = 0 in [[part]]"));
        assert!(fault(|site| site.parts = vec![named; 501]).contains("at most 500 parts"));
    }

    fn fault(change: impl FnOnce(&mut Site)) -> String {
        let mut site = Site::default();
        change(&mut site);
        site.check().map_or_else(|fault| fault.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn invalid_numbers_are_reported_with_the_allowed_range() {
        let link = |value| fault(|site| site.server.link_mbit_per_s = Some(value));
        let allowed = "is invalid: a number from 10 to 1600000";
        assert_eq!(link(-5.0), format!("link_mbit_per_s = -5 in [server] {allowed}"));
        assert_eq!(link(f64::NAN), format!("link_mbit_per_s = NaN in [server] {allowed}"));
        assert_eq!((link(0.0).contains(allowed), link(10_000.0).as_str()), (true, "fine"));
        let each = |value| fault(|site| site.disks.each_mb_per_s = Some(value));
        assert!(each(f64::INFINITY).starts_with("each_mb_per_s = inf in [disks] "));
        assert!(fault(|site| site.server.memory_gib = Some(-1.0)).starts_with("memory_gib = -1 "));
        assert!(fault(|site| site.switch.buffer_per_port_kib = Some(0.0)).contains("in [switch]"));
        assert!(fault(|site| site.server.mtu_bytes = Some(0)).contains("from 68 to 65536"));
        assert_eq!(
            fault(|site| site.backplane.lanes = Some(0)),
            "lanes = 0 in [backplane] is invalid: a whole number from 1 to 32"
        );
        assert!(fault(|site| site.backplane.lanes = Some(33)).contains("lanes = 33"));
        assert!(fault(|site| site.disks.count = Some(0)).starts_with("count = 0 in [disks]"));
        assert_eq!(fault(|_| ()), "fine");
    }

    /// Every accepted generation has a rate, and every generation with a rate is accepted.
    #[test]
    fn generations_are_those_of_their_bus() {
        for (bus, latest) in [(Bus::Sas, 4), (Bus::Sata, 3), (Bus::Pcie, 7)] {
            for generation in [0, 1, latest, latest + 1, 99] {
                let said = fault(|site| {
                    (site.backplane.bus, site.backplane.generation) = (Some(bus), Some(generation));
                });
                assert_eq!(said == "fine", bus_bytes_per_s(bus, generation, 1).is_some(), "{bus:?}: {said}");
                assert_eq!(said == "fine", (1..=latest).contains(&generation), "{bus:?}: {said}");
            }
        }
        assert!(fault(|site| site.backplane.generation = Some(99)).contains("from 1 to 7"));
    }

    #[test]
    fn raid_has_enough_disks() {
        let of = |raid, count| fault(|site| (site.disks.raid, site.disks.count) = (Some(raid), Some(count)));
        assert_eq!(
            of(Raid::Raid6, 1),
            "raid = \"raid6\" in [disks] is invalid: raid6 needs at least 4 disks, but count = 1"
        );
        for raid in [Raid::Raid0, Raid::Mirror, Raid::Raid5, Raid::Raid6, Raid::Raidz3] {
            for count in 1..8 {
                assert_eq!(
                    of(raid, count) == "fine",
                    data_disks(raid, count, 1).is_some(),
                    "{raid:?} {count}"
                );
            }
        }
        assert_eq!(fault(|site| site.disks.raid = Some(Raid::Raid6)), "fine", "nobody said how many");
    }

    #[test]
    fn every_group_has_the_disks_that_its_raid_takes() {
        let of = |count, groups| {
            fault(|site| {
                site.disks.raid = Some(Raid::Raid6);
                (site.disks.count, site.disks.groups) = (Some(count), Some(groups));
            })
        };
        assert_eq!(of(30, 3), "fine");
        assert_eq!(
            of(11, 3),
            "groups = 3 in [disks] is invalid: 3 groups of raid6 need at least 12 disks, but count = 11"
        );
        assert!(of(30, 0).contains("a whole number from 1 to"));
        assert!(of(2, 3).contains("raid6 needs at least 4 disks"), "said once");
        assert!(of(u32::MAX, u32::MAX).contains("from 1 to 100000"));
        let each = |per_s| fault(|site| site.disks.each_random_reads_per_s = Some(per_s));
        assert_eq!(each(80.0), "fine");
        assert!(each(f64::NAN).contains("each_random_reads_per_s = NaN"));
    }
}
