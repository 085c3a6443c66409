//! Processes, their descriptors, and the open files that these refer to.
//!
//! The position belongs to the open file, not to the descriptor. Descriptors from `dup` or `fork` share
//! it, and so do threads, which share the whole table.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::known_files::{Node, NodeRef};
use crate::sink::Place;

/// Limit of descriptors, of all processes together.
const MAX_DESCRIPTORS: usize = 1 << 20;
/// Limit of processes and threads that exist at the same time.
const MAX_PROCESSES: usize = 1 << 18;

/// An open file ("open file description").
#[derive(Debug)]
pub(crate) struct OpenDescription {
    /// Its file, or the reason why its operations are skipped.
    pub place: Place,
    /// The known facts about the file.
    pub node: NodeRef,
    /// Its path in the source.
    pub path: Vec<u8>,
    /// Its handle in the trace.
    pub transfer: u32,
    /// The offset of the next read or write without an explicit offset.
    pub position: u64,
    /// The end of the latest positioned read or write, for sources that show only half of an offset.
    pub positioned_end: u64,
    /// Whether writes go to the end instead (`O_APPEND`).
    pub append: bool,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it was created without a name and still has none.
    pub is_nameless: bool,
    /// The listing in progress: its start and latest end.
    pub listing: Option<(u64, u64)>,
    /// Number of descriptors that refer to it.
    pub descriptors: usize,
}

/// An open file that several descriptors may share.
pub(crate) type Handle = Rc<RefCell<OpenDescription>>;

impl OpenDescription {
    /// An open file whose operations are skipped.
    pub fn out(why: &'static str, path: &[u8]) -> OpenDescription {
        OpenDescription {
            place: Err(why),
            node: NodeRef::new(Node::default()),
            path: path.to_vec(),
            transfer: 0,
            position: 0,
            positioned_end: 0,
            append: false,
            is_directory: false,
            is_nameless: false,
            listing: None,
            descriptors: 0,
        }
    }

    /// Wraps it for sharing between descriptors.
    pub fn shared(self) -> Handle {
        Rc::new(RefCell::new(self))
    }
}

/// An entry of a descriptor table.
#[derive(Clone, Debug)]
struct Slot {
    handle: Handle,
    close_on_exec: bool,
}

/// A descriptor table with its working directory. A process shares it with its threads.
#[derive(Debug, Default)]
struct Table {
    slots: HashMap<i32, Slot>,
    directory: Option<Vec<u8>>,
}

type TableRef = Rc<RefCell<Table>>;

/// All processes in a source.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    tables: HashMap<u32, TableRef>,
    first: TableRef,
    last: Option<(u32, TableRef)>,
    descriptors: usize,
}

impl Processes {
    /// Whether the process has been seen.
    pub fn knows(&self, pid: u32) -> bool {
        self.tables.contains_key(&pid)
    }

    /// The table of a process. One whose start is not shown is treated as a thread of the first process.
    fn table(&mut self, pid: u32) -> TableRef {
        if let Some((last, table)) = &self.last
            && *last == pid
        {
            return Rc::clone(table);
        }
        let table = match self.tables.get(&pid) {
            Some(table) => Rc::clone(table),
            None => {
                let table = Rc::clone(&self.first);
                if self.tables.len() < MAX_PROCESSES {
                    self.tables.insert(pid, Rc::clone(&table));
                }
                table
            }
        };
        self.last = Some((pid, Rc::clone(&table)));
        table
    }

    /// Registers a process whose start is not shown.
    pub fn take_for_thread(&mut self, pid: u32) {
        self.table(pid);
    }

    /// The open file of a descriptor.
    pub fn get(&mut self, pid: u32, descriptor: i32) -> Option<Handle> {
        let table = self.table(pid);
        let table = table.borrow();
        table.slots.get(&descriptor).map(|slot| Rc::clone(&slot.handle))
    }

