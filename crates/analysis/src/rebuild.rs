//! Computes the figures of a run from its log alone: for runs that were killed, and for later reports.

use std::collections::BTreeMap;

use reelgauge_record::OpRecord;

use crate::figures::PointTiming;
use crate::meter::{Meter, PointFigures, RunTotals, ShortOps};
use crate::series::Series;

/// The figures from a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebuilt {
    /// The load points, ascending.
    pub points: Vec<PointFigures>,
    /// Load points whose timing was unknown and was taken from the operations: from the first issue to
    /// the last completion. Their throughput may be a little too high.
    pub timing_from_ops: Vec<u16>,
    /// The figures of every second.
    pub series: Series,
    /// The totals over all load points.
    pub totals: RunTotals,
}

/// Computes the figures from the operations of a log, those of each worker in order, and from the known
/// timing of the load points. Load points that are in `timings` and not in the log have empty figures.
pub fn rebuild<I>(ops: I, timings: &BTreeMap<u16, PointTiming>) -> Rebuilt
where
    I: IntoIterator<Item = OpRecord>,
{
    let ops = ops.into_iter().map(Ok::<_, std::convert::Infallible>);
    match try_rebuild(ops, ShortOps::default(), false, timings) {
        Ok(rebuilt) => rebuilt,
        Err(never) => match never {},
    }
}

/// Like [`rebuild`], from a log whose reading may fail; ends at the first failure and returns it.
/// `is_limited`: a byte rate limit was set.
pub fn try_rebuild<I, E>(
    ops: I,
    short_ops: ShortOps,
    is_limited: bool,
    timings: &BTreeMap<u16, PointTiming>,
) -> Result<Rebuilt, E>
where
    I: IntoIterator<Item = Result<OpRecord, E>>,
{
    let mut meter = Meter::new();
    meter.take_short(short_ops);
    if is_limited {
        meter.take_limit();
    }
    for op in ops {
        meter.add(&op?);
    }
    let mut points: Vec<u16> = timings.keys().copied().chain(meter.unfinished_points()).collect();
    points.sort_unstable();
    points.dedup();
    let series = meter.series();
    let figures = points.iter().map(|&point| match timings.get(&point) {
        Some(&timing) => meter.finish_point(point, timing),
        None => meter.finish_point_from_ops(point),
    });
    let figures = figures.collect();
    Ok(Rebuilt {
        points: figures,
        timing_from_ops: points.into_iter().filter(|point| !timings.contains_key(point)).collect(),
        series,
        totals: meter.run_totals(),
    })
}
