//! Builds the summary: the meter's figures, and all other facts of the run.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use reelgauge_analysis::rereads::Rereads;
use reelgauge_analysis::run_ending::RunEnding;
use reelgauge_analysis::summary::{DataSet, EffectiveMode, LogFacts, Target};
use reelgauge_analysis::warning::LogTrouble;
use reelgauge_analysis::{
    LoadPoint, MemoryFacts, Note, Outcome, SelfCost, Summary, Warning, cache_suspicion,
};
use reelgauge_engine::area::AreaDir;
use reelgauge_engine::cache::{self, Asked, EffectiveMode as Mode, ModeFacts, judge};
use reelgauge_machine::mount::{Mount, MountKind};
use reelgauge_machine::mountstats::fetched_bytes;
use reelgauge_machine::{host, link};
use reelgauge_report::note::{held_back_note, not_counted_note, not_verified_note};
use reelgauge_report::self_cost::self_cost_sentence;
use reelgauge_report::warning_note;

use crate::interrupt::StoppedBy;
use crate::session::cpu_time::ProcessCpuTime;
use crate::session::drain::{Drained, GivenUp};
use crate::session::drive::Ending;
use crate::session::free_space_watch::SpaceShortage;
use crate::session::locked_target::LockedTarget;
use crate::session::verify::Verified;

/// Evidence that a run went through the client's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheTraces {
    /// Share of the test files in the cache right after the last load point.
    pub cached_after: Option<f64>,
    /// Bytes that came from the storage during the run; see [`reelgauge_machine::mountstats::fetched_bytes`].
    pub fetched_bytes: Option<u64>,
}

impl CacheTraces {
    /// Measures the cache evidence at the end of a run: the cached part of these test files, and the
    /// bytes fetched since it began.
    pub fn left(
        (mount, area): (&Mount, &AreaDir),
        files: &[&Path],
        fetched_before: Option<u64>,
    ) -> CacheTraces {
        let fetched = fetched_bytes(mount).zip(fetched_before);
        CacheTraces {
            cached_after: cache::resident(Some(area), files).share(),
            // A new mount counts from 0 again, so the difference is unknown.
            fetched_bytes: fetched.and_then(|(after, before)| after.checked_sub(before)),
        }
    }
}

/// The subject of the measurement.
#[derive(Clone, Debug)]
pub struct MeasuredSubject {
    /// The command: `mix`, `streams`, …
    pub verb: String,
    /// The user's label for the run.
    pub label: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// The plan in a form for users.
    pub plan: BTreeMap<String, String>,
    /// Whether direct I/O was requested.
    pub asked_direct: bool,
    pub data_set: DataSet,
    /// Bytes of all of them.
    pub data_bytes: u64,
    /// Facts about the test files for cache checks.
    pub material: Material,
}

/// The facts about the test files that matter for caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Material {
    /// Bytes of them that were written for this run.
    pub written_bytes: u64,
    /// Memory of the server, as the user stated it.
    pub server_memory_bytes: Option<u64>,
    /// Whether they are the user's own.
    pub own_files: bool,
}

/// The facts of a finished run.
#[derive(Debug)]
pub struct RunFacts<'a> {
    pub subject: MeasuredSubject,
    pub locked: &'a LockedTarget,
    /// The directory of the run's results.
    pub run_dir: &'a Path,
    /// When it started.
    pub started: Timestamp,
    pub load_points: Vec<LoadPoint>,
    /// The figures that the drain returned.
    pub drained: Drained,
    /// Reelgauge's CPU time while measuring.
    pub cpu: Option<ProcessCpuTime>,
    /// Share of the test files in the cache before the run.
    pub cached_before: Option<f64>,
    /// The evidence about the client's cache.
    pub traces: CacheTraces,
    /// First and later reads, load point by load point.
    pub rereads: Vec<Rereads>,
    /// How it ended.
    pub ending: Ending,
    /// The reason as text, if it ended early.
    pub reason: Option<String>,
    /// The reason for the stop, if it was stopped.
    pub stopped_by: StoppedBy,
    /// The driver's notes on features of the system.
    pub driver_notes: Vec<String>,
    /// The result of the verification, if it was requested.
    pub verified: Option<Verified>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// The summary of a run.
