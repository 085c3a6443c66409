//! The page's data and `console/src/data/page.ts`, which the application reads them by, have the same fields.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use reelgauge_analysis::Summary;
use reelgauge_analysis::counters::{CounterAgent, CounterSeries, Counters};
use reelgauge_analysis::detail::data::Measure;
use reelgauge_analysis::detail::{Detail, FirstPass, JudgedPoint};
use reelgauge_analysis::late::MeasuredPart;
use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::summary::Target;
use reelgauge_analysis::trace_stats::{Period, TraceAbout, TraceDetails, TraceStats};
use reelgauge_record::OpRecord;
use reelgauge_record::notes::RunNotes;
use reelgauge_record::test_records::read;
use reelgauge_report::compare::ToldComparison;
use reelgauge_report::html::page::{PAGE_VERSION, Page, PageKind, RunPage, TracePage};
use reelgauge_report::sentence::{IncidentSentence, Sentence, Tone};
use serde::Serialize;
use serde_json::Value;

const MS: u64 = 1_000_000;

/// The fields of every interface of the application's contract.
fn contract() -> BTreeMap<String, BTreeSet<String>> {
    let text = include_str!("../../../console/src/data/page.ts");
    let mut interfaces = BTreeMap::new();
    let mut current: Option<(String, BTreeSet<String>)> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("export interface ") {
            current = Some((name.trim_end_matches(" {").to_owned(), BTreeSet::new()));
        } else if line == "}" {
            interfaces.extend(current.take());
        } else if let Some((field, _)) = line.split_once(':') {
            let name = field.trim().trim_end_matches('?');
            let is_field = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            if let Some((_, fields)) = current.as_mut().filter(|_| is_field) {
                fields.insert(name.to_owned());
            }
        }
    }
    interfaces
}

fn keys(value: &impl Serialize) -> BTreeSet<String> {
    match serde_json::to_value(value).unwrap() {
        Value::Object(object) => object.keys().cloned().collect(),
        other => panic!("{other} is no object"),
    }
}

/// 50 frames of one stream, read in 5 ms each.
fn frames() -> Vec<OpRecord> {
    let frame = |number: u32| read(0, 0, 1).frame(number).at_ms(u64::from(number) * 40).took_ms(5);
    (0..50).map(frame).collect()
}

fn detail(ops: &[OpRecord]) -> Detail {
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 200 * MS, until_ns: 2_000 * MS };
    let point = JudgedPoint { part, specs: vec![player(0)] };
    let mut first = FirstPass::new(Measure::Response, vec![0]).judging(vec![point], false);
    ops.iter().for_each(|op| first.add(op));
    let mut second = first.second();
    ops.iter().for_each(|op| second.add(op));
    second.detail(|file| Some(format!("reel/{file}.mov")))
}

fn a_page() -> Page {
    let ops = frames();
    let detail = detail(&ops);
    let mut stats = TraceStats::new([0], Period::WHOLE);
    ops.iter().for_each(|op| stats.add(op));
    let report = TraceDetails::new(&stats, 1).report(TraceAbout::default(), |_| String::new());
    let series = CounterSeries { at_s: vec![0.5], value: vec![None], ..CounterSeries::default() };
    let agent = CounterAgent { series: vec![series], ..CounterAgent::default() };
    let run = RunPage {
        id: String::new(),
        answer: vec![Sentence { tone: Tone::Answer, text: String::new() }],
        incidents: vec![IncidentSentence { point: 0, incident: 0, text: String::new() }],
        next_step: None,
        summary: Summary::new("", "", "", Target::default()),
        shortened: None,
        plan_toml: None,
        hosts: Vec::new(),
        again: String::new(),
        notes: Some(RunNotes::default()),
        detail: Some(detail.clone()),
        why_no_detail: None,
        counters: Some(Counters { agents: vec![agent] }),
    };
    Page {
        page_version: PAGE_VERSION,
        kind: PageKind::Run,
        made_at: String::new(),
        tool_version: String::new(),
        runs: vec![run],
        trace: Some(TracePage { id: String::new(), report, detail, again: String::new() }),
        comparison: None,
    }
}

#[test]
fn a_page_has_exactly_the_fields_of_the_contract() {
    let page = a_page();
    let run = &page.runs[0];
    let (detail, counters) = (run.detail.as_ref().unwrap(), run.counters.as_ref().unwrap());
    let (map, streams) = (&detail.maps[0], &detail.streams[0]);
    let made = [
        ("Page", keys(&page)),
        ("RunPage", keys(run)),
        ("Sentence", keys(&run.answer[0])),
        ("IncidentSentence", keys(&run.incidents[0])),
        ("RunNotes", keys(run.notes.as_ref().unwrap())),
        ("TracePage", keys(page.trace.as_ref().unwrap())),
        ("Detail", keys(detail)),
        ("TimeAxis", keys(&detail.time)),
        ("OverTime", keys(&detail.over_time)),
        ("LatencyGrid", keys(&detail.latency)),
        ("LatencySide", keys(&detail.latency.reads)),
        ("PercentileCurve", keys(&detail.percentiles[0])),
        ("SizeCounts", keys(&detail.sizes[0])),
        ("OpColumns", keys(&detail.worst)),
        ("FileRows", keys(&detail.files)),
        ("FileMap", keys(map)),
        ("MapLevel", keys(&map.levels[0])),
        ("MapPoints", keys(map.points.as_ref().unwrap())),
        ("PointStreams", keys(streams)),
        ("StreamStrip", keys(&streams.streams[0])),
        ("Headroom", keys(&streams.headroom)),
        ("Counters", keys(counters)),
        ("CounterAgent", keys(&counters.agents[0])),
        ("CounterSeries", keys(&counters.agents[0].series[0])),
    ];
    let mut contract = contract();
    for (name, fields) in made {
        assert_eq!(Some(fields), contract.remove(name), "{name}");
    }
    let words = keys(&ToldComparison::default());
    assert_eq!(Some(&words), contract.get("Comparison"));
    // hosts.json is as it is; the rest of a comparison is the analysis room's.
    let left: Vec<&str> = contract.keys().map(String::as_str).collect();
    let compared = ["ComparedLate", "ComparedRun", "ComparedSystem", "Comparison", "ComparisonRow"];
    assert_eq!(left, [&compared[..], &["HostFacts"]].concat());
}
