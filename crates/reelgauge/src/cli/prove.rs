//! The flags of `prove`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use reelgauge_record::run_dir::DEFAULT_PARENT;

/// Flags of `prove`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PROVE)]
pub struct ProveArgs {
    /// Shell command that makes the change
    #[arg(long, value_name = "COMMAND", requires = "undo", conflicts_with_all = ["sweep", "targets"])]
    pub change: Option<String>,
    /// Shell command that undoes it
    #[arg(long, value_name = "COMMAND")]
    pub undo: Option<String>,
    /// Values of a setting to measure; the first is the baseline and is set again at the end
    #[arg(long, value_name = "NAME=VALUE,...", requires = "set", conflicts_with = "targets")]
    pub sweep: Option<String>,
    /// Shell command that sets a value; {} stands for the value
    #[arg(long, value_name = "COMMAND", requires = "sweep")]
    pub set: Option<String>,
    /// Directories to compare, instead of a change; {} in the verb's arguments is replaced by each
    #[arg(long, value_name = "PATH,PATH", value_delimiter = ',', conflicts_with = "undo")]
    pub targets: Vec<PathBuf>,
    /// Number of valid passes of each variant, 5 to 20
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(5..=20))]
    pub rounds: u32,
    /// Only undo the change that an earlier, killed 'prove' left in place
    #[arg(long, conflicts_with_all = ["change", "undo", "sweep", "set", "targets", "workload"])]
    pub undo_left: bool,
    /// Folder for the results; not on the target if possible
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print only JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Do not report each pass
    #[arg(long)]
    pub quiet: bool,
    /// Verb that measures, with its arguments
    #[arg(last = true, value_name = "VERB ARGS", required_unless_present = "undo_left")]
    pub workload: Vec<OsString>,
}

const AFTER_PROVE: &str = "\
Reelgauge measures the same work with and without the change, alternately (A B, B A, A B, ...), on the same \
test files. The change counts as better only if a figure of the storage improves by more than its run-to-run \
variation and none gets worse. Disturbed passes are measured again.

Only Reelgauge and your commands are run. The change is undone at the end, on Ctrl-C and after an error. The \
undo command is stored on disk first. If this process is killed, the next start of Reelgauge reports the \
open change, and 'reelgauge prove --undo-left' undoes it.

Examples:
  # Does the change help?
  reelgauge prove --change ./faster.sh --undo ./as-before.sh \\
          -- mix /mnt/nas --profile seq-read
  # Which value is best?
  reelgauge prove --sweep ra=128,1024,4096 --set './read-ahead.sh {}' \\
          -- mix /mnt/nas --buffered
  # Which protocol is better?
  reelgauge prove --targets /mnt/smb,/mnt/nfs \\
          -- streams {} --find-max --format prores-422-hq-uhd-25

Exit codes: 0 a variant was better and no figure worse, 1 not better or unknown, 2 wrong usage or input, 3 \
the proof failed, 130 interrupted.";
