//! Measurements of the network on the controller's order: whether the agent's owner allows them, and the
//! agent's answers. An order that arrives again is answered again, but carried out once.
//!
//! Not here: the measurement ([`crate::throughput`]).

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reelgauge_machine::link::{self, LinkKind};
use reelgauge_machine::mount::Mount;
use tokio::sync::mpsc::UnboundedSender;

use crate::owner_limits::OwnerLimits;
use crate::throughput::messages::{NetworkOrder, NetworkState, Reception};
use crate::throughput::receive::{Terms, listen, receive};
use crate::throughput::send::send;
use crate::throughput::{CONNECTIONS_MAX, LONGEST};

/// The number of measurements to remember.
const REMEMBERED: usize = 512;
/// The largest number at the same time.
const AT_ONCE: usize = 256;
/// The time limit for finding this host's addresses.
const LOOK: Duration = Duration::from_secs(3);

/// A measurement by its name, whether this agent receives, and its state.
pub type NetworkNews = (String, bool, NetworkState);

/// An event of a measurement on this host, for the agent's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkSaid {
    /// A port is open.
    Listens { port: u16 },
    /// It is closed again.
    Closed { port: u16 },
    /// A connection that was refused.
    TurnedAway { from: SocketAddr, why: String },
    Sends {
        /// Sends to the first of these addresses that proves its identity.
        to: Vec<SocketAddr>,
    },
}

/// Settings of these measurements.
#[derive(Clone, Debug)]
pub struct NetworkTerms {
    pub limits: OwnerLimits,
    /// Set while a run is in progress, which nothing may disturb.
    pub at_work: Arc<AtomicBool>,
    /// Its roots: the addresses by which their servers see this host are reported to the sender.
    pub roots: Vec<PathBuf>,
    pub servers: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct NetworkDuty {
    terms: NetworkTerms,
    known: Arc<Mutex<VecDeque<NetworkNews>>>,
    news: UnboundedSender<NetworkNews>,
    say: UnboundedSender<NetworkSaid>,
}

impl NetworkDuty {
    /// Measurements for this agent; its results go to `news`.
    pub fn new(
        terms: NetworkTerms,
        news: UnboundedSender<NetworkNews>,
        say: UnboundedSender<NetworkSaid>,
    ) -> NetworkDuty {
        NetworkDuty { terms, known: Arc::default(), news, say }
    }

    /// Takes an order of the controller. Call it only within a runtime.
    pub fn order(&self, order: NetworkOrder) {
        let receives = matches!(order, NetworkOrder::NetworkReceive(_));
        let id = order.reception().id.clone();
        let busy = {
            let known = self.known();
            if let Some((_, _, state)) = known.iter().find(|(i, r, _)| *i == id && *r == receives) {
                let _ = self.news.send((id, receives, state.clone()));
                return;
            }
            known.iter().filter(|(_, _, state)| !state.is_over()).count() >= AT_ONCE
        };
        match self.allowed(order.reception(), busy) {
            Err(why) => self.tell(&id, receives, NetworkState::Failed { why }),
            Ok(terms) => {
                // Noted first: a repeated order would otherwise start it twice.
                let begun =
                    if receives { NetworkState::Listens { at: Vec::new() } } else { NetworkState::Sends };
                self.note(&id, receives, begun);
                let duty = self.clone();
                tokio::spawn(async move {
                    let state = match order {
                        NetworkOrder::NetworkReceive(_) => duty.receive(&id, &terms).await,
                        NetworkOrder::NetworkSend { to, .. } => duty.send(to, &terms).await,
                    };
                    let state = state.unwrap_or_else(|why| NetworkState::Failed { why });
                    duty.tell(&id, receives, state);
                });
            }
        }
    }

    /// The terms that the owner allows, or why nothing is allowed.
    fn allowed(&self, what: &Reception, is_busy: bool) -> Result<Terms, String> {
        let NetworkTerms { limits, at_work, .. } = &self.terms;
        let during = Duration::from_millis(what.for_ms);
        let is_longer = limits.duration_ns.is_some_and(|most| during.as_nanos() > u128::from(most));
        if limits.network_bytes_per_s == Some(0) {
            return Err("its owner forbids network measurements (--max-network 0B)".to_owned());
        }
        if is_longer || during.is_zero() || during > LONGEST {
            let most = limits.duration_ns.map_or(LONGEST, Duration::from_nanos).min(LONGEST);
            return Err(format!("{} ms is not allowed; use up to {} s", what.for_ms, most.as_secs_f64()));
        }
        if what.connections == 0 || what.connections > CONNECTIONS_MAX {
            return Err(format!("{} connections are not allowed", what.connections));
        }
        if at_work.load(Ordering::Relaxed) {
            return Err("a run is in progress on that host".to_owned());
        }
        if is_busy {
            return Err(format!(
                "it already takes part in {AT_ONCE} network measurements, the maximum. Try again later"
            ));
        }
        Ok(Terms {
            secret: what.secret.clone(),
            connections: what.connections,
            during,
            owner_bytes_per_s: limits.network_bytes_per_s,
            stop: Arc::clone(at_work),
        })
    }

