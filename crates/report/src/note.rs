//! Notes of a run as text: the fact, and separately its remedy. A quick check has a single next step, so
//! its screen and page show no remedies of notes.
//!
//! Not here: the facts of a note ([`reelgauge_analysis::note`]), and most warnings ([`crate::warning`]).

use reelgauge_analysis::Summary;
use reelgauge_analysis::note::{LostPart, Note, NoteFact};

mod short;

use crate::page::PageWarning;
use crate::text::plain;
use crate::units::{counted, counted_are, mb_per_s};

/// The notes of a run as a page shows them.
pub fn note_texts(summary: &Summary) -> Vec<String> {
    summary.notes.iter().map(|note| whole(note, summary)).collect()
}

fn whole(note: &Note, summary: &Summary) -> String {
    plain(&if summary.check.is_some() { note.sentence.clone() } else { note.text() })
}

/// The notes of a run as its screen shows them, the most harmful first.
pub(crate) fn warnings(summary: &Summary) -> Vec<PageWarning> {
    let mut notes: Vec<&Note> = summary.notes.iter().collect();
    notes.sort_by_key(|note| short::harm(&note.fact));
    let short = |note| short::short(note, summary).map(|text| plain(&text));
    let warning = |note| PageWarning { short: short(note), whole: whole(note, summary) };
    notes.into_iter().map(warning).collect()
}

/// The note about operations that were delayed by a limit on bytes per second.
///
/// `has_direct`: the verb has a flag for direct I/O.
pub fn held_back_note(ops: u64, max_bytes_per_s: u64, writes_to_cache: bool, has_direct: bool) -> Note {
    let waited = counted(ops, "operation");
    let rate = mb_per_s(max_bytes_per_s as f64);
    let (cached, advice) = match writes_to_cache {
        true => (
            " Writes went to this client's cache first and reach the storage in bursts.",
            if has_direct { "Use --direct to limit writes, too." } else { "" },
        ),
        false => ("", ""),
    };
    Note::new(
        NoteFact::HeldBack { ops, max_bytes_per_s, writes_to_cache },
        format!("{waited} waited for --max-rate, which allows {rate} MB/s.{cached}"),
        advice,
    )
}

/// The note about operations that are missing in all figures.
pub fn not_counted_note(ops: u64) -> Note {
    let are = counted_are(ops, "operation", "is", "are");
    Note::new(
        NoteFact::NotCounted { ops },
        format!("{are} missing from all figures, because this client was too busy."),
        "Use fewer workers or a client with more cores.",
    )
}

/// The note about data that were not read back, and why.
pub fn not_verified_note(why: &str) -> Note {
    Note::new(NoteFact::NotVerified, format!("Not verified: {why}."), "")
}

/// The note about files that a run created and could not remove.
pub fn files_left_note(path: &str, error: &str) -> Note {
    Note::new(
        NoteFact::FilesLeft { path: path.to_owned(), error: error.to_owned() },
        format!("Cannot remove this run's own files from {path} ({error})."),
        "The next run there or 'reelgauge clean' removes them.",
    )
}

/// The note about a page that could not be created.
pub fn no_page_note(file: &str, error: &str) -> Note {
    Note::new(
        NoteFact::NoPage { file: file.to_owned(), error: error.to_owned() },
        format!("There is no {file}: {error}."),
        "",
    )
}

/// The note about a part of its directory that a run lost after it finished.
pub fn lost_note(part: LostPart) -> Note {
    let sentence = match part {
        LostPart::Summary => {
            "The run completed, but its summary.json is missing. These figures come from its log and lack \
             what only the summary held, such as criteria."
        }
        LostPart::Log => "Parts of the log are damaged or missing: the figures cover only the rest.",
        LostPart::Streams => "streams.json is missing or damaged: late frames cannot be counted.",
        LostPart::Counters => {
            "The counters of the run are missing or damaged: its limit, and other use of the storage and \
             the processors, are unknown."
        }
    };
    Note::new(NoteFact::Lost { part }, sentence, "")
}
