//! Leftovers of earlier runs: on the agents, whose test files are removed on request, and in the
//! controller's own folders. A run that was not fetched is removed only if it is named.
//!
//! Not here: what an agent removes ([`crate::agent::leftovers`]), sentences (report).

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reelgauge_report::fleet_clean::{Leftover, LeftoverKind, LeftoversOf};
use reelgauge_report::fleet_doctor::{NoAnswer, WhyNoAnswer};

use super::doctor::Asking;
use super::preflight::PreflightError;
use super::roster::call;
use super::run_lifecycle::Journey;
use crate::connection::Login;
use crate::doctor_words::{DoctorOrder, DoctorState, KNOWS_CLEAN};
use crate::envelope::Sealer;
use crate::fleet_site::agent_name::AgentName;
use crate::fleet_site::directory::FleetSite;
use crate::protocol::Order;

/// How long an agent may take to report its presence.
const THERE_WITHIN: Duration = Duration::from_secs(3);
/// An agent has removed a run within this time after the order.
const FORGETS_WITHIN: Duration = Duration::from_secs(1);

/// The request: list or remove.
#[derive(Clone, Debug)]
pub struct CleanRequest<'a> {
    /// Runs that are removed although they were not fetched.
    pub runs: &'a [String],
    /// If true, remove; otherwise only list.
    pub removes: bool,
    /// How long an agent may take.
    pub within: Duration,
}

/// The result of one request to all agents.
#[derive(Clone, Debug, Default)]
pub struct CleanRound {
    /// Agents in their order, the controller last.
    pub left: Vec<LeftoversOf>,
    /// Agents that did not answer.
    pub silent: Vec<NoAnswer>,
}

/// Lists or removes the leftovers on all agents and here.
///
/// # Errors
/// If there is no connection, or the user interrupted it.
pub fn clean(
    site: &FleetSite,
    request: &CleanRequest<'_>,
    wants_end: &AtomicBool,
) -> Result<CleanRound, PreflightError> {
    let login = Login::of_controller(site)?;
    let sealer = || -> Result<Sealer, PreflightError> {
        Ok(Sealer::new(site.controller_keys()?.seal, site.register().fleet.clone()))
    };
    let names: Vec<AgentName> = site.register().agents.iter().map(|member| member.name.clone()).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let heard: Result<_, PreflightError> = runtime.block_on(async {
        let client = login.connect().await?.client;
        let mut rounds = Vec::new();
        // To see which runs were removed, compare the list of leftovers before and after.
        let steps: &[bool] = if request.removes { &[false, true] } else { &[false] };
        for &removes in steps {
            let seen = call(&client, &site.register().fleet, &names, THERE_WITHIN).await?;
            let order = |id: String| DoctorOrder::Clean { id, removes };
            let mut asking = Asking::new(client.clone(), sealer()?, &seen, (KNOWS_CLEAN, order));
            if removes && !request.runs.is_empty() {
                for run in request.runs {
                    let body = serde_json::to_vec(&Order::Kept { run: run.clone() }).unwrap_or_default();
                    asking.send(&body).await;
                }
                tokio::time::sleep(FORGETS_WITHIN).await;
            }
            asking.until_heard(request.within, wants_end).await?;
            rounds.push(asking.heard());
        }
        Ok(rounds)
    });
    runtime.shutdown_background();
    let mut rounds = heard?;
    let last = rounds.pop().unwrap_or_default();
    let mut round = CleanRound::default();
    for (agent, said) in last {
        let left = |said: &Result<DoctorState, WhyNoAnswer>| match said {
            Ok(DoctorState::Left { leftovers }) => leftovers.clone(),
            _ => Vec::new(),
        };
        let before = rounds.iter().flatten().find(|(name, _)| *name == agent);
        let before = before.map(|(_, said)| left(said)).unwrap_or_default();
        match said {
            Ok(_) => {
                let mut leftovers = left(&said);
                leftovers.extend(removed_runs(&before, &leftovers));
                round.left.push(LeftoversOf { agent: Some(agent), leftovers });
            }
            Err(why) => round.silent.push(NoAnswer { agent, why }),
        }
    }
    round.left.push(LeftoversOf { agent: None, leftovers: own(site, request) });
    Ok(round)
}

/// Runs that were listed before and no longer are.
fn removed_runs(before: &[Leftover], after: &[Leftover]) -> Vec<Leftover> {
    let is_run = |left: &&Leftover| left.kind == LeftoverKind::Run;
    let is_gone = |left: &&Leftover| !after.iter().any(|now| now.kind == left.kind && now.name == left.name);
    let gone = before.iter().filter(is_run).filter(is_gone).cloned();
    gone.map(|left| Leftover { is_removed: true, ..left }).collect()
}

/// Runs in the controller's own folders.
fn own(site: &FleetSite, request: &CleanRequest<'_>) -> Vec<Leftover> {
    let each = Journey::names(site).into_iter().map(|name| {
        let mut left = Leftover {
            kind: LeftoverKind::Run,
            bytes: Journey::bytes(site, &name),
            name,
            is_removed: false,
            why_not: None,
        };
        if request.removes && request.runs.contains(&left.name) {
            let removed = Journey::remove(site, &left.name);
            left.is_removed = removed.is_ok();
            left.why_not = removed.err().map(|error| error.to_string());
        }
        left
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_absent_from_the_agents_list_counts_as_removed() {
        let left = |kind, name: &str| Leftover {
            kind,
            name: name.to_owned(),
            bytes: Some(1),
            is_removed: false,
            why_not: None,
        };
        let (run, files) = (left(LeftoverKind::Run, "r"), left(LeftoverKind::TestFiles, "/r"));
        let other = left(LeftoverKind::Run, "s");
        let before = [run.clone(), other.clone(), files];
        assert_eq!(removed_runs(&before, &[other]), [Leftover { is_removed: true, ..run }]);
        assert!(removed_runs(&before, &before).is_empty());
    }
}
