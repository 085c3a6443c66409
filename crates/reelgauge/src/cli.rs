//! The command line as data: verbs, flags, and which of them are compatible.
//!
//! Not here: the meaning of a flag. Flags become a [`Plan`](reelgauge_workload::plan::Plan), which
//! reports its own errors.

mod clock_offset;
pub mod command_line;
mod compare;
mod console;
mod doctor;
mod event;
pub mod fio_flags;
mod fleet;
mod fleet_clean;
mod fleet_doctor;
mod fleet_owner;
mod fleet_preflight;
mod fleet_prepare;
mod fleet_site;
mod inspection;
mod list;
mod merge;
mod procedure;
mod prove;
mod record;
mod selftest;
mod tune;
mod watch;

pub use clock_offset::ClockOffset;
pub use compare::CompareArgs;
pub use console::ConsoleArgs;
pub use doctor::{DoctorArgs, ScriptKind};
pub use event::EventArgs;
pub use fleet::{
    AgentArgs, FleetArgs, FleetInitArgs, FleetInstallArgs, FleetLogsArgs, FleetLookArgs, FleetMsmeterArgs,
    FleetNameArgs, FleetRunArgs, FleetStopArgs, FleetUpArgs, FleetVerb,
};
pub use fleet_clean::FleetCleanArgs;
pub use fleet_doctor::FleetDoctorArgs;
pub use fleet_preflight::{FleetPreflightArgs, PreflightDepth};
pub use fleet_prepare::FleetPrepareArgs;
pub use inspection::{ExtentsArgs, OpsArgs, PeriodArgs, ProfileArgs};
pub use list::{CompletionsArgs, FormatsArgs, ListArgs, ManArgs, ScenariosArgs};
pub use merge::FleetMergeArgs;
pub use procedure::ProcedureArgs;
pub use prove::ProveArgs;
pub use record::RecordArgs;
pub use selftest::SelfTestArgs;
pub use tune::TuneArgs;
pub use watch::{MarkArgs, WatchArgs};

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use reelgauge_engine::area::{Sharing, Terms};
use reelgauge_engine::space::KeepFree;
use reelgauge_formats::catalogue::catalogue;
use reelgauge_record::notes::{StorageDetails, tags_of};
use reelgauge_record::run_dir::DEFAULT_PARENT;
use reelgauge_record::run_dir::label;
use reelgauge_workload::mix::SyncPolicy;
use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::profile::PROFILES;
use reelgauge_workload::range::{Ramp, RangeError, Sizes, Sweep};
use reelgauge_workload::replay::{Layout, Pacing, ReplayOrder};
use reelgauge_workload::streams::ActorKind;
use reelgauge_workload::streams::flags::SettingFlags;
use reelgauge_workload::units::{Percent, Size, Span, UnitError};

/// The version, with the commit where the build knew it.
pub const VERSION: &str = env!("REELGAUGE_VERSION");

/// The range of the time limit for storage that does not answer, in seconds.
const PATIENCE_S: std::ops::RangeInclusive<u64> = 1..=3600;

/// Measure how many video streams storage sustains, what limits it, and what to change
#[derive(Debug, Parser)]
#[command(
    name = "reelgauge",
    version = VERSION,
    max_term_width = 140,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do, in the order of the help ([`command_line::GROUPS`]).
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Find in 90 s how many streams play and what limits them
    Check(CheckArgs),
    /// Play paced streams; count late frames or find the limit
    Streams(Box<StreamsArgs>),
    /// Run a mix of reads and writes (EBU access profile)
    Mix(Box<MixArgs>),
    /// Record many cameras (VDA-like: video data acquisition)
    Vda(VdaArgs),
    /// Replay a trace or a run with its recorded timing
    Replay(ReplayArgs),
    /// Run a plan or scenario, or repeat a run (run.toml)
    Run(RunArgs),
    /// Run a series, such as the EBU study or a fill test
    Procedure(Box<ProcedureArgs>),
    /// Measure from many hosts at once: keys, server, agents
    Fleet(Box<FleetArgs>),
    /// List the runs measured here, newest first
    List(ListArgs),
    /// Show a run or a trace from its directory
    Report(ReportArgs),
    /// Compare runs: which figures changed beyond the noise
    Compare(CompareArgs),
    /// List the operations of a run or a trace
    Ops(OpsArgs),
    /// Find the mix closest to a trace or a run
    Profile(ProfileArgs),
    /// Show how fragmented files are
    Extents(ExtentsArgs),
    /// List, start, watch and compare runs in a browser
    Console(ConsoleArgs),
    /// Find settings that are bad for media, with remedies
    Doctor(DoctorArgs),
    /// Test a change: measure with it and without it
    Prove(Box<ProveArgs>),
    /// Print configuration for a site, with reasons
    Tune(Box<TuneArgs>),
    /// Sample counters of a host or server; makes no load
    Watch(WatchArgs),
    /// Note an event during a run, such as a failover
    Mark(MarkArgs),
    /// Record a command's file operations as a trace
    Record(RecordArgs),
    /// Import a trace: strace, fio, Process Monitor, ...
    Import(ImportArgs),
    /// Write a trace as a fio iolog
    Export(ExportArgs),
    /// List the traces that can be replayed by name
    Traces(TracesArgs),
    /// Remove the test files, and nothing else
    Clean(CleanArgs),
    /// List the media formats and what each needs
    Formats(FormatsArgs),
    /// List the scenarios that can be run by name
    Scenarios(ScenariosArgs),
    /// Test whether this client can be trusted to measure
    Selftest(SelfTestArgs),
    /// Run this host as an agent of a fleet
    Agent(AgentArgs),
    /// Print completions for bash, zsh, fish or PowerShell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

