//! Interference of other programs with the files of a run: files that were removed, shortened or
//! replaced.
//!
//! A program can continue to use an open file after it was removed, without an error, so the storage is
//! inspected before and after each load point. This covers only files that the workload itself leaves
//! unchanged.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use reelgauge_engine::area::{AreaDir, MARKER_FILE};
use reelgauge_engine::driver::TargetFile;
use reelgauge_machine::file_system::Protocol;
use reelgauge_machine::mount::{Mount, MountKind};

use crate::session::file_table::FileTable;
use crate::session::timed_check::within_a_look;

/// The largest number of test files to inspect, evenly distributed: more would take long on slow
/// storage.
const FILES_MAX: usize = 256;

/// The kind of interference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interference {
    /// A file or folder no longer exists.
    Removed(PathBuf),
    /// A file was shortened.
    Shortened {
        path: PathBuf,
        /// Its size now.
        size_bytes: u64,
        /// The smallest size that it should have.
        needed_bytes: u64,
    },
    /// A file has its size, but not its data: it was shortened, and writes beyond its new end made it
    /// long again, with holes.
    PunchedHole {
        path: PathBuf,
        /// The size of its data on the storage now.
        stored_bytes: u64,
        /// That size before the load point.
        before_bytes: u64,
    },
    /// Another object has a file's name now.
    Replaced {
        path: PathBuf,
        /// The object's kind.
        by: &'static str,
    },
}

impl fmt::Display for Interference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interference::Removed(path) => write!(f, "{} was removed by another process", path.display()),
            Interference::Shortened { path, size_bytes, needed_bytes } => write!(
                f,
                "{} was truncated by another process (to {size_bytes} bytes; {needed_bytes} are needed)",
                path.display()
            ),
            Interference::PunchedHole { path, stored_bytes, before_bytes } => write!(
                f,
                "another process made holes in {} ({stored_bytes} bytes of it are allocated, \
                 {before_bytes} before)",
                path.display()
            ),
            Interference::Replaced { path, by } => {
                write!(f, "{} was replaced by another process (it is {by} now)", path.display())
            }
        }
    }
}

impl Interference {
    /// The interference with a file that should have at least this size; `None` without any, or if that
    /// can't be determined.
    pub fn with_file(area: &AreaDir, path: &Path, needed_bytes: u64) -> Option<Interference> {
        let path = path.to_path_buf();
        Interference::with(
            area,
            &KnownFile { path, size_bytes: needed_bytes, stored_bytes: None, identity: None },
        )
    }

    fn with(area: &AreaDir, known: &KnownFile) -> Option<Interference> {
        let path = || known.path.clone();
        let now = match area.standing(&known.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Some(Interference::Removed(path()));
            }
            // It could be opened before. A symbolic link is not followed, whatever its target is.
            Err(error) if is_in_the_way(&error) => {
                return Some(Interference::Replaced { path: path(), by: "below a symbolic link or a file" });
            }
            now => now.ok()?,
        };
        if let Some(by) = now.foreign {
            return Some(Interference::Replaced { path: path(), by });
        }
        if now.size_bytes < known.size_bytes {
            let (size_bytes, needed_bytes) = (now.size_bytes, known.size_bytes);
            return Some(Interference::Shortened { path: path(), size_bytes, needed_bytes });
        }
        if let Some((stored_bytes, before_bytes)) = now.stored_bytes.zip(known.stored_bytes)
            && is_hollowed(stored_bytes, before_bytes)
        {
            return Some(Interference::PunchedHole { path: path(), stored_bytes, before_bytes });
        }
        let is_other = known.identity.is_some() && now.identity != known.identity;
        is_other.then(|| Interference::Replaced { path: path(), by: "another file" })
    }
}

/// Whether a part of a path is no longer a directory.
fn is_in_the_way(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let tells = [Errno::LOOP, Errno::NOTDIR, Errno::XDEV];
        tells.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::NotADirectory
    }
}

/// Whether a file's data takes so much less than before that a part of it must be missing. Storage
/// counts in large units, and may relocate overwritten data; each changes the size by less than an
/// eighth.
fn is_hollowed(stored_bytes: u64, before_bytes: u64) -> bool {
    stored_bytes < before_bytes - before_bytes / 8
}

/// The state of a test file before a load point.
#[derive(Clone, Debug)]
struct KnownFile {
    path: PathBuf,
    /// The smallest size that it should have.
    size_bytes: u64,
    /// The size of its data on the storage; `None` if unknown.
    stored_bytes: Option<u64>,
    /// `None` if the file system changes the numbers of files over time.
    identity: Option<u64>,
}

