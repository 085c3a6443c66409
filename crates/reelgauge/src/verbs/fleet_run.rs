//! `fleet run` runs one measurement on many hosts; `fleet logs` fetches results that are still on
//! agents.
//!
//! Not here: a plan with steps ([`super::fleet_batch`]).

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use reelgauge_analysis::hosts::Presence;
use reelgauge_analysis::statement::{self, Judgement};
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_fleet::controller::batch::{Batch, BatchPlan};
use reelgauge_fleet::controller::conduct::{Conduct, Member, WhyStopped};
use reelgauge_fleet::controller::fleet_plan::{FleetPlan, Placed};
use reelgauge_fleet::controller::roster::{Expected, Roster};
use reelgauge_fleet::controller::run_lifecycle::Journey;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::merged_run::WholeError;
use reelgauge_fleet::protocol::Phase;
use reelgauge_report::fleet_run::fleet_waits;
use reelgauge_report::text::shell_word;
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::exit_code::{BROKE_OFF, INTERRUPTED, USAGE};
use reelgauge_runner::interrupt::Interrupt;

use super::fleet_batch;
use super::fleet_preflight::{self, PreflightOutcome, present_names, seen};
use super::fleet_prepare;
use super::fleet_run_common::{
    ahead, begins, begun, carry_out, expect_idle, leave, logs_again, missing_directories, plan_of,
    put_together, refusals, say, tell_ahead,
};
use crate::cli::{FleetLogsArgs, FleetRunArgs};
use crate::screen;

/// Runs a plan on a fleet. Returns the exit status.
pub fn run(args: &FleetRunArgs) -> Result<u8> {
    let site = FleetSite::open(&args.fleet)?;
    match (&args.plan, &args.resume) {
        (_, Some(what)) if Batch::is_in(Path::new(what)) => {
            fleet_batch::go_on(&site, Batch::open(Path::new(what))?, args.json)
        }
        (_, Some(name)) => finish(&site, Journey::resume(&site, name, true)?, begins, &args.out, args.json),
        (Some(path), None) => begin(&site, path, args),
        (None, None) => bail!("name a plan, or a run to continue with --resume"),
    }
}

fn begin(site: &FleetSite, path: &Path, args: &FleetRunArgs) -> Result<u8> {
    let (plan, plan_toml) = plan_of(site, path)?;
    let texts = plan.texts_beside(path)?;
    // Checked first, because the rest is useless if it fails.
    plan.observer_parts()?;
    let roster = Roster::open(site)?;
    let known: Vec<String> = site.register().agents.iter().map(|agent| agent.name.to_string()).collect();
    let Some(seen) = seen_by_plan(&roster, &known, &plan, args.dry_run)? else { return Ok(INTERRUPTED) };
    let there = present_names(&seen);
    if plan.steps.is_empty() {
        let placed = plan.placed(&there, &texts, None)?;
        if args.dry_run {
            let mut refusals = refusals(&seen, placed.iter());
            refusals.extend(missing_directories(&roster, placed.iter())?);
            return tell_ahead(&[ahead(&placed, &there)], &refusals);
        }
        expect_idle(&seen, placed.iter())?;
        expect_directories(&roster, placed.iter())?;
        let looked =
            fleet_preflight::check_before_run(site, &plan, vec![(None, placed.clone())], args.preflight)?;
        let PreflightOutcome::Done(found) = looked else { return Ok(INTERRUPTED) };
        let journey =
            Journey::begin(site, plan.fleet.on_loss, placed)?.observed_by(plan.observer_parts()?)?;
        fleet_preflight::keep(journey.dir(), found.as_ref())?;
        return finish(site, journey, begins, &args.out, args.json);
    }
    let batch = Batch::new(&args.out, BatchPlan { plan_toml, texts, there: there.clone() })?;
    if args.dry_run {
        let all = fleet_preflight::of_batch(&batch)?;
        let all = || all.iter().flat_map(|(_, placed)| placed);
        let mut refusals = refusals(&seen, all());
        refusals.extend(missing_directories(&roster, all())?);
        return tell_ahead(&fleet_batch::ahead(&batch, &there)?, &refusals);
    }
    let runs = fleet_preflight::of_batch(&batch)?;
    expect_idle(&seen, runs.iter().flat_map(|(_, placed)| placed))?;
    expect_directories(&roster, runs.iter().flat_map(|(_, placed)| placed))?;
    let looked = fleet_preflight::check_before_run(site, &plan, runs, args.preflight)?;
    let PreflightOutcome::Done(found) = looked else { return Ok(INTERRUPTED) };
    batch.keep()?;
    fleet_preflight::keep(batch.dir(), found.as_ref())?;
    fleet_batch::go_on(site, batch, args.json)
}

/// Checks that every directory of an agent's target exists.
///
/// # Errors
/// Lists each missing directory on its own line.
fn expect_directories<'a>(roster: &Roster, placed: impl Iterator<Item = &'a Placed>) -> Result<()> {
    let missing: Vec<String> = missing_directories(roster, placed)?.into_iter().collect();
    ensure!(missing.is_empty(), missing.join("\n"));
    Ok(())
}

