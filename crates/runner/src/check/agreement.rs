//! Whether the counts of one quick check agree with each other and with the sequential rate of the same work.
//!
//! Every count is a statement on MB/s. Streams that were sustained need a rate, which every other format can
//! use as well: it *implies* a count of that format. A count with a limit must not be smaller than the count
//! that is implied. The exception is a limit that was confirmed ([`super::counting`] says what that is).
//! Frames of that format then reach less on this storage, and the count is marked.
//!
//! A limit is contradicted only where streams of the format failed at a rate that others sustained. Where
//! none failed below the implied count, the two agree within the error, or the limit lies further up: the
//! count is a lower bound.
//!
//! A contradiction is tried again while there is time ([`super::holding`]). What remains is settled here: the
//! less certain statement becomes wider, or loses its limit. None becomes a larger promise. Pure.

/// A count, as far as other counts can contradict it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stated {
    /// Each stream needs so much.
    pub needed_mb_per_s: f64,
    pub streams: u32,
    /// So many more or less it may be.
    pub error: u32,
    /// No limit is known.
    pub at_least: bool,
    /// More than a short trial speaks for it.
    pub is_sustained: bool,
    /// The smallest count of which a trial failed; `None` where none did.
    pub failed_from: Option<u32>,
    /// The limit was confirmed.
    pub is_confirmed: bool,
    /// What became of it here.
    pub standing: Agreement,
}

/// How a count stands beside the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Agreement {
    /// It agrees with them.
    #[default]
    Agrees,
    /// Its limit was confirmed, although other counts imply more.
    OwnLimit,
    /// So many streams, or fewer than others sustained the rate of, failed; that was not confirmed.
    Contradicted,
}

impl Stated {
    /// No less than this was played or recorded.
    fn least_mb_per_s(&self) -> f64 {
        f64::from(self.streams.saturating_sub(self.error)) * self.needed_mb_per_s
    }

    /// How many of its streams need no more than this rate.
    fn implied(&self, mb_per_s: f64) -> u32 {
        (mb_per_s / self.needed_mb_per_s.max(1e-6)) as u32
    }

    /// Whether its limit is a statement that others can contradict.
    fn is_open_to_doubt(&self) -> bool {
        !self.at_least && !self.is_confirmed
    }

    /// The largest count that it says is possible.
    fn most(&self) -> u32 {
        self.streams.saturating_add(self.error)
    }

    /// Takes the rate that others sustained. See the module.
    fn settle(&mut self, sustained_mb_per_s: f64) {
        let implied = self.implied(sustained_mb_per_s);
        if implied <= self.streams {
            return;
        }
        let is_contradicted = self.failed_from.is_some_and(|failed| failed <= implied);
        match (is_contradicted, self.is_confirmed) {
            (true, true) => self.standing = Agreement::OwnLimit,
            (true, false) => (self.at_least, self.standing) = (true, Agreement::Contradicted),
            (false, _) => self.at_least = implied > self.most(),
        }
        if self.at_least && self.is_sustained {
            self.error = 0;
        }
    }
}

/// The rate that is known to be sustained: of the counts that rest on more than a short trial, and of the
/// sequential rate.
fn sustained_mb_per_s(counts: &[Stated], level_mb_per_s: Option<f64>) -> f64 {
    let sustained = counts.iter().filter(|count| count.is_sustained).map(Stated::least_mb_per_s);
    sustained.chain(level_mb_per_s).fold(0.0, f64::max)
}

/// For each count with an unconfirmed limit that others contradict: the count that they imply.
pub fn implied(counts: &[Stated], level_mb_per_s: Option<f64>) -> Vec<Option<u32>> {
    let passed = counts.iter().map(Stated::least_mb_per_s).fold(0.0, f64::max);
    let most = sustained_mb_per_s(counts, level_mb_per_s).max(passed);
    let of = |count: &Stated| {
        let implied = count.implied(most);
        (count.is_open_to_doubt() && implied > count.streams).then_some(implied)
    };
    counts.iter().map(of).collect()
}

