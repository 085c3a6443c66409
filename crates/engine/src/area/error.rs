//! The problems of a target or its area.

use std::io;
use std::path::{Path, PathBuf};

use super::Shared;

/// Why a target cannot be used, or its area cannot be opened, locked or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AreaError {
    /// The target does not exist.
    #[error(
        "{target} does not exist{}. Check the spelling, and that the share is mounted",
        but_above(nearest.as_deref())
    )]
    Missing {
        /// The target as the user gave it.
        target: PathBuf,
        /// The deepest directory above it that exists.
        nearest: Option<PathBuf>,
    },
    /// The target is a file.
    #[error("{target} is not a directory. Name the directory to measure")]
    NotADirectory { target: PathBuf },
    /// The target is inside an area.
    #[error("{target} is inside the area {area}. Name the directory above the area")]
    InsideArea {
        /// The target as the user gave it.
        target: PathBuf,
        area: PathBuf,
    },
    /// The file system is mounted read-only.
    #[error("{path} is mounted read-only. Mount it read-write (rw), or choose another directory")]
    ReadOnly {
        /// The target, or the path that should have been written.
        path: PathBuf,
    },
    /// The user has no permission.
    #[error(
        "cannot {doing} {path}: {source}. Run as a user who can write there, or change the directory's \
         permissions (NFS servers usually map root to an unprivileged user: root_squash)"
    )]
    Denied {
        /// The attempted action.
        doing: &'static str,
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The mount exists, but its server does not respond.
    #[error("{path} does not respond ({source}). Check the server and the network, then mount it again")]
    Dead {
        /// The path of the failed access.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// There is no space left even for a marker.
    #[error(
        "cannot {doing} {path}: no space or quota left. Free some space, raise the quota, or choose another \
         directory"
    )]
    Full {
        /// The attempted action.
        doing: &'static str,
        path: PathBuf,
    },
    /// Another kind of entry has the area's name.
    #[error(
        "{path} is {what}, not an area of Reelgauge. It was not changed. Move it away, or choose another \
         directory"
    )]
    Foreign {
        /// The path with the area's name.
        path: PathBuf,
        /// A description of the entry.
        what: String,
    },
    /// A newer version created the area.
    #[error(
        "{path} was created by a newer version of Reelgauge ({tool_version}, format {format}; this one reads \
         formats up to {known}). Use that version"
    )]
    Newer {
        path: PathBuf,
        format: u32,
        /// The newest format that this version supports.
        known: u32,
        /// The version that created it, or "unknown".
        tool_version: String,
    },
    /// There is no area under the target.
    #[error("{target} has no area of Reelgauge. Nothing was removed")]
    NoArea { target: PathBuf },
    /// This is root, and other users can write to the target.
    #[error(
        "{path} {shared}, who could redirect what a run as root reads and writes. Nothing was done. {}",
        shared.instead()
    )]
    Shared {
        /// The target or its area.
        path: PathBuf,
        /// How other users can interfere with it.
        shared: Shared,
    },
    /// Another run holds the lock.
    #[error("{path} is in use by another run ({holder}). Wait until it ends, or choose another directory")]
    InUse {
        path: PathBuf,
        /// The holder's description of itself, if it wrote one.
        holder: String,
    },
    /// The lock file belongs to another user or is not a plain file.
    #[error(
        "the lock file {path} is {what} and would be overwritten. Nothing was done. If no run uses the area, \
         remove the lock file (Reelgauge creates a new one), or the whole area with 'reelgauge clean'"
    )]
    ForeignLock {
        /// The lock file.
        path: PathBuf,
        /// Why it is refused.
        what: &'static str,
    },
    /// The area is no longer the one that was opened.
    #[error("{path} was removed or replaced while Reelgauge used it. Run the command again")]
    Vanished { path: PathBuf },
    /// Another file system is mounted inside the area.
    #[error(
        "another file system is mounted at {path}, inside the area. Nothing was removed. Unmount it, then \
         run 'reelgauge clean' again"
    )]
    MountInside { path: PathBuf },
    /// The removal was interrupted by an error.
    #[error(
        "cannot remove {path}: {source}. Correct this, then run 'reelgauge clean' again: the area is still \
         marked as Reelgauge's"
    )]
    Removal {
        /// The path that could not be removed.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Any other I/O error.
    #[error(
        "cannot {doing} {path}: {source}. Check the directory, or choose another one on the storage to \
         measure"
    )]
    Io {
        /// The attempted action.
        doing: &'static str,
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

fn but_above(nearest: Option<&Path>) -> String {
    match nearest {
        Some(dir) => format!(" ({} does)", dir.display()),
        None => String::new(),
    }
}

impl AreaError {
    /// Converts an I/O error, see [`io_error`].
    pub(crate) fn of_io(doing: &'static str, path: &Path, source: io::Error) -> AreaError {
        io_error(doing, path, source)
    }
}

/// Converts an I/O error to the variant of its cause.
pub(super) fn io_error(doing: &'static str, path: &Path, source: io::Error) -> AreaError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::ReadOnlyFilesystem => AreaError::ReadOnly { path },
        io::ErrorKind::PermissionDenied => AreaError::Denied { doing, path, source },
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => AreaError::Full { doing, path },
        _ if is_dead_mount(&source) => AreaError::Dead { path, source },
        _ => AreaError::Io { doing, path, source },
    }
}

/// Whether this error means that the path to the file system is broken, rather than the file: a stale
/// NFS handle, an unreachable server, a FUSE program that ended.
pub(crate) fn is_dead_mount(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StaleNetworkFileHandle
            | io::ErrorKind::NotConnected
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::TimedOut
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    ) || is_host_down(error)
}

#[cfg(unix)]
fn is_host_down(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EHOSTDOWN)
}

#[cfg(not(unix))]
fn is_host_down(_error: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(kind: io::ErrorKind) -> AreaError {
        io_error("create the area", Path::new("/mnt/nas"), kind.into())
    }

    #[test]
    fn causes_have_names_and_remedies() {
        use io::ErrorKind as Kind;
        for (kind, words) in [
            (Kind::ReadOnlyFilesystem, "(rw)"),
            (Kind::PermissionDenied, "cannot create the area /mnt/nas: permission denied. "),
            (Kind::StorageFull, "no space or quota left"),
            (Kind::QuotaExceeded, "raise the quota"),
            (Kind::StaleNetworkFileHandle, "mount it again"),
            (Kind::NotConnected, "mount it again"),
            (Kind::Other, "cannot create the area /mnt/nas"),
        ] {
            let said = named(kind).to_string();
            assert!(said.contains(words), "{kind:?}: {said}");
        }
    }

    #[test]
    fn missing_target_error_names_the_existing_parent() {
        let missing = |nearest: Option<&str>| {
            let nearest = nearest.map(PathBuf::from);
            AreaError::Missing { target: "/mnt/nas/show".into(), nearest }.to_string()
        };
        assert_eq!(
            missing(Some("/mnt")),
            "/mnt/nas/show does not exist (/mnt does). Check the spelling, and that the share is mounted"
        );
        assert!(missing(None).starts_with("/mnt/nas/show does not exist. "));
    }
}
