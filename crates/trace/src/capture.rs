//! Recording what an application does to the files of a directory, by standing between the two.
//!
//! A file system in user space (FUSE) is mounted over the directory. It hands every request on to what
//! lies below, and notes it: who asked, for what, when it was handed to the storage and when the result was
//! there. The application uses its usual paths, and whatever it uses to read and write (calls, io_uring,
//! memory maps) comes through here. Linux only; elsewhere [`record`] says what to use instead.
//!
//! Not here: contents of files, which nobody keeps, and traces of other programs, which are imported.

#[cfg(all(feature = "fuse", target_os = "linux"))]
mod anonymise;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod attributes;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod command;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod crew;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod drain;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod handles;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod journal;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod mount;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod names;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod nodes;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod passthrough;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod recorder;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod requests;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod session;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod storage;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod tree;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::TraceError;
use crate::info::TraceInfo;

/// What to record and how.
#[derive(Clone, Debug, Default)]
pub struct CaptureOptions {
    /// The directory whose files are recorded.
    pub dir: PathBuf,
    /// The command that is recorded, with its arguments. Empty: whoever uses the directory, until Ctrl-C.
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

/// How the recorded command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl CommandEnd {
    /// Whether it succeeded.
    pub const fn is_success(self) -> bool {
        matches!(self, CommandEnd::Code(0))
    }
}

/// What the operations of a recording add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations.
    pub ops: u64,
    /// Reads, without those that a memory map caused.
    pub reads: u64,
    /// What they brought, in bytes.
    pub read_bytes: u64,
    /// Writes, without those that a memory map caused.
    pub writes: u64,
    /// What they wrote, in bytes.
    pub written_bytes: u64,
    /// Reads and writes that a memory map caused.
    pub mapped: u64,
    /// Reads and writes as long as a request can be; those may be parts of longer ones.
    pub longest: u64,
    /// Operations that failed.
    pub failed: u64,
}

/// What was recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The trace's directory.
    pub trace: PathBuf,
    /// What the trace says about itself.
    pub info: TraceInfo,
    /// What its operations add up to.
    pub tally: Tally,
    /// How the command ended; `None` if there was none.
    pub command: Option<CommandEnd>,
    /// Somebody asked for an end before the command had come to its own.
    pub was_interrupted: bool,
}

/// Why nothing could be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// Not on this system.
    #[error(
        "recording needs FUSE and works on Linux; here, record with what the system has, and import it: \
         on Windows Process Monitor (save all events as CSV), on macOS 'fs_usage -w -f filesys', then \
         'reelgauge import FILE'"
    )]
    NotHere,
    /// There is no such directory, or it can't be used.
    #[error("cannot record {}: {source}", path.display())]
    Dir {
        /// What was asked for.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A recorder that was killed has left its mount behind.
    #[error(
        "{} is a mount that nobody serves any more, probably of a recorder that was killed; remove it with \
         'fusermount3 -u {}' (as root: 'umount -l')",
        path.display(),
        path.display()
    )]
    Dead {
        /// Where.
        path: PathBuf,
    },
    /// The root of the file system, on which everything depends.
    #[error("cannot record all of /; name the directory that the media lie in")]
    Root,
    /// The recorder would record itself.
    #[error("the trace would lie in {}, which is recorded; choose another place with --out", dir.display())]
    OutInside {
        /// The recorded directory.
        dir: PathBuf,
    },
    /// The mount would show itself.
    #[error("{} lies in the recorded directory and would show itself; choose another --mount", point.display())]
    MountInside {
        /// What was asked for.
        point: PathBuf,
    },
    /// The system has no FUSE.
    #[error("there is no /dev/fuse; load the module with 'modprobe fuse', or give the container the device")]
    NoDevice,
    /// Only root may use FUSE here.
    #[error(
        "/dev/fuse may not be used by this user; record as root, or let root allow it: 'chmod 666 /dev/fuse' \
         (until the next start; a udev rule keeps it)"
    )]
    NoRights,
    /// It can't be mounted.
    #[error(
        "cannot mount at {}: {why}; whoever is not root needs the program fusermount3 (package fuse3) and a \
         directory of his own; --mount DIR mounts elsewhere",
        point.display()
    )]
    Mount {
        /// Where.
        point: PathBuf,
        /// What the system or its helper says.
        why: String,
    },
    /// The command can't be started.
    #[error("cannot start '{program}': {source}")]
    Start {
        /// Its first word.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// Something that the recorder needs from the system.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The trace can't be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Records a command, or whoever uses the directory. `ready` is called with the mount point as soon as it
/// can be used.
///
/// # Errors
/// See [`CaptureError`]; nothing stays mounted.
pub fn record(options: &CaptureOptions, ready: impl FnOnce(&Path)) -> Result<Recorded, CaptureError> {
    #[cfg(all(feature = "fuse", target_os = "linux"))]
    return session::record(options, ready);
    #[cfg(not(all(feature = "fuse", target_os = "linux")))]
    {
        let _ = (options, ready);
        Err(CaptureError::NotHere)
    }
}
