//! Flags of `fleet clean`.

use std::path::PathBuf;

use clap::Args;
use reelgauge_workload::units::Span;

use super::fleet_site::DEFAULT_SITE;

/// Flags of `fleet clean`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_FLEET_CLEAN)]
pub struct FleetCleanArgs {
    /// Runs to remove although they were not fetched
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Remove; without it everything is only listed
    #[arg(long)]
    pub yes: bool,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// How long an agent may take
    #[arg(long, value_name = "TIME", default_value = "2m")]
    pub wait: Span,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_FLEET_CLEAN: &str = "\
Examples:
  reelgauge fleet clean                       what earlier runs left, on all agents and here
  reelgauge fleet clean --yes                 removes the test files on the targets
  reelgauge fleet clean 20261125T201500Z-3fa2c1 --yes
                                              removes this run, too, which was not fetched

A run that was fetched leaves nothing but test files, which the next run uses again. An agent removes them below its \
roots, as 'reelgauge clean' does, and not where its owner lets it write nothing (--read-only) or while a run goes on. \
Runs that were not fetched are kept until they are fetched ('reelgauge fleet logs') or named here.

Exit codes: 0 done, 1 an agent did not answer or something could not be removed, 2 wrong usage, 130 stopped.";