pub fn summarise(facts: RunFacts<'_>) -> Summary {
    let subject = &facts.subject;
    let started_at = facts.started.to_string();
    let mut summary =
        Summary::new(env!("CARGO_PKG_VERSION"), &started_at, &subject.verb, target(facts.locked));
    summary.run_dir = Some(facts.run_dir.display().to_string());
    summary.label.clone_from(&subject.label);
    summary.outcome = match facts.ending {
        Ending::OnTime | Ending::Exhausted => Outcome::Complete,
        Ending::Interrupted | Ending::NotReadBack { is_interrupted: true, .. } => Outcome::Interrupted,
        Ending::Failed(_)
        | Ending::Hung { .. }
        | Ending::NotReadBack { is_interrupted: false, .. }
        | Ending::Driver(_)
        | Ending::Died { .. }
        | Ending::Unmounted
        | Ending::Crowded(_)
        | Ending::Meddled(_)
        | Ending::Stopped(_) => Outcome::BrokeOff,
    };
    summary.outcome_reason = facts.reason.clone();
    summary.ending = ending(&facts.ending, facts.stopped_by);
    summary.seed = subject.seed;
    summary.plan.clone_from(&subject.plan);
    if !facts.driver_notes.is_empty() {
        summary.plan.insert("driver_used".to_owned(), facts.driver_notes.join("; "));
    }
    let mode = effective_mode(&facts);
    let memory = memory_facts(&facts, &mode.judged);
    summary.effective_mode = mode.shown;
    summary.data_set = subject.data_set.clone();
    summary.log = log_facts(&facts.drained);
    let (totals, paused) = (&facts.drained.totals, &facts.drained.paused);
    summary.self_cost = SelfCost::new(
        facts.cpu.map(|cpu| (cpu.user_s, cpu.system_s)),
        totals,
        &facts.load_points,
        Some(paused),
    );
    summary.self_cost.sentence = self_cost_sentence(&summary.self_cost, &facts.load_points);
    summary.notes = notes(&facts, &summary.self_cost, &memory);
    summary.memory = Some(memory);
    summary.verify = match facts.verified {
        Some(Verified::Done(verify)) => Some(verify),
        Some(Verified::Skipped(_) | Verified::Stopped(_) | Verified::Failed(_)) | None => None,
    };
    summary.series = facts.drained.series;
    summary.load_points = facts.load_points;
    summary
}

/// The reason for an early end, in the form of the summary.
fn ending(ending: &Ending, stopped_by: StoppedBy) -> Option<RunEnding> {
    Some(match ending {
        Ending::OnTime | Ending::Exhausted => return None,
        Ending::Interrupted => RunEnding::Stopped { by: stopped_by.into() },
        Ending::NotReadBack { is_interrupted, .. } => {
            RunEnding::NotReadBack { stopped_by: is_interrupted.then(|| stopped_by.into()) }
        }
        Ending::Meddled(_) => RunEnding::FilesChanged,
        Ending::Failed(record) => RunEnding::OperationFailed {
            operation: record.kind.name().to_owned(),
            errno: record.errno,
            after_s: record.done_ns as f64 / 1e9,
        },
        Ending::Hung { threads, longest } => {
            RunEnding::NoAnswer { threads: *threads as u64, for_s: longest.as_secs_f64() }
        }
        Ending::Unmounted => RunEnding::Unmounted,
        Ending::Crowded(SpaceShortage { available_bytes, kept_bytes }) => {
            RunEnding::StorageFilled { available_bytes: *available_bytes, kept_bytes: *kept_bytes }
        }
        Ending::Died { threads } => RunEnding::ThreadsDied { threads: *threads as u64 },
        Ending::Driver(_) | Ending::Stopped(_) => RunEnding::Other,
    })
}

