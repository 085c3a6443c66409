//! Flags of `doctor`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reelgauge_workload::units::Span;

use super::patience;

/// In the folder of runs, where these find it.
const DEFAULT_SITE: &str = "reelgauge-runs/site.toml";

/// Flags of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_DOCTOR)]
pub struct DoctorArgs {
    /// Judge only the way from this machine to this directory [default: the whole machine]
    pub path: Option<PathBuf>,
    /// Try what media programs ask of the file system: clock, locks, saving, names, extended attributes,
    /// listing. Writes in PATH/reelgauge-area alone, and removes all of it again
    #[arg(long)]
    pub probe: bool,
    /// With --probe: give up on storage that does nothing for this long
    #[arg(long, value_name = "TIME", default_value = "30s", requires = "probe", value_parser = patience)]
    pub hang_after: Span,
    /// With --probe, as root: probe a directory that others own or may write in, with its owner's rights
    #[arg(long, requires = "probe")]
    pub shared_target: bool,
    /// Judge this machine as the server of the storage, too
    #[arg(long)]
    pub server: bool,
    /// Judge the machine whose texts a script collected into this folder
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Use the rate and round trip of this run where no card tells its speed [default: the newest run of
    /// PATH]
    #[arg(long, value_name = "RUN")]
    pub run: Option<PathBuf>,
    /// Ask for what no counter tells of the server, the switch and the disks, and write it to the --site file
    #[arg(
        long,
        conflicts_with_all = ["path", "probe", "server", "from", "run", "all", "json", "collect_script"]
    )]
    pub ask: bool,
    /// What no counter tells of the site, as --ask writes it
    #[arg(long, value_name = "FILE", default_value = DEFAULT_SITE)]
    pub site: PathBuf,
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
        conflicts_with_all = ["path", "probe", "server", "from", "run", "all", "json"]
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
It only looks: nothing is written but what --ask was told, no setting changed, no path on a network mount touched; \
--probe alone writes, in the area below PATH.

Exit codes: 0 if nothing that costs much was found, 1 if something of severity critical or high was, 2 for wrong usage or \
nothing to judge, 3 if the storage stopped answering a probe.

Examples:
  reelgauge doctor --ask                      what no counter tells of the site
  reelgauge doctor /mnt/nas                   the way from here to that storage
  reelgauge doctor /mnt/nas --probe           and what its file system does
  reelgauge doctor --server                   this machine as the server of it
  reelgauge doctor --collect-script sh > c.sh for a NAS; there: sh c.sh nas1
  reelgauge doctor --server --from nas1       what the NAS said";
