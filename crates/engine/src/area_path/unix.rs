//! Linux and macOS: see the table in [`super`].

use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dev, Dir, FileType, Mode, OFlags, RenameFlags, Stat, renameat_with};
use rustix::io::{Errno, retry_on_intr};

use reelgauge_record::identity::Guise;

use super::links::{FileId, OwnLinks, relative_path};
use super::{EntryFacts, EntryKind, Purpose};
use crate::io::{Opening, stat_of_pinned};

/// Flags to open a directory only as a starting point. Where the system can, this needs no request to
/// the server.
#[cfg(target_os = "linux")]
const TO_PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const TO_PASS: OFlags = OFlags::RDONLY;

/// Flags to open a file only to identify it.
#[cfg(target_os = "linux")]
pub(crate) const TO_PIN: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(crate) const TO_PIN: OFlags = OFlags::RDONLY;

const NEW_FILE: Mode = Mode::from_raw_mode(0o666);
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o777);

/// An open directory, from which paths below are resolved.
#[derive(Debug)]
pub(crate) struct Root {
    dir: OwnedFd,
    way: Way,
}

/// The method of resolving a path of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The kernel itself keeps the path inside the directory.
    #[cfg(target_os = "linux")]
    OneCall,
    /// Reelgauge resolves it directory by directory, on this device.
    Steps { device: Dev },
}

/// The restrictions for `openat2`.
#[cfg(target_os = "linux")]
pub(crate) const KEPT_TO: rustix::fs::ResolveFlags = rustix::fs::ResolveFlags::BENEATH
    .union(rustix::fs::ResolveFlags::NO_SYMLINKS)
    .union(rustix::fs::ResolveFlags::NO_XDEV);

impl Root {
    pub fn open(path: &Path) -> io::Result<Root> {
        let flags = TO_PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = retry_on_intr(|| rustix::fs::openat(CWD, path, flags, Mode::empty()))?;
        let way = Way::of(dir.as_fd())?;
        Ok(Root { dir, way })
    }

    pub fn again(&self) -> io::Result<Root> {
        Ok(Root { dir: self.dir.try_clone()?, way: self.way })
    }

    #[cfg(test)]
    pub fn go_step_by_step(&mut self) {
        let device = rustix::fs::fstat(&self.dir).map_or(0, |stat| stat.st_dev);
        self.way = Way::Steps { device };
    }

    /// Whether the kernel itself keeps paths inside the directory, so that a path of several parts is
    /// one call.
    #[cfg(target_os = "linux")]
    pub fn is_one_call(&self) -> bool {
        self.way == Way::OneCall
    }

    #[cfg(target_os = "linux")]
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// Opens the entry with this relative path. The path must have neither empty parts nor `.` and `..`,
    /// unless it is `.` alone. `mode` is the mode of a file that `flags` create.
    #[inline]
    pub fn open_at(&self, path: &CStr, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match self.way {
            #[cfg(target_os = "linux")]
            Way::OneCall => {
                // `openat2` refuses a mode if no file is created.
                let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
                retry_on_intr(|| rustix::fs::openat2(&self.dir, path, flags, mode, KEPT_TO))
            }
            Way::Steps { device } => self.step_by_step(path, flags, mode, device),
        }
    }

    /// Opens a directory as a starting point for further paths.
    pub fn open_to_pass(&self, path: &CStr) -> rustix::io::Result<OwnedFd> {
        self.open_at(path, TO_PASS | OFlags::DIRECTORY, Mode::empty())
    }

