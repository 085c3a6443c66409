//! Paths below the area, always resolved from the area's own directory.
//!
//! Reelgauge runs as root on storage where others may write. A user with write access to a target can
//! replace a directory of the area with a symbolic link at any moment. An absolute path would follow it,
//! and a run would overwrite or remove files elsewhere. So the area's directory is opened once and stays
//! open. Everything below it is reached from there, by its relative path, never through a link and never
//! onto another mount:
//!
//! | system | method |
//! |---|---|
//! | Linux 5.6 and later | one `openat2` with `RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS`, `RESOLVE_NO_XDEV` |
//! | older Linux, containers that forbid it, macOS | one directory at a time, `O_NOFOLLOW`, on one device |
//! | Windows | by the full path, after a check for links in it |
//!
//! On Windows a link created right after the check is followed, so no other user should have write
//! access to the target. Some file systems, such as sshfs, send whole paths to a server that resolves
//! them. They give no protection against other users of that server.
//!
//! There is no such call for removing, renaming and creating directories. These operations use the
//! parent directory, which is opened safely and held open. If that directory is moved at this moment,
//! the operation happens in the moved directory, which still belongs to Reelgauge.
//!
//! Not here: the frequent operations of the drivers ([`crate::io`]), which build on this.

#[cfg(unix)]
pub(crate) mod links;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

#[cfg(not(unix))]
use other::Root;
#[cfg(unix)]
use reelgauge_record::identity::Guise;
#[cfg(target_os = "linux")]
pub(crate) use unix::KEPT_TO;
#[cfg(unix)]
pub(crate) use unix::{Root, TO_PIN, c_path, facts_of};

/// The area's own directory, held open.
#[derive(Clone, Debug)]
pub struct AreaDir {
    held: Arc<OpenDirectory>,
}

#[derive(Debug)]
struct OpenDirectory {
    path: PathBuf,
    root: Root,
    #[cfg(unix)]
    links: links::OwnLinks,
}

impl OpenDirectory {
    fn of(path: &Path, root: Root) -> OpenDirectory {
        OpenDirectory {
            path: path.to_owned(),
            root,
            #[cfg(unix)]
            links: links::OwnLinks::default(),
        }
    }
}

/// The purpose of opening a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To read it.
    Reading,
    /// To write to an existing file, or to set its time. Not for appending: some user-space clients lose
    /// their session on that.
    Existing,
    /// To read and write it; created if it does not exist.
    Both,
    /// To write and read a new file.
    New,
    /// To read and write an existing file with direct I/O.
    #[cfg(target_os = "linux")]
    Direct,
}

/// The current state of a file of the area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryState {
    /// Size of the file.
    pub size_bytes: u64,
    /// Bytes that its data occupies on the storage; `None` if the system does not report them.
    pub stored_bytes: Option<u64>,
    /// Why Reelgauge cannot have made this file; `None` if it may have.
    pub foreign: Option<&'static str>,
    /// Distinguishes it from a later file with the same name; `None` if the system has no such identity.
    pub identity: Option<u64>,
}

/// The type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Directory,
    Link,
    /// A device, pipe or socket.
    Other,
}

/// The facts about a directory entry. For a link, they describe the link itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryFacts {
    pub what: EntryKind,
    pub size_bytes: u64,
    /// The number of its names; 1 if the system does not report it.
    pub names: u64,
    pub modified: Option<SystemTime>,
    /// Its inode number.
    #[cfg(unix)]
    pub inode: u64,
    /// The device number of its file system.
    #[cfg(unix)]
    pub device: u64,
    #[cfg(unix)]
    pub owner: Guise,
    /// The permission bits.
    #[cfg(unix)]
    pub permissions: u32,
    /// Allocated space, where the system reports it.
    #[cfg(unix)]
    pub allocated_bytes: u64,
    #[cfg(windows)]
    pub is_sparse: bool,
}

impl EntryFacts {
    pub fn is_file(&self) -> bool {
        self.what == EntryKind::File
    }

