//! Opens a run from its directory: its summary or, if the process died before writing one, the figures
//! of its log.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use reelgauge_analysis::late::{LateCounted, LateTally};
use reelgauge_analysis::note::LostPart;
use reelgauge_analysis::summary::{LoadPointFacts, LogFacts, Target};
use reelgauge_analysis::{
    LoadPoint, Outcome, PointTiming, SelfCost, ShortOps, Summary, SummaryError, silence, statement,
    try_rebuild,
};
use reelgauge_record::log::{AgentLog, LogError, LogReader, SkipReason, repair};
use reelgauge_record::regular_file::read_regular_text;
use reelgauge_record::run_dir::{RunDir, RunDirError};
use reelgauge_report::note::lost_note;
use reelgauge_report::self_cost::self_cost_sentence;
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::watch::WatchPlan;

use crate::entered_marks::entered_into;
use crate::limiting_layers::{lacks_counters, limits_into};
use crate::live::LiveOutcome;
use crate::live::liveness::{Life, life};
use crate::load_points::{self, LoadPointPlan};
use crate::partial_results::unfinished_into;
use crate::run_context::beside_into;
use crate::run_event::event_into;
use crate::run_notes;
use crate::small_file::{PLAN_MAX_BYTES, read_to_string};
use crate::stream_table::{self, PointStreams};
use crate::watch_summary::{watch_plan, watch_summary};

/// Why a run without a summary has none.
const KILLED: &str = "it was killed; its figures come from its log";
/// Why a watch without a summary has none.
const KILLED_WATCH: &str = "it was killed";
/// Used if nothing shows how the run ended.
const UNKNOWN: &str = "its end is unknown; its figures come from its log";
/// More than this is no `summary.json`.
pub(crate) const SUMMARY_MAX_BYTES: u64 = 256 << 20;

/// A log that changes while it is read is opened at most this often.
const LOOKS_MOST: u32 = 5;

/// The reason why a run can't be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReopenError {
    /// The directory is not a run directory, or can't be read.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// The summary of the run can't be read.
    #[error("cannot read {}: {source}. {}", path.display(), advice(source))]
    Io {
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Its summary is damaged or newer.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// The run has no summary, and its log can't be read either.
    #[error("the run has no summary.json, and its log is unreadable: {0}")]
    Log(#[from] LogError),
    /// It has no summary, and all of its log was cut off.
    #[error(
        "{} has no summary.json, and its log in ops/ is truncated or damaged. If this is a copy, copy the \
         run again; otherwise repeat the measurement",
        path.display()
    )]
    Torn { path: PathBuf },
}

/// The advice for a summary that can't be read.
fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "Check the permissions of the run directory",
        _ => "Move it away, then compute the figures from the log with 'reelgauge report RUN'",
    }
}

/// The summary of the run in this directory.
///
/// # Errors
/// When it is no run directory, or neither its summary nor its log can be read.
pub fn reopen(path: &Path) -> Result<Summary, ReopenError> {
    let run_dir = RunDir::open(path)?;
    let path = run_dir.summary_path();
    let mut summary = match read_regular_text(&path, SUMMARY_MAX_BYTES) {
        Ok(json) => Summary::from_json(&json)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => without_summary(&run_dir)?,
        Err(source) => return Err(ReopenError::Io { path, source }),
    };
    run_notes::put_into(&mut summary, run_dir.path());
    entered_into(&mut summary, run_dir.path());
    event_into(&mut summary, run_dir.path(), &load_points::read(&run_dir));
    moved_into(&mut summary, run_dir.path());
    // By the rules of this version, so that screen and page of an older run say the same.
    if summary.statement.is_some() {
        summary.statement = Some(statement::of(&summary));
    }
    Ok(summary)
}

/// Names the directory that was opened, if the summary names another: the run was moved or copied, or
/// its path was relative. The commands that a screen advises then work.
fn moved_into(summary: &mut Summary, opened: &Path) {
    let is_opened = |named: &str| match (Path::new(named).canonicalize(), opened.canonicalize()) {
        (Ok(named), Ok(opened)) => named == opened,
        _ => false,
    };
    if summary.run_dir.as_deref().is_some_and(|named| !is_opened(named)) {
        summary.run_dir = Some(opened.display().to_string());
    }
}

