//! Measures what counting late frames costs per operation: `cargo run --release -p reelgauge-analysis
//! --example late_cost`.
//!
//! Players of 50 frames/s with four reads per frame, one of them in flight, take turns: the worst case
//! for caches. In the second case the storage hangs for one second in every ten, so that frames are
//! skipped.

use std::time::Instant;

use reelgauge_analysis::late::{LateTally, MeasuredPart, Policy, StreamSpec};
use reelgauge_record::test_records::read;
use reelgauge_record::{OpFlags, OpRecord};

const OPS: u64 = 4_000_000;
const PARTS: u64 = 4;
const FRAME_NS: u64 = 20_000_000;
const BUFFER_NS: u64 = 500_000_000;

fn spec(stream: u32) -> StreamSpec {
    StreamSpec {
        stream,
        name: "player".to_owned(),
        kind: None,
        format: None,
        writes: false,
        policy: Policy::Drop,
        rate_num: 50,
        rate_den: 1,
        prebuffer_ns: BUFFER_NS,
        frame_bytes: Some(PARTS * 1_048_576),
        frames_total: None,
        throughput_needed_bytes_per_s: None,
        begins: None,
    }
}

fn records(streams: u32, freezes: bool) -> Vec<OpRecord> {
    let mut records = Vec::with_capacity(OPS as usize);
    for frame in 0..OPS / PARTS / u64::from(streams) {
        let due_ns = frame * FRAME_NS;
        let frozen = freezes && due_ns % 10_000_000_000 < 1_000_000_000 - BUFFER_NS;
        if frozen {
            continue;
        }
        for (part, stream) in (0..PARTS).flat_map(|part| (0..streams).map(move |stream| (part, stream))) {
            let issued_ns = due_ns + part * 3_000_000 + u64::from(stream);
            let took_ns = 2_900_000 + (frame * 7_919 + u64::from(stream) * 31) % 100_000;
            let read = read(0, 0, 1_048_576).by_worker(stream).of_transfer(frame as u32);
            let flags = OpFlags::FRAME.with_if(OpFlags::LAST, part + 1 == PARTS);
            records.push(read.at_ns(issued_ns).due_at_ns(due_ns).took_ns(took_ns).flagged(flags));
        }
    }
    records
}

fn main() {
    println!("streams  freezes  add ns/op  finish ms  late frames");
    for (streams, freezes) in [(1, false), (40, false), (40, true), (1_000, false), (1_000, true)] {
        let records = records(streams, freezes);
        let until_ns = records.last().map_or(0, |op| op.done_ns);
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns };
        let mut tally = LateTally::new((0..streams).map(spec).collect(), part);
        let started = Instant::now();
        records.iter().for_each(|op| tally.add(op));
        let add_ns = started.elapsed().as_nanos() as f64 / records.len() as f64;
        let started = Instant::now();
        let figures = tally.finish(until_ns);
        let finish_ms = started.elapsed().as_secs_f64() * 1e3;
        let late = figures.total.late_frames;
        println!("{streams:7}  {freezes:7}  {add_ns:9.0}  {finish_ms:9.1}  {late}");
    }
}
