//! A store with known response times gives exactly the figures that follow from those times: script,
//! driver semantics and meter together, in virtual time.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::{Meter, Mode, PaperCell, PointFigures, PointTiming, rebuild};
use reelgauge_engine::driver::Worker;
use reelgauge_engine::simulated::{Outcome, SimulatedTimes, simulate};
use reelgauge_record::{OpKind, OpRecord};
use reelgauge_workload::mix::{Lengths, MixFile, MixScript, MixShape, SyncPolicy};
use reelgauge_workload::script::Op;
use reelgauge_workload::units::Percent;

const US: u64 = 1000;

fn reader(worker: u32, reads_per_transfer: u64) -> Worker<MixScript> {
    let shape = MixShape {
        lengths: Lengths::Fixed(vec![reads_per_transfer * 4096]),
        blocks_bytes: vec![4096],
        quantum_bytes: 4096,
        writes: Percent::whole(0),
        random: Percent::whole(100),
        max_delay_ns: 0,
        sync: SyncPolicy::None,
        direct: true,
        in_flight: 1,
        create: false,
    };
    let file = MixFile { file: worker, size_bytes: 1 << 30 };
    Worker { id: worker, script: MixScript::new(worker, 3, shape, &[file]) }
}

/// Runs on a store until this many reads were issued.
fn run(
    workers: Vec<Worker<MixScript>>,
    reads: u64,
    mut store: impl FnMut(&Op, u64, u64) -> Outcome,
) -> PointFigures {
    let mut read = 0;
    let mut records: Vec<OpRecord> = Vec::new();
    let mut fake = |_worker: u32, op: &Op, issued_ns: u64| {
        if op.kind != OpKind::Read {
            return Outcome::whole(op, issued_ns + US);
        }
        read += 1;
        if read > reads { Outcome::HANGS } else { store(op, read, issued_ns) }
    };
    let span = SimulatedTimes { start_ns: 0, end_ns: u64::MAX, warmup_until_ns: 0, point: 0 };
    simulate(workers, &mut fake, span, |record| records.push(*record));
    let timing = PointTiming { started_ns: 0, measured_ns: 1_000_000_000 };
    rebuild(records, &[(0, timing)].into()).points.remove(0)
}

/// The value at this share of 1 to 10,000 µs, to the three digits that a histogram keeps.
fn near(found_us: f64, expected_us: f64) -> bool {
    (found_us - expected_us).abs() <= expected_us / 1000.0
}

#[test]
fn percentiles_are_those_of_the_store() {
    // Every latency from 1 to 10,000 µs once, in an order that has nothing to do with their size.
    let latency_us = |read: u64| (read * 7919) % 10_007;
    let usable: Vec<u64> = (1..10_007).map(latency_us).filter(|us| *us <= 10_000).collect();
    assert_eq!(usable.len(), 10_000);
    let figures = run(vec![reader(0, 64)], 10_000, |op, read, issued_ns| {
        Outcome::whole(op, issued_ns + usable[read as usize - 1] * US)
    });
    let service = figures.total.service.read.unwrap();
    assert_eq!(service.count, 10_000);
    assert!(near(service.p50_us, 5_000.0), "{service:?}");
    assert!(near(service.p95_us, 9_500.0), "{service:?}");
    assert!(near(service.p99_us, 9_900.0), "{service:?}");
    assert!(near(service.p99_9_us, 9_990.0), "{service:?}");
    assert_eq!((service.max_us, service.mean_us), (10_000.0, 5_000.5));
    // Nothing was late, so the application's response time is the storage's.
    assert_eq!(figures.total.response.read.unwrap(), service);
    let all = figures.paper.cell(Mode::RandRd, Some(4096)).unwrap();
    let data_s = 10_000.0 * 5_000.5e-6;
    let rate = all.transfer_rate_while_transferring_mb_per_s.unwrap();
    assert!((rate - 10_000.0 * 4096.0 / data_s / 1e6).abs() < 1e-3, "{rate}");
    // Open and close take 1 µs each, and nothing else is latency by the paper's definition.
    assert!((all.average_latency_ms.unwrap() - 0.002).abs() < 1e-9);
}

