//! The mean of every counter in stretches of a run, directly from its samples.
//!
//! A counter's value covers the time since the sample before it. So a stretch takes the mean over the
//! samples that overlap it, weighted by the overlap. A counter that was always 0 has a mean of 0. One
//! that was not sampled, or that covers too little of the stretch, has no mean; the two are never mixed
//! up.
//!
//! Unlike the series of a page ([`super::page_series`]), nothing is thinned or omitted.

use crate::figures::stretch_ns;
use std::collections::BTreeMap;

use reelgauge_record::counters::{CounterRow, KINDS, Key, Layer};

/// The share of a stretch that samples must cover for a mean of the whole stretch.
const COVERED_SHARE_MIN: f64 = 0.5;

/// Devices of one counter, at most. A file with more is not from a real host, but made to exhaust the
/// memory.
const SERIES_MAX: usize = 4096;

/// A stretch of a run, in nanoseconds of its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Where it begins.
    pub from_ns: u64,
    /// Where it ends.
    pub until_ns: u64,
}

impl Stretch {
    /// How long it is.
    pub fn seconds(self) -> f64 {
        stretch_ns(self.from_ns, self.until_ns) as f64 / 1e9
    }
}

/// The means of one stretch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CounterMeans {
    /// How long the stretch is.
    pub seconds: f64,
    of: BTreeMap<Key, f64>,
}

impl CounterMeans {
    /// The mean of every device of a counter, by name of the device.
    pub fn each(&self, layer: Layer, name: &str) -> impl Iterator<Item = (&str, f64)> {
        let alike = move |key: &&Key| key.layer == layer && key.name == name;
        self.of.keys().filter(alike).map(|key| (key.device.as_str(), self.of[key]))
    }

    /// The mean of one device; a counter without devices has the device `""`.
    pub fn of(&self, layer: Layer, name: &str, device: &str) -> Option<f64> {
        self.each(layer, name).find(|(other, _)| *other == device).map(|(_, value)| value)
    }

    /// The sum over all devices; `None` if the counter was not sampled.
    pub fn sum(&self, layer: Layer, name: &str) -> Option<f64> {
        self.each(layer, name).map(|(_, value)| value).reduce(|one, two| one + two)
    }

    /// The device with the largest mean.
    pub fn largest(&self, layer: Layer, name: &str) -> Option<(&str, f64)> {
        self.each(layer, name).max_by(|one, two| one.1.total_cmp(&two.1))
    }

    /// The means over several stretches; a counter must cover half of their total time.
    pub fn together(parts: &[CounterMeans]) -> CounterMeans {
        let seconds: f64 = parts.iter().map(|part| part.seconds).sum();
        let mut sums: BTreeMap<&Key, Sum> = BTreeMap::new();
        for part in parts {
            for (key, value) in &part.of {
                let sum = sums.entry(key).or_default();
                sum.value_s += value * part.seconds;
                sum.seconds += part.seconds;
            }
        }
        let enough = |sum: &Sum| sum.seconds > 0.0 && sum.seconds >= seconds * COVERED_SHARE_MIN;
        let of = sums.into_iter().filter(|(_, sum)| enough(sum));
        CounterMeans { seconds, of: of.map(|(key, sum)| (key.clone(), sum.value_s / sum.seconds)).collect() }
    }

    /// Whether nothing was sampled.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}

/// Accumulates means from the samples of one agent, in order of time.
#[derive(Debug)]
pub struct Averaging {
    stretches: Vec<Stretch>,
    sums: Vec<BTreeMap<Key, Sum>>,
    /// When each counter was sampled last.
    last_ns: BTreeMap<Key, u64>,
    /// The time of the previous sample round, and of the current one.
    sample_rounds_ns: (Option<u64>, Option<u64>),
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    value_s: f64,
    seconds: f64,
}

impl Averaging {
    /// Over these stretches.
    pub fn over(stretches: Vec<Stretch>) -> Averaging {
        let sums = vec![BTreeMap::new(); stretches.len()];
        Averaging { stretches, sums, last_ns: BTreeMap::new(), sample_rounds_ns: (None, None) }
    }

    /// Takes a sample. Counters that this version does not know are omitted.
    pub fn take(&mut self, row: &CounterRow<'_>) {
        let layer = Layer::from_name(row.layer);
        let known = KINDS
            .iter()
            .find(|kind| Some(kind.layer) == layer && kind.name == row.name && kind.unit.name() == row.unit);
        let Some(kind) = known else { return };
        if self.sample_rounds_ns.1 != Some(row.at_ns) {
            self.sample_rounds_ns = (self.sample_rounds_ns.1, Some(row.at_ns));
        }
        let key = Key { layer: kind.layer, name: kind.name, device: row.device.to_owned() };
        if self.last_ns.len() == SERIES_MAX && !self.last_ns.contains_key(&key) {
            return;
        }
        // The first sample of a counter covers the time since the previous sample round.
        let since_ns =
            self.last_ns.insert(key.clone(), row.at_ns).or(self.sample_rounds_ns.0).unwrap_or(row.at_ns);
        let Some(value) = row.value.filter(|value| value.is_finite()) else { return };
        for (stretch, sums) in self.stretches.iter().zip(&mut self.sums) {
            let (from_ns, until_ns) = (since_ns.max(stretch.from_ns), row.at_ns.min(stretch.until_ns));
            if until_ns > from_ns {
                let covered_s = (until_ns - from_ns) as f64 / 1e9;
                let sum = sums.entry(key.clone()).or_default();
                sum.value_s += value * covered_s;
                sum.seconds += covered_s;
            }
        }
    }

