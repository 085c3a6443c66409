//! Merges the run directories of agents into one: their logs and counters side by side, figures over all
//! of them.
//!
//! Each agent's directory is that of a run on one host. [`make`] merges them in this order:
//! * `share`: the request, and each agent's directory opened.
//! * `offsets`: the offset of each agent's worker, stream and file numbers, and every clock mapped to
//!   one.
//! * `gather`: logs and counters linked or copied into the new directory, and the linked ones inspected.
//! * `count`: every operation of an agent counted, on the clock and with the numbers of the whole.
//! * `points`: the load points from the counts of all; `rows`: the figures by agent; `nics`: the traffic
//!   of each network interface.
//! * [`observer_counters`]: adds the counters of observers.
//! * `amounts`: the result of a search or a curve; `replayed`: of replays of one trace.
//! * `common_values`: the parts of a summary apart from its load points. [`manual_merge`]: runs that
//!   users started on several hosts.
//!
//! An agent's data is not trusted: its names are text, and only regular files with the names of a log
//! are taken. If one is damaged or missing, the others are unaffected.
//!
//! Not here: how the directories arrived (controller), figures and decisions (analysis), sentences
//! (report).

mod agent_part;
mod collection;
mod common_values;
pub mod manual_merge;
mod nics;
pub mod observer_counters;
mod offsets;
mod overall_results;
mod points;
mod recount;
mod replay_results;
mod rows;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::{Summary, silence, statement};
use reelgauge_record::agents::{AgentPlace, AgentPlaces};
use reelgauge_record::run_dir::{RunDir, RunDirError};
use reelgauge_report::html::page::PageKind;
use reelgauge_report::note::no_page_note;
use reelgauge_results::live;
use reelgauge_results::page::{REPORT_FILE, page, run_page, write_html};
use reelgauge_runner::streams::verdict::rate_criteria;
use reelgauge_workload::streams::StreamsPlan;

use agent_part::{AgentPart, HostTimes};
use recount::Counted;

pub use agent_part::{AgentShare, ClockOffset, PauseTimes, PointTimes, StartTimes, StepTimes, WholeRequest};

/// The merged run of several hosts.
#[derive(Debug)]
pub struct Whole {
    /// Its figures, which are in `summary.json` too.
    pub summary: Summary,
    pub run_dir: PathBuf,
    /// The names of the agents whose data is incomplete.
    pub missing: Vec<String>,
}

/// Why runs cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WholeError {
    /// No run was named.
    #[error("no run to merge was named. Name the run directory of each host")]
    Nobody,
    /// Two agents whose names give the same folder.
    #[error(
        "two hosts are named {name:?} (both would use the folder {folder}). Give each host its own name, in \
         letters and digits"
    )]
    OneName {
        /// The name of the second.
        name: String,
        /// The folder of both.
        folder: String,
    },
    /// No agent's data can be read.
    #[error("cannot read any host's run: {why}")]
    Nothing {
        /// The reason for the first agent.
        why: String,
    },
    /// A run whose length depends on its results, or that is not timed.
    #[error(
        "the run of {agent} is a {what}, which cannot be merged with others. Only mixes, replays, and \
         streams with load points can"
    )]
    Kind {
        agent: String,
        /// The kind of run.
        what: &'static str,
    },
    /// Runs that do not overlap in time.
    #[error(
        "the runs of {one} and {two} do not overlap in time. If they are separate runs, use 'reelgauge \
         compare'. Otherwise the hosts' clocks differ; synchronise them"
    )]
    Apart {
        /// One of the two runs.
        one: String,
        /// The other run.
        two: String,
    },
    /// The directory belongs to something else.
    #[error("{} is {what}; choose another directory", path.display())]
    Taken {
        path: PathBuf,
        /// A description of its content.
        what: &'static str,
    },
    /// More workers, streams or files than 32 bits can number.
    #[error("too many workers, streams or files in total")]
    TooMany,
    /// A file can't be written there.
    #[error("cannot {action} {}: {source}. Check the free space and the permissions", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The run directory can't be written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

/// Creates the directory of a run whose parts are still being measured, so that viewers can see it. One
/// that an earlier call left is used again.
///
/// # Errors
/// If it can't be created, or belongs to something else.
pub fn begin(out: &Path, plan_toml: &str) -> Result<(), WholeError> {
    let run_dir = collection::directory(out)?;
    if !run_dir.summary_path().exists() {
        run_dir.write_plan(plan_toml)?;
    }
    Ok(())
}

/// Removes a directory that [`begin`] created, if nothing was put into it.
pub fn take_back(out: &Path) {
    let Ok(run_dir) = RunDir::open(out) else { return };
    if run_dir.summary_path().exists() || run_dir.ops_path().exists() {
        return;
    }
    // The plan last: without it, the purpose of the directory would be unknown.
    let only = |name: &std::ffi::OsStr| name == live::FILE_NAME || run_dir.plan_path().ends_with(name);
    let names = std::fs::read_dir(out).into_iter().flatten().flatten().map(|entry| entry.file_name());
    if names.into_iter().all(|name| only(&name)) {
        let _ = std::fs::remove_file(live::path_in(out));
        let _ = std::fs::remove_file(run_dir.plan_path());
        let _ = std::fs::remove_dir(out);
    }
}