    async fn receive(&self, id: &str, terms: &Terms) -> Result<NetworkState, String> {
        let failed = |error: std::io::Error| format!("it cannot listen: {error}");
        let own = tokio::task::spawn_blocking({
            let terms = self.terms.clone();
            move || own_addresses(&terms)
        });
        let own = tokio::time::timeout(LOOK, own).await.ok().and_then(Result::ok).unwrap_or_default();
        let listener = listen().await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        self.say(NetworkSaid::Listens { port });
        let at = own.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        self.tell(id, true, NetworkState::Listens { at });
        let refused = |from: SocketAddr, why: &str| {
            self.say(NetworkSaid::TurnedAway { from, why: why.to_owned() });
        };
        let received = receive(listener, terms, refused).await;
        self.say(NetworkSaid::Closed { port });
        received.map(NetworkState::Received)
    }

    async fn send(&self, to: Vec<SocketAddr>, terms: &Terms) -> Result<NetworkState, String> {
        self.say(NetworkSaid::Sends { to: to.clone() });
        let sent = send(&to, terms).await?;
        Ok(NetworkState::Sent { to: sent.to, owner_bytes_per_s: sent.owner_bytes_per_s })
    }

    fn say(&self, said: NetworkSaid) {
        // Without a receiver, this agent ends soon.
        let _ = self.say.send(said);
    }

    fn tell(&self, id: &str, receives: bool, state: NetworkState) {
        self.note(id, receives, state.clone());
        let _ = self.news.send((id.to_owned(), receives, state));
    }

    fn note(&self, id: &str, receives: bool, state: NetworkState) {
        let mut known = self.known();
        match known.iter_mut().find(|(i, r, _)| i == id && *r == receives) {
            Some((_, _, known)) => *known = state,
            None => known.push_back((id.to_owned(), receives, state)),
        }
        // The oldest one ended long ago.
        if known.len() > REMEMBERED {
            known.pop_front();
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, VecDeque<NetworkNews>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The oldest one ended long ago, so it can be forgotten.
fn own_addresses(terms: &NetworkTerms) -> Vec<IpAddr> {
    let storage = terms.roots.iter().filter_map(|root| match link::of(&Mount::at(root).ok()?).kind {
        LinkKind::Network { server_address, .. } => Some(SocketAddr::new(server_address, 9)),
        _ => None,
    });
    let fleet = terms.servers.iter().filter_map(|server| {
        let server = server.strip_prefix("tls://").unwrap_or(server);
        server.to_socket_addrs().ok()?.next()
    });
    let mut own = Vec::new();
    for address in storage.chain(fleet).filter_map(seen_from) {
        if !own.contains(&address) {
            own.push(address);
        }
    }
    own
}

/// This host's address on the path to that address. Nothing is sent: the system only looks up the route.
fn seen_from(there: SocketAddr) -> Option<IpAddr> {
    let any: IpAddr =
        if there.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(there).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;
    use crate::throughput::messages::OneTimeSecret;

    fn duty(limits: OwnerLimits, at_work: bool) -> (NetworkDuty, UnboundedReceiver<NetworkNews>) {
        let (news, came) = unbounded_channel();
        let at_work = Arc::new(AtomicBool::new(at_work));
        let servers = vec!["tls://127.0.0.1:4222".to_owned()];
        let terms = NetworkTerms { limits, at_work, roots: Vec::new(), servers };
        (NetworkDuty::new(terms, news, unbounded_channel().0), came)
    }

    fn what(connections: u32, for_ms: u64) -> Reception {
        Reception { id: "m".to_owned(), secret: OneTimeSecret::draw().unwrap(), connections, for_ms }
    }

    #[test]
    fn measurements_beyond_the_owners_limits_are_refused_without_opening_a_port() {
        let none = OwnerLimits { network_bytes_per_s: Some(0), ..OwnerLimits::default() };
        let short = OwnerLimits { duration_ns: Some(1_000_000), ..OwnerLimits::default() };
        let any = OwnerLimits::default();
        for (limits, at_work, what) in [
            (none, false, what(1, 100)),
            (short, false, what(1, 100)),
            (any, false, what(1, 10_001)),
            (any, false, what(0, 100)),
            (any, false, what(17, 100)),
            (any, false, what(1, 0)),
            (any, true, what(1, 100)),
        ] {
            let (duty, mut came) = duty(limits, at_work);
            for order in [
                NetworkOrder::NetworkReceive(what.clone()),
                NetworkOrder::NetworkSend { what: what.clone(), to: Vec::new() },
            ] {
                // There is no runtime, so any task that began would panic.
                duty.order(order);
                let (_, _, state) = came.try_recv().unwrap();
                assert!(matches!(state, NetworkState::Failed { .. }), "{limits:?} {what:?}");
            }
        }
    }

    #[test]
    fn a_repeated_order_is_carried_out_once_and_answered_twice() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (duty, mut came) = duty(OwnerLimits::default(), false);
            let order = NetworkOrder::NetworkReceive(what(1, 100));
            duty.order(order.clone());
            duty.order(order.clone());
            let mut ports = Vec::new();
            while ports.len() < 2 {
                let (_, _, state) = came.recv().await.unwrap();
                if let NetworkState::Listens { at } = state
                    && let Some(first) = at.first()
                {
                    ports.push(*first);
                    duty.order(order.clone());
                }
            }
            assert_eq!(ports[0], ports[1]);
            assert_eq!(ports[0].ip(), IpAddr::from(Ipv4Addr::LOCALHOST));
        });
    }
}
