//! Several runs of a plan with steps: what they are, the result of each, and where both are kept.
//!
//! The batch's directory has `batch.json` with everything needed to resume it even if the plan's files
//! have changed since; `index.txt`, the same for users; and the run directory of each run. The data of
//! an interrupted run is kept next to the run that replaced it.
//!
//! Not here: carrying out a run ([`super::run_lifecycle`]), and the time between two ([`super::rest_time`]).

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reelgauge_analysis::hosts::{MovedOn, TargetScale, target_scale};
use reelgauge_analysis::statement::{self, Judgement};
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_report::fleet_run::why_missing;
use reelgauge_report::fleet_steps::{StepLine, StepResult, fleet_steps, fleet_steps_scale};
use serde::{Deserialize, Serialize};

use super::conduct::Conduct;
use super::fleet_plan::{FleetPlan, FleetPlanError, Placed, PlanTexts};
use super::steps::{Round, rounds};
use crate::agent::run_store::keep;

const BATCH_FILE: &str = "batch.json";
const INDEX_FILE: &str = "index.txt";
/// The version of the format of `batch.json`.
const BATCH_VERSION: u32 = 1;
/// A bound far above the number of times one run is ever interrupted.
const BROKEN_OFF_MOST: u32 = 10_000;

/// Why a batch cannot be begun, kept or resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    #[error(transparent)]
    Plan(#[from] FleetPlanError),
    /// A step that can't be.
    #[error("{0}")]
    Step(String),
    /// Its directory.
    #[error("cannot store the progress of the steps in {}: {why}", dir.display())]
    Io {
        /// The batch's directory on this host.
        dir: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// The directory has no batch.
    #[error("{} contains no steps to resume: {why}", dir.display())]
    None {
        /// The batch's directory on this host.
        dir: PathBuf,
        why: String,
    },
}

/// The request, as it was when the batch began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchPlan {
    /// The plan for the fleet.
    pub plan_toml: String,
    /// The plans for one host that it names.
    pub texts: PlanTexts,
    /// The agents that were present.
    pub there: Vec<String>,
}

/// One run of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchRun {
    /// The step and the number of this run.
    #[serde(flatten)]
    pub round: Round,
    pub result: StepResult,
    /// The rate it moved, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<StepMoved>,
}

/// The rate that a run moved, and on which targets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepMoved {
    /// The targets that were used at the same time.
    pub targets: BTreeSet<String>,
    /// The highest rate of all targets together.
    pub bytes_per_s: f64,
}

impl StepMoved {
    /// The throughput of a merged run. Streams request a fixed rate, so it shows nothing about the
    /// targets.
    pub fn of(summary: &Summary) -> Option<StepMoved> {
        if summary.load_points.iter().any(|point| point.stream_count.is_some()) {
            return None;
        }
        let (targets, bytes_per_s) = summary.hosts.as_ref()?.most_moved()?;
        Some(StepMoved { targets, bytes_per_s })
    }
}

