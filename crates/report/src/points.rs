//! The load points on the page, one row each: in streams where the run is reported in streams.
//!
//! Not here: the tables of the terminal, which these are ([`mod@tables`], [`mod@streams`]).

use reelgauge_analysis::Summary;

use crate::document::{Block, Section};
use crate::ending::ended_early;
use crate::page::Page;
use crate::sentence::Tone;
use crate::wanted::Style;
use crate::{streams, tables};

/// Twice the columns of the longest label.
const WIDTH: usize = 320;

/// What the page shows of the load points.
pub(crate) fn section(summary: &Summary) -> Section {
    let points = &summary.load_points;
    let mut section =
        Section::of_page("points", if points.len() > 1 { "Load points" } else { "Load point" }, "");
    if points.is_empty() {
        section.say(Tone::Plain, "No load point was finished, so there are no figures.");
        return section;
    }
    let table = if points.iter().any(|point| point.stream_count.is_some() || point.streams.is_some()) {
        streams::table(points, WIDTH)
    } else {
        let mut table = tables::load_points(points, WIDTH);
        if points.iter().any(|point| point.verdict.is_some()) {
            streams::criteria(points, &mut table);
        }
        table
    };
    section.blocks.push(Block::Table(table));
    let mut page = Page::new(Style::default());
    ended_early(summary, &mut page);
    section.blocks.append(&mut page.blocks);
    section
}
