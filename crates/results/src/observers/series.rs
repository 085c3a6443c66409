//! The data of foreign texts, before it has Reelgauge's names: series of numbers by the wall clock.

/// One series of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series {
    /// Its name in the text.
    pub(super) name: String,
    /// The device, in the text's words; empty if there is none.
    pub(super) device: String,
    /// Whether the numbers only grow, so that their rate matters.
    pub(super) only_grows: bool,
    /// The time, in nanoseconds since 1970, and the value; `None` if the text has none. In order of
    /// time.
    pub(super) points: Vec<(i64, Option<f64>)>,
}

/// Series of one host in a text, and the parts that were not understood, as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SeriesTable {
    /// The host, in the text's words; empty if the text does not name one.
    pub(super) machine: String,
    pub(super) series: Vec<Series>,
    pub(super) not_read: Vec<String>,
}

/// Samples of a text that are read, at most: one day of an array, second by second, with forty series.
pub(super) const SAMPLES_MAX: usize = 4_000_000;
/// Hosts of a text that are read, at most.
pub(super) const MACHINES_MAX: usize = 256;
/// Series of each host without a name here that are read, at most.
pub(super) const SERIES_MAX: usize = 1024;

impl SeriesTable {
    /// Sorts every series by time, and notes values that contradict each other.
    pub(super) fn sort(&mut self) {
        let dropped: u64 = self.series.iter_mut().map(Series::sort).sum();
        if dropped > 0 {
            let samples = if dropped == 1 { "sample" } else { "samples" };
            self.not_read.push(format!("{dropped} {samples}: the same time already had another value"));
        }
    }
}

impl Series {
    /// Sorts by time and keeps the first value of the text for each time. Returns how many others with a
    /// different value were dropped.
    pub(super) fn sort(&mut self) -> u64 {
        self.points.sort_by_key(|(at_ns, _)| *at_ns);
        let mut dropped = 0;
        self.points.dedup_by(|later, kept| {
            let is_same_time = later.0 == kept.0;
            dropped += u64::from(is_same_time && later.1 != kept.1);
            is_same_time
        });
        dropped
    }

    /// The rate from each point to the next, per second, at the time of the later one. A counter that
    /// was reset has no rate for that time.
    pub(super) fn per_second(&self) -> Vec<(i64, Option<f64>)> {
        let first = self.points.first().map(|(at_ns, _)| (*at_ns, None));
        let pairs = self.points.windows(2).map(|pair| {
            let ((before_ns, before), (at_ns, value)) = (pair[0], pair[1]);
            let grown = value.zip(before).map(|(value, before)| value - before).filter(|grown| *grown >= 0.0);
            let seconds = (at_ns - before_ns) as f64 / 1e9;
            (at_ns, grown.map(|grown| grown / seconds))
        });
        first.into_iter().chain(pairs).collect()
    }
}
