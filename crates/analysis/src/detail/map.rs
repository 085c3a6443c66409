//! The accesses to a file by time and position: cells from coarse to fine, and single accesses if there
//! are few. Whatever was recorded, all maps of a page together stay below 2.5 MB.
//!
//! Operations come in order of issue, so only one column of cells is open at a time and the rest is
//! sparse. If there are too many cells, the width of the bins doubles.

use reelgauge_record::{OpKind, OpRecord};

use super::Decimal;
use super::data::{FileMap, MapLevel, MapPoints};
use super::files::FileSeen;
use crate::rounding::round_to;
use crate::trace_stats::over_time::TimeBins;

/// Initial bins of time and of the file, at most.
const MAX_BINS: u64 = 1_024;
/// Bins of the coarsest level, at most.
const COARSE_BINS: u64 = 64;
/// Each level is finer than the one before by this factor.
const FINER: u64 = 4;
/// The narrowest bin of a file.
const MIN_WIDTH: u64 = 4_096;
/// Cells of one file that are kept while reading.
const MAX_CELLS: usize = 40_000;
/// The same of all files together: 20 MB.
const ALL_CELLS: usize = 800_000;
/// The size of all cells of all maps as JSON, in bytes.
const CELL_BYTES: usize = 900_000;
/// Accesses of one file that are kept individually.
const MAX_POINTS: u32 = 30_000;
/// The same of all files together: 1.2 MB.
const ALL_POINTS: u32 = 32_000;

/// A cell: bin of time, bin of the file, bytes read, bytes written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    time: u16,
    place: u16,
    read: u64,
    written: u64,
}

/// A map in cells of one size.
#[derive(Clone, Debug)]
struct Grid {
    time: TimeBins,
    from_bytes: u64,
    width: u64,
    places: u64,
    cells: Vec<Cell>,
}

impl Grid {
    /// Doubles the width of the bins of time or of the file, whichever are more.
    fn coarsen(&mut self) {
        match self.time.count as u64 >= self.places {
            true => self.merge(2, 1),
            false => self.merge(1, 2),
        }
    }

    /// Multiplies the width of the bins by these factors. Sorts the cells and combines those at the same
    /// place.
    fn merge(&mut self, times: u64, places: u64) {
        // Bins cannot get wider than the range of the numbers.
        self.time.width_ns = self.time.width_ns.saturating_mul(times);
        self.time.count = self.time.count.div_ceil(times as usize);
        // As above.
        self.width = self.width.saturating_mul(places);
        self.places = self.places.div_ceil(places);
        for cell in &mut self.cells {
            cell.time /= times as u16;
            cell.place /= places as u16;
        }
        self.cells.sort_unstable_by_key(|cell| (cell.time, cell.place));
        self.cells.dedup_by(|later, cell| {
            let same = (later.time, later.place) == (cell.time, cell.place);
            if same {
                cell.read += later.read;
                cell.written += later.written;
            }
            same
        });
    }

    /// This map and coarser versions of it, from coarse to fine.
    fn levels(&self) -> Vec<Grid> {
        let mut levels = vec![self.clone()];
        while let Some(fine) = levels.last() {
            let factor = |bins: u64| if bins > COARSE_BINS { FINER } else { 1 };
            let (times, places) = (factor(fine.time.count as u64), factor(fine.places));
            if times == 1 && places == 1 {
                break;
            }
            let mut coarse = fine.clone();
            coarse.merge(times, places);
            levels.push(coarse);
        }
        levels.reverse();
        levels
    }

    /// The size of its cells as JSON, in bytes.
    fn json_bytes(&self) -> usize {
        let digits = |value: u64| value.checked_ilog10().unwrap_or(0) as usize + 2;
        let bytes = |cell: &Cell| {
            let place = digits(u64::from(cell.time)) + digits(u64::from(cell.place));
            place + digits(cell.read) + digits(cell.written)
        };
        self.cells.iter().map(bytes).sum()
    }

