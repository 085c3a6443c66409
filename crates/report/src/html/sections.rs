//! What the page says of a run, as sections of blocks: sentences, tables, and where its charts stand.
//!
//! The application draws blocks as they are and adds no words to them. It has the charts, by the
//! names in [`Block::PageChart`](crate::document::Block::PageChart). A figure of a table is looked up in the
//! summary by its path, so the page can never show another one.
//!
//! Not here: the answer on top ([`crate::hero`]), and what only a chart says.

use reelgauge_analysis::Summary;

use crate::answer_parts::has_paper;
use crate::document::Section;
use crate::{
    check, good, hosts, latency, marks, msmeter, points, replay, search, streams, trust, vda, workers,
};

/// The sections of a run that has what they are about.
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
        good::section(summary),
        hosts::section(summary),
        workers::section(summary),
        Some(trust::section(summary)),
    ];
    sections.into_iter().flatten().collect()
}
