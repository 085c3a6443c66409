//! The flags of `procedure`.

use std::path::PathBuf;

use clap::Args;
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_workload::event::Event;
use reelgauge_workload::units::Span;

use super::{OutputArgs, TargetArgs};

/// Flags of `procedure`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PROCEDURE)]
pub struct ProcedureArgs {
    /// Name or file of a procedure; without it, all procedures are listed
    pub name: Option<PathBuf>,
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: Option<PathBuf>,
    /// Print the procedure's file, so that you can change it and run it by its path
    #[arg(long, requires = "name", conflicts_with_all = ["path", "short", "set", "dry_run", "resume"])]
    pub show: bool,
    /// Only print the steps, their time and the data they write
    #[arg(long, requires = "path")]
    pub dry_run: bool,
    /// Run the short variant, for a first result; the report lists the differences from the paper that the
    /// procedure follows
    #[arg(long)]
    pub short: bool,
    /// Change a setting: --set duration=10s; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Command for a step that needs an event, such as 'rebuild: mdadm ...' or 'failover: ...'; may be
    /// repeated. It runs with your rights. The run keeps a record of it, but a resumed procedure does not
    /// take it from there: give it again with --resume
    #[arg(long, hide_short_help = true, value_name = "NAME: COMMAND", conflicts_with = "show")]
    pub event: Vec<Event>,
    /// Start of an event, counted from the end of the warm-up [default: a third of the measured time]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "event")]
    pub event_at: Option<Span>,
    /// Kill an event and its processes after this time [default: 10m]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "event")]
    pub event_limit: Option<Span>,
    /// Run it on the agents of the fleet in this directory; on each of them, PATH must be the same directory
    /// of the same storage
    #[arg(long, value_name = "DIR", requires = "path")]
    #[arg(conflicts_with_all = ["shared_target", "keep_free", "max_rate", "event"])]
    pub fleet: Option<PathBuf>,
    /// Agents that make the load; the procedure's clients are assigned to them in turn, in this order
    /// [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "fleet")]
    pub agents: Vec<AgentName>,
    /// Continue the stopped procedure in this directory
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["name", "dry_run", "short", "set", "seed", "shared_target", "keep_free", "max_rate"]
    )]
    #[arg(conflicts_with_all = ["fleet", "agents"])]
    pub resume: Option<PathBuf>,
    /// Random seed; the same seed gives the same operations [default: random]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub terms: TargetArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

const AFTER_PROCEDURE: &str = "\
Each step is a run or an action: filling the volume, ageing it, clearing the server's cache. Ballast files \
are in the area. Reelgauge removes them at the end, after Ctrl-C and after an error. If the process is \
killed, the next run on the target or 'reelgauge clean' removes them.

Examples:
  # List all procedures
  reelgauge procedure
  # Show the time and the data volume
  reelgauge procedure ebu-study /mnt/nas --dry-run
  # The short variant, about half an hour
  reelgauge procedure ebu-study /mnt/nas --short
  # With a different setting
  reelgauge procedure fill /mnt/nas --set duration=10s
  # With your command for an event
  reelgauge procedure worst-night /mnt/nas \\
          --event 'rebuild: mdadm /dev/md0 --re-add /dev/sdd'
  # On all agents of a fleet
  reelgauge procedure ebu-study /mnt/nas --fleet reelgauge-fleet
  # After Ctrl-C or a power cut
  reelgauge procedure --resume reelgauge-runs/DIR
  # Change a procedure, then run it
  reelgauge procedure steady --show > mine.toml
  reelgauge procedure mine.toml /mnt/nas

Exit codes: 0 all steps done, 2 wrong usage or input, 3 a step failed (results kept), 130 interrupted \
(results kept).";
