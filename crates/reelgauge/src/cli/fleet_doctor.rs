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
    /// Agents to ask [default: all of the fleet]
    #[arg(value_name = "AGENT")]
    pub agents: Vec<AgentName>,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// How long an agent may take to look at its machine
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub wait: Span,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_FLEET_DOCTOR: &str = "\
Examples:
  reelgauge fleet doctor                      every machine of the fleet
  reelgauge fleet doctor edit-01 edit-02      these

Each agent looks at its machine and at the way to each of its roots, as 'reelgauge doctor ROOT' does there: it only \
looks; nothing is written, probed or changed. What several machines have is told once, with their names. An agent on \
which a run goes on does not look.

Exit codes: 0 nothing that costs much was found on any of them, 1 something was, or somebody did not answer, 2 wrong \
usage, 130 stopped.";
