//! `reelgauge fleet preflight`, and the checks before `fleet run`.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use reelgauge_analysis::preflight::Preflight;
use reelgauge_fleet::controller::batch::{Batch, BatchPlan, BatchRun};
use reelgauge_fleet::controller::fleet_plan::{FleetPlan, Placed};
use reelgauge_fleet::controller::preflight::network::Pair;
use reelgauge_fleet::controller::preflight::{
    self as looking, NetworkRequest, PreflightError, PreflightRequest, keep_in, kept_in,
};
use reelgauge_fleet::controller::roster::{Expected, Roster};
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::throughput::LONGEST;
use reelgauge_report::preflight::{preflight_findings, preflight_screen};
use reelgauge_report::units;
use reelgauge_runner::exit_code::INTERRUPTED;
use reelgauge_runner::interrupt::Interrupt;

use super::fleet_run_common::{plan_of, say};
use crate::cli::{FleetPreflightArgs, PreflightDepth};
use crate::screen;

/// How long an agent may take to report its presence.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long each measurement takes before a run.
const EACH: Duration = Duration::from_secs(2);

/// The tasks of each run, and its name.
pub type NamedRuns = Vec<(Option<String>, Vec<Placed>)>;

/// The result of the checks before a run.
pub enum PreflightOutcome {
    /// The findings; `None` if the checks were disabled or failed.
    Done(Option<Preflight>),
    /// The user stopped it.
    Stopped,
}

/// Checks the hosts of a plan. Returns the exit status.
pub fn preflight(args: &FleetPreflightArgs) -> Result<u8> {
    ensure!(
        !args.each.duration().is_zero() && args.each.duration() <= LONGEST,
        "--for must be between 1ms and {} s",
        LONGEST.as_secs()
    );
    let site = FleetSite::open(&args.fleet)?;
    let (runs, observers) = runs(&site, &args.plan)?;
    let network = match args.no_network {
        true => Err("omitted because of --no-network".to_owned()),
        false => Ok(NetworkRequest {
            each: args.each.duration(),
            // By default measure to the first observer: it is usually on the server.
            peer: args.peer.clone().or(observers.first().cloned()),
            peer_address: args.peer_address,
        }),
    };
    let request = PreflightRequest { runs, observers, within: PRESENCE_TIMEOUT, network };
    let interrupt = Interrupt::listen()?;
    let found = match looking::preflight(&site, &request, interrupt.flag(), print_measurement) {
        Err(PreflightError::Interrupted) => return Ok(INTERRUPTED),
        found => found?,
    };
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&found)?),
        false => preflight_screen(&found, screen::style()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(u8::from(found.has_findings()))
}

/// The tasks of every run of a plan, and its observers.
fn runs(site: &FleetSite, path: &Path) -> Result<(NamedRuns, Vec<AgentName>)> {
    let (plan, plan_toml) = plan_of(site, path)?;
    let texts = plan.texts_beside(path)?;
    let observers = observers(&plan)?;
    let there = present_names(&seen(&Roster::open(site)?)?);
    if plan.steps.is_empty() {
        return Ok((vec![(None, plan.placed(&there, &texts, None)?)], observers));
    }
    // This batch is never saved, so its directory is empty.
    let batch = Batch::new(Path::new(""), BatchPlan { plan_toml, texts, there })?;
    Ok((of_batch(&batch)?, observers))
}

/// Every agent of the fleet, and its answers.
pub fn seen(roster: &Roster) -> Result<Vec<Expected>> {
    Ok(roster.look(PRESENCE_TIMEOUT, false)?)
}

/// The names of the agents that answer.
pub fn present_names(seen: &[Expected]) -> Vec<String> {
    let there = seen.iter().filter(|expected| !expected.present.is_empty());
    there.map(|expected| expected.name.to_string()).collect()
}

/// The tasks in each of several runs.
pub fn of_batch(batch: &Batch) -> Result<NamedRuns> {
    let of = |(at, run): (usize, &BatchRun)| Ok((Some(run.round.title.clone()), batch.placed(at)?));
    batch.runs.iter().enumerate().map(of).collect()
}

fn observers(plan: &FleetPlan) -> Result<Vec<AgentName>> {
    plan.observer_parts()?.iter().map(|part| Ok(part.agent.parse()?)).collect()
}

/// Checks before a run begins, and reports the findings. A check that fails does not prevent the run.
pub fn check_before_run(
    site: &FleetSite,
    plan: &FleetPlan,
    runs: NamedRuns,
    depth: PreflightDepth,
) -> Result<PreflightOutcome> {
    let network = match depth {
        PreflightDepth::None => return Ok(PreflightOutcome::Done(None)),
        PreflightDepth::Look => Err("not requested ('--preflight network')".to_owned()),
        PreflightDepth::Network => {
            let peer = observers(plan)?.first().cloned();
            Ok(NetworkRequest { each: EACH, peer, peer_address: None })
        }
    };
    let interrupt = Interrupt::listen()?;
    let request = PreflightRequest { runs, observers: observers(plan)?, within: PRESENCE_TIMEOUT, network };
    match looking::preflight(site, &request, interrupt.flag(), print_measurement) {
        Ok(found) => {
            let text = match depth {
                PreflightDepth::Network => preflight_screen(&found, screen::style()),
                _ => preflight_findings(&found, screen::style()),
            };
            say(text.trim_end());
            Ok(PreflightOutcome::Done(Some(found)))
        }
        Err(PreflightError::Interrupted) => Ok(PreflightOutcome::Stopped),
        Err(error) => {
            say(&format!("The agents' hosts were not checked: {error}"));
            Ok(PreflightOutcome::Done(None))
        }
    }
}

fn print_measurement(pair: &Pair, connections: u32) {
    let connections = units::counted(connections.into(), "connection");
    say(&format!("measuring the network: {} to {}, {connections}", pair.from, pair.to));
}

/// Keeps the findings with a run that begins.
pub fn keep(dir: &Path, found: Option<&Preflight>) -> Result<()> {
    Ok(found.map_or(Ok(()), |found| keep_in(dir, found))?)
}

/// Moves the findings of a run into its results.
pub fn pass_on(from: &Path, run_dir: &Path) -> Result<()> {
    keep(run_dir, kept_in(from).as_ref())
}
