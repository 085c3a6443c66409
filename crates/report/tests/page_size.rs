//! A page stays small enough for a mail after any run, and creating it needs memory that does not grow
//! with the log. There is one test in this program, because the memory peak is that of the whole
//! process.

#![allow(clippy::unwrap_used)]

use std::io::{self, Write};

use reelgauge_analysis::counters::{CounterAgent, CounterSeries, Counters, MAX_POINTS};
use reelgauge_analysis::detail::data::Measure;
use reelgauge_analysis::detail::{Detail, FirstPass, JudgedPoint};
use reelgauge_analysis::hosts::RunHost;
use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{LateFigures, LateRun, MeasuredPart, StreamFigures};
use reelgauge_analysis::summary::{LoadPointFacts, Target};
use reelgauge_analysis::{LoadPoint, Meter, PointTiming, SeriesStep, Summary};
use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;
use reelgauge_record::test_records::op as made_up;
use reelgauge_record::{OpKind, OpRecord};
use reelgauge_report::hero::hero;
use reelgauge_report::html::page::{PAGE_VERSION, Page, PageKind, RunPage};
use reelgauge_report::html::shorten::shorten;
use reelgauge_report::note::note_texts;
use reelgauge_report::run_configuration::{self, RunFiles};
use reelgauge_report::{answer_sentences, html, incident_sentences, next_step};

const MS: u64 = 1_000_000;
const OPS: u64 = 450_000;
const FILES: u32 = 50_000;
const POINTS: u16 = 60;
const STREAMS: u32 = 200;
/// The length of a load point.
const POINT_MS: u64 = 10_000;
/// A malicious name of 4,000 characters.
const PIECES: [&str; 5] = ["</script>", "\u{2028}", "\u{202e}gpj", "\n", "<!--"];

fn random(seed: u64) -> u64 {
    let random = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (random ^ random >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
}

fn hostile() -> String {
    PIECES.concat().chars().cycle().take(4_000).collect()
}

fn part(point: u16) -> MeasuredPart {
    let started_ns = u64::from(point) * POINT_MS * MS;
    let until_ns = started_ns + POINT_MS * MS;
    MeasuredPart { point, started_ns, from_ns: started_ns + 100 * MS, until_ns }
}

/// Operation n: latencies of every length, many files, and all positions in them.
fn op(n: u64) -> OpRecord {
    let all_ms = u64::from(POINTS) * POINT_MS;
    let issued_ns = n * (all_ms * MS / OPS);
    let point = (issued_ns / MS / POINT_MS) as u16;
    let (one, two) = (random(n), random(n + OPS));
    let file = if n.is_multiple_of(2) { two as u32 % 20 } else { two as u32 % FILES };
    let kind = if one.is_multiple_of(2) { OpKind::Read } else { OpKind::Write };
    made_up(kind)
        .on_file(file)
        .at_offset(two % (1 << 45))
        .of_len(two as u32)
        .by_worker(one as u32 % STREAMS)
        .frame((issued_ns.saturating_sub(part(point).started_ns) / (40 * MS)) as u32)
        .in_point(point)
        .at_ns(issued_ns)
        .took_ns((1_000 << (one % 24)) + one % 1_000)
}

fn worst_detail() -> Detail {
    let points = (0..POINTS).map(|point| JudgedPoint {
        part: part(point),
        specs: (0..STREAMS).map(|stream| player(stream).named(hostile())).collect(),
    });
    let host = |host: u32| RunHost {
        first_worker: host * 4,
        workers: 4,
        first_stream: host * 4,
        streams: 4,
        ..RunHost::default()
    };
    let hosts: Vec<RunHost> = (0..STREAMS / 4).map(host).collect();
    let first = FirstPass::new(Measure::Response, vec![u64::MAX >> 1; FILES as usize]).of_hosts(&hosts);
    let mut first = first.judging(points.collect(), false);
    (0..OPS).for_each(|n| first.add(&op(n)));
    let mut second = first.second();
    (0..OPS).for_each(|n| second.add(&op(n)));
    second.detail(|_| Some(hostile()))
}

/// Hours of seconds, and every stream with the largest number of late runs that is kept.
fn worst_summary() -> Summary {
    let target = Target { path: hostile(), ..Target::default() };
    let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "streams", target);
    summary.series.steps = (0..21_600)
        .map(|began_s| SeriesStep { began_s, max_response_us: Some(1_234_567.891), ..SeriesStep::default() })
        .collect();
    let late_run = LateRun {
        first_frame: 123_456,
        frames: 25,
        dropped_frames: 12,
        began_s: 4_938.24,
        began_in_point_s: 12.345_678,
        length_s: 1.0,
        worst_late_us: Some(123_456.789),
    };
    let stream = |stream| StreamFigures {
        stream,
        late_frames: 100,
        first_late_runs: vec![late_run; 100],
        worst_late_runs: vec![late_run; 10],
        ..StreamFigures::default()
    };
    for point in 0..POINTS {
        let mut load_point = LoadPoint::new(
            LoadPointFacts::default(),
            Meter::new().finish_point(point, PointTiming::default()),
        );
        let streams = (0..STREAMS).map(stream).collect();
        load_point.stream_count = Some(STREAMS);
        load_point.streams = Some(LateFigures { streams, ..LateFigures::default() });
        summary.load_points.push(load_point);
    }
    summary
}

