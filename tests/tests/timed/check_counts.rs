//! `reelgauge check` on a store of a known bandwidth: its counts are what the store sustains.

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::needs;
use reelgauge_tests::run_dir::{at, number};
use reelgauge_tests::verb::Verb;

/// A store of 60 MB/s: every count is within its stated error of the true count, for playing and
/// recording, in light and heavy formats.
#[test]
fn counts_on_a_store_of_known_bandwidth() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::mount();
    let mb_per_s = 60.0;
    faulty.faults().limit_bytes_per_s(60_000_000);
    let summary = Verb::on("check", faulty.path()).measure();
    let facts = at(&summary, "check");
    assert!(facts.get("unsteady").is_none(), "{facts:#}");
    for format in at(facts, "formats").as_array().unwrap() {
        let carries = (mb_per_s / number(format, "needed_mb_per_s_each")).floor();
        for work in ["play", "record"] {
            let found = at(format, work);
            let streams = number(found, "streams");
            let least = at(found, "at_least") == true;
            // A lower bound has no error.
            let error = if least { 0.0 } else { number(found, "error_streams") };
            assert!(!least || at(found, "error_streams").is_null(), "{format:#}");
            assert!(streams <= carries + error, "{work}: {streams} of {carries}\n{format:#}");
            assert!(least || streams + error + 1.0 >= carries, "{work}: {streams} of {carries}\n{format:#}");
        }
    }
}
