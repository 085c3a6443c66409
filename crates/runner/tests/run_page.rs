//! Pages of real runs and traces: the same figures as the summary, and a `report.html` that holds them.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reelgauge_analysis::{Outcome, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_report::answer_sentences;
use reelgauge_report::document::Block;
use reelgauge_results::page::{PageError, REPORT_FILE, run_page, trace_page};
use reelgauge_results::run_notes;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::Silent;
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_runner::session::report_file::leave_report;
use reelgauge_runner::streams::{StreamsRequest, run_streams};
use reelgauge_trace::synth::hints::HINT_STREAM;
use reelgauge_workload::player::PlayerPlan;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::streams::{Footage, Frames, StreamsPlan};
use reelgauge_workload::units::Span;
use serde_json::Value;

/// Two load points of players, of one and of three streams.
fn finished(change: impl FnOnce(&mut StreamsPlan)) -> (Finished, tempfile::TempDir) {
    finished_or_stopped(change, &Interrupt::default())
}

fn finished_or_stopped(
    change: impl FnOnce(&mut StreamsPlan),
    interrupt: &Interrupt,
) -> (Finished, tempfile::TempDir) {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("target");
    std::fs::create_dir(&target).unwrap();
    let player = PlayerPlan {
        footage: Footage::listed("xavc-intra-class-100-1080-25"),
        frames: Frames { clip: Span::secs(1), ..Frames::default() },
        ..PlayerPlan::default()
    };
    let mut plan = StreamsPlan {
        target,
        seed: 5,
        warmup: Span(200_000_000),
        duration: Span(1_000_000_000),
        direct: false,
        scale: Ramp(vec![1, 3]),
        actors: vec![player.into()],
        ..StreamsPlan::default()
    };
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
    (run_streams(request, &mut Silent, interrupt).unwrap(), scratch)
}

/// The data in a `report.html`.
fn embedded(html: &Path) -> Value {
    let html = std::fs::read_to_string(html).unwrap();
    let (_, rest) = html.split_once(r#"id="reelgauge-data">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn sum(values: &Value) -> u64 {
    values.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).sum()
}

#[test]
fn every_run_gets_a_report_with_the_figures_of_its_summary() {
    let (finished, _scratch) = finished(|_| {});
    let page = embedded(&finished.run_dir.join(REPORT_FILE));
    let run = &page["runs"][0];
    let summary: Summary = serde_json::from_value(run["summary"].clone()).unwrap();
    assert_eq!(summary, finished.summary);
    let answer = serde_json::to_value(answer_sentences(&finished.summary)).unwrap();
    assert_eq!((&page["kind"], &run["answer"]), (&Value::from("run"), &answer));
    assert_eq!(run["id"].as_str(), finished.run_dir.file_name().unwrap().to_str());
    let configuration = run["sections"].as_array().unwrap().last().unwrap();
    let folded = configuration["blocks"].as_array().unwrap().last().unwrap();
    let plan_toml = folded["of"]["blocks"][0]["of"].as_str().unwrap();
    assert!(plan_toml.contains("xavc-intra-class-100-1080-25"), "{plan_toml}");
    assert!(run["again"].as_str().unwrap().starts_with("reelgauge run /"));
    let detail = &run["detail"];
    assert_eq!(detail["ops"].as_u64(), Some(summary.log.rows));
    assert_eq!(sum(&detail["over_time"]["ops"]), summary.log.rows);
    let warmup: u64 = summary.load_points.iter().map(|point| point.total.warmup_ops).sum();
    assert_eq!(sum(&detail["over_time"]["warmup_ops"]), warmup);
    for (point, streams) in summary.load_points.iter().zip(detail["streams"].as_array().unwrap()) {
        let figures = point.streams.as_ref().unwrap();
        assert_eq!(sum(&streams["late_frames"]), figures.total.late_frames);
        let never = streams["headroom"]["never"].as_u64().unwrap();
        assert_eq!(sum(&streams["headroom"]["count"]) + never, figures.total.frames_judged);
        assert_eq!(streams["streams"].as_array().unwrap().len(), figures.streams.len());
    }
    let reads: u64 =
        summary.load_points.iter().map(|point| point.total.response.read.as_ref().unwrap().count).sum();
    let curve =
        detail["percentiles"].as_array().unwrap().iter().find(|curve| curve["kind"] == "read").unwrap();
    assert_eq!(curve["count"].as_u64(), Some(reads));
}

