//! What runs were asked to do, and whether their figures can be laid side by side.

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
    Kinship::SameWork
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
