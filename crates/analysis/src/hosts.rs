//! The hosts of a run on several hosts: the results of each host, each group, each target, of all
//! together, and of all without the outliers. The figures of the whole run are in its load points; this
//! section divides them.
//!
//! Not here: merging logs and clocks (the fleet crate), and which host is an outlier
//! ([`crate::compare::siblings`]).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::figures::{Figures, TimeFigures};
use crate::late::StreamTotals;
use crate::limit::LimitStep;

/// The hosts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostsSection {
    /// The hosts, in the order of their worker and stream numbers.
    pub hosts: Vec<RunHost>,
    /// How far times of different hosts may be off relative to each other, at most. `None` if some clock
    /// was not compared.
    pub clock_uncertainty_us: Option<f64>,
    /// The load points, in the order in which they ran.
    pub points: Vec<PointHosts>,
    /// Throughput of several targets together, compared with fewer. `None` if all load points had the
    /// same targets.
    pub scale: Option<TargetScale>,
}

/// One host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunHost {
    /// Its name.
    pub agent: String,
    /// Its group, if it has one.
    pub group: Option<String>,
    /// Where its test data was.
    pub target: Option<String>,
    /// The network interface on the path to the storage; `None` if there is none, or if it is unknown.
    pub interface: Option<String>,
    /// The number of its first worker.
    pub first_worker: u32,
    /// The number of its workers; their numbers are consecutive.
    pub workers: u32,
    /// The number of its first stream.
    pub first_stream: u32,
    /// The number of its streams; their numbers are consecutive.
    pub streams: u32,
    /// How far its clock was ahead of the reference clock. `None` if they were not compared.
    pub clock_offset_us: Option<f64>,
    /// The uncertainty of that.
    pub clock_uncertainty_us: Option<f64>,
    /// Clock changes during the run. They change no figure, because times are those of monotonic clocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub clock_steps: Vec<HostClockStep>,
    /// When it went missing. `None` if it was never missing, or the time is unknown.
    pub missing_from_s: Option<f64>,
    /// Why it is missing, or which part is missing.
    pub why_missing: Option<String>,
    /// Whether its part of the run ended as planned. `None` if its results were not fetched.
    pub is_complete: Option<bool>,
    /// Whether the log contains all its operations.
    pub log_complete: bool,
}

/// A change of a host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostClockStep {
    /// When it was, in seconds of the run; `None` if unknown.
    pub at_s: Option<f64>,
    /// The size of the change; negative if the clock was set back.
    pub by_s: f64,
}

/// The hosts in a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointHosts {
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// The time between the first and the last start; `None` if fewer than two hosts began, or clocks
    /// were not compared.
    pub start_skew_us: Option<f64>,
    /// The uncertainty of that, at most. `None` if it is unknown.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub start_uncertainty_us: Option<f64>,
    /// Each host, in the order of [`HostsSection::hosts`].
    pub hosts: Vec<HostFigures>,
    /// Each group, if there are several.
    pub groups: Vec<PartFigures>,
    /// Each target, if there are several.
    pub targets: Vec<PartFigures>,
    /// Each network interface by its name, if hosts use different ones.
    pub interfaces: Vec<PartFigures>,
    /// Each network interface of each host that transferred anything, from the hosts' own counters.
    /// Empty if they were not sampled.
    #[serde(default)]
    pub nics: Vec<NicFigures>,
    /// All hosts together.
    pub total: PartFigures,
    /// All hosts without the outliers that are worse; `None` if there are none.
    pub without: Option<PartFigures>,
}