/// Flags of `mix`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MIX)]
pub struct MixArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,

    /// Access profile: production-edit, seq-read or seq-write; other flags change it
    #[arg(long, default_value = "production-edit", value_name = "NAME", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(PROFILES.map(|profile| profile.name)))]
    pub profile: String,
    /// Percentage of transfers that are writes; the profile sets the default
    #[arg(long, hide_short_help = true, value_name = "PERCENT")]
    pub writes: Option<Percent>,
    /// Percentage of transfers with blocks at random offsets; the profile sets the default
    #[arg(long, hide_short_help = true, value_name = "PERCENT")]
    pub random: Option<Percent>,
    /// Maximum transfer length; all lengths up to it are equally likely
    #[arg(long, hide_short_help = true, value_name = "SIZE", conflicts_with = "length")]
    pub max_length: Option<Size>,
    /// Exact transfer lengths, equally likely: '8MiB' or '1MiB,8MiB', or a format's mean frame, such as
    /// prores-422-hq-uhd-25
    #[arg(long, hide_short_help = true, value_name = "SIZES", value_parser = lengths)]
    pub length: Option<Sizes>,
    /// Block sizes, equally likely: '1MiB', '64KiB,1MiB' or '4KiB..1MiB'
    #[arg(long, hide_short_help = true, value_name = "SIZES")]
    pub blocks: Option<Sizes>,
    /// Maximum pause before a transfer; all pauses up to it are equally likely
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub max_delay: Option<Span>,
    /// Number of files; each transfer picks one at random [default: one per worker]
    #[arg(long, hide_short_help = true, value_name = "N", conflicts_with = "shared_file")]
    pub files: Option<u32>,
    /// Size of each file [default: 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub file_size: Option<Size>,
    /// Read your own files in this folder, on the same storage, instead of test files; they are never changed
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub read_from: Option<PathBuf>,
    /// All workers use one file
    #[arg(long, hide_short_help = true)]
    pub shared_file: bool,
    /// When to sync written data
    #[arg(long, hide_short_help = true, value_enum, default_value = "none")]
    pub sync: SyncPolicy,
    /// Access each block exactly once per load point, in random order, as fio does by default
    #[arg(long, hide_short_help = true)]
    pub no_repeat: bool,
    /// Queue depth: blocks of a transfer that each worker keeps in flight
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1)]
    pub in_flight: u16,
    /// Create new files instead of overwriting: each transfer writes one whole file
    #[arg(
        long,
        hide_short_help = true,
        conflicts_with_all = ["max_length", "files", "shared_file", "read_from"]
    )]
    pub create: bool,
    /// Use direct I/O; fail if the file system does not support it
    #[arg(long, hide_short_help = true, conflicts_with = "buffered")]
    pub direct: bool,
    /// Use buffered I/O, through the client's cache
    #[arg(long, hide_short_help = true)]
    pub buffered: bool,

    /// Pass criteria of each load point, such as p99=40ms,throughput=60MB/s,errors=0. The throughput is that
    /// of all workers together, in every second
    #[arg(long, hide_short_help = true, value_name = "LIMITS")]
    pub criteria: Option<String>,

    /// Number of concurrent workers [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "ramp")]
    pub workers: Option<u32>,
    /// Series of load points with increasing workers: 1..10, '4..40 step 4', single-file or multi-file
    #[arg(long, value_name = "RAMP")]
    pub ramp: Option<String>,
    /// Series of load points with different values: random=0..100 step 25, blocks=4KiB..1MiB,
    /// length=1MiB..64MiB; repeat it to combine every value with every other
    #[arg(long, hide_short_help = true, value_name = "SWEEP", conflicts_with = "ramp", value_parser = sweep)]
    pub sweep: Vec<Sweep>,
    /// Measured time of each load point of a ramp or sweep [default: 60s]
    #[arg(long, value_name = "TIME", conflicts_with = "duration")]
    pub step: Option<Span>,
    /// Measured time [default: 30s]
    #[arg(long, value_name = "TIME", conflicts_with_all = ["ramp", "sweep"])]
    pub duration: Option<Span>,
    /// Warm-up before each load point, excluded from the figures [default: 5s; 0s with --no-repeat]
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<Span>,
    /// Random seed; the same seed gives the same operations [default: random]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub seed: Option<u64>,

    /// I/O driver: threads (every OS) or uring (Linux)
    #[arg(long, hide_short_help = true, value_enum, default_value = "threads")]
    pub driver: DriverChoice,
    /// Read back and verify every block that the run wrote
    #[arg(long)]
    pub verify: bool,
    /// Stop if the target completes no operation for this long
    #[arg(long, hide_short_help = true, value_name = "TIME", default_value = "30s")]
    pub hang_after: Span,
    /// Keep the figures only, no operation log
    #[arg(long, hide_short_help = true)]
    pub no_log: bool,
    #[command(flatten)]
    pub storage: StorageArgs,
    #[command(flatten)]
    pub event: EventArgs,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Where results go. The same on every verb that measures.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Folder for run directories; not on the target if possible
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print only the summary, as JSON, on standard output
    #[arg(long)]
    pub json: bool,
    /// Hide the progress display
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub noted: NotedArgs,
}

