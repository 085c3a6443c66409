//! The names that operations refer to, and the state of each before the recording.
//!
//! A name first appears in a lookup, which the kernel does before every use. That lookup shows the state
//! before the recording, unless the recorded application has created the name. So only the first lookup
//! counts.
//!
//! Not here: the file that a name currently refers to ([`crate::nodes`]).

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use reelgauge_trace::name;

use crate::anonymise::Anonymiser;
use crate::nodes::Key;

/// The state of a name before the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// It did not exist.
    Absent,
    /// Any type except a directory, with its size.
    File { size_bytes: u64 },
    /// It was a directory.
    Dir,
}

/// Information about links from a lookup.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Linked<'a> {
    /// The identity of a file with several names.
    pub(crate) several: Option<Key>,
    /// The path that a symbolic link points to, or its own path if the target is outside the directory.
    pub(crate) leads_to: Option<&'a Path>,
}

/// A name as it is written to the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceName {
    /// Safe; a directory's name ends with `/`.
    pub(crate) path: String,
    /// `None` if it was used without a lookup.
    pub(crate) before: Option<Before>,
    /// The first name of the same file, if it had several before the recording.
    pub(crate) same_file_as: Option<String>,
    /// The target, if it was a symbolic link before.
    pub(crate) leads_to: Option<String>,
}

/// All names, by number in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    before: HashMap<PathBuf, Before>,
    numbers: HashMap<(PathBuf, bool), u32>,
    list: Vec<TraceName>,
    /// Files that had several names before: the first one looked up.
    first: HashMap<Key, PathBuf>,
    /// By other name of such a file: the first name.
    same: HashMap<PathBuf, PathBuf>,
    /// By symbolic link that existed before: its target.
    leads_to: HashMap<PathBuf, PathBuf>,
    anonymiser: Option<Anonymiser>,
}

impl NameTable {
    pub(crate) fn new(anonymiser: Option<Anonymiser>) -> NameTable {
        NameTable { anonymiser, ..NameTable::default() }
    }

    /// Records a lookup of a path. `origin` is the path that it had before the recording, `None` if its
    /// directory did not exist then. Returns the state before the recording, which is `seen` if this is
    /// the first lookup.
    pub(crate) fn look(
        &mut self,
        path: &Path,
        origin: Option<&Path>,
        seen: Before,
        linked: Linked<'_>,
    ) -> Before {
        let Some(origin) = origin else {
            return *self.before.entry(path.to_owned()).or_insert(Before::Absent);
        };
        if origin != path {
            // Its directory was renamed during the recording: it existed under its old name, and not under
            // this one.
            self.before.entry(path.to_owned()).or_insert(Before::Absent);
        }
        if let Some(known) = self.before.get(origin) {
            return *known;
        }
        self.before.insert(origin.to_owned(), seen);
        if let Before::File { .. } = seen {
            self.note_links(origin, linked);
        }
        seen
    }

    /// Records the links that the first lookup found.
    fn note_links(&mut self, path: &Path, linked: Linked<'_>) {
        if let Some(to) = linked.leads_to {
            self.leads_to.insert(path.to_owned(), to.to_owned());
        }
        if let Some(key) = linked.several {
            let first = self.first.entry(key).or_insert_with(|| path.to_owned());
            if first != path {
                self.same.insert(path.to_owned(), first.clone());
            }
        }
    }

    /// The number of a symbolic link's target, which need not exist.
    pub(crate) fn number_of_target(&mut self, path: &Path) -> Option<u32> {
        let known = |is_dir| self.numbers.get(&(path.to_owned(), is_dir)).copied();
        if let Some(number) = known(true).or_else(|| known(false)) {
            return Some(number);
        }
        let is_dir = self.before.get(path) == Some(&Before::Dir);
        self.number(path, is_dir)
    }

    /// The number of a path; a new one on first use. `None` for the recorded directory itself, which has
    /// no name in a trace.
    pub(crate) fn number(&mut self, path: &Path, is_dir: bool) -> Option<u32> {
        if path.as_os_str().is_empty() {
            return None;
        }
        if let Some(&number) = self.numbers.get(&(path.to_owned(), is_dir)) {
            return Some(number);
        }
        let number = u32::try_from(self.list.len()).ok()?;
        let before = match self.before.get(path) {
            // If the types differ, the other type did not exist under this name.
            Some(Before::File { .. }) if is_dir => Some(Before::Absent),
            Some(Before::Dir) if !is_dir => Some(Before::Absent),
            before => before.copied(),
        };
        let target = |links: &HashMap<PathBuf, PathBuf>| {
            let target = links.get(path).filter(|_| !is_dir)?;
            Some(self.in_trace(target, false, number))
        };
        let (same_file_as, leads_to) = (target(&self.same), target(&self.leads_to));
        let path_in_trace = self.in_trace(path, is_dir, number);
        self.list.push(TraceName { path: path_in_trace, before, same_file_as, leads_to });
        self.numbers.insert((path.to_owned(), is_dir), number);
        Some(number)
    }

