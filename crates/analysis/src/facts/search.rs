//! What a search for the largest count of streams found, and on what evidence.

use serde::{Deserialize, Serialize};

use crate::summary::LoadPoint;

/// The answer of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchFacts {
    /// What was counted, as it reads after a number: `players of prores-422-hq-uhd-25`, `times newsroom`.
    pub what: String,
    /// The answer in words: `31 streams passed every time, 32 never.`
    pub answer_sentence: String,
    /// What it rests on, in words: `31: 3 of 3; 32: 1 of 3`.
    pub evidence_sentence: String,
    /// The largest count that passed every time it was tried, with none below it that ever fell. `None`
    /// where no count did.
    pub streams: Option<u32>,
    /// The largest count that ever passed. Where that is more than `streams`, the storage is noisy.
    pub at_most: Option<u32>,
    /// This machine, and not the storage, was the limit: `streams` is no capacity of the storage.
    #[serde(default)]
    pub limited_by_client: bool,
    /// `false` where the search ended (time, trials, the cap, Ctrl-C) before both edges were certain.
    pub complete: bool,
    /// Why it tried no more, or went no further. `None` where it came to its end, or was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StoppedBy>,
    /// Every count that was tried, ascending.
    pub trials: Vec<TrialsAt>,
    /// What failed first with the smallest count that did not pass, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_first: Option<String>,
}

impl SearchFacts {
    /// The trial that stopped more from passing, of a search's load points: the smallest count that fell. One
    /// that fell below what passes was disturbed, and is taken only where there is no other.
    pub fn stopper<'a>(&self, points: &'a [LoadPoint]) -> Option<(usize, &'a LoadPoint)> {
        let fell =
            |(_, point): &(usize, &LoadPoint)| point.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
        let sure = self.streams.unwrap_or(0);
        let is_below = |point: &LoadPoint| point.stream_count.is_some_and(|count| count <= sure);
        let falls = points.iter().enumerate().filter(fell);
        falls.min_by_key(|(_, point)| (is_below(point), point.stream_count))
    }
}

/// What a search found its end by, other than by its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The time that it was given was spent.
    Time,
    /// The trials that it was given were spent.
    Trials,
    /// All passed, and it was to try no more than that.
    Cap,
    /// All passed, and the target has no room for the files of more.
    Room,
    /// All passed, and the user's own files are not enough for more.
    OwnFiles,
    /// All passed, and one process plays no more.
    OneProcess,
}

impl StoppedBy {
    /// Whether all passed that could be tried: going on would change nothing.
    pub fn is_end_of_counts(self) -> bool {
        !matches!(self, StoppedBy::Time | StoppedBy::Trials)
    }
}

/// All trials with one count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TrialsAt {
    /// The count.
    pub streams: u32,
    /// Trials that passed.
    pub passed: u32,
    /// Trials that fell because of the storage.
    pub failed: u32,
    /// Trials that fell because of the client.
    pub client_limited: u32,
}

impl TrialsAt {
    /// All of them.
    pub fn trials(&self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.client_limited)
    }
}