/// The state of a run's files before a load point.
#[derive(Clone, Debug)]
pub struct FilesBefore {
    area: AreaDir,
    tested: Vec<KnownFile>,
    folders: BTreeSet<PathBuf>,
}

impl FilesBefore {
    /// Inspects them. Properties that the storage does not return in time are unknown. `unchanged`: the
    /// numbers of files that the workload leaves unchanged; `None` if it changes no file.
    pub fn inspect_files(
        area: &AreaDir,
        mount: &Mount,
        files: &FileTable,
        unchanged: Option<&[u32]>,
    ) -> FilesBefore {
        let known = |file: &TargetFile| (file.path.clone(), file.size_bytes);
        let all: Vec<_> = match unchanged {
            None => files.test_files().map(known).collect(),
            Some(numbers) => {
                numbers.iter().filter_map(|&number| files.targets().get(number as usize)).map(known).collect()
            }
        };
        let step = all.len().div_ceil(FILES_MAX).max(1);
        let known = |(path, size_bytes)| KnownFile { path, size_bytes, stored_bytes: None, identity: None };
        let mut tested: Vec<_> = all.into_iter().step_by(step).map(known).collect();
        let (held, wanted, keeps_numbers) = (area.clone(), tested.clone(), keeps_numbers(mount));
        let looked_at = within_a_look(move || {
            let look = |known: KnownFile| match held.standing(&known.path) {
                Ok(now) => KnownFile {
                    // Some file systems reserve space beyond the end, and release it later.
                    stored_bytes: now.stored_bytes.map(|stored_bytes| stored_bytes.min(now.size_bytes)),
                    identity: now.identity.filter(|_| keeps_numbers),
                    ..known
                },
                // Opening the file will report the reason.
                Err(_) => known,
            };
            wanted.into_iter().map(look).collect()
        });
        // A property that is not returned in time is unknown.
        if let Some(looked_at) = looked_at {
            tested = looked_at;
        }
        let parents = files.targets().iter().filter_map(|file| file.path.parent());
        let folders = parents.filter(|path| unchanged.is_none() && path.starts_with(area.path()));
        let folders = folders.map(Path::to_path_buf);
        FilesBefore { area: area.clone(), tested, folders: folders.take(FILES_MAX).collect() }
    }

