//! The library through the binary: `reelgauge traces` lists shipped traces and those in the user's
//! folder, shows one with its table, and writes one out. The suite of the twelve runs with one pass.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::run_dir::{at, count, summary};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;
use serde_json::Value;

/// The paper's twelve (its Table 2) by their names here, in order.
const TWELVE: [&str; 12] = [
    "ContentCreation-synth",
    "DirectoryCopyFromNAS-synth",
    "DirectoryCopyToNAS-synth",
    "FileCopyFromNAS-synth",
    "FileCopyToNAS-synth",
    "HDVideo_1Play-synth",
    "HDVideo_1Play_1Record-synth",
    "HDVideo_1Record-synth",
    "HDVideo_2Play-synth",
    "HDVideo_4Play-synth",
    "OfficeProductivity-synth",
    "PhotoAlbum-synth",
];

/// Runs the binary with the user's data in this folder.
#[track_caller]
fn with_data(home: &Path, words: &[&str]) -> Outcome {
    let mut command = Command::new(binary::path());
    command.env("XDG_DATA_HOME", home).env("HOME", home);
    binary::start_by(command, words).wait(Duration::from_secs(120))
}

/// The list, as JSON.
fn list(home: &Path) -> Vec<Value> {
    with_data(home, &["traces", "--json"]).expect_code(0).json().as_array().unwrap().clone()
}

#[test]
fn shipped_traces_are_listed_with_their_content() {
    let home = Scratch::new();
    let all = list(home.path());
    let named = |name: &str| all.iter().find(|entry| entry["name"] == name);
    let shipped: Vec<&str> = all
        .iter()
        .filter(|entry| entry["kind"] == "synthetic")
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!(shipped[..12], TWELVE);
    assert!(named("faststart-rewrite").is_some_and(|entry| entry["kind"] == "recorded"), "{all:#?}");
    for entry in &all {
        assert!(
            count(entry, "ops") > 0 && count(entry, "files") > 0 && entry["error"].is_null(),
            "{entry:#}"
        );
    }
    let screen = with_data(home.path(), &["traces"]).expect_code(0).stdout;
    for entry in &all {
        assert!(screen.contains(entry["name"].as_str().unwrap()), "{screen}");
    }
}

#[test]
fn library_trace_is_shown_with_published_figures() {
    let home = Scratch::new();
    let screen = with_data(home.path(), &["traces", "DirectoryCopyToNAS-synth"]).expect_code(0).words();
    // Two of the paper's figures: 5,966 accesses follow from them (traces.md §5.2).
    assert!(screen.contains("published") && screen.contains("tolerance"), "{screen}");
    assert!(screen.contains("5,966") && screen.contains("52.5") && !screen.contains("missed"), "{screen}");
    let one = with_data(home.path(), &["traces", "DirectoryCopyToNAS-synth", "--json"]).expect_code(0).json();
    let figures = at(&one, "info.synthetic").as_array().unwrap();
    assert!(!figures.is_empty());
    for figure in figures {
        let off = figure["achieved"].as_f64().unwrap() - figure["target"].as_f64().unwrap();
        assert!(off.abs() <= figure["tolerance"].as_f64().unwrap(), "{figure:#}");
    }
    let close = with_data(home.path(), &["traces", "PhotoAlbun"]).expect_code(2);
    assert!(close.stderr.contains("PhotoAlbum-synth"), "{}", close.said());
}

