//! A document: what a screen or a page says, as data. Facts become an answer and blocks; renderers draw
//! them.
//!
//! * [`reference`]: the document of runs and their site, to hand to a customer. [`stated`]: what is
//!   stated of a site, and what is not. [`figures`]: every figure of the load points as tables.
//! * [`mod@html`]: one HTML file, for screens and paper. [`chart`]: charts, drawn as SVG there. `charts`:
//!   which of them a run has.
//!
//! Blocks of a run come from its terminal screen: what is written there is kept as blocks, too.
//!
//! Not here: facts, and where they are read.

pub mod chart;
mod charts;
mod figures;
mod hosts;
pub mod html;
pub mod reference;
pub mod stated;

use crate::path::HopWords;
use crate::sentence::Sentence;
pub use crate::table::Table;

use self::chart::Chart;

/// What is said, from its title to its last block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// For whom, by whom, when: a name and a text each.
    pub about: Vec<(String, String)>,
    /// What was asked, answered.
    pub answer: Vec<Sentence>,
    /// What the answer rests on.
    pub sections: Vec<Section>,
}

/// Blocks below a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub heading: String,
    /// What is below it.
    pub blocks: Vec<Block>,
}

/// A piece of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The heading of the blocks that follow.
    Heading(String),
    /// A sentence or several, and how they are to be taken.
    Paragraph(Sentence),
    /// What limits what the figures say.
    Warning(String),
    /// Names with a text each.
    Rows(Vec<(String, String)>),
    Table(Table),
    Chart(Chart),
    /// Parts one after the other, as data pass through them.
    Diagram(Vec<HopWords>),
    /// A command to type.
    Command(String),
    /// Lines as they are: a file, or what is drawn with characters.
    Text(String),
    /// Facts that nothing states and nothing measured, each in words.
    Missing(Vec<String>),
}

impl Section {
    /// A section without blocks so far.
    pub fn new(heading: impl Into<String>) -> Section {
        Section { heading: heading.into(), blocks: Vec::new() }
    }
}
