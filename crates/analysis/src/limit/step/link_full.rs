//! Did the link carry what it can? Each direction has all of it, so the busier one counts.

use crate::culprit::LINK_FULL_SHARE;
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;

/// What tells more.
const RULES: &[&str] = &["net.link.ceiling", "net.link.speed_downshift"];

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    let Some(link) = scene.link.filter(|link| !link.is_this_machine) else {
        return if scene.on_network() { Tested::NotMeasured } else { Tested::No };
    };
    let Some(line_bytes_per_s) = link.line_bytes_per_s else {
        return Tested::NotMeasured;
    };
    let total = &scene.point.total;
    let moved = [
        (Measure::ReadBytesPerS, total.read_bytes_per_s),
        (Measure::WrittenBytesPerS, total.written_bytes_per_s),
    ];
    let moved = moved.into_iter().filter_map(|(measure, rate)| Some((measure, rate?)));
    let Some((measure, rate)) = moved.max_by(|one, two| one.1.total_cmp(&two.1)) else {
        return Tested::NotMeasured;
    };
    let percent = rate / line_bytes_per_s * 100.0;
    // Full is full at the share itself, as the culprit has it.
    let seen = vec![
        Seen::against(Measure::LinkPercent, percent, LINK_FULL_SHARE * 100.0),
        Seen::beside(measure, rate),
    ];
    Tested::by_first(LimitFinding::new(LimitStep::LinkFull, seen, RULES).at(&link.interface))
}
