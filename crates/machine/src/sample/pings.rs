//! Pings to the target's server during a run: the round trip of a short packet and, while its
//! connections hang, whether packets of the path's stated MTU get through at all.
//!
//! A short ping waits in the same queues as the data, and no program of the server has to answer it. So
//! the additional time under load is the network's. A switch with a smaller maximum packet size than
//! this host's silently drops the large packets. TCP then hangs, but short pings are answered; if the
//! path is cut, none are.
//!
//! A server that never answered a ping is not pinged any further. Lost long pings mean nothing for a
//! server that does not answer them while data is moving. Pings need root, or a group in
//! `net.ipv4.ping_group_range`; without these, there are no results.
//!
//! Not here: the packets ([`super::parse::echo`]), and the conclusions ([`super::parse::sockets`] shows
//! whether data moved; the analysis crate decides).

use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::sample::counter::{Layer, Look, Reading};
use crate::sample::parse::{echo, put};

/// How long a sample round waits for answers.
const PATIENCE: Duration = Duration::from_millis(300);

/// Short pings of a sample round, one after the other: the fastest of them waited only for the network.
const SHORT: usize = 3;

/// The payload of a short ping.
const SHORT_BYTES: usize = 24;

/// Sample rounds after which a server that has never answered is not pinged any more.
const UNANSWERED_LOOKS_MAX: u32 = 3;

/// Unanswered long pings while data was moving, after which they mean nothing.
const UNANSWERED_LONG_MAX: u64 = 3;

/// The state of the connections since the previous sample round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traffic {
    Data,
    /// No data moved, or next to none.
    Nothing,
    /// Unknown, or there are none.
    NotKnown,
}

/// Sends packets to one server and receives the answers.
pub(crate) trait Line {
    /// Sends a packet; returns whether that succeeded.
    fn send(&mut self, packet: &[u8]) -> bool;
    /// A packet that arrives within this time; `None` if there is none.
    fn receive(&mut self, within: Duration) -> Option<Vec<u8>>;
}

/// The pings of one run.
pub(crate) struct Pings<L> {
    line: L,
    is_ipv6: bool,
    identifier: u16,
    number: u16,
    /// Unanswered pings: the kind of each, by number.
    outstanding: Vec<(u16, Kind)>,
    unanswered_looks: u32,
    has_answered: bool,
    still: Counts,
    moving_long: (u64, u64),
}

/// The kind of a ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Short,
    ShortWhileStill,
    LongWhileStill,
    LongWhileMoving,
}

/// Counts of the sample rounds in which no data moved.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent: u64,
    short_answered: u64,
    long_answered: u64,
}

impl<L: Line> Pings<L> {
    #[cfg(any(test, target_os = "linux"))]
    pub(crate) fn over(line: L, server: IpAddr, identifier: u16) -> Pings<L> {
        Pings {
            line,
            is_ipv6: server.is_ipv6(),
            identifier,
            number: 0,
            outstanding: Vec::new(),
            unanswered_looks: 0,
            has_answered: false,
            still: Counts::default(),
            moving_long: (0, 0),
        }
    }

    /// Sends pings, waits briefly for the replies, and adds the results. `longest` is the payload of a
    /// long ping.
    pub(crate) fn look(&mut self, moved: Traffic, longest: Option<usize>, look: &mut Look) {
        while let Some(packet) = self.line.receive(Duration::ZERO) {
            self.take(&packet);
        }
        if !self.has_answered && self.unanswered_looks >= UNANSWERED_LOOKS_MAX {
            return;
        }
        let until = Instant::now() + PATIENCE;
        if let Some(longest) = longest.filter(|_| self.long_pings_are_evidence()) {
            self.send_long(moved, longest);
        }
        let quickest = self.quickest(until);
        // The reply to the long ping may arrive after the replies to the short ones.
        while self.awaits_a_long_one()
            && let Some(packet) = self.line.receive(until.saturating_duration_since(Instant::now()))
        {
            self.take(&packet);
        }
        self.unanswered_looks = if quickest.is_some() { 0 } else { self.unanswered_looks + 1 };
        if let Some(quickest) = quickest {
            put(look, Layer::Network, "ping_us", Reading::Level(quickest.as_secs_f64() * 1e6));
        }
        self.put_still(look);
    }

