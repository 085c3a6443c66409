//! A suite on a real file system: every workload in every pass, the table kept in between, and compared.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use reelgauge_analysis::naspt::{NasptTable, WorkloadGroup};
use reelgauge_engine::area::Terms;
use reelgauge_engine::space::KeepFree;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::{Observer, Silent};
use reelgauge_runner::suite::selection::{choose, naspt_workloads};
use reelgauge_runner::suite::{Suite, SuiteEnd, SuiteRequest, run_suite};
use reelgauge_trace::library::Library;
use reelgauge_workload::replay::Pacing;
use reelgauge_workload::units::Span;

fn request(workloads: &[&str], dir: &Path) -> SuiteRequest {
    fs::create_dir_all(dir.join("target")).unwrap();
    let words: Vec<String> = workloads.iter().map(|name| (*name).to_owned()).collect();
    SuiteRequest {
        name: "small".to_owned(),
        workloads: choose(&words, &Library::with_folders(Vec::new())).unwrap(),
        access_time: Span::secs(1),
        target: dir.join("target"),
        batch: 2,
        pace: Pacing::Max,
        seed: 7,
        // A share of the disk may be more than a busy host has left.
        terms: Terms { keep_free: KeepFree::Bytes(1 << 30), ..Terms::default() },
        out: dir.join("runs"),
        storage: reelgauge_record::notes::StorageDetails::default(),
        tags: Vec::new(),
    }
}

fn run(workloads: &[&str], dir: &Path) -> SuiteEnd {
    run_suite(request(workloads, dir), &mut Silent, &Interrupt::default()).unwrap()
}

#[test]
fn the_suite_has_the_twelve() {
    let names = naspt_workloads();
    assert_eq!(names.len(), 12);
    assert!(names.iter().all(|workload| workload.name.ends_with("-synth")), "{names:?}");
}

#[test]
fn every_workload_has_its_passes_and_all_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let ended = run(&["hint-stream", "hint-stream-1mib"], dir.path());
    assert_eq!(ended.exit_code, 0);
    let suite = &ended.suite;
    assert!(suite.complete && suite.ended_early.is_none());
    for row in &suite.table.rows {
        assert_eq!((row.passes.len(), row.discarded()), (2, 0), "{row:?}");
        // Appended and read-back data, and the hints.
        assert!(row.passes.iter().all(|pass| pass.moved_bytes > 134_000_000), "{row:?}");
    }
    assert!(suite.table.geometric_mean_bytes_per_s.unwrap() > 0.0);
    assert_eq!(Suite::read(&ended.dir).unwrap(), *suite);
    for run in &suite.runs {
        assert!(ended.dir.join(run).join("summary.json").is_file(), "{run:?}");
    }
    let again = suite.table.ratios_to(&suite.table);
    assert_eq!((again.compared, again.geometric_mean.map(|mean| (mean * 1e6).round())), (2, Some(1e6)));
}

#[test]
fn accesses_of_iometer_are_rows_of_their_own_mean() {
    let dir = tempfile::tempdir().unwrap();
    let ended = run(&["hint-stream-1mib", "4k-random-read-qd32", "128k-sequential-write-qd1"], dir.path());
    assert_eq!(ended.exit_code, 0, "{:?}", ended.suite.ended_early);
    let table = &ended.suite.table;
    let groups: Vec<WorkloadGroup> = table.rows.iter().map(|row| row.group).collect();
    assert_eq!(groups, [WorkloadGroup::Own, WorkloadGroup::IometerOne, WorkloadGroup::IometerMany]);
    for (row, run) in table.rows.iter().zip(&ended.suite.runs).skip(1) {
        // The same figures in the run's own summary.
        let text = fs::read_to_string(ended.dir.join(run).join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        let total = &summary["load_points"][0]["total"];
        let rate = total["bytes_per_s"].as_f64().unwrap();
        assert!((row.median_bytes_per_s.unwrap() / rate - 1.0).abs() < 1e-6, "{row:?} {rate}");
        let plan = fs::read_to_string(ended.dir.join(run).join("run.toml")).unwrap();
        assert_eq!(plan.contains("in_flight = 32"), row.workload.ends_with("32"), "{plan}");
    }
    let ratio = table.geometric_mean_bytes_per_s.unwrap() / table.rows[0].median_bytes_per_s.unwrap();
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn stopped_suite_keeps_completed_workloads() {
    /// Stops when the second workload begins.
    struct Stopper<'a>(&'a Interrupt);
    impl Observer for Stopper<'_> {
        fn phase(&mut self, name: &str) {
            if name == "hint-stream-1mib" {
                self.0.flag().store(true, Ordering::Relaxed);
            }
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let interrupt = Interrupt::default();
    let wanted = request(&["hint-stream", "hint-stream-1mib"], dir.path());
    let ended = run_suite(wanted, &mut Stopper(&interrupt), &interrupt).unwrap();
    assert_eq!(ended.exit_code, 130);
    let kept = Suite::read(&ended.dir).unwrap();
    assert!(!kept.complete && kept.ended_early.is_some());
    assert_eq!(kept.table.rows[0].passes.len(), 2);
    assert_eq!(kept.table.geometric_mean_bytes_per_s.is_some(), kept.table.rows.len() == 1);
}

#[test]
fn a_directory_without_a_suite_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Suite::read(dir.path()).unwrap_err().to_string().contains("suite.json"));
    fs::write(dir.path().join("suite.json"), "{}").unwrap();
    assert!(Suite::read(dir.path()).is_err());
    assert_eq!(NasptTable::default().geometric_mean_bytes_per_s, None);
}
