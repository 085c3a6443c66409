//! Flags of `fleet merge`.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use reelgauge_workload::units::Span;

/// Flags of `fleet merge`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MERGE)]
pub struct FleetMergeArgs {
    /// The run of each host, as DIR or NAME=DIR [default name: its host name]
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<NamedRun>,
    /// The run directory to create
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Maximum difference of the hosts' clocks, as NTP or PTP keeps them; without it, simultaneous events
    /// cannot be identified
    #[arg(long, value_name = "TIME")]
    pub clocks_within: Option<Span>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// A run with the name of its host, if one was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRun {
    /// The host's name; `None` to use the one in the run.
    pub name: Option<String>,
    /// The directory of its run.
    pub dir: PathBuf,
}

impl FromStr for NamedRun {
    type Err = Infallible;

    /// The text before the first `=`, if there is one, is a name. A path that contains `=` therefore
    /// needs a name.
    fn from_str(text: &str) -> Result<NamedRun, Infallible> {
        Ok(match text.split_once('=') {
            Some((name, dir)) if !name.is_empty() && !name.contains('/') => {
                NamedRun { name: Some(name.to_owned()), dir: dir.into() }
            }
            _ => NamedRun { name: None, dir: text.into() },
        })
    }
}

const AFTER_MERGE: &str = "\
Merges runs that started at the same time on several hosts into one, for report, ops and compare. The
result has figures over all operations and a row for each host, and names the host that differs most. Only
mixes, replays, and streams with load points can be merged.

Examples:
  reelgauge fleet merge run-1/ run-2/ --out all
  reelgauge fleet merge edit=run-1/ grade=run-2/ --out all --clocks-within 2ms";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_name_precedes_the_equals_sign() {
        let run = |text: &str| text.parse::<NamedRun>().unwrap();
        let named = |name: &str, dir: &str| NamedRun { name: Some(name.to_owned()), dir: dir.into() };
        assert_eq!(run("edit=runs/a"), named("edit", "runs/a"));
        assert_eq!(run("a=b=c"), named("a", "b=c"));
        for path in ["runs/a", "./x=y", "/mnt/agent=a1", "=x"] {
            assert_eq!(run(path), NamedRun { name: None, dir: path.into() });
        }
    }
}
