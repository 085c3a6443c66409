//! A search for people in a hurry: the count of streams at the limit, in two or three trials, and how far off
//! that may be.
//!
//! The search of `--find-max` ([`reelgauge_workload::search`]) takes as many trials as certainty needs. A
//! first look has seconds, so it uses what that search must not: the rate that the storage reached says where
//! to try. Only what was played or recorded without a late frame is ever claimed; a count that fell although
//! more was expected is tried again before it counts.
//!
//! Pure: trials are made elsewhere.

/// The span between the count that passed and the one that fell is small enough at a twentieth.
const CLOSE_ENOUGH: u32 = 20;
/// A trial of a second and a half sees margins fall when storage gives so much less than is needed.
const TRIAL_ERROR: f64 = 0.03;
/// A rate that was reached by streams too many is that of the storage, up or down by this share.
const RATE_ERROR: f64 = 0.05;
/// A count that needs less than this share of what was expected must not fall at once.
const SURPRISING_SHARE: f64 = 0.85;
/// Nor one that moves less than this share of it.
const DISTURBED_SHARE: f64 = 0.60;
/// Storage that is asked for more than this many times what it gives may give less than it gives to fewer
/// streams: they stand in each other's way. Its rate is no bound then.
pub const FAR_OVER: f64 = 1.5;
/// From this count on, a first trial that fell far over its rate is not made again: fewer streams say more.
const MANY: u32 = 20;
/// So many trials are made even beyond the time, as long as nothing has passed.
const TRIALS_FOR_ONE: usize = 6;

/// How a trial went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Nothing was late, and no margins fell.
    pub passed: bool,
    /// If not, this machine or nobody known was to blame: it says nothing of the storage.
    pub storage_is_acquitted: bool,
    /// What all streams together moved.
    pub bytes_per_s: f64,
    /// How long it took.
    pub took_s: f64,
}

/// What is known so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowing {
    needed_bytes_per_s: f64,
    expected_bytes_per_s: f64,
    cap: u32,
    time_max_s: f64,
    trials: Vec<(u32, Tried)>,
    claimable: u32,
    refuted_from: Option<u32>,
    refuted_by_others_from: Option<u32>,
    sustained: u32,
}

impl Narrowing {
    /// For streams that need so much each, on storage that seems to give `expected_bytes_per_s`; up to `cap`
    /// streams, for about `time_max_s`.
    pub fn new(needed_bytes_per_s: f64, expected_bytes_per_s: f64, cap: u32, time_max_s: f64) -> Narrowing {
        let needed_bytes_per_s = needed_bytes_per_s.max(1.0);
        Narrowing {
            needed_bytes_per_s,
            expected_bytes_per_s,
            cap: cap.max(1),
            time_max_s,
            trials: Vec::new(),
            claimable: u32::MAX,
            refuted_from: None,
            refuted_by_others_from: None,
            sustained: 0,
        }
    }

    /// No more than so many may be claimed, whatever passes a short trial: storage that bursts, and the
    /// buffers of the players, hide for a while that the rate is too low.
    pub fn claim_up_to(&mut self, most: u32) {
        self.claimable = most;
    }

    /// From this count on, streams failed while they were held for longer than a trial.
    pub fn refute_from(&mut self, count: u32) {
        let count = count.max(1);
        self.refuted_from = Some(self.refuted_from.map_or(count, |known| known.min(count)));
    }

    /// From this count on, streams need more than others got that were overloaded. No more than that is
    /// claimed, and it is no limit of this format: none of its own streams failed.
    pub fn refute_by_others_from(&mut self, count: u32) {
        self.refuted_by_others_from = Some(count.max(1));
    }

    /// So many streams were held for long enough: a short trial in which they or fewer failed was disturbed.
    pub fn sustain(&mut self, count: u32) {
        self.sustained = self.sustained.max(count);
    }

