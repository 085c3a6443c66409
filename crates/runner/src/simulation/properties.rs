//! Required properties in every world, between the true events and the run's report of them.
//!
//! The report may be worse than the truth if the code could not know better (a log whose last part may
//! not be on disk), but never better.

use std::collections::BTreeMap;

use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::{LateFigures, LateTally, MeasuredPart, StreamSpec};
use reelgauge_analysis::{LoadPoint, NoteFact, Outcome, Summary};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::play::Played;
use super::scenario::{Scenario, Work};
use super::truth::PointTruth;

/// `Err`: the violated property, as text.
type Held = Result<(), String>;

macro_rules! hold {
    ($condition:expr, $($why:tt)+) => {{
        let holds: bool = $condition;
        if !holds {
            return Err(format!($($why)+));
        }
    }};
}

/// A quick host notices an event within this time.
const SEEN_WITHIN_NS: u64 = 120_000_000;

/// Checks all properties.
pub(super) fn check(scenario: &Scenario, played: &Played) -> Held {
    hold!(
        played.truth.begun_behind == 0,
        "{} operations begun behind their load point",
        played.truth.begun_behind
    );
    rows_are_true(played)?;
    ends_when_asked(scenario, played)?;
    exit_code_is_earned(scenario, played)?;
    let Ok(summary) = &played.result else {
        let on_disk = serde_json::from_str::<Summary>(&played.summary_json).ok();
        let says_complete = on_disk.is_some_and(|summary| summary.outcome == Outcome::Complete);
        hold!(!says_complete, "no summary came back, and the one on the disk says complete");
        return Ok(());
    };
    let lost = Lost::told_in(summary);
    outcome_is_earned(scenario, played, summary)?;
    every_operation_once(played, summary, &lost)?;
    log_is_as_told(scenario, played, summary, &lost)?;
    hold!(summary.load_points.len() <= played.truth.points.len(), "more load points than there were");
    for (point, truth) in summary.load_points.iter().zip(&played.truth.points) {
        figures_are_true(played, point, truth, &lost)
            .and_then(|()| times_are_true(scenario, point, truth, &lost))
            .and_then(|()| streams_are_true(scenario, played, point, truth, &lost))
            .map_err(|why| format!("load point {}: {why}", point.index))?;
    }
    if scenario.is_calm() {
        hold!(lost == Lost::default(), "lost in a calm world: {lost:?}");
        hold!(summary.log.complete == scenario.log, "the log of a calm world: {:?}", summary.log);
    }
    Ok(())
}

/// The losses in a summary.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lost {
    /// In no figure and not in the log: their ring was full.
    missed_ops: u64,
    /// In the log and in no figure: they completed after their load point was over.
    stragglers: u64,
    /// Operations in the figures but not in the log.
    unlogged_ops: u64,
}

impl Lost {
    /// Missed operations and stragglers are only in notes.
    fn told_in(summary: &Summary) -> Lost {
        let told = |of: fn(&NoteFact) -> Option<u64>| -> u64 {
            summary.notes.iter().find_map(|note| of(&note.fact)).unwrap_or(0)
        };
        Lost {
            missed_ops: told(|fact| match fact {
                NoteFact::NotCounted { ops } => Some(*ops),
                _ => None,
            }),
            stragglers: told(|fact| match fact {
                NoteFact::Stragglers { ops } => Some(*ops),
                _ => None,
            }),
            unlogged_ops: summary.log.dropped_to_histograms_ops,
        }
    }

    /// Whether the figures lack any operation.
    fn spoils_figures(&self) -> bool {
        self.missed_ops > 0 || self.stragglers > 0
    }
}

/// A record as a key for counting.
fn key(op: &OpRecord) -> [u64; 8] {
    [
        u64::from(op.worker) << 32 | u64::from(op.stream),
        op.issued_ns,
        op.done_ns,
        op.due_ns,
        op.offset,
        u64::from(op.len) << 32 | u64::from(op.done_len),
        u64::from(op.transfer) << 32 | u64::from(op.file),
        (op.errno as u64) << 32 | u64::from(op.point) << 16 | u64::from(op.flags.0) << 8 | op.kind as u64,
    ]
}

/// Every row of the log is an operation that happened, exactly as it did, and none is there twice.
fn rows_are_true(played: &Played) -> Held {
    let mut there: BTreeMap<_, u64> = BTreeMap::new();
    for op in &played.truth.done {
        *there.entry(key(op)).or_default() += 1;
    }
    for row in &played.rows {
        match there.get_mut(&key(row)) {
            Some(count) if *count > 0 => *count -= 1,
            Some(_) => return Err(format!("twice in the log: {row:?}")),
            None => return Err(format!("in the log and never done: {row:?}")),
        }
    }
    Ok(())
}

