//! Looking at a run never harms it: whoever reads a run that goes on gets what its log holds until then, and
//! the run loses nothing by it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;

#[test]
fn a_run_is_looked_at_while_it_goes_on_and_loses_nothing() {
    let scratch = Scratch::new();
    let players = ["--format", SMALL.id, "--count", "4", "--buffered", "--duration", "20s", "--warmup", "0s"];
    let verb = Verb::on("streams", scratch.dir("target")).with(&players);
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    let run = verb.run_dir();
    let look = |verb: &str, more: &[&str]| {
        let words = [OsString::from(verb), run.clone().into()];
        binary::run(words.into_iter().chain(more.iter().map(OsString::from))).expect_code(0)
    };
    let mut rows = Vec::new();
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(1300));
        let seen = look("report", &["--json"]).json();
        assert_eq!(text(&seen, "outcome"), "running", "{:#}", at(&seen, "outcome_reason"));
        rows.push(count(&seen, "log.rows"));
        look("ops", &["--top", "3"]);
        let screen = look("report", &[]).stdout;
        assert!(screen.starts_with("The run goes on."), "{screen}");
        assert!(!screen.contains("killed") && !screen.contains("Nothing was measured"), "{screen}");
    }
    assert!(rows.is_sorted() && rows[0] < rows[2], "{rows:?}");
    let summary = running.wait(Duration::from_secs(60)).expect_code(0).json();
    assert_eq!(text(&summary, "outcome"), "complete");
    assert_eq!(at(&summary, "log.complete"), true, "{:#}", at(&summary, "log"));
    assert_eq!(count(&summary, "log.dropped_to_histograms_ops"), 0);
    let ops = count(&summary, "load_points.0.total.ops");
    assert!(count(&summary, "log.rows") >= ops && ops > 0, "{:#}", at(&summary, "log"));
}
