//! The machines of a run that several made: what each did, each group, each target, all together, and all
//! without those that stand out. The figures of the whole are those of its load points; here is whose they
//! are.
//!
//! Not here: putting logs and clocks together (the fleet room), which machine stands out
//! ([`crate::compare::siblings`]).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::figures::{Figures, TimeFigures};
use crate::late::StreamTotals;
use crate::limit::LimitStep;

/// The machines of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostsSection {
    /// The machines, in the order of their numbers of workers and streams.
    pub hosts: Vec<RunHost>,
    /// How far times of different machines may be off against each other, at most. `None` where some clock
    /// was not compared.
    pub clock_uncertainty_us: Option<f64>,
    /// The load points, in the order in which they ran.
    pub points: Vec<PointHosts>,
    /// What several targets moved together, against fewer. `None` where all load points had the same targets.
    pub scale: Option<TargetScale>,
}

/// One machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunHost {
    /// Its name.
    pub agent: String,
    /// The group that it belongs to, if it belongs to one.
    pub group: Option<String>,
    /// Where its data lay.
    pub target: Option<String>,
    /// The network interface on the path to the storage; `None` where there is none, or it is unknown.
    pub interface: Option<String>,
    /// The first of its workers.
    pub first_worker: u32,
    /// How many numbers of workers are its own, from that one on.
    pub workers: u32,
    /// The first of its streams.
    pub first_stream: u32,
    /// How many numbers of streams are its own, from that one on.
    pub streams: u32,
    /// How far its clock was ahead of the one that times are mapped to. `None` where they were not compared.
    pub clock_offset_us: Option<f64>,
    /// How far that may be off.
    pub clock_uncertainty_us: Option<f64>,
    /// How its clock was set during the run, which changes no figure: times are those of monotonic clocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub clock_steps: Vec<HostClockStep>,
    /// Since when it was missing. `None` where it was never missing, or the time is unknown.
    pub missing_from_s: Option<f64>,
    /// Why it is missing, or what is missing of it.
    pub why_missing: Option<String>,
    /// Whether its part of the run ended as planned. `None` where nothing of it was fetched.
    pub is_complete: Option<bool>,
    /// Whether all its operations are in the log.
    pub log_complete: bool,
}

/// A clock of a machine that was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostClockStep {
    /// When, in the run; `None` where nobody knows.
    pub at_s: Option<f64>,
    /// By how much; negative: back.
    pub by_s: f64,
}

/// A load point by machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointHosts {
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// How far apart the machines began; `None` where fewer than two began, or clocks were not compared.
    pub start_skew_us: Option<f64>,
    /// That is no farther off than this. `None` where it is not known.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub start_uncertainty_us: Option<f64>,
    /// Each machine, in the order of [`HostsSection::hosts`].
    pub hosts: Vec<HostFigures>,
    /// Each group, where there are several.
    pub groups: Vec<PartFigures>,
    /// Each target, where there are several.
    pub targets: Vec<PartFigures>,
    /// Each network interface by its name, where machines have different ones.
    pub interfaces: Vec<PartFigures>,
    /// Each network interface of each machine that carried anything, by the machines' own counters. Empty
    /// where they were not sampled.
    #[serde(default)]
    pub nics: Vec<NicFigures>,
    /// All machines.
    pub total: PartFigures,
    /// All but those that stand out by being worse; `None` where none is.
    pub without: Option<PartFigures>,
}

/// One machine in a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostFigures {
    /// Whether it was there.
    pub presence: Presence,
    /// How much later than agreed it began, or than the first of all where nothing was agreed. `None` where
    /// it did not begin, or its clock was not compared.
    pub start_skew_us: Option<f64>,
    /// That is no farther off than this. `None` where it is not known.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub start_uncertainty_us: Option<f64>,
    /// What it did.
    pub figures: PartFigures,
    /// How it differs from its siblings, if it does.
    pub stands_out: Option<StandsOut>,
    /// Whose fault it was that its criteria were not met. `None` where they were.
    pub culprit: Option<Culprit>,
    /// Which layer limited it. `None` where that is unknown.
    pub limit: Option<LimitStep>,
}

