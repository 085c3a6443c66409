//! The agents that answer, and how their clocks differ from this host's.
//!
//! Every agent is asked under its own name, so that none can answer for another. If two answer to one
//! name, two processes use the same join file.
//!
//! Not here: orders.

pub mod clock;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt;
use futures_util::stream;
use serde::Serialize;
use tokio::runtime::Runtime;

use crate::agent::presence::{ClockAnswer, DirectoriesAsked, DirectoriesMissing, Presence, unix_ns};
use crate::connection::{ConnectionError, Login};
use crate::fleet_site::agent_name::{AgentName, FleetId};
use crate::fleet_site::directory::{FleetSite, FleetSiteError};
use crate::fleet_site::subject::{self, Question};
use clock::{ClockDifference, ClockSample};

/// How many agents are asked at once.
const AT_ONCE: usize = 64;
/// How long to wait for further answers to one name.
const EXTRA_ANSWER_TIME: Duration = Duration::from_millis(300);
/// How long an agent may take to check directories.
const DIRECTORIES: Duration = Duration::from_secs(3);
/// The number of times a clock is queried.
const CLOCK_QUESTIONS: usize = 12;

/// An agent that was expected, and its answers.
#[derive(Clone, Debug, Serialize)]
pub struct Expected {
    pub name: AgentName,
    /// Its answers; one for each of its processes.
    pub present: Vec<Presence>,
    /// The offset of its clock; `None` if it was not queried or did not answer.
    pub clock: Option<ClockDifference>,
}

/// An agent cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot send a request to the fleet's server: {0}")]
pub struct RosterError(String);

/// Asks each of these agents for its presence. Agents that do not answer within this time count as
/// absent.
///
/// # Errors
/// If the connection cannot send the request.
pub async fn call(
    client: &Client,
    fleet: &FleetId,
    names: &[AgentName],
    within: Duration,
) -> Result<Vec<Expected>, RosterError> {
    let asked = stream::iter(names.to_vec()).map(|name| async move {
        let answers = answers(client, &subject::ask(&name, Question::Presence), within).await?;
        // Ignore answers that are not the agent's own presence.
        let present = answers.iter().filter_map(|answer| serde_json::from_slice::<Presence>(answer).ok());
        let is_its_own = |presence: &Presence| presence.agent == name && presence.fleet == *fleet;
        let mut present: Vec<Presence> = present.filter(is_its_own).collect();
        present.sort_by(|one, other| one.session.cmp(&other.session));
        present.dedup_by(|one, other| one.session == other.session);
        Ok(Expected { name, present, clock: None })
    });
    let asked: Vec<Result<Expected, RosterError>> = asked.buffered(AT_ONCE).collect().await;
    asked.into_iter().collect()
}

/// Asks an agent a few times for its time; `None` if it never answers. With two processes of one name it
/// is unknown whose clock answers.
pub async fn clock_of(client: &Client, seen: &Expected) -> Option<ClockDifference> {
    let [presence] = seen.present.as_slice() else { return None };
    let mut samples = Vec::new();
    for _ in 0..CLOCK_QUESTIONS {
        let asked_unix_ns = unix_ns(std::time::SystemTime::now());
        let asked = Instant::now();
        let answer = client.request(subject::ask(&seen.name, Question::Clock), "".into()).await.ok()?;
        let round_trip = asked.elapsed();
        let answer: ClockAnswer = serde_json::from_slice(&answer.payload).ok()?;
        if answer.session != presence.session {
            return None;
        }
        let round_trip_ns = u64::try_from(round_trip.as_nanos()).unwrap_or(u64::MAX);
        samples.push(ClockSample { asked_unix_ns, round_trip_ns, answered_unix_ns: answer.unix_ns });
    }
    clock::difference(&samples)
}

/// Queries the clocks of all agents at once.
pub async fn clocks(client: &Client, seen: Vec<Expected>) -> Vec<Expected> {
    let asked = stream::iter(seen).map(|seen| async move {
        let clock = clock_of(client, &seen).await;
        Expected { clock, ..seen }
    });
    asked.buffered(AT_ONCE).collect().await
}

