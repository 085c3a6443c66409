//! Percentile curves, one for each kind of operation, from the same histograms as the percentiles of a
//! summary.

use reelgauge_record::{OpKind, OpRecord};

use super::Decimal;
use super::data::{Measure, PercentileCurve};
use crate::rounding::round_to;
use crate::spread::Spread;

/// Points for every halving of the distance to 100 %: 230 points for ten million operations.
const POINTS_PER_HALVING: u32 = 10;

/// Takes operations that succeeded.
#[derive(Clone, Debug)]
pub(super) struct Curves {
    measure: Measure,
    kinds: [Option<Box<(Spread, u64)>>; OpKind::ALL.len()],
}

impl Curves {
    pub(super) fn new(measure: Measure) -> Curves {
        Curves { measure, kinds: Default::default() }
    }

    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord) {
        let (spread, max_ns) = &mut **self.kinds[op.kind as usize].get_or_insert_default();
        let latency_ns = self.measure.of(op);
        spread.record_n(latency_ns, 1);
        *max_ns = latency_ns.max(*max_ns);
    }

    /// The curves of the kinds that happened.
    pub(super) fn figures(&self) -> Vec<PercentileCurve> {
        let kinds = OpKind::ALL.into_iter().zip(&self.kinds);
        let happened = kinds.filter_map(|(kind, tally)| Some((kind, tally.as_ref()?)));
        happened.map(|(kind, tally)| curve(kind, &tally.0, tally.1)).collect()
    }
}

fn curve(kind: OpKind, spread: &Spread, max_ns: u64) -> PercentileCurve {
    let points = spread.curve(POINTS_PER_HALVING, max_ns);
    let percent = |quantile: f64| Decimal(round_to(quantile * 100.0, 7));
    PercentileCurve {
        kind: kind.name().to_owned(),
        count: spread.count(),
        percentile: points.iter().map(|(quantile, _)| percent(*quantile)).collect(),
        us: points.iter().map(|(_, ns)| Decimal::us(*ns)).collect(),
    }
}

impl Measure {
    /// The latency of an operation, in nanoseconds.
    #[inline]
    pub(super) fn of(self, op: &OpRecord) -> u64 {
        match self {
            Measure::Response => op.response_ns(),
            Measure::Service => op.service_ns(),
        }
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;

    #[test]
    fn curve_starts_at_the_shortest_and_ends_at_the_longest() {
        let mut curves = Curves::new(Measure::Service);
        for ms in 1..=1000_u64 {
            curves.add(&OpRecord { issued_ns: 5, done_ns: 5 + ms * 1_000_000, ..read(0, 0, 1) });
        }
        curves.add(&OpRecord { issued_ns: 0, done_ns: 7_654, ..write(0, 0, 1) });
        let figures = curves.figures();
        assert_eq!(figures.iter().map(|curve| curve.kind.as_str()).collect::<Vec<_>>(), ["read", "write"]);
        let reads = &figures[0];
        assert_eq!((reads.count, reads.percentile.len()), (1000, reads.us.len()));
        assert!(reads.percentile.is_sorted() && reads.us.is_sorted() && reads.us.len() < 150);
        assert_eq!((reads.percentile[0], reads.percentile.last()), (Decimal(0.0), Some(&Decimal(100.0))));
        // Three digits: half of them took 500 ms, to 0.1 %; the longest is exact.
        let half = reads.percentile.iter().position(|percent| percent.0 >= 50.0);
        let half_us = half.map_or(0.0, |at| reads.us[at].0);
        assert!((half_us / 500_000.0 - 1.0).abs() < 0.001, "{half_us}");
        assert_eq!(reads.us.last(), Some(&Decimal(1_000_000.0)));
        assert_eq!(figures[1].us, vec![Decimal(7.654); figures[1].us.len()]);
    }
}
