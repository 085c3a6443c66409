//! `sock_diag`: each TCP connection to the target's server. See sock_diag(7).
//!
//! Kernels append fields to `struct tcp_info`: a field that a kernel lacks has no counter. The offsets
//! are those of `include/uapi/linux/tcp.h`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::put_on;
use crate::netlink::message::{attributes, u16_at, u32_at, u64_at};
use crate::sample::counter::{Layer, Look, Reading};

/// The type of the request, and of its replies.
pub const SOCK_DIAG_BY_FAMILY: u16 = 20;

/// At most this many connections are reported: those with the most data.
pub const CONNECTIONS_MAX: usize = 16;

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
const ESTABLISHED: u32 = 1 << 1;

/// Attributes of a reply: TCP's state, and the memory of the socket.
const INFO: u16 = 2;
const MEMORY: u16 = 7;

/// Offsets in the header of a reply: ports, addresses, unread data.
const LOCAL_PORT_AT: usize = 4;
const REMOTE_PORT_AT: usize = 6;
const REMOTE_ADDRESS_AT: usize = 24;
const RECEIVE_QUEUE_AT: usize = 56;
const HEAD: usize = 72;

/// Window scaling, among the options that both ends agreed on.
const OPTION_SCALING: u8 = 4;

/// The body of a request for the established TCP connections to an address.
pub fn question_for(server: IpAddr) -> Vec<u8> {
    let (family, address) = match server {
        IpAddr::V4(address) => (AF_INET, address.octets().to_vec()),
        IpAddr::V6(address) => (AF_INET6, address.octets().to_vec()),
    };
    let wanted = 1 << (INFO - 1) | 1 << (MEMORY - 1);
    let mut body = vec![family, IPPROTO_TCP, wanted, 0];
    body.extend(ESTABLISHED.to_ne_bytes());
    // Any ports, any addresses, any device, no cookie.
    body.extend([0; 48]);
    // The kernel filters out connections to other addresses, with a program of one condition: the remote
    // address. If it does not match, the program jumps beyond the end, which means no.
    let length = (4 + 8 + address.len()) as u8;
    let attribute_length = u16::from(length) + 4;
    body.extend(attribute_length.to_ne_bytes());
    body.extend(1_u16.to_ne_bytes());
    body.extend([8, length]);
    body.extend((u16::from(length) + 4).to_ne_bytes());
    body.extend([family, (address.len() * 8) as u8, 0, 0]);
    body.extend((-1_i32).to_ne_bytes());
    body.extend(address);
    body
}

/// The values of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The server and its port.
    remote: (IpAddr, u16),
    local_port: u16,
    receive_queue_bytes: u32,
    receive_buffer_bytes: Option<u32>,
    send_buffer_bytes: Option<u32>,
    tcp: Vec<u8>,
}

/// Parses a reply body; `None` if it is not a connection.
pub fn connection(body: &[u8]) -> Option<Connection> {
    let head = body.get(..HEAD)?;
    let port = |at| Some(u16::from_be(u16_at(head, at)?));
    let address = match head[0] {
        AF_INET => IpAddr::V4(Ipv4Addr::from(*head[REMOTE_ADDRESS_AT..].first_chunk::<4>()?)),
        AF_INET6 => IpAddr::V6(Ipv6Addr::from(*head[REMOTE_ADDRESS_AT..].first_chunk::<16>()?)),
        _ => return None,
    };
    let mut found = Connection {
        remote: (address, port(REMOTE_PORT_AT)?),
        local_port: port(LOCAL_PORT_AT)?,
        receive_queue_bytes: u32_at(head, RECEIVE_QUEUE_AT)?,
        receive_buffer_bytes: None,
        send_buffer_bytes: None,
        tcp: Vec::new(),
    };
    for (kind, value) in attributes(&body[HEAD..]) {
        match kind {
            INFO => found.tcp = value.to_vec(),
            // The used memory, then its limit; first for received data, then for data to be sent.
            MEMORY => {
                found.receive_buffer_bytes = u32_at(value, 4);
                found.send_buffer_bytes = u32_at(value, 12);
            }
            _ => {}
        }
    }
    Some(found)
}

impl Connection {
    /// Whether it leads to this server and port.
    pub fn leads_to(&self, server: IpAddr, ports: &[u16]) -> bool {
        self.remote.0 == server && (ports.is_empty() || ports.contains(&self.remote.1))
    }

    /// All data that arrived, in both directions: acknowledged by the server, and received from it.
    /// Repeated retransmissions do not count. `None` if the kernel is too old.
    pub fn arrived_bytes(&self) -> Option<u64> {
        Some(self.u64(120)?.saturating_add(self.u64(128)?))
    }

    /// The largest packet size of the path, according to TCP.
    pub fn path_mtu_bytes(&self) -> Option<u32> {
        self.u32(60).filter(|bytes| *bytes > 0)
    }

    /// All transferred data, in both directions.
    fn transferred_bytes(&self) -> u64 {
        self.u64(128).unwrap_or(0).saturating_add(self.u64(200).unwrap_or(0))
    }

