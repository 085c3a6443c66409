//! Marks: events during a run that are known to disturb storage (a scrub, a link that went down, a
//! remount), found in the sampled counters, or entered by the user.
//!
//! A mark is shown next to an incident as a hint. It is not a culprit: two things at the same time prove
//! nothing. The culprit of an incident is decided elsewhere ([`crate::culprit`]).
//!
//! Pure. Not here: sampling (machine), words (report).

use serde::{Deserialize, Serialize};

use crate::counters::{CounterAgent, CounterSeries, Counters};

/// Marks that are kept, at most.
pub const MARKS_MAX: usize = 100;

/// Pages per second read back from swap, from which on programs wait for them: 4 MiB with pages of the
/// usual size.
const STORM_PAGES_PER_S: f64 = 1_000.0;

/// Two parts with a shorter gap are one mark.
const TOGETHER_S: f64 = 15.0;

/// The kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// An array or a file system was being checked, rebuilt, scrubbed or balanced; the device names
    /// which one.
    BackgroundWork,
    /// A link went down or came up.
    LinkFlap,
    /// The target was remounted, or its mount options changed.
    Remount,
    /// Programs were read back from swap.
    SwapStorm,
    /// A snapshot was made.
    Snapshot,
    /// The user paused the run between two load points. It is not from a counter and disturbs nothing:
    /// it explains why nothing was measured.
    Paused,
    /// The user entered the event; the device holds the text.
    Entered,
}

impl MarkKind {
    /// Whether it is found in counters, and is searched again when observers are added to the run.
    pub fn is_counted(self) -> bool {
        !matches!(self, MarkKind::Paused | MarkKind::Entered)
    }
}

/// One mark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mark {
    /// The kind of event.
    pub kind: MarkKind,
    /// The place: `md0 resync`, `eth0`; empty if there is only one.
    pub device: String,
    /// The name of the host whose counters show it.
    pub agent: String,
    /// Its start, in seconds since the run began.
    pub began_s: f64,
    /// Its end, in seconds since the run began.
    pub ended_s: f64,
    /// Whether it was still going on at the last sample.
    pub is_open: bool,
}

impl Mark {
    /// Whether it overlaps this period.
    pub fn is_beside(&self, from_s: f64, until_s: f64) -> bool {
        self.began_s <= until_s && self.ended_s >= from_s
    }
}

/// The network path from a host of the run to its target, for links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way<'a> {
    /// No network.
    Local,
    /// Over this interface.
    Over(&'a str),
    /// Over a network, or unknown.
    NotKnown,
}

/// Prefixes of interfaces that consist of others, which their names do not show.
const MADE_OF_OTHERS: [&str; 8] = ["bond", "team", "br", "vlan", "wg", "tun", "tap", "ppp"];

impl Way<'_> {
    /// Whether this interface is on the path, or may be.
    pub(crate) fn may_take(self, link: &str) -> bool {
        let Way::Over(interface) = self else { return self == Way::NotKnown };
        // A virtual network is named after the interface that it uses: `eth0.100`.
        let below = interface.split(['.', '@']).next().unwrap_or(interface);
        [interface, below].contains(&link) || MADE_OF_OTHERS.iter().any(|name| interface.starts_with(name))
    }
}

/// The marks in the sampled counters, the earliest first. Of the local host's links, only those on the
/// path to the target are reported: others have no traffic of the run.
pub fn marks(counters: &Counters, way: Way<'_>) -> Vec<Mark> {
    let of_agent = |agent: &CounterAgent| {
        let found = agent.series.iter().flat_map(|series| of_series(series, &agent.agent));
        let is_beside =
            |mark: &Mark| mark.kind != MarkKind::LinkFlap || agent.is_observer || way.may_take(&mark.device);
        found.filter(is_beside).collect::<Vec<_>>()
    };
    let mut found: Vec<Mark> = counters.agents.iter().flat_map(of_agent).collect();
    found.sort_by(|one, two| {
        one.began_s
            .total_cmp(&two.began_s)
            .then_with(|| (one.kind, &one.device).cmp(&(two.kind, &two.device)))
    });
    found.truncate(MARKS_MAX);
    found
}