/// The target in the form of the summary.
fn target(locked: &LockedTarget) -> Target {
    let mount = &locked.mount;
    Target {
        path: locked.target().display().to_string(),
        fs_type: Some(mount.fs_type.clone()),
        description: Some(mount.description()),
        source: Some(mount.source.clone()),
        server: mount.server.clone(),
        mount_options: Some(mount.options.join(",")),
        is_shared: locked.area.sharing_note().is_some(),
    }
}

/// Whether the client's cache was bypassed, as data and for the summary.
struct FoundMode {
    judged: Mode,
    shown: EffectiveMode,
}

fn effective_mode(facts: &RunFacts<'_>) -> FoundMode {
    let RunFacts { subject, locked, .. } = facts;
    let asked = Asked { direct: subject.asked_direct };
    let mode_facts = ModeFacts {
        fs_type: locked.mount.fs_type.clone(),
        kind: locked.mount.kind,
        direct_read: locked.direct.read.clone(),
        direct_write: locked.direct.write.clone(),
        data_bytes: subject.data_bytes,
        cached_before: facts.cached_before,
        cached_after: facts.traces.cached_after,
        // Fetched bytes include those of the warm-ups.
        read_bytes: facts.total(|point| point.total.read_bytes) + facts.drained.totals.warmup_read_bytes,
        written_bytes: facts.total(|point| point.total.written_bytes),
        fetched_bytes: facts.traces.fetched_bytes,
    };
    let mode = judge(asked, &mode_facts);
    let as_asked_and_real = matches!(mode, Mode::Direct) && locked.mount.kind != MountKind::Memory;
    let shown = EffectiveMode {
        asked: if asked.direct { "direct" } else { "buffered" }.to_owned(),
        found: found(&mode).to_owned(),
        sentence: if as_asked_and_real { String::new() } else { mode.explanation(&mode_facts) },
        cached_share_before: mode_facts.cached_before,
        cached_share_after: mode_facts.cached_after,
    };
    FoundMode { judged: mode, shown }
}

impl RunFacts<'_> {
    fn total(&self, bytes: fn(&LoadPoint) -> u64) -> u64 {
        self.load_points.iter().map(bytes).sum()
    }
}

/// The memories that may have answered instead of the storage.
fn memory_facts(facts: &RunFacts<'_>, mode: &Mode) -> MemoryFacts {
    let RunFacts { subject, locked, .. } = facts;
    let kind = locked.mount.kind;
    let (past_client_cache, client_cached_share) = match mode {
        Mode::Direct => (Some(true), None),
        Mode::Buffered { cached_share } => (Some(false), *cached_share),
        Mode::DirectIgnored { .. } => (Some(false), None),
        Mode::Unknown { .. } => (None, None),
    };
    let mut memory = MemoryFacts {
        data_set_bytes: subject.data_bytes,
        written_by_this_run_bytes: subject.material.written_bytes,
        own_files: subject.material.own_files,
        read_bytes: facts.total(|point| point.total.read_bytes),
        on_network: kind == MountKind::Network || locked.mount.server.is_some(),
        target_is_memory: kind == MountKind::Memory,
        past_client_cache,
        client_cached_share,
        cached_loop: link::cached_loop(&locked.mount),
        client_memory_bytes: host::local_memory_bytes(),
        server_memory_bytes: subject.material.server_memory_bytes,
        rereads: facts.rereads.clone(),
        suspicion: None,
    };
    memory.suspicion = cache_suspicion(&memory);
    memory
}

fn found(mode: &Mode) -> &'static str {
    match mode {
        Mode::Direct => "direct",
        Mode::Buffered { .. } => "buffered",
        Mode::DirectIgnored { .. } => "direct ignored",
        Mode::Unknown { .. } => "unknown",
    }
}

