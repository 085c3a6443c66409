//! The content of a folder, to show that nothing in it was changed.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every file and folder below a folder, with everything that would show a change: type, permissions,
/// owner, modification time and a hash of its content. Symbolic links are not followed.
pub type Tree = BTreeMap<PathBuf, String>;

/// Records the state of a folder without the direct children in `except`.
///
/// # Panics
/// If something cannot be read.
pub fn tree(folder: &Path, except: &[&str]) -> Tree {
    let mut found = Tree::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let inside = path.strip_prefix(folder).unwrap().to_owned();
            if except.iter().any(|name| inside.starts_with(name)) {
                continue;
            }
            let about = std::fs::symlink_metadata(&path).unwrap();
            if about.is_dir() {
                open.push(path.clone());
            }
            found.insert(inside, describe(&path, &about));
        }
    }
    found
}

/// One line that differs when the file does.
fn describe(path: &Path, about: &std::fs::Metadata) -> String {
    let content = if about.is_file() {
        let mut hasher = DefaultHasher::new();
        hasher.write(&std::fs::read(path).unwrap());
        format!("{:016x}", hasher.finish())
    } else if about.is_symlink() {
        format!("-> {}", std::fs::read_link(path).unwrap().display())
    } else {
        String::new()
    };
    // A folder's time changes when an excluded child is created or removed, so it is no evidence.
    let time = if about.is_dir() { 0 } else { about.mtime_nsec() + about.mtime() * 1_000_000_000 };
    format!("{:o} {}:{} {time} {content}", about.mode(), about.uid(), about.gid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn every_change_shows() {
        let scratch = Scratch::new();
        let dir = scratch.dir("d");
        std::fs::write(dir.join("a"), "one").unwrap();
        std::fs::create_dir_all(dir.join("area/x")).unwrap();
        let before = tree(&dir, &["area"]);
        std::fs::write(dir.join("area/x/new"), "not looked at").unwrap();
        assert_eq!(tree(&dir, &["area"]), before);
        std::fs::write(dir.join("a"), "two").unwrap();
        assert_ne!(tree(&dir, &["area"]), before);
        std::fs::write(dir.join("b"), "").unwrap();
        assert_eq!(tree(&dir, &["area"]).len(), before.len() + 1);
    }
}
