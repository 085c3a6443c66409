//! The names of a trace as a tree: equal names, and the parent directory of each.

use std::collections::HashMap;

use reelgauge_record::log::FileEntry;

use crate::name::{self, without_mark};
use crate::replay::ReplayError;

/// Most parent directories that are followed: no path is deeper.
const DEPTH_MAX: usize = 256;
pub(crate) const NONE: u32 = u32::MAX;

/// The names of a trace, by index in its file table, followed by names that were added later.
#[derive(Debug)]
pub(crate) struct TraceNames {
    /// Without a trailing slash; empty if the table has no name.
    names: Vec<String>,
    /// The first entry with the same name.
    same: Vec<u32>,
    /// The nearest parent directory that has an entry.
    above: Vec<u32>,
    index: HashMap<String, u32>,
    /// Whether the table marks it as a directory.
    directory: Vec<bool>,
}

impl TraceNames {
    /// Builds the tree of a file table.
    ///
    /// # Errors
    /// If a name is not safe.
    pub fn of(files: &[FileEntry]) -> Result<TraceNames, ReplayError> {
        let mut names = TraceNames {
            names: Vec::with_capacity(files.len()),
            same: Vec::with_capacity(files.len()),
            above: Vec::new(),
            index: HashMap::with_capacity(files.len()),
            directory: Vec::with_capacity(files.len()),
        };
        for entry in files {
            let path = Some(&entry.path).filter(|path| !path.is_empty());
            for name in path.into_iter().chain(&entry.same_file_as).chain(&entry.leads_to) {
                let shown = || name.chars().take(80).collect();
                name::check(name).map_err(|why| ReplayError::BadName { name: shown(), why })?;
            }
            names.add(&entry.path);
        }
        names.above = (0..files.len()).map(|at| names.nearest_above(&names.names[at])).collect();
        Ok(names)
    }

    /// The first entry with the same name; `None` if the trace does not name it.
    pub fn known(&self, file: u32) -> Option<u32> {
        let same = self.same.get(file as usize).copied()?;
        (!self.names[same as usize].is_empty()).then_some(same)
    }

    pub fn name(&self, file: u32) -> &str {
        self.names.get(file as usize).map_or("", String::as_str)
    }

    /// Whether its name marks it as a directory.
    pub fn says_directory(&self, file: u32) -> bool {
        self.directory.get(file as usize).copied().unwrap_or(false)
    }

    /// The entries of the parent directories, the nearest first.
    pub fn above(&self, file: u32) -> impl Iterator<Item = u32> {
        let mut at = file;
        std::iter::from_fn(move || {
            at = self.above.get(at as usize).copied().unwrap_or(NONE);
            (at != NONE).then_some(at)
        })
        .take(DEPTH_MAX)
    }

    /// The entry with this name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// The entry with this name, added if missing.
    pub fn find_or_add(&mut self, name: &str) -> u32 {
        self.find(name).unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.add(name);
            number
        })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    fn add(&mut self, path: &str) {
        let number = self.names.len() as u32;
        let name = without_mark(path);
        let same =
            if name.is_empty() { number } else { *self.index.entry(name.to_owned()).or_insert(number) };
        self.names.push(name.to_owned());
        self.same.push(same);
        self.directory.push(false);
        if path.ends_with('/') {
            self.directory[same as usize] = true;
        }
    }

    fn nearest_above(&self, name: &str) -> u32 {
        let parents = std::iter::successors(parent(name), |name| parent(name)).take(DEPTH_MAX);
        parents.filter_map(|parent| self.find(parent)).next().unwrap_or(NONE)
    }
}

/// The directory of a name; `None` at the root.
pub(crate) fn parent(name: &str) -> Option<&str> {
    name.rsplit_once('/').map(|(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn names(paths: &[&str]) -> TraceNames {
        let entry = |path: &&str| FileEntry { path: (*path).to_owned(), ..FileEntry::default() };
        TraceNames::of(&paths.iter().map(entry).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_name_with_and_without_slash_is_the_same() {
        let names = names(&["a/b/c", "a", "", "a/", "a/b/c"]);
        assert_eq!((names.known(0), names.known(4)), (Some(0), Some(0)));
        assert_eq!((names.known(1), names.known(3)), (Some(1), Some(1)));
        assert_eq!((names.known(2), names.known(9)), (None, None));
        assert!(names.says_directory(1));
        assert_eq!(names.above(0).collect::<Vec<_>>(), [1]);
    }
}