/// How a computer differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StandsOut {
    /// By which figure.
    pub figure: HostFigure,
    /// What it did: bytes per second, or µs.
    pub value: f64,
    /// The middle of its siblings.
    pub siblings: f64,
    /// How far it may lie from that by chance, in percent.
    pub noise_percent: f64,
    /// It fared worse than they did.
    pub is_worse: bool,
}

/// What machines are held against one another by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HostFigure {
    /// Reads and writes together. What a clock asked for says nothing of the storage.
    Throughput,
    /// From when reads and writes were due until they were done.
    MeanResponse,
}

/// Whether a machine was there in a load point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// From its beginning to its end.
    Whole,
    /// From its beginning to its end, and it had nothing to do: fewer workers than machines were asked for.
    Idle,
    /// Not to its end.
    Part,
    /// Nothing of it is known.
    #[default]
    Missing,
}

/// What some of the machines did in a load point, or one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartFigures {
    /// The machine, the group, the target. Empty for all.
    pub name: String,
    /// How many machines did anything.
    pub hosts: u32,
    /// How many workers ran on them.
    pub workers: u32,
    /// How long was measured, from the first of them to the last.
    pub measured_s: Option<f64>,
    /// See [`Figures::ops`].
    pub ops: u64,
    /// See [`Figures::failed_ops`].
    pub failed_ops: u64,
    /// See [`Figures::read_bytes`].
    pub read_bytes: u64,
    /// See [`Figures::written_bytes`].
    pub written_bytes: u64,
    /// Throughput: bytes read ÷ measured time. `None` where nothing was measured.
    pub read_bytes_per_s: Option<f64>,
    /// Throughput: bytes written ÷ measured time.
    pub written_bytes_per_s: Option<f64>,
    /// Both together.
    pub bytes_per_s: Option<f64>,
    /// Response times of reads and writes.
    pub response: Option<TimeFigures>,
    /// Streams that have frames. `None` where nothing is counted in streams.
    pub streams: Option<u64>,
    /// Those of them that had late frames.
    pub streams_with_late_frames: Option<u64>,
    /// Frames whose deadline lies in the measured part.
    pub frames_judged: Option<u64>,
    /// Those that came after their deadline or not at all.
    pub late_frames: Option<u64>,
}

/// What a network interface transferred in a load point, by the computer's own counters: all traffic,
/// including headers and other programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NicFigures {
    /// The machine.
    pub agent: String,
    /// The interface.
    pub interface: String,
    /// The target that it leads to; `None` where it leads to none, or that is unknown.
    pub target: Option<String>,
    /// What came in. `None` where that was not sampled.
    pub received_bytes_per_s: Option<f64>,
    /// What went out. `None` where that was not sampled.
    pub sent_bytes_per_s: Option<f64>,
    /// The speed that it reports, in Mbit/s. `None` where it reports none.
    pub speed_mbit_per_s: Option<u64>,
    /// The busier direction in percent of that.
    pub used_percent: Option<f64>,
}

/// What several targets moved together, against fewer of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TargetScale {
    /// The load point with fewest targets that moved most, as an index into the summary's.
    pub from_point: usize,
    /// Its targets.
    pub from_targets: u32,
    /// The load point with most targets that moved most.
    pub to_point: usize,
    /// Its targets.
    pub to_targets: u32,
    /// What the first moved.
    #[serde(default)]
    pub from_bytes_per_s: f64,
    /// What the second moved.
    #[serde(default)]
    pub to_bytes_per_s: f64,
    /// The second ÷ the first.
    pub factor: f64,
}

impl PartFigures {
    /// From the figures of so many machines.
    pub fn new(name: &str, (hosts, workers): (u32, u32), figures: &Figures, measured_s: f64) -> PartFigures {
        PartFigures {
            name: name.to_owned(),
            hosts,
            workers,
            measured_s: Some(measured_s),
            ops: figures.ops,
            failed_ops: figures.failed_ops,
            read_bytes: figures.read_bytes,
            written_bytes: figures.written_bytes,
            read_bytes_per_s: figures.read_bytes_per_s,
            written_bytes_per_s: figures.written_bytes_per_s,
            bytes_per_s: figures.bytes_per_s,
            response: figures.response.data,
            ..PartFigures::default()
        }
    }

