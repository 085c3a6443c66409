//! Handmade traces with known figures, and properties of every trace.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reelgauge_record::test_records::{op, read, write};
use reelgauge_record::{OpFlags, OpKind, OpRecord, OpenBits};

use super::*;

/// Operations one millisecond apart, each 100 µs long.
pub(crate) fn spaced(ops: impl IntoIterator<Item = OpRecord>) -> Vec<OpRecord> {
    (0..).zip(ops).map(|(at, op): (u64, OpRecord)| op.at_ms(at).took_ns(100_000)).collect()
}

fn stats(ops: &[OpRecord], files: usize, period: Period) -> TraceStats {
    let mut stats = TraceStats::new(vec![0; files], period);
    ops.iter().for_each(|op| stats.add(op));
    stats
}

fn report(ops: &[OpRecord], files: usize, top: usize, period: Period) -> TraceReport {
    let stats = stats(ops, files, period);
    let mut details = TraceDetails::new(&stats, top);
    ops.iter().for_each(|op| details.add(op));
    details.report(TraceAbout::default(), |file| format!("f{file}"))
}

/// 2,833 files with 5,966 writes in total, as in the paper's Directory Copy (traces.md §5.2).
#[test]
fn directory_copy_is_52_5_percent_sequential() {
    let (files, writes) = (2_833_u64, 5_966_u64);
    let mut ops = Vec::new();
    for file in 0..files {
        let chunks = writes / files + u64::from(file < writes % files);
        ops.push(op(OpKind::Create).on_file(file as u32));
        ops.extend((0..chunks).map(|chunk| write(file as u32, chunk * 65_536, 65_536)));
        ops.push(op(OpKind::Close).on_file(file as u32));
    }
    let figures = stats(&spaced(ops), files as usize, Period::WHOLE).figures();
    assert_eq!((figures.accesses, figures.sequential_accesses), (5_966, 3_133));
    assert_eq!(figures.sequential_percent, Some(52.51));
    assert_eq!((figures.files.touched, figures.files.only_written), (2_833, 2_833));
}

#[test]
fn sequential_in_the_whole_trace_and_in_its_file_are_two_things() {
    // Two streams alternately, then one alone; a file's first access is never sequential.
    let ops = spaced([read(0, 0, 10), read(1, 0, 10), read(0, 10, 10), read(1, 10, 10), read(1, 20, 5)]);
    let report = report(&ops, 2, 2, Period::WHOLE);
    assert_eq!(report.figures.sequential_accesses, 1);
    assert_eq!(report.figures.sequential_in_file_accesses, 3);
    let file = &report.files[0];
    assert_eq!((file.path.as_str(), file.read_bytes), ("f1", 25));
    assert_eq!(file.sequential_percent, Some(33.33));
    assert_eq!(file.sequential_in_file_percent, Some(66.67));
}

#[test]
fn short_read_continues_at_its_end_and_failures_are_no_accesses() {
    let short = read(0, 0, 10).that_did(6);
    let failed = read(0, 100, 10).failed(5);
    let at_the_end = read(0, 16, 10).that_did(0);
    let missing = op(OpKind::Open).failed(2);
    let figures =
        stats(&spaced([missing, short, failed, read(0, 6, 10), at_the_end]), 1, Period::WHOLE).figures();
    assert_eq!((figures.ops, figures.failed_ops, figures.accesses), (5, 2, 3));
    assert_eq!((figures.sequential_accesses, figures.reads_at_the_end, figures.short_ops), (2, 1, 1));
    assert_eq!(figures.read_bytes, 16);
    let errors: Vec<_> =
        figures.errors.iter().map(|error| (&*error.name, &*error.kind, error.count)).collect();
    assert_eq!(errors, [("ENOENT", "open", 1), ("EIO", "read", 1)]);
}

#[test]
fn period_counts_operations_that_began_in_it() {
    let ops = spaced((0..10).map(|at| read(0, at * 10, 10)));
    let period = Period { from_ns: 2_000_000, to_ns: 5_000_000 };
    let report = report(&ops, 1, 1, period);
    assert_eq!((report.figures.accesses, report.figures.sequential_accesses), (3, 3));
    assert_eq!((report.figures.first_issued_s, report.figures.span_s), (0.002, 0.002_1));
    assert_eq!((report.figures.from_s, report.figures.to_s), (Some(0.002), Some(0.005)));
    assert_eq!(report.over_time.bins.iter().map(|bin| bin.read_bytes).sum::<u64>(), 30);
    assert_eq!(report.files[0].map.as_ref().unwrap().cells.iter().map(|cell| cell.2).sum::<u64>(), 30);
}

