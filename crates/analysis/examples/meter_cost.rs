//! Measures what the meter costs per operation: `cargo run --release -p reelgauge-analysis --example
//! meter_cost`.
//!
//! The records look like those of a closed loop: every operation is late by a few hundred nanoseconds, so
//! both of its times are recorded. Workers take turns after `batch` operations. Many operations per turn
//! are what one ring per worker gives; one per turn is what a shared ring gives, and is the worst case
//! for caches. `read` is the cost of only reading the records; it is part of `add`.

use std::hint::black_box;
use std::time::Instant;

use reelgauge_analysis::{Meter, PointTiming};
use reelgauge_record::test_records::op;
use reelgauge_record::{OpFlags, OpKind, OpRecord};

const OPS: usize = 8_000_000;

/// A small random number generator, good enough for times.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Mostly around `typical_ns`, some up to a hundred times that.
    fn time_ns(&mut self, typical_ns: u64) -> u64 {
        let draw = self.next();
        let tail = if draw.is_multiple_of(100) { 100 } else { 2 };
        typical_ns / 2 + (draw >> 8) % (typical_ns * tail)
    }
}

fn records(workers: u32, batch: usize, late: bool) -> Vec<OpRecord> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut steps = vec![0_u32; workers as usize];
    let blocks = [65_536, 131_072, 262_144, 1_048_576];
    (0..OPS)
        .map(|index| {
            let worker = index / batch % workers as usize;
            let step = steps[worker];
            steps[worker] += 1;
            let (transfer, place) = (step / 10, step % 10);
            let kind = match place {
                0 => OpKind::Open,
                9 => OpKind::Close,
                _ if transfer.is_multiple_of(2) => OpKind::Read,
                _ => OpKind::Write,
            };
            let len = if kind.moves_data() { blocks[(transfer % 4) as usize] } else { 0 };
            // One million operations per second in total, over all workers.
            let due_ns = index as u64 * 1_000;
            let issued_ns = due_ns + if late { 100 + dice.next() % 2_000 } else { 0 };
            let done_ns = issued_ns + dice.time_ns(200_000);
            let flags = OpFlags::NONE.with_if(OpFlags::WRITING, !transfer.is_multiple_of(2));
            let flags = flags.with_if(OpFlags::LAST, place == 9);
            op(kind)
                .of_len(len)
                .by_worker(worker as u32)
                .of_transfer(transfer)
                .at_ns(issued_ns)
                .due_at_ns(due_ns)
                .done_at_ns(done_ns)
                .flagged(flags)
        })
        .collect()
}

/// Nanoseconds per record that a loop over the records takes. It is the median over short chunks: most
/// of them lie between two interruptions, so other load on the host does not count.
fn cost_ns(records: &[OpRecord], mut body: impl FnMut(&OpRecord)) -> f64 {
    let mut chunks: Vec<f64> = Vec::new();
    for chunk in records.chunks(10_000) {
        let begin = Instant::now();
        for op in chunk {
            body(op);
        }
        chunks.push(begin.elapsed().as_nanos() as f64 / chunk.len() as f64);
    }
    chunks.sort_by(f64::total_cmp);
    chunks[chunks.len() / 2]
}

fn main() {
    println!("workers  batch  late   read ns/op  add ns/op  finish ms");
    let cases = [(1, 1, false), (1, 1, true), (10, 100, true), (10, 1, true), (40, 100, true), (40, 1, true)];
    for (workers, batch, late) in
        cases.into_iter().chain([(200, 100, true), (200, 1, true), (1_000, 1, true)])
    {
        let records = records(workers, batch, late);
        let (mut read_ns, mut add_ns, mut finish_ms) = (f64::MAX, f64::MAX, f64::MAX);
        for _ in 0..5 {
            let mut sum = 0;
            read_ns = read_ns.min(cost_ns(&records, |op| sum ^= black_box(op).done_ns));
            let mut meter = Meter::new();
            add_ns = add_ns.min(cost_ns(&records, |op| meter.add(op)));
            let begin = Instant::now();
            let figures = meter.finish_point(0, PointTiming { started_ns: 0, measured_ns: 1_000_000_000 });
            finish_ms = finish_ms.min(begin.elapsed().as_secs_f64() * 1e3);
            assert_eq!(figures.total.ops, records.len() as u64);
            black_box(sum);
        }
        println!("{workers:7}  {batch:5}  {late:5} {read_ns:11.1} {add_ns:10.1} {finish_ms:10.1}");
    }
}
