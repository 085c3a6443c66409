//! The screen of a VDA-like run: the number of sustained streams, the curve point by point, and the
//! allowed claims about it. The result and the line above the table state that it is no published
//! benchmark result.

use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::vda_published::{PUBLISHED, PublishedCurve, PublishedPoint};
use reelgauge_analysis::{LoadPoint, Summary, VdaFacts, VdaPoint};

use crate::answer_parts::{failures, outcome, place, unanswered};
use crate::document::{Block, Section, Tile};
use crate::ending::end;
use crate::page::ScreenText;
use crate::screen_options::{Screen, Style};
use crate::sentence::Tone;
use crate::streams;
use crate::table::Table;
use crate::tables::{not_measured, numbers};
use crate::text::plain;
use crate::units::{count, counted, number};

const KNEE: &str = "The last load point before response times grow steeply. Method (Kneedle, Satopää 2011): \
                    rate and response time are scaled to 0…1. The knee is the point farthest below the line \
                    from the first to the last load point. It counts if that distance is at least 0.25 and \
                    the response time then grows to at least 1.5 times its value at the knee.";

/// The unit of totals in published tables, and the line below a table with totals.
const UNIT: &str = "1000 KiB/s";
const UNIT_NOTE: &str = "Totals are in the unit of published results: 1000 KiB/s.";

fn has_totals(facts: &VdaFacts) -> bool {
    facts.points.iter().any(|point| point.published_mb_per_s.is_some())
}

/// The first lines of the screen: the result.
pub(crate) fn answer(summary: &Summary, facts: &VdaFacts, is_short: bool) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, outcome)));
    let statement = of(summary);
    sentences.push(match (&statement.number, carried(facts), valid_beyond(facts)) {
        (Number::ValidPoint { streams: Some(_) }, Some(point), _) => {
            (Tone::Answer, carries(summary, facts, point))
        }
        (Number::ValidPoint { .. }, None, Some(point)) => (Tone::Bad, only_beyond(summary, facts, point)),
        (number, ..) => (Tone::Bad, nothing_carried(summary, facts, number)),
    });
    if !is_short {
        sentences.extend(not_valid(summary, facts).map(|text| (Tone::Bad, text)));
    }
    if summary.failed_ops() > 0 {
        sentences.push(failures(summary));
    }
    sentences.extend(unanswered(summary).map(|text| (Tone::Bad, text)));
    sentences
}

/// The load points that are not valid, each with its reason. The table names them, too.
fn not_valid(summary: &Summary, facts: &VdaFacts) -> impl Iterator<Item = String> {
    let points = facts.points.iter().enumerate().filter(|(_, point)| !point.valid);
    points.map(|(at, point)| {
        let what = if is_cut_off(summary, at) { "UNKNOWN" } else { "NOT VALID" };
        format!("{what} with {}: {}.", streams_of(point), why_not(point))
    })
}

/// Writes the screen after the result.
pub(crate) fn screen(summary: &Summary, facts: &VdaFacts, show: &Screen, page: &mut ScreenText) {
    page.gap();
    let table = table(summary, facts, false);
    page.heading(&table.caption);
    page.table(table);
    if has_totals(facts) {
        page.sentence(Tone::Plain, UNIT_NOTE);
    }
    page.detail(|page| curve(summary, facts, page));
    page.detail(|page| published(summary, facts, page));
    page.detail(|page| streams::limits(summary, page));
    end(summary, show, page);
}

/// The section of the page about a curve.
pub(crate) fn section(summary: &Summary, facts: &VdaFacts) -> Section {
    let mut section = Section::of_page("vda", "Load curve", format!("{}.", plain(&facts.label)));
    let ort = facts.overall_response_time_ms.map(|ms| format!("{} ms", number(ms)));
    let knee = facts.knee_point.and_then(|index| facts.points.get(index));
    let valid = facts.points.iter().filter(|point| point.valid).count();
    section.blocks.push(Block::Tiles(vec![
        Tile::new("Overall response time", ort.unwrap_or_else(not_measured))
            .at("vda.overall_response_time_ms"),
        Tile {
            help: KNEE.to_owned(),
            ..Tile::new("Knee", knee.map_or_else(|| "none".to_owned(), streams_of))
        },
        Tile {
            is_good: Some(valid == facts.points.len()),
            more: format!("of {}", count(facts.points.len() as u64)),
            ..Tile::new("Valid load points", count(valid as u64))
        },
    ]));
    section.blocks.push(Block::PageChart("vda".to_owned()));
    section.blocks.push(Block::Table(table(summary, facts, true)));
    if has_totals(facts) {
        section.say(Tone::Plain, UNIT_NOTE);
    }
    let mut page = ScreenText::new(Style::default());
    curve(summary, facts, &mut page);
    published(summary, facts, &mut page);
    section.blocks.append(&mut page.blocks);
    section
}

