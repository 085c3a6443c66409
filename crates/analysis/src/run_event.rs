//! An event that the user scheduled during a run: the result of its command, and its effect on the
//! streams.
//!
//! *Recovery* is the time from a reference (the end of the event, or its start) until frames are in time
//! again. They are in time again from the first moment after which no stream is disturbed for
//! [`QUIET_S`]. A disturbance is an [`Incident`]: from when the storage started to lag until the last of
//! its late frames arrived, or was due. Disturbances that Reelgauge caused do not count. If a load point
//! ends before [`QUIET_S`] are over, the result is a lower bound.
//!
//! *Streams served* is what the storage delivered from the start of the event until it was over and
//! frames were in time again, in whole steps of the run's series, divided by what one stream needs.
//!
//! Pure. Not here: running the command (the runner), `event.json` (results), words (report).

pub use crate::facts::{EventEffect, EventEnd, EventFacts, Recovery, WhyUnknown, whole_streams};
use crate::incident::Incident;
use crate::late::LateFigures;
use crate::series::Series;
use crate::summary::LoadPoint;

/// Streams without a disturbance for this long are in time again.
pub const QUIET_S: f64 = 5.0;

/// From this share of additional bytes on, other actors than streams transferred data.
const OTHERS_SHARE: f64 = 0.05;

/// The effect of an event on the streams of its load point, which was measured until `until_s`. `None`
/// if it did not begin, or no stream had frames. A command that failed and made no frame late is no
/// evidence.
pub fn effect(event: &EventFacts, point: &LoadPoint, series: &Series, until_s: f64) -> Option<EventEffect> {
    let began_s = event.began_s?;
    let late = point.streams.as_ref().filter(|late| late.total.frames_judged > 0)?;
    let streams = point.stream_count.unwrap_or(late.streams.len() as u32);
    if event.end.is_failure() && late.total.late_frames == 0 {
        let nothing = Recovery::Unknown { why: Some(WhyUnknown::Failed) };
        let (recovery_after_end, recovery_after_begin) = (nothing, nothing);
        return Some(EventEffect { streams, served: None, recovery_after_end, recovery_after_begin });
    }
    let recovery_after_begin = recovery(late, began_s, until_s);
    // An event that is still running ends after the load point.
    let recovery_after_end = recovery(late, event.ended_s.unwrap_or(f64::INFINITY), until_s);
    let in_time_s = match recovery_after_begin {
        Recovery::After { s } => began_s + s,
        Recovery::AtLeast { .. } => until_s,
        Recovery::Unknown { .. } => began_s,
    };
    let over_s = event.ended_s.unwrap_or(until_s).max(in_time_s).min(until_s);
    Some(EventEffect {
        streams,
        served: streams_served(point, series, began_s, over_s),
        recovery_after_end,
        recovery_after_begin,
    })
}

/// The time from `from_s` until frames are in time again, in a load point that was measured until
/// `until_s`.
pub fn recovery(late: &LateFigures, from_s: f64, until_s: f64) -> Recovery {
    let is_of_storage = |incident: &&Incident| {
        incident.late_frames > incident.late_frames_with_own_delay + incident.late_frames_rate_limited
    };
    let mut disturbed: Vec<(f64, f64)> = late
        .incidents
        .iter()
        .filter(is_of_storage)
        .map(|incident| (incident.began_s, incident.ended_s))
        .collect();
    disturbed.sort_by(|one, two| one.0.total_cmp(&two.0));
    let mut at_s = from_s;
    for (began_s, ended_s) in disturbed {
        if ended_s > at_s && began_s <= at_s + QUIET_S {
            at_s = ended_s;
        }
    }
    // After the last incident that was kept, nothing is known.
    let known_until_s = match late.incidents.last() {
        Some(last) if late.incident_count > late.incidents.len() as u64 => until_s.min(last.ended_s),
        _ => until_s,
    };
    if at_s + QUIET_S <= known_until_s {
        Recovery::After { s: at_s - from_s }
    } else if at_s > from_s && from_s < until_s {
        Recovery::AtLeast { s: at_s.min(until_s) - from_s }
    } else {
        let why = match from_s {
            from_s if from_s >= until_s => WhyUnknown::EndedBefore,
            _ if known_until_s < until_s => WhyUnknown::IncidentsCutOff,
            from_s => WhyUnknown::EndedSoon { left_s: until_s - from_s },
        };
        Recovery::Unknown { why: Some(why) }
    }
}