#[test]
fn one_is_written_out_by_its_seed_and_then_is_the_users_own() {
    let home = Scratch::new();
    let own = home.dir("reelgauge/traces");
    let out = |name: &str| own.join(name).to_str().unwrap().to_owned();
    for (name, seed) in [("a", "7"), ("b", "7"), ("c", "8")] {
        let words = ["traces", "ContentCreation-synth", "--seed", seed, "--out", &out(name)];
        with_data(home.path(), &words).expect_code(0);
    }
    let ops = |name: &str| with_data(home.path(), &["ops", &out(name), "--csv"]).expect_code(0).stdout;
    assert!(ops("a") == ops("b") && ops("a") != ops("c"), "the seed makes it");
    // It appears automatically, and is found by its name.
    let all = list(home.path());
    let mine: Vec<&Value> = all.iter().filter(|entry| entry["kind"] == "user").collect();
    assert_eq!(mine.len(), 3, "{mine:#?}");
    assert!(mine.iter().all(|entry| entry["path"].as_str().unwrap().starts_with(own.to_str().unwrap())));
    assert!(ops("a").lines().count() as u64 == count(mine[0], "ops") + 1);
    with_data(home.path(), &["traces", "a"]).expect_code(0);
    // Existing traces are not overwritten, and invalid input is refused.
    let before = tree(&own, &[]);
    for (words, why) in [
        (&["traces", "far-write", "--out", &out("a")][..], "exists"),
        (&["traces", "--out", &out("d")], "<NAME>"),
        (&["traces", "far-write", "--seed", "3", "--out", &out("d")], "seed"),
    ] {
        let refused = with_data(home.path(), words).expect_code(2);
        assert!(refused.stderr.contains(why), "{why}: {}", refused.said());
    }
    assert_eq!(tree(&own, &[]), before);
    // A damaged one is listed with its fault, and hides no other.
    std::fs::write(own.join("b/trace.json"), "{").unwrap();
    let all = list(home.path());
    let damaged = all.iter().find(|entry| entry["path"].as_str().is_some_and(|path| path.ends_with("/b")));
    assert!(damaged.unwrap()["error"].as_str().unwrap().contains("damaged"), "{damaged:#?}");
    assert_eq!(all.iter().filter(|entry| entry["kind"] == "user").count(), 3);
}

#[test]
fn the_suite_runs_all_twelve_with_one_pass() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let words = ["run", "naspt", "--batch", "1", "--json", "--target", target.to_str().unwrap(), "--out"];
    let words = words.into_iter().chain([runs.path().to_str().unwrap()]);
    let outcome = binary::start(words).wait(Duration::from_secs(600)).expect_code(0);
    println!("{:?}", outcome.took);
    let suite = outcome.json();
    let rows = at(&suite, "table.rows").as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["workload"].as_str().unwrap()).collect();
    assert_eq!((names, &suite["complete"]), (TWELVE.to_vec(), &true.into()), "{suite:#}");
    for row in rows {
        let passes = at(row, "passes").as_array().unwrap();
        assert!(passes.len() == 1 && count(row, "passes.0.differing_ops") == 0, "{row:#}");
        // Replays go through the client's cache, as the applications did; each workload reports that.
        assert_eq!(row["client_cache"], true, "{row:#}");
    }
    let rates: Vec<f64> = rows.iter().map(|row| row["median_bytes_per_s"].as_f64().unwrap()).collect();
    let mean = (rates.iter().map(|rate| rate.ln()).sum::<f64>() / 12.0).exp();
    let told = at(&suite, "table.geometric_mean_bytes_per_s").as_f64().unwrap();
    assert!((told / mean - 1.0).abs() < 1e-3, "{told} against {mean}");
    // Each run has its own caveats.
    let folders = std::fs::read_dir(runs.path()).unwrap().map(|entry| entry.unwrap().path());
    let folder = folders.into_iter().find(|path| path.join("suite.json").exists()).unwrap();
    for (row, run) in rows.iter().zip(at(&suite, "runs").as_array().unwrap()) {
        let run = summary(&folder.join(run.as_str().unwrap()));
        let doubts = row.get("doubts").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
        assert_eq!(doubts, *at(&run, "statement.confidence.doubts"), "{row:#}");
    }
    let left = tree(&target, &[]);
    assert!(!format!("{left:?}").contains("scratch"), "{left:?}");
}
