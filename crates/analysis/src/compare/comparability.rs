//! What runs were asked to do, and whether their figures can be laid side by side.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::RunToCompare;

/// Some workers of one kind, as far as it bears on comparing.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WorkActor {
    /// `player`, `mix`, `replay`, …
    pub kind: String,
    /// The format, footage or trace that they work on; empty where there is none.
    pub media: String,
    /// How many there are in each unit of scale.
    pub count: u32,
    /// A clock says when they ask for what, so that their throughput is what was asked for.
    pub paced: bool,
}

/// Settings of a plan that change how long is measured, what it is called, or how many load points there are,
/// and leave the work of each load point as it is.
const LEAVE_THE_WORK: [&str; 9] =
    ["actors", "driver_used", "duration", "name", "profile", "scale", "sweep", "warmup", "workers"];

/// A setting in which the plan of a run differs from that of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanDifference {
    /// The setting.
    pub setting: String,
    /// What the first run has; `None` where it is not set.
    pub first: Option<String>,
    /// What this run has.
    pub own: Option<String>,
    /// Operations are other operations with it: other blocks, another way to the files.
    pub changes_work: bool,
}

/// Where the plan of a run differs from that of the first; nothing where one of the plans is unknown.
pub(super) fn plan_differences(first: &RunToCompare<'_>, run: &RunToCompare<'_>) -> Vec<PlanDifference> {
    let (one, two) = (&first.summary.plan, &run.summary.plan);
    if one.is_empty() || two.is_empty() {
        return Vec::new();
    }
    let settings: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
    let differing = settings.into_iter().filter(|setting| one.get(*setting) != two.get(*setting));
    let difference = |setting: &String| PlanDifference {
        setting: setting.clone(),
        first: one.get(setting).cloned(),
        own: two.get(setting).cloned(),
        changes_work: !LEAVE_THE_WORK.contains(&setting.as_str()),
    };
    differing.map(difference).chain(rate_difference(first, run)).collect()
}

/// The limit on bytes a second that was set. It is no part of a plan, and what waited for it says nothing of
/// the storage. A limit that never held anything back is none.
fn rate_difference(first: &RunToCompare<'_>, run: &RunToCompare<'_>) -> Option<PlanDifference> {
    let held = |run: &RunToCompare<'_>| Some(run.summary.was_held_back()?.max_bytes_per_s.to_string());
    let (first, own) = (held(first), held(run));
    (first != own).then(|| PlanDifference { setting: "max_rate".to_owned(), first, own, changes_work: true })
}

/// Whether the figures of a run can be laid beside those of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Kinship {
    /// The same kind of work; only settings differ, if anything.
    #[default]
    SameWork,
    /// The first run once more: it was named twice, or its directory was copied.
    Itself,
    /// The same streams in other numbers: whether they were carried compares, how much was moved does not.
    OtherCounts,
    /// The same kind of work with other operations: other blocks, another way to the files. Whether streams
    /// were sustained compares; how long an operation took does not, and more bytes are neither better nor
    /// worse.
    OtherPlan,
    /// Another kind of work, of which no figure compares.
    OtherWork,
}

/// How each run is related to the first.
pub(super) fn kinships(runs: &[RunToCompare<'_>]) -> Vec<Kinship> {
    let of = |(at, run): (usize, &RunToCompare<'_>)| match kinship(&runs[0], run) {
        Kinship::SameWork if at > 0 && is_itself(&runs[0], run) => Kinship::Itself,
        found => found,
    };
    runs.iter().enumerate().map(of).collect()
}

/// Whether two directories hold one run: no two runs begin at the same time, with the same seed, and move the
/// same in the same time.
pub(super) fn is_itself(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> bool {
    let (a, b) = (one.summary, two.summary);
    let is_known = !a.started_at.is_empty() || one.id == two.id;
    is_known && (&a.started_at, a.seed) == (&b.started_at, b.seed) && a.load_points == b.load_points
}

fn kinship(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> Kinship {
    if !is_same_kind(one, two) {
        return Kinship::OtherWork;
    }
    let is_paced = |run: &RunToCompare<'_>| run.work.iter().any(|actor| actor.paced);
    let searches = one.summary.search.is_some();
    if !searches && is_paced(one) && counts_differ(one, two) {
        return Kinship::OtherCounts;
    }
    match plan_differences(one, two).iter().any(|difference| difference.changes_work) {
        true => Kinship::OtherPlan,
        false => Kinship::SameWork,
    }
}

fn is_same_kind(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> bool {
    let (a, b) = (one.summary, two.summary);
    let trace = |run: &RunToCompare<'_>| run.summary.replay.as_ref().map(|facts| facts.trace.clone());
    let goals = |run: &RunToCompare<'_>| (run.summary.search.is_some(), run.summary.check.is_some());
    if goals(one) != goals(two) || trace(one) != trace(two) {
        return false;
    }
    // Where nobody knows who worked, the command tells.
    if one.work.is_empty() || two.work.is_empty() {
        return a.verb == b.verb;
    }
    kinds(one.work) == kinds(two.work)
}

fn kinds(work: &[WorkActor]) -> Vec<(&str, &str)> {
    let mut kinds: Vec<(&str, &str)> =
        work.iter().map(|actor| (actor.kind.as_str(), actor.media.as_str())).collect();
    kinds.sort_unstable();
    kinds
}

/// Whether other numbers of them ran. With one kind of actor the load points say how many there were; with
/// several, how many there were of each matters as well.
fn counts_differ(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> bool {
    let sorted = |work: &[WorkActor]| {
        let mut work = work.to_vec();
        work.sort_unstable();
        work
    };
    if one.work.len() > 1 && sorted(one.work) != sorted(two.work) {
        return true;
    }
    let counts = |run: &RunToCompare<'_>| -> Vec<(u32, Option<u32>)> {
        run.summary.load_points.iter().map(|point| (point.workers, point.stream_count)).collect()
    };
    let (a, b) = (counts(one), counts(two));
    a.len() == 1 && b.len() == 1 && a != b
}

/// Whether all that a run moved was asked for by a clock.
pub(super) fn is_all_paced(work: &[WorkActor]) -> Option<bool> {
    (!work.is_empty()).then(|| work.iter().all(|actor| actor.paced))
}
