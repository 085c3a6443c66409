//! Is the way itself broken? Errors on the wire, or a link that can't send and receive at once.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;

/// What tells more.
const RULES: &[&str] = &["net.link.errors", "net.link.speed_downshift"];

/// A good wire has none; so many a second are no chance.
const ERRORS_PER_S: f64 = 1.0;

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    let Some(link) = scene.link else {
        return if scene.on_network { Tested::NotMeasured } else { Tested::No };
    };
    let errors = [scene.interface("rx_errors_per_s"), scene.interface("tx_errors_per_s")];
    let errors = errors.into_iter().flatten().reduce(|one, two| one + two);
    let seen = errors.map(|errors| Seen::against(Measure::InterfaceErrorsPerS, errors, ERRORS_PER_S));
    let finding = LimitFinding::new(LimitStep::PathBroken, seen.into_iter().collect(), RULES);
    let finding = finding.at(&link.interface);
    if link.is_half_duplex { Tested::Found(finding) } else { Tested::by_first(finding) }
}
