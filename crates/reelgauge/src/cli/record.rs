//! The flags of `record`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Flags of `record`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_RECORD)]
pub struct RecordArgs {
    /// The directory to record
    pub dir: PathBuf,
    /// Command to record, after '--'; without one, all use of the directory is recorded until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,

    /// Show the files at this empty directory instead of DIR; {} in CMD is replaced by it
    #[arg(long, value_name = "POINT")]
    pub mount: Option<PathBuf>,
    /// As root: let other users' programs use the files during the recording
    #[arg(long)]
    pub allow_other: bool,
    /// Replace names by numbers; extensions of up to four characters are kept
    #[arg(long)]
    pub anonymise: bool,
    /// Name of the trace [default: the name of the command]
    #[arg(long, value_name = "NAME", value_parser = super::directory_name)]
    pub name: Option<String>,
    /// Folder for traces, outside DIR [default: reelgauge-traces, or your trace library
    /// (~/.local/share/reelgauge/traces) if the current directory is in DIR]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Print only the result, as JSON, on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing at the start
    #[arg(long)]
    pub quiet: bool,
}

const AFTER_RECORD: &str = "\
Reelgauge mounts a recorder over DIR (FUSE, Linux only) and unmounts it at the end, whatever happens. It \
records all file operations of CMD below DIR, and those of other programs that use DIR during the recording. \
File contents are not kept. CMD finds the directory in the environment variable REELGAUGE_DIR.

Examples:
  # Record one command
  reelgauge record /media/project \\
          -- ffmpeg -i /media/project/a.mov -c copy /media/project/b.mov
  # Start the application yourself; Ctrl-C ends the recording
  reelgauge record /media/project
  # Show the files in another directory
  reelgauge record /media/project --mount /mnt/rec -- cp {}/a.mov {}/b.mov

A killed recorder (kill -9) loses its last second. The next recorder with the same folder for traces makes a \
trace of the rest. Until then, 'reelgauge report' and 'reelgauge replay' accept _NAME-PID.tmp in that \
folder.

The mount does not support O_TMPFILE, or collapse range and insert range of fallocate, even if the storage \
does. Reelgauge lists background processes of CMD but does not wait for them. Reads and writes above 1 MiB \
are split. On Linux 6.12 and later, the limit is the sysctl fs.fuse.max_pages_limit (in pages).

Recording slows down each operation, depending on its size: by about 11 µs at 4 KiB, 20 µs at 64 KiB, 40 µs \
at 256 KiB and 110 to 150 µs at 1 MiB. If another mount namespace, such as a container, still has a copy of \
the mount at the end, Reelgauge lists the processes of that namespace and disconnects the copy.

Exit codes: that of CMD, or 128 plus the signal that ended it; without CMD 0; 2 wrong usage or input, 3 the \
recording failed, 130 interrupted.";