/// The largest load point before the first that is not valid.
fn carried(facts: &VdaFacts) -> Option<&VdaPoint> {
    facts.points.iter().take_while(|point| point.valid).last()
}

/// The largest valid load point if the first load point is not valid.
fn valid_beyond(facts: &VdaFacts) -> Option<&VdaPoint> {
    facts.points.iter().filter(|point| point.valid).max_by_key(|point| point.streams)
}

/// The sentence if larger load points are valid although the first is not: there is no curve, and both
/// facts are stated.
fn only_beyond(summary: &Summary, facts: &VdaFacts, point: &VdaPoint) -> String {
    let first = facts.points.iter().find(|point| !point.valid).map_or_else(String::new, streams_of);
    format!(
        "NOT MET: the load point with {} reached the requested rates on {}, but the one with {first} did \
         not; {}.",
        streams_of(point),
        place(&summary.target),
        plain(&facts.label)
    )
}

fn carries(summary: &Summary, facts: &VdaFacts, point: &VdaPoint) -> String {
    let response = match facts.overall_response_time_ms {
        Some(ms) => format!(" with an overall response time of {} ms", number(ms)),
        None => point
            .mean_response_ms
            .map_or_else(String::new, |ms| format!(" with a mean response of {} ms", number(ms))),
    };
    let verb = if point.streams == 1 { "was" } else { "were" };
    let (streams, place) = (streams_of(point), place(&summary.target));
    format!("{streams} {verb} sustained{response} on {place}; {}.", plain(&facts.label))
}

fn nothing_carried(summary: &Summary, facts: &VdaFacts, number: &Number) -> String {
    let place = place(&summary.target);
    let label = plain(&facts.label);
    match (number, facts.points.first()) {
        (Number::ValidPoint { .. }, Some(point)) => {
            let verb = if point.streams == 1 { "was" } else { "were" };
            format!("Not even {} {verb} sustained on {place}; {label}.", streams_of(point))
        }
        (_, Some(_)) => format!("UNKNOWN on {place}: no load point finished before the run ended; {label}."),
        (_, None) => format!("Nothing was measured on {place}; {label}."),
    }
}

/// Whether a load point was cut short: it is neither valid nor invalid.
fn is_cut_off(summary: &Summary, at: usize) -> bool {
    summary.load_points.get(at).is_some_and(LoadPoint::was_cut_off)
}

fn streams_of(point: &VdaPoint) -> String {
    counted(u64::from(point.streams), "stream")
}

/// A row for each load point. On the page, only this table gives the reasons.
fn table(summary: &Summary, facts: &VdaFacts, is_page: bool) -> Table {
    let points = &facts.points;
    let values = |of: fn(&VdaPoint) -> Option<f64>| numbers(&points.iter().map(of).collect::<Vec<_>>());
    let is_measured = |at: usize| summary.load_points.get(at).is_none_or(|point| !point.is_unmeasured());
    let achieved = |(at, point): (usize, &VdaPoint)| is_measured(at).then_some(point.achieved_ops_per_s);
    let achieved: Vec<Option<f64>> = points.iter().enumerate().map(achieved).collect();
    let mut table = Table::new(format!("Load points ({})", plain(&facts.label)));
    table.rows = (0..points.len()).map(|at| format!("vda.points.{at}")).collect();
    table.bad_rows = (0..points.len()).filter(|at| !points[*at].valid).collect();
    let streams = points.iter().map(|point| count(u64::from(point.streams)));
    table.column("", "streams", streams.collect()).at("streams");
    let asked = values(|point| Some(point.requested_ops_per_s));
    table.column("requested", "op/s", asked).at("requested_ops_per_s");
    table.column("achieved", "op/s", numbers(&achieved)).at("achieved_ops_per_s");
    table.column("mean response", "ms", values(|point| point.mean_response_ms)).at("mean_response_ms");
    table.column("written", "MiB/s", values(|point| point.written_mib_per_s)).at("written_mib_per_s");
    table.column("read", "MiB/s", values(|point| point.read_mib_per_s)).at("read_mib_per_s");
    if has_totals(facts) {
        let total = values(|point| point.published_mb_per_s);
        table.column("total", UNIT, total).at("published_mb_per_s");
    }
    let valid = |(at, point): (usize, &VdaPoint)| match (point.valid, is_cut_off(summary, at)) {
        (true, _) => "yes".to_owned(),
        (false, true) => "unknown".to_owned(),
        (false, false) => "NO".to_owned(),
    };
    table.column("", "valid", points.iter().enumerate().map(valid).collect());
    if is_page && !table.bad_rows.is_empty() {
        let why = |point: &VdaPoint| if point.valid { String::new() } else { why_not(point) };
        table.words("why not", points.iter().map(why).collect());
    }
    table
}