/// One host in a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HostFigures {
    /// Whether it took part.
    pub presence: Presence,
    /// How much later than agreed it began, or than the first host if no time was agreed. `None` if it
    /// did not begin, or its clock was not compared.
    pub start_skew_us: Option<f64>,
    /// The uncertainty of that, at most. `None` if it is unknown.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub start_uncertainty_us: Option<f64>,
    /// Its results.
    pub figures: PartFigures,
    /// How it differs from its siblings, if it is an outlier.
    pub stands_out: Option<StandsOut>,
    /// The culprit if it missed its criteria. `None` if it met them.
    pub culprit: Option<Culprit>,
    /// The layer that limited it. `None` if that is unknown.
    pub limit: Option<LimitStep>,
}

/// How a host differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StandsOut {
    /// The figure that differs.
    pub figure: HostFigure,
    /// Its value: bytes per second, or µs.
    pub value: f64,
    /// The median of its siblings.
    pub siblings: f64,
    /// The largest difference that chance explains, in percent.
    pub noise_percent: f64,
    /// Whether it is worse than its siblings.
    pub is_worse: bool,
}

/// The figures by which hosts are compared with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HostFigure {
    /// Reads and writes together. Not used for requested rates, which say nothing about the storage.
    Throughput,
    /// From when reads and writes were due until they completed.
    MeanResponse,
}

/// Whether a host took part in a load point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// It ran from the start to the end.
    Whole,
    /// It ran from the start to the end without work, because there were fewer workers than hosts.
    Idle,
    /// It did not run to the end.
    Part,
    /// Its results are missing.
    #[default]
    Missing,
}

/// The results of one or several hosts in a load point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartFigures {
    /// The host, the group, or the target. Empty for all.
    pub name: String,
    /// The number of hosts that did any work.
    pub hosts: u32,
    /// The number of workers on them.
    pub workers: u32,
    /// The measured time, from the first start to the last end.
    pub measured_s: Option<f64>,
    /// See [`Figures::ops`].
    pub ops: u64,
    /// See [`Figures::failed_ops`].
    pub failed_ops: u64,
    /// See [`Figures::read_bytes`].
    pub read_bytes: u64,
    /// See [`Figures::written_bytes`].
    pub written_bytes: u64,
    /// Throughput: bytes read ÷ measured time. `None` if nothing was measured.
    pub read_bytes_per_s: Option<f64>,
    /// Throughput: bytes written ÷ measured time.
    pub written_bytes_per_s: Option<f64>,
    /// Both together.
    pub bytes_per_s: Option<f64>,
    /// Response times of reads and writes.
    pub response: Option<TimeFigures>,
    /// Streams that have frames. `None` if there are no streams.
    pub streams: Option<u64>,
    /// How many of them had late frames.
    pub streams_with_late_frames: Option<u64>,
    /// Frames whose deadline is in the measured part.
    pub frames_judged: Option<u64>,
    /// Frames that arrived after their deadline, or never.
    pub late_frames: Option<u64>,
}

/// The traffic of a network interface in a load point, from the host's own counters: everything,
/// including headers and other programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NicFigures {
    /// The host.
    pub agent: String,
    /// The interface.
    pub interface: String,
    /// The target that it is used for; `None` if there is none, or it is unknown.
    pub target: Option<String>,
    /// Received bytes. `None` if they were not sampled.
    pub received_bytes_per_s: Option<f64>,
    /// Sent bytes. `None` if they were not sampled.
    pub sent_bytes_per_s: Option<f64>,
    /// Its reported speed, in Mbit/s. `None` if it reports none.
    pub speed_mbit_per_s: Option<u64>,
    /// Utilization of the busier direction, in percent of the speed.
    pub used_percent: Option<f64>,
}

/// The throughput of several targets together, compared with fewer of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TargetScale {
    /// The load point with the fewest targets, of those the one with the highest throughput; an index
    /// into the summary's load points.
    pub from_point: usize,
    /// The number of its targets.
    pub from_targets: u32,
    /// The load point with the most targets, of those the one with the highest throughput.
    pub to_point: usize,
    /// The number of its targets.
    pub to_targets: u32,
    /// The throughput of the first.
    #[serde(default)]
    pub from_bytes_per_s: f64,
    /// The throughput of the second.
    #[serde(default)]
    pub to_bytes_per_s: f64,
    /// The second ÷ the first.
    pub factor: f64,
}

