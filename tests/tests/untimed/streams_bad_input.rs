//! Invalid streams, searches, plans and scenarios are refused before anything is touched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use reelgauge_tests::refusal::{all_refused, refused};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;

/// Checks that `streams` refuses these flags in addition to a valid format.
#[track_caller]
fn streams_refused(target: &Path, cases: &[(&[&str], &str)]) {
    let full: Vec<(Vec<&str>, &str)> = cases
        .iter()
        .map(|(flags, remedy)| ([&["--format", SMALL.id][..], flags].concat(), *remedy))
        .collect();
    let full: Vec<(&[&str], &str)> = full.iter().map(|(flags, remedy)| (flags.as_slice(), *remedy)).collect();
    all_refused("streams", target, &full);
}

#[test]
fn values_that_make_no_sense() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--count", "0"], "--count"),
        (&["--count", "many"], "--count"),
        (&["--count", "4294967295"], "1 to 4096"),
        (&["--buffer", "0s"], "buffer"),
        (&["--buffer", "0frames"], "buffer"),
        (&["--buffer", "12"], "12frames"),
        (&["--policy", "nonsense"], "stall"),
        (&["--read-ahead", "sideways"], "open"),
        (&["--actor", "juggler"], "recorder"),
        (&["--fps", "0"], "--fps"),
        (&["--fps", "fast"], "25"),
        (&["--clip", "0s"], "clip"),
        (&["--duration", "0s"], "duration"),
        (&["--warmup", "soon"], "--warmup"),
        (&["--actor", "editor", "--cameras", "0"], "cameras"),
        (&["--criteria", "late=often"], "late"),
        (&["--criteria", "luck=1"], "late"),
        (&["--find-max", "--time-max", "0s"], "time"),
        (&["--seed", "minus one"], "--seed"),
    ];
    streams_refused(&target, cases);
}

/// Each flag with its permitted range.
#[test]
fn numbers_that_are_out_of_range() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--frame-size", "0", "--fps", "25"], "1B and 4000MB"),
        (&["--frame-size", "5GB", "--fps", "25"], "--frame-size 5000000000B"),
        (&["--mbit-per-s", "0", "--fps", "25"], "0.0002 and 800000 at 25 fps"),
        (&["--mbit-per-s", "nan", "--fps", "25"], "--mbit-per-s NaN"),
        (&["--mbit-per-s", "1e300", "--fps", "25"], "--mbit-per-s 1e300"),
        (&["--actor", "copier", "--file-size", "16777215TiB"], "1B to 1024TiB"),
        (&["--actor", "copier", "--file-size", "0"], "--file-size "),
        (&["--actor", "copier", "--count", "5000"], "5000"),
    ];
    all_refused("streams", &target, cases);
    let curve: &[(&[&str], &str)] =
        &[(&["--file-size", "16777215TiB"], "1MiB to 1024TiB"), (&["--streams", "5000"], "10000")];
    all_refused("vda", &target, curve);
}

#[test]
fn options_that_do_not_go_together() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--find-max", "--count", "1..4"], "--count"),
        (&["--time-max", "1m"], "--find-max"),
        (&["--direct", "--buffered"], "--buffered"),
        (&["--like", "clip.mov"], "--like"),
    ];
    streams_refused(&target, cases);
}

#[test]
fn options_without_effect() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--actor", "player", "--preallocated"], "preallocated"),
        (&["--actor", "player", "--sync-every", "1s"], "sync"),
        (&["--actor", "player", "--cameras", "4"], "cameras"),
        (&["--actor", "recorder", "--read-ahead", "open"], "read"),
    ];
    streams_refused(&target, cases);
    all_refused("streams", &target, &[(&["--actor", "player"], "--format")]);
}

#[test]
fn a_format_that_does_not_exist_has_neighbours() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--format", "dnxhr-lb-hd-26"], "dnxhr-lb-hd-25"),
        (&["--format", "dnxhr-lb-dh-25"], "dnxhr-lb-hd-25"),
        (&["--format", "no such thing at all"], "reelgauge formats"),
    ];
    all_refused("streams", &target, cases);
}

#[test]
fn invalid_footage_is_refused() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let text = scratch.path().join("notes.txt");
    std::fs::write(&text, "no footage\n".repeat(1000)).unwrap();
    let empty = scratch.dir("empty");
    for like in [&text, &empty, &scratch.path().join("nowhere.mov")] {
        let path = like.to_str().unwrap();
        all_refused("streams", &target, &[(&["--like", path], path)]);
    }
    assert_eq!(std::fs::read_to_string(text).unwrap().lines().count(), 1000);
}

#[test]
fn targets_that_are_none() {
    let scratch = Scratch::new();
    let file = scratch.path().join("file");
    std::fs::write(&file, "content").unwrap();
    for verb in ["streams", "vda", "check"] {
        let flags: &[&str] = if verb == "streams" { &["--format", SMALL.id] } else { &[] };
        all_refused(verb, &scratch.path().join("nowhere"), &[(flags, "nowhere")]);
        all_refused(verb, &file, &[(flags, "directory")]);
    }
    assert_eq!(std::fs::read(file).unwrap(), b"content");
}

#[test]
fn curves_that_are_none() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--streams", "0"], "--streams"),
        (&["--streams", "5"], "--points"),
        (&["--points", "0"], "--points"),
        (&["--streams", "20", "--points", "1..4"], "--points"),
        (&["--files", "0"], "files"),
        (&["--file-size", "1KiB"], "file"),
        (&["--duration", "0s"], "duration"),
    ];
    all_refused("vda", &target, cases);
}

/// `run` with a plan of this text on the target.
fn run(scratch: &Scratch, plan: &str) -> Vec<OsString> {
    let path: PathBuf = scratch.path().join("plan.toml");
    std::fs::write(&path, plan).unwrap();
    let target = scratch.dir("target");
    vec!["run".into(), path.into(), "--target".into(), target.into()]
}

#[test]
fn plans_that_cannot_be_run() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let player = format!("[[actor]]\nkind = 'player'\nformat = '{}'\n", SMALL.id);
    let cases = [
        ("plan_version = 1\n[[actor]]\nkind = 'juggler'\n".to_owned(), "player"),
        (format!("plan_version = 1\ncolour = 'red'\n{player}"), "colour"),
        (format!("plan_version = 1\n{player}colour = 'red'\n"), "colour"),
        (format!("plan_version = 99\n{player}"), "version 99"),
        (format!("plan_version = 1\nduration = '0s'\n{player}"), "duration"),
        (format!("plan_version = 1\n{player}criteria = 'luck=1'\n"), "luck"),
        (format!("plan_version = 1\n{player}own_format = {{ name = 'x', fps = 25 }}\n"), "own_format"),
        ("plan_version = 1\n[[actor]]\nkind = 'player'\n".to_owned(), "format"),
        (
            "plan_version = 1\n[[actor]]\nkind = 'player'\nformat = 'no-such-format-25'\n".to_owned(),
            "formats",
        ),
        ("plan".to_owned(), "plan"),
        (String::new(), "plan"),
    ];
    for (plan, remedy) in cases {
        refused(&run(&scratch, &plan), &target, remedy);
    }
}

#[test]
fn scenarios_that_do_not_exist_or_have_no_target() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let call = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    refused(&call(&["run", "newsrom", "--target", target.to_str().unwrap()]), &target, "reelgauge scenarios");
    refused(&call(&["run", "newsroom"]), &target, "--target");
    let both = ["run", "newsroom", "--target", target.to_str().unwrap(), "--scale", "1..2", "--find-max"];
    refused(&call(&both), &target, "--scale");
}
