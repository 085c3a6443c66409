//! The parts of a merged summary apart from its load points: values on which all agents agree, once, and
//! others with the agent's name.

use std::collections::BTreeMap;
use std::mem::discriminant;

use jiff::Timestamp;
use reelgauge_analysis::cached_reads::CacheSuspicion;
use reelgauge_analysis::marks::{Mark, MarkKind};
use reelgauge_analysis::pause::Pause;
use reelgauge_analysis::run_ending::{RunEnding, RunStop};
use reelgauge_analysis::self_cost::PausedTotal;
use reelgauge_analysis::summary::{DataSet, EffectiveMode, LogFacts, Target, VerifyFacts};
use reelgauge_analysis::warning::Warning;
use reelgauge_analysis::{MemoryFacts, Note, NoteFact, Outcome, ReplayFacts, RunTotals, SelfCost, Summary};
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::hosts::{
    STOPPED_WORDS, between_words, clocks_words, hosts_words, log_missing_words, not_fetched_words,
    others_stopped_words, overlap_words, stopped_for_words, wall_clocks_words, why_not_complete_words,
};
use reelgauge_report::self_cost::self_cost_sentence;
use reelgauge_report::warning::warning_note;

use super::View;
use super::agent_part::{AgentPart, PartRun, PauseTimes};

/// If all agents were measured together for less than this share of the time, a note reports it.
const TOGETHER_MIN: f64 = 0.9;

fn runs(parts: &[AgentPart]) -> impl Iterator<Item = (&str, &PartRun)> + Clone {
    parts.iter().filter_map(|part| Some((part.name.as_str(), part.run.as_ref()?)))
}

