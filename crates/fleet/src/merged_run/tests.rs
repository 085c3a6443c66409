//! Synthetic runs on hosts with different clocks, merged.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_analysis::criteria::Criterion;
use reelgauge_analysis::hosts::Presence;
use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{LateTally, MeasuredPart, StreamSpec};
use reelgauge_analysis::marks::MarkKind;
use reelgauge_analysis::run_ending::{RunEnding, RunStop};
use reelgauge_analysis::statement::{Judgement, Number};
use reelgauge_analysis::summary::{LoadPointFacts, LogFacts, Target};
use reelgauge_analysis::verdict::Verdict;
use reelgauge_analysis::{
    LoadPoint, Note, NoteFact, Outcome, PointTiming, ReplayFacts, ReplayPass, Summary, rebuild,
};
use reelgauge_record::OpRecord;
use reelgauge_record::agents::AgentPlaces;
use reelgauge_record::log::{CaptureLevel, FileEntry, LogMeta, LogReader, LogWriter};
use reelgauge_record::run_dir::RunDir;
use reelgauge_record::test_records::read;
use reelgauge_report::hosts::STOPPED_WORDS;
use reelgauge_results::reopen::reopen;
use reelgauge_results::run_judgement::judge_again;
use reelgauge_results::stream_table::{self, PointStreams, StreamTable};
use reelgauge_trace::Trace;

use super::*;

const S: u64 = 1_000_000_000;
/// 2026-11-20T15:40:12Z.
pub(super) const ZERO_NS: i64 = 1_795_189_212 * 1_000_000_000;

/// A synthetic run on one host.
pub(super) struct Made {
    run_ns: i64,
    specs: Vec<StreamSpec>,
    /// Operations of load point 0, which is measured from 0 s to 2 s.
    ops: Vec<OpRecord>,
    outcome: Outcome,
    passed: bool,
}

/// Two players of 25 frames a second; from `late_from` on they are `late_ms` late, if that is above 0.
fn players(late_ms: u64) -> Made {
    let op = |worker: u32, frame: u32| {
        let extra_ms = if (20..25).contains(&frame) { late_ms } else { 0 };
        let took_ms = 10 + u64::from(worker) + extra_ms;
        read(worker, 0, 1000).by_worker(worker).frame(frame).at_ms(u64::from(frame) * 40).took_ms(took_ms)
    };
    let mut ops: Vec<OpRecord> =
        (0..2).flat_map(|worker| (0..60).map(move |frame| op(worker, frame))).collect();
    ops.sort_by_key(|op| op.done_ns);
    Made {
        run_ns: ZERO_NS,
        specs: vec![player(0), player(1)],
        ops,
        outcome: Outcome::Complete,
        passed: late_ms == 0,
    }
}

/// A mix: no streams. The operations of each host take a different time.
pub(super) fn mix(seed: u64) -> Made {
    let op = |at: u64| {
        let worker = (at % 3) as u32;
        read(worker, at * 4096, 4096)
            .by_worker(worker)
            .of_transfer(at as u32 / 3)
            .at_ms(at * 5)
            .took_ns(100_000 + (at * 7_919 * seed) % 9_000_000)
    };
    Made { specs: Vec::new(), ops: (0..400).map(op).collect(), ..players(0) }
}

impl Made {
    pub(super) fn write(&self, parent: &Path, name: &str) -> PathBuf {
        let path = parent.join(name);
        fs::create_dir_all(&path).unwrap();
        let run = RunDir::begin_at(&path).unwrap();
        let meta = LogMeta {
            run_ns: self.run_ns,
            agent: "local".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: Vec::new(),
        };
        let files =
            (0..3).map(|at| FileEntry { path: format!("file-{at}"), ..FileEntry::default() }).collect();
        let mut log = LogWriter::create(&run.agent_ops_path("local"), meta, files).unwrap();
        log.append(&self.ops).unwrap();
        log.finish().unwrap();
        let timing = PointTiming { started_ns: 0, measured_ns: 2 * S };
        let rebuilt = rebuild(self.ops.iter().copied(), &BTreeMap::from([(0, timing)]));
        let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
        let verb = if self.specs.is_empty() { "mix" } else { "streams" };
        let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", verb, target);
        summary.outcome = self.outcome;
        summary.series = rebuilt.series;
        summary.log = LogFacts { complete: true, rows: self.ops.len() as u64, ..LogFacts::default() };
        let facts = LoadPointFacts { label: "2 players".to_owned(), workers: 2, ..LoadPointFacts::default() };
        let mut point = LoadPoint::new(facts, rebuilt.points.into_iter().next().unwrap());
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 2 * S };
        if !self.specs.is_empty() {
            let mut tally = LateTally::new(self.specs.clone(), part);
            self.ops.iter().for_each(|op| tally.add(op));
            point.streams = Some(tally.finish(2 * S));
            point.stream_count = Some(self.specs.len() as u32);
            let asked = vec![Criterion::LateFrames];
            let verdict = Verdict { passed: self.passed, asked, ..Verdict::default() };
            point.verdict = (self.outcome == Outcome::Complete).then_some(verdict);
        }
        summary.load_points = vec![point];
        run.write_summary(&summary).unwrap();
        let streams = PointStreams::new(1, part, self.specs.clone());
        stream_table::write(&run, &StreamTable { points: vec![streams] }).unwrap();
        path
    }
}

