//! The drivers, with the smallest script and the cheapest sink that still do real work.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reelgauge_engine::area::AreaDir;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{Context, DriverKind, Sink, TargetFile, Window, Worker, start, threads_for};
use reelgauge_engine::pattern::{PatternSpec, WriteData};
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_workload::script::{Done, Needs, Op, OpenMode, Script, Step};

/// Random block positions in a file. The drivers and the bare loops use the same cheap generator.
pub struct Places {
    state: u64,
    blocks: u64,
    block_bytes: u64,
}

impl Places {
    /// For a file of so many bytes. Different values of `stream` give different sequences.
    pub fn new(stream: u64, file_bytes: u64, block_bytes: u64) -> Places {
        let state = 0x9e37_79b9_7f4a_7c15 ^ (stream << 17);
        Places { state, blocks: file_bytes / block_bytes, block_bytes }
    }

    /// The next one (xorshift64*, scaled without a division).
    #[inline]
    pub fn next_offset(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let random = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let block = (u128::from(random) * u128::from(self.blocks)) >> 64;
        block as u64 * self.block_bytes
    }
}

/// Opens the file, reads at random places, closes it.
struct Reads {
    places: Places,
    len: u32,
    left: u64,
    opened: bool,
    closed: bool,
    now_ns: u64,
}

impl Script for Reads {
    fn needs(&self) -> Needs {
        Needs { handles: 1, in_flight: 1, max_len: self.len, writes: false }
    }

    #[inline]
    fn next(&mut self, _now_ns: u64) -> Step {
        let kind = if !self.opened {
            self.opened = true;
            OpKind::Open
        } else if self.left > 0 {
            self.left -= 1;
            OpKind::Read
        } else if !self.closed {
            self.closed = true;
            OpKind::Close
        } else {
            return Step::Finished;
        };
        Step::Do(Op {
            kind,
            handle: 0,
            file: 0,
            offset: if kind == OpKind::Read { self.places.next_offset() } else { 0 },
            len: self.len,
            due_ns: self.now_ns,
            transfer: 0,
            stream: 0,
            flags: OpFlags::NONE,
            open: OpenMode::default(),
            token: 0,
        })
    }

    #[inline]
    fn done(&mut self, done: &Done) {
        // The next operation is due when this one is done.
        self.now_ns = done.done_ns;
    }

    fn resume(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }
}

/// Keeps the last records. A real sink writes each into a buffer that another thread empties.
struct LastRecords {
    kept: Box<[OpRecord; LastRecords::SLOTS]>,
    count: usize,
}

impl LastRecords {
    const SLOTS: usize = 4096;

    fn new() -> LastRecords {
        let nothing = OpRecord {
            offset: 0,
            due_ns: 0,
            issued_ns: 0,
            done_ns: 0,
            worker: 0,
            stream: 0,
            transfer: 0,
            file: 0,
            len: 0,
            done_len: 0,
            errno: 0,
            kind: OpKind::Close,
            flags: OpFlags::NONE,
            point: 0,
        };
        LastRecords { kept: Box::new([nothing; LastRecords::SLOTS]), count: 0 }
    }
}

impl Sink for LastRecords {
    #[inline]
    fn record(&mut self, op: &OpRecord) {
        self.kept[self.count % LastRecords::SLOTS] = *op;
        self.count += 1;
    }
}

/// 4 KiB reads by one worker on a thread.
pub fn threads_small_reads(file: &Path, operations: u64) -> anyhow::Result<()> {
    reads(DriverKind::Threads, 1, 4096, file, operations)
}

/// 1 MiB reads by one worker on a thread.
pub fn threads_large_reads(file: &Path, operations: u64) -> anyhow::Result<()> {
    reads(DriverKind::Threads, 1, 1 << 20, file, operations)
}

/// 4 KiB reads by 32 workers on one ring.
pub fn uring_small_reads(file: &Path, operations: u64) -> anyhow::Result<()> {
    reads(DriverKind::Uring, 32, 4096, file, operations)
}

/// 1 MiB reads by one worker on a ring.
pub fn uring_large_reads(file: &Path, operations: u64) -> anyhow::Result<()> {
    reads(DriverKind::Uring, 1, 1 << 20, file, operations)
}

fn reads(kind: DriverKind, count: u32, len: u32, path: &Path, operations: u64) -> anyhow::Result<()> {
    let sink = LastRecords::new();
    for sink in reads_into(kind, count, len, path, operations, Clock::start(), sink)? {
        let done = (sink.count as u64).saturating_sub(2 * u64::from(count));
        anyhow::ensure!(done == operations / u64::from(count) * u64::from(count), "{done} reads");
        let failed = sink.kept.iter().take(sink.count).find(|record| record.errno != 0);
        anyhow::ensure!(failed.is_none(), "an operation failed: {failed:?}");
    }
    Ok(())
}

/// Runs so many reads of so many workers on one thread. Returns the sink when all are done.
pub fn reads_into<K: Sink>(
    kind: DriverKind,
    count: u32,
    len: u32,
    path: &Path,
    operations: u64,
    clock: Clock,
    sink: K,
) -> anyhow::Result<Vec<K>> {
    let size_bytes = std::fs::metadata(path)?.len();
    let context = Arc::new(Context {
        clock,
        area: path.parent().map(AreaDir::open).transpose()?,
        files: vec![TargetFile { path: path.to_owned(), size_bytes }],
        read_only: Default::default(),
        pattern: PatternSpec { seed: 0, unit_bytes: 4096 },
        write_map: None,
        point: 0,
        window: Window::new(0, u64::MAX),
        stop: AtomicBool::new(false),
        throttle: None,
        internal_store: None,
    });
    let script = |id: u32| Reads {
        places: Places::new(u64::from(id), size_bytes, u64::from(len)),
        len,
        left: operations / u64::from(count),
        opened: false,
        closed: false,
        now_ns: 0,
    };
    let workers: Vec<Worker<Reads>> = (0..count).map(|id| Worker { id, script: script(id) }).collect();
    let threads = threads_for(kind, workers.len());
    anyhow::ensure!(threads == 1, "one processor, so one ring; there are {threads}");
    let running = start(kind, workers, vec![sink], &context)?;
    let mut sinks = Vec::new();
    while let Ok(end) = running.next_end(Duration::from_secs(1)) {
        let Some(end) = end else { continue };
        if let Some(failure) = end.failure {
            return Err(failure.into());
        }
        sinks.push(end.sink);
    }
    Ok(sinks)
}

/// A MiB per operation, in one write.
pub fn data_large(_: &Path, operations: u64) -> anyhow::Result<()> {
    data(operations, 1 << 20, 4096)
}

/// A MiB per operation, in 16 writes.
pub fn data_medium(_: &Path, operations: u64) -> anyhow::Result<()> {
    data(operations, 64 << 10, 4096)
}

/// A MiB per operation, in 256 writes.
pub fn data_small(_: &Path, operations: u64) -> anyhow::Result<()> {
    data(operations, 4 << 10, 4096)
}

/// A MiB per operation, in one write, stamped every 512 bytes.
pub fn data_fine(_: &Path, operations: u64) -> anyhow::Result<()> {
    data(operations, 1 << 20, 512)
}

fn data(mebibytes: u64, len: usize, unit_bytes: u32) -> anyhow::Result<()> {
    let mut data = WriteData::new(PatternSpec { seed: 1, unit_bytes }, 0, len)?;
    for write in 0..(mebibytes << 20) / len as u64 {
        let stamped = data.stamp(0, write * len as u64, len);
        std::hint::black_box(data.slice(&stamped, len));
    }
    Ok(())
}
