//! The screen of a trace, made from a few handwritten operations, so that every figure can be checked.

#![allow(clippy::unwrap_used)]

mod shown;

use reelgauge_analysis::trace_stats::{
    Period, TraceAbout, TraceDetails, TraceMoved, TraceReport, TraceStats,
};
use reelgauge_record::test_records::{op, read, write};
use reelgauge_record::{OpKind, OpRecord, OpenBits};
use reelgauge_report::{Style, trace_screen, trace_sections};
use serde_json::to_value;
use shown::figures_shown;

const NAMES: [&str; 3] =
    ["media/in.ts", "out.mov", "media/\u{1b}[2Jvery-long-name-of-a-file-that-nobody-can-read.mov"];

/// A copy of 1 MiB with single bytes before it, a failed open, and a read at the end.
fn ops() -> Vec<OpRecord> {
    let mut ops = vec![
        op(OpKind::Open).on_file(2).with_bits(OpenBits::READ.0).failed(2),
        op(OpKind::Open).on_file(0).of_len(OpenBits::READ.0),
        op(OpKind::Create).on_file(1).with_bits(OpenBits::WRITE.with(OpenBits::CREATE).0).that_did(1),
    ];
    ops.extend((1..16).map(|at| write(1, at << 16, 1)));
    for at in 0..16 {
        ops.push(read(0, at << 16, 1 << 16));
        ops.push(write(1, at << 16, 1 << 16));
    }
    ops.push(read(0, 1 << 20, 1 << 16).that_did(0));
    let timed = (0..).zip(ops).map(|(at, op): (u64, OpRecord)| {
        let took_ns = if op.kind == OpKind::Write { 700_000 } else { 150_000 };
        op.of_transfer(1).at_ns(at * 2_000_000).took_ns(took_ns)
    });
    timed.collect()
}

fn report(period: Period) -> TraceReport {
    let ops = ops();
    let mut stats = TraceStats::new([1 << 20, 0, 0], period);
    ops.iter().for_each(|op| stats.add(op));
    let mut details = TraceDetails::new(&stats, 2);
    ops.iter().for_each(|op| details.add(op));
    let about = TraceAbout {
        name: "copy".to_owned(),
        path: "reelgauge-traces/copy".to_owned(),
        about: "A copy of a file".to_owned(),
        made_by: "import strace".to_owned(),
        source: "copy.strace".to_owned(),
        made_at: "2026-11-21T10:00:00Z".to_owned(),
        capture: "application".to_owned(),
        threads: 1,
        blind_to: vec!["memory-mapped I/O".to_owned(), "io_uring".to_owned()],
        warnings: vec!["3 of its operations came late".to_owned()],
        left_out: [("not a file".to_owned(), 12)].into(),
        malformed_lines: 2,
        first_malformed: vec![(17, "openat(\u{7}".to_owned(), "no end".to_owned())],
        moved: Some(TraceMoved { reads: 9, read_bytes: 8_000_000, writes: 1, written_bytes: 4_000 }),
        cost_ns_per_op: Some(300.0),
        round_trip_ns: Some(5_500.0),
        synthetic: vec![("sequential, %".to_owned(), 52.5, 52.4, 0.5)],
    };
    details.report(about, |file| NAMES[file as usize].to_owned())
}

#[test]
fn the_screen_of_a_trace() {
    let text = trace_screen(&report(Period::WHOLE), Style::default());
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn partial_and_empty_traces_are_labelled() {
    let mut printed = Vec::<String>::new();
    let part = trace_screen(&report(Period { from_ns: 4_000_000, to_ns: 20_000_000 }), Style::default());
    printed.push(part.to_string());

    let empty = trace_screen(&report(Period { from_ns: 1 << 40, to_ns: u64::MAX }), Style::default());
    printed.push(empty.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn every_path_of_its_page_leads_to_the_figure_that_is_shown() {
    let report = report(Period::WHOLE);
    let sections = trace_sections(&report, "reelgauge replay copy TARGET");
    let shown = figures_shown(&to_value(&report).unwrap(), &to_value(&sections).unwrap());
    assert!(shown >= 10, "{shown} figures");
}
