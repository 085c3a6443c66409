//! Every scenario that is shipped can be run, is judged, can be repeated from its run directory, and leaves
//! nothing of what it wrote.

use std::path::{Path, PathBuf};

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::agrees_with_log;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// Lines that replace those of a scenario, so that its files are made quickly.
const HEAD: &str = "warmup = '500ms'\nduration = '2s'\nscale = '1'\ndirect = false\n";

/// The scenarios that `reelgauge scenarios` lists.
fn names() -> Vec<String> {
    let listing = binary::run(["scenarios", "--json"]).expect_code(0).json();
    listing.as_array().unwrap().iter().map(|one| text(one, "name").to_owned()).collect()
}

/// A copy of a scenario with short clips, small files and two seconds; everything else is as it is shipped.
fn cut_down(name: &str, scratch: &Scratch) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let shipped = std::fs::read_to_string(root.join(format!("catalogue/scenarios/{name}.toml"))).unwrap();
    let key = |line: &str| line.split('=').next().unwrap_or("").trim().to_owned();
    let gone = ["warmup", "duration", "scale", "direct", "find_max", "clip", "file_size", "files"];
    let mut plan = HEAD.to_owned();
    for line in shipped.lines().filter(|line| !gone.contains(&key(line).as_str())) {
        plan.push_str(line);
        plan.push('\n');
        if key(line) == "kind" {
            plan.push_str(match line.split(['"', '\'']).nth(1).unwrap() {
                "copier" => "file_size = '64MiB'\n",
                "camera" | "companion" => "file_size = '8MiB'\nfiles = 2\n",
                "mix" => "",
                _ => "clip = '125ms'\n",
            });
        }
    }
    let path = scratch.path().join(format!("{name}.toml"));
    std::fs::write(&path, plan).unwrap();
    path
}

/// Checks that the run was judged, measured every stream and left none of its files.
#[track_caller]
fn was_judged(name: &str, summary: &Value, target: &Path) {
    assert_eq!(text(summary, "outcome"), "complete", "{name}");
    assert!(at(summary, "verdict.passed").is_boolean(), "{name}");
    assert!(count(summary, "load_points.0.total.ops") > 0, "{name}");
    assert_eq!(count(summary, "load_points.0.total.failed_ops"), 0, "{name}");
    let streams = at(summary, "load_points.0").pointer("/streams/streams").and_then(Value::as_array);
    for stream in streams.into_iter().flatten() {
        assert!(count(stream, "frames_judged") > 0, "{name}: {stream:#}");
    }
    let entries: Vec<_> =
        std::fs::read_dir(target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(entries.iter().all(|entry| entry == "reelgauge-area"), "{name} left {entries:?}");
    let left = files_below(&target.join("reelgauge-area"));
    let written: Vec<_> = left
        .iter()
        .filter(|path| ["recording", "proxy", "copy", "scratch"].iter().any(|word| path.contains(word)))
        .collect();
    assert!(written.is_empty(), "{name} left {written:?}");
}

/// Every file below a folder, as text.
fn files_below(folder: &Path) -> Vec<String> {
    let tree = reelgauge_tests::tree::tree(folder, &["data"]);
    let files = tree.into_keys().filter(|inside| folder.join(inside).is_file());
    files.map(|path| path.display().to_string()).collect()
}

#[test]
fn every_scenario_runs_is_judged_and_leaves_nothing() {
    require!(Need::Python);
    let names = names();
    assert!(names.len() >= 5 && names.iter().any(|name| name == "newsroom"), "{names:?}");
    let _turn = my_turn();
    for name in names {
        let scratch = Scratch::new();
        let target = scratch.dir("target");
        let run = Verb::on("run", cut_down(&name, &scratch)).with_path("--target", &target);
        let outcome = run.run();
        assert!(matches!(outcome.code, Some(0 | 1)), "{name}: {:?}\n{}", outcome.code, outcome.said());
        let summary = outcome.json();
        was_judged(&name, &summary, &target);
        let is_met = at(&summary, "statement.judgement") == "met";
        assert_eq!(is_met, outcome.code.unwrap() == 0, "{name}");
        if at(&summary, "load_points.0").pointer("/streams/streams").is_some() {
            agrees_with_log(&run, &summary);
        }
        binary::run(["clean".as_ref(), target.as_os_str()]).expect_code(0);
        assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0, "{name}");
    }
}

#[test]
fn the_plan_of_a_run_repeats_it() {
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let target = scratch.dir("target");
    let first = Verb::on("run", cut_down("newsroom", &scratch)).with_path("--target", &target);
    let first = (first.run().json(), first.run_dir());
    let again = Verb::on("run", first.1.join("run.toml")).run().json();
    let streams = |summary: &Value| -> Vec<(u64, String)> {
        let streams = at(summary, "load_points.0.streams.streams").as_array().unwrap().iter();
        streams.map(|stream| (count(stream, "stream"), text(stream, "name").to_owned())).collect()
    };
    assert!(!streams(&first.0).is_empty());
    assert_eq!(streams(&first.0), streams(&again));
    // The files of the first run serve the second.
    assert_eq!(at(&again, "data_set.reused"), true);
}
