//! The summary of a run: everything that a report shows, as one JSON file.
//!
//! The runner fills in what it knows (who, where, how), the [`Meter`](crate::Meter) gives the load
//! points. Every number has its unit in its name; what was not measured is `null`, never 0.
//!
//! The schema version rises when the meaning or the name of a field changes or one goes away; fields
//! may be added without it.

use std::collections::BTreeMap;

use reelgauge_record::notes::StorageDetails;
use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::facts::{
    CheckFacts, EventFacts, LinkFacts, MemoryFacts, MeterFacts, ObserverFacts, ReplayFacts, SearchFacts,
    VdaFacts, WatchFacts,
};
use crate::figures::{Figures, WorkerFigures, seconds};
use crate::hosts::HostsSection;
use crate::late::{LateFigures, StreamFigures};
use crate::limit::Limit;
use crate::marks::Mark;
use crate::meter::PointFigures;
use crate::note::Note;
use crate::paper::PaperTables;
use crate::path::PathFacts;
use crate::path::per_unit::SiteShares;
use crate::procedure::step::ProcedureStep;
use crate::run_ending::{RunEnding, RunStop};
use crate::self_cost::SelfCost;
use crate::series::Series;
use crate::statement::Statement;
use crate::vda::ProcessRate;
use crate::verdict::Verdict;

/// The version that this program writes. Since version 2 a note is an object with its kind.
pub const SCHEMA_VERSION: u32 = 2;
/// The oldest version that it reads.
const OLDEST_READ: u32 = 1;

/// Everything that a report shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Summary {
    /// The version of this file's form that the program wrote; see [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of that program.
    pub tool_version: String,
    /// When the run started, RFC 3339.
    pub started_at: String,
    /// The command: `mix`, `streams`, …
    pub verb: String,
    /// The user's own name for the run; may be empty.
    pub label: String,
    /// Where the run's files were written; `None` for a summary that was not made by a run.
    #[serde(default)]
    pub run_dir: Option<String>,
    /// The storage as the user describes it. Parts that were not given are `None`.
    #[serde(default)]
    pub storage: StorageDetails,
    /// Words to find the run by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The procedure that this run is a step of, and how it differs from the paper. `None` for a single
    /// run, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procedure: Option<ProcedureStep>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it did not complete.
    pub outcome_reason: Option<String>,
    /// What ended it before its time, as data. `None` where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub ending: Option<RunEnding>,
    /// Where the data lies.
    pub target: Target,
    /// The seed of every draw. `jq` reads numbers above 2^53 inexactly; the plan file has it exactly.
    pub seed: u64,
    /// The resolved plan as names and values, for display.
    pub plan: BTreeMap<String, String>,
    /// Past the client's cache, or not: what was asked and what was found.
    pub effective_mode: EffectiveMode,
    /// The files used.
    pub data_set: DataSet,
    /// The load points in the order in which they ran.
    pub load_points: Vec<LoadPoint>,
    /// Every second of the run.
    pub series: Series,
    /// The operation log.
    pub log: LogFacts,
    /// What verification found; `None` if the run did not verify.
    pub verify: Option<VerifyFacts>,
    /// What the tool itself cost.
    pub self_cost: SelfCost,
    /// What to know before believing the figures, the worst first.
    pub notes: Vec<Note>,
    /// The statement of the run: verdict, number, cause, confidence. `None` in unfinished summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// Whether the criteria were met: the verdict of the first load point that failed, else of the last.
    /// `None` where none were asked for.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// What a search for the largest count found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchFacts>,
    /// The curve of a VDA-like run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vda: Option<VdaFacts>,
    /// Results of `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckFacts>,
    /// What a replay found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayFacts>,
    /// The memories that may have answered instead of the storage. `None` in a summary that was made from a
    /// log alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryFacts>,
    /// The network link to the storage, with what it can carry. `None` where there is none, or it was not
    /// found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkFacts>,
    /// What was sampled, where nothing was measured: a watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchFacts>,
    /// What workers of the original Media Storage Meter reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msmeter: Option<MeterFacts>,
    /// Observers: samples of other computers, added with `report --observer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observers: Vec<ObserverFacts>,
    /// Activities during the run that are known to disturb storage. They are not a cause by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// What an event of the user's own did to it. `None` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub event: Option<EventFacts>,
    /// The path to the disks with what each part of it can carry. `None` where nothing leads over a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathFacts>,
    /// What its streams are for each node, drive, core, client and rack unit, and what one costs. `None`
    /// where the site states none of these, or no count of streams was sustained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_shares: Option<SiteShares>,
    /// The machines that made it. `None` where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<HostsSection>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As planned.
    #[default]
    Complete,
    /// Somebody stopped it.
    Interrupted,
    /// It could not go on.
    BrokeOff,
    /// It goes on: these are the figures of its log until now.
    Running,
}