/// The value of one agent, if all agree.
fn common<T: PartialEq + Clone>(parts: &[AgentPart], of: impl Fn(&Summary) -> T) -> Option<T> {
    let mut all = runs(parts).map(|(_, run)| of(&run.summary));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// A summary without figures.
pub(super) fn begun(parts: &[AgentPart], run_dir: &RunDir) -> Summary {
    let verb = common(parts, |summary| summary.verb.clone()).unwrap_or_else(|| "run".to_owned());
    let mut summary = Summary::new(env!("CARGO_PKG_VERSION"), "", &verb, target(parts));
    summary.run_dir = Some(run_dir.path().display().to_string());
    summary.label = common(parts, |summary| summary.label.clone()).unwrap_or_default();
    if let Some((_, first)) = runs(parts).next() {
        summary.seed = first.summary.seed;
        summary.storage = first.summary.storage.clone();
    }
    for tag in runs(parts).flat_map(|(_, run)| &run.summary.tags) {
        if !summary.tags.contains(tag) {
            summary.tags.push(tag.clone());
        }
    }
    summary
}

/// Adds all other known facts.
pub(super) fn put_into(summary: &mut Summary, seen: &View<'_>, totals: &RunTotals) {
    let parts = seen.parts;
    if let Ok(zero) = Timestamp::from_nanosecond(seen.places.run_ns.into()) {
        summary.started_at = zero.to_string();
    }
    (summary.outcome, summary.outcome_reason) = outcome(seen);
    let is_changed = |run: &PartRun| run.summary.ending == Some(RunEnding::FilesChanged);
    summary.ending = runs(seen.parts).any(|(_, run)| is_changed(run)).then_some(RunEnding::FilesChanged);
    summary.plan = plan(parts);
    summary.effective_mode = mode(parts);
    summary.data_set = data_set(parts);
    summary.log = LogFacts {
        complete: parts.iter().all(|part| part.run.as_ref().is_some_and(|run| run.log_complete)),
        rows: seen.counted.iter().map(|counted| counted.rows).sum(),
        bytes: runs(parts).map(|(_, run)| run.summary.log.bytes).sum(),
        bytes_per_op: None,
        dropped_to_histograms_ops: runs(parts)
            .map(|(_, run)| run.summary.log.dropped_to_histograms_ops)
            .sum(),
        note: None,
    };
    summary.log.bytes_per_op =
        (summary.log.rows > 0).then(|| summary.log.bytes as f64 / summary.log.rows as f64);
    summary.verify = verify(parts);
    summary.memory = memory(parts);
    summary.self_cost = self_cost(seen, summary, totals);
    summary.self_cost.sentence = self_cost_sentence(&summary.self_cost, &summary.load_points);
    summary.notes = notes(seen, summary);
}

/// The lateness of Reelgauge in a replay comes from its passes; records alone do not show what waited
/// for what.
pub(super) fn judge_replay(summary: &mut Summary, replay: Option<&ReplayFacts>) {
    summary.load_points.iter_mut().for_each(|point| point.total.lateness = None);
    summary.self_cost.forget_lateness();
    if let Some(replay) = replay {
        summary.self_cost.judge_replay(replay);
    }
    summary.self_cost.sentence = self_cost_sentence(&summary.self_cost, &summary.load_points);
}

/// Complete if every agent's part is. An agent that the user stopped does not count as broken, nor does
/// one that did its part and was lost before all of it was fetched.
fn outcome(seen: &View<'_>) -> (Outcome, Option<String>) {
    let (left, others): (Vec<_>, Vec<_>) =
        seen.parts.iter().filter(|part| !part.is_whole()).partition(|part| part.is_left);
    let (stopped, broken): (Vec<_>, Vec<_>) = others.into_iter().partition(|part| was_stopped(part));
    let mut words = match (broken.first(), left.first(), seen.stopped_for) {
        (Some(first), ..) => {
            let own = first.run.as_ref().and_then(|run| run.summary.outcome_reason.clone());
            let from_s = super::points::missing_from_s(first, seen.places.run_ns);
            let why = first.why_missing.as_deref().or(own.as_deref());
            why_not_complete_words(&first.name, from_s, why, broken.len() - 1)
        }
        (None, Some(first), _) => not_fetched_words(&first.name, left.len() - 1),
        (None, None, Some(agent)) if !stopped.is_empty() => {
            return (Outcome::BrokeOff, Some(stopped_for_words(agent)));
        }
        (None, None, _) if stopped.is_empty() => return (Outcome::Complete, None),
        (None, None, _) => return (Outcome::Interrupted, Some(STOPPED_WORDS.to_owned())),
    };
    if !stopped.is_empty() {
        words.push_str(&others_stopped_words(stopped.len(), seen.stopped_for.is_some()));
    }
    (Outcome::BrokeOff, Some(words))
}

/// Whether the user stopped it, as opposed to a loss of contact with the controller. Runs of earlier
/// versions do not record this.
fn was_stopped(part: &AgentPart) -> bool {
    part.why_missing.is_none()
        && part.run.as_ref().is_some_and(|run| {
            run.summary.outcome == Outcome::Interrupted
                && matches!(
                    run.summary.ending.as_ref().and_then(RunEnding::stopped_by),
                    None | Some(RunStop::User | RunStop::Controller)
                )
        })
}

fn target(parts: &[AgentPart]) -> Target {
    if let Some(target) = common(parts, |summary| summary.target.clone()) {
        return target;
    }
    let path = common(parts, |summary| summary.target.path.clone()).unwrap_or_else(|| {
        let mut paths: Vec<&str> = runs(parts).map(|(_, run)| run.summary.target.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.join(" + ")
    });
    Target {
        path,
        fs_type: common(parts, |summary| summary.target.fs_type.clone()).flatten(),
        description: common(parts, |summary| summary.target.description.clone()).flatten(),
        source: common(parts, |summary| summary.target.source.clone()).flatten(),
        server: common(parts, |summary| summary.target.server.clone()).flatten(),
        mount_options: common(parts, |summary| summary.target.mount_options.clone()).flatten(),
        is_shared: runs(parts).any(|(_, run)| run.summary.target.is_shared),
    }
}

/// The settings that all plans have in common, and the others with their values.
fn plan(parts: &[AgentPart]) -> BTreeMap<String, String> {
    let mut plan: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (name, run) in runs(parts) {
        for (setting, value) in &run.summary.plan {
            plan.entry(setting.clone()).or_default().push((name, value));
        }
    }
    let said = |values: Vec<(&str, &str)>| match values.as_slice() {
        [(_, first), others @ ..] if others.iter().all(|(_, value)| value == first) => (*first).to_owned(),
        _ => hosts_words(&values),
    };
    plan.into_iter().map(|(setting, values)| (setting, said(values))).collect()
}

fn mode(parts: &[AgentPart]) -> EffectiveMode {
    let differs = || "differs".to_owned();
    let said: Vec<(&str, &str)> =
        runs(parts).map(|(name, run)| (name, run.summary.effective_mode.sentence.as_str())).collect();
    let shares = |of: fn(&EffectiveMode) -> Option<f64>| {
        runs(parts).filter_map(|(_, run)| of(&run.summary.effective_mode)).reduce(f64::max)
    };
    EffectiveMode {
        asked: common(parts, |summary| summary.effective_mode.asked.clone()).unwrap_or_else(differs),
        found: common(parts, |summary| summary.effective_mode.found.clone()).unwrap_or_else(differs),
        sentence: common(parts, |summary| summary.effective_mode.sentence.clone())
            .unwrap_or_else(|| hosts_words(&said)),
        cached_share_before: shares(|mode| mode.cached_share_before),
        cached_share_after: shares(|mode| mode.cached_share_after),
    }
}

fn data_set(parts: &[AgentPart]) -> DataSet {
    let has_guests_alone = runs(parts).all(|(_, run)| run.is_guest);
    let makers = runs(parts).filter(|(_, run)| !run.is_guest || has_guests_alone);
    let files: u64 = makers.clone().map(|(_, run)| run.summary.data_set.files).sum();
    let bytes = |set: &DataSet| set.files.saturating_mul(set.file_size_bytes);
    let all_bytes = makers.map(|(_, run)| bytes(&run.summary.data_set)).fold(0, u64::saturating_add);
    DataSet {
        files,
        file_size_bytes: all_bytes.checked_div(files).unwrap_or_default(),
        reused: runs(parts).all(|(_, run)| run.summary.data_set.reused),
    }
}

fn verify(parts: &[AgentPart]) -> Option<VerifyFacts> {
    let all = runs(parts).filter_map(|(name, run)| Some((name, run.summary.verify.as_ref()?)));
    let add = |sum: Option<VerifyFacts>, (name, one): (&str, &VerifyFacts)| {
        let mut sum = sum.unwrap_or_default();
        sum.checked_bytes = sum.checked_bytes.saturating_add(one.checked_bytes);
        sum.different_bytes = sum.different_bytes.saturating_add(one.different_bytes);
        let first = one.first_difference.as_ref().map(|first| hosts_words(&[(name, first.as_str())]));
        sum.first_difference = sum.first_difference.or(first);
        Some(sum)
    };
    all.fold(None, add)
}

/// The memory facts of the agent whose figures are most doubtful.
fn memory(parts: &[AgentPart]) -> Option<MemoryFacts> {
    let rank = |memory: &&MemoryFacts| match memory.suspicion {
        Some(CacheSuspicion::Answered { .. }) => 0,
        Some(_) => 1,
        None => 2,
    };
    runs(parts).filter_map(|(_, run)| run.summary.memory.as_ref()).min_by_key(rank).cloned()
}

fn self_cost(seen: &View<'_>, summary: &Summary, totals: &RunTotals) -> SelfCost {
    let costs = || runs(seen.parts).map(|(_, run)| &run.summary.self_cost);
    let sum = |of: fn(&SelfCost) -> Option<f64>| {
        let each: Option<Vec<f64>> = costs().map(of).collect();
        each.map(|each| each.iter().sum::<f64>())
    };
    let cpu = sum(|cost| cost.cpu_user_s).zip(sum(|cost| cost.cpu_system_s));
    // Pauses of different hosts do not add up: report those of the worst host.
    let mut paused = PausedTotal::default();
    for (part, place, _) in seen.each() {
        let Some(cost) = part.run.as_ref().map(|run| &run.summary.self_cost) else { continue };
        let total_ns = cost.paused_s.map_or(0, |total_s| (total_s * 1e9) as u64);
        let longest = cost.longest_pause_s.zip(cost.longest_pause_began_s);
        let Some((longest_s, began_s)) = longest.filter(|_| total_ns > paused.total_ns) else { continue };
        let from_ns = place.time_ns((began_s * 1e9) as u64);
        paused = PausedTotal::default();
        paused.add(Pause { from_ns, until_ns: from_ns.saturating_add((longest_s * 1e9) as u64) });
        paused.total_ns = paused.total_ns.max(total_ns);
    }
    let is_known = costs().all(|cost| cost.paused_s.is_some());
    SelfCost::new(cpu, totals, &summary.load_points, is_known.then_some(&paused))
}

/// The pauses of the run, on the clock of the whole.
pub(super) fn pause_marks(pauses: &[PauseTimes], run_ns: i64) -> Vec<Mark> {
    let since_s = |unix_ns: i64| ((i128::from(unix_ns) - i128::from(run_ns)) as f64 / 1e9).max(0.0);
    let mark = |pause: &PauseTimes| Mark {
        kind: MarkKind::Paused,
        device: String::new(),
        agent: String::new(),
        began_s: since_s(pause.from_unix_ns),
        ended_s: since_s(pause.until_unix_ns),
        is_open: false,
    };
    pauses.iter().map(mark).collect()
}

/// Each note of the agents, once, after the notes on the whole.
fn notes(seen: &View<'_>, summary: &Summary) -> Vec<Note> {
    let parts = seen.parts;
    let mut notes = Vec::new();
    for part in parts.iter().filter(|part| part.run.as_ref().is_some_and(|run| !run.log_complete)) {
        let words = log_missing_words(&part.name, part.why_missing.as_deref());
        let note = Note::new(NoteFact::AgentLogMissing, words, "");
        notes.push(Note { agents: vec![part.name.clone()], ..note });
    }
    for (at, point) in summary.load_points.iter().enumerate() {
        let together = together(seen, point.index);
        notes.extend(together.filter(|(shared_s, all_s)| *shared_s < TOGETHER_MIN * all_s).map(
            |(shared_s, all_s)| {
                let words = overlap_words(at, summary.load_points.len(), shared_s, all_s);
                Note::new(NoteFact::Overlap { load_point: at, shared_s, all_s }, words, "")
            },
        ));
    }
    let of_clocks = summary.hosts.as_ref().and_then(clocks_words);
    notes.extend(of_clocks.map(|words| Note::new(NoteFact::Clocks, words, "")));
    let of_wall_clocks = summary.hosts.iter().flat_map(wall_clocks_words);
    notes.extend(of_wall_clocks.map(|words| Note::new(NoteFact::WallClock, words, "")));
    let few = Warning::if_few_transfers(&summary.load_points).filter(|_| summary.verb == "mix");
    notes.extend(few.as_ref().map(warning_note));
    notes.extend(of_agents(parts));
    notes
}

/// Each note of the agents, once; if only some have it, with their names.
fn of_agents(parts: &[AgentPart]) -> impl Iterator<Item = Note> {
    let mut said: Vec<(&Note, Vec<&str>)> = Vec::new();
    for (name, run) in runs(parts) {
        // Incomplete logs are reported elsewhere, with the consequence for the whole. And only the
        // tables of the whole count.
        let is_told = |note: &&Note| match note.fact {
            NoteFact::LogDropped { .. } => run.log_complete,
            NoteFact::FewTransfers { .. } => false,
            _ => true,
        };
        for note in run.summary.notes.iter().filter(is_told) {
            // Similar notes are merged.
            match said.iter_mut().find(|(known, _)| is_alike(known, note)) {
                Some((_, names)) => names.push(name),
                None => said.push((note, vec![name])),
            }
        }
    }
    let all = runs(parts).count();
    said.into_iter().map(move |(note, names)| match names.len() == all {
        true => note.clone(),
        false => Note {
            agents: names.iter().map(|name| (*name).to_owned()).collect(),
            sentence: between_words(&names, &note.sentence),
            ..note.clone()
        },
    })
}

/// Whether two notes have the same subject and similar figures.
fn is_alike(one: &Note, other: &Note) -> bool {
    discriminant(&one.fact) == discriminant(&other.fact) && one.text() == other.text()
}

/// How long all agents were measured at the same time, and how long any was.
fn together(seen: &View<'_>, index: u16) -> Option<(f64, f64)> {
    let all = seen.measured(index, |_| true)?;
    let each = seen.each().filter_map(|(part, place, _)| Some(part.measured(index)?.placed(place)));
    let shared = each.map(|at| (at.from_ns, at.until_ns));
    let (from_ns, until_ns) = shared.reduce(|one, two| (one.0.max(two.0), one.1.min(two.1)))?;
    let seconds = |ns: u64| ns as f64 / 1e9;
    Some((seconds(until_ns.saturating_sub(from_ns)), seconds(all.until_ns.saturating_sub(all.from_ns))))
}
