//! The list of runs: the measured targets, newest run first, each with its result. Each run has a few
//! lines, so that nothing has to be cut.

use std::path::Path;

use reelgauge_analysis::statement::Judgement;
use reelgauge_record::notes::RunNotes;

use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::text::{plain, shell_word};
use crate::units::amount;
use crate::user_description::storage_words;

/// A run in the list.
#[derive(Clone, Copy, Debug)]
pub struct RunLine<'a> {
    /// Its directory, as other verbs accept it.
    pub dir: &'a Path,
    /// When it began, RFC 3339; empty if unknown.
    pub started_at: &'a str,
    pub verb: &'a str,
    pub target: &'a str,
    /// Its end in one word, if it did not finish: `running`, `killed`.
    pub state: Option<&'a str>,
    /// Whether its criteria were met; `None` if there were none.
    pub verdict: Option<Judgement>,
    /// The first sentence of its result; empty if there is none.
    pub answer: &'a str,
    /// The size of all its files.
    pub bytes_on_disk: u64,
    /// The user's notes on it.
    pub notes: Option<&'a RunNotes>,
}

/// The list as text, ending with a line feed. `left_out`: the number of older runs that are not listed.
pub fn run_list(runs: &[RunLine<'_>], left_out: usize, style: Style) -> String {
    let mut page = ScreenText::new(style);
    for run in runs {
        page.gap();
        page.sentence(Tone::Answer, &head(run));
        page.sentence(Tone::Plain, &plain(run.answer));
        page.item("Run", &format!("{}, {}", shell_word(run.dir), amount(run.bytes_on_disk)));
        said(run.notes, &mut page);
    }
    if left_out > 0 {
        page.gap();
        let (noun, verb) = if left_out == 1 { ("run", "is") } else { ("runs", "are") };
        page.sentence(
            Tone::Plain,
            &format!("{left_out} older {noun} {verb} not shown. --limit 0 shows all."),
        );
    }
    page.text
}

/// `2026-11-23 10:10 UTC, check of /mnt/nas: criteria met`.
fn head(run: &RunLine<'_>) -> String {
    let when = match run.started_at.get(..16) {
        Some(minute) => format!("{} UTC, ", minute.replace('T', " ")),
        None => String::new(),
    };
    let verb = if run.verb.is_empty() { "run" } else { run.verb };
    let target = if run.target.is_empty() { String::new() } else { format!(" of {}", run.target) };
    // For an unfinished run, its state is more informative.
    let verdict = run.verdict.and_then(|verdict| match verdict {
        Judgement::Met => Some("criteria met"),
        Judgement::NotMet => Some("criteria NOT MET"),
        Judgement::Inconclusive => Some("INCONCLUSIVE"),
        Judgement::NotKnown => run.state.is_none().then_some("criteria unknown"),
        Judgement::NothingAsked => None,
    });
    let ended = run.state.into_iter().chain(verdict).collect::<Vec<_>>().join(", ");
    let ended = if ended.is_empty() { String::new() } else { format!(": {ended}") };
    plain(&format!("{when}{verb}{target}{ended}"))
}

fn said(notes: Option<&RunNotes>, page: &mut ScreenText) {
    let Some(notes) = notes else { return };
    if let Some(words) = storage_words(&notes.storage()) {
        page.item("Storage", &words);
    }
    if !notes.tags.is_empty() {
        page.item("Tags", &plain(&notes.tags.join(", ")));
    }
    if !notes.note.trim().is_empty() {
        page.item("Note", &plain(&notes.note.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_list_has_results_and_descriptions() {
        let mut printed = Vec::<String>::new();
        let notes = RunNotes {
            tags: vec!["before".to_owned(), "10GbE".to_owned()],
            storage_make: "Acme".to_owned(),
            ..RunNotes::default()
        };
        let run = RunLine {
            dir: Path::new("reelgauge-runs/2026-11-23T101013Z-nas-check"),
            started_at: "2026-11-23T10:10:13Z",
            verb: "check",
            target: "/mnt/nas",
            state: None,
            verdict: None,
            answer: "12 streams play without a late frame.",
            bytes_on_disk: 15_200_000,
            notes: Some(&notes),
        };
        let killed =
            RunLine { verb: "", answer: "", state: Some("killed"), started_at: "", notes: None, ..run };
        let failed = RunLine { verdict: Some(Judgement::NotMet), answer: "", notes: None, ..run };
        let unclear = RunLine { verdict: Some(Judgement::Inconclusive), ..failed };
        let unknown = RunLine { verdict: Some(Judgement::NotKnown), ..killed };
        assert!(run_list(&[unclear], 0, Style::default()).contains("check of /mnt/nas: INCONCLUSIVE\n"));
        printed.push(run_list(&[unknown], 0, Style::default()).to_string());
        printed.push(run_list(&[run, killed, failed], 1, Style::default()).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
