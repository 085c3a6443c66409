//! The screen of a VDA-like run: how many streams were carried, the curve point by point, and what of it
//! may be said. That it is no published benchmark's result stands in the answer and above the table.

use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::{LoadPoint, Summary, VdaFacts, VdaPoint};

use crate::answer::{Tone, failures, outcome, place};
use crate::page::Page;
use crate::screen::{Screen, end};
use crate::streams;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::plain;
use crate::units::{count, counted, number};

/// What the screen begins with.
pub(crate) fn answer(summary: &Summary, facts: &VdaFacts) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, outcome)));
    sentences.push(match (of(summary).number, carried(facts)) {
        (Number::ValidPoint { streams: Some(_) }, Some(point)) => {
            (Tone::Answer, carries(summary, facts, point))
        }
        (number, _) => (Tone::Bad, nothing_carried(summary, facts, &number)),
    });
    for (at, point) in facts.points.iter().enumerate().filter(|(_, point)| !point.valid) {
        let why = plain(point.why_not.as_deref().unwrap_or("no reason is known"));
        // What was cut off is neither valid nor not.
        let cut_off = summary.load_points.get(at).is_some_and(LoadPoint::was_cut_off);
        let what = if cut_off { "NOT KNOWN" } else { "NOT VALID" };
        sentences.push((Tone::Bad, format!("{what} with {}: {why}.", streams_of(point))));
    }
    if summary.failed_ops() > 0 {
        sentences.push(failures(summary));
    }
    sentences
}

/// Writes the screen behind the answer.
pub(crate) fn screen(summary: &Summary, facts: &VdaFacts, show: &Screen, page: &mut Page) {
    page.gap();
    page.heading(&format!("Load points ({})", plain(&facts.label)));
    page.lines(table(&facts.points).lines(page.width));
    curve(facts, page);
    streams::limits(summary, page);
    end(summary, show, page);
}

/// The largest load point before the first that is not valid.
fn carried(facts: &VdaFacts) -> Option<&VdaPoint> {
    facts.points.iter().take_while(|point| point.valid).last()
}

fn carries(summary: &Summary, facts: &VdaFacts, point: &VdaPoint) -> String {
    let response = match facts.overall_response_time_ms {
        Some(ms) => format!(" with an overall response time of {} ms", number(ms)),
        None => point
            .mean_response_ms
            .map_or_else(String::new, |ms| format!(", answered within {} ms on average", number(ms))),
    };
    format!("{}{response} on {} ({}).", streams_of(point), place(&summary.target), plain(&facts.label))
}

fn nothing_carried(summary: &Summary, facts: &VdaFacts, number: &Number) -> String {
    let place = place(&summary.target);
    let label = plain(&facts.label);
    match (number, facts.points.first()) {
        (Number::ValidPoint { .. }, Some(point)) => {
            format!("NOT MET: not even {} on {place} ({label}).", streams_of(point))
        }
        (_, Some(_)) => format!("NOT KNOWN on {place}: the run ended before a load point did ({label})."),
        (_, None) => format!("Nothing was measured on {place} ({label})."),
    }
}

fn streams_of(point: &VdaPoint) -> String {
    counted(u64::from(point.streams), "stream")
}

fn table(points: &[VdaPoint]) -> Table {
    let values = |of: fn(&VdaPoint) -> Option<f64>| numbers(&points.iter().map(of).collect::<Vec<_>>());
    let mut table = Table::default();
    table.column("", "streams", points.iter().map(|point| count(u64::from(point.streams))).collect());
    table.column("asked for", "op/s", values(|point| Some(point.requested_ops_per_s)));
    table.column("achieved", "op/s", values(|point| Some(point.achieved_ops_per_s)));
    table.column("mean response", "ms", values(|point| point.mean_response_ms));
    table.column("written", "MiB/s", values(|point| point.written_mib_per_s));
    table.column("read", "MiB/s", values(|point| point.read_mib_per_s));
    let valid = |point: &VdaPoint| if point.valid { "yes" } else { "NO" }.to_owned();
    table.column("", "valid", points.iter().map(valid).collect());
    table
}

/// What the points tell together.
fn curve(facts: &VdaFacts, page: &mut Page) {
    page.gap();
    let note = facts.ort_note.as_deref().map(plain).unwrap_or_default();
    if let Some(ms) = facts.overall_response_time_ms {
        page.item("Overall response time", &format!("{} ms. {note}", number(ms)));
    } else if !note.is_empty() {
        page.sentence(Tone::Plain, &note);
    }
    page.item("Knee", &knee(facts));
    if !facts.uneven_steps.is_empty() {
        page.item("Uneven steps", &format!("{}.", plain(&facts.uneven_steps.join("; "))));
    }
    if !facts.data_set_note.is_empty() {
        page.item("Workload", &plain(&facts.data_set_note));
    }
}

/// The response time at the knee and at the last valid point; the overall response time hides the latter.
fn knee(facts: &VdaFacts) -> String {
    let at = |point: &VdaPoint| {
        let ms =
            point.mean_response_ms.map_or_else(|| "unknown".to_owned(), |ms| format!("{} ms", number(ms)));
        format!("{ms} with {}", streams_of(point))
    };
    match (facts.knee_point.and_then(|index| facts.points.get(index)), carried(facts)) {
        (Some(knee), Some(last)) => {
            format!("responses grow steeply after {}: {}, {}.", streams_of(knee), at(knee), at(last))
        }
        (_, Some(last)) => format!("none; the last valid load point has {}.", at(last)),
        (_, None) => "none, because no load point is valid.".to_owned(),
    }
}
