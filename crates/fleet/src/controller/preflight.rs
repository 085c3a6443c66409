//! Checks the agents of a plan before anything is measured: how their hosts differ ([`siblings`]), the
//! rate of the network between them ([`network`]), and whether their caches could hide the storage.
//!
//! It loads only the network, and only on request; it does not touch storage.
//!
//! Not here: what follows from it ([`reelgauge_analysis::preflight`]), sentences (report).

pub mod network;
pub mod siblings;

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jiff::Timestamp;
use reelgauge_analysis::preflight::caches::{CacheLine, caches};
use reelgauge_analysis::preflight::differences::differences;
use reelgauge_analysis::preflight::network::{NetworkFindings, NetworkLine};
use reelgauge_analysis::preflight::{PREFLIGHT_VERSION, Preflight};
use reelgauge_record::run_dir::{RunDirError, write_atomically};

use super::fleet_plan::Placed;
use super::roster::{Expected, RosterError, call};
use crate::agent::presence::Presence;
use crate::connection::{ConnectionError, Login};
use crate::envelope::Sealer;
use crate::fleet_site::agent_name::AgentName;
use crate::fleet_site::directory::{FleetSite, FleetSiteError};
use network::{Asker, Pair};

/// The name of the file with the results in a run's directory.
pub const PREFLIGHT_FILE: &str = "preflight.json";
/// A longer file is not read.
const FILE_MAX_BYTES: u64 = 16 << 20;
/// The numbers of parallel connections, with one measurement each.
const CONNECTIONS: [u32; 2] = [1, 4];

#[derive(Clone, Debug)]
pub struct PreflightRequest {
    /// The tasks of each run and its name; no name if it is the only run.
    pub runs: Vec<(Option<String>, Vec<Placed>)>,
    /// The observers: their presence is checked, too.
    pub observers: Vec<AgentName>,
    /// How long an agent may take to answer.
    pub within: Duration,
    /// How to measure the network, or why it is not measured.
    pub network: Result<NetworkRequest, String>,
}

/// How the network is measured.
#[derive(Clone, Debug)]
pub struct NetworkRequest {
    /// The duration of each measurement.
    pub each: Duration,
    /// All agents send to this one; without it, each sends to the next.
    pub peer: Option<AgentName>,
    /// Its address, if it cannot know that itself.
    pub peer_address: Option<IpAddr>,
}

