//! Whole runs of streams in a scratch directory, without a process around them.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use reelgauge_analysis::note::{LostPart, NoteFact};
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_record::log::LogReader;
use reelgauge_record::{OpKind, OpRecord};
use reelgauge_results::reopen::reopen;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::Silent;
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_runner::streams::{StreamsRequest, run_streams};
use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::spelling::Spelling;
use reelgauge_workload::streams::{ActorKind, ActorPlan, FindMaxPlan, StreamsPlan};
use reelgauge_workload::units::Span;

const SMALL: &str = "xavc-intra-class-100-1080-25";

/// An actor of this kind, with these settings.
fn actor_with(kind: &str, settings: &str) -> ActorPlan {
    let text = format!("kind = '{kind}'\n{settings}");
    ActorPlan::from_settings(text.parse::<toml::Table>().unwrap(), Spelling::File).unwrap()
}

fn actor(kind: &str) -> ActorPlan {
    match kind {
        "camera" | "companion" => actor_with(kind, "file_size = '4MiB'\nfiles = 2"),
        "copier" | "mix" => actor_with(kind, "file_size = '4MiB'"),
        _ => actor_with(kind, &format!("format = '{SMALL}'\nclip = '1s'")),
    }
}

fn plan(target: &Path, actors: Vec<ActorPlan>) -> StreamsPlan {
    StreamsPlan {
        target: target.to_path_buf(),
        seed: 5,
        warmup: Span(200_000_000),
        duration: Span(1_500_000_000),
        direct: false,
        actors,
        ..StreamsPlan::default()
    }
}

/// A finished run, and the folder that it used.
fn finished(change: impl FnOnce(&mut StreamsPlan), actors: Vec<ActorPlan>) -> (Finished, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("target");
    std::fs::create_dir(&target).unwrap();
    let mut plan = plan(&target, actors);
    change(&mut plan);
    let request = StreamsRequest {
        plan,
        verb: "streams".to_owned(),
        must_be_direct: false,
        out: scratch.path().join("runs"),
        terms: Terms::default(),
        resume: None,
        is_told: false,
        vda: None,
    };
    (run_streams(request, &mut Silent, &Interrupt::default()).unwrap(), scratch)
}

fn logged(finished: &Finished) -> Vec<OpRecord> {
    let log = LogReader::open(&finished.run_dir.join("ops")).unwrap();
    log.batches().flat_map(|batch| batch.unwrap().ops).collect()
}

fn check_nothing_failed(summary: &Summary) {
    assert_eq!(summary.outcome, Outcome::Complete, "{:?}", summary.outcome_reason);
    assert_eq!(summary.failed_ops(), 0);
}

#[test]
fn all_actors_play_together_on_both_drivers() {
    for driver in [DriverChoice::Threads, DriverChoice::Uring] {
        if driver == DriverChoice::Uring && !cfg!(target_os = "linux") {
            continue;
        }
        let actors = ActorKind::ALL.iter().map(|kind| actor(kind.word)).collect();
        let (finished, scratch) = finished(|plan| plan.driver = driver, actors);
        check_nothing_failed(&finished.summary);
        let point = &finished.summary.load_points[0];
        let streams = point.streams.as_ref().unwrap();
        assert_eq!(streams.total.streams, 1 + 1 + 4);
        assert!(streams.streams.iter().all(|stream| stream.frames_judged > 0), "{streams:#?}");
        assert_eq!(point.rates.len(), 2);
        assert!(point.verdict.is_some() && finished.summary.verdict.is_some());
        let ops = logged(&finished);
        for worker in 0..8 {
            assert!(ops.iter().any(|op| op.worker == worker && op.kind.moves_data()), "worker {worker}");
        }
        // The actors' own files were removed; prepared files are kept.
        let area = scratch.path().join("target/reelgauge-area");
        assert!(area.join("data").exists() && !area.join("scratch").exists());
    }
}

#[test]
fn frames_have_files_of_their_own_in_a_sequence() {
    let sequence = |kind| actor_with(kind, "format = 'dpx-10-bit-rgb-hd-24'\nclip = '250ms'");
    let (finished, _scratch) = finished(|_| {}, vec![sequence("player"), sequence("recorder")]);
    check_nothing_failed(&finished.summary);
    let ops = logged(&finished);
    let files = |kind, worker| {
        let files = ops.iter().filter(|op| op.kind == kind && op.worker == worker).map(|op| op.file);
        files.collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!((files(OpKind::Read, 0), files(OpKind::Write, 1)), (6, 6));
}

#[test]
fn load_points_multiply_the_crew_and_the_log_alone_gives_the_same_late_frames() {
    let (finished, _scratch) = finished(|plan| plan.scale = Ramp(vec![1, 3]), vec![actor("recorder")]);
    check_nothing_failed(&finished.summary);
    let counts: Vec<_> = finished.summary.load_points.iter().map(|point| point.stream_count).collect();
    assert_eq!(counts, [Some(1), Some(3)]);
    std::fs::remove_file(finished.run_dir.join("summary.json")).unwrap();
    let reopened = reopen(&finished.run_dir).unwrap();
    for (point, again) in finished.summary.load_points.iter().zip(&reopened.load_points) {
        let (streams, again) = (point.streams.as_ref().unwrap(), again.streams.as_ref().unwrap());
        let margins = |figures: &reelgauge_analysis::late::LateFigures| {
            figures.streams.iter().map(|stream| stream.worst_margin).collect::<Vec<_>>()
        };
        assert_eq!(margins(streams), margins(again));
        assert_eq!(streams.total.late_frames, again.total.late_frames);
    }
    assert_eq!(reopened.verb, "streams");
    let lacks_streams = || {
        let lost = NoteFact::Lost { part: LostPart::Streams };
        reopen(&finished.run_dir).unwrap().notes.iter().any(|note| note.fact == lost)
    };
    assert!(!lacks_streams());
    std::fs::remove_file(finished.run_dir.join("streams.json")).unwrap();
    assert!(lacks_streams());
    // A log without any file left is not a run in which nothing was measured.
    for part in
        walk(&finished.run_dir.join("ops")).filter(|path| path.extension() == Some("parquet".as_ref()))
    {
        std::fs::OpenOptions::new().write(true).open(part).unwrap().set_len(100).unwrap();
    }
    let torn = reopen(&finished.run_dir).unwrap_err();
    assert!(matches!(torn, reelgauge_results::reopen::ReopenError::Torn { .. }), "{torn}");
}

/// The files of the agents' logs.
fn walk(ops: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let listed = |dir: &Path| std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let agents: Vec<_> = listed(ops).filter(|path| path.is_dir()).collect();
    agents.into_iter().flat_map(move |agent| listed(&agent).collect::<Vec<_>>())
}

#[test]
fn a_search_ends_at_the_planned_limit_and_keeps_its_evidence() {
    let find_max = FindMaxPlan { cap: Some(2), repeats: 1, confirm: Span(0), ..FindMaxPlan::default() };
    let short = |plan: &mut StreamsPlan| {
        plan.find_max = Some(find_max);
        plan.duration = Span(1_500_000_000);
    };
    let (finished, _scratch) = finished(short, vec![actor("player")]);
    check_nothing_failed(&finished.summary);
    let search = finished.summary.search.as_ref().unwrap();
    assert_eq!(search.trials.iter().map(|at| at.streams).max(), Some(2), "{search:?}");
    assert!(finished.run_dir.join("search.json").exists());
}
