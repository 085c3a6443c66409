//! Was the local host's TCP send buffer too small for the network path? The kernel reports how long it
//! waited for space in it, but only while the congestion window had room and the queue was empty. So the
//! connection itself is checked, too: the bytes in flight (rate × round trip) fill most of the send
//! buffer, and are far below the congestion window and the server's window.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::{Connection, LimitInput};

/// Share of the time with data to send, in percent.
const LIMITED_PERCENT: f64 = 20.0;

/// Share of the send buffer that is in flight if the buffer is the limit, in percent. The kernel lets a
/// sender continue when a third of it is free, and its overhead counts in addition to the data. A buffer
/// with automatic size is at least twice the congestion window.
const IN_FLIGHT_PERCENT: f64 = 33.0;

/// If the bytes in flight are below this share of the congestion window and of the server's window,
/// neither is the limit.
const OF_CONGESTION_WINDOW: f64 = 0.75;
const OF_PEER_WINDOW: f64 = 0.5;

/// Share of the time with data to send, in percent. Below this, the program sends only now and then.
const BUSY_PERCENT: f64 = 70.0;

/// A connection that sends less than this does not carry the load.
const CARRIES_BYTES_PER_S: f64 = 100_000.0;

const RULES: &[&str] = &["net.tcp.buffer_below_bdp", "smb.samba.socket_options"];

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if !scene.on_network || scene.mostly_reads() {
        return Tested::No;
    }
    let connections = scene.connections();
    let by_kernel = connections.iter().filter_map(|connection| {
        let busy = connection.of("busy_percent").filter(|busy| *busy > 0.0)?;
        let percent = (connection.of("send_buffer_limited_percent")? / busy * 100.0).min(100.0);
        let seen = Seen::against(Measure::SendBufferLimitedPercent, percent, LIMITED_PERCENT);
        Some((connection, vec![seen]))
    });
    let by_flight = connections.iter().filter_map(|connection| Some((connection, in_flight(connection)?)));
    let nearness = |seen: &[Seen]| seen.first().and_then(Seen::nearness).unwrap_or(0.0);
    let all = by_kernel.chain(by_flight);
    let Some((connection, seen)) = all.max_by(|one, two| nearness(&one.1).total_cmp(&nearness(&two.1)))
    else {
        return if connections.is_empty() { Tested::NotMeasured } else { Tested::No };
    };
    Tested::by_first(LimitFinding::new(LimitStep::SendBuffer, seen, RULES).at(connection.name))
}

/// The bytes in flight as a share of the send buffer, if nothing else limits them.
fn in_flight(connection: &Connection<'_>) -> Option<Vec<Seen>> {
    let sent = connection.of("sent_bytes_per_s").filter(|sent| *sent >= CARRIES_BYTES_PER_S)?;
    connection.of("busy_percent").filter(|busy| *busy >= BUSY_PERCENT)?;
    let rtt_us = connection.of("rtt_us").or_else(|| connection.of("min_rtt_us"))?;
    let in_flight = sent * rtt_us / 1e6;
    let buffer = connection.of("send_buffer_bytes").filter(|bytes| *bytes > 0.0)?;
    let (congestion, peer) = (connection.of("cwnd_bytes")?, connection.of("peer_window_bytes")?);
    let has_room = in_flight <= congestion * OF_CONGESTION_WINDOW && in_flight <= peer * OF_PEER_WINDOW;
    let percent = (in_flight / buffer * 100.0).min(100.0);
    has_room.then(|| {
        vec![
            Seen::against(Measure::SendBufferInFlightPercent, percent, IN_FLIGHT_PERCENT),
            Seen::beside(Measure::InFlightBytes, in_flight),
            Seen::beside(Measure::SendBufferBytes, buffer),
            Seen::beside(Measure::CongestionWindowBytes, congestion),
            Seen::beside(Measure::WindowBytes, peer),
            Seen::beside(Measure::RttUs, rtt_us),
        ]
    })
}