/// The number of streams that the storage served between these times, in whole steps of the series.
fn streams_served(point: &LoadPoint, series: &Series, from_s: f64, until_s: f64) -> Option<f64> {
    let late = point.streams.as_ref()?;
    // The mean need of the stream's frames, at its own rate.
    let needs: Vec<f64> = late
        .streams
        .iter()
        .filter_map(|stream| {
            let frames_per_s = stream.frames_per_s.filter(|rate| *rate > 0.0)?;
            Some(stream.nominal_frames_per_s * stream.bytes_per_s? / frames_per_s)
        })
        .collect();
    let moved: f64 = late.streams.iter().filter_map(|stream| stream.bytes_per_s).sum();
    if needs.is_empty() || point.total.bytes_per_s? > moved * (1.0 + OTHERS_SHARE) {
        return None;
    }
    let need = needs.iter().sum::<f64>() / needs.len() as f64;
    let step_s = series.step_s as f64;
    let is_inside = |began_s: f64| began_s >= from_s && began_s + step_s <= until_s;
    let inside = series.steps.iter().filter(|step| is_inside(step.began_s as f64));
    let (steps, bytes) = inside.fold((0_u32, 0_u64), |(steps, bytes), step| {
        (steps + 1, bytes + step.read_bytes + step.written_bytes)
    });
    (steps > 0 && need > 0.0).then(|| bytes as f64 / (f64::from(steps) * step_s) / need)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::late::{StreamFigures, StreamTotals};
    use crate::series::SeriesStep;
    use crate::test_figures::vda_point;

    /// Incidents as (began, ended, late frames, those caused by Reelgauge's scheduling delay).
    fn late(incidents: &[(f64, f64, u64, u64)]) -> LateFigures {
        let incident =
            |&(began_s, ended_s, late_frames, late_frames_with_own_delay): &(f64, f64, u64, u64)| Incident {
                began_s,
                ended_s,
                late_frames,
                late_frames_with_own_delay,
                ..Incident::default()
            };
        LateFigures {
            incidents: incidents.iter().map(incident).collect(),
            incident_count: incidents.len() as u64,
            total: StreamTotals { frames_judged: 1_000, ..StreamTotals::default() },
            ..LateFigures::default()
        }
    }

    #[test]
    fn frames_are_in_time_again_when_nothing_is_disturbed_for_five_seconds() {
        let of = |incidents: &[(f64, f64, u64, u64)]| recovery(&late(incidents), 10.0, 40.0);
        assert_eq!(of(&[]), Recovery::After { s: 0.0 });
        // One that was over before, and one that began before and continued.
        assert_eq!(of(&[(2.0, 9.0, 5, 0)]), Recovery::After { s: 0.0 });
        assert_eq!(of(&[(2.0, 12.5, 5, 0)]), Recovery::After { s: 2.5 });
        // Hiccups with gaps below five seconds are one aftermath; a later one is separate.
        let hiccups = [(11.0, 12.0, 5, 0), (16.5, 17.0, 5, 0), (23.0, 24.0, 5, 0)];
        assert_eq!(of(&hiccups), Recovery::After { s: 7.0 });
        // A short incident within a long one does not end it.
        assert_eq!(of(&[(11.0, 20.0, 5, 0), (12.0, 13.0, 5, 0)]), Recovery::After { s: 10.0 });
        // Frames that were late only because of Reelgauge's scheduling delay.
        assert_eq!(of(&[(11.0, 20.0, 5, 5)]), Recovery::After { s: 0.0 });
    }

    #[test]
    fn a_load_point_that_ends_too_soon_gives_a_lower_bound_or_nothing() {
        let of = |incidents: &[(f64, f64, u64, u64)], from_s| recovery(&late(incidents), from_s, 40.0);
        assert_eq!(of(&[(11.0, 37.0, 5, 0)], 10.0), Recovery::AtLeast { s: 27.0 });
        assert_eq!(of(&[(11.0, 60.0, 5, 0)], 10.0), Recovery::AtLeast { s: 30.0 });
        let unknown = |why| Recovery::Unknown { why: Some(why) };
        assert_eq!(of(&[], 36.0), unknown(WhyUnknown::EndedSoon { left_s: 4.0 }));
        assert_eq!(of(&[(11.0, 60.0, 5, 0)], 41.0), unknown(WhyUnknown::EndedBefore));
        // More incidents than are kept: after the last one, nothing is known.
        let mut many = late(&[(11.0, 12.0, 5, 0)]);
        many.incident_count = 2;
        assert_eq!(recovery(&many, 10.0, 40.0), Recovery::AtLeast { s: 2.0 });
        assert_eq!(recovery(&many, 20.0, 40.0), unknown(WhyUnknown::IncidentsCutOff));
    }

    fn played(streams: u32, total_bytes_per_s: f64) -> LoadPoint {
        // Each needs 25 frames of 1 MB per second, and received half of them.
        let stream = StreamFigures {
            nominal_frames_per_s: 25.0,
            frames_per_s: Some(12.5),
            bytes_per_s: Some(12.5e6),
            ..StreamFigures::default()
        };
        let mut point = vda_point(streams, 1.0, None);
        point.stream_count = Some(streams);
        point.total.bytes_per_s = Some(total_bytes_per_s);
        point.streams = Some(LateFigures { streams: vec![stream; streams as usize], ..late(&[]) });
        point
    }

    fn event(began_s: f64, ended_s: Option<f64>) -> EventFacts {
        EventFacts {
            name: "rebuild".to_owned(),
            command: "true".to_owned(),
            time_limit_s: 600.0,
            began_s: Some(began_s),
            ended_s,
            end: EventEnd::Exit { code: 0 },
            output: None,
            output_is_cut: false,
            effect: None,
        }
    }

    #[test]
    fn a_command_that_failed_without_a_late_frame_shows_nothing() {
        let series = Series { step_s: 1, steps: Vec::new(), standstills: Vec::new() };
        let failed = EventFacts { end: EventEnd::Exit { code: 1 }, ..event(10.0, Some(12.0)) };
        let of = |point: &LoadPoint| effect(&failed, point, &series, 40.0).unwrap();
        let nothing = Recovery::Unknown { why: Some(WhyUnknown::Failed) };
        let found = of(&played(1, 12.5e6));
        let recoveries = (found.recovery_after_end, found.recovery_after_begin);
        assert_eq!((found.served, recoveries), (None, (nothing, nothing)));
        let mut disturbed = played(1, 12.5e6);
        let late = disturbed.streams.as_mut().unwrap();
        late.incidents = self::late(&[(11.0, 14.0, 5, 0)]).incidents;
        (late.incident_count, late.total.late_frames) = (1, 5);
        assert_eq!(of(&disturbed).recovery_after_end, Recovery::After { s: 2.0 });
        // An event whose end is after the run.
        let found = effect(&event(10.0, None), &played(1, 12.5e6), &series, 40.0).unwrap();
        let outlasted = Recovery::Unknown { why: Some(WhyUnknown::EndedBefore) };
        assert_eq!(found.recovery_after_end, outlasted);
    }

    #[test]
    fn streams_served_are_counted_in_the_whole_steps_of_the_event() {
        let bytes = [250_000_000, 160_000_000, 160_000_000, 160_000_000, 250_000_000];
        let steps = bytes.iter().zip(0..).map(|(&read_bytes, began_s)| SeriesStep {
            began_s,
            read_bytes,
            ..SeriesStep::default()
        });
        let series = Series { step_s: 1, steps: steps.collect(), standstills: Vec::new() };
        let of = |event: &EventFacts, point: &LoadPoint| effect(event, point, &series, 5.0).unwrap();
        let found = of(&event(0.9, Some(4.1)), &played(10, 125e6));
        assert_eq!((found.served, found.streams_sustained()), (Some(6.4), Some(6)));
        let unknown = matches!(found.recovery_after_end, Recovery::Unknown { .. });
        assert_eq!((found.streams, unknown), (10, true));
        // An event that is still running lasts until the load point ends.
        assert_eq!(of(&event(3.9, None), &played(10, 125e6)).streams_sustained(), Some(10));
        // No whole step; other actors that transfer data; an event that did not begin.
        assert_eq!(of(&event(1.2, Some(2.5)), &played(10, 125e6)).served, None);
        assert_eq!(of(&event(0.9, Some(4.1)), &played(10, 140e6)).served, None);
        let none = EventFacts { began_s: None, ..event(0.0, None) };
        assert_eq!(effect(&none, &played(1, 12.5e6), &series, 5.0), None);
        let mut silent = played(1, 12.5e6);
        silent.streams = None;
        assert_eq!(effect(&event(0.0, None), &silent, &series, 5.0), None);
    }

    #[test]
    fn whole_streams_are_never_more_than_were_played() {
        assert_eq!([whole_streams(5.99, 10), whole_streams(5.9, 10), whole_streams(12.0, 10)], [6, 5, 10]);
        assert_eq!(whole_streams(-1.0, 10), 0);
    }
}
