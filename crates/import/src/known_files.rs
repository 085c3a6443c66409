//! A source's facts about files, in addition to its operations: whether they existed before, and how
//! large they were.
//!
//! A name and its file are separate: a rename moves the file to another name, and an open handle still
//! refers to the file, whatever its name. So sizes belong to files, and existence to names.

use std::cell::Cell;
use std::rc::Rc;

use reelgauge_record::log::FileEntry;
use reelgauge_trace::writer::{ABSENT, FOUND};

use crate::errno::EEXIST;

/// A file, independent of its names.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Its current size, if known.
    size: Cell<Option<u64>>,
    /// The end of the trace's writes: the size is at least this.
    reached: Cell<u64>,
    /// Whether the trace wrote to it, so that its size no longer shows the original one.
    changed: Cell<bool>,
    /// Its name when it was first seen.
    origin: Option<u32>,
}

/// A file shared by handles and names.
pub(crate) type NodeRef = Rc<Node>;

/// The state of a name.
#[derive(Debug)]
struct State {
    before: Option<bool>,
    now: Option<bool>,
    size_before_bytes: Option<u64>,
    node: NodeRef,
    /// The target, if it was a symbolic link before the trace.
    led_to: Option<String>,
    /// Whether it was first seen after a directory above it was renamed: its original state is unknown.
    has_moved: bool,
}

/// The known facts about all names of a trace, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Known {
    states: Vec<State>,
}

impl Node {
    /// Its size, if known.
    pub fn size(&self) -> Option<u64> {
        self.size.get()
    }

    /// Its end as far as known: its size, or the end of the trace's writes.
    pub fn end(&self) -> u64 {
        self.size.get().unwrap_or(self.reached.get())
    }

    /// Records a write up to `end`.
    pub fn written(&self, end: u64) {
        self.changed.set(true);
        self.reached.set(self.reached.get().max(end));
        self.size.set(self.size.get().map(|size| size.max(end)));
    }

    /// Records that its size was set.
    pub fn resized(&self, size: u64) {
        self.changed.set(true);
        self.size.set(Some(size));
    }
}

impl Known {
    fn state(&mut self, file: u32) -> &mut State {
        while self.states.len() <= file as usize {
            let origin = Some(self.states.len() as u32);
            let node = Rc::new(Node { origin, ..Node::default() });
            self.states.push(State {
                before: None,
                now: None,
                size_before_bytes: None,
                node,
                led_to: None,
                has_moved: false,
            });
        }
        &mut self.states[file as usize]
    }

    /// The file that currently has this name.
    pub fn node(&mut self, file: u32) -> NodeRef {
        Rc::clone(&self.state(file).node)
    }

    /// Whether this name currently exists; `None` if unknown.
    pub fn exists(&mut self, file: u32) -> Option<bool> {
        self.state(file).now
    }

    /// Records a successful operation that needs the file.
    pub fn found(&mut self, file: u32) {
        let state = self.state(file);
        if state.now.is_none() && !state.has_moved {
            state.before = Some(true);
        }
        state.now = Some(true);
    }

    /// Records a name first seen after a directory above it was renamed: the file may have been
    /// elsewhere.
    pub fn moved(&mut self, file: u32) {
        self.state(file).has_moved = true;
    }

    /// Records that the file does not exist.
    pub fn missing(&mut self, file: u32) {
        let state = self.state(file);
        if state.now.is_none() && !state.has_moved {
            state.before = Some(false);
        }
        state.now = Some(false);
    }

    /// Records that it was created and did not exist before.
    pub fn made(&mut self, file: u32) {
        self.missing(file);
        let node = Node { size: Cell::new(Some(0)), changed: Cell::new(true), ..Node::default() };
        let state = self.state(file);
        state.node = Rc::new(node);
        state.now = Some(true);
    }

    /// Records that it was created or existed already; which one is unknown.
    pub fn made_or_found(&mut self, file: u32) {
        self.state(file).now = Some(true);
    }

