//! The screen of a run of streams: first whether all frames were in time, then each load point, then the
//! worst streams, then any limit of the local host.

mod answer;
mod page_section;
mod worst_streams;

use reelgauge_analysis::late::{LateFigures, StreamTotals};
use reelgauge_analysis::statement::{PointVerdict, of};
use reelgauge_analysis::{Culprit, LoadPoint, Summary};

use crate::answer_parts::streams_of;
use crate::ending::{end, ended_early};
use crate::page::ScreenText;
use crate::screen_options::{Detail, Screen};
use crate::sentence::Tone;
use crate::statement::incidents_of;
use crate::table::Table;
use crate::tables::{errors, numbers, rates};
use crate::text::plain_short;
use crate::units::{count, counted};

pub(crate) use answer::answer;
pub(crate) use page_section::section;

const WORST_MARGIN: &str = "Smallest time left before a frame's deadline. A negative value means that the \
                            frame was late.";
const FRAME_P99: &str = "For streams: 99 of 100 frames completed no later than this time after they were \
                         due to start. A frame may take several operations.";

/// Writes the screen after the result.
pub(crate) fn screen(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    if summary.ops() > 0 {
        page.gap();
        page.table(table(&summary.load_points, page.width));
        ended_early(summary, page);
    }
    if let Some(point) = told(summary) {
        details(point, summary, show.detail, page);
    }
    page.detail(|page| limits(summary, page));
    end(summary, show, page);
}

/// The load point whose streams are shown: the first that failed, else the last.
pub(crate) fn told(summary: &Summary) -> Option<&LoadPoint> {
    let failed = |point: &&LoadPoint| point.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
    let points = &summary.load_points;
    let fell = match &summary.search {
        Some(search) => search.stopper(points).map(|(_, point)| point),
        None => points.iter().find(failed),
    };
    fell.or(points.last())
}

/// The worst streams of a load point, and its rates.
pub(crate) fn details(point: &LoadPoint, summary: &Summary, detail: Detail, page: &mut ScreenText) {
    let several = summary.load_points.len() > 1 || summary.search.is_some();
    if let Some(figures) = &point.streams {
        let all = detail == Detail::PerWorker;
        if let Some(worst) = worst_streams::worst(&figures.streams, all) {
            page.detail(|page| {
                page.gap();
                let with =
                    if several { format!(" (load point with {})", streams_of(point)) } else { String::new() };
                page.heading(&format!("{}{with}", worst.heading));
                page.table(worst.table);
                worst.below.iter().for_each(|line| page.sentence(Tone::Plain, line));
            });
        }
    }
    page.detail(|page| incidents(point, summary, page));
    page.detail(|page| requested_rates(point, page));
}

/// A screen shows at most this many incidents.
const INCIDENTS_SHOWN: usize = 5;

/// The incidents of the load point, the worst first, if the result does not cover them all.
fn incidents(point: &LoadPoint, summary: &Summary, page: &mut ScreenText) {
    let lines = incidents_of(point, summary, INCIDENTS_SHOWN);
    if lines.is_empty() {
        return;
    }
    page.gap();
    page.heading("Incidents");
    lines.iter().for_each(|(_, line)| page.sentence(Tone::Plain, line));
    let told = lines.len() as u64;
    let all = point.streams.as_ref().map_or(told, |late| late.incident_count);
    if all > told {
        page.sentence(Tone::Plain, &format!("{} more.", count(all - told)));
    }
}

/// Writes where Reelgauge or the local host was the limit, and not the storage.
pub(crate) fn limits(summary: &Summary, page: &mut ScreenText) {
    if let Some(text) = own_limit(summary) {
        page.gap();
        page.sentence(Tone::Bad, &text);
    }
}

/// The sentence if Reelgauge or the local host was the limit, and not the storage. The limit is that of
/// the load point of the result, so that no other one contradicts it.
pub(crate) fn own_limit(summary: &Summary) -> Option<String> {
    let own = of(summary).cause.filter(|cause| cause.culprit.is_own());
    let point = own.and_then(|cause| summary.point(cause.point))?;
    let without = without_own_delay(point);
    let with =
        if summary.load_points.len() > 1 { format!(" with {}", streams_of(point)) } else { String::new() };
    Some(match point.culprit {
        Some(Culprit::ThisMachine) if summary.hosts.is_some() => format!(
            "A measuring host, not the storage, was the limit{with}: its processors or memory delayed \
             Reelgauge.{without}"
        ),
        Some(Culprit::ThisMachine) => format!(
            "This client, not the storage, was the limit{with}: its processors or memory delayed \
             Reelgauge.{without}"
        ),
        Some(Culprit::MaxRate) => format!("--max-rate, not the storage, was the limit{with}.{without}"),
        _ => format!("Reelgauge itself, not the storage, was late{with}.{without}"),
    })
}

