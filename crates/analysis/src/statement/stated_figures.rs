//! Verdict, number and cause of a run: the figures of its summary that are shown first.
//!
//! Not here: the confidence in them (`doubt`), and the next step (`next_step`).

use super::{AtLeast, Cause, Judgement, Number};
use crate::criteria::Criterion;
use crate::facts::{CheckFacts, ReplayFacts, SearchFacts, StoppedBy, VdaFacts};
use crate::incident::{Behaviour, Incident};
use crate::late::LateFigures;
use crate::summary::{LoadPoint, Outcome, Summary};
use crate::verdict::{Failure, Verdict};

/// The part of a statement that depends on figures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StatedFigures {
    pub(super) judgement: Judgement,
    pub(super) number: Number,
    pub(super) cause: Option<Cause>,
}

impl StatedFigures {
    fn new(judgement: Judgement, number: Number, cause: Option<Cause>) -> StatedFigures {
        StatedFigures { judgement, number, cause }
    }

    fn nothing(judgement: Judgement) -> StatedFigures {
        StatedFigures::new(judgement, Number::NotMeasured, None)
    }
}

/// The main figures of the run, by its kind.
pub(super) fn of(summary: &Summary) -> StatedFigures {
    if summary.watch.is_some() || summary.msmeter.is_some() {
        StatedFigures::nothing(Judgement::NothingAsked)
    } else if let Some(check) = &summary.check {
        of_check(check, summary.outcome)
    } else if let Some(replay) = &summary.replay {
        of_replay(replay)
    } else if let Some(vda) = &summary.vda {
        of_vda(summary, vda)
    } else if let Some(search) = &summary.search {
        of_search(summary, search)
    } else {
        of_points(summary)
    }
}

fn of_check(check: &CheckFacts, outcome: Outcome) -> StatedFigures {
    let measured = |at: &usize| {
        let format = &check.formats[*at];
        format.play.is_some() || format.record.is_some()
    };
    let carried = |at: &usize| {
        let format = &check.formats[*at];
        [&format.play, &format.record].into_iter().flatten().any(|count| count.streams > 0)
    };
    // Formats that were not tried yet may be sustained, so "none" is known only at the end.
    let none_is_carried = || (0..check.formats.len()).find(measured).filter(|_| outcome == Outcome::Complete);
    let Some(format) = (0..check.formats.len()).rev().find(carried).or_else(none_is_carried) else {
        return StatedFigures::nothing(Judgement::NotKnown);
    };
    let [play, record] = [&check.formats[format].play, &check.formats[format].record];
    let [play, record] = [play, record].map(|count| count.as_ref().map(|count| count.streams));
    StatedFigures::new(Judgement::NothingAsked, Number::FirstLook { format, play, record }, None)
}

fn of_replay(replay: &ReplayFacts) -> StatedFigures {
    let Some(pass) = replay.passes.len().checked_sub(1) else {
        return StatedFigures::nothing(Judgement::NotKnown);
    };
    let complete_passes = replay.passes.iter().filter(|pass| pass.complete).count() as u64;
    StatedFigures::new(Judgement::NothingAsked, Number::Replay { pass, complete_passes }, None)
}

/// A curve of load points. One that was cut off is neither valid nor invalid.
fn of_vda(summary: &Summary, vda: &VdaFacts) -> StatedFigures {
    let cut_off = |at: usize| summary.load_points.get(at).is_some_and(LoadPoint::was_cut_off);
    let failed = vda.points.iter().enumerate().position(|(at, point)| !point.valid && !cut_off(at));
    let valid = vda.points.iter().take_while(|point| point.valid).last();
    // If the first load point is not valid, take the largest valid one: the table shows it anyway.
    let beyond = vda.points.iter().filter(|point| point.valid).max_by_key(|point| point.streams);
    let number = match valid.or(beyond) {
        Some(point) => Number::ValidPoint { streams: Some(point.streams) },
        None if failed == Some(0) => Number::ValidPoint { streams: None },
        None => Number::NotMeasured,
    };
    let judgement = match failed {
        Some(_) => Judgement::NotMet,
        None if valid.is_some() && summary.outcome == Outcome::Complete => Judgement::Met,
        None => Judgement::NotKnown,
    };
    StatedFigures::new(judgement, number, failed.and_then(|at| cause_of(at, summary.load_points.get(at)?)))
}

/// Why more streams may pass than a search found; `None` if it found the limit.
pub(super) fn at_least(search: &SearchFacts) -> Option<AtLeast> {
    match (search.limited_by_client, search.complete) {
        (true, _) => Some(AtLeast::ThisMachine),
        (false, false) if search.stopped_by.is_some_and(StoppedBy::is_end_of_counts) => {
            Some(AtLeast::NoMoreTried)
        }
        (false, false) => Some(AtLeast::Unfinished),
        (false, true) => None,
    }
}

fn of_search(summary: &Summary, search: &SearchFacts) -> StatedFigures {
    let at_least = at_least(search);
    let cause = search.stopper(&summary.load_points).and_then(|(at, point)| cause_of(at, point));
    // The search judged its trials together: a disturbed one is not what stopped it.
    let cause = cause.filter(|cause| match at_least {
        Some(AtLeast::ThisMachine) => cause.culprit.is_own(),
        None => !cause.culprit.is_own(),
        Some(AtLeast::Unfinished | AtLeast::NoMoreTried) => true,
    });
    match (search.streams.filter(|streams| *streams > 0), at_least) {
        (Some(streams), _) => {
            let sometimes = search.at_most.filter(|most| *most > streams);
            // A search that was stopped made fewer trials than planned.
            let was_stopped = summary.outcome != Outcome::Complete;
            let judgement = if was_stopped { Judgement::NotKnown } else { Judgement::Met };
            StatedFigures::new(judgement, Number::Capacity { streams, sometimes, at_least }, cause)
        }
        // Not even one stream, which is only known if the search was completed and the storage was the
        // reason.
        (None, None) => {
            let number = Number::Capacity { streams: 0, sometimes: search.at_most, at_least: None };
            StatedFigures::new(Judgement::NotMet, number, cause)
        }
        (None, Some(_)) => StatedFigures::new(Judgement::NotKnown, Number::NotMeasured, cause),
    }
}

