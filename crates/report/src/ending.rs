//! The end of every screen: doubts, the location of the files, and the next step.

use std::path::Path;

use reelgauge_analysis::{Outcome, Summary};

use crate::answer_parts::label;
use crate::hosts::hosts;
use crate::next_step::next_step;
use crate::note::warnings;
use crate::page::ScreenText;
use crate::screen_options::Screen;
use crate::sentence::Tone;
use crate::text::{plain, shell_word};
use crate::units::{amount, count, number};

/// Writes the end of every screen: the hosts if there were several, doubts, the location of the files,
/// and the next step.
pub(crate) fn end(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    page.detail(|page| hosts(summary, show, page));
    page.gap();
    page.detail(|page| own_cost(summary, page));
    page.warnings(&warnings(summary));
    paths(summary, show, page);
    if !page.is_short {
        log(summary, show, page);
    }
    next(summary, show, page);
}

pub(crate) fn ended_early(summary: &Summary, page: &mut ScreenText) {
    // The load point in which the run ended has the run's reason, which a short screen has in its result.
    let is_known = page.is_short && summary.outcome != Outcome::Complete;
    let omitted = summary.load_points.len().checked_sub(1).filter(|_| is_known);
    for (at, point) in summary.load_points.iter().enumerate() {
        if let Some(reason) = point.ended_early.as_ref().filter(|_| Some(at) != omitted) {
            let text = format!("{} ended early: {}", label(point), plain(reason));
            page.sentence(Tone::Bad, &text);
        }
    }
}

/// Mode and cost: facts that the reader needs before trusting the figures.
fn own_cost(summary: &Summary, page: &mut ScreenText) {
    if !summary.effective_mode.sentence.is_empty() {
        page.item("Mode", &plain(&summary.effective_mode.sentence));
    }
    if let (Some(cpu_us), true) = (summary.self_cost.cpu_us_per_op, summary.ops() > 0) {
        let sentence = plain(&summary.self_cost.sentence);
        page.item("Overhead", &format!("{} µs of CPU per operation. {sentence}", number(cpu_us)));
    }
}

fn log(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    let log = &summary.log;
    let rows = count(log.rows);
    let size = amount(log.bytes);
    let operations = match log.complete {
        true => format!("all {rows} operations"),
        false => format!("NOT all operations, only {rows}"),
    };
    let note = log.note.as_deref().map(|note| format!("; {}", plain(note))).unwrap_or_default();
    // Unknown while the run is in progress.
    let is_known = summary.outcome != Outcome::Running && show.run_dir.is_some();
    if is_known && (log.rows > 0 || !log.complete) {
        page.item("Log", &format!("{operations} ({size}){note}"));
    }
}

/// Writes the last lines of a screen without a log.
pub(crate) fn last_lines(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    paths(summary, show, page);
    next(summary, show, page);
}

/// The parts that a short screen omits, and the location of the files.
fn paths(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    if page.is_short {
        let run = show.run_dir.map(|dir| shell_word(Path::new(dir)));
        let how = run.map(|run| format!("reelgauge report {run} --details"));
        page.omitted([how.as_deref().unwrap_or("add --details"), "reelgauge report RUN --details"]);
    } else {
        page.gap();
    }
    // The report is in the directory, so one line is enough.
    let is_brief = page.is_short || summary.check.is_some();
    if let Some(run_dir) = show.run_dir.filter(|_| !is_brief || show.report.is_none()) {
        page.item("Files", &plain(run_dir));
    }
    if let Some(report) = show.report {
        page.item("Report", &plain(report));
    }
}

/// The next step, the last line of every screen.
fn next(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    if let Some(next_step) = next_step(summary).filter(|_| !show.is_on_paper) {
        page.item("Next", &next_step);
    }
}
