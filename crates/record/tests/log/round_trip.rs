//! Arbitrary operations, in arbitrary portions, are read as written.

use std::collections::BTreeMap;

use proptest::prelude::*;
use reelgauge_record::log::{LogReader, LogWriter};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::support::{files, meta, read_all, small};

/// Any value of the type, with a preference for small and extreme ones.
fn narrow() -> impl Strategy<Value = u32> {
    prop_oneof![0..4_u32, any::<u32>(), Just(u32::MAX), Just(1 << 31)]
}

fn wide() -> impl Strategy<Value = u64> {
    prop_oneof![0..1000_u64, 0..=i64::MAX as u64, Just(i64::MAX as u64), Just(0)]
}

prop_compose! {
    fn any_op()(
        wide in [wide(), wide(), wide(), wide()],
        worker in 0..5_u32,
        rare_worker in prop::option::weighted(0.05, any::<u32>()),
        narrow in [narrow(), narrow(), narrow(), narrow(), narrow()],
        errno in any::<i32>(),
        kind in 0..OpKind::ALL.len(),
        flags in any::<u8>(),
        point in any::<u16>(),
    ) -> OpRecord {
        OpRecord {
            offset: wide[0],
            due_ns: wide[1],
            issued_ns: wide[2],
            done_ns: wide[3],
            worker: rare_worker.unwrap_or(worker),
            stream: narrow[0],
            transfer: narrow[1],
            file: narrow[2],
            len: narrow[3],
            done_len: narrow[4],
            errno,
            kind: OpKind::ALL[kind],
            flags: OpFlags(flags),
            point,
        }
    }
}

/// The operations of each worker in order: the order that readers are guaranteed.
fn by_worker(ops: &[OpRecord]) -> BTreeMap<u32, Vec<OpRecord>> {
    let mut workers = BTreeMap::<u32, Vec<OpRecord>>::new();
    for op in ops {
        workers.entry(op.worker).or_default().push(*op);
    }
    workers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn records_round_trip(
        portions in prop::collection::vec(
            (prop::collection::vec(any_op(), 0..90), 0..800_000_000_u64),
            0..25,
        ),
        large_segment_bytes in prop_oneof![Just(1_u64 << 20), Just(6_000)],
    ) {
        let dir = tempfile::tempdir().unwrap();
        let agent = dir.path().join("agent=x");
        let mut options = small();
        options.large_segment_bytes = large_segment_bytes;
        let mut log = LogWriter::create_with(&agent, meta(), files(3), options).unwrap();
        let (mut all, mut now_ns) = (Vec::new(), 0);
        for (ops, pause_ns) in portions {
            log.append(&ops).unwrap();
            all.extend(ops);
            now_ns += pause_ns;
            log.tick(now_ns).unwrap();
        }
        let summary = log.finish().unwrap();
        prop_assert_eq!(summary.rows, all.len() as u64);
        prop_assert_eq!(summary.lost_rows, 0);
        prop_assert!(summary.table_error.is_none());
        if all.is_empty() {
            return Ok(());
        }
        let read = read_all(&agent);
        prop_assert_eq!(by_worker(&read), by_worker(&all));
        let reader = LogReader::open(dir.path()).unwrap();
        prop_assert_eq!(reader.agents()[0].rows, all.len() as u64);
        prop_assert!(reader.skipped().is_empty());
    }
}

#[test]
fn metadata_and_the_files_that_were_used_come_out() {
    let dir = tempfile::tempdir().unwrap();
    let agent = dir.path().join("agent=x");
    let mut log = LogWriter::create(&agent, meta(), files(100_000)).unwrap();
    let mut ops = crate::support::expected(10);
    ops[3].file = 99_999;
    ops[4].file = 100_000; // No such entry: the row is kept all the same.
    log.append(&ops).unwrap();
    log.files_mut()[0].size_after_bytes = Some(7);
    log.finish().unwrap();
    let reader = LogReader::open(dir.path()).unwrap();
    let log = &reader.agents()[0];
    assert_eq!(log.meta, meta());
    assert_eq!(log.files.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 99_999]);
    assert_eq!(log.files[&99_999], files(100_000)[99_999]);
    assert_eq!(log.files[&0].size_after_bytes, Some(7));
    let bytes = std::fs::metadata(agent.join("part-000001.parquet")).unwrap().len();
    assert!(bytes < 10_000, "the whole file table is in it: {bytes} bytes");
}

#[test]
fn several_agents_are_read_and_sorted_by_worker() {
    let dir = tempfile::tempdir().unwrap();
    for (agent, count) in [("agent=b", 5_u32), ("agent=a", 700)] {
        let mut log = LogWriter::create(&dir.path().join(agent), meta(), files(3)).unwrap();
        let mut ops: Vec<_> = (0..count)
            .flat_map(|number| [crate::support::op(1, number), crate::support::op(0, number)])
            .collect();
        ops.reverse();
        log.append(&ops).unwrap();
        log.finish().unwrap();
    }
    let reader = LogReader::open(dir.path()).unwrap();
    let rows: Vec<_> = reader.agents().iter().map(|agent| agent.rows).collect();
    assert_eq!(rows, [1400, 10]);
    let agents: Vec<_> = reader.batches().map(|batch| batch.unwrap().agent).collect();
    assert!(agents.is_sorted() && agents.last() == Some(&1), "{agents:?}");
    let workers = reader.agents()[0].by_worker(1400).unwrap();
    assert_eq!(workers[&0], crate::support::expected(700));
    assert_eq!(workers.len(), 2);
    assert!(reader.agents()[0].by_worker(1399).is_err());
}

#[test]
fn times_that_the_file_cannot_hold_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogWriter::create(dir.path(), meta(), Vec::new()).unwrap();
    let mut op = crate::support::op(7, 1);
    op.offset = 1 << 63;
    let error = log.append(&[crate::support::op(0, 0), op]).unwrap_err();
    assert!(error.to_string().contains("worker 7"), "{error}");
}
