//! The answer of a run of streams: were all frames in time?

use std::collections::BTreeMap;

use reelgauge_analysis::criteria::Criterion;
use reelgauge_analysis::late::{LateFigures, StreamFigures};
use reelgauge_analysis::verdict::{Failure, Verdict};
use reelgauge_analysis::{LoadPoint, Summary};

use super::streams_of;
use crate::answer::{Tone, failures, nothing, outcome, place};
use crate::text::{plain, plain_short};
use crate::units::{count, counted, duration, mb_per_s, moment};

/// The first lines of the screen. Only what makes the answer worthless comes before it.
pub(crate) fn answer(summary: &Summary) -> Vec<(Tone, String)> {
    let mut sentences: Vec<(Tone, String)> = Vec::new();
    sentences.extend(outcome(summary).map(|text| (Tone::Bad, text)));
    let points = &summary.load_points;
    let failed = points.iter().position(|point| is_failed(point.verdict.as_ref()));
    match (failed, points.iter().rev().find(|point| point.total.ops > 0)) {
        (Some(failed), _) => {
            sentences.push((Tone::Bad, not_met(&points[failed], points.len() > 1)));
            let carried = points[..failed].iter().rev().find(|point| is_passed(point.verdict.as_ref()));
            sentences.extend(carried.map(|point| (Tone::Answer, met(summary, point))));
        }
        (None, Some(last)) => sentences.push((Tone::Answer, met(summary, last))),
        (None, None) => sentences.push((Tone::Bad, nothing(summary))),
    }
    if summary.failed_ops() > 0 {
        sentences.push(failures(summary));
    }
    sentences
}

fn is_failed(verdict: Option<&Verdict>) -> bool {
    verdict.is_some_and(|verdict| !verdict.passed)
}

fn is_passed(verdict: Option<&Verdict>) -> bool {
    verdict.is_some_and(|verdict| verdict.passed)
}

/// `8 streams of Apple ProRes 422 HQ UHD 25p played without a late frame on /mnt/nas.`
fn met(summary: &Summary, point: &LoadPoint) -> String {
    let place = place(&summary.target);
    let Some(figures) = point.streams.as_ref().filter(|figures| figures.total.frames_judged > 0) else {
        let mb = point.total.bytes_per_s.map_or_else(|| "an unknown number of".to_owned(), mb_per_s);
        let met = if point.verdict.is_some() { " and met what was asked for" } else { "" };
        return format!("{} moved {mb} MB/s on {place}{met}.", streams_of(point));
    };
    let (late, judged) = (figures.total.late_frames, figures.total.frames_judged);
    let late = match (late, point.verdict.is_some()) {
        (0, _) => "without a late frame".to_owned(),
        (late, true) => format!("with {}, as many as are allowed", counted(late, "late frame")),
        (late, false) => format!("with {} of {} frames late", count(late), count(judged)),
    };
    let others = u64::from(point.stream_count.unwrap_or(0)).saturating_sub(figures.total.streams);
    let beside = match others {
        0 => String::new(),
        others => format!(", beside {} without frames", counted(others, "stream")),
    };
    format!("{} {late} on {place}{beside}.", who(figures))
}

/// `8 streams of Apple ProRes 422 HQ UHD 25p played`; several kinds are counted.
fn who(figures: &LateFigures) -> String {
    let mut names: BTreeMap<&str, u64> = BTreeMap::new();
    for stream in &figures.streams {
        *names.entry(&stream.name).or_default() += 1;
    }
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for stream in &figures.streams {
        *kinds.entry(kind_and_format(&stream.name).0).or_default() += 1;
    }
    let streams = counted(figures.total.streams, "stream");
    let (mut names, mut kinds_in_order) = (names.keys(), kinds.iter());
    match (names.next(), names.next(), kinds.len()) {
        (Some(name), None, _) => {
            let (kind, format) = kind_and_format(name);
            let of =
                if format.is_empty() { String::new() } else { format!(" of {}", plain_short(format, 80)) };
            format!("{streams}{of} {}", verb(kind, figures))
        }
        (_, _, 1) => {
            let kind = kinds_in_order.next().map_or("", |(kind, _)| *kind);
            format!("{streams} {}", verb(kind, figures))
        }
        _ => {
            let each = kinds_in_order.map(|(kind, number)| format!("{number} {}", plain_short(kind, 20)));
            format!("{streams} ({}) ran", each.collect::<Vec<_>>().join(", "))
        }
    }
}

/// `player, XAVC-I class 300 UHD50` in its two parts.
fn kind_and_format(name: &str) -> (&str, &str) {
    name.split_once(", ").unwrap_or((name, ""))
}

fn verb(kind: &str, figures: &LateFigures) -> &'static str {
    match kind {
        "player" | "editor" => "played",
        "recorder" => "recorded",
        _ if figures.streams.iter().all(|stream| stream.writes) => "recorded",
        _ => "ran",
    }
}

fn not_met(point: &LoadPoint, several: bool) -> String {
    let with = if several { format!(" with {}", streams_of(point)) } else { String::new() };
    let Some((verdict, failure)) =
        point.verdict.as_ref().and_then(|verdict| Some((verdict, verdict.failed_first.as_ref()?)))
    else {
        return format!("NOT MET{with}.");
    };
    let what = match (failure.measured, verdict.storage_failed) {
        (false, _) => "NOT KNOWN",
        (true, true) => "NOT MET",
        (true, false) => "NOT MET, but through no fault of the storage",
    };
    let more = match verdict.failures.len() {
        0 | 1 => String::new(),
        failures => format!(" {} in all.", counted(failures as u64, "failure")),
    };
    format!("{what}{with}: {}.{more}", why(point, failure))
}

/// The failure in words; the verdict's own, but for late frames, whose numbers are in the figures.
fn why(point: &LoadPoint, failure: &Failure) -> String {
    let of_failure = |stream: &&StreamFigures| Some(stream.stream) == failure.stream;
    let stream = point.streams.as_ref().and_then(|figures| figures.streams.iter().find(of_failure));
    match stream.and_then(|stream| Some((stream, stream.first_late?))) {
        Some((stream, first)) if failure.criterion == Criterion::LateFrames && !failure.because_of_tool => {
            let name = if stream.name.is_empty() {
                String::new()
            } else {
                format!(" ({})", plain_short(&stream.name, 80))
            };
            let how = match first.late_us {
                Some(late_us) => format!("{} late", duration(late_us)),
                None if first.dropped => "never begun".to_owned(),
                None if first.failed => "failed".to_owned(),
                None => "never complete".to_owned(),
            };
            format!(
                "stream {}{name} had {}, the first, frame {}, {} into the run, {how}",
                stream.stream,
                counted(stream.late_frames, "late frame"),
                first.frame,
                moment(first.deadline_s)
            )
        }
        _ => plain(&failure.sentence).trim_end_matches('.').to_owned(),
    }
}
