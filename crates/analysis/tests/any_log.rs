//! For every possible log, the figures are finite, are read back as written, and do not depend on how
//! workers are interleaved or divided over hosts.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use reelgauge_analysis::summary::{LoadPointFacts, Target};
use reelgauge_analysis::{LoadPoint, Meter, PointTiming, Summary, rebuild};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

const TIMING: PointTiming = PointTiming { started_ns: 5, measured_ns: 1_000_000_000 };

fn times() -> impl Strategy<Value = u64> {
    prop_oneof![200 => 0..20_000_000_000_u64, 1 => any::<u64>()]
}

fn any_op() -> impl Strategy<Value = OpRecord> {
    let errno = prop_oneof![6 => Just(0), 1 => Just(5), 1 => any::<i32>()];
    let len = prop_oneof![4 => Just(65_536), 2 => Just(4_096), 1 => any::<u32>()];
    let worker = prop_oneof![8 => 0..4_u32, 1 => any::<u32>()];
    let numbers = (worker, 0..6_u32, 0..3_u16, 0_u8..16, 0..OpKind::ALL.len());
    (numbers, errno, len, any::<u32>(), times(), times(), times()).prop_map(
        |((worker, transfer, point, flags, kind), errno, len, done_len, due_ns, issued_ns, done_ns)| {
            OpRecord {
                offset: done_ns,
                due_ns,
                issued_ns,
                done_ns,
                worker,
                stream: worker,
                transfer,
                file: transfer,
                len,
                done_len: done_len.min(len),
                errno,
                kind: OpKind::ALL[kind],
                flags: OpFlags(flags),
                point,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_summary_of_any_log_is_read_back_as_written(ops in prop::collection::vec(any_op(), 0..60)) {
        let mut meter = Meter::new();
        ops.iter().for_each(|op| meter.add(op));
        let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default());
        summary.series = meter.series();
        for point in meter.unfinished_points() {
            let figures = meter.finish_point(point, TIMING);
            summary.load_points.push(LoadPoint::new(LoadPointFacts::default(), figures));
        }
        prop_assert!(Summary::from_json(&summary.to_json().unwrap()).unwrap() == summary);
    }

    #[test]
    fn interleaving_does_not_matter(ops in prop::collection::vec(any_op(), 0..60)) {
        let timings = BTreeMap::from([(0, TIMING), (1, TIMING), (2, TIMING)]);
        let mut by_worker = ops.clone();
        by_worker.sort_by_key(|op| op.worker);
        prop_assert!(rebuild(ops, &timings) == rebuild(by_worker, &timings));
    }

    #[test]
    fn hosts_merge_exactly(ops in prop::collection::vec(any_op(), 0..60)) {
        let few = |op: OpRecord| OpRecord { point: 0, worker: op.worker % 4, ..op };
        let ops: Vec<OpRecord> = ops.into_iter().map(few).collect();
        let mut one = Meter::new();
        ops.iter().for_each(|op| one.add(op));
        let mut hosts = [Meter::new(), Meter::new()];
        for op in &ops {
            hosts[(op.worker / 2) as usize].add(&OpRecord { worker: op.worker % 2, ..*op });
        }
        let [mut first, mut second] = hosts;
        let mut merged = first.take_point(0);
        merged.merge(second.take_point(0), 2);
        prop_assert!(merged.figures(TIMING) == one.finish_point(0, TIMING));
    }
}