/// Why a load point is not valid.
fn why_not(point: &VdaPoint) -> String {
    plain(point.why_not.as_deref().unwrap_or("reason unknown"))
}

/// The conclusions from all points together.
fn curve(summary: &Summary, facts: &VdaFacts, page: &mut ScreenText) {
    page.gap();
    let note = facts.ort_note.as_deref().map(plain).unwrap_or_default();
    if let Some(ms) = facts.overall_response_time_ms {
        page.item("Overall response time", &format!("{} ms. {note}", number(ms)));
    } else if !note.is_empty() {
        page.sentence(Tone::Plain, &note);
    }
    page.item("Knee", &knee(summary, facts));
    if !facts.uneven_steps.is_empty() {
        page.item("Uneven steps", &format!("{}.", plain(&facts.uneven_steps.join("; "))));
    }
    if !facts.data_set_note.is_empty() {
        page.item("Workload", &plain(&facts.data_set_note));
    }
}

/// Published curves next to the run's own. Their last points are capacities, and the run's last point
/// must be one, too: a requested count that was sustained is no capacity.
fn published(summary: &Summary, facts: &VdaFacts, page: &mut ScreenText) {
    let Some(own) = carried(facts) else { return };
    if !summary.vda_ended_at_its_limit() {
        page.gap();
        page.sentence(
            Tone::Plain,
            "Published results are maximum loads. This run did not search for the maximum, so it cannot be \
             compared with them.",
        );
        return;
    }
    let largest = || PUBLISHED.iter().filter_map(|curve| Some((curve, curve.largest()?)));
    let streams = f64::from(own.streams);
    let share = |(_, point): (&PublishedCurve, &PublishedPoint)| {
        format!("{} %", number(streams / f64::from(point.streams) * 100.0))
    };
    let at_own = |(curve, _): (&PublishedCurve, &PublishedPoint)| curve.latency_ms_at(streams);
    let with_own = |own: String, theirs: Vec<String>| [own].into_iter().chain(theirs).collect::<Vec<_>>();
    let mut table = Table::default();
    let systems = largest().map(|(curve, _)| curve.system.to_owned()).collect();
    table.words("system", with_own("this run".to_owned(), systems));
    let counts = largest().map(|(_, point)| count(u64::from(point.streams))).collect();
    table.column("", "streams", with_own(count(u64::from(own.streams)), counts));
    table.column("this run", "of it", with_own(String::new(), largest().map(share).collect()));
    let times = largest().map(|(curve, _)| Some(curve.overall_response_time_ms));
    let times: Vec<Option<f64>> = [facts.overall_response_time_ms].into_iter().chain(times).collect();
    table.column("response", "ms", numbers(&times));
    let at_own: Vec<Option<f64>> = [own.mean_response_ms].into_iter().chain(largest().map(at_own)).collect();
    table.column(&format!("with {}", count(u64::from(own.streams))), "ms", numbers(&at_own));
    let totals = largest().map(|(_, point)| Some(point.mb_per_s));
    let totals: Vec<Option<f64>> = [own.published_mb_per_s].into_iter().chain(totals).collect();
    table.column("total", UNIT, numbers(&totals));
    page.gap();
    page.heading(&format!("Published curves. This run is {}", plain(&facts.label)));
    page.table(table);
}

/// The response time at the knee and at the last valid point; the overall response time hides the latter.
fn knee(summary: &Summary, facts: &VdaFacts) -> String {
    let at = |point: &VdaPoint| {
        let ms =
            point.mean_response_ms.map_or_else(|| "unknown".to_owned(), |ms| format!("{} ms", number(ms)));
        format!("{ms} with {}", streams_of(point))
    };
    match (facts.knee_point.and_then(|index| facts.points.get(index)), carried(facts)) {
        (Some(knee), Some(last)) => {
            format!("response times grow steeply after {}: {}, {}.", streams_of(knee), at(knee), at(last))
        }
        (_, Some(last)) => format!("none up to the last valid load point ({}).", at(last)),
        (_, None) if is_cut_off(summary, 0) => "unknown: no load point was completed.".to_owned(),
        (_, None) if valid_beyond(facts).is_some() => {
            "none: the first load point is not valid, so there is no curve.".to_owned()
        }
        (_, None) => "none: no load point is valid.".to_owned(),
    }
}
