//! What the reader of a summary should know: facts, each with the sentence that states it.
//!
//! Programs decide by the fact. Only people and scripts read the sentence: it may be worded otherwise in the
//! next version. Not here: the words (the report room's).

use serde::{Deserialize, Serialize};

/// A note of a run: what it is about, with its figures, and the same in words. `kind` names what it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenNote")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Note {
    /// What it is about.
    #[serde(flatten)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub fact: NoteFact,
    /// The agents of a fleet that it is about. Empty where it is about all of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The fact as a sentence, for display. No program decides by it.
    pub sentence: String,
    /// The advice as a sentence, for display. Empty where there is nothing to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub advice: String,
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoteFact {
    /// The target is a file system in memory.
    TargetIsMemory {
        /// Its type, `tmpfs`.
        fs_type: String,
    },
    /// A cache answered reads, or may have: the summary's `memory` says which, and why.
    Cache,
    /// The tool issued operations so late that response times are doubtful.
    OwnLateness {
        /// 99 of 100 operations were no later; all of them, where they are fewer than that.
        late_us: f64,
        /// Whether it holds for all.
        of_all: bool,
        /// The median response of reads and writes.
        response_p50_us: f64,
    },
    /// The run directory lies on what is measured.
    RunDirectoryOnTarget {
        /// Where.
        path: String,
    },
    /// Operations came back after their load point had been given up, and are in no figure.
    Stragglers {
        /// How many.
        ops: u64,
    },
    /// Operations were counted but are not in the log.
    LogDropped {
        /// How many.
        ops: u64,
        /// What kept them out.
        trouble: LogTrouble,
    },
    /// The load points were short.
    ShortLook {
        /// The shortest.
        measured_s: f64,
    },
    /// Means and maxima in the tables come from few transfers.
    FewTransfers {
        /// Cells with few.
        cells: u64,
        /// Cells with any.
        of: u64,
    },
    /// Operations waited for a limit on bytes a second.
    HeldBack {
        /// How many.
        ops: u64,
        /// The limit.
        max_bytes_per_s: u64,
        /// Whether writes went to the client's cache, which the limit does not hold.
        writes_to_cache: bool,
    },
    /// Operations are in no figure, because the client was too busy to count them.
    NotCounted {
        /// How many.
        ops: u64,
    },
    /// What was written was not compared, although that was asked for.
    NotVerified,
    /// What the run made itself could not be removed.
    FilesLeft {
        /// The area.
        path: String,
        /// What the system said.
        error: String,
    },
    /// There is no page.
    NoPage {
        /// Its file name.
        file: String,
        /// Why.
        error: String,
    },
    /// Counters could not be sampled.
    NotSampled,
    /// Direct I/O does not work, so the run went through the client's cache.
    NoDirect {
        /// Why not.
        why: String,
    },
    /// Files could not be dropped from the client's cache before they were read.
    NotCooled {
        /// What the system said.
        error: String,
    },
    /// How far the lock on the target reaches.
    TargetLock,
    /// As whom files on the target are opened.
    OtherIdentity,
    /// Entries of the user's folder that were not read.
    EntriesLeftOut {
        /// The folder.
        folder: String,
    },
    /// A data set of an earlier run was removed to make room.
    EarlierFilesRemoved {
        /// Its name.
        name: String,
        /// Its size.
        bytes: u64,
    },
    /// A search can go no further for want of room for its files.
    SearchRoom,
    /// A search can go no further for want of the user's own files.
    SearchOwnFiles,
    /// A search could judge none of its trials.
    SearchNotJudged,
    /// There was no room to hold the answer of a search for longer than a trial.
    NotConfirmed,
    /// Something failed while a run that had been stopped was ended.
    NotEndedInOrder {
        /// What.
        error: String,
    },
    /// The tool did not keep to the times of a replay.
    ReplayTiming,
    /// A part of the run directory is damaged or missing although the run came to its end.
    Lost {
        /// Which part.
        part: LostPart,
    },
    /// The log of an agent lacks something, so its figures are too low.
    AgentLogMissing,
    /// Machines were measured at the same time for a part of the time only.
    Overlap {
        /// The load point, from 0.
        load_point: usize,
        /// How long all were measured together.
        shared_s: f64,
        /// How long any was.
        all_s: f64,
    },
    /// How far the machines' clocks are apart is large or unknown.
    Clocks,
    /// A machine's clock was off, or was set during the run.
    WallClock,
    /// Machines did not replay the same.
    OtherReplays,
    /// An observer is not, or not wholly, among the figures.
    Observer {
        /// Its name.
        name: String,
    },
    /// Anything else, and a kind that this version does not know.
    #[serde(other)]
    Other,
}

/// What kept operations out of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogTrouble {
    /// Writing took longer than the operations.
    TooSlow,
    /// There is no room where it is written.
    DiskFull,
    /// It could not be written for another reason.
    Failed,
}

/// A part of a run directory that is damaged or missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LostPart {
    /// The summary: the figures are those of the log.
    Summary,
    /// Some of the log.
    Log,
    /// What each stream was, so late frames can't be counted.
    Streams,
    /// The counters.
    Counters,
}

/// A note as it stands in a file: a text alone in version 1 of the summary.
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
    /// Of a kind whose figures this version does not know.
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
    /// A note about all of a run.
    pub fn new(fact: NoteFact, sentence: impl Into<String>, advice: impl Into<String>) -> Note {
        Note { fact, agents: Vec::new(), sentence: sentence.into(), advice: advice.into() }
    }

    /// One of no kind that anything is decided by.
    pub fn other(sentence: impl Into<String>) -> Note {
        Note::new(NoteFact::Other, sentence, "")
    }

    /// What is so and what to do about it, in one text.
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
