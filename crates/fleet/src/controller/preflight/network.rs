//! Makes agents measure the network between them: draws a secret for each measurement, passes it to both
//! ends, and receives the results. Orders are repeated until they are answered.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use reelgauge_analysis::preflight::network::NetworkLine;
use tokio::time::Instant;

use super::PreflightError;
use crate::controller::roster::Expected;
use crate::envelope::Sealer;
use crate::fleet_site::agent_name::{AgentName, AgentSession};
use crate::fleet_site::subject;
use crate::throughput::COMES_WITHIN;
use crate::throughput::messages::{
    NetworkAnswer, NetworkOrder, NetworkState, OneTimeSecret, Received, Reception,
};

/// All reports of agents on measurements.
const FROM_ALL: &str = "fleet.event.*.network";
/// An order that is not answered is repeated after this time.
const AGAIN: Duration = Duration::from_millis(500);
/// How often to check for an interrupt.
const BEAT: Duration = Duration::from_millis(100);
/// How long to wait for a silent agent after the measurement.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long to try to send a message; after that it is sent again later.
const SEND_WITHIN: Duration = Duration::from_millis(500);

/// A sender and its receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub from: AgentName,
    pub to: AgentName,
    /// Likely addresses of the receiver.
    pub known: Vec<IpAddr>,
    pub is_only_there: bool,
}

/// Both ends of one measurement, as far as they have reported.
#[derive(Debug)]
struct Ends<'a> {
    pair: &'a Pair,
    what: Reception,
    receiver: Option<NetworkState>,
    sender: Option<NetworkState>,
}

impl Ends<'_> {
    fn places(&self) -> Option<Vec<SocketAddr>> {
        match &self.receiver {
            Some(NetworkState::Listens { at }) if !at.is_empty() => Some(self.pair.places(at)),
            _ => None,
        }
    }

    /// Whether the receiver listens, or never will.
    fn is_prepared(&self) -> bool {
        self.places().is_some() || self.receiver.as_ref().is_some_and(NetworkState::is_over)
    }

    fn failure(&self) -> Option<String> {
        let failed = |name: &AgentName, state: &Option<NetworkState>| match state {
            Some(NetworkState::Failed { why }) => Some(format!("{name}: {why}")),
            _ => None,
        };
        // A sender's failure explains best why nothing arrived.
        failed(&self.pair.from, &self.sender).or_else(|| failed(&self.pair.to, &self.receiver))
    }

    fn is_over(&self) -> bool {
        self.failure().is_some() || matches!(self.receiver, Some(NetworkState::Received(_)))
    }

    /// The next order, and the agent that it is for.
    fn order(&self, all_are_prepared: bool) -> Option<(&AgentName, NetworkOrder)> {
        let receive = || (&self.pair.to, NetworkOrder::NetworkReceive(self.what.clone()));
        match (self.places(), &self.sender) {
            _ if self.is_over() => None,
            (Some(_), None) if !all_are_prepared => None,
            (Some(to), None) => {
                Some((&self.pair.from, NetworkOrder::NetworkSend { what: self.what.clone(), to }))
            }
            // Repeating the order asks the receiver for its state.
            _ => Some(receive()),
        }
    }

    fn line(&self) -> NetworkLine {
        let mut line = NetworkLine {
            from: self.pair.from.to_string(),
            to: self.pair.to.to_string(),
            connections: self.what.connections,
            is_together: false,
            bytes_per_s: None,
            why_not: self.failure(),
            address: None,
            owner_bytes_per_s: None,
        };
        if let Some(NetworkState::Sent { to, owner_bytes_per_s }) = &self.sender {
            line.address = Some(to.ip().to_canonical().to_string());
            line.owner_bytes_per_s = *owner_bytes_per_s;
        }
        match &self.receiver {
            Some(NetworkState::Received(Received { bytes, elapsed_ns, owner_bytes_per_s, .. })) => {
                line.bytes_per_s = Some(*bytes as f64 / (*elapsed_ns as f64 / 1e9).max(1e-9));
                line.owner_bytes_per_s = line.owner_bytes_per_s.or(*owner_bytes_per_s);
                line.why_not = None;
            }
            _ if line.why_not.is_none() => {
                let silent = if self.receiver.is_none() { &self.pair.to } else { &self.pair.from };
                line.why_not = Some(format!("{silent} did not respond"));
            }
            _ => {}
        }
        line
    }
}

