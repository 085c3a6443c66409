//! The page of a run as sections of blocks: sentences, tables, and placeholders for its charts.
//!
//! The application draws blocks unchanged and adds no text. It draws the charts, by the names in
//! [`Block::PageChart`](crate::document::Block::PageChart). It looks up the figures of a table in the
//! summary by their paths, so the page can never show a different value.
//!
//! Not here: the result at the top ([`crate::hero`]), and texts that only a chart shows.

use reelgauge_analysis::Summary;

use crate::answer_parts::has_paper;
use crate::document::Section;
use crate::{
    check, count_context, hosts, latency, marks, msmeter, points, replay, search, streams, trust, vda,
    workers,
};

/// The sections of a run; a section without content is omitted.
pub fn sections(summary: &Summary) -> Vec<Section> {
    let sections = [
        summary.replay.as_ref().map(|facts| replay::section(summary, facts)),
        summary.vda.as_ref().map(|facts| vda::section(summary, facts)),
        summary.search.as_ref().map(|facts| search::section(summary, facts)),
        summary.msmeter.as_ref().map(msmeter::section),
        has_paper(summary).then(|| points::ebu(summary)),
        Some(points::section(summary)),
        streams::section(summary),
        Some(latency::section(summary)),
        summary.check.as_ref().map(|facts| check::head(summary, facts)),
        summary.check.as_ref().map(|facts| check::section(summary, facts)),
        marks::section(summary),
        count_context::section(summary),
        hosts::section(summary),
        workers::section(summary),
        Some(trust::section(summary)),
    ];
    sections.into_iter().flatten().collect()
}
