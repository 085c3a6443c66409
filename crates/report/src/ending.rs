//! What every screen ends with: what to doubt, where the files are, what to do next.

use reelgauge_analysis::{Outcome, Summary};

use crate::answer_parts::label;
use crate::hosts::hosts;
use crate::next_step::next_step;
use crate::note::note_texts;
use crate::page::Page;
use crate::sentence::Tone;
use crate::text::plain;
use crate::units::{amount, count, number};
use crate::wanted::Screen;

/// What every screen ends with: the machines, where there were several, what to doubt, where the files are,
/// what to do next.
pub(crate) fn end(summary: &Summary, show: &Screen, page: &mut Page) {
    hosts(summary, show, page);
    doubts(summary, page);
    files(summary, show, page);
}

pub(crate) fn ended_early(summary: &Summary, page: &mut Page) {
    for point in &summary.load_points {
        if let Some(reason) = &point.ended_early {
            let text = format!("{} ended early: {}", label(point), plain(reason));
            page.sentence(Tone::Bad, &text);
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
    note_texts(summary).iter().for_each(|note| page.warning(note));
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
    next(summary, show, page);
}

/// What to do next, the last line of every screen.
pub(crate) fn next(summary: &Summary, show: &Screen, page: &mut Page) {
    if let Some(next_step) = next_step(summary).filter(|_| !show.is_on_paper) {
        page.item("Next", &next_step);
    }
}