    pub fn is_dir(&self) -> bool {
        self.what == EntryKind::Directory
    }

    /// Distinguishes it from every other file that exists at the same time.
    #[cfg(unix)]
    pub fn id(&self) -> links::FileId {
        links::FileId { device: self.device, inode: self.inode }
    }

    pub fn is_link(&self) -> bool {
        self.what == EntryKind::Link
    }

    /// Why this file must be neither written nor removed as one of Reelgauge's own.
    pub fn foreign_file(&self) -> Option<&'static str> {
        match self.what {
            EntryKind::Link => Some("a symbolic link"),
            EntryKind::Directory | EntryKind::Other => Some("not a file"),
            // Writing to it would change a file elsewhere.
            EntryKind::File if self.names > 1 => Some("a hard link to a file elsewhere"),
            EntryKind::File => None,
        }
    }
}

impl AreaDir {
    /// Opens this directory and holds it open. Refuses a link.
    ///
    /// # Errors
    /// The error of the system.
    pub fn open(path: &Path) -> io::Result<AreaDir> {
        Ok(AreaDir { held: Arc::new(OpenDirectory::of(path, Root::open(path)?)) })
    }

    /// Like [`AreaDir::open`], but resolves paths step by step, as on a system without a single call for
    /// it.
    #[cfg(all(test, unix))]
    pub(crate) fn open_step_by_step(path: &Path) -> io::Result<AreaDir> {
        let mut root = Root::open(path)?;
        root.go_step_by_step();
        Ok(AreaDir { held: Arc::new(OpenDirectory::of(path, root)) })
    }

    /// The same directory, which was renamed to this path.
    ///
    /// # Errors
    /// The error of the system.
    pub(crate) fn moved_to(&self, path: &Path) -> io::Result<AreaDir> {
        Ok(AreaDir { held: Arc::new(OpenDirectory::of(path, self.held.root.again()?)) })
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.held.path
    }

    #[cfg(unix)]
    pub(crate) fn root(&self) -> &Root {
        &self.held.root
    }

    /// The hard links that this process made here.
    #[cfg(unix)]
    pub(crate) fn links(&self) -> &links::OwnLinks {
        &self.held.links
    }