    fn step_by_step(
        &self,
        path: &CStr,
        flags: OFlags,
        mode: Mode,
        device: Dev,
    ) -> rustix::io::Result<OwnedFd> {
        let passing = TO_PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut here: Option<OwnedFd> = None;
        let mut rest = path.to_bytes();
        while let Some(slash) = rest.iter().position(|&byte| byte == b'/') {
            let above = here.as_ref().map_or(self.dir.as_fd(), AsFd::as_fd);
            let part = OsStr::from_bytes(&rest[..slash]);
            let next = retry_on_intr(|| rustix::fs::openat(above, part, passing, Mode::empty()))?;
            same_device(&next, device)?;
            here = Some(next);
            rest = &rest[slash + 1..];
        }
        let above = here.as_ref().map_or(self.dir.as_fd(), AsFd::as_fd);
        let last = OsStr::from_bytes(rest);
        let opened = retry_on_intr(|| rustix::fs::openat(above, last, flags, mode))?;
        same_device(&opened, device)?;
        Ok(opened)
    }

    /// Opens the parent directory of a path. Returns it with the last part of the path.
    fn above(&self, inside: &Path) -> io::Result<(OwnedFd, CString)> {
        let name = inside.file_name().ok_or(Errno::INVAL)?;
        let above = c_path(inside.parent().unwrap_or(Path::new("")))?;
        Ok((self.open_to_pass(&above)?, CString::new(name.as_bytes())?))
    }

    pub fn open_dir_to_read(&self, inside: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Ok(self.open_at(&c_path(inside)?, flags, Mode::empty())?)
    }

    pub fn open_file(&self, _area: &Path, inside: &Path, purpose: Purpose) -> io::Result<File> {
        let flags = match purpose {
            Purpose::Reading => OFlags::RDONLY,
            Purpose::Existing => OFlags::WRONLY,
            Purpose::Both => OFlags::RDWR | OFlags::CREATE,
            Purpose::New => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
            #[cfg(target_os = "linux")]
            Purpose::Direct => OFlags::RDWR | OFlags::DIRECT,
        };
        let opened = self.open_at(&c_path(inside)?, flags, NEW_FILE)?;
        Opening::of(flags, true).inspect_file(&opened, None).map_err(io::Error::from_raw_os_error)?;
        Ok(File::from(opened))
    }

    pub fn facts(&self, _area: &Path, inside: &Path) -> io::Result<EntryFacts> {
        if inside.as_os_str().is_empty() {
            return Ok(facts_of(&rustix::fs::fstat(&self.dir)?));
        }
        let (above, name) = self.above(inside)?;
        let stat = retry_on_intr(|| rustix::fs::statat(&above, &*name, AtFlags::SYMLINK_NOFOLLOW))?;
        Ok(facts_of(&stat))
    }

