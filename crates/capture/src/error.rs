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
        "recording needs FUSE on Linux. Here, record with a tool of the system (Windows: Process Monitor, \
         save all events as CSV; macOS: 'fs_usage -w -f filesys'), then run 'reelgauge import FILE'"
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
        "{} is a stale mount, probably of a recorder that was killed. Remove it with 'fusermount3 -u {}' (as \
         root: 'umount -l')",
        path.display(),
        path.display()
    )]
    Dead { path: PathBuf },
    /// The root of the file system, on which everything depends.
    #[error("cannot record all of /. Name the directory with the media")]
    Root,
    /// The recorder would record itself.
    #[error("the trace would be in {}, which is recorded. Choose another place with --out", dir.display())]
    OutInside { dir: PathBuf },
    /// The mount would show itself.
    #[error("the mount point {} is in the recorded directory. Choose another --mount", point.display())]
    MountInside {
        /// What was asked for.
        point: PathBuf,
    },
    /// The system has no FUSE.
    #[error("there is no /dev/fuse. Load the module with 'modprobe fuse', or give the container the device")]
    NoDevice,
    /// Only root may use FUSE here.
    #[error(
        "this user has no access to /dev/fuse. Record as root, or run 'chmod 666 /dev/fuse' as root (until \
         the next boot; a udev rule makes it permanent)"
    )]
    NoRights,
    /// It can't be mounted.
    #[error(
        "cannot mount at {}: {why}. Without root you need fusermount3 (package fuse3) and a directory that \
         you own. To mount elsewhere, use --mount DIR",
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
