//! The files of a run, by the number that they have in its log.
//!
//! The table only grows: a number means one file for the whole run.
//!
//! Not here: making the files, and where they lie.

use std::path::{Path, PathBuf};

use reelgauge_engine::driver::{ReadOnly, TargetFile};
use reelgauge_record::log::FileEntry;

/// The log's description of files that Reelgauge never makes, changes or removes.
const OWN: &str = "the user's own, only read";

/// All files that a worker may use.
#[derive(Clone, Debug)]
pub struct FileTable {
    area_root: PathBuf,
    targets: Vec<TargetFile>,
    entries: Vec<FileEntry>,
    /// Numbers of the files with test data that existed before the first operation.
    test_files: Vec<u32>,
    /// The user's own files.
    read_only: ReadOnly,
}

impl FileTable {
    /// An empty table. Files below `area_root` are named relative to it.
    pub fn new(area_root: &Path) -> FileTable {
        let area_root = area_root.to_path_buf();
        FileTable {
            area_root,
            targets: Vec::new(),
            entries: Vec::new(),
            test_files: Vec::new(),
            read_only: ReadOnly::default(),
        }
    }

    /// Test files for the run; `prepared` describes how they were made. Returns the number of the first.
    pub fn enter_test_files(&mut self, files: &[TargetFile], prepared: &str) -> u32 {
        let first = self.targets.len() as u32;
        for file in files {
            let number = self.enter(file.clone(), true, prepared);
            self.test_files.push(number);
        }
        first
    }

    /// One of the user's own files, which is only read. Returns its number.
    pub fn enter_own_file(&mut self, file: TargetFile) -> u32 {
        let number = self.enter(file, true, OWN);
        self.test_files.push(number);
        self.read_only.add(number);
        number
    }

    /// The files that may only be read.
    pub fn read_only(&self) -> &ReadOnly {
        &self.read_only
    }

    /// A folder or file that is not test data; `existed` if it exists before the run. Returns its
    /// number.
    pub fn enter(&mut self, file: TargetFile, existed: bool, prepared: &str) -> u32 {
        let number = self.targets.len() as u32;
        self.entries.push(FileEntry {
            path: file.path.strip_prefix(&self.area_root).unwrap_or(&file.path).display().to_string(),
            size_before_bytes: existed.then_some(file.size_bytes),
            existed_before: existed,
            prepared: prepared.to_owned(),
            ..FileEntry::default()
        });
        self.targets.push(file);
        number
    }

    /// A file under another name than its path. Returns its number.
    pub fn enter_as(&mut self, entry: FileEntry, file: TargetFile) -> u32 {
        let number = self.targets.len() as u32;
        if entry.existed_before && entry.size_before_bytes.is_some() {
            self.test_files.push(number);
        }
        self.entries.push(entry);
        self.targets.push(file);
        number
    }

    /// The files in the form of drivers.
    pub fn targets(&self) -> &[TargetFile] {
        &self.targets
    }

    /// The files in the form of the log.
    pub fn entries(&self) -> &[FileEntry] {
        &self.entries
    }

    /// The test files: those that existed before, with their sizes.
    pub fn test_files(&self) -> impl Iterator<Item = &TargetFile> {
        self.test_files.iter().filter_map(|&number| self.targets.get(number as usize))
    }

    /// Paths of the test files: the run itself may have put them into the client's cache.
    pub fn test_paths(&self) -> Vec<&Path> {
        self.test_files().map(|file| file.path.as_path()).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn file(path: &str) -> TargetFile {
        TargetFile { path: PathBuf::from(path), size_bytes: 7 }
    }

    #[test]
    fn numbers_continue_and_paths_start_at_the_area() {
        let mut table = FileTable::new(Path::new("/t/area"));
        assert_eq!(table.enter_test_files(&[file("/t/area/data/a"), file("/t/area/data/b")], "reused"), 0);
        assert_eq!(table.enter(file("/t/area/scratch/new"), false, "by the run"), 2);
        assert_eq!(table.enter_test_files(&[file("/elsewhere/c")], "written"), 3);
        let names: Vec<&str> = table.entries().iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(names, ["data/a", "data/b", "scratch/new", "/elsewhere/c"]);
        let sizes: Vec<_> = table.entries().iter().map(|entry| entry.size_before_bytes).collect();
        assert_eq!(sizes, [Some(7), Some(7), None, Some(7)]);
    }

    #[test]
    fn files_made_by_the_run_are_no_test_files() {
        let mut table = FileTable::new(Path::new("/t"));
        table.enter(file("/t/new"), true, "before the run");
        table.enter_test_files(&[file("/t/data")], "reused");
        assert_eq!(table.test_paths(), [Path::new("/t/data")]);
        assert_eq!(table.targets().len(), 2);
    }
}
