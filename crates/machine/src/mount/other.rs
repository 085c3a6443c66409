//! Mounts on systems where Reelgauge cannot look them up: the mount is "unknown", and a change is
//! detected by the device number.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use super::{Mount, MountId};

pub(super) fn mount_at(path: &Path) -> io::Result<Mount> {
    Ok(Mount::new("unknown".to_owned(), String::new(), path.to_owned(), Vec::new()))
}

pub(super) fn mount_id(dir: &Path) -> io::Result<MountId> {
    Ok(of_stat(&rustix::fs::stat(dir)?))
}

pub(super) fn mount_id_of(dir: &impl AsFd) -> io::Result<MountId> {
    Ok(of_stat(&rustix::fs::fstat(dir)?))
}

fn of_stat(stat: &rustix::fs::Stat) -> MountId {
    MountId { device: stat.st_dev as u64, mount: None, inode: stat.st_ino as u64 }
}
