//! A load point reduced to its incidents. A fault that lasts for a part of it is averaged away over the
//! whole: a disk that was busy for 12 s of 60, and idle otherwise, has a mean of 20 %.
//!
//! Not here: which of both is asked first ([`super::choose`]).

use crate::counters::means::Stretch;
use crate::figures::stretch_ns;
use crate::series::Series;
use crate::summary::LoadPoint;

/// If the incidents fill this share of a load point, they count as the whole load point.
const WHOLE_SHARE: f64 = 0.9;

/// The times of the incidents that made a load point fail, on the run's clock and without overlap. Empty
/// if it did not fail, or if they fill nearly all of it.
pub fn stretches(point: &LoadPoint) -> Vec<Stretch> {
    let Some(culprit) = point.culprit else { return Vec::new() };
    let incidents = point.streams.iter().flat_map(|late| &late.incidents);
    let of_culprit = incidents.filter(|incident| incident.culprit == culprit);
    let ns = |seconds: f64| (seconds.max(0.0) * 1e9) as u64;
    let mut all: Vec<Stretch> = of_culprit
        .map(|incident| Stretch { from_ns: ns(incident.began_s), until_ns: ns(incident.ended_s) })
        .filter(|stretch| stretch.until_ns > stretch.from_ns)
        .collect();
    all.sort_by_key(|stretch| stretch.from_ns);
    let mut apart: Vec<Stretch> = Vec::new();
    for stretch in all {
        match apart.last_mut().filter(|last| stretch.from_ns <= last.until_ns) {
            Some(last) => last.until_ns = last.until_ns.max(stretch.until_ns),
            None => apart.push(stretch),
        }
    }
    let seconds: f64 = apart.iter().map(|stretch| stretch.seconds()).sum();
    if seconds >= point.measured_s * WHOLE_SHARE { Vec::new() } else { apart }
}

/// The load point with the rates of these periods. Operation times are known only for the whole load
/// point, so they are unknown here.
pub fn within(point: &LoadPoint, series: &Series, stretches: &[Stretch]) -> LoadPoint {
    let mut part = point.clone();
    let seconds: f64 = stretches.iter().map(|stretch| stretch.seconds()).sum();
    let (mut read, mut written, mut ops) = (0.0, 0.0, 0.0);
    for step in &series.steps {
        // A series is read from a summary, which is untrusted input.
        let from_ns = step.began_s.saturating_mul(1_000_000_000);
        let until_ns = step.began_s.saturating_add(series.step_s).saturating_mul(1_000_000_000);
        let overlap = |stretch: &Stretch| {
            let (from, until) = (stretch.from_ns.max(from_ns), stretch.until_ns.min(until_ns));
            stretch_ns(from, until) as f64 / 1e9
        };
        let share = stretches.iter().map(overlap).sum::<f64>() / series.step_s.max(1) as f64;
        read += step.read_bytes as f64 * share;
        written += step.written_bytes as f64 * share;
        ops += step.ops as f64 * share;
    }
    let is_known = !series.steps.is_empty() && seconds > 0.0;
    let rate = |amount: f64| is_known.then(|| amount / seconds);
    let total = &mut part.total;
    (total.read_bytes_per_s, total.written_bytes_per_s) = (rate(read), rate(written));
    (total.bytes_per_s, total.data_ops_per_s) = (rate(read + written), rate(ops));
    total.service.data = None;
    part
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::culprit::Culprit;
    use crate::figures::{Figures, PointTiming};
    use crate::incident::Incident;
    use crate::late::LateFigures;
    use crate::meter::PointFigures;
    use crate::series::SeriesStep;
    use crate::summary::LoadPointFacts;

    const S: u64 = 1_000_000_000;

    fn point(incidents: &[(f64, f64, Culprit)]) -> LoadPoint {
        let figures = PointFigures {
            point: 0,
            timing: PointTiming { started_ns: 0, measured_ns: 60 * S },
            total: Figures::default(),
            per_worker: Vec::new(),
            paper: Default::default(),
        };
        let incident = |(began_s, ended_s, culprit): &(f64, f64, Culprit)| Incident {
            began_s: *began_s,
            ended_s: *ended_s,
            culprit: *culprit,
            ..Incident::default()
        };
        let streams =
            LateFigures { incidents: incidents.iter().map(incident).collect(), ..LateFigures::default() };
        let point = LoadPoint::new(LoadPointFacts::default(), figures);
        LoadPoint { culprit: Some(Culprit::Storage), streams: Some(streams), ..point }
    }

    #[test]
    fn only_incidents_of_the_culprit_are_combined() {
        let stretch = |from_s, until_s| Stretch { from_ns: from_s * S, until_ns: until_s * S };
        let storage = |from_s, until_s| (from_s, until_s, Culprit::Storage);
        let own = (50.0, 52.0, Culprit::ThisMachine);
        let several = point(&[storage(20.0, 24.0), storage(10.0, 12.0), storage(11.0, 15.0), own]);
        assert_eq!(stretches(&several), [stretch(10, 15), stretch(20, 24)]);
        assert_eq!(stretches(&point(&[storage(1.0, 59.0)])), [], "they are the load point");
        assert_eq!(stretches(&LoadPoint { culprit: None, ..several }), [], "nothing failed");
        assert_eq!(stretches(&point(&[])), []);
    }

    #[test]
    fn rates_are_those_of_the_stretches() {
        let step = |began_s, read_bytes| SeriesStep { began_s, read_bytes, ops: 10, ..SeriesStep::default() };
        let series = Series {
            step_s: 1,
            steps: vec![step(0, 100), step(1, 10), step(2, 20), step(3, 100)],
            standstills: Vec::new(),
        };
        let part = within(&point(&[]), &series, &[Stretch { from_ns: S, until_ns: 5 * S / 2 }]);
        let rate = part.total.read_bytes_per_s.unwrap();
        assert!((rate - 20.0 / 1.5).abs() < 1e-9, "ten bytes and half of twenty: {rate}");
        assert!(part.total.service.data.is_none());
        let unknown = within(&point(&[]), &Series { steps: Vec::new(), ..series }, &[]);
        assert_eq!(unknown.total.read_bytes_per_s, None);
    }
}