/// The user's notes on a run and its storage. The same on every verb that measures.
#[derive(Clone, Debug, Default, Args)]
pub struct NotedArgs {
    /// Storage details to keep with the results: make=Acme,model=FS2,firmware=7.2 or your own names, such as
    /// raid=6; may be repeated
    #[arg(long = "storage", hide_short_help = true, value_name = "KEY=VALUE,...")]
    storage: Vec<StorageDetails>,
    /// A tag to find the run by; may be repeated
    #[arg(long = "tag", hide_short_help = true, value_name = "NAME", value_parser = tag)]
    tags: Vec<String>,
}

impl NotedArgs {
    /// The storage with the facts of every flag; `before` has those of the plan.
    pub fn storage(&self, mut before: StorageDetails) -> StorageDetails {
        self.storage.iter().for_each(|said| before.add(said.clone()));
        before
    }

    /// The plan's tags and those of the flags, each once.
    ///
    /// # Errors
    /// If there are too many.
    pub fn tags(&self, before: &[String]) -> anyhow::Result<Vec<String>> {
        Ok(tags_of(&[before, &self.tags].concat())?)
    }
}

/// A length is aligned for direct I/O on any file system.
const LENGTH_QUANTUM: u64 = 4096;

/// Sizes, each of which may be a format instead: its mean frame, rounded up to whole pages.
fn lengths(text: &str) -> Result<Sizes, String> {
    with_frames(text)?.parse().map_err(|error: RangeError| error.to_string())
}

/// A sweep, whose lengths may be formats.
fn sweep(text: &str) -> Result<Sweep, String> {
    let text = match text.split_once('=') {
        Some(("length", values)) => format!("length={}", with_frames(values)?),
        _ => text.to_owned(),
    };
    text.parse().map_err(|error: RangeError| error.to_string())
}

/// A list of sizes with frames of formats as sizes.
fn with_frames(text: &str) -> Result<String, String> {
    let is_format = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let sizes = text.split(',').map(|word| match word.trim() {
        word if is_format(word) => {
            let format = catalogue().find(word).map_err(|error| error.to_string())?;
            let frame_bytes = format.mean_bytes_per_frame().ceil() as u64;
            Ok(Size(frame_bytes.next_multiple_of(LENGTH_QUANTUM)).to_string())
        }
        word => Ok(word.to_owned()),
    });
    Ok(sizes.collect::<Result<Vec<_>, String>>()?.join(","))
}

