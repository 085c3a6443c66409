//! Compares the connections to one server that share the same load, and finds one that is stuck among
//! many healthy ones.

use super::finding::{LimitFinding, LimitStep, Measure, Seen};
use super::input::{Connection, LimitInput};

/// Fewer connections cannot be compared.
const CONNECTIONS_MIN: usize = 3;

/// A connection lags behind if its throughput is below this percentage of the others' median.
const LAGS_PERCENT: f64 = 25.0;

/// A round trip of this many times the others' shortest one means another network path.
const TIMES_THE_RTT: f64 = 3.0;

/// Retransmitted share of its data, in percent.
const RETRANSMITTED_PERCENT: f64 = 1.0;

/// A connection with far less throughput than similar ones, and a fault. Without a fault it may simply
/// be unused, so it is not reported.
pub(super) fn stuck(scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let connections = scene.connections();
    let carried: Vec<f64> = connections.iter().map(transferred).collect();
    let usual = median(&carried).filter(|_| connections.len() >= CONNECTIONS_MIN)?;
    let usual_rtt = median(&connections.iter().filter_map(|one| one.of("rtt_us")).collect::<Vec<_>>());
    let lagging = connections.iter().zip(&carried).min_by(|one, two| one.1.total_cmp(two.1));
    let (connection, carried) = lagging?;
    let percent = carried / usual * 100.0;
    let wrong = find_fault(connection, usual_rtt).filter(|_| usual > 0.0 && percent < LAGS_PERCENT)?;
    let seen = vec![Seen::beside(Measure::OfLikeConnectionsPercent, percent), wrong];
    Some(LimitFinding::new(LimitStep::NetworkLoss, seen, &["net.tcp.retransmits"]).at(connection.name))
}

fn transferred(connection: &Connection<'_>) -> f64 {
    let both = [connection.of("sent_bytes_per_s"), connection.of("received_bytes_per_s")];
    both.into_iter().flatten().sum()
}

fn find_fault(connection: &Connection<'_>, usual_rtt: Option<f64>) -> Option<Seen> {
    let sent = connection.of("sent_bytes_per_s").filter(|sent| *sent > 0.0);
    let again = connection.of("retransmitted_bytes_per_s").zip(sent);
    let again =
        again.map(|(again, sent)| again / sent * 100.0).filter(|percent| *percent > RETRANSMITTED_PERCENT);
    if let Some(percent) = again {
        return Some(Seen::against(Measure::RetransmittedPercent, percent, RETRANSMITTED_PERCENT));
    }
    let limit_us = usual_rtt? * TIMES_THE_RTT;
    let rtt_us = connection.of("rtt_us").filter(|us| *us > limit_us)?;
    Some(Seen::against(Measure::RttUs, rtt_us, limit_us))
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
