//! The limits of a quick check's claims: the rate that storage was seen to sustain, reading or writing,
//! and the count from which more is refuted.
//!
//! All counts of the same work share these limits. Streams that were held for long enough raise them;
//! streams that failed while they were held, or a burst that ended only then, lower them. Pure: trials are
//! made elsewhere.

use reelgauge_analysis::sustained::{HOLD_ERROR, RateTrend, SustainedRate};

/// From this share of the set limit on, a rate counts as throttled by it.
const HELD_UP_SHARE: f64 = 0.9;
/// Storage that supplies less than this share of the demand is overloaded.
const OVERLOADED_SHARE: f64 = 0.99;
/// Formats with large and small frames reach slightly different rates on the same storage.
const FORMAT_ERROR: f64 = 0.05;

/// The knowledge of the rate that reads, or writes, sustain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    sequential: Option<SustainedRate>,
    rate: Option<SustainedRate>,
    least_bytes_per_s: f64,
    most_bytes_per_s: Option<f64>,
    was_held: bool,
}

impl Level {
    /// From the sequential rate; `max_bytes_per_s` is the set limit, if any.
    pub fn new(rate: Option<SustainedRate>, max_bytes_per_s: Option<f64>) -> Level {
        let least = rate.map_or(0.0, |rate| rate.least_bytes_per_s());
        let held_up = max_bytes_per_s.filter(|most| least >= HELD_UP_SHARE * most);
        let least_bytes_per_s = held_up.map_or(least, |most| most.max(least));
        Level { sequential: rate, rate, least_bytes_per_s, ..Level::default() }
    }

    /// The sequential rate; or the lower one of held streams, if a burst ended only then.
    pub fn rate(&self) -> Option<SustainedRate> {
        self.rate
    }

    /// A lower bound of the sustained rate.
    pub fn least_bytes_per_s(&self) -> f64 {
        self.least_bytes_per_s
    }

    /// Whether the level was held for long enough to rely on it.
    pub fn is_sustained(&self) -> bool {
        self.was_held || self.rate.is_some_and(|rate| rate.trend.is_sustained())
    }

    /// The count that may be claimed after a short trial.
    pub fn claimable(&self, needed_bytes_per_s: f64) -> u32 {
        (self.least_bytes_per_s / needed_bytes_per_s.max(1.0)) as u32
    }

    /// From this count on, streams need more than the storage supplied when it was overloaded for long
    /// enough.
    pub fn refuted_from(&self, needed_bytes_per_s: f64) -> Option<u32> {
        let most = (self.most_bytes_per_s? / needed_bytes_per_s.max(1.0)) as u32;
        Some(most.saturating_add(1))
    }

    /// Whether the sequential rate, as measured before any stream was held, is sustained and below this.
    pub fn is_below(&self, bytes_per_s: f64) -> bool {
        let is_below =
            |rate: SustainedRate| rate.trend.is_sustained() && rate.most_bytes_per_s() < bytes_per_s;
        self.sequential.is_some_and(is_below)
    }

    /// How long a load of this rate has to be held to prove it.
    pub fn hold_needed_s(&self, bytes_per_s: f64) -> f64 {
        self.rate.map_or(SustainedRate::default().hold_needed_s(0.0), |rate| rate.hold_needed_s(bytes_per_s))
    }

    /// Streams with this total rate were held for long enough. A small shortfall stays hidden.
    pub fn held(&mut self, bytes_per_s: f64) {
        let bytes_per_s = bytes_per_s * (1.0 - HOLD_ERROR);
        self.was_held |= bytes_per_s >= self.least_bytes_per_s;
        self.least_bytes_per_s = self.least_bytes_per_s.max(bytes_per_s);
    }

    /// Streams failed because of the storage while they were held, and received less than they need:
    /// this rate.
    pub fn failed(&mut self, got: &SustainedRate) {
        // Players that fill their buffers look like a burst; the storage's own burst was in its rate before.
        let is_lower = |rate: SustainedRate| got.most_bytes_per_s() < rate.least_bytes_per_s();
        let burst_ended =
            matches!(got.trend, RateTrend::Burst | RateTrend::Unsettled) && self.rate.is_none_or(is_lower);
        if burst_ended && got.least_bytes_per_s() < self.least_bytes_per_s {
            self.least_bytes_per_s = got.least_bytes_per_s();
            let before_mb_per_s = self.rate.map(|rate| rate.mb_per_s).or(got.other_mb_per_s);
            self.rate = Some(SustainedRate { other_mb_per_s: before_mb_per_s, ..*got });
        }
        if got.trend.is_sustained() {
            let most = (got.most_bytes_per_s() * (1.0 + FORMAT_ERROR)).max(self.least_bytes_per_s);
            self.most_bytes_per_s = Some(self.most_bytes_per_s.map_or(most, |known| known.max(most)));
        }
    }
}

