//! A search for people in a hurry: the count of streams at the limit, in three or four trials.
//!
//! The search of `--find-max` ([`reelgauge_workload::search`]) takes as many trials as certainty needs. A
//! first look has seconds, so it uses what that search must not: the rate that the storage reached in a trial
//! that fell says where to try next. Only what was played without a late frame is ever claimed.
//!
//! Pure: trials are made elsewhere.

/// The span between the count that passed and the one that fell is small enough at a twentieth.
const CLOSE_ENOUGH: u32 = 20;
/// So many trials are made even beyond the time, as long as nothing has passed.
const TRIALS_FOR_ONE: u32 = 6;

/// How a trial went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Nothing was late and all streams got what they need.
    pub passed: bool,
    /// What all streams together got.
    pub bytes_per_s: f64,
    /// How long it took.
    pub took_s: f64,
}

/// What is known so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrowing {
    needed_bytes_per_s: f64,
    cap: u32,
    time_max_s: f64,
    next_guess: u32,
    /// The largest count that passed.
    passed: u32,
    /// The smallest count that fell.
    fell: Option<u32>,
    trials: u32,
    spent_s: f64,
    longest_s: f64,
}

impl Narrowing {
    /// For streams that need so much each, on storage that seems to give `expected_bytes_per_s`; up to `cap`
    /// streams, for about `time_max_s`.
    pub fn new(needed_bytes_per_s: f64, expected_bytes_per_s: f64, cap: u32, time_max_s: f64) -> Narrowing {
        let needed_bytes_per_s = needed_bytes_per_s.max(1.0);
        Narrowing {
            needed_bytes_per_s,
            cap: cap.max(1),
            time_max_s,
            next_guess: (expected_bytes_per_s / needed_bytes_per_s) as u32,
            passed: 0,
            fell: None,
            trials: 0,
            spent_s: 0.0,
            longest_s: 0.0,
        }
    }

    /// How many streams to try; `None` when it is enough.
    pub fn next(&self) -> Option<u32> {
        let Some(fell) = self.fell else {
            let next =
                if self.trials == 0 { self.next_guess } else { self.passed + (self.passed / 3).max(1) };
            return (self.passed < self.cap && self.has_time()).then_some(next.clamp(1, self.cap));
        };
        let span = fell - self.passed;
        if span <= (self.passed / CLOSE_ENOUGH).max(1) || !self.has_time() {
            return None;
        }
        let between = self.passed + 1..=fell - 1;
        let middle = self.passed + span / 2;
        Some(if between.contains(&self.next_guess) { self.next_guess } else { middle })
    }

    /// Takes the outcome of a trial with the count that was asked for.
    pub fn report(&mut self, streams: u32, tried: Tried) {
        self.trials += 1;
        self.spent_s += tried.took_s;
        self.longest_s = self.longest_s.max(tried.took_s);
        if tried.passed {
            self.passed = self.passed.max(streams);
        } else {
            self.fell = Some(self.fell.map_or(streams, |fell| fell.min(streams)));
            self.next_guess = (tried.bytes_per_s / self.needed_bytes_per_s) as u32;
        }
        // Noise: what passed above one that fell is not claimed.
        if let Some(fell) = self.fell
            && self.passed >= fell
        {
            self.passed = fell - 1;
        }
    }

    /// The count that may be claimed.
    pub fn streams(&self) -> u32 {
        self.passed
    }

    /// Whether a larger count was tried and fell.
    pub fn has_limit(&self) -> bool {
        self.fell.is_some()
    }

    fn has_time(&self) -> bool {
        let in_time = self.spent_s + self.longest_s <= self.time_max_s;
        in_time || (self.passed == 0 && self.trials < TRIALS_FOR_ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL_S: f64 = 1.9;

    /// Storage that gives `capacity` streams' worth: the counts tried, the answer, whether it has a limit.
    fn look(expected: f64, capacity: f64, cap: u32) -> (Vec<u32>, u32, bool) {
        let mut narrowing = Narrowing::new(1e6, expected * 1e6, cap, 7.0);
        let mut asked = Vec::new();
        while let Some(streams) = narrowing.next() {
            asked.push(streams);
            assert!(asked.len() < 20, "{asked:?}");
            let wanted = f64::from(streams);
            narrowing.report(
                streams,
                Tried {
                    passed: wanted <= capacity,
                    bytes_per_s: wanted.min(capacity) * 1e6,
                    took_s: TRIAL_S,
                },
            );
        }
        (asked, narrowing.streams(), narrowing.has_limit())
    }

    #[test]
    fn what_a_fallen_trial_reached_leads_to_the_limit() {
        assert_eq!(look(40.0, 31.5, 500), (vec![40, 31, 35], 31, true));
        assert_eq!(look(31.0, 31.5, 500), (vec![31, 41, 36], 31, true));
        // So few that the next one is the limit.
        assert_eq!(look(2.0, 1.3, 500), (vec![2, 1], 1, true));
        assert_eq!(look(0.2, 1.3, 500), (vec![1, 2], 1, true));
    }

    #[test]
    fn not_even_one_and_no_limit() {
        assert_eq!(look(3.0, 0.5, 500), (vec![3, 1], 0, true));
        assert_eq!(look(900.0, 9_000.0, 500), (vec![500], 500, false));
        assert_eq!(look(100.0, 9_000.0, 500), (vec![100, 133, 177], 177, false));
    }

    #[test]
    fn late_frames_at_full_rate_are_halved_down() {
        // It gives all the rate that is asked, but beyond 5 streams something is late.
        let mut narrowing = Narrowing::new(1e6, 64e6, 500, 7.0);
        let mut trials = 0;
        while let Some(streams) = narrowing.next() {
            let bytes_per_s = f64::from(streams) * 1e6;
            narrowing.report(streams, Tried { passed: streams <= 5, bytes_per_s, took_s: TRIAL_S });
            trials += 1;
        }
        // Beyond the time, until something passes.
        assert_eq!((narrowing.streams(), trials), (4, 5));
    }

    #[test]
    fn what_passed_above_a_fall_is_not_claimed() {
        let mut narrowing = Narrowing::new(1e6, 10e6, 500, 60.0);
        let tried = |passed| Tried { passed, bytes_per_s: 8e6, took_s: TRIAL_S };
        narrowing.report(10, tried(true));
        narrowing.report(8, tried(false));
        assert_eq!((narrowing.streams(), narrowing.has_limit()), (7, true));
    }
}
