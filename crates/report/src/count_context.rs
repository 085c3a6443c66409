//! Puts a count of streams into perspective on a page: the number of streams that typical links and
//! disks can carry, and the number that a suite and a newsroom need. Each line names its assumptions.

use reelgauge_analysis::statement::{Judgement, Number, Statement, of};
use reelgauge_analysis::{LoadPoint, Summary};

use crate::document::{Block, Section};
use crate::table::Table;
use crate::text::plain_short;
use crate::units::{count, counted, number};

const LINKS_GBIT_PER_S: [u32; 4] = [1, 10, 25, 100];
/// Payload of a full TCP segment over IPv4 in an Ethernet frame of 1,500 bytes, with its gaps.
const PAYLOAD_SHARE: f64 = 1448.0 / 1538.0;

/// The disks of 45Drives' paper: a name, MB/s, and the assumption.
const DISKS: [(&str, f64, &str); 2] = [
    (
        "an internal hard disk",
        150.0,
        "150 MB/s, sequential (45Drives, 2016). With several streams at once, a hard disk is slower.",
    ),
    (
        "an internal SSD, or an untuned 10 GbE NAS",
        450.0,
        "450 MB/s: the midpoint of 400 to 500 MB/s, which an internal SATA SSD or an untuned NAS with 30 \
         hard disks over 10 GbE reaches. The same NAS reached 1,100 MB/s after tuning (45Drives, 2016).",
    ),
];

/// Typical users: a name, their streams, and the assumption. These are assumptions, not measurements.
const NEEDS: [(&str, u64, &str); 2] = [
    (
        "a facility with four edit seats",
        13,
        "Four editors play three streams each (two layers and a preview), and one stream records: 13 \
         streams.",
    ),
    (
        "a newsroom of twenty",
        24,
        "Twenty journalists, half of them playing at a time, two streams each (a dissolve), and four recordings: 24 \
         streams.",
    ),
];

/// Streams of one format, and the number that a run found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) format: String,
    mb_per_s_each: f64,
    streams: u64,
    /// More may pass: no larger count was tried, or the limit was not found.
    at_least: bool,
}

/// A line of the scale.
#[derive(Clone, Debug, PartialEq)]
struct Reference {
    name: String,
    streams: u64,
    says: String,
    is_bad: bool,
    assumes: String,
}

/// The section of a run's page; `None` if the run found no count, or counted several formats.
pub(crate) fn section(summary: &Summary) -> Option<Section> {
    let statement = summary.statement.clone().unwrap_or_else(|| of(summary));
    let is_found = statement.judgement == Judgement::Met || summary.check.is_some();
    let found = found(&statement, summary).filter(|_| is_found)?;
    let mut lines = references(&found);
    let at_least = if found.at_least { "at least " } else { "" };
    let own = Reference {
        name: "this run".to_owned(),
        streams: found.streams,
        says: format!("{at_least}{}", counted(found.streams, "stream")),
        is_bad: false,
        assumes: String::new(),
    };
    let at = lines.iter().position(|line| line.streams >= found.streams).unwrap_or(lines.len());
    lines.insert(at, own);
    let cells = |of: fn(&Reference) -> &String| lines.iter().map(|line| of(line).clone()).collect();
    let mut table = Table::new(format!("In streams of {}", plain_short(&found.format, 80)));
    table.words("compared with", cells(|line| &line.name));
    table.words("streams", cells(|line| &line.says));
    table.words("assumption", cells(|line| &line.assumes));
    table.bad_rows = (0..lines.len()).filter(|at| lines[*at].is_bad).collect();
    let mut section = Section::of_page("good", "Is this good?", "");
    section.blocks.push(Block::Table(table));
    Some(section)
}

