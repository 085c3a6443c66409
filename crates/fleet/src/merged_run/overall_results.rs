//! The results of all load points together: that of a search over them, or the curve of a VDA-like run.
//!
//! Not here: the load points (`points`), the next trial ([`crate::search`]).

use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_report::vda_facts;
use reelgauge_runner::streams::count_search;
use reelgauge_runner::streams::curve::input_of;
use reelgauge_workload::streams::{AnyPlan, StreamsPlan};

use crate::search::FleetSearch;

/// Adds the result to the summary, which has its load points and notes. A trial passes only if the
/// merged verdict confirms it. It does not if operations of an agent are missing, whatever was known at
/// the time.
///
/// `curve` is the plan of a VDA-like run: points are valid by the rates of all agents together.
pub(super) fn put_into(summary: &mut Summary, search: Option<&FleetSearch>, curve: Option<&StreamsPlan>) {
    let passed = |point: &LoadPoint| point.verdict.as_ref().is_some_and(|verdict| verdict.passed);
    let points = &summary.load_points;
    let stands = |index: u16| points.iter().any(|point| point.index == index && passed(point));
    if let Some(facts) = search.and_then(|search| search.facts(stands)) {
        count_search::conclude(summary, facts, &[]);
    }
    if let Some(input) = curve.and_then(input_of) {
        summary.vda = Some(vda_facts(&summary.load_points, &input));
    }
}

/// The plan as a plan of streams, if it is one.
pub(super) fn streams_plan(plan_toml: &str) -> Option<StreamsPlan> {
    match AnyPlan::from_toml(plan_toml).ok()? {
        AnyPlan::Streams(plan) => Some(plan),
        AnyPlan::Mix(_) | AnyPlan::Replay(_) => None,
    }
}
