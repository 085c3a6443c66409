//! Flags of `watch`.

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
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

const AFTER_WATCH: &str = "\
It makes no load and opens nothing on PATH: the system's own counters are read once a second, and after an hour \
every ten. They lie in a directory of their own, as those beside a run do. Linux only.

Examples:
  reelgauge watch                            on the server, while a client measures; Ctrl-C ends it
  reelgauge watch --duration 1h              what a usual hour looks like
  reelgauge watch /mnt/nas --duration 10m    the way from here to that storage

Exit codes: 0 watched, 2 wrong usage, 3 nothing could be sampled, 130 ended before its --duration was over.";