/// Parses the time limit for storage that does not respond. A plan file has its own limit.
fn patience(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    let allowed = PATIENCE_S.start() * 1_000_000_000..=PATIENCE_S.end() * 1_000_000_000;
    match allowed.contains(&span.ns()) {
        true => Ok(span),
        false => {
            Err("use 1s to 1h. With a shorter time, storage that is only slow would stop the run".to_owned())
        }
    }
}

fn tag(text: &str) -> Result<String, String> {
    tags_of(&[text.to_owned()]).map_err(|error| error.to_string()).map(|tags| tags.concat())
}

/// Parses a name that the user chooses, which is also the name of a directory. A path is refused, so that
/// nothing is created outside the folder that was named for it.
pub fn directory_name(text: &str) -> Result<String, String> {
    let why = match text {
        _ if text.trim().is_empty() => "it is empty",
        _ if text.contains(['/', '\\']) => "it has a path separator",
        _ if text.chars().any(char::is_control) => "it has a control character",
        _ if label(text).is_empty() => "it has no ASCII letter or digit",
        _ => return Ok(text.to_owned()),
    };
    Err(format!("{why}; use letters, digits, '.', '_' and '-'"))
}

/// The terms for a target. The same on every verb that writes there.
#[derive(Clone, Copy, Debug, Args)]
pub struct TargetArgs {
    /// As root: allow a target that other users own or can write to; its files are accessed with the owner's
    /// rights
    #[arg(long, hide_short_help = true)]
    pub shared_target: bool,
    /// Space to leave free on the target [default: 5% of the volume, at most 10 GB]
    #[arg(long, hide_short_help = true, value_name = "SIZE")]
    pub keep_free: Option<Size>,
    /// Limit I/O to this many bytes per second, such as 100MB, so that other users can still work. Counts
    /// reads, writes and the preparation of files together. Each operation is sent whole, so a large one can
    /// exceed the limit for a moment [default: no limit]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = max_rate)]
    pub max_rate: Option<NonZeroU64>,
}

/// A smaller value is probably a misspelt unit, and one operation would take longer than the time limit
/// for storage that does not respond.
const MAX_RATE_LEAST: u64 = 1_000_000;

/// Parses bytes per second; a trailing `/s` is optional.
pub fn max_rate(text: &str) -> Result<NonZeroU64, String> {
    let size = text.strip_suffix("/s").unwrap_or(text).parse::<Size>();
    let size = size.map_err(|_| "write bytes per second, such as 100MB or 100MB/s".to_owned())?;
    let rate = NonZeroU64::new(size.bytes()).filter(|rate| rate.get() >= MAX_RATE_LEAST);
    rate.ok_or_else(|| "use 1MB or more per second".to_owned())
}

impl TargetArgs {
    /// The settings in the form that the libraries use.
    pub fn said(self) -> Terms {
        Terms { max_bytes_per_s: self.max_rate, ..terms(self.shared_target, self.keep_free) }
    }
}

/// The settings of two flags about a target.
pub fn terms(is_shared: bool, keep_free: Option<Size>) -> Terms {
    Terms {
        sharing: if is_shared { Sharing::Meant } else { Sharing::Unsaid },
        keep_free: keep_free.map_or(KeepFree::Usual, |size| KeepFree::Bytes(size.bytes())),
        max_bytes_per_s: None,
    }
}

/// Facts about the storage that no client can determine.
#[derive(Debug, Args)]
pub struct StorageArgs {
    /// Memory of the server, such as 64GiB. Reelgauge uses it to judge whether the server answered from
    /// memory instead of its disks
    #[arg(long, hide_short_help = true, value_name = "SIZE")]
    pub server_memory: Option<Size>,
}

/// Flags of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,
    #[command(flatten)]
    pub storage: StorageArgs,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `streams`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_STREAMS)]
