//! Counters beside a session: what the doctor is told of a run, so that it samples on the run's own clock.
//!
//! Not here: what is sampled, and how (doctor).

use reelgauge_doctor::{Sampling, Target, Watch};
use reelgauge_engine::clock::Clock;
use reelgauge_engine::mount::Mount;
use reelgauge_record::counters::StoreMeta;
use reelgauge_record::run_dir::RunDir;

/// Starts to sample what carries this mount.
pub(super) fn start(run_dir: &RunDir, agent: &str, mount: &Mount, clock: Clock) -> Sampling {
    let watch = Watch {
        dir: run_dir.agent_counters_path(agent),
        meta: StoreMeta { run_ns: clock.start_unix_ns().cast_signed(), agent: agent.to_owned() },
        target: Target {
            fs_type: mount.fs_type.clone(),
            source: mount.source.clone(),
            mount_point: mount.mount_point.clone(),
        },
    };
    Sampling::start(watch, move || clock.now_ns())
}