/// An interrupted run ends within two seconds, whatever the storage does, unless the host itself is
/// slow.
fn ends_when_asked(scenario: &Scenario, played: &Played) -> Held {
    let Some(asked_ns) = played.truth.interrupted_ns.filter(|_| scenario.is_quick()) else { return Ok(()) };
    let Some(point) = played.truth.points.last() else { return Ok(()) };
    let over_ns = point.over_ns.ok_or("never over")?;
    let took_ns = over_ns.saturating_sub(asked_ns.max(point.began_ns));
    hold!(took_ns < 1_700_000_000, "over {took_ns} ns after somebody asked for it");
    Ok(())
}

/// 0 and 1 are for complete measurements; 2 for a run that never began; 130 for an interrupted run.
fn exit_code_is_earned(scenario: &Scenario, played: &Played) -> Held {
    let (truth, code) = (&played.truth, played.exit_code);
    let began = truth.points.iter().any(|point| point.issued > 0);
    match code {
        0 | 1 => {
            let whole = truth.is_whole(scenario.points.len());
            hold!(whole, "exit code {code} of a run that was not whole: {:#?}", truth.points);
        }
        2 => hold!(!began, "exit code 2 of a run that measured: {:?}", played.result.as_ref().err()),
        3 => hold!(has_reason(scenario, played), "exit code 3 without a reason"),
        130 => hold!(truth.interrupted_ns.is_some(), "exit code 130, and nobody interrupted"),
        _ => return Err(format!("exit code {code}")),
    }
    if code == 0 {
        let late = truth_is_late(scenario, played);
        hold!(!late, "exit code 0 with late frames");
    }
    Ok(())
}

/// Whether anything happened that may end a run early.
fn has_reason(scenario: &Scenario, played: &Played) -> bool {
    let truth = &played.truth;
    let is_broken = |point: &PointTruth| {
        point.failed > point.tolerated
            || point.oldest_in_flight_ns.is_some()
            || point.threads_ended < point.threads
            || point.over_ns.is_some_and(|over_ns| over_ns - point.last_done_ns >= scenario.hang_after_ns)
    };
    let faults = &scenario.faults;
    let hangs = faults.hang.is_some() || faults.stall.is_some() || faults.closing_ns > 0 || truth.paused;
    truth.points.iter().any(is_broken)
        || hangs
        || truth.drain_died
        || truth.small_file_failed
        || truth.no_start
        || faults.gets_stuck
}

fn outcome_is_earned(scenario: &Scenario, played: &Played, summary: &Summary) -> Held {
    let truth = &played.truth;
    match summary.outcome {
        Outcome::Complete => {
            hold!(truth.is_whole(scenario.points.len()), "complete, and not whole: {:#?}", truth.points);
            hold!(!truth.drain_died, "complete, and the drain died");
            hold!(summary.outcome_reason.is_none(), "complete for a reason");
            hold!(summary.load_points.len() == scenario.points.len(), "complete with load points missing");
        }
        Outcome::Interrupted => {
            hold!(truth.interrupted_ns.is_some(), "interrupted by nobody");
            // A late frame before the stop still counts; a run that was stopped never meets its
            // criteria.
            let passed = summary.verdict.as_ref().is_some_and(|verdict| verdict.passed);
            hold!(!passed || summary.load_points.len() > 1, "met, and it was stopped");
        }
        Outcome::BrokeOff => {
            hold!(has_reason(scenario, played), "broke off without a reason: {:?}", summary.outcome_reason);
        }
        Outcome::Running => return Err("still running".to_owned()),
    }
    let failed_ns = truth.points.last().and_then(|point| point.failed_first_ns);
    if let (Some(failed_ns), Some(interrupted_ns)) = (failed_ns, truth.interrupted_ns)
        && scenario.is_quick()
        && interrupted_ns > failed_ns + SEEN_WITHIN_NS
    {
        // A user who sees a run fail may well interrupt it.
        hold!(summary.outcome == Outcome::BrokeOff, "the interrupt behind a failure counts");
    }
    // The cache is not read on storage that still owes an answer: the call may never return.
    let owes = truth.points.last().is_some_and(|point| point.oldest_in_flight_ns.is_some());
    let fell = scenario.faults.death_ns.or(scenario.faults.failure_ns).is_some();
    let looked = summary.effective_mode.cached_share_after.is_some();
    hold!(!(owes && !fell && looked), "looked into storage that owes an answer");
    let can_look = summary.effective_mode.cached_share_before.is_some();
    let is_whole = summary.outcome == Outcome::Complete;
    hold!(looked || !can_look || !is_whole, "did not look what lies in the cache");
    let says_why = summary.outcome_reason.is_some() || summary.outcome == Outcome::Complete;
    hold!(says_why, "no reason for {:?}", summary.outcome);
    let on_disk: Summary = serde_json::from_str(&played.summary_json).map_err(|error| error.to_string())?;
    hold!(on_disk.outcome == summary.outcome, "another outcome on the disk: {:?}", on_disk.outcome);
    Ok(())
}