    fn in_trace(&self, path: &Path, is_dir: bool, number: u32) -> String {
        let bytes = path.as_os_str().as_bytes();
        let mut name = match &self.anonymiser {
            Some(anonymiser) => anonymiser.path(bytes),
            // Escaping can make a name too long.
            None => name::clean(bytes).unwrap_or_else(|_| format!("name-too-long-{number}")),
        };
        if is_dir {
            name.push('/');
        }
        name
    }

    /// The names from this number on.
    pub(crate) fn since(&self, number: usize) -> Vec<TraceName> {
        self.list.get(number..).unwrap_or_default().to_vec()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NONE: Linked<'_> = Linked { several: None, leads_to: None };
    const FILE: Before = Before::File { size_bytes: 5 };

    fn plain(path: &str, before: Before) -> TraceName {
        TraceName { path: path.to_owned(), before: Some(before), same_file_as: None, leads_to: None }
    }

    #[test]
    fn hard_links_and_link_targets_are_recorded() {
        let mut names = NameTable::default();
        let several = |inode| Linked { several: Some(Key { device: 1, inode }), ..NONE };
        let mut look = |path: &'static str, seen, linked| {
            names.look(Path::new(path), Some(Path::new(path)), seen, linked);
        };
        look("a", FILE, several(7));
        look("b", FILE, several(7));
        look("soft", FILE, Linked { leads_to: Some(Path::new("dir/x")), ..NONE });
        // Created during the recording: a link to an existing file, and one that replaces a file.
        look("c", Before::Absent, several(7));
        look("d", FILE, NONE);
        look("d", FILE, several(7));
        look("d", FILE, Linked { leads_to: Some(Path::new("a")), ..NONE });
        for path in ["a", "b", "soft", "c", "d"] {
            names.number(Path::new(path), false);
        }
        let list = names.since(0);
        let same: Vec<_> = list.iter().map(|name| name.same_file_as.as_deref()).collect();
        assert_eq!(same, [None, Some("a"), None, None, None]);
        let leads: Vec<_> = list.iter().map(|name| name.leads_to.as_deref()).collect();
        assert_eq!(leads, [None, None, Some("dir/x"), None, None]);
        look_dir(&mut names);
    }

    /// The target of a link is the name that the trace already has, also for a directory.
    fn look_dir(names: &mut NameTable) {
        names.look(Path::new("dir"), Some(Path::new("dir")), Before::Dir, NONE);
        let dir = names.number_of_target(Path::new("dir"));
        assert_eq!(names.since(dir.unwrap() as usize)[0].path, "dir/");
        assert_eq!(names.number(Path::new("dir"), true), dir);
        assert_eq!(names.number_of_target(Path::new("a")), Some(0));
    }

    #[test]
    fn first_lookup_decides_the_earlier_state() {
        let mut names = NameTable::default();
        let path = Path::new("a");
        assert_eq!(names.look(path, Some(path), Before::Absent, NONE), Before::Absent);
        assert_eq!(names.look(path, Some(path), FILE, NONE), Before::Absent, "made meanwhile");
        let (a, dir) = (names.number(path, false), names.number(path, true));
        assert_eq!((a, dir, names.number(path, false)), (Some(0), Some(1), Some(0)));
        assert_eq!(names.since(1), [plain("a/", Before::Absent)]);
        assert_eq!(names.number(Path::new(""), true), None);
        names.number(Path::new("never looked at"), false);
        assert_eq!(names.since(2)[0].before, None);
    }

    #[test]
    fn below_a_renamed_directory_a_file_was_there_under_its_old_name() {
        let mut names = NameTable::default();
        assert_eq!(names.look(Path::new("new/f"), Some(Path::new("old/f")), FILE, NONE), FILE);
        names.number(Path::new("new/f"), false);
        names.number(Path::new("old/f"), false);
        let list = names.since(0);
        assert_eq!(list[0], plain("new/f", Before::Absent));
        assert_eq!(list[1], plain("old/f", FILE));
    }

    #[test]
    fn below_a_new_directory_nothing_was_there() {
        let mut names = NameTable::default();
        assert_eq!(names.look(Path::new("new/f"), None, FILE, NONE), Before::Absent);
    }

    #[test]
    fn a_directory_in_the_place_of_a_file_was_not_there() {
        let mut names = NameTable::default();
        names.look(Path::new("a"), Some(Path::new("a")), FILE, NONE);
        names.number(Path::new("a"), true);
        assert_eq!(names.since(0)[0].before, Some(Before::Absent));
    }
}
