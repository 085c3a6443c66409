//! What is said on top of a run, as data: the verdict, one number, its cause, how sure it is, and what to do
//! next.
//!
//! Everything here stands in the summary already; this chooses. The words are made in the report room, so
//! that a screen, a page and a program say the same.
//!
//! What was not measured has no number, and is neither met nor not met.

mod doubt;

use serde::{Deserialize, Serialize};

use crate::criteria::Criterion;
use crate::culprit::Culprit;
use crate::facts::VdaFacts;
use crate::incident::{Behaviour, Incident};
use crate::late::LateFigures;
use crate::summary::{LoadPoint, Outcome, Summary};
use crate::verdict::{Failure, Verdict};

pub use doubt::{Confidence, Doubt};

/// Whether what was asked for was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Everything that was asked for was measured and met.
    Met,
    /// Something that was measured was not met.
    NotMet,
    /// Not met, but only through this machine or the tool: nothing is known of the storage.
    NotMetByOwnFault,
    /// It was asked for, and not measured.
    #[default]
    NotKnown,
    /// Nothing was asked for: these are figures.
    NothingAsked,
}

/// What the summary says on top.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Whether what was asked for was met.
    pub judgement: Judgement,
    /// The one number that somebody came for.
    pub number: Number,
    /// Why it is not better. `None` where nothing went wrong, or nothing is known.
    pub cause: Option<Cause>,
    /// How sure the number is.
    pub confidence: Confidence,
}

/// The number that somebody came for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Number {
    /// There is none: nothing was measured.
    #[default]
    NotMeasured,
    /// Frames were late.
    LateFrames {
        /// The load point, as an index into the summary's.
        point: usize,
        /// How many.
        late_frames: u64,
        /// Of how many that were judged.
        frames_judged: u64,
        /// Streams that had any.
        streams_with_late_frames: u64,
        /// All streams.
        streams: u64,
    },
    /// Every frame of so many streams was in time, or as many were late as were allowed.
    Streams {
        /// The load point, as an index into the summary's.
        point: usize,
        /// Streams.
        streams: u64,
        /// Late frames that were allowed.
        late_frames: u64,
        /// Frames that were judged.
        frames_judged: u64,
    },
    /// The largest count that passes.
    Capacity {
        /// It passed every time.
        streams: u32,
        /// So many passed sometimes, where that is more.
        sometimes: Option<u32>,
        /// More may pass: the search did not find the limit.
        at_least: bool,
    },
    /// Another criterion failed, in a load point of the summary; its figures stand in the verdict's failure.
    Failed {
        /// The load point, as an index into the summary's.
        point: usize,
        /// Which criterion.
        criterion: Criterion,
    },
    /// Load points of the published rates: the largest that is valid, below the first that is not.
    ValidPoint {
        /// Its streams; `None` where the first is not valid.
        streams: Option<u32>,
    },
    /// Bytes per second of the load point that moved most.
    Throughput {
        /// The load point, as an index into the summary's.
        point: usize,
        /// Reads and writes together.
        bytes_per_s: f64,
    },
    /// A first look: its table says it, format by format.
    FirstLook,
    /// A replay: its table says it, pass by pass.
    Replay,
}

/// Why the number is not better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Whose it was.
    pub culprit: Culprit,
    /// The incident with most late frames, as an index into those of the load point. `None` without
    /// incidents.
    pub incident: Option<usize>,
    /// How many incidents there were.
    pub incidents: u64,
}

/// What is to be said on top of this run.
pub fn of(summary: &Summary) -> Statement {
    let confidence = doubt::confidence(summary);
    let said = |judgement, number, cause| Statement { judgement, number, cause, confidence };
    if summary.check.is_some() {
        return said(Judgement::NothingAsked, Number::FirstLook, None);
    }
    if summary.replay.is_some() {
        return said(Judgement::NothingAsked, Number::Replay, None);
    }
    if let Some(vda) = &summary.vda {
        let (judgement, number, cause) = of_vda(summary, vda);
        return said(judgement, number, cause);
    }
    if summary.search.is_some() {
        let (judgement, number, cause) = of_search(summary);
        return said(judgement, number, cause);
    }
    let (judgement, number, cause) = of_points(summary);
    said(judgement, number, cause)
}

type Said = (Judgement, Number, Option<Cause>);

/// A curve of load points. One that was cut off is neither valid nor not.
fn of_vda(summary: &Summary, vda: &VdaFacts) -> Said {
    let cut_off = |at: usize| summary.load_points.get(at).is_some_and(|point| point.ended_early.is_some());
    let failed = vda.points.iter().enumerate().position(|(at, point)| !point.valid && !cut_off(at));
    let valid = vda.points.iter().take_while(|point| point.valid).last();
    let number = match valid {
        Some(point) => Number::ValidPoint { streams: Some(point.streams) },
        None if failed == Some(0) => Number::ValidPoint { streams: None },
        None => Number::NotMeasured,
    };
    let judgement = match failed {
        Some(_) => Judgement::NotMet,
        None if valid.is_some() && summary.outcome == Outcome::Complete => Judgement::Met,
        None => Judgement::NotKnown,
    };
    (judgement, number, failed.and_then(|at| cause_of(summary.load_points.get(at)?)))
}

