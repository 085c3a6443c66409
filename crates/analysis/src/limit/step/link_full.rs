//! Was the link saturated? Each direction has the full rate, so the busier one counts. If it is not
//! saturated, or its speed is unknown, two other signs are used. For writes, a local send queue that is
//! never empty. For both directions, a ping that takes far longer than on an idle path: it waits in a
//! queue, and no program of the server has to answer it. A sender that keeps queues short (BBR) leaves
//! no such trace: then the answer is unknown.

use reelgauge_record::counters::Layer;

use crate::counters::means::CounterMeans;
use crate::culprit::LINK_FULL_SHARE;
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::LimitInput;

const RULES: &[&str] = &["net.link.ceiling", "net.link.speed_downshift"];

/// The length of a send queue that is never empty: twenty packets.
const QUEUE_BYTES: f64 = 30_000.0;

/// A ping that takes this many times the shortest round trip, and this much longer, waits in a queue.
const TIMES_THE_WAY: f64 = 3.0;
const QUEUED_US: f64 = 5_000.0;

/// If nothing was transferred in this share of the samples, no line is saturated.
const STILL_SHARE: f64 = 0.2;

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    let Some(link) = scene.link.filter(|link| !link.is_this_machine) else {
        return if scene.on_network { Tested::NotMeasured } else { Tested::No };
    };
    let moved = moved(scene);
    let of_line = link.line_bytes_per_s.zip(moved).map(|(line, moved)| moved.value / line * 100.0);
    // Exactly LINK_FULL_SHARE already counts as saturated, as in the culprit.
    let of_line =
        of_line.map(|percent| Seen::against(Measure::LinkPercent, percent, LINK_FULL_SHARE * 100.0));
    let queue = queue(scene);
    let seen = match (of_line, queue) {
        // A queue that is never empty means a saturated line, whatever its reported speed.
        (Some(line), Some(queue)) if queue.stands_out() && !line.stands_out() => vec![queue, line],
        (Some(line), _) if line.stands_out() => vec![line],
        (None, Some(queue)) if queue.stands_out() => vec![queue],
        (line, _) => match queued_ping(scene).filter(Seen::stands_out) {
            // Another link on the network path may be slower than the local one.
            Some(ping) => {
                let idle = scene.shortest_rtt_us().map(|us| Seen::beside(Measure::RttUs, us));
                [Some(ping), idle, line].into_iter().flatten().collect()
            }
            None => match line {
                Some(line) => vec![line],
                None => return Tested::NotMeasured,
            },
        },
    };
    let seen = seen.into_iter().chain(moved).collect();
    Tested::by_first(LimitFinding::new(LimitStep::LinkFull, seen, RULES).at(&link.interface))
}

/// The time of a ping, with the longest time that it may take without a queue.
fn queued_ping(scene: &LimitInput<'_>) -> Option<Seen> {
    let ping = ping(scene.means)?;
    Some(Seen::against(Measure::PingUs, ping.us, ping.waits_from_us))
}

struct Ping {
    us: f64,
    waits_from_us: f64,
}

fn ping(means: &CounterMeans) -> Option<Ping> {
    let of_network = |name: &str| means.of(Layer::Network, name, "");
    // One sample per second.
    if of_network("still_pings_per_s").is_some_and(|still| still > STILL_SHARE) {
        return None;
    }
    let shortest = means.each(Layer::Network, "connection_min_rtt_us").map(|(_, us)| us).reduce(f64::min);
    let (us, idle_us) = (of_network("ping_us")?, shortest?);
    Some(Ping { us, waits_from_us: (idle_us * TIMES_THE_WAY).max(idle_us + QUEUED_US) })
}

/// Whether pings to the server waited in a queue, whatever the line's reported speed; `None` if they
/// were not sampled.
pub fn way_is_queued(means: &CounterMeans) -> Option<bool> {
    ping(means).map(|ping| ping.us >= ping.waits_from_us)
}

fn moved(scene: &LimitInput<'_>) -> Option<Seen> {
    let total = &scene.point.total;
    let moved = [
        (Measure::ReadBytesPerS, total.read_bytes_per_s),
        (Measure::WrittenBytesPerS, total.written_bytes_per_s),
    ];
    let moved = moved.into_iter().filter_map(|(measure, rate)| Some(Seen::beside(measure, rate?)));
    moved.max_by(|one, two| one.value.total_cmp(&two.value))
}

/// Data that wait to be sent on the local host. Data that are read wait at the server, where they cannot
/// be sampled.
fn queue(scene: &LimitInput<'_>) -> Option<Seen> {
    let waiting = scene.interface("queue_backlog_bytes").filter(|_| !scene.mostly_reads())?;
    Some(Seen::against(Measure::QueueBytes, waiting, QUEUE_BYTES))
}
