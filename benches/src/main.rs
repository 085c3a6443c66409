//! The cost of the drivers, compared with fio and with loops that only do the I/O.
//!
//! Everything runs against a file in memory, so that only processor time is left: user + system time of
//! a whole process, per operation. Each variant is a child process (this program again, or fio). All run
//! on one processor and take turns for several rounds. A figure is the median of the rounds, and a ratio
//! is the median of the ratios within a round, because hosts drift by more than the differences of
//! interest. One group differs: [`paced`] has thousands of streams on all processors.
//!
//! `cargo run --release -p reelgauge-benches` prints the tables. [`variants`] lists the comparisons; add
//! new variants there. Linux only: io_uring does not exist elsewhere.

#[cfg(target_os = "linux")]
mod bare;
#[cfg(target_os = "linux")]
mod compare;
#[cfg(target_os = "linux")]
mod logged;
#[cfg(target_os = "linux")]
mod ours;
#[cfg(target_os = "linux")]
mod paced;
#[cfg(target_os = "linux")]
mod product;
#[cfg(target_os = "linux")]
mod variants;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let missed = run().unwrap_or_else(|error| vec![format!("{error:#}")]);
    if missed.is_empty() {
        return std::process::ExitCode::SUCCESS;
    }
    eprintln!("missed: {}", missed.join("; "));
    std::process::ExitCode::FAILURE
}

/// Runs what the command line asks for. Returns the missed targets.
#[cfg(target_os = "linux")]
fn run() -> anyhow::Result<Vec<String>> {
    use clap::Parser;
    match Cli::parse() {
        Cli { child: Some(name), file: Some(file), operations: Some(operations), .. } => {
            variants::run_child(&name, &file, operations).map(|()| Vec::new())
        }
        cli => compare::compare(&compare::Wanted {
            rounds: cli.rounds,
            dir: cli.dir.unwrap_or_else(std::env::temp_dir),
            groups: cli.groups,
            scale: cli.scale,
        }),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("the side-by-side benchmarks run on Linux only");
    std::process::exit(2);
}

/// Compares the drivers' processor time with fio's and with bare loops.
#[cfg(target_os = "linux")]
#[derive(clap::Parser)]
struct Cli {
    /// Only these groups (see the tables' titles); all by default.
    groups: Vec<String>,
    /// How often each variant runs.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Where the test file goes; should be a file system with a page cache.
    #[arg(long)]
    dir: Option<std::path::PathBuf>,
    /// Multiplies the number of operations of each run.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    #[arg(long, hide = true)]
    child: Option<String>,
    #[arg(long, hide = true)]
    file: Option<std::path::PathBuf>,
    #[arg(long, hide = true)]
    operations: Option<u64>,
}
