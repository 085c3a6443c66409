//! Links that a run makes: files with several names, and the text of its symbolic links.
//!
//! A file in the area with a second name may belong to another user, so it is not written to. But
//! replaying a trace whose program made hard links requires writing to such files. Therefore a run
//! remembers the files that it linked, by device and inode number, and the number of names it gave each.
//! A file may be written to if it has one name, or if it is one of these and has no more names than
//! that. This distinguishes them from other users' files:
//!
//! * Before it is linked, a file has one name, or is already one of these. It is held open during the
//!   link, so that its inode number cannot be reused. A file whose only name is in the area belongs to
//!   the run.
//! * Afterwards the new name must lead to that same file. If a user put another file in its place, that
//!   file gets an additional name, but nothing is written through that name.
//! * A file that has only one name left is forgotten before its inode number can be reused. So while any
//!   such file exists, removals and renames check the file whose name they remove.
//!
//! A symbolic link on the target contains a relative path to another name in the area, so it cannot lead
//! elsewhere. Reelgauge itself never follows one ([`super`]).
//!
//! Not here: the symbolic links of a recording, which are followed when a trace is made or read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::io::ErrorNumber;

/// Distinguishes a file from every other file that exists at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileId {
    pub device: u64,
    pub inode: u64,
}

impl FileId {
    /// Takes the identity from a `stat` result.
    pub fn of(stat: &Stat) -> FileId {
        FileId { device: stat.st_dev as _, inode: stat.st_ino as _ }
    }
}

/// Files to which this process gave several names, each with its maximum number of names.
#[derive(Debug, Default)]
pub(crate) struct OwnLinks {
    files: Mutex<HashMap<FileId, u64>>,
    /// The number of these files.
    count: AtomicUsize,
}

impl OwnLinks {
    /// Whether there are any. Cheap if no link was ever made.
    #[inline]
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Whether a file with this many names may be written to.
    pub fn allows(&self, id: FileId, names: u64) -> bool {
        names <= 1 || self.any() && self.files().get(&id).is_some_and(|&most| names <= most)
    }

    /// Whether this process linked this file.
    pub fn has(&self, id: FileId) -> bool {
        self.any() && self.files().contains_key(&id)
    }

    /// Gives a file another name. `before` is the file's state while it is held open, `make` makes the
    /// link, and `now` returns the file that has the new name afterwards.
    ///
    /// # Errors
    /// `EMLINK` if another user gave the file a name, `EXDEV` if another file took its place, or the
    /// error of `make`.
    pub fn link(
        &self,
        before: &Stat,
        make: impl FnOnce() -> Result<(), ErrorNumber>,
        now: impl FnOnce() -> Result<FileId, ErrorNumber>,
    ) -> Result<(), ErrorNumber> {
        if FileType::from_raw_mode(before.st_mode as _) == FileType::Directory {
            // The call fails, and the system chooses the error.
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

    /// Records that the file lost a name, and forgets it when only one is left.
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

    /// Records that a file with this many names gets another one. Returns whether it may.
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

/// The text of a symbolic link that leads to another name in the same directory tree. Both are paths
/// relative to the same directory, without `.` and `..`. A link to itself contains its own last part.
pub(crate) fn relative_path(link: &[u8], target: &[u8]) -> Vec<u8> {
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
    use crate::area_path::AreaDir;

    #[test]
    fn symlink_text_is_relative_and_stays_in_the_area() {
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
            let found = String::from_utf8(relative_path(link.as_bytes(), target.as_bytes())).unwrap();
            assert_eq!(found, says, "{link} to {target}");
            assert!(found.matches("..").count() <= link.matches('/').count(), "{link} to {target}");
        }
    }

    fn id_of(path: &Path) -> (FileId, u64) {
        let stat = rustix::fs::lstat(path).unwrap();
        (FileId::of(&stat), stat.st_nlink as _)
    }

    #[test]
    fn own_names_are_counted_and_foreign_names_are_refused() {
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
        // Another user adds a hard link.
        fs::hard_link(at("a"), at("theirs")).unwrap();
        assert!(!area.links().allows(id, 4));
        assert!(area.standing(&at("a")).unwrap().foreign.is_some_and(|what| what.contains("hard link")));
        let refused = area.link(&at("a"), &at("d")).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(Errno::MLINK.raw_os_error()));
        assert!(!at("d").exists());
        // A file that had two names before does not belong to the run.
        fs::write(at("e"), "y").unwrap();
        fs::hard_link(at("e"), at("f")).unwrap();
        assert!(area.link(&at("e"), &at("g")).is_err() && !area.links().has(id_of(&at("e")).0));
        (0..2).for_each(|_| area.links().lost_name(id));
        assert!(!area.links().any() && area.links().allows(id, 1) && !area.links().allows(id, 2));
    }

    #[test]
    fn file_that_replaced_a_linked_file_is_not_owned() {
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
        assert!(area.open_file(&at("d/e/soft"), crate::area_path::Purpose::Reading).is_err());
        assert!(area.lead_to(&at("soft"), Path::new("/etc/passwd")).is_err());
        assert!(area.link(Path::new("/etc/passwd"), &at("mine")).is_err());
    }
}