/// The figures of a run that goes on, was killed or has lost its summary: everything up to its last sealed
/// second.
fn without_summary(run_dir: &RunDir) -> Result<Summary, ReopenError> {
    let life = life(run_dir.path());
    if let Some(plan) = watch_plan(run_dir) {
        return Ok(unfinished_watch(run_dir, plan, life));
    }
    // Finish what a crash left incomplete, but only if the writing process is certainly dead and the
    // directory is writable. Reading works without it.
    if let Life::Gone(begin) = &life
        && begin.has_died_here()
    {
        for agent in std::fs::read_dir(run_dir.ops_path()).into_iter().flatten().flatten() {
            let _ = repair(&agent.path());
        }
    }
    let mut looks = 1;
    let mut summary = loop {
        match from_log(run_dir, &life) {
            // A running run merges parts of its log, and one of them was removed before it could be
            // opened.
            Err(ReopenError::Log(error)) if error.is_not_found() && looks < LOOKS_MOST => looks += 1,
            found => break found?,
        }
    };
    if matches!(life, Life::Ended(..)) {
        summary.notes.extend(losses(run_dir, &summary).into_iter().map(lost_note));
    }
    (summary.outcome, summary.outcome_reason) = match life {
        Life::Running(_) => (Outcome::Running, None),
        Life::Gone(_) => (Outcome::BrokeOff, Some(KILLED.to_owned())),
        Life::Unknown => (Outcome::BrokeOff, Some(UNKNOWN.to_owned())),
        Life::Ended(LiveOutcome::Complete, _) => {
            summary.notes.push(lost_note(LostPart::Summary));
            (Outcome::Complete, None)
        }
        Life::Ended(LiveOutcome::Interrupted, reason) => (Outcome::Interrupted, reason),
        Life::Ended(LiveOutcome::BrokeOff, reason) => (Outcome::BrokeOff, reason),
    };
    silence::unify(&mut summary);
    unfinished_into(&mut summary, run_dir);
    let planned = load_points::read(run_dir);
    limits_into(&mut summary, run_dir.path(), &planned);
    beside_into(&mut summary, run_dir.path(), &planned);
    summary.statement = Some(statement::of(&summary));
    Ok(summary)
}

/// The lost parts of a run that ended normally, in addition to its summary.
fn losses(run_dir: &RunDir, summary: &Summary) -> Vec<LostPart> {
    let is_of_streams = summary.verb == "streams";
    let lost = [
        (LogReader::open(&run_dir.ops_path()).is_ok_and(|log| has_lost(&log)), LostPart::Log),
        (is_of_streams && stream_table::read(run_dir).points.is_empty(), LostPart::Streams),
        (lacks_counters(run_dir.path()), LostPart::Counters),
    ];
    lost.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, part)| part).collect()
}

/// A watch that goes on, was killed or has lost its summary.
fn unfinished_watch(run_dir: &RunDir, plan: WatchPlan, life: Life) -> Summary {
    let mut summary = watch_summary(run_dir, plan, "");
    beside_into(&mut summary, run_dir.path(), &[]);
    (summary.outcome, summary.outcome_reason) = match life {
        Life::Running(_) => (Outcome::Running, None),
        Life::Gone(_) | Life::Unknown => (Outcome::BrokeOff, Some(KILLED_WATCH.to_owned())),
        Life::Ended(LiveOutcome::Complete, reason) => (Outcome::Complete, reason),
        Life::Ended(LiveOutcome::Interrupted, reason) => (Outcome::Interrupted, reason),
        Life::Ended(LiveOutcome::BrokeOff, reason) => (Outcome::BrokeOff, reason),
    };
    summary.statement = Some(statement::of(&summary));
    summary
}

/// Whether every operation is in the log: the run ended as planned, and no part of its log is missing.
fn is_whole(log: &LogReader, life: &Life) -> bool {
    matches!(life, Life::Ended(LiveOutcome::Complete, _)) && !has_lost(log)
}

/// Whether parts of the log are missing.
fn has_lost(log: &LogReader) -> bool {
    log.skipped().iter().any(|skipped| skipped.reason != SkipReason::Covered)
}

/// The figures of a log.
fn from_log(run_dir: &RunDir, life: &Life) -> Result<Summary, ReopenError> {
    let log = LogReader::open(&run_dir.ops_path())?;
    // The run ended normally and wrote its operations. An empty log therefore means lost data, not that
    // nothing was measured.
    if matches!(life, Life::Ended(..)) && has_lost(&log) && log.agents().iter().all(|agent| agent.rows == 0) {
        return Err(ReopenError::Torn { path: run_dir.path().to_path_buf() });
    }
    let planned = load_points::read(run_dir);
    let ops = log.batches().flat_map(|batch| match batch {
        Ok(batch) => batch.ops.into_iter().map(Ok).collect::<Vec<_>>(),
        Err(error) => vec![Err(error)],
    });
    let mut summary = Summary::new(env!("CARGO_PKG_VERSION"), "", "mix", target(run_dir));
    plan_into(&mut summary, run_dir);
    let short_ops = if summary.verb == "replay" { ShortOps::Answers } else { ShortOps::Failures };
    let is_limited = planned.iter().any(|point| point.max_bytes_per_s.is_some());
    let rebuilt = try_rebuild(ops, short_ops, is_limited, &complete_timings(&planned))?;
    summary.run_dir = Some(run_dir.path().display().to_string());
    summary.log = log_facts(&log, life);
    summary.series = rebuilt.series;
    let label = |index: u16| planned.iter().find(|point| point.index == index).map(facts).unwrap_or_default();
    summary.load_points =
        rebuilt.points.into_iter().map(|point| LoadPoint::new(label(point.point), point)).collect();
    for (number, (streams, late)) in late_from_log(&log, stream_table::read(run_dir).points)? {
        if let Some(point) = summary.load_points.iter_mut().find(|point| point.index == number) {
            point.stream_count = Some(streams).filter(|count| *count > 0);
            point.streams = late.map(|late| late.figures());
        }
    }
    // If the process was killed, its own processor time and its pauses are unknown.
    summary.self_cost = SelfCost::new(None, &rebuilt.totals, &summary.load_points, None);
    if summary.verb == "replay" {
        summary.self_cost.forget_lateness();
        summary.load_points.iter_mut().for_each(|point| point.total.lateness = None);
    }
    summary.self_cost.sentence = self_cost_sentence(&summary.self_cost, &summary.load_points);
    Ok(summary)
}

