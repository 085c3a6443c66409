//! What a page of a run, of a trace or of a comparison shows: the data of `report.html` and of the console.
//!
//! The contract with the application that draws it is `console/src/data/page.ts`; a test holds both to the
//! same fields. Figures that stand in a summary are taken from there; what only the log knows is [`Detail`],
//! made in two passes over it ([`FirstPass`], [`SecondPass`]) with memory that does not grow with the log.
//!
//! A page must stay small enough for a mail (the report's `tests/page_size.rs`), so every list has its bound.
//!
//! * `first`, `second`: the passes; `curves`, `sizes`, `latency`, `files`, `map`, `strips`, `ops`: their
//!   parts.
//! * `names`: which files are named, and how long their names may be. [`mod@shorten`]: a summary that is too
//!   long for a page.
//! * [`decimal`]: numbers without useless digits. [`counters`]: what was sampled beside the I/O.
//!
//! Not here: reading runs (runner), sentences and HTML (report).

pub mod counters;
mod curves;
pub mod decimal;
pub mod detail;
mod files;
mod first;
mod latency;
mod map;
mod names;
mod ops;
mod second;
pub mod shorten;
mod sizes;
mod strips;
#[cfg(test)]
mod tests;

pub use counters::{CounterAgent, CounterSeries, Counters};
pub use decimal::Decimal;
pub use detail::Detail;
pub use first::FirstPass;
pub use second::SecondPass;
pub use strips::JudgedPoint;

use serde::{Deserialize, Serialize};

use crate::Summary;
use crate::compare::Comparison;
use crate::trace_stats::TraceReport;

/// The version of [`Page`] as JSON.
pub const PAGE_VERSION: u32 = 1;

/// Everything that is embedded in a `report.html`.
#[derive(Clone, Debug, Serialize)]
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
    pub comparison: Option<Comparison>,
}

/// What a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A run.
    Run,
    /// A trace.
    Trace,
    /// Several runs, compared.
    Compare,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct RunPage {
    /// Name of the run directory.
    pub id: String,
    /// What the terminal shows first, in its order.
    pub answer: Vec<Sentence>,
    /// The incidents of all load points in words, the worst of each first.
    pub incidents: Vec<IncidentSentence>,
    /// What to do next, as the terminal's last line has it. `None` where a sentence before says it.
    pub next_step: Option<String>,
    /// `summary.json`, see [`mod@shorten`].
    pub summary: Summary,
    /// What of the summary was too long for a page, in words; `None` where all is there.
    pub shortened: Option<String>,
    /// `run.toml`; `None` where it can't be read.
    pub plan_toml: Option<String>,
    /// `hosts.json`.
    pub hosts: Vec<serde_json::Value>,
    /// The command that does this run again.
    pub again: String,
    /// What people wrote down.
    pub notes: Option<RunNotes>,
    /// What only the log knows.
    pub detail: Option<Detail>,
    /// Why there is no detail, in words.
    pub why_no_detail: Option<String>,
    /// What was sampled beside the I/O.
    pub counters: Option<Counters>,
}

/// How a sentence is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// What was asked.
    Answer,
    /// Something to know.
    Plain,
    /// Something bad.
    Bad,
}

/// An incident in words, and which of the summary it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentSentence {
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// The incident, as an index into those of the load point.
    pub incident: usize,
    /// When it was, whom it hit, what happened and whose it was.
    pub text: String,
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// How it is to be taken.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

/// `notes.json` in a run directory: what people wrote down about a run and its storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunNotes {
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Anything.
    pub note: String,
    /// Who made the storage.
    pub storage_make: String,
    /// Which storage it is.
    pub storage_model: String,
    /// Its firmware or version.
    pub storage_firmware: String,
}

/// A trace.
#[derive(Clone, Debug, Serialize)]
pub struct TracePage {
    /// Name of its directory.
    pub id: String,
    /// What `reelgauge report TRACE --json` prints, without the files' maps: [`Detail::maps`] has better
    /// ones.
    pub report: TraceReport,
    /// What only the log knows.
    pub detail: Detail,
    /// The command that replays it.
    pub again: String,
}
