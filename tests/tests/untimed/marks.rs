//! Marks that users enter: in a live run and in a finished one, and nowhere else.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::run_dir::{at, number, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;

fn mark(run: &Path, words: &[&str]) -> Outcome {
    let first = [OsString::from("mark"), run.into()];
    binary::run(first.into_iter().chain(words.iter().map(OsString::from)))
}

fn report(run: &Path, flag: &str) -> Outcome {
    binary::run([OsString::from("report"), run.into(), OsString::from(flag)])
}

#[test]
fn mark_is_entered_during_and_after_a_run() {
    let scratch = Scratch::new();
    let flags = ["--mbit-per-s", "20", "--fps", "25", "--count", "2", "--clip", "1s", "--warmup", "0s"];
    let verb = Verb::on("streams", scratch.dir("target")).with(&flags).with(&["--duration", "8s"]);
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    let run = verb.run_dir();
    std::thread::sleep(Duration::from_secs(3));
    mark(&run, &["node 2 switched off"]).expect_code(0);
    let summary = running.wait(Duration::from_secs(60)).expect_code(0).json();
    // The run itself has the mark, at the time when it was entered.
    let marks = at(&summary, "marks").as_array().unwrap();
    assert_eq!(marks.len(), 1, "{marks:?}");
    assert_eq!((text(&marks[0], "kind"), text(&marks[0], "device")), ("entered", "node 2 switched off"));
    let began_s = number(&marks[0], "began_s");
    let point = at(&summary, "load_points.0");
    let (started_s, measured_s) = (number(point, "started_s"), number(point, "measured_s"));
    assert!(began_s > started_s && began_s < started_s + measured_s + 2.0, "{began_s} of {point:#}");
    // The run is finished.
    let late = mark(&run, &["failover"]).expect_code(2).said();
    assert!(late.contains("--at"), "{late}");
    mark(&run, &["rebuild \u{202e}\n", "--at", "2s", "--lasted", "3s"]).expect_code(0);
    let summary = report(&run, "--json").expect_code(0).json();
    let marks = at(&summary, "marks").as_array().unwrap();
    assert_eq!((marks.len(), number(&marks[0], "began_s"), number(&marks[0], "ended_s")), (2, 2.0, 5.0));
    let screen = report(&run, "--workers").expect_code(0).words();
    assert!(screen.contains("Mark: rebuild \\u{202e}\\n, between 2.0 s and 5.0 s"), "{screen}");
    assert!(screen.contains("Mark: node 2 switched off, at "), "{screen}");
    // The page of the run has both, too.
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("Mark: node 2 switched off, at ") && page.contains("Mark: rebuild \\u{202e}\\n"));
}

#[test]
fn invalid_run_or_mark_is_refused_without_writing() {
    let scratch = Scratch::new();
    let empty = scratch.dir("empty");
    mark(&empty, &["x", "--at", "1s"]).expect_code(2);
    mark(&scratch.path().join("none"), &["x", "--at", "1s"]).expect_code(2);
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 0);
    // A directory of many runs would show no mark.
    let suite = scratch.dir("suite");
    fs::write(suite.join("suite.json"), "{}").unwrap();
    let said = mark(&suite, &["x", "--at", "1s"]).expect_code(2).said();
    assert!(said.contains("is a suite"), "{said}");
    let verb = Verb::on("mix", scratch.dir("target")).with(&["--workers", "1", "--file-size", "4MiB"]);
    let verb = verb.with(&["--warmup", "0s", "--duration", "1s"]);
    let _ = verb.run().expect_end();
    let run = verb.run_dir();
    for words in [&["", "--at", "1s"][..], &[&"x".repeat(201), "--at", "1s"], &["x", "--at", "1000d"]] {
        mark(&run, words).expect_code(2);
    }
    assert!(!run.join("marks.json").exists());
    // A link in the directory must not redirect the write.
    let other = scratch.path().join("other.json");
    fs::write(&other, "[]").unwrap();
    std::os::unix::fs::symlink(&other, run.join("marks.json")).unwrap();
    mark(&run, &["x", "--at", "1s"]).expect_code(0);
    assert_eq!(fs::read_to_string(&other).unwrap(), "[]");
    fs::write(run.join("marks.json"), "{".repeat(1 << 20)).unwrap();
    let said = mark(&run, &["x", "--at", "1s"]).expect_code(2).said();
    assert!(said.contains("marks.json") && said.contains("Move"), "{said}");
    report(&run, "--json").expect_code(0);
}
