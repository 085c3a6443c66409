//! A log small enough to be computed by hand, and its expected figures.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use reelgauge_analysis::{
    Meter, Mode, PaperTables, PointFigures, PointTiming, ShortOps, rebuild, try_rebuild,
};
use reelgauge_record::test_records::op as made_up;
use reelgauge_record::{OpFlags, OpKind, OpRecord};

/// The load point begins one second into the run and is measured for 50 ms.
const STARTED_US: u64 = 1_000_000;
const TIMING: PointTiming = PointTiming { started_ns: STARTED_US * 1000, measured_ns: 50_000_000 };

const SEQ_RD: OpFlags = OpFlags::NONE;
const RAND_RD: OpFlags = OpFlags::RANDOM;
const SEQ_WR: OpFlags = OpFlags::WRITING;
const RAND_WR: OpFlags = OpFlags(OpFlags::WRITING.0 | OpFlags::RANDOM.0);

/// due, issued and done in µs since the load point's start.
fn op(worker: u32, transfer: u32, mode: OpFlags, kind: OpKind, len: u32, times_us: [u64; 3]) -> OpRecord {
    let [due_ns, issued_ns, done_ns] = times_us.map(|us| (STARTED_US + us) * 1000);
    made_up(kind)
        .on_file(3)
        .at_offset(u64::from(transfer) << 20)
        .of_len(len)
        .by_worker(worker)
        .of_transfer(transfer)
        .at_ns(issued_ns)
        .due_at_ns(due_ns)
        .done_at_ns(done_ns)
        .flagged(mode.with_if(OpFlags::LAST, kind == OpKind::Close))
}

/// The open of a transfer for which this block size was drawn.
fn open(worker: u32, transfer: u32, mode: OpFlags, drawn_bytes: u64, times_us: [u64; 3]) -> OpRecord {
    OpRecord { offset: drawn_bytes, ..op(worker, transfer, mode, OpKind::Open, 0, times_us) }
}

const KIB64: u64 = 65_536;

#[rustfmt::skip]
fn worker_0() -> Vec<OpRecord> {
    use OpKind::{Close, Read};
    vec![
        // Transfer 0 began in the warm-up: its read counts for the rate, but the transfer has no
        // latency. It is shorter than its block.
        open(0, 0, SEQ_RD.with(OpFlags::WARMUP), KIB64, [0, 0, 100]),
        op(0, 0, SEQ_RD, Read,  4_096,     [100, 100, 300]),          // 200 µs
        op(0, 0, SEQ_RD, Close, 0,         [300, 300, 310]),
        // Transfer 1: 1 MiB and a remainder of 64 KiB. Reelgauge was late by 90 and 100 µs.
        open(0, 1, SEQ_RD, 1_048_576,      [310, 400, 600]),
        op(0, 1, SEQ_RD, Read,  1_048_576, [600, 600, 4_600]),        // 4,000 µs
        op(0, 1, SEQ_RD, Read,  65_536,    [4_600, 4_700, 5_100]),    // 400 µs
        op(0, 1, SEQ_RD, Close, 0,         [5_100, 5_100, 5_150]),
        // Total 5,150 − 400 = 4,750; data 4,400: latency 350 µs (open 200, gap 100, close 50).
    ]
}

