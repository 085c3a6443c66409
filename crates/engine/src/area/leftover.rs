//! Removes the leftovers of a killed start. The area is created as `reelgauge-area.new-ID` and then
//! renamed; a kill in between leaves that directory.
//!
//! A directory is removed only if it certainly belongs to Reelgauge: it has such a name, belongs to the
//! same user, and contains only a marker or nothing. Links are not followed. A start that is merely slow
//! loses nothing. The leftover is first renamed, in one step, so that either the slow start or the
//! removal fails. A slow start that fails creates its area again.
//!
//! Unix only. Elsewhere the owner of a directory cannot be determined, and nothing is removed.

use std::path::{Path, PathBuf};

use super::AREA_DIR;

/// Separates the area's name from the id.
const NEW: &str = ".new-";
/// Groups of hexadecimal digits of an id.
const ID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// The temporary name of an area during its creation.
pub(super) fn name_of_new(id: &str) -> String {
    format!("{AREA_DIR}{NEW}{id}")
}

/// Whether a name has this form.
fn is_name_of_new(name: &str) -> bool {
    let Some(id) = name.strip_prefix(AREA_DIR).and_then(|rest| rest.strip_prefix(NEW)) else { return false };
    let is_hex = |group: &str| group.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    id.split('-').map(str::len).eq(ID_GROUPS) && id.split('-').all(is_hex)
}

/// A starting run reads at most this many names in its target, so that a folder with many frames does
/// not delay it.
pub(super) const NAMES_MAX: usize = 10_000;

/// The paths with such names among the first `names_max` entries of a target, sorted; none if it cannot
/// be listed.
pub(super) fn named(target: &Path, names_max: usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(target).into_iter().flatten().take(names_max).flatten();
    let is_one = |entry: &std::fs::DirEntry| entry.file_name().to_str().is_some_and(is_name_of_new);
    let mut named: Vec<PathBuf> = entries.filter(is_one).map(|entry| entry.path()).collect();
    named.sort();
    named
}

#[cfg(unix)]
pub(super) use unix::{look, remove};

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use rustix::io::Errno;

    use super::super::marker::Marker;
    use super::super::{AreaDir, MARKER_FILE, rename_to_new};
    use super::{name_of_new, named};

    /// The leftovers in a target that belong to one of these users.
    pub(in super::super) fn look(target: &Path, users: &[u32]) -> Vec<PathBuf> {
        named(target, usize::MAX).into_iter().filter(|path| ours(path, users).is_some()).collect()
    }

    /// Removes the leftovers found among the first `names_max` names. A directory that cannot be
    /// removed, or that changes during the removal, stays.
    pub(in super::super) fn remove(target: &Path, names_max: usize, users: &[u32]) -> Vec<PathBuf> {
        let is_gone = |path: &PathBuf| ours(path, users).is_some_and(|dir| take_away(target, &dir, users));
        named(target, names_max).into_iter().filter(is_gone).collect()
    }

    /// Opens the directory if it certainly belongs to Reelgauge: it contains only a marker or nothing.
    fn ours(path: &Path, users: &[u32]) -> Option<AreaDir> {
        let dir = AreaDir::open(path).ok()?;
        let facts = dir.facts(path).ok()?;
        if !users.contains(&facts.owner.user) {
            return None;
        }
        let names = dir.names_in(path).ok()?;
        let [marker] = names.as_slice() else { return names.is_empty().then_some(dir) };
        let facts = dir.facts(&path.join(marker)).ok()?;
        let is_of_the_tool = marker == MARKER_FILE && facts.is_file() && facts.names == 1;
        // If the start was killed before it wrote the first byte, the marker is an empty file.
        let is_marker = is_of_the_tool && (facts.size_bytes == 0 || Marker::read(&dir).is_ok());
        is_marker.then_some(dir)
    }

    /// Removes a leftover. Returns whether it was removed.
    fn take_away(target: &Path, dir: &AreaDir, users: &[u32]) -> bool {
        let claimed = target.join(name_of_new(&Marker::fresh().id));
        let dir = match rename_to_new(dir.path(), &claimed) {
            Ok(()) => match ours(&claimed, users).filter(|now| is_same(now, dir)) {
                Some(dir) => dir,
                None => {
                    // Another entry took its place before the rename: restore its name.
                    let _ = rename_to_new(&claimed, dir.path());
                    return false;
                }
            },
            // If the file system cannot rename directories, a slow start cannot rename this one either.
            Err(error) if renames_none(&error) => dir.clone(),
            Err(_) => return false,
        };
        // A start that is only slow writes its marker once, perhaps between the two steps of the first
        // attempt.
        (0..2).any(|_| unmarked_and_removed(&dir))
    }

    fn unmarked_and_removed(dir: &AreaDir) -> bool {
        let marker = dir.remove_file(&dir.path().join(MARKER_FILE));
        let is_empty = marker.is_ok() || marker.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        is_empty && fs::remove_dir(dir.path()).is_ok()
    }

    fn is_same(one: &AreaDir, two: &AreaDir) -> bool {
        match (one.facts(one.path()), two.facts(two.path())) {
            (Ok(one), Ok(two)) => one.id() == two.id(),
            _ => false,
        }
    }

    fn renames_none(error: &io::Error) -> bool {
        let none = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::PERM];
        none.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
    }
}

#[cfg(not(unix))]
pub(super) fn look(_target: &Path, _users: &[u32]) -> Vec<PathBuf> {
    Vec::new()
}

