//! `selftest`: its figures, exit status and leftovers. Whether this host is fit is not asserted: other
//! programs may use it.

use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;
use rustix::process::Signal;
use serde_json::Value;

/// "Stops within two seconds", with a reserve for a busy host.
const SOON: Duration = Duration::from_secs(5);

/// The figures; exit status and reasons must agree.
#[track_caller]
fn figures(outcome: &Outcome) -> Value {
    let found = outcome.json();
    let is_fit = found["unfit"].as_array().unwrap().is_empty();
    assert_eq!(outcome.code, Some(if is_fit { 0 } else { 1 }), "{}", outcome.said());
    assert_eq!(found["capacity"].is_object(), is_fit, "{found:#}");
    found
}

#[test]
fn without_a_path_storage_is_unmeasured_and_the_expected_answer_is_that_of_the_formula() {
    let found = figures(&binary::run(["selftest", "--json"]));
    assert_eq!(found["storage"], Value::Null);
    assert_eq!(found["known_answer"]["expected_late_frames"], 200);
    assert_eq!(found["known_answer"]["expected_frames"], 848);
    for path in ["/waits/max_us", "/core/ops_per_s", "/core/mb_per_s", "/clock/reading_ns"] {
        assert!(found.pointer(path).and_then(Value::as_f64).is_some_and(|value| value > 0.0), "{path}");
    }
    let requested: Vec<u64> = found["in_flight"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|depth| depth["requested"].as_u64())
        .collect();
    assert_eq!(requested, [1, 4, 16, 64]);
}

#[test]
fn with_a_path_direct_io_and_fsync_are_tried_and_nothing_is_left() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    std::fs::write(target.join("theirs.mov"), "somebody's").unwrap();
    let before = tree(&target, &[]);
    let outcome = binary::run(["selftest", target.to_str().unwrap(), "--json"]);
    assert_eq!(tree(&target, &[]), before);
    let found = figures(&outcome);
    assert!(found["storage"]["fsync"]["count"].as_u64().is_some_and(|syncs| syncs > 0), "{found:#}");
    assert!(found["storage"]["direct_read"].is_string(), "{found:#}");
    let screen = binary::run(["selftest", target.to_str().unwrap()]).expect_end();
    let user = std::env::var("HOME").unwrap_or_else(|_| "/root".to_owned());
    for secret in [target.to_str().unwrap(), &user, &host_name()] {
        assert!(!screen.stdout.contains(secret) && !outcome.stdout.contains(secret), "{secret}");
    }
}

fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned()
}

#[test]
fn interrupted_self_test_leaves_nothing() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let running = binary::start(["selftest", target.to_str().unwrap()]);
    std::thread::sleep(Duration::from_millis(1500));
    running.signal(Signal::INT);
    let asked = Instant::now();
    let outcome = running.wait(Duration::from_secs(60));
    assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}

#[test]
fn missing_path_is_wrong_usage() {
    let missing = Path::new("/nowhere/at/all");
    binary::run(["selftest", missing.to_str().unwrap()]).expect_code(2);
    binary::run(["selftest", "--keep-free", "1GiB"]).expect_code(2);
}
