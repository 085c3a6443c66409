//! Whole runs in a scratch directory, in the test's own process: the stored figures are the measured
//! ones.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use reelgauge_analysis::note::{LostPart, NoteFact};
use reelgauge_analysis::summary::NotMeasured;
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_record::log::LogReader;
use reelgauge_results::reopen::reopen;
use reelgauge_runner::clean::clean;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::mix::{MixRequest, run_mix};
use reelgauge_runner::observer::Silent;
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_workload::plan::{DriverChoice, PLAN_VERSION, Plan};
use reelgauge_workload::profile::Profile;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::units::{Percent, Size, Span};

fn plan(target: &Path) -> Plan {
    let mut mix = Profile::named("production-edit").unwrap().plan();
    mix.file_size = Size::mib(16);
    Plan {
        plan_version: PLAN_VERSION,
        written_by: "test".to_owned(),
        target: target.to_path_buf(),
        seed: 5,
        driver: DriverChoice::Threads,
        workers: Ramp(vec![1, 2]),
        sweep: None,
        criteria: String::new(),
        warmup: Span(50_000_000),
        duration: Span(300_000_000),
        hang_after: Span::secs(30),
        verify: true,
        log: true,
        server_memory: None,
        tags: Vec::new(),
        storage: reelgauge_record::notes::StorageDetails::default(),
        read_from: None,
        shared_data: None,
        mix,
    }
}

fn finished(plan: Plan, out: &Path) -> Finished {
    let request = MixRequest { plan, must_be_direct: false, out: out.to_path_buf(), terms: Terms::default() };
    run_mix(request, &mut Silent, &Interrupt::default()).unwrap()
}

fn whole_run(change: impl FnOnce(&mut Plan)) -> (Finished, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("target");
    std::fs::create_dir(&target).unwrap();
    let mut plan = plan(&target);
    change(&mut plan);
    (finished(plan, &scratch.path().join("runs")), scratch)
}

fn logged_ops(finished: &Finished) -> usize {
    let log = LogReader::open(&finished.run_dir.join("ops")).unwrap();
    log.batches().map(|batch| batch.unwrap().ops.len()).sum()
}

fn check_complete(summary: &Summary) {
    assert_eq!(summary.outcome, Outcome::Complete, "{:?}", summary.outcome_reason);
    assert_eq!((summary.failed_ops(), summary.load_points.len()), (0, 2));
    for point in &summary.load_points {
        assert!(point.total.ops > 0 && point.measured_s >= 0.3, "{point:?}");
        assert_eq!(point.per_worker.len() as u32, point.workers);
    }
}

#[test]
fn a_ramp_is_measured_verified_and_printed_again_from_its_directory() {
    for driver in [DriverChoice::Threads, DriverChoice::Uring] {
        if driver == DriverChoice::Uring && !cfg!(target_os = "linux") {
            continue;
        }
        let (finished, _scratch) = whole_run(|plan| plan.driver = driver);
        check_complete(&finished.summary);
        let verify = finished.summary.verify.clone().unwrap();
        assert!(verify.checked_bytes > 0 && verify.different_bytes == 0, "{verify:?}");
        let points = finished.summary.load_points.iter();
        let ops: u64 = points.map(|point| point.total.ops + point.total.warmup_ops).sum();
        assert_eq!(logged_ops(&finished) as u64, ops);
        assert_eq!(reopen(&finished.run_dir).unwrap(), finished.summary);
    }
}