/// Every answer to one question: those within the time, and for a short time after the first.
async fn answers(client: &Client, subject: &str, within: Duration) -> Result<Vec<Vec<u8>>, RosterError> {
    let failed = |error: String| RosterError(error);
    let inbox = client.new_inbox();
    let mut answered = client.subscribe(inbox.clone()).await.map_err(|error| failed(error.to_string()))?;
    let sent = client.publish_with_reply(subject.to_owned(), inbox, "".into()).await;
    sent.map_err(|error| failed(error.to_string()))?;
    client.flush().await.map_err(|error| failed(error.to_string()))?;
    let mut answers = Vec::new();
    let mut until = tokio::time::Instant::now() + within;
    while let Ok(Some(message)) = tokio::time::timeout_at(until, answered.next()).await {
        // The server itself reports that no client listens on this subject.
        if message.status == Some(async_nats::StatusCode::NO_RESPONDERS) {
            break;
        }
        if answers.is_empty() {
            until = until.min(tokio::time::Instant::now() + EXTRA_ANSWER_TIME);
        }
        answers.push(message.payload.to_vec());
    }
    Ok(answers)
}

/// Why the fleet cannot be queried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RosterQueryError {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The site's keys can't be read.
    #[error(transparent)]
    Site(#[from] FleetSiteError),
    /// Agents cannot be asked.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The system refused.
    #[error("cannot query the fleet: {0}")]
    System(#[from] std::io::Error),
}

/// A connection for queries of agents, for as long as it is kept.
#[derive(Debug)]
pub struct Roster {
    runtime: Runtime,
    client: Client,
    fleet: FleetId,
    names: Vec<AgentName>,
}

impl Roster {
    /// Opens a connection for the agents of this site.
    ///
    /// # Errors
    /// If there is no connection to the server.
    pub fn open(site: &FleetSite) -> Result<Roster, RosterQueryError> {
        let login = Login::of_controller(site)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let client = runtime.block_on(login.connect())?.client;
        let names = site.register().agents.iter().map(|member| member.name.clone()).collect();
        Ok(Roster { runtime, client, fleet: site.register().fleet.clone(), names })
    }

    /// Asks all agents for their presence and, on request, for their time.
    ///
    /// # Errors
    /// If the connection cannot send the request.
    pub fn look(&self, within: Duration, with_clocks: bool) -> Result<Vec<Expected>, RosterQueryError> {
        self.runtime.block_on(async {
            let seen = call(&self.client, &self.fleet, &self.names, within).await?;
            Ok(if with_clocks { clocks(&self.client, seen).await } else { seen })
        })
    }

    /// The missing ones of the directories that these agents will work in, as agent and path. An agent
    /// that does not answer, such as an older version, has no known missing directories.
    pub fn missing_directories(
        &self,
        wanted: &BTreeMap<AgentName, BTreeSet<PathBuf>>,
    ) -> Vec<(AgentName, PathBuf)> {
        let client = &self.client;
        let asked = stream::iter(wanted).map(|(name, paths)| async move {
            let asked = DirectoriesAsked(paths.iter().cloned().collect());
            let asked = serde_json::to_vec(&asked).unwrap_or_default();
            let answer = client.request(subject::ask(name, Question::Directories), asked.into());
            let answer = tokio::time::timeout(DIRECTORIES, answer).await.ok()?.ok()?;
            let DirectoriesMissing(missing) = serde_json::from_slice(&answer.payload).ok()?;
            // Ignore paths that were not asked about.
            let missing = missing.into_iter().filter(|path| paths.contains(path));
            Some(missing.map(|path| (name.clone(), path)).collect::<Vec<_>>())
        });
        let missing: Vec<_> = self.runtime.block_on(asked.buffered(AT_ONCE).collect());
        missing.into_iter().flatten().flatten().collect()
    }
}

/// Asks the agents of this site for their presence and, on request, for their time.
///
/// # Errors
/// If there is no connection to the server.
pub fn look(
    site: &FleetSite,
    within: Duration,
    with_clocks: bool,
) -> Result<Vec<Expected>, RosterQueryError> {
    Roster::open(site)?.look(within, with_clocks)
}
