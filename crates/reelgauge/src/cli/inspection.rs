//! Flags of the subcommands that show operations and files: `ops`, `extents`, and those of `report` for
//! traces.

use std::path::PathBuf;

use clap::Args;
use reelgauge_analysis::operation_list::SortBy;
use reelgauge_analysis::trace_stats::Period;
use reelgauge_record::OpKind;
use reelgauge_workload::units::{Size, Span};

use super::patience;

/// A part of a trace or a run. The same on every verb that reads operations.
#[derive(Clone, Copy, Debug, Args)]
pub struct PeriodArgs {
    /// Only operations that began at or after this time, counted from the start of the trace
    #[arg(long, value_name = "TIME")]
    pub from: Option<Span>,
    /// Only operations that began before this time, counted from the start of the trace
    #[arg(long, value_name = "TIME")]
    pub to: Option<Span>,
}

impl PeriodArgs {
    /// Whether a period was given.
    pub fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// The period; an error if it is empty.
    pub fn period(&self) -> anyhow::Result<Period> {
        let from_ns = self.from.map_or(0, Span::ns);
        let to_ns = self.to.map_or(u64::MAX, Span::ns);
        anyhow::ensure!(from_ns < to_ns, "--to must be later than --from");
        Ok(Period { from_ns, to_ns })
    }
}

/// Flags of `ops`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_OPS)]
pub struct OpsArgs {
    /// Directory of a run or trace, or a name from 'reelgauge traces' [default: the latest run in
    /// reelgauge-runs]
    pub trace: Option<PathBuf>,
    /// Only files whose name matches: '*.mov' or 'reel7/*'; * matches any characters, including /
    #[arg(long, value_name = "PATTERN")]
    pub file: Option<String>,
    /// Only this kind: open, read, write, sync, close, rename, ...; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub kind: Vec<OpKind>,
    #[command(flatten)]
    pub period: PeriodArgs,
    /// Only operations that took at least this long
    #[arg(long, value_name = "TIME")]
    pub min_service: Option<Span>,
    /// Only operations that failed
    #[arg(long)]
    pub errors: bool,
    /// Only this stream, or thread of a trace, counted from 0
    #[arg(long, value_name = "N")]
    pub stream: Option<u32>,
    /// Sort order
    #[arg(long, value_enum, value_name = "BY", default_value = "issued")]
    pub sort: SortBy,
    /// Number of operations [default: all if sorted by issued, else 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub top: Option<u32>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `profile`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PROFILE)]
pub struct ProfileArgs {
    /// Directory of a run or trace, or a name from 'reelgauge traces' [default: the latest run in
    /// reelgauge-runs]
    pub trace: Option<PathBuf>,
    /// Load point of the run, counted from 0
    #[arg(long, value_name = "N")]
    pub point: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_PROFILE: &str = "\
Examples:
  # The mix closest to a recorded trace
  reelgauge profile reelgauge-traces/premiere
  # The same for a trace that ships with Reelgauge
  reelgauge profile photo-browsing --json

Exit codes: 0 a similar mix was found, 1 no mix is similar or there is too little data to judge, 2 wrong \
usage or input.";

/// Flags of `extents`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_EXTENTS)]
pub struct ExtentsArgs {
    /// Files to examine
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Copy the file below this directory (in the area, on the same file system), then read both alternately,
    /// to see if fragmentation makes it slow. The file itself is only read
    #[arg(long, value_name = "DIR")]
    pub copy_to: Option<PathBuf>,
    /// With --copy-to: number of passes over both files
    #[arg(long, value_name = "N", default_value = "5", requires = "copy_to")]
    pub passes: u32,
    /// With --copy-to: use only this much, from the beginning of the file
    #[arg(long, value_name = "SIZE", default_value = "4GiB", requires = "copy_to")]
    pub first: Size,
    /// Stop if the storage does not respond for this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = patience)]
    pub hang_after: Span,
    /// With --copy-to, as root: use a target that other users own or can write to, with its owner's rights
    #[arg(long, requires = "copy_to")]
    pub shared_target: bool,
    /// With --copy-to: space to leave free on the target [default: 5% of the volume, at most 10 GB]
    #[arg(long, value_name = "SIZE", requires = "copy_to")]
    pub keep_free: Option<Size>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn kind(name: &str) -> Result<OpKind, String> {
    OpKind::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = OpKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("use one of {}", names.join(", "))
    })
}

const AFTER_EXTENTS: &str = "\
Examples:
  # Extents of each file
  reelgauge extents /srv/media/*.mov
  # Is fragmentation the cause?
  reelgauge extents /mnt/nas/slow.mov --copy-to /mnt/nas

The second example reads the file and a copy of it five times each, alternately, without this client's \
cache. It also works where extents cannot be counted. A server may answer from its memory: choose a file \
larger than that memory and raise --first to the size of the file, or choose a file that has not been read \
recently. On SSDs, expect little difference.";

const AFTER_OPS: &str = "\
Examples:
  # The slowest writes
  reelgauge ops RUN --kind write --file '*.mov' --sort service --top 20
  # Operations that failed
  reelgauge ops TRACE --errors
  # Two seconds, for a spreadsheet
  reelgauge ops RUN --from 10s --to 12s --csv";
