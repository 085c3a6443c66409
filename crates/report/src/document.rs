//! A document: what a screen or a page says, as data. Facts become an answer and blocks; renderers draw
//! them.
//!
//! * [`reference`]: the document of runs and their site, to hand to a customer. [`stated`]: what is
//!   stated of a site, and what is not. [`figures`]: every figure of the load points as tables.
//! * [`mod@html`]: one HTML file, for screens and paper. [`chart`]: charts, drawn as SVG there. `charts`:
//!   which of them a run has.
//!
//! Blocks of a run come from its terminal screen: what is written there is kept as blocks, too. The page and
//! the console get sections as JSON (`html::sections`) and draw them as they are.
//!
//! Not here: facts, and where they are read.

pub mod chart;
mod charts;
mod figures;
pub(crate) mod hosts;
pub mod html;
pub mod reference;
pub mod stated;

use serde::Serialize;

use crate::path::HopWords;
use crate::sentence::{Sentence, Tone};
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SectionBlocks"))]
pub struct Section {
    /// Its name in links and in the page's navigation; empty in documents.
    pub id: String,
    pub heading: String,
    /// What is to be seen here, in one or two sentences; may be empty.
    pub about: String,
    /// What is below it.
    pub blocks: Vec<Block>,
}

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum Block {
    /// The heading of the blocks that follow.
    Heading(String),
    /// A sentence or several, and how they are to be taken.
    Paragraph(Sentence),
    /// What limits what the figures say.
    Warning(String),
    /// Names with a text each.
    Rows(Vec<(String, String)>),
    /// The few figures that matter, large.
    Tiles(Vec<Tile>),
    Table(Table),
    /// A chart with its figures, drawn as it is.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    Chart(Chart),
    /// A chart that the page draws from its own data, by its name there.
    PageChart(String),
    /// Blocks of each load point; one is shown at a time.
    Points(Vec<PointBlocks>),
    /// Blocks that are shown when the reader opens them.
    Folded(Section),
    /// Parts one after the other, as data pass through them.
    Diagram(Vec<HopWords>),
    /// A command to type.
    Command(String),
    /// Lines as they are: a file, or what is drawn with characters.
    Text(String),
    /// Facts that nothing states and nothing measured, each in words.
    Missing(Vec<String>),
}

/// A figure with its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Tile {
    pub name: String,
    /// The figure, with its unit.
    pub text: String,
    /// What stands below it, small.
    pub more: String,
    /// Where the figure is in `summary.json`; empty where it is not there.
    pub path: String,
    /// `None` where it is neither good nor bad.
    pub is_good: Option<bool>,
    /// What the name means.
    pub help: String,
}

/// Blocks of a load point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointBlocks {
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// Its name among the others.
    pub label: String,
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section of a document, without blocks so far.
    pub fn new(heading: impl Into<String>) -> Section {
        Section { heading: heading.into(), ..Section::default() }
    }

    /// A section of a page, without blocks so far.
    pub(crate) fn of_page(id: &str, heading: impl Into<String>, about: impl Into<String>) -> Section {
        Section { id: id.to_owned(), about: about.into(), ..Section::new(heading) }
    }

    /// Adds a sentence.
    pub(crate) fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(Sentence { tone, text: text.into() }));
    }
}

impl Tile {
    pub(crate) fn new(name: &str, text: impl Into<String>) -> Tile {
        Tile { name: name.to_owned(), text: text.into(), ..Tile::default() }
    }

    /// Names where its figure is in `summary.json`.
    pub(crate) fn at(self, path: impl Into<String>) -> Tile {
        Tile { path: path.into(), ..self }
    }
}
