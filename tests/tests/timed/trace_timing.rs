//! Timing of a replay through the binary. On a host that is too busy, the run reports on the screen and
//! in the summary that its timing was not good enough, and never otherwise.
//!
//! The timing on a quiet host is measured in `benches/`, not tested: no test knows how quiet its host
//! is.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::busy_host::Busy;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{self, number};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// 1000 operations per second for this long.
const SECONDS: u64 = 2;
/// Writes of 4 KiB, one every millisecond, as fio would have them.
fn trace(scratch: &Scratch) -> PathBuf {
    let mut text = "fio version 3 iolog\n0 reel.mov add\n0 reel.mov open\n".to_owned();
    for at in 0..SECONDS * 1000 {
        writeln!(text, "{} reel.mov write {} 4096", at * 1000, at * 4096).unwrap();
    }
    let source = scratch.path().join("paced.log");
    std::fs::write(&source, text).unwrap();
    let out = scratch.path().join("traces");
    let words = ["import", source.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()];
    let told = binary::run(words).expect_code(0).json();
    PathBuf::from(told["dir"].as_str().unwrap())
}

/// Checks that the statement about timing follows from its figures. Returns whether the timing was good
/// enough.
#[track_caller]
fn was_good(replay: &Verb, outcome: &Outcome) -> bool {
    let summary = run_dir::summary(&replay.run_dir());
    let facts = &summary["replay"];
    let pass = run_dir::at(facts, "passes.0");
    println!("{pass:#}\n{}", facts["bad_timing"]);
    // The product's own criteria: of 100 operations, one may begin more than a millisecond late through the
    // tool; and a delay against the recording is the tool's where one operation owes half of it to the tool.
    let (expected_s, delay_s) = (number(facts, "expected_span_s"), number(pass, "delay_s"));
    let is_behind = delay_s > 0.01 && delay_s > expected_s / 100.0;
    let is_late = number(pass, "begun_late_ops") * 100.0 > number(pass, "done_ops");
    let is_bad = is_late || is_behind && number(pass, "lateness_max_us") >= delay_s * 5e5;
    assert_eq!(pass["complete"], true, "{facts:#}");
    assert_eq!(facts["bad_timing"] != Value::Null, is_bad, "{facts:#}");
    if let Some(cause) = facts["bad_timing"].as_str() {
        let said = cause.split(':').next().unwrap_or_default();
        assert!(outcome.words().contains(said), "{}", outcome.said());
        assert!(summary["notes"].to_string().contains(said), "{summary:#}");
    }
    !is_bad
}

#[test]
fn bad_timing_of_a_busy_host_is_reported_and_good_timing_is_not() {
    require!(Need::Tool("nice"));
    let _turn = my_turn();
    let scratch = Scratch::new();
    let trace = trace(&scratch);
    let replay = |target: &str| Verb::on("replay", &trace).operand(scratch.dir(target));

    // The timing depends on the host. The statement about it has to be true either way.
    let quiet = replay("quiet");
    let outcome = quiet.run_plain().expect_end();
    println!("quiet: good timing: {}", was_good(&quiet, &outcome));

    let loaded = replay("loaded").with(&["--driver", "threads"]);
    let mut nice = Command::new("nice");
    nice.args(["-n", "19"]).arg(binary::path());
    let mut running = binary::start_by(nice, loaded.plain_words());
    loaded.until_measuring(&mut running);
    let busy = Busy::every_core(0);
    let outcome = running.wait(Duration::from_secs(120)).expect_end();
    drop(busy);
    assert!(!was_good(&loaded, &outcome));
    let summary = run_dir::summary(&loaded.run_dir());
    let cause = run_dir::text(&summary, "replay.bad_timing");
    assert!(cause.contains("Reelgauge"), "{cause}");
}
