//! Notes for the reader of a summary: facts, each with the sentence that states it.
//!
//! Programs use the fact. The sentence is only for display, and may change in the next version. Not
//! here: the words (report).

use serde::{Deserialize, Serialize};

/// A note about a run: a fact with its figures, and the same as a sentence. `kind` is the kind of fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenNote")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Note {
    /// The fact that the note is about.
    #[serde(flatten)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub fact: NoteFact,
    /// The agents of a fleet that it is about. Empty if it is about the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The fact as a sentence, for display. No program depends on it.
    pub sentence: String,
    /// The advice as a sentence, for display. Empty if there is nothing to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub advice: String,
}

/// The fact that a note is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoteFact {
    /// The target is a file system in memory.
    TargetIsMemory {
        /// Its type, `tmpfs`.
        fs_type: String,
    },
    /// A cache answered reads, or may have: the summary's `memory` shows which one, and why.
    Cache,
    /// Reelgauge issued operations so late that response times are doubtful.
    OwnLateness {
        /// 99 of 100 operations were no later; with fewer than 100, all of them.
        late_us: f64,
        /// Whether it is the maximum over all operations.
        of_all: bool,
        /// The median response of reads and writes.
        response_p50_us: f64,
    },
    /// The run directory is on the storage that is measured.
    RunDirectoryOnTarget {
        /// The path of the run directory.
        path: String,
    },
    /// Operations completed after their load point had been given up, and are in no figure.
    Stragglers {
        /// The number of these operations.
        ops: u64,
    },
    /// Operations were counted but are not in the log.
    LogDropped {
        /// The number of these operations.
        ops: u64,
        /// Why they are missing.
        trouble: LogTrouble,
    },
    /// The load points were short.
    ShortLook {
        /// The shortest measured time.
        measured_s: f64,
    },
    /// Means and maxima in the tables are from few transfers.
    FewTransfers {
        /// The number of cells with few transfers.
        cells: u64,
        /// The number of cells with any transfers.
        of: u64,
    },
    /// Operations waited for the byte rate limit.
    HeldBack {
        /// The number of these operations.
        ops: u64,
        max_bytes_per_s: u64,
        /// Whether writes went to the client's cache, which the limit does not affect.
        writes_to_cache: bool,
    },
    /// Operations are in no figure, because the client was too busy to count them.
    NotCounted {
        /// The number of these operations.
        ops: u64,
    },
    /// Written data was not verified, although the user requested it.
    NotVerified,
    /// Files of the run could not be removed.
    FilesLeft {
        /// The path of the area.
        path: String,
        /// The error of the system.
        error: String,
    },
    /// The page could not be written.
    NoPage {
        /// Its file name.
        file: String,
        error: String,
    },
    /// Counters could not be sampled.
    NotSampled,
    /// Direct I/O does not work, so the run used the client's cache.
    NoDirect { why: String },
    /// Files could not be dropped from the client's cache before they were read.
    NotCooled {
        /// The error of the system.
        error: String,
    },
    /// The scope of the lock on the target.
    TargetLock,
    /// The user as whom files on the target are opened.
    OtherIdentity,
    /// Entries of the user's directory that were not read.
    EntriesLeftOut {
        /// The path of the directory.
        folder: String,
    },
    /// A data set of an earlier run was removed to make room.
    EarlierFilesRemoved { name: String, bytes: u64 },
    /// A search cannot continue because there is no room for its files.
    SearchRoom,
    /// A search cannot continue because the user's own files are too few.
    SearchOwnFiles,
    /// A search could judge none of its trials.
    SearchNotJudged,
    /// There was no room to play the result of a search for longer than a trial.
    NotConfirmed,
    /// An error occurred while a stopped run was being ended.
    NotEndedInOrder { error: String },
    /// Reelgauge did not keep the times of a replay.
    ReplayTiming,
    /// A part of the run directory is damaged or missing, although the run was completed.
    Lost {
        /// The part that is damaged or missing.
        part: LostPart,
    },
    /// Operations are missing from the log of an agent, so its figures are too low.
    AgentLogMissing,
    /// Hosts were measured at the same time for only a part of the time.
    Overlap {
        /// The load point, from 0.
        load_point: usize,
        /// How long all of them were measured at the same time.
        shared_s: f64,
        /// How long any of them was measured.
        all_s: f64,
    },
    /// The difference between the hosts' clocks is large or unknown.
    Clocks,
    /// A host's clock was wrong, or was set during the run.
    WallClock,
    /// Hosts did not replay the same operations.
    OtherReplays,
    /// The figures do not include an observer, or only a part of it.
    Observer { name: String },
    /// Anything else, including kinds that this version does not know.
    #[serde(other)]
    Other,
}

/// Why operations are missing from the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogTrouble {
    /// Writing the log took longer than the operations.
    TooSlow,
    /// The disk of the log is full.
    DiskFull,
    /// The log could not be written for another reason.
    Failed,
}

/// A part of a run directory that is damaged or missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LostPart {
    /// The summary: the figures are computed from the log.
    Summary,
    /// A part of the log.
    Log,
    /// The table of streams, so late frames cannot be counted.
    Streams,
    Counters,
}

/// A note as written in a file: in version 1 of the summary only a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenNote {
    Whole {
        #[serde(flatten)]
        fact: NoteFact,
        #[serde(default)]
        agents: Vec<String>,
        sentence: String,
        #[serde(default)]
        advice: String,
    },
    /// A kind whose figures this version does not know.
    Unknown {
        sentence: String,
    },
    Text(String),
}

impl From<WrittenNote> for Note {
    fn from(written: WrittenNote) -> Note {
        match written {
            WrittenNote::Whole { fact, agents, sentence, advice } => Note { fact, agents, sentence, advice },
            WrittenNote::Unknown { sentence } | WrittenNote::Text(sentence) => Note::other(sentence),
        }
    }
}

impl Note {
    /// A note about the whole run.
    pub fn new(fact: NoteFact, sentence: impl Into<String>, advice: impl Into<String>) -> Note {
        Note { fact, agents: Vec::new(), sentence: sentence.into(), advice: advice.into() }
    }

    /// A note without a kind.
    pub fn other(sentence: impl Into<String>) -> Note {
        Note::new(NoteFact::Other, sentence, "")
    }

    /// Fact and advice, in one text.
    pub fn text(&self) -> String {
        let parts = [self.sentence.as_str(), self.advice.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_note_is_an_object_with_its_kind_its_figures_and_a_sentence() {
        let note = Note::new(NoteFact::ShortLook { measured_s: 2.5 }, "Only 2.5 s.", "Use --duration 60s.");
        let json = serde_json::to_value(&note).unwrap();
        let expected = serde_json::json!({
            "kind": "short_look", "measured_s": 2.5, "sentence": "Only 2.5 s.", "advice": "Use --duration 60s."
        });
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Note>(json).unwrap(), note);
        assert_eq!(note.text(), "Only 2.5 s. Use --duration 60s.");
    }

    #[test]
    fn a_text_and_an_unknown_kind_are_read_as_other_notes() {
        let read = |json: &str| serde_json::from_str::<Note>(json).unwrap();
        assert_eq!(read(r#""As in version 1.""#), Note::other("As in version 1."));
        assert_eq!(read(r#"{"kind": "comet", "tail_km": 3, "sentence": "x"}"#), Note::other("x"));
        // A known kind with other figures.
        assert_eq!(read(r#"{"kind": "short_look", "sentence": "x"}"#), Note::other("x"));
        assert!(serde_json::from_str::<Note>(r#"{"kind": "cache"}"#).is_err(), "nothing to show");
    }
}
