//! What the drivers cost, side by side with fio and with loops that do nothing but the I/O.
//!
//! Everything runs against a file in memory, so all that is left is processor time: user + system time of
//! a whole process, per operation. Each variant is a child process (this program again, or fio), all on
//! one processor, taking turns for several rounds; a figure is the median of the rounds, and a ratio is the
//! median of the ratios within a round, because machines drift by more than the differences looked for.
//! One group is not like that: [`paced`] has thousands of streams on all processors.
//!
//! `cargo run --release -p reelgauge-benches` prints the tables; see [`variants`] for what is compared,
//! and for where another variant goes. Linux only: elsewhere there is neither fio's io_uring nor ours.

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
fn main() -> anyhow::Result<()> {
    use clap::Parser;
    match Cli::parse() {
        Cli { child: Some(name), file: Some(file), operations: Some(operations), .. } => {
            variants::run_child(&name, &file, operations)
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