fn share(name: &str, run_dir: &Path) -> AgentShare {
    AgentShare { name: name.to_owned(), run_dir: Some(run_dir.to_path_buf()), ..AgentShare::default() }
}

fn clock(offset_ns: i64, uncertainty_ns: u64) -> Option<ClockOffset> {
    Some(ClockOffset { offset_ns, uncertainty_ns })
}

/// A request with agents named a1, a2, …
pub(super) fn request(dir: &Path, runs: &[PathBuf]) -> WholeRequest {
    let named = |(at, run): (usize, &PathBuf)| share(&format!("a{}", at + 1), run);
    WholeRequest {
        out: dir.join("whole"),
        agents: runs.iter().enumerate().map(named).collect(),
        ..WholeRequest::default()
    }
}

#[test]
fn figures_are_those_of_all_logs_together() {
    let dir = tempfile::tempdir().unwrap();
    let (one, mut two) = (mix(1), mix(5));
    two.run_ns += 300_000_000;
    let runs = [one.write(dir.path(), "one"), two.write(dir.path(), "two")];
    let whole = make(request(dir.path(), &runs)).unwrap();
    // The same operations as those of one host with six workers.
    let mut all = one.ops.clone();
    all.extend(two.ops.iter().map(|op| OpRecord {
        due_ns: op.due_ns + 300_000_000,
        issued_ns: op.issued_ns + 300_000_000,
        done_ns: op.done_ns + 300_000_000,
        worker: op.worker + 3,
        ..*op
    }));
    let timing = PointTiming { started_ns: 0, measured_ns: 2 * S + 300_000_000 };
    let expected = rebuild(all, &BTreeMap::from([(0, timing)]));
    let point = &whole.summary.load_points[0];
    let mut total = expected.points[0].total.clone();
    // Files are numbered too, and these figures show the file of an error.
    total.first_error = point.total.first_error;
    assert_eq!(point.total, total);
    assert_eq!(whole.summary.series, expected.series);
    assert_eq!(point.per_worker.len(), 6);
    let hosts = whole.summary.hosts.as_ref().unwrap();
    let rows = &hosts.points[0];
    let sum = |of: fn(&reelgauge_analysis::hosts::PartFigures) -> u64| {
        rows.hosts.iter().map(|host| of(&host.figures)).sum::<u64>()
    };
    assert_eq!(sum(|part| part.ops), point.total.ops);
    assert_eq!(sum(|part| part.read_bytes), point.total.read_bytes);
    assert_eq!((rows.total.ops, rows.total.response), (point.total.ops, point.total.response.data));
    assert_eq!(whole.summary.log.rows, 800);
    assert!(whole.missing.is_empty() && whole.summary.outcome == Outcome::Complete);
    // The files there have the same content.
    assert_eq!(reopen(&whole.run_dir).unwrap().load_points, whole.summary.load_points);
    assert!(whole.run_dir.join(REPORT_FILE).is_file(), "{:?}", whole.summary.notes);
}

#[test]
fn merging_one_host_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let run = players(200).write(dir.path(), "one");
    let own = reopen(&run).unwrap();
    let whole = make(request(dir.path(), &[run])).unwrap();
    let (own, found) = (&own.load_points[0], &whole.summary.load_points[0]);
    assert_eq!(found.total, own.total);
    let (own, found) = (own.streams.as_ref().unwrap(), found.streams.as_ref().unwrap());
    assert_eq!((&found.total, found.incident_count), (&own.total, own.incident_count));
    assert!(found.streams.iter().all(|stream| stream.agent.as_deref() == Some("a1")));
}

