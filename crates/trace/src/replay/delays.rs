//! A histogram of delays: exact below 256 ns, with two significant digits above.
//!
//! Not here: the definition and the causes of a delay (the script).

use std::collections::BTreeMap;

/// Buckets per doubling, as a power of two.
const BITS: u32 = 7;

/// A histogram of delays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// By the smallest delay of each bucket.
    counts: BTreeMap<u64, u64>,
    /// Counted separately, because most operations start on time.
    none: u64,
    most_ns: u64,
}

impl Delays {
    /// Adds one delay to the histogram.
    pub(super) fn add(&mut self, delay_ns: u64) {
        if delay_ns == 0 {
            self.none += 1;
            return;
        }
        *self.counts.entry(rounded(delay_ns)).or_default() += 1;
        self.most_ns = self.most_ns.max(delay_ns);
    }

    /// The longest delay, exact.
    pub fn most_ns(&self) -> u64 {
        self.most_ns
    }

    /// Each delay with its number of operations, ascending.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let none = Some((0, self.none)).filter(|(_, count)| *count > 0);
        none.into_iter().chain(self.counts.iter().map(|(&ns, &count)| (ns, count)))
    }
}

/// The smallest delay of a delay's bucket.
fn rounded(delay_ns: u64) -> u64 {
    let shift = (63 - (delay_ns | 1 << BITS).leading_zeros()) - BITS;
    delay_ns >> shift << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_counted_to_two_digits_and_the_longest_is_exact() {
        let mut delays = Delays::default();
        [0, 0, 255, 1_000_003, 1_000_009, 4_111_222_333].into_iter().for_each(|ns| delays.add(ns));
        let counts: Vec<(u64, u64)> = delays.counts().collect();
        assert_eq!(counts.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 1, 2, 1]);
        assert_eq!((counts[0].0, counts[1].0), (0, 255));
        for (ns, count) in [(1_000_003, counts[2].0), (4_111_222_333, counts[3].0)] {
            assert!(count <= ns && (ns - count) * 128 <= ns, "{ns} counted as {count}");
        }
        assert_eq!(delays.most_ns(), 4_111_222_333);
        assert_eq!(rounded(u64::MAX) >> 56, 0xff);
    }
}