/// Facts about the part of the log that exists.
fn log_facts(log: &LogReader, life: &Life) -> LogFacts {
    let rows: u64 = log.agents().iter().map(|agent| agent.rows).sum();
    let bytes: u64 = log.agents().iter().map(|agent| agent.bytes).sum();
    let bytes_per_op = (rows > 0).then(|| bytes as f64 / rows as f64);
    LogFacts { complete: is_whole(log, life), rows, bytes, bytes_per_op, ..LogFacts::default() }
}

/// Adds what the plan contains, if it can be read.
fn plan_into(summary: &mut Summary, run_dir: &RunDir) {
    let text = read_to_string(&run_dir.plan_path(), PLAN_MAX_BYTES).unwrap_or_default();
    let (seed, label, target, said) = match AnyPlan::from_toml(&text) {
        Ok(AnyPlan::Mix(plan)) => (plan.seed, plan.mix.profile, plan.target, (plan.storage, plan.tags)),
        Ok(AnyPlan::Streams(plan)) => {
            summary.verb = "streams".to_owned();
            (plan.seed, plan.name, plan.target, (plan.storage, plan.tags))
        }
        Ok(AnyPlan::Replay(plan)) => {
            summary.verb = "replay".to_owned();
            let trace = plan.replay.trace.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (plan.seed, trace, plan.target, (plan.storage, plan.tags))
        }
        Err(_) => return,
    };
    summary.seed = seed;
    summary.label = label;
    (summary.storage, summary.tags) = said;
    summary.target.path = target.display().to_string();
}

/// Streams and late frames of each load point, as far as the log goes; no figures for one without
/// streams. In a run on several hosts, each host's are counted separately.
fn late_from_log(
    log: &LogReader,
    points: Vec<PointStreams>,
) -> Result<BTreeMap<u16, (u32, Option<LateCounted>)>, LogError> {
    let mut found: BTreeMap<u16, (u32, Option<LateCounted>)> = BTreeMap::new();
    for streams in points {
        let of_point = found.entry(streams.point).or_default();
        of_point.0 = of_point.0.saturating_add(streams.streams.len() as u32);
        if streams.streams.is_empty() {
            continue;
        }
        let counted = late_of(log, &streams)?;
        match &mut of_point.1 {
            Some(late) => late.merge(counted),
            none => *none = Some(counted),
        }
    }
    Ok(found)
}

fn late_of(log: &LogReader, streams: &PointStreams) -> Result<LateCounted, LogError> {
    let part = streams.part();
    let mut tally = LateTally::new(streams.streams.clone(), part);
    streams.pauses.iter().for_each(|pause| tally.paused(*pause));
    streams.waits.iter().for_each(|wait| tally.waited(*wait));
    let mut last_ns = part.started_ns;
    let is_its = |agent: &&AgentLog| streams.agent.as_ref().is_none_or(|name| agent.place().agent == *name);
    for agent in log.agents().iter().filter(is_its) {
        for batch in agent.batches() {
            for op in batch?.ops.iter().filter(|op| op.point == part.point) {
                last_ns = last_ns.max(op.done_ns);
                tally.add(op);
            }
        }
    }
    // Nothing is known of what was in flight when the run was killed.
    Ok(tally.count(last_ns.min(part.until_ns)))
}

/// The facts about the target that were written before the run began.
fn target(run_dir: &RunDir) -> Target {
    let hosts = run_dir.read_hosts().unwrap_or_default();
    let mount = hosts.into_iter().find_map(|host| host.mount);
    mount.map_or_else(Target::default, |mount| Target {
        description: Some(format!("{} on {}", mount.fs_type, mount.source)),
        fs_type: Some(mount.fs_type),
        source: Some(mount.source),
        mount_options: Some(mount.options),
        ..Target::default()
    })
}

fn facts(point: &LoadPointPlan) -> LoadPointFacts {
    LoadPointFacts {
        label: point.label.clone(),
        workers: point.workers,
        sweep_value: point.sweep_value.clone(),
        ended_early: None,
    }
}

/// Timings of the load points that were over: all but the last that began.
fn complete_timings(planned: &[LoadPointPlan]) -> BTreeMap<u16, PointTiming> {
    let over = planned.split_last().map_or(planned, |(_, over)| over);
    let timing = |point: &LoadPointPlan| PointTiming {
        started_ns: point.started_ns,
        measured_ns: point.end_ns.saturating_sub(point.warmup_until_ns),
    };
    over.iter().map(|point| (point.index, timing(point))).collect()
}
