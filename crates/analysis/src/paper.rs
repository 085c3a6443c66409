//! The three tables of the EBU Media Storage Meter: transfer rate, average and maximum latency, by kind
//! of access and block size (EBU Tech 3362 §5.1, figures 12 and 15).
//!
//! Definitions of the paper, as used here:
//! * A transfer counts as a whole in one cell: that of its access and of the block size *drawn* for it.
//!   The log stores that size as the `offset` of the transfer's open (see `OpKind::Open`). The cell
//!   includes the shorter blocks of its remainder, and the whole of a transfer that is shorter than its
//!   block; their share of its reads and writes is shown in addition. So a cell is drawn independently
//!   of the length, and all cells have the same mix of lengths. Blocks do not seem fast because they
//!   queued behind fragments that count elsewhere. (The original halves a block until it is below the
//!   transfer's length and counts the transfer there, so each cell has different lengths.) If no size
//!   was drawn (traces, other actors and logs of earlier versions), the size of the first block is used
//!   instead.
//! * Data transfer time: the sum of the service times of the reads, writes and syncs of a transfer, and
//!   of its close if it wrote, as in the original: the data may leave the client as late as that. If
//!   several of them are in flight, it is the time in which at least one was.
//! * Transfer rate: bytes ÷ data transfer time. It is the mean rate *of one worker while it is
//!   transferring*, not the throughput of the storage.
//! * Latency: total time − data transfer time, one value per transfer. It is the time of opening, of
//!   closing after reads and of everything else that is not data, *including the time between blocks*
//!   (§5.1, figure 15). The original filled its buffers in that time; here it is a few microseconds of
//!   Reelgauge, and its part of the latency is shown in addition.
//! * Time in which a byte rate limit (`--max-rate`) delayed an operation is not part of the latency,
//!   because the user chose the limit; no response time includes it either. It lasts from the end of the
//!   previous operation until the delayed one became due.
//! * A total (All) is computed from the same sums as its cells, so rates are weighted by time and
//!   latencies by transfers.
//!
//! Not included: operations that failed or transferred less than requested, and the latency of transfers
//! that were cut off or had such an operation. MB is 10^6 bytes.

use reelgauge_record::OpFlags;
use serde::{Deserialize, Serialize};

use crate::rounding::round_to;

/// Block sizes with a separate column, in addition to the powers of two. Further ones count under the
/// power of two below them, so that a replayed trace with a million lengths cannot exhaust the memory.
const MAX_ODD_SIZES: usize = 64;

/// A column of the tally: one block size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column(u16);

/// A row of the tally: the kind of access, from the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessRow(u8);

impl AccessRow {
    #[inline]
    pub(crate) fn of(flags: OpFlags) -> AccessRow {
        AccessRow(u8::from(flags.has(OpFlags::WRITING)) * 2 + u8::from(flags.has(OpFlags::RANDOM)))
    }
}

/// The kind of access, as the paper abbreviates it; a row of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Sequential reads.
    SeqRd,
    /// Reads at random positions.
    RandRd,
    /// Sequential writes.
    SeqWr,
    /// Writes at random positions.
    RandWr,
    /// All of them together.
    All,
}

impl Mode {
    /// The rows, in the paper's order.
    pub const ROWS: [Mode; 5] = [Mode::SeqRd, Mode::RandRd, Mode::SeqWr, Mode::RandWr, Mode::All];

    /// The paper's abbreviation.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::SeqRd => "seq_rd",
            Mode::RandRd => "rand_rd",
            Mode::SeqWr => "seq_wr",
            Mode::RandWr => "rand_wr",
            Mode::All => "All",
        }
    }
}

/// The sums from which a cell is computed.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    data_ops: u64,
    short_ops: u64,
    bytes: u64,
    data_ns: u64,
    transfers: u64,
    latency_ns: u64,
    gaps_ns: u64,
    max_latency_ns: u64,
}

impl Cell {
    fn add(&mut self, other: &Cell) {
        self.data_ops += other.data_ops;
        self.short_ops += other.short_ops;
        self.bytes += other.bytes;
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        self.data_ns = self.data_ns.saturating_add(other.data_ns);
        self.transfers += other.transfers;
        // See above: times in logs are untrusted input.
        self.latency_ns = self.latency_ns.saturating_add(other.latency_ns);
        self.gaps_ns = self.gaps_ns.saturating_add(other.gaps_ns);
        self.max_latency_ns = self.max_latency_ns.max(other.max_latency_ns);
    }

