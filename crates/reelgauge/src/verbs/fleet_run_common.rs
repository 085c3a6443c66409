//! The common parts of a single run of a fleet and of several: the forecast, carrying one out while
//! reporting its state, and the handling of its remains.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use reelgauge_fleet::agent::presence::Presence;
use reelgauge_fleet::controller::conduct::Stage;
use reelgauge_fleet::controller::fleet_plan::{FleetPlan, Placed, taken};
use reelgauge_fleet::controller::live_log::FleetLiveLog;
use reelgauge_fleet::controller::roster::{Expected, Roster};
use reelgauge_fleet::controller::run_lifecycle::Journey;
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::merged_run::observer_counters::make_observed;
use reelgauge_fleet::merged_run::{Whole, WholeError};
use reelgauge_fleet::protocol::PROTOCOL;
use reelgauge_report::fleet_run::{
    PlacedLine, PlacedLoad, WhyMissing, fleet_copies_left, fleet_directory_missing, fleet_files_refused,
    fleet_missing, fleet_now, fleet_so_far, why_missing,
};
use reelgauge_report::fleet_steps::{StepAhead, fleet_ahead};
use reelgauge_report::text::shell_word;
use reelgauge_runner::exit_code::{BROKE_OFF, USAGE};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_workload::streams::AnyPlan;

use super::fleet_progress::{finished_points, missing, now};
use crate::screen;

/// The plan of a fleet in this file, with its text; every agent that it names is in this fleet.
pub fn plan_of(site: &FleetSite, path: &Path) -> Result<(FleetPlan, String)> {
    let (plan, text) = FleetPlan::open(path)?;
    let known: Vec<String> = site.register().agents.iter().map(|agent| agent.name.to_string()).collect();
    plan.check_known(&known)?;
    Ok((plan, text))
}

/// The forecast of a run, without its name.
pub fn ahead(placed: &[Placed], there: &[String]) -> StepAhead {
    let line = |placed: &Placed| PlacedLine {
        agent: placed.part.agent.clone(),
        target: placed.target.display().to_string(),
        does: match placed.seeks {
            Some(seeks) => PlacedLoad::Seeks(seeks.cap),
            None => PlacedLoad::Points(placed.points as u64),
        },
        is_there: there.contains(&placed.part.agent),
    };
    let taken = taken(placed);
    StepAhead {
        placed: placed.iter().map(line).collect(),
        seconds: taken.seconds,
        bytes: taken.bytes,
        ..StepAhead::default()
    }
}

/// Shows the forecast of runs, and the owners that would refuse. Returns the exit status.
pub fn tell_ahead(steps: &[StepAhead], refusals: &BTreeSet<String>) -> Result<u8> {
    std::io::stdout().write_all(screen::output_fitted(fleet_ahead(steps).trim_end()).as_bytes())?;
    refusals.iter().for_each(|refusal| say(refusal));
    Ok(if refusals.is_empty() { 0 } else { USAGE })
}

/// The agents that will refuse their part by their reported limits. Whether a target is below their
/// roots only they know, since they resolve links.
pub fn refusals<'a>(seen: &[Expected], placed: impl Iterator<Item = &'a Placed>) -> BTreeSet<String> {
    let refusal = |placed: &Placed| {
        let agent = placed.part.agent.as_str();
        let presence = seen.iter().find(|expected| expected.name.as_str() == agent)?.present.first()?;
        if let Some(why) = other_protocol(presence) {
            return Some(format!("{agent} does not take part: {}.", why_missing(&why)));
        }
        let limits = presence.limits;
        let plan = AnyPlan::from_toml(&placed.part.plan_toml).ok()?;
        let why = limits.admit(&plan).err()?;
        Some(format!("{agent} will reject the run: {why}."))
    };
    placed.filter_map(refusal).collect()
}

/// Why an agent of another version cannot understand this controller.
fn other_protocol(presence: &Presence) -> Option<WhyMissing> {
    (presence.protocol != PROTOCOL).then(|| WhyMissing::OtherProtocol {
        agent: presence.protocol,
        version: presence.version.clone(),
        controller: PROTOCOL,
    })
}

/// Missing directories of agents' targets, a sentence each.
///
/// # Errors
/// If no agent has one of the names.
pub fn missing_directories<'a>(
    roster: &Roster,
    placed: impl Iterator<Item = &'a Placed>,
) -> Result<BTreeSet<String>> {
    let mut wanted: BTreeMap<AgentName, BTreeSet<PathBuf>> = BTreeMap::new();
    for placed in placed {
        wanted.entry(placed.part.agent.parse()?).or_default().insert(placed.target.clone());
    }
    let missing = roster.missing_directories(&wanted);
    Ok(missing.iter().map(|(agent, path)| fleet_directory_missing(agent.as_str(), path)).collect())
}

/// The message when agents begin a run.
pub fn begins(journey: &Journey) -> String {
    format!("Run {}. Ctrl-C stops all agents; results are kept.", journey.name)
}

