//! Puts the agents' logs and counters into the directory of the whole: as hard links, or as copies if
//! those would be on another file system.
//!
//! An agent's directory is not trusted: only regular files with the names of a log's parts are taken,
//! and no symbolic link is followed. Each file was opened before, and is opened again in its new place
//! while it is counted.

use std::fs;
use std::io;
use std::path::Path;

use reelgauge_record::agents::{AGENTS_FILE, AgentPlaces};
use reelgauge_record::counters::is_part;
use reelgauge_record::host::HostFacts;
use reelgauge_record::run_dir::{RunDir, write_atomically};
use reelgauge_results::load_points::{self, LoadPointPlan};
use reelgauge_results::stream_table::{self, PointStreams, StreamTable};

use super::WholeError;
use super::agent_part::{AgentPart, own_folder};
use super::offsets::clock;
use super::points::label;

/// A longer file is not a plan.
const PLAN_MAX_BYTES: u64 = 64 << 10;

/// The directory of the whole, created if needed. One that an earlier call left is used again; any other
/// is refused.
pub(super) fn directory(out: &Path) -> Result<RunDir, WholeError> {
    let taken = |what| WholeError::Taken { path: out.to_path_buf(), what };
    let held = match fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(_) => return Err(taken("not a readable directory")),
    };
    if held {
        let run_dir = RunDir::open(out).map_err(|_| taken("not empty, and not a run"))?;
        let is_whole = run_dir.ops_path().join(AGENTS_FILE).is_file();
        let is_begun = !run_dir.ops_path().exists() && !run_dir.summary_path().exists();
        return if is_whole || is_begun { Ok(run_dir) } else { Err(taken("a run of one host")) };
    }
    fs::create_dir_all(out).map_err(io_error("create", out))?;
    Ok(RunDir::begin_at(out)?)
}

/// Links or copies everything, and writes the table of places.
pub(super) fn gather(
    run_dir: &RunDir,
    parts: &mut [AgentPart],
    places: &AgentPlaces,
) -> Result<(), WholeError> {
    let ops = run_dir.ops_path();
    fs::create_dir_all(&ops).map_err(io_error("create", &ops))?;
    // First, so that the result of an interrupted call is never taken for the run of one host.
    let json = serde_json::to_vec_pretty(places).unwrap_or_default();
    write_atomically(&ops.join(AGENTS_FILE), &json)?;
    for part in parts {
        let Some(run) = &part.run else { continue };
        keep_plan(&run.dir.plan_path(), &run_dir.path().join("plans"), &part.folder)?;
        put(&run.ops, &ops.join(&part.folder), is_log_part)?;
        let counters = own_folder(&run.dir.path().join("counters"));
        if let Some(counters) = counters {
            put(&counters, &run_dir.path().join("counters").join(&part.folder), is_part)?;
        }
    }
    Ok(())
}

/// Keeps a host's plan. If it cannot be read, nothing is kept.
fn keep_plan(plan: &Path, plans: &Path, folder: &str) -> Result<(), WholeError> {
    if !fs::symlink_metadata(plan).is_ok_and(|metadata| metadata.is_file() && metadata.len() < PLAN_MAX_BYTES)
    {
        return Ok(());
    }
    fs::create_dir_all(plans).map_err(io_error("create", plans))?;
    Ok(write_atomically(&plans.join(format!("{folder}.toml")), &fs::read(plan).unwrap_or_default())?)
}

/// The parts of a log: `part-000001.parquet`, `part-000001-000120.parquet`.
fn is_log_part(name: &str) -> bool {
    let numbers = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(".parquet"));
    numbers.is_some_and(|numbers| numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
}

/// Puts the wanted files of one folder into the other, and removes all other files there.
fn put(from: &Path, to: &Path, is_wanted: fn(&str) -> bool) -> Result<(), WholeError> {
    fs::create_dir_all(to).map_err(io_error("create", to))?;
    let mut wanted = Vec::new();
    for entry in fs::read_dir(from).map_err(io_error("list", from))?.flatten() {
        let name = entry.file_name();
        // The type of the entry itself: a symbolic link is not a file.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && name.to_str().is_some_and(is_wanted) {
            wanted.push(name);
        }
    }
    for entry in fs::read_dir(to).map_err(io_error("list", to))?.flatten() {
        let path = entry.path();
        // Left by an earlier call: it may be an older state of a file that has grown since.
        fs::remove_file(&path).map_err(io_error("remove", &path))?;
    }
    for name in wanted {
        let (from, to) = (from.join(&name), to.join(&name));
        if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).map_err(io_error("copy to", &to))?;
        }
    }
    Ok(())
}

/// `streams.json`, `load-points.json` and `hosts.json` of the whole.
pub(super) fn write_tables(
    run_dir: &RunDir,
    parts: &[AgentPart],
    places: &AgentPlaces,
) -> Result<(), WholeError> {
    let mut streams: Vec<PointStreams> = Vec::new();
    let mut planned: Vec<LoadPointPlan> = Vec::new();
    let mut hosts: Vec<HostFacts> = Vec::new();
    for (part, place) in parts.iter().zip(&places.agents) {
        let Some(run) = &part.run else { continue };
        streams.extend(run.streams.points.iter().map(|point| point.clone().placed(place)));
        for plan in &run.planned {
            let placed = LoadPointPlan {
                started_ns: place.time_ns(plan.started_ns),
                warmup_until_ns: place.time_ns(plan.warmup_until_ns),
                end_ns: place.time_ns(plan.end_ns),
                ..plan.clone()
            };
            match planned.iter_mut().find(|known| known.index == plan.index) {
                Some(known) => {
                    known.label = label(&[&known.label, &placed.label]);
                    known.workers = known.workers.saturating_add(placed.workers);
                    known.started_ns = known.started_ns.min(placed.started_ns);
                    known.warmup_until_ns = known.warmup_until_ns.min(placed.warmup_until_ns);
                    known.end_ns = known.end_ns.max(placed.end_ns);
                }
                None => planned.push(placed),
            }
        }
        let clock = clock(part);
        hosts.extend(run.hosts.iter().map(|host| HostFacts {
            agent: Some(part.name.clone()),
            clock_offset_us: part.wall_clock.or(clock).map(|clock| clock.offset_ns / 1_000),
            clock_uncertainty_us: clock.map(|clock| clock.uncertainty_ns.div_ceil(1_000)),
            ..host.clone()
        }));
    }
    streams.sort_by_key(|point| point.point);
    planned.sort_by_key(|point| point.index);
    stream_table::write(run_dir, &StreamTable { points: streams })?;
    load_points::write(run_dir, &planned)?;
    run_dir.write_hosts(&hosts)?;
    Ok(())
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WholeError {
    move |source| WholeError::Io { action, path: path.to_path_buf(), source }
}
