//! The known files of an NFS server, found by handle and by path.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Limit of handles with known names.
const MAX_HANDLES: usize = 1 << 21;
/// Limit of the memory for their names.
const MAX_PATH_BYTES: usize = 256 << 20;

/// A file or directory.
#[derive(Clone, Default)]
pub(super) struct File {
    /// Path relative to the server's export.
    pub path: Vec<u8>,
    pub is_directory: bool,
    /// 0 while it is not open.
    pub transfer: u32,
    /// Number of opens that are not closed.
    pub opens: u32,
}

#[derive(Default)]
pub(super) struct NfsFiles {
    /// By the hash of the file handle.
    by_handle: HashMap<u64, File>,
    /// By hash of a path: the handle that had the path last. A rename names no handle, and searching
    /// millions of handles would dominate the import time.
    by_path: HashMap<u64, u64>,
    state: RandomState,
    path_bytes: usize,
}

impl NfsFiles {
    /// The known file of a handle.
    pub fn get(&self, handle: u64) -> Option<&File> {
        self.by_handle.get(&handle)
    }

    /// Stores the file of a handle, unless the memory limit is reached.
    pub fn learn(&mut self, handle: u64, file: File) {
        let is_full = self.by_handle.len() >= MAX_HANDLES && !self.by_handle.contains_key(&handle);
        if is_full || self.path_bytes + file.path.len() > MAX_PATH_BYTES {
            return;
        }
        self.path_bytes += file.path.len();
        let path = self.state.hash_one(&file.path);
        if let Some(old) = self.by_handle.insert(handle, file) {
            self.path_bytes -= old.path.len();
            self.forget(&old.path, handle);
        }
        self.by_path.insert(path, handle);
    }

    /// Changes the path of the file with this path.
    pub fn renamed(&mut self, old: &[u8], new: Vec<u8>) {
        let Some(&handle) = self.by_path.get(&self.state.hash_one(old)) else { return };
        let Some(file) = self.by_handle.get_mut(&handle).filter(|file| file.path == old) else { return };
        self.path_bytes = (self.path_bytes + new.len()).saturating_sub(old.len());
        let path = self.state.hash_one(&new);
        file.path = new;
        self.forget(old, handle);
        self.by_path.insert(path, handle);
    }

    /// Removes a handle's path.
    fn forget(&mut self, path: &[u8], handle: u64) {
        let path = self.state.hash_one(path);
        if self.by_path.get(&path) == Some(&handle) {
            self.by_path.remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> File {
        File { path: path.as_bytes().to_vec(), ..File::default() }
    }

    fn path(files: &NfsFiles, handle: u64) -> Option<&[u8]> {
        files.get(handle).map(|file| file.path.as_slice())
    }

    #[test]
    fn a_rename_finds_the_handle_that_had_the_name_last() {
        let mut files = NfsFiles::default();
        files.learn(1, file("a"));
        files.learn(2, file("a"));
        files.renamed(b"a", b"b".to_vec());
        assert_eq!((path(&files, 1), path(&files, 2)), (Some(&b"a"[..]), Some(&b"b"[..])));
        files.renamed(b"b", b"c".to_vec());
        files.renamed(b"nobody", b"d".to_vec());
        assert_eq!(path(&files, 2), Some(&b"c"[..]));
        assert_eq!(files.path_bytes, 2);
    }

    #[test]
    fn relearned_handle_is_found_only_by_its_new_name() {
        let mut files = NfsFiles::default();
        for path in ["a", "b", "b", "a"] {
            files.learn(1, file(path));
        }
        files.renamed(b"b", b"c".to_vec());
        assert_eq!(path(&files, 1), Some(&b"a"[..]));
        files.renamed(b"a", b"d".to_vec());
        assert_eq!(path(&files, 1), Some(&b"d"[..]));
        assert_eq!(files.by_path.len(), 1, "no more entries than handles");
        assert_eq!(files.path_bytes, 1);
    }
}
