//! The flags of `compare`.

use std::path::PathBuf;

use clap::Args;

/// Flags of `compare`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_COMPARE)]
pub struct CompareArgs {
    /// Run directories: the one to compare with, and one to seven others [default: the two latest runs of the
    /// same verb and target in reelgauge-runs]
    #[arg(num_args = 0..=8, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// So many runs one after another repeat one another: with 3, the first three against the next three
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub repeats: Option<u8>,
    /// Only figures whose name matches, such as 'total.read*' or 'streams.*'; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub figure: Vec<String>,
    /// End with exit code 1 if a figure is worse by more than so many percent, and by more than the noise
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub threshold: Option<f64>,
    /// Also the figures that did not change
    #[arg(long, conflicts_with_all = ["json", "junit"])]
    pub all: bool,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["markdown", "junit"])]
    pub json: bool,
    /// Print a Markdown table, for a ticket or a merge request
    #[arg(long, conflicts_with = "junit")]
    pub markdown: bool,
    /// Print JUnit XML: a test case for every figure
    #[arg(long)]
    pub junit: bool,
    /// Print into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also write a page with the charts of all runs into this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write every workload and mean as a CSV file (suites only)
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| "write a percentage as a plain number, 0 or more, such as 5".to_owned())
}

const AFTER_COMPARE: &str = "\
Every difference stands beside its noise: what the figure would have changed by anyway. The noise is \
estimated from the stretches of each run, or, better, from runs that repeat one another. A figure whose \
noise is not known is neither better nor worse; load points of 30 s or more tell it.

Streams come first: criteria, capacity, late frames, margins. Late frames are counted by the incidents \
that caused them: from none to one is a change and fails any --threshold; how long an incident lasted is \
no evidence. What paced streams move is what they ask for: neither better nor worse. Runs with different \
numbers of streams are compared by criteria, late frames and margins only; different kinds of work, not at \
all.

Examples:
  reelgauge compare RUN-BEFORE RUN-AFTER                       what did the change do?
  reelgauge compare B1 B2 B3 A1 A2 A3 --repeats 3              three runs before, three after
  reelgauge compare LAST-WEEK TODAY --threshold 5 --junit --out compare.xml
                                                               a gate for automation

What --threshold applies to: every figure of the storage, or those of --figure; the tool's own cost \
(self_cost.*) only where --figure names it.

Exit codes: 0 compared, 1 a figure is worse by more than --threshold and the noise, 2 wrong usage or input \
(also: there is a --threshold and no figure could be judged).";