#[test]
fn clocks_that_differ_by_hours_are_one() {
    let dir = tempfile::tempdir().unwrap();
    let hours_ns: i64 = 5 * 3600 * 1_000_000_000;
    let ahead = Made { run_ns: ZERO_NS + hours_ns + 2_000_000, ..players(200) };
    let runs = [players(200).write(dir.path(), "one"), ahead.write(dir.path(), "two")];
    let mut request = request(dir.path(), &runs);
    (request.agents[0].clock_before, request.agents[0].clock_after) = (clock(0, 100_000), clock(0, 100_000));
    request.agents[1].clock_before = clock(hours_ns - 50_000, 100_000);
    request.agents[1].clock_after = clock(hours_ns + 50_000, 100_000);
    let whole = make(request).unwrap();
    let hosts = whole.summary.hosts.as_ref().unwrap();
    assert_eq!(hosts.hosts[1].clock_offset_us, Some(hours_ns as f64 / 1e3));
    assert_eq!(
        hosts.hosts[1].clock_uncertainty_us,
        Some(150.0),
        "drift between both looks makes it less sure"
    );
    assert_eq!(hosts.points[0].start_skew_us, Some(2_000.0));
    assert_eq!(hosts.points[0].hosts[1].start_skew_us, Some(2_000.0));
    // Both were affected at the same moment.
    let late = whole.summary.load_points[0].streams.as_ref().unwrap();
    assert_eq!((late.incident_count, late.total.streams_with_late_frames), (1, 4));
    assert_eq!(late.incidents[0].agents, ["a1", "a2"]);
    assert_eq!(late.incidents[0].streams, [0, 1, 2, 3]);
    assert!(late.incidents[0].began_at.as_ref().unwrap().starts_with("2026-11-20T15:40:12"));
}

/// Its wall clock was set during the run, before its log began or after: only the monotonic clock counts.
#[test]
fn a_wall_clock_that_is_set_moves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let second_ns: i64 = 1_000_000_000;
    let boot_ns = 77 * second_ns;
    let of = |number: usize, wall_ns: i64, steps: &[StepTimes]| {
        let two = Made { run_ns: ZERO_NS + wall_ns, ..players(200) };
        let runs = [
            players(200).write(dir.path(), &format!("one{number}")),
            two.write(dir.path(), &format!("two{number}")),
        ];
        let mut request = request(dir.path(), &runs);
        request.out = dir.path().join(format!("out{number}"));
        for agent in &mut request.agents {
            // Both began at the same moment of the controller's clock.
            agent.zero_ns = Some(boot_ns);
            agent.clock_before = clock(boot_ns - ZERO_NS, 100_000);
            agent.clock_after = clock(boot_ns - ZERO_NS, 100_000);
        }
        request.agents[1].wall_clock = clock(wall_ns, 100_000);
        request.agents[1].clock_steps = steps.to_vec();
        make(request).unwrap().summary
    };
    let calm = of(0, 0, &[]);
    assert!(calm.load_points[0].measured_s < 10.0, "{:?}", calm.load_points[0].measured_s);
    for (number, by_ns) in (1..).zip([3_600 * second_ns, 2 * second_ns, -2 * second_ns]) {
        let step = StepTimes { unix_ns: Some(ZERO_NS + second_ns), by_ns };
        let back = StepTimes { by_ns: -by_ns, ..step };
        let stepped = of(number, by_ns, &[step, back]);
        assert_eq!(stepped.load_points, calm.load_points, "{by_ns}");
        assert_eq!(stepped.series, calm.series);
        let host = &stepped.hosts.as_ref().unwrap().hosts[1];
        assert_eq!(host.clock_steps[0].by_s, by_ns as f64 / 1e9);
        assert_eq!(host.clock_steps[0].at_s, Some(1.0));
        let notes: String = stepped.notes.iter().map(Note::text).collect();
        assert!(notes.contains("The clock of a2 was set ") && notes.contains("Clocks differ: "), "{notes}");
    }
}

