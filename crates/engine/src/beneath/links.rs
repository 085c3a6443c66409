//! Links that a run makes itself: which files it gave several names, and what its symbolic links say.
//!
//! A file in the area with a second name may be anybody's, so it is not written in. A trace whose program
//! made hard links needs just that. Therefore a run remembers the files that it linked, by device and inode
//! number, and how many names it gave each; a file is written in if it has one name, or if it is one of these
//! and has no more names than that. What tells them from somebody else's:
//!
//! * Before it is linked, a file has one name, or is one of these already. It is held open for so long, so
//!   that its number can't become another file's. A file whose only name lies in the area is nobody else's.
//! * Afterwards the new name must lead to that same file: whoever put another in its place gains a name for
//!   it, and nothing is written through that.
//! * A file that loses its last name but one is forgotten, before its number can be given again. So while
//!   there is any, whose name a removal or a rename takes away is looked at.
//!
//! A symbolic link on the target is made with the way from it to another name in the area, so its text leads
//! nowhere else; and the tool itself never follows one ([`super`]).
//!
//! Not here: symbolic links of what was recorded, which are followed when a trace is made or read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::io::ErrorNumber;

/// What tells a file from any other that is there at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileId {
    pub device: u64,
    pub inode: u64,
}

impl FileId {
    /// What `stat` tells.
    pub fn of(stat: &Stat) -> FileId {
        FileId { device: stat.st_dev as _, inode: stat.st_ino as _ }
    }
}

/// Files with several names of this process's making, each with how many it has at most.
#[derive(Debug, Default)]
pub(crate) struct OwnLinks {
    files: Mutex<HashMap<FileId, u64>>,
    /// How many there are.
    count: AtomicUsize,
}

impl OwnLinks {
    /// Whether there are any. Costs nothing where no link was ever made.
    #[inline]
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Whether a file with so many names may be written in.
    pub fn allows(&self, id: FileId, names: u64) -> bool {
        names <= 1 || self.any() && self.files().get(&id).is_some_and(|&most| names <= most)
    }

    /// Whether this is one of them.
    pub fn has(&self, id: FileId) -> bool {
        self.any() && self.files().contains_key(&id)
    }

    /// Gives a file another name. `before` is what is known of it while it is held open; `make` makes the
    /// link, and `now` tells which file has the new name then.
    ///
    /// # Errors
    /// `EMLINK` where it has a name of somebody else's, `EXDEV` where another file came in its place, or what
    /// making it says.
    pub fn link(
        &self,
        before: &Stat,
        make: impl FnOnce() -> Result<(), ErrorNumber>,
        now: impl FnOnce() -> Result<FileId, ErrorNumber>,
    ) -> Result<(), ErrorNumber> {
        if FileType::from_raw_mode(before.st_mode as _) == FileType::Directory {
            // Refused, and the system says how.
            return make();
        }
        let id = FileId::of(before);
        if !self.gets_name(id, before.st_nlink as _) {
            return Err(Errno::MLINK.raw_os_error());
        }
        let made = make();
        let is_same = made.is_ok() && now() == Ok(id);
        if !is_same {
            self.lost_name(id);
        }
        match made {
            Ok(()) if !is_same => Err(Errno::XDEV.raw_os_error()),
            made => made,
        }
    }

    /// A name of this file has gone.
    pub fn lost_name(&self, id: FileId) {
        let mut files = self.files();
        if let Some(most) = files.get_mut(&id) {
            *most -= 1;
            if *most <= 1 {
                files.remove(&id);
            }
        }
        self.count.store(files.len(), Ordering::Release);
    }

    /// A file with so many names is about to get another; whether it may.
    fn gets_name(&self, id: FileId, names: u64) -> bool {
        let mut files = self.files();
        let most = files.get(&id).copied().unwrap_or(1);
        let may = names <= most;
        if may {
            files.insert(id, most + 1);
        }
        self.count.store(files.len(), Ordering::Release);
        may
    }

