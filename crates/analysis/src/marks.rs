//! Marks: what happened beside a run that is known to disturb storage (a scrub, a link that went down, a
//! remount), found in the counters that were sampled, or entered by people.
//!
//! A mark stands beside an incident as something to look at. It is nobody's culprit: that two things happened
//! at
//! the same time is no proof. Whose an incident was is decided elsewhere ([`crate::culprit`]).
//!
//! Pure. Not here: sampling (doctor), words (report).

use serde::{Deserialize, Serialize};

use crate::counters::{CounterAgent, CounterSeries, Counters};

/// So many are kept.
pub const MARKS_MAX: usize = 100;

/// Pages read back from swap in a second, from which on programs wait for them: 4 MiB with usual pages.
const STORM_PAGES_PER_S: f64 = 1_000.0;

/// Less than this between two parts of one and the same is one.
const TOGETHER_S: f64 = 15.0;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// An array or a file system was being checked, rebuilt, scrubbed or balanced; the device says which and
    /// what.
    BackgroundWork,
    /// A link went down or came up.
    LinkFlap,
    /// What is mounted there was mounted anew, or with other options.
    Remount,
    /// Programs were read back from swap.
    SwapStorm,
    /// A snapshot was made.
    Snapshot,
    /// Somebody paused the run between two load points. No counter says so, and it disturbs nothing: it tells
    /// why nothing was measured.
    Paused,
    /// Somebody saw it happen and entered it; the device is what they wrote.
    Entered,
}

impl MarkKind {
    /// Whether it is found in counters, and found again when others are put beside the run.
    pub fn is_counted(self) -> bool {
        !matches!(self, MarkKind::Paused | MarkKind::Entered)
    }
}

/// One mark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mark {
    /// What happened.
    pub kind: MarkKind,
    /// Where: `md0 resync`, `eth0`; empty where there is one.
    pub device: String,
    /// The name of the computer whose counters show it.
    pub agent: String,
    /// From when on, in seconds since the run began.
    pub began_s: f64,
    /// Until when.
    pub ended_s: f64,
    /// It went on when the last sample was taken.
    pub is_open: bool,
}

impl Mark {
    /// Whether it was at the same time as this stretch.
    pub fn is_beside(&self, from_s: f64, until_s: f64) -> bool {
        self.began_s <= until_s && self.ended_s >= from_s
    }
}

/// Over what the machine of a run reaches its target, as far as its links matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way<'a> {
    /// Over no network.
    Local,
    /// Over this interface.
    Over(&'a str),
    /// Over a network, or it is not known.
    NotKnown,
}

/// Interfaces that have others below them, which their names do not tell; what these names begin with.
const MADE_OF_OTHERS: [&str; 8] = ["bond", "team", "br", "vlan", "wg", "tun", "tap", "ppp"];

impl Way<'_> {
    /// Whether this interface is on the way, or may be.
    pub(crate) fn may_take(self, link: &str) -> bool {
        let Way::Over(interface) = self else { return self == Way::NotKnown };
        // A virtual network is called after the interface that it is on: `eth0.100`.
        let below = interface.split(['.', '@']).next().unwrap_or(interface);
        [interface, below].contains(&link) || MADE_OF_OTHERS.iter().any(|name| interface.starts_with(name))
    }
}

/// The marks in what was sampled, the earliest first. Of this machine's links only those are told that the
/// way to the target takes: others carry nothing of the run.
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
        // What was there at the first look was not made since.
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
    fn work_is_marked_from_the_look_before_it_to_the_last_that_saw_it() {
        let of = |points: &[(f64, Option<f64>)]| marks_of("disk", "background_work_count", points);
        let (off, on) = (Some(0.0), Some(1.0));
        assert_eq!(of(&[(0.0, off), (1.0, off)]), []);
        assert_eq!(of(&[(0.0, off), (1.0, on), (2.0, on), (3.0, off)]), [(0.0, 2.0, false)]);
        // There when the first look was taken, and still there at the last.
        assert_eq!(of(&[(0.0, on), (1.0, on)]), [(0.0, 1.0, true)]);
        // A gap of some seconds is none, and one of a minute is.
        assert_eq!(of(&[(0.0, on), (1.0, None), (2.0, on), (70.0, off), (71.0, on)]).len(), 2);
    }

    #[test]
    fn a_change_is_marked_where_it_happened_and_a_usual_amount_is_not() {
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
    fn whatever_marks_is_kept_and_nothing_else_is_for_that() {
        for kind in reelgauge_record::counters::KINDS {
            let is_kept = crate::counters::MARKING.contains(&(kind.layer, kind.name));
            let risen = [(0.0, Some(0.0)), (1.0, Some(1e9))];
            assert_eq!(is_kept, !marks_of(kind.layer.name(), kind.name, &risen).is_empty(), "{}", kind.name);
        }
    }

    #[test]
    fn links_that_no_way_to_the_target_takes_mark_nothing() {
        let of = |way: Way<'_>, device: &str| {
            let series = CounterSeries { device: device.to_owned(), ..risen() };
            let agent =
                CounterAgent { agent: "local".to_owned(), series: vec![series], ..CounterAgent::default() };
            marks(&Counters { agents: vec![agent] }, way).len()
        };
        assert_eq!(of(Way::NotKnown, "eth1"), 1);
        assert_eq!(of(Way::Local, "eth0"), 0);
        assert_eq!([of(Way::Over("eth0"), "eth0"), of(Way::Over("eth0"), "eth1")], [1, 0]);
        // A network of its own on an interface goes down with it; which links a bond has isn't known.
        assert_eq!([of(Way::Over("eth0.100"), "eth0"), of(Way::Over("eth1.100"), "eth0")], [1, 0]);
        for many in ["bond0", "br0", "team0", "bond0.100", "wg0"] {
            assert_eq!(of(Way::Over(many), "eth1"), 1, "{many}");
        }
        // What is beside the run for its own sake is told whatever this machine's way is.
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