#[test]
fn the_uncertainty_of_a_start_is_that_of_its_moment() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(200).write(dir.path(), "one"), players(200).write(dir.path(), "two")];
    let mut request = request(dir.path(), &runs);
    let start = |skew_ns, uncertainty_ns| StartTimes { index: 0, skew_ns, uncertainty_ns };
    for agent in &mut request.agents {
        // Before and after the run the link was idle, and the clocks were known well.
        (agent.clock_before, agent.clock_after) = (clock(0, 100_000), clock(0, 100_000));
    }
    request.agents[0].starts = Some(vec![start(1_000_000, 2_000_000)]);
    request.agents[1].starts = Some(vec![start(2_000_000, 46_000_000)]);
    let point = make(request.clone()).unwrap().summary.hosts.unwrap().points.remove(0);
    assert_eq!((point.start_skew_us, point.start_uncertainty_us), (Some(1_000.0), Some(48_000.0)));
    assert_eq!(point.hosts[1].start_uncertainty_us, Some(46_000.0));
    // The start of one agent is unknown.
    request.agents[1].starts = Some(Vec::new());
    let point = make(request).unwrap().summary.hosts.unwrap().points.remove(0);
    assert_eq!((point.start_skew_us, point.start_uncertainty_us), (None, None));
}

#[test]
fn without_the_clocks_nothing_was_at_the_same_moment() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(200).write(dir.path(), "one"), players(200).write(dir.path(), "two")];
    let whole = make(request(dir.path(), &runs)).unwrap();
    let late = whole.summary.load_points[0].streams.as_ref().unwrap();
    assert_eq!(late.incident_count, 2);
    let hosts = whole.summary.hosts.as_ref().unwrap();
    assert_eq!((hosts.clock_uncertainty_us, hosts.points[0].start_skew_us), (None, None));
    assert!(whole.summary.notes.iter().any(|note| note.fact == NoteFact::Clocks));
}

#[test]
fn a_missing_agent_is_named_and_no_criterion_is_met() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    let all_there = make(request(dir.path(), &runs)).unwrap().summary;
    assert_eq!(all_there.statement.as_ref().unwrap().judgement, Judgement::Met);
    assert!(matches!(all_there.statement.as_ref().unwrap().number, Number::Streams { streams: 4, .. }));

    let mut request = request(dir.path(), &runs);
    request.agents[1] = AgentShare {
        name: "a2".to_owned(),
        missing_from_ns: Some(ZERO_NS + 1_500_000_000),
        why_missing: Some("its connection was lost".to_owned()),
        ..AgentShare::default()
    };
    request.agents[0].clock_before = clock(0, 100_000);
    let whole = make(request.clone()).unwrap();
    assert_eq!(whole.missing, ["a2"]);
    let summary = &whole.summary;
    assert_eq!(summary.outcome, Outcome::BrokeOff);
    assert_eq!(summary.statement.as_ref().unwrap().judgement, Judgement::NotKnown);
    let verdict = summary.load_points[0].verdict.as_ref().unwrap();
    let first = verdict.failed_first.as_ref().unwrap();
    assert!(!verdict.passed && !verdict.storage_failed && !first.measured);
    assert!(first.sentence.contains("a2") && first.sentence.contains("1.5 s"), "{}", first.sentence);
    let hosts = summary.hosts.as_ref().unwrap();
    assert_eq!(hosts.points[0].hosts[1].presence, Presence::Missing);
    assert_eq!((hosts.hosts[1].missing_from_s, hosts.not_whole(0)), (Some(1.5), vec![1]));

    // If it is fetched later, it is complete.
    request.agents[1] = AgentShare { clock_before: clock(0, 100_000), ..share("a2", &runs[1]) };
    let whole = make(request).unwrap();
    assert!(whole.missing.is_empty());
    assert_eq!(whole.summary.load_points, all_there.load_points);
}

#[test]
fn a_run_that_was_cut_off_has_met_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let cut = Made { outcome: Outcome::Interrupted, ..players(0) };
    let runs = [players(0).write(dir.path(), "one"), cut.write(dir.path(), "two")];
    let whole = make(request(dir.path(), &runs)).unwrap();
    assert_eq!(whole.summary.outcome, Outcome::Interrupted);
    assert!(!whole.summary.load_points[0].verdict.as_ref().unwrap().passed);
    assert_eq!(whole.summary.hosts.unwrap().points[0].hosts[1].presence, Presence::Part);
}

