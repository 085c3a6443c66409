//! Flags of `fleet prepare`.

use std::path::PathBuf;

use clap::Args;

use super::fleet_site::DEFAULT_SITE;

/// Flags of `fleet prepare`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PREPARE)]
pub struct FleetPrepareArgs {
    /// A plan for a fleet
    pub plan: PathBuf,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Print JSON: for each agent and step whether its files are made, and why not
    #[arg(long)]
    pub json: bool,
}

const AFTER_PREPARE: &str = "\
Examples:
  reelgauge fleet prepare night.toml     in the afternoon
  reelgauge fleet run night.toml         in the night: it finds the files, and begins at once

Every agent makes what 'fleet run' would have it make before its first load point, within its owner's limits, and \
stops there. Of a plan with steps each step is prepared once, in order. A search makes what its first trial reads; a \
trace makes its files anew for each pass, so there is nothing to prepare. Files that are there are kept.

Exit codes: 0 all files are made, 2 wrong usage, 3 somebody's are not, 130 stopped.";