#[rustfmt::skip]
fn worker_1() -> Vec<OpRecord> {
    use OpKind::{Close, Read, Sync, Write};
    let failed = OpRecord {
        errno: 5,
        done_len: 0,
        ..op(1, 1, RAND_RD, Read, 65_536, [4_700, 4_700, 34_700])
    };
    let short = OpRecord {
        done_len: 32_768,
        ..op(1, 2, RAND_WR, Write, 65_536, [46_000, 46_000, 46_250])
    };
    vec![
        // Transfer 0: two blocks and a remainder, and one sync at its end.
        open(1, 0, SEQ_WR, KIB64,       [0, 0, 300]),
        op(1, 0, SEQ_WR, Write, 65_536, [300, 300, 800]),             // 500 µs
        op(1, 0, SEQ_WR, Write, 65_536, [800, 800, 1_300]),           // 500 µs
        op(1, 0, SEQ_WR, Write, 32_768, [1_300, 1_300, 1_500]),       // 200 µs
        op(1, 0, SEQ_WR, Sync,  0,      [1_500, 1_500, 3_500]),       // 2,000 µs
        op(1, 0, SEQ_WR, Close, 0,      [3_500, 3_500, 3_600]),       // 100 µs, data time of a writer
        // Total 3,600; data 3,300: latency 300 µs.
        // Transfer 1: its second read fails, so no latency; the first read counts for the rate.
        open(1, 1, RAND_RD, KIB64,      [3_600, 3_600, 3_700]),
        op(1, 1, RAND_RD, Read, 65_536, [3_700, 3_700, 4_700]),       // 1,000 µs
        failed,
        op(1, 1, RAND_RD, Close, 0,     [44_700, 44_700, 44_800]),
        // Transfer 2 is shorter than its block of 128 KiB, and every part of it is synced. One of its
        // writes is short, so it has no latency, and neither the time nor the bytes of that write count.
        open(1, 2, RAND_WR, 131_072,     [44_800, 44_800, 45_000]),
        op(1, 2, RAND_WR, Write, 65_536, [45_000, 45_000, 45_500]),   // 500 µs
        op(1, 2, RAND_WR, Sync,  0,      [45_500, 45_500, 46_000]),   // 500 µs
        short,
        op(1, 2, RAND_WR, Sync,  0,      [46_250, 46_250, 46_500]),   // 250 µs
        op(1, 2, RAND_WR, Close, 0,      [46_500, 46_500, 46_600]),   // 100 µs
        // Transfer 3 is cut off by the end.
        open(1, 3, SEQ_RD, KIB64,      [46_600, 46_600, 46_700]),
        op(1, 3, SEQ_RD, Read, 65_536, [46_700, 46_700, 47_200]),     // 500 µs
    ]
}

fn figures_of(ops: impl IntoIterator<Item = OpRecord>) -> PointFigures {
    let mut meter = Meter::new();
    ops.into_iter().for_each(|op| meter.add(&op));
    meter.finish_point(0, TIMING)
}

fn golden() -> PointFigures {
    figures_of(worker_0().into_iter().chain(worker_1()))
}

/// The three numbers of a cell.
type Expected = (Option<f64>, Option<f64>, Option<f64>);

fn assert_cell(paper: &PaperTables, mode: Mode, block: Option<u32>, expected: Expected) {
    let cell = paper.cell(mode, block).unwrap();
    let found =
        (cell.transfer_rate_while_transferring_mb_per_s, cell.average_latency_ms, cell.maximum_latency_s);
    assert_eq!(found, expected, "{mode:?} {block:?}");
}

#[test]
#[rustfmt::skip]
fn the_papers_tables() {
    let paper = golden().paper;
    assert!(paper.per_transfer);
    assert_eq!(paper.block_bytes, [65_536, 131_072, 1_048_576]);
    assert_eq!(paper.cells.len(), 5 * 4);
    let (kib64, kib128, mib1) = (Some(65_536), Some(131_072), Some(1_048_576));
    let nothing = (None, None, None);

    // 4,096 + 65,536 B in 200 + 500 µs, of two workers. No complete transfer.
    assert_cell(&paper, Mode::SeqRd, kib64, (Some(99.474_286), None, None));
    assert_cell(&paper, Mode::SeqRd, kib128, nothing);
    // 1,048,576 + 65,536 B in 4,400 µs.
    assert_cell(&paper, Mode::SeqRd, mib1, (Some(253.207_273), Some(0.35), Some(0.000_35)));
    // 69,632 + 1,114,112 B in 5,100 µs.
    assert_cell(&paper, Mode::SeqRd, None, (Some(232.106_667), Some(0.35), Some(0.000_35)));

    // 65,536 B in 1,000 µs; the failed read is not included.
    assert_cell(&paper, Mode::RandRd, kib64, (Some(65.536), None, None));
    assert_cell(&paper, Mode::RandRd, kib128, nothing);
    assert_cell(&paper, Mode::RandRd, None, (Some(65.536), None, None));

    // 163,840 B in 1,200 + 2,000 + 100 µs.
    assert_cell(&paper, Mode::SeqWr, kib64, (Some(49.648_485), Some(0.3), Some(0.000_3)));
    assert_cell(&paper, Mode::SeqWr, None, (Some(49.648_485), Some(0.3), Some(0.000_3)));

    // 65,536 B in 500 + 750 + 100 µs.
    assert_cell(&paper, Mode::RandWr, kib64, nothing);
    assert_cell(&paper, Mode::RandWr, kib128, (Some(48.545_185), None, None));
    assert_cell(&paper, Mode::RandWr, mib1, nothing);

    // 69,632 + 65,536 + 163,840 = 299,008 B in 700 + 1,000 + 3,300 µs.
    assert_cell(&paper, Mode::All, kib64, (Some(59.801_6), Some(0.3), Some(0.000_3)));
    assert_cell(&paper, Mode::All, mib1, (Some(253.207_273), Some(0.35), Some(0.000_35)));
    // 1,478,656 B in 5,100 + 1,000 + 3,300 + 1,350 µs; (350 + 300) / 2 µs.
    assert_cell(&paper, Mode::All, None, (Some(137.549_395), Some(0.325), Some(0.000_35)));

    let all = paper.cell(Mode::All, None).unwrap();
    assert_eq!((all.data_ops, all.bytes, all.transfers), (9, 1_478_656, 2));
}