    /// Sends one long ping for each sample round in which no data moved, together with a short one. Some
    /// are also sent while data moves, until one of those was answered: this shows that the server
    /// answers long pings at all.
    fn send_long(&mut self, moved: Traffic, longest: usize) {
        match moved {
            Traffic::Nothing => {
                if self.send(Kind::LongWhileStill, longest) && self.send(Kind::ShortWhileStill, SHORT_BYTES) {
                    self.still.sent += 1;
                }
            }
            Traffic::Data if self.moving_long.1 == 0 && self.send(Kind::LongWhileMoving, longest) => {
                self.moving_long.0 += 1;
            }
            Traffic::Data | Traffic::NotKnown => {}
        }
    }

    /// Whether a lost long ping is evidence.
    fn long_pings_are_evidence(&self) -> bool {
        let (sent, answered) = self.moving_long;
        answered > 0 || sent < UNANSWERED_LONG_MAX
    }

    fn put_still(&self, look: &mut Look) {
        if !self.has_answered || !self.long_pings_are_evidence() {
            return;
        }
        let counts = [
            ("still_pings_per_s", self.still.sent),
            ("still_pings_answered_per_s", self.still.short_answered),
            ("still_long_pings_answered_per_s", self.still.long_answered),
        ];
        for (name, total) in counts {
            put(look, Layer::Network, name, Reading::PerSecond(total));
        }
    }

    /// The fastest of some short pings; `None` if the first one was not answered in time.
    fn quickest(&mut self, until: Instant) -> Option<Duration> {
        let mut quickest: Option<Duration> = None;
        for _ in 0..SHORT {
            let begun = Instant::now();
            if begun >= until || !self.send(Kind::Short, SHORT_BYTES) {
                break;
            }
            let number = self.number;
            let mut came = false;
            while !came {
                let left = until.saturating_duration_since(Instant::now());
                let Some(packet) = self.line.receive(left) else { break };
                came = self.take(&packet) == Some(number);
            }
            if !came {
                break;
            }
            let took = begun.elapsed();
            quickest = Some(quickest.map_or(took, |other| other.min(took)));
        }
        quickest
    }

    fn send(&mut self, kind: Kind, carried_bytes: usize) -> bool {
        self.number = self.number.wrapping_add(1);
        let went = self.line.send(&echo::request(self.is_ipv6, self.identifier, self.number, carried_bytes));
        if went {
            /// Older pings are lost.
            const REMEMBERED: usize = 64;
            if self.outstanding.len() == REMEMBERED {
                self.outstanding.remove(0);
            }
            self.outstanding.push((self.number, kind));
        }
        went
    }

    fn awaits_a_long_one(&self) -> bool {
        let is_new = |number: u16| self.number.wrapping_sub(number) <= SHORT as u16 + 1;
        let is_long = |kind: Kind| matches!(kind, Kind::LongWhileStill | Kind::LongWhileMoving);
        self.outstanding.iter().any(|(number, kind)| is_long(*kind) && is_new(*number))
    }

    /// Takes a received packet; returns the number of the ping that it answers.
    fn take(&mut self, packet: &[u8]) -> Option<u16> {
        let (identifier, number) = echo::answer(self.is_ipv6, packet)?;
        let at = self.outstanding.iter().position(|(sent, _)| *sent == number)?;
        if identifier != self.identifier && self.identifier != 0 {
            return None;
        }
        let (_, kind) = self.outstanding.remove(at);
        self.has_answered = true;
        match kind {
            Kind::Short => {}
            Kind::ShortWhileStill => self.still.short_answered += 1,
            Kind::LongWhileStill => self.still.long_answered += 1,
            Kind::LongWhileMoving => self.moving_long.1 += 1,
        }
        Some(number)
    }
}