/// Makes all counts agree. See the module.
pub fn settle(counts: &mut [Stated], level_mb_per_s: Option<f64>) {
    // Without its limit, a count promises what it was played with: that may contradict another one.
    for _ in 0..=counts.len() {
        let most = sustained_mb_per_s(counts, level_mb_per_s);
        counts.iter_mut().filter(|count| !count.at_least).for_each(|count| count.settle(most));
    }
    settle_short(counts);
}

/// The same of counts that rest on a short trial: each is as wide as its contradiction.
fn settle_short(counts: &mut [Stated]) {
    for one in 0..counts.len() {
        for other in 0..counts.len() {
            let (passed, limited) = (counts[one], counts[other]);
            let implied = limited.implied(passed.least_mb_per_s());
            if one == other || passed.is_sustained || limited.at_least || implied <= limited.most() {
                continue;
            }
            let is_own = limited.standing == Agreement::OwnLimit;
            let (at, wider) = if is_own || limited.is_confirmed || limited.is_sustained {
                // Counted down, not divided: rounding must not leave one too many.
                let fits = |streams: &u32| {
                    limited.implied(f64::from(*streams) * passed.needed_mb_per_s) <= limited.most()
                };
                let least = (0..=passed.streams).rev().find(fits).unwrap_or(0);
                (one, Stated { error: passed.error.max(passed.streams - least), ..passed })
            } else {
                (other, Stated { error: implied - limited.streams, ..limited })
            };
            counts[at] = wider;
        }
    }
    // None, or some: that is unknown.
    for count in counts.iter_mut().filter(|count| count.streams == 0 && count.error > 0) {
        (count.at_least, count.error) = (true, 0);
        if count.standing == Agreement::OwnLimit {
            count.standing = Agreement::Agrees;
        }
    }
}

