//! Cautions about a comparison: other differences between the runs, and each run's own warnings.

use std::collections::BTreeMap;

use reelgauge_analysis::compare::{ComparedRun, FigureUnit, Kinship, PlanDifference, RunToCompare};
use reelgauge_analysis::{Culprit, Outcome, Summary};

use super::say;
use crate::units::{counted, counted_are, mb_per_s};
use crate::user_description::storage_words;

/// The limit on bytes per second, among the settings of a run.
const MAX_RATE: &str = "max_rate";
/// If the cached share differs by more than this, the data sets count as different.
const CACHED_DIFFERENCE: f64 = 0.1;

/// The cautions: first the differences from the first run, then each run's own warnings. For runs of
/// different kinds of work, plan differences are omitted.
pub(super) fn cautions(runs: &[RunToCompare<'_>], compared: &[ComparedRun]) -> Vec<String> {
    let mut cautions = Vec::new();
    let Some((first, others)) = runs.split_first() else { return cautions };
    for (at, other) in others.iter().enumerate() {
        let number = at + 2;
        let mut tell = |what: String| cautions.push(format!("Run {number} {what}"));
        let of_kin = compared.get(at + 1).filter(|run| run.kinship != Kinship::OtherWork);
        of_kin.and_then(|run| plan(&run.plan_differences)).into_iter().for_each(&mut tell);
        place(first.summary, other.summary).into_iter().for_each(&mut tell);
        data(first.summary, other.summary).into_iter().for_each(&mut tell);
        host(first, other).into_iter().for_each(&mut tell);
        storage(first, other).into_iter().for_each(&mut tell);
        let (one, two) = (&first.summary.tool_version, &other.summary.tool_version);
        if one != two {
            tell(format!("used Reelgauge {two} (run 1: {one})."));
        }
    }
    for (at, run) in runs.iter().enumerate() {
        let own = of_itself(run.summary);
        cautions.extend(own.into_iter().map(|what| format!("Run {} {what}", at + 1)));
    }
    cautions
}

/// `has another plan: blocks 64KiB (run 1: 4KiB), …`. Settings that change the work are listed in the
/// result instead.
fn plan(differences: &[PlanDifference]) -> Option<String> {
    let others: Vec<&PlanDifference> = differences.iter().filter(|one| !one.changes_work).collect();
    (!others.is_empty()).then(|| format!("has a different plan: {}.", plan_words(&others)))
}

/// `blocks 64KiB (run 1: 4KiB), …`.
pub(super) fn plan_words(differences: &[&PlanDifference]) -> String {
    let words = |one: &&PlanDifference| {
        let value = |value: &Option<String>| match (value, one.setting.as_str()) {
            (Some(rate), MAX_RATE) => {
                rate.parse().map_or_else(|_| said(rate), |rate: f64| format!("{} MB/s", mb_per_s(rate)))
            }
            (Some(value), _) => said(value),
            // A limit that no operation reached counts as none.
            (None, MAX_RATE) => "never reached or not set".to_owned(),
            (None, _) => "not set".to_owned(),
        };
        format!("{} {} (run 1: {})", one.setting, value(&one.own), value(&one.first))
    };
    differences.iter().map(words).collect::<Vec<_>>().join(", ")
}

fn place(one: &Summary, two: &Summary) -> Vec<String> {
    let mut told = Vec::new();
    let (a, b) = (&one.target, &two.target);
    if a.path != b.path {
        told.push(format!("measured {} (run 1: {}).", said(&b.path), said(&a.path)));
    }
    let kinds = [
        ("a different file system", &a.fs_type, &b.fs_type),
        ("a different source", &a.source, &b.source),
        ("different mount options", &a.mount_options, &b.mount_options),
    ];
    for (what, one, two) in kinds {
        if one != two {
            let name = |value: &Option<String>| value.as_deref().map_or_else(|| "unknown".to_owned(), said);
            told.push(format!("had {what}: {} (run 1: {}).", name(two), name(one)));
        }
    }
    let (a, b) = (&one.effective_mode, &two.effective_mode);
    if a.found != b.found {
        told.push(format!("{}; run 1 {}.", mode_words(&b.found), mode_words(&a.found)));
    }
    if let (Some(one), Some(two)) = (a.cached_share_before, b.cached_share_before)
        && (one - two).abs() > CACHED_DIFFERENCE
    {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        told.push(format!(
            "found {} of its data in its client's cache (run 1: {}).",
            percent(two),
            percent(one)
        ));
    }
    told
}

/// How a run accessed its files: directly or through the cache.
fn mode_words(found: &str) -> &str {
    match found {
        "direct" => "used direct I/O",
        "buffered" => "used buffered I/O",
        "direct ignored" => "used a cache despite direct I/O",
        _ => "used an unknown I/O mode",
    }
}

fn data(one: &Summary, two: &Summary) -> Vec<String> {
    let mut told = Vec::new();
    let bytes =
        |summary: &Summary| (summary.data_set.files as f64 * summary.data_set.file_size_bytes as f64) / 1e6;
    // A run that creates its files has none beforehand.
    if bytes(one) != bytes(two) && bytes(one) > 0.0 && bytes(two) > 0.0 {
        let mb = |summary: &Summary| say(FigureUnit::MbPerS, bytes(summary));
        told.push(format!(
            "used {} MB of files (run 1: {} MB). Caches hold more of the smaller set.",
            mb(two),
            mb(one)
        ));
    }
    if one.verify.is_some() != two.verify.is_some() {
        let which = if two.verify.is_some() { "verified its reads" } else { "did not verify its reads" };
        told.push(format!("{which}, unlike run 1. Verifying can lower rates."));
    }
    told
}

fn host(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> Vec<String> {
    let (Some(a), Some(b)) = (one.machines.first(), two.machines.first()) else { return Vec::new() };
    let mut told = Vec::new();
    if one.machines.len() != two.machines.len() {
        told.push(format!("used {} hosts (run 1: {}).", two.machines.len(), one.machines.len()));
    }
    if (&a.name, &a.hardware) != (&b.name, &b.hardware) {
        let machine = |name: &str, hardware: &str| format!("{} ({})", said(name), said(hardware));
        told.push(format!(
            "ran on a different client: {} (run 1: {}).",
            machine(&b.name, &b.hardware),
            machine(&a.name, &a.hardware)
        ));
    }
    if a.system != b.system {
        told.push(format!("ran on a different system: {} (run 1: {}).", said(&b.system), said(&a.system)));
    }
    if a.links != b.links {
        told.push(format!("used different network links: {} (run 1: {}).", list(&b.links), list(&a.links)));
    }
    told
}

/// Differences in the storage details that the user stated.
fn storage(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> Option<String> {
    let (one, two) = (storage_words(&one.summary.storage), storage_words(&two.summary.storage));
    let name = |words: Option<String>| words.unwrap_or_else(|| "not named".to_owned());
    (one != two).then(|| format!("used different storage: {} (run 1: {}).", name(two), name(one)))
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { said(&names.join("; ")) }
}

fn of_itself(summary: &Summary) -> Vec<String> {
    let mut told = Vec::new();
    let why = summary.outcome_reason.as_deref().map_or_else(String::new, |why| format!(": {}", said(why)));
    match summary.outcome {
        Outcome::Complete => {}
        Outcome::Interrupted => told.push(format!("was interrupted{why}.")),
        Outcome::BrokeOff => told.push(format!("ended unexpectedly{why}.")),
        Outcome::Running => told.push("is still running; only its log so far is compared.".to_owned()),
    }
    let is_own = |culprit: Culprit| culprit.is_own() && culprit != Culprit::MaxRate;
    let by_client = summary.load_points.iter().any(|point| point.culprit.is_some_and(is_own));
    if let Some(held) = summary.was_held_back() {
        told.push(format!(
            "was limited to {} MB/s (--max-rate): operations that waited for it show nothing about the \
             storage.",
            mb_per_s(held.max_bytes_per_s as f64)
        ));
    }
    let search_by_client = summary.search.as_ref().is_some_and(|facts| facts.limited_by_client);
    if by_client || search_by_client {
        told.push("was limited, at least in part, by its own client and not by the storage.".to_owned());
    }
    for point in &summary.load_points {
        if let Some(why) = &point.ended_early {
            told.push(format!("ended load point \"{}\" early: {}.", said(&point.label), said(why)));
        }
    }
    if summary.self_cost.was_only_stopped() {
        told.push("was suspended during the measurement; all its figures include the pause.".to_owned());
    } else if summary.self_cost.timing_good_enough == Some(false) {
        told.push(
            "issued its operations late: its response times include much of Reelgauge's scheduling delay."
                .to_owned(),
        );
    }
    let failed = summary.failed_ops();
    if failed > 0 {
        let failed = counted(failed, "operation");
        told.push(format!("had {failed} that failed; its figures exclude them."));
    }
    if let Some(verify) = summary.verify.as_ref().filter(|verify| verify.different_bytes > 0) {
        let bytes = counted_are(verify.different_bytes, "byte", "that was", "that were");
        told.push(format!("read back {bytes} that do not match the data written."));
    }
    if no_warmup(&summary.plan) {
        told.push("had no warm-up: its figures include the first seconds, while caches fill.".to_owned());
    }
    told
}

fn no_warmup(plan: &BTreeMap<String, String>) -> bool {
    let warmup = plan.get("warmup").map(|time| time.trim_start_matches(['0', '.']));
    warmup.is_some_and(|rest| rest.chars().all(|c| !c.is_ascii_digit()))
}

/// Untrusted text, shortened for a sentence. The report escapes it.
fn said(text: &str) -> String {
    const MAX_CHARS: usize = 120;
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(MAX_CHARS - 1).collect();
    cut.push('…');
    cut
}
