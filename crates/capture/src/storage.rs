//! The storage below the recording: system calls relative to a directory that was opened before anything
//! was mounted over it.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use fuser::TimeOrNow;
use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;
use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, StatVfs, Uid, XattrFlags, accessat, chmodat,
    chownat, fchmod, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat, fstatvfs, ftruncate,
    futimens, lgetxattr, linkat, llistxattr, lremovexattr, lsetxattr, mkdirat, mknodat, openat, readlinkat,
    renameat_with, statat, symlinkat, unlinkat, utimensat,
};
use rustix::io::{Errno, Result};

use crate::attributes::{passed_on, timestamps};

/// The longest extended attribute, and the longest list of names, on Linux.
pub(crate) const MAX_XATTR_BYTES: usize = 1 << 16;

const SETUID: u32 = 0o4000;
const SETGID: u32 = 0o2000;
const GROUP_RUNS: u32 = 0o010;

/// A directory and everything below it.
#[derive(Debug)]
pub(crate) struct Storage {
    root: OwnedFd,
    /// The same directory as a path, for calls that take no descriptor.
    root_path: PathBuf,
    /// Permission bits that this process removes from new files.
    umask: u32,
}

/// Identifies a file: by its path below the root, or by an open file if it has no path any more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Locator<'a> {
    Path(&'a Path),
    Open(&'a File),
}

/// The changes of `chmod`, `chown`, `truncate` and `utimens`, as one request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) mode: Option<u32>,
    pub(crate) uid: Option<u32>,
    pub(crate) gid: Option<u32>,
    pub(crate) size: Option<u64>,
    pub(crate) accessed: Option<TimeOrNow>,
    pub(crate) modified: Option<TimeOrNow>,
}

