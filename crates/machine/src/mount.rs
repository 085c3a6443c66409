//! What is mounted at a path, and whether it still is.
//!
//! A figure without the mount that it was measured on is worth nothing, so every run records it: the type
//! of the file system, its options, and the server behind it. [`MountId`] notices that a mount went away
//! while a run was writing to it and that the path now shows the empty directory below.
//!
//! Not here: what the mount options mean for speed; that is judged by rules.

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

impl MountKind {
    /// Where to look when nothing comes back from it any more, for the end of a sentence.
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

/// What is mounted at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Type of the file system, as the operating system calls it: `ext4`, `nfs4`, `cifs`,
    /// `fuse.sshfs`, `NTFS`.
    pub fs_type: String,
    /// What is mounted: a device, `server:/export`, `//server/share`. Empty where the system doesn't tell.
    pub source: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// Mount options, those of the mount first, then those of the file system.
    pub options: Vec<String>,
    /// Where its data lies.
    pub kind: MountKind,
    /// The server's name or address, where there is one.
    pub server: Option<String>,
    /// Version of the file protocol (`4.2` for NFS, `3.1.1` for SMB), where the options tell it.
    pub protocol_version: Option<String>,
}

impl Mount {
    /// The mount that shows at `path`. An automount is triggered first.
    ///
    /// On a mount whose server is gone this may block for as long as the kernel waits for it.
    ///
    /// # Errors
    /// What the operating system says when the path, or the table of mounts, can't be looked at.
    pub fn at(path: &Path) -> io::Result<Mount> {
        let path = path.canonicalize()?;
        system::mount_at(&path)
    }

    /// A mount as a table of mounts tells of it: what follows from type, source and options. Nothing is
    /// looked at.
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

    /// Whether it is still mounted where it was; `None` where that is not known. Never waits for the storage.
    pub fn is_still_there(&self) -> Option<bool> {
        #[cfg(target_os = "linux")]
        return system::is_mounted(self);
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// The value of an option: `None` where it is not set, empty where it has none.
    pub fn option(&self, name: &str) -> Option<&str> {
        mountinfo::option(&self.options, name)
    }

    /// The protocol by which it is reached, where that is one whose options are understood.
    pub fn protocol(&self) -> Option<Protocol> {
        file_system::protocol_of(&self.fs_type)
    }

    /// Whether it is mounted read-only.
    pub fn is_read_only(&self) -> bool {
        self.options.iter().any(|option| option == "ro")
    }

    /// One line for people: `ext4 on /dev/vda`, `SMB 3.1.1 from nas1, share media`.
    pub fn description(&self) -> String {
        description::describe(self)
    }
}

/// Which mount shows at a path, to notice later that it is no longer the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MountId {
    /// The device number (on Windows, the volume's serial number).
    device: u64,
    /// The kernel's number for the mount; never used twice on Linux 6.8 and later.
    mount: Option<u64>,
    inode: u64,
}

/// What has become of a mount.
#[derive(Debug)]
pub enum MountChange {
    /// The path now shows something else: it was unmounted, or something was mounted over it.
    Replaced,
    /// The path can't be looked at any more.
    Gone(io::Error),
}

impl MountId {
    /// What shows at `dir` now.
    ///
    /// # Errors
    /// What the operating system says when `dir` can't be looked at.
    pub fn capture(dir: &Path) -> io::Result<MountId> {
        system::mount_id(dir)
    }

    /// Whether `dir` shows something else than when this was captured; `None` while all is as it was.
    ///
    /// Blocks on a mount whose server is gone, so ask from a thread that may be left behind.
    pub fn changed(&self, dir: &Path) -> Option<MountChange> {
        match MountId::capture(dir) {
            Ok(now) if now == *self => None,
            Ok(_) => Some(MountChange::Replaced),
            Err(error) => Some(MountChange::Gone(error)),
        }
    }

    /// What an open directory belongs to.
    #[cfg(unix)]
    /// # Errors
    /// What the operating system says.
    pub fn of_dir(dir: &impl std::os::fd::AsFd) -> io::Result<MountId> {
        system::mount_id_of(dir)
    }

    /// Whether both lie on the same mount, whatever directory of it they are.
    pub fn same_mount(&self, other: &MountId) -> bool {
        self.device == other.device && self.mount == other.mount
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_temporary_directory_lies_on_some_mount() {
        let dir = tempfile::tempdir().unwrap();
        let mount = Mount::at(dir.path()).unwrap();
        assert!(!mount.fs_type.is_empty());
        let path = dir.path().canonicalize().unwrap();
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
