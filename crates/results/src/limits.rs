//! Which layer limited each load point, from the counters in the run directory: read once, whole, and
//! averaged over exactly the time that each load point measured.
//!
//! Not here: what stands out, and which of it is the limit ([`reelgauge_analysis::limit`]).

use std::num::NonZero;
use std::path::Path;

use reelgauge_analysis::counters::means::{Averaging, Means, Stretch};
use reelgauge_analysis::limit::{Observed, Scene, of_point};
use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_record::agents::AgentPlaces;
use reelgauge_record::counters::{is_part, read_part};
use reelgauge_record::run_dir::RunDir;

use crate::folders::{listed, of_observers};
use crate::load_points::LoadPointPlan;

/// Puts into a summary what limited its load points. `planned` says when each was measured. Without counters,
/// or where they can't be read, it stays as it is: nothing is known.
pub fn limits_into(summary: &mut Summary, run_dir: &Path, planned: &[LoadPointPlan]) {
    let stretches: Vec<Stretch> =
        summary.load_points.iter().map(|point| measured(point, planned).unwrap_or_default()).collect();
    let observed: Vec<(String, Vec<Means>)> = of_observers(run_dir)
        .into_iter()
        .filter_map(|(name, dir)| Some((name, means_in(&dir, stretches.clone())?)))
        .collect();
    let Some(means) = means_over(run_dir, stretches) else { return };
    let processors = processors(run_dir);
    let paced_replay = is_paced_replay(summary);
    let (link, memory) = (summary.link.as_ref(), summary.memory.as_ref());
    let on_network = is_on_network(summary);
    let limit = |(at, (point, means)): (usize, (&LoadPoint, &Means))| {
        let observed: Vec<Observed<'_>> =
            observed.iter().map(|(name, means)| Observed { name, means: &means[at] }).collect();
        let is_paced = paced_replay || point.stream_count.is_some();
        Some(of_point(&Scene {
            means,
            point,
            link,
            memory,
            observed: &observed,
            on_network,
            processors,
            is_paced,
        }))
    };
    let limits: Vec<_> = summary.load_points.iter().zip(&means).enumerate().map(limit).collect();
    for (point, limit) in summary.load_points.iter_mut().zip(limits) {
        point.limit = limit;
    }
}

/// Whether a network leads to the target. Of a run that was killed the type of its file system is all that is
/// known.
pub(crate) fn is_on_network(summary: &Summary) -> bool {
    let types = ["nfs", "cifs", "smb", "fuse.sshfs", "ceph", "9p"];
    let by_type = summary
        .target
        .fs_type
        .as_deref()
        .is_some_and(|fs_type| types.iter().any(|network| fs_type.starts_with(network)));
    let known = summary.memory.as_ref().is_some_and(|memory| memory.on_network);
    summary.link.is_some() || by_type || known
}

/// Whether operations had their times, as the trace or the plan has them. While a run ends it has its plan,
/// and what it found is not in its summary yet.
fn is_paced_replay(summary: &Summary) -> bool {
    let planned = || summary.plan.get("pace").filter(|_| summary.verb == "replay");
    let pace = summary.replay.as_ref().map(|replay| &replay.pace).or_else(planned);
    pace.is_some_and(|pace| pace != "max")
}

/// How many the machine of the run has, which need not be this one.
fn processors(run_dir: &Path) -> u32 {
    let hosts = RunDir::open(run_dir).and_then(|run_dir| run_dir.read_hosts());
    let told = hosts.ok().and_then(|hosts| u32::try_from(hosts.first()?.cpu_count).ok());
    told.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get) as u32)
}

/// When a load point was measured, its warm-up left out.
pub(crate) fn measured(point: &LoadPoint, planned: &[LoadPointPlan]) -> Option<Stretch> {
    let from_ns = planned.iter().find(|planned| planned.index == point.index)?.warmup_until_ns;
    let measured_ns = point.measured_ns.unwrap_or((point.measured_s * 1e9) as u64);
    Some(Stretch { from_ns, until_ns: from_ns.saturating_add(measured_ns) })
}

/// The means of the counters that this machine sampled; `None` where there are none, or they can't be read.
fn means_over(run_dir: &Path, stretches: Vec<Stretch>) -> Option<Vec<Means>> {
    // Of several machines each has limits of its own.
    if AgentPlaces::read(&run_dir.join("ops")).is_ok_and(|places| places.is_some()) {
        return None;
    }
    let agents = listed(&run_dir.join("counters")).ok()?;
    let is_agent = |dir: &&std::path::PathBuf| {
        dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent="))
    };
    means_in(agents.iter().find(is_agent)?, stretches)
}

/// The means of what one machine sampled, over these stretches of its own clock; `None` where its folder
/// can't be listed.
pub fn means_in(agent: &Path, stretches: Vec<Stretch>) -> Option<Vec<Means>> {
    let mut averaging = Averaging::over(stretches);
    for path in listed(agent).ok()? {
        if path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())) {
            // What was damaged is said on the page; here it only explains less.
            let _ = read_part(&path, &mut |row| averaging.take(&row));
        }
    }
    Some(averaging.finish())
}
