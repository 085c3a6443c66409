//! Ageing: creates, edits and deletes files for a time, so that free space is fragmented as after years
//! of work.
//!
//! Of ten steps, six create a file, three write into or append to one, and one deletes one. Sizes are
//! between 64 KiB and 32 MiB, distributed evenly over the powers of two. When the files take half of the
//! free space (1 / [`SHARE`]), or the volume is full, files are deleted until half of their bytes are
//! left, which leaves holes of all sizes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reelgauge_workload::random::Dice;

use super::{Ballast, BallastError};
use crate::area_path::Purpose;
use crate::extents::Extents;

/// The divisor for the maximum share of the free space that aged files take.
const SHARE: u64 = 2;
/// The smallest file, as a power of two, and how many times it doubles.
const SMALLEST_BITS: u32 = 16;
const DOUBLINGS: u64 = 9;
/// The maximum number of files at a time.
const FILES_MAX: usize = 20_000;
/// The number of files whose extents are counted.
const COUNTED_MAX: usize = 200;

/// The result of ageing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aged {
    /// Files created.
    pub made: u64,
    /// Files written into or appended to.
    pub edited: u64,
    /// Files deleted.
    pub deleted: u64,
    pub written_bytes: u64,
    /// Current number of files.
    pub files: u64,
    /// Their total size.
    pub bytes: u64,
    /// Extents of the counted files; `None` if the file system does not report them.
    pub extents: Option<u64>,
    /// Files whose extents were counted.
    pub counted_files: u64,
}

impl Ballast<'_> {
    /// Creates, edits and deletes files for this long.
    ///
    /// # Errors
    /// [`BallastError`]. Files created until then stay until they are removed.
    pub fn age(&mut self, time: Duration, seed: u64) -> Result<Aged, BallastError> {
        let begun = Instant::now();
        let written_before = self.written.load(std::sync::atomic::Ordering::Relaxed);
        let mut ageing = Ageing::begin(self, seed)?;
        while begun.elapsed() < time {
            match ageing.step() {
                Err(BallastError::Full { .. } | BallastError::NoRoom { .. }) if !ageing.files.is_empty() => {
                    ageing.thin_out()?
                }
                result => result?,
            }
        }
        let mut aged = ageing.facts();
        aged.written_bytes = self.written.load(std::sync::atomic::Ordering::Relaxed) - written_before;
        Ok(aged)
    }
}

struct Ageing<'a, 'b> {
    ballast: &'a mut Ballast<'b>,
    dice: Dice,
    /// Files by their numbers, with their sizes.
    files: BTreeMap<u32, u64>,
    next: u32,
    most_bytes: u64,
    aged: Aged,
}

impl<'a, 'b> Ageing<'a, 'b> {
    /// Continues with the existing files.
    fn begin(ballast: &'a mut Ballast<'b>, seed: u64) -> Result<Ageing<'a, 'b>, BallastError> {
        let size = |number: &u32| {
            let facts = ballast.area.dir().facts(&ballast.path("age", *number)).ok()?;
            Some((*number, facts.size_bytes))
        };
        let files: BTreeMap<u32, u64> = ballast.numbers("age").iter().filter_map(size).collect();
        let there: u64 = files.values().sum();
        // If there are no files yet, the smallest one must fit.
        let usable = ballast.room_for(if files.is_empty() { 1 << SMALLEST_BITS } else { 0 })?;
        Ok(Ageing {
            dice: Dice::new(seed, 0),
            next: ballast.next_number("age"),
            // Values reported by a file system are untrusted: the sum must not overflow.
            most_bytes: usable.saturating_add(there) / SHARE,
            files,
            ballast,
            aged: Aged::default(),
        })
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.dice.below(limit.max(1))
    }

    fn size(&mut self) -> u64 {
        let doublings = self.below(DOUBLINGS);
        let least = 1_u64 << (u64::from(SMALLEST_BITS) + doublings);
        // A size in between, in whole pages.
        (least + self.below(least)) / 4096 * 4096
    }

