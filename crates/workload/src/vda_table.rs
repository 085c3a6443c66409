//! The tables of the published VDA (video data acquisition) definition: transfer sizes and the mix of the
//! companion. Draws are exact: whole shares, whole random numbers.
//!
//! SPECstorage Solution 2020 user's guide, 6.2.2 and 6.2.3. Workloads that use them are VDA-like; that
//! is not a SPEC result.

use crate::random::Dice;
use crate::streams::StreamsError;
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked, OPS_PER_S};
use crate::units::Size;

/// The maximum number of files of one process.
const FILES_MAX: u32 = 1024;

/// An operation of the companion, as the benchmark counts operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanionOp {
    /// A read at a random position.
    RandomRead,
    /// A read that continues at the end of the previous one in that file.
    SequentialRead,
    /// A listing of a whole directory.
    ReadDir,
    /// A read at a random position, and a write to the same position.
    ReadModifyWrite,
    /// A query of a file's size and times.
    Stat,
    /// A check whether a file may be read.
    Access,
    /// Creation of an empty file.
    Create,
    /// Removal of an empty file.
    Unlink,
}

/// A table of alternatives with whole shares.
pub type Table<T> = [(u32, T)];

/// Sizes of writes: share in percent, bytes.
pub const WRITE_SIZES: &Table<u32> =
    &[(5, 32 << 10), (10, 64 << 10), (10, 128 << 10), (25, 256 << 10), (25, 512 << 10), (25, 1 << 20)];

/// Sizes of reads: share in percent, bytes.
pub const READ_SIZES: &Table<u32> =
    &[(15, 64 << 10), (10, 128 << 10), (20, 256 << 10), (35, 512 << 10), (20, 1 << 20)];

/// The operations of the companion: share in percent, operation.
pub const COMPANION_MIX: &Table<CompanionOp> = &[
    (84, CompanionOp::RandomRead),
    (5, CompanionOp::SequentialRead),
    (3, CompanionOp::ReadDir),
    (2, CompanionOp::ReadModifyWrite),
    (2, CompanionOp::Stat),
    (2, CompanionOp::Access),
    (1, CompanionOp::Create),
    (1, CompanionOp::Unlink),
];

/// The longest read or write in the tables.
pub const MAX_LEN: u32 = 1 << 20;

/// Requested rate of the camera in operations per second.
pub const CAMERA_OPS_PER_S: f64 = 9.0;

/// Requested rate of the companion in operations per second.
pub const COMPANION_OPS_PER_S: f64 = 1.0;

settings! {
    /// Settings of both components.
    pub struct VdaLoad {
        /// Size of each file.
        file_size: Size = Size::mib(1024),
        /// Files of each process: ten with data and one more, as the published data set sizes imply.
        files: u32 = 11,
        /// Transfers per second instead of the published ones, from 0.001 to 100 000 ([`OPS_PER_S`]).
        ops_per_s: Option<f64> = None,
    }
}

impl VdaLoad {
    /// The rate in transfers per second; `published` if none is set.
    pub(crate) fn rate(&self, published: f64) -> f64 {
        self.ops_per_s.unwrap_or(published)
    }

    pub(crate) fn check(&self, check: &Check) -> Checked {
        check.file_size(self.file_size, Size(MAX_LEN.into()))?;
        check.not_zero("files", self.files == 0, "use at least 1")?;
        check.at_most("files", self.files, FILES_MAX, "")?;
        if self.file_size.bytes() < u64::from(MAX_LEN) {
            let (field, kind, size) = (check.spelling.name("file_size"), check.kind, self.file_size);
            return Err(StreamsError::FileUnderTransfer { field, kind, size }.into());
        }
        match self.ops_per_s.is_some_and(|rate| !OPS_PER_S.contains(&rate)) {
            true => Err(StreamsError::Rate { field: check.spelling.name("ops_per_s") }.into()),
            false => Ok(()),
        }
    }
}

/// The mean size of a draw from a table of sizes, in bytes.
pub fn mean_bytes(table: &Table<u32>) -> f64 {
    let all: u64 = table.iter().map(|&(share, bytes)| u64::from(share) * u64::from(bytes)).sum();
    all as f64 / 100.0
}

/// Draws one entry, with exactly the probability of its share.
pub(crate) fn draw<T: Copy>(dice: &mut Dice, table: &Table<T>) -> T {
    let all: u64 = table.iter().map(|(share, _)| u64::from(*share)).sum();
    let mut number = dice.below(all);
    for &(share, entry) in &table[..table.len() - 1] {
        match number.checked_sub(u64::from(share)) {
            Some(rest) => number = rest,
            None => return entry,
        }
    }
    table[table.len() - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_driver::{chi_square, chi_square_max};

    #[test]
    fn the_tables_are_complete_and_have_the_published_means() {
        let all = |table: &Table<u32>| table.iter().map(|(share, _)| share).sum::<u32>();
        assert_eq!((all(WRITE_SIZES), all(READ_SIZES)), (100, 100));
        assert_eq!(COMPANION_MIX.iter().map(|(share, _)| share).sum::<u32>(), 100);
        // 468.8 and 457.6 KiB.
        assert_eq!((mean_bytes(WRITE_SIZES), mean_bytes(READ_SIZES)), (468.8 * 1024.0, 457.6 * 1024.0));
        assert!(WRITE_SIZES.iter().chain(READ_SIZES).all(|&(_, bytes)| bytes <= MAX_LEN));
    }

    fn distance<T: Copy + PartialEq>(table: &Table<T>, draws: u32) -> f64 {
        let mut dice = Dice::new(11, 3);
        let mut counts = vec![0; table.len()];
        for _ in 0..draws {
            let drawn = draw(&mut dice, table);
            let at = table.iter().position(|(_, entry)| *entry == drawn);
            counts[at.unwrap_or(0)] += 1;
        }
        let shares: Vec<u32> = table.iter().map(|(share, _)| *share).collect();
        chi_square(&counts, &shares)
    }

    #[test]
    fn draws_have_the_shares_of_their_table() {
        assert!(distance(WRITE_SIZES, 500_000) < chi_square_max(WRITE_SIZES.len()));
        assert!(distance(READ_SIZES, 500_000) < chi_square_max(READ_SIZES.len()));
        assert!(distance(COMPANION_MIX, 500_000) < chi_square_max(COMPANION_MIX.len()));
    }

    #[test]
    fn the_chi_square_sees_a_share_that_is_off_by_one_percent() {
        let off: &Table<u32> = &[(6, 1), (9, 2), (10, 3), (25, 4), (25, 5), (25, 6)];
        let mut dice = Dice::new(11, 3);
        let mut counts = [0; 6];
        for _ in 0..500_000 {
            counts[draw(&mut dice, off) as usize - 1] += 1;
        }
        let shares: Vec<u32> = WRITE_SIZES.iter().map(|(share, _)| *share).collect();
        assert!(chi_square(&counts, &shares) > 10.0 * chi_square_max(6));
    }
}
