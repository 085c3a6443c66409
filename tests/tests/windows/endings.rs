//! Runs that are stopped, killed or refused, and storage that fills up.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::Outcome;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::try_tool;
use reelgauge_tests::run_dir::{at, count, summary, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::wine::{self, Drive};
use reelgauge_tests::{binary, python, require};
use rustix::process::Signal;

/// A mix with a long duration.
fn long(target: &Path) -> Mix {
    Mix::on(target).with(&["--buffered", "--duration", "10m"]).on_windows()
}

#[test]
fn ctrl_c_stops_a_run_and_keeps_its_results() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let mix = long(&scratch.dir("target"));
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    // Wine turns this signal into Ctrl-C.
    running.signal(Signal::INT);
    let printed = running.wait(binary::LIMIT).expect_code(130).json();
    assert_eq!(text(&printed, "outcome"), "interrupted");
    assert!(count(&printed, "load_points.0.total.ops") > 0);
    assert_eq!(summary(&mix.run_dir()), printed);
}

#[test]
fn a_killed_run_keeps_its_log_and_leaves_a_usable_area() {
    require!(Need::Windows, Need::Python);
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = long(&target);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(2));
    running.signal(Signal::KILL);
    drop(running);
    let run = mix.run_dir();
    let times = python::script("times.py", &[&run]);
    assert!(!run.join("summary.json").exists(), "the killed process wrote it");
    let report = wine::run([OsString::from("report"), run.into(), "--json".into()]).expect_code(0).json();
    let total = at(&report, "load_points.0.total");
    assert_eq!(count(total, "ops") + count(total, "warmup_ops"), count(&times, "rows"));
    assert!(count(&times, "rows") > 0);
    long(&target).with(&["--duration", "500ms", "--verify"]).measure();
}

#[track_caller]
fn refused(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.said());
    assert_eq!(outcome.stdout, "", "{}", outcome.said());
}

#[test]
fn a_missing_directory_is_refused_by_name() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let outcome = Mix::on(&scratch.path().join("no_such_directory")).on_windows().run();
    refused(&outcome);
    assert!(outcome.stderr.contains("no_such_directory"), "{}", outcome.said());
}

#[test]
fn a_drive_without_enough_space_is_refused_and_one_that_fills_up_ends_the_run() {
    require!(Need::Windows, Need::Root);
    let disk = TempMount::tmpfs(256);
    let drive = Drive::new('d', disk.path());
    let recorders = |clip: &str| {
        let flags = ["--actor", "recorder", "--format", SMALL.id, "--buffered", "--keep-free", "1MiB"];
        let verb = Verb::on("streams", drive.root()).on_windows().with(&flags);
        verb.with(&["--warmup", "0s", "--duration", clip])
    };
    refused(&recorders("10m").run());
    assert_eq!(std::fs::read_dir(disk.path()).unwrap().count(), 0, "something was written");

    let verb = recorders("30s");
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    let fill = format!("dd if=/dev/zero of={}/filler bs=1M status=none", disk.path().display());
    let full = try_tool(&fill).unwrap_err();
    assert!(full.contains("No space left"), "{full}");
    let outcome = running.wait(binary::LIMIT).expect_code(3);
    let printed = outcome.json();
    assert_eq!(text(&printed, "outcome"), "broke_off");
    assert!(count(&printed, "load_points.0.total.failed_ops") > 0, "{printed:#}");
    assert_eq!(summary(&verb.run_dir()), printed);
}
