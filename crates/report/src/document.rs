//! A document: the content of a screen or a page, as data. Facts become a result and blocks; renderers
//! draw them.
//!
//! * [`reference`]: the document of runs and their site, to hand to a customer. [`stated_facts`]: stated and
//!   missing facts about a site. [`figures`]: every figure of the load points as tables.
//! * [`mod@html`]: one HTML file, for screens and paper. [`chart`]: draws charts as SVG in it. `charts`:
//!   selects the charts of a run.
//!
//! The blocks of a run come from its terminal screen: the screen's writer also keeps its output as
//! blocks. The page and the console receive sections as JSON (`html::sections`) and draw them unchanged.
//!
//! Not here: collecting or reading facts.

pub mod chart;
mod charts;
mod figures;
pub(crate) mod hosts;
pub mod html;
pub mod reference;
pub mod stated_facts;

use serde::Serialize;

use crate::path::HopWords;
use crate::sentence::{Sentence, Tone};
pub use crate::table::Table;

use self::chart::Chart;

/// The content, from its title to its last block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// The reader, the author, the date: a name and a text each.
    pub about: Vec<(String, String)>,
    /// The sentences of the result.
    pub answer: Vec<Sentence>,
    /// The basis of the result.
    pub sections: Vec<Section>,
}

/// A heading with blocks below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SectionBlocks"))]
pub struct Section {
    /// Its name in links and in the page's navigation; empty in documents.
    pub id: String,
    pub heading: String,
    /// One or two sentences about the content; may be empty.
    pub about: String,
    /// The content below the heading.
    pub blocks: Vec<Block>,
}

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum Block {
    /// The heading of the blocks that follow.
    Heading(String),
    /// One or more sentences, and whether they are good or bad.
    Paragraph(Sentence),
    /// A limitation of the figures.
    Warning(String),
    /// Rows of a name and a text each.
    Rows(Vec<(String, String)>),
    /// The most important figures, in large type.
    Tiles(Vec<Tile>),
    Table(Table),
    /// A chart with its figures, drawn as it is.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    Chart(Chart),
    /// The name of a chart that the page draws from its own data.
    PageChart(String),
    /// Blocks of each load point; the page shows one at a time.
    Points(Vec<PointBlocks>),
    /// Blocks that are hidden until the reader opens them.
    Folded(Section),
    /// Components from top to bottom, in the order in which data pass through them.
    Diagram(Vec<HopWords>),
    /// A shell command to copy.
    Command(String),
    /// Preformatted lines: a file, or a drawing of characters.
    Text(String),
    /// Facts that are neither stated nor measured, one sentence each.
    Missing(Vec<String>),
}

/// A figure with its name, in large type.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Tile {
    pub name: String,
    /// The figure, with its unit.
    pub text: String,
    /// A remark below it, in small type.
    pub more: String,
    /// The path of the figure in `summary.json`; empty if it is not in that file.
    pub path: String,
    /// `None` if it is neither good nor bad.
    pub is_good: Option<bool>,
    /// An explanation of the name.
    pub help: String,
}

/// Blocks of a load point.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PointBlocks {
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// Its label among the load points.
    pub label: String,
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section of a document, initially without blocks.
    pub fn new(heading: impl Into<String>) -> Section {
        Section { heading: heading.into(), ..Section::default() }
    }

    /// A section of a page, initially without blocks.
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

    /// Sets the path of its figure in `summary.json`.
    pub(crate) fn at(self, path: impl Into<String>) -> Tile {
        Tile { path: path.into(), ..self }
    }
}
