//! The command line as data: verbs, flags, and which of them go together.
//!
//! Not here: what a flag means. Flags become a [`Plan`](reelgauge_workload::plan::Plan), and the plan
//! says what is wrong with it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use reelgauge_formats::FrameRate;
use reelgauge_workload::mix::SyncPolicy;
use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::range::{Sizes, Sweep};
use reelgauge_workload::units::{Percent, Size, Span};

/// How many streams does this storage carry, what stops it carrying more, and what to change?
#[derive(Debug, Parser)]
#[command(
    name = "reelgauge",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure a directory with a random mix of reads and writes (the EBU access profile)
    Mix(Box<MixArgs>),
    /// Run a plan, or repeat a run from its run.toml
    Run(RunArgs),
    /// Print a run again, from its directory alone
    Report(ReportArgs),
    /// Remove the test files: the area that Reelgauge made, and nothing else
    Clean(CleanArgs),
    /// List the media formats of the catalogue, and what each needs
    Formats(FormatsArgs),
}

/// Flags of `mix`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MIX)]
pub struct MixArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,

    /// Access profile: production-edit, seq-read or seq-write; other flags change it
    #[arg(long, default_value = "production-edit", value_name = "NAME")]
    pub profile: String,
    /// Percentage of transfers that write
    #[arg(long, value_name = "PERCENT")]
    pub writes: Option<Percent>,
    /// Percentage of transfers whose blocks lie at random places
    #[arg(long, value_name = "PERCENT")]
    pub random: Option<Percent>,
    /// Longest transfer; every length up to it is equally likely
    #[arg(long, value_name = "SIZE", conflicts_with = "length")]
    pub max_length: Option<Size>,
    /// Exact transfer lengths, such as the sizes of video frames: 8MiB or 1MiB,8MiB
    #[arg(long, value_name = "SIZES")]
    pub length: Option<Sizes>,
    /// Block sizes, equally likely: 1MiB, 64KiB,1MiB or 4KiB..1MiB
    #[arg(long, value_name = "SIZES")]
    pub blocks: Option<Sizes>,
    /// Longest pause before a transfer; every pause up to it is equally likely
    #[arg(long, value_name = "TIME")]
    pub max_delay: Option<Span>,
    /// Number of files; every transfer picks one at random [default: one file per worker]
    #[arg(long, value_name = "N", conflicts_with = "shared_file")]
    pub files: Option<u32>,
    /// Size of each file [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub file_size: Option<Size>,
    /// All workers use one file
    #[arg(long)]
    pub shared_file: bool,
    /// When written data is made durable
    #[arg(long, value_enum, default_value = "none")]
    pub sync: SyncArg,
    /// Visit every block exactly once, in random order
    #[arg(long)]
    pub no_repeat: bool,
    /// Bypass the client's cache, or refuse
    #[arg(long, conflicts_with = "buffered")]
    pub direct: bool,
    /// Go through the client's cache
    #[arg(long)]
    pub buffered: bool,

    /// How many workers at once [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "ramp")]
    pub workers: Option<u32>,
    /// Load points with more and more workers: 1..10, '4..40 step 4', single-file or multi-file
    #[arg(long, value_name = "RAMP")]
    pub ramp: Option<String>,
    /// Load points with another value each: random=0..100 step 25, blocks=4KiB..1MiB, length=1MiB..64MiB
    #[arg(long, value_name = "SWEEP", conflicts_with = "ramp")]
    pub sweep: Option<Sweep>,
    /// Measured time of each load point of a ramp or sweep [default: 60s]
    #[arg(long, value_name = "TIME", conflicts_with = "duration")]
    pub step: Option<Span>,
    /// Measured time [default: 30s]
    #[arg(long, value_name = "TIME", conflicts_with_all = ["ramp", "sweep"])]
    pub duration: Option<Span>,
    /// Time before each load point that is left out of the figures
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub warmup: Span,
    /// Where random draws start; the same seed gives the same operations [default: drawn]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// What performs the I/O: threads (every OS) or uring (Linux)
    #[arg(long, value_enum, default_value = "threads")]
    pub driver: DriverArg,
    /// Read back and check every block that the run wrote
    #[arg(long)]
    pub verify: bool,
    /// Give up on a target that completes nothing for this long
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub hang_after: Span,
    /// Keep no operation log, only figures
    #[arg(long)]
    pub no_log: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Where results go. The same on every verb that measures.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Folder for run directories; best not on the target
    #[arg(long, value_name = "DIR", default_value = "reelgauge-runs")]
    pub out: PathBuf,
    /// Print the summary as JSON, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
    /// No progress display
    #[arg(long)]
    pub quiet: bool,
}

/// Flags of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A plan, such as the run.toml of an earlier run
    pub plan: PathBuf,
    /// Measure this directory instead of the plan's
    #[arg(long, value_name = "PATH")]
    pub target: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A run directory
    pub run: PathBuf,
    /// Print the summary as JSON
    #[arg(long, conflicts_with_all = ["tables", "workers"])]
    pub json: bool,
    /// Also write the figures as CSV files into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// The paper's tables of every load point, not only of the last
    #[arg(long)]
    pub tables: bool,
    /// The figures of every worker
    #[arg(long)]
    pub workers: bool,
}

/// Flags of `clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// The directory that was measured
    pub path: PathBuf,
}

/// Flags of `formats`.
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// Words that must all occur, such as: prores uhd
    pub words: Vec<String>,
    /// Only this frame rate: 25, 23.976 or 24000/1001
    #[arg(long, value_name = "RATE")]
    pub fps: Option<FrameRate>,
}

/// `--driver`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DriverArg {
    /// A thread per worker
    Threads,
    /// io_uring
    Uring,
}

impl From<DriverArg> for DriverChoice {
    fn from(arg: DriverArg) -> DriverChoice {
        match arg {
            DriverArg::Threads => DriverChoice::Threads,
            DriverArg::Uring => DriverChoice::Uring,
        }
    }
}

/// `--sync`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SyncArg {
    /// Never by the tool
    None,
    /// At the end of every writing transfer
    Transfer,
    /// After every block
    Block,
    /// Every write returns when it is durable
    Dsync,
}

impl From<SyncArg> for SyncPolicy {
    fn from(arg: SyncArg) -> SyncPolicy {
        match arg {
            SyncArg::None => SyncPolicy::None,
            SyncArg::Transfer => SyncPolicy::Transfer,
            SyncArg::Block => SyncPolicy::Block,
            SyncArg::Dsync => SyncPolicy::Dsync,
        }
    }
}

const AFTER_MIX: &str = "\
Examples:
  reelgauge mix /mnt/nas                                   four editors for half a minute
  reelgauge mix /mnt/nas --profile seq-read --ramp 1..10   the EBU paper's read ramp
  reelgauge mix /mnt/nas --sweep 'random=0..100 step 25'   how much random access hurts
  reelgauge mix /mnt/nas --verify --duration 10m           is what was written what is read?

Exit codes: 0 measured, 1 what was read back differs (--verify), 2 wrong usage or input, 3 the run
broke off (results kept), 130 interrupted (results kept).";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