/// The result of a run that was carried out to its end and merged.
pub fn result_of(conduct: &Conduct, summary: &Summary) -> StepResult {
    let missing = conduct.measuring().find_map(|member| Some((member, member.missing.as_ref()?)));
    let empty = summary.load_points.iter().position(|point| point.total.ops == 0);
    let why = match (missing, empty) {
        (Some((member, missing)), _) => {
            Some(format!("{} was missing: {}", member.part.agent, why_missing(&missing.why)))
        }
        _ if conduct.stopped.is_some() => Some("it was stopped".to_owned()),
        _ if summary.outcome != Outcome::Complete => {
            Some(summary.outcome_reason.clone().unwrap_or_else(|| "the run did not complete".to_owned()))
        }
        _ if summary.load_points.is_empty() => Some("the run has no load point".to_owned()),
        (None, Some(at)) => Some(format!("load point {} measured nothing", at + 1)),
        (None, None) => None,
    };
    let is_inconclusive = statement::of(summary).judgement == Judgement::Inconclusive;
    match (why, summary.verdict.as_ref()) {
        (Some(why), _) => StepResult::NotMeasured { why },
        _ if is_inconclusive => StepResult::Inconclusive,
        (None, Some(verdict)) if verdict.passed => StepResult::Met,
        (None, Some(_)) => StepResult::NotMet,
        (None, None) => StepResult::Measured,
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    batch_version: u32,
    #[serde(flatten)]
    plan: BatchPlan,
    runs: Vec<BatchRun>,
}

#[derive(Clone, Debug)]
pub struct Batch {
    dir: PathBuf,
    plan: BatchPlan,
    fleet_plan: FleetPlan,
    /// All of them, in their order.
    pub runs: Vec<BatchRun>,
}

impl Batch {
    /// A batch that begins now, after a check that every run of it can be placed. Once it is kept, it has
    /// its own directory below this folder.
    ///
    /// # Errors
    /// If the plan cannot be carried out.
    pub fn new(out: &Path, plan: BatchPlan) -> Result<Batch, BatchError> {
        let when = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        let dir = out.join(format!("steps-{when}-{:06x}", reelgauge_runner::fresh_seed() & 0xff_ffff));
        let fleet_plan = FleetPlan::from_toml(&plan.plan_toml)?;
        let all =
            rounds(&fleet_plan.steps, Timestamp::now(), &TimeZone::system()).map_err(BatchError::Step)?;
        let run = |round| BatchRun { round, result: StepResult::NotRun, moved: None };
        let batch = Batch { dir, plan, fleet_plan, runs: all.into_iter().map(run).collect() };
        for at in 0..batch.runs.len() {
            batch.placed(at)?;
        }
        Ok(batch)
    }

    /// Whether a batch was kept in this directory.
    pub fn is_in(dir: &Path) -> bool {
        dir.join(BATCH_FILE).is_file()
    }

    /// Opens a batch that was begun earlier.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn open(dir: &Path) -> Result<Batch, BatchError> {
        let none = |why: String| BatchError::None { dir: dir.to_path_buf(), why };
        let text = fs::read(dir.join(BATCH_FILE)).map_err(|error| none(error.to_string()))?;
        let kept: Kept = serde_json::from_slice(&text).map_err(|error| none(error.to_string()))?;
        if kept.batch_version != BATCH_VERSION {
            return Err(none(format!(
                "its version {} is not supported. Resume it with the version of Reelgauge that created it",
                kept.batch_version
            )));
        }
        let fleet_plan = FleetPlan::from_toml(&kept.plan.plan_toml)?;
        if kept.runs.iter().any(|run| fleet_plan.steps.get(run.round.step).is_none()) {
            return Err(none("it refers to a step that its plan does not have".to_owned()));
        }
        Ok(Batch { dir: dir.to_path_buf(), plan: kept.plan, fleet_plan, runs: kept.runs })
    }

    /// Writes its progress to disk.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn keep(&self) -> Result<(), BatchError> {
        let kept = Kept { batch_version: BATCH_VERSION, plan: self.plan.clone(), runs: self.runs.clone() };
        let write = || {
            fs::create_dir_all(&self.dir)?;
            keep(&self.dir.join(INDEX_FILE), self.told().as_bytes())?;
            keep(&self.dir.join(BATCH_FILE), &serde_json::to_vec_pretty(&kept).map_err(io::Error::from)?)
        };
        write().map_err(|why| BatchError::Io { dir: self.dir.clone(), why })
    }

    /// The result of each run as text, and the rates of several targets compared with fewer.
    pub fn told(&self) -> String {
        let mut text = fleet_steps(&self.lines());
        for scale in self.scales() {
            let title = |at: usize| self.runs.get(at).map_or("", |run| run.round.title.as_str());
            text.push_str(&fleet_steps_scale(&scale, title(scale.from_point), title(scale.to_point)));
        }
        text
    }

    /// The rates of more targets compared with fewer, in runs of steps that differ only in their
    /// targets. Points are indexes of runs.
    fn scales(&self) -> Vec<TargetScale> {
        let steps = &self.fleet_plan.steps;
        let mut first_of_kind: Vec<usize> = Vec::new();
        for at in 0..steps.len() {
            if !first_of_kind.iter().any(|first| steps[*first].has_same_work_as(&steps[at])) {
                first_of_kind.push(at);
            }
        }
        let of_kind = |first: usize| {
            let moved = |run: &BatchRun| {
                let is_it =
                    steps.get(run.round.step).is_some_and(|step| step.has_same_work_as(&steps[first]));
                let is_measured = run.result.is_measured();
                let moved = run.moved.clone().filter(|_| is_it && is_measured).unwrap_or_default();
                let bytes_per_s = (moved.bytes_per_s > 0.0).then_some(moved.bytes_per_s);
                MovedOn { targets: moved.targets, bytes_per_s, workers: None }
            };
            target_scale(&self.runs.iter().map(moved).collect::<Vec<_>>())
        };
        first_of_kind.into_iter().filter_map(of_kind).collect()
    }

    /// Notes the rate that a run moved; it is kept together with the result.
    pub fn moved(&mut self, at: usize, moved: Option<StepMoved>) {
        if let Some(run) = self.runs.get_mut(at) {
            run.moved = moved;
        }
    }

    /// Keeps the result of a run.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn has(&mut self, at: usize, result: StepResult) -> Result<(), BatchError> {
        if let Some(run) = self.runs.get_mut(at) {
            run.result = result;
        }
        self.keep()
    }

    /// The task of each agent in a run.
    ///
    /// # Errors
    /// If the plan cannot be carried out.
    pub fn placed(&self, at: usize) -> Result<Vec<Placed>, FleetPlanError> {
        let round = self.runs.get(at).map(|run| &run.round);
        let step = round.and_then(|round| Some((self.fleet_plan.steps.get(round.step)?, round.round)));
        self.fleet_plan.placed(&self.plan.there, &self.plan.texts, step)
    }

    /// The part of the plan that applies to all agents.
    pub fn fleet_plan(&self) -> &FleetPlan {
        &self.fleet_plan
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The run directory of a run that was not interrupted.
    pub fn run_dir(&self, at: usize) -> PathBuf {
        self.dir.join(self.runs.get(at).map_or("unnamed", |run| run.round.folder.as_str()))
    }

    /// A directory for the data of an interrupted run.
    pub fn broken_off_dir(&self, at: usize) -> PathBuf {
        let name = self.run_dir(at).display().to_string();
        let dirs = (1..=BROKEN_OFF_MOST).map(|number| PathBuf::from(format!("{name}.broken-off-{number}")));
        dirs.into_iter()
            .find(|dir| !dir.exists())
            .unwrap_or_else(|| PathBuf::from(format!("{name}.broken-off")))
    }

    /// The next run to carry out; `None` after the last.
    pub fn next(&self) -> Option<usize> {
        self.runs.iter().position(|run| !run.result.is_done())
    }

    /// The result of each run, as lines for a table.
    pub fn lines(&self) -> Vec<StepLine> {
        let line = |(at, run): (usize, &BatchRun)| StepLine {
            number: run.round.number,
            title: run.round.title.clone(),
            result: run.result.clone(),
            dir: Some(self.run_dir(at)).filter(|dir| dir.is_dir()).map(|dir| dir.display().to_string()),
        };
        self.runs.iter().enumerate().map(line).collect()
    }

    /// The program's exit status: 130 if the user stopped it, 3 if something was not measured, 1 if
    /// criteria were not met.
    pub fn exit_code(&self, is_stopped: bool) -> u8 {
        let code = |run: &BatchRun| match run.result {
            StepResult::Met | StepResult::Measured => 0,
            StepResult::NotMet | StepResult::Inconclusive => 1,
            _ => 3,
        };
        if is_stopped { 130 } else { self.runs.iter().map(code).max().unwrap_or(3) }
    }

    /// The batch as JSON, for programs.
    ///
    /// # Errors
    /// Never in practice.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(&self.runs).map(|text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::summary::{LoadPointFacts, Target};
    use reelgauge_analysis::verdict::Verdict;
    use reelgauge_analysis::{LoadPoint, PointTiming};
    use reelgauge_report::fleet_run::WhyMissing;

    use super::*;
    use crate::controller::conduct::{Missing, OnLoss};

    const STEPS: &str =
        "[[group]]\nplan = \"p\"\ntargets = [\"/mnt\"]\n[[step]]\nrepeat = 2\n[[step]]\nname = \"x\"\n";

    fn plan() -> BatchPlan {
        let mix = "plan_version = 1\nwritten_by = \"\"\ntarget = \"/mnt\"\nseed = 7\ndriver = \"threads\"\n\
                      workers = \"4\"\nwarmup = \"0s\"\nduration = \"1s\"\nhang_after = \"30s\"\nverify = false\n\
                      log = true\n[mix]\nprofile = \"custom\"\nmax_length = \"1MiB\"\nblocks = \"64KiB\"\n\
                      writes = 0\nrandom = 0\nmax_delay = \"0s\"\nfile_size = \"16MiB\"\nsync = \"none\"\n";
        let texts = [("p".to_owned(), mix.to_owned())].into();
        BatchPlan { plan_toml: STEPS.to_owned(), texts, there: vec!["a".to_owned()] }
    }

    #[test]
    fn a_kept_batch_is_resumed_at_its_next_run() {
        let dir = tempfile::tempdir().unwrap();
        let mut batch = Batch::new(dir.path(), plan()).unwrap();
        assert!(!Batch::is_in(batch.dir()));
        batch.has(0, StepResult::Measured).unwrap();
        batch.has(1, StepResult::GoesOn { run: "r".to_owned() }).unwrap();
        let again = Batch::open(batch.dir()).unwrap();
        assert_eq!((again.runs.len(), again.next(), &again.runs), (3, Some(1), &batch.runs));
        assert_eq!(again.placed(2).unwrap(), batch.placed(2).unwrap());
        assert_ne!(again.placed(0).unwrap(), again.placed(1).unwrap(), "each repetition draws anew");
        let index = fs::read_to_string(batch.dir().join(INDEX_FILE)).unwrap();
        assert!(index.contains("1. step 1, 1 of 2: measured") && index.contains("3. x: not run"), "{index}");
    }

    #[test]
    fn an_interrupted_run_is_kept_without_blocking_its_replacement() {
        let dir = tempfile::tempdir().unwrap();
        let batch = Batch::new(dir.path(), plan()).unwrap();
        let first = batch.broken_off_dir(2);
        assert!(first.ends_with("03-x.broken-off-1"), "{first:?}");
        fs::create_dir_all(&first).unwrap();
        assert!(batch.broken_off_dir(2).ends_with("03-x.broken-off-2"));
    }

    #[test]
    fn exit_code_is_the_worst_and_skipped_runs_count_as_failed() {
        let mut batch = Batch::new(Path::new("/nowhere"), plan()).unwrap();
        assert_eq!(batch.exit_code(false), 3);
        batch.runs.iter_mut().for_each(|run| run.result = StepResult::Met);
        assert_eq!((batch.exit_code(false), batch.exit_code(true)), (0, 130));
        batch.runs[1].result = StepResult::NotMet;
        assert_eq!(batch.exit_code(false), 1);
        batch.runs[0].result = StepResult::NotMeasured { why: String::new() };
        assert_eq!(batch.exit_code(false), 3);
    }

    #[test]
    fn rates_of_several_targets_are_compared_with_one_if_steps_are_alike() {
        let mut batch = Batch::new(Path::new("/nowhere"), plan()).unwrap();
        let moved = |targets: &[&str], bytes_per_s| {
            Some(StepMoved {
                targets: targets.iter().map(|&target| target.to_owned()).collect(),
                bytes_per_s,
            })
        };
        batch.moved(0, moved(&["/mnt/a"], 80e6));
        batch.moved(1, moved(&["/mnt/a"], 100e6));
        batch.moved(2, moved(&["/mnt/a", "/mnt/b"], 190e6));
        assert!(batch.scales().is_empty(), "nothing is known before they were measured");
        batch.runs.iter_mut().for_each(|run| run.result = StepResult::Measured);
        let words = "x: 2 targets together moved 190 MB/s: 1.90 times as much as the 100 MB/s of 1 target (step 1, 2 of 2).";
        assert!(batch.told().ends_with(&format!("{words}\n")), "{}", batch.told());
        // Steps with different workloads cannot be compared.
        batch.fleet_plan.steps[1].hold = Some("9s".parse().unwrap());
        assert!(batch.scales().is_empty());
    }

    #[test]
    fn a_run_without_operations_or_with_a_missing_agent_is_not_measured() {
        let parts = Batch::new(Path::new("/nowhere"), plan()).unwrap().placed(0).unwrap();
        let parts = parts.into_iter().map(|placed| placed.part).collect();
        let mut conduct = Conduct::new("r", OnLoss::GoOn, parts, 1);
        let mut summary = Summary::new("0.1.0", "", "mix", Target::default());
        let is_without = |result: StepResult, words: &str| match result {
            StepResult::NotMeasured { why } => why.contains(words),
            _ => false,
        };
        assert!(is_without(result_of(&conduct, &summary), "no load point"));
        let figures = reelgauge_analysis::Meter::new().finish_point(0, PointTiming::default());
        summary.load_points = vec![LoadPoint::new(LoadPointFacts::default(), figures)];
        assert!(is_without(result_of(&conduct, &summary), "load point 1"));
        summary.load_points[0].total.ops = 1;
        assert_eq!(result_of(&conduct, &summary), StepResult::Measured);
        summary.verdict = Some(Verdict { passed: true, ..Verdict::default() });
        assert_eq!(result_of(&conduct, &summary), StepResult::Met);
        summary.verdict = Some(Verdict { passed: false, ..Verdict::default() });
        assert_eq!(result_of(&conduct, &summary), StepResult::NotMet);
        conduct.members[0].missing = Some(Missing { from_ns: 0, why: WhyMissing::NotHeard });
        assert!(is_without(result_of(&conduct, &summary), "a was missing"));
    }

    #[test]
    fn a_directory_without_a_batch_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Batch::open(dir.path()), Err(BatchError::None { .. })));
        for text in [
            "",
            "{}",
            "{\"batch_version\": 9, \"plan_toml\": \"\", \"texts\": {}, \"there\": [], \"runs\": []}",
        ] {
            fs::write(dir.path().join(BATCH_FILE), text).unwrap();
            assert!(matches!(Batch::open(dir.path()), Err(BatchError::None { .. })), "{text}");
        }
    }
}
