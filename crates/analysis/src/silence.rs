//! The silences of a run: times in which operations were in flight and none completed.
//!
//! Screens, pages and comparisons take the length and the time of silences from here. They come from the
//! log: from the last completion to the next one ([`Standstill`]). Incidents and replays detect silences
//! as well, without the lateness of Reelgauge, to decide the culprit. If both mean the same silence,
//! [`unify`] gives it the log's length.
//!
//! Not here: words (report).

use crate::series::{Series, Standstill};
use crate::summary::{LoadPoint, Summary};

/// If operations usually take so long that this many of them are as long as the silence, it does not count.
const USUAL_TIMES: f64 = 3.0;

/// If a pause of Reelgauge covers this share of a silence, it explains the silence.
const PAUSED_SHARE: f64 = 0.5;

/// The longest silence, and how many more there were.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub longest: Standstill,
    /// The load point in which it began.
    pub point: Option<&'a LoadPoint>,
    /// The number of shorter ones.
    pub more: usize,
}

/// The silence to report; `None` if an operation completed in every second with requests.
pub fn told(summary: &Summary) -> Option<Told<'_>> {
    let told = all(summary);
    let longest = longest(&told)?;
    Some(Told { longest, point: point_of(&longest, summary), more: told.len() - 1 })
}

/// The same if no incident reports it, because it made no frame late: it began shortly before the end,
/// or a buffer hid it.
pub fn without_incident(summary: &Summary) -> Option<Told<'_>> {
    let told = told(summary)?;
    let (from_s, until_s) = (told.longest.began_s, told.longest.began_s + told.longest.lasted_s);
    let incidents =
        summary.load_points.iter().flat_map(|point| &point.streams).flat_map(|late| &late.incidents);
    let is_told =
        incidents.into_iter().any(|incident| incident.began_s < until_s && from_s < incident.ended_s);
    (!is_told).then_some(told)
}

/// The silences that began in a load point.
pub fn of_point(summary: &Summary, point: &LoadPoint) -> Vec<Standstill> {
    let began_in = |still: &Standstill| point_of(still, summary).is_some_and(|own| own.index == point.index);
    all(summary).into_iter().filter(began_in).collect()
}

pub fn longest(silences: &[Standstill]) -> Option<Standstill> {
    silences.iter().copied().max_by(|one, two| one.lasted_s.total_cmp(&two.lasted_s))
}

/// Sets the length of the silences of incidents and replays to that of the log.
pub fn unify(summary: &mut Summary) {
    let Summary { series, load_points, replay, .. } = summary;
    let incidents = load_points.iter_mut().flat_map(|point| &mut point.streams);
    for storage in incidents.flat_map(|late| &mut late.incidents).map(|incident| &mut incident.storage) {
        let found = storage.no_answer_began_s.zip(storage.no_answer_s);
        if let Some(still) = found.and_then(|(began_s, length_s)| same(series, began_s, length_s)) {
            (storage.no_answer_began_s, storage.no_answer_s) = (Some(still.began_s), Some(still.lasted_s));
        }
    }
    let passes = replay.iter_mut().flat_map(|replay| &mut replay.passes);
    for silence in passes.flat_map(|pass| &mut pass.silences) {
        if let Some(still) = same(series, silence.began_s, silence.length_s) {
            silence.began_in_point_s += still.began_s - silence.began_s;
            (silence.began_s, silence.length_s) = (still.began_s, still.lasted_s);
            silence.ended_s = still.began_s + still.lasted_s;
        }
    }
}

/// The corresponding silence of the log. A silence that a pause of Reelgauge explains for the greater
/// part is a different one.
fn same(series: &Series, began_s: f64, length_s: f64) -> Option<Standstill> {
    let overlap_s = |still: &Standstill| {
        (still.began_s + still.lasted_s).min(began_s + length_s) - still.began_s.max(began_s)
    };
    let is_same = |still: &Standstill| {
        overlap_s(still) > 0.0 && length_s > PAUSED_SHARE * still.lasted_s && length_s <= still.lasted_s
    };
    let found = series.standstills.iter().copied().filter(is_same);
    found.max_by(|one, two| overlap_s(one).total_cmp(&overlap_s(two)))
}

fn all(summary: &Summary) -> Vec<Standstill> {
    summary.series.standstills.iter().copied().filter(|still| is_told(still, summary)).collect()
}

fn point_of<'a>(still: &Standstill, summary: &'a Summary) -> Option<&'a LoadPoint> {
    let begun = summary.load_points.iter().filter(|point| point.started_s <= still.began_s);
    begun.max_by(|one, two| one.started_s.total_cmp(&two.started_s))
}

/// Whether it was more than operations that always take as long, and not a pause of Reelgauge.
fn is_told(still: &Standstill, summary: &Summary) -> bool {
    let usual = point_of(still, summary).and_then(|point| point.total.response.data.as_ref());
    let is_usual = usual.is_some_and(|times| still.lasted_s < USUAL_TIMES * times.p50_us / 1e6);
    let cost = &summary.self_cost;
    let paused_s = cost.longest_pause_began_s.zip(cost.longest_pause_s).map_or(0.0, |(began_s, pause_s)| {
        let until_s = still.began_s + still.lasted_s;
        (began_s + pause_s).min(until_s) - began_s.max(still.began_s)
    });
    !is_usual && paused_s < PAUSED_SHARE * still.lasted_s
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::{Incident, StorageThen};
    use crate::late::LateFigures;
    use crate::summary::Target;
    use crate::test_figures::vda_point;

    /// A run with a silence in the log, and an incident that found one of this length.
    fn unified(still: (f64, f64), found: (f64, f64)) -> (Option<f64>, Option<f64>) {
        let mut summary = Summary::new("0.1.0", "2026-11-28T10:00:00Z", "streams", Target::default());
        summary.series.standstills = vec![Standstill { began_s: still.0, lasted_s: still.1 }];
        let (no_answer_began_s, no_answer_s) = (Some(found.0), Some(found.1));
        let storage = StorageThen { no_answer_began_s, no_answer_s, ..StorageThen::default() };
        let incidents = vec![Incident { storage, ..Incident::default() }];
        let mut point = vda_point(1, 1.0, None);
        point.streams = Some(LateFigures { incidents, ..LateFigures::default() });
        summary.load_points = vec![point];
        unify(&mut summary);
        let late = summary.load_points[0].streams.as_ref();
        let storage = late.map(|late| late.incidents[0].storage).unwrap_or_default();
        (storage.no_answer_began_s, storage.no_answer_s)
    }

    #[test]
    fn incident_silence_includes_pauses_of_reelgauge() {
        assert_eq!(unified((4.0, 3.17), (4.1, 2.99)), (Some(4.0), Some(3.17)));
        assert_eq!(unified((4.0, 3.0), (4.0, 3.0)), (Some(4.0), Some(3.0)));
        // A different silence, and one in which Reelgauge was paused for most of the time.
        assert_eq!(unified((4.0, 3.17), (9.0, 2.0)), (Some(9.0), Some(2.0)));
        assert_eq!(unified((4.0, 6.0), (8.5, 1.5)), (Some(8.5), Some(1.5)));
    }
}
