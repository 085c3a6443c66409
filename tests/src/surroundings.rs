//! A target deep in a tree with other files at every level. Any access outside the target shows up
//! there.

use std::path::{Path, PathBuf};

use crate::scratch::Scratch;
use crate::tree::{Tree, tree};

/// Folders from the outermost to the target. A few steps up from the area still end in this tree.
const LEVELS: [&str; 6] = ["one", "two", "three", "four", "five", "target"];

/// A target and its surroundings.
#[derive(Debug)]
pub struct Surroundings {
    scratch: Scratch,
}

impl Surroundings {
    /// Creates the tree.
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

    pub fn target(&self) -> PathBuf {
        self.outermost().join(LEVELS.iter().collect::<PathBuf>())
    }

    /// The outermost folder. No test may change anything outside it.
    pub fn outermost(&self) -> PathBuf {
        self.scratch.dir("around")
    }

    /// A path outside the tree, for traces and results.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.scratch.dir(name)
    }

    /// The state of everything around the area and in the target, except the area.
    pub fn stock(&self) -> Tree {
        let area = LEVELS.iter().collect::<PathBuf>().join("reelgauge-area");
        tree(&self.outermost(), &[area.to_str().unwrap()])
    }

    /// The files of a replay that are left in the area.
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