#[test]
fn interrupted_load_point_is_judged_to_its_end() {
    let interrupt = Interrupt::default();
    let stopper = interrupt.clone();
    let stop = std::thread::spawn(move || {
        // Enough time to make the files and to judge frames, on a busy host too.
        std::thread::sleep(Duration::from_secs(4));
        stopper.flag().store(true, Ordering::Relaxed);
    });
    let (finished, _scratch) = finished_or_stopped(
        |plan| {
            plan.scale = Ramp(vec![4]);
            plan.duration = Span::secs(60);
        },
        &interrupt,
    );
    stop.join().unwrap();
    assert_eq!(finished.summary.outcome, Outcome::Interrupted);
    let run = run_page(&finished.run_dir, &|| false).unwrap();
    let streams = &run.detail.as_ref().unwrap().streams[0];
    let figures = &finished.summary.load_points[0].streams.as_ref().unwrap().total;
    assert!(figures.frames_judged > 0);
    let judged = streams.headroom.count.iter().sum::<u64>() + streams.headroom.never;
    assert_eq!(judged, figures.frames_judged);
    assert_eq!(streams.late_frames.iter().sum::<u64>(), figures.late_frames);
    let judged_s = streams.time.bin_s.0 * streams.time.bins as f64;
    assert!(judged_s < 20.0, "{judged_s} s were not judged");
}

#[test]
fn the_page_of_a_run_without_a_log_gives_the_reason() {
    let (finished, _scratch) = finished(|plan| plan.log = false);
    let run = run_page(&finished.run_dir, &|| false).unwrap();
    assert!(run.detail.is_none() && !run.why_no_detail.unwrap().is_empty());
    assert!(finished.run_dir.join(REPORT_FILE).is_file());
}

#[test]
fn failed_or_slow_report_leaves_no_file() {
    let (mut finished, _scratch) = finished(|plan| plan.scale = Ramp(vec![1]));
    let report = finished.run_dir.join(REPORT_FILE);
    std::fs::remove_file(&report).unwrap();
    finished.summary.outcome = Outcome::Interrupted;
    finished.summary.log.rows = 2_000_001;
    leave_report(&finished.run_dir, &finished.summary, &Interrupt::default()).unwrap();
    assert!(!report.exists());
    finished.summary.log.rows = 2_000_000;
    leave_report(&finished.run_dir, &finished.summary, &Interrupt::default()).unwrap();
    assert!(report.is_file());
    // A rename onto a directory fails.
    std::fs::remove_file(&report).unwrap();
    std::fs::create_dir_all(report.join("in the way")).unwrap();
    let failed = leave_report(&finished.run_dir, &finished.summary, &Interrupt::default());
    assert!(matches!(failed, Err(PageError::Write { .. })), "{failed:?}");
    let mut left = std::fs::read_dir(&finished.run_dir).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.all(|name| !name.to_string_lossy().ends_with(".tmp")));
    let stopped = run_page(&finished.run_dir, &|| true);
    assert!(matches!(stopped, Err(PageError::Stopped)));
}

#[test]
fn notes_are_read_where_they_are_some() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run_notes::read(dir.path()), None);
    std::fs::write(dir.path().join("notes.json"), r#"{"tags": ["</script>"], "storage_make": "ACME"}"#)
        .unwrap();
    let notes = run_notes::read(dir.path()).unwrap();
    assert_eq!(
        (&notes.tags[..], &*notes.storage_make, &*notes.note),
        (&["</script>".to_owned()][..], "ACME", "")
    );
    std::fs::write(dir.path().join("notes.json"), "[1").unwrap();
    assert_eq!(run_notes::read(dir.path()), None);
}

#[test]
fn a_trace_has_a_page_with_the_report_of_the_terminal() {
    let parent = tempfile::tempdir().unwrap();
    let trace = HINT_STREAM.make(parent.path()).unwrap();
    let page = trace_page(trace.dir(), None, &|| false).unwrap();
    assert_eq!(page.detail.ops, page.report.figures.ops);
    assert_eq!(page.detail.files.written_bytes[0], page.report.figures.written_bytes);
    assert_eq!(
        page.detail.files.sequential_percent[0].map(|share| share.0),
        page.report.figures.sequential_percent
    );
    assert_eq!(page.detail.file_names[&0], "hint-stream.bin");
    let Some(Block::Command(again)) = page.sections[0].blocks.last() else { panic!("no command") };
    assert!(again.starts_with("reelgauge replay /") && again.ends_with(" TARGET"));
    assert!(page.report.files.iter().all(|file| file.map.is_none()));
}