pub struct StreamsArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,

    #[command(flatten)]
    pub stream: ActorArgs,

    /// Search for the largest number of streams that passes, then confirm it for a minute
    #[arg(long)]
    pub find_max: bool,
    /// Time limit for the search
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "find_max")]
    pub time_max: Option<Span>,
    /// Continue the interrupted search of this run
    #[arg(long, hide_short_help = true, value_name = "RUN", requires = "find_max")]
    pub resume: Option<PathBuf>,

    /// Use direct I/O; fail if the file system does not support it
    #[arg(long, hide_short_help = true, conflicts_with = "buffered")]
    pub direct: bool,
    /// Use buffered I/O, through the client's cache, as most applications do
    #[arg(long, hide_short_help = true)]
    pub buffered: bool,
    /// Start all streams at once [default: staggered]
    #[arg(long, hide_short_help = true)]
    pub together: bool,
    /// Measured time of each load point or trial [default: 30s, 10s with --find-max]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Span>,
    /// Warm-up before each load point or trial, excluded from the figures [default: 5s, 3s with --find-max]
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub warmup: Option<Span>,
    #[command(flatten)]
    pub run: RunningArgs,
    #[command(flatten)]
    pub storage: StorageArgs,
    #[command(flatten)]
    pub event: EventArgs,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The actor of the streams: its settings, and related flags (count, own format, files, criteria).
#[derive(Clone, Debug, Args)]
#[command(
    mut_arg("format", |format| format.conflicts_with("like").hide_short_help(false)),
    mut_arg("buffer", |buffer| buffer.hide_short_help(false))
)]
pub struct ActorArgs {
    /// What each stream does: player, recorder, editor, transcoder or copier
    #[arg(long, value_name = "ACTOR", default_value = "player")]
    pub actor: ActorKind,
    /// Number of streams (8) or a series of load points (1..10) [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "find_max")]
    pub count: Option<Ramp>,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// Your own format: bytes per frame; needs --fps
    #[arg(
        long,
        hide_short_help = true,
        value_name = "SIZE",
        conflicts_with_all = ["format", "like", "mbit_per_s"]
    )]
    pub frame_size: Option<Size>,
    /// Your own format: rate in Mbit/s (10^6 bit/s); needs --fps
    #[arg(long, hide_short_help = true, value_name = "NUMBER", conflicts_with_all = ["format", "like"])]
    pub mbit_per_s: Option<f64>,
    /// Your own format: one file per frame
    #[arg(long, hide_short_help = true)]
    pub file_per_frame: bool,
    /// Read your own files in this folder, on the same storage, instead of test files; they are never changed
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub read_from: Option<PathBuf>,
    /// Number of copiers in addition to the streams, such as a backup; each copies a file of --file-size
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0, conflicts_with = "find_max")]
    pub copiers: u32,
    /// Pass criteria, such as late=0,margins=60s,p99=40ms,throughput=60MB/s,errors=0. margins=60s fails if
    /// the margins of streams (the time left before their deadlines) shrink by a frame's duration within 60 s
    #[arg(long, hide_short_help = true, value_name = "LIMITS")]
    pub criteria: Option<String>,
}

/// Flags of `vda`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_VDA)]
pub struct VdaArgs {
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: PathBuf,
    /// Number of streams at the last of the ten load points
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "points")]
    pub streams: u32,
    /// Number of streams of each load point: 1..10 or '10..100 step 10'
    #[arg(long, hide_short_help = true, value_name = "RAMP")]
    pub points: Option<Ramp>,
    /// Search for the largest number of streams instead of measuring ten load points
    #[arg(long, conflicts_with_all = ["points", "streams"])]
    pub find_max: bool,
    /// Time limit for the search
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "find_max")]
    pub time_max: Option<Span>,
    /// Number of files of each camera and of each companion (published data set: about 11)
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 11)]
    pub files: u32,
    /// Size of each file (published data set: 1GiB)
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub file_size: Size,
    /// Measured time of each load point (published benchmark: 300s)
    #[arg(long, value_name = "TIME", default_value = "300s")]
    pub duration: Span,
    /// Warm-up before each load point, excluded from the figures (published benchmark: 300s)
    #[arg(long, value_name = "TIME", default_value = "300s")]
    pub warmup: Span,
    #[command(flatten)]
    pub run: RunningArgs,
    #[command(flatten)]
    pub storage: StorageArgs,
    #[command(flatten)]
    pub event: EventArgs,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How a run is carried out. The same on every verb that plays streams.
#[derive(Debug, Args)]
pub struct RunningArgs {
    /// Random seed; the same seed gives the same operations [default: random]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub seed: Option<u64>,
    /// I/O driver: threads (every OS) or uring (Linux)
    #[arg(long, hide_short_help = true, value_enum, default_value = "threads")]
    pub driver: DriverChoice,
    /// Stop if the target completes no operation for this long
    #[arg(long, hide_short_help = true, value_name = "TIME", default_value = "30s")]
    pub hang_after: Span,
    /// Keep the figures only, no operation log
    #[arg(long, hide_short_help = true)]
    pub no_log: bool,
}