    /// The relative path from here to a path below; `None` for any other path, and for one with `..`.
    pub(crate) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let inside = path.strip_prefix(&self.held.path).ok()?;
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        let plain = inside.components().all(is_plain);
        plain.then(|| inside.components().filter(|part| matches!(part, Component::Normal(_))).collect())
    }

    /// Like [`AreaDir::inside`], but any other path is an error.
    fn must_be_inside(&self, path: &Path) -> io::Result<PathBuf> {
        self.inside(path).ok_or_else(|| {
            let why = format!("it is not in {}", self.held.path.display());
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })
    }

    pub(crate) fn open_file(&self, path: &Path, purpose: Purpose) -> io::Result<File> {
        self.held.root.open_file(&self.held.path, &self.must_be_inside(path)?, purpose)
    }

    /// The text of a file with at most this many bytes.
    pub(crate) fn read_text(&self, path: &Path, longest_bytes: u64) -> io::Result<String> {
        use std::io::Read;
        let mut text = String::new();
        self.open_file(path, Purpose::Reading)?.take(longest_bytes).read_to_string(&mut text)?;
        Ok(text)
    }

    pub(crate) fn facts(&self, path: &Path) -> io::Result<EntryFacts> {
        self.held.root.facts(&self.held.path, &self.must_be_inside(path)?)
    }

    /// The current state of a file of the area.
    ///
    /// # Errors
    /// The error of the system; `NotFound` if the name does not exist.
    pub fn standing(&self, path: &Path) -> io::Result<EntryState> {
        let facts = self.facts(path)?;
        #[cfg(unix)]
        let (identity, stored_bytes) = (Some(facts.inode), Some(facts.allocated_bytes));
        #[cfg(not(unix))]
        let (identity, stored_bytes) = (None, None);
        let foreign = if facts.is_dir() || self.is_own_link(&facts) { None } else { facts.foreign_file() };
        Ok(EntryState { size_bytes: facts.size_bytes, stored_bytes, foreign, identity })
    }

    /// Whether all names of a file were made by this process.
    #[cfg(unix)]
    fn is_own_link(&self, facts: &EntryFacts) -> bool {
        facts.is_file() && facts.names > 1 && self.links().allows(facts.id(), facts.names)
    }

    #[cfg(not(unix))]
    fn is_own_link(&self, _facts: &EntryFacts) -> bool {
        false
    }

    /// Gives a file an additional name.
    pub(crate) fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.must_be_inside(from)?, self.must_be_inside(to)?);
        #[cfg(unix)]
        return self.held.root.link(&self.held.links, &from, &to);
        #[cfg(not(unix))]
        self.held.root.link(&self.held.path, &from, &to)
    }

    /// Creates a relative symbolic link to an entry that has, or may get, another name here. It is never
    /// followed.
    pub(crate) fn lead_to(&self, link: &Path, target: &Path) -> io::Result<()> {
        let (link, target) = (self.must_be_inside(link)?, self.must_be_inside(target)?);
        self.held.root.lead_to(&link, &target)
    }

    /// The names in a directory.
    pub(crate) fn names_in(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.held.root.names_in(&self.held.path, &self.must_be_inside(path)?)
    }

    pub(crate) fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.held.root.create_dir(&self.held.path, &self.must_be_inside(path)?)
    }

    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        let inside = self.must_be_inside(path)?;
        #[cfg(unix)]
        if self.links().any() {
            let facts = self.facts(path)?;
            self.held.root.remove_file(&self.held.path, &inside)?;
            self.links().lost_name(facts.id());
            return Ok(());
        }
        self.held.root.remove_file(&self.held.path, &inside)
    }

    pub(crate) fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.held.root.remove_dir(&self.held.path, &self.must_be_inside(path)?)
    }

    /// Renames an entry, and replaces the entry that has the new name.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.must_be_inside(from)?, self.must_be_inside(to)?);
        self.held.root.rename(&self.held.path, &from, &to)
    }

    /// Exchanges the entries of two names.
    pub(crate) fn exchange(&self, one: &Path, two: &Path) -> io::Result<()> {
        let (one, two) = (self.must_be_inside(one)?, self.must_be_inside(two)?);
        self.held.root.exchange(&one, &two)
    }

    /// Makes created, renamed and removed names in a directory durable, where the system can. Failures
    /// are ignored, because many network file systems refuse the call although they save names anyway.
    pub(crate) fn sync_dir(&self, path: &Path) {
        #[cfg(unix)]
        if let Ok(inside) = self.must_be_inside(path)
            && let Ok(dir) = self.held.root.open_dir_to_read(&inside)
        {
            // Some file systems cannot. Then a crash of the host may lose the name.
            let _ = rustix::fs::fsync(&dir);
        }
        // Unused on other systems.
        #[cfg(not(unix))]
        let _ = path;
    }
}

