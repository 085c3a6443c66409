//! Procedures on stores whose effect can be computed: a server with a page cache, and a store that slows
//! after a number of bytes written.

use std::path::Path;
use std::time::Duration;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::needs;
use reelgauge_tests::run_dir::{at, count, number};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(90);

fn verb(name: &str, target: &Path, settings: &[&str]) -> Verb {
    let verb = Verb::on("procedure", name).operand(target);
    settings.iter().fold(verb, |verb, setting| verb.operand("--set").operand(setting))
}

/// Blocks of a read that the store answers as one.
const BLOCK_BYTES: f64 = 131_072.0;
/// The bandwidth of the store's line.
const LINE_BYTES_PER_S: f64 = 8e6;
/// The additional time of a first read.
const FETCH_S: f64 = 0.06;
/// The idle time that the line may catch up.
const CATCH_UP_S: f64 = 0.002;
/// Bytes of the file that is read.
const FILE_BYTES: f64 = 2.0 * 1024.0 * 1024.0;

#[test]
fn a_cold_server_has_the_rate_of_its_disk_and_is_warm_after_one_pass() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let store = Faulty::over_memory(64, 4);
    store.faults().limit_bytes_per_s(LINE_BYTES_PER_S as u64);
    let (scratch, fetch) = (Scratch::new(), Duration::from_secs_f64(FETCH_S));
    let asked = scratch.path().join("forget");
    // The user's command makes the server drop its cache, and waits until it has.
    let command = format!("command=touch {0}; while [ -e {0} ]; do sleep 0.02; done", asked.display());
    let settings = [&command, "file-size=2MiB", "blocks=128KiB", "workers=1", "ramp=1,1,1", "duration=200ms"];
    let mut running = verb("cold-server", &store.path(), &settings).start();
    running.until(LONG, |_| asked.exists()).unwrap();
    store.faults().first_reads_take(fetch);
    std::fs::remove_file(&asked).unwrap();
    let printed = running.wait(LONG).expect_code(0).json();
    let warming = at(&printed, "conclusion.warming");
    let block_s = BLOCK_BYTES / LINE_BYTES_PER_S;
    let cold_rate = BLOCK_BYTES / (FETCH_S + block_s - CATCH_UP_S);
    let of_expected = number(warming, "cold_bytes_per_s") / cold_rate;
    assert!((0.85..1.02).contains(&of_expected), "{of_expected} of {cold_rate}: {warming}");
    let of_line = number(warming, "warm_bytes_per_s") / LINE_BYTES_PER_S;
    assert!((0.6..1.02).contains(&of_line), "{of_line} of the line: {warming}");
    let of_time = number(warming, "warm_after_s") / (FILE_BYTES / cold_rate);
    assert!((0.98..1.18).contains(&of_time), "{of_time} of the time: {warming}");
}

/// A store with a write cache: so many bytes pass at its peak, then it is slow.
const SLOW_BYTES_PER_S: f64 = 1e6;
const PEAK_BYTES_PER_S: f64 = 8e6;
const CACHE_BYTES: f64 = 14e6;

#[test]
fn a_store_that_slows_after_a_number_of_bytes_is_found() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let store = Faulty::over_memory(64, 4);
    store.faults().limit_with_burst(SLOW_BYTES_PER_S as u64, CACHE_BYTES as u64, PEAK_BYTES_PER_S as u64);
    let settings =
        ["file-size=1MiB", "length=1MiB", "blocks=64KiB", "in-flight=2", "duration=6s", "rounds=1"];
    let printed = verb("steady", &store.path(), &settings).run().expect_code(0).json();
    // The cache drains while it is filled.
    let wanted = CACHE_BYTES * PEAK_BYTES_PER_S / (PEAK_BYTES_PER_S - SLOW_BYTES_PER_S);
    let cliff = at(&printed, "conclusion.cliff");
    let of_wanted = number(cliff, "written_bytes") / wanted;
    // Between making the file and writing into it the cache drains for a second or two.
    assert!((0.9..1.25).contains(&of_wanted), "{of_wanted} of {wanted}: {cliff}");
    assert_eq!(count(cliff, "prepared_bytes"), 1 << 20);
    assert!((number(cliff, "after_bytes_per_s") / SLOW_BYTES_PER_S - 1.0).abs() < 0.2, "{cliff}");
    assert!((number(cliff, "before_bytes_per_s") / PEAK_BYTES_PER_S - 1.0).abs() < 0.2, "{cliff}");
    // One round is too few to be steady.
    assert_eq!(at(&printed, "conclusion.steadiness"), &Value::Null);
}

#[test]
fn rounds_end_when_five_of_them_are_steady() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let store = Faulty::over_memory(64, 4);
    store.faults().limit_bytes_per_s(PEAK_BYTES_PER_S as u64);
    let settings =
        ["file-size=1MiB", "length=1MiB", "blocks=64KiB", "in-flight=2", "duration=800ms", "rounds=9"];
    let printed = verb("steady", &store.path(), &settings).run().expect_code(0).json();
    let steadiness = at(&printed, "conclusion.steadiness");
    assert_eq!(at(steadiness, "is_steady"), true, "{printed}");
    assert!((number(steadiness, "average_bytes_per_s") / PEAK_BYTES_PER_S - 1.0).abs() < 0.2, "{steadiness}");
    assert_eq!(at(&printed, "conclusion.cliff"), &Value::Null);
    let states: Vec<&Value> =
        at(&printed, "rows").as_array().unwrap().iter().map(|row| at(row, "state")).collect();
    let done = states.iter().filter(|state| **state == "done").count();
    assert!(
        (5..9).contains(&done) && states[done..].iter().all(|state| *state == "not_needed"),
        "{states:?}"
    );
}