#[cfg(target_os = "linux")]
mod socket {
    //! A socket for pings.

    use std::net::{IpAddr, SocketAddr};
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use rustix::io;
    use rustix::net::sockopt::{self, Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, Timeout};
    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, ipproto, recv, send,
        socket_with,
    };

    use super::Line;

    /// More than the size of any expected packet.
    const RECEIVED_BYTES: usize = 16 << 10;

    /// The server at the other end.
    #[derive(Debug)]
    pub(crate) struct PingSocket {
        socket: OwnedFd,
        buffer: Vec<u8>,
        /// Whether the kernel assigns its own identifier to the requests, and passes on only their
        /// answers.
        pub(crate) has_own_identifier: bool,
    }

    impl PingSocket {
        /// A socket for this server, if this process may open one.
        pub(crate) fn to(server: IpAddr) -> io::Result<PingSocket> {
            let (family, protocol) = match server {
                IpAddr::V4(_) => (AddressFamily::INET, ipproto::ICMP),
                IpAddr::V6(_) => (AddressFamily::INET6, ipproto::ICMPV6),
            };
            let open = |kind| socket_with(family, kind, SocketFlags::CLOEXEC, Some(protocol));
            let (socket, has_own_identifier) = match open(SocketType::DGRAM) {
                Ok(socket) => (socket, true),
                Err(_) => (open(SocketType::RAW)?, false),
            };
            // Never fragmented: packets above the known path MTU are rejected here.
            match server {
                IpAddr::V4(_) => sockopt::set_ip_mtu_discover(&socket, Ipv4PathMtuDiscovery::DO)?,
                IpAddr::V6(_) => sockopt::set_ipv6_mtu_discover(&socket, Ipv6PathMtuDiscovery::DO)?,
            }
            connect(&socket, &SocketAddr::new(server, 0))?;
            Ok(PingSocket { socket, buffer: vec![0; RECEIVED_BYTES], has_own_identifier })
        }
    }

    impl Line for PingSocket {
        fn send(&mut self, packet: &[u8]) -> bool {
            send(&self.socket, packet, SendFlags::DONTWAIT).is_ok()
        }

        fn receive(&mut self, within: Duration) -> Option<Vec<u8>> {
            let flags = if within.is_zero() { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
            if !within.is_zero() {
                // Less than a microsecond would mean no limit.
                let within = within.max(Duration::from_micros(1));
                sockopt::set_socket_timeout(&self.socket, Timeout::Recv, Some(within)).ok()?;
            }
            let (_, length) = recv(&self.socket, &mut self.buffer[..], flags).ok()?;
            Some(self.buffer[..length.min(RECEIVED_BYTES)].to_vec())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod socket {
    //! On other systems nothing is sampled, so nothing is pinged.

    use std::time::Duration;

    use super::Line;

    #[derive(Debug)]
    pub(crate) enum PingSocket {}

    impl Line for PingSocket {
        fn send(&mut self, _packet: &[u8]) -> bool {
            match *self {}
        }

        fn receive(&mut self, _within: Duration) -> Option<Vec<u8>> {
            match *self {}
        }
    }
}

pub(crate) use socket::PingSocket;

impl Pings<PingSocket> {
    /// Pings for this server, if this process may send them.
    #[cfg(target_os = "linux")]
    pub(crate) fn to(server: IpAddr) -> Option<Pings<PingSocket>> {
        let socket = PingSocket::to(server).ok()?;
        let identifier = if socket.has_own_identifier { 0 } else { std::process::id() as u16 | 1 };
        Some(Pings::over(socket, server, identifier))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn to(_server: IpAddr) -> Option<Pings<PingSocket>> {
        None
    }
}

impl<L> std::fmt::Debug for Pings<L> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pings").field("still", &self.still).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    /// A simulated server that answers packets up to this size, if any.
    struct SimulatedServer {
        longest: usize,
        waiting: Vec<Vec<u8>>,
        sent: usize,
    }

    impl Line for SimulatedServer {
        fn send(&mut self, packet: &[u8]) -> bool {
            self.sent += 1;
            if packet.len() <= self.longest {
                let mut answer = packet.to_vec();
                answer[0] = 0;
                self.waiting.push(answer);
            }
            true
        }

        fn receive(&mut self, _within: Duration) -> Option<Vec<u8>> {
            (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
        }
    }

    fn pings(longest: usize) -> Pings<SimulatedServer> {
        Pings::over(SimulatedServer { longest, waiting: Vec::new(), sent: 0 }, SERVER, 7)
    }

    /// The total of a counter; `None` if there is none.
    fn total(look: &Look, name: &str) -> Option<u64> {
        look.iter().find(|(key, _)| key.name == name).and_then(|(_, reading)| match reading {
            Reading::PerSecond(total) => Some(*total),
            _ => None,
        })
    }

    /// Long pings sent while no data moved, and the answers of each kind, after these sample rounds.
    fn standstill_counts(pings: &mut Pings<SimulatedServer>, looks: &[Traffic]) -> Option<(u64, u64, u64)> {
        let mut last = Look::new();
        for moved in looks {
            last = Look::new();
            pings.look(*moved, Some(8_972), &mut last);
        }
        crate::sample::parse::testing::all_known(&last);
        let of = |name| total(&last, name);
        Some((
            of("still_pings_per_s")?,
            of("still_pings_answered_per_s")?,
            of("still_long_pings_answered_per_s")?,
        ))
    }

    #[test]
    fn dropped_large_packets_are_distinguished_from_cut_and_healthy_paths() {
        use Traffic::{Data, Nothing};
        let mut sound = pings(9_000);
        assert_eq!(standstill_counts(&mut sound, &[Data, Nothing, Nothing, Nothing]), Some((3, 3, 3)));
        let mut swallowing = pings(1_480);
        assert_eq!(standstill_counts(&mut swallowing, &[Nothing, Nothing, Nothing]), Some((3, 3, 0)));
        // The path is cut: no ping is answered.
        let mut cut = pings(0);
        assert_eq!(standstill_counts(&mut cut, &[Nothing, Nothing, Nothing]), None);
        let (sent, mut look) = (cut.line.sent, Look::new());
        cut.look(Nothing, Some(8_972), &mut look);
        assert_eq!(cut.line.sent, sent, "it is left alone");
        // Healthy at first, cut later: that is detected, and not mistaken for dropped large packets.
        let mut later = pings(9_000);
        standstill_counts(&mut later, &[Data]);
        later.line.longest = 0;
        assert_eq!(standstill_counts(&mut later, &[Nothing, Nothing, Nothing]), Some((3, 0, 0)));
    }

    #[test]
    fn server_that_never_answers_long_pings_gives_no_evidence() {
        use Traffic::{Data, Nothing};
        let mut filtering = pings(1_480);
        assert_eq!(standstill_counts(&mut filtering, &[Data, Data, Data, Nothing, Nothing]), None);
        // Without known connections there are no long pings.
        let mut blind = pings(9_000);
        assert_eq!(standstill_counts(&mut blind, &[Traffic::NotKnown; 4]), Some((0, 0, 0)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn loopback_answers_pings() {
        let Some(mut pings) = Pings::to(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST)) else {
            return;
        };
        let mut look = Look::new();
        pings.look(Traffic::Nothing, Some(1_472), &mut look);
        assert!(look.keys().any(|key| key.name == "ping_us"), "{look:?}");
        assert_eq!(total(&look, "still_long_pings_answered_per_s"), Some(1), "{look:?}");
    }
}
