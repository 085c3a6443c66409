//! Runs from their directories, side by side: read, compared, and as a page.
//!
//! Not here: what is noise and what is not ([`reelgauge_analysis::compare`]), and how it is shown
//! ([`reelgauge_report::compare`]).

use std::path::{Path, PathBuf};

use reelgauge_analysis::Summary;
use reelgauge_analysis::compare::{CompareError, Comparison, Machine, RUNS_MAX, RunToCompare, WorkActor};
use reelgauge_record::host::{HostFacts, NicFacts};
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::compare::{ToldComparison, compare_sections, comparison, sides, verdict};
use reelgauge_report::html::page::{Page, PageKind};
use reelgauge_report::units::amount;
use reelgauge_trace::TraceInfo;
use reelgauge_workload::streams::{ActorPlan, AnyPlan, Footage};

use crate::page::{PageError, id_of, page, run_page};
use crate::reopen::{ReopenError, reopen};
use crate::small_file::{PLAN_MAX_BYTES, read_to_string};

/// Why runs can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareRunsError {
    /// One of them can't be read.
    #[error("{}: {source}", path.display())]
    Run {
        /// Which.
        path: PathBuf,
        /// Why.
        source: ReopenError,
    },
    /// One of them is no run but a trace.
    #[error(
        "{} is a trace, which has no results to compare. Replay it on each storage ('reelgauge replay \
         TRACE PATH') and compare those runs",
        path.display()
    )]
    Trace {
        /// Which.
        path: PathBuf,
    },
    /// One of them is no run but a watch.
    #[error(
        "{} is a watch, which has no results to compare. View it with 'reelgauge report'",
        path.display()
    )]
    Watch {
        /// Which.
        path: PathBuf,
    },
    /// One of them is a session of the original meter.
    #[error(
        "{} is an msMeter session, whose rates and latencies cannot be compared with Reelgauge's. View it \
         with 'reelgauge report'",
        path.display()
    )]
    Msmeter {
        /// Which.
        path: PathBuf,
    },
    /// Their number does not fit.
    #[error(transparent)]
    Number(#[from] CompareError),
    /// There is no page of them.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// A run as it is compared.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    id: String,
    summary: Summary,
    machines: Vec<Machine>,
    work: Vec<WorkActor>,
}

impl LoadedRun {
    /// Reads the run in this directory.
    ///
    /// # Errors
    /// It is no run directory, or one that can't be read.
    pub fn open(path: &Path) -> Result<LoadedRun, CompareRunsError> {
        let failed = |source: ReopenError| CompareRunsError::Run { path: path.to_path_buf(), source };
        // A damaged trace is no run either; that is told below.
        if matches!(TraceInfo::read(path), Ok(Some(_))) {
            return Err(CompareRunsError::Trace { path: path.to_path_buf() });
        }
        let run_dir = RunDir::open(path).map_err(|error| failed(error.into()))?;
        let summary = reopen(path).map_err(failed)?;
        if summary.watch.is_some() {
            return Err(CompareRunsError::Watch { path: path.to_path_buf() });
        }
        if summary.msmeter.is_some() {
            return Err(CompareRunsError::Msmeter { path: path.to_path_buf() });
        }
        // Without the facts of its machines a run can still be compared.
        let machines = run_dir.read_hosts().unwrap_or_default().iter().map(machine).collect();
        let work = work(&run_dir);
        Ok(LoadedRun { id: id_of(path), summary, machines, work })
    }

    /// It, to be handed to [`comparison`].
    pub fn to_compare(&self) -> RunToCompare<'_> {
        RunToCompare { id: &self.id, summary: &self.summary, machines: &self.machines, work: &self.work }
    }
}

