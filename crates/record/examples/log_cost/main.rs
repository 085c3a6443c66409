//! The cost of the operation log: processor time and bytes on disk per operation, and its reading speed,
//! compared with the Parquet library's own writer for the same rows ([`library`]).
//!
//! ```text
//! cargo run --release -p reelgauge-record --example log_cost [DIR [LOAD]]
//! ```
//!
//! The operations are synthetic, in the order in which a drain thread receives them: every 10 ms the new
//! operations of each worker, worker after worker. Generating them is not counted. Processor time is
//! that of the process, so it includes the kernel's part of writing; bytes are those of the finished
//! log.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use reelgauge_record::log::{CaptureLevel, LogMeta, LogReader, LogWriter};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

use library::LibraryWriter;

mod library;

/// Interval of the drain thread.
const DRAIN_NS: u64 = 10_000_000;

struct Load {
    name: &'static str,
    workers: u32,
    /// Mean duration of an operation.
    service_ns: u64,
    /// Time between the due times of two operations of a worker; 0 is back to back.
    period_ns: u64,
    lengths: &'static [u32],
    sequential: bool,
    /// Whether all workers share a ring, so that records are in order of completion.
    one_ring: bool,
    /// Number of operations to log.
    ops: u64,
}

const LOADS: [Load; 8] = [
    Load {
        name: "1 worker, cached random 4 KiB",
        workers: 1,
        service_ns: 950,
        period_ns: 0,
        lengths: &[4096],
        sequential: false,
        one_ring: false,
        ops: 20_000_000,
    },
    Load {
        name: "4 workers at 1 M/s in all",
        workers: 4,
        service_ns: 3_950,
        period_ns: 0,
        lengths: &[4096],
        sequential: false,
        one_ring: false,
        ops: 20_000_000,
    },
    Load {
        name: "40 workers at 1 M/s in all",
        workers: 40,
        service_ns: 39_950,
        period_ns: 0,
        lengths: &[4096],
        sequential: false,
        one_ring: false,
        ops: 20_000_000,
    },
    Load {
        name: "40 workers at 1 M/s in one ring",
        workers: 40,
        service_ns: 39_950,
        period_ns: 0,
        lengths: &[4096],
        sequential: false,
        one_ring: true,
        ops: 20_000_000,
    },
    Load {
        name: "4 workers at 200 k/s in all",
        workers: 4,
        service_ns: 19_950,
        period_ns: 0,
        lengths: &[4096],
        sequential: false,
        one_ring: false,
        ops: 6_000_000,
    },
    Load {
        name: "10 workers, 4 KiB to 1 MiB, 10 k/s",
        workers: 10,
        service_ns: 1_000_000,
        period_ns: 0,
        lengths: &[4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576],
        sequential: false,
        one_ring: false,
        ops: 1_000_000,
    },
    Load {
        name: "31 streams, 50 frames/s",
        workers: 31,
        service_ns: 3_000_000,
        period_ns: 20_000_000,
        lengths: &[1_250_000],
        sequential: true,
        one_ring: false,
        ops: 1_000_000,
    },
    Load {
        name: "1 stream, 25 frames/s, an hour",
        workers: 1,
        service_ns: 3_000_000,
        period_ns: 40_000_000,
        lengths: &[1_250_000],
        sequential: true,
        one_ring: false,
        ops: 90_000,
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let parent = std::env::args_os().nth(1).unwrap_or_else(|| std::env::temp_dir().into());
    println!(
        "{:36} {:>10} {:>8} {:>8} {:>10} {:>6} {:>14}   {:>14} {:>8} {:>10}",
        "load",
        "ops",
        "ns/op",
        "quiet",
        "bytes/op",
        "parts",
        "read, M rows/s",
        "library: ns/op",
        "quiet",
        "bytes/op"
    );
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for load in LOADS.iter().filter(|load| load.name.contains(&wanted)) {
        let dir = Path::new(&parent).join(format!("reelgauge-log-cost-{}", std::process::id()));
        let result = measure(load, &dir);
        std::fs::remove_dir_all(&dir)?;
        result?;
    }
    Ok(())
}

fn measure(load: &Load, dir: &Path) -> Result<(), Box<dyn Error>> {
    let meta = LogMeta {
        run_ns: 0,
        agent: "cost".to_string(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    };
    let mut log = LogWriter::create(&dir.join("agent=cost"), meta, Vec::new())?;
    log.tick(0)?;
    let slices = work(load, |batch, now_ns| {
        log.append(batch)?;
        Ok(log.tick(now_ns)?)
    })?;
    let summary = log.finish()?;
    let read_rate = read_rate(dir)?;
    let mut library = LibraryWriter::create(&dir.join("library.parquet"))?;
    let of_library = work(load, |batch, _| Ok(library.append(batch)?))?;
    let library_bytes = library.finish()?;
    println!(
        "{:36} {:>10} {:>8.1} {:>8.1} {:>10.2} {:>6} {:>14.1}   {:>14.1} {:>8.1} {:>10.2}",
        load.name,
        summary.rows,
        slices.mean_ns(),
        slices.quiet_ns(),
        summary.bytes as f64 / summary.rows as f64,
        summary.parts,
        read_rate,
        of_library.mean_ns(),
        of_library.quiet_ns(),
        library_bytes as f64 / summary.rows as f64,
    );
    Ok(())
}

/// Generates the load's operations and logs them. Returns the cost of logging.
fn work(
    load: &Load,
    mut log: impl FnMut(&[OpRecord], u64) -> Result<(), Box<dyn Error>>,
) -> Result<Slices, Box<dyn Error>> {
    let mut workers: Vec<Worker> = (0..load.workers).map(Worker::new).collect();
    let (mut logged, mut now_ns) = (0, 0);
    let mut slices = Slices::default();
    let mut batch = Vec::new();
    while logged < load.ops {
        now_ns += DRAIN_NS;
        batch.clear();
        for worker in &mut workers {
            worker.work_until(load, now_ns, &mut batch);
        }
        if load.one_ring {
            batch.sort_by_key(|op: &OpRecord| op.done_ns);
        }
        logged += batch.len() as u64;
        let before_ns = cpu_ns();
        log(&batch, now_ns)?;
        slices.add(cpu_ns() - before_ns, batch.len());
    }
    Ok(slices)
}

/// Processor time, in slices of half a second of the load. Each slice contains one seal.
#[derive(Default)]
struct Slices {
    /// Nanoseconds and operations of each slice.
    all: Vec<(u64, u64)>,
    drains: u64,
}

impl Slices {
    const DRAINS: u64 = 500_000_000 / DRAIN_NS;

    fn add(&mut self, spent_ns: u64, ops: usize) {
        if self.drains.is_multiple_of(Slices::DRAINS) {
            self.all.push((0, 0));
        }
        self.drains += 1;
        if let Some((slice_ns, slice_ops)) = self.all.last_mut() {
            *slice_ns += spent_ns;
            *slice_ops += ops as u64;
        }
    }

    /// Nanoseconds per operation.
    fn mean_ns(&self) -> f64 {
        let spent_ns: u64 = self.all.iter().map(|slice| slice.0).sum();
        let ops: u64 = self.all.iter().map(|slice| slice.1).sum();
        spent_ns as f64 / ops as f64
    }

    /// The same for the slice at the 10th percentile: the cost on an otherwise idle host.
    fn quiet_ns(&self) -> f64 {
        let mut costs: Vec<f64> = self.all.iter().map(|slice| slice.0 as f64 / slice.1 as f64).collect();
        costs.sort_by(f64::total_cmp);
        costs[costs.len() / 10]
    }
}

/// Million rows per second.
fn read_rate(dir: &Path) -> Result<f64, Box<dyn Error>> {
    let began = Instant::now();
    let mut rows = 0;
    for batch in LogReader::open(dir)?.batches() {
        rows += batch?.ops.len();
    }
    Ok(rows as f64 / began.elapsed().as_secs_f64() / 1e6)
}

struct Worker {
    id: u32,
    random: u64,
    last_done_ns: u64,
    count: u32,
}

impl Worker {
    fn new(id: u32) -> Worker {
        Worker {
            id,
            random: 0x9e37_79b9_7f4a_7c15 ^ u64::from(id) << 7,
            last_done_ns: u64::from(id) * 137,
            count: 0,
        }
    }

    fn work_until(&mut self, load: &Load, now_ns: u64, ops: &mut Vec<OpRecord>) {
        loop {
            let due_ns = match load.period_ns {
                0 => self.last_done_ns,
                period_ns => u64::from(self.count) * period_ns + u64::from(self.id) * 1_000,
            };
            if due_ns >= now_ns {
                return;
            }
            let len = load.lengths[self.next_random() as usize % load.lengths.len()];
            let issued_ns = due_ns + 30 + self.next_random() % 16;
            let done_ns = issued_ns + self.service_ns(load);
            let blocks = (10_u64 << 30) / 4096;
            ops.push(OpRecord {
                offset: if load.sequential {
                    u64::from(self.count) * u64::from(len)
                } else {
                    self.next_random() % blocks * 4096
                },
                due_ns,
                issued_ns,
                done_ns,
                worker: self.id,
                stream: self.id,
                transfer: self.count,
                file: self.id,
                len,
                done_len: len,
                errno: 0,
                kind: OpKind::Read,
                flags: OpFlags::RANDOM.with(OpFlags::LAST),
                point: 0,
            });
            self.last_done_ns = done_ns;
            self.count += 1;
        }
    }

    /// Usually within a tenth of the mean; one in a hundred takes twice as long, one in ten thousand 50
    /// us more.
    fn service_ns(&mut self, load: &Load) -> u64 {
        let usual_ns = load.service_ns * 9 / 10 + self.next_random() % (load.service_ns / 5);
        match self.next_random() % 10_000 {
            0 => usual_ns + 50_000,
            1..100 => usual_ns * 2,
            _ => usual_ns,
        }
    }

    /// xorshift64*: the quality of the random numbers does not matter here.
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
}

/// Processor time of this process so far.
#[cfg(unix)]
fn cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Other systems use wall-clock time.
#[cfg(not(unix))]
fn cpu_ns() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