/// The rate of streams that failed while they were held, if it was below their demand to the end: the
/// storage was overloaded. `None` if it only paused for a moment and then kept up again.
pub fn overloaded(seconds: &[f64], needed_bytes_per_s: f64) -> Option<SustainedRate> {
    let got = SustainedRate::of(seconds)?;
    (got.most_bytes_per_s() < OVERLOADED_SHARE * needed_bytes_per_s).then_some(got)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn seconds(mb_per_s: &[f64]) -> SustainedRate {
        SustainedRate::of(&mb_per_s.iter().map(|mb| mb * 1e6).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn no_more_is_claimed_than_the_sustained_rate_allows() {
        let level = Level::new(Some(seconds(&[248.0; 7])), None);
        assert_eq!([level.claimable(92.3e6), level.claimable(23e6), level.claimable(14.1e6)], [2, 10, 17]);
        assert!(level.is_sustained());
        // Two seconds are not enough, and without a rate nothing is claimed.
        assert!(!Level::new(Some(seconds(&[248.0; 2])), None).is_sustained());
        assert_eq!(Level::new(None, None).claimable(14e6), 0);
        // A set limit is exact.
        assert_eq!(Level::new(Some(seconds(&[97.0; 7])), Some(100e6)).claimable(25e6), 4);
        assert_eq!(Level::new(Some(seconds(&[60.0; 7])), Some(100e6)).claimable(25e6), 2);
    }

    #[test]
    fn held_streams_raise_the_level_and_failed_ones_bound_it() {
        let mut level = Level::new(Some(seconds(&[248.0; 7])), None);
        level.held(277e6);
        // 1 % of it may be missing: the count is exact to within one.
        assert_eq!([level.claimable(92.3e6), level.claimable(91.0e6)], [2, 3]);
        // Four of 62.7 MB/s, on storage of 250 MB/s of which a busy client saw 241.7.
        let mut busy = Level::new(Some(seconds(&[241.7; 7])), None);
        busy.held(250.8e6);
        assert_eq!(busy.claimable(62.7e6), 3);
        let mut level = Level::new(Some(seconds(&[248.0; 7])), None);
        assert_eq!(level.refuted_from(23e6), None);
        level.failed(&seconds(&[250.0; 6]));
        // 262 MB/s at most, including the difference between formats.
        assert_eq!((level.claimable(23e6), level.refuted_from(23e6)), (10, Some(12)));
        assert_eq!(level.refuted_from(92.3e6), Some(3));
    }

    #[test]
    fn briefly_stalled_storage_was_not_overloaded() {
        let seconds = |mb_per_s: [f64; 6]| mb_per_s.map(|mb| mb * 1e6);
        assert_eq!(overloaded(&seconds([184.0, 184.0, 20.0, 210.0, 184.0, 184.0]), 184e6), None);
        assert!(overloaded(&seconds([250.0; 6]), 277e6).is_some());
        assert_eq!(overloaded(&[], 277e6), None);
        // A burst that has just ended lowers the level, and is no limit yet.
        let mut level = Level::new(SustainedRate::of(&[480e6; 7]), None);
        let ended = overloaded(&seconds([460.0, 460.0, 460.0, 250.0, 250.0, 250.0]), 461e6);
        level.failed(&ended.unwrap());
        assert_eq!((level.claimable(92.3e6), level.refuted_from(92.3e6)), (2, None));
    }

    #[test]
    fn a_burst_that_ends_while_streams_are_held_lowers_it() {
        let mut level = Level::new(Some(seconds(&[480.0; 7])), None);
        assert_eq!(level.claimable(92.3e6), 5);
        level.failed(&seconds(&[460.0, 460.0, 460.0, 250.0, 250.0, 250.0]));
        assert_eq!(level.claimable(92.3e6), 2);
        // The rate next to the counts shows this, too.
        let rate = level.rate().unwrap();
        assert!(rate.mb_per_s < 260.0 && rate.other_mb_per_s == Some(480.0), "{rate:?}");
        assert_eq!(rate.trend, RateTrend::Unsettled);
    }
    #[test]
    fn filling_buffers_are_no_burst_if_the_rate_is_known() {
        let mut level = Level::new(Some(seconds(&[60.0; 7])), None);
        let got = seconds(&[66.0, 59.0, 60.0, 60.0, 59.0, 60.0]);
        assert_eq!(got.trend, RateTrend::Burst);
        level.failed(&got);
        assert_eq!(level.rate().unwrap().trend, RateTrend::Steady);
        assert_eq!(level.claimable(14.1e6), 4);
    }
}