/// A run of load points: the first that failed, otherwise the last that was judged, otherwise the one
/// with the highest throughput.
fn of_points(summary: &Summary) -> StatedFigures {
    let points = &summary.load_points;
    let failed = points.iter().enumerate().find_map(|(at, point)| {
        let verdict = point.verdict.as_ref().filter(|verdict| !verdict.passed)?;
        Some((at, point, verdict))
    });
    let is_in_streams = points.iter().any(|point| point.stream_count.is_some());
    if let Some((at, point, verdict)) = failed.filter(|_| is_in_streams) {
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
        return StatedFigures::new(Judgement::Met, number, None);
    }
    // If verdicts were lost as well, the first load point with late frames is the result.
    let is_late = |point: &LoadPoint| with_frames(point).is_some_and(|late| late.total.late_frames > 0);
    if let Some(at) = points.iter().position(is_late).filter(|_| judged.is_none()) {
        return stopped(at, &points[at]);
    }
    // A result in MB/s keeps its number, whatever the requirements were.
    let judgement = match (&failed, judged) {
        (Some((_, _, verdict)), _) => judgement_of_failed(verdict),
        (None, Some(_)) => Judgement::Met,
        (None, None) => asked_or_not(summary),
    };
    // Frames may be late although no operation ever completed.
    let tells = |point: &LoadPoint| point.total.response.data.is_some() || with_frames(point).is_some();
    let moved = points.iter().enumerate().filter(|(_, point)| tells(point));
    let rate = |point: &LoadPoint| point.total.bytes_per_s.unwrap_or(0.0);
    // The rate of a load point that was cut off may be that of an instant.
    let order = |one: &LoadPoint, two: &LoadPoint| {
        two.was_cut_off().cmp(&one.was_cut_off()).then(rate(one).total_cmp(&rate(two)))
    };
    match moved.max_by(|one, two| order(one.1, two.1)) {
        // Frames of a load point that was stopped: those that arrived until then.
        Some((point, _)) if with_frames(&points[point]).is_some() => stopped(point, &points[point]),
        Some((point, measured)) => {
            StatedFigures::new(judgement, Number::Throughput { point, bytes_per_s: rate(measured) }, None)
        }
        None => StatedFigures::nothing(judgement),
    }
}

/// The judgement if nothing was judged: unknown, if there were requirements.
fn asked_or_not(summary: &Summary) -> Judgement {
    let in_streams = summary.load_points.iter().any(|point| point.stream_count.is_some());
    if in_streams { Judgement::NotKnown } else { Judgement::NothingAsked }
}

fn with_frames(point: &LoadPoint) -> Option<&LateFigures> {
    point.streams.as_ref().filter(|late| late.total.frames_judged > 0)
}

/// A load point that was stopped. Frames that were late until then are late; the absence of late frames
/// is no pass.
fn stopped(at: usize, point: &LoadPoint) -> StatedFigures {
    let Some(late) = with_frames(point) else {
        return StatedFigures::nothing(Judgement::NotKnown);
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
    StatedFigures::new(Judgement::NotKnown, number, cause_of(at, point))
}

fn judgement_of_failed(verdict: &Verdict) -> Judgement {
    let is_measured = verdict.failures.iter().any(|failure| failure.measured);
    if is_measured { Judgement::NotMet } else { Judgement::NotKnown }
}

fn of_failed(at: usize, point: &LoadPoint, verdict: &Verdict) -> StatedFigures {
    let judgement = judgement_of_failed(verdict);
    let of_frames = |failure: &Failure| failure.measured && failure.criterion == Criterion::LateFrames;
    let late = with_frames(point).filter(|late| late.total.late_frames > 0);
    let number = match (late, verdict.failures.iter().any(of_frames), &verdict.failed_first) {
        (Some(late), true, _) => late_frames(at, late),
        (_, _, Some(first)) if first.measured => Number::Failed { point: at, criterion: first.criterion },
        _ => Number::NotMeasured,
    };
    StatedFigures::new(judgement, number, cause_of(at, point))
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

/// Why a load point was not better: its worst incident and its culprit.
fn cause_of(at: usize, point: &LoadPoint) -> Option<Cause> {
    let late = point.streams.as_ref();
    let incidents = late.map_or(&[][..], |late| &late.incidents);
    let worst = incidents.iter().enumerate().max_by(|one, two| weight(one.1).total_cmp(&weight(two.1)));
    let culprit = point.culprit.or_else(|| worst.map(|(_, incident)| incident.culprit))?;
    Some(Cause {
        culprit,
        point: at,
        incident: worst.map(|(at, _)| at),
        incidents: late.map_or(0, |late| late.incident_count),
    })
}

/// More late frames are worse; with equal numbers, explained ones come first.
fn weight(incident: &Incident) -> f64 {
    let explained = if incident.storage.behaviour == Behaviour::NotKnown { 0.0 } else { 0.5 };
    incident.late_frames as f64 + explained
}
