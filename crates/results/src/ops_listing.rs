//! Iterates over a trace's operations and passes on the selected ones, in the requested order, with
//! bounded memory.

use reelgauge_analysis::operation_list::{OpFilter, SortBy, TopOps};
use reelgauge_record::OpRecord;
use reelgauge_trace::{Trace, TraceError};

use crate::trace_report::ops;

/// Operations between two calls of `stop`.
const OPS_AT_ONCE: usize = 65_536;

/// The operations to list, and how many.
#[derive(Clone, Debug)]
pub struct Listing {
    pub filter: OpFilter,
    pub sort: SortBy,
    /// The first ones, at most this many; `None` for all of them, in order of issue only.
    pub top: Option<usize>,
}

/// Passes on the selected operations; returns how many more there are, as far as they were read.
///
/// # Errors
/// The error of `each`, and a log that cannot be read.
pub fn list<E>(
    trace: &Trace,
    listing: Listing,
    each: impl FnMut(&OpRecord) -> Result<(), E>,
) -> Result<u64, E>
where
    E: From<TraceError>,
{
    list_until(trace, listing, &|| false, each)
}

/// The same with a way to stop early: `stop` is called now and then, and if it returns true, the log
/// counts as ended there.
///
/// # Errors
/// The error of `each`, and a log that cannot be read.
pub fn list_until<E>(
    trace: &Trace,
    listing: Listing,
    stop: &dyn Fn() -> bool,
    mut each: impl FnMut(&OpRecord) -> Result<(), E>,
) -> Result<u64, E>
where
    E: From<TraceError>,
{
    let Listing { filter, sort, top } = listing;
    let wanted = ops(trace)
        .enumerate()
        .take_while(|(at, _)| !(at.is_multiple_of(OPS_AT_ONCE) && stop()))
        .map(|(_, op)| op)
        .take_while(|op| !matches!(op, Ok(op) if filter.is_over(op)))
        .filter(|op| !matches!(op, Ok(op) if !filter.holds(op)));
    if sort == SortBy::Issued {
        // Nothing after the last one that is shown has to be read.
        for op in wanted.take(top.unwrap_or(usize::MAX)) {
            each(&op?)?;
        }
        return Ok(0);
    }
    let mut kept = TopOps::new(sort, top.unwrap_or(usize::MAX));
    for op in wanted {
        kept.add(op?);
    }
    let left_out = kept.left_out();
    kept.into_ops().iter().try_for_each(each)?;
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_analysis::trace_stats::Period;
    use reelgauge_record::OpKind;
    use reelgauge_trace::synth::hints::HINT_STREAM;

    use super::*;

    fn listed(listing: Listing) -> (Vec<OpRecord>, u64) {
        let parent = tempfile::tempdir().unwrap();
        let trace = HINT_STREAM.make(parent.path()).unwrap();
        let mut ops = Vec::new();
        let left_out = list(&trace, listing, |op| {
            ops.push(*op);
            Ok::<(), TraceError>(())
        });
        (ops, left_out.unwrap())
    }

    #[test]
    fn listing_in_issue_order_ends_early() {
        let filter = OpFilter { kinds: vec![OpKind::Write], ..OpFilter::default() };
        let (ops, left_out) = listed(Listing { filter, sort: SortBy::Issued, top: Some(3) });
        assert_eq!((ops.len(), left_out), (3, 0));
        assert!(ops.iter().all(|op| op.kind == OpKind::Write && op.len == 1));
    }

    #[test]
    fn sorting_by_other_columns_reads_all_operations() {
        let filter = OpFilter { kinds: vec![OpKind::Write], ..OpFilter::default() };
        let (ops, left_out) = listed(Listing { filter, sort: SortBy::Offset, top: Some(2) });
        assert_eq!(ops.iter().map(|op| op.offset).collect::<Vec<_>>(), [0, 64 << 10]);
        assert_eq!(left_out, 1024 + 511 - 2);
    }

    #[test]
    fn interrupted_listing_returns_partial_results() {
        let parent = tempfile::tempdir().unwrap();
        let trace = HINT_STREAM.make(parent.path()).unwrap();
        for (stops, wanted) in [(true, 0), (false, 3)] {
            let listing = Listing { filter: OpFilter::default(), sort: SortBy::Service, top: Some(3) };
            let mut found = 0;
            let each = |_: &OpRecord| {
                found += 1;
                Ok::<(), TraceError>(())
            };
            list_until(&trace, listing, &|| stops, each).unwrap();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn a_period_ends_the_reading_and_a_failing_receiver_too() {
        let period = Period { from_ns: 2_000_000, to_ns: 4_000_000 };
        let filter = OpFilter { period, ..OpFilter::default() };
        let (ops, _) = listed(Listing { filter: filter.clone(), sort: SortBy::Issued, top: None });
        assert_eq!(ops.len(), 2);
        let parent = tempfile::tempdir().unwrap();
        let trace = HINT_STREAM.make(parent.path()).unwrap();
        let refuse = |_: &OpRecord| Err(TraceError::NotATrace { path: "closed".into() });
        assert!(list(&trace, Listing { filter, sort: SortBy::Issued, top: None }, refuse).is_err());
    }
}