fn worst_page() -> Page {
    let mut summary = worst_summary();
    let shortened = shorten(&mut summary);
    assert!(shortened.is_some());
    let points = MAX_POINTS / 10;
    let series = CounterSeries {
        label: hostile(),
        at_s: (0..points).map(|at| 1_000.0 + at as f64 * 0.1).collect(),
        value: vec![Some(1_234_567.8); points],
        ..CounterSeries::default()
    };
    let agent = CounterAgent { series: vec![series; 10], ..CounterAgent::default() };
    let plan_toml = "<".repeat(64 << 10);
    let hosts = [serde_json::json!({ "name": hostile() })];
    let (again, plan_toml) = (&hostile(), Some(plan_toml.as_str()));
    let files = RunFiles { again, plan_toml, hosts: &hosts, notes: None };
    let configuration = run_configuration::section(&summary, files);
    let run = RunPage {
        id: hostile(),
        hero: hero(&summary),
        answer: answer_sentences(&summary),
        incidents: incident_sentences(&summary),
        warnings: note_texts(&summary),
        next_step: next_step(&summary),
        sections: html::sections(&summary).into_iter().chain([configuration]).collect(),
        summary,
        shortened,
        client: hostile(),
        again: hostile(),
        detail: Some(worst_detail()),
        why_no_detail: None,
        marks: Vec::new(),
        counters: Some(Counters { agents: vec![agent] }),
    };
    Page {
        page_version: PAGE_VERSION,
        kind: PageKind::Run,
        made_at: String::new(),
        tool_version: String::new(),
        runs: vec![run],
        trace: None,
        comparison: None,
        suites: None,
        deviations: Vec::new(),
        verdict: None,
        sections: Vec::new(),
    }
}

/// Counts the written bytes and searches for characters that would end the data early.
#[derive(Default)]
struct Counted {
    bytes: usize,
    ends: usize,
    tail: Vec<u8>,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        self.tail.extend_from_slice(bytes);
        let end = b"</script";
        self.ends += self.tail.windows(end.len()).filter(|window| window == end).count();
        let keep = self.tail.len().saturating_sub(end.len() - 1);
        self.tail.drain(..keep);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The memory peak of this process, if the system reports it.
fn peak_mib() -> Option<u64> {
    let peak = Task::own().status(&Host::here(), "VmHWM")?;
    Some(peak.trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

#[test]
fn the_worst_run_makes_a_page_below_eight_megabytes_in_bounded_memory() {
    let page = worst_page();
    let mut counted = Counted::default();
    html::write(&page, &mut counted).unwrap();
    let data = counted.bytes - html::APPLICATION.len();
    assert!(counted.bytes < 8_000_000, "{} bytes, {data} of them data", counted.bytes);
    assert_eq!(counted.ends, html::APPLICATION.matches("</script").count());
    // The data are large enough to reach the limits.
    assert!(data > 4_000_000, "{data}");
    let detail = page.runs[0].detail.as_ref().unwrap();
    assert_eq!((detail.ops, detail.files.file.len(), detail.maps.len()), (OPS, 1_000, 500));
    if let Some(peak_mib) = peak_mib() {
        // It keeps no operations: a log of ten million needs no more memory than this one.
        assert!(peak_mib < 400, "{peak_mib} MiB");
    }
}