#[test]
fn one_freeze_is_in_the_maximum_with_its_time() {
    // 100 µs each, except for one second at 20 ms in which nothing responds.
    let freeze = |issued_ns: u64| (20_000 * US..1_020_000 * US).contains(&issued_ns);
    let figures = run(vec![reader(0, 16), reader(1, 16)], 4000, |op, _, issued_ns| {
        let from_ns = if freeze(issued_ns) { 1_020_000 * US } else { issued_ns };
        Outcome::whole(op, from_ns + 100 * US)
    });
    let service = figures.total.service.read.unwrap();
    assert!((1_000_000.0..=1_000_100.0).contains(&service.max_us), "{service:?}");
    assert!((0.0199..0.0202).contains(&service.max_began_s), "{service:?}");
    assert!(near(service.p50_us, 100.0) && near(service.p99_us, 100.0), "{service:?}");
    // It affected both workers once.
    for worker in figures.per_worker {
        assert!(worker.figures.service.read.unwrap().max_us >= 999_900.0);
    }
}

/// The bandwidth of the storage in the following tests.
const BYTES_PER_S: u64 = 105_000_000;

/// How storage divides its bandwidth among workers.
#[derive(Clone, Copy, Debug)]
enum Sharing {
    /// One operation after the other, in the order in which they come.
    Queue,
    /// Each block has the same share.
    Fair,
}

/// The share of the bandwidth in each cell of the paper's tables: its rate times the workers.
fn shares(workers: u32, blocks_bytes: &[u32], sharing: Sharing) -> Vec<(PaperCell, f64)> {
    let shape = MixShape {
        lengths: Lengths::UpTo(10 << 20),
        blocks_bytes: blocks_bytes.to_vec(),
        quantum_bytes: 4096,
        writes: Percent::whole(50),
        random: Percent::whole(50),
        max_delay_ns: 0,
        sync: SyncPolicy::None,
        direct: true,
        in_flight: 1,
        create: false,
    };
    let worker = |id| {
        let file = MixFile { file: id, size_bytes: 1 << 30 };
        Worker { id, script: MixScript::new(id, 3, shape.clone(), &[file]) }
    };
    let mut free_ns = 0;
    let mut store = |_: u32, op: &Op, issued_ns: u64| {
        if !op.kind.moves_data() {
            return Outcome::whole(op, issued_ns + US);
        }
        let alone_ns = u64::from(op.len) * 1_000_000_000 / BYTES_PER_S;
        let done_ns = match sharing {
            Sharing::Queue => issued_ns.max(free_ns) + alone_ns,
            Sharing::Fair => issued_ns + alone_ns * u64::from(workers),
        };
        free_ns = done_ns;
        Outcome::whole(op, done_ns)
    };
    let span = SimulatedTimes { start_ns: 0, end_ns: 300_000_000_000, warmup_until_ns: 0, point: 0 };
    let mut meter = Meter::new();
    simulate((0..workers).map(worker).collect(), &mut store, span, |record| meter.add(record));
    let paper = meter.finish_point(0, PointTiming { started_ns: 0, measured_ns: span.end_ns }).paper;
    let share = |cell: PaperCell| {
        let rate = cell.transfer_rate_while_transferring_mb_per_s.unwrap() * 1e6;
        (cell, rate * f64::from(workers) / BYTES_PER_S as f64)
    };
    paper.cells.into_iter().map(share).collect()
}

#[test]
fn no_cell_exceeds_the_bandwidth_of_the_storage() {
    let mixed: Vec<u32> = (12..=20).map(|bits| 1 << bits).collect();
    for workers in [1, 2, 5, 8] {
        for (blocks, sharing) in
            [(&[1 << 20][..], Sharing::Queue), (&[1 << 16], Sharing::Queue), (&mixed, Sharing::Fair)]
        {
            let cells = shares(workers, blocks, sharing);
            assert_eq!(cells.len(), 5 * (blocks.len() + 1));
            for (cell, share) in cells {
                assert!(
                    (0.97..=1.03).contains(&share),
                    "{workers} workers, {sharing:?}: {share:.3} {cell:?}"
                );
            }
        }
        // If blocks of all sizes share one queue, large ones get more than their share, and small ones
        // less; together they use the whole bandwidth.
        let queued = shares(workers, &mixed, Sharing::Queue);
        let all =
            queued.iter().find(|(cell, _)| cell.mode == Mode::All && cell.block_bytes.is_none()).unwrap();
        assert!((0.97..=1.03).contains(&all.1), "{workers} workers: {all:?}");
    }
}