    fn u32(&self, at: usize) -> Option<u32> {
        u32_at(&self.tcp, at)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        u64_at(&self.tcp, at)
    }

    /// `10.0.0.2:2049 from 41234`.
    fn name(&self) -> String {
        let (address, port) = self.remote;
        match address {
            IpAddr::V4(address) => format!("{address}:{port} from {}", self.local_port),
            IpAddr::V6(address) => format!("[{address}]:{port} from {}", self.local_port),
        }
    }

    fn put(&self, look: &mut Look) {
        let name = self.name();
        let readings = [self.totals(), self.levels()].concat();
        for (counter, reading) in readings {
            if let Some(reading) = reading {
                put_on(look, Layer::Network, counter, &name, reading);
            }
        }
    }

    /// The totals since the connection was made.
    fn totals(&self) -> Vec<(&'static str, Option<Reading>)> {
        let per_second = |total: Option<u64>| total.map(Reading::PerSecond);
        let of_time = |at| self.u64(at).map(Reading::PercentOfTime);
        let segments = |at| per_second(self.u32(at).map(u64::from));
        vec![
            ("connection_received_bytes_per_s", per_second(self.u64(128))),
            ("connection_sent_bytes_per_s", per_second(self.u64(200))),
            ("connection_retransmitted_bytes_per_s", per_second(self.u64(208))),
            ("connection_sent_twice_segments_per_s", segments(216)),
            ("connection_segments_received_per_s", segments(152)),
            ("connection_out_of_order_segments_per_s", segments(224)),
            ("connection_timeouts_per_s", per_second(u16_at(&self.tcp, 240).map(u64::from))),
            ("connection_busy_percent", of_time(168)),
            ("connection_window_limited_percent", of_time(176)),
            ("connection_send_buffer_limited_percent", of_time(184)),
        ]
    }

    fn levels(&self) -> Vec<(&'static str, Option<Reading>)> {
        let level = |value: Option<u32>| value.map(|value| Reading::Level(f64::from(value)));
        let segment = self.u32(16);
        let cwnd = self.u32(80).zip(segment).map(|(segments, bytes)| f64::from(segments) * f64::from(bytes));
        let is_scaled = self.tcp.get(5).map(|options| options & OPTION_SCALING != 0);
        // The kernel's bit fields of four bits: the order of the two halves depends on the host's byte
        // order.
        let shifts = self.tcp.get(6).filter(|_| is_scaled == Some(true));
        let (low, high) = (shifts.map(|byte| byte & 15), shifts.map(|byte| byte >> 4));
        let (peer, own) = if cfg!(target_endian = "little") { (low, high) } else { (high, low) };
        // The largest value of the shortest round trip means that nothing has been measured.
        let min_rtt = self.u32(148).filter(|us| *us != u32::MAX && *us > 0);
        vec![
            ("connection_rtt_us", level(self.u32(68).filter(|us| *us > 0))),
            ("connection_min_rtt_us", level(min_rtt)),
            ("connection_cwnd_bytes", cwnd.map(Reading::Level)),
            ("connection_mss_bytes", level(segment)),
            ("connection_path_mtu_bytes", level(self.path_mtu_bytes())),
            ("connection_delivery_bytes_per_s", self.u64(160).map(|rate| Reading::Level(rate as f64))),
            ("connection_peer_window_bytes", level(self.u32(228))),
            ("connection_window_bytes", level(self.u32(232))),
            ("connection_window_scaling", level(is_scaled.map(u32::from))),
            ("connection_peer_window_shift", level(peer.map(u32::from))),
            ("connection_window_shift", level(own.map(u32::from))),
            ("connection_receive_queue_bytes", level(Some(self.receive_queue_bytes))),
            ("connection_receive_buffer_bytes", level(self.receive_buffer_bytes)),
            ("connection_send_buffer_bytes", level(self.send_buffer_bytes)),
        ]
    }
}

