//! User-defined events during a run: a command with its mark, its output and its end. It cannot spoil a
//! run, and outlives it at most by its limit.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::refusal;
use reelgauge_tests::run_dir::{at, number, text};
use reelgauge_tests::scratch::{Scratch, unique_name};
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(90);

/// Two small streams for four seconds, with this event after half a second.
fn streams(target: &Path, event: &str) -> Verb {
    let flags = ["--mbit-per-s", "20", "--fps", "25", "--count", "2", "--clip", "1s", "--warmup", "0s"];
    Verb::on("streams", target).with(&flags).with(&[
        "--duration",
        "4s",
        "--event-at",
        "500ms",
        "--event",
        event,
    ])
}

/// Whether this command runs.
fn runs(command: &str) -> bool {
    let found = Command::new("pgrep").args(["-f", &format!("^{command}")]).output().unwrap();
    !found.stdout.is_empty()
}

/// A `sleep` of a time that no other test sleeps for.
fn unique_sleep() -> String {
    let digits: String = unique_name().chars().filter(char::is_ascii_digit).collect();
    format!("sleep 61.{digits}")
}

fn until_gone(command: &str) {
    let begun = std::time::Instant::now();
    while runs(command) {
        assert!(begun.elapsed() < LONG, "{command} still runs");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_event_is_marked_and_its_output_kept_and_no_repetition_starts_it() {
    let scratch = Scratch::new();
    let made = scratch.path().join("made");
    let event = format!("rebuild: echo on {0}; echo x >> {0}; sleep 1", made.display());
    let verb = streams(&scratch.dir("target"), &event);
    let summary = verb.run().expect_end().json();
    let found = at(&summary, "event");
    assert_eq!(
        (text(found, "name"), text(found, "end.kind"), number(found, "end.code")),
        ("rebuild", "exit", 0.0)
    );
    let (began_s, ended_s) = (number(found, "began_s"), number(found, "ended_s"));
    assert!(ended_s - began_s >= 1.0, "{found}");
    let started_s = number(&summary, "load_points.0.started_s");
    assert!(began_s >= started_s + 0.5, "{found} {started_s}");
    let mark = at(&summary, "marks.0");
    assert_eq!(
        (text(mark, "device"), number(mark, "began_s"), number(mark, "ended_s")),
        ("rebuild", began_s, ended_s)
    );
    let run = verb.run_dir();
    let output = std::fs::read_to_string(run.join("event-rebuild.log")).unwrap();
    assert_eq!(output, format!("on {}\n", made.display()));
    let screen = binary::run(["report".as_ref(), run.as_os_str()]).expect_code(0).words();
    assert!(screen.contains("Event: rebuild ") && screen.contains("succeeded"), "{screen}");
    assert!(std::fs::read_to_string(run.join("report.html")).unwrap().contains("rebuild: "));
    let again = Verb::on("run", run.join("run.toml"));
    assert_eq!(again.run().expect_end().json().get("event"), None);
    assert_eq!(std::fs::read_to_string(made).unwrap(), "x\n");
}

#[test]
fn an_event_that_fails_or_takes_too_long_spoils_no_run_and_is_reported() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let sleep = unique_sleep();
    let limited = format!("rebuild: {sleep} & {sleep}");
    for (event, flags, words) in [
        ("rebuild: no-such-command-at-all", &[][..], "(exit code 127)"),
        (&limited, &["--event-limit", "1s"], "time limit of 1.0 s"),
    ] {
        let verb = streams(&target, event).with(flags);
        let summary = verb.run().expect_code(1).json();
        assert_eq!(text(&summary, "outcome"), "complete");
        let screen = binary::run(["report".as_ref(), verb.run_dir().as_os_str()]).expect_code(0).words();
        assert!(screen.contains(words), "{screen}");
    }
    assert!(!runs(&sleep));
}

#[test]
fn an_event_outlives_a_run_that_was_killed_or_stopped_by_no_more_than_its_limit() {
    for signal in [Signal::KILL, Signal::INT] {
        let scratch = Scratch::new();
        let sleep = unique_sleep();
        let event = format!("failover: {sleep}");
        let verb =
            streams(&scratch.dir("target"), &event).with(&["--duration", "60s", "--event-limit", "8s"]);
        let mut running = verb.start();
        running.until(LONG, |_| runs(&sleep)).unwrap();
        running.signal(signal);
        let code = running.wait(Duration::from_secs(20)).code;
        assert_ne!(code, Some(0));
        until_gone(&sleep);
        let summary = binary::run(["report".as_ref(), verb.run_dir().as_os_str(), "--json".as_ref()]);
        let summary = summary.expect_code(0).json();
        assert_eq!((text(&summary, "event.name"), text(&summary, "event.end.kind")), ("failover", "running"));
        assert_eq!(at(&summary, "marks.0.is_open"), true);
    }
}

#[test]
fn an_event_that_could_not_take_place_is_refused() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let search = ["--mbit-per-s", "20", "--fps", "25", "--find-max", "--event", "rebuild: true"];
    refusal::all_refused("streams", &target, &[(&search, "use --count")]);
    let cases: [(&[&str], &str); 4] = [
        (&["--event", "rebuild"], "NAME: COMMAND"),
        (&["--event-at", "5s"], "--event"),
        (&["--duration", "9s", "--event", "rebuild: true", "--event-at", "9s"], "after the end of the load"),
        (&["--event", "rebuild: true", "--event-limit", "0s"], "--event-limit"),
    ];
    refusal::all_refused("mix", &target, &cases);
}
