//! The command line as data: verbs, flags, and which of them go together.
//!
//! Not here: what a flag means. Flags become a [`Plan`](reelgauge_workload::plan::Plan), and the plan
//! says what is wrong with it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use reelgauge_formats::FrameRate;
use reelgauge_workload::mix::SyncPolicy;
use reelgauge_workload::pace::{Policy, ReadAhead};
use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::range::{Ramp, Sizes, Sweep};
use reelgauge_workload::streams::{ActorKind, Buffer};
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
    /// A minute's look: how many streams a directory carries, and what limits it
    Check(CheckArgs),
    /// Frame-paced streams: which frames are late, or how many streams pass (--find-max)
    Streams(Box<StreamsArgs>),
    /// Measure a directory with a random mix of reads and writes (the EBU access profile)
    Mix(Box<MixArgs>),
    /// VDA-like load points and overall response time (not a SPEC result)
    Vda(VdaArgs),
    /// Run a plan or a scenario, or repeat a run from its run.toml
    Run(RunArgs),
    /// Print a run again, from its directory alone
    Report(ReportArgs),
    /// Remove the test files: the area that Reelgauge made, and nothing else
    Clean(CleanArgs),
    /// List the media formats of the catalogue, and what each needs
    Formats(FormatsArgs),
    /// List the scenarios that can be run by name
    Scenarios,
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

/// Flags of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The directory to look at. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `streams`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_STREAMS)]
pub struct StreamsArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,

    /// The media format, by its id; 'reelgauge formats WORDS' finds it
    #[arg(long, value_name = "ID", conflicts_with = "like")]
    pub format: Option<String>,
    /// Take the frame sizes of this movie file or folder of frames
    #[arg(long, value_name = "PATH")]
    pub like: Option<PathBuf>,
    /// A format of your own, by the bytes of each frame; needs --fps
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["format", "like", "mbit_per_s"])]
    pub frame_size: Option<Size>,
    /// A format of your own, by its rate in 10^6 bit/s; needs --fps
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["format", "like"])]
    pub mbit_per_s: Option<f64>,
    /// The frames of your own format are files of their own
    #[arg(long)]
    pub file_per_frame: bool,
    /// Frames per second, instead of the format's or the footage's own
    #[arg(long, value_name = "RATE")]
    pub fps: Option<FrameRate>,
    /// What the streams are: player, recorder, editor, transcoder or copier
    #[arg(long, value_name = "ACTOR", default_value = "player")]
    pub actor: ActorKind,
    /// How many, or load points with more and more: 8 or 1..10 [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "find_max")]
    pub count: Option<Ramp>,
    /// What a stream holds in hand, as time or frames: 1s or 12frames [default: 1s]
    #[arg(long, value_name = "BUFFER")]
    pub buffer: Option<Buffer>,
    /// What becomes of frames whose time has passed: drop or stall [default: drop]
    #[arg(long, value_enum, value_name = "POLICY")]
    pub policy: Option<PolicyArg>,
    /// How many frames a player asks for at once: closed (one) or open (all its buffer) [default: closed]
    #[arg(long, value_enum, value_name = "HOW")]
    pub read_ahead: Option<ReadAheadArg>,
    /// How long each stream's clip plays; streams loop over it [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub clip: Option<Span>,
    /// Recorders write over a file that exists, instead of growing a new one
    #[arg(long)]
    pub preallocated: bool,
    /// How often recorders make their frames durable [default: never]
    #[arg(long, value_name = "TIME")]
    pub sync_every: Option<Span>,
    /// How many cameras an editor plays side by side [default: 4]
    #[arg(long, value_name = "N")]
    pub cameras: Option<u32>,
    /// How much a copier reads and writes at once [default: 1MiB]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<Size>,
    /// Size of the file that a copier copies [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub file_size: Option<Size>,
    /// What counts as good enough: late=0,p99=40ms,throughput=60MB/s,errors=0
    #[arg(long, value_name = "LIMITS")]
    pub criteria: Option<String>,

    /// Search for the largest number of streams that passes
    #[arg(long)]
    pub find_max: bool,
    /// Time that the search may take
    #[arg(long, value_name = "TIME", requires = "find_max")]
    pub time_max: Option<Span>,
    /// Go on with the search of this run, which was interrupted
    #[arg(long, value_name = "RUN", requires = "find_max")]
    pub resume: Option<PathBuf>,

    /// Bypass the client's cache, or refuse
    #[arg(long, conflicts_with = "buffered")]
    pub direct: bool,
    /// Go through the client's cache, as most applications do
    #[arg(long)]
    pub buffered: bool,
    /// All streams begin at once, instead of apart from each other
    #[arg(long)]
    pub together: bool,
    /// Measured time of each load point or trial [default: 30s, 10s with --find-max]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Span>,
    /// Time before it that is left out of the figures [default: 5s, 3s with --find-max]
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<Span>,
    #[command(flatten)]
    pub run: RunningArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `vda`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_VDA)]
