//! The verbs that measure, and their logs as pyarrow and DuckDB read them.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::player_search::{OWN_BYTES_PER_S, Sought};
use reelgauge_tests::python::log_and_summary_agree;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, summary};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::wine::{self, Drive};

/// Far more than a check takes.
const CHECK_LIMIT: Duration = Duration::from_secs(400);

/// More than a search takes, even on a busy host.
const SEARCH_LIMIT: Duration = Duration::from_secs(300);

#[test]
fn check_counts_streams_of_every_format() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let check = Verb::on("check", scratch.dir("target")).on_windows();
    let outcome = check.start().wait(CHECK_LIMIT).expect_code(0);
    let facts = at(&summary(&check.run_dir()), "check").clone();
    for rate in ["sequential_read_mb_per_s", "sequential_write_mb_per_s", "random_read_mb_per_s"] {
        assert!(number(&facts, rate) > 0.1, "{facts:#}");
    }
    assert_eq!(at(&facts, "formats").as_array().unwrap().len(), 5, "{}", outcome.said());
}

#[test]
fn log_of_a_mix_has_the_figures_of_its_summary() {
    require!(Need::Windows, Need::Python);
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    for flags in [&["--direct"][..], &["--buffered", "--sync", "dsync"], &["--direct", "--verify"]] {
        let mix = Mix::on(&target).with(flags).on_windows();
        let printed = mix.measure();
        assert!(count(&printed, "load_points.0.total.ops") > 0, "{printed:#}");
        log_and_summary_agree(&mix.run_dir(), &printed);
        if flags.contains(&"--verify") {
            assert!(count(&printed, "verify.checked_bytes") > 0, "{printed:#}");
            assert_eq!(count(&printed, "verify.different_bytes"), 0, "{printed:#}");
        }
    }
    wine::run([OsString::from("clean"), target.clone().into()]).expect_code(0);
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0, "the area remains");
}

#[test]
fn vda_measures_each_load_point() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let vda = Verb::on("vda", scratch.dir("target")).on_windows();
    let vda = vda.with(&["--points", "1..2", "--file-size", "4MiB", "--files", "2"]);
    let summary = vda.with(&["--warmup", "500ms", "--duration", "2s", "--seed", "7"]).measure();
    let points = at(&summary, "vda.points").as_array().unwrap();
    assert_eq!(points.iter().map(|point| count(point, "streams")).collect::<Vec<_>>(), [1, 2]);
    assert!(points.iter().all(|point| number(point, "achieved_ops_per_s") > 0.0), "{points:#?}");
}

/// One and a half streams fit, so two never pass. Whether one passes depends on how busy the host is.
#[test]
fn search_finds_no_more_streams_than_the_bandwidth_permits() {
    require!(Need::Windows);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let drive = Drive::new('e', &faulty.path());
    let sought = Sought { start: 1, cap: 2, duration: "2s", buffer: Some("3frames") };
    let scratch = Scratch::new();
    // The test files are made faster.
    faulty.faults().limit_bytes_per_s(OWN_BYTES_PER_S * 3 / 2);
    let search = Verb::on("run", sought.plan(&scratch, Path::new(&drive.root()))).on_windows();
    let summary = search.start().wait(SEARCH_LIMIT).expect_end().json();
    let trials = at(&summary, "search.trials").as_array().unwrap();
    assert!(at(&summary, "search.streams").as_u64().unwrap_or(0) <= 1, "{trials:#?}");
    assert!(trials.iter().any(|trial| count(trial, "failed") + count(trial, "client_limited") > 0));
}
