//! Predicts the duration of a run and the bytes it writes.
//!
//! Not here: deriving this from a plan (the runner), and its text (report).

use std::num::NonZeroU64;

/// From this duration on, a forecast is shown, in seconds.
const LONG_S: f64 = 60.0;
/// From this number of bytes on, a forecast is shown.
const MUCH_BYTES: u64 = 1_000_000_000;
const MUCH_MEMORY_BYTES: u64 = 1 << 30;

/// The forecast of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The duration, without making test files.
    pub time: TimeAhead,
    /// Bytes of test files that have yet to be written, at least.
    pub least_files_bytes: u64,
    /// The same, at most.
    pub most_files_bytes: u64,
    /// Bytes of new files that the largest load point makes; in a search, those that the smallest load
    /// point makes. Overwritten files do not count.
    pub new_files_bytes: u64,
    /// The bytes that the load itself writes.
    pub load: LoadAhead,
    /// Memory of the local host for the data in flight, at most; 0 if it was not computed.
    pub memory_bytes: u64,
    /// The limit of the data rate, including test files (`--max-rate`); `None` without a limit.
    pub max_bytes_per_s: Option<NonZeroU64>,
}

/// The expected duration of a run, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeAhead {
    /// As long as planned.
    Planned { s: f64 },
    Between {
        least_s: f64,
        /// The upper bound, if the target answers steadily.
        most_s: f64,
        /// Whether it may take longer if trials with the same count differ. `false` if the user limited
        /// the time.
        or_longer: bool,
    },
    /// As long as the target needs.
    Unknown,
}

/// The bytes that the load of a run writes, in addition to the test files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAhead {
    /// At most this many bytes; 0 if it only reads.
    AtMost(u64),
    /// As much as the target accepts.
    Unbounded,
}

impl Forecast {
    /// Whether the user should see it before the start: the run takes more than a minute, writes more
    /// than 1 GB, or this is unknown.
    pub fn is_worth_saying(&self) -> bool {
        let most_files_s = self.most_files_s().unwrap_or(0.0);
        let is_long = match self.time {
            TimeAhead::Planned { s } => s + most_files_s > LONG_S,
            TimeAhead::Between { most_s, .. } => most_s + most_files_s > LONG_S,
            TimeAhead::Unknown => true,
        };
        let LoadAhead::AtMost(load_bytes) = self.load else {
            return true;
        };
        // Sizes come from the user: a sum that overflows stays above any disk size, here and below.
        is_long || self.takes_much_memory() || self.most_files_bytes.saturating_add(load_bytes) > MUCH_BYTES
    }

    /// How long making the test files takes at most, in seconds; `None` without a known rate.
    pub fn most_files_s(&self) -> Option<f64> {
        Some(self.most_files_bytes as f64 / self.max_bytes_per_s?.get() as f64)
    }

    /// The same with a limited data rate.
    #[must_use]
    pub fn held_to(self, max_bytes_per_s: Option<NonZeroU64>) -> Forecast {
        Forecast { max_bytes_per_s, ..self }
    }

    /// Whether its memory is large enough to be shown.
    pub fn takes_much_memory(&self) -> bool {
        self.memory_bytes > MUCH_MEMORY_BYTES
    }
}

impl Forecast {
    /// The sum of two runs in sequence.
    #[must_use]
    pub fn and(self, other: Forecast) -> Forecast {
        Forecast {
            time: match (self.time, other.time) {
                (TimeAhead::Planned { s: one_s }, TimeAhead::Planned { s: other_s }) => {
                    TimeAhead::Planned { s: one_s + other_s }
                }
                _ => TimeAhead::Unknown,
            },
            // See above: sizes come from the user.
            least_files_bytes: self.least_files_bytes.saturating_add(other.least_files_bytes),
            most_files_bytes: self.most_files_bytes.saturating_add(other.most_files_bytes),
            new_files_bytes: self.new_files_bytes.max(other.new_files_bytes),
            load: self.load.and(other.load),
            memory_bytes: self.memory_bytes.max(other.memory_bytes),
            max_bytes_per_s: self.max_bytes_per_s.or(other.max_bytes_per_s),
        }
    }
}

impl LoadAhead {
    #[must_use]
    pub fn and(self, other: LoadAhead) -> LoadAhead {
        match (self, other) {
            (LoadAhead::AtMost(one), LoadAhead::AtMost(other)) => {
                // See above: sizes come from the user.
                LoadAhead::AtMost(one.saturating_add(other))
            }
            _ => LoadAhead::Unbounded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_runs_with_few_writes_need_no_forecast() {
        let short = Forecast {
            time: TimeAhead::Planned { s: 60.0 },
            least_files_bytes: 0,
            most_files_bytes: 600_000_000,
            new_files_bytes: 0,
            load: LoadAhead::AtMost(400_000_000),
            memory_bytes: 0,
            max_bytes_per_s: None,
        };
        assert!(!short.is_worth_saying());
        let more = [
            Forecast { time: TimeAhead::Planned { s: 60.1 }, ..short },
            Forecast { time: TimeAhead::Unknown, ..short },
            Forecast { time: TimeAhead::Between { least_s: 1.0, most_s: 61.0, or_longer: true }, ..short },
            Forecast { most_files_bytes: 600_000_001, ..short },
            Forecast { load: LoadAhead::AtMost(400_000_001), ..short },
            Forecast { load: LoadAhead::Unbounded, ..short },
            Forecast { memory_bytes: MUCH_MEMORY_BYTES + 1, ..short },
            // 400 MB in 61 s.
            Forecast { time: TimeAhead::Planned { s: 0.0 }, most_files_bytes: 400_000_000, ..short }
                .held_to(NonZeroU64::new(6_557_377)),
        ];
        assert!(more.iter().all(Forecast::is_worth_saying));
        let soon = Forecast { time: TimeAhead::Planned { s: 20.0 }, most_files_bytes: 40_000_000, ..short };
        assert!(!soon.held_to(NonZeroU64::new(1_000_001)).is_worth_saying());
        assert!(soon.held_to(NonZeroU64::new(999_999)).is_worth_saying());
    }

    #[test]
    fn consecutive_known_durations_add_up() {
        let of = |time, load| Forecast {
            time,
            least_files_bytes: 1,
            most_files_bytes: 2,
            new_files_bytes: 0,
            load,
            memory_bytes: 3,
            max_bytes_per_s: None,
        };
        let known = of(TimeAhead::Planned { s: 3.0 }, LoadAhead::AtMost(4));
        let both = Forecast {
            time: TimeAhead::Planned { s: 6.0 },
            least_files_bytes: 2,
            most_files_bytes: 4,
            new_files_bytes: 0,
            load: LoadAhead::AtMost(8),
            memory_bytes: 3,
            max_bytes_per_s: None,
        };
        assert_eq!(known.and(known), both);
        let open = of(TimeAhead::Unknown, LoadAhead::Unbounded);
        for sum in [known.and(open), open.and(known)] {
            assert_eq!((sum.time, sum.load), (TimeAhead::Unknown, LoadAhead::Unbounded));
        }
    }
}