/// Only the agent that was lost counts as broken; the others did what they were ordered to.
#[test]
fn agents_stopped_after_a_loss_are_reported_as_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let cut = Made { outcome: Outcome::Interrupted, ..players(0) };
    let runs = ["one", "two", "three"].map(|name| cut.write(dir.path(), name));
    let mut request = request(dir.path(), &runs);
    request.agents[0] = AgentShare {
        name: "a1".to_owned(),
        missing_from_ns: Some(ZERO_NS + 1_500_000_000),
        why_missing: Some("its connection was lost".to_owned()),
        ..AgentShare::default()
    };
    let summary = make(request).unwrap().summary;
    assert_eq!(summary.outcome, Outcome::BrokeOff);
    let reason = summary.outcome_reason.unwrap();
    assert!(reason.starts_with("a1 was missing from 1.5 s on"), "{reason}");
    assert!(reason.ends_with(&format!("; 2 others continued until {STOPPED_WORDS}")), "{reason}");
    assert!(!reason.contains("more host"), "{reason}");
}

/// The plan stops all agents for the loss of one: the user did not press Ctrl-C.
#[test]
fn a_stop_for_the_loss_of_another_agent_is_reported_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let cut = Made { outcome: Outcome::Interrupted, ..players(0) };
    let runs = ["one", "two", "three"].map(|name| cut.write(dir.path(), name));
    let mut request = request(dir.path(), &runs);
    request.stopped_for = Some("a1".to_owned());
    request.agents[0] = AgentShare {
        name: "a1".to_owned(),
        missing_from_ns: Some(ZERO_NS + 1_500_000_000),
        why_missing: Some("its connection was lost".to_owned()),
        ..AgentShare::default()
    };
    let lost = make(request.clone()).unwrap().summary;
    let reason = lost.outcome_reason.unwrap();
    assert!(reason.ends_with("; 2 others were stopped then (on_loss = \"stop\" in the plan)"), "{reason}");
    // It was heard again, and everything of it is here.
    request.agents[0] = share("a1", &runs[0]);
    let back = make(request).unwrap().summary;
    assert_eq!(back.outcome, Outcome::BrokeOff);
    assert_eq!(
        back.outcome_reason.unwrap(),
        "it was stopped because a1 was missing (on_loss = \"stop\" in the plan)"
    );
}

#[test]
fn an_agent_lost_during_the_fetch_has_completed_its_part() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    let mut request = request(dir.path(), &runs);
    request.agents[1] =
        AgentShare { name: "a2".to_owned(), has_unfetched_files: true, ..AgentShare::default() };
    let summary = make(request).unwrap().summary;
    assert_eq!(summary.outcome, Outcome::BrokeOff);
    let reason = summary.outcome_reason.unwrap();
    assert!(reason.starts_with("a2 completed the run, but"), "{reason}");
}

/// Silence of the controller is no request to stop; the sentence of the reason does not matter.
#[test]
fn stop_reason_is_from_its_kind() {
    let dir = tempfile::tempdir().unwrap();
    let cut = Made { outcome: Outcome::Interrupted, ..players(0) };
    let outcome = |name: &str, by: Option<RunStop>| {
        let run = cut.write(dir.path(), name);
        let run_dir = RunDir::open(&run).unwrap();
        let mut summary = reopen(&run).unwrap();
        summary.ending = by.map(|by| RunEnding::Stopped { by });
        summary.outcome_reason = Some(format!("in whatever words, {name}"));
        run_dir.write_summary(&summary).unwrap();
        let request =
            WholeRequest { out: dir.path().join(format!("out-{name}")), ..request(dir.path(), &[run]) };
        make(request).unwrap().summary.outcome
    };
    assert_eq!(outcome("controller", Some(RunStop::Controller)), Outcome::Interrupted);
    assert_eq!(outcome("older", None), Outcome::Interrupted);
    assert_eq!(outcome("silence", Some(RunStop::Silence)), Outcome::BrokeOff);
    assert_eq!(outcome("gone", Some(RunStop::AgentGone)), Outcome::BrokeOff);
}

#[test]
fn operations_that_are_missing_make_no_frame_late() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    // Half of the operations in the summary are not in the log.
    let short = Made { ops: players(0).ops[..60].to_vec(), ..players(0) };
    let ops = runs[1].join("ops");
    fs::remove_dir_all(&ops).unwrap();
    let other = short.write(dir.path(), "short");
    fs::rename(other.join("ops"), &ops).unwrap();
    let whole = make(request(dir.path(), &runs)).unwrap();
    let point = &whole.summary.load_points[0];
    let late = point.streams.as_ref().unwrap();
    assert_eq!((late.total.streams, late.total.late_frames), (2, 0));
    assert!(!point.verdict.as_ref().unwrap().passed && !whole.summary.log.complete);
    assert_eq!(whole.missing, ["a2"]);
    let notes: String = whole.summary.notes.iter().map(Note::text).collect();
    assert!(notes.contains("a2") && notes.contains("60 of 120"), "{notes}");
}

