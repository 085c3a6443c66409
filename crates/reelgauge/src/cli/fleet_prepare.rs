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
    /// Print JSON: for each agent and step whether its files are ready, and if not, why
    #[arg(long)]
    pub json: bool,
}

const AFTER_PREPARE: &str = "\
Examples:
  # In the afternoon
  reelgauge fleet prepare night.toml
  # At night; begins at once with these files
  reelgauge fleet run night.toml

Each agent creates the files that 'fleet run' needs before its first load point, within its owner's limits. \
In a plan with steps, each step is prepared once, in order. For a search, only the files of the first trial \
are created. A trace needs new files for each pass, so nothing is prepared. Existing files are kept.

Exit codes: 0 all files are ready, 2 wrong usage, 3 files of an agent are missing, 130 interrupted.";
