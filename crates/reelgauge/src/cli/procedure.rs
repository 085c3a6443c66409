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
    /// A procedure by its name, or the file of one; without it, all of them are listed
    pub name: Option<PathBuf>,
    /// The directory to measure. Test files go into its subdirectory reelgauge-area/
    pub path: Option<PathBuf>,
    /// Print the procedure's file, to be changed and run by its path
    #[arg(long, requires = "name", conflicts_with_all = ["path", "short", "set", "dry_run", "resume"])]
    pub show: bool,
    /// Print the steps, what they take and what they write, and do nothing
    #[arg(long, requires = "path")]
    pub dry_run: bool,
    /// The short variant, for a first result; the report lists how it differs from the paper
    #[arg(long)]
    pub short: bool,
    /// Change a setting: --set duration=10s; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// A command of yours during the step that waits for it, such as 'rebuild: mdadm ...' or 'failover: ...';
    /// may be repeated. It runs with your rights and is part of the run's record; --resume needs it again
    #[arg(long, hide_short_help = true, value_name = "NAME: COMMAND", conflicts_with = "show")]
    pub event: Vec<Event>,
    /// When an event begins, after the warm-up [default: a third of the measured time]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "event")]
    pub event_at: Option<Span>,
    /// End an event, with all that it started, after this time [default: 10m]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "event")]
    pub event_limit: Option<Span>,
    /// Run it on the agents of the fleet in this directory; PATH is the same directory of the same storage on
    /// each of them
    #[arg(long, value_name = "DIR", requires = "path")]
    #[arg(conflicts_with_all = ["shared_target", "keep_free", "max_rate", "event"])]
    pub fleet: Option<PathBuf>,
    /// The fleet's agents that make the load, in the order in which they get clients [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "fleet")]
    pub agents: Vec<AgentName>,
    /// Go on with the procedure in this directory where it stopped
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
Each step is a run of its own, or an action: filling the volume, ageing it, making the server cold. Ballast lies in \
the area and is removed at the end, after Ctrl-C and after an error; if the process is killed, the next run on the \
target or 'reelgauge clean' removes it.

Examples:
  reelgauge procedure                                      what there is
  reelgauge procedure ebu-study /mnt/nas --dry-run         how long the EBU study takes, and what it writes
  reelgauge procedure ebu-study /mnt/nas --short           the same in about half an hour
  reelgauge procedure fill /mnt/nas --set duration=10s
  reelgauge procedure worst-night /mnt/nas --event 'rebuild: mdadm /dev/md0 --re-add /dev/sdd'
  reelgauge procedure ebu-study /mnt/nas --fleet reelgauge-fleet
                                                           on all agents of a fleet
  reelgauge procedure --resume reelgauge-runs/DIR          after Ctrl-C, or a power cut
  reelgauge procedure steady --show > mine.toml            change it, then: reelgauge procedure mine.toml PATH

Exit codes: 0 all steps done, 2 wrong usage or input, 3 a step broke off (results kept), 130 interrupted (results \
kept).";
