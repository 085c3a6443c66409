//! Attributes what no timeline shows to the byte rate limit that the user set: a missed rate, and margins
//! that shrink. It is the limit's if operations had to wait for it and the work used nearly all of it. Late
//! frames are attributed in [`crate::culprit`]. Pure.

use crate::culprit::Culprit;
use crate::summary::LoadPoint;

/// If at least this percentage of the operations waited for a limit, that is no coincidence.
pub(crate) const HELD_BACK_PERCENT: f64 = 5.0;

/// Work that moves at least this share of the limit has used it.
const USED_SHARE: f64 = 0.9;

/// The percentage of a load point's operations that waited for the limit; `None` without a limit, or if
/// none waited.
pub(crate) fn percent(point: &LoadPoint) -> Option<f64> {
    let held = point.was_held_back()?;
    Some((held.operations as f64 / point.total.ops.max(1) as f64 * 100.0).min(100.0))
}

/// Whether the limit set the figures of a load point: it delayed more than a few operations, and the work
/// moved nearly as much as it allows. Unknown rates do not deny it.
pub fn sets_the_figure(point: &LoadPoint) -> bool {
    let rates = [point.total.read_bytes_per_s, point.total.written_bytes_per_s];
    let moved = rates.into_iter().flatten().reduce(|one, other| one + other);
    let limit = point.was_held_back().map(|held| held.max_bytes_per_s as f64);
    percent(point).is_some_and(|percent| percent >= HELD_BACK_PERCENT)
        && moved.zip(limit).is_none_or(|(moved, limit)| moved >= USED_SHARE * limit)
}

/// Attributes the failure of a load point without late frames to the limit, if that set its figures.
pub fn book(point: &mut LoadPoint) {
    let has_incidents = point.streams.as_ref().is_some_and(|late| !late.incidents.is_empty());
    if point.culprit == Some(Culprit::Storage) && !has_incidents && sets_the_figure(point) {
        point.culprit = Some(Culprit::MaxRate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::Incident;
    use crate::late::LateFigures;
    use crate::summary::HeldBack;
    use crate::test_figures::vda_point;

    fn booked(operations: u64, bytes_per_s: f64, culprit: Culprit, incidents: usize) -> Option<Culprit> {
        let mut point = vda_point(4, 1.0, None);
        point.total.ops = 1_000;
        (point.total.read_bytes_per_s, point.total.written_bytes_per_s) = (Some(bytes_per_s), None);
        point.held_back = Some(HeldBack { max_bytes_per_s: 50_000_000, operations });
        point.culprit = Some(culprit);
        let incidents = vec![Incident { culprit, late_frames: 5, ..Incident::default() }; incidents];
        point.streams = Some(LateFigures { incidents, ..LateFigures::default() });
        book(&mut point);
        point.culprit
    }

    #[test]
    fn missed_rates_and_shrinking_margins_are_attributed_to_a_limit_that_was_used() {
        assert_eq!(booked(400, 49e6, Culprit::Storage, 0), Some(Culprit::MaxRate));
        assert_eq!(booked(2, 49e6, Culprit::Storage, 0), Some(Culprit::Storage));
        assert_eq!(booked(400, 40e6, Culprit::Storage, 0), Some(Culprit::Storage));
        assert_eq!(booked(0, 49e6, Culprit::Storage, 0), Some(Culprit::Storage));
    }

    #[test]
    fn causes_of_late_frames_and_other_causes_stay() {
        assert_eq!(booked(900, 49e6, Culprit::Storage, 1), Some(Culprit::Storage));
        for culprit in [Culprit::Tool, Culprit::ThisMachine, Culprit::Link] {
            assert_eq!(booked(900, 49e6, culprit, 0), Some(culprit));
        }
    }
}