/// Flags of `replay`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_REPLAY)]
pub struct ReplayArgs {
    /// Directory of a trace or run, or a name from 'reelgauge traces'
    pub trace: PathBuf,
    /// The directory to measure. Files go into its subdirectory reelgauge-area/
    pub path: PathBuf,

    /// Pace of operations: recorded, think (recorded pauses), max (no pauses), or fixed:5ms
    #[arg(long, value_name = "PACE", default_value = "recorded")]
    pub pace: Pacing,
    /// Order of operations to preserve
    #[arg(long, hide_short_help = true, value_enum, default_value = "resources")]
    pub order: ReplayOrder,
    /// Multiply recorded times by this: 0.5 is twice as fast
    #[arg(long, hide_short_help = true, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,
    /// Shorten idle periods to at most this
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub idle_cap: Option<Span>,
    /// Number of concurrent users, each with its own files
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub copies: u32,
    /// Delay between the starts of users [default: 1s; 0s with --pace max]
    #[arg(long, value_name = "TIME")]
    pub stagger: Option<Span>,
    /// Number of passes, each on its own files; all files are prepared before the first pass
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub batch: u32,
    /// How to write the files that are prepared
    #[arg(long, hide_short_help = true, value_enum, default_value = "auto")]
    pub layout: Layout,
    #[command(flatten)]
    pub run: RunningArgs,
    #[command(flatten)]
    pub event: EventArgs,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A plan file, such as the run.toml of an earlier run; a scenario's name; or 'naspt', twelve workloads
    /// modelled on Intel's NAS Performance Toolkit, as fast as possible
    pub plan: PathBuf,
    /// Measure this directory instead of the plan's
    #[arg(long, value_name = "PATH")]
    pub target: Option<PathBuf>,
    /// Multiply the plan's actors by this factor: 2 or 1..4
    #[arg(long, value_name = "RAMP", conflicts_with = "find_max")]
    pub scale: Option<Ramp>,
    /// Search for the largest scale that passes
    #[arg(long)]
    pub find_max: bool,
    /// Passes per workload, each on fresh files (suites only) [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub batch: Option<u32>,
    /// Workloads of the suite (suites only). Groups: naspt, own (your traces), iometer (4 KiB and 128 KiB
    /// accesses, 1 and 32 in flight). Also names, patterns (HDVideo*), and traces by name or path [default:
    /// naspt]
    #[arg(long, hide_short_help = true, value_name = "NAMES", value_delimiter = ',')]
    pub workloads: Vec<String>,
    /// Measured time per kind of iometer access (suites only) [default: 30s]
    #[arg(long, hide_short_help = true, value_name = "TIME")]
    pub access_time: Option<Span>,
    /// Compare with the suite run in this directory (suites only)
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,
    /// Be steered through standard input and output, as an agent of a fleet does it
    #[arg(long, hide = true, conflicts_with_all = [
        "json", "quiet", "find_max", "batch", "against", "workloads", "event"
    ])]
    pub steered: bool,
    #[command(flatten)]
    pub event: EventArgs,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Directory of a run or trace; several runs with --document [default: the latest run in reelgauge-runs]
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Create a reference document of the runs, with the system details from this site.toml. Writes HTML
    /// (--html FILE, or document.html in the first run's directory), and a PDF next to it if Chromium is
    /// installed
    #[arg(
        long,
        value_name = "SITE",
        conflicts_with_all = ["as_trace", "from", "to", "top", "json", "csv", "tables", "workers", "observer"]
    )]
    pub document: Option<PathBuf>,
    /// Show a run as a trace: files, percentages of sequential access, sizes and times
    #[arg(long)]
    pub as_trace: bool,
    #[command(flatten)]
    pub period: PeriodArgs,
    /// Number of files to list (traces only) [default: 15]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub top: Option<u32>,
    /// Print the summary as JSON
    #[arg(long, conflicts_with_all = ["tables", "workers"])]
    pub json: bool,
    /// Also write the figures as CSV files into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Also write a self-contained HTML report, with all charts and tables
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to", "top"])]
    pub html: Option<PathBuf>,
    /// Print the tables of the EBU paper for every load point, not only the last
    #[arg(long)]
    pub tables: bool,
    /// Print the figures of each worker
    #[arg(long)]
    pub workers: bool,
    /// Add another host's counters to the run, and judge the run again. Give the directory of a watch on
    /// that host, a table (.csv) or a Prometheus text file (.prom). They are kept with the run; may be
    /// repeated
    #[arg(long, value_name = "DIR|FILE")]
    pub observer: Vec<PathBuf>,
    /// If a file has several hosts, use only this one ('nas1:9100', 'nas1'); may be repeated [default: each
    /// host is an observer]
    #[arg(long, value_name = "NAME", requires = "observer")]
    pub observer_machine: Vec<String>,
    /// How far the clocks of these observers are ahead of the run's clock; negative: behind (-2s) [default:
    /// 0s]
    #[arg(long, value_name = "TIME", requires = "observer", allow_hyphen_values = true)]
    pub clock_offset: Option<ClockOffset>,
}

