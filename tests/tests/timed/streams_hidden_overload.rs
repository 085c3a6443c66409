//! The largest count that passes if one stream too many has no late frame within a trial. Its buffer
//! hides the missing bandwidth, but the falling margin shows it.

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::needs;
use reelgauge_tests::player_search::{OWN_BYTES_PER_S, Sought};
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::found_within;
use reelgauge_tests::verb::Verb;

/// A buffer of a second covers more than the bandwidth that is missing in a trial of two seconds. So no
/// frame is late with one stream too many, but the found count must be right all the same.
#[test]
fn a_buffer_that_hides_an_overload_for_as_long_as_a_trial() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let faulty = Faulty::mount();
    faulty.faults().limit_bytes_per_s(OWN_BYTES_PER_S * 11 / 2);
    let sought = Sought { start: 5, cap: 7, duration: "2s", buffer: None };
    let summary = Verb::on("run", sought.plan(&scratch, &faulty.path())).measure();
    found_within(&summary, 5, 5);
    let hidden = at(&summary, "load_points").as_array().unwrap().iter();
    let hidden = hidden.filter(|point| at(point, "verdict.passed") == false);
    let late: Vec<u64> = hidden.map(|point| count(point, "streams.total.late_frames")).collect();
    assert!(late.contains(&0), "buffers hid nothing: {late:?} late frames");
}

/// The store, in hundredths of a stream. Seven streams lack 29 ms in every second on 6.8, so that with a
/// second in hand their first frame is late after half a minute. `cargo xtask soak` takes 6.95, where they
/// lack 7 ms in a second: a store on a busy machine does not keep its own bandwidth that well.
fn store_hundredths() -> u64 {
    if std::env::var_os("REELGAUGE_SOAK").is_some() { 695 } else { 680 }
}

/// No frame is late in a trial of the usual length, and yet it finds that seven streams are too many.
#[test]
fn seven_streams_on_a_store_of_a_little_less() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let faulty = Faulty::mount();
    faulty.faults().limit_bytes_per_s(OWN_BYTES_PER_S * store_hundredths() / 100);
    let sought = Sought { start: 6, cap: 7, duration: "10s", buffer: None };
    let summary = Verb::on("run", sought.plan(&scratch, &faulty.path())).measure();
    // On a busy host a trial may miss it; the answer must not.
    assert_eq!(count(&summary, "search.streams"), 6, "{:#}", at(&summary, "search"));
    let points = at(&summary, "load_points").as_array().unwrap().iter();
    let seven = points.filter(|point| at(point, "stream_count") == 7);
    let failed = |point: &serde_json::Value| at(point, "verdict.failed_first.criterion") == "margins";
    assert!(seven.clone().count() > 0 && seven.clone().any(failed), "no margin fell");
}
