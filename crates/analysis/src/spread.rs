//! Distributions of values in nanoseconds: HDR histograms with three significant digits.
//!
//! Two forms of the same buckets, so that converting one to the other loses nothing:
//! * [`Recorder`] and [`PairRecorder`] are written on the hot path, by the million per second and with
//!   one set per worker. They are bare counters. The library's histogram has a header and a total in
//!   addition to its counters, and reading those cost three cache misses per operation with many
//!   workers.
//! * [`Spread`] is the library's histogram, which can be merged and has percentiles.
//!
//! Buckets: below 2048 ns one per nanosecond; above, 1024 per doubling.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

/// Significant digits of a percentile.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Buckets per doubling, as a power of two; required for three digits.
const FULL_BITS: u32 = 10;

/// Buckets per doubling for values that need only two digits.
const COARSE_BITS: u32 = 7;

/// Counters are allocated in pages of this size.
const PAGE: usize = 256;

/// The bucket of a value, with `1 << bits` buckets per doubling.
#[inline]
fn bucket_of(value_ns: u64, bits: u32) -> usize {
    let shift = (63 - (value_ns | (1 << bits)).leading_zeros()) - bits;
    ((shift as usize) << bits) + (value_ns >> shift) as usize
}

/// The smallest value of a bucket.
fn value_of(bucket: usize, bits: u32) -> u64 {
    // The first buckets hold one value each.
    let shift = (bucket >> bits).saturating_sub(1);
    ((bucket - (shift << bits)) as u64) << shift
}

/// Counters for the buckets between the smallest and the largest value that occurred. `T` is what one
/// bucket holds. Takes no memory until its first value.
#[derive(Clone, Debug, Default)]
struct Window<T> {
    first: usize,
    counters: Vec<T>,
}

impl<T: Copy + Default> Window<T> {
    #[inline]
    fn at(&mut self, bucket: usize) -> &mut T {
        // Below the first bucket, the difference wraps and is out of range too.
        if bucket.wrapping_sub(self.first) >= self.counters.len() {
            self.reach(bucket);
        }
        &mut self.counters[bucket - self.first]
    }

    #[cold]
    fn reach(&mut self, bucket: usize) {
        let page = bucket / PAGE * PAGE;
        if self.counters.is_empty() {
            self.first = page;
        }
        if page < self.first {
            let in_front = self.first - page;
            self.counters.splice(0..0, std::iter::repeat_n(T::default(), in_front));
            self.first = page;
        }
        let needed = page + PAGE - self.first;
        if self.counters.len() < needed {
            self.counters.reserve_exact(needed - self.counters.len());
            self.counters.resize(needed, T::default());
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, T)> + '_ {
        (self.first..).zip(self.counters.iter().copied())
    }
}

/// Overflows of the counters. They have 16 bits, because small counters keep many workers in the cache.
type Carried = BTreeMap<usize, u64>;

/// Increments a counter; `true` if it overflowed.
#[inline]
fn count_one(counter: &mut u16) -> bool {
    *counter = counter.wrapping_add(1);
    *counter == 0
}

#[cold]
fn carry(carried: &mut Carried, bucket: usize) {
    *carried.entry(bucket).or_default() += 1 << 16;
}

/// The distribution of one value, to two digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    window: Window<u16>,
    carried: Carried,
}

impl Recorder {
    #[inline]
    pub(crate) fn record(&mut self, value_ns: u64) {
        let bucket = bucket_of(value_ns, COARSE_BITS);
        if count_one(self.window.at(bucket)) {
            carry(&mut self.carried, bucket);
        }
    }

    /// Adds all recorded values to a distribution.
    pub(crate) fn add_to(&self, spread: &mut Spread) {
        let counted = self.window.iter().map(|(bucket, count)| (bucket, u64::from(count)));
        for (bucket, count) in counted.chain(self.carried.iter().map(|(&bucket, &count)| (bucket, count))) {
            spread.record_n(value_of(bucket, COARSE_BITS), count);
        }
    }
}

