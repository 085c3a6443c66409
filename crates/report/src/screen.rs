//! The terminal screen of a run: first the result, then the figures below it, then doubts, the location
//! of the files and the next step.

use reelgauge_analysis::Summary;

use crate::answer_block::answer_block;
use crate::answer_parts::is_in_streams;
use crate::event::event_lines;
use crate::limit::limit_notes;
use crate::marks::mark_lines;
use crate::observers::observer_words;
use crate::page::ScreenText;
use crate::path::{hop_words, path_lines, shares_words};
pub use crate::screen_options::{Detail, Screen, Style, Tables};
use crate::user_description::about;
use crate::{check, mix, msmeter, replay, search, streams, vda, watch};

/// Facts recorded next to a run: observers, the path to the disks, and marks.
fn beside(summary: &Summary, page: &mut ScreenText) {
    for observer in &summary.observers {
        page.item("Observer", &observer_words(observer));
    }
    let hops = summary.path.as_ref().map(hop_words).unwrap_or_default();
    if !hops.is_empty() {
        page.lines(vec!["Path:".to_owned()]);
        page.lines(path_lines(&hops, page.width));
    }
    if let Some(shares) = &summary.site_shares {
        page.item("Per unit", &shares_words(shares));
    }
    summary.event.iter().flat_map(event_lines).for_each(|(name, text)| page.item(name, &text));
    mark_lines(summary).iter().for_each(|line| page.item("Mark", line));
}

/// The screen as text, ending with a line feed.
pub fn screen(summary: &Summary, show: &Screen) -> String {
    written(summary, show).text
}

/// The screen as text and as blocks.
pub(crate) fn written(summary: &Summary, show: &Screen) -> ScreenText {
    let mut page = ScreenText::new(show.style);
    answer_block(summary, &mut page);
    if page.is_short {
        // The user asked for it; the details have it among the other facts.
        summary.event.iter().flat_map(event_lines).for_each(|(name, text)| page.item(name, &text));
    }
    page.detail(|page| {
        // A check has it below its table.
        if summary.check.is_none() {
            limit_notes(summary).iter().for_each(|(name, text)| page.item(name, text));
        }
        beside(summary, page);
        about(summary).iter().for_each(|(name, text)| page.item(name, text));
    });
    if let Some(facts) = &summary.watch {
        watch::screen(summary, facts, show, &mut page);
    } else if let Some(facts) = &summary.msmeter {
        msmeter::screen(summary, facts, show, &mut page);
    } else if let Some(facts) = &summary.check {
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
        mix::screen(summary, show, &mut page);
    }
    page
}