pub struct VdaArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,
    /// Streams of the last of ten load points
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "points")]
    pub streams: u32,
    /// The load points themselves: 1..10 or '10..100 step 10'
    #[arg(long, value_name = "RAMP")]
    pub points: Option<Ramp>,
    /// Files of each process: about 11 in the published data set
    #[arg(long, value_name = "N", default_value_t = 11)]
    pub files: u32,
    /// Size of each file: 1GiB in the published data set
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub file_size: Size,
    /// Measured time of each load point: 300s in the published benchmark
    #[arg(long, value_name = "TIME", default_value = "300s")]
    pub duration: Span,
    /// Time before each load point that is left out: 300s in the published benchmark
    #[arg(long, value_name = "TIME", default_value = "300s")]
    pub warmup: Span,
    #[command(flatten)]
    pub run: RunningArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How a run is carried out. The same on every verb that plays streams.
#[derive(Debug, Args)]
pub struct RunningArgs {
    /// Where random draws start; the same seed gives the same operations [default: drawn]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What performs the I/O: threads (every OS) or uring (Linux)
    #[arg(long, value_enum, default_value = "threads")]
    pub driver: DriverArg,
    /// Give up on a target that completes nothing for this long
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub hang_after: Span,
    /// Keep no operation log, only figures
    #[arg(long)]
    pub no_log: bool,
}

/// Flags of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A plan, such as the run.toml of an earlier run, or the name of a scenario
    pub plan: PathBuf,
    /// Measure this directory instead of the plan's
    #[arg(long, value_name = "PATH")]
    pub target: Option<PathBuf>,
    /// How many times the plan's actors play: 2 or 1..4
    #[arg(long, value_name = "RAMP", conflicts_with = "find_max")]
    pub scale: Option<Ramp>,
    /// Search for the largest scale that passes
    #[arg(long)]
    pub find_max: bool,
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

/// `--policy`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum PolicyArg {
    /// Skip them and keep the time
    Drop,
    /// Ask for every one, behind its time
    Stall,
}

impl From<PolicyArg> for Policy {
    fn from(arg: PolicyArg) -> Policy {
        match arg {
            PolicyArg::Drop => Policy::Drop,
            PolicyArg::Stall => Policy::Stall,
        }
    }
}

/// `--read-ahead`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ReadAheadArg {
    /// One frame after the other
    Closed,
    /// All frames that have room in the buffer
    Open,
}

impl From<ReadAheadArg> for ReadAhead {
    fn from(arg: ReadAheadArg) -> ReadAhead {
        match arg {
            ReadAheadArg::Closed => ReadAhead::Closed,
            ReadAheadArg::Open => ReadAhead::Open,
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

const AFTER_STREAMS: &str = "\
Examples:
  reelgauge streams /mnt/nas --format prores-422-hq-uhd-25 --find-max    how many players?
  reelgauge streams /mnt/nas --format dnxhr-hqx-uhd-50 --actor recorder --count 4
  reelgauge streams /mnt/nas --like clip.mov --actor editor --cameras 9
  reelgauge streams /mnt/nas --mbit-per-s 220 --fps 25 --find-max        a format of your own

Exit codes: 0 criteria met, 1 not met, 2 wrong usage or input, 3 the run broke off (results kept),
130 interrupted (results kept).";

const AFTER_VDA: &str = "\
The workload is that of the published definition: for each stream a camera (9 writes/s, 5 % made durable)
and a companion (1 operation/s). Everything is VDA-like and not a SPEC result.

Exit codes: 0 every load point valid, 1 not, 2 wrong usage or input, 3 the run broke off, 130 interrupted.";

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
