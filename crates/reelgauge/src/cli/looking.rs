//! Flags of the verbs that look at operations and files: `ops`, `extents`, and those of `report` for traces.

use std::path::PathBuf;

use clap::Args;
use reelgauge_analysis::operation_list::SortBy;
use reelgauge_analysis::trace_stats::Period;
use reelgauge_record::OpKind;
use reelgauge_workload::units::{Size, Span};

use super::patience;

/// A part of a trace or a run. The same on every verb that looks at operations.
#[derive(Clone, Copy, Debug, Args)]
pub struct PeriodArgs {
    /// Only operations that began at this time of the trace or later
    #[arg(long, value_name = "TIME")]
    pub from: Option<Span>,
    /// Only operations that began before this time of the trace
    #[arg(long, value_name = "TIME")]
    pub to: Option<Span>,
}

impl PeriodArgs {
    /// Whether a part was asked for.
    pub fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// The period; an error if nothing can lie in it.
    pub fn period(&self) -> anyhow::Result<Period> {
        let from_ns = self.from.map_or(0, Span::ns);
        let to_ns = self.to.map_or(u64::MAX, Span::ns);
        anyhow::ensure!(from_ns < to_ns, "--to must be later than --from: nothing lies between them");
        Ok(Period { from_ns, to_ns })
    }
}

/// Flags of `ops`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_OPS)]
pub struct OpsArgs {
    /// A run's or trace's directory, or a name that 'reelgauge traces' lists [default: the latest run in
    /// reelgauge-runs]
    pub trace: Option<PathBuf>,
    /// Only files whose name matches: '*.mov' or 'reel7/*'; * stands for any characters, / too
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
    /// Only this stream (in a trace: this thread), from 0
    #[arg(long, value_name = "N")]
    pub stream: Option<u32>,
    /// What comes first: the earliest (issued), slowest (service, response), largest (size), or offset
    #[arg(long, value_enum, value_name = "BY", default_value = "issued")]
    pub sort: SortBy,
    /// Only this many [default: all if sorted by issued, else 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub top: Option<u32>,
    /// As CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `profile`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PROFILE)]
pub struct ProfileArgs {
    /// A run's or trace's directory, or a name that 'reelgauge traces' lists [default: the latest run in
    /// reelgauge-runs]
    pub trace: Option<PathBuf>,
    /// Of a run with several load points, this one, from 0
    #[arg(long, value_name = "N")]
    pub point: Option<u16>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_PROFILE: &str = "\
Examples:
  reelgauge profile reelgauge-traces/premiere      which mix is nearest to what was recorded
  reelgauge profile photo-browsing --json          of a trace that ships with Reelgauge

Exit status 1: no mix does anything like it, or too little was seen to say.";

/// Flags of `extents`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_EXTENTS)]
pub struct ExtentsArgs {
    /// Files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the file's content anew below this directory (in the area, on the same file system), and read
    /// both in turns: are its pieces what makes it slow? The file itself is only read
    #[arg(long, value_name = "DIR")]
    pub copy_to: Option<PathBuf>,
    /// With --copy-to: how often both are read
    #[arg(long, value_name = "N", default_value = "5", requires = "copy_to")]
    pub passes: u32,
    /// With --copy-to: copy and read no more than this, from the beginning of the file
    #[arg(long, value_name = "SIZE", default_value = "4GiB", requires = "copy_to")]
    pub first: Size,
    /// Give up on storage that does nothing for this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = patience)]
    pub hang_after: Span,
    /// With --copy-to, as root: work on a target that others own or may write in, with its owner's rights
    #[arg(long, requires = "copy_to")]
    pub shared_target: bool,
    /// With --copy-to: room on the target that is never taken [default: 5% of the volume, at most 10 GB]
    #[arg(long, value_name = "SIZE", requires = "copy_to")]
    pub keep_free: Option<Size>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

fn kind(name: &str) -> Result<OpKind, String> {
    OpKind::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = OpKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("write one of {}", names.join(", "))
    })
}

const AFTER_EXTENTS: &str = "\
Examples:
  reelgauge extents /srv/media/*.mov                              in how many pieces files lie
  reelgauge extents /mnt/nas/slow.mov --copy-to /mnt/nas          is that why this one is slow?

The second reads the file and a copy of it five times each, in turns, past this machine's cache. It works \
where pieces can't be counted, too. What a server holds in its memory it reads from there: take a file \
that is larger, or one that nobody has read for a while. On SSDs expect little difference.";

const AFTER_OPS: &str = "\
Examples:
  reelgauge ops RUN --kind write --file '*.mov' --sort service --top 20    the slowest writes
  reelgauge ops TRACE --errors                                            what failed, and how
  reelgauge ops RUN --from 10s --to 12s --csv                             two seconds, for a spreadsheet";
