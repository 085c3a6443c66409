//! The count of one format while it is found: its short trials, and those that were held for longer.

use reelgauge_analysis::limit::CountLimit;
use reelgauge_analysis::sustained::{HOLD_ERROR, SustainedRate};
use reelgauge_analysis::{CheckBasis, Culprit};

use super::agreement::Agreement;
use super::budget::TRIAL_TIMES;
use super::findings::Counted;
use super::holding::Standing;
use super::level::Level;
use super::load::PointLoad;
use super::narrowing::Narrowing;

/// A count that failed at less than this share of the sustained rate is limited by how its frames lie, not by
/// the rate.
const FAR_BELOW_SHARE: f64 = 0.9;

/// A limit that is further off than this part of the count is not stated.
const VAGUE: u32 = 2;
/// Of counts below this, an error of one is more than that part.
const FEW: u32 = 6;

#[derive(Debug)]
pub struct Counting {
    pub(super) load: PointLoad,
    pub(super) narrowing: Narrowing,
    /// The limit that was set allows so many.
    pub(super) allowed: Option<u32>,
    /// Whose fault the last trial was that failed.
    pub(super) culprit: Option<Culprit>,
    /// Whether it was stopped in the middle.
    pub(super) stopped: bool,
    evidence: Held,
}

/// What the trials that were held for longer showed.
#[derive(Debug, Default)]
struct Held {
    passed: Option<(u32, f64)>,
    tried: Vec<u32>,
    /// The smallest count that failed through no overload: the storage stood still, say.
    shaken: Option<u32>,
    /// Counts that were overloaded by the storage's fault, and the most that they got.
    overloaded: Vec<(u32, f64)>,
    /// What this format's own streams got while they were held and failed.
    sustained_bytes_per_s: Option<f64>,
}

impl Counting {
    pub(super) fn new(load: PointLoad, narrowing: Narrowing, allowed: Option<u32>) -> Counting {
        Counting { load, narrowing, allowed, culprit: None, stopped: false, evidence: Held::default() }
    }

    fn needed_bytes_per_s(&self) -> f64 {
        self.load.bytes_per_s()
    }

    /// Takes what all formats share into account.
    pub(super) fn share(&mut self, level: &Level) {
        let needed = self.needed_bytes_per_s();
        let held = self.evidence.passed.map_or(0, |(count, _)| count);
        let known = (f64::from(held) * (1.0 - HOLD_ERROR)) as u32;
        let of_rate = level.claimable(needed);
        let own = self.evidence.sustained_bytes_per_s.map(|bytes| (bytes / needed.max(1.0)) as u32);
        self.narrowing.claim_up_to(own.map_or(of_rate, |own| own.min(of_rate)).max(known));
        if let Some(count) = level.refuted_from(needed) {
            self.narrowing.refute_by_others_from(count.max(held + 1));
        }
    }

    /// So many were held for so long without a late frame.
    pub(super) fn held(&mut self, count: u32, held_s: f64, is_long_enough: bool) {
        self.evidence.tried.push(count);
        if !is_long_enough {
            return;
        }
        self.narrowing.sustain(count);
        if self.evidence.passed.is_none_or(|(passed, _)| passed < count) {
            self.evidence.passed = Some((count, held_s));
        }
    }

    /// So many failed while they were held, by this machine's fault or an unknown one.
    pub(super) fn failed(&mut self, count: u32) {
        self.evidence.tried.push(count);
    }

    /// So many failed while they were held, by the storage's fault; this is what they got where it was
    /// overloaded.
    pub(super) fn failed_by_storage(&mut self, count: u32, got: Option<&SustainedRate>, culprit: Culprit) {
        self.failed(count);
        let Some(got) = got else {
            self.evidence.shaken = Some(self.evidence.shaken.map_or(count, |known| known.min(count)));
            return;
        };
        self.narrowing.refute_from(count);
        self.culprit = Some(culprit);
        self.evidence.overloaded.push((count, got.most_bytes_per_s()));
        let least = got.least_bytes_per_s();
        let known = self.evidence.sustained_bytes_per_s;
        self.evidence.sustained_bytes_per_s = Some(known.map_or(least, |known| known.min(least)));
    }

    /// So many failed while they were held, at a rate far below what the storage gives to a lighter load: it
    /// says nothing of fewer.
    pub(super) fn collapsed(&mut self, count: u32, culprit: Culprit) {
        self.failed(count);
        self.narrowing.refute_from(count);
        self.culprit = Some(culprit);
    }

    pub(super) fn standing(&self, level: &Level) -> Standing {
        Standing {
            needed_bytes_per_s: self.needed_bytes_per_s(),
            claim: self.narrowing.streams(),
            passed: self.narrowing.passed_most(),
            basis: self.basis(level),
            above: self.narrowing.above(),
            implied: None,
            tried: self.evidence.tried.clone(),
        }
    }

