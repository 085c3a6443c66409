//! The area: the directory `reelgauge-area/` under a target, the only place where anything is written.
//!
//! Reelgauge runs on production storage, so it must be sure which files are its own. An area is
//! recognized by its marker file, never by its name alone. A directory, file or link of that name
//! without a valid marker is never touched, and neither is an area of a newer version. [`Area::clean`]
//! removes only files that Reelgauge made, and nothing behind a symbolic link or on another mount.
//!
//! The area's directory is opened once and stays open. Everything in it is reached from there
//! ([`AreaDir`]), so that another user with write access to the target cannot redirect a running run.
//!
//! Not here: the contents of the area ([`crate::dataset`], [`crate::scratch`]).

mod error;
mod leftover;
mod lock;
mod marker;
mod removal;
mod sharing;

use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use reelgauge_machine::full_path;
use reelgauge_record::identity;

pub use crate::area_path::AreaDir;
use crate::area_path::EntryKind;
use crate::space::KeepFree;
use crate::throttle::Throttle;
pub use error::AreaError;
use error::io_error;
#[cfg(target_os = "linux")]
pub(crate) use error::is_dead_mount;
pub use lock::AreaLock;
use marker::Marker;
pub use removal::{Cleaned, CleanedFolder};
pub use sharing::{Shared, Sharing, Terms};

/// Name of the area below the target.
pub const AREA_DIR: &str = "reelgauge-area";
/// Name of the file that makes a directory an area.
pub const MARKER_FILE: &str = "REELGAUGE-AREA.toml";
/// Name of the file that a run holds a lock on.
pub const LOCK_FILE: &str = "REELGAUGE-AREA.lock";
/// Name of the directory of data sets in the area.
pub const DATA_DIR: &str = "data";
/// Name of the directory in the area for files that a run creates.
pub const SCRATCH_DIR: &str = "scratch";

/// Name of the directory in the area for ballast files.
pub const BALLAST_DIR: &str = "ballast";

/// A directory that Reelgauge marked as its own.
#[derive(Clone, Debug)]
pub struct Area {
    target: PathBuf,
    dir: AreaDir,
    marker: Marker,
    created: bool,
    /// Describes how a target that other users can write to was handled.
    sharing_note: Option<String>,
    keep_free: KeepFree,
    max_bytes_per_s: Option<NonZeroU64>,
}

impl Area {
    /// Opens the area under this target, or creates it if there is none.
    ///
    /// # Errors
    /// If the target is missing, not a directory, read-only or not writable; if another file has the
    /// area's name or the area is of a newer version; or if this is root and other users can write to
    /// the target.
    pub fn open_or_create(target: &Path) -> Result<Area, AreaError> {
        Area::open_or_create_on(target, Terms::default())
    }

    /// Like [`Area::open_or_create`], with the user's choices about the target. If the user accepts that
    /// other users can write to it, this thread may run as another user afterwards
    /// ([`Area::sharing_note`]).
    ///
    /// # Errors
    /// As there.
    pub fn open_or_create_on(target: &Path, terms: Terms) -> Result<Area, AreaError> {
        identity::shed();
        let target = checked_target(target)?;
        // This check comes first, so that no user is advised to change permissions when the file system
        // is read-only.
        check_takes_writes(&target)?;
        let found = match Area::open_in(&target) {
            Err(AreaError::NoArea { .. }) => None,
            opened => Some(opened?),
        };
        let sharing_note = settle(&target, found.as_ref(), terms.sharing)?;
        let (area, created) = match found {
            Some(area) => (area, false),
            None => (create(&target)?, true),
        };
        leftover::remove(&target, leftover::NAMES_MAX, &own_users(created.then_some(&area)));
        lock::check_writable(&area.dir)?;
        let Terms { keep_free, max_bytes_per_s, .. } = terms;
        Ok(Area { created, sharing_note, keep_free, max_bytes_per_s, ..area })
    }

    /// Directories in this target that were left when a process was killed while it created an area. The
    /// next run removes them, too. Changes nothing.
    ///
    /// # Errors
    /// As [`Area::open_existing_on`], if there is a possible leftover.
    pub fn leftovers(target: &Path, sharing: Sharing) -> Result<Vec<PathBuf>, AreaError> {
        let users = users_of_leftovers(target, sharing)?;
        // Without users there are no leftovers, here and below.
        Ok(users.map(|(target, users)| leftover::look(&target, &users)).unwrap_or_default())
    }

