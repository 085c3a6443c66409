//! The flags of `record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Flags of `record`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_RECORD)]
pub struct RecordArgs {
    /// The directory whose files are recorded
    pub dir: PathBuf,
    /// The command to record, behind '--'; without one, whoever uses the directory until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,

    /// Show the files at this empty directory, and leave DIR as it is; {} in CMD stands for it
    #[arg(long, value_name = "POINT")]
    pub mount: Option<PathBuf>,
    /// As root: let other users' programs use the files meanwhile, too
    #[arg(long)]
    pub allow_other: bool,
    /// Replace names by numbers that tell nothing; extensions of up to four characters stay
    #[arg(long)]
    pub anonymise: bool,
    /// The trace's name [default: the command's]
    #[arg(long, value_name = "NAME", value_parser = super::directory_name)]
    pub name: Option<String>,
    /// Folder for traces; not below DIR [default: reelgauge-traces, or from below DIR one's own library]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print what was recorded as JSON, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
    /// Say nothing at the beginning
    #[arg(long)]
    pub quiet: bool,
}

const AFTER_RECORD: &str = "\
Everything that CMD does to files below DIR goes through the recorder, which is mounted over DIR (by FUSE; \
Linux only) and unmounted at the end, whatever happens. Contents are not kept. Other programs that use DIR \
meanwhile are recorded, too. CMD finds the place in the environment variable REELGAUGE_DIR.

Examples:
  reelgauge record /media/project -- ffmpeg -i /media/project/a.mov -c copy /media/project/b.mov
  reelgauge record /media/project                    start the application by hand; Ctrl-C ends it
  reelgauge record /media/project --mount /mnt/rec -- cp {}/a.mov {}/b.mov

A recorder that is killed (kill -9) loses its last second: the next one with the same folder for traces \
makes a trace of what it left, and until then _NAME-PID.tmp there can be looked at and replayed.

What the mount refuses and the storage might not: files without a name (O_TMPFILE), and taking pieces out \
of files or putting them in (collapse and insert range). What CMD leaves running in the background is not \
waited for; it is named. Reads and writes beyond 1 MiB come in parts, or beyond what Linux 6.12 and later \
allow (sysctl fs.fuse.max_pages_limit).

Recording makes each operation slower, depending on its size: by about 11 µs at 4 KiB, 20 µs at 64 \
KiB, 40 µs at 256 KiB and 110 to 150 µs at 1 MiB. If another mount namespace still holds a copy of \
the mount at the end, its processes are named and its copy is disconnected.

Exit codes: that of CMD, or 128 and the number of the signal that ended it; without CMD 0; 2 wrong usage \
or input, 3 the recording broke off, 130 interrupted.";
