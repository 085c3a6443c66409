//! `reelgauge fleet prepare`: makes the files of a plan on its agents ahead of the run.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use reelgauge_fleet::controller::batch::{Batch, BatchPlan};
use reelgauge_fleet::controller::conduct::{Conduct, Member, OnLoss, Stage, WhyStopped};
use reelgauge_fleet::controller::fleet_plan::Placed;
use reelgauge_fleet::controller::roster::Roster;
use reelgauge_fleet::controller::run_lifecycle::Journey;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_report::fleet_prepare::{PreparedLine, fleet_prepared, why_not_prepared};
use reelgauge_report::fleet_run::fleet_now;
use reelgauge_runner::exit_code::{BROKE_OFF, INTERRUPTED};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_workload::streams::AnyPlan;

use super::fleet_preflight::{NamedRuns, present_names, seen};
use super::fleet_progress::now;
use super::fleet_run_common::{expect_idle, leave, plan_of, say};
use crate::cli::FleetPrepareArgs;
use crate::screen;

/// Makes the files of a plan. Returns the exit status.
pub fn prepare(args: &FleetPrepareArgs) -> Result<u8> {
    let site = FleetSite::open(&args.fleet)?;
    let runs = runs(&site, &args.plan)?;
    let interrupt = Interrupt::listen()?;
    let (mut lines, mut is_stopped) = (Vec::new(), false);
    for (step, placed) in runs {
        if is_stopped {
            lines.extend(placed.iter().map(|placed| line(step.as_deref(), placed, None)));
            continue;
        }
        let mut journey = Journey::begin(&site, OnLoss::GoOn, placed)?.only_preparing()?;
        carry_out(&site, &mut journey, step.as_deref(), &interrupt)?;
        lines.extend(told(&journey, step.as_deref()));
        is_stopped = interrupt.asked() || journey.conduct().stopped == Some(WhyStopped::User);
        leave(&site, journey)?;
    }
    let text = match args.json {
        true => serde_json::to_string_pretty(&lines)? + "\n",
        false => screen::output_fitted(fleet_prepared(&lines).trim_end()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(match lines.iter().all(|line| line.is_prepared) {
        _ if is_stopped => INTERRUPTED,
        true => 0,
        false => BROKE_OFF,
    })
}

/// Resumes a run that only prepares. Returns the exit status.
pub fn go_on(site: &FleetSite, mut journey: Journey) -> Result<u8> {
    carry_out(site, &mut journey, None, &Interrupt::listen()?)?;
    let lines = told(&journey, None);
    say(fleet_prepared(&lines).trim_end());
    leave(site, journey)?;
    Ok(if lines.iter().all(|line| line.is_prepared) { 0 } else { BROKE_OFF })
}

/// Every step once; a step's repetitions read the same files.
fn runs(site: &FleetSite, path: &Path) -> Result<NamedRuns> {
    let (plan, plan_toml) = plan_of(site, path)?;
    let texts = plan.texts_beside(path)?;
    let seen = seen(&Roster::open(site)?)?;
    let there = present_names(&seen);
    let all = if plan.steps.is_empty() {
        vec![(None, plan.placed(&there, &texts, None)?)]
    } else {
        // It is never written: it has no directory.
        let batch = Batch::new(Path::new(""), BatchPlan { plan_toml, texts, there })?;
        let first = batch.runs.iter().enumerate().filter(|(_, run)| run.round.round == 0);
        let named = |step: usize| batch.fleet_plan().steps.get(step).map(|it| it.display_name(step));
        first.map(|(at, run)| Ok((named(run.round.step), batch.placed(at)?))).collect::<Result<_>>()?
    };
    let makes_files = |(step, placed): &(Option<String>, Vec<Placed>)| {
        let is_trace = placed.iter().any(is_trace);
        if is_trace {
            say(&format!(
                "{} is a trace; its files are created for each pass, so they are not prepared now.",
                called(step.as_deref())
            ));
        }
        !is_trace
    };
    let runs: NamedRuns = all.into_iter().filter(makes_files).collect();
    expect_idle(&seen, runs.iter().flat_map(|(_, placed)| placed))?;
    if runs.is_empty() {
        bail!("this plan has only traces, so there is nothing to prepare; start it with 'fleet run'");
    }
    Ok(runs)
}

fn is_trace(placed: &Placed) -> bool {
    matches!(AnyPlan::from_toml(&placed.part.plan_toml), Ok(AnyPlan::Replay(_)))
}

fn called(step: Option<&str>) -> String {
    step.map_or_else(|| "The plan".to_owned(), |step| format!("Step {step}"))
}

fn carry_out(
    site: &FleetSite,
    journey: &mut Journey,
    step: Option<&str>,
    interrupt: &Interrupt,
) -> Result<()> {
    let what = step.map(|step| format!(" for step {step}")).unwrap_or_default();
    say(&format!("Creating files{what}, as run {}. Ctrl-C stops all agents.", journey.name));
    let mut shown = String::new();
    journey.carry_out(site, interrupt.flag(), |run| {
        // There are no measurements to fetch.
        if run.conduct.stage == Stage::Over || run.conduct.stopped == Some(WhyStopped::Prepared) {
            return;
        }
        let line = fleet_now(&now(run));
        if line != shown {
            say(&line);
            shown = line;
        }
    })?;
    Ok(())
}

/// The result of each agent's files.
fn told(journey: &Journey, step: Option<&str>) -> Vec<PreparedLine> {
    let conduct = journey.conduct();
    journey.placed.iter().map(|placed| line(step, placed, Some(conduct))).collect()
}

fn line(step: Option<&str>, placed: &Placed, conduct: Option<&Conduct>) -> PreparedLine {
    let is_it = |member: &&Member| member.part.agent == placed.part.agent;
    let member = conduct.and_then(|conduct| conduct.members.iter().find(is_it));
    let is_prepared = member.is_some_and(|member| member.is_prepared);
    let missing = member.and_then(|member| member.missing.as_ref()).filter(|_| !is_prepared);
    PreparedLine {
        step: step.map(str::to_owned),
        agent: placed.part.agent.clone(),
        target: placed.target.display().to_string(),
        is_prepared,
        why_not: missing.map(|missing| why_not_prepared(&missing.why)),
    }
}