/// Every completed operation is in the figures, or reported as lost to them.
fn every_operation_once(played: &Played, summary: &Summary, lost: &Lost) -> Held {
    let all = |figures: &Figures| figures.ops + figures.warmup_ops;
    let figures: u64 = summary.load_points.iter().map(|point| all(&point.total)).sum();
    let done = played.truth.done.len() as u64;
    let ended_ns = played.truth.drain_ended_ns.ok_or("the drain was never ended")?;
    let behind = played.truth.done.iter().filter(|op| op.done_ns > ended_ns).count() as u64;
    let told = figures + lost.missed_ops + lost.stragglers;
    // Operations that come back after the end of the run do not count.
    hold!(
        told <= done && told + behind >= done,
        "{done} done ({behind} of them when the drain had ended): {figures} in the figures, {lost:?}"
    );
    let steps: u64 = summary.series.steps.iter().map(|step| step.ops + step.warmup_ops).sum();
    hold!(steps == figures, "{figures} in the figures and {steps} in the series");
    for point in &summary.load_points {
        let workers: u64 = point.per_worker.iter().map(|worker| all(&worker.figures)).sum();
        hold!(workers == all(&point.total), "load point {}: {workers} of all workers", point.index);
    }
    Ok(())
}

fn log_is_as_told(scenario: &Scenario, played: &Played, summary: &Summary, lost: &Lost) -> Held {
    let rows = played.rows.len() as u64;
    let log = &summary.log;
    if !scenario.log {
        hold!(rows == 0 && !log.complete && log.rows == 0, "a log that nobody asked for: {log:?}");
        return Ok(());
    }
    let counted: u64 = summary.load_points.iter().map(|point| point.total.ops + point.total.warmup_ops).sum();
    let taken = counted + lost.stragglers;
    hold!(log.rows + lost.unlogged_ops == taken, "{taken} taken; {log:?}");
    // Data that could not be synced may still be readable, as long as the host does not crash.
    let as_told = rows == log.rows || played.truth.sync_failed && rows > log.rows;
    hold!(as_told, "{rows} rows to read ({} files left out); {log:?}", played.skipped);
    let is_whole = rows == taken && lost.missed_ops == 0;
    hold!(!log.complete || is_whole, "a complete log of {rows} rows; {lost:?}");
    hold!(
        log.complete || lost.unlogged_ops + lost.missed_ops > 0 || log.note.is_some(),
        "{log:?} without a word"
    );
    let warns = summary.notes.iter().any(|note| matches!(note.fact, NoteFact::LogDropped { .. }));
    hold!(warns == (lost.unlogged_ops > 0), "{} unlogged; {:?}", lost.unlogged_ops, summary.notes);
    let may_lose = played.truth.disk_failures > 0 || !scenario.is_quick();
    hold!(may_lose || lost.unlogged_ops == 0, "unlogged, and nothing was wrong with the disk: {log:?}");
    Ok(())
}

