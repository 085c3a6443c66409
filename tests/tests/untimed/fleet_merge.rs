//! Runs that several hosts made at the same time are merged. The merged figures are those of all their
//! logs together, recalculated without the product, and every verb works on the result.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome, flowing};
use reelgauge_tests::needs::Need;
use reelgauge_tests::run_dir::{at, count, number, only_in, summary};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::{python, require};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

/// Runs at the same time, each on a separate directory as on a separate host. Returns their directories.
fn at_once(scratch: &Scratch, verb: &[&str], machines: usize) -> Vec<PathBuf> {
    let start = |at: usize| {
        let out = scratch.path().join(format!("runs-{at}"));
        let target = scratch.dir(&format!("target-{at}"));
        let mut words: Vec<OsString> = vec![verb[0].into(), target.into()];
        words.extend(verb[1..].iter().map(OsString::from));
        words.extend(["--json".into(), "--quiet".into(), "--out".into(), out.clone().into()]);
        (binary::start(words), out)
    };
    let running: Vec<_> = (0..machines).map(start).collect();
    let ended = |(run, out): (binary::Running, PathBuf)| {
        let outcome = run.wait(LIMIT);
        // Frames that were late on a busy host do not matter here.
        assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.said());
        only_in(&out)
    };
    running.into_iter().map(ended).collect()
}

fn merge(runs: &[PathBuf], out: &Path, flags: &[&str]) -> Outcome {
    let mut words: Vec<OsString> = vec!["fleet".into(), "merge".into()];
    words.extend(runs.iter().enumerate().map(|(at, run)| format!("a{}={}", at + 1, run.display()).into()));
    words.extend(["--out".into(), out.into()]);
    words.extend(flags.iter().map(OsString::from));
    binary::run(words)
}

fn say(verb: &str, words: &[&str]) -> Outcome {
    binary::run(std::iter::once(verb).chain(words.iter().copied()))
}

const MIX: &[&str] = &[
    "mix",
    "--buffered",
    "--max-delay",
    "5ms",
    "--files",
    "2",
    "--file-size",
    "8MiB",
    "--workers",
    "2",
    "--warmup",
    "200ms",
    "--duration",
    "2s",
];

#[test]
fn merged_mix_of_three_hosts_equals_their_logs() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let runs = at_once(&scratch, MIX, 3);
    let whole = scratch.path().join("whole");
    let printed = merge(&runs, &whole, &["--clocks-within", "1ms", "--json"]).expect_code(0).json();
    assert_eq!(printed, summary(&whole));

    let found = python::script("whole.py", &[&whole]);
    let (found, point) = (at(&found, "0"), at(&printed, "load_points.0"));
    assert_eq!(at(found, "ops"), at(point, "total.ops"));
    assert_eq!(count(found, "bytes"), count(point, "total.read_bytes") + count(point, "total.written_bytes"));
    assert_eq!(at(found, "count"), at(point, "total.response.data.count"));
    for name in ["p50_us", "p95_us", "p99_us", "max_us"] {
        // Histograms keep three significant digits.
        let (exact, stated) = (number(found, name), number(point, &format!("total.response.data.{name}")));
        assert!((stated / exact - 1.0).abs() < 0.002, "{name}: {stated} is stated, and {exact} in the logs");
    }
    let hosts = at(&printed, "hosts.points.0.hosts").as_array().unwrap();
    for (own, run) in hosts.iter().zip(&runs) {
        let agent = at(own, "figures.name").as_str().unwrap();
        assert_eq!(at(found, &format!("by_agent.{agent}")), at(own, "figures.ops"), "{agent}");
        assert_eq!(at(&summary(run), "load_points.0.total.ops"), at(own, "figures.ops"), "{agent}");
    }
    let sum: u64 = hosts.iter().map(|own| count(own, "figures.ops")).sum();
    assert_eq!((hosts.len(), sum), (3, count(point, "total.ops")));
    works_on(&whole, count(&printed, "log.rows"));
}

