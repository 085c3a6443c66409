//! The names that operations refer to, and what was behind each before the recording.
//!
//! A name is known first from a look at it, which the system does before every use. What that look found is
//! what was there before, unless the recording itself made it; so the first look counts, and no later one.
//!
//! Not here: which file a name leads to now ([`super::nodes`]).

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::anonymise::Anonymiser;
use crate::name;

/// What a first look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing.
    Absent,
    /// Something that is no directory, and its size.
    File { size_bytes: u64 },
    /// A directory.
    Dir,
}

/// A name as the trace gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TraceName {
    /// Safe; ends with `/` for a directory.
    pub(super) path: String,
    /// `None` if nobody has looked before it was used.
    pub(super) before: Option<Before>,
}

/// All names, by number in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Names {
    before: HashMap<PathBuf, Before>,
    numbers: HashMap<(PathBuf, bool), u32>,
    list: Vec<TraceName>,
    anonymiser: Option<Anonymiser>,
}

impl Names {
    pub(super) fn new(anonymiser: Option<Anonymiser>) -> Names {
        Names { anonymiser, ..Names::default() }
    }

    /// Notes a look at a path. `origin` is the path that it had before the recording, `None` if its
    /// directory was not there then. Gives what was there before, which is `seen` if this is the first look.
    pub(super) fn look(&mut self, path: &Path, origin: Option<&Path>, seen: Before) -> Before {
        let Some(origin) = origin else {
            return *self.before.entry(path.to_owned()).or_insert(Before::Absent);
        };
        if origin == path {
            return *self.before.entry(path.to_owned()).or_insert(seen);
        }
        // Its directory was renamed meanwhile: it was there under its old name, and not under this one.
        self.before.entry(path.to_owned()).or_insert(Before::Absent);
        *self.before.entry(origin.to_owned()).or_insert(seen)
    }

    /// The number of a path, new if it was not used before; `None` for the recorded directory itself,
    /// which has no name in a trace.
    pub(super) fn number(&mut self, path: &Path, is_dir: bool) -> Option<u32> {
        if path.as_os_str().is_empty() {
            return None;
        }
        if let Some(&number) = self.numbers.get(&(path.to_owned(), is_dir)) {
            return Some(number);
        }
        let number = u32::try_from(self.list.len()).ok()?;
        let before = match self.before.get(path) {
            // A file where a directory is meant: as a directory it was not there, and the other way round.
            Some(Before::File { .. }) if is_dir => Some(Before::Absent),
            Some(Before::Dir) if !is_dir => Some(Before::Absent),
            before => before.copied(),
        };
        let path_in_trace = self.in_trace(path, is_dir, number);
        self.list.push(TraceName { path: path_in_trace, before });
        self.numbers.insert((path.to_owned(), is_dir), number);
        Some(number)
    }

    fn in_trace(&self, path: &Path, is_dir: bool, number: u32) -> String {
        let bytes = path.as_os_str().as_bytes();
        let mut name = match &self.anonymiser {
            Some(anonymiser) => anonymiser.path(bytes),
            // Encoding can make a name too long.
            None => name::clean(bytes).unwrap_or_else(|_| format!("name-too-long-{number}")),
        };
        if is_dir {
            name.push('/');
        }
        name
    }

    /// The names from this number on.
    pub(super) fn since(&self, number: usize) -> Vec<TraceName> {
        self.list.get(number..).unwrap_or_default().to_vec()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FILE: Before = Before::File { size_bytes: 5 };

    #[test]
    fn the_first_look_counts() {
        let mut names = Names::default();
        let path = Path::new("a");
        assert_eq!(names.look(path, Some(path), Before::Absent), Before::Absent);
        assert_eq!(names.look(path, Some(path), FILE), Before::Absent, "made meanwhile");
        let (a, dir) = (names.number(path, false), names.number(path, true));
        assert_eq!((a, dir, names.number(path, false)), (Some(0), Some(1), Some(0)));
        assert_eq!(names.since(1), [TraceName { path: "a/".to_owned(), before: Some(Before::Absent) }]);
        assert_eq!(names.number(Path::new(""), true), None);
        names.number(Path::new("never looked at"), false);
        assert_eq!(names.since(2)[0].before, None);
    }

    #[test]
    fn below_a_renamed_directory_a_file_was_there_under_its_old_name() {
        let mut names = Names::default();
        assert_eq!(names.look(Path::new("new/f"), Some(Path::new("old/f")), FILE), FILE);
        names.number(Path::new("new/f"), false);
        names.number(Path::new("old/f"), false);
        let list = names.since(0);
        assert_eq!(list[0], TraceName { path: "new/f".to_owned(), before: Some(Before::Absent) });
        assert_eq!(list[1], TraceName { path: "old/f".to_owned(), before: Some(FILE) });
    }

    #[test]
    fn below_a_new_directory_nothing_was_there() {
        let mut names = Names::default();
        assert_eq!(names.look(Path::new("new/f"), None, FILE), Before::Absent);
    }

    #[test]
    fn a_directory_in_the_place_of_a_file_was_not_there() {
        let mut names = Names::default();
        names.look(Path::new("a"), Some(Path::new("a")), FILE);
        names.number(Path::new("a"), true);
        assert_eq!(names.since(0)[0].before, Some(Before::Absent));
    }
}
