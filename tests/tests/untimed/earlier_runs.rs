//! Runs of every kind from the previous version still open: on the screen, as a page, in the list and in
//! a comparison. They are in `tests/runs-2ca8415`, named after the commit that made them, without their
//! pages.

use std::path::{Path, PathBuf};

use reelgauge_tests::binary;
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::text;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sentences::untrue;

/// A quick check, a search, streams, mixes, a replay, a curve, a watch, a run of two hosts, a suite, a
/// proof, and streams that were killed. The suite and the proof are without their runs.
const KINDS: [&str; 12] = [
    "check", "find", "freeze", "killed", "merged", "mix", "proof", "replay", "suite", "sweep", "vda", "watch",
];

/// Kinds that consist of several runs.
const SERIES: [&str; 2] = ["proof", "suite"];

/// A copy of the runs, because `report` writes into a run that it opens.
fn copied(scratch: &Scratch) -> PathBuf {
    let runs = scratch.path().join("runs");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("runs-2ca8415");
    tool(&format!("cp -r {} {}", kept.display(), runs.display()));
    runs
}

fn said(words: &[&str]) -> String {
    let outcome = binary::run(words).expect_code(0);
    assert!(!outcome.stderr.contains("panicked"), "{words:?}: {}", outcome.said());
    outcome.stdout
}

/// Whether a screen contains this sentence, ignoring line breaks.
fn screen_says(screen: &str, sentence: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    words(screen).contains(&words(sentence))
}

/// A curve, a replay, several hosts and others. In that version, some figures of a quick check and of a
/// search were only in texts.
#[test]
fn screens_of_recorded_runs_have_only_numbers_of_their_summaries() {
    let scratch = Scratch::new();
    let runs = copied(&scratch);
    let mut wrong = Vec::new();
    for kind in KINDS.iter().filter(|kind| !SERIES.contains(kind) && !["check", "find"].contains(kind)) {
        let run = runs.join(kind).display().to_string();
        let json: serde_json::Value = serde_json::from_str(&said(&["report", &run, "--json"])).unwrap();
        let untrue = untrue(&said(&["report", &run]), &json);
        wrong.extend(untrue.into_iter().map(|what| format!("{kind}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn runs_of_the_version_before_open_on_the_screen_and_as_a_page() {
    let scratch = Scratch::new();
    let runs = copied(&scratch);
    for kind in KINDS {
        let run = runs.join(kind).display().to_string();
        let screen = said(&["report", &run]);
        assert!(screen.lines().count() > 3, "{kind}: {screen}");
        let json: serde_json::Value = serde_json::from_str(&said(&["report", &run, "--json"])).unwrap();
        if !SERIES.contains(&kind) {
            let outcome = if kind == "killed" { "broke_off" } else { "complete" };
            assert_eq!(text(&json, "outcome"), outcome, "{kind}");
            // The path from which it was opened, not the one where it was made.
            assert_eq!(text(&json, "run_dir"), run, "{kind}");
            // That version had only texts.
            let notes = json["notes"].as_array().unwrap();
            assert!(
                notes.iter().all(|note| screen_says(&screen, text(note, "sentence"))),
                "{kind}: {notes:#?}"
            );
        }
        // A proof has no page.
        if kind == "proof" {
            continue;
        }
        let page = scratch.path().join(format!("{kind}.html"));
        said(&["report", &run, "--html", page.to_str().unwrap()]);
        let html = std::fs::read_to_string(&page).unwrap();
        assert!(html.len() > 100_000, "{kind}");
        for note in json["notes"].as_array().into_iter().flatten() {
            assert!(html.contains(text(note, "sentence")), "{kind}: {note:#}");
        }
    }
}

#[test]
fn runs_of_the_version_before_are_listed_and_compared() {
    let scratch = Scratch::new();
    let runs = copied(&scratch);
    let list: serde_json::Value =
        serde_json::from_str(&said(&["list", runs.to_str().unwrap(), "--json"])).unwrap();
    let entries = list.as_array().unwrap();
    assert_eq!(entries.len(), KINDS.len(), "{list:#}");
    let verdict = |kind: &str| {
        let entry = entries.iter().find(|entry| entry["id"] == kind).unwrap();
        (entry["state"].as_str().unwrap().to_owned(), entry["verdict"].as_str().unwrap_or("none").to_owned())
    };
    // That version reported the unfinished search as met.
    assert_eq!(verdict("find"), ("complete".to_owned(), "inconclusive".to_owned()));
    assert_eq!(verdict("freeze"), ("complete".to_owned(), "not_met".to_owned()));
    assert_eq!(verdict("killed"), ("killed".to_owned(), "none".to_owned()));
    for kind in KINDS {
        let run = runs.join(kind).display().to_string();
        let again = scratch.path().join(format!("{kind}-again"));
        tool(&format!("cp -r {run} {}", again.display()));
        let compared = binary::run(["compare", &run, again.to_str().unwrap()]);
        let no_runs = match kind {
            "proof" => Some("is a proof"),
            "watch" => Some("is a watch"),
            _ => None,
        };
        let (code, said) = no_runs.map_or((0, ""), |what| (2, what));
        assert!(compared.code == Some(code) && compared.said().contains(said), "{kind}: {}", compared.said());
    }
    // With another run of the same kind of work.
    let [mix, sweep] = ["mix", "sweep"].map(|kind| runs.join(kind).display().to_string());
    assert!(said(&["compare", &mix, &sweep]).contains("Run 2"));
}

/// A screen has one judgement. That version named the storage, an unknown limit and other programs.
#[test]
fn a_freeze_that_a_busy_client_watched_has_one_cause_and_one_next_step() {
    let scratch = Scratch::new();
    let run = copied(&scratch).join("freeze");
    let screen = binary::run(["report", run.to_str().unwrap()]).expect_code(0).words();
    assert!(screen.starts_with("Result: 57 of 255 frames "), "{screen}");
    assert_eq!(screen.matches("Next: ").count(), 1, "{screen}");
    assert!(!screen.contains("Limited by:"), "{screen}");
    assert!(screen.contains("99 %"), "{screen}");
}
