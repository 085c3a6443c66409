//! Did the link carry what it can? Each direction has all of it, so the busier one counts. Where it does not,
//! or its speed is not known, a sending queue of this machine that is never empty says so for what is
//! written, and for both directions a ping that takes far longer than on an idle way: it stands in a queue,
//! and no program of the server has to answer it. A sender that keeps queues short (BBR) leaves no such
//! trace: then nothing is known.

use reelgauge_record::counters::Layer;

use crate::counters::means::Means;
use crate::culprit::LINK_FULL_SHARE;
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;

const RULES: &[&str] = &["net.link.ceiling", "net.link.speed_downshift"];

/// What waits in a sending queue that is never empty: twenty packets.
const QUEUE_BYTES: f64 = 30_000.0;

/// A ping that takes so many times the shortest round trip, and so much longer, waits in a queue.
const TIMES_THE_WAY: f64 = 3.0;
const QUEUED_US: f64 = 5_000.0;

/// Of the looks, the share at which nothing moved, from which on no line is full.
const STILL_SHARE: f64 = 0.2;

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    let Some(link) = scene.link.filter(|link| !link.is_this_machine) else {
        return if scene.on_network { Tested::NotMeasured } else { Tested::No };
    };
    let moved = moved(scene);
    let of_line = link.line_bytes_per_s.zip(moved).map(|(line, moved)| moved.value / line * 100.0);
    // Full is full at the share itself, as the culprit has it.
    let of_line =
        of_line.map(|percent| Seen::against(Measure::LinkPercent, percent, LINK_FULL_SHARE * 100.0));
    let queue = queue(scene);
    let seen = match (of_line, queue) {
        // A queue that is never empty is a line that is full, whatever its speed is said to be.
        (Some(line), Some(queue)) if queue.stands_out() && !line.stands_out() => vec![queue, line],
        (Some(line), _) if line.stands_out() => vec![line],
        (None, Some(queue)) if queue.stands_out() => vec![queue],
        (line, _) => match queued_ping(scene).filter(Seen::stands_out) {
            // Another link on the way may be slower than this machine's own.
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

/// What a ping takes, beside what it may take where it waits for nothing.
fn queued_ping(scene: &Scene<'_>) -> Option<Seen> {
    let ping = ping(scene.means)?;
    Some(Seen::against(Measure::PingUs, ping.us, ping.waits_from_us))
}

struct Ping {
    us: f64,
    waits_from_us: f64,
}

fn ping(means: &Means) -> Option<Ping> {
    let of_network = |name: &str| means.of(Layer::Network, name, "");
    // One look a second.
    if of_network("still_pings_per_s").is_some_and(|still| still > STILL_SHARE) {
        return None;
    }
    let shortest = means.each(Layer::Network, "connection_min_rtt_us").map(|(_, us)| us).reduce(f64::min);
    let (us, idle_us) = (of_network("ping_us")?, shortest?);
    Some(Ping { us, waits_from_us: (idle_us * TIMES_THE_WAY).max(idle_us + QUEUED_US) })
}

/// Whether pings to the server waited in a queue on their way, whatever the line is said to carry; `None`
/// where that was not sampled.
pub fn way_is_queued(means: &Means) -> Option<bool> {
    ping(means).map(|ping| ping.us >= ping.waits_from_us)
}

fn moved(scene: &Scene<'_>) -> Option<Seen> {
    let total = &scene.point.total;
    let moved = [
        (Measure::ReadBytesPerS, total.read_bytes_per_s),
        (Measure::WrittenBytesPerS, total.written_bytes_per_s),
    ];
    let moved = moved.into_iter().filter_map(|(measure, rate)| Some(Seen::beside(measure, rate?)));
    moved.max_by(|one, two| one.value.total_cmp(&two.value))
}

/// What waits on this machine to be sent. What is read waits at the server, which is not seen.
fn queue(scene: &Scene<'_>) -> Option<Seen> {
    let waiting = scene.interface("queue_backlog_bytes").filter(|_| !scene.mostly_reads())?;
    Some(Seen::against(Measure::QueueBytes, waiting, QUEUE_BYTES))
}
