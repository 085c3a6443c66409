//! A run that is stopped by the user, by the system, or by `kill -9`. Its measurements are kept.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::run_dir::{at, count, number, summary, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::{python, require};
use rustix::process::Signal;

/// "Stops within two seconds", with a reserve for a busy host.
const SOON: Duration = Duration::from_secs(2);

/// A mix with a long duration.
fn long(target: &Path) -> Mix {
    Mix::on(target).with(&["--buffered", "--duration", "60s"])
}

#[test]
fn a_signal_stops_it_and_keeps_the_results() {
    for (signal, driver) in [(Signal::INT, "threads"), (Signal::INT, "uring"), (Signal::TERM, "threads")] {
        let scratch = Scratch::new();
        let mix = long(&scratch.dir("target")).with(&["--driver", driver]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        running.signal(signal);
        let took = running.until(SOON, Running::has_ended);
        assert!(took.is_some(), "{driver} still runs after {SOON:?}\n{}", running.stderr());
        let outcome = running.wait(SOON).expect_code(130);
        let printed = outcome.json();
        assert_eq!(text(&printed, "outcome"), "interrupted");
        assert!(count(&printed, "load_points.0.total.ops") > 0);
        assert_eq!(summary(&mix.run_dir()), printed);
    }
}

/// Frames that were late before it was stopped stay late.
#[test]
fn late_frames_of_a_run_that_was_stopped_are_not_met() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::over_memory(1024, 4);
    let flags =
        ["--format", "xavc-intra-class-100-1080-25", "--count", "4", "--clip", "2s", "--duration", "60s"];
    let streams = Verb::on("streams", faulty.path()).with(&flags);
    let mut running = streams.start();
    streams.until_measuring(&mut running);
    // Two and a half of the four.
    faulty.faults().limit_bytes_per_s(35_000_000);
    std::thread::sleep(Duration::from_secs(6));
    running.signal(Signal::INT);
    let printed = running.wait(Duration::from_secs(20)).expect_code(130).json();
    assert!(count(&printed, "load_points.0.streams.total.late_frames") > 0, "{printed:#}");
    assert_eq!(text(&printed, "statement.judgement"), "not_met", "{:#}", at(&printed, "statement"));
    assert_eq!(at(&printed, "verdict.passed"), false);
    let screen = binary::run([OsString::from("report"), streams.run_dir().into()]).expect_code(0).words();
    assert!(screen.contains("NOT MET") && !screen.contains("UNKNOWN"), "{screen}");
}

/// The measurement is over then, but the requested verification is not.
#[test]
fn verification_can_be_interrupted() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mix = Mix::on(&faulty.path()).with(&["--writes", "100", "--verify", "--duration", "4s"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    let log = mix.run_dir().join("live.jsonl");
    let verifies = |_: &mut Running| std::fs::read_to_string(&log).unwrap().contains("verifying");
    // The data are read back from the store, which is slow from now on.
    std::thread::sleep(Duration::from_secs(1));
    faulty.faults().limit_bytes_per_s(1_000_000);
    assert!(running.until(Duration::from_secs(20), verifies).is_some(), "{}", running.stderr());
    running.signal(Signal::INT);
    let outcome = running.wait(Duration::from_secs(10)).expect_code(130);
    let printed = outcome.json();
    assert_eq!(text(&printed, "outcome"), "interrupted");
    assert!(text(&printed, "outcome_reason").contains("read back"), "{printed:#}");
    assert!(printed.get("verify").is_none_or(serde_json::Value::is_null), "{printed:#}");
    assert!(number(&printed, "load_points.0.measured_s") > 3.9);
}

/// A slow store takes long to make a small file: a large one would want a large disk under the test.
#[test]
fn file_creation_can_be_interrupted() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    faulty.faults().limit_bytes_per_s(10_000_000);
    let target = faulty.path();
    let mix = long(&target).with(&["--files", "1", "--file-size", "1GiB"]);
    let mut running = mix.start();
    let area = target.join("reelgauge-area");
    let is_there = running.until(Duration::from_secs(20), |_| area.is_dir());
    assert!(is_there.is_some(), "{}", running.stderr());
    std::thread::sleep(Duration::from_millis(500));
    running.signal(Signal::INT);
    assert!(running.until(SOON, Running::has_ended).is_some(), "{}", running.stderr());
    running.wait(SOON).expect_code(130);
    faulty.faults().limit_bytes_per_s(0);
    binary::run([OsString::from("clean"), target.clone().into()]).expect_code(0);
    assert!(!area.exists());
}

#[test]
fn kill_9_loses_a_second_at_most() {
    require!(Need::Python);
    for driver in ["threads", "uring"] {
        let scratch = Scratch::new();
        let target = scratch.dir("target");
        let mix = long(&target).with(&["--driver", driver]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        // From the first part on, so that the start of the run's clock does not matter.
        let run = mix.run_dir();
        let before = count(&python::script("times.py", &[&run, "--running".as_ref()]), "last_done_ns");
        let start = std::time::Instant::now();
        std::thread::sleep(Duration::from_secs(4));
        running.signal(Signal::KILL);
        let ran_ns = u64::try_from(start.elapsed().as_nanos()).unwrap();
        drop(running);
        let times = python::script("times.py", &[&run]);
        let kept_ns = count(&times, "last_done_ns") - before;
        // One second for the log, one for a busy host.
        assert!(kept_ns + 2_000_000_000 > ran_ns, "kept {kept_ns} of {ran_ns} ns");
        assert!(!run.join("summary.json").exists(), "nobody was left to write it");
        let report =
            binary::run([OsString::from("report"), run.into(), "--json".into()]).expect_code(0).json();
        let point = at(&report, "load_points.0.total");
        assert_eq!(count(point, "ops") + count(point, "warmup_ops"), count(&times, "rows"));
        // The area was left locked and dirty, and is usable again.
        long(&target).with(&["--duration", "500ms", "--verify"]).measure();
    }
}
