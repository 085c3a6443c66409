//! Throughput over time: equal bins, as many as a chart can show.

use reelgauge_record::{OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use crate::figures::{seconds, stretch_ns};

/// Bins, at most.
const MAX_BINS: u64 = 300;
/// The narrowest bin.
const MIN_WIDTH_NS: u64 = 1_000_000;

/// The period in equal bins. An access counts in the bin where it completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TraceOverTime"))]
pub struct OverTime {
    /// Where the first bin begins, since the start of the trace.
    pub from_s: f64,
    /// Length of a bin: 1, 2 or 5 times a power of ten.
    pub bin_s: f64,
    /// The bins, without a gap.
    pub bins: Vec<OverTimeBin>,
}

/// One bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OverTimeBin {
    /// Operations of every kind.
    pub ops: u64,
    /// Those that failed.
    pub failed_ops: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// A period in equal bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeBins {
    pub(crate) from_ns: u64,
    pub(crate) width_ns: u64,
    pub(crate) count: usize,
}

impl TimeBins {
    /// At most this many bins of a round width that cover a whole span.
    pub(crate) fn over(span: (u64, u64), max_bins: u64) -> TimeBins {
        let (first_ns, last_ns) = span;
        let needed = |width_ns: u64| stretch_ns(first_ns / width_ns * width_ns, last_ns) / width_ns + 1;
        let mut width_ns = MIN_WIDTH_NS;
        let mut factors = [2.0, 2.5, 2.0].into_iter().cycle();
        while needed(width_ns) > max_bins {
            width_ns = (width_ns as f64 * factors.next().unwrap_or(2.0)) as u64;
        }
        let count = needed(width_ns) as usize;
        TimeBins { from_ns: first_ns / width_ns * width_ns, width_ns, count }
    }

    /// The first moment after a bin.
    pub(crate) fn end_ns(&self, bin: usize) -> u64 {
        // The last bin cannot end after the clock's range.
        self.from_ns.saturating_add((bin as u64 + 1).saturating_mul(self.width_ns))
    }

    /// Bins of twice the width, with the same start.
    pub(crate) fn halved(&self) -> TimeBins {
        // Bins cannot get wider than the clock's range.
        let width_ns = self.width_ns.saturating_mul(2);
        TimeBins { from_ns: self.from_ns, width_ns, count: self.count.div_ceil(2) }
    }

    /// The bin of a time; the first or last one if it is outside.
    pub(crate) fn bin(&self, at_ns: u64) -> usize {
        let bin = stretch_ns(self.from_ns, at_ns) / self.width_ns;
        usize::try_from(bin).map_or(self.count - 1, |bin| bin.min(self.count - 1))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct OverTimeTally {
    time: TimeBins,
    bins: Vec<OverTimeBin>,
}

impl OverTimeTally {
    /// For operations from the first one's issue to the last one's end.
    pub(crate) fn new(span: (u64, u64)) -> OverTimeTally {
        let time = TimeBins::over(span, MAX_BINS);
        OverTimeTally { time, bins: vec![OverTimeBin::default(); time.count] }
    }

    pub(crate) fn add(&mut self, op: &OpRecord) {
        let bin = &mut self.bins[self.time.bin(op.done_ns)];
        bin.ops += 1;
        let bytes = u64::from(op.done_len);
        match op.kind {
            _ if op.errno != 0 => bin.failed_ops += 1,
            OpKind::Read => bin.read_bytes += bytes,
            OpKind::Write => bin.written_bytes += bytes,
            _ => {}
        }
    }

    pub(crate) fn figures(&self) -> OverTime {
        OverTime {
            from_s: seconds(self.time.from_ns),
            bin_s: self.time.width_ns as f64 / 1e9,
            bins: self.bins.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_round_few_and_complete() {
        for (span, width_ns, count) in [
            ((0, 239_000_000), 1_000_000, 240),
            ((0, 600_000_000_000), 5_000_000_000, 121),
            ((0, 900_000_000), 5_000_000, 181),
            ((7_000_000_000, 7_000_000_500), 1_000_000, 1),
        ] {
            let bins = TimeBins::over(span, MAX_BINS);
            assert_eq!((bins.width_ns, bins.count), (width_ns, count), "{span:?}");
            assert_eq!((bins.bin(span.0), bins.bin(span.1)), (0, count - 1));
        }
        let absurd = TimeBins::over((0, u64::MAX), MAX_BINS);
        assert!(absurd.count as u64 <= MAX_BINS && absurd.bin(u64::MAX) == absurd.count - 1);
    }
}