/// Flags of `clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// The directory that was measured
    pub path: PathBuf,
    /// Only list what would be removed and what would stay
    #[arg(long)]
    pub dry_run: bool,
    /// Stop if the target does not respond for this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = patience)]
    pub hang_after: Span,
    /// As root: clean a target that other users own or can write to, with its owner's rights
    #[arg(long)]
    pub shared_target: bool,
}

/// Flags of `traces`.
#[derive(Debug, Args)]
pub struct TracesArgs {
    /// Show this trace: a name from the list, or a directory
    pub name: Option<PathBuf>,
    /// Write the trace to this new directory
    #[arg(long, value_name = "DIR", requires = "name", conflicts_with = "json")]
    pub out: Option<PathBuf>,
    /// Show the NASPT workloads as one table: files, sequential share, bytes, rate, sizes (Table 1 of the
    /// paper)
    #[arg(long, hide_short_help = true, conflicts_with_all = ["name", "out"])]
    pub table: bool,
    /// Make a NASPT workload with this seed [default: 1, the same everywhere]
    #[arg(long, value_name = "N", requires = "out")]
    pub seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `import`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_IMPORT)]
pub struct ImportArgs {
    /// The file to import; - reads standard input
    pub file: PathBuf,
    /// Format, if the first lines do not show it: strace, fio, procmon, etw, fs_usage, smb2, nfs or darshan
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Keep only files below this directory, spelled as in the file [default: all but the system's files]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Name of the trace [default: the name of the file]
    #[arg(long, value_name = "NAME", value_parser = directory_name)]
    pub name: Option<String>,
    /// Folder for traces
    #[arg(long, value_name = "DIR", default_value = "reelgauge-traces")]
    pub out: PathBuf,
    /// Print only the result, as JSON, on standard output
    #[arg(long)]
    pub json: bool,
}

/// Flags of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Directory of a trace or run, or a name from 'reelgauge traces'
    pub trace: PathBuf,
    /// Format: fio3 (fio 3.31 and later) or fio2 (any fio)
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "fio3")]
    pub format: ExportFormat,
    /// The file, pipe or device to write to [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `export --format`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ExportFormat {
    /// fio's iolog, version 2
    Fio2,
    /// fio's iolog, version 3
    Fio3,
}

const AFTER_STREAMS: &str = "\
Examples:
  # How many players?
  reelgauge streams /mnt/nas --format prores-422-hq-uhd-25 --find-max
  # Four recorders
  reelgauge streams /mnt/nas --format dnxhr-hqx-uhd-50 \\
          --actor recorder --count 4
  # An editor with nine cameras, in the format of a file
  reelgauge streams /mnt/nas --like clip.mov --actor editor --cameras 9
  # Your own format
  reelgauge streams /mnt/nas --mbit-per-s 220 --fps 25 --find-max
  # Your own old files, which the server no longer has in memory; only read
  reelgauge streams /mnt/nas --format xavc-intra-class-100-1080-25 \\
          --count 8 --read-from /mnt/nas/archive

Exit codes: 0 criteria met, 1 not met or inconclusive, a load point not measured, or the event's command \
failed, 2 wrong usage or input, 3 the run failed (results kept), 130 interrupted (results kept).";