#[test]
fn damaged_directory_does_not_affect_others() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    fs::write(runs[1].join("summary.json"), "{\"schema_version\": 1}").unwrap();
    let whole = make(request(dir.path(), &runs)).unwrap();
    assert_eq!(whole.summary.load_points[0].total.ops, 120);
    assert!(whole.summary.hosts.unwrap().hosts[1].why_missing.as_ref().unwrap().contains("summary.json"));
    // No result can be made from no data.
    let mut nobody = request(dir.path(), &runs[1..]);
    nobody.out = dir.path().join("nobody");
    assert!(matches!(make(nobody), Err(WholeError::Nothing { .. })));
    assert!(!dir.path().join("nobody").exists(), "it is refused before anything is made");
    assert!(matches!(make(WholeRequest::default()), Err(WholeError::Nobody)));
}

#[test]
fn names_are_text_and_each_is_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    let named = |names: [&str; 2]| {
        let mut request = request(dir.path(), &runs);
        request.agents.iter_mut().zip(names).for_each(|(agent, name)| agent.name = name.to_owned());
        make(request)
    };
    for names in [["a1", "a1"], ["a/1", "a 1"], ["日本", "語"], ["Edit", "edit"]] {
        assert!(matches!(named(names), Err(WholeError::OneName { .. })), "{names:?}");
    }
    let hostile = "../../x\u{1b}[2J";
    let whole = named([hostile, "a2"]).unwrap();
    let folders: Vec<_> =
        fs::read_dir(whole.run_dir.join("ops")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(folders.len(), 3, "two machines and their places: {folders:?}");
    assert!(!dir.path().join("x").exists());
    assert_eq!(
        whole.summary.hosts.unwrap().hosts[0].agent,
        hostile,
        "kept as it is; screens make it harmless"
    );
}

#[cfg(unix)]
#[test]
fn links_that_an_agent_sent_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let run = players(0).write(dir.path(), "one");
    let ops = run.join("ops/agent=local");
    let secret = dir.path().join("secret");
    fs::write(&secret, "nobody's business").unwrap();
    std::os::unix::fs::symlink(&secret, ops.join("part-000099.parquet")).unwrap();
    std::os::unix::fs::symlink(&secret, run.join("counters")).unwrap();
    fs::write(ops.join("note.sh"), "echo").unwrap();
    let whole = make(request(dir.path(), &[run])).unwrap();
    let taken: Vec<_> =
        fs::read_dir(whole.run_dir.join("ops/agent=a1")).unwrap().map(|entry| entry.unwrap()).collect();
    assert!(taken.iter().all(|entry| entry.file_type().unwrap().is_file()), "{taken:?}");
    assert!(taken.iter().all(|entry| entry.file_name().to_string_lossy().ends_with(".parquet")), "{taken:?}");
}

#[test]
fn no_existing_run_is_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let run = players(0).write(dir.path(), "one");
    let other = mix(1).write(dir.path(), "other");
    let before = fs::read(other.join("summary.json")).unwrap();
    let into = |out: &Path| {
        make(WholeRequest { out: out.to_path_buf(), ..request(dir.path(), std::slice::from_ref(&run)) })
    };
    assert!(matches!(into(&other), Err(WholeError::Taken { .. })));
    assert_eq!(fs::read(other.join("summary.json")).unwrap(), before);
    let full = dir.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("mine"), "").unwrap();
    assert!(matches!(into(&full), Err(WholeError::Taken { .. })));
}

#[test]
fn runs_at_different_times_are_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let later = Made { run_ns: ZERO_NS + 3_600 * 1_000_000_000, ..players(0) };
    let runs = [players(0).write(dir.path(), "one"), later.write(dir.path(), "two")];
    assert!(matches!(make(request(dir.path(), &runs)), Err(WholeError::Apart { .. })));
    // They have an agreed start from a controller: their clocks differ.
    let mut agreed = request(dir.path(), &runs);
    agreed.points = vec![PointTimes { index: 0, start_unix_ns: ZERO_NS }];
    assert_eq!(make(agreed).unwrap().summary.load_points[0].total.ops, 240);
}

