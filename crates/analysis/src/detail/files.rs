//! The files of a log: the first pass finds the ones that matter, the second fills their rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reelgauge_record::{OpKind, OpRecord};

use super::Decimal;
use super::data::FileRows;
use crate::rounding::round_to;
use crate::trace_stats::percent;

/// Files with a row, at most.
const MAX_ROWS: usize = 1_000;
/// Files with a map, at most.
const MAX_MAPS: usize = 500;
/// A file without a row.
const NO_ROW: u32 = u32::MAX;

/// The counts of one file. A log may have millions of files, so this type has only 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSeen {
    bytes: u64,
    /// Start of the first byte that was read or written.
    pub(super) from_bytes: u64,
    /// End of the last byte that was read or written.
    pub(super) until_bytes: u64,
    ops: u32,
    /// Reads and writes that succeeded and transferred something.
    pub(super) accesses: u32,
}

impl FileSeen {
    const NEVER: FileSeen = FileSeen { bytes: 0, from_bytes: u64::MAX, until_bytes: 0, ops: 0, accesses: 0 };

    /// Mean size of its accesses.
    pub(super) fn usual_bytes(&self) -> u64 {
        self.bytes / u64::from(self.accesses).max(1)
    }
}

/// All files of a log. Operations on files that are not in its table are not counted.
#[derive(Clone, Debug)]
pub(super) struct FilesSeen(Vec<FileSeen>);

impl FilesSeen {
    /// A table with `files` entries.
    pub(super) fn new(files: usize) -> FilesSeen {
        FilesSeen(vec![FileSeen::NEVER; files])
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, file: u32) -> Option<&FileSeen> {
        self.0.get(file as usize)
    }

    /// Counts an operation that is not of the warm-up.
    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord) {
        let Some(seen) = self.0.get_mut(op.file as usize) else { return };
        // 32 bits for each of a million files. A larger count would only change the order of the list.
        seen.ops = seen.ops.saturating_add(1);
        if op.kind.moves_data() && op.errno == 0 && op.done_len > 0 {
            let bytes = u64::from(op.done_len);
            // As above.
            seen.accesses = seen.accesses.saturating_add(1);
            seen.bytes += bytes;
            seen.from_bytes = seen.from_bytes.min(op.offset);
            seen.until_bytes = seen.until_bytes.max(op.end_offset());
        }
    }

    /// The first `count` files by a key, the largest first; of equal keys those with the lower file
    /// number. Files without operations, or whose key is `None`, are omitted.
    fn top<K: Ord>(&self, count: usize, key: impl Fn(&FileSeen) -> Option<K>) -> Vec<u32> {
        let mut best = BinaryHeap::new();
        for (file, seen) in (0_u32..).zip(&self.0).filter(|(_, seen)| seen.ops > 0) {
            let Some(key) = key(seen) else { continue };
            best.push(Reverse((key, Reverse(file))));
            if best.len() > count {
                best.pop();
            }
        }
        best.into_sorted_vec().into_iter().map(|Reverse((_, Reverse(file)))| file).collect()
    }

    /// The files that get a map: those with the most accesses.
    pub(super) fn mapped(&self) -> Vec<u32> {
        self.top(MAX_MAPS, |seen| (seen.accesses > 0).then_some((seen.accesses, seen.bytes)))
    }

    /// The rows of the files with the most bytes; of those without any, with the most operations.
    pub(super) fn rows(&self) -> RowTally {
        let files = self.top(MAX_ROWS, |seen| Some((seen.bytes, seen.ops)));
        let mut row_of = vec![NO_ROW; self.0.len()];
        for (row, &file) in (0..).zip(&files) {
            row_of[file as usize] = row;
        }
        let touched = self.0.iter().filter(|seen| seen.ops > 0).count();
        RowTally {
            left_out: (touched - files.len()) as u64,
            rows: vec![Row::default(); files.len()],
            files,
            row_of,
        }
    }
}

/// The counts of a file with a row.
#[derive(Clone, Debug, Default)]
struct Row {
    ops: u64,
    reads: u64,
    writes: u64,
    read_bytes: u64,
    written_bytes: u64,
    sequential: u64,
    service_ns: u64,
    max_service_ns: u64,
    failed: u64,
    /// Where the last access ended.
    end_bytes: Option<u64>,
}

