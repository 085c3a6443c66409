//! Nodes and names together: resolves the numbers of a request, and records the results of lookups.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::mutex::lock;
use crate::names::{Before, Linked, NameTable};
use crate::nodes::{Entered, Found, Key, Nodes};

/// The files known to the kernel, and their names in the trace.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Mutex<Nodes>,
    names: Arc<Mutex<NameTable>>,
}

/// The identity of a file.
pub(crate) fn key_of(stat: &Stat) -> Key {
    Key { device: stat.st_dev, inode: stat.st_ino }
}

fn is_dir(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

impl Tree {
    pub(crate) fn new(root: Key, names: Arc<Mutex<NameTable>>) -> Tree {
        Tree { nodes: Mutex::new(Nodes::new(root)), names }
    }

    /// The path of a node; an error if it no longer has a name.
    pub(crate) fn path(&self, id: u64) -> Result<PathBuf, Errno> {
        lock(&self.nodes).path(id).ok_or(Errno::STALE)
    }

    /// The path of a name in a directory.
    pub(crate) fn child(&self, parent: u64, name: &OsStr) -> Result<PathBuf, Errno> {
        lock(&self.nodes).path(parent).map(|path| path.join(name)).ok_or(Errno::NOENT)
    }

    /// The trace's number for a node's name, `None` if it has none.
    pub(crate) fn number(&self, id: u64) -> Option<u32> {
        let nodes = lock(&self.nodes);
        let (path, is_dir) = (nodes.path(id)?, nodes.is_dir(id));
        drop(nodes);
        self.number_of(&path, is_dir)
    }

    /// The trace's number for a path.
    pub(crate) fn number_of(&self, path: &Path, is_dir: bool) -> Option<u32> {
        lock(&self.names).number(path, is_dir)
    }

    /// Whether a name is known to refer to a directory.
    pub(crate) fn is_dir(&self, parent: u64, name: &OsStr) -> bool {
        let nodes = lock(&self.nodes);
        nodes.child(parent, name).is_some_and(|id| nodes.is_dir(id))
    }

    /// The trace's number for a symbolic link's target.
    pub(crate) fn number_of_target(&self, path: &Path) -> Option<u32> {
        lock(&self.names).number_of_target(path)
    }

    /// Records a lookup that found an entry; `leads_to` is its target, if it is a symbolic link.
    pub(crate) fn found(
        &self,
        parent: u64,
        name: &OsStr,
        path: &Path,
        stat: &Stat,
        leads_to: Option<&Path>,
    ) -> Entered {
        let seen = match is_dir(stat) {
            true => Before::Dir,
            false => Before::File { size_bytes: u64::try_from(stat.st_size).unwrap_or(0) },
        };
        let several = (stat.st_nlink > 1 && !is_dir(stat)).then(|| key_of(stat));
        self.enter(parent, name, (path, Linked { several, leads_to }), stat, seen)
    }

    /// Records the creation of a name: it did not exist before.
    pub(crate) fn made(&self, parent: u64, name: &OsStr, path: &Path, stat: &Stat) -> Entered {
        self.enter(parent, name, (path, Linked::default()), stat, Before::Absent)
    }

    /// Records a lookup that found nothing.
    pub(crate) fn missed(&self, parent: u64, name: &OsStr, path: &Path) {
        let origin = lock(&self.nodes).origin(parent, name);
        lock(&self.names).look(path, origin.as_deref(), Before::Absent, Linked::default());
    }

    fn enter(
        &self,
        parent: u64,
        name: &OsStr,
        (path, linked): (&Path, Linked<'_>),
        stat: &Stat,
        seen: Before,
    ) -> Entered {
        let links = u32::try_from(stat.st_nlink).unwrap_or(u32::MAX);
        let found = Found { key: key_of(stat), is_dir: is_dir(stat), links };
        let mut nodes = lock(&self.nodes);
        let entered = nodes.enter(parent, name, found);
        let origin = nodes.origin(parent, name);
        let before = lock(&self.names).look(path, origin.as_deref(), seen, linked);
        if let Some(origin) = origin.filter(|_| entered.is_new && before == Before::Dir) {
            nodes.set_origin(entered.id, &origin);
        }
        entered
    }

    pub(crate) fn forget(&self, id: u64, times: u64) {
        lock(&self.nodes).forget(id, times);
    }

    pub(crate) fn remove(&self, parent: u64, name: &OsStr) {
        lock(&self.nodes).remove(parent, name);
    }

    pub(crate) fn rename(&self, from: (u64, &OsStr), to: (u64, &OsStr), is_exchange: bool) {
        lock(&self.nodes).rename(from, to, is_exchange);
    }
}