/// A load point's figures, counted again from the true events.
fn figures_are_true(played: &Played, point: &LoadPoint, truth: &PointTruth, lost: &Lost) -> Held {
    let ops = || played.truth.done.iter().filter(|op| op.point == point.index);
    let in_time = || ops().filter(|op| truth.over_ns.is_none_or(|over_ns| op.done_ns <= over_ns));
    let is_warmup = |op: &&OpRecord| op.flags.has(OpFlags::WARMUP);
    let measured = || in_time().filter(|op| !is_warmup(op));
    let bytes = |kind| {
        measured().filter(|op| op.kind == kind && op.errno == 0).map(|op| u64::from(op.done_len)).sum()
    };
    let count = |kind| measured().filter(|op| op.kind == kind).count() as u64;
    let total = &point.total;
    let by_kind = &total.ops_by_kind;
    let told = [total.ops, total.warmup_ops, total.failed_ops, total.read_bytes, total.written_bytes];
    let told =
        [&told[..], &[by_kind.open, by_kind.read, by_kind.write, by_kind.sync, by_kind.close]].concat();
    let failed = measured().filter(|op| op.errno != 0).count() as u64;
    let warmup = in_time().filter(is_warmup).count() as u64;
    let was = [measured().count() as u64, warmup, failed, bytes(OpKind::Read), bytes(OpKind::Write)];
    let kinds = [OpKind::Open, OpKind::Read, OpKind::Write, OpKind::Sync, OpKind::Close].map(count);
    let was = [&was[..], &kinds].concat();
    if !lost.spoils_figures() {
        hold!(told == was, "figures {told:?}, truth {was:?}");
    } else {
        let none_more = told.iter().zip(&was).all(|(told, was)| told <= was);
        hold!(none_more, "figures {told:?} exceed the truth {was:?}");
    }
    Ok(())
}

/// No reported time is shorter than the true one.
fn times_are_true(scenario: &Scenario, point: &LoadPoint, truth: &PointTruth, lost: &Lost) -> Held {
    let plan = scenario.points[usize::from(point.index)];
    hold!(point.workers == plan.workers, "{} workers", point.workers);
    let measured_ns = point.measured_ns.ok_or("no measured time")?;
    let over_ns = truth.over_ns.ok_or("the load point is not over")?;
    let least_ns = truth.last_done_ns.saturating_sub(truth.warmup_until_ns);
    let most_ns = over_ns.saturating_sub(truth.warmup_until_ns);
    // An operation in no figure need not be in the time.
    let least_ns = if lost.spoils_figures() { 0 } else { least_ns };
    let fits = (least_ns..=most_ns).contains(&measured_ns);
    hold!(fits, "measured for {measured_ns} ns, where {least_ns} to {most_ns} are true");
    if point.ended_early.is_none() {
        hold!(measured_ns >= plan.measured_ns, "measured for {measured_ns} ns of {}", plan.measured_ns);
    }
    let began_s = truth.began_ns as f64 / 1e9;
    hold!((point.started_s - began_s).abs() < 1e-6, "began at {} s, not {began_s} s", point.started_s);
    Ok(())
}

/// Late frames, counted again from the true events.
fn streams_are_true(
    scenario: &Scenario,
    played: &Played,
    point: &LoadPoint,
    truth: &PointTruth,
    lost: &Lost,
) -> Held {
    if !matches!(scenario.work, Work::Streams { .. }) {
        return Ok(());
    }
    let figures = point.streams.as_ref().ok_or("no streams")?;
    let late = &figures.total;
    let Some(table) = &played.streams else { return Ok(()) };
    let Some(known) = table.points.iter().find(|known| known.point == point.index) else {
        return Err("not in streams.json".to_owned());
    };
    if !played.truth.small_file_failed {
        let stopped = point.ended_early.is_some();
        let from_first = (known.started_ns, known.from_ns) == (truth.began_ns, truth.warmup_until_ns);
        hold!(from_first, "judged from {} and {}", known.started_ns, known.from_ns);
        let to_end = known.until_ns == truth.end_ns;
        // A load point that was stopped is judged until then: frames that were never begun are not late.
        let cut = truth.last_issued_ns..=truth.over_ns.unwrap_or(0);
        let is_cut = truth.threads_cut > 0;
        hold!(!is_cut || cut.contains(&known.until_ns), "judged until {}, cut in {cut:?}", known.until_ns);
        hold!(
            to_end || stopped && known.until_ns < truth.end_ns,
            "judged until {}: {truth:#?}",
            known.until_ns
        );
    }
    let part = known.part();
    let (judged, least_late) = recounted(played, part, &known.streams, truth);
    if !lost.spoils_figures() && !played.truth.small_file_failed {
        let (told, was) = (late.frames_judged, judged.total.frames_judged);
        hold!(told == was, "{told} frames judged, of {was}");
        let (told, was) = (late.late_frames, judged.total.late_frames);
        hold!(told == was, "{told} late frames, of {was}");
        // An operation in flight when its thread panicked counts as Reelgauge's, whatever the storage
        // did.
        let fell = scenario.faults.death_ns.or(scenario.faults.failure_ns).is_some();
        if !played.truth.paused && !fell {
            blame_is_true(scenario, (figures, &judged), truth)?;
        }
    }
    hold!(late.late_frames >= least_late, "{} late frames, at least {least_late}", late.late_frames);
    match &point.verdict {
        Some(verdict) => {
            // Late frames and failed operations count, however the load point ended.
            hold!(truth.is_whole() || !verdict.passed, "met, and not whole");
            // A criterion without a figure does not pass either.
            let all_judged = verdict.failures.iter().all(|failure| failure.measured);
            let good = late.late_frames == 0 && truth.failed == 0 && all_judged;
            hold!(
                verdict.passed == good,
                "passed: {}, late frames {}: {:?}",
                verdict.passed,
                late.late_frames,
                verdict.failures
            );
        }
        None => hold!(point.ended_early.is_some(), "no verdict on a load point that had its time"),
    }
    Ok(())
}