    /// How many streams to try; `None` when it is enough.
    pub fn next(&self) -> Option<u32> {
        let Some(&(last, tried)) = self.trials.last() else {
            return Some(self.expected().min(self.claimable).clamp(1, self.cap));
        };
        if last == 1 && !tried.passed && self.tries(1) == 1 {
            // "Not even one" takes a second trial, whatever the time.
            return Some(1);
        }
        if !self.has_time() {
            return None;
        }
        if !tried.passed && self.is_surprising(last, &tried) {
            // A first trial only had the rate of a few workers to go by.
            let is_repeated = last < MANY || self.trials.len() > 1 || !self.is_far_over(last, &tried);
            return Some(if is_repeated { last } else { middle(self.reached().max(1), last) });
        }
        let passed = self.passed_most();
        let Some(fell) = self.fell() else {
            return (passed < self.cap).then_some((passed + (passed / 10).max(1)).min(self.cap));
        };
        let span = fell - passed;
        if span <= (passed / CLOSE_ENOUGH).max(1) {
            return None;
        }
        let (between, reached) = (passed + 1..=fell - 1, self.reached());
        let far = self.overloaded().is_none() && passed > 0;
        Some(match between.contains(&reached) {
            true => reached,
            false if far => middle(passed, fell).clamp(passed + 1, fell - 1),
            false => passed + span / 2,
        })
    }

    /// Takes the outcome of a trial with the count that was asked for.
    pub fn report(&mut self, streams: u32, tried: Tried) {
        self.trials.push((streams, tried));
    }

    /// The count that may be claimed: the largest that passed, below every one that fell. What more streams
    /// passed, fewer pass, too.
    pub fn streams(&self) -> u32 {
        self.passed_most().min(self.claimable)
    }

    /// The largest count that passed a trial, below every one that fell.
    pub fn passed_most(&self) -> u32 {
        let below = self.fell().into_iter().chain(self.refuted_by_others_from).min().unwrap_or(u32::MAX);
        let passed = self.trials.iter().map(|(streams, _)| *streams);
        let passed = passed.filter(|streams| *streams < below && !self.falls(*streams)).max().unwrap_or(0);
        passed.max(self.sustained)
    }

    /// How often a single stream failed by the storage's fault: in trials, and while it was held.
    pub fn times_one_failed(&self) -> usize {
        let failed = |tried: &Tried| !tried.passed && !tried.storage_is_acquitted;
        let ones = self.trials.iter().filter(|(streams, tried)| *streams == 1 && failed(tried));
        ones.count() + usize::from(self.refuted_from == Some(1))
    }

    /// Whether a trial failed by the storage's fault in which streams got less than this. Not one of streams
    /// far too many.
    pub fn failed_below(&self, bytes_per_s: f64) -> bool {
        self.trials.iter().any(|(streams, tried)| {
            let failed = !tried.passed && !tried.storage_is_acquitted && self.falls(*streams);
            failed && !self.is_far_over(*streams, tried) && tried.bytes_per_s < bytes_per_s
        })
    }

    /// The smallest count of which a trial failed, where that limits what may be claimed.
    pub fn failed_from(&self) -> Option<u32> {
        let contested = self.contested().map(|_| self.streams());
        self.fell().into_iter().chain(contested).min()
    }

    /// One more than may be claimed, where no limit is known and so many could be tried.
    pub fn above(&self) -> Option<u32> {
        let more = self.streams() + 1;
        (!self.has_limit() && more <= self.cap).then_some(more)
    }

    /// The smallest count that failed a short trial by the storage's fault.
    pub fn failed_least(&self) -> Option<u32> {
        let failed = self.trials.iter().filter(|(_, tried)| !tried.passed && !tried.storage_is_acquitted);
        failed.map(|(streams, _)| *streams).filter(|streams| self.falls(*streams)).min()
    }

    /// Whether the count that may be claimed failed one trial by the storage's fault.
    pub fn is_contested(&self) -> bool {
        self.contested().is_some()
    }

    /// How many streams more or less it may be.
    pub fn error(&self) -> u32 {
        let streams = self.streams();
        let below = (f64::from(streams) * TRIAL_ERROR).ceil() as u32;
        // A count that passed and fell is held up by what it got when it fell.
        let got = self.contested().map(|tried| (tried.bytes_per_s / self.needed_bytes_per_s) as u32);
        let below = below.max(got.map_or(0, |got| streams - got.min(streams)));
        let Some(fell) = self.fell() else {
            return below;
        };
        let rate_most = self.overloaded().map(|rate| rate * (1.0 + RATE_ERROR) / self.needed_bytes_per_s);
        // The largest that can be: one less than what fell, and no more than what the storage gave then.
        let most = rate_most.map_or(fell - 1, |most| (most as u32).clamp(streams, fell - 1));
        below.max(most - streams)
    }

    /// Whether a larger count was tried and fell, or this one fell as well as it passed.
    pub fn has_limit(&self) -> bool {
        self.fell().is_some() || self.contested().is_some()
    }

