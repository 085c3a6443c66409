//! Removing an area: everything in it, nothing outside it.
//!
//! The standard library's `remove_dir_all` follows no symbolic links, but it walks into whatever is
//! mounted inside: a bind mount of the production volume would be emptied. So on Unix the area is walked
//! here, through directory descriptors opened without following links, each compared with the area's own
//! mount. First everything is only looked at; nothing is removed unless all of it lies on that mount.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::lock::AreaLock;
use super::marker::Marker;
use super::{AreaError, LOCK_FILE, MARKER_FILE, sync_dir};

/// The tool nests three directories; a removal that goes deeper than this is in the wrong place.
const DEEPEST: u32 = 32;

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Files and links.
    pub files: u64,
    /// Directories, the area's own among them.
    pub directories: u64,
    /// Sizes of the files, together.
    pub bytes: u64,
}

/// Removes the area whose lock this is. Marker last; the lock is given up just before it.
pub(super) fn remove(root: &Path, marker: &Marker, lock: AreaLock) -> Result<Cleaned, AreaError> {
    refuse_mounts_within(root)?;
    let mut cleaned = system::remove_content(root)?;
    // Closed before it is removed: NFS keeps a removed file that is open as `.nfs…`, Windows its name.
    drop(lock);
    for name in [LOCK_FILE, MARKER_FILE] {
        let path = root.join(name);
        let bytes = fs::symlink_metadata(&path).map_or(0, |metadata| metadata.len());
        match fs::remove_file(&path) {
            Ok(()) => {
                cleaned.files += 1;
                cleaned.bytes += bytes;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(removal_error(&path, error)),
        }
    }
    if let Err(error) = fs::remove_dir(root) {
        // Something was written into it meanwhile: it has to stay, so it has to stay marked.
        let _ = marker.write(root);
        return Err(removal_error(root, error));
    }
    cleaned.directories += 1;
    if let Some(target) = root.parent() {
        sync_dir(target);
    }
    Ok(cleaned)
}

/// Removes what is in a directory of the area, with the same care, and leaves the directory itself.
/// `names` lead to it, from the area's own directory on.
pub(super) fn empty_dir(root: &Path, names: &[&str]) -> Result<Cleaned, AreaError> {
    refuse_mounts_within(&names.iter().fold(root.to_owned(), |path, name| path.join(name)))?;
    system::remove_content_of(root, names)
}

/// The kernel's own list knows mounts that can't even be looked at (a dead server's).
fn refuse_mounts_within(root: &Path) -> Result<(), AreaError> {
    #[cfg(target_os = "linux")]
    {
        let mounts = crate::mount::mount_points_within(root)
            .map_err(|error| AreaError::of_io("look for mounts in", root, error))?;
        if let Some(path) = mounts.into_iter().next() {
            return Err(AreaError::MountInside { path });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = root;
    Ok(())
}

fn removal_error(path: &Path, source: io::Error) -> AreaError {
    AreaError::Removal { path: path.to_owned(), source }
}

fn too_deep(path: PathBuf) -> AreaError {
    let source = io::Error::other("nested deeper than anything that Reelgauge writes");
    AreaError::Removal { path, source }
}

/// Whether a name directly in the area is kept to the end.
fn is_kept(depth: u32, name: &[u8]) -> bool {
    depth == 0 && (name == MARKER_FILE.as_bytes() || name == LOCK_FILE.as_bytes())
}

#[cfg(unix)]
mod system {
    use std::ffi::{CString, OsStr};
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
    use rustix::io::Errno;

    use super::super::error::io_error;
    use super::{AreaError, Cleaned, DEEPEST, is_kept, removal_error, too_deep};
    use crate::mount::MountId;

    /// A directory that is being walked.
    struct Place {
        fd: OwnedFd,
        path: PathBuf,
        depth: u32,
    }

    pub(super) fn remove_content(root: &Path) -> Result<Cleaned, AreaError> {
        let (root, home) = open_root(root)?;
        clear(&root, &home)
    }

    pub(super) fn remove_content_of(root: &Path, names: &[&str]) -> Result<Cleaned, AreaError> {
        let (mut dir, home) = open_root(root)?;
        for name in names {
            let failed = |error: std::ffi::NulError| io_error("empty", &dir.path, error.into());
            dir = dir.enter(&CString::new(*name).map_err(failed)?, &home)?;
        }
        clear(&dir, &home)
    }

    /// The area's directory, and the mount that it lies on.
    fn open_root(root: &Path) -> Result<(Place, MountId), AreaError> {
        let fd = open_dir(CWD, root).map_err(|error| io_error("open", root, error.into()))?;
        let home = MountId::of_dir(&fd).map_err(|error| io_error("look at", root, error))?;
        Ok((Place { fd, path: root.to_owned(), depth: 0 }, home))
    }

    /// Removes what is in `dir`, if all of it lies on this mount.
    fn clear(dir: &Place, home: &MountId) -> Result<Cleaned, AreaError> {
        survey(dir, home)?;
        let mut cleaned = Cleaned::default();
        empty(dir, home, &mut cleaned)?;
        Ok(cleaned)
    }

    fn open_dir<P: rustix::path::Arg>(at: impl std::os::fd::AsFd, name: P) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(at, name, flags, Mode::empty())
    }

    impl Place {
        fn join(&self, name: &CString) -> PathBuf {
            self.path.join(OsStr::from_bytes(name.to_bytes()))
        }

        /// All names in it, but `.` and `..` and what is kept. Collected first, since removing while
        /// reading skips entries on some file systems.
        fn names(&self) -> Result<Vec<CString>, AreaError> {
            let failed = |error: Errno| io_error("list", &self.path, error.into());
            let mut names = Vec::new();
            for entry in Dir::read_from(&self.fd).map_err(failed)? {
                let name = entry.map_err(failed)?.file_name().to_owned();
                let bytes = name.to_bytes();
                if bytes != b"." && bytes != b".." && !is_kept(self.depth, bytes) {
                    names.push(name);
                }
            }
            Ok(names)
        }

        /// The directory of this name in it, if it lies on the same mount.
        fn enter(&self, name: &CString, home: &MountId) -> Result<Place, AreaError> {
            let path = self.join(name);
            if self.depth >= DEEPEST {
                return Err(too_deep(path));
            }
            let fd =
                open_dir(&self.fd, name.as_c_str()).map_err(|error| removal_error(&path, error.into()))?;
            let here = MountId::of_dir(&fd).map_err(|error| removal_error(&path, error))?;
            if !here.same_mount(home) {
                return Err(AreaError::MountInside { path });
            }
            Ok(Place { fd, path, depth: self.depth + 1 })
        }

        fn stat(&self, name: &CString) -> Result<rustix::fs::Stat, AreaError> {
            rustix::fs::statat(&self.fd, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|error| removal_error(&self.join(name), error.into()))
        }

        fn unlink(&self, name: &CString, flags: AtFlags) -> Result<(), AreaError> {
            match rustix::fs::unlinkat(&self.fd, name.as_c_str(), flags) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(error) => Err(removal_error(&self.join(name), error.into())),
            }
        }
    }

    fn is_dir(stat: &rustix::fs::Stat) -> bool {
        FileType::from_raw_mode(stat.st_mode as _) == FileType::Directory
    }

    /// Refuses if any directory below lies elsewhere.
    fn survey(dir: &Place, home: &MountId) -> Result<(), AreaError> {
        for name in dir.names()? {
            if is_dir(&dir.stat(&name)?) {
                survey(&dir.enter(&name, home)?, home)?;
            }
        }
        Ok(())
    }

    /// Removes what is in `dir`. Mounts are looked for again, as one may have come since the survey.
    fn empty(dir: &Place, home: &MountId, cleaned: &mut Cleaned) -> Result<(), AreaError> {
        for name in dir.names()? {
            let stat = dir.stat(&name)?;
            if is_dir(&stat) {
                empty(&dir.enter(&name, home)?, home, cleaned)?;
                dir.unlink(&name, AtFlags::REMOVEDIR)?;
                cleaned.directories += 1;
            } else {
                dir.unlink(&name, AtFlags::empty())?;
                cleaned.files += 1;
                cleaned.bytes += u64::try_from(stat.st_size).unwrap_or(0);
            }
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod system {
    //! Windows: mounted volumes and directory links are both reparse points, which the standard library
    //! reports as links. Both are refused, as it can't be told here which of them is a mount.

    use std::fs;
    use std::path::Path;

    use super::super::error::io_error;
    use super::{AreaError, Cleaned, DEEPEST, is_kept, removal_error, too_deep};

    pub(super) fn remove_content(root: &Path) -> Result<Cleaned, AreaError> {
        clear(root, 0)
    }

    pub(super) fn remove_content_of(root: &Path, names: &[&str]) -> Result<Cleaned, AreaError> {
        clear(&names.iter().fold(root.to_owned(), |path, name| path.join(name)), names.len() as u32)
    }

    /// Removes what is in `dir`, if all of it lies where it seems to.
    fn clear(dir: &Path, depth: u32) -> Result<Cleaned, AreaError> {
        walk(dir, depth, None)?;
        let mut cleaned = Cleaned::default();
        walk(dir, depth, Some(&mut cleaned))?;
        Ok(cleaned)
    }

    /// Looks through `dir`, and removes what is in it if there is somewhere to count it.
    fn walk(dir: &Path, depth: u32, mut cleaned: Option<&mut Cleaned>) -> Result<(), AreaError> {
        if depth > DEEPEST {
            return Err(too_deep(dir.to_owned()));
        }
        let failed = |error| io_error("list", dir, error);
        for entry in fs::read_dir(dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_kept(depth, entry.file_name().as_encoded_bytes()) {
                continue;
            }
            let path = entry.path();
            let metadata = fs::symlink_metadata(&path).map_err(|error| removal_error(&path, error))?;
            if metadata.is_symlink() && fs::metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
                return Err(AreaError::MountInside { path });
            }
            if metadata.is_dir() {
                walk(&path, depth + 1, cleaned.as_deref_mut())?;
            }
            let Some(cleaned) = cleaned.as_deref_mut() else {
                continue;
            };
            if metadata.is_dir() {
                fs::remove_dir(&path).map_err(|error| removal_error(&path, error))?;
                cleaned.directories += 1;
            } else {
                fs::remove_file(&path).map_err(|error| removal_error(&path, error))?;
                cleaned.files += 1;
                cleaned.bytes += metadata.len();
            }
        }
        Ok(())
    }
}
