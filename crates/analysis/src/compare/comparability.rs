//! What the runs did, and whether their figures can be compared.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::RunToCompare;

/// The actors of one kind, with the properties that matter in a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WorkActor {
    /// `player`, `mix`, `replay`, …
    pub kind: String,
    /// The format, footage or trace that they use; empty if there is none.
    pub media: String,
    /// How many there are in each unit of scale.
    pub count: u32,
    /// Whether a clock sets the times of their requests. If so, their throughput is the requested rate.
    pub paced: bool,
}

/// Settings of a plan that do not change the work of a load point: how long is measured, labels, and how
/// many load points there are.
const LEAVE_THE_WORK: [&str; 9] =
    ["actors", "driver_used", "duration", "name", "profile", "scale", "sweep", "warmup", "workers"];

/// A setting in which the plan of a run differs from that of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanDifference {
    /// The setting.
    pub setting: String,
    /// Value of the first run; `None` if it is not set.
    pub first: Option<String>,
    /// Value of this run.
    pub own: Option<String>,
    /// Whether it changes the operations: other block sizes, another route to the files.
    pub changes_work: bool,
}

/// Differences between the plan of a run and that of the first; empty if one of the plans is unknown.
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

/// The byte rate limit that the user set. It is not part of a plan, but operations that wait for it say
/// nothing about the storage. A limit that never delayed an operation counts as none.
fn rate_difference(first: &RunToCompare<'_>, run: &RunToCompare<'_>) -> Option<PlanDifference> {
    let held = |run: &RunToCompare<'_>| Some(run.summary.was_held_back()?.max_bytes_per_s.to_string());
    let (first, own) = (held(first), held(run));
    (first != own).then(|| PlanDifference { setting: "max_rate".to_owned(), first, own, changes_work: true })
}

/// Whether the figures of a run can be compared with those of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Kinship {
    /// The same kind of work; only settings differ, if anything.
    #[default]
    SameWork,
    /// The first run again: it was named twice, or its directory was copied.
    Itself,
    /// The same streams in other numbers: whether they were sustained can be compared, transferred bytes
    /// cannot.
    OtherCounts,
    /// The same kind of work with other operations: other block sizes, another route to the files.
    /// Whether streams were sustained can be compared. Response times cannot, and more bytes are neither
    /// better nor worse.
    OtherPlan,
    /// Another kind of work: no figure can be compared.
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

/// Whether two directories hold the same run. No two runs start at the same time, with the same seed,
/// and have the same load points.
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
    // Without known actors, the command decides.
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

/// Whether the runs had different numbers of actors. With one kind of actor, the load points show the
/// number; with several kinds, the number of each kind matters as well.
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

/// Whether a clock requested everything that a run transferred.
pub(super) fn is_all_paced(work: &[WorkActor]) -> Option<bool> {
    (!work.is_empty()).then(|| work.iter().all(|actor| actor.paced))
}
