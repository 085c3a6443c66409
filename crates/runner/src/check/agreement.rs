//! Whether the counts of one quick check agree with each other and with the sequential rate of the same
//! work.
//!
//! Every count implies a rate in MB/s. Streams that were sustained need a rate, which every other format
//! can use as well: it *implies* a count of that format. A count with a limit must not be smaller than
//! the count that is implied. The exception is a confirmed limit ([`super::counting`] defines that).
//! Frames of that format then reach less on this storage, and the count is marked.
//!
//! A limit is contradicted only if streams of the format failed at a rate that others sustained. If none
//! failed below the implied count, the two agree within the error, or the limit is higher: the count is
//! a lower bound.
//!
//! A contradiction is tried again while there is time ([`super::longer_trials`]). The rest is settled here:
//! the less certain statement becomes wider, or loses its limit. None becomes a larger promise. Pure.

use reelgauge_analysis::facts::CheckBasis;
use reelgauge_analysis::limit::CountLimit;

/// A count at the limit of one format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// The count that passed.
    pub streams: u32,
    /// The error of the count.
    pub error: u32,
    /// Whether it is a lower bound: no limit is known.
    pub at_least: bool,
    /// The rate that each stream needs.
    pub needed_mb_per_s: f64,
    /// The limit that ended it.
    pub limit: CountLimit,
    /// The evidence for the count.
    pub basis: CheckBasis,
    /// How long this count was held; `None` if it was not.
    pub held_s: Option<f64>,
    /// The smallest count with a failed trial; `None` without one.
    pub failed_from: Option<u32>,
    /// Whether the limit was confirmed.
    pub is_confirmed: bool,
    /// Whether the limit was confirmed, although other counts imply more.
    pub own_limit: bool,
}

impl Counted {
    /// Whether the evidence is more than a short trial.
    fn is_sustained(&self) -> bool {
        self.basis != CheckBasis::ShortTrial
    }

    /// The rate that was certainly played or recorded.
    fn least_mb_per_s(&self) -> f64 {
        f64::from(self.streams.saturating_sub(self.error)) * self.needed_mb_per_s
    }

    /// How many of its streams need no more than this rate.
    fn implied(&self, mb_per_s: f64) -> u32 {
        (mb_per_s / self.needed_mb_per_s.max(1e-6)) as u32
    }

    /// The largest count that it admits.
    fn most(&self) -> u32 {
        self.streams.saturating_add(self.error)
    }

    /// Removes its limit.
    pub fn open(&mut self, limit: CountLimit) {
        (self.at_least, self.limit) = (true, limit);
        if self.is_sustained() {
            self.error = 0;
        }
    }

    /// Takes the rate that others sustained; the module describes the rules.
    fn settle(&mut self, sustained_mb_per_s: f64) {
        let implied = self.implied(sustained_mb_per_s);
        if implied <= self.streams {
            return;
        }
        let is_contradicted = self.failed_from.is_some_and(|failed| failed <= implied);
        match (is_contradicted, self.is_confirmed) {
            (true, true) => self.own_limit = true,
            (true, false) => self.open(CountLimit::Contradicted),
            (false, _) if implied > self.most() => self.open(CountLimit::Time),
            (false, _) => {}
        }
    }
}

/// The rate that is known to be sustained: by counts with more evidence than a short trial, and by the
/// sequential rate.
fn sustained_mb_per_s(counts: &[Option<Counted>], level_mb_per_s: Option<f64>) -> f64 {
    let sustained = counts.iter().flatten().filter(|count| count.is_sustained());
    sustained.map(Counted::least_mb_per_s).chain(level_mb_per_s).fold(0.0, f64::max)
}

/// For each count with an unconfirmed limit that others contradict: the count that they imply.
pub fn implied(counts: &[Option<Counted>], level_mb_per_s: Option<f64>) -> Vec<Option<u32>> {
    let passed = counts.iter().flatten().map(Counted::least_mb_per_s).fold(0.0, f64::max);
    let most = sustained_mb_per_s(counts, level_mb_per_s).max(passed);
    let of = |count: &Counted| {
        let implied = count.implied(most);
        (!count.at_least && !count.is_confirmed && implied > count.streams).then_some(implied)
    };
    counts.iter().map(|count| count.as_ref().and_then(of)).collect()
}

