//! Sentences as terminal and page show them, and the tone of each.

use serde::{Deserialize, Serialize};

/// Whether a sentence is good, neutral or bad news.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// The sentence states the result.
    Answer,
    /// It adds neutral information.
    Plain,
    /// A result that shows neither a pass nor a failure.
    Inconclusive,
    /// Something bad.
    Bad,
}

/// An incident as a sentence, and its index in the summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct IncidentSentence {
    /// The load point, as an index into the summary's.
    pub point: usize,
    /// The incident, as an index into those of the load point.
    pub incident: usize,
    /// Its time, the affected streams, the event and the responsible component.
    pub text: String,
}

/// A sentence of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sentence {
    /// Whether it is good, neutral or bad news.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}
