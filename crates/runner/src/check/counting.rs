//! The count of one format during its measurement: its short trials, and counts that were held for
//! longer.

use reelgauge_analysis::limit::CountLimit;
use reelgauge_analysis::sustained::{HOLD_ERROR, SustainedRate};
use reelgauge_analysis::{CheckBasis, Culprit};
use reelgauge_workload::search::{Search, SearchError, Trial};

use super::agreement::Counted;
use super::budget::{TRIAL_TIMES, Times};
use super::level::Level;
use super::load::PointLoad;
use super::longer_trials::Standing;

/// A count that failed at less than this share of the sustained rate is limited by its frames' layout,
/// not by the rate.
const FAR_BELOW_SHARE: f64 = 0.9;

/// A limit with an error above this part of the count is not stated.
const VAGUE: u32 = 2;
/// For counts below this, an error of one exceeds that part.
const FEW: u32 = 6;

#[derive(Debug)]
pub struct Counting {
    pub(super) load: PointLoad,
    pub(super) search: Search,
    /// The count that the set limit allows.
    pub(super) allowed: Option<u32>,
    pub(super) known: Known,
}

/// Facts in addition to the trials of the search.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The component that failed the last failed trial.
    pub(super) culprit: Option<Culprit>,
    /// Whether a trial was interrupted.
    pub(super) stopped: bool,
    /// The largest count that may be claimed, whatever passes a short trial: bursts of the storage and
    /// the players' buffers hide for a while that the rate is too low.
    claimable: Option<u32>,
    /// From this count on, streams need more than overloaded streams of other formats received. That is
    /// no limit of this format: none of its streams failed.
    refuted_by_others_from: Option<u32>,
    /// Counts that were held for longer than a trial, with any result.
    tried: Vec<u32>,
    held_s: Option<f64>,
    /// The smallest count that failed while it was held without an overload, for example because the
    /// storage paused.
    shaken: Option<u32>,
    /// Counts that were held and overloaded by the storage, and the rate that they received.
    overloaded: Vec<(u32, SustainedRate)>,
}

impl Counting {
    pub(super) fn new(load: PointLoad, search: Search, allowed: Option<u32>) -> Counting {
        Counting { load, search, allowed, known: Known::default() }
    }

    fn needed_bytes_per_s(&self) -> f64 {
        self.load.bytes_per_s()
    }

    /// The largest count that passed. A smaller count then passes, too.
    fn passed(&self) -> u32 {
        self.search.sure().min(self.known.refuted_by_others_from.map_or(u32::MAX, |count| count - 1))
    }

    /// The count that may be claimed.
    pub(super) fn claim(&self) -> u32 {
        self.passed().min(self.known.claimable.unwrap_or(u32::MAX))
    }

    /// The smallest count with a failed trial, if that limits the claim.
    fn failed_from(&self) -> Option<u32> {
        let claim = self.claim();
        let contested = self.search.is_contested(claim).then_some(claim);
        self.search.failed_from().into_iter().chain(contested).min()
    }

    /// Takes facts that all formats share into account.
    pub(super) fn share(&mut self, level: &Level) {
        let needed = self.needed_bytes_per_s();
        let held = self.search.held();
        let known = (f64::from(held) * (1.0 - HOLD_ERROR)) as u32;
        let own =
            self.known.overloaded.iter().map(|(_, got)| (got.least_bytes_per_s() / needed.max(1.0)) as u32);
        let of_rate = own.chain([level.claimable(needed)]).min();
        self.known.claimable = of_rate.map(|count| count.max(known));
        self.known.refuted_by_others_from = level.refuted_from(needed).map(|count| count.max(held + 1));
    }

    /// This count was held without a late frame.
    ///
    /// # Errors
    /// If `count` is larger than can be tried.
    pub(super) fn held(&mut self, count: u32, times: Times, is_long_enough: bool) -> Result<(), SearchError> {
        self.known.tried.push(count);
        if !is_long_enough {
            return Ok(());
        }
        self.known.held_s = Some(times.measured.as_secs_f64());
        self.search.report(count, Trial { passed: true, confirms: true, ..Trial::default() })
    }

    /// This count failed while it was held, because of this client or for an unknown reason.
    pub(super) fn failed(&mut self, count: u32) {
        self.known.tried.push(count);
    }

    /// This count failed while it was held, because of the storage; the rate is what it received if it
    /// was overloaded.
    ///
    /// # Errors
    /// If `count` is larger than can be tried.
    pub(super) fn failed_by_storage(
        &mut self,
        count: u32,
        got: Option<SustainedRate>,
        culprit: Culprit,
    ) -> Result<(), SearchError> {
        let Some(got) = got else {
            self.failed(count);
            self.known.shaken = Some(self.known.shaken.map_or(count, |known| known.min(count)));
            return Ok(());
        };
        self.known.overloaded.push((count, got));
        self.collapsed(count, culprit)
    }

    /// This count failed while it was held, at a rate far below that of a lighter load: it is no
    /// evidence about smaller counts.
    ///
    /// # Errors
    /// If `count` is larger than can be tried.
    pub(super) fn collapsed(&mut self, count: u32, culprit: Culprit) -> Result<(), SearchError> {
        self.failed(count);
        self.known.culprit = Some(culprit);
        self.search.report(count, Trial { confirms: true, ..Trial::default() })
    }

    /// The state of the count. `implied` is the count that other formats imply.
    pub(super) fn standing(&self, level: &Level, implied: Option<u32>) -> Standing {
        let above = self.claim() + 1;
        Standing {
            needed_bytes_per_s: self.needed_bytes_per_s(),
            claim: self.claim(),
            passed: self.passed(),
            basis: self.basis(level),
            above: (self.failed_from().is_none() && above <= self.search.cap()).then_some(above),
            implied: implied.map(|count| count.min(self.search.cap())),
            tried: self.known.tried.clone(),
        }
    }