/// Waits for the plan's agents, and returns the agents present; `None` if the user interrupted the wait.
/// A dry run does not wait.
fn seen_by_plan(
    roster: &Roster,
    known: &[String],
    plan: &FleetPlan,
    is_dry_run: bool,
) -> Result<Option<Vec<Expected>>> {
    let interrupt = Interrupt::listen()?;
    let mut told = Vec::new();
    loop {
        let seen = seen(roster)?;
        let missing = plan.waits_for(known, &present_names(&seen));
        if missing.is_empty() || is_dry_run {
            return Ok(Some(seen));
        }
        if interrupt.asked() {
            return Ok(None);
        }
        if told != missing {
            say(&fleet_waits(&missing));
            told = missing;
        }
    }
}

/// Fetches the parts of a run that are on agents. Returns the exit status.
pub fn logs(args: &FleetLogsArgs) -> Result<u8> {
    let site = FleetSite::open(&args.fleet)?;
    let name = args.run.clone().or_else(|| Journey::names(&site).pop());
    let Some(name) = name else {
        say("All runs of this fleet have been fetched.");
        return Ok(0);
    };
    finish(&site, Journey::resume(&site, &name, false)?, fetches, &args.out, args.json)
}

/// The message when a run is fetched.
fn fetches(journey: &Journey) -> String {
    format!(
        "Run {}: fetching its results from the agents. Ctrl-C stops agents that still work on it; results \
         are kept.",
        journey.name
    )
}

/// Carries a run out, with the message `said` at its beginning, merges it and shows it.
fn finish(
    site: &FleetSite,
    journey: Journey,
    said: fn(&Journey) -> String,
    out: &Path,
    json: bool,
) -> Result<u8> {
    if journey.conduct().only_prepares {
        return fleet_prepare::go_on(site, journey);
    }
    let interrupt = Interrupt::listen()?;
    // Before any measurement, so that a lack of space for the results shows early.
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    let run_dir = out.join(&journey.name);
    let again = format!("{} --out {}", logs_again(site, &journey.name), shell_word(out));
    begun(measure(site, journey, said, run_dir, &interrupt, json), &again)
}

fn measure(
    site: &FleetSite,
    mut journey: Journey,
    said: fn(&Journey) -> String,
    run_dir: PathBuf,
    interrupt: &Interrupt,
    json: bool,
) -> Result<u8> {
    let live = carry_out(site, &mut journey, said, &run_dir, interrupt)?;
    let whole = match put_together(&journey, run_dir, live) {
        Err(error @ WholeError::Nothing { .. }) => {
            let is_stopped = journey.conduct().stopped == Some(WhyStopped::User);
            match (journey.is_short(), is_stopped) {
                (true, _) => say("Nothing of the run could be fetched."),
                (false, true) => say("The run was stopped before anything was measured."),
                (false, false) => say(&format!("Nothing was measured: {error}")),
            }
            let is_refused = journey.is_refused();
            leave(site, journey)?;
            return Ok(match (is_stopped, is_refused) {
                (true, _) => INTERRUPTED,
                (false, true) => USAGE,
                (false, false) => BROKE_OFF,
            });
        }
        whole => whole?,
    };
    fleet_preflight::pass_on(journey.dir(), &whole.run_dir)?;
    let text = match json {
        true => whole.summary.to_json()?,
        false => screen::of(&whole.summary, Tables::Last, Detail::Normal),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    let code = exit_code(journey.conduct(), &whole.summary);
    let is_stopped = journey.conduct().stopped == Some(WhyStopped::User);
    leave(site, journey)?;
    Ok(if is_stopped && code == 0 { INTERRUPTED } else { code })
}

/// The exit status, as for a run on one host, judged by the merged result: an agent knows only its own
/// part. 3 if an agent was missing, ended early, or left an incomplete log: a script must not rely on
/// figures that lack a part of the load.
fn exit_code(conduct: &Conduct, summary: &Summary) -> u8 {
    let ended = |member: &Member| {
        let code = match member.state.as_ref().map(|state| &state.phase) {
            Some(Phase::Over { code, .. }) => *code,
            _ => None,
        };
        member.missing.is_none() && matches!(code, Some(0 | 1 | INTERRUPTED))
    };
    let mut hosts = summary.hosts.iter().flat_map(|section| &section.hosts);
    let is_all_here = conduct.measuring().all(ended) && hosts.all(|host| host.log_complete);
    match summary.outcome {
        Outcome::Interrupted => INTERRUPTED,
        Outcome::Complete if is_all_here => u8::from(is_not_met(summary)),
        Outcome::Complete | Outcome::BrokeOff | Outcome::Running => BROKE_OFF,
    }
}

/// Whether a criterion was not met, or an agent that was present measured nothing.
fn is_not_met(summary: &Summary) -> bool {
    let differs = summary.verify.as_ref().is_some_and(|verify| verify.different_bytes > 0);
    let not_met = summary.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
    let points = summary.hosts.iter().flat_map(|section| &section.points);
    let mut hosts = points.flat_map(|point| &point.hosts);
    let is_without = hosts.any(|host| host.presence == Presence::Whole && host.figures.ops == 0);
    let inconclusive = statement::of(summary).judgement == Judgement::Inconclusive;
    differs || not_met || inconclusive || is_without
}
