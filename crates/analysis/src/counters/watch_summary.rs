//! Reduces each counter of a watch to three numbers: its mean, its largest value, and the time of that.
//!
//! A sample covers the time since the previous one, for rates and levels alike. Counters that stayed at
//! 0 are omitted unless they show the throughput of a layer. So are Reelgauge's own counters, and
//! counters that only add detail when a layer is busy.
//!
//! Pure. Not here: reading files (results).

use std::collections::BTreeMap;

use reelgauge_record::counters::{CounterKind, CounterRow, CounterUnit, KINDS, Layer, Weight};

use crate::facts::WatchedCounter;
use crate::figures::stretch_ns;

/// Counters that are reported, at most.
pub const COUNTERS_MAX: usize = 40;

/// Devices of one counter, at most. A file with more is not from a real host, but made to exhaust the
/// memory.
const SERIES_MAX: usize = 4096;

/// A name of a device longer than this is cut.
const DEVICE_CHARS_MAX: usize = 64;

/// Accumulates the counters of one host from its samples, in order of time.
#[derive(Debug, Default)]
pub struct Watched {
    series: BTreeMap<(usize, String), Series>,
    first_ns: Option<u64>,
    last_ns: u64,
    /// The time of the previous sample round.
    before_ns: Option<u64>,
    looks: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Series {
    value_s: f64,
    seconds: f64,
    /// The largest sample, and its time.
    largest: Option<(f64, u64)>,
    last_ns: Option<u64>,
}

impl Watched {
    /// Takes a sample. Counters that this version does not know are omitted.
    pub fn take(&mut self, row: &CounterRow<'_>) {
        if self.first_ns.is_none() || row.at_ns > self.last_ns {
            self.before_ns = self.first_ns.map(|_| self.last_ns);
            self.last_ns = row.at_ns;
            self.looks += 1;
        }
        self.first_ns.get_or_insert(row.at_ns);
        let layer = Layer::from_name(row.layer);
        let known = |kind: &CounterKind| {
            Some(kind.layer) == layer && kind.name == row.name && kind.unit.name() == row.unit
        };
        let Some(kind) = KINDS.iter().position(known) else { return };
        let key = (kind, row.device.chars().take(DEVICE_CHARS_MAX).collect());
        if self.series.len() == SERIES_MAX && !self.series.contains_key(&key) {
            return;
        }
        let series = self.series.entry(key).or_default();
        let since_ns = series.last_ns.replace(row.at_ns).or(self.before_ns).unwrap_or(row.at_ns);
        let Some(value) = row.value.filter(|value| value.is_finite()) else { return };
        let seconds = stretch_ns(since_ns, row.at_ns) as f64 / 1e9;
        series.value_s += value * seconds;
        series.seconds += seconds;
        if series.largest.is_none_or(|(largest, _)| value > largest) {
            series.largest = Some((value, row.at_ns));
        }
    }

    /// The number of sample rounds.
    pub fn sample_rounds(&self) -> u64 {
        self.looks
    }

    /// From the first sample to the last.
    pub fn watched_s(&self) -> f64 {
        self.first_ns.map_or(0.0, |first_ns| stretch_ns(first_ns, self.last_ns) as f64 / 1e9)
    }

    /// The counters worth reporting, in the order in which they are shown.
    pub fn counters(self) -> Vec<WatchedCounter> {
        let first_ns = self.first_ns.unwrap_or(0);
        let told = self.series.into_iter().filter_map(|((kind, device), series)| {
            let told = told(&KINDS[kind], device, series, first_ns)?;
            // A counter that stayed at 0 is of no interest, unless its absence is a finding.
            let is_silent = KINDS[kind].weight != Weight::Main && told.largest == 0.0;
            // A time of 0 means it was below the counter's resolution, or that there was no operation.
            let is_silent = is_silent || (KINDS[kind].unit == CounterUnit::Us && told.largest <= 0.0);
            (!is_silent && KINDS[kind].layer != Layer::Tool).then_some((KINDS[kind].weight, kind, told))
        });
        let mut told: Vec<_> = told.collect();
        // Faults that occurred matter more than counters of mere detail.
        told.sort_by_key(|(weight, kind, _)| (*weight == Weight::Detail, *kind));
        told.truncate(COUNTERS_MAX);
        told.sort_by_key(|(_, kind, _)| *kind);
        told.into_iter().map(|(_, _, counter)| counter).collect()
    }
}

fn told(kind: &CounterKind, device: String, series: Series, first_ns: u64) -> Option<WatchedCounter> {
    let (largest, at_ns) = series.largest?;
    // With a single sample, its value is all that is known.
    let mean = if series.seconds > 0.0 { series.value_s / series.seconds } else { largest };
    let words = match device.as_str() {
        "" => kind.words.to_owned(),
        device => format!("{device} {}", kind.words),
    };
    Some(WatchedCounter {
        layer: kind.layer.name().to_owned(),
        name: kind.name.to_owned(),
        device,
        words,
        unit: kind.unit.name().to_owned(),
        mean,
        largest,
        largest_at_s: stretch_ns(first_ns, at_ns) as f64 / 1e9,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn row(at_s: u64, name: &'static str, device: &'static str, value: Option<f64>) -> CounterRow<'static> {
        let (layer, unit) = if name == "util_percent" { ("disk", "percent") } else { ("network", "per_s") };
        CounterRow { at_ns: at_s * S, layer, name, device, unit, value }
    }

    #[test]
    fn counter_is_reported_with_mean_and_largest_sample() {
        let mut watched = Watched::default();
        for (at_s, value) in [(10, 50.0), (11, 20.0), (21, 80.0)] {
            watched.take(&row(at_s, "util_percent", "sda", Some(value)));
            watched.take(&row(at_s, "rx_errors_per_s", "eth0", Some(0.0)));
            watched.take(&row(at_s, "tx_errors_per_s", "eth0", (at_s == 11).then_some(2.0)));
            watched.take(&row(at_s, "no_such_counter", "eth0", Some(1.0)));
        }
        assert_eq!((watched.sample_rounds(), watched.watched_s()), (3, 11.0));
        let told = watched.counters();
        let names: Vec<&str> = told.iter().map(|counter| counter.name.as_str()).collect();
        assert_eq!(names, ["tx_errors_per_s", "util_percent"], "no error was received");
        // One second of 20 and ten of 80.
        assert!((told[1].mean - 820.0 / 11.0).abs() < 1e-9, "{told:#?}");
        assert_eq!((told[1].largest, told[1].largest_at_s, told[1].words.as_str()), (80.0, 11.0, "sda busy"));
        assert_eq!((told[0].mean, told[0].largest_at_s), (2.0, 1.0), "where nothing was said nothing counts");
    }

    #[test]
    fn counter_never_sampled_is_omitted() {
        let mut watched = Watched::default();
        watched.take(&row(1, "util_percent", "sda", None));
        assert!(watched.counters().is_empty());
    }

    #[test]
    fn latency_without_operations_is_omitted() {
        let mut watched = Watched::default();
        let time = |at_s: u64, device, value| CounterRow {
            at_ns: at_s * S,
            layer: "disk",
            name: "mean_write_us",
            device,
            unit: "us",
            value: Some(value),
        };
        for at_s in 1..4 {
            watched.take(&time(at_s, "dm-0", 0.0));
            watched.take(&time(at_s, "sda", if at_s == 3 { 50.0 } else { 0.0 }));
        }
        let told = watched.counters();
        let devices: Vec<&str> = told.iter().map(|counter| counter.device.as_str()).collect();
        assert_eq!(devices, ["sda"], "{told:#?}");
    }
}
