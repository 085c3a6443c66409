//! The summary of a run: everything that a report shows, as one JSON file.
//!
//! The runner fills in what it knows (who, where, how), and the [`Meter`](crate::Meter) provides the
//! load points. Every number has its unit in its name. Values that were not measured are `null`, never
//! 0.
//!
//! The schema version rises when the meaning or the name of a field changes, or a field is removed.
//! Fields may be added without it.

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

/// The version that this program writes. Since version 2, a note is an object with its kind.
pub const SCHEMA_VERSION: u32 = 2;
/// The oldest version that this program reads.
const OLDEST_READ: u32 = 1;

/// Everything that a report shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Summary {
    /// The version of the file format; see [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of the program that wrote it.
    pub tool_version: String,
    /// When the run started, RFC 3339.
    pub started_at: String,
    /// The command: `mix`, `streams`, …
    pub verb: String,
    /// The user's own name for the run; may be empty.
    pub label: String,
    /// The run directory; `None` for a summary that was not made by a run.
    #[serde(default)]
    pub run_dir: Option<String>,
    /// The storage as described by the user. Parts that were not given are `None`.
    #[serde(default)]
    pub storage: StorageDetails,
    /// The user's tags, for finding the run.
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
    /// Why it ended early, as data. `None` if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub ending: Option<RunEnding>,
    /// Where the test data is.
    pub target: Target,
    /// The seed of all random numbers. `jq` rounds numbers above 2^53; the plan file has the exact
    /// value.
    pub seed: u64,
    /// The resolved plan as names and values, for display.
    pub plan: BTreeMap<String, String>,
    /// Direct or cached I/O: as requested and as detected.
    pub effective_mode: EffectiveMode,
    /// The files used.
    pub data_set: DataSet,
    /// The load points in the order in which they ran.
    pub load_points: Vec<LoadPoint>,
    /// Every second of the run.
    pub series: Series,
    /// The operation log.
    pub log: LogFacts,
    /// The result of verification; `None` if the run did not verify.
    pub verify: Option<VerifyFacts>,
    /// The cost of Reelgauge itself.
    pub self_cost: SelfCost,
    /// What to know before trusting the figures, the worst first.
    pub notes: Vec<Note>,
    /// The statement of the run: verdict, number, cause, confidence. `None` in unfinished summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// Whether the criteria were met: the verdict of the first load point that failed, otherwise of the
    /// last. `None` without criteria.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The result of a search for the largest count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchFacts>,
    /// The curve of a VDA-like run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vda: Option<VdaFacts>,
    /// Results of `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckFacts>,
    /// The results of a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayFacts>,
    /// The memories that may have answered instead of the storage. `None` in a summary that was made
    /// from a log alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryFacts>,
    /// The network link to the storage, with its capacity. `None` if there is none, or it could not be
    /// determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkFacts>,
    /// The samples of a watch, in which nothing is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchFacts>,
    /// The reports of the original Media Storage Meter's workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msmeter: Option<MeterFacts>,
    /// Observers: samples of other hosts, added with `report --observer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observers: Vec<ObserverFacts>,
    /// Activities during the run that are known to disturb storage. They alone are not a cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// The effect of an event that the user scheduled. `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub event: Option<EventFacts>,
    /// The path to the disks with the capacity of each part. `None` if there is no network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathFacts>,
    /// Its streams per node, drive, core, client and rack unit, and the price of one stream. `None` if
    /// the site states none of these, or no streams were sustained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_shares: Option<SiteShares>,
    /// The hosts that made it. `None` for a single host.
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
    /// The user stopped it.
    Interrupted,
    /// It was aborted by an error.
    BrokeOff,
    /// It is still going on: these are the figures of its log until now.
    Running,
}

/// Where the test data is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Target {
    /// The path as given.
    pub path: String,
    /// `nfs4`, `cifs`, `ext4`, …
    pub fs_type: Option<String>,
    /// For display: `SMB 3.1.1 from nas1`.
    pub description: Option<String>,
    /// The source of the mount: `//nas1/media`, `/dev/nvme0n1p2`.
    pub source: Option<String>,
    /// The server, if there is one.
    pub server: Option<String>,
    /// Mount options as the system states them.
    pub mount_options: Option<String>,
    /// Other users own it or may write in it, and root confirmed this with `--shared-target`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_shared: bool,
}