    fn files(&self) -> MutexGuard<'_, HashMap<FileId, u64>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a symbolic link says to lead to another name in the same directory tree; both are ways from the same
/// directory, without `.` and `..`. A name that leads to itself says its own last part.
pub(crate) fn way(link: &[u8], target: &[u8]) -> Vec<u8> {
    let parts = |path| <[u8]>::split(path, |&byte| byte == b'/').collect::<Vec<_>>();
    let (link, target) = (parts(link), parts(target));
    let above = link.len() - 1;
    let alike = link[..above].iter().zip(&target[..target.len() - 1]).take_while(|(a, b)| a == b).count();
    let mut way = vec![&b".."[..]; above - alike];
    way.extend(&target[alike..]);
    way.join(&b'/')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::beneath::AreaDir;

    #[test]
    fn a_link_says_the_way_and_never_leaves() {
        for (link, target, says) in [
            ("a", "b", "b"),
            ("a", "a", "a"),
            ("d/a", "d/a", "a"),
            ("d/a", "d/b", "b"),
            ("d/a", "b", "../b"),
            ("a", "d/e/b", "d/e/b"),
            ("d/e/a", "d/f/b", "../f/b"),
            ("d/e/a", "d", "../../d"),
            ("d/a", "d/a/b", "a/b"),
        ] {
            let found = String::from_utf8(way(link.as_bytes(), target.as_bytes())).unwrap();
            assert_eq!(found, says, "{link} to {target}");
            assert!(found.matches("..").count() <= link.matches('/').count(), "{link} to {target}");
        }
    }

    fn id_of(path: &Path) -> (FileId, u64) {
        let stat = rustix::fs::lstat(path).unwrap();
        (FileId::of(&stat), stat.st_nlink as _)
    }

    #[test]
    fn names_of_its_own_are_counted_and_those_of_others_are_not_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let area = AreaDir::open(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "x").unwrap();
        area.link(&at("a"), &at("b")).unwrap();
        area.link(&at("b"), &at("c")).unwrap();
        let (id, names) = id_of(&at("a"));
        assert!(
            names == 3 && area.links().allows(id, 3) && area.standing(&at("a")).unwrap().foreign.is_none()
        );
        // Somebody gives it one more.
        fs::hard_link(at("a"), at("theirs")).unwrap();
        assert!(!area.links().allows(id, 4));
        assert!(area.standing(&at("a")).unwrap().foreign.is_some_and(|what| what.contains("hard link")));
        let refused = area.link(&at("a"), &at("d")).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(Errno::MLINK.raw_os_error()));
        assert!(!at("d").exists());
        // A file that had two names before is none of its own.
        fs::write(at("e"), "y").unwrap();
        fs::hard_link(at("e"), at("f")).unwrap();
        assert!(area.link(&at("e"), &at("g")).is_err() && !area.links().has(id_of(&at("e")).0));
        (0..2).for_each(|_| area.links().lost_name(id));
        assert!(!area.links().any() && area.links().allows(id, 1) && !area.links().allows(id, 2));
    }

    #[test]
    fn what_came_in_its_place_is_not_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let links = OwnLinks::default();
        fs::write(at("a"), "ours").unwrap();
        fs::write(at("precious"), "theirs").unwrap();
        let before = rustix::fs::lstat(at("a")).unwrap();
        let swapped = || {
            fs::remove_file(at("a")).unwrap();
            fs::hard_link(at("precious"), at("a")).unwrap();
            fs::hard_link(at("a"), at("b")).unwrap();
            Ok(())
        };
        let linked = links.link(&before, swapped, || Ok(id_of(&at("b")).0));
        assert_eq!(linked, Err(Errno::XDEV.raw_os_error()));
        assert!(!links.any());
        let failed = links.link(&before, || Err(Errno::EXIST.raw_os_error()), || unreachable!());
        assert_eq!(failed, Err(Errno::EXIST.raw_os_error()));
        assert!(!links.any());
    }

    #[test]
    fn a_directory_gets_no_second_name_and_links_are_made_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let area = AreaDir::open(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("d/e")).unwrap();
        assert!(area.link(&at("d"), &at("f")).is_err() && !area.links().any());
        fs::write(at("file"), "text").unwrap();
        area.lead_to(&at("d/e/soft"), &at("file")).unwrap();
        assert_eq!(fs::read_link(at("d/e/soft")).unwrap(), Path::new("../../file"));
        assert_eq!(fs::read(at("d/e/soft")).unwrap(), b"text");
        assert!(area.open_file(&at("d/e/soft"), crate::beneath::For::Reading).is_err());
        assert!(area.lead_to(&at("soft"), Path::new("/etc/passwd")).is_err());
        assert!(area.link(Path::new("/etc/passwd"), &at("mine")).is_err());
    }
}
