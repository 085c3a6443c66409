//! What a search for the largest count of streams found, and on what evidence.

use serde::{Deserialize, Serialize};

/// The answer of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Every count that was tried, ascending.
    pub trials: Vec<TrialsAt>,
    /// What failed first with the smallest count that did not pass, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_first: Option<String>,
}

/// All trials with one count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