/// Direct or cached I/O.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EffectiveMode {
    /// The requested mode: `direct`, `cached`.
    pub asked: String,
    /// The detected mode.
    pub found: String,
    /// The same as a sentence, if it matters; otherwise empty.
    pub sentence: String,
    /// Share of the data set in the local host's cache before the run, 0 to 1.
    pub cached_share_before: Option<f64>,
    /// The same after the run.
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
    /// Whether they existed before the run.
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
    /// The number of threads that did the operations. `None` if it was not recorded.
    #[serde(default)]
    pub threads: Option<u32>,
    /// The value that was varied, as written in the plan.
    pub sweep_value: Option<String>,
    /// When it began, including the warm-up, since the start of the run.
    pub started_s: f64,
    /// How much later than agreed with the other hosts of a fleet it began; negative if earlier. `None`
    /// if no time was agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_skew_ns: Option<i64>,
    /// The measured time, without the warm-up, to the microsecond.
    pub measured_s: f64,
    /// The exact measured time, by which throughput is divided. `None` in summaries of versions that did
    /// not record it.
    #[serde(default)]
    pub measured_ns: Option<u64>,
    /// Why it ended early, if it did.
    pub ended_early: Option<String>,
    /// Why it has no figures although it was not cut short. `None` if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<NotMeasured>,
    /// The effect of the byte rate limit. `None` without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back: Option<HeldBack>,
    /// Operations that never completed, and so are in no response time. `None` if all of them completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// All workers together.
    pub total: Figures,
    /// Each worker.
    pub per_worker: Vec<WorkerFigures>,
    /// The paper's tables.
    pub paper: PaperTables,
    /// The number of streams. `None` if there are no streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_count: Option<u32>,
    /// Late frames of every stream that has frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<LateFigures>,
    /// The workers with a required rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<ProcessRate>,
    /// Mean response time of the transfers of those workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates_mean_response_ms: Option<f64>,
    /// Whether its criteria were met. `None` without criteria.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The culprit if its criteria were not met. `None` if they were, or without criteria.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
    /// The layer that limited it, from the counters of exactly its measured time. `None` if none were
    /// sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// The effect of the byte rate limit on a load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HeldBack {
    /// The limit, for reads and writes together.
    pub max_bytes_per_s: u64,
    /// Operations of the measured time that had to wait for it.
    pub operations: u64,
}

/// Operations that had not completed when a load point was given up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Unanswered {
    /// Threads that waited for one operation each, or for several at once.
    pub threads: u32,
    /// How long the oldest of them had been in flight. Throughput includes that time as far as it was
    /// measured.
    pub for_s: f64,
}

/// Why a load point could not be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NotMeasured {
    /// Every block was to be visited once, and the warm-up visited all of them.
    WarmupVisitedAll,
    /// No read or write completed within the measured time.
    NothingFinished,
}

/// The properties of a load point, in addition to its figures.
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
    /// Sets why it has no figures, and removes its rates: nothing was measured, which is not 0 MB/s.
    pub fn was_not_measured(&mut self, why: NotMeasured) {
        self.not_measured = Some(why);
        let of_workers = self.per_worker.iter_mut().map(|worker| &mut worker.figures);
        of_workers.chain([&mut self.total]).for_each(Figures::forget_rates);
    }

    /// A load point from its facts and figures. If it was stopped before an operation completed, it has
    /// no rates: nothing was measured, which is not 0 MB/s.
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

    /// The effect of the byte rate limit, if operations of this load point had to wait for it.
    pub fn was_held_back(&self) -> Option<HeldBack> {
        self.held_back.filter(|held| held.operations > 0)
    }

    /// Whether it ended early, so that its further results are unknown.
    pub fn was_cut_off(&self) -> bool {
        self.ended_early.is_some()
    }

    /// Whether it was stopped before any operation completed in its measured time, or any frame was due.
    pub fn is_unmeasured(&self) -> bool {
        let frames_judged = self.streams.as_ref().map_or(0, |late| late.total.frames_judged);
        self.was_cut_off() && self.total.ops == 0 && frames_judged == 0
    }
}

/// The operation log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LogFacts {
    /// Whether it contains every operation.
    pub complete: bool,
    /// Operations in it.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// Bytes ÷ rows; `None` if it is empty.
    pub bytes_per_op: Option<f64>,
    /// Operations that are only in the figures, not in the log.
    pub dropped_to_histograms_ops: u64,
    /// An additional remark.
    pub note: Option<String>,
}

/// The result of verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VerifyFacts {
    /// Bytes that were compared with what had been written.
    pub checked_bytes: u64,
    /// Bytes that differed.
    pub different_bytes: u64,
    /// The place of the first difference, as text.
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
        /// The parse error.
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
    /// A program wrote it whose summaries are no longer supported.
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
    /// Version 1: whether another process changed the run's files.
    #[serde(default)]
    files_changed: bool,
    /// Version 1: who stopped it.
    #[serde(default)]
    stopped_by: Option<RunStop>,
}

impl VersionOnly {
    /// What ended the run, if version 1 recorded it.
    fn ending(&self) -> Option<RunEnding> {
        let stopped = self.stopped_by.map(|by| RunEnding::Stopped { by });
        if self.files_changed { Some(RunEnding::FilesChanged) } else { stopped }
    }
}

impl Summary {
    /// A summary of a run that has not measured anything yet.
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

    /// Reads a summary; the version is checked first.
    // Inlined, so that the code that reads all these types is compiled in the caller's crate. In this
    // crate it would be a quarter of the code.
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

    /// Converts what an earlier version wrote to the format of this one.
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

    /// The effect of the byte rate limit in the last load point in which operations had to wait for it.
    pub fn was_held_back(&self) -> Option<HeldBack> {
        self.load_points.iter().rev().find_map(LoadPoint::was_held_back)
    }

    /// The load point with this index, as used in statements: the index after the run's own load points
    /// is the earlier trial of a continued search.
    pub fn point(&self, at: usize) -> Option<&LoadPoint> {
        let earlier = || self.search.as_ref()?.earlier.as_ref().filter(|_| at == self.load_points.len());
        self.load_points.get(at).or_else(|| Some(&earlier()?.point))
    }

    /// Whether a VDA-like curve ended at a load point that was not valid: then the one before is a
    /// capacity. A load point that was cut off, or failed because of Reelgauge or its host, is no limit
    /// of the storage. Neither is the largest requested count.
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