#[cfg(not(unix))]
pub(super) fn remove(_target: &Path, _names_max: usize, _users: &[u32]) -> Vec<PathBuf> {
    Vec::new()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::super::marker::Marker;
    use super::super::{Area, AreaDir, LOCK_FILE, MARKER_FILE, Sharing, Stage, created_with};
    use super::*;

    const NONE: [PathBuf; 0] = [];

    fn names_in(dir: &Path) -> Vec<String> {
        let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Creates a leftover as if the start was killed between the marker and the rename.
    fn left(target: &Path) -> PathBuf {
        let marker = Marker::fresh();
        let path = target.join(name_of_new(&marker.id));
        fs::create_dir(&path).unwrap();
        marker.write(&AreaDir::open(&path).unwrap()).unwrap();
        path
    }

    #[test]
    fn leftovers_of_a_killed_start_are_removed_by_the_next_start_and_by_clean() {
        let target = tempfile::tempdir().unwrap();
        fs::write(target.path().join("film.mov"), "precious").unwrap();
        let whole = left(target.path());
        let empty = target.path().join(name_of_new(&Marker::fresh().id));
        fs::create_dir(&empty).unwrap();
        let without_a_byte = left(target.path());
        fs::write(without_a_byte.join(MARKER_FILE), "").unwrap();
        let mut all = vec![whole, empty, without_a_byte];
        all.sort();
        assert_eq!(Area::leftovers(target.path(), Sharing::Unsaid).unwrap(), all);
        let area = Area::open_or_create(target.path()).unwrap();
        assert_eq!(names_in(target.path()), ["film.mov", AREA_DIR]);
        // This also works next to an existing area.
        left(target.path());
        drop(Area::open_or_create(target.path()).unwrap());
        assert_eq!(names_in(target.path()), ["film.mov", AREA_DIR]);
        area.clean().unwrap();

        let again = left(target.path());
        assert_eq!(Area::remove_leftovers(target.path(), Sharing::Unsaid).unwrap(), [again]);
        assert_eq!(names_in(target.path()), ["film.mov"]);
    }

    #[test]
    fn entries_of_uncertain_origin_are_kept() {
        let (target, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let elsewhere = left(other.path());
        let name = || target.path().join(name_of_new(&Marker::fresh().id));
        // Links to an area that is being created, and to a folder of media.
        symlink(&elsewhere, name()).unwrap();
        symlink(other.path(), name()).unwrap();
        fs::write(name(), "a file of that name").unwrap();
        // A second file next to the marker belongs to another user, or the area is in use.
        for more in ["film.mov", LOCK_FILE] {
            fs::write(left(target.path()).join(more), "precious").unwrap();
        }
        // An invalid marker, a link, a marker with a second name, and one of a newer version.
        fs::write(left(target.path()).join(MARKER_FILE), "hello").unwrap();
        fs::write(left(target.path()).join(MARKER_FILE), "format = 99\ntool_version = \"9\"").unwrap();
        let linked = name();
        fs::create_dir(&linked).unwrap();
        symlink(elsewhere.join(MARKER_FILE), linked.join(MARKER_FILE)).unwrap();
        let hard = left(target.path());
        fs::hard_link(hard.join(MARKER_FILE), other.path().join("second")).unwrap();
        // Names that nearly match.
        for near in ["", "-", "film", "0123", "01234567-0123-0123-0123-0123456789AB"] {
            fs::create_dir(target.path().join(format!("{AREA_DIR}{NEW}{near}"))).unwrap();
        }
        let before = names_in(target.path());
        assert_eq!(Area::leftovers(target.path(), Sharing::Unsaid).unwrap(), NONE);
        assert_eq!(Area::remove_leftovers(target.path(), Sharing::Unsaid).unwrap(), NONE);
        Area::open_or_create(target.path()).unwrap().clean().unwrap();
        assert_eq!(names_in(target.path()), before);
        assert!(elsewhere.join(MARKER_FILE).exists());
    }

    #[test]
    fn leftovers_of_another_user_are_kept() {
        let target = tempfile::tempdir().unwrap();
        let path = left(target.path());
        let owner = fs::metadata(&path).unwrap().uid();
        assert_eq!(remove(target.path(), NAMES_MAX, &[owner + 1]), NONE);
        assert!(path.join(MARKER_FILE).exists());
        assert_eq!(remove(target.path(), NAMES_MAX, &[owner + 1, owner]), [path]);
    }

    #[test]
    fn a_start_that_is_only_slow_makes_its_area_in_its_place() {
        for late in [Stage::Empty, Stage::Marked] {
            let target = tempfile::tempdir().unwrap();
            let made = created_with(target.path(), &|stage, new| {
                if stage == late {
                    let users = [fs::metadata(new).unwrap().uid()];
                    assert_eq!(remove(target.path(), NAMES_MAX, &users), [new.to_owned()]);
                }
            });
            let area = made.unwrap();
            assert!(area.root().join(MARKER_FILE).exists() && area.is_new(), "{late:?}");
            assert_eq!(names_in(target.path()), [AREA_DIR], "{late:?}");
            drop(area.lock().unwrap());
        }
    }

    #[test]
    fn slow_start_uses_the_area_of_the_start_that_overtook_it() {
        for late in [Stage::Empty, Stage::Marked] {
            let target = tempfile::tempdir().unwrap();
            let made = created_with(target.path(), &|stage, new| {
                if stage == late {
                    drop(Area::open_or_create(target.path()).unwrap());
                    assert!(!new.exists(), "{late:?}");
                }
            });
            let area = made.unwrap();
            assert!(!area.is_new(), "{late:?}");
            assert_eq!(area.id(), Area::open_existing(target.path()).unwrap().id(), "{late:?}");
            assert_eq!(names_in(target.path()), [AREA_DIR], "{late:?}");
        }
    }
}