    /// Records that its name was removed.
    pub fn removed(&mut self, file: u32) {
        self.found(file);
        let state = self.state(file);
        state.now = Some(false);
        state.node = Rc::new(Node::default());
    }

    /// Moves the file of one name to another.
    pub fn renamed(&mut self, old: u32, new: u32) {
        self.found(old);
        let node = self.node(old);
        if old != new {
            self.removed(old);
        }
        let state = self.state(new);
        state.node = node;
        state.now = Some(true);
    }

    /// Records that two files exchanged their names.
    pub fn exchanged(&mut self, one: u32, two: u32) {
        [one, two].into_iter().for_each(|file| self.found(file));
        let (of_one, of_two) = (self.node(one), self.node(two));
        self.state(one).node = of_two;
        self.state(two).node = of_one;
    }

    /// Records an additional name that did not exist before.
    pub fn linked(&mut self, old: u32, new: u32) {
        self.found(old);
        self.missing(new);
        let node = self.node(old);
        let state = self.state(new);
        state.node = node;
        state.now = Some(true);
    }

    /// Records a request to create this name: it was created, or existed already.
    pub fn asked_for(&mut self, file: u32, errno: i32) {
        match errno {
            0 => self.made(file),
            EEXIST => self.found(file),
            _ => {}
        }
    }

    /// Records a request for a hard link: it was created, or the new name existed already.
    pub fn link_asked_for(&mut self, old: u32, new: u32, errno: i32) {
        match errno {
            0 => self.linked(old, new),
            EEXIST => self.found(new),
            _ => {}
        }
    }

    /// Records that it is a symbolic link to `name`.
    pub fn leads_to(&mut self, file: u32, name: &str) {
        let state = self.state(file);
        let is_new = state.now.is_none() && !state.has_moved;
        self.found(file);
        let state = self.state(file);
        if is_new || state.before == Some(true) && state.led_to.is_none() && state.size_before_bytes.is_none()
        {
            state.led_to = Some(name.to_owned());
        }
    }

    /// The path in a symbolic link: absolute, or relative to the link's directory.
    pub fn meant_by(link: &[u8], text: &[u8]) -> Vec<u8> {
        if text.first() == Some(&b'/') {
            return text.to_vec();
        }
        let above = &link[..memchr::memrchr(b'/', link).map_or(0, |slash| slash + 1)];
        [above, text].concat()
    }

    /// Records a size that the source shows.
    pub fn size_seen(&mut self, node: &NodeRef, size: u64) {
        node.size.set(Some(size));
        let Some(origin) = node.origin.filter(|_| !node.changed.get()) else { return };
        let state = self.state(origin);
        if size > 0 && state.before.is_none() && !state.has_moved {
            state.before = Some(true);
        }
        if state.before == Some(true) {
            state.size_before_bytes = Some(size);
        }
    }