    fn figures(&self, mode: Mode, block_bytes: Option<u32>) -> PaperCell {
        let average_ms = |sum_ns: u64| {
            let ms = sum_ns as f64 / 1e6 / self.transfers as f64;
            (self.transfers > 0).then(|| round_to(ms, 6))
        };
        let short_share = self.short_ops as f64 / self.data_ops as f64;
        let rate = self.bytes as f64 * 1e3 / self.data_ns as f64;
        PaperCell {
            mode,
            block_bytes,
            data_ops: self.data_ops,
            short_block_share: (self.data_ops > 0).then(|| round_to(short_share, 6)),
            bytes: self.bytes,
            transfers: self.transfers,
            transfer_rate_while_transferring_mb_per_s: (self.data_ops > 0 && self.data_ns > 0)
                .then(|| round_to(rate, 6)),
            average_latency_ms: average_ms(self.latency_ns),
            average_gap_ms: average_ms(self.gaps_ns),
            maximum_latency_s: (self.transfers > 0).then(|| self.max_latency_ns as f64 / 1e9),
        }
    }
}

/// The sums from which the tables are computed. Merges exactly.
#[derive(Clone, Debug, Default)]
pub(crate) struct PaperTally {
    /// By column, then row.
    cells: Vec<[Cell; 4]>,
    /// Block sizes of the columns.
    sizes: Vec<u32>,
    /// Whether block sizes were drawn for the transfers.
    drawn: bool,
}

impl PaperTally {
    /// The column of a block size.
    pub(crate) fn column(&mut self, block_bytes: u32) -> Column {
        if let Some(column) = self.known(block_bytes) {
            return column;
        }
        let is_odd = |size: &u32| *size != 0 && !size.is_power_of_two();
        let odd_sizes = self.sizes.iter().filter(|size| is_odd(size)).count();
        if is_odd(&block_bytes) && odd_sizes >= MAX_ODD_SIZES {
            return self.column(1 << block_bytes.ilog2());
        }
        // At most 32 powers, 64 odd sizes and zero.
        let column = Column(self.cells.len() as u16);
        self.cells.push([Cell::default(); 4]);
        self.sizes.push(block_bytes);
        column
    }

    fn known(&self, block_bytes: u32) -> Option<Column> {
        let at = self.sizes.iter().position(|&size| size == block_bytes)?;
        Some(Column(at as u16))
    }

    /// Records that the block size of a transfer was drawn.
    pub(crate) fn has_drawn(&mut self) {
        self.drawn = true;
    }

    #[inline]
    fn cell(&mut self, row: AccessRow, column: Column) -> &mut Cell {
        &mut self.cells[usize::from(column.0)][usize::from(row.0 & 3)]
    }

    /// Counts a completed read or write; a short one is shorter than the block size of its column.
    #[inline]
    pub(crate) fn book_data(
        &mut self,
        row: AccessRow,
        column: Column,
        bytes: u64,
        service_ns: u64,
        is_short: bool,
    ) {
        let cell = self.cell(row, column);
        cell.data_ops += 1;
        cell.short_ops += u64::from(is_short);
        cell.bytes += bytes;
        // See `add`.
        cell.data_ns = cell.data_ns.saturating_add(service_ns);
    }

    /// Counts data transfer time without bytes: of a sync, or of a close after writes.
    pub(crate) fn book_wait(&mut self, row: AccessRow, column: Column, service_ns: u64) {
        let cell = self.cell(row, column);
        // See `add`.
        cell.data_ns = cell.data_ns.saturating_add(service_ns);
    }

    /// Counts a complete transfer. The gaps are those between its operations, and part of the latency.
    #[inline]
    pub(crate) fn book_latency(&mut self, row: AccessRow, column: Column, latency_ns: u64, gaps_ns: u64) {
        let cell = self.cell(row, column);
        cell.transfers += 1;
        // See `add`.
        cell.gaps_ns = cell.gaps_ns.saturating_add(gaps_ns);
        cell.latency_ns = cell.latency_ns.saturating_add(latency_ns);
        cell.max_latency_ns = cell.max_latency_ns.max(latency_ns);
    }

    /// Adds everything of another tally.
    pub(crate) fn add(&mut self, other: &PaperTally) {
        self.drawn |= other.drawn;
        for (cells, &size) in other.cells.iter().zip(&other.sizes) {
            let column = self.column(size);
            for (row, cell) in (0_u8..).zip(cells) {
                self.cell(AccessRow(row), column).add(cell);
            }
        }
    }

    pub(crate) fn tables(&self) -> PaperTables {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.sort_by_key(|&column| self.sizes[column]);
        let block_bytes: Vec<u32> = order.iter().map(|&column| self.sizes[column]).collect();
        let mut cells = Vec::with_capacity(5 * (order.len() + 1));
        for mode in Mode::ROWS {
            let mut all = Cell::default();
            for &column in &order {
                let cell = self.sum(mode, column);
                all.add(&cell);
                cells.push(cell.figures(mode, Some(self.sizes[column])));
            }
            cells.push(all.figures(mode, None));
        }
        PaperTables { per_transfer: true, block_bytes, cells }
    }

