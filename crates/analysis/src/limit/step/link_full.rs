//! Did the link carry what it can? Each direction has all of it, so the busier one counts. Where its speed is
//! not known, a sending queue of this machine that is never empty says so for what is written.

use crate::culprit::LINK_FULL_SHARE;
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;

/// What tells more.
const RULES: &[&str] = &["net.link.ceiling", "net.link.speed_downshift"];

/// What waits in a sending queue that is never empty: twenty packets.
const QUEUE_BYTES: f64 = 30_000.0;

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
        (Some(line), _) => vec![line],
        (None, Some(queue)) if queue.stands_out() => vec![queue],
        (None, _) => return Tested::NotMeasured,
    };
    let seen = seen.into_iter().chain(moved).collect();
    Tested::by_first(LimitFinding::new(LimitStep::LinkFull, seen, RULES).at(&link.interface))
}

/// The busier direction.
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
