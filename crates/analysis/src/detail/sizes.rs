//! Counts the requested sizes: exactly as long as there are few different sizes, otherwise rounded up to
//! powers of two.

use std::collections::BTreeMap;

use reelgauge_record::{OpKind, OpRecord};

use super::data::SizeCounts;

/// Different sizes that are listed individually, at most.
const MAX_SIZES: usize = 200;
/// Powers of two: 0, 1, 2, 4 … 2^32.
const POWERS: usize = 34;

#[derive(Clone, Debug)]
struct Side {
    /// `None` after there were too many.
    exact: Option<BTreeMap<u32, u64>>,
    powers: [u64; POWERS],
    /// A size and the length of its current run, not counted yet. Most sizes occur in long runs.
    row: (u32, u64),
}

/// Takes reads and writes that succeeded.
#[derive(Clone, Debug)]
pub(super) struct SizeTally {
    sides: [Side; 2],
}

impl SizeTally {
    pub(super) fn new() -> SizeTally {
        let side = || Side { exact: Some(BTreeMap::new()), powers: [0; POWERS], row: (0, 0) };
        SizeTally { sides: [side(), side()] }
    }

    /// Counts a read or a write.
    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord) {
        let side = &mut self.sides[usize::from(op.kind == OpKind::Write)];
        if op.len != side.row.0 {
            side.settle();
            side.row.0 = op.len;
        }
        side.row.1 += 1;
    }

    /// The counts of the directions that happened.
    pub(super) fn figures(mut self) -> Vec<SizeCounts> {
        self.sides.iter_mut().for_each(Side::settle);
        let sides = ["read", "write"].into_iter().zip(&self.sides);
        sides.map(|(kind, side)| side.figures(kind)).filter(|sizes| !sizes.bytes.is_empty()).collect()
    }
}

impl Side {
    fn settle(&mut self) {
        let (size, count) = std::mem::take(&mut self.row);
        if count == 0 {
            return;
        }
        self.powers[power_of(size)] += count;
        if let Some(exact) = &mut self.exact {
            *exact.entry(size).or_default() += count;
            if exact.len() > MAX_SIZES {
                self.exact = None;
            }
        }
    }

    fn figures(&self, kind: &str) -> SizeCounts {
        let (bytes, count) = match &self.exact {
            Some(exact) => exact.iter().map(|(&bytes, &count)| (u64::from(bytes), count)).unzip(),
            None => {
                let powers = self.powers.iter().enumerate().filter(|(_, count)| **count > 0);
                powers.map(|(power, count)| (bytes_of(power), *count)).unzip()
            }
        };
        SizeCounts { kind: kind.to_owned(), bytes, count, rounded: self.exact.is_none() }
    }
}

/// 0 for 0, 1 for 1, 2 for 2, 3 for 3 and 4: the first power of two that is not smaller.
fn power_of(size: u32) -> usize {
    match size {
        0 => 0,
        size => (u64::from(size).next_power_of_two().trailing_zeros() + 1) as usize,
    }
}

fn bytes_of(power: usize) -> u64 {
    match power {
        0 => 0,
        power => 1 << (power - 1),
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;

    #[test]
    fn few_sizes_are_exact() {
        let mut tally = SizeTally::new();
        for len in [4096, 4096, 512, 4096, 0] {
            tally.add(&read(0, 0, len));
        }
        let figures = tally.figures();
        assert_eq!(figures.len(), 1);
        assert_eq!(
            (figures[0].bytes.as_slice(), figures[0].count.as_slice()),
            (&[0, 512, 4096][..], &[1, 1, 3][..])
        );
        assert!(!figures[0].rounded);
    }

    #[test]
    fn many_sizes_are_rounded_up_and_all_are_counted() {
        let mut tally = SizeTally::new();
        for len in 0..200 {
            tally.add(&write(0, 0, len));
        }
        assert!(!tally.clone().figures()[0].rounded);
        tally.add(&write(0, 0, 200));
        assert!(tally.clone().figures()[0].rounded);
        tally.add(&write(0, 0, u32::MAX));
        let figures = tally.figures();
        assert_eq!(figures[0].bytes, [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1 << 32]);
        assert_eq!(figures[0].count, [1, 1, 1, 2, 4, 8, 16, 32, 64, 72, 1]);
        assert!(figures[0].rounded && figures[0].kind == "write");
    }
}