/// Whether no count contradicts another one, or the sequential rate.
#[cfg(test)]
fn agree(counts: &[Stated], level_mb_per_s: Option<f64>) -> bool {
    let rates = counts.iter().map(Stated::least_mb_per_s);
    let rates = rates.chain(level_mb_per_s).collect::<Vec<_>>();
    counts.iter().filter(|count| !count.at_least).all(|count| {
        let is_explained = count.standing == Agreement::OwnLimit;
        is_explained || rates.iter().all(|rate| count.implied(*rate) <= count.most())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stated(streams: u32, error: u32, needed_mb_per_s: f64, at_least: bool) -> Stated {
        Stated {
            needed_mb_per_s,
            streams,
            error,
            at_least,
            is_sustained: true,
            failed_from: (!at_least).then_some(streams + 1),
            is_confirmed: false,
            standing: Agreement::Agrees,
        }
    }

    #[test]
    fn counts_of_one_storage_agree() {
        let steady = [(29, 1, 14.0), (17, 1, 23.0), (6, 1, 62.0), (4, 1, 91.0), (4, 1, 92.0)];
        let mut steady = steady.map(|(streams, error, each)| stated(streams, error, each, false));
        let before = steady;
        settle(&mut steady, Some(400.0));
        assert_eq!(steady, before);
        assert!(implied(&steady, Some(400.0)).iter().all(Option::is_none));
    }

    #[test]
    fn a_limit_below_what_others_sustain_is_tried_again_and_then_dropped() {
        // 9 of 92.2 MB/s beside at least 11 of 91.0: those need 1,001 MB/s, which is 10 of 92.2.
        let mut counts = [stated(11, 0, 91.0, true), stated(9, 1, 92.2, false)];
        assert_eq!(implied(&counts, None), [None, Some(10)]);
        settle(&mut counts, None);
        let open = Stated { error: 0, at_least: true, ..stated(9, 1, 92.2, false) };
        assert_eq!(counts[1], Stated { standing: Agreement::Contradicted, ..open });
        // Where more than 10 failed, 10 may pass: that is no contradiction, and within the error.
        let agrees = Stated { failed_from: Some(11), ..stated(9, 1, 92.2, false) };
        let mut counts = [stated(11, 0, 91.0, true), agrees];
        settle(&mut counts, None);
        assert_eq!(counts[1], agrees);
        // Without that error its limit lies further up.
        let narrow = Stated { error: 0, ..agrees };
        let mut counts = [stated(11, 0, 91.0, true), narrow];
        settle(&mut counts, None);
        assert_eq!(counts[1], Stated { at_least: true, ..narrow });
        // Confirmed, it is the format's own.
        let confirmed = Stated { is_confirmed: true, ..stated(9, 1, 92.2, false) };
        let mut counts = [stated(11, 0, 91.0, true), confirmed];
        assert_eq!(implied(&counts, None), [None, None]);
        settle(&mut counts, None);
        assert_eq!(counts[1], Stated { standing: Agreement::OwnLimit, ..confirmed });
    }

    #[test]
    fn none_beside_a_rate_that_carries_one_is_unknown() {
        let mut none = [Stated { is_sustained: false, ..stated(0, 0, 92.2, false) }];
        assert_eq!(implied(&none, Some(118.0)), [Some(1)]);
        settle(&mut none, Some(118.0));
        assert_eq!((none[0].at_least, none[0].streams), (true, 0));
    }

    #[test]
    fn short_trials_become_as_wide_as_their_contradiction() {
        let short = |count: Stated| Stated { is_sustained: false, ..count };
        // Two short trials: the one with the limit.
        let mut counts = [short(stated(16, 1, 14.0, false)), short(stated(1, 0, 92.0, false))];
        settle(&mut counts, None);
        assert_eq!([counts[0].error, counts[1].error], [1, 1]);
        // As many of 92.2 MB/s, which is no round number.
        let confirmed = Stated { is_confirmed: true, ..short(stated(24, 1, 92.2, false)) };
        let mut counts = [short(stated(32, 0, 92.2, false)), confirmed];
        settle(&mut counts, None);
        assert!(agree(&counts, None) && counts[0].error == 7, "{counts:#?}");
        // A short trial beside a limit that is better founded: the short trial.
        let mut counts = [short(stated(16, 0, 14.0, true)), stated(1, 0, 92.0, false)];
        settle(&mut counts, None);
        // Nothing of it failed.
        assert_eq!((counts[0].error, counts[0].standing), (3, Agreement::Agrees));
    }

    fn any_count() -> impl Strategy<Value = Stated> {
        let needed = prop::sample::select(vec![14.0, 23.0, 62.7, 91.0, 92.2]);
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        (needed, 0..60_u32, 0..8_u32, 0..9_u32, flags).prop_map(
            |(needed, streams, error, failed, (at_least, is_sustained, is_confirmed))| {
                let error = if at_least && is_sustained { 0 } else { error };
                let failed_from = (!at_least).then_some(streams + failed);
                Stated { is_sustained, is_confirmed, failed_from, ..stated(streams, error, needed, at_least) }
            },
        )
    }

    proptest! {
        #[test]
        fn settled_counts_agree_and_none_promises_more_than_was_seen(
            counts in prop::collection::vec(any_count(), 0..6),
            level in prop::option::of(1.0..2_000.0_f64),
        ) {
            let mut settled = counts.clone();
            settle(&mut settled, level);
            prop_assert!(agree(&settled, level), "{settled:#?}");
            for (before, after) in counts.iter().zip(&settled) {
                prop_assert_eq!(before.streams, after.streams);
                prop_assert!(!before.at_least || after.at_least);
                // What passed a short trial alone never gets narrower, unless it is unknown now.
                let is_wider = after.error >= before.error || after.at_least;
                prop_assert!(is_wider, "{before:?} {after:?}");
                // What is said to have failed at a rate that others sustained did.
                let sustained = sustained_mb_per_s(&settled, level);
                let failed = after.failed_from.is_some_and(|failed| failed <= after.implied(sustained));
                prop_assert!(after.standing == Agreement::Agrees || failed, "{after:?} {sustained}");
                let is_own = after.standing == Agreement::OwnLimit;
                prop_assert!(!is_own || after.is_confirmed && !after.at_least, "{after:?}");
                prop_assert!(after.standing != Agreement::Contradicted || after.at_least, "{after:?}");
            }
        }
    }
}