    /// Removes the leftovers, and returns the removed paths.
    ///
    /// # Errors
    /// As [`Area::leftovers`].
    pub fn remove_leftovers(target: &Path, sharing: Sharing) -> Result<Vec<PathBuf>, AreaError> {
        let users = users_of_leftovers(target, sharing)?;
        // See [`Area::leftovers`].
        Ok(users.map(|(target, users)| leftover::remove(&target, usize::MAX, &users)).unwrap_or_default())
    }

    /// Opens the area under this target, which must exist already. Writes nothing.
    ///
    /// # Errors
    /// As [`Area::open_or_create`], and [`AreaError::NoArea`] if there is none.
    pub fn open_existing(target: &Path) -> Result<Area, AreaError> {
        Area::open_existing_on(target, Sharing::Unsaid)
    }

    /// Like [`Area::open_existing`], with the user's choice about targets that other users can write to.
    ///
    /// # Errors
    /// As there.
    pub fn open_existing_on(target: &Path, sharing: Sharing) -> Result<Area, AreaError> {
        identity::shed();
        let area = Area::open_in(&checked_target(target)?)?;
        let sharing_note = settle(&area.target, Some(&area), sharing)?;
        Ok(Area { sharing_note, ..area })
    }

    /// Wraps a directory that is already open, without user choices about its target.
    fn held(target: &Path, dir: AreaDir, marker: Marker) -> Area {
        let (target, keep_free) = (target.to_owned(), KeepFree::Usual);
        Area { target, dir, marker, created: false, sharing_note: None, keep_free, max_bytes_per_s: None }
    }

    fn open_in(target: &Path) -> Result<Area, AreaError> {
        let root = target.join(AREA_DIR);
        check_is_dir(&root, || AreaError::NoArea { target: target.to_owned() })?;
        let dir = AreaDir::open(&root).map_err(|error| io_error("open", &root, error))?;
        let marker = Marker::read(&dir)?;
        Ok(Area::held(target, dir, marker))
    }

    /// The target's absolute path, without symbolic links.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The area's own absolute path.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// The area's own directory, from which everything in it is reached.
    pub fn dir(&self) -> &AreaDir {
        &self.dir
    }

    /// The area's random id, created with it.
    pub fn id(&self) -> &str {
        &self.marker.id
    }

    /// The creation time of the area (RFC 3339), from its marker.
    pub fn created_at(&self) -> &str {
        &self.marker.created_at
    }

    /// Whether this process created the area when it opened it.
    pub fn is_new(&self) -> bool {
        self.created
    }

    /// A note for the user if others can write to the target.
    pub fn sharing_note(&self) -> Option<&str> {
        self.sharing_note.as_deref()
    }

    /// How much of the target's space stays free.
    pub fn keep_free(&self) -> KeepFree {
        self.keep_free
    }

    /// The rate limit for this target; `None` if the user set none.
    pub fn max_bytes_per_s(&self) -> Option<NonZeroU64> {
        self.max_bytes_per_s
    }

    /// The throttle for the rate limit of this target; `None` if there is no limit.
    pub fn throttle(&self) -> Option<Throttle> {
        self.max_bytes_per_s.map(Throttle::new)
    }

    /// The directory of the data sets. It is created with the first data set.
    pub fn data_dir(&self) -> PathBuf {
        self.root().join(DATA_DIR)
    }

    /// Locks the area for one run, until the lock is dropped.
    ///
    /// Two runs on one host cannot share an area. Whether the lock covers other hosts depends on the
    /// file system: NFS and SMB servers usually enforce it for all clients, FUSE mostly does not. If the
    /// file system does not support locks, the run continues and [`AreaLock::note`] explains it.
    ///
    /// # Errors
    /// [`AreaError::InUse`] if another run holds it, [`AreaError::Vanished`] if the area was removed
    /// before it could be locked.
    pub fn lock(&self) -> Result<AreaLock, AreaError> {
        lock::take(&self.dir, &self.marker)
    }

    /// Shares the locked area with the other hosts of this run. Call it when all files are created.
    ///
    /// # Errors
    /// [`AreaError::InUse`] if another run locked the area at this moment, [`AreaError::Vanished`], or
    /// an error of writing the lock file.
    pub fn share(&self, lock: &AreaLock, run: &str) -> Result<(), AreaError> {
        lock.share(&self.dir, &self.marker, run)
    }

    /// Takes a share of the lock that the owner of this run holds on another host or in another process;
    /// `None` if the owner has not shared it yet.
    ///
    /// # Errors
    /// As [`Area::lock`].
    pub fn join(&self, run: &str) -> Result<Option<AreaLock>, AreaError> {
        lock::join(&self.dir, &self.marker, run)
    }

    /// Lists what [`Area::clean`] would remove, and what it would keep. Changes nothing.
    ///
    /// # Errors
    /// [`AreaError::MountInside`], or an entry that cannot be read.
    pub fn to_clean(&self) -> Result<Cleaned, AreaError> {
        removal::look(&self.dir)
    }

