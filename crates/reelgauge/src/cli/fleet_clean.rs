//! Flags of `fleet clean`.

use std::path::PathBuf;

use clap::Args;
use reelgauge_workload::units::Span;

use super::fleet_site::DEFAULT_SITE;

/// Flags of `fleet clean`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_FLEET_CLEAN)]
pub struct FleetCleanArgs {
    /// Runs to remove even though they were not fetched
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Remove the files instead of only listing them
    #[arg(long)]
    pub yes: bool,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Time limit for each agent
    #[arg(long, value_name = "TIME", default_value = "2m")]
    pub wait: Span,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_FLEET_CLEAN: &str = "\
Examples:
  # List the files left on all agents and on this host
  reelgauge fleet clean
  # Remove the test files on the targets
  reelgauge fleet clean --yes
  # Also remove this run, which was not fetched
  reelgauge fleet clean 20261125T201500Z-3fa2c1 --yes

A fetched run leaves only test files, which the next run uses again. Agents remove them below their roots, \
as 'reelgauge clean' does. They remove nothing during a run, or if their owner set --read-only. Runs that \
were not fetched are kept until you fetch them ('reelgauge fleet logs') or name them here.

Exit codes: 0 done, 1 an agent did not answer or something could not be removed, 2 wrong usage, 130 \
interrupted.";
