//! A part of a file's map, as fine as a screen can show: bytes read and written, by time and place.
//!
//! Pure: operations in, cells out. The whole map of a page is made elsewhere, and is coarser.

use reelgauge_analysis::detail::Decimal;
use reelgauge_analysis::detail::data::MapLevel;
use reelgauge_record::{OpKind, OpRecord};

/// Bins of time, at most.
pub const COLUMNS_MAX: u64 = 2_000;
/// Bins of the file, at most.
pub const ROWS_MAX: u64 = 1_000;
/// The largest number of cells: no screen has more points for one chart.
const CELLS_MAX: u64 = 600_000;

/// The part, and its resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of the file.
    pub file: u32,
    /// Operations that were issued from here on.
    pub from_ns: u64,
    pub to_ns: u64,
    /// Bytes of the file from here on.
    pub from_bytes: u64,
    pub to_bytes: u64,
    /// Bins of time that are requested; at most [`COLUMNS_MAX`] are used.
    pub columns: u64,
    /// Bins of the file that are requested; at most [`ROWS_MAX`] are used.
    pub rows: u64,
}

/// Takes the operations of a log, in any order.
#[derive(Clone, Debug)]
pub struct WindowMap {
    window: Window,
    bin_ns: u64,
    bin_bytes: u64,
    columns: u64,
    rows: u64,
    /// Bytes read and written, column by column.
    cells: Vec<(u64, u64)>,
}

impl WindowMap {
    /// A map of this part. An empty part has one cell.
    pub fn new(window: Window) -> WindowMap {
        let columns = window.columns.clamp(1, COLUMNS_MAX);
        let rows = window.rows.clamp(1, ROWS_MAX).min((CELLS_MAX / columns).max(1));
        let bins = |from: u64, to: u64, most: u64| {
            let length = to.saturating_sub(from).max(1);
            let width = length.div_ceil(most);
            (width, length.div_ceil(width))
        };
        let (bin_ns, columns) = bins(window.from_ns, window.to_ns, columns);
        let (bin_bytes, rows) = bins(window.from_bytes, window.to_bytes, rows);
        WindowMap { window, bin_ns, bin_bytes, columns, rows, cells: vec![(0, 0); (columns * rows) as usize] }
    }

    /// Takes an operation. Its bytes count at their place, at the time of issue.
    pub fn add(&mut self, op: &OpRecord) {
        let Window { file, from_ns, to_ns, from_bytes, to_bytes, .. } = self.window;
        let is_in_time = (from_ns..to_ns).contains(&op.issued_ns);
        if op.file != file || !is_in_time || !op.kind.moves_data() || op.errno != 0 {
            return;
        }
        let column = (op.issued_ns - from_ns) / self.bin_ns;
        let end = op.offset.saturating_add(u64::from(op.done_len)).min(to_bytes);
        let mut from = op.offset.max(from_bytes);
        while from < end {
            let row = (from - from_bytes) / self.bin_bytes;
            let next = from_bytes.saturating_add((row + 1).saturating_mul(self.bin_bytes)).min(end);
            if let Some((read, written)) = self.cells.get_mut((column * self.rows + row) as usize) {
                let sum = if op.kind == OpKind::Write { written } else { read };
                *sum = sum.saturating_add(next - from);
            }
            from = next;
        }
    }

    /// The result. Cells without bytes are omitted.
    pub fn figures(&self) -> MapLevel {
        let cells = self.cells.iter().enumerate().filter(|(_, (read, written))| read + written > 0);
        let quadruple = |(at, &(read, written)): (usize, &(u64, u64))| {
            [at as u64 / self.rows, at as u64 % self.rows, read, written]
        };
        MapLevel {
            from_s: Decimal(self.window.from_ns as f64 / 1e9),
            time_bin_s: Decimal(self.bin_ns as f64 / 1e9),
            time_bins: self.columns,
            from_bytes: self.window.from_bytes,
            offset_bin_bytes: self.bin_bytes,
            offset_bins: self.rows,
            cells: cells.flat_map(quadruple).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;

    fn window(columns: u64, rows: u64) -> Window {
        Window { file: 3, from_ns: 1_000, to_ns: 2_000, from_bytes: 100, to_bytes: 200, columns, rows }
    }

    #[test]
    fn bytes_inside_count_and_bytes_outside_do_not() {
        let mut map = WindowMap::new(window(10, 10));
        for op in [
            read(3, 90, 20).at_ns(1_000),
            write(3, 195, 100).at_ns(1_999),
            read(3, 118, 4).at_ns(1_550),
            read(3, 100, 100).at_ns(999),
            read(3, 100, 100).at_ns(2_000),
            read(3, 0, 100).at_ns(1_500),
            read(3, 200, 100).at_ns(1_500),
            read(4, 100, 100).at_ns(1_500),
            OpRecord { errno: 5, ..read(3, 100, 100).at_ns(1_500) },
            OpRecord { kind: OpKind::Open, ..read(3, 100, 100).at_ns(1_500) },
        ] {
            map.add(&op);
        }
        let level = map.figures();
        assert_eq!((level.time_bins, level.offset_bins, level.offset_bin_bytes), (10, 10, 10));
        assert_eq!(level.cells, [0, 0, 10, 0, 5, 1, 2, 0, 5, 2, 2, 0, 9, 9, 0, 5]);
    }

    #[test]
    fn window_map_is_bounded_for_any_request() {
        for (columns, rows) in [(0, 0), (u64::MAX, u64::MAX), (COLUMNS_MAX, ROWS_MAX), (1, 5_000)] {
            let all = Window {
                from_ns: 0,
                to_ns: u64::MAX,
                from_bytes: 0,
                to_bytes: u64::MAX,
                ..window(columns, rows)
            };
            let mut map = WindowMap::new(all);
            assert!(
                map.cells.len() as u64 <= CELLS_MAX && map.columns <= COLUMNS_MAX && map.rows <= ROWS_MAX
            );
            map.add(&read(3, u64::MAX - 10, u32::MAX).at_ns(u64::MAX - 1));
            map.add(&write(3, 0, u32::MAX).at_ns(0));
            assert_eq!(
                map.figures().cells.chunks(4).map(|cell| cell[2] + cell[3]).sum::<u64>(),
                10 + u64::from(u32::MAX)
            );
        }
        // Nothing in it, and the wrong way round.
        for (to_ns, to_bytes) in [(1_000, 100), (0, 0)] {
            let map = WindowMap::new(Window { to_ns, to_bytes, ..window(10, 10) });
            assert_eq!((map.cells.len(), map.figures().cells.len()), (1, 0));
        }
    }
}