/// Merges the runs of all agents. The directory may be one that an earlier call left incomplete.
///
/// # Errors
/// If no agent's data can be read, or the result can't be written. A single agent that is missing or
/// damaged is no error: the summary reports it.
pub fn make(request: WholeRequest) -> Result<Whole, WholeError> {
    let WholeRequest { out, plan_toml, agents, points, pauses, search, stopped_for } = request;
    let folders = agent_part::folders(&agents)?;
    let mut parts: Vec<AgentPart> = Vec::with_capacity(agents.len());
    for (share, folder) in agents.into_iter().zip(folders) {
        parts.push(AgentPart::open(share, folder)?);
    }
    if let Some(first) = parts.first().filter(|_| parts.iter().all(|part| part.run.is_none())) {
        return Err(WholeError::Nothing { why: first.why_missing.clone().unwrap_or_default() });
    }
    let places = offsets::of(&parts, &points)?;
    let run_dir = collection::directory(&out)?;
    run_dir.write_plan(&plan_toml)?;
    collection::gather(&run_dir, &mut parts, &places)?;
    let counts = |(part, place): (&mut AgentPart, &AgentPlace)| recount::of(&run_dir, part, place);
    let counted: Vec<_> = parts.iter_mut().zip(&places.agents).map(counts).collect();
    let mut summary = common_values::begun(&parts, &run_dir);
    let plan = overall_results::streams_plan(&plan_toml);
    let rates = plan.as_ref().and_then(rate_criteria);
    let seen = View {
        parts: &parts,
        places: &places,
        counted: &counted,
        agreed: &points,
        rates: rates.as_ref(),
        plan: plan.as_ref(),
        stopped_for: stopped_for.as_deref(),
    };
    let totals = points::put_into(&mut summary, &seen);
    rows::put_into(&mut summary, &seen);
    common_values::put_into(&mut summary, &seen, &totals);
    summary.marks = common_values::pause_marks(&pauses, places.run_ns);
    overall_results::put_into(&mut summary, search.as_ref(), plan.as_ref().filter(|_| is_curve(&parts)));
    collection::write_tables(&run_dir, &parts, &places)?;
    let (replay, note) = replay_results::together(&parts, &places.agents);
    let replayed = parts.iter().filter_map(|part| part.run.as_ref()).any(|run| run.summary.replay.is_some());
    if replayed {
        common_values::judge_replay(&mut summary, replay.as_ref());
    }
    summary.replay = replay;
    summary.notes.extend(note);
    silence::unify(&mut summary);
    summary.statement = Some(statement::of(&summary));
    run_dir.write_summary(&summary)?;
    leave_page(&run_dir, &mut summary);
    let missing = parts.iter().filter(|part| !part.is_whole()).map(|part| part.name.clone()).collect();
    Ok(Whole { summary, run_dir: run_dir.path().to_path_buf(), missing })
}

/// Whether all agents' load points are those of a curve.
fn is_curve(parts: &[AgentPart]) -> bool {
    parts.iter().filter_map(|part| part.run.as_ref()).all(|run| run.summary.vda.is_some())
}

/// Writes the page. If that fails, a note reports it.
fn leave_page(run_dir: &RunDir, summary: &mut Summary) {
    let path = run_dir.path().join(REPORT_FILE);
    let made = run_page(run_dir.path(), &|| false)
        .and_then(|run| write_html(&page(PageKind::Run, vec![run], None), &path));
    if let Err(error) = made {
        summary.notes.push(no_page_note(REPORT_FILE, &error.to_string()));
        // The figures are already written; only the note is lost.
        let _ = run_dir.write_summary(summary);
    }
}

/// All data so far, agent by agent in the same order.
#[derive(Clone, Copy)]
struct View<'a> {
    parts: &'a [AgentPart],
    places: &'a AgentPlaces,
    counted: &'a [Counted],
    agreed: &'a [PointTimes],
    /// The criteria for the rates of all workers together, if known.
    rates: Option<&'a Criteria>,
    /// The plan of all agents, if its load is in streams.
    plan: Option<&'a StreamsPlan>,
    /// The agent whose loss stopped all others, if one did.
    stopped_for: Option<&'a str>,
}

impl<'a> View<'a> {
    /// Each agent with its place and its counts.
    fn each(self) -> impl Iterator<Item = (&'a AgentPart, &'a AgentPlace, &'a Counted)> {
        let placed = self.parts.iter().zip(&self.places.agents).zip(self.counted);
        placed.map(|((part, place), counted)| (part, place, counted))
    }

    /// The numbers of all load points.
    fn indices(self) -> BTreeSet<u16> {
        let runs = self.parts.iter().filter_map(|part| part.run.as_ref());
        runs.flat_map(|run| run.summary.load_points.iter().map(|point| point.index)).collect()
    }

    /// When a load point ran, from the first of these agents to the last, on the clock of the whole.
    fn measured(self, index: u16, is_one: impl Fn(usize) -> bool) -> Option<HostTimes> {
        let agents = self.each().enumerate().filter(|(at, _)| is_one(*at));
        let all = agents.filter_map(|(_, (part, place, _))| Some(part.measured(index)?.placed(place)));
        all.reduce(|one, two| HostTimes {
            started_ns: one.started_ns.min(two.started_ns),
            from_ns: one.from_ns.min(two.from_ns),
            until_ns: one.until_ns.max(two.until_ns),
        })
    }
}

#[cfg(test)]
mod tests;