/// Opens a file for reading: from the area's directory if it is below that, else by its path.
///
/// # Errors
/// The error of the system.
pub(crate) fn open_to_read(area: Option<&AreaDir>, path: &Path) -> io::Result<File> {
    match area {
        Some(area) if path.starts_with(area.path()) => area.open_file(path, Purpose::Reading),
        _ => File::open(path),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Runs a check for a directory opened in both ways, with a sibling that must stay unchanged.
    fn each_way(look: impl Fn(&AreaDir, &Path)) {
        for is_slow in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let (root, beside) = (folder.path().join("area"), folder.path().join("beside"));
            fs::create_dir_all(root.join("data/set")).unwrap();
            fs::create_dir_all(beside.join("set")).unwrap();
            fs::write(beside.join("set/file"), "precious").unwrap();
            fs::write(beside.join("file"), "precious").unwrap();
            let open = if is_slow { AreaDir::open_step_by_step } else { AreaDir::open };
            look(&open(&root).unwrap(), &beside);
            assert_eq!(fs::read(beside.join("set/file")).unwrap(), b"precious");
            assert_eq!(fs::read(beside.join("file")).unwrap(), b"precious");
            assert_eq!(fs::read_dir(&beside).unwrap().count(), 2);
            assert_eq!(fs::read_dir(beside.join("set")).unwrap().count(), 1);
        }
    }

    #[test]
    fn paths_below_are_created_read_renamed_and_removed() {
        each_way(|area, _| {
            let at = |name: &str| area.path().join(name);
            area.create_dir(&at("data/set/deep")).unwrap();
            area.open_file(&at("data/set/deep/a"), Purpose::New).unwrap().write_all(b"text").unwrap();
            assert!(area.open_file(&at("data/set/deep/a"), Purpose::New).is_err(), "it is there");
            area.rename(&at("data/set/deep/a"), &at("data/b")).unwrap();
            area.open_file(&at("data/b"), Purpose::Existing).unwrap().write_all(b"!").unwrap();
            assert_eq!(area.read_text(&at("data/b"), 100).unwrap(), "!ext");
            let facts = area.facts(&at("data/b")).unwrap();
            assert_eq!((facts.what, facts.size_bytes, facts.names), (EntryKind::File, 4, 1));
            assert!(area.facts(&at("data")).unwrap().is_dir());
            assert_eq!(area.names_in(&at("data")).unwrap().len(), 2);
            area.remove_file(&at("data/b")).unwrap();
            area.remove_dir(&at("data/set/deep")).unwrap();
            area.sync_dir(&at("data"));
            let gone = area.facts(&at("data/b")).unwrap_err();
            assert_eq!(gone.kind(), io::ErrorKind::NotFound);
            assert_eq!(area.names_in(area.path()).unwrap(), ["data"]);
        });
    }

    #[test]
    fn link_in_the_path_is_never_followed() {
        each_way(|area, beside| {
            let at = |name: &str| area.path().join(name);
            fs::remove_dir_all(at("data")).unwrap();
            symlink(beside, at("data")).unwrap();
            let (file, new) = (at("data/set/file"), at("data/set/new"));
            for purpose in [Purpose::Reading, Purpose::Existing, Purpose::Both] {
                assert!(area.open_file(&file, purpose).is_err(), "{purpose:?}");
            }
            assert!(area.open_file(&new, Purpose::New).is_err());
            assert!(area.create_dir(&new).is_err() && area.remove_file(&file).is_err());
            assert!(area.rename(&file, &new).is_err() && area.remove_dir(&at("data/set")).is_err());
            assert!(area.facts(&file).is_err() && area.names_in(&at("data/set")).is_err());
            assert_eq!(area.facts(&at("data")).unwrap().what, EntryKind::Link);
            // The link itself is neither read nor written through, and can be removed.
            symlink(beside.join("file"), at("leaf")).unwrap();
            assert!(area.open_file(&at("leaf"), Purpose::Both).is_err());
            area.remove_file(&at("leaf")).unwrap();
        });
    }

    #[test]
    fn opened_directory_stays_the_same_after_its_name_is_reused() {
        each_way(|area, beside| {
            let aside = area.path().with_file_name("aside");
            fs::rename(area.path(), &aside).unwrap();
            symlink(beside, area.path()).unwrap();
            area.open_file(&area.path().join("data/set/file"), Purpose::New).unwrap();
            assert!(aside.join("data/set/file").exists());
            area.remove_file(&area.path().join("data/set/file")).unwrap();
            assert!(AreaDir::open(area.path()).is_err(), "a link is no area");
        });
    }

    #[test]
    fn paths_outside_are_refused() {
        each_way(|area, beside| {
            for path in [beside.join("file"), area.path().join("../beside/file"), PathBuf::from("file")] {
                let refused = area.open_file(&path, Purpose::Reading).unwrap_err();
                assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{}", path.display());
            }
            assert!(open_to_read(Some(area), &beside.join("file")).is_ok(), "no matter of the area");
        });
    }
}
