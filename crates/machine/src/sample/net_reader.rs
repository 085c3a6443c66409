//! One sample round of netlink: the connections to the target's server, queues and cards. And of the
//! network path, by a few pings ([`crate::sample::pings`]).
//!
//! If a kernel, a container or a sandbox does not answer, that is reported once, and not tried again.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::packet_overhead;

use crate::netlink::{Family, ask, ethtool};
use crate::sample::counter::Look;
use crate::sample::parse::sockets::Connection;
use crate::sample::parse::{cards, pause_frames, queues, sockets};
use crate::sample::pings::{PingSocket, Pings, Traffic};

/// Queues and cards are read only every few sample rounds: they show faults, and hosts with containers
/// have hundreds of them.
const INTERFACES_MAX: usize = 64;

/// Connections count as hung if less arrives between two sample rounds: a request or two, and
/// keepalives.
const STILL_BYTES: u64 = 8_192;

/// Sample rounds in quicker succession cannot show that connections hang.
const STILL_FOR: Duration = Duration::from_millis(700);

/// The largest packet of a network; that of the loopback interface is larger.
const PACKET_BYTES_MAX: u32 = 9_216;

#[derive(Debug)]
pub struct NetReader {
    server: Option<IpAddr>,
    ports: Vec<u16>,
    pings: Option<Pings<PingSocket>>,
    /// The bytes that had arrived over all connections, and the time.
    arrived: Option<(Instant, u64)>,
    /// The number of ethtool's family; requested in the first sample round, and `None` if there is none.
    ethtool: Option<Option<u16>>,
    /// Queries without an answer, and why.
    unread: BTreeMap<&'static str, String>,
}

impl NetReader {
    /// Samples the connections to this server at one of these ports, or at any port if the list is
    /// empty.
    pub fn new(server: Option<IpAddr>, ports: Vec<u16>) -> NetReader {
        let pings = server.and_then(Pings::to);
        NetReader { server, ports, pings, arrived: None, ethtool: None, unread: BTreeMap::new() }
    }

    /// Queries that failed, and why.
    pub fn unread(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.unread.iter().map(|(what, why)| (*what, why.as_str()))
    }

    pub fn look(&mut self, look: &mut Look) {
        if let Some(server) = self.server {
            let mut found = Vec::new();
            let question = sockets::question_for(server);
            self.ask(
                "TCP connections",
                (Family::Sockets, sockets::SOCK_DIAG_BY_FAMILY),
                &question,
                &mut |body| {
                    found.extend(sockets::connection(body));
                },
            );
            found.retain(|connection| connection.leads_to(server, &self.ports));
            self.ping(server, &found, look);
            sockets::put(found, look);
        }
        let mut found = Vec::new();
        self.ask("interfaces", (Family::Route, cards::GET_CARDS), &cards::EVERY_CARD, &mut |body| {
            found.extend(cards::card(body));
        });
        found.truncate(INTERFACES_MAX);
        found.iter().for_each(|card| cards::put(card, look));
        self.pauses(look);
        let mut found_queues = Vec::new();
        self.ask("sending queues", (Family::Route, queues::GET_QUEUES), &queues::EVERY_QUEUE, &mut |body| {
            found_queues.extend(queues::queue(body));
        });
        for queue in &found_queues {
            if let Some(card) = found.iter().find(|card| card.number == queue.interface) {
                queues::put(queue, &card.name, look);
            }
        }
    }

    /// Pause frames. Older kernels do not count them, and cards of virtual machines have none: neither
    /// is a fault.
    fn pauses(&mut self, look: &mut Look) {
        let Some(family) = *self.ethtool.get_or_insert_with(ethtool::family) else { return };
        let mut found = Vec::new();
        let answer =
            ethtool::ask_pauses(family, &mut |name, body| found.extend(pause_frames::pauses(name, body)));
        if answer.is_err() {
            self.ethtool = Some(None);
        }
        found.iter().take(INTERFACES_MAX).for_each(|one| pause_frames::put(one, look));
    }

    fn ping(&mut self, server: IpAddr, connections: &[Connection], look: &mut Look) {
        let moved = self.moved(connections);
        let longest = connections.iter().filter_map(Connection::path_mtu_bytes).max();
        let longest = longest.filter(|bytes| *bytes <= PACKET_BYTES_MAX);
        let longest = longest
            .map(|mtu_bytes| packet_overhead::longest_echo_bytes(mtu_bytes, server.is_ipv6()) as usize);
        if let Some(pings) = &mut self.pings {
            pings.look(moved, longest, look);
        }
    }

    /// Whether data moved on the connections since the last sample round. A connection that was opened
    /// or closed in between counts as movement.
    fn moved(&mut self, connections: &[Connection]) -> Traffic {
        let arrived: Option<u64> = connections.iter().map(Connection::arrived_bytes).sum();
        let Some(arrived) = arrived.filter(|_| !connections.is_empty()) else {
            self.arrived = None;
            return Traffic::NotKnown;
        };
        match self.arrived {
            Some((at, _)) if at.elapsed() < STILL_FOR => Traffic::NotKnown,
            before => {
                self.arrived = Some((Instant::now(), arrived));
                match before.map(|(_, before)| arrived.abs_diff(before)) {
                    None => Traffic::NotKnown,
                    Some(bytes) if bytes < STILL_BYTES => Traffic::Nothing,
                    Some(_) => Traffic::Data,
                }
            }
        }
    }

    fn ask(
        &mut self,
        what: &'static str,
        (family, kind): (Family, u16),
        question: &[u8],
        take: &mut dyn FnMut(&[u8]),
    ) {
        if self.unread.contains_key(what) {
            return;
        }
        if let Err(error) = ask(family, kind, question, &mut |message| take(message.body)) {
            self.unread.insert(what, error.to_string());
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::sample::counter::Reading;
    use crate::sample::parse::testing::all_known;

    #[test]
    fn local_connection_is_sampled_with_its_bytes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        client.write_all(&[7; 100_000]).unwrap();
        server.read_exact(&mut [0; 100_000]).unwrap();
        let mut reader = NetReader::new(Some("127.0.0.1".parse().unwrap()), vec![port]);
        let mut look = Look::new();
        reader.look(&mut look);
        assert_eq!(reader.unread().count(), 0, "{:?}", reader.unread);
        all_known(&look);
        let sent = look.iter().find(|(key, _)| key.name == "connection_sent_bytes_per_s");
        let (key, sent) = sent.unwrap_or_else(|| panic!("no connection in {look:#?}"));
        assert_eq!(sent, &Reading::PerSecond(100_000));
        assert!(key.device.starts_with(&format!("127.0.0.1:{port} from ")), "{}", key.device);
        assert!(look.keys().any(|key| key.name == "rx_overruns_per_s" && key.device == "lo"), "{look:#?}");
        let mut elsewhere = NetReader::new(Some("127.0.0.2".parse().unwrap()), vec![port]);
        let mut look = Look::new();
        elsewhere.look(&mut look);
        assert!(!look.keys().any(|key| key.name.starts_with("connection_")), "{look:#?}");
    }
}
