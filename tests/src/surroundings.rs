//! A target deep in a folder with other people's files at every level: what climbs out of it is seen.

use std::path::{Path, PathBuf};

use crate::scratch::Scratch;
use crate::tree::{Tree, tree};

/// Folders from the outermost to the target. A few steps up from the area still end in here.
const LEVELS: [&str; 6] = ["one", "two", "three", "four", "five", "target"];

/// A target, and what lies around it.
#[derive(Debug)]
pub struct Surroundings {
    scratch: Scratch,
}

impl Surroundings {
    /// A new one.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new() -> Surroundings {
        let scratch = Scratch::new();
        let around = Surroundings { scratch };
        std::fs::create_dir_all(around.target()).unwrap();
        for folder in around.target().ancestors().take(LEVELS.len() + 1) {
            std::fs::write(folder.join("theirs.mov"), "somebody's only copy").unwrap();
            std::os::unix::fs::symlink("theirs.mov", folder.join("link")).unwrap();
        }
        around
    }

    /// The target.
    pub fn target(&self) -> PathBuf {
        self.outermost().join(LEVELS.iter().collect::<PathBuf>())
    }

    /// The outermost folder, which nothing should leave.
    pub fn outermost(&self) -> PathBuf {
        self.scratch.dir("around")
    }

    /// A place beside it all, for traces and results.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.scratch.dir(name)
    }

    /// Everything around the area and in the target, but not the area.
    pub fn stock(&self) -> Tree {
        let area = LEVELS.iter().collect::<PathBuf>().join("reelgauge-area");
        tree(&self.outermost(), &[area.to_str().unwrap()])
    }

    /// What is left in the area of the files of a replay.
    pub fn left_in_area(&self) -> Vec<PathBuf> {
        let area = self.target().join("reelgauge-area");
        let below = |path: &Path| path.starts_with("scratch");
        match area.is_dir() {
            true => tree(&area, &[]).into_keys().filter(|path| below(path)).collect(),
            false => Vec::new(),
        }
    }
}

impl Default for Surroundings {
    fn default() -> Surroundings {
        Surroundings::new()
    }
}
