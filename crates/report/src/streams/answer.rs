//! The result of a run of streams: were all frames in time?

use std::collections::{BTreeMap, BTreeSet};

use reelgauge_analysis::late::{LateFigures, StreamFigures, StreamKind};
use reelgauge_analysis::statement::{Judgement, Number, Statement, of};
use reelgauge_analysis::{LoadPoint, Outcome, Summary};

use super::streams_of;
use crate::answer_parts::{failures, nothing, outcome, place, short, unanswered};
use crate::sentence::Tone;
use crate::statement::{judgement_tone, judgement_words, late_frames};
use crate::text::{capital, plain, plain_short};
use crate::units::{count, counted, mb_per_s};

/// The first lines of the screen. Only facts that invalidate the result come before it.
pub(crate) fn answer(summary: &Summary) -> Vec<(Tone, String)> {
    let mut sentences: Vec<(Tone, String)> = Vec::new();
    sentences.extend(outcome(summary).map(|text| (Tone::Bad, text)));
    let statement = of(summary);
    let tone = judgement_tone(statement.judgement);
    let is_judged = matches!(statement.judgement, Judgement::Met | Judgement::Inconclusive);
    let points = &summary.load_points;
    let first = match &statement.number {
        Number::LateFrames { .. } => late_frames(summary, &statement).map(|text| (tone, text)),
        Number::Failed { point, .. } => {
            points.get(*point).map(|point| (tone, failed(point, points.len() > 1, statement.judgement)))
        }
        Number::Streams { point, .. } if is_judged => {
            points.get(*point).map(|point| (tone, met(summary, point)))
        }
        Number::Streams { streams, frames_judged, .. } => {
            Some((tone, so_far(*streams, *frames_judged, summary.outcome)))
        }
        Number::Throughput { point, .. } => points.get(*point).map(|point| (tone, met(summary, point))),
        _ => points.iter().find(|point| point.verdict.is_some()).map(|point| (tone, not_known(point))),
    };
    sentences.push(first.unwrap_or_else(|| (Tone::Bad, nothing(summary))));
    sentences.extend(carried_before(summary, &statement).map(|text| (Tone::Answer, text)));
    sentences.extend(unanswered(summary).map(|text| (Tone::Bad, text)));
    if summary.failed_ops() > 0 {
        sentences.push(failures(summary));
    }
    sentences.extend(short(summary).map(|text| (Tone::Bad, text)));
    sentences
}

/// The result of the largest sustained load point, shown before the one that the statement is about.
fn carried_before(summary: &Summary, statement: &Statement) -> Option<String> {
    let (Number::LateFrames { point, .. } | Number::Failed { point, .. }) = statement.number else {
        return None;
    };
    let before = summary.load_points.get(..point)?;
    let carried =
        before.iter().rev().find(|point| point.verdict.as_ref().is_some_and(|verdict| verdict.passed));
    carried.map(|point| met(summary, point))
}

/// Frames that were in time until the user stopped the run, or as far as the log shows if the summary is
/// lost. This is no verdict.
fn so_far(streams: u64, frames_judged: u64, outcome: Outcome) -> String {
    if outcome == Outcome::Complete {
        return format!(
            "UNKNOWN whether the criteria were met: of the {} in the run's log, no frame of {} was late.",
            counted(frames_judged, "frame"),
            counted(streams, "stream")
        );
    }
    format!(
        "UNKNOWN: no frame of {} was late in the {} judged so far.",
        counted(streams, "stream"),
        counted(frames_judged, "frame")
    )
}

/// The requested load that was not measured.
fn not_known(point: &LoadPoint) -> String {
    let first = point.verdict.as_ref().and_then(|verdict| verdict.failed_first.as_ref());
    match first {
        Some(failure) => format!("UNKNOWN: {}.", plain(&failure.sentence).trim_end_matches('.')),
        None => "UNKNOWN: nothing was judged.".to_owned(),
    }
}

