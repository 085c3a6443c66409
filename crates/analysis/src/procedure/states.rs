//! The number of streams that storage sustains in each of its states: healthy, cold, nearly full, during
//! a rebuild, through a failover.
//!
//! A search plays every count that it names. A steady run plays one count. If frames were late, the
//! number of sustained streams is computed from the frames that the storage delivered: during the event,
//! or in the whole measured time without an event.

use serde::{Deserialize, Serialize};

use crate::late::LateFigures;
use crate::run_event::{EventEnd, Recovery, WhyUnknown, whole_streams};
use crate::summary::{LoadPoint, Summary};

/// A state of the storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateRow {
    /// The name of the step.
    pub name: String,
    pub found: StateFound,
}

/// The result for a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StateFound {
    /// A search for the largest count.
    Search {
        /// The largest sustained count. `None` if no count passed.
        streams: Option<u32>,
        /// Whether more may pass: the search found no failing count.
        is_least: bool,
        /// Late frames of the last trial of that count.
        late_frames: Option<u64>,
    },
    /// A run of one count.
    Steady(SteadyState),
    /// It was not tried.
    NotTried {
        /// What would make it possible.
        remedy: Remedy,
    },
    /// Its run did not complete, or not yet.
    NotMeasured,
}

/// A run of one count of streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyState {
    /// The number of streams that were played.
    pub played: u32,
    /// The number of streams that the storage sustained. `None` if that is unknown.
    pub streams: Option<u32>,
    /// Late frames of all of them.
    pub late_frames: Option<u64>,
    /// Time until frames were in time again. `None` if there was no event.
    pub recovery: Option<Recovery>,
    /// How the event ended. `None` if there was none.
    pub event: Option<EventEnd>,
}

/// What makes a state possible that was not tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Remedy {
    /// Space, or a run that writes less.
    Room {
        /// Bytes that the run writes.
        needed_bytes: u64,
        /// Bytes that may be written in that state, at most.
        left_bytes: u64,
    },
    /// One of these events.
    Event { names: Vec<String> },
    /// A method to make the server cold.
    Cold,
}

/// The result from the run of a state. Recovery counts from the event's start or from its end.
pub fn found_in(summary: &Summary, from_beginning: bool) -> StateFound {
    if let Some(search) = &summary.search {
        let is_it = |point: &&LoadPoint| point.stream_count.is_some() && point.stream_count == search.streams;
        let last = summary.load_points.iter().rfind(is_it);
        let late_frames = last.and_then(|point| Some(point.streams.as_ref()?.total.late_frames));
        let is_least = !search.complete || search.stopped_by.is_some();
        return StateFound::Search { streams: search.streams, is_least, late_frames };
    }
    let Some((point, late)) =
        summary.load_points.last().and_then(|point| Some((point, point.streams.as_ref()?)))
    else {
        return StateFound::NotMeasured;
    };
    let played = point.stream_count.unwrap_or(late.streams.len() as u32);
    let late_frames = Some(late.total.late_frames).filter(|_| late.total.frames_judged > 0);
    let event = summary.event.as_ref();
    let effect = event.and_then(|event| event.effect.as_ref());
    let streams = match (late_frames, event) {
        // An event that did not take place is no evidence.
        (_, Some(event)) if event.began_s.is_none() => None,
        (None, _) => None,
        // Neither is one that failed without an effect.
        (Some(0), Some(event)) if event.end.is_failure() => None,
        (Some(0), _) => Some(played),
        (Some(_), Some(_)) => effect.and_then(|effect| effect.streams_sustained()),
        (Some(_), None) => Some(whole_streams(delivered(late), played)),
    };
    let recovery = event.map(|event| {
        let why = event.began_s.is_none().then_some(WhyUnknown::NoEvent);
        effect.map_or(Recovery::Unknown { why }, |effect| match from_beginning {
            true => effect.recovery_after_begin,
            false => effect.recovery_after_end,
        })
    });
    StateFound::Steady(SteadyState {
        played,
        streams,
        late_frames,
        recovery,
        event: event.map(|event| event.end.clone()),
    })
}