const AFTER_IMPORT: &str = "\
How to make FILE (CAPTURE is a recording of the other tool):
  strace    strace -f -ttt -T -y -s 0 -e trace=%file,%desc,%process \\
            -o FILE COMMAND
  fio       fio --write_iolog=FILE
  procmon   Process Monitor: Save as CSV,
            with the columns Duration, TID and Relative Time
  etw       xperf -i CAPTURE.etl -a dumper > FILE
  fs_usage  sudo fs_usage -w -f filesys PID > FILE
  darshan   darshan-dxt-parser CAPTURE.darshan > FILE
  smb2      tshark -r CAPTURE -Y smb2 -T fields -E header=y \\
            -E separator=/t -E aggregator='|' -E occurrence=a \\
            -e frame.time_epoch -e tcp.stream -e smb2.flags.response \\
            -e smb2.cmd -e smb2.msg_id -e smb2.fid -e smb2.filename \\
            -e smb2.file_offset -e smb2.write_length -e smb2.read_length \\
            -e smb2.nt_status -e smb2.write.count \\
            -e smb2.create.disposition -e smb2.create.action \\
            -e smb2.eof -e smb2.tree -e smb.access_mask \\
            -e smb.create_options -e smb2.disposition.delete_on_close \\
            -e smb2.file_info.infolevel > FILE
  nfs       tshark -r CAPTURE -Y nfs -T fields -E header=y \\
            -E separator=/t -E aggregator='|' -E occurrence=a \\
            -e frame.time_epoch -e tcp.stream -e rpc.xid -e rpc.msgtyp \\
            -e nfs.fh.hash -e nfs.procedure_v3 -e nfs.name \\
            -e nfs.offset3 -e nfs.count3 -e nfs.status3 \\
            -e nfs.fattr3.size -e nfs.fattr3.type -e nfs.set_size \\
            -e nfs.opcode -e nfs.offset4 -e nfs.count4 -e nfs.nfsstat4 \\
            -e nfs.fattr4.size -e nfs.pathname.component \\
            -e nfs.open4.share_access -e nfs.open.opentype \\
            -e nfs.write.data_length -e nfs.read.data_length \\
            -e nfs.symlink.to > FILE

Exit codes: 0 imported, 2 the file cannot be read, or it contains nothing that can be imported.";

const AFTER_VDA: &str = "\
The workload follows SPEC's published definition of video data acquisition (VDA): each stream is a camera (9 \
writes/s, 5 % of them synced) and a companion, an application that mostly reads (1 operation/s). Results are \
VDA-like. They are not SPEC results.

Exit codes: 0 all load points valid, 1 not all valid, 2 wrong usage or input, 3 the run failed, 130 \
interrupted.";

const AFTER_REPLAY: &str = "\
Examples:
  # With its recorded timing
  reelgauge replay traces/edit /mnt/nas
  # As fast as possible; the median of five passes
  reelgauge replay traces/edit /mnt/nas --pace max --batch 5
  # Eight users
  reelgauge replay traces/edit /mnt/nas --copies 8
  # An earlier run
  reelgauge replay reelgauge-runs/LAST /mnt/nas

Exit codes: 0 replayed, 1 inconclusive, a load point not measured, or the event's command failed, 2 wrong \
usage or input, 3 the run failed (results kept), 130 interrupted (results kept).";

const AFTER_MIX: &str = "\
Examples:
  # Four workers for 30 s
  reelgauge mix /mnt/nas
  # The EBU paper's read ramp
  reelgauge mix /mnt/nas --profile seq-read --ramp 1..10
  # How much random access hurts
  reelgauge mix /mnt/nas --sweep 'random=0..100 step 25'
  # Read back and verify everything that the run wrote
  reelgauge mix /mnt/nas --verify --duration 10m

Exit codes: 0 measured, 1 criteria not met or inconclusive, a load point not measured, the event's command \
failed, or data read back differs (--verify), 2 wrong usage or input, 3 the run failed (results kept), 130 \
interrupted (results kept).";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command_line::command().debug_assert();
    }

    #[test]
    fn a_rate_is_a_size_with_or_without_its_second() {
        for text in ["1MB", "1M/s", "20MB/s", "1.5GiB"] {
            assert!(max_rate(text).is_ok(), "{text}");
        }
        assert_eq!(max_rate("20MB/s"), max_rate("20MB"));
        for (text, hint) in
            [("0", "1MB or more"), ("20", "100MB/s"), ("/s", "100MB/s"), ("999kB", "1MB or more")]
        {
            assert!(max_rate(text).is_err_and(|error| error.contains(hint)), "{text}");
        }
    }
}
