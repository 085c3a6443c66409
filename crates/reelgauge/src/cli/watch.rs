//! Flags of `watch` and `mark`: what happens during a run, counted and entered.

use std::path::PathBuf;

use clap::Args;
use reelgauge_workload::units::Span;

use super::OutputArgs;

/// Flags of `watch`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_WATCH)]
pub struct WatchArgs {
    /// Sample only the mount and disks of this directory [default: all disks of the host]
    pub path: Option<PathBuf>,
    /// Sampling time [default: until Ctrl-C]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Span>,
    /// Name of this host [default: its host name]
    #[arg(long, value_name = "NAME", value_parser = super::directory_name)]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `mark`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MARK)]
pub struct MarkArgs {
    /// Directory of a run, running or finished
    pub run: PathBuf,
    /// Description of the event, up to 200 characters
    pub text: String,
    /// Start of the event, as time since the run's start [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Span>,
    /// Duration of the event
    #[arg(long, value_name = "TIME")]
    pub lasted: Option<Span>,
}

const AFTER_MARK: &str = "\
A mark is shown with the run and with the incidents that it overlaps. It only records an event and does not \
prove the cause. Marks are kept in marks.json of the run. For a finished run, Reelgauge also writes \
report.html again.

Examples:
  # During the run
  reelgauge mark reelgauge-runs/RUN 'node 2 switched off'
  # Afterwards
  reelgauge mark reelgauge-runs/RUN 'rebuild of md0' --at 90s --lasted 5m

Exit codes: 0 added, 2 wrong usage or not a run directory, 3 added, but report.html does not show it.";

const AFTER_WATCH: &str = "\
Reelgauge makes no load and opens nothing on PATH. It reads the system's counters once a second during the \
first hour, then every ten seconds. They are kept in a separate directory, in the format of a run's \
counters. Linux only.

Examples:
  # On the server, during a run on a client; Ctrl-C ends it
  reelgauge watch
  # A typical hour
  reelgauge watch --duration 1h
  # The path from here to that storage
  reelgauge watch /mnt/nas --duration 10m

Exit codes: 0 done, 2 wrong usage, 3 nothing could be sampled, 130 interrupted before --duration was over.";