    /// What the count that may be claimed rests on.
    fn basis(&self, level: &Level) -> CheckBasis {
        let claim = self.narrowing.streams();
        let needed = self.needed_bytes_per_s();
        if self.evidence.passed.is_some_and(|(held, _)| held >= claim) {
            return CheckBasis::Held;
        }
        let own = self.evidence.sustained_bytes_per_s.is_some();
        let failed = self.narrowing.failed_least().map(|count| f64::from(count) * needed);
        let far_below = failed.is_some_and(|rate| rate < FAR_BELOW_SHARE * level.least_bytes_per_s());
        let by_rate = level.is_sustained() && claim <= level.claimable(needed) && (own || !far_below);
        let shaken = self.evidence.shaken.is_some_and(|count| count <= claim);
        match by_rate && !shaken && !self.narrowing.is_contested() {
            true => CheckBasis::SustainedRate,
            false => CheckBasis::ShortTrial,
        }
    }

    pub(super) fn counted(&self, level: &Level) -> Counted {
        let narrowing = &self.narrowing;
        let limit = match CountLimit::of_trial(self.culprit.filter(|_| narrowing.has_limit())) {
            CountLimit::Time if self.stopped => CountLimit::Stopped,
            CountLimit::Time if self.allowed == Some(narrowing.streams()) => {
                CountLimit::Culprit(Culprit::MaxRate)
            }
            limit => limit,
        };
        // Not even one stream is a limit like any other: one failed trial does not show it.
        let times = narrowing.times_one_failed() + usize::from(level.is_below(self.needed_bytes_per_s()));
        let is_unknown = narrowing.streams() == 0 && !self.is_limit_confirmed() && times < 2;
        // The limit lies anywhere up to there: no number.
        let is_vague = narrowing.has_limit() && narrowing.error() > narrowing.streams().max(FEW) / VAGUE;
        let limit = if is_vague && !self.stopped && !limit.is_open() { CountLimit::Time } else { limit };
        let at_least = !narrowing.has_limit() || limit.is_open() || self.stopped || is_unknown;
        let basis = self.basis(level);
        // What is known to be sustained is no less than that.
        let is_bound = at_least && basis != CheckBasis::ShortTrial;
        let held = self.evidence.passed.filter(|_| basis == CheckBasis::Held);
        let held_s = held.map_or(TRIAL_TIMES.measured.as_secs_f64(), |(_, held_s)| held_s);
        Counted {
            streams: narrowing.streams(),
            error: if is_bound { 0 } else { narrowing.error() },
            at_least,
            needed_mb_per_s: self.needed_bytes_per_s() / 1e6,
            limit,
            basis,
            held_s: (narrowing.streams() > 0).then_some(held_s),
            failed_from: narrowing.failed_from(),
            is_confirmed: self.is_limit_confirmed(),
            standing: Agreement::Agrees,
        }
    }

    fn is_limit_confirmed(&self) -> bool {
        is_confirmed(&self.evidence.overloaded, &self.narrowing, self.needed_bytes_per_s())
    }
}

/// What "confirmed" means of a limit: streams beyond the count were held and were overloaded by the storage's
/// fault, and another trial of the same format agrees. In that one they failed by the storage's fault as
/// well, and got less than the held ones need. One failure may be chance.
///
/// `overloaded` are the counts that were held and overloaded, with the most that they got.
fn is_confirmed(overloaded: &[(u32, f64)], trials: &Narrowing, needed_bytes_per_s: f64) -> bool {
    let Some(refuted) = overloaded.iter().map(|(count, _)| *count).min() else { return false };
    let needed = f64::from(refuted) * needed_bytes_per_s;
    let agree = overloaded.iter().filter(|(_, most_bytes_per_s)| *most_bytes_per_s < needed);
    agree.count() > 1 || trials.failed_below(needed)
}

#[cfg(test)]
mod tests {
    use super::super::narrowing::Tried;
    use super::*;

    fn trials(failed: &[(u32, f64)], storage_is_acquitted: bool) -> Narrowing {
        let mut trials = Narrowing::new(10e6, 100e6, 500, 4.0);
        for (streams, mb_per_s) in failed {
            let bytes_per_s = mb_per_s * 1e6;
            trials.report(*streams, Tried { passed: false, storage_is_acquitted, bytes_per_s, took_s: 1.9 });
        }
        trials
    }

    #[test]
    fn one_failure_confirms_no_limit() {
        let none = trials(&[], false);
        assert!(!is_confirmed(&[], &trials(&[(11, 90.0)], false), 10e6), "nothing was held");
        assert!(!is_confirmed(&[(11, 90e6)], &none, 10e6));
        // A second one of the held streams, or a short trial.
        assert!(is_confirmed(&[(11, 90e6), (11, 95e6)], &none, 10e6));
        assert!(is_confirmed(&[(11, 90e6)], &trials(&[(12, 95.0)], false), 10e6));
        // It got what the held ones lacked, was this client's fault, or was of far too many streams.
        assert!(!is_confirmed(&[(11, 90e6), (13, 115e6)], &none, 10e6));
        assert!(!is_confirmed(&[(11, 90e6)], &trials(&[(13, 115.0)], false), 10e6));
        assert!(!is_confirmed(&[(11, 90e6)], &trials(&[(12, 95.0)], true), 10e6));
        assert!(!is_confirmed(&[(11, 90e6)], &trials(&[(300, 95.0)], false), 10e6));
    }
}