    /// The trial in which the count that may be claimed fell by the storage, though it passed another.
    fn contested(&self) -> Option<&Tried> {
        let claimed = self.streams();
        let of_it = self.trials.iter().filter(|(streams, _)| *streams == claimed && claimed > self.sustained);
        of_it.map(|(_, tried)| tried).find(|tried| !tried.passed && !tried.storage_is_acquitted)
    }

    /// The smallest count that fell.
    fn fell(&self) -> Option<u32> {
        let counts = self.trials.iter().map(|(streams, _)| *streams);
        counts.filter(|streams| self.falls(*streams)).chain(self.refuted_from).min()
    }

    /// Whether a count fell more often than it passed.
    fn falls(&self, streams: u32) -> bool {
        let of_it = || self.trials.iter().filter(|(count, _)| *count == streams && streams > self.sustained);
        let passes = of_it().filter(|(_, tried)| tried.passed).count();
        of_it().count() > 2 * passes
    }

    /// Whether a count that just fell should have passed, or fell through no fault of the storage. Not when
    /// another fell twice: then the expectation is wrong.
    fn is_surprising(&self, streams: u32, tried: &Tried) -> bool {
        let fell_twice = self.trials.iter().any(|(count, _)| self.tries(*count) > 1 && self.falls(*count));
        let needed = f64::from(streams) * self.needed_bytes_per_s;
        let expected = needed < SURPRISING_SHARE * self.expected_bytes_per_s
            || tried.bytes_per_s < DISTURBED_SHARE * self.expected_bytes_per_s;
        let more_passed = self.trials.iter().any(|(count, tried)| tried.passed && *count >= streams);
        self.tries(streams) == 1 && !fell_twice && (expected || more_passed || tried.storage_is_acquitted)
    }

    fn tries(&self, streams: u32) -> usize {
        self.trials.iter().filter(|(count, _)| *count == streams).count()
    }

    /// Whether so many streams needed far more than they got.
    fn is_far_over(&self, streams: u32, tried: &Tried) -> bool {
        f64::from(streams) * self.needed_bytes_per_s > FAR_OVER * tried.bytes_per_s
    }

    /// What the storage gave to streams too many; the most of it. `None` where all were far too many.
    fn overloaded(&self) -> Option<f64> {
        let fallen = self.trials.iter().filter(|(streams, tried)| {
            !tried.passed && self.falls(*streams) && !self.is_far_over(*streams, tried)
        });
        fallen.map(|(_, tried)| tried.bytes_per_s).max_by(f64::total_cmp)
    }

    /// The count that the storage reached in the last trial.
    fn reached(&self) -> u32 {
        self.trials.last().map_or(0, |(_, tried)| (tried.bytes_per_s / self.needed_bytes_per_s) as u32)
    }

    fn expected(&self) -> u32 {
        (self.expected_bytes_per_s / self.needed_bytes_per_s) as u32
    }

    fn has_time(&self) -> bool {
        let spent_s = self.trials.iter().map(|(_, tried)| tried.took_s).sum::<f64>();
        let longest_s = self.trials.iter().map(|(_, tried)| tried.took_s).fold(0.0, f64::max);
        let in_time = spent_s + longest_s <= self.time_max_s;
        let says_nothing = self.trials.last().is_some_and(|(_, tried)| tried.storage_is_acquitted);
        let may_be_one = self.fell() != Some(1) || says_nothing;
        in_time || (self.passed_most() == 0 && self.trials.len() < TRIALS_FOR_ONE && may_be_one)
    }
}

