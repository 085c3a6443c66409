//! What a limit on bytes a second that was set is booked with: frames and operations that were late because
//! they had to wait for it are no fault of the storage's, and none of this machine's.
//!
//! To the timelines such a wait is a delay of the tool's own, which it is. Here it gets its name, where
//! operations did wait and nothing says that the tool had to wait for a processor instead. Pure.

use crate::culprit::{Culprit, has_waited};
use crate::incident::Incident;
use crate::summary::LoadPoint;

/// Of the operations, in percent: so many that had to wait for a limit are no chance.
pub(crate) const HELD_BACK_PERCENT: f64 = 5.0;

/// Storage that had something to do for less of the time than this can't have made it late.
const IDLE_SHARE: f64 = 0.1;

/// How many of a load point's operations had to wait for the limit, in percent; `None` where none was set, or
/// none had to.
pub(crate) fn percent(point: &LoadPoint) -> Option<f64> {
    let held = point.was_held_back()?;
    Some((held.operations as f64 / point.total.ops.max(1) as f64 * 100.0).min(100.0))
}

/// Books to the limit what the timelines booked to the tool.
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
        // A rate that was not reached has no timeline to say so.
        Some(Culprit::Storage) if !has_incidents && percent >= HELD_BACK_PERCENT => {
            point.culprit = Some(Culprit::MaxRate);
        }
        _ => {}
    }
}

/// Whether an incident's own delay was a wait for the limit.
fn was_held_back(incident: &Incident) -> bool {
    let is_own = match incident.culprit {
        Culprit::Tool | Culprit::ThisMachine => true,
        // Not every frame was late by its own wait: some stood behind others that had waited.
        Culprit::NotKnown => is_mostly_own(incident),
        _ => false,
    };
    is_own && !incident.machine.as_ref().is_some_and(has_waited)
}

/// Whether most of its late frames would have been in time without the tool's own delay, while the storage
/// had next to nothing to do.
fn is_mostly_own(incident: &Incident) -> bool {
    let was_idle = incident.storage.busy_share.is_some_and(|busy| busy < IDLE_SHARE);
    was_idle && incident.late_frames_with_own_delay * 2 > incident.late_frames
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::incident::StorageThen;
    use crate::late::LateFigures;
    use crate::machine_then::MachineThen;
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
        // A busy machine is no reason where no thread waited for a processor.
        let busy = MachineThen { processors_busy_percent: Some(99.0), ..MachineThen::default() };
        let on_a_busy_one = Incident { machine: Some(busy), ..incident(Culprit::ThisMachine) };
        assert_eq!(booked(3, Culprit::ThisMachine, vec![on_a_busy_one]).0, Some(Culprit::MaxRate));
    }

    #[test]
    fn frames_behind_those_that_waited_are_the_limits_too_where_the_storage_was_idle() {
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
        // Another one of which nobody knows whose it was.
        let both = vec![not_known(201, Some(0.0055)), not_known(90, Some(0.0055))];
        assert_eq!(booked(68, Culprit::NotKnown, both).0, Some(Culprit::NotKnown));
    }

    #[test]
    fn what_others_did_stays_theirs() {
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
