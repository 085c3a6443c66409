//! Flags of `doctor`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reelgauge_workload::units::Span;

use super::patience;

/// The default site file. It is in the folder of runs, where other verbs find it.
const DEFAULT_SITE: &str = "reelgauge-runs/site.toml";

/// Flags of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_DOCTOR)]
pub struct DoctorArgs {
    /// Directory whose path from this client is checked [default: check the whole client]
    pub path: Option<PathBuf>,
    /// Also test what media programs need of the file system: clock, locks, saving, names, extended
    /// attributes, listing. Writes only in PATH/reelgauge-area, and removes its own files
    /// afterwards
    #[arg(long)]
    pub probe: bool,
    /// With --probe: stop if the storage does not respond for this long
    #[arg(long, value_name = "TIME", default_value = "30s", requires = "probe", value_parser = patience)]
    pub hang_after: Span,
    /// With --probe, as root: allow a directory that other users own or can write to; it is tested with the
    /// owner's rights
    #[arg(long, requires = "probe")]
    pub shared_target: bool,
    /// Also check this host as a storage server
    #[arg(long)]
    pub server: bool,
    /// Check the host whose data a script collected into this folder
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// If no network card reports a speed, use the rate and round trip that this run measured [default: the
    /// newest run of PATH]
    #[arg(long, value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Ask about the server, the switch and the disks where no counter has the answer; write the answers to
    /// the --site file
    #[arg(
        long,
        conflicts_with_all = ["path", "probe", "server", "from", "run", "all", "json", "collect_script"]
    )]
    pub ask: bool,
    /// File with the site details, as --ask writes it
    #[arg(long, value_name = "FILE", default_value = DEFAULT_SITE)]
    pub site: PathBuf,
    /// List all rules, also those that found nothing
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print a script that collects data on a machine without Reelgauge
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        conflicts_with_all = ["path", "probe", "server", "from", "run", "all", "json"]
    )]
    pub collect_script: Option<ScriptKind>,
}

/// What runs a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScriptKind {
    /// Any POSIX shell: Linux, TrueNAS, macOS
    Sh,
    /// PowerShell: Windows
    Powershell,
}

const AFTER_DOCTOR: &str = "\
The doctor changes no setting. It writes only the answers to --ask and, with --probe, test files in the \
area below PATH. Only --probe accesses a network mount.

Exit codes: 0 no critical or high finding, 1 at least one, 2 wrong usage or nothing to check, 3 the storage \
stopped responding to --probe.

Examples:
  reelgauge doctor --ask                      ask for the site's details
  reelgauge doctor /mnt/nas                   the path from here to that storage
  reelgauge doctor /mnt/nas --probe           and its file system
  reelgauge doctor --server                   this host as a storage server
  reelgauge doctor --collect-script sh > c.sh for a NAS; there: sh c.sh nas1
  reelgauge doctor --server --from nas1       the data of the NAS";