/// Checks that the usual verbs work with the merged run.
#[track_caller]
fn works_on(whole: &Path, rows: u64) {
    let run = whole.to_str().unwrap();
    let screen = say("report", &[run]).expect_code(0).stdout;
    let first = screen.lines().next().unwrap();
    assert!(first.contains("6 workers"), "the answer is over all machines: {screen}");
    for name in ["Hosts", "a1", "a2", "a3", "all"] {
        assert!(screen.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}: {screen}");
    }
    let listed = say("ops", &[run, "--csv"]).expect_code(0).stdout;
    assert_eq!(listed.lines().count() as u64, rows + 1, "every operation of every machine, and the heading");
    let parent = whole.parent().unwrap().to_str().unwrap();
    assert!(say("list", &[parent]).expect_code(0).stdout.contains("whole"));
    say("compare", &[run, run]).expect_code(0);
    let tables = whole.parent().unwrap().join("csv");
    say("report", &[run, "--csv", tables.to_str().unwrap()]).expect_code(0);
    let hosts = fs::read_to_string(tables.join("hosts.csv")).unwrap();
    let scopes: Vec<&str> = hosts.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert_eq!(scopes.iter().filter(|scope| **scope == "host").count(), 3, "{hosts}");
    assert!(scopes.contains(&"total"), "{hosts}");
    let page = fs::read_to_string(whole.join("report.html")).unwrap();
    assert!(page.contains("\"hosts\":{"), "the page has them");
}

#[test]
fn streams_have_their_host_and_lost_ones_meet_no_criterion() {
    let scratch = Scratch::new();
    let streams =
        ["streams", "--actor", "player", "--format", "dnxhr-lb-hd-25", "--count", "2", "--buffered"];
    let times = ["--clip", "1s", "--warmup", "500ms", "--duration", "2s"];
    let mut runs = at_once(&scratch, &[streams.as_slice(), &times].concat(), 2);
    let whole = scratch.path().join("whole");
    merge(&runs, &whole, &[]);
    let told = summary(&whole);
    assert_eq!(count(&told, "load_points.0.stream_count"), 4);
    let streams = at(&told, "load_points.0.streams.streams").as_array().unwrap();
    let agents: Vec<&str> = streams.iter().map(|stream| at(stream, "agent").as_str().unwrap()).collect();
    assert_eq!(agents, ["a1", "a1", "a2", "a2"]);
    let judged = |told: &Value| count(told, "load_points.0.streams.total.frames_judged");
    let own = |run: &PathBuf| judged(&summary(run));
    assert_eq!(judged(&told), runs.iter().map(own).sum::<u64>());

    // The directory of one run is missing: the rest is reported, and no criterion is met.
    runs.push(scratch.path().join("gone"));
    let partial = scratch.path().join("partial");
    let outcome = merge(&runs, &partial, &[]).expect_code(3);
    assert!(outcome.stdout.contains("a3"), "{}", outcome.said());
    let told = summary(&partial);
    assert_eq!(at(&told, "load_points.0.verdict.passed"), false);
    assert_eq!(at(&told, "hosts.points.0.hosts.2.presence"), "missing");
    // Judged by the remaining hosts.
    assert_eq!(judged(&told), runs[..2].iter().map(own).sum::<u64>());
}

/// The error for wrong input, ignoring line breaks.
#[track_caller]
fn complaint(outcome: Outcome) -> String {
    flowing(&outcome.expect_code(2).stderr)
}

#[test]
fn incompatible_runs_are_not_merged() {
    let scratch = Scratch::new();
    let runs = at_once(&scratch, MIX, 1);
    let run = runs[0].to_str().unwrap();
    let out = scratch.path().join("whole");
    let two_names =
        say("fleet", &["merge", &format!("a={run}"), &format!("a={run}"), "--out", out.to_str().unwrap()]);
    assert!(complaint(two_names).contains("\"a\""));
    assert!(!out.exists());
    let over_a_run = say("fleet", &["merge", run, run, "--out", run]);
    assert!(complaint(over_a_run).contains("one host"));
    let nothing = scratch.dir("empty");
    let of_nothing = say("fleet", &["merge", nothing.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(complaint(of_nothing).contains("cannot read"));
}
