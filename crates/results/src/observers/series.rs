//! What foreign texts tell, before it has this tool's names: series of numbers by the clock on the wall.

/// One series of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series {
    /// What the text calls it.
    pub(super) name: String,
    /// Which of several, in the text's words; empty where there is one.
    pub(super) device: String,
    /// The numbers only ever grow: what matters is how fast.
    pub(super) only_grows: bool,
    /// When, in nanoseconds since 1970, and how much; `None` where the text has nothing. In order of time.
    pub(super) points: Vec<(i64, Option<f64>)>,
}

/// Series of one machine in a text, and what of it was not understood, in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SeriesTable {
    /// Which machine, in the text's words; empty where the text does not name one.
    pub(super) machine: String,
    pub(super) series: Vec<Series>,
    pub(super) not_read: Vec<String>,
}

/// So many samples are read of a text: an array's day, second by second, with forty series.
pub(super) const SAMPLES_MAX: usize = 4_000_000;
/// So many machines of a text are told apart.
pub(super) const MACHINES_MAX: usize = 256;
/// So many series of each are read that have no name here.
pub(super) const SERIES_MAX: usize = 1024;

impl SeriesTable {
    /// Puts every series in order of time, and notes values that contradict each other.
    pub(super) fn sort(&mut self) {
        let dropped: u64 = self.series.iter_mut().map(Series::sort).sum();
        if dropped > 0 {
            self.not_read.push(format!("{dropped} samples, because the same time already had another value"));
        }
    }
}

impl Series {
    /// In order of time, each time once: the first value that the text has for it. Returns how many others
    /// with a different value were dropped.
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

    /// How fast it grew from each point to the next, per second, at the time of the later one. A counter that
    /// was set back says nothing of that time.
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
