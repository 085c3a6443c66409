//! The load points on the page, one row each: in streams if the run is reported in streams, else with
//! the charts and tables of EBU Tech 3362.
//!
//! Not here: the tables themselves, which the terminal shares ([`mod@tables`], [`mod@streams`]).

use reelgauge_analysis::{LoadPoint, Summary};

use crate::document::{Block, PointBlocks, Section};
use crate::ending::ended_early;
use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::{Sentence, Tone};
use crate::text::plain;
use crate::{streams, tables};

/// Twice the width of the longest label.
const WIDTH: usize = 320;

/// The section of the page about the load points.
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
    let mut page = ScreenText::new(Style::default());
    ended_early(summary, &mut page);
    section.blocks.append(&mut page.blocks);
    section
}

const EBU: &str = "Throughput covers all workers and the whole measured time. Response time is that of \
                   single reads and writes: from when an operation was due to start until it completed. EBU \
                   latency is the set-up time of a transfer: everything in it that is not data (EBU Tech \
                   3362, § 5.1).";

/// The section of the page with the paper's figures: lines over the load points, and the tables of each.
pub(crate) fn ebu(summary: &Summary) -> Section {
    let mut section = Section::of_page("ebu", "Throughput and response time", EBU);
    let of_point = |(point, found): (usize, &LoadPoint)| {
        let tables = tables::paper_tables(&found.paper, true).into_iter().map(Block::Table);
        let notes = tables::paper_notes(&found.paper).into_iter();
        let notes = notes.map(|text| Block::Paragraph(Sentence { tone: Tone::Plain, text }));
        let charts = [Block::PageChart("ebu-blocks".to_owned())];
        let blocks = tables.chain(notes).chain(charts).collect();
        (!found.paper.is_empty()).then(|| PointBlocks { point, label: plain(&found.label), blocks })
    };
    let points = summary.load_points.iter().enumerate().filter_map(of_point).collect();
    let mut tables = Section::new("EBU latency, the paper's tables, and figures by block size");
    tables.blocks = vec![Block::PageChart("ebu-latency".to_owned()), Block::Points(points)];
    section.blocks = vec![Block::PageChart("ebu".to_owned()), Block::Folded(tables)];
    section
}