/// Where the data lies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Target {
    /// The path that was given.
    pub path: String,
    /// `nfs4`, `cifs`, `ext4`, …
    pub fs_type: Option<String>,
    /// For display: `SMB 3.1.1 from nas1`.
    pub description: Option<String>,
    /// The mounted thing: `//nas1/media`, `/dev/nvme0n1p2`.
    pub source: Option<String>,
    /// The server, where there is one.
    pub server: Option<String>,
    /// Mount options as the system states them.
    pub mount_options: Option<String>,
    /// Other users own it or may write in it, and root confirmed this with `--shared-target`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_shared: bool,
}

/// Past the client's cache, or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EffectiveMode {
    /// What was asked: `direct`, `cached`.
    pub asked: String,
    /// What it really was.
    pub found: String,
    /// The same in words, when it matters; else empty.
    pub sentence: String,
    /// Share of the data set in this machine's cache before the run, 0 to 1.
    pub cached_share_before: Option<f64>,
    /// The same after it.
    pub cached_share_after: Option<f64>,
}

/// The files used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DataSet {
    /// How many.
    pub files: u64,
    /// Size of each.
    pub file_size_bytes: u64,
    /// Whether they were there already.
    pub reused: bool,
}

/// One load point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LoadPoint {
    /// From 0.
    pub index: u16,
    /// `4 workers`, `blocks 64 KiB`.
    pub label: String,
    /// How many workers ran.
    pub workers: u32,
    /// How many threads of the tool did the operations. `None` where that was not kept.
    #[serde(default)]
    pub threads: Option<u32>,
    /// The value that was swept, as it was written in the plan.
    pub sweep_value: Option<String>,
    /// When it began, warm-up included, since the start of the run.
    pub started_s: f64,
    /// How much later it began than was agreed upon with the other hosts of a fleet; negative: earlier.
    /// `None` where nothing was agreed upon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_skew_ns: Option<i64>,
    /// How long it was measured, without the warm-up, to the microsecond.
    pub measured_s: f64,
    /// The same exactly: what throughput is divided by. `None` in summaries of versions that did not keep it.
    #[serde(default)]
    pub measured_ns: Option<u64>,
    /// Why it ended before its time, if it did.
    pub ended_early: Option<String>,
    /// Why it has no figures although it was not cut short. `None` where it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<NotMeasured>,
    /// What the limit on bytes a second held back. `None` where none was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back: Option<HeldBack>,
    /// What was never answered, and so is in no response time. `None` where everything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// All workers together.
    pub total: Figures,
    /// Each worker.
    pub per_worker: Vec<WorkerFigures>,
    /// The paper's tables.
    pub paper: PaperTables,
    /// How many streams ran. `None` where nothing is counted in streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_count: Option<u32>,
    /// Late frames of every stream that has frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<LateFigures>,
    /// The workers that were asked for a rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<ProcessRate>,
    /// Mean response time of the transfers of those workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates_mean_response_ms: Option<f64>,
    /// Whether its criteria were met. `None` where none were asked for.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Whose fault it was that its criteria were not met. `None` where they were, or none were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
    /// Which layer limited it, by the counters of exactly its measured time. `None` where none were sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// What a limit on bytes a second did to a load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HeldBack {
    /// The limit, reading and writing together.
    pub max_bytes_per_s: u64,
    /// Operations of the measured time that had to wait for it.
    pub operations: u64,
}

