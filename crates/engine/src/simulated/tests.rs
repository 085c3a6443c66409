//! Fake stores with known results: every figure must follow from them exactly.

use reelgauge_record::{OpFlags, OpKind};
use reelgauge_workload::script::{Needs, OpenMode};

use super::*;

/// Reads on a fixed timeline, with several in flight, and never gives up.
struct Paced {
    period_ns: u64,
    next: u32,
    count: u32,
    in_flight: u16,
    origin_ns: u64,
    seen: Vec<Done>,
}

impl Paced {
    fn new(period_ns: u64, count: u32, in_flight: u16) -> Paced {
        Paced { period_ns, next: 0, count, in_flight, origin_ns: 0, seen: Vec::new() }
    }
}

impl Script for Paced {
    fn needs(&self) -> Needs {
        Needs { handles: 1, in_flight: self.in_flight, max_len: 4096, writes: false }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        if self.next == self.count {
            return Step::Finished;
        }
        self.next += 1;
        Step::Do(Op {
            kind: OpKind::Read,
            handle: 0,
            file: 0,
            offset: 4096 * u64::from(self.next - 1),
            len: 4096,
            due_ns: self.origin_ns + self.period_ns * u64::from(self.next - 1),
            transfer: self.next - 1,
            stream: 0,
            flags: OpFlags::LAST,
            open: OpenMode::default(),
            token: self.next - 1,
        })
    }

    fn done(&mut self, done: &Done) {
        self.seen.push(*done);
    }

    fn resume(&mut self, now_ns: u64) {
        self.origin_ns = now_ns;
    }
}

fn one(script: Paced) -> Vec<Worker<Paced>> {
    vec![Worker { id: 7, script }]
}

const MS: u64 = 1_000_000;
const FOREVER: SimulatedTimes =
    SimulatedTimes { start_ns: 0, end_ns: u64::MAX, warmup_until_ns: 0, point: 0 };

#[test]
fn every_time_in_a_record_is_exact() {
    let span = SimulatedTimes { start_ns: 500, end_ns: u64::MAX, warmup_until_ns: 500 + 10 * MS, point: 3 };
    let mut records = Vec::new();
    let mut store = |_: u32, op: &Op, issued_ns| Outcome::whole(op, issued_ns + 1000 + u64::from(op.token));
    let left = simulate(one(Paced::new(10 * MS, 3, 1)), &mut store, span, |record| records.push(*record));
    for (number, record) in records.iter().enumerate() {
        let due_ns = 500 + 10 * MS * number as u64;
        assert_eq!((record.due_ns, record.issued_ns), (due_ns, due_ns));
        assert_eq!(record.done_ns, due_ns + 1000 + number as u64);
        assert_eq!((record.worker, record.point, record.done_len), (7, 3, 4096));
        assert_eq!(record.flags.has(OpFlags::WARMUP), number == 0);
    }
    assert_eq!((records.len(), left.finished_scripts), (3, 1));
    assert_eq!(left.last_done_ns, records[2].done_ns);
    assert_eq!(left.workers[0].script.seen.len(), 3);
}

#[test]
fn freeze_delays_each_operation_by_its_remainder() {
    // One in flight, a frame every 40 ms; frozen from 400 ms to 1400 ms, otherwise 1 ms each.
    let mut store = |_: u32, op: &Op, issued_ns: u64| {
        let done_ns = if (400 * MS..1400 * MS).contains(&issued_ns) { 1400 * MS } else { issued_ns };
        Outcome::whole(op, done_ns + MS)
    };
    let mut responses = Vec::new();
    simulate(one(Paced::new(40 * MS, 100, 1)), &mut store, FOREVER, |record| {
        responses.push(record.response_ns())
    });
    // Frame 10 waits until the freeze ends. Each later frame gains 39 ms on the schedule until the
    // stream has caught up.
    let expected = |frame: u64| match frame {
        0..10 => MS,
        _ => (1001 * MS).saturating_sub(39 * MS * (frame - 10)).max(MS),
    };
    let expected: Vec<u64> = (0..100).map(expected).collect();
    assert_eq!(responses, expected);
}

#[test]
fn several_in_flight_overlap_and_finish_out_of_order() {
    // All are due at once, with three in flight; the first takes longest.
    let mut store = |_: u32, op: &Op, issued_ns: u64| {
        Outcome::whole(op, issued_ns + [50, 10, 20, 10, 10][op.token as usize])
    };
    let mut order = Vec::new();
    simulate(one(Paced::new(0, 5, 3)), &mut store, FOREVER, |record| {
        order.push((record.transfer, record.issued_ns, record.done_ns));
    });
    assert_eq!(order, [(1, 0, 10), (2, 0, 20), (3, 10, 20), (4, 20, 30), (0, 0, 50)]);
}