    pub fn names_in(&self, _area: &Path, inside: &Path) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::new(self.open_dir_to_read(inside)?)? {
            let name = entry?.file_name().to_bytes().to_owned();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    pub fn create_dir(&self, _area: &Path, inside: &Path) -> io::Result<()> {
        let (above, name) = self.above(inside)?;
        Ok(retry_on_intr(|| rustix::fs::mkdirat(&above, &*name, NEW_DIRECTORY))?)
    }

    pub fn remove_file(&self, _area: &Path, inside: &Path) -> io::Result<()> {
        let (above, name) = self.above(inside)?;
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&above, &*name, AtFlags::empty()))?)
    }

    pub fn remove_dir(&self, _area: &Path, inside: &Path) -> io::Result<()> {
        let (above, name) = self.above(inside)?;
        Ok(retry_on_intr(|| rustix::fs::unlinkat(&above, &*name, AtFlags::REMOVEDIR))?)
    }

    pub fn link(&self, links: &OwnLinks, from: &Path, to: &Path) -> io::Result<()> {
        let pinned = self.open_at(&c_path(from)?, TO_PIN, Mode::empty())?;
        let before = stat_of_pinned(&pinned).map_err(io::Error::from_raw_os_error)?;
        let ((from_dir, from), (to_dir, to)) = (self.above(from)?, self.above(to)?);
        let make = || {
            let made = || rustix::fs::linkat(&from_dir, &*from, &to_dir, &*to, AtFlags::empty());
            retry_on_intr(made).map_err(Errno::raw_os_error)
        };
        let now = || {
            let stat = retry_on_intr(|| rustix::fs::statat(&to_dir, &*to, AtFlags::SYMLINK_NOFOLLOW));
            stat.map(|stat| FileId::of(&stat)).map_err(Errno::raw_os_error)
        };
        links.link(&before, make, now).map_err(io::Error::from_raw_os_error)
    }

    pub fn lead_to(&self, link: &Path, target: &Path) -> io::Result<()> {
        let text = relative_path(link.as_os_str().as_bytes(), target.as_os_str().as_bytes());
        let (above, name) = self.above(link)?;
        Ok(retry_on_intr(|| rustix::fs::symlinkat(&text[..], &above, &*name))?)
    }

    pub fn rename(&self, _area: &Path, from: &Path, to: &Path) -> io::Result<()> {
        let ((from_dir, from), (to_dir, to)) = (self.above(from)?, self.above(to)?);
        Ok(retry_on_intr(|| rustix::fs::renameat(&from_dir, &*from, &to_dir, &*to))?)
    }

    pub fn exchange(&self, one: &Path, two: &Path) -> io::Result<()> {
        let ((one_dir, one), (two_dir, two)) = (self.above(one)?, self.above(two)?);
        let exchange = || renameat_with(&one_dir, &*one, &two_dir, &*two, RenameFlags::EXCHANGE);
        Ok(retry_on_intr(exchange)?)
    }
}

impl Way {
    /// The capabilities of this system. They are tried on the directory itself, which is already open,
    /// so an error concerns the call and not the path.
    #[cfg(target_os = "linux")]
    fn of(dir: BorrowedFd<'_>) -> io::Result<Way> {
        let flags = TO_PASS | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match retry_on_intr(|| rustix::fs::openat2(dir, c".", flags, Mode::empty(), KEPT_TO)) {
            Ok(_) => Ok(Way::OneCall),
            // Linux before 5.6, or a container that forbids unknown calls.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => Way::steps(dir),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn of(dir: BorrowedFd<'_>) -> io::Result<Way> {
        Way::steps(dir)
    }

    fn steps(dir: BorrowedFd<'_>) -> io::Result<Way> {
        Ok(Way::Steps { device: rustix::fs::fstat(dir)?.st_dev })
    }
}

/// Refuses an entry on another device, as the kernel does it.
fn same_device(file: &OwnedFd, device: Dev) -> rustix::io::Result<()> {
    if rustix::fs::fstat(file)?.st_dev == device { Ok(()) } else { Err(Errno::XDEV) }
}

/// Converts a relative path to a C string; the directory itself is `.`.
pub(crate) fn c_path(inside: &Path) -> io::Result<CString> {
    let inside: PathBuf = inside.components().collect();
    let bytes = inside.as_os_str().as_bytes();
    Ok(CString::new(if bytes.is_empty() { b"." } else { bytes })?)
}

/// Takes the facts from a `stat` result.
pub(crate) fn facts_of(stat: &Stat) -> EntryFacts {
    let what = match FileType::from_raw_mode(stat.st_mode as _) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    };
    // No system reports times before 1970 or negative sizes. They become "unknown" and 0.
    let seconds = u64::try_from(stat.st_mtime).ok();
    let nanoseconds = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
    EntryFacts {
        what,
        size_bytes: u64::try_from(stat.st_size).unwrap_or(0),
        names: stat.st_nlink as _,
        modified: seconds.map(|seconds| SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)),
        inode: stat.st_ino as _,
        device: stat.st_dev as _,
        owner: Guise { user: stat.st_uid, group: stat.st_gid },
        permissions: Mode::from_raw_mode(stat.st_mode as _).as_raw_mode() as _,
        // The unit is 512 bytes on every system, whatever the block size.
        allocated_bytes: u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512),
    }
}