/// The number of streams whose frames arrived; none counts for more than one.
fn delivered(late: &LateFigures) -> f64 {
    late.streams.iter().filter_map(|stream| stream.achieved_share).map(|share| share.min(1.0)).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::facts::{SearchFacts, StoppedBy};
    use crate::late::{StreamFigures, StreamTotals};
    use crate::run_event::{EventEffect, EventFacts};
    use crate::summary::Target;
    use crate::test_figures::vda_point;

    fn point(streams: u32, late_frames: u64, share: f64) -> LoadPoint {
        let stream = StreamFigures { achieved_share: Some(share), ..StreamFigures::default() };
        let total = StreamTotals { late_frames, frames_judged: 1_000, ..StreamTotals::default() };
        let streams_of = vec![stream; streams as usize];
        let mut point = vda_point(streams, 1.0, None);
        point.stream_count = Some(streams);
        point.streams = Some(LateFigures { total, streams: streams_of, ..LateFigures::default() });
        point
    }

    fn summary(points: Vec<LoadPoint>) -> Summary {
        let mut summary = Summary::new("0.1.0", "", "streams", Target::default());
        summary.load_points = points;
        summary
    }

    fn event(began_s: Option<f64>) -> EventFacts {
        let effect = EventEffect {
            streams: 10,
            served: Some(6.4),
            recovery_after_end: Recovery::After { s: 1.0 },
            recovery_after_begin: Recovery::After { s: 7.0 },
        };
        EventFacts {
            name: "rebuild".to_owned(),
            command: String::new(),
            time_limit_s: 600.0,
            began_s,
            ended_s: began_s,
            end: EventEnd::Exit { code: 0 },
            output: None,
            output_is_cut: false,
            effect: began_s.map(|_| effect),
        }
    }

    fn steady(summary: &Summary, from_beginning: bool) -> (Option<u32>, Option<Recovery>) {
        match found_in(summary, from_beginning) {
            StateFound::Steady(found) => (found.streams, found.recovery),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn search_shows_the_played_count_and_whether_more_may_pass() {
        let mut found = summary(vec![point(10, 0, 1.0), point(11, 70, 0.9)]);
        found.search = Some(SearchFacts { streams: Some(10), complete: true, ..SearchFacts::default() });
        let expected = StateFound::Search { streams: Some(10), is_least: false, late_frames: Some(0) };
        assert_eq!(found_in(&found, false), expected);
        if let Some(search) = &mut found.search {
            search.stopped_by = Some(StoppedBy::Cap);
        }
        assert!(matches!(found_in(&found, false), StateFound::Search { is_least: true, .. }));
        if let Some(search) = &mut found.search {
            search.streams = None;
        }
        let none = StateFound::Search { streams: None, is_least: true, late_frames: None };
        assert_eq!(found_in(&found, false), none);
    }

    #[test]
    fn steady_run_sustains_its_streams_or_throughput() {
        assert_eq!(steady(&summary(vec![point(10, 0, 1.0)]), false), (Some(10), None));
        assert_eq!(steady(&summary(vec![point(10, 400, 0.75)]), false), (Some(7), None));
        let mut with_event = summary(vec![point(10, 400, 0.95)]);
        with_event.event = Some(event(Some(20.0)));
        assert_eq!(steady(&with_event, false), (Some(6), Some(Recovery::After { s: 1.0 })));
        assert_eq!(steady(&with_event, true), (Some(6), Some(Recovery::After { s: 7.0 })));
        with_event.event = Some(event(None));
        let unknown = |why| (None, Some(Recovery::Unknown { why: Some(why) }));
        assert_eq!(steady(&with_event, false), unknown(WhyUnknown::NoEvent));
        let mut without_late = summary(vec![point(10, 0, 1.0)]);
        without_late.event = Some(event(Some(20.0)));
        assert_eq!(steady(&without_late, false).0, Some(10));
        // A command that failed and changed nothing is no evidence.
        let failed = without_late.event.as_mut().unwrap();
        failed.end = EventEnd::Exit { code: 1 };
        let nothing = Recovery::Unknown { why: Some(WhyUnknown::Failed) };
        failed.effect.as_mut().unwrap().recovery_after_end = nothing;
        assert_eq!(steady(&without_late, false), unknown(WhyUnknown::Failed));
    }

    #[test]
    fn a_run_without_frames_measured_no_state() {
        assert_eq!(found_in(&summary(Vec::new()), false), StateFound::NotMeasured);
    }
}
