//! Recorders with a fault injected while they measure, and the layer that was found at fault.

use std::path::Path;
use std::time::Duration;

use rustix::process::Pid;
use serde_json::Value;

use crate::binary::Running;
use crate::mounts::{ImageKind, TempMount};
use crate::run_dir::{self, at, count};
use crate::streams::SMALL;
use crate::verb::Verb;

/// How long something is suspended: long compared with the recorders' buffers.
pub const HELD_UP: Duration = Duration::from_millis(1600);

/// More than any of these runs takes, except a stuck one.
const LIMIT: Duration = Duration::from_secs(90);

/// Three recorders with half a second of buffer.
pub fn recorders(target: &Path, more: &[&str]) -> Verb {
    Verb::on("streams", target)
        .with(&["--actor", "recorder", "--count", "3", "--format", SMALL.id, "--buffer", "12frames"])
        .with(&["--warmup", "500ms", "--duration", "6s", "--direct"])
        .with(more)
}

/// A disk with room for the recorders.
///
/// # Panics
/// If it cannot be mounted.
pub fn disk() -> TempMount {
    TempMount::image(ImageKind::Ext4, 768)
}

/// The process that measures. It is not the process that was started.
///
/// # Panics
/// If the run does not report it.
pub fn measuring_process(verb: &Verb) -> Pid {
    let live = std::fs::read_to_string(verb.run_dir().join("live.jsonl")).unwrap();
    let begin: Value = serde_json::from_str(live.lines().next().unwrap()).unwrap();
    Pid::from_raw(i32::try_from(count(&begin, "pid")).unwrap()).unwrap()
}

/// Starts the verb, lets it measure for a second, then injects the fault. Returns the summary.
///
/// # Panics
/// If it does not end with unmet criteria.
#[track_caller]
pub fn measured(verb: &Verb, mut running: Running, harm: impl FnOnce()) -> Value {
    verb.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(1));
    harm();
    let outcome = running.wait(LIMIT);
    let summary = run_dir::summary(&verb.run_dir());
    outcome.expect_code(1);
    summary
}

/// The incident with most late frames.
///
/// # Panics
/// If there is none.
pub fn worst(summary: &Value) -> &Value {
    let incidents = at(summary, "load_points.0.streams.incidents").as_array().unwrap();
    incidents.iter().max_by_key(|incident| count(incident, "late_frames")).unwrap()
}
