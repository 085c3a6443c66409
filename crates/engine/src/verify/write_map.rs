//! Records the last write of every unit.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::pattern::{STAMP_BYTES, mix};
use crate::target_file::TargetFile;

/// A write in the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteAt {
    /// Index into the run's file table.
    pub file: u32,
    pub offset: u64,
    pub len: u32,
    pub writer: u32,
    /// The sequence number of the write within its writer, as in [`crate::pattern::Stamp::sequence`].
    pub sequence: u64,
}

/// The last write of every unit of every file of a run. All writers share it.
///
/// It needs 4 bytes per unit: 1 MiB per GiB of files with units of 4096 bytes, and 8 MiB per GiB with
/// units of 512 bytes.
///
/// Writers report when a write begins (before it is issued) and when it is over (after it is done). If
/// two writes of the same unit overlap in time, the order is undefined. The unit may then hold either,
/// until a later write that overlaps no other. Units are no larger than the size that systems write as
/// one piece (a page, a sector), so a mixture of two writes within a unit is still a difference.
///
/// A write is identified by a 30-bit hash. The chance of mistaking another write for it is one in a
/// billion per unit.
#[derive(Debug)]
pub struct WriteMap {
    unit_bytes: u32,
    files: Vec<FileMap>,
}

#[derive(Debug)]
struct FileMap {
    size_bytes: u64,
    units: Box<[AtomicU32]>,
}

/// The expected content of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitContent {
    /// The content before the run: the run did not write it.
    Unwritten,
    /// The write with this id.
    LastWrite(u32),
    /// Any complete write of the run that belongs there.
    AnyWrite,
    Unknown,
}

// The upper two bits of a unit's word give the meaning of the lower thirty.
const KIND: u32 = 3 << 30;
/// Never written. The rest is zero.
const UNWRITTEN: u32 = 0;
/// One write is in flight. The rest is its id.
const IN_FLIGHT: u32 = 1 << 30;
/// Written by one write that overlapped no other. The rest is its id.
const SETTLED: u32 = 2 << 30;
/// Written by several writes at once, or only partly. The rest holds the [`UNKNOWN`] flag and the number
/// of writes in flight.
const MIXED: u32 = 3 << 30;
/// Flag of a mixed unit: a write failed or covered only a part of it.
const UNKNOWN: u32 = 1 << 29;
const COUNT: u32 = UNKNOWN - 1;

/// The 30-bit id of a write.
pub(super) fn write_id(writer: u32, sequence: u64) -> u32 {
    (mix(mix(0, u64::from(writer)), sequence) >> 34) as u32
}

impl WriteMap {
    /// An empty map for these files.
    pub fn new(files: &[TargetFile], unit_bytes: u32) -> WriteMap {
        let map = |file: &TargetFile| FileMap {
            size_bytes: file.size_bytes,
            units: (0..file.size_bytes.div_ceil(u64::from(unit_bytes)))
                .map(|_| AtomicU32::new(UNWRITTEN))
                .collect(),
        };
        WriteMap { unit_bytes, files: files.iter().map(map).collect() }
    }

    /// Records that this write is about to be issued.
    pub fn begin(&self, write: &WriteAt) {
        let id = write_id(write.writer, write.sequence);
        self.for_each_unit(write, |unit, whole| {
            let first = if whole { IN_FLIGHT | id } else { MIXED | UNKNOWN | 1 };
            let taint = if whole { 0 } else { UNKNOWN };
            change(unit, |word| match word & KIND {
                IN_FLIGHT => MIXED | taint | 2,
                MIXED if word & COUNT != 0 => (word | taint) + 1,
                _ => first,
            });
        });
    }

    /// Records that this write is over. `whole`: all of it was written without an error.
    pub fn end(&self, write: &WriteAt, whole: bool) {
        let taint = if whole { 0 } else { UNKNOWN };
        self.for_each_unit(write, |unit, _| {
            change(unit, |word| match word & KIND {
                IN_FLIGHT if whole => SETTLED | word & !KIND,
                IN_FLIGHT => MIXED | UNKNOWN,
                MIXED if word & COUNT != 0 => (word | taint) - 1,
                _ => unreachable!("a write that completes was started"),
            });
        });
    }

    /// Visits every unit that the write touches, and whether it covers the whole unit (and so its
    /// stamp).
    fn for_each_unit(&self, write: &WriteAt, mut visit: impl FnMut(&AtomicU32, bool)) {
        let Some(file) = self.files.get(write.file as usize) else {
            return;
        };
        let unit_bytes = u64::from(self.unit_bytes);
        // A trace may write at the largest possible position.
        let end = write.offset.saturating_add(u64::from(write.len));
        for number in write.offset / unit_bytes..end.div_ceil(unit_bytes) {
            // Writes past the original end of the file are not checked.
            let Some(unit) = file.units.get(number as usize) else {
                return;
            };
            let start = number * unit_bytes;
            let unit_end = (start + unit_bytes).min(file.size_bytes);
            let covered = write.offset <= start && unit_end <= end;
            visit(unit, covered && unit_end - start >= STAMP_BYTES as u64);
        }
    }

