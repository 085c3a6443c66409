//! Runs from their directories, side by side: read, compared, and as a page.
//!
//! Not here: what counts as noise ([`reelgauge_analysis::compare`]), and the display
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

/// Why runs cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareRunsError {
    /// One of them cannot be read.
    #[error("{}: {source}", path.display())]
    Run { path: PathBuf, source: ReopenError },
    /// One of them is not a run but a trace.
    #[error(
        "{} is a trace, which has no results to compare. Replay it on each storage ('reelgauge replay \
         TRACE PATH') and compare those runs",
        path.display()
    )]
    Trace { path: PathBuf },
    /// One of them is not a run but a watch.
    #[error(
        "{} is a watch, which has no results to compare. View it with 'reelgauge report'",
        path.display()
    )]
    Watch { path: PathBuf },
    /// One of them is a session of the original meter.
    #[error(
        "{} is an msMeter session, whose rates and latencies cannot be compared with Reelgauge's. View it \
         with 'reelgauge report'",
        path.display()
    )]
    Msmeter { path: PathBuf },
    /// Their number does not fit.
    #[error(transparent)]
    Number(#[from] CompareError),
    /// The page cannot be made.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// A run for comparison.
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
    /// If it is no run directory, or one that cannot be read.
    pub fn open(path: &Path) -> Result<LoadedRun, CompareRunsError> {
        let failed = |source: ReopenError| CompareRunsError::Run { path: path.to_path_buf(), source };
        // A damaged trace is no run either; that is reported below.
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
        // A run can be compared without the facts of its hosts.
        let machines = run_dir.read_hosts().unwrap_or_default().iter().map(machine).collect();
        let work = work(&run_dir);
        Ok(LoadedRun { id: id_of(path), summary, machines, work })
    }

    /// The run in the form for [`comparison`].
    pub fn to_compare(&self) -> RunToCompare<'_> {
        RunToCompare { id: &self.id, summary: &self.summary, machines: &self.machines, work: &self.work }
    }
}

/// Compares the runs in these directories with the first. See [`reelgauge_analysis::compare::compare`].
///
/// # Errors
/// If there are fewer than two or more than eight, `repeats` does not fit, or one of them cannot be read.
pub fn compare_runs(dirs: &[PathBuf], repeats: Option<usize>) -> Result<ToldComparison, CompareRunsError> {
    if dirs.len() > RUNS_MAX {
        return Err(CompareError::RunCount(dirs.len()).into());
    }
    let runs: Vec<LoadedRun> = dirs.iter().map(|dir| LoadedRun::open(dir)).collect::<Result<_, _>>()?;
    let runs: Vec<RunToCompare<'_>> = runs.iter().map(LoadedRun::to_compare).collect();
    Ok(comparison(&runs, repeats)?)
}

/// Compares any number of runs; each side has `repeats` consecutive runs. For figures over sides.
///
/// # Errors
/// If the number does not fit, or one of them cannot be read.
pub fn compare_sides(dirs: &[PathBuf], repeats: usize) -> Result<Comparison, CompareRunsError> {
    let runs: Vec<LoadedRun> = dirs.iter().map(|dir| LoadedRun::open(dir)).collect::<Result<_, _>>()?;
    let runs: Vec<RunToCompare<'_>> = runs.iter().map(LoadedRun::to_compare).collect();
    Ok(sides(&runs, repeats)?)
}

/// The page of runs that were compared. `stop` is called now and then; the page is given up if it
/// returns true.
///
/// # Errors
/// If one of them cannot be read, or `stop` returned true.
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

/// The actors in the plan; empty if it cannot be read. A quick check and a replay have none in their
/// plan.
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

/// The properties of a host that matter in a comparison.
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