    fn figures(&self) -> MapLevel {
        let cells = self.cells.iter();
        MapLevel {
            from_s: Decimal::seconds(self.time.from_ns),
            time_bin_s: Decimal(round_to(self.time.width_ns as f64 / 1e9, 6)),
            time_bins: self.time.count as u64,
            from_bytes: self.from_bytes,
            offset_bin_bytes: self.width,
            offset_bins: self.places,
            cells: cells
                .flat_map(|cell| [cell.time.into(), cell.place.into(), cell.read, cell.written])
                .collect(),
        }
    }
}

/// The map of one file while it is made.
#[derive(Clone, Debug)]
pub(super) struct MapTally {
    file: u32,
    end_bytes: u64,
    grid: Grid,
    /// The open column: its bin of time, bytes read and written by place, and the places that have any.
    at: u16,
    column: Vec<(u64, u64)>,
    filled: std::ops::Range<usize>,
    /// Cells that are kept while reading.
    most_cells: usize,
    points: Option<MapPoints>,
}

impl MapTally {
    /// For a file with these counts from the first pass, which initially had this size.
    fn new(file: u32, seen: &FileSeen, size_before: u64, time: TimeBins) -> MapTally {
        // A file without accesses begins behind its end.
        let length = seen.until_bytes.saturating_sub(seen.from_bytes);
        // The width is chosen so that an access of typical size fills few bins.
        let usual = seen.usual_bytes();
        let width = length.div_ceil(MAX_BINS).max(usual).max(MIN_WIDTH);
        let from_bytes = seen.from_bytes / width * width;
        // As above.
        let places = seen.until_bytes.saturating_sub(from_bytes).div_ceil(width).clamp(1, MAX_BINS + 1);
        MapTally {
            file,
            end_bytes: seen.until_bytes.max(size_before),
            grid: Grid { time, from_bytes, width, places, cells: Vec::new() },
            at: 0,
            column: vec![(0, 0); places as usize],
            filled: 0..0,
            most_cells: MAX_CELLS,
            points: None,
        }
    }

    pub(super) fn add(&mut self, op: &OpRecord) {
        if let Some(points) = &mut self.points {
            points.issued_s.push(Decimal::seconds(op.issued_ns));
            points.offset_bytes.push(op.offset);
            points.len_bytes.push(op.done_len);
            points.write.push(op.kind == OpKind::Write);
            points.service_us.push(Decimal::us(op.service_ns()));
        }
        let at = self.grid.time.bin(op.issued_ns) as u16;
        if at != self.at {
            self.close_column();
            self.at = self.grid.time.bin(op.issued_ns) as u16;
        }
        self.fill(op);
    }

    fn fill(&mut self, op: &OpRecord) {
        let (width, last) = (self.grid.width, self.column.len() - 1);
        // The grid begins with the first access that succeeded.
        let begin = op.offset.saturating_sub(self.grid.from_bytes);
        // Positions are untrusted input: one that overflows becomes the largest.
        let until = begin.saturating_add(u64::from(op.done_len)).max(begin);
        let place_of = |byte: u64| usize::try_from(byte / width).unwrap_or(last).min(last);
        // A zero-length access at position 0 has no last byte.
        let (first, end) = (place_of(begin), place_of(until.saturating_sub(1).max(begin)));
        let mut from = begin;
        for place in first..=end {
            let to = if place == end { until } else { (place as u64 + 1) * width };
            let (read, written) = &mut self.column[place];
            let sum = if op.kind == OpKind::Write { written } else { read };
            *sum += to - from;
            from = to;
        }
        self.filled = match self.filled.is_empty() {
            true => first..end + 1,
            false => self.filled.start.min(first)..self.filled.end.max(end + 1),
        };
    }

    /// Turns the open column into cells.
    fn close_column(&mut self) {
        let filled = std::mem::take(&mut self.filled);
        for (place, bytes) in filled.clone().zip(&mut self.column[filled]) {
            let (read, written) = std::mem::take(bytes);
            if read > 0 || written > 0 {
                self.grid.cells.push(Cell { time: self.at, place: place as u16, read, written });
            }
        }
        while self.grid.cells.len() > self.most_cells {
            self.grid.coarsen();
            self.column.truncate(self.grid.places as usize);
        }
    }
}

