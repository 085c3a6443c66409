//! What the load points of all agents amount to: what a search over them found, the curve of a VDA-like run.
//!
//! Not here: the load points (`points`), what is tried next ([`crate::search`]).

use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_report::vda_facts;
use reelgauge_runner::streams::curve::input_of;
use reelgauge_runner::streams::seek;
use reelgauge_workload::streams::{AnyPlan, StreamsPlan};

use crate::search::FleetSearch;

/// Puts it into the summary, which has its load points and notes. A trial is held where the merged verdict
/// says so: where operations of an agent are missing it is not, whatever was known when it was made.
///
/// `curve` is the plan of a VDA-like run: points are valid by the rates of all agents together.
pub(super) fn put_into(summary: &mut Summary, search: Option<&FleetSearch>, curve: Option<&StreamsPlan>) {
    let passed = |point: &LoadPoint| point.verdict.as_ref().is_some_and(|verdict| verdict.passed);
    let points = &summary.load_points;
    let stands = |index: u16| points.iter().any(|point| point.index == index && passed(point));
    if let Some(facts) = search.and_then(|search| search.facts(stands)) {
        seek::conclude(summary, facts, &[]);
    }
    if let Some(input) = curve.and_then(input_of) {
        summary.vda = Some(vda_facts(&summary.load_points, &input));
    }
}

/// The plan of streams that this is, if it is one.
pub(super) fn streams_plan(plan_toml: &str) -> Option<StreamsPlan> {
    match AnyPlan::from_toml(plan_toml).ok()? {
        AnyPlan::Streams(plan) => Some(plan),
        AnyPlan::Mix(_) | AnyPlan::Replay(_) => None,
    }
}
