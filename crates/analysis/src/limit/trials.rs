//! The combined evidence from the counters of the failed trials of a quick check.
//!
//! The culprit of a trial is decided elsewhere ([`crate::culprit`]): the storage is the culprit if
//! neither Reelgauge nor the link is. A quick check names it without doubt only if a counter reached its
//! threshold, too.

use super::LimitVerdict;
use crate::culprit::Culprit;
use crate::summary::LoadPoint;

/// From this share of all processors on, in percent, other programs may have been the limit as well.
/// They are reported only if they used half, or filled one processor, or left none idle.
const OTHERS_PERCENT: f64 = 33.0;

/// The evidence from the failed trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialEvidence {
    /// In most of the trials whose culprit is the storage, a counter on its side reached its threshold.
    pub counters_show_storage: bool,
    /// The smallest and the largest share of all processors that other programs used, in percent, if
    /// they used much in most of the failed trials.
    pub others_percent: Option<(f64, f64)>,
    /// The culprit if no failed trial has the storage as its culprit: the local host if it is the
    /// culprit of all of them, otherwise unknown.
    pub instead_of_storage: Option<Culprit>,
}

impl TrialEvidence {
    /// Collects the evidence from these load points.
    pub fn of(points: &[LoadPoint]) -> TrialEvidence {
        let failed: Vec<&LoadPoint> = points.iter().filter(|point| point.culprit.is_some()).collect();
        let storages: Vec<_> =
            failed.iter().filter(|point| point.culprit == Some(Culprit::Storage)).collect();
        let stood_out = storages
            .iter()
            .filter(|point| point.limit.as_ref().is_some_and(|limit| limit.verdict == LimitVerdict::Found));
        let others: Vec<f64> = failed.iter().filter_map(|point| others_percent(point)).collect();
        let is_usual = others.len() * 2 > failed.len();
        let least = others.iter().copied().reduce(f64::min).filter(|_| is_usual);
        TrialEvidence {
            counters_show_storage: stood_out.count() * 2 > storages.len(),
            others_percent: least.zip(others.into_iter().reduce(f64::max)),
            instead_of_storage: (!failed.is_empty() && storages.is_empty()).then(|| instead(&failed)),
        }
    }

    /// Whether other programs may have been the limit instead of the storage.
    pub fn may_be_others(&self) -> bool {
        self.others_percent.is_some() && !self.counters_show_storage
    }
}

fn instead(failed: &[&LoadPoint]) -> Culprit {
    let is_own = |point: &&LoadPoint| matches!(point.culprit, Some(Culprit::Tool | Culprit::ThisMachine));
    if failed.iter().all(is_own) { Culprit::ThisMachine } else { Culprit::NotKnown }
}

fn others_percent(point: &LoadPoint) -> Option<f64> {
    point.limit.as_ref()?.others_percent().filter(|percent| *percent >= OTHERS_PERCENT)
}

#[cfg(test)]
mod tests {
    use super::super::{Limit, LimitFinding, LimitStep, Measure, Seen};
    use super::*;
    use crate::test_figures::vda_point;

    fn point(culprit: Option<Culprit>, verdict: LimitVerdict, others: Option<f64>) -> LoadPoint {
        let seen = |value| Seen { measure: Measure::OthersPercent, value, threshold: Some(50.0) };
        let finding = |value| LimitFinding {
            step: LimitStep::Client,
            at: None,
            seen: vec![seen(value)],
            rules: Vec::new(),
        };
        let contributing = others.map(finding).into_iter().collect();
        let limit = Some(Limit { verdict, contributing, ..Limit::default() });
        LoadPoint { culprit, limit, ..vda_point(1, 1.0, None) }
    }

    #[test]
    fn storage_without_counter_evidence_is_culprit_only_by_elimination() {
        let storage = |verdict| point(Some(Culprit::Storage), verdict, None);
        let (found, nothing) = (storage(LimitVerdict::Found), storage(LimitVerdict::NothingStoodOut));
        let of = |points: &[LoadPoint]| TrialEvidence::of(points).counters_show_storage;
        assert!(of(&[found.clone(), found.clone(), nothing.clone()]));
        assert!(!of(&[found.clone(), nothing.clone()]));
        assert!(!of(&[nothing, storage(LimitVerdict::NotKnown)]));
        // The limit of a trial that passed is no evidence, and without counters there is none.
        assert!(!of(&[point(None, LimitVerdict::Found, None)]));
        assert!(!of(&[LoadPoint { limit: None, ..found }]));
    }

    #[test]
    fn other_culprit_is_named_if_counters_clear_the_storage() {
        let booked = |culprit| point(Some(culprit), LimitVerdict::NotKnown, None);
        let of = |culprits: &[Culprit]| {
            let points: Vec<_> = culprits.iter().map(|culprit| booked(*culprit)).collect();
            TrialEvidence::of(&points).instead_of_storage
        };
        assert_eq!(of(&[Culprit::ThisMachine, Culprit::Tool]), Some(Culprit::ThisMachine));
        assert_eq!(of(&[Culprit::ThisMachine, Culprit::NotKnown]), Some(Culprit::NotKnown));
        assert_eq!(of(&[Culprit::ThisMachine, Culprit::Storage]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn other_programs_are_reported_if_busy_in_most_failed_trials() {
        let failed = |others| point(Some(Culprit::Storage), LimitVerdict::NothingStoodOut, others);
        let of = |points: &[LoadPoint]| TrialEvidence::of(points).others_percent;
        assert_eq!(of(&[failed(Some(97.0)), failed(Some(61.0)), failed(None)]), Some((61.0, 97.0)));
        assert_eq!(of(&[failed(Some(97.0)), failed(None)]), None);
        assert_eq!(of(&[failed(Some(20.0))]), None);
        assert_eq!(of(&[point(None, LimitVerdict::NothingLimited, Some(99.0)), failed(None)]), None);
        assert_eq!(of(&[]), None);
    }
}