#[test]
fn short_blocks_and_gaps_have_separate_counts() {
    let paper = golden().paper;
    let beside = |mode, block| {
        let cell = paper.cell(mode, block).unwrap();
        (cell.short_block_share, cell.average_gap_ms)
    };
    assert_eq!(beside(Mode::SeqRd, Some(65_536)), (Some(0.5), None));
    assert_eq!(beside(Mode::SeqRd, Some(1_048_576)), (Some(0.5), Some(0.1)));
    assert_eq!(beside(Mode::SeqWr, Some(65_536)), (Some(0.333_333), Some(0.0)));
    assert_eq!(beside(Mode::RandWr, Some(131_072)), (Some(1.0), None));
    assert_eq!(beside(Mode::RandWr, Some(65_536)), (None, None));
    assert_eq!(beside(Mode::All, None), (Some(0.444_444), Some(0.05)));
}

#[test]
fn each_worker_has_separate_tables() {
    let figures = golden();
    let of = |at: usize| figures.per_worker[at].paper.as_ref().unwrap();
    assert_cell(of(0), Mode::SeqRd, Some(65_536), (Some(20.48), None, None));
    assert_cell(of(1), Mode::SeqRd, Some(65_536), (Some(131.072), None, None));
    // Work that a worker did not do is missing.
    assert_eq!(of(0).cell(Mode::SeqWr, Some(65_536)), None);
    for mode in Mode::ROWS {
        let bytes = |paper: &PaperTables| paper.cell(mode, None).map_or(0, |cell| cell.bytes);
        assert_eq!(bytes(of(0)) + bytes(of(1)), bytes(&figures.paper), "{mode:?}");
    }
}

#[test]
fn first_block_replaces_an_undrawn_size() {
    let undrawn =
        |op: OpRecord| OpRecord { offset: if op.kind == OpKind::Open { 0 } else { op.offset }, ..op };
    let figures = figures_of(worker_0().into_iter().map(undrawn));
    assert_eq!(figures.paper.block_bytes, [4_096, 1_048_576]);
    assert_eq!(figures.paper.cell(Mode::SeqRd, Some(1_048_576)).unwrap().bytes, 1_114_112);
    assert_eq!(figures.per_worker[0].paper, None);
}

#[test]
fn counts_and_throughput() {
    let total = golden().total;
    assert_eq!((total.ops, total.failed_ops, total.warmup_ops), (24, 1, 1));
    let kinds = total.ops_by_kind;
    assert_eq!([kinds.open, kinds.read, kinds.write, kinds.sync, kinds.close], [5, 6, 5, 3, 5]);
    assert_eq!((total.transfers, total.transfers_left_out), (2, 4));
    assert_eq!((total.short_transfers, total.short_writes), (1, Some(1)));
    assert_eq!((total.read_bytes, total.written_bytes), (1_249_280, 262_144));
    // Over 50 ms, however long the operations took.
    assert_eq!(total.read_bytes_per_s, Some(24_985_600.0));
    assert_eq!(total.written_bytes_per_s, Some(5_242_880.0));
    assert_eq!(total.bytes_per_s, Some(30_228_480.0));
    assert_eq!(total.data_ops_per_s, Some(180.0));
}