#[test]
fn errors_are_results() {
    let mut store = |_: u32, op: &Op, issued_ns: u64| match op.token {
        1 => Outcome::failed(5, issued_ns + 7),
        _ => Outcome { done_len: 100, ..Outcome::whole(op, issued_ns + 1) },
    };
    let mut records = Vec::new();
    let left = simulate(one(Paced::new(10, 3, 1)), &mut store, FOREVER, |record| records.push(*record));
    assert_eq!((records[1].errno, records[1].done_len, records[1].done_ns), (5, 0, 17));
    assert!(records[0].is_short() && !records[1].is_short());
    assert_eq!(left.workers[0].script.seen[1].errno, 5);
}

#[test]
fn hanging_worker_is_reported_and_others_continue() {
    let mut store = |worker: u32, op: &Op, issued_ns: u64| match (worker, op.token) {
        (0, 2) => Outcome::HANGS,
        _ => Outcome::whole(op, issued_ns + 1),
    };
    let workers = (0..2).map(|id| Worker { id, script: Paced::new(100, 10, 1) }).collect();
    let mut done = [0; 2];
    let left = simulate(workers, &mut store, FOREVER, |record| done[record.worker as usize] += 1);
    assert_eq!(done, [2, 10]);
    assert_eq!(left.hanging.len(), 1);
    let (worker, op, issued_ns) = left.hanging[0];
    assert_eq!((worker, op.token, issued_ns), (0, 2, 200));
}

#[test]
fn at_the_end_no_operation_starts_and_those_in_flight_finish() {
    let span = SimulatedTimes { end_ns: 300, ..FOREVER };
    let mut store = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns + 99);
    let mut last = 0;
    let left = simulate(one(Paced::new(100, 10, 1)), &mut store, span, |record| last = record.issued_ns);
    assert_eq!((last, left.last_done_ns), (200, 299));
    let mut store = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns + 250);
    let left = simulate(one(Paced::new(100, 10, 1)), &mut store, span, |record| last = record.issued_ns);
    assert_eq!((last, left.last_done_ns), (250, 500));
}

#[test]
fn workers_continue_in_the_next_load_point() {
    let mut store = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns + 1);
    let mut dues = Vec::new();
    let first = SimulatedTimes { end_ns: 250, ..FOREVER };
    let left = simulate(one(Paced::new(100, 5, 1)), &mut store, first, |record| dues.push(record.due_ns));
    let second = SimulatedTimes { start_ns: 1000, point: 1, ..FOREVER };
    simulate(left.workers, &mut store, second, |record| dues.push(record.due_ns));
    // The script had already issued its fourth operation, which never began.
    assert_eq!(dues, [0, 100, 200, 1400]);
}

/// Waits for an operation that it never began.
struct Confused;

impl Script for Confused {
    fn needs(&self) -> Needs {
        Needs { handles: 0, in_flight: 1, max_len: 0, writes: false }
    }
    fn next(&mut self, _now_ns: u64) -> Step {
        Step::Blocked
    }
    fn done(&mut self, _done: &Done) {}
    fn resume(&mut self, _now_ns: u64) {}
}

#[test]
fn endless_wait_of_a_script_is_reported() {
    let mut store = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns);
    let left = simulate(vec![Worker { id: 4, script: Confused }], &mut store, FOREVER, |_| {});
    assert_eq!(left.stuck, [4]);
}

#[test]
fn every_kind_takes_its_time_and_only_data_has_a_length() {
    struct Each(usize);
    impl Script for Each {
        fn needs(&self) -> Needs {
            Needs { handles: 1, in_flight: 1, max_len: 4096, writes: true }
        }

        fn next(&mut self, now_ns: u64) -> Step {
            let Some(&kind) = OpKind::ALL.get(self.0) else {
                return Step::Finished;
            };
            self.0 += 1;
            let Step::Do(read) = Paced::new(0, 1, 1).next(now_ns) else {
                return Step::Finished;
            };
            // An operation by path may name a handle that does not exist.
            let handle = if kind.goes_by_path() { 99 } else { 0 };
            Step::Do(Op { kind, handle, ..read })
        }

        fn done(&mut self, _done: &Done) {}

        fn resume(&mut self, _now_ns: u64) {}
    }
    let mut records = Vec::new();
    let mut store = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns + 5);
    let workers = vec![Worker { id: 0, script: Each(0) }];
    simulate(workers, &mut store, FOREVER, |record| records.push(*record));
    let kinds: Vec<_> = records.iter().map(|record| record.kind).collect();
    assert_eq!(kinds, OpKind::ALL);
    for (record, done_ns) in records.iter().zip((5..).step_by(5)) {
        let done_len = if record.kind.moves_data() { 4096 } else { 0 };
        assert_eq!((record.done_ns, record.done_len, record.errno), (done_ns, done_len, 0));
        let len = match record.kind {
            OpKind::Open => OpenMode::READ.bits().0,
            OpKind::Create => OpenMode::READ.create_bits().0,
            _ => 4096,
        };
        assert_eq!(record.len, len, "{:?}", record.kind);
    }
}