impl PartFigures {
    /// Takes the figures of this many hosts.
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

    /// Adds the results of its streams.
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

    /// The figures of a host without results.
    pub fn missing(name: &str) -> PartFigures {
        PartFigures { name: name.to_owned(), ..PartFigures::default() }
    }
}

impl HostsSection {
    /// The hosts that did not take part in the whole load point: their indices in
    /// [`HostsSection::hosts`].
    pub fn not_whole(&self, point: usize) -> Vec<usize> {
        let rows = self.points.iter().find(|hosts| hosts.point == point);
        let rows = rows.into_iter().flat_map(|hosts| hosts.hosts.iter().enumerate());
        let is_there = |presence| matches!(presence, Presence::Whole | Presence::Idle);
        rows.filter(|(_, host)| !is_there(host.presence)).map(|(at, _)| at).collect()
    }

    /// The targets that were used in a load point, in the form that all hosts with the same target
    /// share.
    pub fn targets_at(&self, point: &PointHosts) -> BTreeSet<String> {
        let rows = self.hosts.iter().zip(&point.hosts).filter(|(_, there)| there.figures.ops > 0);
        rows.filter_map(|(host, _)| Some(shared_target(&host.agent, host.target.as_deref()?))).collect()
    }

    /// The targets of the load point with the highest throughput among those with the most targets, and
    /// that throughput. Only load points in which every host took part are considered.
    pub fn most_moved(&self) -> Option<(BTreeSet<String>, f64)> {
        let whole = self.points.iter().filter(|point| self.not_whole(point.point).is_empty());
        let all = whole.filter_map(|point| Some((self.targets_at(point), point.total.bytes_per_s?)));
        all.max_by(|one, two| one.0.len().cmp(&two.0.len()).then(one.1.total_cmp(&two.1)))
    }

    /// The host that a stream ran on.
    pub fn of_stream(&self, stream: u32) -> Option<&RunHost> {
        let has =
            |host: &&RunHost| stream.checked_sub(host.first_stream).is_some_and(|own| own < host.streams);
        self.hosts.iter().find(has)
    }
}

/// A host's target in the form that its siblings share: directories that are named after the host's
/// agent become `{agent}`, as in the plan.
pub fn shared_target(agent: &str, target: &str) -> String {
    let shared = |folder| if folder == agent { "{agent}" } else { folder };
    target.split('/').map(shared).collect::<Vec<_>>().join("/")
}

/// The throughput of a load point, or a run, and the targets that it used.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedOn<T> {
    /// The targets that were used.
    pub targets: BTreeSet<T>,
    /// `None` if it does not show the limit of the targets: a host did not take part, or a pace or a
    /// rate limit determined it.
    pub bytes_per_s: Option<f64>,
    /// The number of workers. `None` if the caller knows that all entries have the same workload.
    pub workers: Option<u32>,
}

impl<T> MovedOn<T> {
    /// Whether both had the same workload: in total over their targets, or per target.
    fn is_like(&self, other: &MovedOn<T>) -> bool {
        let Some((own, others)) = self.workers.zip(other.workers) else { return true };
        let each = |workers: u32, of: usize| u64::from(workers) * of as u64;
        own == others || each(own, other.targets.len()) == each(others, self.targets.len())
    }
}

/// The throughput with the most targets compared with the fewest, if load points differ in their targets
/// and had the same workload.
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
    fn two_targets_are_compared_with_one() {
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
        // A throughput of 0 is no base for a ratio.
        assert_eq!(target_scale(&[one(None), both(Some(1e6))]), None);
        // The same number of workers in total, or per target. With fewer, the full throughput is
        // unknown.
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
    fn targets_of_a_load_point_are_those_of_active_hosts() {
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
    fn stream_has_its_host() {
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