#[test]
fn times() {
    let total = golden().total;
    // Responses of reads and writes, µs: 200 200 500 500 500 500 500 1,000 4,000; not the 250 of the
    // short one.
    let data = total.response.data.unwrap();
    assert_eq!((data.count, data.mean_us, data.max_us), (9, 877.778, 4_000.0));
    assert!((data.p50_us / 500.0 - 1.0).abs() < 0.001, "{}", data.p50_us);
    assert_eq!((data.p95_us, data.p99_9_us), (4_000.0, 4_000.0));
    assert_eq!((data.max_began_s, data.max_began_in_point_s), (1.000_6, 0.000_6));
    // The late open completed 290 µs after it was due, 200 µs after it was issued.
    let open = |times: Option<&reelgauge_analysis::TimeFigures>| times.unwrap().mean_us;
    assert_eq!(open(total.response.of(OpKind::Open)), (290.0 + 300.0 + 100.0 + 200.0 + 100.0) / 5.0);
    assert_eq!(open(total.service.of(OpKind::Open)), (200.0 + 300.0 + 100.0 + 200.0 + 100.0) / 5.0);
    assert_eq!(total.service.sync.unwrap().max_us, 2_000.0);
    let lateness = total.lateness.unwrap();
    assert_eq!((lateness.p50_us, lateness.max_us), (0.0, 100.0));
}

#[test]
fn short_transfer_is_valid_only_in_a_replay() {
    let ops = || worker_1().into_iter().map(Ok::<_, std::convert::Infallible>);
    let timings = BTreeMap::from([(0, TIMING)]);
    let writes = |short_ops| {
        let total = try_rebuild(ops(), short_ops, false, &timings).unwrap().points.remove(0).total;
        (total.ops_by_kind.write, total.written_bytes, total.response.write.unwrap().count)
    };
    assert_eq!(writes(ShortOps::Failures), (5, 262_144, 4));
    assert_eq!(writes(ShortOps::Answers), (5, 262_144, 5));
}

#[test]
fn errors_are_separate_from_times() {
    let figures = golden();
    let total = &figures.total;
    assert_eq!(total.errors.len(), 1);
    assert_eq!((total.errors[0].errno, total.errors[0].count), (5, 1));
    assert_eq!(total.errors[0].max_response_us, 30_000.0);
    let first = total.first_error.unwrap();
    assert_eq!((first.kind, first.worker, first.file, first.offset_bytes), (OpKind::Read, 1, 3, 1 << 20));
    assert_eq!((first.failed_at_s, first.failed_at_in_point_s), (1.034_7, 0.034_7));
    assert_eq!(total.response.read.as_ref().unwrap().max_us, 4_000.0);
    assert_eq!(figures.per_worker[0].figures.failed_ops, 0);
    assert_eq!(figures.per_worker[1].figures.failed_ops, 1);
}

