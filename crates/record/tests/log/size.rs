//! The size of an operation on disk, for operations in the order of a drain thread.

use reelgauge_record::log::LogWriter;
use reelgauge_record::{OpKind, OpRecord};

use crate::support::{files, meta};

const DRAIN_NS: u64 = 5_000_000;

/// Bytes per operation of a log of random 4 KiB reads of 10 GiB, back to back, by this many workers.
fn bytes_per_op(workers: u32, service_ns: u64, run_ns: u64) -> f64 {
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogWriter::create(dir.path(), meta(), files(workers)).unwrap();
    let mut random = 1_u64;
    let mut next_random = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    let mut last_done_ns: Vec<u64> = (0..u64::from(workers)).collect();
    let mut counts = vec![0; workers as usize];
    for now_ns in (0..run_ns).step_by(DRAIN_NS as usize) {
        for worker in 0..workers {
            let at = worker as usize;
            let mut ops = Vec::new();
            while last_done_ns[at] < now_ns {
                let due_ns = last_done_ns[at];
                let issued_ns = due_ns + 30 + next_random() % 16;
                let slow = if next_random() % 100 == 0 { 2 } else { 1 };
                let done_ns = issued_ns + slow * (service_ns * 9 / 10 + next_random() % (service_ns / 5));
                ops.push(OpRecord {
                    offset: next_random() % (10 << 18) * 4096,
                    due_ns,
                    issued_ns,
                    done_ns,
                    worker,
                    stream: worker,
                    transfer: counts[at],
                    file: worker,
                    len: 4096,
                    done_len: 4096,
                    errno: 0,
                    kind: OpKind::Read,
                    flags: Default::default(),
                    point: 0,
                });
                counts[at] += 1;
                last_done_ns[at] = done_ns;
            }
            log.append(&ops).unwrap();
        }
        log.tick(now_ns).unwrap();
    }
    let summary = log.finish().unwrap();
    assert_eq!(summary.rows, counts.iter().map(|&count| u64::from(count)).sum::<u64>());
    summary.bytes as f64 / summary.rows as f64
}

#[test]
fn a_fast_load_takes_at_most_sixteen_bytes_per_operation() {
    // A million per second in total, for 600 ms.
    for (workers, bound) in [(1, 10.0), (4, 11.0), (40, 16.0)] {
        let bytes = bytes_per_op(workers, u64::from(workers) * 950, 600_000_000);
        assert!(bytes <= bound, "{workers} workers: {bytes:.2} bytes per operation");
    }
}

#[test]
fn a_slow_load_takes_at_most_sixteen_bytes_per_operation() {
    // A thousand per second in total, for a minute: 120 seals.
    for workers in [1, 10, 40] {
        let bytes = bytes_per_op(workers, u64::from(workers) * 950_000, 60_000_000_000);
        assert!(bytes <= 16.0, "{workers} workers: {bytes:.2} bytes per operation");
    }
}
