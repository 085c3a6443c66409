//! Flags of `selftest`.

use std::path::PathBuf;

use clap::Args;
use reelgauge_workload::units::Size;

/// Flags of `selftest`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_SELFTEST)]
pub struct SelfTestArgs {
    /// A directory on the storage: also try direct I/O and fsync there, in its subdirectory reelgauge-area/
    pub path: Option<PathBuf>,
    /// As root: use a target that other users own or can write to, with its owner's rights
    #[arg(long, requires = "path", hide_short_help = true)]
    pub shared_target: bool,
    /// Space to leave free on the target [default: 5% of the volume, at most 10 GB]
    #[arg(long, value_name = "SIZE", requires = "path", hide_short_help = true)]
    pub keep_free: Option<Size>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const AFTER_SELFTEST: &str = "\
Examples:
  # Can this client be trusted to measure? About ten seconds
  reelgauge selftest
  # Also: is direct I/O really direct there, and what does fsync cost?
  reelgauge selftest /mnt/nas

Exit codes: 0 fit to measure, 1 not fit, 2 wrong usage or input, 3 the storage did not respond, 130 interrupted.";