/// Orders agents to measure, and collects their results.
pub struct Asker<'a> {
    client: Client,
    sealer: Sealer,
    heard: Subscriber,
    /// For each agent: the session of its process, and the number of the last order for it.
    lives: BTreeMap<AgentName, (AgentSession, u64)>,
    wants_end: &'a AtomicBool,
}

impl<'a> Asker<'a> {
    /// An asker for these agents.
    ///
    /// # Errors
    /// If the server refuses the subscription.
    pub async fn new(
        client: Client,
        sealer: Sealer,
        seen: &[Expected],
        wants_end: &'a AtomicBool,
    ) -> Result<Asker<'a>, PreflightError> {
        let heard = client.subscribe(FROM_ALL).await?;
        let life = |expected: &Expected| {
            let [presence] = expected.present.as_slice() else { return None };
            Some((presence.agent.clone(), (presence.session.clone(), presence.last_order)))
        };
        Ok(Asker { client, sealer, heard, lives: seen.iter().filter_map(life).collect(), wants_end })
    }

    /// Measures all these pairs at the same time.
    ///
    /// # Errors
    /// If no secret can be drawn, or the user interrupted it.
    pub async fn measure(
        &mut self,
        pairs: &[Pair],
        connections: u32,
        each: Duration,
    ) -> Result<Vec<NetworkLine>, PreflightError> {
        let for_ms = u64::try_from(each.as_millis()).unwrap_or(u64::MAX);
        let mut all = Vec::new();
        for pair in pairs {
            let id = format!("{:016x}", reelgauge_runner::fresh_seed());
            let what = Reception { id, secret: OneTimeSecret::draw()?, connections, for_ms };
            all.push(Ends { pair, what, receiver: None, sender: None });
        }
        let until = Instant::now() + COMES_WITHIN + each + PATIENCE;
        let mut said: Option<Instant> = None;
        while Instant::now() < until && !all.iter().all(Ends::is_over) {
            if self.wants_end.load(Ordering::Relaxed) {
                return Err(PreflightError::Interrupted);
            }
            if said.is_none_or(|said| said.elapsed() >= AGAIN) {
                said = Some(Instant::now());
                let are_prepared = all.iter().all(Ends::is_prepared);
                for (agent, order) in all.iter().filter_map(|ends| ends.order(are_prepared)) {
                    self.tell(agent, &order).await;
                }
            }
            if let Ok(Some(message)) = tokio::time::timeout(BEAT, self.heard.next()).await
                && self.hear(&message, &mut all)
            {
                // Something changed: send the orders that follow at once.
                said = None;
            }
        }
        self.receive_address(&mut all).await;
        Ok(all.iter().map(Ends::line).collect())
    }

    /// A sender reports the address it used slightly later than the receiver reports its result.
    async fn receive_address(&mut self, all: &mut [Ends<'_>]) {
        let until = Instant::now() + 2 * AGAIN;
        let is_open = |ends: &Ends<'_>| {
            ends.failure().is_none() && !ends.sender.as_ref().is_some_and(NetworkState::is_over)
        };
        while all.iter().any(is_open) {
            let Ok(Some(message)) = tokio::time::timeout_at(until, self.heard.next()).await else { return };
            self.hear(&message, all);
        }
    }

    /// Takes a message; returns whether it changed anything.
    fn hear(&mut self, message: &Message, all: &mut [Ends<'_>]) -> bool {
        let name = message.subject.split('.').nth(2).unwrap_or_default();
        // Ignore messages that this version cannot parse.
        let Ok(answer) = serde_json::from_slice::<NetworkAnswer>(&message.payload) else { return false };
        let Some((agent, (life, number))) = self.lives.iter_mut().find(|(agent, _)| agent.as_str() == name)
        else {
            return false;
        };
        if *life != answer.life {
            return false;
        }
        *number = (*number).max(answer.opened);
        let is_whose = |ends: &&mut Ends<'_>| {
            let end = if answer.receives { &ends.pair.to } else { &ends.pair.from };
            ends.what.id == answer.id && end == agent
        };
        let Some(ends) = all.iter_mut().find(is_whose) else { return false };
        let known = if answer.receives { &mut ends.receiver } else { &mut ends.sender };
        // Ignore an answer that arrives after a newer one.
        if known.as_ref().is_some_and(NetworkState::is_over) || *known == Some(answer.state.clone()) {
            return false;
        }
        *known = Some(answer.state);
        true
    }

    async fn tell(&mut self, agent: &AgentName, order: &NetworkOrder) {
        let Some((life, number)) = self.lives.get_mut(agent) else { return };
        *number += 1;
        let body = serde_json::to_vec(order).unwrap_or_default();
        let Ok(sealed) = self.sealer.seal(agent, life, *number, &body) else { return };
        let sent = self.client.publish(subject::order(agent), sealed.into());
        let _ = tokio::time::timeout(SEND_WITHIN, sent).await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn pair() -> Pair {
        Pair { from: "a".parse().unwrap(), to: "b".parse().unwrap(), known: Vec::new(), is_only_there: false }
    }

    fn ends(pair: &Pair) -> Ends<'_> {
        let secret = OneTimeSecret::draw().unwrap();
        let what = Reception { id: "m".to_owned(), secret, connections: 4, for_ms: 500 };
        Ends { pair, what, receiver: None, sender: None }
    }

    fn listens(at: &[&str]) -> Option<NetworkState> {
        Some(NetworkState::Listens { at: at.iter().map(|at| at.parse().unwrap()).collect() })
    }

    #[test]
    fn no_agent_sends_before_all_receivers_listen() {
        let pair = pair();
        let mut ends = ends(&pair);
        let to_whom = |ends: &Ends<'_>, all| ends.order(all).map(|(agent, _)| agent.to_string());
        assert_eq!(to_whom(&ends, false).as_deref(), Some("b"));
        ends.receiver = listens(&[]);
        assert!(!ends.is_prepared(), "it has a port, and knows no address yet");
        ends.receiver = listens(&["10.0.0.1:9"]);
        assert!(ends.is_prepared());
        assert_eq!(to_whom(&ends, false), None);
        assert_eq!(to_whom(&ends, true).as_deref(), Some("a"));
        ends.sender = Some(NetworkState::Sends);
        assert_eq!(to_whom(&ends, true).as_deref(), Some("b"), "it is asked what came");
    }

    #[test]
    fn a_failed_measurement_has_a_reason_and_is_not_zero() {
        let pair = pair();
        let mut ends = ends(&pair);
        assert_eq!(ends.line().why_not.as_deref(), Some("b did not respond"));
        ends.receiver = listens(&["10.0.0.1:9"]);
        assert_eq!(ends.line().why_not.as_deref(), Some("a did not respond"));
        ends.sender = Some(NetworkState::Failed { why: "no way".to_owned() });
        assert!(ends.is_over());
        let line = ends.line();
        assert_eq!((line.why_not.as_deref(), line.bytes_per_s), (Some("a: no way"), None));
    }

    #[test]
    fn received_bytes_count_and_either_owner_may_be_the_limit() {
        let pair = pair();
        let mut ends = ends(&pair);
        ends.sender =
            Some(NetworkState::Sent { to: "[::ffff:10.0.0.1]:9".parse().unwrap(), owner_bytes_per_s: None });
        let received =
            Received { bytes: 1_000, elapsed_ns: 500_000_000, owner_bytes_per_s: Some(2_000), refused: 0 };
        ends.receiver = Some(NetworkState::Received(received));
        let line = ends.line();
        assert_eq!((line.bytes_per_s, line.owner_bytes_per_s), (Some(2_000.0), Some(2_000)));
        assert_eq!((line.address.as_deref(), line.why_not), (Some("10.0.0.1"), None));
    }
}