    /// The expected content of a unit now.
    pub(super) fn unit(&self, file: u32, unit: u64) -> UnitContent {
        let unit = self.files.get(file as usize).and_then(|file| file.units.get(unit as usize));
        let word = unit.map_or(UNWRITTEN, |unit| unit.load(Ordering::Relaxed));
        match word & KIND {
            UNWRITTEN => UnitContent::Unwritten,
            SETTLED => UnitContent::LastWrite(word & !KIND),
            MIXED if word & !KIND == 0 => UnitContent::AnyWrite,
            // Still in flight: the run abandoned this write, but it may still arrive.
            _ => UnitContent::Unknown,
        }
    }

    /// The next sequence of written units at or after `from`, at most `most` of them.
    pub(super) fn next_written(&self, file: u32, from: u64, most: u64) -> Option<Range<u64>> {
        let units = &self.files.get(file as usize)?.units;
        let written = |unit: &AtomicU32| unit.load(Ordering::Relaxed) != UNWRITTEN;
        let start = from as usize + units.get(from as usize..)?.iter().position(written)?;
        let end = units.len().min(start + most as usize);
        let len = units[start..end].iter().take_while(|unit| written(unit)).count();
        Some(start as u64..(start + len) as u64)
    }
}

/// Changes a unit's word. Relaxed, because units are independent and the verifier starts after the
/// writers have ended.
fn change(unit: &AtomicU32, change: impl Fn(u32) -> u32) {
    let mut word = unit.load(Ordering::Relaxed);
    while let Err(now) = unit.compare_exchange_weak(word, change(word), Ordering::Relaxed, Ordering::Relaxed)
    {
        word = now;
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn map() -> WriteMap {
        WriteMap::new(&[TargetFile { path: PathBuf::from("f"), size_bytes: 10_000 }], 4096)
    }

    fn write(sequence: u64, offset: u64, len: u32) -> WriteAt {
        WriteAt { file: 0, offset, len, writer: 1, sequence }
    }

    #[test]
    fn the_last_write_of_several_is_kept() {
        let map = map();
        for sequence in 0..3 {
            map.begin(&write(sequence, 0, 8192));
            assert_eq!(map.unit(0, 1), UnitContent::Unknown, "while in flight");
            map.end(&write(sequence, 0, 8192), true);
        }
        assert_eq!(map.unit(0, 0), UnitContent::LastWrite(write_id(1, 2)));
        assert_eq!(map.unit(0, 2), UnitContent::Unwritten);
    }

    #[test]
    #[should_panic(expected = "a write that completes was started")]
    fn a_write_that_ends_twice_is_a_defect() {
        let map = map();
        map.begin(&write(0, 0, 4096));
        map.end(&write(0, 0, 4096), true);
        map.end(&write(0, 0, 4096), true);
    }

    #[test]
    fn overlapping_writes_allow_either_until_a_later_write() {
        let map = map();
        let (first, second, third) = (write(0, 0, 8192), write(1, 4096, 4096), write(2, 4096, 4096));
        map.begin(&first);
        map.begin(&second);
        map.end(&first, true);
        assert_eq!(map.unit(0, 0), UnitContent::LastWrite(write_id(1, 0)));
        assert_eq!(map.unit(0, 1), UnitContent::Unknown, "second is in flight");
        map.end(&second, true);
        assert_eq!(map.unit(0, 1), UnitContent::AnyWrite);
        map.begin(&third);
        map.end(&third, true);
        assert_eq!(map.unit(0, 1), UnitContent::LastWrite(write_id(1, 2)));
    }

    #[test]
    fn failed_or_partial_write_makes_the_unit_unknown() {
        let map = map();
        map.begin(&write(0, 0, 4096));
        map.end(&write(0, 0, 4096), false);
        assert_eq!(map.unit(0, 0), UnitContent::Unknown);
        map.begin(&write(1, 100, 8000));
        map.end(&write(1, 100, 8000), true);
        assert_eq!(map.unit(0, 0), UnitContent::Unknown);
        assert_eq!(map.unit(0, 1), UnitContent::Unknown);
        // One of two overlapping writes fails, so the content is undefined.
        map.begin(&write(2, 0, 4096));
        map.begin(&write(3, 0, 4096));
        map.end(&write(2, 0, 4096), false);
        map.end(&write(3, 0, 4096), true);
        assert_eq!(map.unit(0, 0), UnitContent::Unknown);
        map.begin(&write(4, 0, 4096));
        map.end(&write(4, 0, 4096), true);
        assert_eq!(map.unit(0, 0), UnitContent::LastWrite(write_id(1, 4)));
    }

    #[test]
    fn the_last_unit_is_as_long_as_the_file() {
        let map = map();
        map.begin(&write(0, 8192, 10_000 - 8192));
        map.end(&write(0, 8192, 10_000 - 8192), true);
        assert_eq!(map.unit(0, 2), UnitContent::LastWrite(write_id(1, 0)));
        // Writes beyond the end, or to unknown files, are ignored.
        map.begin(&write(1, 1 << 40, 4096));
        map.begin(&WriteAt { file: 9, ..write(1, 0, 4096) });
        assert_eq!(map.unit(0, 3), UnitContent::Unwritten);
    }

    #[test]
    fn written_units_are_found_in_runs() {
        let map = map();
        assert_eq!(map.next_written(0, 0, 256), None);
        map.begin(&write(0, 4096, 5000));
        assert_eq!(map.next_written(0, 0, 256), Some(1..3));
        assert_eq!(map.next_written(0, 0, 1), Some(1..2));
        assert_eq!(map.next_written(0, 2, 1), Some(2..3));
        assert_eq!(map.next_written(0, 3, 1), None);
        assert_eq!(map.next_written(7, 0, 1), None);
    }
}
