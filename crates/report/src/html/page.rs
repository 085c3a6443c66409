//! What a page of a run, of a trace, of a comparison or of suites shows: the data of `report.html` and of the
//! console.
//!
//! The application that draws it reads it by these types: `console/src/data/generated.ts` is made from them.
//! Figures that stand in a summary are taken from there; what only the log knows is the [`Detail`].

use reelgauge_analysis::Summary;
use reelgauge_analysis::counters::Counters;
use reelgauge_analysis::detail::Detail;
use reelgauge_analysis::trace_stats::TraceReport;
use serde::Serialize;

use crate::compare::ToldComparison;
use crate::document::Section;
use crate::hero::Hero;
use crate::marks::MarkWords;
use crate::sentence::{IncidentSentence, Sentence};
use crate::suites::SuitesPage;

/// The version of [`Page`] as JSON.
pub const PAGE_VERSION: u32 = 1;

/// Everything that is embedded in a `report.html`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Page {
    /// [`PAGE_VERSION`].
    pub page_version: u32,
    /// What it shows.
    pub kind: PageKind,
    /// When it was made, RFC 3339.
    pub made_at: String,
    /// Version of the program that made it.
    pub tool_version: String,
    /// One run, two to eight that are compared, or none.
    pub runs: Vec<RunPage>,
    /// The trace.
    pub trace: Option<TracePage>,
    /// The comparison.
    pub comparison: Option<ToldComparison>,
    /// The suites.
    pub suites: Option<SuitesPage>,
    /// Conditions of a paper that its runs did not keep, in words. Charts that correspond to the paper's name
    /// them.
    pub deviations: Vec<String>,
    /// Of a comparison: whether it is better or worse, in a word or two; `None` on other pages.
    pub verdict: Option<Sentence>,
    /// What is said and shown behind the answer of a comparison, of suites, or of the states of a procedure.
    pub sections: Vec<Section>,
}

/// What a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A run.
    Run,
    /// A trace.
    Trace,
    /// Several runs, compared.
    Compare,
    /// One or several suites.
    Suites,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunPage {
    /// Name of the run directory.
    pub id: String,
    /// The words around the number on top.
    pub hero: Hero,
    /// What the terminal shows first, in its order.
    pub answer: Vec<Sentence>,
    /// The incidents of all load points in words, the worst of each first.
    pub incidents: Vec<IncidentSentence>,
    /// The notes of the summary, as the terminal has them.
    pub warnings: Vec<String>,
    /// What to do next, as the terminal's last line has it. `None` where a sentence before says it.
    pub next_step: Option<String>,
    /// What is said and shown behind the answer, as blocks.
    pub sections: Vec<Section>,
    /// `summary.json`, see [`super::shorten`].
    pub summary: Summary,
    /// What of the summary was too long for a page, in words; `None` where all is there.
    pub shortened: Option<String>,
    /// The first client in one line.
    pub client: String,
    /// The command that does this run again.
    pub again: String,
    /// What only the log knows.
    pub detail: Option<Detail>,
    /// Why there is no detail, in words.
    pub why_no_detail: Option<String>,
    /// What was sampled beside the I/O, and by whom else.
    pub counters: Option<Counters>,
    /// What happened meanwhile that is known to disturb storage.
    pub marks: Vec<MarkWords>,
}

/// A trace.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TracePage {
    /// Name of its directory.
    pub id: String,
    /// What `reelgauge report TRACE --json` prints, without the files' maps: [`Detail::maps`] has better
    /// ones.
    pub report: TraceReport,
    /// What is said and shown of it, as blocks; the first is the answer.
    pub sections: Vec<Section>,
    /// What only the log knows.
    pub detail: Detail,
}