/// The maps of all files that have one.
#[derive(Clone, Debug, Default)]
pub(super) struct Maps {
    maps: Vec<MapTally>,
    /// By number of the file: the index of its map plus one.
    map_of: Vec<u16>,
}

impl Maps {
    /// For these files, in this order, over this time. `of` returns the counts and the initial size of a
    /// file.
    pub(super) fn new<'a>(
        files: &[u32],
        span: (u64, u64),
        of: impl Fn(u32) -> Option<(&'a FileSeen, u64)>,
    ) -> Maps {
        let time = TimeBins::over(span, MAX_BINS);
        let mut left = ALL_POINTS;
        let most_cells = (ALL_CELLS / files.len().max(1)).min(MAX_CELLS);
        let mut maps = Maps::default();
        for &file in files {
            let Some((seen, size_before)) = of(file) else { continue };
            let with_points = seen.accesses <= MAX_POINTS.min(left);
            left -= if with_points { seen.accesses } else { 0 };
            maps.map_of.resize(maps.map_of.len().max(file as usize + 1), 0);
            maps.maps.push(MapTally {
                most_cells,
                points: with_points.then(MapPoints::default),
                ..MapTally::new(file, seen, size_before, time)
            });
            maps.map_of[file as usize] = maps.maps.len() as u16;
        }
        maps
    }

