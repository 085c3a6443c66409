//! Was the receiver's TCP window too small for the network path? Then a connection transfers one window
//! per round trip, whatever the link allows.
//!
//! For writes, the kernel reports how long it waited for the server's window. For reads, the local host
//! is the receiver: if its window is the limit, it is full of data in flight.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::{Connection, LimitInput};

/// Share of the time with data to send, in percent.
const WINDOW_LIMITED_PERCENT: f64 = 20.0;

/// Share of a window that is in flight if the window is the limit, in percent.
const FILLED_PERCENT: f64 = 70.0;

/// The largest window without scaling.
const UNSCALED_BYTES: f64 = 65_535.0;

/// A connection that transfers less than this in either direction does not carry the load.
const CARRIES_BYTES_PER_S: f64 = 100_000.0;

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if !scene.on_network {
        return Tested::No;
    }
    let connections = scene.connections();
    let found = connections.iter().filter_map(|connection| of_connection(connection, scene));
    let nearness = |finding: &LimitFinding| finding.seen.first().and_then(Seen::nearness).unwrap_or(0.0);
    let Some(mut worst) = found.max_by(|one, two| nearness(one).total_cmp(&nearness(two))) else {
        return if connections.is_empty() { Tested::NotMeasured } else { Tested::No };
    };
    let unscaled = connections.iter().filter(|connection| connection.of("window_scaling") == Some(0.0));
    let unscaled = unscaled.count();
    worst.seen.push(Seen::beside(Measure::Connections, connections.len() as f64));
    worst.seen.push(Seen::beside(Measure::ConnectionsWithoutScaling, unscaled as f64));
    let first = if unscaled > 0 { "net.tcp.window_scaling_off" } else { "net.tcp.buffer_below_bdp" };
    let rules = [first, "net.tcp.moderate_rcvbuf_off", "smb.samba.socket_options"];
    worst.rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
    Tested::by_first(worst)
}

/// The direction that is closer to its window.
fn of_connection(connection: &Connection<'_>, scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let carries = |name| connection.of(name).unwrap_or(0.0) >= CARRIES_BYTES_PER_S;
    let written = carries("sent_bytes_per_s") && !scene.mostly_reads();
    let read = carries("received_bytes_per_s") && scene.mostly_reads();
    let seen = if written {
        as_sender(connection)
    } else if read {
        as_receiver(connection)
    } else {
        None
    };
    let mut seen = seen?;
    seen.extend(connection.of("min_rtt_us").map(|us| Seen::beside(Measure::RttUs, us)));
    Some(LimitFinding::new(LimitStep::TcpWindow, seen, &[]).at(connection.name))
}

fn as_sender(connection: &Connection<'_>) -> Option<Vec<Seen>> {
    let busy = connection.of("busy_percent").filter(|busy| *busy > 0.0)?;
    let percent = (connection.of("window_limited_percent")? / busy * 100.0).min(100.0);
    let mut seen = vec![Seen::against(Measure::WindowLimitedPercent, percent, WINDOW_LIMITED_PERCENT)];
    seen.extend(connection.of("peer_window_bytes").map(|bytes| Seen::beside(Measure::WindowBytes, bytes)));
    Some(seen)
}

/// The bytes in flight to the local host, with the space for them. Without scaling, that is known
/// whatever the kernel reports about its window.
fn as_receiver(connection: &Connection<'_>) -> Option<Vec<Seen>> {
    let is_unscaled = connection.of("window_scaling") == Some(0.0);
    let window = connection.of("window_bytes").filter(|bytes| *bytes > 0.0);
    let window =
        if is_unscaled { Some(window.unwrap_or(UNSCALED_BYTES).min(UNSCALED_BYTES)) } else { window };
    let (window, rtt_us) = (window?, connection.of("min_rtt_us")?);
    let on_the_way = connection.of("received_bytes_per_s")? * rtt_us / 1e6;
    let percent = (on_the_way / window * 100.0).min(100.0);
    Some(vec![
        Seen::against(Measure::WindowFilledPercent, percent, FILLED_PERCENT),
        Seen::beside(Measure::WindowBytes, window),
    ])
}