fn log_facts(drained: &Drained) -> LogFacts {
    let fate = &drained.log;
    let is_whole = fate.given_up.is_none() && fate.unlogged_ops == 0 && drained.missed_ops == 0;
    LogFacts {
        complete: fate.wanted && is_whole,
        rows: fate.rows,
        bytes: fate.bytes,
        bytes_per_op: (fate.rows > 0).then(|| fate.bytes as f64 / fate.rows as f64),
        dropped_to_histograms_ops: fate.unlogged_ops,
        note: match (&fate.given_up, fate.wanted) {
            (Some(GivenUp { why, .. }), _) => {
                Some(format!("the log was abandoned ({why}); every figure is complete without it"))
            }
            (None, false) => Some("no log was kept (--no-log)".to_owned()),
            (None, true) => fate.many_parts.as_ref().map(|why| {
                format!("the log is complete, but split into more and smaller files than usual ({why})")
            }),
        },
    }
}

/// The note on requests that a rate limit delayed.
fn held_back(points: &[LoadPoint], subject: &MeasuredSubject) -> Option<Note> {
    let held = points.iter().filter_map(LoadPoint::was_held_back);
    let (ops, rate) = held.fold((0, 0), |(sum, _), held| (sum + held.operations, held.max_bytes_per_s));
    // The verbs with --direct.
    let has_direct = matches!(subject.verb.as_str(), "mix" | "streams");
    let writes_to_cache = !subject.asked_direct && points.iter().any(|point| point.total.written_bytes > 0);
    (ops > 0).then(|| held_back_note(ops, rate, writes_to_cache, has_direct))
}

/// Notes that qualify the figures, the worst first.
fn notes(facts: &RunFacts<'_>, cost: &SelfCost, memory: &MemoryFacts) -> Vec<Note> {
    let mut notes = Vec::new();
    notes.extend(held_back(&facts.load_points, &facts.subject));
    if facts.drained.missed_ops > 0 {
        notes.push(not_counted_note(facts.drained.missed_ops));
    }
    notes.extend(warnings(facts, cost, memory).iter().map(warning_note));
    if let Some(why) = facts.verified.as_ref().and_then(Verified::why_not) {
        notes.push(not_verified_note(why));
    }
    // Notes on other steps matter, but do not affect the figures.
    notes.extend(facts.notes.iter().cloned());
    notes
}

/// Warnings about doubtful figures, the worst first.
fn warnings(facts: &RunFacts<'_>, cost: &SelfCost, memory: &MemoryFacts) -> Vec<Warning> {
    let mut warnings = Warning::from_figures(&facts.load_points, cost, &facts.drained.totals);
    // Only a mix shows the paper's tables.
    warnings
        .retain(|warning| facts.subject.verb == "mix" || !matches!(warning, Warning::FewTransfers { .. }));
    // The length of a replay is not chosen, and its lateness is judged by its own rules.
    let is_chosen =
        |warning: &Warning| !matches!(warning, Warning::ShortLook { .. } | Warning::OwnLateness { .. });
    warnings.retain(|warning| facts.subject.verb != "replay" || is_chosen(warning));
    let mount = &facts.locked.mount;
    if mount.kind == MountKind::Memory {
        warnings.push(Warning::TargetIsMemory { fs_type: mount.fs_type.clone() });
    }
    warnings.extend(Warning::if_cached(memory, &facts.subject.verb));
    let unlogged_ops = facts.drained.log.unlogged_ops;
    if unlogged_ops > 0 {
        let given_up = facts.drained.log.given_up.as_ref();
        let trouble = given_up.map_or(LogTrouble::Failed, |given_up| given_up.trouble);
        warnings.push(Warning::LogDropped { ops: unlogged_ops, trouble });
    }
    if facts.drained.stragglers > 0 {
        warnings.push(Warning::Stragglers { ops: facts.drained.stragglers });
    }
    if same_mount(facts) {
        warnings.push(Warning::RunDirectoryOnTarget { path: facts.run_dir.display().to_string() });
    }
    warnings.sort_by_key(Warning::rank);
    warnings
}

/// Whether results were written to the measured storage.
fn same_mount(facts: &RunFacts<'_>) -> bool {
    let there = &facts.locked.mount;
    Mount::at(facts.run_dir)
        .is_ok_and(|here| here.mount_point == there.mount_point && here.source == there.source)
}