/// `8 streams of Apple ProRes 422 HQ UHD 25p played without a late frame on /mnt/nas.`
fn met(summary: &Summary, point: &LoadPoint) -> String {
    let place = place(&summary.target);
    let Some(figures) = point.streams.as_ref().filter(|figures| figures.total.frames_judged > 0) else {
        let mb = point.total.bytes_per_s.map_or_else(|| "an unknown number of".to_owned(), mb_per_s);
        let met = if point.verdict.is_some() { " and met the criteria" } else { "" };
        return format!("{} moved {mb} MB/s, reads and writes together, on {place}{met}.", streams_of(point));
    };
    let (late, judged) = (figures.total.late_frames, figures.total.frames_judged);
    let late = match (late, point.verdict.is_some()) {
        (0, _) => "without a late frame".to_owned(),
        (late, true) => format!("with {}, which the criteria allow", counted(late, "late frame")),
        (late, false) => format!("with {} of {} frames late", count(late), count(judged)),
    };
    let others = u64::from(point.stream_count.unwrap_or(0)).saturating_sub(figures.total.streams);
    let beside = match others {
        0 => String::new(),
        others => format!(", in addition to {} that have no frames", counted(others, "stream")),
    };
    format!("{} {late} on {place}{beside}.", who(figures))
}

/// `8 streams of Apple ProRes 422 HQ UHD 25p played`; if there are several kinds, only their number is
/// shown.
fn who(figures: &LateFigures) -> String {
    let of = |stream: &StreamFigures| (stream.kind, stream.format.clone());
    let names: BTreeSet<(Option<StreamKind>, Option<String>)> = figures.streams.iter().map(of).collect();
    let mut kinds: BTreeMap<Option<StreamKind>, u64> = BTreeMap::new();
    for stream in &figures.streams {
        *kinds.entry(stream.kind).or_default() += 1;
    }
    let streams = counted(figures.total.streams, "stream");
    let mut names = names.into_iter();
    match (names.next(), names.next(), kinds.len()) {
        (Some((kind, format)), None, _) => {
            let of = format.map_or_else(String::new, |format| format!(" of {}", plain_short(&format, 80)));
            format!("{streams}{of} {}", verb(kind, figures))
        }
        (Some((kind, _)), _, 1) => format!("{streams} {}", verb(kind, figures)),
        _ => {
            let noun = |kind: Option<StreamKind>| kind.map_or("other", StreamKind::noun);
            let each = kinds.into_iter().map(|(kind, number)| format!("{number} {}", noun(kind)));
            format!("{streams} ({}) ran", each.collect::<Vec<_>>().join(", "))
        }
    }
}

fn verb(kind: Option<StreamKind>, figures: &LateFigures) -> &'static str {
    match kind {
        Some(StreamKind::Player | StreamKind::Editor) => "played",
        Some(StreamKind::Recorder) => "recorded",
        None if figures.streams.iter().all(|stream| stream.writes) => "recorded",
        None => "ran",
    }
}

/// A criterion other than late frames that was not met.
fn failed(point: &LoadPoint, several: bool, judgement: Judgement) -> String {
    let with = if several { format!(" with {}", streams_of(point)) } else { String::new() };
    let verdict = point.verdict.as_ref();
    let Some(first) = verdict.and_then(|verdict| verdict.failed_first.as_ref()) else {
        return format!("NOT MET{with}.");
    };
    let others = verdict.map_or(0, |verdict| verdict.failures.len().saturating_sub(1));
    let more = match others {
        0 => String::new(),
        others => format!(" And {} more.", counted(others as u64, "failure")),
    };
    let why = plain(&first.sentence);
    let why = why.trim_end_matches('.');
    match judgement {
        // Every inconclusive result begins with that word.
        Judgement::Inconclusive => format!("{}.{more}", capital(why)),
        _ => format!("{}{with}: {why}.{more}", judgement_words(judgement)),
    }
}