    /// With what came of its streams.
    #[must_use]
    pub fn with_streams(self, total: Option<&StreamTotals>) -> PartFigures {
        PartFigures {
            streams: total.map(|total| total.streams),
            streams_with_late_frames: total.map(|total| total.streams_with_late_frames),
            frames_judged: total.map(|total| total.frames_judged),
            late_frames: total.map(|total| total.late_frames),
            ..self
        }
    }

    /// Of a machine of which nothing is known.
    pub fn missing(name: &str) -> PartFigures {
        PartFigures { name: name.to_owned(), ..PartFigures::default() }
    }
}

impl HostsSection {
    /// The machines that were not there for all of a load point: their places in [`HostsSection::hosts`].
    pub fn not_whole(&self, point: usize) -> Vec<usize> {
        let rows = self.points.iter().find(|hosts| hosts.point == point);
        let rows = rows.into_iter().flat_map(|hosts| hosts.hosts.iter().enumerate());
        let is_there = |presence| matches!(presence, Presence::Whole | Presence::Idle);
        rows.filter(|(_, host)| !is_there(host.presence)).map(|(at, _)| at).collect()
    }

    /// The targets on which anything was done in a load point, as machines with the same one have it.
    pub fn targets_at(&self, point: &PointHosts) -> BTreeSet<String> {
        let rows = self.hosts.iter().zip(&point.hosts).filter(|(_, there)| there.figures.ops > 0);
        rows.filter_map(|(host, _)| Some(shared_target(&host.agent, host.target.as_deref()?))).collect()
    }

    /// The targets of the load point that moved most with most of them, of those in which every machine was
    /// there, and what it moved.
    pub fn most_moved(&self) -> Option<(BTreeSet<String>, f64)> {
        let whole = self.points.iter().filter(|point| self.not_whole(point.point).is_empty());
        let all = whole.filter_map(|point| Some((self.targets_at(point), point.total.bytes_per_s?)));
        all.max_by(|one, two| one.0.len().cmp(&two.0.len()).then(one.1.total_cmp(&two.1)))
    }

    /// The machine that a stream ran on.
    pub fn of_stream(&self, stream: u32) -> Option<&RunHost> {
        let has =
            |host: &&RunHost| stream.checked_sub(host.first_stream).is_some_and(|own| own < host.streams);
        self.hosts.iter().find(has)
    }
}

/// A machine's target as its siblings have it, too: folders that are called after the machine's agent are
/// `{agent}`, as they were when the plan was written.
pub fn shared_target(agent: &str, target: &str) -> String {
    let shared = |folder| if folder == agent { "{agent}" } else { folder };
    target.split('/').map(shared).collect::<Vec<_>>().join("/")
}

/// What a load point, or a run, moved on which targets.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedOn<T> {
    /// At which anything was done.
    pub targets: BTreeSet<T>,
    /// `None` where it is no figure of the targets: a machine was not there, a pace or a limit set it.
    pub bytes_per_s: Option<f64>,
    /// How many workers moved it. `None` where whoever puts them together knows that they are alike.
    pub workers: Option<u32>,
}

impl<T> MovedOn<T> {
    /// Whether the same was asked of both: of all their targets together, or of each.
    fn is_like(&self, other: &MovedOn<T>) -> bool {
        let Some((own, others)) = self.workers.zip(other.workers) else { return true };
        let each = |workers: u32, of: usize| u64::from(workers) * of as u64;
        own == others || each(own, other.targets.len()) == each(others, self.targets.len())
    }
}

