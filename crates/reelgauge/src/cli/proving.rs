//! The flags of `prove`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use reelgauge_record::run_dir::DEFAULT_PARENT;

/// Flags of `prove`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PROVE)]
pub struct ProveArgs {
    /// The command that makes the change; a shell runs it
    #[arg(long, value_name = "COMMAND", requires = "undo", conflicts_with_all = ["sweep", "targets"])]
    pub change: Option<String>,
    /// The command that undoes it
    #[arg(long, value_name = "COMMAND")]
    pub undo: Option<String>,
    /// Values of a setting, each tried; the first is what the others are held to, and what is set at the end
    #[arg(long, value_name = "NAME=VALUE,...", requires = "set", conflicts_with = "targets")]
    pub sweep: Option<String>,
    /// The command that sets a value, with {} in its place
    #[arg(long, value_name = "COMMAND", requires = "sweep")]
    pub set: Option<String>,
    /// Directories that stand side by side, instead of a change; {} in the verb's flags is each of them
    #[arg(long, value_name = "PATH,PATH", value_delimiter = ',', conflicts_with = "undo")]
    pub targets: Vec<PathBuf>,
    /// Passes of each that count, 5 to 20
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(5..=20))]
    pub rounds: u32,
    /// Undo what an earlier 'prove' left changed because it was killed, and nothing else
    #[arg(long, conflicts_with_all = ["change", "undo", "sweep", "set", "targets", "workload"])]
    pub undo_left: bool,
    /// Folder for the results; best not on the target
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print JSON, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
    /// Don't tell of each pass
    #[arg(long)]
    pub quiet: bool,
    /// What is measured: a verb that measures, and its flags
    #[arg(last = true, value_name = "VERB ARGS", required_unless_present = "undo_left")]
    pub workload: Vec<OsString>,
}

const AFTER_PROVE: &str = "\
The same work is measured with and without the change, in turns (A B, B A, A B, ...), on the same test files. \
It counts as a gain only if a figure that storage is judged by became better by more than it varies from run \
to run, and none became worse. Passes during which something else happened are measured again.

Nothing is run but Reelgauge and the commands that you give. The change is undone at the end, on Ctrl-C and \
after an error. What undoes it is on disk before the change is made: should this process be killed, the next \
start of Reelgauge says so, and 'reelgauge prove --undo-left' undoes it.

Examples:
  reelgauge prove --change ./faster.sh --undo ./as-before.sh -- mix /mnt/nas --profile seq-read
                                             does the change help?
  reelgauge prove --sweep ra=128,1024,4096 --set './read-ahead.sh {}' -- mix /mnt/nas --buffered
                                             which value is best?
  reelgauge prove --targets /mnt/smb,/mnt/nfs -- streams {} --find-max --format prores-422-hq-uhd-25
                                             which way to the storage is better?

Exit codes: 0 something was better and nothing worse, 1 not, 2 wrong usage or input, 3 the proof broke off, \
130 interrupted.";