/// Takes operations in order of issue.
#[derive(Clone, Debug)]
pub(super) struct RowTally {
    files: Vec<u32>,
    row_of: Vec<u32>,
    rows: Vec<Row>,
    left_out: u64,
}

impl RowTally {
    /// Takes an operation. One that does not count only sets the position for the next one.
    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord, counts: bool) {
        let row = self.row_of.get(op.file as usize).and_then(|row| self.rows.get_mut(*row as usize));
        let Some(row) = row else { return };
        let is_access = op.kind.moves_data() && op.errno == 0;
        let sequential = is_access && row.end_bytes == Some(op.offset);
        if is_access {
            row.end_bytes = Some(op.end_offset());
        }
        if counts {
            row.add(op, sequential);
        }
    }

    /// The rows as columns.
    pub(super) fn figures(self) -> FileRows {
        let mut columns = FileRows { left_out: self.left_out, ..FileRows::default() };
        for (&file, row) in self.files.iter().zip(&self.rows) {
            let accesses = row.reads + row.writes;
            let mean_us = round_to(row.service_ns as f64 / accesses.max(1) as f64 / 1e3, 3);
            columns.file.push(file);
            columns.ops.push(row.ops);
            columns.reads.push(row.reads);
            columns.writes.push(row.writes);
            columns.read_bytes.push(row.read_bytes);
            columns.written_bytes.push(row.written_bytes);
            columns.sequential_percent.push(percent(row.sequential, accesses).map(Decimal));
            columns.mean_service_us.push((accesses > 0).then_some(Decimal(mean_us)));
            columns.max_service_us.push((accesses > 0).then_some(Decimal::us(row.max_service_ns)));
            columns.failed_ops.push(row.failed);
        }
        columns
    }
}

impl Row {
    fn add(&mut self, op: &OpRecord, sequential: bool) {
        self.ops += 1;
        if op.errno != 0 {
            self.failed += 1;
            return;
        }
        let bytes = u64::from(op.done_len);
        match op.kind {
            OpKind::Read => {
                self.reads += 1;
                self.read_bytes += bytes;
            }
            OpKind::Write => {
                self.writes += 1;
                self.written_bytes += bytes;
            }
            _ => return,
        }
        self.sequential += u64::from(sequential);
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        self.service_ns = self.service_ns.saturating_add(op.service_ns());
        self.max_service_ns = self.max_service_ns.max(op.service_ns());
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;

    #[test]
    fn a_file_takes_little_memory() {
        assert_eq!(size_of::<FileSeen>(), 32);
    }

    #[test]
    fn rows_are_those_with_most_bytes_and_the_rest_is_counted() {
        let mut seen = FilesSeen::new(1_500);
        for file in 0..1_400 {
            seen.add(&read(file, 0, 1 + file % 3));
        }
        seen.add(&read(9_999, 0, 1 << 20));
        let rows = seen.rows();
        assert_eq!((rows.files.len(), rows.left_out), (1_000, 400));
        assert_eq!(rows.files[..3], [2, 5, 8]);
        assert_eq!(seen.mapped()[..2], [2, 5]);
    }

    #[test]
    fn sequential_is_where_the_last_access_to_the_same_file_ended() {
        let ops = [read(0, 0, 10), read(0, 10, 10), read(1, 0, 5), read(0, 20, 10), write(0, 30, 2)];
        let mut seen = FilesSeen::new(2);
        ops.iter().for_each(|op| seen.add(op));
        let mut rows = seen.rows();
        ops.iter().for_each(|op| rows.add(op, true));
        rows.add(&OpRecord { errno: 5, ..read(0, 32, 9) }, true);
        let figures = rows.figures();
        assert_eq!((figures.file, figures.ops), (vec![0, 1], vec![5, 1]));
        assert_eq!((figures.reads, figures.writes), (vec![3, 1], vec![1, 0]));
        assert_eq!((figures.read_bytes, figures.written_bytes), (vec![30, 5], vec![2, 0]));
        assert_eq!(figures.sequential_percent, [Some(Decimal(75.0)), Some(Decimal(0.0))]);
        assert_eq!(figures.failed_ops, [1, 0]);
    }
}
