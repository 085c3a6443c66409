//! The product itself as a variant: a complete run of `reelgauge mix` on a folder in memory.
//!
//! It drops its test files from the cache before it measures. Only a file system in memory gives it the
//! same conditions as the bare loop. It runs for a fixed time and reports the number of operations.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use reelgauge_analysis::Summary;

use crate::variants::Job;

/// A file system in memory, on every Linux.
pub const MEMORY_DIR: &str = "/dev/shm";
/// Long enough that starting and ending have little effect.
const DURATION: &str = "4s";

/// A run with these arguments, in addition to those that all runs have in common.
pub fn command(job: &Job<'_>, arguments: &[&str]) -> anyhow::Result<Command> {
    let folder = folder(job.file);
    std::fs::create_dir_all(&folder)?;
    let results = folder.join("run");
    if results.exists() {
        std::fs::remove_dir_all(&results)?;
    }
    let mut command = Command::new(binary()?);
    command.arg("mix").arg(&folder).args(arguments);
    command.args(["--duration", DURATION, "--warmup", "0s", "--workers", "1", "--shared-file", "--buffered"]);
    command.args(["--writes", "0", "--random", "100", "--max-delay", "0s", "--blocks"]);
    command.arg(format!("{}B", job.block_bytes));
    // Transfers long enough that opening and closing have little effect.
    command.args(["--length", "256MiB", "--file-size"]).arg(format!("{}B", job.file_bytes));
    command.arg("--out").arg(&results);
    Ok(command)
}

/// The number of operations of the last run.
pub fn operations(job: &Job<'_>) -> anyhow::Result<u64> {
    let results = folder(job.file).join("run");
    let run = std::fs::read_dir(&results)?.next().context("the run left no results")??;
    let path = run.path().join("summary.json");
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let summary: Summary = serde_json::from_slice(&text)?;
    let operations = summary.load_points.iter().map(|point| point.total.ops).sum();
    anyhow::ensure!(operations > 100_000, "{operations} operations only: {:?}", summary.outcome_reason);
    Ok(operations)
}

/// Creates the test files, which must not be timed.
pub fn prepare(job: &Job<'_>) -> anyhow::Result<()> {
    let mut command = command(job, &[])?;
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot run {}", command.get_program().display()))?;
    anyhow::ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}

/// Removes the files of [`command`].
pub fn clean(file: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder(file)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn folder(file: &Path) -> PathBuf {
    file.with_extension("mix")
}

/// The program in the same folder as this one.
fn binary() -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("reelgauge");
    anyhow::ensure!(path.exists(), "no {}; run 'cargo build --release' first", path.display());
    Ok(path)
}
