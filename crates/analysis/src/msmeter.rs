//! The figures of the original Media Storage Meter from its workers' records: its three tables, with
//! names that state the meaning of their numbers, and what it never showed.
//!
//! The original computes them as follows:
//! * A record is one operation: `n = length ÷ block` whole blocks were transferred; the remainder never
//!   was.
//! * Its rate is bytes ÷ the time within reads, writes and syncs, MiB/s. A cell's rate is all its bytes
//!   ÷ all that time. So it is the rate of *one worker* *while it transfers*. It is not a throughput,
//!   and cannot be summed up.
//! * Its latency is the rest of the operation's time: opening, filling its buffers with random bytes
//!   (most of it if storage is fast), seeking, printing. **Waits within a read or a write are not
//!   included**: storage that hangs for a second lowers a rate, but changes no latency.
//! * Mean latencies are over operations.
//!
//! As in the original, records without a time are in no table; here they are counted. The original
//! writes "inf" if no time passed, and counts failed reads as successful ones that took next to no time.
//!
//! Added here: throughput by the clock, and the longest time in which a running worker reported nothing,
//! where a stall is visible. Both are based on when records arrived.
//!
//! Not here: the protocol (the msmeter crate), and Reelgauge's own tables ([`crate::paper`]).

use serde::{Deserialize, Serialize};

use crate::paper::Mode;
use crate::rounding::round_to;

/// Block sizes from 1 KiB to 1 MiB in powers of two have separate columns.
const BLOCKS: usize = 11;
/// Bytes of a KiB and a MiB.
const KIB: u64 = 1024;
const MIB: f64 = 1024.0 * 1024.0;
/// Faster than the memory of any workstation, MiB/s: no data was transferred.
pub const IMPLAUSIBLE_MIB_PER_S: f64 = 100_000.0;

/// A worker's report on one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterRecord {
    pub file: String,
    /// Read or write, sequential or random. Never [`Mode::All`].
    pub access: Mode,
    /// Its length, KiB, including the remainder that was never transferred.
    pub length_kib: u32,
    /// Its block size, KiB.
    pub block_kib: u32,
    /// Rate within its reads, writes and syncs, MiB/s.
    pub rate_mib_per_s: f64,
    /// The rest of its time, ms.
    pub latency_ms: f64,
}

/// How a record is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Worth {
    /// This many bytes in this time.
    Moved { column: usize, bytes: u64, seconds: f64 },
    /// It has no time, or no length.
    NoTime,
    /// Faster than memory.
    Implausible,
}

impl MeterRecord {
    /// Transferred bytes without the remainder; `None` if it has no time, or an impossible one.
    pub fn moved_bytes(&self) -> Option<u64> {
        match self.worth() {
            Worth::Moved { bytes, .. } => Some(bytes),
            Worth::NoTime | Worth::Implausible => None,
        }
    }

    fn worth(&self) -> Worth {
        let is_power = self.block_kib.is_power_of_two() && self.block_kib.ilog2() < BLOCKS as u32;
        let told = self.rate_mib_per_s.is_finite() && self.rate_mib_per_s > 0.0;
        let is_latency = self.latency_ms.is_finite() && self.latency_ms >= 0.0;
        if !is_power || !told || !is_latency || self.length_kib < self.block_kib {
            return Worth::NoTime;
        }
        if self.rate_mib_per_s >= IMPLAUSIBLE_MIB_PER_S {
            return Worth::Implausible;
        }
        let blocks = u64::from(self.length_kib / self.block_kib);
        let bytes = blocks * u64::from(self.block_kib) * KIB;
        let seconds = bytes as f64 / MIB / self.rate_mib_per_s;
        Worth::Moved { column: self.block_kib.ilog2() as usize, bytes, seconds }
    }
}

/// The sums from which a cell is computed.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    records: u64,
    bytes: u64,
    data_s: f64,
    latency_ms: f64,
    latency_ms_max: f64,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.records += other.records;
        // Records of another program are untrusted input.
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.data_s += other.data_s;
        self.latency_ms += other.latency_ms;
        self.latency_ms_max = self.latency_ms_max.max(other.latency_ms_max);
    }

    fn cell(&self, access: Mode, column: Option<usize>) -> MeterCell {
        MeterCell {
            access,
            block_kib: column.map(|column| 1 << column),
            records: self.records,
            bytes: self.bytes,
            rate_while_transferring_mib_per_s: round_to(self.bytes as f64 / MIB / self.data_s, 6),
            msmeter_average_latency_ms: round_to(self.latency_ms / self.records as f64, 6),
            msmeter_maximum_latency_s: round_to(self.latency_ms_max / 1e3, 9),
        }
    }
}

/// The sums of a test.
#[derive(Clone, Debug, Default)]
pub struct MeterTally {
    cells: [[Sums; BLOCKS]; 4],
    without_time: u64,
    implausible: u64,
}

/// The rows for records.
const ROWS: [Mode; 4] = [Mode::SeqRd, Mode::RandRd, Mode::SeqWr, Mode::RandWr];

impl MeterTally {
    pub fn take(&mut self, record: &MeterRecord) {
        let Some(row) = ROWS.iter().position(|row| *row == record.access) else { return };
        match record.worth() {
            Worth::NoTime => self.without_time += 1,
            Worth::Implausible => self.implausible += 1,
            Worth::Moved { column, bytes, seconds } => self.cells[row][column].add(&Sums {
                records: 1,
                bytes,
                data_s: seconds,
                latency_ms: record.latency_ms,
                latency_ms_max: record.latency_ms,
            }),
        }
    }