/// Operations that had got no answer when a load point was given up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Unanswered {
    /// Threads that waited for one operation each, or for several at once.
    pub threads: u32,
    /// How long the oldest had been under way. Throughput counts that time as far as it was measured.
    pub for_s: f64,
}

/// Why a load point could not be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NotMeasured {
    /// Every block was to be visited once, and the warm-up had visited them all.
    WarmupVisitedAll,
    /// No read or write was finished within the measured time.
    NothingFinished,
}

/// What a load point was, beside its figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadPointFacts {
    /// See [`LoadPoint::label`].
    pub label: String,
    /// See [`LoadPoint::workers`].
    pub workers: u32,
    /// See [`LoadPoint::sweep_value`].
    pub sweep_value: Option<String>,
    /// See [`LoadPoint::ended_early`].
    pub ended_early: Option<String>,
}

impl LoadPoint {
    /// Says why it has no figures, and lets go of its rates: nothing was measured, which is not 0 MB/s.
    pub fn was_not_measured(&mut self, why: NotMeasured) {
        self.not_measured = Some(why);
        let of_workers = self.per_worker.iter_mut().map(|worker| &mut worker.figures);
        of_workers.chain([&mut self.total]).for_each(Figures::forget_rates);
    }

    /// A load point from its facts and figures. What was stopped before anything was finished has no rates:
    /// nothing was measured, which is not 0 MB/s.
    pub fn new(facts: LoadPointFacts, mut figures: PointFigures) -> LoadPoint {
        if facts.ended_early.is_some() {
            let of_workers = figures.per_worker.iter_mut().map(|worker| &mut worker.figures);
            let idle = of_workers.chain([&mut figures.total]).filter(|figures| figures.ops == 0);
            idle.for_each(Figures::forget_rates);
        }
        LoadPoint {
            index: figures.point,
            label: facts.label,
            workers: facts.workers,
            threads: None,
            sweep_value: facts.sweep_value,
            started_s: seconds(figures.timing.started_ns),
            start_skew_ns: None,
            measured_s: seconds(figures.timing.measured_ns),
            measured_ns: Some(figures.timing.measured_ns),
            ended_early: facts.ended_early,
            not_measured: None,
            held_back: None,
            unanswered: None,
            total: figures.total,
            per_worker: figures.per_worker,
            paper: figures.paper,
            stream_count: None,
            streams: None,
            rates: Vec::new(),
            rates_mean_response_ms: None,
            verdict: None,
            culprit: None,
            limit: None,
        }
    }

    /// What a limit on bytes a second did, where it made operations of this load point wait.
    pub fn was_held_back(&self) -> Option<HeldBack> {
        self.held_back.filter(|held| held.operations > 0)
    }

    /// Whether it ended before its time, so that what it did not reach is not known.
    pub fn was_cut_off(&self) -> bool {
        self.ended_early.is_some()
    }

    /// Whether it was stopped before any operation was finished in its measured time, or any frame was due.
    pub fn is_unmeasured(&self) -> bool {
        let frames_judged = self.streams.as_ref().map_or(0, |late| late.total.frames_judged);
        self.was_cut_off() && self.total.ops == 0 && frames_judged == 0
    }
}

/// The operation log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LogFacts {
    /// Whether every operation is in it.
    pub complete: bool,
    /// Operations in it.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// Both divided; `None` if it is empty.
    pub bytes_per_op: Option<f64>,
    /// Operations that are only in the figures.
    pub dropped_to_histograms_ops: u64,
    /// Anything else to know.
    pub note: Option<String>,
}

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VerifyFacts {
    /// Bytes that were compared with what had been written.
    pub checked_bytes: u64,
    /// Bytes that differed.
    pub different_bytes: u64,
    /// Where the first difference is, in words.
    pub first_difference: Option<String>,
}

