//! The product's whole path: driver, ring, drain, meter, and with or without the operation log.
//!
//! A run fails if it uses more memory, or more disk per operation, than promised. The benchmark can't
//! become faster by breaking another promise.

use std::path::Path;

use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::DriverKind;
use reelgauge_record::log::{CaptureLevel, LogMeta, LogWriter};
use reelgauge_runner::session::drain::{Drain, PointRan};
use reelgauge_runner::session::sink::{RingRoom, rings};

use crate::ours::reads_into;

/// Limit on disk.
const BYTES_PER_OP_MAX: f64 = 16.0;
/// Limit on memory, whatever the length of the run.
const PEAK_MEMORY_KIB_MAX: u64 = 64 << 10;

/// One worker on a thread, counted but not logged.
pub fn threads_counted(file: &Path, operations: u64) -> anyhow::Result<()> {
    measured(DriverKind::Threads, 1, file, operations, false)
}

/// One worker on a thread, every operation logged.
pub fn threads_logged(file: &Path, operations: u64) -> anyhow::Result<()> {
    measured(DriverKind::Threads, 1, file, operations, true)
}

/// 32 workers on one ring, counted but not logged.
pub fn uring_counted(file: &Path, operations: u64) -> anyhow::Result<()> {
    measured(DriverKind::Uring, 32, file, operations, false)
}

/// 32 workers on one ring, every operation logged.
pub fn uring_logged(file: &Path, operations: u64) -> anyhow::Result<()> {
    measured(DriverKind::Uring, 32, file, operations, true)
}

fn measured(
    kind: DriverKind,
    workers: u32,
    file: &Path,
    operations: u64,
    logged: bool,
) -> anyhow::Result<()> {
    let clock = Clock::start();
    let folder = file.with_extension(format!("log-{}", std::process::id()));
    let log = logged.then(|| LogWriter::create(&folder, meta(&clock), Vec::new())).transpose()?;
    let drain = Drain::start(log, clock)?;
    let (mut sinks, sources) = rings(1, RingRoom::default());
    drain.attach(0, sources)?;
    let Some(sink) = sinks.pop() else { anyhow::bail!("no ring") };
    reads_into(kind, workers, 4096, file, operations, clock, sink)?;
    let ran = PointRan { started_ns: 0, measured_from_ns: 0, over_ns: clock.now_ns() };
    let figures = drain.finish_point(0, ran)?;
    let drained = drain.finish()?;
    let removed = if logged { std::fs::remove_dir_all(&folder) } else { Ok(()) };
    let reads = operations / u64::from(workers) * u64::from(workers);
    anyhow::ensure!(
        figures.total.ops_by_kind.read == reads,
        "{} reads counted",
        figures.total.ops_by_kind.read
    );
    anyhow::ensure!(drained.missed_ops == 0, "{} operations were missed", drained.missed_ops);
    if logged {
        anyhow::ensure!(drained.log.given_up.is_none(), "the log was given up: {:?}", drained.log.given_up);
        let bytes_per_op = drained.log.bytes as f64 / drained.log.rows as f64;
        anyhow::ensure!(bytes_per_op <= BYTES_PER_OP_MAX, "{bytes_per_op:.1} bytes per operation");
    }
    let peak_kib = peak_memory_kib()?;
    anyhow::ensure!(peak_kib <= PEAK_MEMORY_KIB_MAX, "{peak_kib} KiB of memory");
    Ok(removed?)
}

fn meta(clock: &Clock) -> LogMeta {
    LogMeta {
        run_ns: clock.start_unix_ns().cast_signed(),
        agent: "bench".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    }
}

/// The peak memory of this process.
pub fn peak_memory_kib() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let Some(kib) = line.and_then(|line| line.trim().strip_suffix(" kB")) else {
        anyhow::bail!("the kernel does not tell the peak memory");
    };
    Ok(kib.trim().parse()?)
}
