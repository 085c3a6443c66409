//! Mounts on macOS: statfs. It provides type, source and mount point, but options only as flag bits, of
//! which only read-only is used.

use std::ffi::{CStr, OsStr, c_char};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Mount, MountId};

pub(super) fn mount_at(path: &Path) -> io::Result<Mount> {
    let stat = rustix::fs::statfs(path)?;
    let read_only = stat.f_flags & libc::MNT_RDONLY as u32 != 0;
    Ok(Mount::new(
        String::from_utf8_lossy(name(&stat.f_fstypename)).into_owned(),
        String::from_utf8_lossy(name(&stat.f_mntfromname)).into_owned(),
        PathBuf::from(OsStr::from_bytes(name(&stat.f_mntonname))),
        vec![if read_only { "ro" } else { "rw" }.to_owned()],
    ))
}

/// The bytes of a C string in a fixed field, whether or not it is terminated.
fn name(field: &[c_char]) -> &[u8] {
    // SAFETY: `c_char` and `u8` have the same size and alignment and every bit pattern is valid; the
    // slice covers exactly the field.
    let bytes = unsafe { std::slice::from_raw_parts(field.as_ptr().cast::<u8>(), field.len()) };
    CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes)
}

pub(super) fn mount_id(dir: &Path) -> io::Result<MountId> {
    Ok(of_stat(&rustix::fs::stat(dir)?))
}

pub(super) fn mount_id_of(dir: &impl AsFd) -> io::Result<MountId> {
    Ok(of_stat(&rustix::fs::fstat(dir)?))
}

fn of_stat(stat: &rustix::fs::Stat) -> MountId {
    MountId { device: u64::from(stat.st_dev.cast_unsigned()), mount: None, inode: stat.st_ino }
}
