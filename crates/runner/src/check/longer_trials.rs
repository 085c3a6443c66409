//! The counts that a quick check holds for longer, in the time that is left after the short trials.
//!
//! First a count that other counts or the sequential rate imply, and that the format's own limit
//! contradicts. Then a count beyond the sustained rate, which is proved only by holding it; its rate is
//! then evidence for the other formats, too. Then the count of the headline, which is that of the
//! heaviest format with at least one stream. If no limit is known, one more stream is held: the rate that
//! an overload receives is a limit for all formats. Then the counts from a short trial alone. Before
//! those, a limit that others still contradict is held a second time: one failure does not confirm it.
//! Pure.

use reelgauge_analysis::CheckBasis;

/// The number of failed trials that confirm a limit.
pub const CONFIRMED_BY: usize = 2;

/// The state of the count of one format.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The rate that each stream needs.
    pub needed_bytes_per_s: f64,
    /// The count that may be claimed.
    pub claim: u32,
    /// The largest count that passed a short trial.
    pub passed: u32,
    /// The evidence for the claim.
    pub basis: CheckBasis,
    /// One more than the claim, if no limit is known and that many could be played.
    pub above: Option<u32>,
    /// The count that others imply, if it contradicts its limit.
    pub implied: Option<u32>,
    /// Counts that were held, with any result.
    pub tried: Vec<u32>,
}

impl Standing {
    fn beyond(&self) -> Option<u32> {
        (self.passed > self.claim && !self.tried.contains(&self.passed)).then_some(self.passed)
    }

    /// The implied count, if it was held fewer times than this.
    fn contradicted(&self, times: usize) -> Option<u32> {
        let held = |count: &u32| self.tried.iter().filter(|tried| *tried == count).count();
        self.implied.filter(|count| held(count) < times)
    }

    fn own(&self) -> Option<u32> {
        let is_open = self.claim > 0 && self.basis != CheckBasis::Held && !self.tried.contains(&self.claim);
        is_open.then_some(self.claim)
    }
}

/// The format whose limit is contradicted most, and its implied count, if that was held fewer times than
/// this.
pub fn next_contradiction(standings: &[Option<Standing>], times: usize) -> Option<(usize, u32)> {
    let contradicted = standings.iter().enumerate().filter_map(|(at, standing)| {
        let standing = standing.as_ref()?;
        let count = standing.contradicted(times)?;
        Some((at, count, f64::from(count) / f64::from(standing.claim.max(1))))
    });
    contradicted.max_by(|one, other| one.2.total_cmp(&other.2)).map(|(at, count, _)| (at, count))
}

/// The index of a format, lightest first, and the number of its streams to hold.
pub fn next_hold(standings: &[Option<Standing>]) -> Option<(usize, u32)> {
    let each = || standings.iter().enumerate().filter_map(|(at, standing)| Some((at, standing.as_ref()?)));
    let rate = |(at, count): &(usize, u32)| {
        standings[*at].as_ref().map_or(0.0, |standing| f64::from(*count) * standing.needed_bytes_per_s)
    };
    let beyond = || {
        let counts = each().filter_map(|(at, standing)| Some((at, standing.beyond()?)));
        counts.max_by(|one, other| rate(one).total_cmp(&rate(other)))
    };
    let headline = || {
        let (at, standing) = each().rfind(|(_, standing)| standing.claim > 0)?;
        let above = || standing.above.filter(|count| !standing.tried.contains(count));
        Some((at, standing.own().or_else(above)?))
    };
    let short = || {
        let short = each().filter(|(_, standing)| standing.basis == CheckBasis::ShortTrial);
        short.filter_map(|(at, standing)| Some((at, standing.own()?))).next_back()
    };
    let was_beyond = each().any(|(_, standing)| standing.tried.iter().any(|count| *count > standing.claim));
    let first = if was_beyond { None } else { beyond() };
    let again = || next_contradiction(standings, CONFIRMED_BY);
    next_contradiction(standings, 1).or(first).or_else(headline).or_else(again).or_else(beyond).or_else(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(needed: f64, claim: u32, passed: u32, basis: CheckBasis) -> Option<Standing> {
        Some(Standing {
            needed_bytes_per_s: needed * 1e6,
            claim,
            passed,
            basis,
            above: None,
            implied: None,
            tried: Vec::new(),
        })
    }

    #[test]
    fn a_count_beyond_the_rate_then_the_headline_then_short_trials() {
        let (by_rate, short) = (CheckBasis::SustainedRate, CheckBasis::ShortTrial);
        let mut standings = [
            standing(14.0, 17, 18, by_rate),
            standing(23.0, 9, 9, short),
            standing(92.0, 2, 3, by_rate),
            None,
        ];
        assert_eq!(next_hold(&standings), Some((2, 3)));
        let heaviest = standings[2].as_mut().map(|standing| standing.tried.push(3));
        assert_eq!((heaviest, next_hold(&standings)), (Some(()), Some((2, 2))));
        standings[2].iter_mut().for_each(|standing| standing.basis = CheckBasis::Held);
        assert_eq!(next_hold(&standings), Some((0, 18)));
        standings[0].iter_mut().for_each(|standing| standing.tried.push(18));
        assert_eq!(next_hold(&standings), Some((1, 9)));
        standings[1].iter_mut().for_each(|standing| standing.tried.push(9));
        assert_eq!(next_hold(&standings), None);
    }

    #[test]
    fn contradicted_limit_is_retested_first_and_after_the_headline() {
        let by_rate = CheckBasis::SustainedRate;
        let mut standings =
            [standing(14.0, 17, 18, by_rate), standing(92.0, 2, 3, by_rate), standing(62.0, 1, 1, by_rate)];
        standings[0].iter_mut().for_each(|standing| standing.implied = Some(20));
        standings[2].iter_mut().for_each(|standing| standing.implied = Some(3));
        assert_eq!(next_hold(&standings), Some((2, 3)));
        standings[2].iter_mut().for_each(|standing| standing.tried.push(3));
        assert_eq!(next_hold(&standings), Some((0, 20)));
        standings[0].iter_mut().for_each(|standing| standing.tried.push(20));
        assert_eq!(next_hold(&standings), Some((2, 1)));
        // After the headline, a second time: one failure confirms nothing.
        standings[2].iter_mut().for_each(|standing| standing.tried.push(1));
        assert_eq!(next_hold(&standings), Some((2, 3)));
        standings[2].iter_mut().for_each(|standing| standing.tried.push(3));
        assert_eq!(next_hold(&standings), Some((0, 20)));
        standings[0].iter_mut().for_each(|standing| standing.tried.push(20));
        assert_eq!(next_contradiction(&standings, CONFIRMED_BY), None);
    }

    #[test]
    fn one_more_than_the_headline_is_held_where_no_limit_is_known() {
        let mut standings = [standing(92.0, 2, 2, CheckBasis::Held)];
        assert_eq!(next_hold(&standings), None);
        standings[0].iter_mut().for_each(|standing| standing.above = Some(3));
        assert_eq!(next_hold(&standings), Some((0, 3)));
        standings[0].iter_mut().for_each(|standing| standing.tried.push(3));
        assert_eq!(next_hold(&standings), None);
    }

    #[test]
    fn nothing_is_held_where_nothing_played() {
        assert_eq!(next_hold(&[standing(92.0, 0, 0, CheckBasis::ShortTrial), None]), None);
        assert_eq!(next_hold(&[]), None);
    }
}