    /// The interference since then with the area, its test files, and the folders in which the run makes
    /// files. `None` without any, or if the storage does not answer.
    pub fn meddling(self) -> Option<Interference> {
        let FilesBefore { area, tested, folders } = self;
        within_a_look(move || {
            let is_gone =
                |path: &Path| area.standing(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            let root = area.path().to_path_buf();
            if is_gone(&root.join(MARKER_FILE)) || is_unreachable(&root) {
                return Some(Interference::Removed(root));
            }
            if let Some(folder) = folders.into_iter().find(|folder| is_gone(folder)) {
                return Some(Interference::Removed(folder));
            }
            tested.iter().find_map(|known| Interference::with(&area, known))
        })
        .flatten()
    }
}

/// The open directory of the area continues to work when its name is removed.
fn is_unreachable(root: &Path) -> bool {
    std::fs::symlink_metadata(root).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether a file keeps its number. Programs that show other storage as files, and some network file
/// systems, invent numbers on demand.
fn keeps_numbers(mount: &Mount) -> bool {
    mount.kind == MountKind::LocalDisk || mount.protocol() == Some(Protocol::Nfs)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    /// An area with a test file of 100 bytes, and a folder in which the run makes a file.
    fn area() -> (tempfile::TempDir, FileTable) {
        let area = tempfile::tempdir().unwrap();
        fs::write(area.path().join(MARKER_FILE), "").unwrap();
        fs::write(area.path().join("clip"), [0; 100]).unwrap();
        fs::create_dir(area.path().join("made")).unwrap();
        let mut files = FileTable::new(area.path());
        let file = |name: &str, size_bytes| TargetFile { path: area.path().join(name), size_bytes };
        files.enter_test_files(&[file("clip", 100)], "reused");
        files.enter(file("made/recording", 0), false, "by the run");
        (area, files)
    }

    fn before(area: &tempfile::TempDir, files: &FileTable) -> FilesBefore {
        let mut mount = Mount::at(area.path()).unwrap();
        mount.kind = MountKind::LocalDisk;
        FilesBefore::inspect_files(&AreaDir::open(area.path()).unwrap(), &mount, files, None)
    }

    #[test]
    fn only_files_that_the_workload_leaves_unchanged_are_checked() {
        let (area, mut files) = area();
        let own = TargetFile { path: area.path().join("own"), size_bytes: 100 };
        fs::write(&own.path, [0; 100]).unwrap();
        let number = files.enter_test_files(std::slice::from_ref(&own), "found");
        let mut mount = Mount::at(area.path()).unwrap();
        mount.kind = MountKind::LocalDisk;
        let dir = AreaDir::open(area.path()).unwrap();
        let was = FilesBefore::inspect_files(&dir, &mount, &files, Some(&[number]));
        fs::write(area.path().join("clip"), [0; 9]).unwrap();
        fs::remove_dir(area.path().join("made")).unwrap();
        assert_eq!(was.clone().meddling(), None);
        fs::write(&own.path, [0; 9]).unwrap();
        assert!(matches!(
            was.meddling(),
            Some(Interference::Shortened { size_bytes: 9, needed_bytes: 100, .. })
        ));
    }

    #[test]
    fn unchanged_files_are_not_reported() {
        let (area, files) = area();
        assert_eq!(before(&area, &files).meddling(), None);
    }

    #[test]
    fn removed_and_shortened_files_are_found() {
        let (area, files) = area();
        let clip = area.path().join("clip");
        let was = before(&area, &files);
        fs::write(&clip, [0; 99]).unwrap();
        let found = was.clone().meddling().unwrap();
        assert!(found.to_string().contains("clip was truncated by another process"), "{found}");
        fs::remove_file(&clip).unwrap();
        assert_eq!(was.clone().meddling(), Some(Interference::Removed(clip)));
        fs::remove_dir(area.path().join("made")).unwrap();
        assert_eq!(was.clone().meddling(), Some(Interference::Removed(area.path().join("made"))));
        fs::remove_file(area.path().join(MARKER_FILE)).unwrap();
        assert_eq!(was.meddling(), Some(Interference::Removed(area.path().to_path_buf())));
    }

    #[cfg(unix)]
    #[test]
    fn folder_replaced_by_a_link_to_the_same_files_is_found() {
        let (area, _) = area();
        let (set, moved) = (area.path().join("set"), area.path().join("moved"));
        fs::create_dir(&set).unwrap();
        fs::write(set.join("clip"), [0; 100]).unwrap();
        let mut files = FileTable::new(area.path());
        files.enter_test_files(&[TargetFile { path: set.join("clip"), size_bytes: 100 }], "reused");
        let was = before(&area, &files);
        assert_eq!(was.clone().meddling(), None);
        fs::rename(&set, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &set).unwrap();
        let found = was.meddling().unwrap().to_string();
        assert!(
            found.contains("set/clip was replaced by another process (it is below a symbolic link"),
            "{found}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_shortened_and_grown_again_has_holes() {
        let (area, files) = area();
        let clip = area.path().join("clip");
        let was = before(&area, &files);
        let file = fs::File::options().write(true).open(&clip).unwrap();
        file.set_len(0).unwrap();
        file.set_len(100).unwrap();
        let found = was.meddling().unwrap();
        assert!(
            matches!(found, Interference::PunchedHole { stored_bytes: 0, before_bytes: 100, .. }),
            "{found:?}"
        );
        assert!(found.to_string().contains("clip (0 bytes"), "{found}");
        assert!(!is_hollowed(88, 100) && is_hollowed(87, 100) && !is_hollowed(0, 0));
    }

    #[cfg(unix)]
    #[test]
    fn an_object_in_the_place_of_a_test_file_is_found() {
        let (area, files) = area();
        let (clip, other) = (area.path().join("clip"), area.path().join("other"));
        let was = before(&area, &files);
        fs::hard_link(&clip, &other).unwrap();
        let found = was.clone().meddling().unwrap().to_string();
        assert!(
            found.contains("clip was replaced by another process") && found.contains("hard link"),
            "{found}"
        );
        fs::remove_file(&other).unwrap();
        assert_eq!(was.clone().meddling(), None);
        fs::write(&other, [0; 100]).unwrap();
        fs::rename(&other, &clip).unwrap();
        let found = was.clone().meddling().unwrap();
        assert_eq!(found, Interference::Replaced { path: clip.clone(), by: "another file" });
        fs::remove_file(&clip).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &clip).unwrap();
        assert_eq!(was.meddling(), Some(Interference::Replaced { path: clip, by: "a symbolic link" }));
    }
}
