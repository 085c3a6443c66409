//! The results of a watch, from the counters in its directory alone.
//!
//! Not here: watching (runner), and evaluating the samples ([`reelgauge_analysis::counters::watch_summary`]).

use reelgauge_analysis::counters::watch_summary::Watched;
use reelgauge_analysis::summary::Target;
use reelgauge_analysis::{Summary, WatchFacts};
use reelgauge_record::counters::{is_part, read_part};
use reelgauge_record::run_dir::RunDir;
use reelgauge_workload::watch::WatchPlan;

use crate::folders::listed;
use crate::small_file::{PLAN_MAX_BYTES, read_to_string};

/// The verb of a watch.
pub const WATCH: &str = "watch";

/// The plan of the watch in this directory; `None` if it is none.
pub fn watch_plan(run_dir: &RunDir) -> Option<WatchPlan> {
    let text = read_to_string(&run_dir.plan_path(), PLAN_MAX_BYTES)?;
    WatchPlan::from_toml(&text).ok()
}

/// The samples under this name. Damaged parts are omitted, and listed.
pub fn watch_facts(run_dir: &RunDir, agent: &str) -> WatchFacts {
    let mut watched = Watched::default();
    let mut unread = Vec::new();
    for path in listed(&run_dir.agent_counters_path(agent)).unwrap_or_default() {
        if !path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())) {
            continue;
        }
        match read_part(&path, &mut |row| watched.take(&row)) {
            // The last part lists everything that was not read before.
            Ok(said) => unread = said,
            Err(error) => unread.push(error.to_string()),
        }
    }
    WatchFacts {
        agent: agent.to_owned(),
        watched_s: watched.watched_s(),
        looks: watched.sample_rounds(),
        counters: watched.counters(),
        unread,
    }
}

/// The summary of a watch from its directory: everything except how it ended.
pub fn watch_summary(run_dir: &RunDir, plan: WatchPlan, started_at: &str) -> Summary {
    let WatchPlan { tags, storage, watch, .. } = plan;
    let path = watch.path.as_ref().map(|path| path.display().to_string());
    let mut target = Target { path: path.unwrap_or_else(|| watch.agent.clone()), ..Target::default() };
    // The host's facts about the mount of the path, if one was watched.
    let host = run_dir.read_hosts().ok().and_then(|hosts| hosts.into_iter().next());
    if let Some(mount) = host.and_then(|host| host.mount) {
        target.fs_type = Some(mount.fs_type);
        target.source = Some(mount.source);
        target.mount_options = Some(mount.options);
    }
    let mut summary = Summary::new(env!("CARGO_PKG_VERSION"), started_at, WATCH, target);
    summary.run_dir = Some(run_dir.path().display().to_string());
    summary.label.clone_from(&watch.agent);
    (summary.tags, summary.storage) = (tags, storage);
    // No operation should be logged, so none is missing.
    summary.log.complete = true;
    summary.watch = Some(watch_facts(run_dir, &watch.agent));
    summary
}
