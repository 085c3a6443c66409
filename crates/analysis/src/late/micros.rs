//! Distributions of times in whole microseconds. Frame times are milliseconds, and a stream has several
//! distributions: nanoseconds would double their memory for digits that are never shown.

use hdrhistogram::Histogram;

use crate::figures::{LatenessFigures, TimeFigures, in_point_s, seconds, us};

use crate::rounding::round_to;

/// Significant digits of a percentile.
const SIGNIFICANT_DIGITS: u8 = 3;

/// A histogram of times. Takes no memory until its first value.
#[derive(Clone, Debug, Default)]
pub(super) struct Micros {
    counts: Option<Box<Histogram<u32>>>,
}

impl Micros {
    pub(super) fn record_us(&mut self, time_us: u64) {
        let counts = self.counts.get_or_insert_with(|| {
            Box::new(Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed"))
        });
        if counts.record(time_us).is_err() {
            // If usize cannot hold the bucket's index, the time is counted in the largest bucket.
            counts.saturating_record(time_us);
        }
    }

    /// Adds all times of another histogram.
    pub(super) fn add(&mut self, other: &Micros) {
        let Some(theirs) = &other.counts else { return };
        match &mut self.counts {
            None => self.counts = Some(theirs.clone()),
            Some(counts) => {
                if counts.add(theirs.as_ref()).is_err() {
                    // If the buckets cannot grow, values that fit are better than none.
                    for bucket in theirs.iter_recorded() {
                        counts.saturating_record_n(bucket.value_iterated_to(), bucket.count_at_value());
                    }
                }
            }
        }
    }

    /// How many times were counted.
    pub(super) fn count(&self) -> u64 {
        self.counts.as_ref().map_or(0, |counts| counts.len())
    }

    /// The bounds of the bucket that holds the n-th shortest time, counted from 1.
    pub(super) fn nth_shortest_us(&self, nth: u64) -> Option<(u64, u64)> {
        let counts = self.counts.as_ref()?;
        let mut seen = 0;
        let reaches = |count: u32| {
            seen += u64::from(count);
            seen >= nth
        };
        let mut reaches = reaches;
        let mut buckets = counts.iter_recorded();
        let bucket = buckets.find(|bucket| reaches(bucket.count_at_value()))?;
        let value_us = bucket.value_iterated_to();
        Some((counts.lowest_equivalent(value_us), value_us))
    }

    /// The time that this share of them (0 to 1) did not exceed, never above the exact maximum.
    fn quantile_us(&self, quantile: f64, max_ns: u64) -> f64 {
        let count = self.count();
        let nth = ((quantile * count as f64 - 1e-9).ceil() as u64).clamp(1, count.max(1));
        let edge_us = self.nth_shortest_us(nth).map_or(0.0, |(_, upper_us)| upper_us as f64);
        edge_us.min(us(max_ns))
    }
}

/// Nanoseconds as microseconds, rounded up: no time is shown shorter than it was.
pub(super) fn up_to_us(time_ns: u64) -> u64 {
    time_ns.div_ceil(1_000)
}

/// Times of frames: histogram, mean, and the longest with its start.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameTimes {
    spread: Micros,
    sum_ns: u128,
    max_ns: u64,
    max_began_ns: u64,
}

impl FrameTimes {
    pub(super) fn record(&mut self, time_ns: u64, began_ns: u64) {
        self.spread.record_us(up_to_us(time_ns));
        self.sum_ns += u128::from(time_ns);
        self.keep_longest(time_ns, began_ns, self.spread.count() == 1);
    }

    fn keep_longest(&mut self, time_ns: u64, began_ns: u64, is_first: bool) {
        let longer = time_ns > self.max_ns || (time_ns == self.max_ns && began_ns < self.max_began_ns);
        if is_first || longer {
            (self.max_ns, self.max_began_ns) = (time_ns, began_ns);
        }
    }

    /// Adds the times of another stream.
    pub(super) fn add(&mut self, other: &FrameTimes) {
        if other.spread.count() == 0 {
            return;
        }
        self.keep_longest(other.max_ns, other.max_began_ns, self.spread.count() == 0);
        self.spread.add(&other.spread);
        self.sum_ns += other.sum_ns;
    }

    /// The figures; `None` without times.
    pub(super) fn figures(&self, point_started_ns: u64) -> Option<TimeFigures> {
        let count = self.spread.count();
        (count > 0).then(|| TimeFigures {
            count,
            deviation_us: None,
            mean_us: round_to(self.sum_ns as f64 / 1e3 / count as f64, 3),
            p50_us: self.spread.quantile_us(0.5, self.max_ns),
            p95_us: self.spread.quantile_us(0.95, self.max_ns),
            p99_us: self.spread.quantile_us(0.99, self.max_ns),
            p99_9_us: self.spread.quantile_us(0.999, self.max_ns),
            max_us: us(self.max_ns),
            max_began_s: seconds(self.max_began_ns),
            max_began_in_point_s: in_point_s(self.max_began_ns, point_started_ns),
        })
    }

    /// The figures of a delay, which are fewer.
    pub(super) fn delay_figures(&self) -> Option<LatenessFigures> {
        (self.spread.count() > 0).then(|| LatenessFigures {
            p50_us: self.spread.quantile_us(0.5, self.max_ns),
            p99_us: self.spread.quantile_us(0.99, self.max_ns),
            max_us: us(self.max_ns),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ranks_are_exact_for_short_times() {
        let mut micros = Micros::default();
        assert_eq!(micros.nth_shortest_us(1), None);
        for time_us in [30, 10, 20, 20] {
            micros.record_us(time_us);
        }
        let nth = |nth| micros.nth_shortest_us(nth).map(|(_, upper)| upper);
        assert_eq!([nth(1), nth(2), nth(3), nth(4), nth(5)], [Some(10), Some(20), Some(20), Some(30), None]);
    }

    #[test]
    fn figures_of_a_hundred_times() {
        let mut times = FrameTimes::default();
        assert_eq!(times.figures(0), None);
        for ms in 1..=100_u64 {
            times.record(ms * 1_000_000, ms * 1_000_000_000);
        }
        let figures = times.figures(20_000_000_000).unwrap();
        assert_eq!((figures.count, figures.mean_us, figures.max_us), (100, 50_500.0, 100_000.0));
        assert_eq!((figures.max_began_s, figures.max_began_in_point_s), (100.0, 80.0));
        for (found, exact) in
            [(figures.p50_us, 50_000.0), (figures.p95_us, 95_000.0), (figures.p99_us, 99_000.0)]
        {
            assert!(found >= exact && found < exact * 1.001, "{found} {exact}");
        }
    }

    #[test]
    fn adding_is_as_good_as_recording() {
        let (mut one, mut two, mut all) =
            (FrameTimes::default(), FrameTimes::default(), FrameTimes::default());
        for n in 0..2_000_u64 {
            let half = if n % 3 == 0 { &mut one } else { &mut two };
            half.record(n * n * 977, n);
            all.record(n * n * 977, n);
        }
        let mut sum = FrameTimes::default();
        sum.add(&two);
        sum.add(&one);
        assert_eq!(sum.figures(0), all.figures(0));
    }
}
