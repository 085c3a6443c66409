//! Finds the layer that limited each load point, from the counters in the run directory: read once, and
//! averaged over exactly the measured time of each load point.
//!
//! Not here: thresholds, and the choice of the limit ([`reelgauge_analysis::limit`]).

use std::path::Path;

use reelgauge_analysis::counters::means::{Averaging, CounterMeans, Stretch};
use reelgauge_analysis::limit::{Limit, LimitInput, Observed, incidents, of_point};
use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_machine::file_system::{MountKind, kind_of};
use reelgauge_record::agents::AgentPlaces;
use reelgauge_record::counters::{is_part, read_part};
use reelgauge_record::run_dir::RunDir;

use crate::folders::{listed, of_observers};
use crate::load_points::LoadPointPlan;

/// Adds the limits of its load points to a summary. `planned` has the measured time of each. If there
/// are no counters, or they cannot be read, the summary is unchanged: the limits are unknown.
pub fn limits_into(summary: &mut Summary, run_dir: &Path, planned: &[LoadPointPlan]) {
    let stretches: Vec<Stretch> =
        summary.load_points.iter().map(|point| measured(point, planned).unwrap_or_default()).collect();
    let mut stretches = stretches;
    let whole = stretches.len();
    // After the load points come the incidents of each of them.
    let incidents: Vec<Vec<Stretch>> = summary.load_points.iter().map(incidents::stretches).collect();
    stretches.extend(incidents.iter().flatten());
    let observed: Vec<(String, Vec<CounterMeans>)> = of_observers(run_dir)
        .into_iter()
        .filter_map(|(name, dir)| Some((name, means_in(&dir, stretches.clone())?)))
        .map(|(name, means)| (name, with_incidents(means, whole, &incidents)))
        .collect();
    let Some(means) = means_over(run_dir, stretches) else { return };
    let means = with_incidents(means, whole, &incidents);
    let around = Around {
        processors: processors(run_dir),
        paced_replay: is_paced_replay(summary),
        on_network: is_on_network(summary),
        summary,
        observed: &observed,
    };
    let limit = |at: usize| {
        let point = &summary.load_points[at];
        let seconds = means[whole + at].seconds;
        let part = incidents::within(point, &summary.series, &incidents[at]);
        let within = (seconds > 0.0).then_some((&part, seconds));
        around.limit_of(point, &means, at, within.map(|(part, seconds)| (part, whole + at, seconds)))
    };
    let limits: Vec<_> = (0..whole).map(limit).collect();
    for (point, limit) in summary.load_points.iter_mut().zip(limits) {
        point.limit = Some(limit);
    }
}

/// The means of the load points, then those of the incidents of each load point combined.
fn with_incidents(
    mut means: Vec<CounterMeans>,
    whole: usize,
    incidents: &[Vec<Stretch>],
) -> Vec<CounterMeans> {
    let mut rest = means.split_off(whole.min(means.len()));
    for stretches in incidents {
        let own: Vec<CounterMeans> = rest.drain(..stretches.len().min(rest.len())).collect();
        means.push(CounterMeans::together(&own));
    }
    means
}

/// The common data of all load points of a run.
struct Around<'a> {
    summary: &'a Summary,
    observed: &'a [(String, Vec<CounterMeans>)],
    processors: u32,
    paced_replay: bool,
    on_network: bool,
}

impl Around<'_> {
    /// The limit of a load point, from the means at this index; `part` is the same for its incidents,
    /// with the index of their means and their duration.
    fn limit_of(
        &self,
        point: &LoadPoint,
        means: &[CounterMeans],
        at: usize,
        part: Option<(&LoadPoint, usize, f64)>,
    ) -> Limit {
        let observed_at = |at: usize| -> Vec<Observed<'_>> {
            self.observed.iter().map(|(name, means)| Observed { name, means: &means[at] }).collect()
        };
        let observed = observed_at(at);
        let scene = LimitInput {
            means: &means[at],
            point,
            link: self.summary.link.as_ref(),
            memory: self.summary.memory.as_ref(),
            observed: &observed,
            on_network: self.on_network,
            processors: self.processors,
            incidents_s: None,
            is_paced: self.paced_replay || point.stream_count.is_some(),
        };
        let Some((part, at, seconds)) = part else { return of_point(&scene, None) };
        let observed = observed_at(at);
        let within = LimitInput {
            means: &means[at],
            point: part,
            observed: &observed,
            incidents_s: Some(seconds),
            ..scene
        };
        of_point(&scene, Some(&within))
    }
}

/// Whether the target is reached over a network. For a run that was killed, only the type of its file
/// system is known.
pub(crate) fn is_on_network(summary: &Summary) -> bool {
    let by_type = summary.target.fs_type.as_deref().is_some_and(|fs_type| {
        let source = summary.target.source.as_deref().unwrap_or_default();
        fs_type == "fuse.sshfs" || kind_of(fs_type, source) == MountKind::Network
    });
    let known = summary.memory.as_ref().is_some_and(|memory| memory.on_network);
    summary.link.is_some() || by_type || known
}

/// Whether operations had due times, according to the trace or the plan. While a run ends, its plan
/// exists, but its results are not in its summary yet.
fn is_paced_replay(summary: &Summary) -> bool {
    let planned = || summary.plan.get("pace").filter(|_| summary.verb == "replay");
    let pace = summary.replay.as_ref().map(|replay| &replay.pace).or_else(planned);
    pace.is_some_and(|pace| pace != "max")
}

/// The number of processors of the run's host, which may be another one than this.
fn processors(run_dir: &Path) -> u32 {
    let hosts = RunDir::open(run_dir).and_then(|run_dir| run_dir.read_hosts());
    let told = hosts.ok().and_then(|hosts| u32::try_from(hosts.first()?.cpu_count).ok());
    told.unwrap_or_else(|| reelgauge_machine::system::processors() as u32)
}