#[test]
fn runs_of_unplanned_length_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    let mut summary = reopen(&runs[1]).unwrap();
    summary.search = Some(Default::default());
    RunDir::open(&runs[1]).unwrap().write_summary(&summary).unwrap();
    let error = make(request(dir.path(), &runs)).unwrap_err().to_string();
    assert!(error.contains("a2") && error.contains("search"), "{error}");
    // So is a merged run, whose hosts have numbers already.
    let whole = make(request(dir.path(), &runs[..1])).unwrap();
    let mut again = request(dir.path(), &[whole.run_dir]);
    again.out = dir.path().join("again");
    assert!(matches!(make(again), Err(WholeError::Kind { .. })));
}

/// A replay of one pass of 240 operations, by one user.
fn replayed(parent: &Path, name: &str, trace: &str, change: impl Fn(&mut ReplayPass)) -> PathBuf {
    let run = mix(7).write(parent, name);
    let mut pass =
        ReplayPass { complete: true, span_s: 2.0, bytes: 4_000_000, done_ops: 240, ..Default::default() };
    change(&mut pass);
    let mut summary = reopen(&run).unwrap();
    summary.verb = "replay".to_owned();
    summary.replay = Some(ReplayFacts {
        trace: trace.to_owned(),
        pace: "recorded".to_owned(),
        ops: 240,
        copies: 1,
        expected_span_s: Some(2.0),
        passes: vec![pass],
        ..Default::default()
    });
    RunDir::open(&run).unwrap().write_summary(&summary).unwrap();
    run
}

#[test]
fn replays_of_one_trace_are_those_of_more_users() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [
        replayed(dir.path(), "one", "edit", |pass| pass.lateness_p99_us = Some(900.0)),
        replayed(dir.path(), "two", "edit", |pass| {
            (pass.span_s, pass.different_ops) = (2.01, 3);
            pass.differences = vec!["operation 7".to_owned()];
        }),
    ];
    let whole = make(request(dir.path(), &runs)).unwrap();
    let facts = whole.summary.replay.unwrap();
    let pass = &facts.passes[0];
    assert_eq!((facts.copies, pass.done_ops, pass.bytes), (2, 480, 8_000_000));
    assert_eq!((pass.span_s, pass.complete, pass.different_ops), (2.01, true, 3));
    assert!(pass.differences[0].contains("a2") && pass.differences[0].contains("operation 7"), "{pass:?}");
    // A figure that does not follow from several medians is omitted.
    assert_eq!((pass.lateness_p99_us, &facts.bad_timing), (None, &None));
}

#[test]
fn pass_unfinished_on_one_host_is_incomplete_and_bad_timing_applies_to_all() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [
        replayed(dir.path(), "one", "edit", |_| ()),
        replayed(dir.path(), "two", "edit", |pass| {
            (pass.complete, pass.done_ops, pass.span_s) = (false, 9, 0.1)
        }),
    ];
    let mut asked = request(dir.path(), &runs);
    let mut summary = reopen(&runs[0]).unwrap();
    summary.replay.as_mut().unwrap().bad_timing = Some("It came late.".to_owned());
    RunDir::open(&runs[0]).unwrap().write_summary(&summary).unwrap();
    let facts = make(asked.clone()).unwrap().summary.replay.unwrap();
    assert!(!facts.passes[0].complete && facts.median_bytes_per_s.is_none(), "{facts:?}");
    assert!(facts.bad_timing.unwrap().contains("It came late."));
    // A host that replays something else has no pass in common with the others.
    let other = replayed(dir.path(), "three", "ingest", |_| ());
    asked = request(dir.path(), &[runs[0].clone(), other]);
    asked.out = dir.path().join("differ");
    let summary = make(asked).unwrap().summary;
    assert!(summary.replay.is_none() && summary.load_points[0].total.ops > 0);
    assert!(summary.notes.iter().any(|note| note.fact == NoteFact::OtherReplays), "{:?}", summary.notes);
}

