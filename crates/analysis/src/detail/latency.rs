//! Latencies by time, on a logarithmic scale: a heat map with sparse cells.

use std::sync::LazyLock;

use super::Decimal;
use super::data::{LatencyGrid, LatencySide};

/// Bins of latency: four for each doubling, up to 12 days.
const BINS: usize = 160;
/// Filled cells of both sides, at most.
pub(super) const MAX_CELLS: usize = 60_000;

/// Where each bin but the first begins, in nanoseconds.
static EDGES_NS: LazyLock<[u64; BINS - 1]> = LazyLock::new(|| {
    // The first whole nanosecond that is not below 2^(b/4) µs.
    std::array::from_fn(|at| (1e3 * 2_f64.powf((at + 1) as f64 / 4.0) - 1e-6).ceil() as u64)
});

/// The bin of a latency.
#[inline]
fn bin_of(latency_ns: u64) -> usize {
    EDGES_NS.partition_point(|edge_ns| *edge_ns <= latency_ns)
}

/// One bin of time.
#[derive(Clone, Debug)]
struct Column {
    counts: [u32; BINS],
    max_ns: u64,
    sum_ns: u64,
}

impl Column {
    const EMPTY: Column = Column { counts: [0; BINS], max_ns: 0, sum_ns: 0 };

    fn merge(&mut self, later: &Column) {
        for (count, more) in self.counts.iter_mut().zip(&later.counts) {
            // 32 bits in each of many cells. A larger count would not make a cell of the chart darker.
            *count = count.saturating_add(*more);
        }
        self.max_ns = self.max_ns.max(later.max_ns);
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        self.sum_ns = self.sum_ns.saturating_add(later.sum_ns);
    }

    fn cells(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.counts.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }
}

/// Takes latencies of reads and writes.
#[derive(Clone, Debug)]
pub(super) struct LatencyTally {
    sides: [Vec<Column>; 2],
}

impl LatencyTally {
    /// A tally over `bins` bins of time.
    pub(super) fn new(bins: usize) -> LatencyTally {
        LatencyTally { sides: [vec![Column::EMPTY; bins], vec![Column::EMPTY; bins]] }
    }

    /// Counts an access in this bin of time.
    #[inline]
    pub(super) fn add(&mut self, bin: usize, writes: bool, latency_ns: u64) {
        let column = &mut self.sides[usize::from(writes)][bin];
        let count = &mut column.counts[bin_of(latency_ns)];
        // As above.
        *count = count.saturating_add(1);
        column.max_ns = column.max_ns.max(latency_ns);
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        column.sum_ns = column.sum_ns.saturating_add(latency_ns);
    }

    pub(super) fn cells(&self) -> usize {
        self.sides.iter().flatten().map(|column| column.cells().count()).sum()
    }

    /// Doubles the width of the bins of time.
    pub(super) fn halve(&mut self) {
        for side in &mut self.sides {
            let merged = side.chunks(2).map(|pair| {
                let mut column = pair[0].clone();
                pair[1..].iter().for_each(|later| column.merge(later));
                column
            });
            *side = merged.collect();
        }
    }

    pub(super) fn figures(&self) -> LatencyGrid {
        let [reads, writes] = &self.sides;
        LatencyGrid { reads: side(reads), writes: side(writes) }
    }
}

fn side(columns: &[Column]) -> LatencySide {
    let cells = (0_u64..).zip(columns).flat_map(|(time, column)| {
        column.cells().flat_map(move |(bin, count)| [time, bin as u64, u64::from(count)])
    });
    LatencySide {
        cells: cells.collect(),
        max_us: columns.iter().map(|column| Decimal::us(column.max_ns)).collect(),
        // A sum that reached the largest number stays there.
        sum_us: columns.iter().map(|column| column.sum_ns.saturating_add(500) / 1000).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_quarters_of_doublings() {
        let cases = [
            (0, 0),
            (999, 0),
            (1_000, 0),
            // 2^(1/4) µs = 1.18920… µs
            (1_189, 0),
            (1_190, 1),
            (1_999, 3),
            (2_000, 4),
            (1_023_999, 39),
            (1_024_000, 40),
            (u64::MAX, BINS - 1),
        ];
        for (latency_ns, bin) in cases {
            assert_eq!(bin_of(latency_ns), bin, "{latency_ns}");
        }
    }

    #[test]
    fn cells_are_triples_and_halving_keeps_totals() {
        let mut tally = LatencyTally::new(3);
        for (bin, latency_ns) in [(0, 2_000), (1, 2_100), (1, 5_000_000), (2, 4_000)] {
            tally.add(bin, false, latency_ns);
        }
        assert_eq!(tally.cells(), 4);
        assert_eq!(tally.figures().reads.cells, [0, 4, 1, 1, 4, 1, 1, 49, 1, 2, 8, 1]);
        tally.halve();
        let grid = tally.figures();
        assert_eq!(grid.reads.cells, [0, 4, 2, 0, 49, 1, 1, 8, 1]);
        assert_eq!(grid.reads.max_us, [Decimal(5_000.0), Decimal(4.0)]);
        assert_eq!(grid.reads.sum_us, [5_004, 4]);
        assert_eq!((grid.writes.cells.len(), grid.writes.max_us.len()), (0, 2));
    }
}