/// What the most targets moved against the fewest, where load points differ in them, and the same was asked
/// of them.
pub fn target_scale<T>(of_points: &[MovedOn<T>]) -> Option<TargetScale> {
    let known = || {
        let all = of_points.iter().enumerate();
        all.filter_map(|(at, moved)| Some((at, moved, moved.bytes_per_s.filter(|rate| *rate > 0.0)?)))
            .filter(|(_, moved, _)| !moved.targets.is_empty())
    };
    let fewest = known().map(|(_, moved, _)| moved.targets.len()).min()?;
    let most = known().map(|(_, moved, _)| moved.targets.len()).max()?;
    if fewest == most {
        return None;
    }
    let with = |wanted: usize| known().filter(move |(_, moved, _)| moved.targets.len() == wanted);
    let pairs = with(most).flat_map(|to| with(fewest).map(move |from| (from, to)));
    let fair = pairs.filter(|(from, to)| from.1.is_like(to.1));
    let ((from_point, _, one), (to_point, _, several)) =
        fair.max_by(|one, two| one.1.2.total_cmp(&two.1.2).then(one.0.2.total_cmp(&two.0.2)))?;
    Some(TargetScale {
        from_point,
        from_targets: fewest as u32,
        to_point,
        to_targets: most as u32,
        from_bytes_per_s: one,
        to_bytes_per_s: several,
        factor: several / one,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_targets_are_held_against_one() {
        let on = |targets: &[&'static str], bytes_per_s, workers| MovedOn {
            targets: targets.iter().copied().collect(),
            bytes_per_s,
            workers,
        };
        let one = |bytes_per_s| on(&["nas1"], bytes_per_s, None);
        let both = |bytes_per_s| on(&["nas1", "nas2"], bytes_per_s, None);
        let points = [one(Some(80e6)), one(Some(100e6)), both(Some(190e6)), both(None)];
        let found = target_scale(&points).expect("the targets differ");
        assert_eq!((found.from_point, found.from_targets), (1, 1));
        assert_eq!((found.to_point, found.to_targets), (2, 2));
        assert!((found.factor - 1.9).abs() < 1e-9);
        assert_eq!((found.from_bytes_per_s, found.to_bytes_per_s), (100e6, 190e6));
        assert_eq!(target_scale(&points[..2]), None);
        // Nothing moved is nothing to hold anything against.
        assert_eq!(target_scale(&[one(None), both(Some(1e6))]), None);
        // Of as many workers, or as many for each target; of fewer nobody knows what they would have moved.
        let of = |workers: [u32; 2]| {
            let points = [
                on(&["nas1"], Some(100e6), Some(workers[0])),
                on(&["nas1", "nas2"], Some(120e6), Some(workers[1])),
            ];
            target_scale(&points).is_some()
        };
        assert!(of([4, 4]) && of([2, 4]) && !of([4, 3]) && !of([4, 2]));
    }

    #[test]
    fn the_targets_of_machines_that_did_something_are_those_of_a_load_point() {
        let host = |agent: &str, target: &str| RunHost {
            agent: agent.to_owned(),
            target: Some(target.to_owned()),
            ..RunHost::default()
        };
        let did = |ops| HostFigures {
            figures: PartFigures { ops, ..PartFigures::default() },
            presence: Presence::Whole,
            ..HostFigures::default()
        };
        let point = |ops: [u64; 3], moved: f64| PointHosts {
            hosts: ops.map(did).to_vec(),
            total: PartFigures { bytes_per_s: Some(moved), ..PartFigures::default() },
            ..PointHosts::default()
        };
        let section = HostsSection {
            hosts: vec![host("a", "/mnt/nas1/a"), host("b", "/mnt/nas1/b"), host("c", "/mnt/nas2/c")],
            points: vec![point([1, 0, 0], 300.0), point([1, 1, 1], 200.0), point([2, 2, 2], 250.0)],
            ..HostsSection::default()
        };
        let names = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(names(section.targets_at(&section.points[0])), "/mnt/nas1/{agent}");
        let (targets, moved) = section.most_moved().expect("it moved something");
        assert_eq!((names(targets).as_str(), moved), ("/mnt/nas1/{agent} /mnt/nas2/{agent}", 250.0));
    }

    #[test]
    fn a_stream_has_its_machine() {
        let host = |agent: &str, first_stream, streams| RunHost {
            agent: agent.to_owned(),
            first_stream,
            streams,
            ..RunHost::default()
        };
        let section = HostsSection {
            hosts: vec![host("a1", 0, 3), host("a2", 3, 0), host("a3", 3, 2)],
            ..Default::default()
        };
        let of = |stream| section.of_stream(stream).map(|host| host.agent.as_str());
        assert_eq!(
            [of(0), of(2), of(3), of(4), of(5)],
            [Some("a1"), Some("a1"), Some("a3"), Some("a3"), None]
        );
    }
}