/// Why a summary could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// It is no summary, or a damaged one.
    #[error(
        "not the summary.json of a run ({source}). Move it away, then compute the figures from the log \
         with 'reelgauge report RUN'"
    )]
    Malformed {
        /// What is wrong with it.
        #[from]
        source: serde_json::Error,
    },
    /// A newer program wrote it.
    #[error(
        "the summary has schema version {found}, but this program supports {SCHEMA_VERSION}. Use a newer \
         Reelgauge, or move summary.json away and compute the figures from the log with 'reelgauge report \
         RUN'"
    )]
    Newer {
        /// Its version.
        found: u32,
    },
    /// A program wrote it whose summaries are no longer read.
    #[error(
        "the summary has schema version {found}, but this program supports {SCHEMA_VERSION}. Move \
         summary.json away, then compute the figures from the log with 'reelgauge report RUN'"
    )]
    Older {
        /// Its version.
        found: u32,
    },
}

#[derive(Deserialize)]
#[serde(expecting = "an object with a schema_version")]
struct VersionOnly {
    schema_version: u32,
    /// Of version 1: something else changed the run's files.
    #[serde(default)]
    files_changed: bool,
    /// Of version 1: who stopped it.
    #[serde(default)]
    stopped_by: Option<RunStop>,
}

impl VersionOnly {
    /// What ended the run, where version 1 said so.
    fn ending(&self) -> Option<RunEnding> {
        let stopped = self.stopped_by.map(|by| RunEnding::Stopped { by });
        if self.files_changed { Some(RunEnding::FilesChanged) } else { stopped }
    }
}

impl Summary {
    /// A summary of a run that has measured nothing yet.
    pub fn new(tool_version: &str, started_at: &str, verb: &str, target: Target) -> Summary {
        Summary {
            schema_version: SCHEMA_VERSION,
            tool_version: tool_version.to_owned(),
            started_at: started_at.to_owned(),
            verb: verb.to_owned(),
            label: String::new(),
            run_dir: None,
            storage: StorageDetails::default(),
            tags: Vec::new(),
            procedure: None,
            outcome: Outcome::Complete,
            outcome_reason: None,
            ending: None,
            target,
            seed: 0,
            plan: BTreeMap::new(),
            effective_mode: EffectiveMode::default(),
            data_set: DataSet::default(),
            load_points: Vec::new(),
            series: Series { step_s: 1, steps: Vec::new(), standstills: Vec::new() },
            log: LogFacts::default(),
            verify: None,
            self_cost: SelfCost::default(),
            notes: Vec::new(),
            statement: None,
            verdict: None,
            search: None,
            vda: None,
            check: None,
            replay: None,
            memory: None,
            link: None,
            watch: None,
            msmeter: None,
            observers: Vec::new(),
            marks: Vec::new(),
            event: None,
            path: None,
            site_shares: None,
            hosts: None,
        }
    }

    /// Reads a summary; the version is looked at before anything else.
    // Inlined, so that what reads all these types is compiled where it is called and not here, where it would
    // be a quarter of the code.
    #[inline]
    pub fn from_json(json: &str) -> Result<Summary, SummaryError> {
        let version: VersionOnly = serde_json::from_str(json)?;
        let found = version.schema_version;
        match found {
            OLDEST_READ..=SCHEMA_VERSION => {
                let mut summary: Summary = serde_json::from_str(json)?;
                summary.ending = summary.ending.take().or_else(|| version.ending());
                summary.take_this_version();
                Ok(summary)
            }
            ..OLDEST_READ => Err(SummaryError::Older { found }),
            _ => Err(SummaryError::Newer { found }),
        }
    }

    /// Puts what an earlier version wrote into the form of this one, in which it is written again.
    fn take_this_version(&mut self) {
        self.schema_version = SCHEMA_VERSION;
        let earlier = self.search.as_mut().and_then(|search| search.earlier.as_mut());
        let points = self.load_points.iter_mut().chain(earlier.map(|earlier| &mut earlier.point));
        let late = points.filter_map(|point| point.streams.as_mut());
        late.flat_map(|late| &mut late.streams).for_each(StreamFigures::take_from_name);
    }

