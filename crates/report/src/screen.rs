//! What a run shows on the terminal: the answer first, then the numbers behind it, then what to doubt,
//! where the files are and what to do next.

use reelgauge_analysis::{LoadPoint, Outcome, Summary};

use crate::answer::{Tone, answer_sentences, is_in_streams};
use crate::next_step::next_step;
use crate::page::{MAX_WIDTH, Page};
use crate::text::plain;
use crate::units::{amount, count, number};
use crate::{check, replay, search, streams, tables, vda, workers};

/// How the screen looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub colour: bool,
    /// Columns to use; at most 100 are.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: MAX_WIDTH }
    }
}

/// Which load points have their tables shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// None.
    None,
    /// The last one that measured something.
    #[default]
    Last,
    /// Every one.
    Every,
}

/// How much is said about single workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Only if they differ strongly.
    #[default]
    Normal,
    /// All of them.
    PerWorker,
}

/// What to show beside the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen<'a> {
    /// How it looks.
    pub style: Style,
    /// Whose tables are shown.
    pub tables: Tables,
    /// How much is said about workers.
    pub detail: Detail,
    /// Where the run's files are.
    pub run_dir: Option<&'a str>,
    /// Where its `report.html` is, if there is one.
    pub report: Option<&'a str>,
}

/// The screen as text, ending with a line feed.
pub fn screen(summary: &Summary, show: &Screen) -> String {
    let mut page = Page::new(show.style);
    let sentences = answer_sentences(summary);
    sentences.iter().for_each(|sentence| page.sentence(sentence.tone, &sentence.text));
    if let Some(facts) = &summary.check {
        check::screen(summary, facts, show, &mut page);
    } else if let Some(facts) = &summary.replay {
        replay::screen(summary, facts, show, &mut page);
    } else if let Some(facts) = &summary.vda {
        vda::screen(summary, facts, show, &mut page);
    } else if let Some(facts) = &summary.search {
        search::screen(summary, facts, show, &mut page);
    } else if is_in_streams(summary) {
        streams::screen(summary, show, &mut page);
    } else {
        mix(summary, show, &mut page);
    }
    page.text
}

/// The screen of a run that is told in MB/s, behind its answer.
fn mix(summary: &Summary, show: &Screen, page: &mut Page) {
    let measured: Vec<&LoadPoint> = summary.load_points.iter().filter(|point| point.total.ops > 0).collect();
    if !measured.is_empty() {
        page.gap();
        page.lines(tables::load_points(&summary.load_points, page.width));
        ended_early(summary, page);
    }
    let with_tables = match show.tables {
        Tables::None => &[],
        Tables::Last => &measured[measured.len().saturating_sub(1)..],
        Tables::Every => &measured[..],
    };
    for point in with_tables {
        paper_tables(point, summary.load_points.len() > 1, page);
    }
    let with_workers = if show.tables == Tables::Every { &measured[..] } else { last(&measured) };
    for point in with_workers {
        worker_table(point, show.detail, summary.load_points.len() > 1, page);
    }
    end(summary, show, page);
}

/// What every screen ends with: what to doubt, where the files are, what to do next.
pub(crate) fn end(summary: &Summary, show: &Screen, page: &mut Page) {
    doubts(summary, page);
    files(summary, show, page);
}

fn last<'a, 'b>(points: &'a [&'b LoadPoint]) -> &'a [&'b LoadPoint] {
    &points[points.len().saturating_sub(1)..]
}

pub(crate) fn ended_early(summary: &Summary, page: &mut Page) {
    for point in &summary.load_points {
        if let Some(reason) = &point.ended_early {
            let text = format!("{} ended early: {}", label(point), plain(reason));
            page.sentence(Tone::Bad, &text);
        }
    }
}

fn label(point: &LoadPoint) -> String {
    match point.label.as_str() {
        "" => format!("Load point {}", point.index),
        label => crate::text::plain_short(label, 40),
    }
}

fn paper_tables(point: &LoadPoint, several: bool, page: &mut Page) {
    if point.paper.is_empty() {
        return;
    }
    page.gap();
    if several {
        page.heading(&label(point));
    }
    page.lines(tables::paper(&point.paper, page.width));
}

fn worker_table(point: &LoadPoint, detail: Detail, several: bool, page: &mut Page) {
    let difference = workers::difference(point);
    let all = detail == Detail::PerWorker;
    if !all && difference.is_none() {
        return;
    }
    page.gap();
    if several {
        page.heading(&format!("Workers at {}", label(point)));
    } else {
        page.heading("Workers");
    }
    if let Some(difference) = difference {
        page.sentence(Tone::Plain, &difference);
    }
    page.lines(workers::lines(point, all, page.width));
    for worker in point.per_worker.iter().filter(|_| all) {
        if let Some(paper) = worker.paper.as_ref().filter(|paper| !paper.is_empty()) {
            page.gap();
            page.heading(&format!("Tables of worker {}", worker.worker));
            page.lines(tables::paper(paper, page.width));
        }
    }
}

/// Mode, cost and warnings: what the reader has to know before believing the figures.
fn doubts(summary: &Summary, page: &mut Page) {
    page.gap();
    if !summary.effective_mode.sentence.is_empty() {
        page.item("Mode", &plain(&summary.effective_mode.sentence));
    }
    if let (Some(cpu_us), true) = (summary.self_cost.cpu_us_per_op, summary.ops() > 0) {
        let sentence = plain(&summary.self_cost.sentence);
        page.item("Own cost", &format!("{} µs of CPU per operation. {sentence}", number(cpu_us)));
    }
    for note in &summary.notes {
        page.warning(&plain(note));
    }
}

fn files(summary: &Summary, show: &Screen, page: &mut Page) {
    page.gap();
    if let Some(run_dir) = show.run_dir {
        page.item("Files", &plain(run_dir));
        if let Some(report) = show.report {
            page.item("Report", &plain(report));
        }
        let log = &summary.log;
        let rows = count(log.rows);
        let size = amount(log.bytes);
        let complete = if log.complete { "every operation" } else { "NOT every operation" };
        let note = log.note.as_deref().map(|note| format!("; {}", plain(note))).unwrap_or_default();
        // Of a run that goes on nobody knows yet.
        let is_known = summary.outcome != Outcome::Running;
        if is_known && (log.rows > 0 || !log.complete) {
            page.item("Log", &format!("{complete}: {rows} in {size}{note}"));
        }
    }
    next(summary, page);
}

/// What to do next, the last line of every screen.
pub(crate) fn next(summary: &Summary, page: &mut Page) {
    if let Some(next_step) = next_step(summary) {
        page.item("Next", &next_step);
    }
}