    /// Takes an access that moved something.
    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord) {
        let map = self.map_of.get(op.file as usize).and_then(|place| place.checked_sub(1));
        if let Some(map) = map {
            self.maps[usize::from(map)].add(op);
        }
    }

    /// The maps, as fine as there is room for.
    pub(super) fn figures(mut self) -> Vec<FileMap> {
        for map in &mut self.maps {
            map.close_column();
            map.grid.merge(1, 1);
        }
        let mut levels: Vec<Vec<Grid>> = self.maps.iter().map(|map| map.grid.levels()).collect();
        let bytes_of = |levels: &[Grid]| levels.iter().map(Grid::json_bytes).sum::<usize>();
        // Each map is counted once, and again if it changed. Of five hundred maps, one changes at a
        // time.
        let mut bytes: Vec<usize> = levels.iter().map(|levels| bytes_of(levels)).collect();
        while bytes.iter().sum::<usize>() > CELL_BYTES {
            let Some(most) = (0..bytes.len()).max_by_key(|&map| bytes[map]) else { break };
            self.maps[most].grid.coarsen();
            levels[most] = self.maps[most].grid.levels();
            bytes[most] = bytes_of(&levels[most]);
        }
        let maps = self.maps.into_iter().zip(levels).map(|(map, levels)| FileMap {
            file: map.file,
            end_bytes: map.end_bytes,
            levels: levels.iter().map(Grid::figures).collect(),
            points: map.points,
        });
        maps.collect()
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::super::files::FilesSeen;
    use super::*;

    const MS: u64 = 1_000_000;

    fn maps(ops: &[OpRecord], span: (u64, u64), files: usize) -> Vec<FileMap> {
        let mut seen = FilesSeen::new(files);
        ops.iter().for_each(|op| seen.add(op));
        let mut maps = Maps::new(&seen.mapped(), span, |file| Some((seen.get(file)?, 7)));
        ops.iter().for_each(|op| maps.add(op));
        maps.figures()
    }

    #[test]
    fn map_cells_match_offset_and_time() {
        let at = |ms: u64, op: OpRecord| OpRecord { issued_ns: ms * MS, ..op };
        let ops = [
            at(0, read(0, 8_192, 4_096)),
            at(50, write(0, 4_096 * 5 - 10, 30)),
            OpRecord { done_ns: 53 * MS, ..at(50, read(0, 4_096 * 5, 1)) },
        ];
        let maps = maps(&ops, (0, 60 * MS), 1);
        assert_eq!((maps.len(), maps[0].file, maps[0].end_bytes), (1, 0, 4_096 * 5 + 20));
        let level = &maps[0].levels[0];
        assert_eq!((maps[0].levels.len(), level.time_bins, level.offset_bins), (1, 61, 4));
        assert_eq!(
            (level.from_bytes, level.offset_bin_bytes, level.time_bin_s),
            (8_192, 4_096, Decimal(0.001))
        );
        assert_eq!(level.cells, [0, 0, 4_096, 0, 50, 2, 0, 10, 50, 3, 1, 20]);
        let points = maps[0].points.as_ref().map(|points| (&points.len_bytes[..], &points.write[..]));
        assert_eq!(points, Some((&[4_096, 30, 1][..], &[false, true, false][..])));
        assert_eq!(
            maps[0].points.as_ref().and_then(|points| points.service_us.last()),
            Some(&Decimal(3_000.0))
        );
    }

    #[test]
    fn levels_get_finer_and_none_loses_a_byte() {
        let random = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30;
        let ops: Vec<OpRecord> = (0..200_000)
            .map(|n| {
                let access = if n % 4 == 0 { write } else { read };
                OpRecord { issued_ns: n * MS, ..access(0, random(n) % (1 << 30), 8_192) }
            })
            .collect();
        let maps = maps(&ops, (0, 200_000 * MS), 1);
        let levels = &maps[0].levels;
        assert!(levels.len() >= 2 && maps[0].points.is_none());
        assert!(levels.windows(2).all(|two| two[0].cells.len() < two[1].cells.len()));
        for level in levels {
            let cells = level.cells.chunks(4);
            assert_eq!(cells.clone().map(|cell| cell[2]).sum::<u64>(), 150_000 * 8_192);
            assert_eq!(cells.clone().map(|cell| cell[3]).sum::<u64>(), 50_000 * 8_192);
            assert!(cells.clone().all(|cell| cell[0] < level.time_bins && cell[1] < level.offset_bins));
            assert!(level.cells.len() < 4 * MAX_CELLS);
        }
    }

    #[test]
    fn all_maps_together_stay_below_their_bound() {
        let random = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        let ops: Vec<OpRecord> = (0..200_000)
            .map(|n| {
                let file = if n % 20 < 5 { n % 20 } else { 5 + n % 15 } as u32;
                OpRecord { issued_ns: n * MS, ..write(file, random(n), u32::MAX) }
            })
            .collect();
        let maps = maps(&ops, (0, 200_000 * MS), 20);
        assert_eq!(maps.len(), 20);
        let json = serde_json::to_string(&maps).map_or(usize::MAX, |json| json.len());
        assert!(json < 2_500_000, "{json}");
        let points: usize = maps.iter().flat_map(|map| &map.points).map(|points| points.write.len()).sum();
        assert!(points > 0 && points <= ALL_POINTS as usize, "{points}");
    }

    /// The paper's photo album: 169 files, all of them on its map.
    #[test]
    fn every_one_of_many_files_has_a_map() {
        let ops: Vec<OpRecord> = (0..60_000)
            .map(|n| OpRecord { issued_ns: n * MS, ..read((n % 500) as u32, n / 500 * 65_536, 65_536) })
            .collect();
        let some: Vec<OpRecord> = ops.iter().filter(|op| op.file < 169).copied().collect();
        assert_eq!(maps(&some, (0, 60_000 * MS), 169).len(), 169);
        let all = maps(&ops, (0, 60_000 * MS), 500);
        assert_eq!(all.len(), 500);
        for map in &all {
            let bytes: u64 = map.levels[0].cells.chunks(4).map(|cell| cell[2]).sum();
            assert_eq!(bytes, 120 * 65_536);
        }
        let json = serde_json::to_string(&all).map_or(usize::MAX, |json| json.len());
        assert!(json < 2_500_000, "{json}");
    }

    #[test]
    fn absurd_places_and_times_are_no_panic() {
        let ops = [
            OpRecord { issued_ns: u64::MAX, ..read(0, u64::MAX, u32::MAX) },
            OpRecord { issued_ns: 5, ..write(0, 0, u32::MAX) },
            OpRecord { issued_ns: 0, ..read(0, u64::MAX - 10, 5) },
        ];
        let maps = maps(&ops, (0, u64::MAX), 1);
        assert_eq!(maps[0].end_bytes, u64::MAX);
    }
}