    /// The cells with records, row by row; each row, each column and the whole table have a total.
    pub fn figures(&self) -> MeterFigures {
        let mut cells = Vec::new();
        let mut all = [Sums::default(); BLOCKS];
        for (mode, row) in ROWS.iter().zip(&self.cells) {
            row.iter().zip(&mut all).for_each(|(cell, all)| all.add(cell));
            cells.extend(row_cells(*mode, row));
        }
        cells.extend(row_cells(Mode::All, &all));
        let whole = cells.last().filter(|cell| cell.access == Mode::All).cloned();
        MeterFigures {
            records: whole.as_ref().map_or(0, |cell| cell.records),
            bytes: whole.as_ref().map_or(0, |cell| cell.bytes),
            records_without_time: self.without_time,
            implausible_records: self.implausible,
            cells,
        }
    }
}

fn row_cells(mode: Mode, row: &[Sums; BLOCKS]) -> Vec<MeterCell> {
    let mut whole = Sums::default();
    row.iter().for_each(|cell| whole.add(cell));
    let with_records = row.iter().enumerate().filter(|(_, cell)| cell.records > 0);
    let mut cells: Vec<_> = with_records.map(|(column, cell)| cell.cell(mode, Some(column))).collect();
    cells.extend((whole.records > 0).then(|| whole.cell(mode, None)));
    cells
}

/// The tables of a test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterFigures {
    /// Records in the tables.
    pub records: u64,
    /// Bytes that they transferred, without remainders.
    pub bytes: u64,
    /// Records without a time ("inf"), or with impossible values; in no table.
    pub records_without_time: u64,
    /// Records with a rate of [`IMPLAUSIBLE_MIB_PER_S`] or more; in no table.
    pub implausible_records: u64,
    /// The cells that have records.
    pub cells: Vec<MeterCell>,
}

/// One cell of the three tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MeterCell {
    /// The row.
    pub access: Mode,
    /// The column; `None` for all block sizes together.
    pub block_kib: Option<u32>,
    /// Operations.
    pub records: u64,
    /// Transferred bytes.
    pub bytes: u64,
    /// Bytes ÷ time within reads, writes and syncs: the rate of one worker while it transfers. MiB/s.
    pub rate_while_transferring_mib_per_s: f64,
    /// The original's average latency: time outside reads, writes and syncs. ms.
    pub msmeter_average_latency_ms: f64,
    /// The original's maximum latency, s.
    pub msmeter_maximum_latency_s: f64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn record(
        access: Mode,
        length_kib: u32,
        block_kib: u32,
        rate_mib_per_s: f64,
        latency_ms: f64,
    ) -> MeterRecord {
        MeterRecord { file: "test000".into(), access, length_kib, block_kib, rate_mib_per_s, latency_ms }
    }

    fn cell(figures: &MeterFigures, access: Mode, block_kib: Option<u32>) -> MeterCell {
        figures
            .cells
            .iter()
            .find(|cell| cell.access == access && cell.block_kib == block_kib)
            .unwrap()
            .clone()
    }

    /// 357 KiB in blocks of 64 are five blocks, 320 KiB; at 100 MiB/s they took 3.125 ms, and 640 KiB at
    /// 50 MiB/s took 12.5 ms: together 960 KiB in 15.625 ms, which are 60 MiB/s.
    #[test]
    fn a_rate_is_all_bytes_over_all_time_and_remainders_are_not_moved() {
        let mut tally = MeterTally::default();
        tally.take(&record(Mode::SeqRd, 357, 64, 100.0, 2.0));
        tally.take(&record(Mode::SeqRd, 640, 64, 50.0, 4.0));
        tally.take(&record(Mode::RandWr, 1024, 1024, 10.0, 9.0));
        let figures = tally.figures();
        let read = cell(&figures, Mode::SeqRd, Some(64));
        assert_eq!((read.records, read.bytes), (2, 960 * 1024));
        assert_eq!(read.rate_while_transferring_mib_per_s, 60.0);
        assert_eq!((read.msmeter_average_latency_ms, read.msmeter_maximum_latency_s), (3.0, 0.004));
        assert_eq!(cell(&figures, Mode::SeqRd, None), MeterCell { block_kib: None, ..read });
        let all = cell(&figures, Mode::All, None);
        assert_eq!((all.records, all.msmeter_average_latency_ms), (3, 5.0));
        assert_eq!((figures.records, figures.bytes), (3, (960 + 1024) * 1024));
    }

    #[test]
    fn records_without_a_valid_time_are_counted_but_not_tabulated() {
        let mut tally = MeterTally::default();
        for rate in [f64::INFINITY, f64::NAN, 0.0, -1.0] {
            tally.take(&record(Mode::SeqRd, 1, 1, rate, 1.0));
        }
        tally.take(&record(Mode::SeqRd, 1, 3, 10.0, 1.0));
        tally.take(&record(Mode::SeqRd, 1, 2, 10.0, 1.0));
        tally.take(&record(Mode::SeqRd, 4096, 2048, 10.0, 1.0));
        tally.take(&record(Mode::SeqRd, 1, 1, 10.0, f64::NAN));
        tally.take(&record(Mode::SeqRd, 1024, 1024, 250_000.0, 1.0));
        let figures = tally.figures();
        assert_eq!((figures.records, figures.records_without_time, figures.implausible_records), (0, 8, 1));
        assert!(figures.cells.is_empty());
    }
}
