//! Whether the counts of several formats speak of the same storage: each is a capacity in MB/s, and where
//! one can't be true if the others are, something else used the storage or this machine meanwhile.
//!
//! Pure. Not here: looking again ([`super::look`]).

/// Formats with large frames and with small ones reach a little more and less on the same storage.
const ALIKE: f64 = 1.15;

/// Between which rates the capacity lies, by the count of one format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// At least this: it was carried.
    pub low_mb_per_s: f64,
    /// At most this; `None` where no limit was found.
    pub high_mb_per_s: Option<f64>,
}

impl Capacity {
    /// Of a count of streams that need so much each and may be off by `error`.
    pub fn of(streams: u32, error: u32, at_least: bool, needed_mb_per_s: f64) -> Capacity {
        let rate = |count: u32| f64::from(count) * needed_mb_per_s;
        let high_mb_per_s = (!at_least).then(|| rate(streams.saturating_add(error).saturating_add(1)));
        Capacity { low_mb_per_s: rate(streams.saturating_sub(error)), high_mb_per_s }
    }

    /// Whether both can be true.
    pub fn agrees_with(&self, other: &Capacity) -> bool {
        let below = |low: f64, high: Option<f64>| high.is_none_or(|high| low <= high * ALIKE);
        below(self.low_mb_per_s, other.high_mb_per_s) && below(other.low_mb_per_s, self.high_mb_per_s)
    }
}

/// The number of the one that most others contradict; of those, of the lowest. `None` where all agree.
pub fn outlier(capacities: &[(usize, Capacity)]) -> Option<usize> {
    let against = |one: &Capacity| capacities.iter().filter(|(_, other)| !one.agrees_with(other)).count();
    let objections = capacities.iter().map(|(number, one)| (against(one), *number, one.low_mb_per_s));
    let objected = objections.filter(|(against, ..)| *against > 0);
    let worst = objected.max_by(|one, two| one.0.cmp(&two.0).then(two.2.total_cmp(&one.2)));
    worst.map(|(_, number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(capacities: &[Capacity]) -> Vec<(usize, Capacity)> {
        capacities.iter().copied().enumerate().collect()
    }

    #[test]
    fn counts_of_one_storage_agree() {
        let steady = [(29, 1, 14.0), (17, 1, 23.0), (6, 1, 62.0), (4, 1, 91.0), (4, 1, 92.0)];
        let steady = steady.map(|(streams, error, each)| Capacity::of(streams, error, false, each));
        assert_eq!(outlier(&numbered(&steady)), None);
        // At least so many: more is no contradiction.
        let open = Capacity::of(30, 1, true, 14.0);
        assert!(open.agrees_with(&Capacity::of(9, 1, false, 92.0)));
        assert!(!open.agrees_with(&Capacity::of(1, 1, false, 92.0)));
        assert_eq!(outlier(&[]), None);
    }

    #[test]
    fn the_one_that_contradicts_most_is_found() {
        // 16 streams of 14 MB/s, none of 92.
        let none = [Capacity::of(16, 1, false, 14.0), Capacity::of(0, 0, false, 92.0)];
        assert_eq!(outlier(&numbered(&none)), Some(1));
        let counts = [(45, 1, 92.0), (49, 2, 91.0), (22, 1, 92.0), (300, 9, 14.0)];
        let counts = counts.map(|(streams, error, each)| Capacity::of(streams, error, false, each));
        assert_eq!(outlier(&numbered(&counts)), Some(2));
    }
}
