//! Names of files on Linux and macOS, and operations by name. Names in the area are resolved from the
//! area's directory (see [`crate::area_path`]), the user's own files by their paths.
//!
//! An operation by path needs the parent directory. Once opened, the directory stays open, so that later
//! operations need only one system call. A directory that the run itself moves or removes is reopened,
//! since its path then leads elsewhere. A directory that another user moves is still the same one, and
//! operations continue in it.

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use reelgauge_record::{AccessBits, OpKind};
use reelgauge_workload::script::Op;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::{Errno, retry_on_intr};

use super::second_name::{Opening, stat_of_pinned};
use super::unix_calls::{NEW_DIRECTORY, access_of, list_to_end, set_size};
use super::{ErrorNumber, IMPOSSIBLE, new_name};
use crate::area::AreaDir;
use crate::area_path::links::{FileId, OwnLinks, relative_path};
use crate::area_path::{TO_PIN, c_path};

/// The names of the files of a load point, by index, in the form of system calls: performing an
/// operation converts nothing.
#[derive(Debug)]
pub(crate) struct Names {
    area: Option<AreaDir>,
    files: Vec<FileName>,
    /// The parent directories of the names in the area.
    dirs: Vec<ParentDir>,
    /// The number of directories that are kept open.
    kept: AtomicU32,
}

/// The maximum number of directories that are kept open: enough for a folder per stream, and few
/// compared with a process's limit.
const KEPT_MAX: u32 = 64;

#[derive(Debug)]
enum FileName {
    /// A file outside the area, which belongs to the user: opened by its path.
    Own(CString),
    /// A file in the area: the relative path, its last part, and the parent directory.
    Inside {
        path: CString,
        last: CString,
        dir: u32,
        /// Whether it is one of [`Names::dirs`], or contains one.
        heads_dirs: bool,
    },
}

/// A parent directory for operations by path.
#[derive(Debug)]
struct ParentDir {
    path: CString,
    kept: OnceLock<OwnedFd>,
    /// Whether the run itself moves or removes it. Then it is opened for every operation.
    is_moving: AtomicBool,
}

/// One of the names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    file: &'a FileName,
    names: &'a Names,
}

/// The parent directory of a name.
enum Above<'a> {
    Kept(BorrowedFd<'a>),
    Fresh(OwnedFd),
}

/// The directories that the kernel's ring starts from for an operation by path; the second is for the
/// new name of a rename. They stay open as long as the names.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchors(pub RawFd, pub RawFd);