/// The distributions of the service and response times of the same operations, to three digits.
///
/// The two counters of a bucket are adjacent, because the two times of an operation are usually similar:
/// counting both accesses a single cache line most of the time.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairRecorder {
    window: Window<[u16; 2]>,
    carried: [Carried; 2],
}

impl PairRecorder {
    /// The index of the time.
    pub(crate) const SERVICE: usize = 0;
    pub(crate) const RESPONSE: usize = 1;

    #[inline]
    pub(crate) fn record(&mut self, service_ns: u64, response_ns: u64) {
        self.record_one(service_ns, PairRecorder::SERVICE);
        self.record_one(response_ns, PairRecorder::RESPONSE);
    }

    #[inline]
    fn record_one(&mut self, value_ns: u64, which: usize) {
        let bucket = bucket_of(value_ns, FULL_BITS);
        if count_one(&mut self.window.at(bucket)[which]) {
            carry(&mut self.carried[which], bucket);
        }
    }

    /// Adds all values of one of the two times to a distribution.
    pub(crate) fn add_to(&self, which: usize, spread: &mut Spread) {
        let counted = self.window.iter().map(|(bucket, counts)| (bucket, u64::from(counts[which])));
        let carried = self.carried[which].iter().map(|(&bucket, &count)| (bucket, count));
        for (bucket, count) in counted.chain(carried) {
            spread.record_n(value_of(bucket, FULL_BITS), count);
        }
    }
}

/// The form for merging and for percentiles. Merging is exact: a merged distribution is that of all
/// values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spread {
    histogram: Histogram<u64>,
}

impl Default for Spread {
    fn default() -> Spread {
        Spread { histogram: Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed") }
    }
}

impl Spread {
    /// Counts a value several times.
    pub(crate) fn record_n(&mut self, value_ns: u64, count: u64) {
        if count > 0 && self.histogram.record_n(value_ns, count).is_err() {
            // If usize cannot hold the bucket's index, the value is counted in the largest bucket.
            self.histogram.saturating_record_n(value_ns, count);
        }
    }

    /// Adds all values of another distribution.
    pub(crate) fn add(&mut self, other: &Spread) {
        if other.histogram.is_empty() {
            return;
        }
        // Fails only if the buckets cannot grow; then every value is counted that fits.
        if self.histogram.add(&other.histogram).is_err() {
            for bucket in other.histogram.iter_recorded() {
                self.record_n(bucket.value_iterated_to(), bucket.count_at_value());
            }
        }
    }

    /// The values from the smallest to the largest, each with the share (0 to 1) of values that do not
    /// exceed it: this many points for every halving of the distance to 1, none above `max_ns`, the
    /// exact maximum.
    pub(crate) fn curve(&self, points_per_halving: u32, max_ns: u64) -> Vec<(f64, u64)> {
        let points = self.histogram.iter_quantiles(points_per_halving);
        points.map(|point| (point.quantile_iterated_to(), point.value_iterated_to().min(max_ns))).collect()
    }

    /// A value of each bucket that is not empty, and its count.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram.iter_recorded().map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
    }

    /// The standard deviation of all values from their exact mean, to three digits; `None` for no
    /// values.
    pub(crate) fn deviation_ns(&self, mean_ns: f64) -> Option<f64> {
        let square = |value: u64| (self.histogram.median_equivalent(value) as f64 - mean_ns).powi(2);
        let squares: f64 = self.buckets().map(|(value, count)| square(value) * count as f64).sum();
        (self.count() > 0).then(|| (squares / self.count() as f64).sqrt())
    }

