//! How many streams a run sustained, and whether more are possible: the count that is divided by the
//! parts of a site.
//!
//! A count is a limit only if one more stream was tried and the storage failed it. Every other count is
//! a lower bound: a requested count that passed, a search that ended before its limit, or a limit of
//! this client.

use super::inconclusive::PointVerdict;
use super::stated_figures;
use crate::summary::{LoadPoint, Summary};

/// A number of streams that a run sustained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamCount {
    /// The number; never 0.
    pub streams: u32,
    /// More may have been sustained.
    pub at_least: bool,
}

/// The largest count whose criteria were met: of a search, of a curve, or of load points before the
/// first that failed. `None` if there is none.
pub fn stream_count(summary: &Summary) -> Option<StreamCount> {
    let (streams, at_least) = match (&summary.search, &summary.vda) {
        (Some(search), _) => (search.streams?, stated_figures::at_least(search).is_some()),
        (_, Some(curve)) => {
            let points = curve.points.iter().zip(&summary.load_points);
            let is_invalid = |count| {
                let mut of_count = points.clone().filter(|(point, _)| point.streams == count);
                of_count.any(|(point, measured)| !point.valid && is_storages(measured))
            };
            (curve.streams?, !is_invalid(curve.streams? + 1))
        }
        _ => {
            let points = &summary.load_points;
            let passed = points.iter().take_while(|point| is_passed(point));
            let streams = passed.filter_map(|point| point.stream_count).max()?;
            let is_limit = |point: &LoadPoint| {
                let is_failed = point.criteria_verdict() == Some(PointVerdict::NotMet);
                point.stream_count == Some(streams + 1) && is_failed && is_storages(point)
            };
            (streams, !points.iter().any(is_limit))
        }
    };
    (streams > 0).then_some(StreamCount { streams, at_least })
}

fn is_passed(point: &LoadPoint) -> bool {
    point.verdict.as_ref().is_some_and(|verdict| verdict.passed)
}

/// Whether the storage made a load point fail: it was not cut off, and this client did not delay it.
fn is_storages(point: &LoadPoint) -> bool {
    !point.was_cut_off() && !point.culprit.is_some_and(|culprit| culprit.is_own())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tests::{point, summary};
    use super::*;
    use crate::culprit::Culprit;
    use crate::facts::{SearchFacts, VdaFacts, VdaPoint};

    fn of(count: u32, late_frames: u64, culprit: Culprit) -> LoadPoint {
        LoadPoint { stream_count: Some(count), ..point(late_frames, culprit) }
    }

    fn told(points: Vec<LoadPoint>) -> Option<(u32, bool)> {
        stream_count(&summary(points)).map(|count| (count.streams, count.at_least))
    }

    #[test]
    fn a_requested_count_is_a_lower_bound_until_the_storage_fails_one_stream_more() {
        let (passed, failed) = (of(4, 0, Culprit::NotKnown), of(5, 9, Culprit::Storage));
        assert_eq!(told(vec![passed.clone()]), Some((4, true)));
        assert_eq!(told(vec![passed.clone(), failed.clone()]), Some((4, false)));
        assert_eq!(told(vec![passed.clone(), of(6, 9, Culprit::Storage)]), Some((4, true)), "5 may pass");
        assert_eq!(told(vec![passed.clone(), of(5, 9, Culprit::Tool)]), Some((4, true)));
        let cut_off = LoadPoint { ended_early: Some("interrupted".to_owned()), ..failed.clone() };
        assert_eq!(told(vec![passed, cut_off]), Some((4, true)));
        assert_eq!(told(vec![failed]), None);
    }

    #[test]
    fn search_names_a_limit_only_if_it_found_one() {
        let of = |facts| {
            let mut summary = summary(Vec::new());
            summary.search = Some(facts);
            stream_count(&summary).map(|count| (count.streams, count.at_least))
        };
        let found = SearchFacts { streams: Some(31), complete: true, ..SearchFacts::default() };
        assert_eq!(of(found.clone()), Some((31, false)));
        assert_eq!(of(SearchFacts { complete: false, ..found.clone() }), Some((31, true)));
        assert_eq!(of(SearchFacts { limited_by_client: true, ..found.clone() }), Some((31, true)));
        assert_eq!(of(SearchFacts { streams: Some(0), ..found.clone() }), None);
        assert_eq!(of(SearchFacts { streams: None, ..found }), None);
    }

    #[test]
    fn a_curve_is_a_limit_where_the_next_stream_is_not_valid() {
        let of = |beyond: u32, valid| {
            let curve_point = |streams, valid| VdaPoint { streams, valid, ..VdaPoint::default() };
            let points = vec![curve_point(3, true), curve_point(beyond, valid)];
            let mut summary = summary(vec![point(0, Culprit::NotKnown), point(9, Culprit::Storage)]);
            let streams = if valid { beyond } else { 3 };
            summary.vda = Some(VdaFacts { points, streams: Some(streams), ..VdaFacts::default() });
            stream_count(&summary).map(|count| (count.streams, count.at_least))
        };
        assert_eq!([of(4, false), of(6, false)], [Some((3, false)), Some((3, true))]);
        assert_eq!(of(6, true), Some((6, true)));
    }
}