    /// Removes the area and everything that Reelgauge made in it.
    ///
    /// Other files are kept and listed, and then the area is kept, too. Symbolic links are never
    /// followed. Nothing is removed if another file system is mounted inside the area. The marker is
    /// removed last, so that an interrupted removal can be repeated.
    ///
    /// A lock file that was replaced by a link is not written to; only its name is removed.
    ///
    /// # Errors
    /// [`AreaError::InUse`] while a run holds the lock, [`AreaError::MountInside`], and
    /// [`AreaError::Removal`] at the first entry that cannot be removed.
    pub fn clean(self) -> Result<Cleaned, AreaError> {
        let lock = match self.lock() {
            Err(AreaError::ForeignLock { .. }) => None,
            lock => Some(lock?),
        };
        removal::remove(&self.dir, &self.marker, lock)
    }

    /// Empties a directory of the area, or creates it, as carefully as [`Area::clean`]. The caller holds
    /// the lock.
    pub(crate) fn empty_dir(&self, name: &'static str) -> Result<Cleaned, AreaError> {
        self.check_still_there()?;
        let path = self.root().join(name);
        match self.dir.create_dir(&path) {
            Ok(()) => return Ok(Cleaned::default()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io_error("create the directory", &path, error)),
        }
        self.check_is_dir(&path)?;
        removal::empty_dir(&self.dir, &[name])
    }

    /// Removes the files that a killed run left in the scratch directory, as carefully as
    /// [`Area::clean`]. The caller holds the lock.
    ///
    /// # Errors
    /// If an entry cannot be removed.
    pub fn remove_scratch(&self) -> Result<Cleaned, AreaError> {
        match self.dir.facts(&self.root().join(SCRATCH_DIR)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Cleaned::default()),
            _ => self.remove_dir(SCRATCH_DIR),
        }
    }

    /// Removes a data set with all its files, as carefully as [`Area::clean`]. The caller holds the
    /// lock.
    pub(crate) fn remove_data_set(&self, name: &str) -> Result<Cleaned, AreaError> {
        self.check_still_there()?;
        let path = self.data_dir().join(name);
        for dir in [&self.data_dir(), &path] {
            self.check_is_dir(dir)?;
        }
        let mut cleaned = removal::empty_dir(&self.dir, &[DATA_DIR, name])?;
        self.dir.remove_dir(&path).map_err(|error| io_error("remove", &path, error))?;
        cleaned.directories += 1;
        Ok(cleaned)
    }

    /// Removes a directory of the area with all its contents, as carefully as [`Area::clean`]. The
    /// caller holds the lock.
    pub(crate) fn remove_dir(&self, name: &'static str) -> Result<Cleaned, AreaError> {
        let mut cleaned = self.empty_dir(name)?;
        let path = self.root().join(name);
        self.dir.remove_dir(&path).map_err(|error| io_error("remove", &path, error))?;
        cleaned.directories += 1;
        Ok(cleaned)
    }

    /// Checks that this is a directory and not a link to one.
    fn check_is_dir(&self, path: &Path) -> Result<(), AreaError> {
        match self.dir.facts(path) {
            Ok(facts) if facts.is_dir() => Ok(()),
            Ok(facts) => Err(not_a_dir(path, facts.what == EntryKind::Link)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(AreaError::Vanished { path: path.to_owned() })
            }
            Err(error) => Err(io_error("access", path, error)),
        }
    }

    /// Checks that this path still leads to the area that was opened.
    fn check_still_there(&self) -> Result<(), AreaError> {
        let vanished = || AreaError::Vanished { path: self.root().to_owned() };
        let now = AreaDir::open(self.root()).map_err(|_| vanished())?;
        match Marker::read(&now) {
            Ok(now) if now.id == self.marker.id => Ok(()),
            Ok(_) => Err(vanished()),
            Err(error) => Err(error),
        }
    }
}

/// The area that contains this path, or would contain it if the path existed.
pub fn area_around(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    // The existing part of the path may lead through links.
    let there = absolute.ancestors().find_map(|dir| Some((dir, full_path(dir).ok()?)));
    let whole = match there {
        Some((dir, whole)) => whole.join(absolute.strip_prefix(dir).ok()?),
        None => absolute,
    };
    let is_area = |dir: &&Path| {
        dir.file_name().is_some_and(|name| name == AREA_DIR)
            || fs::symlink_metadata(dir.join(MARKER_FILE)).is_ok()
    };
    whole.ancestors().find(is_area).map(Path::to_owned)
}