/// A fio iolog shows when operations began, but not when they ended.
#[test]
fn a_trace_without_durations_has_no_service_times() {
    let ops: Vec<OpRecord> = spaced([read(0, 0, 10), write(0, 10, 10)]);
    let instant: Vec<OpRecord> = ops.iter().map(|op| op.took_ns(0)).collect();
    let figures = stats(&instant, 1, Period::WHOLE).figures();
    assert_eq!((figures.read_service, figures.write_service), (None, None));
    assert!(
        figures.by_kind.iter().all(|kind| kind.mean_service_us.is_none() && kind.max_service_us.is_none())
    );
    let timed = stats(&ops, 1, Period::WHOLE).figures();
    assert_eq!(timed.by_kind[0].mean_service_us, Some(100.0));
}

#[test]
fn warm_up_is_omitted_and_reported() {
    let warmup = read(0, 0, 10).flagged(OpFlags::WARMUP);
    let figures = stats(&spaced([warmup, read(0, 10, 10)]), 1, Period::WHOLE).figures();
    assert_eq!((figures.ops, figures.warmup_ops, figures.read_bytes), (1, 1, 10));
    assert_eq!(figures.sequential_accesses, 1);
}

#[test]
fn the_largest_files_come_first_and_only_so_many() {
    let ops = spaced((0..100_u32).flat_map(|file| [read(file, 0, 1000 + file % 50)]));
    let report = report(&ops, 100, 3, Period::WHOLE);
    let paths: Vec<&str> = report.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["f49", "f99", "f48"]);
    assert_eq!(report.figures.files.only_read, 100);
    assert!(report.files[0].read_sizes.is_some() && report.files[0].write_sizes.is_none());
}

#[test]
fn file_size_is_that_of_creation_or_truncation() {
    let made = op(OpKind::Create).with_bits(OpenBits::CREATE.0).that_did(1);
    let opened = op(OpKind::Create).with_bits(OpenBits::CREATE.0);
    let cut = op(OpKind::Truncate).at_offset(7);
    let renamed = op(OpKind::Rename).at_offset(1);
    let mut stats = TraceStats::new([500, 0], Period::WHOLE);
    let ends = [opened, made, write(0, 0, 30), cut, renamed].map(|op| {
        stats.add(&op);
        (stats.file_end_bytes(0), stats.file_end_bytes(1))
    });
    assert_eq!(ends, [(500, 0), (0, 0), (30, 0), (7, 0), (0, 7)]);
}

fn any_op() -> impl Strategy<Value = OpRecord> {
    let numbers = (any::<u64>(), any::<u64>(), any::<u64>(), 0_u32..5, any::<u32>(), any::<u32>());
    let errno = prop_oneof![4 => Just(0), 1 => any::<i32>()];
    (numbers, errno, 0..OpKind::ALL.len(), any::<u8>(), 0_u32..64).prop_map(
        |((offset, issued_ns, done_ns, file, len, done_len), errno, kind, flags, shift)| OpRecord {
            offset: offset >> shift,
            due_ns: issued_ns >> shift,
            issued_ns: issued_ns >> shift,
            done_ns: done_ns >> shift,
            // Also files that are missing from the table.
            file: if file == 4 { u32::MAX } else { file },
            len,
            done_len,
            errno,
            kind: OpKind::ALL[kind],
            flags: OpFlags(flags),
            ..read(0, 0, 0)
        },
    )
}

proptest! {
    #[test]
    fn figures_of_any_trace_add_up_and_round_trip(
        ops in prop::collection::vec(any_op(), 0..80)
    ) {
        let report = report(&ops, 4, 10, Period::WHOLE);
        let figures = &report.figures;
        prop_assert_eq!(figures.ops + figures.warmup_ops, ops.len() as u64);
        prop_assert_eq!(figures.by_kind.iter().map(|kind| kind.ops).sum::<u64>(), figures.ops);
        prop_assert!(figures.sequential_accesses <= figures.accesses);
        prop_assert_eq!(figures.over_time_ops(&report), figures.ops);
        let json = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(serde_json::from_str::<TraceReport>(&json).unwrap(), report);
    }
}

impl TraceFigures {
    fn over_time_ops(&self, report: &TraceReport) -> u64 {
        report.over_time.bins.iter().map(|bin| bin.ops).sum()
    }
}
