//! The options of a recording.

use std::ffi::OsString;
use std::path::PathBuf;

/// What to record and how.
#[derive(Clone, Debug, Default)]
pub struct CaptureOptions {
    /// The directory whose files are recorded.
    pub dir: PathBuf,
    /// The command that is recorded, with its arguments. Empty: records all users of the directory,
    /// until Ctrl-C.
    pub command: Vec<OsString>,
    /// Mount here, and leave the directory itself as it is. Default: over the directory.
    pub mount: Option<PathBuf>,
    /// Other users' processes may use the mount, too.
    pub allow_other: bool,
    /// Names in the trace become hashes.
    pub anonymise: bool,
    /// The directory that the trace is made in.
    pub out: PathBuf,
    /// The trace's name; default: the command's.
    pub name: Option<String>,
    /// What the command prints on standard output goes to standard error.
    pub stdout_to_stderr: bool,
}
