//! Mounts on Linux: `/proc/self/mountinfo` and statx.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags};
use rustix::io::Errno;
use rustix::path::Arg;

use super::{Mount, MountId};
use crate::mountinfo;

/// `STATX_MNT_ID_UNIQUE` (Linux 6.8): the mount's number in a sequence that is never reused, unlike the
/// one in mountinfo, which the next mount may get.
const MNT_ID_UNIQUE: StatxFlags = StatxFlags::from_bits_retain(0x4000);

pub(super) fn mount_at(path: &Path) -> io::Result<Mount> {
    // Device and mount number refer to what is currently visible at the path. So the path is accessed
    // before the table is read, which then includes an automount that this triggers.
    let (mount_id, device) = numbers(path)?;
    let entries = mountinfo::here()?;
    let entry =
        mountinfo::find(&entries, path.as_os_str().as_bytes(), mount_id, Some(device)).ok_or_else(|| {
            io::Error::other(format!("no line of /proc/self/mountinfo matches {}", path.display()))
        })?;
    Ok(Mount::new(
        entry.fs_type.clone(),
        entry.source.clone(),
        PathBuf::from(OsString::from_vec(entry.mount_point.clone())),
        entry.options.clone(),
    ))
}

/// Whether the table still contains this mount. Only asks the kernel, so it never waits for storage.
pub(super) fn is_mounted(mount: &Mount) -> Option<bool> {
    let point = mount.mount_point.as_os_str().as_bytes();
    let is_it = |entry: &mountinfo::Entry| {
        let has_its_source = entry.source == mount.source || may_change_source(&mount.fs_type);
        entry.mount_point == point && entry.fs_type == mount.fs_type && has_its_source
    };
    Some(mountinfo::here().ok()?.iter().any(is_it))
}

/// Whether a file system of this kind is named after one of its disks, which may be replaced while it is
/// mounted.
fn may_change_source(fs_type: &str) -> bool {
    ["btrfs", "bcachefs"].contains(&fs_type)
}

/// The number of the mount (Linux 5.8 and later) and of the device at a path.
fn numbers(path: &Path) -> io::Result<(Option<u64>, (u32, u32))> {
    match rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID) {
        Ok(stat) => {
            let told = stat.stx_mask & StatxFlags::MNT_ID.bits() != 0;
            let device = (stat.stx_dev_major, stat.stx_dev_minor);
            Ok((told.then_some(stat.stx_mnt_id), device))
        }
        // Linux before 4.11, or a sandbox that forbids the call.
        Err(Errno::NOSYS) => {
            let device = rustix::fs::stat(path)?.st_dev;
            let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
            Ok((None, (major, minor)))
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn mount_id(dir: &Path) -> io::Result<MountId> {
    mount_id_at(CWD, dir, AtFlags::empty())
}

pub(super) fn mount_id_of(dir: &impl AsFd) -> io::Result<MountId> {
    mount_id_at(dir.as_fd(), c"", AtFlags::EMPTY_PATH)
}

fn mount_id_at<P: Arg + Copy>(at: BorrowedFd<'_>, name: P, flags: AtFlags) -> io::Result<MountId> {
    let wanted = StatxFlags::INO | MNT_ID_UNIQUE | StatxFlags::MNT_ID;
    match rustix::fs::statx(at, name, flags, wanted) {
        Ok(stat) => {
            let told = stat.stx_mask & (StatxFlags::MNT_ID | MNT_ID_UNIQUE).bits() != 0;
            Ok(MountId {
                device: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
                mount: told.then_some(stat.stx_mnt_id),
                inode: stat.stx_ino,
            })
        }
        Err(Errno::NOSYS) => {
            let stat = rustix::fs::statat(at, name, flags)?;
            Ok(MountId { device: stat.st_dev, mount: None, inode: stat.st_ino })
        }
        Err(error) => Err(error.into()),
    }
}

/// Mount points at `dir` (absolute, without symbolic links) or below it, in this process's view.
///
/// # Errors
/// The table of mounts can't be read.
pub fn mount_points_within(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = mountinfo::here()?;
    Ok(mountinfo::within(&entries, dir.as_os_str().as_bytes())
        .map(|entry| PathBuf::from(OsString::from_vec(entry.mount_point.clone())))
        .collect())
}
