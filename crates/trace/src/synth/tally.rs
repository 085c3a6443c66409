//! Totals of a synthetic trace, counted while it is made: the figures that the paper publishes for its
//! workloads.
//!
//! An access is a read or a write. It is sequential if the previous access, in the whole trace, was to
//! the same file and ended where this one begins (the paper's definition, its section 2.2).

use std::collections::BTreeMap;

use reelgauge_record::{OpKind, OpRecord};

/// Counts accesses. Memory grows with the number of files and of distinct sizes, not with operations.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Operations of every kind.
    pub ops: u64,
    pub reads: u64,
    pub writes: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Accesses that are sequential.
    pub sequential: u64,
    /// Files that were read or written.
    pub files: u32,
    /// Accesses to the watched file, and how many of them are sequential.
    pub watched: (u64, u64),
    /// From the start of the first operation to the end of the last one, in nanoseconds.
    pub duration_ns: u64,
    /// The smallest and the largest file at the end, in bytes.
    pub file_bytes: (u64, u64),
    watched_file: Option<u32>,
    first_ns: Option<u64>,
    last: Option<(u32, u64)>,
    touched: Vec<bool>,
    read_sizes: BTreeMap<u32, u64>,
    write_sizes: BTreeMap<u32, u64>,
}

impl Tally {
    /// Also counts accesses to this file separately from now on.
    pub fn watch(&mut self, file: u32) {
        self.watched_file = Some(file);
    }

    /// Counts an operation. Must be called in the order of issue.
    pub fn count(&mut self, op: &OpRecord) {
        self.ops += 1;
        let first_ns = *self.first_ns.get_or_insert(op.issued_ns);
        self.duration_ns = self.duration_ns.max(op.done_ns.saturating_sub(first_ns));
        let bytes = u64::from(op.done_len);
        let (count, sum, sizes) = match op.kind {
            OpKind::Read => (&mut self.reads, &mut self.read_bytes, &mut self.read_sizes),
            OpKind::Write => (&mut self.writes, &mut self.written_bytes, &mut self.write_sizes),
            _ => return,
        };
        *count += 1;
        *sum += bytes;
        *sizes.entry(op.len).or_default() += 1;
        let is_sequential = self.last == Some((op.file, op.offset));
        self.last = Some((op.file, op.offset + bytes));
        self.sequential += u64::from(is_sequential);
        if self.watched_file == Some(op.file) {
            self.watched.0 += 1;
            self.watched.1 += u64::from(is_sequential);
        }
        let file = op.file as usize;
        if self.touched.len() <= file {
            self.touched.resize(file + 1, false);
        }
        self.files += u32::from(!std::mem::replace(&mut self.touched[file], true));
    }

    pub fn accesses(&self) -> u64 {
        self.reads + self.writes
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }

    /// The percentage of accesses that are sequential.
    pub fn sequential_percent(&self) -> f64 {
        percent(self.sequential, self.accesses())
    }

    /// The percentage of accesses to the watched file that are sequential.
    pub fn watched_sequential_percent(&self) -> f64 {
        percent(self.watched.1, self.watched.0)
    }

    /// The percentage of accesses that are writes.
    pub fn write_percent(&self) -> f64 {
        percent(self.writes, self.accesses())
    }

    /// The median size of a read, in bytes; 0 without reads.
    pub fn median_read_bytes(&self) -> f64 {
        median(&self.read_sizes)
    }

    /// The median size of a write, in bytes; 0 without writes.
    pub fn median_write_bytes(&self) -> f64 {
        median(&self.write_sizes)
    }

    /// The mean size of a write, in bytes; 0 without writes.
    pub fn mean_write_bytes(&self) -> f64 {
        self.written_bytes as f64 / self.writes.max(1) as f64
    }

    /// The smallest access in bytes; 0 without accesses.
    pub fn smallest_bytes(&self) -> f64 {
        let sizes = self.read_sizes.keys().next().into_iter().chain(self.write_sizes.keys().next());
        f64::from(sizes.min().copied().unwrap_or(0))
    }

    /// The largest access in bytes; 0 without accesses.
    pub fn largest_bytes(&self) -> f64 {
        let sizes = self.read_sizes.keys().next_back().into_iter().chain(self.write_sizes.keys().next_back());
        f64::from(sizes.max().copied().unwrap_or(0))
    }

    /// The most frequent size of a read, in bytes; 0 without reads.
    pub fn commonest_read_bytes(&self) -> f64 {
        commonest(&self.read_sizes)
    }

    /// The most frequent size of a write, in bytes; 0 without writes.
    pub fn commonest_write_bytes(&self) -> f64 {
        commonest(&self.write_sizes)
    }

    /// Bytes transferred per second of the trace, in MB/s.
    pub fn mb_per_s(&self) -> f64 {
        self.bytes() as f64 * 1e3 / self.duration_ns.max(1) as f64
    }

    /// The duration of the trace, in seconds.
    pub fn seconds(&self) -> f64 {
        self.duration_ns as f64 / 1e9
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn median(sizes: &BTreeMap<u32, u64>) -> f64 {
    let mut left = sizes.values().sum::<u64>().div_ceil(2);
    for (&size, &count) in sizes {
        if count >= left {
            return f64::from(size);
        }
        left -= count;
    }
    0.0
}

fn commonest(sizes: &BTreeMap<u32, u64>) -> f64 {
    f64::from(sizes.iter().max_by_key(|(_, count)| **count).map_or(0, |(size, _)| *size))
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{op, read, write};

    use super::*;

    #[test]
    fn sequential_is_by_file_and_by_the_access_before_in_the_whole_trace() {
        let mut tally = Tally::default();
        tally.watch(1);
        for op in [
            read(0, 0, 10),
            read(0, 10, 10),
            op(OpKind::Stat).on_file(1),
            write(0, 20, 10),
            write(1, 30, 10),
            write(1, 40, 10),
            read(0, 30, 10),
            read(0, 30, 10),
        ] {
            tally.count(&op);
        }
        assert_eq!((tally.ops, tally.accesses(), tally.sequential, tally.files), (8, 7, 3, 2));
        assert_eq!(tally.watched, (2, 1));
        assert_eq!((tally.read_bytes, tally.written_bytes), (40, 30));
    }

    #[test]
    fn medians_and_peaks_are_of_sizes() {
        let mut tally = Tally::default();
        for len in [5, 1, 9, 1, 7] {
            tally.count(&read(0, 0, len));
        }
        for len in [100, 300] {
            tally.count(&write(0, 0, len));
        }
        assert_eq!((tally.median_read_bytes(), tally.median_write_bytes()), (5.0, 100.0));
        assert_eq!((tally.commonest_read_bytes(), tally.mean_write_bytes()), (1.0, 200.0));
        assert_eq!((tally.smallest_bytes(), tally.largest_bytes()), (1.0, 300.0));
        assert_eq!(Tally::default().median_read_bytes(), 0.0);
    }
}