    /// Sets a descriptor. Returns its previous open file if no other descriptor referred to that.
    pub fn set(&mut self, pid: u32, descriptor: i32, handle: Handle, close_on_exec: bool) -> Option<Handle> {
        let table = self.table(pid);
        let mut table = table.borrow_mut();
        if self.descriptors >= MAX_DESCRIPTORS && !table.slots.contains_key(&descriptor) {
            return None;
        }
        handle.borrow_mut().descriptors += 1;
        let before = table.slots.insert(descriptor, Slot { handle, close_on_exec });
        self.descriptors += usize::from(before.is_none());
        before.and_then(last_of)
    }

    /// Sets whether `exec` closes a descriptor.
    pub fn set_close_on_exec(&mut self, pid: u32, descriptor: i32, close: bool) {
        if let Some(slot) = self.table(pid).borrow_mut().slots.get_mut(&descriptor) {
            slot.close_on_exec = close;
        }
    }

    /// Closes a descriptor. Returns its open file, and whether it was the last descriptor of that.
    pub fn close(&mut self, pid: u32, descriptor: i32) -> Option<(Handle, bool)> {
        let slot = self.table(pid).borrow_mut().slots.remove(&descriptor)?;
        self.descriptors -= 1;
        let handle = Rc::clone(&slot.handle);
        Some((handle, last_of(slot).is_some()))
    }

    /// Closes all descriptors that `which` selects. Returns open files without any other descriptor.
    pub fn close_all(&mut self, pid: u32, which: impl Fn(i32, bool) -> bool) -> Vec<Handle> {
        let table = self.table(pid);
        let mut table = table.borrow_mut();
        let slots = table.slots.iter().filter(|(descriptor, slot)| which(**descriptor, slot.close_on_exec));
        let mut chosen: Vec<i32> = slots.map(|(descriptor, _)| *descriptor).collect();
        chosen.sort_unstable();
        let mut gone = Vec::new();
        for descriptor in chosen {
            if let Some(slot) = table.slots.remove(&descriptor) {
                self.descriptors -= 1;
                gone.extend(last_of(slot));
            }
        }
        gone
    }

    /// Registers a new process. A thread shares the table of its creator, a child process gets a copy.
    /// Returns false if the copy would take too much memory; the child then has no descriptors.
    pub fn begin(&mut self, parent: u32, child: u32, shares_files: bool) -> bool {
        if self.tables.len() >= MAX_PROCESSES || self.tables.contains_key(&child) {
            return self.tables.contains_key(&child);
        }
        let table = self.table(parent);
        if shares_files {
            self.tables.insert(child, table);
            return true;
        }
        let (copy, fits) = self.copy(&table);
        self.tables.insert(child, copy);
        fits
    }

    /// Registers a new process that inherits nothing.
    pub fn begin_alone(&mut self, pid: u32) {
        if self.tables.len() < MAX_PROCESSES {
            self.tables.entry(pid).or_default();
        }
    }

    /// Copies a table; the copy is empty if there are too many descriptors already.
    fn copy(&mut self, table: &TableRef) -> (TableRef, bool) {
        let table = table.borrow();
        let mut copy = Table { slots: HashMap::new(), directory: table.directory.clone() };
        let fits = self.descriptors + table.slots.len() <= MAX_DESCRIPTORS;
        if fits {
            copy.slots = table.slots.clone();
            copy.slots.values().for_each(|slot| slot.handle.borrow_mut().descriptors += 1);
            self.descriptors += copy.slots.len();
        }
        (Rc::new(RefCell::new(copy)), fits)
    }

    /// Number of processes and threads that share this table.
    fn sharers(&mut self, table: &TableRef) -> usize {
        self.last = None;
        Rc::strong_count(table) - 1 - usize::from(Rc::ptr_eq(table, &self.first))
    }

    /// Handles `exec`: the process's table is now separate, without the close-on-exec descriptors.
    /// Returns open files without any other descriptor.
    pub fn exec(&mut self, pid: u32) -> Vec<Handle> {
        let table = self.table(pid);
        if self.sharers(&table) > 1 {
            let (copy, _) = self.copy(&table);
            self.tables.insert(pid, copy);
        }
        self.close_all(pid, |_, close_on_exec| close_on_exec)
    }