impl Names {
    /// For these paths, without trailing slashes. An impossible path, with a zero byte or leading out of
    /// the area, becomes the empty path, which does not exist either.
    pub(crate) fn new<'a>(area: Option<&AreaDir>, paths: impl Iterator<Item = &'a Path>) -> Names {
        let mut names =
            Names { area: area.cloned(), files: Vec::new(), dirs: Vec::new(), kept: AtomicU32::new(0) };
        let mut numbers: HashMap<PathBuf, u32> = HashMap::new();
        for path in paths {
            let name = match area.filter(|area| path.starts_with(area.path())) {
                Some(area) => area.inside(path).and_then(|inside| names.enter(&inside, &mut numbers)),
                None => CString::new(path.components().collect::<PathBuf>().as_os_str().as_bytes())
                    .map(FileName::Own)
                    .ok(),
            };
            names.files.push(name.unwrap_or(FileName::Own(CString::default())));
        }
        names.find_heads(&numbers);
        names
    }

    /// Adds a name in the area.
    fn enter(&mut self, inside: &Path, numbers: &mut HashMap<PathBuf, u32>) -> Option<FileName> {
        let parent = inside.parent().unwrap_or(Path::new(""));
        let dir = match numbers.get(parent) {
            Some(&dir) => dir,
            None => {
                let path = c_path(parent).ok()?;
                let dir = self.dirs.len() as u32;
                self.dirs.push(ParentDir { path, kept: OnceLock::new(), is_moving: AtomicBool::new(false) });
                numbers.insert(parent.to_owned(), dir);
                dir
            }
        };
        // The area itself has no name relative to itself.
        let last = c_path(Path::new(inside.file_name().unwrap_or_default())).ok()?;
        Some(FileName::Inside { path: c_path(inside).ok()?, last, dir, heads_dirs: false })
    }

    fn find_heads(&mut self, numbers: &HashMap<PathBuf, u32>) {
        let mut heads: HashSet<CString> = HashSet::new();
        for dir in numbers.keys() {
            heads.extend(dir.ancestors().filter_map(|above| c_path(above).ok()));
        }
        for file in &mut self.files {
            if let FileName::Inside { path, heads_dirs, .. } = file {
                *heads_dirs = heads.contains(path);
            }
        }
    }

    /// The hard links that the run made.
    pub(crate) fn links(&self) -> Option<&OwnLinks> {
        self.area.as_ref().map(AreaDir::links)
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    #[inline]
    pub(crate) fn get(&self, file: u32) -> Option<Name<'_>> {
        self.files.get(file as usize).map(|file| Name { file, names: self })
    }

    /// Must be called before an operation by path: it marks directories that the operation moves or
    /// removes, so that they are no longer used.
    pub(crate) fn foresee(&self, op: &Op) {
        if !matches!(op.kind, OpKind::Rename | OpKind::RemoveDir) {
            return;
        }
        let new = if op.kind == OpKind::Rename { new_name(op, self) } else { None };
        for name in self.get(op.file).into_iter().chain(new) {
            if let FileName::Inside { path, heads_dirs: true, .. } = name.file {
                let moving = self.dirs.iter().filter(|dir| is_at_or_below(&dir.path, path));
                moving.for_each(|dir| dir.is_moving.store(true, Ordering::Release));
            }
        }
    }

    /// A directory that is kept open and is not marked as moving.
    fn kept(&self, dir: u32) -> Option<BorrowedFd<'_>> {
        let dir = &self.dirs[dir as usize];
        let kept = dir.kept.get().filter(|_| !dir.is_moving.load(Ordering::Acquire));
        kept.map(AsFd::as_fd)
    }

    fn above(&self, number: u32) -> rustix::io::Result<Above<'_>> {
        if let Some(kept) = self.kept(number) {
            return Ok(Above::Kept(kept));
        }
        let (Some(area), dir) = (&self.area, &self.dirs[number as usize]) else {
            return Err(Errno::BADF);
        };
        let fresh = area.root().open_to_pass(&dir.path)?;
        let is_to_stay = !dir.is_moving.load(Ordering::Acquire) && dir.kept.get().is_none();
        if !is_to_stay || self.kept.fetch_add(1, Ordering::Relaxed) >= KEPT_MAX {
            return Ok(Above::Fresh(fresh));
        }
        // Another thread may have been faster; then this one is dropped. A kept directory is never
        // closed.
        let _ = dir.kept.set(fresh);
        match self.kept(number) {
            Some(kept) => Ok(Above::Kept(kept)),
            // It was marked as moving at this moment.
            None => area.root().open_to_pass(&dir.path).map(Above::Fresh),
        }
    }

    /// The directories that the ring starts from; `None` if they must be opened first, which may take a
    /// while.
    #[cfg(target_os = "linux")]
    pub(crate) fn anchors(&self, op: &Op) -> Option<Anchors> {
        let loses_name = matches!(op.kind, OpKind::Unlink | OpKind::Rename);
        if loses_name && self.area.as_ref().is_some_and(|area| area.links().any()) {
            // The file that loses its name must be checked: see `Name::own_link`.
            return None;
        }
        let here = CWD.as_raw_fd();
        let anchor = |name: Name<'_>| match name.file {
            FileName::Own(_) => Some(here),
            FileName::Inside { .. } if matches!(op.kind, OpKind::Open | OpKind::Create) => {
                let root = self.area.as_ref()?.root();
                root.is_one_call().then(|| root.as_fd().as_raw_fd())
            }
            FileName::Inside { dir, .. } => self.kept(*dir).map(|dir| dir.as_raw_fd()),
        };
        let new = if op.kind == OpKind::Rename { anchor(new_name(op, self)?)? } else { here };
        Some(Anchors(anchor(self.get(op.file)?)?, new))
    }
}

