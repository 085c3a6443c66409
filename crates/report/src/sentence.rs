//! Sentences as terminal and page show them, and how each is to be taken.

use serde::{Deserialize, Serialize};

/// How a sentence is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// What was asked.
    Answer,
    /// Something to know.
    Plain,
    /// An answer that shows neither a pass nor a failure.
    Inconclusive,
    /// Something bad.
    Bad,
}

/// An incident in words, and which of the summary it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Sentence {
    /// How it is to be taken.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}
