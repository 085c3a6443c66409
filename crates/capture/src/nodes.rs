//! The directory tree as the kernel knows it: numbers of files, and their names.
//!
//! The kernel refers to files by number, the storage by path. A node stores its parent and its name in
//! it, so a renamed directory keeps its entries. A number is the file's inode number if that is unused,
//! because applications see it.
//!
//! Pure: no I/O here. The state of names before the recording is in [`crate::names`].

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The number of the recorded directory.
pub(crate) const ROOT: u64 = 1;
/// Start of the range for other numbers: above the inode numbers of all file systems.
const FIRST_OWN: u64 = 1 << 62;
/// Deeper than any path. Ends the walk in a damaged tree.
const MAX_DEPTH: usize = 4096;

/// The identity of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// The result of a name's lookup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) key: Key,
    pub(crate) is_dir: bool,
    pub(crate) links: u32,
}

/// The kernel's number for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    pub(crate) id: u64,
    pub(crate) generation: u64,
    /// Whether it was unknown before.
    pub(crate) is_new: bool,
}

/// A name: the number of its directory, and the entry in it.
type Name = (u64, OsString);

/// All files known to the kernel.
#[derive(Debug)]
pub(crate) struct Nodes {
    nodes: HashMap<u64, Node>,
    by_key: HashMap<Key, u64>,
    by_name: HashMap<Name, u64>,
    next_own: u64,
}

#[derive(Debug)]
struct Node {
    key: Key,
    is_dir: bool,
    links: u32,
    /// Its names (several for hard links), the last used one at the end.
    names: Vec<Name>,
    /// The kernel's references to it.
    lookups: u64,
    /// Incremented when the number is reused for another file.
    generation: u64,
    /// Whether its last name was removed.
    is_gone: bool,
    /// A directory's path before the recording; `None` if its existence then is unknown.
    origin: Option<PathBuf>,
    /// Kept even after the kernel forgets it, because the origin is stored only here.
    is_kept: bool,
}

impl Nodes {
    pub(crate) fn new(root: Key) -> Nodes {
        let node = Node {
            key: root,
            is_dir: true,
            links: 2,
            names: Vec::new(),
            lookups: 1,
            generation: 0,
            is_gone: false,
            origin: Some(PathBuf::new()),
            is_kept: true,
        };
        Nodes {
            nodes: HashMap::from([(ROOT, node)]),
            by_key: HashMap::from([(root, ROOT)]),
            by_name: HashMap::new(),
            next_own: FIRST_OWN,
        }
    }

    /// The path of a node below the root, empty for the root itself; `None` if it no longer has a name.
    pub(crate) fn path(&self, id: u64) -> Option<PathBuf> {
        let mut parts: Vec<&OsStr> = Vec::new();
        let mut at = id;
        while at != ROOT {
            let (parent, name) = self.nodes.get(&at)?.names.last()?;
            parts.push(name);
            at = *parent;
            if parts.len() > MAX_DEPTH {
                return None;
            }
        }
        Some(parts.iter().rev().collect())
    }

    /// The path that a name in a directory had before the recording.
    pub(crate) fn origin(&self, parent: u64, name: &OsStr) -> Option<PathBuf> {
        Some(self.nodes.get(&parent)?.origin.as_ref()?.join(name))
    }

    /// Sets a directory's path before the recording.
    pub(crate) fn set_origin(&mut self, id: u64, origin: &Path) {
        if let Some(node) = self.nodes.get_mut(&id).filter(|node| node.is_dir) {
            node.origin = Some(origin.to_owned());
        }
    }

    pub(crate) fn is_dir(&self, id: u64) -> bool {
        self.nodes.get(&id).is_some_and(|node| node.is_dir)
    }

    /// The node of a name, if the kernel has looked it up.
    pub(crate) fn child(&self, parent: u64, name: &OsStr) -> Option<u64> {
        self.by_name.get(&(parent, name.to_owned())).copied()
    }

    /// Adds the target of a name, and one reference of the kernel.
    pub(crate) fn enter(&mut self, parent: u64, name: &OsStr, found: Found) -> Entered {
        let place = (parent, name.to_owned());
        let known = self.by_key.get(&found.key).copied();
        let id = known.unwrap_or_else(|| self.add(found));
        if self.by_name.get(&place).is_some_and(|&old| old != id) {
            self.remove(parent, name);
        }
        self.by_name.insert(place.clone(), id);
        let Some(node) = self.nodes.get_mut(&id) else { return Entered { id, generation: 0, is_new: true } };
        if node.is_gone {
            // The number belonged to a removed file, and is now used for another one.
            node.generation += 1;
            node.is_gone = false;
            node.is_dir = found.is_dir;
            node.origin = None;
        }
        if id != ROOT {
            node.names.retain(|name| *name != place);
            node.names.push(place);
        }
        node.links = found.links;
        node.lookups += 1;
        Entered { id, generation: node.generation, is_new: known.is_none() }
    }

    fn add(&mut self, found: Found) -> u64 {
        let inode = found.key.inode;
        let is_free = inode > ROOT && inode < FIRST_OWN && !self.nodes.contains_key(&inode);
        let id = if is_free { inode } else { self.next_own };
        self.next_own += u64::from(!is_free);
        let node = Node {
            key: found.key,
            is_dir: found.is_dir,
            links: found.links,
            names: Vec::new(),
            lookups: 0,
            generation: 0,
            is_gone: false,
            origin: None,
            is_kept: false,
        };
        self.nodes.insert(id, node);
        self.by_key.insert(found.key, id);
        id
    }