    /// The number of values.
    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The value that this share (0 to 1) of the values do not exceed. It is never above `max_ns`, the
    /// exact maximum, which a bucket's upper bound may exceed.
    pub(crate) fn quantile_ns(&self, quantile: f64, max_ns: u64) -> u64 {
        self.histogram.value_at_quantile(quantile).min(max_ns)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn service_of(recorder: &PairRecorder) -> Spread {
        let mut spread = Spread::default();
        recorder.add_to(PairRecorder::SERVICE, &mut spread);
        spread
    }

    #[test]
    fn percentiles_keep_three_digits_and_never_pass_the_maximum() {
        let mut recorder = PairRecorder::default();
        for value in 1..=100_000_u64 {
            recorder.record(value * 1000, 7);
        }
        let spread = service_of(&recorder);
        for (quantile, exact) in [(0.5, 50_000_000.0), (0.99, 99_000_000.0), (0.999, 99_900_000.0)] {
            let found = spread.quantile_ns(quantile, 100_000_000) as f64;
            assert!((found / exact - 1.0).abs() < 0.001, "{quantile}: {found}");
        }
        assert_eq!(spread.quantile_ns(1.0, 100_000_000), 100_000_000);
    }

    #[test]
    fn a_deviation_is_that_of_the_textbook_to_three_digits() {
        assert_eq!(Spread::default().deviation_ns(0.0), None);
        let mut spread = Spread::default();
        // 2, 4, 4, 4, 5, 5, 7, 9 ms: mean 5, deviation 2.
        for ms in [2, 4, 4, 4, 5, 5, 7, 9] {
            spread.record_n(ms * 1_000_000, 1);
        }
        let found = spread.deviation_ns(5e6).unwrap();
        assert!((found / 2e6 - 1.0).abs() < 1e-3, "{found}");
    }

    #[test]
    fn counters_that_go_round_lose_nothing() {
        let mut pair = PairRecorder::default();
        pair.record(5_000_000, 6_000_000);
        pair.window.at(bucket_of(5_000_000, FULL_BITS))[0] = u16::MAX;
        pair.record(5_000_000, 6_000_000);
        assert_eq!(service_of(&pair).count(), 1 << 16);
        let mut response = Spread::default();
        pair.add_to(PairRecorder::RESPONSE, &mut response);
        assert_eq!(response.count(), 2);

        let mut single = Recorder::default();
        *single.window.at(bucket_of(900, COARSE_BITS)) = u16::MAX;
        single.record(900);
        let mut spread = Spread::default();
        single.add_to(&mut spread);
        assert_eq!(spread.count(), 1 << 16);
    }

    #[test]
    fn histogram_allocates_only_the_recorded_range() {
        let mut recorder = PairRecorder::default();
        assert_eq!(recorder.window.counters.capacity(), 0);
        recorder.record(1_000_000, 1_000_000);
        assert_eq!(recorder.window.counters.len(), PAGE);
        recorder.record(16_000_000, 500_000);
        assert!(recorder.window.counters.len() <= 6 * 1024, "{}", recorder.window.counters.len());
        assert_eq!(service_of(&recorder).count(), 2);
    }

    fn value() -> impl Strategy<Value = u64> {
        (0_u32..64, any::<u64>()).prop_map(|(shift, value)| value >> shift)
    }

    proptest! {
        #[test]
        fn buckets_are_those_of_the_library(values in prop::collection::vec(value(), 1..40)) {
            let mut direct = Spread::default();
            let mut recorder = PairRecorder::default();
            for &value in &values {
                direct.record_n(value, 1);
                recorder.record(value, 0);
            }
            let ours = service_of(&recorder);
            for quantile in [0.0, 0.25, 0.5, 0.9, 1.0] {
                let of = |spread: &Spread| spread.histogram.value_at_quantile(quantile);
                prop_assert_eq!(of(&ours), of(&direct));
            }
        }

        #[test]
        fn coarse_buckets_keep_two_digits(value in value()) {
            let found = value_of(bucket_of(value, COARSE_BITS), COARSE_BITS);
            prop_assert!(found <= value && (value - found) as f64 <= value as f64 / 128.0);
        }
    }
}