/// The state of the storage while frames were late, and how many of them Reelgauge itself caused.
fn blame_is_true(scenario: &Scenario, (told, was): (&LateFigures, &LateFigures), truth: &PointTruth) -> Held {
    let own = |figures: &LateFigures| figures.total.late_frames_with_own_delay;
    // Only these worlds have scripts that end early: frames that they never begin are attributed to
    // nothing.
    if scenario.faults.ops_max.is_none() {
        hold!(own(told) == own(was), "{} late by the tool, of {}", own(told), own(was));
    }
    // An operation that never completes is abandoned at one beat or the next, which decides its
    // attribution.
    if truth.oldest_in_flight_ns.is_some() {
        return Ok(());
    }
    let behaviours = |figures: &LateFigures| -> Vec<_> {
        figures.incidents.iter().map(|incident| incident.storage.behaviour).collect()
    };
    let (told, was) = (behaviours(told), behaviours(was));
    hold!(told == was, "the storage was {told:?}, in truth {was:?}");
    Ok(())
}

/// Frames judged and late according to the tally of reports, applied to the true events; and the late
/// ones by plain arithmetic.
fn recounted(
    played: &Played,
    part: MeasuredPart,
    specs: &[StreamSpec],
    truth: &PointTruth,
) -> (LateFigures, u64) {
    let whole = MeasuredPart { until_ns: truth.end_ns, ..part };
    let mut tally = LateTally::new(specs.to_vec(), whole);
    let over_ns = truth.over_ns.unwrap_or(u64::MAX);
    let ops = || played.truth.done.iter().filter(|op| op.point == part.point && op.done_ns <= over_ns);
    for op in ops().filter(|op| op.done_ns <= part.until_ns) {
        tally.add(op);
    }
    tally.end_at(part.until_ns);
    for op in ops().filter(|op| op.done_ns > part.until_ns) {
        tally.add(op);
    }
    if let Some(issued_ns) = truth.oldest_in_flight_ns {
        tally.unanswered(issued_ns, over_ns);
    }
    let figures = tally.finish(part.until_ns);
    let least: usize = specs.iter().map(|spec| late_by_hand(spec, part, ops())).sum();
    (figures, least as u64)
}

/// The frames whose last part arrived after the deadline, which is t0 + buffer + frame ÷ rate.
fn late_by_hand<'a>(
    spec: &StreamSpec,
    part: MeasuredPart,
    ops: impl Iterator<Item = &'a OpRecord> + Clone,
) -> usize {
    let mine = ops.filter(|op| op.stream == spec.stream);
    let Some(t0_ns) = mine.clone().map(|op| op.due_ns).min() else { return 0 };
    let frames = mine.filter(|op| op.flags.has(OpFlags::FRAME.with(OpFlags::LAST)) && op.errno == 0);
    let deadline_ns = |frame: u32| {
        let shown_ns = u64::from(frame) * 1_000_000_000 * u64::from(spec.rate_den) / u64::from(spec.rate_num);
        t0_ns + spec.prebuffer_ns + shown_ns
    };
    let is_late = |op: &&OpRecord| {
        let deadline_ns = deadline_ns(op.transfer);
        (part.from_ns..part.until_ns).contains(&deadline_ns) && op.done_ns > deadline_ns + 1
    };
    frames.filter(is_late).count()
}

/// Whether any frame of a whole run was late, by plain arithmetic.
fn truth_is_late(scenario: &Scenario, played: &Played) -> bool {
    let (Work::Streams { .. }, Some(table)) = (scenario.work, &played.streams) else { return false };
    table.points.iter().any(|known| {
        let ops = || played.truth.done.iter().filter(|op| op.point == known.point);
        known.streams.iter().any(|spec| late_by_hand(spec, known.part(), ops()) > 0)
    })
}
