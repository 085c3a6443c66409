//! The flags of `compare`.

use std::path::PathBuf;

use clap::Args;

/// Flags of `compare`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_COMPARE)]
pub struct CompareArgs {
    /// Run directories: the baseline, then one to seven others [default: the two latest runs of the same verb
    /// and target in reelgauge-runs]
    #[arg(num_args = 0..=8, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Number of consecutive runs that are repeats: 3 compares the first three with the next three
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub repeats: Option<u8>,
    /// Show only figures whose name matches, such as 'total.read*' or 'streams.*'; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub figure: Vec<String>,
    /// Exit with status 1 if a figure is worse by more than this percentage and by more than the noise
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub threshold: Option<f64>,
    /// Show unchanged figures, too
    #[arg(long, conflicts_with_all = ["json", "junit"])]
    pub all: bool,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["markdown", "junit"])]
    pub json: bool,
    /// Print a Markdown table, for a ticket or a merge request
    #[arg(long, conflicts_with = "junit")]
    pub markdown: bool,
    /// Print JUnit XML: one test case per figure
    #[arg(long)]
    pub junit: bool,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write an HTML page with the charts of all runs to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write all workloads and means as a CSV file (suites only)
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| "use a percentage of 0 or more, such as 5".to_owned())
}

const AFTER_COMPARE: &str = "\
Each difference is shown with its noise: how much the figure varies without any change. The noise is \
estimated by splitting each run into periods or, better, from repeated runs. If the noise of a figure is \
unknown, it counts as neither better nor worse. Use load points of 30 s or more, so that the noise can be \
estimated.

Streams are compared first: criteria, capacity, late frames, margins. Late frames are compared by the number \
of incidents that caused them. A first incident (from none to one) counts as a change and fails any \
--threshold. The length of an incident is not judged. Paced streams run at a fixed rate, so their rate is \
never judged better or worse. Runs with different numbers of streams are compared by criteria, late frames \
and margins only. Different kinds of work are not compared.

Examples:
  # Effect of a change
  reelgauge compare RUN-BEFORE RUN-AFTER
  # Three runs before the change, three after it
  reelgauge compare B1 B2 B3 A1 A2 A3 --repeats 3
  # A gate for automation
  reelgauge compare LAST-WEEK TODAY --threshold 5 --junit --out compare.xml

The limit of --threshold applies to all figures of the storage, or to those of --figure. Reelgauge's own \
cost (self_cost.*) counts only if --figure names it.

Exit codes: 0 compared, 1 a figure is worse by more than --threshold and the noise, 2 wrong usage or input, \
or no figure could be judged against --threshold.";
