//! Sizes of operations: exact counts of every size as long as there are few, mean, deviation and median.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::moments::Moments;

/// The number of most frequent sizes that are listed.
const FREQUENT: usize = 8;
/// Bits of a size that are kept if there are too many different ones: an error of less than 0.1 %.
const COARSE_BITS: u32 = 10;

/// The sizes of reads or writes, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeFigures {
    /// How many operations.
    pub count: u64,
    /// Their mean.
    pub mean_bytes: f64,
    /// Their standard deviation: of the whole population, not of a sample.
    pub deviation_bytes: f64,
    /// Half of them are not larger. Exact for at most 65,536 different sizes, otherwise rounded down by
    /// less than 0.1 %.
    pub median_bytes: u64,
    /// The smallest.
    pub min_bytes: u64,
    /// The largest.
    pub max_bytes: u64,
    /// Counts of sizes from each power of two to below the next; empty rows are omitted.
    pub histogram: Vec<SizeRow>,
    /// The most frequent sizes, the most frequent first.
    pub frequent: Vec<SizeCount>,
}

/// A row of the histogram of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeRow {
    /// The smallest size of this row: 0 or a power of two.
    pub from_bytes: u64,
    /// The first size above the row.
    pub below_bytes: u64,
    /// Operations.
    pub count: u64,
}

/// A size and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeCount {
    /// The size.
    pub bytes: u64,
    /// Operations.
    pub count: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Sizes {
    counts: HashMap<u32, u64>,
    max_different: usize,
    coarse: bool,
    moments: Moments,
    min: u32,
    max: u32,
}

impl Sizes {
    /// Exact for up to this many different sizes.
    pub(crate) fn new(max_different: usize) -> Sizes {
        Sizes {
            counts: HashMap::new(),
            max_different,
            coarse: false,
            moments: Moments::default(),
            min: u32::MAX,
            max: 0,
        }
    }

    pub(crate) fn add(&mut self, bytes: u32) {
        self.moments.add(f64::from(bytes));
        (self.min, self.max) = (self.min.min(bytes), self.max.max(bytes));
        let key = if self.coarse { coarse(bytes) } else { bytes };
        *self.counts.entry(key).or_default() += 1;
        if self.counts.len() > self.max_different && !self.coarse {
            self.coarsen();
        }
    }

    #[cold]
    fn coarsen(&mut self) {
        self.coarse = true;
        for (bytes, count) in std::mem::take(&mut self.counts) {
            *self.counts.entry(coarse(bytes)).or_default() += count;
        }
    }

    /// The figures; `None` without any operation.
    pub(crate) fn figures(&self) -> Option<SizeFigures> {
        let count = self.moments.count();
        if count == 0 {
            return None;
        }
        let mut counts: Vec<(u32, u64)> = self.counts.iter().map(|(bytes, count)| (*bytes, *count)).collect();
        counts.sort_unstable();
        Some(SizeFigures {
            count,
            mean_bytes: self.moments.mean(),
            deviation_bytes: self.moments.deviation(),
            median_bytes: u64::from(median(&counts, count)),
            min_bytes: u64::from(self.min),
            max_bytes: u64::from(self.max),
            histogram: histogram(&counts),
            frequent: frequent(counts),
        })
    }
}

/// The size with all but its first bits set to 0. Powers of two, and all sizes below 2,048, are
/// unchanged.
fn coarse(bytes: u32) -> u32 {
    // Small sizes lose no bits.
    let shift = (32 - bytes.leading_zeros()).saturating_sub(COARSE_BITS + 1);
    bytes >> shift << shift
}

/// The smallest size that at least half of the operations do not exceed.
fn median(ascending: &[(u32, u64)], total: u64) -> u32 {
    let half = total.div_ceil(2);
    let mut seen = 0;
    let middle = ascending.iter().find(|(_, count)| {
        seen += count;
        seen >= half
    });
    middle.map_or(0, |(bytes, _)| *bytes)
}

fn histogram(ascending: &[(u32, u64)]) -> Vec<SizeRow> {
    let mut rows: Vec<SizeRow> = Vec::new();
    for &(bytes, count) in ascending {
        let from_bytes = if bytes == 0 { 0 } else { 1 << bytes.ilog2() };
        match rows.last_mut() {
            Some(row) if row.from_bytes == from_bytes => row.count += count,
            _ => rows.push(SizeRow { from_bytes, below_bytes: (2 * from_bytes).max(1), count }),
        }
    }
    rows
}

fn frequent(mut counts: Vec<(u32, u64)>) -> Vec<SizeCount> {
    counts.sort_by_key(|&(bytes, count)| (std::cmp::Reverse(count), bytes));
    counts.truncate(FREQUENT);
    counts.into_iter().map(|(bytes, count)| SizeCount { bytes: u64::from(bytes), count }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(sizes: &[u32], max_different: usize) -> SizeFigures {
        let mut all = Sizes::new(max_different);
        sizes.iter().for_each(|&bytes| all.add(bytes));
        all.figures().unwrap()
    }

    #[test]
    fn figures_of_few_sizes_are_exact() {
        let figures = of(&[262_144, 262_144, 262_144, 60_027, 4, 0], 10);
        assert_eq!((figures.median_bytes, figures.min_bytes, figures.max_bytes), (60_027, 0, 262_144));
        assert!((figures.mean_bytes - 846_463.0 / 6.0).abs() < 1e-6);
        // By hand: the root of the mean squared distance from 141,077.17.
        assert!((figures.deviation_bytes - 122_709.0).abs() < 1.0, "{}", figures.deviation_bytes);
        let rows: Vec<_> =
            figures.histogram.iter().map(|row| (row.from_bytes, row.below_bytes, row.count)).collect();
        assert_eq!(rows, [(0, 1, 1), (4, 8, 1), (32_768, 65_536, 1), (262_144, 524_288, 3)]);
        assert_eq!(figures.frequent[0], SizeCount { bytes: 262_144, count: 3 });
        assert_eq!(Sizes::new(1).figures(), None);
    }

    #[test]
    fn many_sizes_are_rounded_down_a_little_and_powers_of_two_never() {
        let sizes: Vec<u32> = (0..100_000).map(|at| at * 40_001 % 4_294_967).chain([65_536; 3]).collect();
        let (exact, coarse) = (of(&sizes, 1 << 20), of(&sizes, 64));
        assert_eq!((exact.mean_bytes, exact.max_bytes), (coarse.mean_bytes, coarse.max_bytes));
        assert!(coarse.median_bytes <= exact.median_bytes);
        assert!(coarse.median_bytes as f64 > exact.median_bytes as f64 * 0.999);
        assert_eq!(of(&[65_536, 65_536, 1_000_001], 1).median_bytes, 65_536);
        assert_eq!(exact.histogram, coarse.histogram);
    }
}