/// Whether a relative path equals this one, or is below it. `.` is above every path.
fn is_at_or_below(path: &CStr, above: &CStr) -> bool {
    let rest = path.to_bytes().strip_prefix(above.to_bytes());
    above.to_bytes() == b"." || rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

impl Name<'_> {
    /// The path that the kernel's ring opens, from its anchor.
    #[cfg(target_os = "linux")]
    pub(crate) fn path_from_anchor(&self) -> *const std::ffi::c_char {
        match self.file {
            FileName::Own(path) | FileName::Inside { path, .. } => path.as_ptr(),
        }
    }

    /// The last part of the path, for operations by path of the kernel's ring.
    #[cfg(target_os = "linux")]
    pub(crate) fn last_part(&self) -> *const std::ffi::c_char {
        match self.file {
            FileName::Own(path) => path.as_ptr(),
            FileName::Inside { last, .. } => last.as_ptr(),
        }
    }

    /// Whether it is in the area.
    #[inline]
    pub(crate) fn is_inside(&self) -> bool {
        matches!(self.file, FileName::Inside { .. })
    }

    /// Opens it to read or write it. A file that is written to must have no other name.
    #[inline]
    pub(super) fn opened_to_use(&self, flags: OFlags, mode: Mode) -> Result<OwnedFd, ErrorNumber> {
        let opening = Opening::of(flags, self.is_inside());
        let opened = self.opened(opening.flags, mode)?;
        if opening.inspect_file(&opened, self.links())? {
            set_size(&opened, 0)?;
        }
        Ok(opened)
    }

    /// Opens the file.
    #[inline]
    fn opened(&self, flags: OFlags, mode: Mode) -> Result<OwnedFd, ErrorNumber> {
        match (self.file, &self.names.area) {
            (FileName::Inside { path, .. }, Some(area)) => area.root().open_at(path, flags, mode),
            // Names in the area always have an area.
            (FileName::Inside { .. }, None) => Err(Errno::BADF),
            (FileName::Own(path), _) => {
                let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                retry_on_intr(|| rustix::fs::open(path.as_c_str(), flags, mode))
            }
        }
        .map_err(Errno::raw_os_error)
    }

    /// Performs an operation by path from the parent directory.
    fn done_from_above<R>(
        &self,
        act: impl Fn(BorrowedFd<'_>, &CStr) -> rustix::io::Result<R>,
    ) -> Result<R, ErrorNumber> {
        match self.file {
            FileName::Own(path) => retry_on_intr(|| act(CWD, path)),
            FileName::Inside { last, dir, .. } => {
                self.names.above(*dir).and_then(|above| retry_on_intr(|| act(above.as_fd(), last)))
            }
        }
        .map_err(Errno::raw_os_error)
    }

    /// Removes the file. A directory is refused.
    pub(crate) fn unlink(&self) -> Result<(), ErrorNumber> {
        let linked = self.own_link();
        self.done_from_above(|above, name| rustix::fs::unlinkat(above, name, AtFlags::empty()))?;
        self.loses_name(linked);
        Ok(())
    }

    /// The hard links that the run made; `None` for a file outside the area.
    fn links(&self) -> Option<&OwnLinks> {
        match self.file {
            FileName::Inside { .. } => self.names.links(),
            FileName::Own(_) => None,
        }
    }

    /// The file with this name if the run gave it other names. Makes no system call while there is no
    /// such file.
    fn own_link(&self) -> Option<FileId> {
        let links = self.links().filter(|links| links.any())?;
        let id = self.looked_at().ok()?;
        links.has(id).then_some(id)
    }

    fn loses_name(&self, linked: Option<FileId>) {
        if let (Some(id), Some(links)) = (linked, self.links()) {
            links.lost_name(id);
        }
    }

    /// The identity of the file that has this name now.
    fn looked_at(&self) -> Result<FileId, ErrorNumber> {
        let stat =
            |above: BorrowedFd<'_>, name: &CStr| rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW);
        self.done_from_above(stat).map(|stat| FileId::of(&stat))
    }

    /// Gives it an additional name; [`OwnLinks`] describes the checks. Only in the area.
    pub(crate) fn link(&self, new: Name<'_>) -> Result<(), ErrorNumber> {
        let (Some(links), FileName::Inside { .. }) = (self.links(), new.file) else {
            return Err(IMPOSSIBLE);
        };
        let pinned = self.opened(TO_PIN, Mode::empty())?;
        let before = stat_of_pinned(&pinned)?;
        let make = || {
            self.done_from_above(|above, name| {
                let made = new.done_from_above(|new_above, new_name| {
                    rustix::fs::linkat(above, name, new_above, new_name, AtFlags::empty())
                });
                made.map_err(Errno::from_raw_os_error)
            })
        };
        links.link(&before, make, || new.looked_at())
    }

    /// Creates a symbolic link with relative text to another name in the area. It is never followed
    /// here.
    pub(crate) fn lead_to(&self, target: Name<'_>) -> Result<(), ErrorNumber> {
        let (FileName::Inside { path, .. }, FileName::Inside { path: target, .. }) = (self.file, target.file)
        else {
            return Err(IMPOSSIBLE);
        };
        let text = relative_path(path.to_bytes(), target.to_bytes());
        self.done_from_above(|above, name| rustix::fs::symlinkat(&text[..], above, name))
    }

    /// Reads the target of the link.
    pub(crate) fn read_link(&self) -> Result<(), ErrorNumber> {
        self.done_from_above(|above, name| rustix::fs::readlinkat(above, name, Vec::new()).map(drop))
    }

    /// Queries size and times.
    pub(crate) fn stat(&self) -> Result<(), ErrorNumber> {
        self.done_from_above(|above, name| {
            rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW).map(drop)
        })
    }

    /// Checks whether the file may be accessed in this mode, or for reading if the recorded mode is
    /// unknown.
    pub(crate) fn access(&self, asked: AccessBits) -> Result<(), ErrorNumber> {
        let asked = access_of(asked);
        self.done_from_above(|above, name| {
            match rustix::fs::accessat(above, name, asked, AtFlags::SYMLINK_NOFOLLOW) {
                // See the module head.
                Err(Errno::NOSYS) => rustix::fs::accessat(above, name, asked, AtFlags::empty()),
                asked => asked,
            }
        })
    }

    /// Lists the whole directory.
    pub(crate) fn list(&self) -> Result<(), ErrorNumber> {
        let opened = self.opened(OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        list_to_end(opened).map_err(Errno::raw_os_error)
    }

    /// Truncates or extends the file to this size.
    pub(crate) fn set_size(&self, size_bytes: u64) -> Result<(), ErrorNumber> {
        set_size(self.opened_to_use(OFlags::WRONLY, Mode::empty())?, size_bytes)
    }

    /// Renames the entry. An entry with the new name is replaced.
    pub(crate) fn rename(&self, new: Name<'_>) -> Result<(), ErrorNumber> {
        // If both names are of one file, both stay.
        let replaced = new.own_link().filter(|&replaced| self.own_link() != Some(replaced));
        self.done_from_above(|above, name| {
            let renamed = new.done_from_above(|new_above, new_name| {
                rustix::fs::renameat(above, name, new_above, new_name)
            });
            renamed.map_err(Errno::from_raw_os_error)
        })?;
        new.loses_name(replaced);
        Ok(())
    }

    /// Exchanges the entries of two names. No name is lost.
    pub(crate) fn exchange(&self, new: Name<'_>) -> Result<(), ErrorNumber> {
        self.done_from_above(|above, name| {
            let exchanged = new.done_from_above(|new_above, new_name| {
                rustix::fs::renameat_with(above, name, new_above, new_name, RenameFlags::EXCHANGE)
            });
            exchanged.map_err(Errno::from_raw_os_error)
        })
    }

    /// Creates a directory with this name.
    pub(crate) fn make_dir(&self) -> Result<(), ErrorNumber> {
        self.done_from_above(|above, name| rustix::fs::mkdirat(above, name, NEW_DIRECTORY))
    }

    /// Removes the directory, which must be empty.
    pub(crate) fn remove_dir(&self) -> Result<(), ErrorNumber> {
        self.done_from_above(|above, name| rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR))
    }

    /// Sets its times to now.
    pub(crate) fn touch(&self) -> Result<(), ErrorNumber> {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let now = Timestamps { last_access: now, last_modification: now };
        self.done_from_above(|above, name| {
            rustix::fs::utimensat(above, name, &now, AtFlags::SYMLINK_NOFOLLOW)
        })
    }
}

impl AsFd for Above<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Above::Kept(kept) => *kept,
            Above::Fresh(fresh) => fresh.as_fd(),
        }
    }
}