/// Adds the counters of connections; with too many, those with the most data.
pub fn put(mut connections: Vec<Connection>, look: &mut Look) {
    connections.sort_by_key(|connection| std::cmp::Reverse(connection.transferred_bytes()));
    connections.iter().take(CONNECTIONS_MAX).for_each(|connection| connection.put(look));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 98, 0, 1));

    /// A reply in which every field of `tcp_info` contains its offset, so that all of them differ.
    fn answer(info_bytes: usize) -> Vec<u8> {
        let mut body = vec![0; HEAD];
        body[0] = AF_INET;
        body[LOCAL_PORT_AT..][..2].copy_from_slice(&41_234_u16.to_be_bytes());
        body[REMOTE_PORT_AT..][..2].copy_from_slice(&445_u16.to_be_bytes());
        body[REMOTE_ADDRESS_AT..][..4].copy_from_slice(&[10, 98, 0, 1]);
        body[RECEIVE_QUEUE_AT..][..4].copy_from_slice(&777_u32.to_ne_bytes());
        let mut info = vec![0; info_bytes];
        for at in (8..info_bytes.saturating_sub(3)).step_by(4) {
            info[at..][..4].copy_from_slice(&(at as u32).to_ne_bytes());
        }
        for at in [104, 112, 120, 128, 160, 168, 176, 184, 200, 208] {
            if at + 8 <= info_bytes {
                info[at..][..8].copy_from_slice(&(at as u64).to_ne_bytes());
            }
        }
        info[5] = OPTION_SCALING;
        info[6] = if cfg!(target_endian = "little") { 0x97 } else { 0x79 };
        body.extend((info.len() as u16 + 4).to_ne_bytes());
        body.extend(INFO.to_ne_bytes());
        body.extend(&info);
        body.extend([20, 0, MEMORY as u8, 0]);
        for value in [1, 5_000_000, 2, 87_040_u32] {
            body.extend(value.to_ne_bytes());
        }
        body
    }

    fn look_of(body: &[u8]) -> Look {
        let mut look = Look::new();
        put(connection(body).into_iter().collect(), &mut look);
        look
    }

    #[test]
    fn every_tcp_info_field_is_read_at_its_offset() {
        let look = look_of(&answer(248));
        all_known(&look);
        let name = "10.98.0.1:445 from 41234";
        for (counter, total) in [
            ("connection_received_bytes_per_s", 128),
            ("connection_sent_bytes_per_s", 200),
            ("connection_retransmitted_bytes_per_s", 208),
            ("connection_segments_received_per_s", 152),
            ("connection_sent_twice_segments_per_s", 216),
            ("connection_out_of_order_segments_per_s", 224),
            ("connection_timeouts_per_s", 240),
        ] {
            assert_eq!(reading(&look, counter, name), &Reading::PerSecond(total), "{counter}");
        }
        for (counter, level) in [
            ("connection_rtt_us", 68.0),
            ("connection_min_rtt_us", 148.0),
            ("connection_cwnd_bytes", 80.0 * 16.0),
            ("connection_mss_bytes", 16.0),
            ("connection_path_mtu_bytes", 60.0),
            ("connection_peer_window_bytes", 228.0),
            ("connection_window_bytes", 232.0),
            ("connection_window_scaling", 1.0),
            ("connection_peer_window_shift", 7.0),
            ("connection_window_shift", 9.0),
            ("connection_receive_queue_bytes", 777.0),
            ("connection_receive_buffer_bytes", 5e6),
            ("connection_send_buffer_bytes", 87_040.0),
        ] {
            assert_eq!(reading(&look, counter, name), &Reading::Level(level), "{counter}");
        }
        assert_eq!(reading(&look, "connection_window_limited_percent", name), &Reading::PercentOfTime(176));
    }

    #[test]
    fn field_missing_in_older_kernel_has_no_counter() {
        // Linux 4.9: the round trips, but not the sent data.
        let look = look_of(&answer(160));
        assert!(look.keys().any(|key| key.name == "connection_min_rtt_us"));
        assert!(!look.keys().any(|key| key.name == "connection_sent_bytes_per_s"), "{look:#?}");
        let mut unscaled = answer(248);
        unscaled[HEAD + 4 + 5] = 0;
        let look = look_of(&unscaled);
        assert_eq!(
            reading(&look, "connection_window_scaling", "10.98.0.1:445 from 41234"),
            &Reading::Level(0.0)
        );
        assert!(!look.keys().any(|key| key.name == "connection_window_shift"));
    }

    #[test]
    fn hostile_answers_are_read_only_to_their_end() {
        let whole = answer(248);
        for length in 0..whole.len() {
            look_of(&whole[..length]);
        }
        let mut strange = whole;
        strange[0] = 77;
        assert_eq!(connection(&strange), None);
        assert_eq!(connection(&[]), None);
    }

    #[test]
    fn connections_lead_to_a_server_and_a_port() {
        let found = connection(&answer(248)).unwrap();
        assert!(found.leads_to(SERVER, &[]) && found.leads_to(SERVER, &[139, 445]));
        assert!(!found.leads_to(SERVER, &[2049]));
        assert!(!found.leads_to(IpAddr::V4(Ipv4Addr::new(10, 98, 0, 2)), &[]));
    }

    #[test]
    fn busiest_connections_are_reported_if_there_are_too_many() {
        let one = connection(&answer(248)).unwrap();
        let many = (0..40_u16).map(|number| {
            let mut tcp = one.tcp.clone();
            tcp[128..136].copy_from_slice(&(u64::from(number) * 1_000_000).to_ne_bytes());
            Connection { local_port: number, tcp, ..one.clone() }
        });
        let mut look = Look::new();
        put(many.collect(), &mut look);
        let told = look.keys().filter(|key| key.name == "connection_rtt_us").count();
        assert_eq!(told, CONNECTIONS_MAX);
        assert!(look.keys().any(|key| key.device == "10.98.0.1:445 from 39"));
    }
}
