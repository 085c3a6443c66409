//! Removes an area: the entries that Reelgauge made, and nothing else.
//!
//! The standard library's `remove_dir_all` follows no symbolic links, but it enters file systems that
//! are mounted inside. A bind mount of the production volume would be emptied. So on Unix this module
//! walks the area through directory descriptors, opened without following links, and compares each with
//! the area's own mount. A first pass only checks. Nothing is removed unless everything is on that
//! mount.
//!
//! Entries that Reelgauge did not make ([`ownership`]) are kept and listed. Then the area is kept as well,
//! with its marker.

mod ownership;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::ownership::AreaPart;
use super::lock::AreaLock;
use super::marker::Marker;
use reelgauge_record::identity;

use super::{AreaDir, AreaError, LOCK_FILE, MARKER_FILE, sync_dir};

/// Reelgauge nests three directories. A removal that goes deeper than this is in the wrong place.
const DEEPEST: u32 = 32;
/// This many of the kept entries are listed; all of them are counted.
const NAMED_MAX: usize = 20;

/// The entries that were removed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Files and links.
    pub files: u64,
    /// Directories, including the area's own.
    pub directories: u64,
    /// Total size of the files.
    pub bytes: u64,
    /// Directories with the files directly in them, in the order of the walk.
    pub folders: Vec<CleanedFolder>,
    /// The first entries that Reelgauge did not make, and that are kept.
    pub left: Vec<PathBuf>,
    /// The number of kept entries.
    pub left_count: u64,
}

/// The removed files of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanedFolder {
    pub path: PathBuf,
    /// Files and links directly in it.
    pub files: u64,
    /// Total size of these files.
    pub bytes: u64,
}

impl Cleaned {
    fn enter(&mut self, path: &Path) -> usize {
        self.folders.push(CleanedFolder { path: path.to_owned(), files: 0, bytes: 0 });
        self.folders.len() - 1
    }

    /// Counts a file that is removed from this directory.
    fn file(&mut self, folder: usize, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
        self.folders[folder].files += 1;
        self.folders[folder].bytes += bytes;
    }

    /// Counts an entry that is kept.
    fn leave(&mut self, path: PathBuf) {
        self.left_count += 1;
        if self.left.len() < NAMED_MAX {
            self.left.push(path);
        }
    }
}

/// Whether the walk removes entries or only checks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Look,
    Remove,
}

/// Lists what [`remove`] would remove.
pub(super) fn look(dir: &AreaDir) -> Result<Cleaned, AreaError> {
    refuse_mounts_within(dir.path())?;
    let mut cleaned = system::go_through(dir, &[], AreaPart::Area, Act::Look)?;
    if cleaned.left_count > 0 {
        // The area must stay, with its marker and its lock.
        return Ok(cleaned);
    }
    for name in [LOCK_FILE, MARKER_FILE] {
        if let Ok(facts) = dir.facts(&dir.path().join(name)) {
            cleaned.file(0, facts.size_bytes);
        }
    }
    cleaned.directories += 1;
    Ok(cleaned)
}

