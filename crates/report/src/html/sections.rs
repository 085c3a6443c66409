//! What the page says of a run, as sections of blocks: sentences, tables, and where its charts stand.
//!
//! The application draws blocks as they are and has no words of its own for them; it has the charts, by the
//! names in [`Block::PageChart`](crate::document::Block::PageChart). A figure of a table is looked up in the
//! summary by its path, so the page can never show another one.
//!
//! Not here: the answer on top ([`crate::hero`]), and what only a chart says.

use reelgauge_analysis::Summary;

use crate::document::Section;
use crate::{hosts, msmeter, replay, trust, workers};

/// The sections of a run that has what they are about.
pub fn sections(summary: &Summary) -> Vec<Section> {
    let replay = summary.replay.as_ref().map(|facts| replay::section(summary, facts));
    let msmeter = summary.msmeter.as_ref().map(msmeter::section);
    let trust = Some(trust::section(summary));
    [replay, msmeter, hosts::section(summary), workers::section(summary), trust]
        .into_iter()
        .flatten()
        .collect()
}