/// Sorted by their number of streams.
fn references(found: &Found) -> Vec<Reference> {
    let each = format!("÷ {} MB/s for each stream.", number(found.mb_per_s_each));
    let streams = |mb_per_s: f64| (mb_per_s / found.mb_per_s_each).floor() as u64;
    let links = LINKS_GBIT_PER_S.map(|gbit| {
        let streams = streams(f64::from(gbit) * 1e3 / 8.0 * PAYLOAD_SHARE);
        Reference {
            name: format!("{gbit} GbE"),
            streams,
            says: format!("transfers at most {}", counted(streams, "stream")),
            is_bad: false,
            assumes: format!(
                "{gbit} Gbit/s × 94 % payload (TCP over IPv4, MTU 1500) {each} NFS and SMB add a little \
                 overhead."
            ),
        }
    });
    let disks = DISKS.map(|(name, mb_per_s, assumes)| Reference {
        name: name.to_owned(),
        streams: streams(mb_per_s),
        says: format!("plays about {}", counted(streams(mb_per_s), "stream")),
        is_bad: false,
        assumes: format!("{assumes} {each}"),
    });
    let needs = NEEDS.map(|(name, streams, assumes)| {
        let enough = match streams {
            streams if found.streams >= streams => ": enough".to_owned(),
            _ if found.at_least => format!("; only {} proven", count(found.streams)),
            _ => ": not enough".to_owned(),
        };
        Reference {
            name: name.to_owned(),
            streams,
            says: format!("needs {}{enough}", counted(streams, "stream")),
            is_bad: found.streams < streams && !found.at_least,
            assumes: assumes.to_owned(),
        }
    });
    let mut all: Vec<Reference> = links.into_iter().chain(disks).chain(needs).collect();
    all.sort_by_key(|one| one.streams);
    all
}

/// The count and format that a run is about, whether or not it finished.
pub(crate) fn found(statement: &Statement, summary: &Summary) -> Option<Found> {
    let points = &summary.load_points;
    match statement.number {
        Number::FirstLook { format, .. } => {
            let format = summary.check.as_ref()?.formats.get(format)?;
            let count = format.play.as_ref().or(format.record.as_ref()).filter(|count| count.streams > 0)?;
            Some(Found {
                format: format.name.clone(),
                mb_per_s_each: format.needed_mb_per_s_each,
                streams: u64::from(count.streams),
                at_least: count.at_least,
            })
        }
        Number::Streams { point, streams, .. } => of_point(points.get(point)?, streams, true),
        Number::Capacity { streams, at_least, .. } if streams > 0 => {
            let point = points.iter().rev().find(|point| point.stream_count == Some(streams))?;
            of_point(point, u64::from(streams), at_least.is_some())
        }
        _ => None,
    }
}

fn of_point(point: &LoadPoint, streams: u64, at_least: bool) -> Option<Found> {
    let all = &point.streams.as_ref()?.streams;
    let first = all.first().filter(|first| all.iter().all(|one| one.name == first.name))?;
    let (bytes_per_s, frames_per_s) = first.bytes_per_s.zip(first.frames_per_s.filter(|rate| *rate > 0.0))?;
    Some(Found {
        format: first.format.clone().unwrap_or_else(|| first.name.clone()),
        mb_per_s_each: bytes_per_s / frames_per_s * first.nominal_frames_per_s / 1e6,
        streams,
        at_least,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(streams: u64, at_least: bool) -> Found {
        Found { format: "ProRes".to_owned(), mb_per_s_each: 100.0, streams, at_least }
    }

    #[test]
    fn references_are_links_by_their_payload_and_needs_in_order() {
        let all: Vec<(String, u64)> =
            references(&found(12, false)).into_iter().map(|one| (one.name, one.streams)).collect();
        let expected = [
            ("1 GbE", 1),
            ("an internal hard disk", 1),
            ("an internal SSD, or an untuned 10 GbE NAS", 4),
            ("10 GbE", 11),
            ("a facility with four edit seats", 13),
            ("a newsroom of twenty", 24),
            ("25 GbE", 29),
            ("100 GbE", 117),
        ];
        assert_eq!(all, expected.map(|(name, streams)| (name.to_owned(), streams)));
    }

    #[test]
    fn a_need_is_not_met_only_where_the_limit_was_found() {
        let is_bad = |found: Found| {
            references(&found).iter().any(|one| one.is_bad && one.name == "a facility with four edit seats")
        };
        assert!(is_bad(found(12, false)));
        assert!(!is_bad(found(12, true)));
        assert!(!is_bad(found(13, false)));
    }
}