/// A path as system calls expect it.
fn at(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

impl Storage {
    /// Opens a directory, and keeps it open.
    pub(crate) fn open(dir: &Path) -> Result<Storage> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(dir, flags, Mode::empty())?;
        let root_path = PathBuf::from(format!("/proc/self/fd/{}", root.as_raw_fd()));
        Ok(Storage { root, root_path, umask: own_umask() })
    }

    pub(crate) fn stat(&self, place: Locator) -> Result<Stat> {
        match place {
            Locator::Path(path) => statat(&self.root, at(path), AtFlags::SYMLINK_NOFOLLOW),
            Locator::Open(file) => fstat(file),
        }
    }

    pub(crate) fn statvfs(&self) -> Result<StatVfs> {
        fstatvfs(&self.root)
    }

    pub(crate) fn open_file(&self, path: &Path, flags: OFlags) -> Result<File> {
        openat(&self.root, at(path), passed_on(flags), Mode::empty()).map(File::from)
    }

    pub(crate) fn open_dir(&self, path: &Path) -> Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&self.root, at(path), flags, Mode::empty())
    }

    /// Creates a file, or opens an existing one. Returns whether it was created.
    pub(crate) fn create(&self, path: &Path, flags: OFlags, mode: u32) -> Result<(File, bool)> {
        let flags_new = passed_on(flags) | OFlags::CREATE | OFlags::EXCL;
        match openat(&self.root, path, flags_new, Mode::from_raw_mode(mode & 0o7777)) {
            Ok(file) => Ok((File::from(file), true)),
            Err(Errno::EXIST) if !flags.contains(OFlags::EXCL) => {
                self.open_file(path, flags).map(|file| (file, false))
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn make_dir(&self, path: &Path, mode: u32) -> Result<()> {
        mkdirat(&self.root, path, Mode::from_raw_mode(mode & 0o7777))
    }

    pub(crate) fn make_node(&self, path: &Path, mode: u32, device: u32) -> Result<()> {
        let kind = rustix::fs::FileType::from_raw_mode(mode);
        mknodat(&self.root, path, kind, Mode::from_raw_mode(mode & 0o7777), u64::from(device))
    }

    pub(crate) fn make_symlink(&self, path: &Path, target: &Path) -> Result<()> {
        symlinkat(target, &self.root, path)
    }

    pub(crate) fn link(&self, path: &Path, new: &Path) -> Result<()> {
        linkat(&self.root, path, &self.root, new, AtFlags::empty())
    }

    /// Restores bits that the caller's umask allows and ours removed, and sets the caller as the owner.
    pub(crate) fn settle(&self, path: &Path, asked_mode: u32, owner: (u32, u32)) -> Result<Stat> {
        let stat = self.stat(Locator::Path(path))?;
        let taken = asked_mode & 0o7777 & !stat.st_mode & self.umask;
        if taken != 0 {
            let mode = Mode::from_raw_mode((stat.st_mode & 0o7777) | taken);
            chmodat(&self.root, path, mode, AtFlags::empty())?;
        }
        if stat.st_uid != owner.0 && rustix::process::geteuid().is_root() {
            let uid = Uid::from_raw(owner.0);
            // In a directory with the setgid bit, new entries get the directory's group.
            let keeps_group =
                self.stat(Locator::Path(path.parent().unwrap_or(Path::new(""))))?.st_mode & SETGID != 0;
            let gid = (!keeps_group).then(|| Gid::from_raw(owner.1));
            chownat(&self.root, path, Some(uid), gid, AtFlags::SYMLINK_NOFOLLOW)?;
        }
        self.stat(Locator::Path(path))
    }

    /// Removes the set-user-id and set-group-id bits, as a write does.
    pub(crate) fn end_rights(file: &File) -> Result<()> {
        let mode = fstat(file)?.st_mode & 0o7777;
        // Without group execute permission, the setgid bit means mandatory locking, and is kept.
        let ending = SETUID | if mode & GROUP_RUNS != 0 { SETGID } else { 0 };
        match mode & ending {
            0 => Ok(()),
            _ => fchmod(file, Mode::from_raw_mode(mode & !ending)),
        }
    }

    pub(crate) fn unlink(&self, path: &Path) -> Result<()> {
        unlinkat(&self.root, path, AtFlags::empty())
    }

    pub(crate) fn remove_dir(&self, path: &Path) -> Result<()> {
        unlinkat(&self.root, path, AtFlags::REMOVEDIR)
    }

    pub(crate) fn rename(&self, old: &Path, new: &Path, flags: u32) -> Result<()> {
        renameat_with(&self.root, old, &self.root, new, RenameFlags::from_bits_retain(flags))
    }

    pub(crate) fn read_link(&self, path: &Path) -> Result<Vec<u8>> {
        readlinkat(&self.root, path, Vec::new()).map(std::ffi::CString::into_bytes)
    }

    pub(crate) fn access(&self, path: &Path, mask: i32) -> Result<()> {
        let mask = Access::from_bits_retain(mask.unsigned_abs() & 7);
        accessat(&self.root, at(path), mask, AtFlags::empty())
    }

    /// Applies a change and returns the new attributes.
    pub(crate) fn change(&self, place: Locator, change: &Change) -> Result<Stat> {
        if let Some(size) = change.size {
            match place {
                Locator::Path(path) => ftruncate(self.open_file(path, OFlags::WRONLY)?, size)?,
                Locator::Open(file) => ftruncate(file, size)?,
            }
        }
        if change.uid.is_some() || change.gid.is_some() {
            let (uid, gid) = (change.uid.map(Uid::from_raw), change.gid.map(Gid::from_raw));
            match place {
                Locator::Path(path) => chownat(&self.root, at(path), uid, gid, AtFlags::SYMLINK_NOFOLLOW)?,
                Locator::Open(file) => fchown(file, uid, gid)?,
            }
        }
        if let Some(mode) = change.mode.map(|mode| Mode::from_raw_mode(mode & 0o7777)) {
            match place {
                Locator::Path(path) => chmodat(&self.root, at(path), mode, AtFlags::empty())?,
                Locator::Open(file) => fchmod(file, mode)?,
            }
        }
        if change.accessed.is_some() || change.modified.is_some() {
            let times = timestamps(change.accessed, change.modified);
            match place {
                Locator::Path(path) => utimensat(&self.root, at(path), &times, AtFlags::SYMLINK_NOFOLLOW)?,
                Locator::Open(file) => futimens(file, &times)?,
            }
        }
        self.stat(place)
    }

    /// The value of an extended attribute.
    pub(crate) fn xattr(&self, place: Locator, name: &OsStr) -> Result<Vec<u8>> {
        let mut value = vec![0; MAX_XATTR_BYTES];
        let len = match place {
            Locator::Path(path) => lgetxattr(self.root_path.join(path), name, &mut value[..])?,
            Locator::Open(file) => fgetxattr(file, name, &mut value[..])?,
        };
        value.truncate(len);
        Ok(value)
    }

    /// The names of the extended attributes, each with a zero byte after it.
    pub(crate) fn xattrs(&self, place: Locator) -> Result<Vec<u8>> {
        let mut names = vec![0; MAX_XATTR_BYTES];
        let len = match place {
            Locator::Path(path) => llistxattr(self.root_path.join(path), &mut names[..])?,
            Locator::Open(file) => flistxattr(file, &mut names[..])?,
        };
        names.truncate(len);
        Ok(names)
    }

    pub(crate) fn set_xattr(&self, place: Locator, name: &OsStr, value: &[u8], flags: i32) -> Result<()> {
        let flags = XattrFlags::from_bits_retain(flags.unsigned_abs());
        match place {
            Locator::Path(path) => lsetxattr(self.root_path.join(path), name, value, flags),
            Locator::Open(file) => fsetxattr(file, name, value, flags),
        }
    }

    pub(crate) fn remove_xattr(&self, place: Locator, name: &OsStr) -> Result<()> {
        match place {
            Locator::Path(path) => lremovexattr(self.root_path.join(path), name),
            Locator::Open(file) => fremovexattr(file, name),
        }
    }
}

/// The mask of this process, read from /proc, because `umask(2)` would change it.
fn own_umask() -> u32 {
    let mask = Task::own().status(&Host::here(), "Umask");
    mask.and_then(|mask| u32::from_str_radix(&mask, 8).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn write_clears_setuid_and_setgid() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        for (before, after) in [(0o6755, 0o755), (0o2644, 0o2644), (0o4600, 0o600), (0o644, 0o644)] {
            let file = File::create(&path).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(before)).unwrap();
            Storage::end_rights(&file).unwrap();
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(mode, after, "{before:o}");
        }
    }

    #[test]
    fn files_in_a_setgid_directory_get_its_group() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let storage = Storage::open(dir.path()).unwrap();
        for (name, mode, group) in [("shared", 0o2777, 1234), ("plain", 0o777, 65_534)] {
            let folder = dir.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::os::unix::fs::chown(&folder, None, Some(1234)).unwrap();
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            let path = Path::new(name).join("clip.mov");
            storage.create(&path, OFlags::WRONLY, 0o644).unwrap();
            let stat = storage.settle(&path, 0o644, (65_534, 65_534)).unwrap();
            assert_eq!((stat.st_uid, stat.st_gid), (65_534, group), "{name}");
        }
    }
}
