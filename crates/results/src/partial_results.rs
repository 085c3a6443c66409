//! Partial results of a search or a quick check that was killed: they have no summary, and their log
//! alone looks like that of a plain run.
//!
//! A search writes its evidence after every trial. A quick check writes none, so its counts are made
//! from the completed trials in its log: the largest one without a late frame, as a lower bound.

use std::collections::BTreeMap;

use reelgauge_analysis::facts::{
    CheckBasis, CheckCount, CheckFacts, CheckFormat, EarlierTrial, SearchFacts, TrialsAt,
};
use reelgauge_analysis::late::{LateFigures, StreamFigures};
use reelgauge_analysis::{LoadPoint, Outcome, Summary};
use reelgauge_record::run_dir::RunDir;
use reelgauge_workload::search::Search;
use reelgauge_workload::streams::{AnyPlan, StreamsPlan};
use serde::Deserialize;

use crate::live::liveness::begin;
use crate::load_points::{self, LoadPointPlan, TriedFormat};
use crate::small_file::{PLAN_MAX_BYTES, read_json, read_to_string};

/// The search's evidence in the run directory.
const SEARCH_FILE: &str = "search.json";
/// The verb of a quick check, whose plan is only for display.
const CHECK: &str = "check";
/// What ended the counts of a check that was killed.
const KILLED: &str = "the end of the run";
/// Its limit, as far as its log shows it.
const UNKNOWN_LIMIT: &str = "Unknown: the check was killed before it searched for the limit.";

/// The evidence in a search's file.
#[derive(Debug, Deserialize)]
struct Evidence {
    search: Search,
    #[serde(default)]
    earlier: Vec<EarlierTrial>,
}

/// Adds the partial results, if the run is a search or a quick check.
pub(crate) fn unfinished_into(summary: &mut Summary, run_dir: &RunDir) {
    let text = read_to_string(&run_dir.plan_path(), PLAN_MAX_BYTES).unwrap_or_default();
    let begun = begin(run_dir.path()).unwrap_or_default();
    if let Ok(AnyPlan::Streams(plan)) = AnyPlan::from_toml(&text)
        && plan.find_max.is_some()
    {
        summary.search = search(run_dir, &plan);
    } else if begun.verb == CHECK {
        summary.verb = begun.verb;
        summary.target.path = begun.target;
        let planned = load_points::read(run_dir);
        summary.check = (summary.outcome != Outcome::Running).then(|| check(summary, &planned));
    }
}

fn search(run_dir: &RunDir, plan: &StreamsPlan) -> Option<SearchFacts> {
    let Evidence { search, earlier } = read_json(&run_dir.path().join(SEARCH_FILE), PLAN_MAX_BYTES)?;
    let per_scale = plan.stream_count(1).max(1);
    let of_scale = |scale: u32| scale.saturating_mul(per_scale);
    let evidence = search.evidence();
    let trials = evidence.iter().map(|at| TrialsAt {
        streams: of_scale(at.streams),
        passed: at.passed,
        failed: at.failed,
        client_limited: at.client_limited,
        ..TrialsAt::default()
    });
    let mut facts = SearchFacts {
        what: plan.what(),
        evidence_sentence: search.evidence_sentence(),
        streams: Some(of_scale(search.sure())),
        at_most: evidence.iter().filter(|at| at.passed > 0).map(|at| of_scale(at.streams)).max(),
        trials: trials.collect(),
        ..SearchFacts::default()
    };
    // The verdicts of the run's own trials were in the summary that was never written.
    facts.take_earlier(&earlier, &[]);
    let verdict = facts.earlier.as_ref().and_then(|trial| trial.point.verdict.as_ref());
    facts.failed_first = verdict.and_then(|verdict| Some(verdict.failed_first.as_ref()?.sentence.clone()));
    Some(facts)
}

/// The counts of the completed trials: all load points except the last.
fn check(summary: &Summary, planned: &[LoadPointPlan]) -> CheckFacts {
    let points: &[LoadPoint] = &summary.load_points;
    let mut formats: BTreeMap<String, CheckFormat> = BTreeMap::new();
    let over = points.split_last().map_or(points, |(_, over)| over);
    for (point, late) in over.iter().filter_map(|point| Some((point, point.streams.as_ref()?))) {
        let Some(stream) = alike(late) else { continue };
        let tried =
            planned.iter().find(|plan| plan.index == point.index).and_then(|plan| plan.tried.as_ref());
        let Some(Tried { id, name, each }) = Tried::of(tried, stream) else { continue };
        let format = formats.entry(name.to_owned()).or_default();
        (format.id, format.name, format.needed_mb_per_s_each) = (id.to_owned(), name.to_owned(), each);
        let count = if stream.writes { &mut format.record } else { &mut format.play };
        let streams = late.streams.len() as u32;
        let passed = late.total.late_frames == 0 && late.total.frames_judged > 0;
        let known = count.as_ref().map_or(0, |count| count.streams);
        let held_s = count.as_ref().and_then(|count| count.held_s);
        let (streams, held_s) = match passed && streams > known {
            true => (streams, Some(point.measured_s)),
            false => (known, held_s),
        };
        *count = Some(CheckCount {
            streams,
            at_least: true,
            mb_per_s: f64::from(streams) * each,
            limited_by: KILLED.to_owned(),
            // Not marked as confirmed without the end: a later trial might have contradicted it.
            basis: Some(CheckBasis::ShortTrial),
            held_s,
            ..CheckCount::default()
        });
    }
    let mut formats: Vec<CheckFormat> = formats.into_values().collect();
    formats.sort_by(|one, two| one.needed_mb_per_s_each.total_cmp(&two.needed_mb_per_s_each));
    let looked_s = points.last().map_or(0.0, |point| point.started_s + point.measured_s);
    let mount = summary.target.description.clone().unwrap_or_default();
    CheckFacts { mount, formats, limit: UNKNOWN_LIMIT.to_owned(), looked_s, ..CheckFacts::default() }
}

/// A stream of a trial in which all streams have one format.
fn alike(late: &LateFigures) -> Option<&StreamFigures> {
    let first = late.streams.first()?;
    late.streams.iter().all(|stream| stream.name == first.name).then_some(first)
}

struct Tried<'a> {
    id: &'a str,
    name: &'a str,
    /// The rate that each stream needs, in MB/s.
    each: f64,
}

impl Tried<'_> {
    /// As recorded before the trial; in versions that did not record it, as measured.
    fn of<'a>(tried: Option<&'a TriedFormat>, stream: &'a StreamFigures) -> Option<Tried<'a>> {
        if let Some(TriedFormat { id, name, needed_bytes_per_s_each }) = tried {
            return Some(Tried { id, name, each: *needed_bytes_per_s_each as f64 / 1e6 });
        }
        let name = stream.format.as_deref().unwrap_or(&stream.name);
        Some(Tried { id: "", name, each: needed_mb_per_s(stream)? })
    }
}

fn needed_mb_per_s(stream: &StreamFigures) -> Option<f64> {
    let (bytes_per_s, frames_per_s) = (stream.bytes_per_s?, stream.frames_per_s?);
    (frames_per_s > 0.0).then(|| bytes_per_s / frames_per_s * stream.nominal_frames_per_s / 1e6)
}