    /// The evidence for the count that may be claimed.
    fn basis(&self, level: &Level) -> CheckBasis {
        let (claim, held) = (self.claim(), self.search.held());
        let needed = self.needed_bytes_per_s();
        if held > 0 && held >= claim {
            return CheckBasis::Held;
        }
        let failed = self.search.failed_least().map(|count| f64::from(count) * needed);
        let far_below = failed.is_some_and(|rate| rate < FAR_BELOW_SHARE * level.least_bytes_per_s());
        let own = !self.known.overloaded.is_empty();
        let by_rate = level.is_sustained() && claim <= level.claimable(needed) && (own || !far_below);
        let shaken = self.known.shaken.is_some_and(|count| count <= claim);
        match by_rate && !shaken && !self.search.is_contested(claim) {
            true => CheckBasis::SustainedRate,
            false => CheckBasis::ShortTrial,
        }
    }

    pub(super) fn counted(&self, level: &Level) -> Counted {
        let (streams, failed_from) = (self.claim(), self.failed_from());
        let error = self.search.error(streams);
        let limit = match CountLimit::of_trial(self.known.culprit.filter(|_| failed_from.is_some())) {
            CountLimit::Time if self.known.stopped => CountLimit::Stopped,
            CountLimit::Time if self.allowed == Some(streams) => CountLimit::Culprit(Culprit::MaxRate),
            limit => limit,
        };
        let is_confirmed = is_confirmed(&self.known.overloaded, &self.search, self.needed_bytes_per_s());
        // Zero is a limit like any other: one failed trial does not prove it.
        let times = self.search.times_failed(1) + u32::from(level.is_below(self.needed_bytes_per_s()));
        let is_unknown = streams == 0 && !is_confirmed && times < 2;
        // The limit may be anywhere up to there: state no number.
        let is_vague = failed_from.is_some() && error > streams.max(FEW) / VAGUE;
        let limit =
            if is_vague && !self.known.stopped && !limit.is_open() { CountLimit::Time } else { limit };
        let at_least = failed_from.is_none() || limit.is_open() || self.known.stopped || is_unknown;
        let basis = self.basis(level);
        // The sustained rate is no less than that.
        let is_bound = at_least && basis != CheckBasis::ShortTrial;
        let held_s = self.known.held_s.filter(|_| basis == CheckBasis::Held);
        Counted {
            streams,
            error: if is_bound { 0 } else { error },
            at_least,
            needed_mb_per_s: self.needed_bytes_per_s() / 1e6,
            limit,
            basis,
            held_s: (streams > 0).then_some(held_s.unwrap_or(TRIAL_TIMES.measured.as_secs_f64())),
            failed_from,
            is_confirmed,
            own_limit: false,
        }
    }
}

/// Whether a limit is confirmed: streams beyond the count were held and overloaded by the storage, and
/// another trial of the same format agrees. In that trial they failed because of the storage as well,
/// and received less than the held ones need. One failure may be chance.
///
/// `overloaded` are the counts that were held and overloaded, with the rate that they received.
fn is_confirmed(overloaded: &[(u32, SustainedRate)], trials: &Search, needed_bytes_per_s: f64) -> bool {
    let Some(refuted) = overloaded.iter().map(|(count, _)| *count).min() else { return false };
    let needed = f64::from(refuted) * needed_bytes_per_s;
    let agree = overloaded.iter().filter(|(_, got)| got.most_bytes_per_s() < needed);
    agree.count() > 1 || trials.failed_below(f64::from(refuted))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::search::SearchSettings;

    use super::*;

    fn trials(failed: &[(u32, f64)], limited_by_client: bool) -> Search {
        let expected = Some(10.0);
        let mut search =
            Search::new(SearchSettings { cap: 500, expected, ..SearchSettings::default() }).unwrap();
        for (streams, mb_per_s) in failed {
            let reached = Some(mb_per_s / 10.0);
            search.report(*streams, Trial { limited_by_client, reached, ..Trial::default() }).unwrap();
        }
        search
    }

    fn got(counts: &[(u32, f64)]) -> Vec<(u32, SustainedRate)> {
        let of = |(count, mb_per_s): &(u32, f64)| {
            (*count, SustainedRate { mb_per_s: *mb_per_s, ..SustainedRate::default() })
        };
        counts.iter().map(of).collect()
    }

    #[test]
    fn one_failure_confirms_no_limit() {
        let none = trials(&[], false);
        let eleven = got(&[(11, 90.0)]);
        assert!(!is_confirmed(&[], &trials(&[(11, 90.0)], false), 10e6), "nothing was held");
        assert!(!is_confirmed(&eleven, &none, 10e6));
        // A second trial of the held streams, or a short trial.
        assert!(is_confirmed(&got(&[(11, 90.0), (11, 95.0)]), &none, 10e6));
        assert!(is_confirmed(&eleven, &trials(&[(12, 95.0)], false), 10e6));
        // It received more than the held streams need, failed because of this client, or had far too many
        // streams.
        assert!(!is_confirmed(&got(&[(11, 90.0), (13, 115.0)]), &none, 10e6));
        assert!(!is_confirmed(&eleven, &trials(&[(13, 115.0)], false), 10e6));
        assert!(!is_confirmed(&eleven, &trials(&[(12, 95.0)], true), 10e6));
        assert!(!is_confirmed(&eleven, &trials(&[(300, 95.0)], false), 10e6));
    }
}