/// As many times the one as the other is times it.
fn middle(less: u32, more: u32) -> u32 {
    (f64::from(less) * f64::from(more)).sqrt() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL_S: f64 = 1.9;

    fn tried(passed: bool, bytes_per_s: f64) -> Tried {
        Tried { passed, storage_is_acquitted: false, bytes_per_s, took_s: TRIAL_S }
    }

    /// Storage that gives `capacity` streams' worth, in so many seconds; `disturbed` trials fall in any case.
    fn narrowed(
        expected: f64,
        capacity: f64,
        cap: u32,
        time_s: f64,
        disturbed: &[usize],
    ) -> (Vec<u32>, Narrowing) {
        let mut narrowing = Narrowing::new(1e6, expected * 1e6, cap, time_s);
        let mut asked = Vec::new();
        while let Some(streams) = narrowing.next() {
            assert!(asked.len() < 20, "{asked:?}");
            let wanted = f64::from(streams);
            let passed = wanted <= capacity && !disturbed.contains(&asked.len());
            asked.push(streams);
            let share = if disturbed.contains(&(asked.len() - 1)) { 0.5 } else { 1.0 };
            let bytes_per_s = wanted.min(capacity) * share * 1e6;
            narrowing.report(streams, tried(passed, bytes_per_s));
        }
        (asked, narrowing)
    }

    fn look(expected: f64, capacity: f64, cap: u32) -> (Vec<u32>, u32, bool) {
        let (asked, narrowing) = narrowed(expected, capacity, cap, 7.0, &[]);
        (asked, narrowing.streams(), narrowing.has_limit())
    }

    #[test]
    fn what_a_fallen_trial_reached_leads_to_the_limit() {
        assert_eq!(look(40.0, 31.5, 500), (vec![40, 31, 35], 31, true));
        assert_eq!(look(31.0, 31.5, 500), (vec![31, 34, 32], 31, true));
        // So few that the next one is the limit.
        assert_eq!(look(2.0, 1.3, 500), (vec![2, 1], 1, true));
        assert_eq!(look(0.2, 1.3, 500), (vec![1, 2], 1, true));
    }

    #[test]
    fn a_rate_that_collapses_under_too_many_streams_is_no_bound() {
        // 319 streams get what 67 need, and 200 are sustained.
        let mut narrowing = Narrowing::new(14e6, 4_577e6, 319, 7.0);
        let mut asked = Vec::new();
        while let Some(streams) = narrowing.next() {
            asked.push(streams);
            let passed = streams <= 200;
            let bytes_per_s = if passed { f64::from(streams) * 14e6 } else { 942e6 };
            narrowing.report(streams, Tried { passed, ..tried(passed, bytes_per_s) });
        }
        assert_eq!(asked, [319, 146, 215]);
        let most = narrowing.streams() + narrowing.error();
        assert!(narrowing.streams() <= 200 && most >= 200, "{} to {most}", narrowing.streams());
    }

    #[test]
    fn a_count_that_passed_and_fell_is_no_lower_bound() {
        let mut narrowing = Narrowing::new(1e6, 15e6, 500, 2.0 * TRIAL_S);
        narrowing.report(15, tried(false, 9e6));
        narrowing.report(15, tried(true, 15e6));
        assert_eq!(narrowing.next(), None);
        assert_eq!((narrowing.streams(), narrowing.error(), narrowing.has_limit()), (15, 6, true));
    }

    #[test]
    fn not_even_one_and_no_limit() {
        // None is said only after a second trial.
        assert_eq!(look(0.9, 0.5, 500), (vec![1, 1], 0, true));
        assert_eq!(look(900.0, 9_000.0, 500), (vec![500], 500, false));
        assert_eq!(look(100.0, 9_000.0, 500), (vec![100, 110, 121], 121, false));
    }

    #[test]
    fn the_error_holds_the_truth() {
        for tenths in 8..600 {
            let capacity = f64::from(tenths) / 10.0;
            for expected in [capacity * 0.7, capacity * 0.95, capacity * 1.05, capacity * 1.6] {
                let (asked, narrowing) = narrowed(expected, capacity, 500, 4.0, &[]);
                let (found, error) = (narrowing.streams(), narrowing.error());
                let off = (capacity as u32).abs_diff(found);
                assert!(
                    !narrowing.has_limit() || off <= error,
                    "{capacity} {expected}: {found} ± {error}, {asked:?}"
                );
                assert!(found <= capacity as u32);
            }
        }
    }

    #[test]
    fn a_count_that_falls_although_more_was_expected_is_tried_again() {
        // The first trial is disturbed. It used to be the answer: none.
        let (asked, narrowing) = narrowed(5.0, 5.5, 500, 10.0, &[0]);
        assert_eq!((narrowing.streams(), &asked[..2]), (5, [5, 5].as_slice()), "{asked:?}");
        let (asked, narrowing) = narrowed(40.0, 31.5, 500, 10.0, &[1]);
        assert_eq!(asked[..3], [40, 31, 31]);
        assert!(narrowing.streams().abs_diff(31) <= narrowing.error(), "{asked:?}");
    }

    #[test]
    fn what_was_no_fault_of_the_storage_is_tried_again() {
        // One stream at the full rate that it needs, beyond the time: only the culprit speaks for another.
        let second = |storage_is_acquitted| {
            let mut narrowing = Narrowing::new(1e6, 1.1e6, 500, 1.0);
            narrowing.report(1, Tried { storage_is_acquitted, ..tried(false, 1e6) });
            narrowing.next()
        };
        assert_eq!((second(true), second(false)), (Some(1), Some(1)));
        // Twice is enough.
        let mut narrowing = Narrowing::new(1e6, 1.1e6, 500, 1.0);
        (0..2).for_each(|_| {
            narrowing.report(1, Tried { storage_is_acquitted: true, ..tried(false, 1e6) });
        });
        assert_eq!(narrowing.next(), None);
    }

    #[test]
    fn not_even_one_takes_two_trials() {
        let mut narrowing = Narrowing::new(92e6, 99e6, 500, 4.3);
        narrowing.report(1, tried(false, 80e6));
        assert_eq!(narrowing.times_one_failed(), 1);
        assert_eq!(narrowing.next(), Some(1), "beyond the time, too");
        narrowing.report(1, tried(false, 80e6));
        assert!(narrowing.times_one_failed() == 2 && narrowing.next().is_none());
        // Held for longer, one was sustained: both trials were disturbed.
        narrowing.sustain(1);
        assert_eq!((narrowing.streams(), narrowing.has_limit(), narrowing.error()), (1, false, 1));
        // Held for longer, one is one trial, too.
        let mut held = Narrowing::new(92e6, 99e6, 500, 4.3);
        held.refute_from(1);
        assert_eq!(held.times_one_failed(), 1);
    }

    #[test]
    fn streams_of_other_formats_are_no_limit_of_this_one() {
        let mut narrowing = Narrowing::new(14e6, 250e6, 500, 4.0);
        narrowing.report(17, tried(true, 238e6));
        narrowing.report(18, tried(true, 252e6));
        narrowing.refute_by_others_from(18);
        assert_eq!((narrowing.streams(), narrowing.has_limit(), narrowing.failed_from()), (17, false, None));
        // Its own is, and its error comes from its own trials.
        narrowing.report(20, tried(false, 250e6));
        assert_eq!(
            (narrowing.streams(), narrowing.has_limit(), narrowing.failed_from()),
            (17, true, Some(20))
        );
        assert_eq!(narrowing.error(), 1);
        // Far too many streams confirm nothing.
        let mut crowd = Narrowing::new(14e6, 4_577e6, 500, 4.0);
        crowd.report(319, tried(false, 942e6));
        assert!(!crowd.failed_below(f64::INFINITY) && narrowing.failed_below(252e6));
        assert!(!narrowing.failed_below(250e6));
    }

    #[test]
    fn late_frames_at_full_rate_are_halved_down() {
        // It gives all the rate that is asked, but beyond 5 streams something is late.
        let mut narrowing = Narrowing::new(1e6, 64e6, 500, 7.0);
        while let Some(streams) = narrowing.next() {
            let bytes_per_s = f64::from(streams) * 1e6;
            narrowing.report(streams, tried(streams <= 5, bytes_per_s));
            assert!(narrowing.trials.len() < 20);
        }
        // Beyond the time, until something passes.
        assert_eq!(narrowing.streams(), 4);
    }

    #[test]
    fn no_more_is_claimed_than_the_sustained_rate_allows_whatever_passes() {
        let mut narrowing = Narrowing::new(92e6, 277e6, 500, 4.0);
        narrowing.claim_up_to(2);
        assert_eq!(narrowing.next(), Some(2));
        narrowing.report(2, tried(true, 184e6));
        assert_eq!(narrowing.next(), Some(3));
        narrowing.report(3, tried(true, 277e6));
        assert_eq!((narrowing.streams(), narrowing.passed_most(), narrowing.has_limit()), (2, 3, false));
        // Held, it fails.
        narrowing.refute_from(3);
        assert_eq!((narrowing.streams(), narrowing.passed_most(), narrowing.has_limit()), (2, 2, true));
        // Held, it passes.
        let mut held = Narrowing::new(92e6, 277e6, 500, 4.0);
        held.claim_up_to(0);
        held.report(3, tried(true, 277e6));
        assert_eq!((held.streams(), held.next()), (0, Some(4)));
        held.claim_up_to(3);
        assert_eq!(held.streams(), 3);
    }

    #[test]
    fn what_passed_above_a_fall_is_not_claimed() {
        let mut narrowing = Narrowing::new(1e6, 10e6, 500, 3.0);
        narrowing.report(10, tried(true, 8e6));
        narrowing.report(8, tried(false, 8e6));
        assert_eq!((narrowing.streams(), narrowing.has_limit()), (0, true));
    }
}