fn of_series(series: &CounterSeries, agent: &str) -> Vec<Mark> {
    let (kind, is_on): (MarkKind, fn(f64, f64) -> bool) = match (series.layer.as_str(), series.name.as_str())
    {
        ("disk", "background_work_count") => (MarkKind::BackgroundWork, |_, now| now > 0.0),
        ("network", "link_changes_per_s") => (MarkKind::LinkFlap, |_, now| now > 0.0),
        ("mount", "remounts_per_s") => (MarkKind::Remount, |_, now| now > 0.0),
        ("host", "swapped_in_pages_per_s") => (MarkKind::SwapStorm, |_, now| now >= STORM_PAGES_PER_S),
        ("disk", "snapshots_count") => (MarkKind::Snapshot, |before, now| now > before),
        _ => return Vec::new(),
    };
    let mut found: Vec<Mark> = Vec::new();
    let (mut before_s, mut before): (Option<f64>, Option<f64>) = (None, None);
    for (&at_s, value) in series.at_s.iter().zip(&series.value) {
        let since_s = before_s.replace(at_s).unwrap_or(at_s);
        let Some(value) = *value else { continue };
        // A snapshot that existed at the first sample was made earlier.
        let earlier = before.replace(value).unwrap_or(value);
        if !is_on(earlier, value) {
            continue;
        }
        let joined = found.last_mut().filter(|mark| since_s - mark.ended_s <= TOGETHER_S);
        match joined {
            Some(mark) => mark.ended_s = at_s,
            None => found.push(Mark {
                kind,
                device: series.device.clone(),
                agent: agent.to_owned(),
                began_s: since_s,
                ended_s: at_s,
                is_open: false,
            }),
        }
    }
    let last_s = series.at_s.last().copied();
    if let Some(mark) = found.last_mut().filter(|mark| Some(mark.ended_s) == last_s) {
        mark.is_open = kind == MarkKind::BackgroundWork;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks_of(layer: &str, name: &str, points: &[(f64, Option<f64>)]) -> Vec<(f64, f64, bool)> {
        let series = CounterSeries {
            layer: layer.to_owned(),
            name: name.to_owned(),
            device: "md0 resync".to_owned(),
            at_s: points.iter().map(|point| point.0).collect(),
            value: points.iter().map(|point| point.1).collect(),
            ..CounterSeries::default()
        };
        let agent =
            CounterAgent { agent: "nas1".to_owned(), series: vec![series], ..CounterAgent::default() };
        let found = marks(&Counters { agents: vec![agent] }, Way::NotKnown);
        assert!(found.iter().all(|mark| mark.agent == "nas1" && mark.device == "md0 resync"), "{found:?}");
        found.into_iter().map(|mark| (mark.began_s, mark.ended_s, mark.is_open)).collect()
    }

    #[test]
    fn work_is_marked_from_the_sample_before_it_to_the_last_with_it() {
        let of = |points: &[(f64, Option<f64>)]| marks_of("disk", "background_work_count", points);
        let (off, on) = (Some(0.0), Some(1.0));
        assert_eq!(of(&[(0.0, off), (1.0, off)]), []);
        assert_eq!(of(&[(0.0, off), (1.0, on), (2.0, on), (3.0, off)]), [(0.0, 2.0, false)]);
        // Present at the first sample, and still present at the last.
        assert_eq!(of(&[(0.0, on), (1.0, on)]), [(0.0, 1.0, true)]);
        // A gap of some seconds does not count, one of a minute does.
        assert_eq!(of(&[(0.0, on), (1.0, None), (2.0, on), (70.0, off), (71.0, on)]).len(), 2);
    }

    #[test]
    fn unusual_change_is_marked_at_its_time() {
        assert_eq!(
            marks_of("network", "link_changes_per_s", &[(1.0, Some(0.0)), (2.0, Some(2.0))]),
            [(1.0, 2.0, false)]
        );
        assert_eq!(marks_of("host", "swapped_in_pages_per_s", &[(1.0, Some(5.0)), (2.0, Some(40.0))]), []);
        assert_eq!(
            marks_of("host", "swapped_in_pages_per_s", &[(1.0, Some(5.0)), (2.0, Some(9_000.0))]).len(),
            1
        );
        assert_eq!(marks_of("mount", "remounts_per_s", &[(1.0, Some(0.0)), (2.0, Some(1.0))]).len(), 1);
    }

    #[test]
    fn a_snapshot_is_marked_when_there_is_one_more() {
        let of = |values: &[f64]| {
            let points: Vec<_> =
                values.iter().enumerate().map(|(at, value)| (at as f64, Some(*value))).collect();
            marks_of("disk", "snapshots_count", &points)
        };
        assert_eq!(of(&[3.0, 3.0, 2.0]), []);
        assert_eq!(of(&[3.0, 4.0, 4.0]), [(0.0, 1.0, false)]);
    }

    #[test]
    fn only_samples_that_mark_are_kept_for_marks() {
        for kind in reelgauge_record::counters::KINDS {
            let is_kept = crate::counters::MARKING.contains(&(kind.layer, kind.name));
            let risen = [(0.0, Some(0.0)), (1.0, Some(1e9))];
            assert_eq!(is_kept, !marks_of(kind.layer.name(), kind.name, &risen).is_empty(), "{}", kind.name);
        }
    }

    #[test]
    fn interfaces_off_the_target_path_cause_no_marks() {
        let of = |way: Way<'_>, device: &str| {
            let series = CounterSeries { device: device.to_owned(), ..risen() };
            let agent =
                CounterAgent { agent: "local".to_owned(), series: vec![series], ..CounterAgent::default() };
            marks(&Counters { agents: vec![agent] }, way).len()
        };
        assert_eq!(of(Way::NotKnown, "eth1"), 1);
        assert_eq!(of(Way::Local, "eth0"), 0);
        assert_eq!([of(Way::Over("eth0"), "eth0"), of(Way::Over("eth0"), "eth1")], [1, 0]);
        // A virtual network on an interface goes down with it; the links of a bond are unknown.
        assert_eq!([of(Way::Over("eth0.100"), "eth0"), of(Way::Over("eth1.100"), "eth0")], [1, 0]);
        for many in ["bond0", "br0", "team0", "bond0.100", "wg0"] {
            assert_eq!(of(Way::Over(many), "eth1"), 1, "{many}");
        }
        // All marks of an observer are reported, whatever the local host's network path is.
        let observer = CounterAgent { is_observer: true, series: vec![risen()], ..CounterAgent::default() };
        assert_eq!(marks(&Counters { agents: vec![observer] }, Way::Local).len(), 1);
    }

    fn risen() -> CounterSeries {
        CounterSeries {
            layer: "network".to_owned(),
            name: "link_changes_per_s".to_owned(),
            device: "eth0".to_owned(),
            at_s: vec![1.0, 2.0],
            value: vec![Some(0.0), Some(1.0)],
            ..CounterSeries::default()
        }
    }

    #[test]
    fn other_counters_mark_nothing_and_time_is_compared() {
        assert_eq!(marks_of("disk", "util_percent", &[(0.0, Some(99.0))]), []);
        let mark = Mark {
            kind: MarkKind::Remount,
            device: String::new(),
            agent: String::new(),
            began_s: 5.0,
            ended_s: 6.0,
            is_open: false,
        };
        assert!(mark.is_beside(0.0, 5.5) && mark.is_beside(5.9, 9.0));
        assert!(!mark.is_beside(0.0, 4.9) && !mark.is_beside(6.1, 9.0));
    }
}
