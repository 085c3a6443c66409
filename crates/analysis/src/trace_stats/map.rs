//! The accesses to a file by time and position: the data of NASPT's file map, in a bounded number of
//! cells.

use std::collections::BTreeMap;

use reelgauge_record::{OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use super::over_time::TimeBins;
use crate::figures::seconds;

/// Bins of time, at most.
const MAX_TIME_BINS: u64 = 150;
/// Bins of a file's length.
const OFFSET_BINS: u64 = 64;
/// The narrowest of them.
const MIN_OFFSET_WIDTH: u64 = 4096;

/// Bytes read and written, by time and position. Empty cells are omitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OffsetMap {
    /// The start of the first bin of time, since the start of the trace.
    pub from_s: f64,
    /// Width of a bin of time.
    pub time_bin_s: f64,
    /// Number of bins of time.
    pub time_bins: u64,
    /// Width of a bin of the file; bin 0 starts with the file.
    pub offset_bin_bytes: u64,
    /// Number of bins of the file.
    pub offset_bins: u64,
    /// The cells, by time and then by position.
    pub cells: Vec<MapCell>,
}

/// A cell: bin of time, bin of the file, bytes read in it, bytes written in it. In JSON an array of four
/// numbers, because there are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapCell(pub u16, pub u16, pub u64, pub u64);

/// Takes the accesses to one file.
#[derive(Clone, Debug)]
pub(crate) struct MapTally {
    time: TimeBins,
    offset_width: u64,
    offset_bins: u64,
    cells: BTreeMap<(u16, u16), (u64, u64)>,
}

impl MapTally {
    /// For a file with this end.
    pub(crate) fn new(span: (u64, u64), end_bytes: u64) -> MapTally {
        let offset_width = end_bytes.div_ceil(OFFSET_BINS).max(MIN_OFFSET_WIDTH);
        MapTally {
            time: TimeBins::over(span, MAX_TIME_BINS),
            offset_width,
            offset_bins: end_bytes.div_ceil(offset_width).clamp(1, OFFSET_BINS),
            cells: BTreeMap::new(),
        }
    }

    /// Spreads the bytes of a read or write over its positions, at the time of its issue.
    pub(crate) fn add(&mut self, op: &OpRecord) {
        let time = self.time.bin(op.issued_ns) as u16;
        let end = op.end_offset();
        let mut from = op.offset;
        while from < end {
            let bin = (from / self.offset_width).min(self.offset_bins - 1);
            let last = bin == self.offset_bins - 1;
            let to = if last { end } else { end.min((bin + 1) * self.offset_width) };
            let cell = self.cells.entry((time, bin as u16)).or_default();
            match op.kind {
                OpKind::Write => cell.1 += to - from,
                _ => cell.0 += to - from,
            }
            from = to;
        }
    }

    pub(crate) fn figures(&self) -> OffsetMap {
        let cells = self.cells.iter().map(|(&(time, at), &(read, written))| MapCell(time, at, read, written));
        OffsetMap {
            from_s: seconds(self.time.from_ns),
            time_bin_s: self.time.width_ns as f64 / 1e9,
            time_bins: self.time.count as u64,
            offset_bin_bytes: self.offset_width,
            offset_bins: self.offset_bins,
            cells: cells.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn map_cells_match_offset_and_time() {
        let mut map = MapTally::new((0, 100 * MS), 64 * 4096);
        map.add(&OpRecord { issued_ns: 0, ..read(0, 0, 4096) });
        map.add(&OpRecord { issued_ns: 50 * MS, ..write(0, 4096 * 3 - 10, 30) });
        let figures = map.figures();
        assert_eq!((figures.time_bins, figures.offset_bins, figures.offset_bin_bytes), (101, 64, 4096));
        assert_eq!(figures.cells, [MapCell(0, 0, 4096, 0), MapCell(50, 2, 0, 10), MapCell(50, 3, 0, 20)]);
    }

    #[test]
    fn cell_count_is_bounded_for_any_trace() {
        let mut map = MapTally::new((0, u64::MAX), u64::MAX);
        for at in 0..20_000_u64 {
            let offset = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            map.add(&OpRecord { issued_ns: offset.rotate_left(17), ..write(0, offset, u32::MAX) });
        }
        assert!(map.cells.len() as u64 <= MAX_TIME_BINS * OFFSET_BINS);
        let mut empty = MapTally::new((5, 5), 0);
        empty.add(&read(0, 1 << 40, 10));
        assert_eq!(empty.figures().cells, [MapCell(0, 0, 10, 0)]);
    }
}