    /// The tables of one worker, without empty cells; `None` if no block size was drawn.
    pub(crate) fn own_tables(&self) -> Option<PaperTables> {
        let mut tables = self.drawn.then(|| self.tables())?;
        tables.cells.retain(|cell| cell.data_ops > 0 || cell.transfers > 0);
        Some(tables)
    }

    fn sum(&self, mode: Mode, column: usize) -> Cell {
        let rows = match mode {
            Mode::SeqRd => 0..1,
            Mode::RandRd => 1..2,
            Mode::SeqWr => 2..3,
            Mode::RandWr => 3..4,
            Mode::All => 0..4,
        };
        let mut sum = Cell::default();
        for cell in &self.cells[column][rows] {
            sum.add(cell);
        }
        sum
    }
}

/// The paper's three tables in long form: EBU Tech 3362 § 5.1, figures 12 and 15.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PaperTables {
    /// Whether every transfer counts as a whole under one block size, by the paper's § 5.1. `false` in
    /// runs of earlier versions, which counted each block.
    #[serde(default)]
    pub per_transfer: bool,
    /// The block sizes, ascending; the columns.
    pub block_bytes: Vec<u32>,
    /// Every cell, row by row in the paper's order, each row ending with its total.
    pub cells: Vec<PaperCell>,
}

/// One cell of all three tables. Numbers without a measurement are `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PaperCell {
    /// The row.
    pub mode: Mode,
    /// The column; `None` for all block sizes together.
    pub block_bytes: Option<u32>,
    /// Reads and writes in the transfers of this block size.
    pub data_ops: u64,
    /// The share of them that was shorter than the block size, 0 to 1: remainders, and transfers that are
    /// shorter than a block.
    #[serde(default)]
    pub short_block_share: Option<f64>,
    /// Transferred bytes.
    pub bytes: u64,
    /// Complete transfers, from which the latencies are computed.
    pub transfers: u64,
    /// Mean rate of one worker while it transferred, in 10^6 bytes/s. Not throughput: without the time
    /// between transfers and for opening and closing.
    pub transfer_rate_while_transferring_mb_per_s: Option<f64>,
    /// Mean over the transfers of total time − data transfer time.
    pub average_latency_ms: Option<f64>,
    /// The part of the average latency between operations, when the storage was idle.
    #[serde(default)]
    pub average_gap_ms: Option<f64>,
    /// The largest latency.
    pub maximum_latency_s: Option<f64>,
}

impl PaperTables {
    /// The cell of a row and a block size, `None` for all sizes; `None` if that size never occurred.
    pub fn cell(&self, mode: Mode, block_bytes: Option<u32>) -> Option<&PaperCell> {
        let is_it = |cell: &&PaperCell| cell.mode == mode && cell.block_bytes == block_bytes;
        self.cells.iter().find(is_it)
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.block_bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn zero_durations_and_empty_cells_are_none() {
        let mut tally = PaperTally::default();
        let column = tally.column(4096);
        tally.book_data(AccessRow(0), column, 4096, 0, false);
        let tables = tally.tables();
        let cell = tables.cell(Mode::SeqRd, Some(4096)).unwrap();
        assert_eq!(cell.bytes, 4096);
        assert_eq!(cell.transfer_rate_while_transferring_mb_per_s, None);
        assert_eq!(cell.average_latency_ms, None);
        assert_eq!(tables.cell(Mode::RandWr, None).unwrap().maximum_latency_s, None);
        assert_eq!(tables.cell(Mode::SeqRd, Some(8192)), None);
        assert!(PaperTally::default().tables().is_empty());
    }

    #[test]
    fn columns_are_sorted_and_bounded() {
        let mut tally = PaperTally::default();
        for len in (0..100_000_u32).rev().chain([u32::MAX, 1 << 31]) {
            let column = tally.column(len);
            tally.book_data(AccessRow(1), column, 1, 1, false);
        }
        let tables = tally.tables();
        assert!(tables.block_bytes.len() <= MAX_ODD_SIZES + 33, "{}", tables.block_bytes.len());
        assert!(tables.block_bytes.is_sorted());
        assert_eq!(tables.cell(Mode::RandRd, None).unwrap().bytes, 100_002);
    }

    #[test]
    fn merging_matches_sizes_not_columns() {
        let (mut one, mut two) = (PaperTally::default(), PaperTally::default());
        let (a, b) = (one.column(4096), two.column(8192));
        let c = two.column(4096);
        one.book_data(AccessRow(2), a, 1, 10, false);
        two.book_data(AccessRow(2), b, 2, 10, false);
        two.book_data(AccessRow(2), c, 4, 10, true);
        one.add(&two);
        let tables = one.tables();
        assert_eq!(tables.cell(Mode::SeqWr, Some(4096)).unwrap().bytes, 5);
        assert_eq!(tables.cell(Mode::SeqWr, Some(8192)).unwrap().bytes, 2);
    }
}
