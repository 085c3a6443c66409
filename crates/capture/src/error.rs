//! The reasons why a recording fails.

use std::io;
use std::path::PathBuf;

use reelgauge_trace::TraceError;

/// The reason why a recording failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// Recording is not supported on this system.
    #[error(
        "recording needs FUSE on Linux. Here, record with a tool of the system (Windows: Process Monitor, \
         save all events as CSV; macOS: 'fs_usage -w -f filesys'), then run 'reelgauge import FILE'"
    )]
    NotHere,
    /// The directory does not exist or can't be used.
    #[error("cannot record {}: {source}", path.display())]
    Dir {
        /// The path of the directory, as given by the user.
        path: PathBuf,
        /// The system's error when opening it.
        source: io::Error,
    },
    /// A killed recorder has left its mount behind.
    #[error(
        "{} is a stale mount, probably of a recorder that was killed. Remove it with 'fusermount3 -u {}' (as \
         root: 'umount -l')",
        path.display(),
        path.display()
    )]
    Dead { path: PathBuf },
    /// The directory is the root of the file system, which everything depends on.
    #[error("cannot record all of /. Name the directory with the media")]
    Root,
    /// The trace would be written into the recorded directory.
    #[error("the trace would be in {}, which is recorded. Choose another place with --out", dir.display())]
    OutInside { dir: PathBuf },
    /// The mount point is inside the recorded directory.
    #[error("the mount point {} is in the recorded directory. Choose another --mount", point.display())]
    MountInside {
        /// The mount point, as given by the user.
        point: PathBuf,
    },
    /// The system does not support FUSE.
    #[error("there is no /dev/fuse. Load the module with 'modprobe fuse', or give the container the device")]
    NoDevice,
    /// The user has no access to `/dev/fuse`.
    #[error(
        "this user has no access to /dev/fuse. Record as root, or run 'chmod 666 /dev/fuse' as root (until \
         the next boot; a udev rule makes it permanent)"
    )]
    NoRights,
    /// Neither the system call nor the helper could mount.
    #[error(
        "cannot mount at {}: {why}. Without root you need fusermount3 (package fuse3) and a directory that \
         you own. To mount elsewhere, use --mount DIR",
        point.display()
    )]
    Mount {
        point: PathBuf,
        /// The error of the system or of `fusermount3`.
        why: String,
    },
    /// The command can't be started.
    #[error("cannot start '{program}': {source}")]
    Start {
        program: String,
        /// The system's error when starting it.
        source: io::Error,
    },
    /// A system call of the recorder failed.
    #[error("cannot {action}: {source}")]
    Io {
        action: &'static str,
        /// The system's error of that call.
        source: io::Error,
    },
    /// The trace can't be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}