#[test]
fn readers_see_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let two = Made { run_ns: ZERO_NS + 100_000_000, ..players(200) };
    let runs = [players(0).write(dir.path(), "one"), two.write(dir.path(), "two")];
    let whole = make(request(dir.path(), &runs)).unwrap();
    let trace = Trace::open(&whole.run_dir).unwrap();
    // Two of the three files were used, and a table has no others.
    assert_eq!((trace.ops(), trace.files().len()), (240, 4));
    assert_eq!(trace.files()[2].path, "a2: file-0");
    let ops: Vec<OpRecord> = trace.batches().flat_map(Result::unwrap).collect();
    let mut workers: Vec<u32> = ops.iter().map(|op| op.worker).collect();
    workers.sort_unstable();
    workers.dedup();
    assert_eq!(workers, [0, 1, 2, 3]);
    assert!(ops.iter().filter(|op| op.worker >= 2).all(|op| op.due_ns >= 100_000_000 && op.file >= 2));
    // A single host's log is unchanged.
    let own = LogReader::open(&whole.run_dir.join("ops/agent=a2")).unwrap();
    let first = own.batches().next().unwrap().unwrap().ops[0];
    assert_eq!((first.worker, first.due_ns), (0, 0));
    let places = AgentPlaces::read(&whole.run_dir.join("ops")).unwrap().unwrap();
    assert_eq!((places.run_ns, places.agents[1].shift_ns), (ZERO_NS, 100_000_000));
    // Without its summary the figures are computed again from the logs, with separate streams for each
    // host.
    fs::remove_file(whole.run_dir.join("summary.json")).unwrap();
    let again = reopen(&whole.run_dir).unwrap();
    let late = |summary: &Summary| summary.load_points[0].streams.clone().unwrap().total;
    assert_eq!(late(&again).late_frames, late(&whole.summary).late_frames);
    assert_eq!(again.load_points[0].stream_count, Some(4));
}

#[test]
fn groups_and_targets_have_rows_and_two_targets_are_compared_with_one() {
    let dir = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..3).map(|at| mix(at + 1).write(dir.path(), &format!("run-{at}"))).collect();
    let mut request = request(dir.path(), &runs);
    let names: Vec<String> = request.agents.iter().map(|agent| agent.name.clone()).collect();
    for (agent, (group, target)) in
        request.agents.iter_mut().zip([("edit", "nas1"), ("edit", "nas2"), ("grade", "nas2")])
    {
        (agent.group, agent.target) = (Some(group.to_owned()), Some(target.to_owned()));
    }
    let hosts = make(request).unwrap().summary.hosts.unwrap();
    let named = |parts: &[reelgauge_analysis::hosts::PartFigures]| -> Vec<(String, u32, u64)> {
        parts.iter().map(|part| (part.name.clone(), part.hosts, part.ops)).collect()
    };
    let point = &hosts.points[0];
    assert_eq!(named(&point.groups), [("edit".to_owned(), 2, 800), ("grade".to_owned(), 1, 400)]);
    assert_eq!(named(&point.targets), [("nas1".to_owned(), 1, 400), ("nas2".to_owned(), 2, 800)]);
    assert_eq!(hosts.scale, None, "one load point with both targets has nothing to be held against");

    // Each in a separate folder on the same storage: `targets = ["/mnt/nas1/{agent}", ...]`.
    let mut request = self::request(&dir.path().join("again"), &runs);
    for (at, agent) in request.agents.iter_mut().enumerate() {
        agent.target = Some(format!("/mnt/nas{}/{}", at % 2 + 1, names[at]));
    }
    let hosts = make(request).unwrap().summary.hosts.unwrap();
    let expected = [("/mnt/nas1/{agent}".to_owned(), 2, 800), ("/mnt/nas2/{agent}".to_owned(), 1, 400)];
    assert_eq!(named(&hosts.points[0].targets), expected);
    assert_eq!(hosts.hosts[0].target, Some(format!("/mnt/nas1/{}", names[0])), "its own is told whole");
}

#[test]
fn a_pause_is_a_mark_of_the_whole_and_survives_a_new_judgement() {
    let dir = tempfile::tempdir().unwrap();
    let runs = [players(0).write(dir.path(), "one"), players(0).write(dir.path(), "two")];
    let pause = PauseTimes { from_unix_ns: ZERO_NS + 2_500_000_000, until_unix_ns: ZERO_NS + 9_000_000_000 };
    let whole = make(WholeRequest { pauses: vec![pause], ..request(dir.path(), &runs) }).unwrap();
    let times = |summary: &Summary| {
        let paused = summary.marks.iter().filter(|mark| mark.kind == MarkKind::Paused);
        paused.map(|mark| (mark.began_s, mark.ended_s)).collect::<Vec<_>>()
    };
    assert_eq!(times(&whole.summary), [(2.5, 9.0)]);
    assert_eq!(times(&reopen(&whole.run_dir).unwrap()), [(2.5, 9.0)]);
    let again = judge_again(&RunDir::open(&whole.run_dir).unwrap()).unwrap();
    assert_eq!(times(&again), [(2.5, 9.0)]);
    let page = fs::read_to_string(whole.run_dir.join(REPORT_FILE)).unwrap();
    assert!(page.contains("the run was paused"), "the page tells of it");
}
