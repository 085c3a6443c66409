//! The operation log keeps its promise: pyarrow and DuckDB read it directly, and find in it every figure
//! of the summary. `reelgauge report` needs nothing else.

use std::ffi::OsString;

use reelgauge_tests::binary;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::python::{TOTALS, log_and_summary_agree};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;

#[test]
fn pyarrow_and_duckdb_find_the_figures_of_the_summary() {
    require!(Need::Python);
    let scratch = Scratch::new();
    for driver in ["threads", "uring"] {
        let mix = Mix::on(&scratch.dir("target")).without("--workers").without("--duration");
        let mix = mix.with(&["--buffered", "--driver", driver, "--ramp", "1..3", "--step", "1s"]);
        let printed = mix.measure();
        log_and_summary_agree(&mix.run_dir(), &printed);
    }
}

#[test]
fn failed_operations_are_in_the_log_with_their_error() {
    require!(Need::Python);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mix = Mix::on(&faulty.path()).with(&["--duration", "3s", "--warmup", "0s"]);
    // The first run makes the test files, so that the second one meets the faults while it measures.
    Mix::on(&faulty.path()).measure();
    faulty.faults().after(500);
    faulty.faults().fail_reads(5);
    faulty.faults().only_in(1 << 20..2 << 20);
    let outcome = mix.run();
    let printed = outcome.json();
    assert!(count(&printed, "load_points.0.total.failed_ops") > 0, "{}", outcome.said());
    log_and_summary_agree(&mix.run_dir(), &printed);
}

#[test]
fn a_report_needs_nothing_but_the_run_directory() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = Mix::on(&target).with(&["--buffered"]);
    let printed = mix.measure();
    std::fs::remove_dir_all(&target).unwrap();
    let run = mix.run_dir();
    let report = |flags: &[&str]| {
        let mut words = vec![OsString::from("report"), run.clone().into()];
        words.extend(flags.iter().map(OsString::from));
        binary::run(words).expect_code(0)
    };
    assert_eq!(report(&["--json"]).json(), printed);
    let text = report(&[]).stdout;
    // From the log alone the figures are the same, also in words.
    let kept = std::fs::read(run.join("summary.json")).unwrap();
    std::fs::remove_file(run.join("summary.json")).unwrap();
    let rebuilt = report(&["--json"]).json();
    for name in TOTALS {
        let name = format!("load_points.0.total.{name}");
        assert_eq!(at(&rebuilt, &name), at(&printed, &name), "{name}");
    }
    std::fs::write(run.join("summary.json"), kept).unwrap();
    assert_eq!(report(&[]).stdout, text);
}

#[test]
fn a_report_writes_csv() {
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--duration", "500ms"]);
    let printed = mix.measure();
    let folder = scratch.path().join("csv");
    binary::run([OsString::from("report"), mix.run_dir().into(), "--csv".into(), folder.clone().into()])
        .expect_code(0);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    let all: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    assert!(all.contains(&count(&printed, "load_points.0.total.read_bytes").to_string()), "{all}");
}

#[test]
fn without_a_log_there_are_the_figures() {
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--no-log", "--duration", "500ms"]);
    let printed = mix.measure();
    assert!(count(&printed, "load_points.0.total.ops") > 0);
    assert_eq!(count(&printed, "log.rows"), 0);
    assert_eq!(at(&printed, "log.complete"), false);
}
