//! Flags of `watch` and `mark`: what happens during a run, counted and entered.

use std::path::PathBuf;

use clap::Args;
use reelgauge_workload::units::Span;

use super::OutputArgs;

/// Flags of `watch`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_WATCH)]
pub struct WatchArgs {
    /// Watch the mount and the disks of this directory alone [default: every disk of the machine]
    pub path: Option<PathBuf>,
    /// For how long [default: until Ctrl-C]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Span>,
    /// What to call this machine [default: its host name]
    #[arg(long, value_name = "NAME", value_parser = super::directory_name)]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `mark`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MARK)]
pub struct MarkArgs {
    /// The directory of a run that goes on or is over
    pub run: PathBuf,
    /// What happened, in at most 200 characters
    pub text: String,
    /// When it began, since the run's start [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Span>,
    /// How long it lasted
    #[arg(long, value_name = "TIME")]
    pub lasted: Option<Span>,
}

const AFTER_MARK: &str = "\
A mark is shown with the run, and next to the incidents that it overlaps. It is evidence and no cause. The marks of a \
run are in its marks.json; report.html of a run that is over is made again with them.

Examples:
  reelgauge mark reelgauge-runs/RUN 'node 2 switched off'                  while the run goes on
  reelgauge mark reelgauge-runs/RUN 'rebuild of md0' --at 90s --lasted 5m  afterwards

Exit codes: 0 entered, 2 wrong usage, or no directory of a run, 3 entered, but report.html does not show it.";

const AFTER_WATCH: &str = "\
It makes no load and opens nothing on PATH: the system's own counters are read once a second, and after an hour \
every ten. They lie in a directory of their own, as those beside a run do. Linux only.

Examples:
  reelgauge watch                            on the server, while a client measures; Ctrl-C ends it
  reelgauge watch --duration 1h              what a usual hour looks like
  reelgauge watch /mnt/nas --duration 10m    the way from here to that storage

Exit codes: 0 watched, 2 wrong usage, 3 nothing could be sampled, 130 ended before its --duration was over.";
