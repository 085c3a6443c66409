//! Was the receiver's TCP window too small for the way? Then a connection carries a window per round trip and
//! no more, whatever the link could do.
//!
//! For what is written, the kernel tells how long it waited for the server's window. For what is read, this
//! machine is the receiver: its window is full of what is on the way where it is the limit.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::{Connection, Scene};

/// Of the time with something to send, in percent.
const WINDOW_LIMITED_PERCENT: f64 = 20.0;

/// Of a window, in percent, what is on the way where the window is the limit.
const FILLED_PERCENT: f64 = 70.0;

/// The largest window without scaling.
const UNSCALED_BYTES: f64 = 65_535.0;

/// A connection that moves less than this in either direction is not what carries the load.
const CARRIES_BYTES_PER_S: f64 = 100_000.0;

pub(super) fn test(scene: &Scene<'_>) -> Tested {
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

/// The direction that comes nearer to its window.
fn of_connection(connection: &Connection<'_>, scene: &Scene<'_>) -> Option<LimitFinding> {
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

/// What is on the way to here at a time, beside the room for it. Without scaling that is known whatever the
/// kernel tells of its window.
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