/// The number of frames that would have been late even without a delay by Reelgauge, if known.
fn without_own_delay(point: &LoadPoint) -> String {
    let total = point.streams.as_ref().map(|late| &late.total).filter(|total| total.late_frames > 0);
    let Some(total) = total else {
        return String::new();
    };
    let delay = if point.culprit == Some(Culprit::MaxRate) { "this limit" } else { "that delay" };
    match total.late_frames - total.late_frames_with_own_delay - total.late_frames_rate_limited {
        0 => format!(" Without {delay} no frame would have been late."),
        rest => format!(
            " Without {delay} {} of {} would have been late.",
            count(rest),
            counted(total.late_frames, "late frame")
        ),
    }
}

/// The requested and the achieved rate of each kind of worker with a rate.
fn requested_rates(point: &LoadPoint, page: &mut ScreenText) {
    if point.is_unmeasured() {
        return;
    }
    let mut components: Vec<(&str, f64, f64)> = Vec::new();
    for rate in &point.rates {
        let (asked, did) = (rate.requested_ops_per_s, rate.achieved_ops_per_s);
        match components.iter_mut().find(|known| known.0 == rate.component) {
            Some(known) => *known = (known.0, known.1 + asked, known.2 + did),
            None => components.push((&rate.component, asked, did)),
        }
    }
    if components.is_empty() {
        return;
    }
    let says = components
        .iter()
        .map(|(name, asked, did)| format!("{} {did:.2} of {asked:.2} op/s", plain_short(name, 24)));
    page.gap();
    page.item("Rates", &format!("{}.", says.collect::<Vec<_>>().join(", ")));
}

/// One row per load point.
pub(crate) fn table(points: &[LoadPoint], width: usize) -> Table {
    let column = |of: &dyn Fn(&LoadPoint) -> String| points.iter().map(of).collect::<Vec<_>>();
    let values = |of: &dyn Fn(&LoadPoint) -> Option<f64>| numbers(&points.iter().map(of).collect::<Vec<_>>());
    let frames = |of: fn(&StreamTotals) -> u64| {
        column(&|point| judged(point).map_or("-".to_owned(), |streams| count(of(&streams.total))))
    };
    let mut table = Table::new("Figures of each load point");
    table.rows = (0..points.len()).map(|at| format!("load_points.{at}")).collect();
    let says_more = |point: &LoadPoint| {
        !point.label.is_empty() && (point.stream_count == Some(0) || point.label != streams_of(point))
    };
    if points.iter().any(says_more) {
        table.words("load point", column(&|point| plain_short(&point.label, width / 2)));
    }
    // Workers without frames are not streams.
    let streams = |point: &LoadPoint| optional_count(point.stream_count.filter(|count| *count > 0));
    table.column("", "streams", column(&streams)).at("stream_count");
    table.column("measured", "s", values(&|point| Some(point.measured_s))).at("measured_s").detail();
    table.column("", "frames", frames(|total| total.frames_judged)).at("streams.total.frames_judged");
    table.column("late", "frames", frames(|total| total.late_frames)).at("streams.total.late_frames");
    let margin = table.column("worst margin", "ms", values(&worst_margin_ms));
    margin.at("streams.total.worst_margin.margin_us").help(WORST_MARGIN);
    if points.iter().any(has_frame_times) {
        let p99 = table.column("frame", "p99 ms", values(&frame_p99_ms));
        p99.at("streams.total.response.p99_us").help(FRAME_P99);
    }
    if !points.iter().all(has_frame_times) {
        table.column("op p99", "ms", values(&op_p99_ms)).at("total.response.data.p99_us");
    }
    rates(points, &mut table);
    errors(points, &mut table);
    criteria(points, &mut table);
    table
}

/// Whether each load point met its criteria.
pub(crate) fn criteria(points: &[LoadPoint], table: &mut Table) {
    table.column("", "criteria", points.iter().map(|point| verdict_word(point).to_owned()).collect());
    let is_bad = |at: &usize| points[*at].criteria_verdict() == Some(PointVerdict::NotMet);
    table.bad_rows = (0..points.len()).filter(is_bad).collect();
}

/// The frames of a load point, if any were judged.
fn judged(point: &LoadPoint) -> Option<&LateFigures> {
    point.streams.as_ref().filter(|late| late.total.frames_judged > 0)
}

fn optional_count(value: Option<u32>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| count(u64::from(value)))
}

fn worst_margin_ms(point: &LoadPoint) -> Option<f64> {
    Some(point.streams.as_ref()?.total.worst_margin?.margin.margin_us / 1e3)
}

/// Response times of whole frames.
fn frame_p99_ms(point: &LoadPoint) -> Option<f64> {
    Some(point.streams.as_ref()?.total.response?.carried_p99_us()? / 1e3)
}

fn has_frame_times(point: &LoadPoint) -> bool {
    point.streams.as_ref().is_some_and(|streams| streams.total.response.is_some())
}

/// Response times of single reads and writes, if nothing has frames.
fn op_p99_ms(point: &LoadPoint) -> Option<f64> {
    Some(point.total.response.data?.carried_p99_us()? / 1e3)
}

fn verdict_word(point: &LoadPoint) -> &'static str {
    match point.criteria_verdict() {
        None => "-",
        Some(PointVerdict::Met) => "met",
        Some(PointVerdict::Inconclusive) => "inconclusive",
        Some(PointVerdict::NotKnown) => "unknown",
        Some(PointVerdict::NotMet) => "NOT MET",
    }
}
