//! Whose fault it was that a load point did not meet its criteria, from its incidents and its verdict.
//!
//! Not here: whose fault an incident was ([`crate::culprit`]).

use crate::culprit::{Culprit, LINK_FULL_SHARE};
use crate::incident::Incident;
use crate::verdict::Verdict;

/// Whose fault it was that a load point did not meet its criteria; `None` where it met them.
///
/// Its incidents say it, the one who is booked with most late frames; without any, that the tool's own delay
/// explains what failed, or that the link carried what it can (`moved_bytes_per_s` of `line_bytes_per_s`).
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

/// The same of several machines: their incidents say it, else those that did not meet their criteria, where
/// they agree.
pub fn of_hosts(verdict: &Verdict, incidents: &[Incident], of_each: &[Option<Culprit>]) -> Option<Culprit> {
    by_incidents(verdict, incidents, || {
        let mut known = of_each.iter().flatten().filter(|culprit| **culprit != Culprit::NotKnown);
        // Where none is known it is the one that is not known.
        let first = known.next().copied().unwrap_or_default();
        if known.all(|culprit| *culprit == first) { first } else { Culprit::NotKnown }
    })
}

/// Nobody's where all was met, not known where nothing was measured, else whom the incidents name; without
/// any, whom `otherwise` does.
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

/// Who is booked with most late frames; `None` without incidents. The storage is not let off for what
/// somebody else did beside it: where frames are booked to several, own ones count only where they are more
/// than all others.
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
    fn a_load_point_is_booked_to_who_has_most_late_frames() {
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
    fn machines_that_do_not_agree_blame_nobody() {
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
