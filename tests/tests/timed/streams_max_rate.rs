//! If a limit on bytes per second (`--max-rate`) made frames late, the screen reports that and blames no
//! storage.

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::max_rate::{RATE, RATE_FLAG, is_kept_to};
use reelgauge_tests::run_dir::{self, at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;

/// Players of small frames, through the cache.
fn players(scratch: &Scratch, flags: &[&str]) -> Verb {
    let verb = Verb::on("streams", scratch.dir("target")).with(&[
        "--actor",
        "player",
        "--format",
        SMALL.id,
        "--clip",
        "2s",
        "--buffered",
    ]);
    verb.with(flags)
}

#[test]
fn throttled_frames_are_attributed_to_the_limit_not_storage() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    // 4.7 MB/s each.
    let verb = players(&scratch, &["--count", "3", "--buffer", "12frames", "--warmup", "500ms"]).with(&[
        "--duration",
        "3s",
        "--max-rate",
        RATE_FLAG,
    ]);
    let outcome = verb.run_plain().expect_code(1);
    let summary = run_dir::summary(&verb.run_dir());
    let point = at(&summary, "load_points.0");
    is_kept_to(point, RATE);
    assert_eq!(text(point, "culprit"), "max_rate", "{point:#}");
    assert_eq!(text(point, "limit.found.step"), "max_rate", "{point:#}");
    let incidents = at(point, "streams.incidents").as_array().unwrap();
    assert!(incidents.iter().all(|incident| text(incident, "culprit") == "max_rate"), "{incidents:#?}");
    let screen = &outcome.words();
    assert!(screen.contains("--max-rate"), "{screen}");
}

#[test]
fn rate_limit_below_the_demand_fails_by_shrinking_margins_before_a_frame_is_late() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    // It needs 4.7 MB/s and gets 4.2: the buffer lasts for nine seconds.
    let verb = players(&scratch, &["--count", "1", "--buffer", "1s", "--warmup", "500ms"]).with(&[
        "--duration",
        "5s",
        "--max-rate",
        RATE_FLAG,
    ]);
    verb.run_plain().expect_code(1);
    let summary = run_dir::summary(&verb.run_dir());
    let point = at(&summary, "load_points.0");
    assert_eq!(count(point, "streams.total.late_frames"), 0, "{point:#}");
    assert_eq!(text(point, "verdict.failed_first.criterion"), "margins", "{point:#}");
    assert_eq!(text(point, "culprit"), "max_rate", "{point:#}");
    assert_eq!(text(point, "limit.found.step"), "max_rate", "{point:#}");
}

#[test]
fn demand_below_the_rate_limit_is_not_delayed() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    let verb = players(&scratch, &["--count", "1", "--buffer", "1s", "--warmup", "2s"]).with(&[
        "--duration",
        "2s",
        "--max-rate",
        "64MiB",
    ]);
    let screen = verb.run_plain().stdout;
    let summary = run_dir::summary(&verb.run_dir());
    assert_eq!(count(&summary, "load_points.0.held_back.operations"), 0, "{screen}");
    assert!(!screen.contains("max-rate"), "{screen}");
}
