//! The content of a page of a run, a trace, a comparison or suites: the data of `report.html` and of the
//! console.
//!
//! The application reads it by these types: `console/src/data/generated.ts` is generated from them.
//! Figures in the summary are used from there. [`Detail`] has those that only the log contains.

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
    /// The kind of page.
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
    /// Conditions of a paper that its runs did not meet, as text. Charts that correspond to the paper's
    /// name them.
    pub deviations: Vec<String>,
    /// For a comparison: whether it is better or worse, in one or two words; `None` on other pages.
    pub verdict: Option<Sentence>,
    /// The sections after the result of a comparison, of suites, or of the states of a procedure.
    pub sections: Vec<Section>,
}

/// The kind of content of a page.
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
    /// The texts around the number at the top.
    pub hero: Hero,
    /// The first sentences of the terminal screen, in the same order.
    pub answer: Vec<Sentence>,
    /// The incidents of all load points as sentences, the worst of each first.
    pub incidents: Vec<IncidentSentence>,
    /// The notes of the summary, as on the terminal.
    pub warnings: Vec<String>,
    /// The next step, as in the terminal's last line. `None` if an earlier sentence already contains it.
    pub next_step: Option<String>,
    /// The sections after the result, as blocks.
    pub sections: Vec<Section>,
    /// `summary.json`, see [`super::shorten`].
    pub summary: Summary,
    /// A sentence naming the parts of the summary that were omitted as too long; `None` if it is
    /// complete.
    pub shortened: Option<String>,
    /// The first client in one line.
    pub client: String,
    /// The command that repeats this run.
    pub again: String,
    /// The figures that only the log contains.
    pub detail: Option<Detail>,
    /// Why there is no detail, as text.
    pub why_no_detail: Option<String>,
    /// The counters sampled during the I/O, including those of observers.
    pub counters: Option<Counters>,
    /// Events during the run that are known to disturb storage.
    pub marks: Vec<MarkWords>,
}

/// A trace.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TracePage {
    /// Name of its directory.
    pub id: String,
    /// The output of `reelgauge report TRACE --json`, without the maps of the files: those in
    /// [`Detail::maps`] are better.
    pub report: TraceReport,
    /// The page's sections, as blocks; the first is the result.
    pub sections: Vec<Section>,
    /// The figures that only the log contains.
    pub detail: Detail,
}
