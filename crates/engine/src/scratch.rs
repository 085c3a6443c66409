//! The area's scratch folder: files that a run creates, such as growing recordings, copies and proxies.
//!
//! It is emptied before a run and removed after it, with the same care as the whole area: links are not
//! followed, and nothing mounted inside is touched. The next run, or `reelgauge clean`, removes the
//! files of a killed run.
//!
//! Not here: test data that is prepared and reused ([`crate::dataset`]).

use std::io;
use std::path::{Path, PathBuf};

use crate::area::{Area, AreaError, SCRATCH_DIR};
use crate::area_path::Purpose;

/// Why the scratch folder is not usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScratchError {
    /// It cannot be emptied.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// A name that leads out of the folder.
    #[error("'{name}' is not a plain file name for the scratch folder")]
    Name { name: String },
    /// The system refused.
    #[error("cannot make {path}: {source}")]
    Io {
        /// The path to be created.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// The scratch folder of a run. The area's lock must be held.
#[derive(Debug)]
pub struct Scratch {
    area: Area,
    path: PathBuf,
}

impl Scratch {
    /// An empty scratch folder in this area.
    ///
    /// # Errors
    /// If another entry has its name, a file system is mounted in it, or the storage fails.
    pub fn create(area: &Area) -> Result<Scratch, ScratchError> {
        area.empty_dir(SCRATCH_DIR)?;
        Ok(Scratch { path: area.root().join(SCRATCH_DIR), area: area.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder in it.
    ///
    /// # Errors
    /// If the name is not a single plain name, or is in use.
    pub fn directory(&self, name: &str) -> Result<PathBuf, ScratchError> {
        let mut parts = Path::new(name).components();
        let plain = matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(_)), None));
        if !plain {
            return Err(ScratchError::Name { name: name.to_owned() });
        }
        let path = self.path.join(name);
        let made = self.area.dir().create_dir(&path);
        made.map_err(|source| ScratchError::Io { path: path.clone(), source })?;
        Ok(path)
    }

    /// Creates an empty file anywhere in it.
    ///
    /// # Errors
    /// If the path is outside the folder, or is in use.
    pub fn make_empty_file(&self, path: &Path) -> Result<(), ScratchError> {
        let climbs = path.components().any(|part| matches!(part, std::path::Component::ParentDir));
        if climbs || !path.starts_with(&self.path) {
            return Err(ScratchError::Name { name: path.display().to_string() });
        }
        let made = self.area.dir().open_file(path, Purpose::New);
        made.map(drop).map_err(|source| ScratchError::Io { path: path.to_owned(), source })
    }

    /// Removes the folder and all its contents.
    ///
    /// # Errors
    /// If a file system is mounted in it, or an entry cannot be removed.
    pub fn remove(self) -> Result<(), ScratchError> {
        self.area.remove_dir(SCRATCH_DIR)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    fn area() -> (tempfile::TempDir, Area) {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        (target, area)
    }

    #[test]
    fn run_finds_and_leaves_an_empty_scratch_folder() {
        let (_target, area) = area();
        let left = Scratch::create(&area).unwrap().directory("recordings").unwrap();
        fs::write(left.join("old.bin"), b"left by a killed run").unwrap();
        let scratch = Scratch::create(&area).unwrap();
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        let folder = scratch.directory("copies").unwrap();
        scratch.make_empty_file(&folder.join("file")).unwrap();
        let path = scratch.path().to_owned();
        scratch.remove().unwrap();
        assert!(!path.exists());
        assert!(area.clean().is_ok());
    }

    #[test]
    fn nothing_leads_out_of_it() {
        let (target, area) = area();
        let scratch = Scratch::create(&area).unwrap();
        for name in ["..", "a/b", "/tmp", "", "."] {
            assert!(matches!(scratch.directory(name), Err(ScratchError::Name { .. })), "{name}");
        }
        for path in [target.path().join("x"), scratch.path().join("../x")] {
            assert!(matches!(scratch.make_empty_file(&path), Err(ScratchError::Name { .. })));
            assert!(!path.exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let (target, area) = area();
        let outside = target.path().join("precious");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("reel"), b"irreplaceable").unwrap();
        std::os::unix::fs::symlink(&outside, area.root().join(SCRATCH_DIR)).unwrap();
        assert!(matches!(Scratch::create(&area), Err(ScratchError::Area(AreaError::Foreign { .. }))));
        assert!(outside.join("reel").exists());
    }

    #[test]
    fn cleaning_the_area_removes_it_too() {
        let (target, area) = area();
        let scratch = Scratch::create(&area).unwrap();
        let folder = scratch.directory("small").unwrap();
        scratch.make_empty_file(&folder.join("1")).unwrap();
        area.clean().unwrap();
        assert!(fs::read_dir(target.path()).unwrap().next().is_none());
    }

    #[test]
    fn data_sets_stay() {
        let (_target, area) = area();
        fs::create_dir(area.data_dir()).unwrap();
        fs::write(area.data_dir().join("reel"), b"prepared").unwrap();
        Scratch::create(&area).unwrap().remove().unwrap();
        assert_eq!(fs::read(area.data_dir().join("reel")).unwrap(), b"prepared");
    }

    #[cfg(unix)]
    #[test]
    fn links_inside_are_removed_and_not_followed() {
        let (target, area) = area();
        let reel = target.path().join("reel");
        fs::write(&reel, b"irreplaceable").unwrap();
        let scratch = Scratch::create(&area).unwrap();
        std::os::unix::fs::symlink(&reel, scratch.path().join("file")).unwrap();
        std::os::unix::fs::symlink(target.path(), scratch.path().join("folder")).unwrap();
        assert!(scratch.make_empty_file(&scratch.path().join("file")).is_err(), "the name is taken");
        assert!(scratch.directory("folder").is_err(), "the name is taken");
        scratch.remove().unwrap();
        assert_eq!(fs::read(&reel).unwrap(), b"irreplaceable");
    }

    #[test]
    fn replaced_area_is_unchanged() {
        let (target, area) = area();
        let scratch = Scratch::create(&area).unwrap();
        area.clone().clean().unwrap();
        let next = Area::open_or_create(target.path()).unwrap();
        let theirs = Scratch::create(&next).unwrap().directory("theirs").unwrap();
        for error in [Scratch::create(&area).unwrap_err(), scratch.remove().unwrap_err()] {
            assert!(matches!(error, ScratchError::Area(AreaError::Vanished { .. })), "{error}");
        }
        assert!(theirs.exists());
    }
}
