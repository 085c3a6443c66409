//! Decides the culprit if a load point did not meet its criteria, from its incidents and its verdict.
//!
//! Not here: the culprit of an incident ([`crate::culprit`]).

use crate::culprit::{Culprit, LINK_FULL_SHARE};
use crate::incident::Incident;
use crate::verdict::Verdict;

/// The culprit if a load point did not meet its criteria; `None` if it met them.
///
/// It is the culprit of its incidents with the most late frames. Without incidents, it is Reelgauge if
/// its scheduling delay explains the failure, or the link if it was saturated (`moved_bytes_per_s` of
/// `line_bytes_per_s`).
pub fn of_point(
    verdict: &Verdict,
    incidents: &[Incident],
    moved_bytes_per_s: Option<f64>,
    line_bytes_per_s: Option<f64>,
) -> Option<Culprit> {
    by_incidents(verdict, incidents, || {
        if verdict.is_no_fault_of_the_storage() {
            return Culprit::Tool;
        }
        let share = moved_bytes_per_s.zip(line_bytes_per_s).map(|(moved, line)| moved / line);
        let link_is_full = share.is_some_and(|share| share >= LINK_FULL_SHARE);
        if link_is_full { Culprit::Link } else { Culprit::Storage }
    })
}

/// The same for several hosts: the culprit of their incidents, otherwise that of the hosts that did not
/// meet their criteria, if they agree.
pub fn of_hosts(verdict: &Verdict, incidents: &[Incident], of_each: &[Option<Culprit>]) -> Option<Culprit> {
    by_incidents(verdict, incidents, || {
        let mut known = of_each.iter().flatten().filter(|culprit| **culprit != Culprit::NotKnown);
        // If no culprit is known, the result is unknown.
        let first = known.next().copied().unwrap_or_default();
        if known.all(|culprit| *culprit == first) { first } else { Culprit::NotKnown }
    })
}

/// `None` if all criteria were met, unknown if nothing was measured, otherwise the culprit of the
/// incidents. Without incidents, the result of `otherwise`.
fn by_incidents(
    verdict: &Verdict,
    incidents: &[Incident],
    otherwise: impl FnOnce() -> Culprit,
) -> Option<Culprit> {
    if verdict.passed {
        return None;
    }
    if verdict.failures.iter().all(|failure| !failure.measured) {
        return Some(Culprit::NotKnown);
    }
    Some(booked_most(incidents).unwrap_or_else(otherwise))
}

/// The culprit with the most late frames; `None` without incidents. Late frames with another cause do
/// not acquit the storage: if there are several culprits, Reelgauge or the local host is the result only
/// with more frames than all others.
pub(crate) fn booked_most(incidents: &[Incident]) -> Option<Culprit> {
    let frames = |culprit: Culprit| -> u64 {
        let booked = incidents.iter().filter(|incident| incident.culprit == culprit);
        booked.map(|incident| incident.late_frames).sum()
    };
    let own = [Culprit::ThisMachine, Culprit::Tool, Culprit::MaxRate];
    let all = [Culprit::Storage, Culprit::Link].into_iter().chain(own).chain([Culprit::NotKnown]);
    let all = all.map(|culprit| (culprit, frames(culprit)));
    let (most, most_frames) = all.into_iter().reduce(|one, two| if two.1 > one.1 { two } else { one })?;
    (most_frames > 0).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn culprit_of_a_load_point_has_the_most_late_frames() {
        let incident = |culprit, late_frames| Incident { culprit, late_frames, ..Incident::default() };
        let failed = |measured| Verdict {
            storage_failed: true,
            failures: vec![crate::verdict::Failure { measured, ..crate::verdict::failure_of_tests() }],
            ..Verdict::default()
        };
        let of = |incidents: &[Incident]| of_point(&failed(true), incidents, Some(95.0), Some(100.0));
        assert_eq!(
            of(&[incident(Culprit::Tool, 19), incident(Culprit::Storage, 20)]),
            Some(Culprit::Storage)
        );
        assert_eq!(of(&[incident(Culprit::Tool, 21), incident(Culprit::Storage, 20)]), Some(Culprit::Tool));
        assert_eq!(of(&[]), Some(Culprit::Link));
        assert_eq!(of_point(&failed(true), &[], Some(80.0), Some(100.0)), Some(Culprit::Storage));
        assert_eq!(of_point(&failed(false), &[], None, None), Some(Culprit::NotKnown));
        let passed = Verdict { passed: true, ..Verdict::default() };
        assert_eq!(of_point(&passed, &[incident(Culprit::Tool, 3)], None, None), None);
    }

    #[test]
    fn hosts_with_different_culprits_have_no_common_culprit() {
        let failed = |measured| Verdict {
            storage_failed: true,
            failures: vec![crate::verdict::Failure { measured, ..crate::verdict::failure_of_tests() }],
            ..Verdict::default()
        };
        let (storage, link) = (Some(Culprit::Storage), Some(Culprit::Link));
        assert_eq!(of_hosts(&failed(true), &[], &[storage, None, storage]), storage);
        assert_eq!(of_hosts(&failed(true), &[], &[storage, link]), Some(Culprit::NotKnown));
        assert_eq!(of_hosts(&failed(false), &[], &[storage]), Some(Culprit::NotKnown));
        let incident = Incident { culprit: Culprit::Tool, late_frames: 3, ..Incident::default() };
        assert_eq!(of_hosts(&failed(true), &[incident], &[storage]), Some(Culprit::Tool));
        let passed = Verdict { passed: true, ..Verdict::default() };
        assert_eq!(of_hosts(&passed, &[], &[storage]), None);
    }
}