/// Checks that this is a directory and not a link to one.
fn check_is_dir(path: &Path, missing: impl FnOnce() -> AreaError) -> Result<(), AreaError> {
    let kind = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
        Err(error) => return Err(io_error("access", path, error)),
    };
    if kind.is_dir() { Ok(()) } else { Err(not_a_dir(path, kind.is_symlink())) }
}

fn not_a_dir(path: &Path, is_link: bool) -> AreaError {
    let what = if is_link { "a symbolic link" } else { "a file" };
    AreaError::Foreign { path: path.to_owned(), what: what.to_owned() }
}

/// The target as an absolute path without symbolic links, if it is a directory outside any area.
fn checked_target(target: &Path) -> Result<PathBuf, AreaError> {
    let absolute = full_path(target).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            AreaError::Missing { target: target.to_owned(), nearest: nearest_existing(target) }
        }
        io::ErrorKind::NotADirectory => AreaError::NotADirectory { target: target.to_owned() },
        _ => io_error("access", target, error),
    })?;
    let metadata = fs::metadata(&absolute).map_err(|error| io_error("access", &absolute, error))?;
    if !metadata.is_dir() {
        return Err(AreaError::NotADirectory { target: absolute });
    }
    // A marker above means that data would be written into an area that another run may remove.
    match absolute.ancestors().find(|dir| fs::symlink_metadata(dir.join(MARKER_FILE)).is_ok()) {
        Some(area) => Err(AreaError::InsideArea { area: area.to_owned(), target: absolute }),
        None => Ok(absolute),
    }
}

/// Handles a target, or its area, that other users can write to now.
fn settle(target: &Path, area: Option<&Area>, sharing: Sharing) -> Result<Option<String>, AreaError> {
    let facts = |dir: &AreaDir| dir.facts(dir.path()).map_err(|error| io_error("access", dir.path(), error));
    let held = AreaDir::open(target).map_err(|error| io_error("open", target, error))?;
    let of_area = area.map(|area| facts(&area.dir)).transpose()?;
    let area = area.map(Area::root).zip(of_area.as_ref());
    sharing::settle((target, &facts(&held)?), area, sharing)
}

/// The deepest existing directory above a missing path.
fn nearest_existing(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.ancestors().skip(1).find(|dir| dir.is_dir()).map(Path::to_owned)
}

/// The target, and the users whose leftovers may be removed in it. `None` if the target contains no
/// possible leftover, so that no run is refused without need.
fn users_of_leftovers(target: &Path, sharing: Sharing) -> Result<Option<(PathBuf, Vec<u32>)>, AreaError> {
    identity::shed();
    let target = checked_target(target)?;
    if leftover::named(&target, usize::MAX).is_empty() {
        return Ok(None);
    }
    settle(&target, None, sharing)?;
    let users = own_users(None);
    Ok(Some((target, users)))
}

/// The users whose directories count as this run's own: the user who opens files here, and the owner of
/// an area that was just created. The two differ if a server maps root to another user.
#[cfg(unix)]
fn own_users(made: Option<&Area>) -> Vec<u32> {
    let of_area = made.and_then(|area| area.dir.facts(area.root()).ok()).map(|facts| facts.owner.user);
    [Some(identity::user()), of_area].into_iter().flatten().collect()
}

#[cfg(not(unix))]
fn own_users(_made: Option<&Area>) -> Vec<u32> {
    Vec::new()
}