/// Why nothing can be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PreflightError {
    /// There is no connection.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The site's keys can't be read.
    #[error(transparent)]
    Site(#[from] FleetSiteError),
    /// Agents cannot be queried.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The server does not permit the controller to receive messages.
    #[error("the controller cannot receive messages from the fleet's server: {0}")]
    Subscribe(#[from] async_nats::SubscribeError),
    /// No secret can be drawn.
    #[error("the system provides no random numbers ({0}), which the measurement needs for its secret")]
    Random(#[from] getrandom::Error),
    /// The system refused.
    #[error("cannot check the fleet: {0}")]
    System(#[from] std::io::Error),
    /// The user interrupted it.
    #[error("interrupted; no results were stored")]
    Interrupted,
}

/// Carries out the checks. `say` receives the name of each measurement; once `wants_end` is set, it
/// returns and all measurements end within seconds.
///
/// # Errors
/// If there is no connection, or no measurement can begin at all.
pub fn preflight(
    site: &FleetSite,
    request: &PreflightRequest,
    wants_end: &AtomicBool,
    say: impl FnMut(&Pair, u32),
) -> Result<Preflight, PreflightError> {
    let login = Login::of_controller(site)?;
    let sealer = Sealer::new(site.controller_keys()?.seal, site.register().fleet.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let found = runtime.block_on(async {
        let connection = login.connect().await?;
        let names = names(request);
        let seen = call(&connection.client, &site.register().fleet, &names, request.within).await?;
        let asker = Asker::new(connection.client.clone(), sealer, &seen, wants_end).await?;
        look(request, &seen, asker, say).await
    });
    runtime.shutdown_background();
    found
}

/// All agents of the plan, and those that they send to.
fn names(request: &PreflightRequest) -> Vec<AgentName> {
    let placed = request.runs.iter().flat_map(|(_, placed)| placed);
    let mut names: Vec<AgentName> = placed.filter_map(|placed| placed.part.agent.parse().ok()).collect();
    names.extend(request.network.as_ref().ok().and_then(|network| network.peer.clone()));
    names.extend(request.observers.iter().cloned());
    names.sort();
    names.dedup();
    names
}

async fn look(
    request: &PreflightRequest,
    seen: &[Expected],
    mut asker: Asker<'_>,
    say: impl FnMut(&Pair, u32),
) -> Result<Preflight, PreflightError> {
    let first = request.runs.first().map(|(_, placed)| placed.as_slice()).unwrap_or_default();
    let clients: Vec<&Presence> = first.iter().filter_map(|placed| one(seen, &placed.part.agent)).collect();
    let name = |expected: &Expected| expected.name.to_string();
    let traits: Vec<_> = first
        .iter()
        .filter_map(|placed| Some(siblings::traits(one(seen, &placed.part.agent)?, placed)))
        .collect();
    let cache = |(step, placed): &(Option<String>, Vec<Placed>)| {
        let readers: Vec<_> = placed
            .iter()
            .filter_map(|placed| siblings::reader(one(seen, &placed.part.agent)?, placed))
            .collect();
        (!readers.is_empty()).then(|| caches(step.clone(), &readers))
    };
    let network = match &request.network {
        Err(why) => NetworkFindings { why_not: Some(why.clone()), ..NetworkFindings::default() },
        Ok(network) => measure(network, &clients, seen, &mut asker, say).await?,
    };
    let is_there = |expected: &&Expected| !expected.present.is_empty();
    Ok(Preflight {
        preflight_version: PREFLIGHT_VERSION,
        at: Timestamp::now().to_string(),
        agents: seen.iter().filter(is_there).map(name).collect(),
        not_there: seen.iter().filter(|expected| expected.present.is_empty()).map(name).collect(),
        differences: differences(&traits),
        network,
        caches: each_once(request.runs.iter().filter_map(cache).collect()),
    })
}

/// Repetitions of a step read the same files.
fn each_once(all: Vec<CacheLine>) -> Vec<CacheLine> {
    let mut once: Vec<CacheLine> = Vec::new();
    for line in all {
        if !once.iter().any(|known| CacheLine { step: line.step.clone(), ..known.clone() } == line) {
            once.push(line);
        }
    }
    once
}

/// The one process of an agent. If there are two, it is unknown which will do the work.
fn one<'a>(seen: &'a [Expected], name: &str) -> Option<&'a Presence> {
    let expected = seen.iter().find(|expected| expected.name.as_str() == name)?;
    match expected.present.as_slice() {
        [presence] => Some(presence),
        _ => None,
    }
}

/// Each agent alone, one after the other, then all at once.
async fn measure(
    request: &NetworkRequest,
    clients: &[&Presence],
    seen: &[Expected],
    asker: &mut Asker<'_>,
    mut say: impl FnMut(&Pair, u32),
) -> Result<NetworkFindings, PreflightError> {
    let pairs = match pairs(request, clients, seen) {
        Ok(pairs) => pairs,
        Err(why) => return Ok(NetworkFindings { why_not: Some(why), ..NetworkFindings::default() }),
    };
    let mut lines: Vec<NetworkLine> = Vec::new();
    for pair in &pairs {
        for connections in CONNECTIONS {
            say(pair, connections);
            lines.extend(asker.measure(std::slice::from_ref(pair), connections, request.each).await?);
        }
    }
    if pairs.len() > 1 {
        for connections in CONNECTIONS {
            let at_once = asker.measure(&pairs, connections, request.each).await?;
            lines.extend(at_once.into_iter().map(|line| NetworkLine { is_together: true, ..line }));
        }
    }
    Ok(NetworkFindings { why_not: None, each_s: request.each.as_secs_f64(), lines })
}

/// The pairs of sender and receiver, or why there are none.
fn pairs(request: &NetworkRequest, clients: &[&Presence], seen: &[Expected]) -> Result<Vec<Pair>, String> {
    if let Some(peer) = &request.peer {
        let there = one(seen, peer.as_str()).ok_or_else(|| {
            format!("the receiver {peer} is not connected, or several agents have its name")
        })?;
        let clients = clients.iter().filter(|client| client.agent != *peer);
        let pair = |client: &&Presence| {
            // If the peer is the server itself, its clients know it by another address than it does.
            let servers = client.roots.iter().filter_map(|root| Some(root.way.as_ref()?.server));
            let known = request.peer_address.map_or_else(|| servers.collect(), |address| vec![address]);
            Pair {
                from: client.agent.clone(),
                to: there.agent.clone(),
                known,
                is_only_there: request.peer_address.is_some(),
            }
        };
        let pairs: Vec<Pair> = clients.map(pair).collect();
        return if pairs.is_empty() {
            Err(format!("no agent other than {peer} is present"))
        } else {
            Ok(pairs)
        };
    }
    if clients.len() < 2 {
        return Err(
            "there is no second agent to send to. Run one on the server, and name it with --peer".to_owned()
        );
    }
    let next = clients.iter().cycle().skip(1);
    let pair = |(from, to): (&&Presence, &&Presence)| Pair {
        from: from.agent.clone(),
        to: to.agent.clone(),
        known: Vec::new(),
        is_only_there: false,
    };
    Ok(clients.iter().zip(next).map(pair).collect())
}

impl Pair {
    /// The addresses to send to, the likeliest first, if the receiver listens at these addresses.
    pub(super) fn places(&self, own: &[SocketAddr]) -> Vec<SocketAddr> {
        let Some(port) = own.first().map(SocketAddr::port) else { return Vec::new() };
        let mut places: Vec<SocketAddr> =
            self.known.iter().map(|address| SocketAddr::new(*address, port)).collect();
        if !self.is_only_there {
            places.extend(own);
        }
        let mut once = Vec::new();
        for place in places {
            if !once.contains(&place) {
                once.push(place);
            }
        }
        once
    }
}

/// Writes the results to a directory.
///
/// # Errors
/// If it can't be written.
pub fn keep_in(dir: &Path, found: &Preflight) -> Result<(), RunDirError> {
    let path = dir.join(PREFLIGHT_FILE);
    let text = serde_json::to_vec_pretty(found)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &text)
}

/// The results in a directory, if there are any.
pub fn kept_in(dir: &Path) -> Option<Preflight> {
    let path = dir.join(PREFLIGHT_FILE);
    let is_small = fs::metadata(&path).is_ok_and(|meta| meta.len() <= FILE_MAX_BYTES);
    let text = is_small.then(|| fs::read(&path).ok()).flatten()?;
    let found: Preflight = serde_json::from_slice(&text).ok()?;
    (found.preflight_version == PREFLIGHT_VERSION).then_some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn pair(known: &[&str], is_only_there: bool) -> Pair {
        let known = known.iter().map(|address| address.parse().unwrap()).collect();
        Pair { from: "a".parse().unwrap(), to: "b".parse().unwrap(), known, is_only_there }
    }

    #[test]
    fn the_likeliest_address_is_tried_first_and_each_once() {
        let own: Vec<SocketAddr> =
            ["10.0.0.2:7", "10.1.0.2:7"].iter().map(|address| address.parse().unwrap()).collect();
        let places = |pair: &Pair| pair.places(&own).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(places(&pair(&[], false)), ["10.0.0.2:7", "10.1.0.2:7"]);
        assert_eq!(places(&pair(&["10.1.0.2"], false)), ["10.1.0.2:7", "10.0.0.2:7"]);
        assert_eq!(places(&pair(&["10.9.0.2"], true)), ["10.9.0.2:7"]);
        assert!(pair(&["10.9.0.2"], true).places(&[]).is_empty(), "it does not listen yet");
    }

    #[test]
    fn only_a_valid_preflight_file_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(kept_in(dir.path()), None);
        let found = Preflight {
            preflight_version: PREFLIGHT_VERSION,
            at: "2026-11-26T04:00:00Z".to_owned(),
            agents: vec!["a".to_owned()],
            not_there: Vec::new(),
            differences: Vec::new(),
            network: NetworkFindings::default(),
            caches: Vec::new(),
        };
        keep_in(dir.path(), &found).unwrap();
        assert_eq!(kept_in(dir.path()), Some(found));
        fs::write(dir.path().join(PREFLIGHT_FILE), b"{}").unwrap();
        assert_eq!(kept_in(dir.path()), None);
    }
}