/// Removes the area whose lock this is; `None` if the lock file is a link that was refused. The marker
/// is removed last. The lock is released just before it.
pub(super) fn remove(dir: &AreaDir, marker: &Marker, lock: Option<AreaLock>) -> Result<Cleaned, AreaError> {
    let root = dir.path();
    refuse_mounts_within(root)?;
    let mut cleaned = system::go_through(dir, &[], AreaPart::Area, Act::Remove)?;
    // Closed before it is removed: NFS keeps an open removed file as `.nfs…`, and Windows keeps its
    // name.
    drop(lock);
    if cleaned.left_count > 0 {
        // The area must stay, so its marker must stay.
        return Ok(cleaned);
    }
    for name in [LOCK_FILE, MARKER_FILE] {
        let path = root.join(name);
        let bytes = dir.facts(&path).map_or(0, |facts| facts.size_bytes);
        match dir.remove_file(&path) {
            Ok(()) => cleaned.file(0, bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(removal_error(&path, error)),
        }
    }
    // The directory is empty now. In its parent, perhaps only the user who started this run may remove
    // entries.
    let removed = {
        let _own = identity::own();
        fs::remove_dir(root)
    };
    if let Err(error) = removed {
        // Another process wrote into it during the removal. The directory stays, so it needs its
        // marker. The error of the removal matters more than one here.
        let _ = marker.write(dir);
        return Err(removal_error(root, error));
    }
    cleaned.directories += 1;
    if let Some(target) = root.parent() {
        sync_dir(target);
    }
    Ok(cleaned)
}

/// Removes all contents of a directory of the area, with the same care, and keeps the directory itself.
/// `names` is its path from the area's own directory.
pub(super) fn empty_dir(dir: &AreaDir, names: &[&str]) -> Result<Cleaned, AreaError> {
    refuse_mounts_within(&names.iter().fold(dir.path().to_owned(), |path, name| path.join(name)))?;
    system::go_through(dir, names, AreaPart::Everything, Act::Remove)
}

/// The kernel's own list includes mounts that do not respond (of a dead server).
fn refuse_mounts_within(root: &Path) -> Result<(), AreaError> {
    #[cfg(target_os = "linux")]
    {
        let mounts = reelgauge_machine::mount::mount_points_within(root)
            .map_err(|error| AreaError::of_io("look for mounts in", root, error))?;
        if let Some(path) = mounts.into_iter().next() {
            return Err(AreaError::MountInside { path });
        }
    }
    // Unused on other systems.
    #[cfg(not(target_os = "linux"))]
    let _ = root;
    Ok(())
}

fn removal_error(path: &Path, source: io::Error) -> AreaError {
    AreaError::Removal { path: path.to_owned(), source }
}

fn too_deep(path: PathBuf) -> AreaError {
    let source = io::Error::other("nested deeper than any directory of Reelgauge");
    AreaError::Removal { path, source }
}

#[cfg(unix)]
mod system {
    use std::ffi::{CString, OsStr};
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, Dir, Mode, OFlags};
    use rustix::io::Errno;

    use super::super::error::io_error;
    use super::{Act, AreaDir, AreaError, AreaPart, Cleaned, DEEPEST, removal_error, too_deep};
    use crate::area_path::{EntryFacts, facts_of};
    use reelgauge_machine::mount::MountId;

    /// A directory that is being walked.
    struct DirToClear {
        fd: OwnedFd,
        path: PathBuf,
        depth: u32,
        scope: AreaPart,
    }

    /// Walks the entries of a directory that Reelgauge made, if all of it is on this mount.
    pub(super) fn go_through(
        area: &AreaDir,
        names: &[&str],
        scope: AreaPart,
        act: Act,
    ) -> Result<Cleaned, AreaError> {
        let root = area.path();
        let fd = area.root().open_dir_to_read(Path::new(""));
        let fd = fd.map_err(|error| io_error("open", root, error))?;
        let home = MountId::of_dir(&fd).map_err(|error| io_error("access", root, error))?;
        let mut dir = DirToClear { fd, path: root.to_owned(), depth: 0, scope };
        for name in names {
            let failed = |error: std::ffi::NulError| io_error("empty", &dir.path, error.into());
            dir = dir.enter(&CString::new(*name).map_err(failed)?, scope, &home)?;
        }
        let mut looked = Cleaned::default();
        walk(&dir, &home, Act::Look, &mut looked)?;
        if act == Act::Look {
            return Ok(looked);
        }
        let mut cleaned = Cleaned::default();
        walk(&dir, &home, Act::Remove, &mut cleaned)?;
        Ok(cleaned)
    }

    impl DirToClear {
        fn join(&self, name: &CString) -> PathBuf {
            self.path.join(OsStr::from_bytes(name.to_bytes()))
        }

        /// All names in it, except `.`, `..` and kept names. They are collected first, since removing
        /// while reading skips entries on some file systems.
        fn names(&self) -> Result<Vec<CString>, AreaError> {
            let failed = |error: Errno| io_error("list", &self.path, error.into());
            let mut names = Vec::new();
            for entry in Dir::read_from(&self.fd).map_err(failed)? {
                let name = entry.map_err(failed)?.file_name().to_owned();
                let bytes = name.to_bytes();
                if bytes != b"." && bytes != b".." && !self.scope.is_kept(bytes) {
                    names.push(name);
                }
            }
            Ok(names)
        }

        /// Opens the directory of this name in it, if it is on the same mount.
        fn enter(&self, name: &CString, scope: AreaPart, home: &MountId) -> Result<DirToClear, AreaError> {
            let path = self.join(name);
            if self.depth >= DEEPEST {
                return Err(too_deep(path));
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = rustix::fs::openat(&self.fd, name.as_c_str(), flags, Mode::empty())
                .map_err(|error| removal_error(&path, error.into()))?;
            let here = MountId::of_dir(&fd).map_err(|error| removal_error(&path, error))?;
            if !here.same_mount(home) {
                return Err(AreaError::MountInside { path });
            }
            Ok(DirToClear { fd, path, depth: self.depth + 1, scope })
        }

        fn facts(&self, name: &CString) -> Result<EntryFacts, AreaError> {
            let stat = rustix::fs::statat(&self.fd, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|error| removal_error(&self.join(name), error.into()))?;
            Ok(facts_of(&stat))
        }

        fn unlink(&self, name: &CString, flags: AtFlags) -> Result<(), AreaError> {
            match rustix::fs::unlinkat(&self.fd, name.as_c_str(), flags) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(error) => Err(removal_error(&self.join(name), error.into())),
            }
        }
    }

    /// Checks the contents of `dir`, or removes them. Both fail if any directory below is on another
    /// mount, since one may have been mounted after the check. Entries that Reelgauge did not make are
    /// kept and recorded.
    fn walk(dir: &DirToClear, home: &MountId, act: Act, cleaned: &mut Cleaned) -> Result<(), AreaError> {
        let folder = cleaned.enter(&dir.path);
        for name in dir.names()? {
            let facts = dir.facts(&name)?;
            let Some(scope) = dir.scope.of(name.to_bytes(), &facts) else {
                cleaned.leave(dir.join(&name));
                continue;
            };
            if !facts.is_dir() {
                if act == Act::Remove {
                    dir.unlink(&name, AtFlags::empty())?;
                }
                cleaned.file(folder, facts.size_bytes);
                continue;
            }
            let left_before = cleaned.left_count;
            walk(&dir.enter(&name, scope, home)?, home, act, cleaned)?;
            if cleaned.left_count > left_before {
                continue;
            }
            if act == Act::Remove {
                dir.unlink(&name, AtFlags::REMOVEDIR)?;
            }
            cleaned.directories += 1;
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod system {
    //! Windows: mounted volumes and directory links are both reparse points, which the standard library
    //! reports as links. Both are refused, because a mount cannot be distinguished from a link here.

    use std::fs;
    use std::path::Path;

    use super::super::error::io_error;
    use super::{Act, AreaDir, AreaError, AreaPart, Cleaned, DEEPEST, removal_error, too_deep};

    pub(super) fn go_through(
        area: &AreaDir,
        names: &[&str],
        scope: AreaPart,
        act: Act,
    ) -> Result<Cleaned, AreaError> {
        let dir = names.iter().fold(area.path().to_owned(), |path, name| path.join(name));
        let depth = names.len() as u32;
        let mut looked = Cleaned::default();
        walk(area, &dir, (depth, scope), Act::Look, &mut looked)?;
        if act == Act::Look {
            return Ok(looked);
        }
        let mut cleaned = Cleaned::default();
        walk(area, &dir, (depth, scope), Act::Remove, &mut cleaned)?;
        Ok(cleaned)
    }

    /// Checks the contents of `dir`, or removes them.
    fn walk(
        area: &AreaDir,
        dir: &Path,
        (depth, scope): (u32, AreaPart),
        act: Act,
        cleaned: &mut Cleaned,
    ) -> Result<(), AreaError> {
        if depth > DEEPEST {
            return Err(too_deep(dir.to_owned()));
        }
        let folder = cleaned.enter(dir);
        for name in area.names_in(dir).map_err(|error| io_error("list", dir, error))? {
            let path = dir.join(&name);
            let failed = |error| removal_error(&path, error);
            let facts = area.facts(&path).map_err(failed)?;
            if scope.is_kept(name.as_encoded_bytes()) {
                continue;
            }
            let leads_away = facts.what == crate::area_path::EntryKind::Link;
            if leads_away && fs::metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
                return Err(AreaError::MountInside { path });
            }
            let Some(scope) = scope.of(name.as_encoded_bytes(), &facts) else {
                cleaned.leave(path);
                continue;
            };
            if facts.is_dir() {
                let left_before = cleaned.left_count;
                walk(area, &path, (depth + 1, scope), act, cleaned)?;
                if cleaned.left_count > left_before {
                    continue;
                }
                if act == Act::Remove {
                    area.remove_dir(&path).map_err(failed)?;
                }
                cleaned.directories += 1;
            } else {
                if act == Act::Remove {
                    area.remove_file(&path).map_err(failed)?;
                }
                cleaned.file(folder, facts.size_bytes);
            }
        }
        Ok(())
    }
}
