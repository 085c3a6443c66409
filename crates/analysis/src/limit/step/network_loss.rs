//! Were packets lost? For writes, retransmissions of the local host show it. For reads, the sender is
//! the server, so segments that arrived out of order show it: the segments before them were lost, or
//! overtaken.
//!
//! Data that the other end already had was retransmitted unnecessarily: it had been overtaken or
//! acknowledged late, and was not lost. TCP reports this (DSACK), and it is subtracted. A sender soon
//! learns to wait for overtaken segments, so a few unnecessary retransmissions mean many segments out of
//! order. Measured: one for 10 to 100 where packets overtook each other and none were lost, one for
//! 55,000 where they were lost at random.
//!
//! If the connections to the server are not counted separately, the counts of the whole host are used.

use reelgauge_record::counters::Layer;

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::{Connection, LimitInput};

/// A healthy network in one building loses less than this, in percent.
const LOSS_PERCENT: f64 = 0.1;

/// After a lost segment, as many segments are out of order as were in flight: five for each is a low
/// estimate.
const OUT_OF_ORDER_PERCENT: f64 = LOSS_PERCENT * 5.0;

/// Each unnecessary retransmission means this many segments that were out of order because they had
/// been overtaken.
const OVERTAKEN_EACH: f64 = 100.0;

/// A segment with a larger payload arrived in a packet larger than the usual Ethernet size.
const JUMBO_SEGMENT_BYTES: f64 = 2_000.0;

/// This many segments or packets are not chance.
const COUNT_MIN: f64 = 10.0;

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if !scene.on_network {
        return Tested::No;
    }
    let sent =
        sent_again(scene).map(|percent| Seen::against(Measure::RetransmittedPercent, percent, LOSS_PERCENT));
    let received = out_of_order(scene)
        .map(|percent| Seen::against(Measure::OutOfOrderPercent, percent, OUT_OF_ORDER_PERCENT));
    // The direction of the load comes first, unless only the other one lost something.
    let (first, second) = if scene.mostly_reads() { (received, sent) } else { (sent, received) };
    let other_alone =
        second.as_ref().is_some_and(Seen::stands_out) && !first.as_ref().is_some_and(Seen::stands_out);
    let (first, second) = if other_alone { (second, first) } else { (first, second) };
    let mut seen: Vec<Seen> = first.into_iter().chain(second).collect();
    if seen.is_empty() {
        return Tested::NotMeasured;
    }
    seen.extend(drops(scene));
    let timeouts = scene.connections_sum("timeouts_per_s").filter(|rate| *rate * scene.means.seconds >= 1.0);
    seen.extend(timeouts.map(|rate| Seen::beside(Measure::TimeoutsPerS, rate)));
    let rules = rules(&seen, scene);
    Tested::by_first(LimitFinding::new(LimitStep::NetworkLoss, seen, &rules))
}

/// Retransmitted share of the data that the local host sent to the server. 0 if there are too few to
/// tell.
fn sent_again(scene: &LimitInput<'_>) -> Option<f64> {
    let connections = scene.connections();
    let lost = |connection: &Connection<'_>| {
        let had_already = connection.of("sent_twice_segments_per_s").unwrap_or(0.0);
        let again = connection.of("retransmitted_bytes_per_s")?;
        Some((again - had_already * connection.segment_bytes()).max(0.0))
    };
    let of_connections = connections.iter().filter_map(lost).reduce(|one, two| one + two);
    let segment_bytes = connections.iter().map(Connection::segment_bytes).reduce(f64::max);
    let (again, all, unit) = match of_connections.zip(segment_bytes) {
        Some((again, segment_bytes)) => (again, scene.connections_sum("sent_bytes_per_s")?, segment_bytes),
        None => {
            let had_already = scene.network("tcp_sent_twice_segments_per_s").unwrap_or(0.0);
            let again = scene.network("tcp_retransmitted_segments_per_s")?;
            ((again - had_already).max(0.0), scene.network("tcp_data_segments_per_s")?, 1.0)
        }
    };
    share_of(again, all, COUNT_MIN * unit / scene.means.seconds.max(1.0))
}

/// Share of the data from the server that arrived out of order.
fn out_of_order(scene: &LimitInput<'_>) -> Option<f64> {
    // A segment that was missing but arrived had been overtaken; the segments behind it show no loss.
    let overtaken = scene.network("tcp_received_twice_segments_per_s").unwrap_or(0.0) * OVERTAKEN_EACH;
    let out_of_order = scene.connections_sum("out_of_order_segments_per_s")?;
    let out_of_order = (out_of_order - overtaken).max(0.0);
    let all = scene.connections_sum("segments_received_per_s")?;
    share_of(out_of_order, all, COUNT_MIN / scene.means.seconds.max(1.0))
}

/// In percent; 0 if the part is so small that it may be chance.
fn share_of(part: f64, whole: f64, part_min: f64) -> Option<f64> {
    if whole <= 0.0 {
        return None;
    }
    Some(if part < part_min { 0.0 } else { (part / whole * 100.0).min(100.0) })
}

/// Packets that the local host itself dropped.
fn drops(scene: &LimitInput<'_>) -> Vec<Seen> {
    let enough = |rate: &f64| *rate * scene.means.seconds >= COUNT_MIN;
    let received = [
        scene.interface("rx_drops_per_s"),
        scene.interface("rx_overruns_per_s"),
        scene.means.of(Layer::Network, "softnet_drops_per_s", ""),
    ];
    let received = received.into_iter().flatten().reduce(f64::max).filter(enough);
    let queue = scene.interface("queue_drops_per_s").filter(enough);
    let told = [
        received.map(|rate| Seen::beside(Measure::ReceiveDropsPerS, rate)),
        queue.map(|rate| Seen::beside(Measure::QueueDropsPerS, rate)),
    ];
    told.into_iter().flatten().collect()
}

/// The rules with more details, by the measured values: the most likely cause first.
fn rules(seen: &[Seen], scene: &LimitInput<'_>) -> Vec<&'static str> {
    let has = |measure: Measure| seen.iter().any(|seen| seen.measure == measure);
    let percent =
        |measure: Measure| seen.iter().find(|seen| seen.measure == measure).map_or(0.0, |seen| seen.value);
    let mut rules = Vec::new();
    if has(Measure::QueueDropsPerS) {
        rules.push("net.qdisc.drops");
    }
    if has(Measure::ReceiveDropsPerS) {
        rules.extend(["net.ring.rx_small", "net.softnet.dropped"]);
    }
    // Loss from the server to here and none in the other direction: a fast port feeds a slower one.
    let reads = percent(Measure::OutOfOrderPercent);
    if rules.is_empty()
        && scene.mostly_reads()
        && reads > OUT_OF_ORDER_PERCENT
        && percent(Measure::RetransmittedPercent) * 10.0 <= reads
    {
        // With larger packets, fewer of them fill a switch's buffer.
        let is_jumbo =
            scene.connections().iter().any(|connection| connection.segment_bytes() > JUMBO_SEGMENT_BYTES);
        rules.extend(is_jumbo.then_some("net.mtu.jumbo_fanin"));
        rules.push("net.tcp.backpressure");
    }
    rules.push("net.tcp.retransmits");
    rules
}
