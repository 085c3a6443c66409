//! The options of a recording.

use std::ffi::OsString;
use std::path::PathBuf;

/// The settings of a recording.
#[derive(Clone, Debug, Default)]
pub struct CaptureOptions {
    /// The directory whose files are recorded.
    pub dir: PathBuf,
    /// The command that is recorded, with its arguments. Empty: records all users of the directory,
    /// until Ctrl-C.
    pub command: Vec<OsString>,
    /// Mount here, and keep the directory itself visible. Default: over the directory.
    pub mount: Option<PathBuf>,
    /// Other users' processes may use the mount, too.
    pub allow_other: bool,
    /// Replace names in the trace by hashes.
    pub anonymise: bool,
    /// The directory in which the trace is created.
    pub out: PathBuf,
    /// The trace's name; default: the command's.
    pub name: Option<String>,
    /// Redirect the command's standard output to standard error.
    pub stdout_to_stderr: bool,
}
