//! Flags of `fleet doctor`.

use std::path::PathBuf;

use clap::Args;
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_workload::units::Span;

use super::fleet_site::DEFAULT_SITE;

/// Flags of `fleet doctor`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_FLEET_DOCTOR)]
pub struct FleetDoctorArgs {
    /// Agents to check [default: all agents of the fleet]
    #[arg(value_name = "AGENT")]
    pub agents: Vec<AgentName>,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Time limit for each agent to check its host
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub wait: Span,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_FLEET_DOCTOR: &str = "\
Examples:
  reelgauge fleet doctor                      all hosts of the fleet
  reelgauge fleet doctor edit-01 edit-02      these two

Each agent checks its host and the path to each of its roots, as 'reelgauge doctor ROOT' does there. \
Nothing is written, probed or changed. A finding on several hosts is shown once, with their names. An agent \
with an active run skips the check.

Exit codes: 0 no critical or high finding, 1 at least one, or an agent did not answer, 2 wrong usage, 130 \
interrupted.";
