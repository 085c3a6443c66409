//! Why nothing could be recorded.

use std::io;
use std::path::PathBuf;

use reelgauge_trace::TraceError;

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
        /// The system's error.
        source: io::Error,
    },
    /// A recorder that was killed has left its mount behind.
    #[error(
        "{} is a mount that nobody serves any more, probably of a recorder that was killed; remove it with \
         'fusermount3 -u {}' (as root: 'umount -l')",
        path.display(),
        path.display()
    )]
    Dead { path: PathBuf },
    /// The root of the file system, on which everything depends.
    #[error("cannot record all of /; name the directory that the media lie in")]
    Root,
    /// The recorder would record itself.
    #[error("the trace would lie in {}, which is recorded; choose another place with --out", dir.display())]
    OutInside { dir: PathBuf },
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
        point: PathBuf,
        /// The error of the system or its helper.
        why: String,
    },
    /// The command can't be started.
    #[error("cannot start '{program}': {source}")]
    Start {
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// Something that the recorder needs from the system.
    #[error("cannot {action}: {source}")]
    Io {
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The trace can't be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}