/// Makes all counts agree; the module describes the rules.
pub fn settle(counts: &mut [Option<Counted>], level_mb_per_s: Option<f64>) {
    // Without its limit, a count promises the rate it was played at, which may contradict another one.
    for _ in 0..=counts.len() {
        let most = sustained_mb_per_s(counts, level_mb_per_s);
        let limited = counts.iter_mut().flatten().filter(|count| !count.at_least);
        limited.for_each(|count| count.settle(most));
    }
    settle_short(counts);
}

/// The same for counts from a short trial: the range of each becomes as wide as its contradiction.
fn settle_short(counts: &mut [Option<Counted>]) {
    for one in 0..counts.len() {
        for other in 0..counts.len() {
            let (Some(passed), Some(limited)) = (counts[one], counts[other]) else { continue };
            let implied = limited.implied(passed.least_mb_per_s());
            if one == other || passed.is_sustained() || limited.at_least || implied <= limited.most() {
                continue;
            }
            let (at, wider) = if limited.is_confirmed || limited.is_sustained() {
                // Counts down instead of dividing, because rounding must not leave one stream too many.
                let fits = |streams: &u32| {
                    limited.implied(f64::from(*streams) * passed.needed_mb_per_s) <= limited.most()
                };
                let least = (0..=passed.streams).rev().find(fits).unwrap_or(0);
                (one, Counted { error: passed.error.max(passed.streams - least), ..passed })
            } else {
                (other, Counted { error: implied - limited.streams, ..limited })
            };
            counts[at] = Some(wider);
        }
    }
    // If none passed, zero with an error means unknown.
    for count in counts.iter_mut().flatten().filter(|count| count.streams == 0 && count.error > 0) {
        if !count.at_least {
            count.open(CountLimit::Time);
        }
        (count.error, count.own_limit) = (0, false);
    }
}