#[test]
fn without_its_summary_a_run_is_rebuilt_from_its_log() {
    let (finished, _scratch) = whole_run(|_| {});
    std::fs::remove_file(finished.run_dir.join("summary.json")).unwrap();
    let rebuilt = reopen(&finished.run_dir).unwrap();
    // It was not killed, and its log is complete.
    assert_eq!((rebuilt.outcome, rebuilt.outcome_reason.as_deref()), (Outcome::Complete, None));
    assert!(
        rebuilt.log.complete && rebuilt.notes[0].fact == NoteFact::Lost { part: LostPart::Summary },
        "{rebuilt:?}"
    );
    assert_eq!(rebuilt.ops(), finished.summary.ops());
    for (again, live) in rebuilt.load_points.iter().zip(&finished.summary.load_points) {
        assert_eq!(again.label, live.label);
        assert_eq!(again.total.read_bytes, live.total.read_bytes);
        assert_eq!(
            again.total.service.read,
            live.total.service.read.map(|mut times| {
                // The load point's own start is only known to a millisecond or so before it begins.
                times.max_began_in_point_s = again.total.service.read.as_ref().unwrap().max_began_in_point_s;
                times
            })
        );
    }
    std::fs::remove_file(finished.run_dir.join("live.jsonl")).unwrap();
    let untold = reopen(&finished.run_dir).unwrap();
    assert_eq!(untold.outcome, Outcome::BrokeOff);
    assert!(untold.outcome_reason.unwrap().starts_with("its end is unknown"));
}

#[test]
fn the_plan_of_a_run_runs_again_on_the_same_files() {
    let (first, scratch) = whole_run(|plan| plan.verify = false);
    let text = std::fs::read_to_string(first.run_dir.join("run.toml")).unwrap();
    let plan = Plan::from_toml(&text).unwrap();
    let second = finished(plan, &scratch.path().join("runs"));
    check_complete(&second.summary);
    assert!(second.summary.data_set.reused);
    assert_eq!(second.summary.seed, first.summary.seed);
}

#[test]
fn every_block_once_ends_when_all_are_visited() {
    let finished = once(|plan| plan.workers = Ramp(vec![2]));
    let point = &finished.summary.load_points[0];
    assert_eq!(finished.summary.outcome, Outcome::Complete);
    assert!(point.ended_early.as_deref().unwrap().contains("every block"));
    assert_eq!(point.total.ops_by_kind.read, 2 * 256);
    assert_eq!(point.total.read_bytes, 2 * (16 << 20));
}

/// Every block is visited once, by two load points of one and of two workers.
fn once(set: impl FnOnce(&mut Plan)) -> Finished {
    let (finished, _scratch) = whole_run(|plan| {
        plan.mix.no_repeat = true;
        plan.mix.random = Percent::whole(100);
        plan.mix.writes = Percent::whole(0);
        plan.mix.blocks = "64KiB".parse().unwrap();
        plan.verify = false;
        plan.workers = Ramp(vec![1, 2]);
        plan.warmup = Span(0);
        plan.duration = Span::secs(600);
        set(plan);
    });
    finished
}

#[test]
fn every_load_point_visits_every_block_once() {
    for shared_file in [false, true] {
        let finished = once(|plan| plan.mix.shared_file = shared_file);
        let reads: Vec<u64> =
            finished.summary.load_points.iter().map(|point| point.total.ops_by_kind.read).collect();
        // A separate file for each worker, or one for all.
        assert_eq!(reads, if shared_file { [256, 256] } else { [256, 2 * 256] });
        assert_eq!((finished.summary.outcome, finished.exit_code()), (Outcome::Complete, 0));
    }
}

#[test]
fn a_load_point_without_figures_is_not_measured_and_no_success() {
    let finished = once(|plan| plan.warmup = Span::secs(60));
    let whys: Vec<_> = finished.summary.load_points.iter().map(|point| point.not_measured).collect();
    assert_eq!(whys, [Some(NotMeasured::WarmupVisitedAll); 2]);
    assert_eq!(finished.exit_code(), 1);
}

#[test]
fn a_second_run_in_the_same_area_is_refused_and_clean_removes_it() {
    let (_finished, scratch) = whole_run(|_| {});
    let target = scratch.path().join("target");
    let lock = reelgauge_engine::area::Area::open_existing(&target).unwrap().lock().unwrap();
    let request = MixRequest {
        plan: plan(&target),
        must_be_direct: false,
        out: scratch.path().join("runs"),
        terms: Terms::default(),
    };
    let error = run_mix(request, &mut Silent, &Interrupt::default()).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    drop(lock);
    let removed = clean(&target, Terms::default().sharing).unwrap();
    let (_, what) = removed.area.unwrap();
    assert!(what.bytes >= 2 * (16 << 20));
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}