/// The measured time of a load point, without its warm-up.
pub(crate) fn measured(point: &LoadPoint, planned: &[LoadPointPlan]) -> Option<Stretch> {
    let from_ns = planned.iter().find(|planned| planned.index == point.index)?.warmup_until_ns;
    let measured_ns = point.measured_ns.unwrap_or((point.measured_s * 1e9) as u64);
    Some(Stretch { from_ns, until_ns: from_ns.saturating_add(measured_ns) })
}

/// The means of the counters of the local host; `None` if there are none, or they cannot be read.
fn means_over(run_dir: &Path, stretches: Vec<Stretch>) -> Option<Vec<CounterMeans>> {
    // In a run on several hosts, each has separate limits.
    if is_of_several(run_dir) {
        return None;
    }
    let agents = listed(&run_dir.join("counters")).ok()?;
    let is_agent = |dir: &&std::path::PathBuf| {
        dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent="))
    };
    means_in(agents.iter().find(is_agent)?, stretches)
}

fn is_of_several(run_dir: &Path) -> bool {
    AgentPlaces::read(&run_dir.join("ops")).is_ok_and(|places| places.is_some())
}

/// Whether counters of a run on one host are missing, or a part of them is damaged.
pub fn lacks_counters(run_dir: &Path) -> bool {
    if is_of_several(run_dir) {
        return false;
    }
    let agents = listed(&run_dir.join("counters")).unwrap_or_default();
    let mut parts = agents
        .iter()
        .flat_map(|agent| listed(agent).unwrap_or_default())
        .filter(|path| path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())))
        .peekable();
    parts.peek().is_none() || parts.any(|path| read_part(&path, &mut |_| ()).is_err())
}

/// The means of one host's samples, over these periods on its own clock; `None` if its directory cannot
/// be listed.
pub fn means_in(agent: &Path, stretches: Vec<Stretch>) -> Option<Vec<CounterMeans>> {
    let mut averaging = Averaging::over(stretches);
    for path in listed(agent).ok()? {
        if path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())) {
            // The page lists the damaged parts; here they only reduce the evidence.
            let _ = read_part(&path, &mut |row| averaging.take(&row));
        }
    }
    Some(averaging.finish())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::Culprit;
    use reelgauge_analysis::figures::{Figures, PointTiming};
    use reelgauge_analysis::incident::Incident;
    use reelgauge_analysis::late::LateFigures;
    use reelgauge_analysis::limit::{LimitStep, Measure};
    use reelgauge_analysis::meter::PointFigures;
    use reelgauge_analysis::summary::{LoadPointFacts, Target};
    use reelgauge_analysis::verdict::Verdict;
    use reelgauge_record::counters::{Key, Layer, Sample, StoreMeta, StoreWriter};

    use super::*;

    const S: u64 = 1_000_000_000;

    /// A load point of 60 s that the storage failed from 20 s to 32 s.
    fn failed() -> Summary {
        let figures = PointFigures {
            point: 0,
            timing: PointTiming { started_ns: 0, measured_ns: 60 * S },
            total: Figures { ops: 1_000, read_bytes: 1, ..Figures::default() },
            per_worker: Vec::new(),
            paper: Default::default(),
        };
        let incident =
            Incident { began_s: 20.0, ended_s: 32.0, culprit: Culprit::Storage, ..Incident::default() };
        let streams = LateFigures { incidents: vec![incident], incident_count: 1, ..LateFigures::default() };
        let point = LoadPoint {
            culprit: Some(Culprit::Storage),
            verdict: Some(Verdict::default()),
            streams: Some(streams),
            stream_count: Some(4),
            ..LoadPoint::new(LoadPointFacts::default(), figures)
        };
        let mut summary = Summary::new("0.1.0", "2026-11-27T10:00:00Z", "streams", Target::default());
        summary.load_points = vec![point];
        summary
    }

    #[test]
    fn disk_saturated_only_during_an_incident_is_named() {
        let run = tempfile::tempdir().unwrap();
        let meta = StoreMeta { run_ns: 0, agent: "local".to_owned() };
        let mut store = StoreWriter::create(&run.path().join("counters/agent=local"), meta).unwrap();
        let key = || Key { layer: Layer::Disk, name: "util_percent", device: "loop1".to_owned() };
        store.append((0..=60).map(|second| Sample {
            at_ns: second * S,
            key: key(),
            value: Some(if (21..=32).contains(&second) { 100.0 } else { 60.0 }),
        }));
        store.seal(&[]).unwrap();
        let planned = LoadPointPlan {
            index: 0,
            label: String::new(),
            workers: 4,
            sweep_value: None,
            max_bytes_per_s: None,
            tried: None,
            started_ns: 0,
            warmup_until_ns: 0,
            end_ns: 60 * S,
        };
        let mut summary = failed();
        limits_into(&mut summary, run.path(), std::slice::from_ref(&planned));
        let found = summary.load_points[0].limit.as_ref().unwrap().found.as_ref().unwrap();
        assert_eq!((found.step, found.at.as_deref()), (LimitStep::Disk, Some("loop1")));
        assert_eq!(
            (found.value(Measure::DiskBusyPercent), found.value(Measure::IncidentsS)),
            (Some(100.0), Some(12.0))
        );
        // Without an incident, the whole load point is used, in which it is busy for 68 %.
        summary.load_points[0].streams = None;
        limits_into(&mut summary, run.path(), &[planned]);
        let limit = summary.load_points[0].limit.as_ref().unwrap();
        assert!(
            limit.found.is_none() && limit.nearest[0].value(Measure::DiskBusyPercent) == Some(68.0),
            "{limit:?}"
        );
    }
}
