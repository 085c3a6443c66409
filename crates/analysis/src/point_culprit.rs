//! Decides the culprit if a load point did not meet its criteria, from its incidents and its verdict.
//!
//! Not here: the culprit of an incident ([`crate::culprit`]).

use crate::criteria::Criterion;
use crate::culprit::{Culprit, LINK_FULL_SHARE};
use crate::incident::Incident;
use crate::summary::LoadPoint;
use crate::vda::ProcessRate;
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

/// Withdraws the blame for a missed rate from storage that was never slow: if every operation took less
/// than half the time between two transfers, the storage cannot be why some are missing.
pub fn acquit_fast_storage(point: &mut LoadPoint) {
    let slowest_us = point.total.response.data.as_ref().map(|response| response.max_us);
    let half_period_us = |rate: &ProcessRate| 5e5 / rate.requested_ops_per_s;
    let least_us = point.rates.iter().map(half_period_us).reduce(f64::min);
    let was_fast = slowest_us.zip(least_us).is_some_and(|(slowest_us, least_us)| slowest_us < least_us);
    let is_of_rates = |verdict: &Verdict| {
        let mut criteria = verdict.failures.iter().map(|failure| failure.criterion);
        criteria.all(|one| matches!(one, Criterion::WorkerRate | Criterion::GlobalRate | Criterion::Ratio))
    };
    let missed_rates = point.verdict.as_ref().is_some_and(is_of_rates);
    if point.culprit == Some(Culprit::Storage) && missed_rates && was_fast && !point.was_cut_off() {
        point.culprit = Some(Culprit::NotKnown);
    }
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
    use crate::test_figures::{times, vda_point};

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
    fn storage_that_was_never_slow_is_not_blamed_for_missed_rates() {
        let blamed = |slowest_ms: f64, criterion| {
            let mut point = vda_point(1, 9.0, None);
            let failure = crate::verdict::Failure { criterion, ..crate::verdict::failure_of_tests() };
            point.verdict = Some(Verdict { failures: vec![failure], ..Verdict::default() });
            point.culprit = Some(Culprit::Storage);
            point.rates = vec![ProcessRate {
                worker: 0,
                component: "camera".to_owned(),
                requested_ops_per_s: 9.0,
                achieved_ops_per_s: 4.0,
            }];
            point.total.response.data = Some(times(slowest_ms * 1e3));
            acquit_fast_storage(&mut point);
            point.culprit
        };
        assert_eq!(blamed(1.0, Criterion::GlobalRate), Some(Culprit::NotKnown));
        assert_eq!(blamed(60.0, Criterion::GlobalRate), Some(Culprit::Storage));
        assert_eq!(blamed(1.0, Criterion::FailedOps), Some(Culprit::Storage));
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