    /// Writes it, indented, with a line feed at the end.
    pub fn to_json(&self) -> Result<String, SummaryError> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }

    /// What a limit on bytes a second did in the last load point in which it made operations wait.
    pub fn was_held_back(&self) -> Option<HeldBack> {
        self.load_points.iter().rev().find_map(LoadPoint::was_held_back)
    }

    /// The load point at this place, as statements name it: behind the run's own is the earlier trial of a
    /// search that went on.
    pub fn point(&self, at: usize) -> Option<&LoadPoint> {
        let earlier = || self.search.as_ref()?.earlier.as_ref().filter(|_| at == self.load_points.len());
        self.load_points.get(at).or_else(|| Some(&earlier()?.point))
    }

    /// Whether a VDA-like curve ended at a load point that was not valid: then the one before is a capacity.
    /// One that was cut off, or failed by the tool or its machine, is no limit of the storage, and neither is
    /// the largest count that was asked for.
    pub fn vda_ended_at_its_limit(&self) -> bool {
        let points = self.vda.as_ref().map_or(&[][..], |vda| &vda.points);
        let failed = points.iter().position(|point| !point.valid).filter(|at| *at > 0);
        let is_no_limit =
            |point: &LoadPoint| point.was_cut_off() || point.culprit.is_some_and(Culprit::is_own);
        failed.is_some_and(|at| !self.load_points.get(at).is_some_and(is_no_limit))
    }

    /// Measured operations of all load points.
    pub fn ops(&self) -> u64 {
        self.load_points.iter().map(|point| point.total.ops).sum()
    }

    /// Failed operations of all load points.
    pub fn failed_ops(&self) -> u64 {
        self.load_points.iter().map(|point| point.total.failed_ops).sum()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn versions_are_checked_first() {
        let error = |json: &str| Summary::from_json(json).unwrap_err();
        assert!(matches!(error(r#"{"schema_version": 3, "x": 1}"#), SummaryError::Newer { found: 3 }));
        assert!(matches!(error(r#"{"schema_version": 0}"#), SummaryError::Older { found: 0 }));
        assert!(matches!(error(r#"{"schema_version": 1}"#), SummaryError::Malformed { .. }));
        assert!(matches!(error("{}"), SummaryError::Malformed { .. }));
        assert!(error("[").to_string().contains("reelgauge report"));
        let of_a_text = error("\"x\"").to_string();
        assert!(of_a_text.contains("expected an object") && !of_a_text.contains("struct"), "{of_a_text}");
    }

    #[test]
    fn an_empty_summary_is_read_back() {
        let summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default());
        assert_eq!(Summary::from_json(&summary.to_json().unwrap()).unwrap(), summary);
    }

    #[test]
    fn notes_of_version_1_are_texts_and_its_endings_two_fields() {
        let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default());
        summary.notes = vec![Note::other("One."), Note::other("Two.")];
        let mut json: serde_json::Value = serde_json::from_str(&summary.to_json().unwrap()).unwrap();
        json["schema_version"] = 1.into();
        json["notes"] = serde_json::json!(["One.", "Two."]);
        json["note_kinds"] = serde_json::json!([{"note": 0, "kind": "log"}]);
        assert_eq!(Summary::from_json(&json.to_string()).unwrap(), summary);
        json["stopped_by"] = "silence".into();
        let ending = |json: &serde_json::Value| Summary::from_json(&json.to_string()).unwrap().ending;
        assert_eq!(ending(&json), Some(RunEnding::Stopped { by: RunStop::Silence }));
        json["files_changed"] = true.into();
        assert_eq!(ending(&json), Some(RunEnding::FilesChanged));
    }

    #[test]
    fn fields_that_were_added_later_are_no_error() {
        let summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default());
        let json = summary.to_json().unwrap().replacen('{', "{\"weather\": {\"dry\": true},", 1);
        assert_eq!(Summary::from_json(&json).unwrap(), summary);
    }
}
