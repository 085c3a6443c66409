//! Stops all runs of a fleet from another process than the controller that began them: that controller
//! may no longer exist, or run on another host. If it answers, it receives the command first, so that it
//! stops as if it had been interrupted itself, and begins nothing more.
//!
//! Not here: fetching the measurements, which the run's own controller does, or `fleet logs`.

use std::collections::BTreeMap;
use std::time::Duration;

use super::command_channel::{Want, obtain};
use super::command_service::CommandSeal;
use super::wire::ways;
use crate::connection::Login;
use crate::controller::run_lifecycle::JourneyError;
use crate::envelope::Sealer;
use crate::fleet_site::directory::FleetSite;
use crate::protocol::{Answer, Order};

/// Every agent has reported its state by then.
const HEARD_WITHIN: Duration = Duration::from_secs(3);
/// A controller has answered by then, if there is one.
const CONTROLLER_WITHIN: Duration = Duration::from_millis(1_500);
/// An agent that has not stopped by then will not.
const STOPS_WITHIN: Duration = Duration::from_secs(20);

/// The result of stopping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Halted {
    /// The run whose controller received the command; `None` if none answers.
    pub run: Option<String>,
    /// Agents whose run was stopped.
    pub stopped: Vec<String>,
    /// Agents whose run continues.
    pub going_on: Vec<String>,
}

/// Orders every agent with a run in progress to stop, until it has.
///
/// # Errors
/// If there is no connection.
pub fn halt(site: &FleetSite) -> Result<Halted, JourneyError> {
    let (login, seal) = (Login::of_controller(site)?, CommandSeal::of(site)?);
    let sealer = Sealer::new(site.controller_keys()?.seal, site.register().fleet.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let halted = runtime.block_on(async {
        let connection = login.connect().await?;
        let told = obtain(&connection.client, seal, Want::Stop, CONTROLLER_WITHIN).await?;
        let run = told.and_then(|told| told.now).filter(|now| now.is_ending).map(|now| now.run);
        let mut ways = ways(connection.client.clone(), sealer).await?;
        let mut goes_on: BTreeMap<String, bool> = BTreeMap::new();
        let began = tokio::time::Instant::now();
        let mut until = began + HEARD_WITHIN;
        while let Ok(Some((agent, answer))) = tokio::time::timeout_at(until, ways.answers.recv()).await {
            let Answer::Beat(beat) = answer else { continue };
            let run = beat.runs.into_iter().find(|state| !state.phase.is_over());
            match run {
                Some(state) => {
                    goes_on.insert(agent.clone(), true);
                    until = began + STOPS_WITHIN;
                    let _ = ways.orders.send((agent, Order::Stop { run: state.run }));
                }
                None => {
                    goes_on.entry(agent).and_modify(|goes_on| *goes_on = false);
                    if !goes_on.is_empty() && goes_on.values().all(|goes_on| !goes_on) {
                        until = until.min(tokio::time::Instant::now() + HEARD_WITHIN);
                    }
                }
            }
        }
        Ok((run, goes_on))
    });
    runtime.shutdown_background();
    halted.map(|(run, goes_on)| Halted {
        run,
        stopped: goes_on.iter().filter(|(_, on)| !**on).map(|(agent, _)| agent.clone()).collect(),
        going_on: goes_on.iter().filter(|(_, on)| **on).map(|(agent, _)| agent.clone()).collect(),
    })
}
