//! The mount at a path, and whether it still exists.
//!
//! A figure is worthless without the mount on which it was measured, so every run records it: the type
//! of the file system, its options, and the server behind it. [`MountId`] detects that a mount
//! disappeared while a run was writing to it, so that the path now shows the empty directory below.
//!
//! Not here: the effect of mount options on speed, which rules judge.

use std::io;
use std::path::{Path, PathBuf};

use crate::file_system::{self, Protocol};
use crate::mountinfo;

mod description;

#[cfg(target_os = "linux")]
#[path = "mount/linux.rs"]
mod system;
#[cfg(target_vendor = "apple")]
#[path = "mount/apple.rs"]
mod system;
#[cfg(windows)]
#[path = "mount/windows.rs"]
mod system;
#[cfg(not(any(target_os = "linux", target_vendor = "apple", windows)))]
#[path = "mount/other.rs"]
mod system;

#[cfg(target_os = "linux")]
pub use system::mount_points_within;
#[cfg(windows)]
pub use system::wide;

pub use crate::file_system::MountKind;
pub use description::unc_parts;

impl MountKind {
    /// Where to look if operations no longer complete, for the end of a sentence.
    pub fn where_to_look(self) -> &'static str {
        match self {
            MountKind::LocalDisk => "the disk and the system's log (on Linux: dmesg)",
            MountKind::Memory => "this client and its log (on Linux: dmesg)",
            MountKind::Network => "the server and the network",
            MountKind::Fuse => "the program that mounts it, and its server and network",
            MountKind::Overlay | MountKind::Unknown => "the storage and the network path",
        }
    }
}

/// The mount at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Type of the file system, as the operating system names it: `ext4`, `nfs4`, `cifs`, `fuse.sshfs`,
    /// `NTFS`.
    pub fs_type: String,
    /// The source of the mount: a device, `server:/export`, `//server/share`. Empty if the system does
    /// not show it.
    pub source: String,
    /// The directory where it is mounted.
    pub mount_point: PathBuf,
    /// Mount options, those of the mount first, then those of the file system.
    pub options: Vec<String>,
    /// The place of its data.
    pub kind: MountKind,
    /// The server's name or address, if there is one.
    pub server: Option<String>,
    /// Version of the file protocol (`4.2` for NFS, `3.1.1` for SMB), if the options show it.
    pub protocol_version: Option<String>,
}

impl Mount {
    /// The mount that is visible at `path`. An automount is triggered first.
    ///
    /// If the server of the mount does not respond, this may block for as long as the kernel waits for
    /// it.
    ///
    /// # Errors
    /// The error of the operating system if the path, or the table of mounts, cannot be read.
    pub fn at(path: &Path) -> io::Result<Mount> {
        let path = crate::full_path(path)?;
        system::mount_at(&path)
    }

    /// A mount from a row of the table of mounts, with everything that follows from type, source and
    /// options. The mount is not accessed.
    pub fn new(fs_type: String, source: String, mount_point: PathBuf, options: Vec<String>) -> Mount {
        Mount {
            kind: file_system::kind_of(&fs_type, &source),
            server: description::server_of(&fs_type, &source, &options),
            protocol_version: description::version_of(&fs_type, &options),
            fs_type,
            source,
            mount_point,
            options,
        }
    }

    /// Whether it is still mounted at the same place; `None` if that is unknown. Never waits for the
    /// storage.
    pub fn is_still_there(&self) -> Option<bool> {
        #[cfg(target_os = "linux")]
        return system::is_mounted(self);
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// The value of an option: `None` if it is not set, empty if it has none.
    pub fn option(&self, name: &str) -> Option<&str> {
        mountinfo::option(&self.options, name)
    }

    /// The protocol of the mount, if it is a supported one.
    pub fn protocol(&self) -> Option<Protocol> {
        file_system::protocol_of(&self.fs_type)
    }

    /// Whether it is mounted read-only.
    pub fn is_read_only(&self) -> bool {
        self.options.iter().any(|option| option == "ro")
    }

    /// One line for screens: `ext4 on /dev/vda`, `SMB 3.1.1 from nas1, share media`.
    pub fn description(&self) -> String {
        description::describe(self)
    }
}

/// Identifies the mount that is visible at a path, to detect a change later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MountId {
    /// The device number (on Windows, the volume's serial number).
    device: u64,
    /// The kernel's number for the mount; never used twice on Linux 6.8 and later.
    mount: Option<u64>,
    inode: u64,
}

/// The change of a mount.
#[derive(Debug)]
pub enum MountChange {
    /// The path now shows another mount: it was unmounted, or something was mounted over it.
    Replaced,
    /// The path is no longer accessible.
    Gone(io::Error),
}

impl MountId {
    /// The mount that is currently visible at `dir`.
    ///
    /// # Errors
    /// The error of the operating system if `dir` is not accessible.
    pub fn capture(dir: &Path) -> io::Result<MountId> {
        system::mount_id(dir)
    }

    /// Whether `dir` shows another mount than when this was captured; `None` if nothing changed.
    ///
    /// Blocks if the server of the mount does not respond, so call it on a thread that may be abandoned.
    pub fn changed(&self, dir: &Path) -> Option<MountChange> {
        match MountId::capture(dir) {
            Ok(now) if now == *self => None,
            Ok(_) => Some(MountChange::Replaced),
            Err(error) => Some(MountChange::Gone(error)),
        }
    }

    /// The mount of an open directory.
    #[cfg(unix)]
    /// # Errors
    /// The error of the operating system.
    pub fn of_dir(dir: &impl std::os::fd::AsFd) -> io::Result<MountId> {
        system::mount_id_of(dir)
    }

    /// Whether both are on the same mount, in whichever directory.
    pub fn same_mount(&self, other: &MountId) -> bool {
        self.device == other.device && self.mount == other.mount
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn temporary_directory_has_a_mount() {
        let dir = tempfile::tempdir().unwrap();
        let mount = Mount::at(dir.path()).unwrap();
        assert!(!mount.fs_type.is_empty());
        let path = crate::full_path(dir.path()).unwrap();
        assert!(path.starts_with(&mount.mount_point), "{mount:?}");
        assert!(!mount.description().is_empty());
    }

    #[test]
    fn a_missing_path_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let error = Mount::at(&dir.path().join("missing")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_directory_that_is_replaced_or_removed_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (here, aside) = (dir.path().join("here"), dir.path().join("aside"));
        std::fs::create_dir(&here).unwrap();
        let id = MountId::capture(&here).unwrap();
        assert!(id.changed(&here).is_none());

        std::fs::rename(&here, &aside).unwrap();
        assert!(matches!(id.changed(&here), Some(MountChange::Gone(_))));
        #[cfg(unix)]
        {
            std::fs::create_dir(&here).unwrap();
            assert!(matches!(id.changed(&here), Some(MountChange::Replaced)));
        }
    }
}