/// Whether no count contradicts another one, or the sequential rate.
#[cfg(test)]
fn agree(counts: &[Option<Counted>], level_mb_per_s: Option<f64>) -> bool {
    let rates = counts.iter().flatten().map(Counted::least_mb_per_s);
    let rates = rates.chain(level_mb_per_s).collect::<Vec<_>>();
    counts
        .iter()
        .flatten()
        .filter(|count| !count.at_least)
        .all(|count| count.own_limit || rates.iter().all(|rate| count.implied(*rate) <= count.most()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reelgauge_analysis::Culprit;

    use super::*;

    fn stated(streams: u32, error: u32, needed_mb_per_s: f64, at_least: bool) -> Counted {
        Counted {
            streams,
            error,
            at_least,
            needed_mb_per_s,
            limit: if at_least { CountLimit::Time } else { CountLimit::Culprit(Culprit::Storage) },
            basis: CheckBasis::Held,
            held_s: None,
            failed_from: (!at_least).then_some(streams + 1),
            is_confirmed: false,
            own_limit: false,
        }
    }

    fn settled<const N: usize>(counts: [Counted; N], level_mb_per_s: Option<f64>) -> [Counted; N] {
        let mut settled = counts.map(Some);
        settle(&mut settled, level_mb_per_s);
        std::array::from_fn(|at| settled[at].unwrap_or(counts[at]))
    }

    #[test]
    fn counts_of_one_storage_agree() {
        let steady = [(29, 1, 14.0), (17, 1, 23.0), (6, 1, 62.0), (4, 1, 91.0), (4, 1, 92.0)];
        let steady = steady.map(|(streams, error, each)| stated(streams, error, each, false));
        assert_eq!(settled(steady, Some(400.0)), steady);
        assert!(implied(&steady.map(Some), Some(400.0)).iter().all(Option::is_none));
    }

    #[test]
    fn limit_below_sustained_rates_is_retried_then_dropped() {
        // 9 of 92.2 MB/s and at least 11 of 91.0: those need 1,001 MB/s, which is 10 of 92.2.
        let (eleven, nine) = (stated(11, 0, 91.0, true), stated(9, 1, 92.2, false));
        assert_eq!(implied(&[Some(eleven), Some(nine)], None), [None, Some(10)]);
        let open = Counted { error: 0, at_least: true, limit: CountLimit::Contradicted, ..nine };
        assert_eq!(settled([eleven, nine], None)[1], open);
        // If more than 10 failed, 10 may pass: that is no contradiction, and within the error.
        let agrees = Counted { failed_from: Some(11), ..nine };
        assert_eq!(settled([eleven, agrees], None)[1], agrees);
        // Without that error, the upper bound of its limit is higher.
        let narrow = Counted { error: 0, ..agrees };
        let further = Counted { at_least: true, limit: CountLimit::Time, ..narrow };
        assert_eq!(settled([eleven, narrow], None)[1], further);
        // Confirmed, it is the format's own.
        let confirmed = Counted { is_confirmed: true, ..nine };
        assert_eq!(implied(&[Some(eleven), Some(confirmed)], None), [None, None]);
        assert_eq!(settled([eleven, confirmed], None)[1], Counted { own_limit: true, ..confirmed });
    }

    #[test]
    fn a_count_of_none_with_a_rate_for_one_is_unknown() {
        let none = Counted { basis: CheckBasis::ShortTrial, ..stated(0, 0, 92.2, false) };
        assert_eq!(implied(&[Some(none)], Some(118.0)), [Some(1)]);
        let [none] = settled([none], Some(118.0));
        assert_eq!((none.at_least, none.streams), (true, 0));
    }

    #[test]
    fn short_trials_become_as_wide_as_their_contradiction() {
        let short = |count: Counted| Counted { basis: CheckBasis::ShortTrial, ..count };
        // Of two short trials, the one with the limit changes.
        let counts = [short(stated(16, 1, 14.0, false)), short(stated(1, 0, 92.0, false))];
        assert_eq!(settled(counts, None).map(|count| count.error), [1, 1]);
        // A rate of 92.2 MB/s, which is no round number.
        let confirmed = Counted { is_confirmed: true, ..short(stated(24, 1, 92.2, false)) };
        let counts = settled([short(stated(32, 0, 92.2, false)), confirmed], None);
        assert!(agree(&counts.map(Some), None) && counts[0].error == 7, "{counts:#?}");
        // A short trial and a limit with better evidence: the short trial changes.
        let [short, _] = settled([short(stated(16, 0, 14.0, true)), stated(1, 0, 92.0, false)], None);
        // None of its trials failed.
        assert_eq!((short.error, short.own_limit), (3, false));
    }

    fn any_count() -> impl Strategy<Value = Counted> {
        let needed = prop::sample::select(vec![14.0, 23.0, 62.7, 91.0, 92.2]);
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        (needed, 0..60_u32, 0..8_u32, 0..9_u32, flags).prop_map(
            |(needed, streams, error, failed, (at_least, is_sustained, is_confirmed))| {
                let error = if at_least && is_sustained { 0 } else { error };
                let failed_from = (!at_least).then_some(streams + failed);
                let basis = if is_sustained { CheckBasis::Held } else { CheckBasis::ShortTrial };
                Counted { basis, is_confirmed, failed_from, ..stated(streams, error, needed, at_least) }
            },
        )
    }

    proptest! {
        #[test]
        fn settled_counts_agree_and_none_promises_more_than_was_seen(
            counts in prop::collection::vec(prop::option::of(any_count()), 0..6),
            level in prop::option::of(1.0..2_000.0_f64),
        ) {
            let mut settled = counts.clone();
            settle(&mut settled, level);
            prop_assert!(agree(&settled, level), "{settled:#?}");
            for (before, after) in counts.iter().flatten().zip(settled.iter().flatten()) {
                prop_assert_eq!(before.streams, after.streams);
                prop_assert!(!before.at_least || after.at_least);
                // A count from a short trial alone never gets narrower, unless it is now unknown.
                let is_wider = after.error >= before.error || after.at_least;
                prop_assert!(is_wider, "{before:?} {after:?}");
                // A count marked as failed at a rate that others sustained did fail there.
                let sustained = sustained_mb_per_s(&settled, level);
                let failed = after.failed_from.is_some_and(|failed| failed <= after.implied(sustained));
                let is_contradicted = after.limit == CountLimit::Contradicted;
                prop_assert!(!is_contradicted && !after.own_limit || failed, "{after:?} {sustained}");
                prop_assert!(!after.own_limit || after.is_confirmed && !after.at_least, "{after:?}");
                // An open count names no limit, and vice versa.
                prop_assert_eq!(after.at_least, after.limit.is_open());
            }
        }
    }
}
