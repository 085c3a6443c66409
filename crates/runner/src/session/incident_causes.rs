//! The counters' evidence on each incident, once all are sampled: the state of the host at the time, and
//! with it the component that caused the incident.
//!
//! Not here: the decision ([`reelgauge_analysis::culprit`]).

use std::path::Path;
use std::time::Duration;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use reelgauge_analysis::host_state::from_counters;
use reelgauge_analysis::point_culprit::of_point;
use reelgauge_analysis::rate_limit_delay;
use reelgauge_analysis::{Culprit, LinkFacts, LoadPoint};
use reelgauge_engine::clock::Clock;
use reelgauge_machine::system;
use reelgauge_record::identity;
use reelgauge_results::counters::read_counters;

/// Explains the incidents of all load points by the counters in the run directory, and attributes the
/// load points again. Without counters the attribution by operations stays.
pub(super) fn incidents(points: &mut [LoadPoint], run_dir: &Path, link: Option<&LinkFacts>, clock: &Clock) {
    let have_incidents =
        |point: &LoadPoint| point.streams.as_ref().is_some_and(|late| late.incident_count > 0);
    if !points.iter().any(have_incidents) {
        return;
    }
    for incident in
        points.iter_mut().filter_map(|point| point.streams.as_mut()).flat_map(|late| &mut late.incidents)
    {
        incident.began_at = wall_time(clock, incident.began_s);
    }
    let _own = identity::own();
    // The page reports damaged counters; here they only explain less.
    let Ok(Some(counters)) = read_counters(run_dir) else {
        return;
    };
    let processors = system::processors() as u32;
    let line_bytes_per_s = link.and_then(|link| link.line_bytes_per_s);
    for point in points {
        let Some(late) = &mut point.streams else { continue };
        for incident in &mut late.incidents {
            let (from_s, until_s) = (incident.began_s, incident.ended_s);
            if let Some(machine) = from_counters(&counters, from_s, until_s, processors, link) {
                incident.explain(machine);
            }
        }
        // A load point that was not judged is attributed to nothing.
        if point.culprit.is_some_and(|culprit| culprit != Culprit::NotKnown)
            && let Some(verdict) = &point.verdict
        {
            point.culprit =
                of_point(verdict, &late.incidents, point.total.busier_bytes_per_s(), line_bytes_per_s);
        }
        rate_limit_delay::book(point);
    }
}

/// Another program changed the files of the last load point: the cause of its late frames is unknown.
pub(super) fn blame_nobody(points: &mut [LoadPoint]) {
    let Some(point) = points.last_mut() else { return };
    point.culprit = point.culprit.map(|_| Culprit::NotKnown);
    let incidents = point.streams.iter_mut().flat_map(|late| &mut late.incidents);
    incidents.for_each(|incident| incident.culprit = Culprit::NotKnown);
}

/// A time of the run on the wall clock, to the second. `None` beyond the years that have names.
pub(super) fn wall_time(clock: &Clock, at_s: f64) -> Option<String> {
    let zero = Timestamp::from_nanosecond(clock.start_unix_ns().into()).ok()?;
    let at = zero.checked_add(Duration::try_from_secs_f64(at_s).ok()?).ok()?;
    // Rounded down, so that a search in other logs begins early enough.
    let whole_s = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Floor);
    Some(at.round(whole_s).ok()?.to_string())
}