fn of_search(summary: &Summary) -> Said {
    let Some(facts) = &summary.search else {
        return (Judgement::NotKnown, Number::NotMeasured, None);
    };
    let fell = |point: &&LoadPoint| point.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
    let lowest_fall = summary.load_points.iter().filter(fell).min_by_key(|point| point.stream_count);
    let cause = lowest_fall.and_then(cause_of);
    match facts.streams.filter(|streams| *streams > 0) {
        Some(streams) => {
            let sometimes = facts.at_most.filter(|most| *most > streams);
            let at_least = !facts.complete || facts.limited_by_client;
            // A search that was stopped has tried less often than it wanted.
            let stopped = summary.outcome != Outcome::Complete;
            let judgement = if stopped { Judgement::NotKnown } else { Judgement::Met };
            (judgement, Number::Capacity { streams, sometimes, at_least }, cause)
        }
        // Not even one, which is only known where the search came to its end and the storage was the reason.
        None if facts.complete && !facts.limited_by_client => {
            let sometimes = facts.at_most;
            (Judgement::NotMet, Number::Capacity { streams: 0, sometimes, at_least: false }, cause)
        }
        None => (Judgement::NotKnown, Number::NotMeasured, cause),
    }
}

/// A run of load points: the first that failed, else the last that was judged, else the one that moved most.
fn of_points(summary: &Summary) -> Said {
    let points = &summary.load_points;
    let failed = points.iter().enumerate().find_map(|(at, point)| {
        let verdict = point.verdict.as_ref().filter(|verdict| !verdict.passed)?;
        Some((at, point, verdict))
    });
    if let Some((at, point, verdict)) = failed {
        return of_failed(at, point, verdict);
    }
    let judged = points.iter().enumerate().rev().find(|(_, point)| point.verdict.is_some());
    let frames = judged.and_then(|(at, point)| Some((at, with_frames(point)?)));
    if let Some((point, late)) = frames {
        let total = &late.total;
        let number = Number::Streams {
            point,
            streams: total.streams,
            late_frames: total.late_frames,
            frames_judged: total.frames_judged,
        };
        return (Judgement::Met, number, None);
    }
    let judgement = if judged.is_some() { Judgement::Met } else { asked_or_not(summary) };
    let moved = points.iter().enumerate().filter(|(_, point)| point.total.response.data.is_some());
    let rate = |point: &LoadPoint| point.total.bytes_per_s.unwrap_or(0.0);
    // The rate of one that was cut off may be that of an instant.
    let whole = |point: &LoadPoint| point.ended_early.is_none();
    let order =
        |one: &LoadPoint, two: &LoadPoint| whole(one).cmp(&whole(two)).then(rate(one).total_cmp(&rate(two)));
    match moved.max_by(|one, two| order(one.1, two.1)) {
        // Frames of a load point that was stopped: what came until then.
        Some((point, _)) if with_frames(&points[point]).is_some() => stopped(point, &points[point]),
        Some((point, measured)) => {
            (judgement, Number::Throughput { point, bytes_per_s: rate(measured) }, None)
        }
        None => (judgement, Number::NotMeasured, None),
    }
}

/// Where nothing was judged: not known, where something was to be.
fn asked_or_not(summary: &Summary) -> Judgement {
    let in_streams = summary.load_points.iter().any(|point| point.stream_count.is_some());
    if in_streams { Judgement::NotKnown } else { Judgement::NothingAsked }
}

fn with_frames(point: &LoadPoint) -> Option<&LateFigures> {
    point.streams.as_ref().filter(|late| late.total.frames_judged > 0)
}

/// A load point that was stopped. Late frames that came until then are late; that none was is no pass.
fn stopped(at: usize, point: &LoadPoint) -> Said {
    let Some(late) = with_frames(point) else {
        return (Judgement::NotKnown, Number::NotMeasured, None);
    };
    let number = match late.total.late_frames {
        0 => Number::Streams {
            point: at,
            streams: late.total.streams,
            late_frames: 0,
            frames_judged: late.total.frames_judged,
        },
        _ => late_frames(at, late),
    };
    (Judgement::NotKnown, number, cause_of(point))
}

fn of_failed(at: usize, point: &LoadPoint, verdict: &Verdict) -> Said {
    let culprit = point.culprit.unwrap_or_default();
    let judgement = match (verdict.failures.iter().any(|failure| failure.measured), culprit.is_own()) {
        (false, _) => Judgement::NotKnown,
        (true, true) => Judgement::NotMetByOwnFault,
        (true, false) => Judgement::NotMet,
    };
    let of_frames = |failure: &Failure| failure.measured && failure.criterion == Criterion::LateFrames;
    let late = with_frames(point).filter(|late| late.total.late_frames > 0);
    let number = match (late, verdict.failures.iter().any(of_frames), &verdict.failed_first) {
        (Some(late), true, _) => late_frames(at, late),
        (_, _, Some(first)) if first.measured => Number::Failed { point: at, criterion: first.criterion },
        _ => Number::NotMeasured,
    };
    (judgement, number, cause_of(point))
}

fn late_frames(point: usize, late: &LateFigures) -> Number {
    let total = &late.total;
    Number::LateFrames {
        point,
        late_frames: total.late_frames,
        frames_judged: total.frames_judged,
        streams_with_late_frames: total.streams_with_late_frames,
        streams: total.streams,
    }
}

/// Why a load point was not better: its worst incident and whose fault it was.
fn cause_of(point: &LoadPoint) -> Option<Cause> {
    let late = point.streams.as_ref();
    let incidents = late.map_or(&[][..], |late| &late.incidents);
    let worst = incidents.iter().enumerate().max_by(|one, two| weight(one.1).total_cmp(&weight(two.1)));
    let culprit = point.culprit.or_else(|| worst.map(|(_, incident)| incident.culprit))?;
    Some(Cause {
        culprit,
        incident: worst.map(|(at, _)| at),
        incidents: late.map_or(0, |late| late.incident_count),
    })
}

/// More late frames are worse; of as many, the ones that were explained come first.
fn weight(incident: &Incident) -> f64 {
    let explained = if incident.storage.behaviour == Behaviour::NotKnown { 0.0 } else { 0.5 };
    incident.late_frames as f64 + explained
}

#[cfg(test)]
mod tests;