    /// Completes the file table entry of a name.
    pub fn complete(&mut self, file: u32, entry: &mut FileEntry) {
        let state = self.state(file);
        entry.size_before_bytes = state.size_before_bytes;
        entry.existed_before = state.before == Some(true);
        entry.leads_to.clone_from(&state.led_to);
        entry.size_after_bytes = state.node.size.get().filter(|_| state.now == Some(true));
        if let Some(before) = state.before {
            entry.prepared = if before { FOUND } else { ABSENT }.to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(known: &mut Known, file: u32) -> (Option<bool>, Option<u64>, Option<u64>) {
        let mut entry = FileEntry { prepared: "unknown".to_owned(), ..FileEntry::default() };
        known.complete(file, &mut entry);
        let before = match entry.prepared.as_str() {
            FOUND => Some(true),
            ABSENT => Some(false),
            _ => None,
        };
        assert_eq!(entry.existed_before, before == Some(true));
        (before, entry.size_before_bytes, entry.size_after_bytes)
    }

    #[test]
    fn a_size_seen_before_the_first_write_is_the_one_before() {
        let mut known = Known::default();
        known.found(0);
        let node = known.node(0);
        known.size_seen(&node, 100);
        node.written(300);
        known.size_seen(&node, 300);
        assert_eq!(entry(&mut known, 0), (Some(true), Some(100), Some(300)));
        known.missing(1);
        known.made(1);
        let node = known.node(1);
        known.size_seen(&node, 0);
        assert_eq!(entry(&mut known, 1), (Some(false), None, Some(0)));
    }

    #[test]
    fn file_size_shows_whether_an_open_created_it() {
        let mut known = Known::default();
        for (file, size) in [(0, 0), (1, 7)] {
            known.made_or_found(file);
            let node = known.node(file);
            known.size_seen(&node, size);
        }
        assert_eq!(entry(&mut known, 0), (None, None, Some(0)));
        assert_eq!(entry(&mut known, 1), (Some(true), Some(7), Some(7)));
    }

    #[test]
    fn a_link_was_there_before_only_if_nothing_made_it() {
        let mut known = Known::default();
        known.leads_to(0, "a");
        known.leads_to(0, "b");
        known.made(1);
        known.leads_to(1, "a");
        known.found(2);
        known.linked(2, 3);
        let mut led = |file| {
            let mut entry = FileEntry::default();
            known.complete(file, &mut entry);
            (entry.leads_to, entry.existed_before)
        };
        assert_eq!(led(0), (Some("a".to_owned()), true));
        assert_eq!(led(1), (None, false));
        assert_eq!((led(2), led(3)), ((None, true), (None, false)));
    }

    /// `mv d e`, and then `e/x` is read.
    #[test]
    fn below_a_renamed_directory_nothing_is_known_of_before() {
        let mut known = Known::default();
        known.found(0);
        [1, 2].into_iter().for_each(|file| known.moved(file));
        [0, 1].into_iter().for_each(|file| known.found(file));
        known.missing(2);
        let node = known.node(1);
        known.size_seen(&node, 20);
        known.missing(3);
        let before: Vec<_> = (0..4).map(|file| entry(&mut known, file).0).collect();
        assert_eq!(before, [Some(true), None, None, Some(false)]);
    }

    #[test]
    fn open_result_shows_creation_existence_or_neither() {
        const EACCES: i32 = 13;
        let mut known = Known::default();
        known.asked_for(0, 0);
        known.asked_for(1, EEXIST);
        known.asked_for(2, EACCES);
        known.link_asked_for(1, 3, 0);
        known.link_asked_for(1, 4, EEXIST);
        known.link_asked_for(1, 5, EACCES);
        let before: Vec<_> = (0..6).map(|file| entry(&mut known, file).0).collect();
        assert_eq!(before, [Some(false), Some(true), None, Some(false), Some(true), None]);
        let now: Vec<_> = (0..6).map(|file| known.exists(file)).collect();
        assert_eq!(now, [Some(true), Some(true), None, Some(true), Some(true), None]);
    }

    #[test]
    fn relative_link_resolves_from_its_directory() {
        for (link, text, meant) in [
            ("/m/soft", "in.ts", "/m/in.ts"),
            ("/m/d/soft", "../in.ts", "/m/d/../in.ts"),
            ("soft", "in.ts", "in.ts"),
            ("/m/soft", "/n/in.ts", "/n/in.ts"),
            ("m/soft", "", "m/"),
        ] {
            let path = Known::meant_by(link.as_bytes(), text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&path), meant, "{link} {text}");
        }
    }

    #[test]
    fn a_renamed_file_keeps_its_size_and_its_first_name() {
        let mut known = Known::default();
        known.found(0);
        known.renamed(0, 1);
        let node = known.node(1);
        known.size_seen(&node, 50);
        assert_eq!(entry(&mut known, 0), (Some(true), Some(50), None));
        assert_eq!(entry(&mut known, 1), (None, None, Some(50)));
        known.removed(1);
        known.missing(1);
        assert_eq!(known.exists(1), Some(false));
        assert_eq!(entry(&mut known, 1), (None, None, None));
    }
}