    /// The means, in the order of the stretches.
    pub fn finish(self) -> Vec<CounterMeans> {
        let means = |(stretch, sums): (Stretch, BTreeMap<Key, Sum>)| {
            let seconds = stretch.seconds();
            let enough = |sum: &Sum| sum.seconds > 0.0 && sum.seconds >= seconds * COVERED_SHARE_MIN;
            let of = sums.into_iter().filter(|(_, sum)| enough(sum));
            CounterMeans { seconds, of: of.map(|(key, sum)| (key, sum.value_s / sum.seconds)).collect() }
        };
        self.stretches.into_iter().zip(self.sums).map(means).collect()
    }
}

#[cfg(test)]
impl CounterMeans {
    /// Synthetic means for tests.
    pub(crate) fn of_tests(seconds: f64, values: &[(Layer, &'static str, &str, f64)]) -> CounterMeans {
        let key = |(layer, name, device, value): &(Layer, &'static str, &str, f64)| {
            assert!(reelgauge_record::counters::kind(*layer, name).is_some(), "unknown counter {name}");
            (Key { layer: *layer, name, device: (*device).to_owned() }, *value)
        };
        CounterMeans { seconds, of: values.iter().map(key).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn row(at_ns: u64, name: &'static str, value: Option<f64>) -> CounterRow<'static> {
        CounterRow { at_ns, layer: "network", name, device: "", unit: "per_s", value }
    }

    #[test]
    fn sample_is_weighted_by_its_overlap_with_the_stretch() {
        let mut averaging = Averaging::over(vec![
            Stretch { from_ns: 5 * S / 2, until_ns: 4 * S },
            Stretch { from_ns: 10 * S, until_ns: 12 * S },
        ]);
        let name = "tcp_timeouts_per_s";
        for (at_s, value) in [(1, Some(9.0)), (2, Some(9.0)), (3, Some(2.0)), (4, Some(5.0)), (5, Some(70.0))]
        {
            averaging.take(&row(at_s * S, name, value));
        }
        let means = averaging.finish();
        // Half a second of 2 and a whole one of 5.
        assert_eq!(means[0].of(Layer::Network, name, ""), Some(4.0));
        assert_eq!(means[1].of(Layer::Network, name, ""), None, "nobody looked");
        assert!(means[1].is_empty());
    }

    #[test]
    fn counter_at_0_has_mean_0_and_reset_counter_is_unknown() {
        let mut averaging = Averaging::over(vec![Stretch { from_ns: S, until_ns: 5 * S }]);
        let (zero, reset) = ("tcp_timeouts_per_s", "softnet_drops_per_s");
        for at_s in 1..=5 {
            averaging.take(&row(at_s * S, zero, Some(0.0)));
            averaging.take(&row(at_s * S, reset, (at_s == 2).then_some(7.0)));
        }
        averaging.take(&row(6 * S, "no_such_counter_per_s", Some(1.0)));
        let means = averaging.finish().remove(0);
        assert_eq!(means.of(Layer::Network, zero, ""), Some(0.0));
        assert_eq!(means.of(Layer::Network, reset, ""), None, "one second of four says nothing of all");
        assert_eq!(means.sum(Layer::Network, "rx_drops_per_s"), None);
    }

    #[test]
    fn combined_stretches_are_weighted_by_duration() {
        let busy = |seconds, percent| {
            CounterMeans::of_tests(seconds, &[(Layer::Disk, "util_percent", "sda", percent)])
        };
        let of =
            |parts: &[CounterMeans]| CounterMeans::together(parts).of(Layer::Disk, "util_percent", "sda");
        assert_eq!(of(&[busy(3.0, 100.0), busy(1.0, 60.0)]), Some(90.0));
        let unseen = |seconds| CounterMeans::of_tests(seconds, &[]);
        assert_eq!(of(&[busy(3.0, 100.0), unseen(1.0)]), Some(100.0));
        assert_eq!(of(&[busy(1.0, 100.0), unseen(3.0)]), None, "a quarter says nothing of all");
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn devices_have_separate_means() {
        let both = CounterMeans::of_tests(
            4.0,
            &[
                (Layer::Network, "rx_bytes_per_s", "eth0", 5.0),
                (Layer::Network, "rx_bytes_per_s", "lo", 90.0),
            ],
        );
        assert_eq!(both.of(Layer::Network, "rx_bytes_per_s", "eth0"), Some(5.0));
        assert_eq!(both.largest(Layer::Network, "rx_bytes_per_s"), Some(("lo", 90.0)));
        assert_eq!(both.sum(Layer::Network, "rx_bytes_per_s"), Some(95.0));
    }
}
