//! The memory of the log is bounded for any content.

#![cfg(feature = "log")]
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use reelgauge_record::log::{CaptureLevel, LogMeta, LogReader, LogWriter};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

/// Counts the allocated bytes and their maximum.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes every call to the system's allocator, which satisfies the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const MIB: usize = 1 << 20;

/// Runs one test at a time, from its first line on: the counters are global, so the setup of another
/// test would be counted, too.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The maximum of allocated bytes while `work` runs.
fn most_allocated(work: impl FnOnce()) -> usize {
    let before = ALLOCATED.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work();
    MOST.load(Ordering::Relaxed).saturating_sub(before)
}

fn meta() -> LogMeta {
    LogMeta { run_ns: 0, agent: "x".to_string(), capture: CaptureLevel::Application, blind_to: Vec::new() }
}

/// An operation whose every field is random.
fn random_op(random: &mut u64) -> OpRecord {
    let mut next = || {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *random ^ *random >> 20
    };
    OpRecord {
        offset: next() >> 1,
        due_ns: next() >> 1,
        issued_ns: next() >> 1,
        done_ns: next() >> 1,
        worker: next() as u32,
        stream: next() as u32,
        transfer: next() as u32,
        file: next() as u32,
        len: next() as u32,
        done_len: next() as u32,
        errno: next() as i32,
        kind: OpKind::Read,
        flags: OpFlags(next() as u8),
        point: next() as u16,
    }
}

#[test]
fn writing_the_worst_rows_stays_below_16_mib() {
    let _alone = alone();
    let dir = tempfile::tempdir().unwrap();
    let mut random = 1;
    let most = most_allocated(|| {
        let mut log = LogWriter::create(dir.path(), meta(), Vec::new()).unwrap();
        log.tick(0).unwrap();
        for at in 1..=1000_u64 {
            let ops: [OpRecord; 1000] = std::array::from_fn(|_| random_op(&mut random));
            log.append(&ops).unwrap();
            log.tick(at * 10_000_000).unwrap();
        }
        assert_eq!(log.finish().unwrap().rows, 1_000_000);
    });
    // At least the size of the open row group; otherwise the counter does not work.
    let most_mib = most as f64 / MIB as f64;
    assert!(most > 4 * MIB && most < 16 * MIB, "{most_mib:.1} MiB");
}

#[test]
fn reading_a_damaged_part_stays_bounded() {
    let _alone = alone();
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    let mut log = LogWriter::create(&agent, meta(), Vec::new()).unwrap();
    let mut random = 1;
    log.append(&std::array::from_fn::<_, 20, _>(|_| random_op(&mut random))).unwrap();
    log.finish().unwrap();
    let path = agent.join("part-000001.parquet");
    let part = std::fs::read(&path).unwrap();
    // A decoder of the library panics on some of these, which the reader converts to an error. The panic
    // message with its backtrace would take more memory than the code under test.
    std::panic::set_hook(Box::new(|_| {}));
    for at in 0..part.len() {
        for flip in [0x40, 0xff] {
            let mut bytes = part.clone();
            bytes[at] ^= flip;
            std::fs::write(&path, bytes).unwrap();
            let most = most_allocated(|| {
                if let Ok(reader) = LogReader::open(ops.path()) {
                    let _ = reader.batches().take(100).count();
                }
            });
            if most >= 16 * MIB {
                let _ = std::panic::take_hook();
                panic!("byte {at} ^ {flip:#x}: {} MiB", most / MIB);
            }
        }
    }
    let _ = std::panic::take_hook();
}
