//! The figures of a run from its log alone: for runs that were killed, and for reports made years later.

use std::collections::BTreeMap;

use reelgauge_record::OpRecord;

use crate::figures::PointTiming;
use crate::meter::{Meter, PointFigures, RunTotals, ShortOps};
use crate::series::Series;

/// What a log tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebuilt {
    /// The load points, ascending.
    pub points: Vec<PointFigures>,
    /// Those whose timing was not known and was taken from the operations: from the first one issued
    /// to the last one done. Their throughput may be a little high.
    pub timing_from_ops: Vec<u16>,
    /// Every second.
    pub series: Series,
    /// All load points together.
    pub totals: RunTotals,
}

/// Makes the figures from the operations of a log, each worker's in the order in which it did them,
/// and from the timing of the load points as far as it is known. Load points that are in `timings` and
/// not in the log have empty figures.
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

/// As [`rebuild`], from a log whose reading may fail; ends at the first failure and returns it. `is_limited`:
/// a limit on bytes a second was set.
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