/// Whether the target's file system is mounted writable, as far as the system reports it.
#[cfg(unix)]
fn check_takes_writes(target: &Path) -> Result<(), AreaError> {
    match rustix::fs::statvfs(target) {
        Ok(told) if told.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY) => {
            Err(AreaError::ReadOnly { path: target.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_takes_writes(_target: &Path) -> Result<(), AreaError> {
    Ok(())
}

/// Creates the area under a temporary name and then renames it, so that an area without a marker never
/// exists. A crash in between leaves a small directory `reelgauge-area.new-…`, which the next start
/// removes ([`leftover`]).
fn create(target: &Path) -> Result<Area, AreaError> {
    created_with(target, &|_, _| {})
}

/// The stage of an area that still has its temporary name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// An empty directory.
    Empty,
    /// A directory with its marker.
    Marked,
}

/// Like [`create`]. Tests use `at_stage`: it is called at every stage, with the temporary name.
fn created_with(target: &Path, at_stage: &dyn Fn(Stage, &Path)) -> Result<Area, AreaError> {
    let root = target.join(AREA_DIR);
    let marker = Marker::fresh();
    let made = match made_and_named(target, &root, &marker, at_stage)? {
        Some(made) => made,
        // Another run was faster: its area serves as well.
        None if fs::symlink_metadata(&root).is_ok() => return Area::open_in(target),
        None => match make_marked(&root, &root, &marker, &|_, _| {}) {
            Err(error) if is_io(&error, io::ErrorKind::AlreadyExists) => return Area::open_in(target),
            made => made?,
        },
    };
    sync_dir(target);
    let dir = made.moved_to(&root).map_err(|error| io_error("open", &root, error))?;
    Ok(Area { created: true, ..Area::held(target, dir, marker) })
}

/// Creates a marked directory and gives it the area's name. Returns `None`, and leaves nothing, in three
/// cases: another run was faster; another start removed the directory as a leftover (at any stage); or
/// the file system cannot rename directories, which is true of some network and FUSE file systems.
fn made_and_named(
    target: &Path,
    root: &Path,
    marker: &Marker,
    at_stage: &dyn Fn(Stage, &Path),
) -> Result<Option<AreaDir>, AreaError> {
    let new = target.join(leftover::name_of_new(&marker.id));
    let made = match make_marked(&new, root, marker, at_stage) {
        Err(error) if is_io(&error, io::ErrorKind::NotFound) => return Ok(None),
        made => made?,
    };
    if rename_to_new(&new, root).is_ok() {
        return Ok(Some(made));
    }
    unmake(&made);
    Ok(None)
}

fn is_io(error: &AreaError, kind: io::ErrorKind) -> bool {
    matches!(error, AreaError::Io { source, .. } if source.kind() == kind)
}

/// Makes a new directory with a marker in it, and removes it again if that fails. Errors name the area
/// by its final name, because the user never sees the temporary one.
fn make_marked(
    path: &Path,
    root: &Path,
    marker: &Marker,
    at_stage: &dyn Fn(Stage, &Path),
) -> Result<AreaDir, AreaError> {
    fs::create_dir(path).map_err(|error| io_error("create the area", root, error))?;
    at_stage(Stage::Empty, path);
    let dir = AreaDir::open(path).map_err(|error| io_error("open", root, error))?;
    if let Err(error) = marker.write(&dir) {
        unmake(&dir);
        return Err(io_error("write the marker in", root, error));
    }
    dir.sync_dir(path);
    at_stage(Stage::Marked, path);
    Ok(dir)
}

/// Undoes [`make_marked`]. Failures do not matter: an empty or marked directory would remain.
fn unmake(dir: &AreaDir) {
    // A failure does not matter, see above.
    let _ = dir.remove_file(&dir.path().join(MARKER_FILE));
    let _ = fs::remove_dir(dir.path());
}

/// Renames without replacing another entry. Where the system has no such call, it checks first.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // The file system or the kernel does not support the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            renamed => return Ok(renamed?),
        }
    }
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Makes created, renamed and removed names in a directory durable, where the system can. Failures are
/// ignored, because many network file systems refuse the call although they save names anyway.
fn sync_dir(dir: &Path) {
    #[cfg(unix)]
    if let Ok(dir) = fs::File::open(dir) {
        // Some file systems cannot. Then a crash of the host may lose a name, which is created again.
        let _ = dir.sync_all();
    }
    // Unused on other systems.
    #[cfg(not(unix))]
    let _ = dir;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn names_in(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn made_once_and_then_found_again() {
        let dir = scratch();
        let made = Area::open_or_create(dir.path()).unwrap();
        assert!(made.is_new());
        assert_eq!(names_in(dir.path()), [AREA_DIR]);
        assert!(names_in(made.root()).contains(&MARKER_FILE.to_owned()));

        let found = Area::open_or_create(dir.path()).unwrap();
        assert!(!found.is_new());
        assert_eq!(found.id(), made.id());
        assert_eq!(Area::open_existing(dir.path()).unwrap().id(), made.id());
        assert!(found.root().is_absolute());
        assert!(found.created_at().starts_with("20"), "{}", found.created_at());
    }

    #[test]
    fn every_area_has_a_unique_id() {
        let (one, two) = (scratch(), scratch());
        let (one, two) =
            (Area::open_or_create(one.path()).unwrap(), Area::open_or_create(two.path()).unwrap());
        assert_ne!(one.id(), two.id());
    }

    #[test]
    fn many_at_once_agree_on_one_area() {
        let dir = scratch();
        let ids: Vec<String> = std::thread::scope(|scope| {
            let open = || Area::open_or_create(dir.path()).unwrap().id().to_owned();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert_eq!(names_in(dir.path()), [AREA_DIR]);
    }

    #[test]
    fn opening_a_missing_area_creates_nothing() {
        let dir = scratch();
        let error = Area::open_existing(dir.path()).unwrap_err();
        assert!(matches!(error, AreaError::NoArea { .. }), "{error}");
        assert!(names_in(dir.path()).is_empty());
    }

    /// Checks that this directory is refused, unchanged, and not removed either.
    fn assert_left_alone(dir: &Path) -> AreaError {
        let before = names_in(dir);
        let error = Area::open_or_create(dir).unwrap_err();
        assert!(Area::open_existing(dir).is_err());
        assert_eq!(names_in(dir), before);
        error
    }

    #[test]
    fn directory_without_marker_is_unchanged() {
        let dir = scratch();
        let root = dir.path().join(AREA_DIR);
        fs::create_dir(&root).unwrap();
        let error = assert_left_alone(dir.path());
        assert!(matches!(error, AreaError::Foreign { .. }), "{error}");

        fs::write(root.join("film.mov"), "precious").unwrap();
        assert_left_alone(dir.path());
        assert_eq!(fs::read(root.join("film.mov")).unwrap(), b"precious");
    }

    #[test]
    fn file_with_the_area_name_is_unchanged() {
        let dir = scratch();
        fs::write(dir.path().join(AREA_DIR), "precious").unwrap();
        let error = assert_left_alone(dir.path());
        assert!(matches!(error, AreaError::Foreign { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn link_with_the_area_name_is_unchanged_even_if_it_leads_to_an_area() {
        let (dir, other) = (scratch(), scratch());
        let elsewhere = Area::open_or_create(other.path()).unwrap();
        std::os::unix::fs::symlink(elsewhere.root(), dir.path().join(AREA_DIR)).unwrap();
        let error = assert_left_alone(dir.path());
        assert!(error.to_string().contains("symbolic link"), "{error}");
        assert!(elsewhere.root().join(MARKER_FILE).exists());
    }

    #[test]
    fn invalid_marker_is_refused() {
        let linked = scratch();
        let real = Area::open_or_create(linked.path()).unwrap();
        let real_text = fs::read_to_string(real.root().join(MARKER_FILE)).unwrap();
        for text in ["", "hello", "format = \"1\"", "format = 1", "format = -1\nid = \"a\"", "format = 0"] {
            let dir = scratch();
            let root = dir.path().join(AREA_DIR);
            fs::create_dir(&root).unwrap();
            fs::write(root.join(MARKER_FILE), text).unwrap();
            let error = assert_left_alone(dir.path());
            assert!(matches!(error, AreaError::Foreign { .. }), "{text:?}: {error}");
        }
        // The same directory with a valid marker.
        let dir = scratch();
        fs::create_dir(dir.path().join(AREA_DIR)).unwrap();
        fs::write(dir.path().join(AREA_DIR).join(MARKER_FILE), real_text).unwrap();
        assert_eq!(Area::open_existing(dir.path()).unwrap().id(), real.id());
    }

    #[cfg(unix)]
    #[test]
    fn a_marker_that_is_a_link_is_refused() {
        let (dir, other) = (scratch(), scratch());
        let elsewhere = Area::open_or_create(other.path()).unwrap();
        let root = dir.path().join(AREA_DIR);
        fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(elsewhere.root().join(MARKER_FILE), root.join(MARKER_FILE)).unwrap();
        let error = assert_left_alone(dir.path());
        assert!(matches!(error, AreaError::Foreign { .. }), "{error}");
    }

    #[test]
    fn area_of_a_newer_version_is_unchanged() {
        let dir = scratch();
        let root = dir.path().join(AREA_DIR);
        fs::create_dir(&root).unwrap();
        fs::write(root.join(MARKER_FILE), "format = 2\nversion = \"9.1.0\"\ntool_version = \"9.1.0\"")
            .unwrap();
        let error = assert_left_alone(dir.path());
        assert!(matches!(error, AreaError::Newer { format: 2, .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains("newer version") && said.contains("9.1.0"), "{said}");
    }

    #[test]
    fn targets_that_are_none() {
        let dir = scratch();
        let missing = dir.path().join("a").join("b");
        let error = Area::open_or_create(&missing).unwrap_err();
        let AreaError::Missing { nearest, .. } = &error else { panic!("{error}") };
        assert_eq!(nearest.as_deref(), Some(dir.path()));
        assert!(matches!(Area::open_or_create(Path::new("")), Err(AreaError::Missing { .. })));

        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Area::open_or_create(&file).unwrap_err();
        assert!(matches!(error, AreaError::NotADirectory { .. }), "{error}");
        #[cfg(unix)]
        {
            let error = Area::open_or_create(&file.join("below")).unwrap_err();
            assert!(matches!(error, AreaError::NotADirectory { .. }), "{error}");
        }
    }

    #[test]
    fn a_target_inside_an_area_is_refused() {
        let dir = scratch();
        let area = Area::open_or_create(dir.path()).unwrap();
        fs::create_dir(area.data_dir()).unwrap();
        for inside in [area.root().to_owned(), area.data_dir()] {
            let error = Area::open_or_create(&inside).unwrap_err();
            assert!(matches!(error, AreaError::InsideArea { .. }), "{error}");
        }
    }

    #[test]
    fn area_content_is_known_before_it_is_created() {
        let dir = scratch();
        let root = full_path(dir.path()).unwrap().join(AREA_DIR);
        for inside in [root.clone(), root.join("runs"), root.join("a/b")] {
            assert_eq!(area_around(&inside), Some(root.clone()), "before there is one");
        }
        assert_eq!(area_around(&dir.path().join("runs")), None);
        let area = Area::open_or_create(dir.path()).unwrap();
        fs::rename(area.root(), dir.path().join("renamed")).unwrap();
        assert_eq!(area_around(&dir.path().join("renamed/runs")), Some(root.with_file_name("renamed")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(dir.path().join("renamed"), dir.path().join("link")).unwrap();
            assert!(area_around(&dir.path().join("link/runs")).is_some());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_target_may_be_named_by_a_link() {
        let dir = scratch();
        fs::create_dir(dir.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", dir.path().join("link")).unwrap();
        let area = Area::open_or_create(&dir.path().join("link")).unwrap();
        assert_eq!(area.target(), dir.path().join("real").canonicalize().unwrap());
    }

    #[test]
    fn one_run_at_a_time() {
        let dir = scratch();
        let area = Area::open_or_create(dir.path()).unwrap();
        let lock = area.lock().unwrap();
        assert_eq!(lock.note(), None);
        let error = Area::open_existing(dir.path()).unwrap().lock().unwrap_err();
        let AreaError::InUse { holder, .. } = &error else { panic!("{error}") };
        assert!(holder.contains(&std::process::id().to_string()), "{holder}");
        let error = area.clone().clean().unwrap_err();
        assert!(matches!(error, AreaError::InUse { .. }), "{error}");
        assert!(area.root().join(MARKER_FILE).exists());

        drop(lock);
        drop(area.lock().unwrap());
        area.clean().unwrap();
    }

    #[test]
    fn only_hosts_of_one_run_share_an_area() {
        let dir = scratch();
        let area = Area::open_or_create(dir.path()).unwrap();
        let is_refused = |area: &Area| matches!(area.lock(), Err(AreaError::InUse { .. }));
        assert!(area.join("run-1").unwrap().is_none(), "nobody shares it");
        let owner = area.lock().unwrap();
        assert!(area.join("run-1").unwrap().is_none(), "the owner makes files");
        area.share(&owner, "run-1").unwrap();
        let guest = area.join("run-1").unwrap().unwrap();
        assert!(area.join("run-2").unwrap().is_none(), "another run");
        assert!(is_refused(&area));
        drop(owner);
        assert!(is_refused(&area), "the guest is still at work");
        assert!(matches!(area.clone().clean(), Err(AreaError::InUse { .. })));
        drop(guest);
        assert!(area.lock().is_ok());
        assert!(area.join("run-1").unwrap().is_none(), "whoever had the lock for itself ended the share");
    }

    #[test]
    fn an_area_that_was_removed_or_replaced_cannot_be_locked() {
        let dir = scratch();
        let area = Area::open_or_create(dir.path()).unwrap();
        area.clone().clean().unwrap();
        let error = area.lock().unwrap_err();
        assert!(matches!(error, AreaError::Vanished { .. }), "{error}");
        assert!(names_in(dir.path()).is_empty());

        let next = Area::open_or_create(dir.path()).unwrap();
        let error = area.clone().clean().unwrap_err();
        assert!(matches!(error, AreaError::Vanished { .. }), "{error}");
        drop(next.lock().unwrap());
    }

    #[test]
    fn clean_removes_everything_and_reports_it() {
        let dir = scratch();
        fs::write(dir.path().join("film.mov"), "precious").unwrap();
        let area = Area::open_or_create(dir.path()).unwrap();
        let (set, deep) = (area.data_dir().join("files-1KiB-u512"), area.root().join("scratch/a"));
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir_all(&set).unwrap();
        fs::write(deep.join("file"), vec![1; 1000]).unwrap();
        fs::write(set.join("file-0000.bin"), vec![1; 234]).unwrap();
        let marker_bytes = fs::metadata(area.root().join(MARKER_FILE)).unwrap().len();
        let lock_bytes = fs::metadata(area.root().join(LOCK_FILE)).unwrap().len();
        assert_eq!(lock_bytes, 0, "no run has held it");

        let told = area.to_clean().unwrap();
        assert_eq!((told.files, told.directories, told.bytes), (4, 5, 1234 + marker_bytes));
        assert!(deep.join("file").exists() && set.join("file-0000.bin").exists());
        let cleaned = area.clean().unwrap();
        assert_eq!(names_in(dir.path()), ["film.mov"]);
        assert_eq!((cleaned.files, cleaned.directories), (4, 5));
        let folders =
            |cleaned: &Cleaned| cleaned.folders.iter().map(|folder| folder.path.clone()).collect::<Vec<_>>();
        assert_eq!(folders(&cleaned), folders(&told));
        // During the removal the lock file names its holder.
        assert!(cleaned.bytes > 1234 + marker_bytes, "{cleaned:?}");
        assert!(cleaned.bytes < 1234 + marker_bytes + 500, "{cleaned:?}");
    }

    #[cfg(unix)]
    #[test]
    fn clean_keeps_and_names_foreign_files() {
        let (dir, other) = (scratch(), scratch());
        fs::write(other.path().join("film.mov"), "precious").unwrap();
        let area = Area::open_or_create(dir.path()).unwrap();
        let set = area.data_dir().join("files-1KiB-u512");
        fs::create_dir_all(&set).unwrap();
        let link = std::os::unix::fs::symlink::<&Path, PathBuf>;
        let film = other.path().join("film.mov");
        let theirs = [
            area.root().join("to-nothing"),
            area.data_dir().join("to-dir"),
            set.join("file-0000.bin"),
            set.join("file-0001.bin"),
            set.join("notes.txt"),
        ];
        link(Path::new("/there/is/no/such/file"), theirs[0].clone()).unwrap();
        link(other.path(), theirs[1].clone()).unwrap();
        link(&film, theirs[2].clone()).unwrap();
        fs::hard_link(&film, &theirs[3]).unwrap();
        fs::write(&theirs[4], "mine").unwrap();
        fs::write(set.join("file-0002.bin"), vec![1; 1024]).unwrap();
        fs::create_dir(area.root().join("scratch")).unwrap();

        let told = area.to_clean().unwrap();
        let cleaned = area.clone().clean().unwrap();
        for cleaned in [&told, &cleaned] {
            let mut left = cleaned.left.clone();
            left.sort();
            let mut theirs = theirs.to_vec();
            theirs.sort();
            assert_eq!((left, cleaned.left_count), (theirs, 5));
        }
        assert_eq!((cleaned.files, cleaned.bytes, cleaned.directories), (1, 1024, 1));
        assert!(theirs.iter().all(|path| fs::symlink_metadata(path).is_ok()));
        assert_eq!(fs::read(&film).unwrap(), b"precious");
        // It is still an area, and can be removed after the foreign files were removed.
        theirs.iter().for_each(|path| fs::remove_file(path).unwrap());
        area.clean().unwrap();
        assert!(names_in(dir.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_is_a_link_is_not_written_to_and_can_be_removed() {
        for is_hard in [false, true] {
            let (dir, other) = (scratch(), scratch());
            let film = other.path().join("film.mov");
            fs::write(&film, "precious").unwrap();
            let area = Area::open_or_create(dir.path()).unwrap();
            let lock = area.root().join(LOCK_FILE);
            fs::remove_file(&lock).unwrap();
            if is_hard {
                fs::hard_link(&film, &lock).unwrap();
            } else {
                std::os::unix::fs::symlink(&film, &lock).unwrap();
            }
            for refused in [Area::open_or_create(dir.path()).map(drop), area.lock().map(drop)] {
                let error = refused.unwrap_err();
                assert!(matches!(error, AreaError::ForeignLock { .. }), "{error}");
                assert_eq!(fs::read(&film).unwrap(), b"precious");
            }
            Area::open_existing(dir.path()).unwrap().clean().unwrap();
            assert!(names_in(dir.path()).is_empty());
            assert_eq!(fs::read(&film).unwrap(), b"precious");
        }
    }

    #[cfg(unix)]
    #[test]
    fn clean_stops_before_removing_the_marker() {
        let dir = scratch();
        let area = Area::open_or_create(dir.path()).unwrap();
        let mut deep = area.root().join("scratch");
        for _ in 0..100 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        let error = area.clone().clean().unwrap_err();
        assert!(matches!(error, AreaError::Removal { .. }), "{error}");
        assert!(area.root().join(MARKER_FILE).exists());

        fs::remove_dir_all(area.root().join("scratch")).unwrap();
        Area::open_existing(dir.path()).unwrap().clean().unwrap();
        assert!(names_in(dir.path()).is_empty());
    }
}
