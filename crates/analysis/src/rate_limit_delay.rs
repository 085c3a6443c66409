//! Attributes delays to the byte rate limit that the user set. Frames and operations that were late
//! because they waited for the limit are the fault of neither the storage nor the local host.
//!
//! In the timelines, such a wait is a delay of Reelgauge, because Reelgauge enforces the limit. This
//! module attributes it to the limit if operations did wait for it, and there is no evidence that
//! Reelgauge waited for a processor instead. Pure.

use crate::culprit::{Culprit, has_waited};
use crate::incident::Incident;
use crate::summary::LoadPoint;

/// If at least this percentage of the operations waited for a limit, that is no coincidence.
pub(crate) const HELD_BACK_PERCENT: f64 = 5.0;

/// Storage that was busy for less than this share of the time cannot have caused the lateness.
const IDLE_SHARE: f64 = 0.1;

/// The percentage of a load point's operations that waited for the limit; `None` without a limit, or if
/// none waited.
pub(crate) fn percent(point: &LoadPoint) -> Option<f64> {
    let held = point.was_held_back()?;
    Some((held.operations as f64 / point.total.ops.max(1) as f64 * 100.0).min(100.0))
}

/// Attributes to the limit what the timelines attribute to Reelgauge.
pub fn book(point: &mut LoadPoint) {
    let Some(percent) = percent(point) else { return };
    let incidents = point.streams.iter_mut().flat_map(|late| &mut late.incidents);
    incidents.filter(|incident| was_held_back(incident)).for_each(|incident| {
        incident.culprit = Culprit::MaxRate;
    });
    let incidents = point.streams.as_ref().map_or(&[][..], |late| &late.incidents);
    let has_incidents = !incidents.is_empty();
    let is_held = incidents.iter().any(|incident| incident.culprit == Culprit::MaxRate);
    match point.culprit {
        Some(Culprit::Tool | Culprit::ThisMachine) if is_held || !has_incidents => {
            point.culprit = Some(Culprit::MaxRate);
        }
        Some(Culprit::NotKnown)
            if is_held && incidents.iter().all(|incident| incident.culprit == Culprit::MaxRate) =>
        {
            point.culprit = Some(Culprit::MaxRate);
        }
        // A missed rate has no timeline that could show it.
        Some(Culprit::Storage) if !has_incidents && percent >= HELD_BACK_PERCENT => {
            point.culprit = Some(Culprit::MaxRate);
        }
        _ => {}
    }
}

/// Whether the delay in an incident was a wait for the limit.
fn was_held_back(incident: &Incident) -> bool {
    let is_own = match incident.culprit {
        Culprit::Tool | Culprit::ThisMachine => true,
        // Some frames did not wait themselves, but were queued behind others that did.
        Culprit::NotKnown => is_mostly_own(incident),
        _ => false,
    };
    is_own && !incident.machine.as_ref().is_some_and(has_waited)
}

/// Whether most of its late frames would have been in time without the scheduling delay of Reelgauge,
/// while the storage was nearly idle.
fn is_mostly_own(incident: &Incident) -> bool {
    let was_idle = incident.storage.busy_share.is_some_and(|busy| busy < IDLE_SHARE);
    was_idle && incident.late_frames_with_own_delay * 2 > incident.late_frames
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::host_state::MachineThen;
    use crate::incident::StorageThen;
    use crate::late::LateFigures;
    use crate::summary::HeldBack;
    use crate::test_figures::vda_point;

    fn booked(
        operations: u64,
        culprit: Culprit,
        incidents: Vec<Incident>,
    ) -> (Option<Culprit>, Vec<Culprit>) {
        let mut point = vda_point(4, 1.0, None);
        point.total.ops = 1_000;
        point.held_back = Some(HeldBack { max_bytes_per_s: 50_000_000, operations });
        point.culprit = Some(culprit);
        point.streams = Some(LateFigures { incidents, ..LateFigures::default() });
        book(&mut point);
        let incidents = point.streams.unwrap().incidents;
        (point.culprit, incidents.iter().map(|incident| incident.culprit).collect())
    }

    fn incident(culprit: Culprit) -> Incident {
        Incident { culprit, late_frames: 5, ..Incident::default() }
    }

    #[test]
    fn a_wait_for_the_limit_is_the_limits() {
        let (point, incidents) = booked(3, Culprit::Tool, vec![incident(Culprit::Tool)]);
        assert_eq!((point, &incidents[..]), (Some(Culprit::MaxRate), &[Culprit::MaxRate][..]));
        // A busy host is no reason if no thread waited for a processor.
        let busy = MachineThen { processors_busy_percent: Some(99.0), ..MachineThen::default() };
        let on_a_busy_one = Incident { machine: Some(busy), ..incident(Culprit::ThisMachine) };
        assert_eq!(booked(3, Culprit::ThisMachine, vec![on_a_busy_one]).0, Some(Culprit::MaxRate));
    }

    #[test]
    fn frames_queued_after_throttled_ones_are_attributed_to_the_limit_if_storage_was_idle() {
        let not_known = |own: u64, busy_share: Option<f64>| Incident {
            late_frames: 207,
            late_frames_with_own_delay: own,
            storage: StorageThen { busy_share, ..StorageThen::default() },
            ..incident(Culprit::NotKnown)
        };
        let booked_of = |own, busy_share| booked(68, Culprit::NotKnown, vec![not_known(own, busy_share)]).0;
        assert_eq!(booked_of(201, Some(0.0055)), Some(Culprit::MaxRate));
        for (own, busy_share) in [(201, Some(0.4)), (201, None), (90, Some(0.0055))] {
            assert_eq!(booked_of(own, busy_share), Some(Culprit::NotKnown), "{own} {busy_share:?}");
        }
        // A second incident whose culprit is unknown.
        let both = vec![not_known(201, Some(0.0055)), not_known(90, Some(0.0055))];
        assert_eq!(booked(68, Culprit::NotKnown, both).0, Some(Culprit::NotKnown));
    }

    #[test]
    fn delays_with_other_causes_are_not_attributed_to_the_limit() {
        let storage = vec![incident(Culprit::Storage)];
        assert_eq!(booked(900, Culprit::Storage, storage).0, Some(Culprit::Storage));
        assert_eq!(booked(0, Culprit::Tool, vec![incident(Culprit::Tool)]).0, Some(Culprit::Tool));
        let waited = MachineThen {
            own_delay_max_us: Some(400_000.0),
            processor_wait_max_us: Some(390_000.0),
            ..MachineThen::default()
        };
        let waited = Incident { machine: Some(waited), ..incident(Culprit::ThisMachine) };
        assert_eq!(booked(3, Culprit::ThisMachine, vec![waited]).0, Some(Culprit::ThisMachine));
    }

    #[test]
    fn a_rate_that_was_held_back_is_no_fault_of_the_storage() {
        assert_eq!(booked(400, Culprit::Storage, Vec::new()).0, Some(Culprit::MaxRate));
        assert_eq!(booked(2, Culprit::Storage, Vec::new()).0, Some(Culprit::Storage));
    }
}