/// Compares the runs in these directories with the first. See [`reelgauge_analysis::compare::compare`].
///
/// # Errors
/// There are fewer than two or more than eight, `repeats` does not fit, or one of them can't be read.
pub fn compare_runs(dirs: &[PathBuf], repeats: Option<usize>) -> Result<ToldComparison, CompareRunsError> {
    if dirs.len() > RUNS_MAX {
        return Err(CompareError::RunCount(dirs.len()).into());
    }
    let runs: Vec<LoadedRun> = dirs.iter().map(|dir| LoadedRun::open(dir)).collect::<Result<_, _>>()?;
    let runs: Vec<RunToCompare<'_>> = runs.iter().map(LoadedRun::to_compare).collect();
    Ok(comparison(&runs, repeats)?)
}

/// Compares as many runs as there are: so many one after another of each side. For figures over sides.
///
/// # Errors
/// They are not so many of each side, or one of them can't be read.
pub fn compare_sides(dirs: &[PathBuf], repeats: usize) -> Result<Comparison, CompareRunsError> {
    let runs: Vec<LoadedRun> = dirs.iter().map(|dir| LoadedRun::open(dir)).collect::<Result<_, _>>()?;
    let runs: Vec<RunToCompare<'_>> = runs.iter().map(LoadedRun::to_compare).collect();
    Ok(sides(&runs, repeats)?)
}

/// The page of runs that were compared. `stop` is asked now and then whether to go on.
///
/// # Errors
/// One of them can't be read, or `stop` says so.
pub fn compare_page(
    dirs: &[PathBuf],
    comparison: &ToldComparison,
    stop: &dyn Fn() -> bool,
) -> Result<Page, CompareRunsError> {
    let mut runs = dirs.iter().map(|dir| run_page(dir, stop)).collect::<Result<Vec<_>, _>>()?;
    for run in &mut runs {
        if let Some(detail) = &mut run.detail {
            detail.keep_what_is_compared();
        }
        run.counters = None;
    }
    let summaries: Vec<&Summary> = runs.iter().map(|run| &run.summary).collect();
    let sections = compare_sections(&comparison.comparison, &summaries);
    let mut page = page(PageKind::Compare, runs, None);
    page.sections = sections;
    page.verdict = Some(verdict(&comparison.comparison));
    page.comparison = Some(comparison.clone());
    Ok(page)
}

/// Who worked, by the plan; nobody where it can't be read. A first look and a replay have none that says it.
fn work(run_dir: &RunDir) -> Vec<WorkActor> {
    let text = read_to_string(&run_dir.plan_path(), PLAN_MAX_BYTES).unwrap_or_default();
    match AnyPlan::from_toml(&text) {
        Ok(AnyPlan::Mix(_)) => {
            vec![WorkActor { kind: "mix".to_owned(), count: 1, ..WorkActor::default() }]
        }
        Ok(AnyPlan::Streams(plan)) => plan.actors.iter().map(work_of).collect(),
        Ok(AnyPlan::Replay(_)) | Err(_) => Vec::new(),
    }
}

fn work_of(actor: &ActorPlan) -> WorkActor {
    WorkActor {
        kind: actor.kind().to_string(),
        media: actor.footage().and_then(Footage::name).unwrap_or_default(),
        count: actor.count,
        paced: actor.is_paced(),
    }
}

/// What of a machine bears on comparing.
fn machine(host: &HostFacts) -> Machine {
    let kernel = host.kernel.as_deref().unwrap_or("kernel unknown");
    let memory = host.memory_bytes.map_or_else(|| "memory unknown".to_owned(), amount);
    let cpu = host.cpu_model.as_deref().unwrap_or("unknown processors");
    Machine {
        name: host.name.clone(),
        system: format!("{}, {kernel}", host.os),
        hardware: format!("{} x {cpu}, {memory}", host.cpu_count),
        links: host.nics.iter().filter(|nic| nic.state == "up").map(link).collect(),
        settings: host.settings.clone(),
    }
}

fn link(nic: &NicFacts) -> String {
    let speed =
        nic.speed_mbit_per_s.map_or_else(|| "speed unknown".to_owned(), |mbit| format!("{mbit} Mbit/s"));
    let mtu = nic.mtu_bytes.map_or_else(String::new, |bytes| format!(", MTU {bytes}"));
    format!("{} {speed}{mtu}", nic.name)
}
