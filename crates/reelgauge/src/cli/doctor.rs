//! Flags of `doctor`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Flags of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_DOCTOR)]
pub struct DoctorArgs {
    /// Judge only the way from this machine to this directory [default: the whole machine]
    pub path: Option<PathBuf>,
    /// Judge this machine as the server of the storage, too
    #[arg(long)]
    pub server: bool,
    /// Judge the machine whose texts a script collected into this folder
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Name every rule, also those that found nothing
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print the script that collects texts on a machine where Reelgauge does not run
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        conflicts_with_all = ["path", "server", "from", "all", "json"]
    )]
    pub collect_script: Option<ScriptKind>,
}

/// What runs a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScriptKind {
    /// Any POSIX shell: Linux, TrueNAS, macOS.
    Sh,
    /// PowerShell: Windows.
    Powershell,
}

const AFTER_DOCTOR: &str = "\
It only looks: nothing is written, no setting changed, no path on a network mount touched.

Exit codes: 0 if nothing that costs much was found, 1 if something of severity critical or high was, 2 for wrong usage or \
nothing to judge.

Examples:
  reelgauge doctor /mnt/nas                   the way from here to that storage
  reelgauge doctor --server                   this machine as the server of it
  reelgauge doctor --collect-script sh > c.sh for a NAS; there: sh c.sh nas1
  reelgauge doctor --server --from nas1       what the NAS said";
