//! What something else did to the files of a run while it went on: removed them, or made them shorter.
//!
//! A system lets a program go on with a file that it has open when the file is removed, without an error, so
//! the storage is looked at after each load point. Only files that the workload itself leaves as they are.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use reelgauge_engine::area::MARKER_FILE;

use crate::failure::within_a_look;
use crate::file_table::FileTable;

/// The most test files that are looked at, evenly spread: more would take long on slow storage.
const FILES_MAX: usize = 256;

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meddling {
    /// Something is not there any more.
    Removed(PathBuf),
    /// A file has lost its end.
    Shortened {
        /// The file.
        path: PathBuf,
        /// The size that it has now.
        size_bytes: u64,
        /// The size that it should have at least.
        needed_bytes: u64,
    },
}

impl fmt::Display for Meddling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meddling::Removed(path) => write!(f, "{} was removed by something else", path.display()),
            Meddling::Shortened { path, size_bytes, needed_bytes } => write!(
                f,
                "{} was shortened by something else (to {size_bytes} bytes, where {needed_bytes} are needed)",
                path.display()
            ),
        }
    }
}

impl Meddling {
    /// What was done to a file that should have at least this size; `None` where it has, or where that can't
    /// be seen.
    pub fn with_file(path: &Path, needed_bytes: u64) -> Option<Meddling> {
        match fs::metadata(path) {
            Ok(about) if about.len() < needed_bytes => {
                Some(Meddling::Shortened { path: path.to_path_buf(), size_bytes: about.len(), needed_bytes })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some(Meddling::Removed(path.to_path_buf()))
            }
            _ => None,
        }
    }
}

/// What was done to the area, its test files, and the folders in which the run makes files. `None` when
/// nothing was, or when the storage doesn't answer.
pub fn look(area_root: &Path, files: &FileTable) -> Option<Meddling> {
    let root = area_root.to_path_buf();
    let all: Vec<_> = files.test_files().map(|file| (file.path.clone(), file.size_bytes)).collect();
    let step = all.len().div_ceil(FILES_MAX).max(1);
    let tested: Vec<_> = all.into_iter().step_by(step).collect();
    let folders: BTreeSet<PathBuf> =
        files.targets().iter().filter_map(|file| file.path.parent()).map(Path::to_path_buf).collect();
    within_a_look(move || {
        let is_gone = |path: &Path| {
            fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        if is_gone(&root.join(MARKER_FILE)) {
            return Some(Meddling::Removed(root));
        }
        if let Some(folder) = folders.into_iter().take(FILES_MAX).find(|folder| is_gone(folder)) {
            return Some(Meddling::Removed(folder));
        }
        tested.iter().find_map(|(path, size_bytes)| Meddling::with_file(path, *size_bytes))
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_engine::driver::TargetFile;

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

    #[test]
    fn what_is_as_it_was_is_not_spoken_of() {
        let (area, files) = area();
        assert_eq!(look(area.path(), &files), None);
    }

    #[test]
    fn what_is_gone_or_shorter_is_found() {
        let (area, files) = area();
        let clip = area.path().join("clip");
        fs::write(&clip, [0; 99]).unwrap();
        let found = look(area.path(), &files).unwrap();
        assert!(found.to_string().contains("clip was shortened by something else"), "{found}");
        fs::remove_file(&clip).unwrap();
        assert_eq!(look(area.path(), &files), Some(Meddling::Removed(clip)));
        fs::remove_dir(area.path().join("made")).unwrap();
        assert_eq!(look(area.path(), &files), Some(Meddling::Removed(area.path().join("made"))));
        fs::remove_file(area.path().join(MARKER_FILE)).unwrap();
        assert_eq!(look(area.path(), &files), Some(Meddling::Removed(area.path().to_path_buf())));
    }
}