#[test]
fn workers_add_up_to_the_total() {
    let figures = golden();
    let sum = |of: fn(&reelgauge_analysis::Figures) -> u64| {
        figures.per_worker.iter().map(|worker| of(&worker.figures)).sum::<u64>()
    };
    assert_eq!(figures.per_worker.iter().map(|worker| worker.worker).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(sum(|f| f.ops), figures.total.ops);
    assert_eq!(sum(|f| f.read_bytes), figures.total.read_bytes);
    assert_eq!(sum(|f| f.transfers), figures.total.transfers);
    assert_eq!(sum(|f| f.warmup_ops), figures.total.warmup_ops);
}

#[test]
fn the_order_of_workers_does_not_matter() {
    let (mut zero, mut one) = (worker_0().into_iter(), worker_1().into_iter());
    let mut mixed = Vec::new();
    loop {
        let before = mixed.len();
        mixed.extend(one.by_ref().take(2));
        mixed.extend(zero.by_ref().take(1));
        if mixed.len() == before {
            break;
        }
    }
    assert_eq!(mixed.len(), 25);
    assert_eq!(figures_of(mixed), golden());
}

#[test]
fn merged_hosts_equal_a_single_meter() {
    let as_worker = |ops: Vec<OpRecord>, worker| ops.into_iter().map(move |op| OpRecord { worker, ..op });
    let tally = |ops: Vec<OpRecord>| {
        let mut meter = Meter::new();
        as_worker(ops, 0).for_each(|op| meter.add(&op));
        meter.take_point(0)
    };
    let mut merged = tally(worker_0());
    merged.merge(tally(worker_1()), 1);
    assert_eq!(merged.figures(TIMING), golden());
}

#[test]
fn rebuilding_from_the_log_gives_the_live_figures() {
    let ops = || worker_1().into_iter().chain(worker_0());
    let mut meter = Meter::new();
    ops().for_each(|op| meter.add(&op));
    let series = meter.series();
    let live = meter.finish_point(0, TIMING);
    let rebuilt = rebuild(ops(), &BTreeMap::from([(0, TIMING)]));
    assert_eq!(rebuilt.points, [live]);
    assert_eq!(rebuilt.series, series);
    assert_eq!(rebuilt.totals, meter.run_totals());
    assert!(rebuilt.timing_from_ops.is_empty());

    // Without the timing: from the first issue to the last completion.
    let rebuilt = rebuild(ops(), &BTreeMap::new());
    assert_eq!(rebuilt.timing_from_ops, [0]);
    let timing = PointTiming { started_ns: STARTED_US * 1000, measured_ns: 47_200_000 };
    assert_eq!(rebuilt.points[0].timing, timing);
    assert_eq!(rebuilt.points[0].paper, golden().paper);
}

#[test]
fn empty_input_is_none_not_zero() {
    let figures = figures_of([]);
    assert_eq!(figures.total.ops, 0);
    assert_eq!(figures.total.bytes_per_s, Some(0.0));
    assert_eq!(figures.total.response.data, None);
    assert_eq!(figures.total.lateness, None);
    assert!(figures.paper.is_empty());
    let mut meter = Meter::new();
    worker_0().iter().for_each(|op| meter.add(op));
    let untimed = meter.finish_point(0, PointTiming::default());
    assert_eq!(untimed.total.bytes_per_s, None);
}

#[test]
fn stragglers_are_counted_and_change_nothing() {
    let mut meter = Meter::new();
    worker_0().iter().for_each(|op| meter.add(op));
    let next = OpRecord { point: 1, ..worker_0()[1] };
    meter.add(&next);
    meter.add(&worker_0()[2]);
    meter.finish_point(0, TIMING);
    let series = meter.series();
    worker_1().iter().for_each(|op| meter.add(op));
    assert_eq!(meter.stragglers(), 18);
    assert_eq!(meter.series(), series);
    meter.add(&next);
    assert_eq!(meter.finish_point(1, TIMING).total.ops, 2);
    assert_eq!(meter.run_totals().ops, 7 + 1 + 2);
}

/// An operation that `--max-rate` delays is due when it may start: the delay is not the storage's.
#[test]
#[rustfmt::skip]
fn time_held_back_by_a_limit_is_no_latency_where_there_was_one() {
    use OpKind::{Close, Read};
    let ops = || vec![
        open(0, 0, SEQ_RD, KIB64,      [0, 0, 100]),
        op(0, 0, SEQ_RD, Read, 65_536, [80_100, 80_120, 80_620]),       // held back for 80,000 µs
        op(0, 0, SEQ_RD, Read, 65_536, [80_620, 80_640, 81_140]),
        op(0, 0, SEQ_RD, Close, 0,     [81_140, 81_140, 81_240]),
    ];
    let latency_ms = |is_limited| {
        let rebuilt = try_rebuild(
            ops().into_iter().map(Ok::<_, ()>),
            ShortOps::Failures,
            is_limited,
            &BTreeMap::from([(0, TIMING)]),
        );
        let tables = rebuilt.unwrap().points.remove(0).paper;
        let cell = tables.cell(Mode::SeqRd, None).unwrap();
        (cell.average_latency_ms, cell.average_gap_ms, cell.maximum_latency_s)
    };
    assert_eq!(latency_ms(true), (Some(0.24), Some(0.04), Some(0.000_24)));
    assert_eq!(latency_ms(false), (Some(80.24), Some(80.04), Some(0.080_24)));
}