    /// Handles the end of a process. Returns open files without any other descriptor.
    pub fn end(&mut self, pid: u32) -> Vec<Handle> {
        let Some(table) = self.tables.remove(&pid) else { return Vec::new() };
        if self.sharers(&table) > 0 {
            return Vec::new();
        }
        let slots: Vec<Slot> = {
            let mut table = table.borrow_mut();
            let mut slots: Vec<(i32, Slot)> = table.slots.drain().collect();
            slots.sort_unstable_by_key(|(descriptor, _)| *descriptor);
            slots.into_iter().map(|(_, slot)| slot).collect()
        };
        self.descriptors -= slots.len();
        slots.into_iter().filter_map(last_of).collect()
    }

    /// The process's working directory, if it is known.
    pub fn directory(&mut self, pid: u32) -> Option<Vec<u8>> {
        self.table(pid).borrow().directory.clone()
    }

    /// Sets the working directory that the source shows.
    pub fn set_directory(&mut self, pid: u32, path: &[u8]) {
        let table = self.table(pid);
        let mut table = table.borrow_mut();
        if table.directory.as_deref() != Some(path) {
            table.directory = Some(path.to_vec());
        }
    }
}

/// The open file of a closed descriptor, if it was the last one.
fn last_of(slot: Slot) -> Option<Handle> {
    let left = {
        let mut file = slot.handle.borrow_mut();
        file.descriptors = file.descriptors.saturating_sub(1);
        file.descriptors
    };
    (left == 0).then_some(slot.handle)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn file(name: &str) -> Handle {
        OpenDescription::out("a test", name.as_bytes()).shared()
    }

    #[test]
    fn an_open_file_lives_as_long_as_its_last_descriptor() {
        let mut processes = Processes::default();
        processes.set(1, 3, file("a"), false);
        let copy = processes.get(1, 3).unwrap();
        processes.set(1, 4, copy, false);
        assert!(!processes.close(1, 3).unwrap().1);
        assert!(processes.get(1, 3).is_none());
        processes.begin(1, 2, false);
        assert!(!processes.close(1, 4).unwrap().1, "the child has it");
        assert_eq!(processes.end(2).len(), 1);
        assert_eq!(processes.descriptors, 0);
    }

    #[test]
    fn threads_share_and_children_copy() {
        let mut processes = Processes::default();
        processes.set(1, 3, file("a"), false);
        processes.begin(1, 2, true);
        processes.begin(1, 9, false);
        processes.set(2, 4, file("b"), true);
        assert!(processes.get(1, 4).is_some());
        assert!(processes.get(9, 3).is_some() && processes.get(9, 4).is_none());
        processes.get(9, 3).unwrap().borrow_mut().position = 77;
        assert_eq!(processes.get(1, 3).unwrap().borrow().position, 77);
        assert!(processes.end(2).is_empty(), "the first thread still has them");
        assert_eq!(processes.end(1).len(), 1, "and the child still has one of them");
    }

    #[test]
    fn exec_keeps_descriptors_without_close_on_exec() {
        let mut processes = Processes::default();
        processes.set(1, 3, file("a"), true);
        processes.set(1, 4, file("b"), false);
        processes.begin(1, 2, false);
        assert!(processes.exec(2).is_empty(), "the parent still has it");
        assert!(processes.get(2, 3).is_none() && processes.get(2, 4).is_some());
        assert!(processes.get(1, 3).is_some());
        processes.set_close_on_exec(1, 4, true);
        assert_eq!(processes.exec(1).len(), 1);
    }

    #[test]
    fn children_without_end_take_no_endless_memory() {
        let mut processes = Processes::default();
        for descriptor in 0..1 << 12 {
            processes.set(1, descriptor, file("a"), false);
        }
        let copied = (2..2000).filter(|&child| processes.begin(1, child, false)).count();
        assert!(copied < 1 << 9, "{copied}");
        assert!(processes.descriptors <= MAX_DESCRIPTORS);
    }
}