    fn any_file(&mut self) -> Option<u32> {
        let nth = self.below(self.files.len() as u64) as usize;
        self.files.keys().nth(nth).copied()
    }

    fn step(&mut self) -> Result<(), BallastError> {
        if self.files.values().sum::<u64>() >= self.most_bytes || self.files.len() >= FILES_MAX {
            return self.thin_out();
        }
        match (self.below(10), self.any_file()) {
            (0..6, _) | (_, None) => self.make(),
            (6..9, Some(number)) => self.edit(number),
            (_, Some(number)) => self.delete(number),
        }
    }

    fn make(&mut self) -> Result<(), BallastError> {
        let (number, size) = (self.next, self.size());
        let path = self.ballast.path("age", number);
        let file = self.ballast.new_file(&path)?;
        self.next += 1;
        self.files.insert(number, 0);
        self.ballast.write(&file, &path, number, 0..size)?;
        self.files.insert(number, size);
        self.aged.made += 1;
        Ok(())
    }

    /// Writes into a file, or appends to it.
    fn edit(&mut self, number: u32) -> Result<(), BallastError> {
        let size = self.files.get(&number).copied().unwrap_or(0);
        let len = self.size().min(1 << 20);
        let start = if self.below(2) == 0 { size } else { self.below(size / 4096 + 1) * 4096 };
        let path = self.ballast.path("age", number);
        let file = self.ballast.area.dir().open_file(&path, Purpose::Existing);
        let file = file.map_err(|error| self.ballast.failed("open", &path, error))?;
        self.ballast.write(&file, &path, number, start..start + len)?;
        self.files.insert(number, size.max(start + len));
        self.aged.edited += 1;
        Ok(())
    }

    fn delete(&mut self, number: u32) -> Result<(), BallastError> {
        let path = self.ballast.path("age", number);
        let removed = self.ballast.area.dir().remove_file(&path);
        removed.map_err(|error| self.ballast.failed("remove", &path, error))?;
        self.files.remove(&number);
        self.aged.deleted += 1;
        Ok(())
    }

    /// Deletes files at random until they take half of their maximum.
    fn thin_out(&mut self) -> Result<(), BallastError> {
        let half = self.files.values().sum::<u64>().min(self.most_bytes) / 2;
        while self.files.values().sum::<u64>() > half || self.files.len() >= FILES_MAX {
            let Some(number) = self.any_file() else { break };
            self.delete(number)?;
        }
        Ok(())
    }

    fn facts(&self) -> Aged {
        let of = |number: &u32| {
            let extents =
                Extents::of(Some(self.ballast.area.dir()), &self.ballast.path("age", *number)).ok()?;
            extents.extents
        };
        let every = self.files.len().div_ceil(COUNTED_MAX).max(1);
        let counted: Vec<u64> = self.files.keys().step_by(every).filter_map(of).collect();
        Aged {
            files: self.files.len() as u64,
            bytes: self.files.values().sum(),
            extents: (!counted.is_empty()).then(|| counted.iter().sum()),
            counted_files: counted.len() as u64,
            ..self.aged
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicBool, AtomicU64};

    use super::*;
    use crate::area::Area;

    #[test]
    fn files_are_created_edited_deleted_and_reused_by_later_rounds() {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut ballast = Ballast::begin(&area, 1, &stop, &written).unwrap();
        let mut ageing = Ageing::begin(&mut ballast, 7).unwrap();
        ageing.most_bytes = 64 << 20;
        for _ in 0..60 {
            ageing.step().unwrap();
        }
        let aged = ageing.facts();
        assert!(aged.made > 20 && aged.edited > 5 && aged.deleted > 0, "{aged:?}");
        assert_eq!(aged.made, aged.deleted + aged.files);
        assert_eq!(aged.bytes, super::super::bytes_in(&area));
        let again = Ageing::begin(&mut ballast, 8).unwrap();
        assert_eq!((again.files.len() as u64, u64::from(again.next)), (aged.files, aged.made));
    }
}