/// Carries a run out to its end, and reports its state: here, and to viewers of its directory. `said` is
/// printed first, once the run has its directory.
pub fn carry_out(
    site: &FleetSite,
    journey: &mut Journey,
    said: fn(&Journey) -> String,
    run_dir: &Path,
    interrupt: &Interrupt,
) -> Result<FleetLiveLog> {
    let mut live = FleetLiveLog::begin(run_dir, journey)?;
    say(&said(journey));
    let (mut shown, mut pauses) = (String::new(), 0);
    let carried = journey.carry_out(site, interrupt.flag(), |run| {
        live.tell(run);
        let conduct = &run.conduct;
        if let Stage::Paused { point } = conduct.stage
            && pauses < conduct.pauses.count()
        {
            pauses = conduct.pauses.count();
            say(fleet_so_far(&finished_points(conduct, point)).trim_end());
        }
        let line = fleet_now(&now(run));
        if line != shown {
            say(&line);
            shown = line;
        }
    });
    if let Err(error) = carried {
        live.broke_off(&error.to_string());
        return Err(error.into());
    }
    say(fleet_missing(&missing(journey.conduct())).trim_end());
    for (agent, why) in journey.refused() {
        say(&fleet_files_refused(agent, why));
    }
    Ok(live)
}

/// Merges a run, and ends its live log.
pub fn put_together(journey: &Journey, out: PathBuf, live: FleetLiveLog) -> Result<Whole, WholeError> {
    match make_observed(journey.whole(out), &journey.observers()) {
        Ok(whole) => {
            live.end(&whole.summary);
            Ok(whole)
        }
        // It ended before any agent's first load point: there is nothing to keep.
        Err(error @ WholeError::Nothing { .. }) => {
            live.forget();
            Err(error)
        }
        Err(error) => {
            live.broke_off(&error.to_string());
            Err(error)
        }
    }
}

/// Removes a run that is no longer needed, unless agents still have parts of it.
pub fn leave(site: &FleetSite, journey: Journey) -> Result<()> {
    if journey.is_settled() {
        return Ok(journey.forget()?);
    }
    let again = logs_again(site, &journey.name);
    say(&match journey.copies_left() {
        Some(agents) => fleet_copies_left(&agents, &again),
        None => {
            format!("Some results may still be on agents. Fetch them when the agents are connected: {again}")
        }
    });
    Ok(())
}

/// Checks that no agent of the new run is busy with another one: two controllers would undo each other's
/// orders. Two processes must not have the same name either, because it would be unknown which of them
/// was meant.
///
/// # Errors
/// The agents concerned.
pub fn expect_idle<'a>(seen: &[Expected], placed: impl Iterator<Item = &'a Placed>) -> Result<()> {
    let names: BTreeSet<&str> = placed.map(|placed| placed.part.agent.as_str()).collect();
    let who = |is_so: fn(&Expected) -> bool| -> Vec<&str> {
        let meant = seen.iter().filter(|expected| names.contains(expected.name.as_str()));
        meant.filter(|expected| is_so(expected)).map(|expected| expected.name.as_str()).collect()
    };
    let at_work = who(|expected| expected.present.iter().any(|presence| presence.is_at_work));
    if !at_work.is_empty() {
        bail!(
            "a run is active on {}: wait for its end, or stop it with 'reelgauge fleet stop'. If its \
             controller is lost, it stops automatically within seconds",
            at_work.join(", ")
        );
    }
    let agents = seen.iter().filter(|expected| names.contains(expected.name.as_str()));
    for expected in agents {
        if let Some(why) = expected.present.first().and_then(other_protocol) {
            bail!("{} cannot take part: {}", expected.name, why_missing(&why));
        }
    }
    let twice = who(|expected| expected.present.len() > 1);
    if !twice.is_empty() {
        bail!(
            "two agents use the name {}: a join file is for one host. End one of them, or create another \
             join file with 'reelgauge fleet add'",
            twice.join(", ")
        );
    }
    Ok(())
}

/// Adds the command to continue to the error of a run that has begun and could not end, for example
/// because of a full disk. Returns the exit status.
pub fn begun(done: Result<u8>, again: &str) -> Result<u8> {
    match done {
        Err(error) if !screen::is_broken_pipe(&error) => {
            screen::complain(&error);
            say(&format!("Results are kept. To continue once this is fixed: {again}"));
            Ok(BROKE_OFF)
        }
        done => done,
    }
}

/// The command that fetches and merges the rest of a run.
pub fn logs_again(site: &FleetSite, run: &str) -> String {
    format!("reelgauge fleet logs {run} --fleet {}", shell_word(site.dir()))
}

/// Prints a message that is not a result.
pub fn say(text: &str) {
    if !text.is_empty() {
        // If standard error is closed, the message is lost.
        let _ = writeln!(std::io::stderr(), "{}", screen::fitted(text));
    }
}