    /// Drops this many of the kernel's references to a node.
    pub(crate) fn forget(&mut self, id: u64, times: u64) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        node.lookups = node.lookups.saturating_sub(times);
        if node.lookups > 0 || node.is_kept {
            return;
        }
        if let Some(node) = self.nodes.remove(&id) {
            self.by_key.remove(&node.key);
            for name in node.names {
                self.by_name.remove(&name);
            }
        }
    }

    /// Handles the removal of a name.
    pub(crate) fn remove(&mut self, parent: u64, name: &OsStr) {
        let place = (parent, name.to_owned());
        let Some(id) = self.by_name.remove(&place) else { return };
        let Some(node) = self.nodes.get_mut(&id) else { return };
        node.names.retain(|name| *name != place);
        node.links = node.links.saturating_sub(1);
        node.is_gone = node.names.is_empty() && (node.links == 0 || node.is_dir);
    }

    /// Handles a rename, or an exchange of two names.
    pub(crate) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr), is_exchange: bool) {
        let (old, new) = ((from.0, from.1.to_owned()), (to.0, to.1.to_owned()));
        if old == new {
            return;
        }
        let (moved, other) = (self.by_name.get(&old).copied(), self.by_name.get(&new).copied());
        if moved.is_some() && moved == other && !is_exchange {
            // Both names refer to one file: the kernel keeps both.
            return;
        }
        if is_exchange {
            self.by_name.remove(&new);
            self.by_name.remove(&old);
        } else {
            self.remove(to.0, to.1);
            self.by_name.remove(&old);
        }
        if let Some(id) = moved {
            self.give_name(id, &old, new.clone());
        }
        if let Some(id) = other.filter(|_| is_exchange) {
            self.give_name(id, &new, old);
        }
    }

    fn give_name(&mut self, id: u64, old: &Name, new: Name) {
        self.by_name.insert(new.clone(), id);
        if let Some(node) = self.nodes.get_mut(&id) {
            node.names.retain(|name| name != old);
            node.names.push(new);
            node.is_kept |= node.is_dir;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ROOT_KEY: Key = Key { device: 1, inode: 500 };

    fn file(inode: u64) -> Found {
        Found { key: Key { device: 1, inode }, is_dir: false, links: 1 }
    }

    fn dir(inode: u64) -> Found {
        Found { is_dir: true, links: 2, ..file(inode) }
    }

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    fn path(nodes: &Nodes, id: u64) -> String {
        nodes.path(id).map_or("none".to_owned(), |path| path.to_string_lossy().into_owned())
    }

    #[test]
    fn numbers_are_those_of_the_storage_if_known() {
        let mut nodes = Nodes::new(ROOT_KEY);
        assert_eq!(nodes.enter(ROOT, name("a"), file(7)), Entered { id: 7, generation: 0, is_new: true });
        assert!(!nodes.enter(ROOT, name("a"), file(7)).is_new);
        let elsewhere = Found { key: Key { device: 2, inode: 7 }, ..file(7) };
        assert_eq!(nodes.enter(ROOT, name("b"), elsewhere).id, FIRST_OWN, "7 is taken");
        assert_eq!(nodes.enter(ROOT, name("c"), file(1)).id, FIRST_OWN + 1, "1 is the root");
        assert_eq!(path(&nodes, 7), "a");
    }

    #[test]
    fn renamed_directory_moves_its_files_and_keeps_their_origin() {
        let mut nodes = Nodes::new(ROOT_KEY);
        nodes.enter(ROOT, name("old"), dir(10));
        nodes.set_origin(10, Path::new("old"));
        nodes.enter(10, name("f"), file(11));
        nodes.rename((ROOT, name("old")), (ROOT, name("new")), false);
        assert_eq!(path(&nodes, 11), "new/f");
        nodes.forget(11, 1);
        nodes.forget(10, 1);
        assert_eq!(nodes.origin(10, name("g")), Some("old/g".into()), "kept though it was forgotten");
        assert_eq!(nodes.child(ROOT, name("old")), None);
    }

    #[test]
    fn renamed_over_file_is_removed_and_its_number_reused() {
        let mut nodes = Nodes::new(ROOT_KEY);
        nodes.enter(ROOT, name("a"), file(7));
        nodes.enter(ROOT, name("b"), file(8));
        nodes.rename((ROOT, name("a")), (ROOT, name("b")), false);
        assert_eq!((path(&nodes, 7), path(&nodes, 8)), ("b".to_owned(), "none".to_owned()));
        assert_eq!(nodes.enter(ROOT, name("c"), file(8)), Entered { id: 8, generation: 1, is_new: false });
    }

    #[test]
    fn two_names_of_a_file_are_one_node_and_the_last_used_counts() {
        let mut nodes = Nodes::new(ROOT_KEY);
        let linked = Found { links: 2, ..file(7) };
        nodes.enter(ROOT, name("a"), linked);
        nodes.enter(ROOT, name("b"), linked);
        assert_eq!(path(&nodes, 7), "b");
        nodes.enter(ROOT, name("a"), linked);
        assert_eq!(path(&nodes, 7), "a");
        nodes.remove(ROOT, name("a"));
        assert_eq!(path(&nodes, 7), "b");
        nodes.remove(ROOT, name("b"));
        assert_eq!(path(&nodes, 7), "none");
        nodes.forget(7, 3);
        assert!(nodes.enter(ROOT, name("x"), file(7)).is_new, "forgotten");
    }

    #[test]
    fn names_that_change_places() {
        let mut nodes = Nodes::new(ROOT_KEY);
        nodes.enter(ROOT, name("a"), file(7));
        nodes.enter(ROOT, name("d"), dir(9));
        nodes.rename((ROOT, name("a")), (ROOT, name("d")), true);
        assert_eq!((path(&nodes, 7), path(&nodes, 9)), ("d".to_owned(), "a".to_owned()));
        assert_eq!(nodes.child(ROOT, name("d")), Some(7));
    }
}
