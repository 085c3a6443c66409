//! The walk through a trace: the state of every name, now and at the start of the trace.

use std::collections::{HashMap, HashSet};

use reelgauge_record::log::FileEntry;
use reelgauge_record::{OpKind, OpenBits};

use super::content::Content;
use super::names::{NONE, TraceNames};
use super::{Prepare, Prepared, SPANS_MAX};
use crate::replay::Without;
use crate::writer::{ABSENT, UNKNOWN};

/// Names below renamed directories that are visited, in total.
const RENAMED_MAX: usize = 20_000_000;

/// Linux's numbers of the errors that show whether something existed.
const ENOENT: i32 = 2;
const EEXIST: i32 = 17;
const EISDIR: i32 = 21;
const EINVAL: i32 = 22;

/// The parts of an operation that matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub kind: OpKind,
    /// Index of the name.
    pub file: u32,
    /// The new name of a rename or hard link.
    pub new_name: u32,
    /// Whether a rename exchanges both names.
    pub exchanges: bool,
    /// The open file that it uses.
    pub handle: Option<u32>,
    pub offset: u64,
    pub len: u32,
    pub done_len: u32,
    pub errno: i32,
    /// Whether its length and end are exactly those of the application.
    pub exact: bool,
}

/// The current state of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Now {
    Unknown,
    Absent,
    Here(u32),
}

/// The state of a name at the start of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Initial {
    Undecided,
    Absent { missed: bool },
    Was(u32),
}

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Unknown,
    File,
    Directory,
    /// A symbolic link.
    Link,
}

/// A file or directory.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The name that it had at the start of the trace; none for objects that the trace creates.
    pub(super) initial: u32,
    pub kind: EntryKind,
    /// A later operation proves that it existed.
    pub proven: bool,
    /// The source recorded that it existed.
    pub known: bool,
    pub known_size: Option<u64>,
    /// It was opened in a way that would create it if missing.
    pub may_be_made: bool,
    /// The first handle whose open is unknown.
    pub unknown_handle: u32,
    written_bytes: u64,
    pub content: Content,
    /// The target of a symbolic link that existed before.
    pub leads_to: Option<String>,
}

/// The state of the walk.
#[derive(Debug)]
pub(crate) struct Walk {
    pub names: TraceNames,
    now: Vec<Now>,
    pub(super) initial: Vec<Initial>,
    /// Whether any operation names it.
    pub(super) touched: Vec<bool>,
    /// Whether something was created under this name, so that its parent existed.
    pub(super) made_in: Vec<bool>,
    /// Whether the trace creates a directory with this name, or renames one to it.
    made: Vec<bool>,
    /// Whether there are names below it.
    above: Vec<bool>,
    pub(super) objects: Vec<Object>,
    /// By name: the object that the trace creates under it, to be reused.
    made_objects: HashMap<u32, u32>,
    /// Names below a renamed directory, with their names before the rename.
    before_rename: HashMap<u32, u32>,
    /// The object of each handle.
    object_of: Vec<u32>,
    appends: Vec<bool>,
    spans: usize,
    renamed: usize,
    pub(super) renames_given_up: bool,
    pub(super) coarse: usize,
    pub(super) contradictions: u64,
    /// Names that symbolic links had at any time.
    link_names: HashSet<u32>,
    /// A symbolic link, or a directory that may contain one, moves to a higher level. A link that climbs
    /// would then lead out of the trace.
    pub(crate) rises: bool,
}

/// Whether a file that is opened with these bits must exist.
fn is_only_emptied(bits: OpenBits) -> bool {
    bits.has(OpenBits::TRUNCATE) && !bits.has(OpenBits::CREATE)
}

impl Walk {
    /// The state before the first operation. `facts` is the trace's file table.
    pub fn new(names: TraceNames, facts: &[FileEntry], without: Without) -> Walk {
        let len = names.len();
        let mut walk = Walk {
            now: vec![Now::Unknown; len],
            initial: vec![Initial::Undecided; len],
            touched: vec![false; len],
            made_in: vec![false; len],
            made: vec![false; len],
            above: vec![false; len],
            objects: Vec::new(),
            made_objects: HashMap::new(),
            before_rename: HashMap::new(),
            object_of: Vec::new(),
            appends: Vec::new(),
            spans: 0,
            renamed: 0,
            renames_given_up: false,
            coarse: 0,
            contradictions: 0,
            link_names: HashSet::new(),
            rises: false,
            names,
        };
        for file in 0..len as u32 {
            if let Some(above) = walk.names.above(file).next() {
                walk.above[above as usize] = true;
            }
        }
        for (file, entry) in facts.iter().enumerate() {
            let Some(file) = walk.names.known(file as u32) else { continue };
            let is_known = !entry.prepared.is_empty() && entry.prepared != UNKNOWN;
            if entry.existed_before || entry.size_before_bytes.is_some() {
                let object = walk.was_here(file, EntryKind::Unknown);
                walk.objects[object as usize].known = true;
                let known_size = &mut walk.objects[object as usize].known_size;
                *known_size = known_size.or(entry.size_before_bytes);
            } else if entry.prepared == ABSENT || is_known {
                walk.was_absent(file, false);
            }
        }
        walk.were_links(facts, without);
        walk
    }

    /// Records the names that were links at the start of the trace.
    fn were_links(&mut self, facts: &[FileEntry], without: Without) {
        // First names without any operation.
        let mut unnamed: HashMap<&str, u32> = HashMap::new();
        for (file, entry) in facts.iter().enumerate() {
            let Some(file) = self.names.known(file as u32) else { continue };
            if let Some(to) = entry.leads_to.as_ref().filter(|_| !without.symbolic_links) {
                let object = self.was_here(file, EntryKind::Link);
                self.objects[object as usize].leads_to = Some(to.clone());
                self.link_names.insert(file);
            }
            let first = entry.same_file_as.as_deref().filter(|_| !without.hard_links);
            let named =
                |first| self.names.find(first).unwrap_or_else(|| *unnamed.entry(first).or_insert(file));
            let first = first.map(named).filter(|&first| first != file);
            if let Some(Initial::Was(object)) = first.map(|first| self.initial[first as usize]) {
                self.initial[file as usize] = Initial::Was(object);
                self.now[file as usize] = Now::Here(object);
            }
        }
    }

    /// Whether there are names below this one.
    pub(super) fn is_above(&self, name: u32) -> bool {
        self.above.get(name as usize).copied().unwrap_or(false)
    }

    /// Whether the trace creates this directory itself.
    pub(super) fn is_made(&self, name: u32) -> bool {
        self.made.get(name as usize).copied().unwrap_or(false)
    }

    /// Processes the trace's next operation.
    pub fn see(&mut self, seen: &Seen) {
        self.touched[seen.file as usize] = true;
        self.look_whether_links_rise(seen);
        if let Some(handle) = seen.handle {
            let room = (handle as usize + 1).max(self.object_of.len());
            self.object_of.resize(room, NONE);
            self.appends.resize(room, false);
        }
        if seen.errno != 0 {
            return self.failed(seen);
        }
        match seen.kind {
            OpKind::Open => self.opened(seen),
            OpKind::Create => self.created(seen),
            OpKind::Read | OpKind::Write | OpKind::Truncate | OpKind::Allocate => self.content(seen),
            OpKind::Unlink => self.removed(seen.file, EntryKind::File),
            OpKind::RemoveDir => self.removed(seen.file, EntryKind::Directory),
            OpKind::ReadDir => drop(self.was_here(seen.file, EntryKind::Directory)),
            OpKind::Stat | OpKind::Access | OpKind::SetAttr => {
                let _ = self.was_here(seen.file, EntryKind::Unknown);
            }
            OpKind::MakeDir => self.made_directory(seen.file),
            OpKind::Rename if seen.exchanges => self.exchanged(seen.file, seen.new_name),
            OpKind::Rename => self.renamed(seen.file, seen.new_name),
            OpKind::Link => self.linked(seen.file, seen.new_name),
            OpKind::SymLink => {
                self.was_absent(seen.file, false);
                self.make(seen.file, EntryKind::Link);
                self.made_in[seen.file as usize] = true;
            }
            OpKind::ReadLink => drop(self.was_here(seen.file, EntryKind::Link)),
            OpKind::Sync | OpKind::Close | OpKind::Other => {}
        }
    }

    /// Registers a handle that the trace does not open.
    pub fn assumed(&mut self, handle: u32, file: u32) {
        let opened = Seen {
            kind: OpKind::Open,
            file,
            new_name: NONE,
            exchanges: false,
            handle: Some(handle),
            offset: 0,
            len: 0,
            done_len: 0,
            errno: 0,
            exact: true,
        };
        self.see(&opened);
    }

    fn failed(&mut self, seen: &Seen) {
        match (seen.errno, seen.kind) {
            (ENOENT, OpKind::Create) if is_only_emptied(OpenBits(seen.len)) => {
                self.was_absent(seen.file, true);
            }
            // A failed creation means that the parent was missing, and shows nothing about the file
            // itself.
            (ENOENT, OpKind::Create | OpKind::MakeDir | OpKind::SymLink) => {}
            (ENOENT, OpKind::Rename) if seen.exchanges => {
                // One of the two was missing: the one without other evidence.
                let is_first_here = matches!(self.now[seen.file as usize], Now::Here(_));
                let is_second_here = matches!(self.now[seen.new_name as usize], Now::Here(_));
                match (is_first_here, is_second_here) {
                    (true, true) => {}
                    (false, true) => self.was_absent(seen.file, true),
                    (_, false) => self.was_absent(seen.new_name, true),
                }
                self.touched[seen.new_name as usize] = true;
            }
            (ENOENT, _) if seen.handle.is_none() || seen.kind == OpKind::Open => {
                self.was_absent(seen.file, true);
            }
            (EEXIST, OpKind::Create | OpKind::SymLink) => drop(self.was_here(seen.file, EntryKind::Unknown)),
            (EEXIST, OpKind::Link) => drop(self.was_here(seen.new_name, EntryKind::Unknown)),
            (EEXIST, OpKind::MakeDir) => drop(self.was_here(seen.file, EntryKind::Directory)),
            // It exists, and is not a symbolic link.
            (EINVAL, OpKind::ReadLink) => drop(self.was_here(seen.file, EntryKind::Unknown)),
            (EISDIR, OpKind::Open | OpKind::Create) => drop(self.was_here(seen.file, EntryKind::Directory)),
            _ => {}
        }
    }

    fn opened(&mut self, seen: &Seen) {
        let bits = OpenBits(seen.len);
        let known = bits != OpenBits::UNKNOWN;
        let object = match known {
            true => self.was_here(seen.file, EntryKind::File),
            false => self.used(seen.file),
        };
        if let Some(handle) = seen.handle {
            let first = &mut self.objects[object as usize].unknown_handle;
            if !known && *first == NONE {
                *first = handle;
            }
            self.object_of[handle as usize] = object;
            self.appends[handle as usize] = bits.has(OpenBits::APPEND);
        }
    }

    fn created(&mut self, seen: &Seen) {
        let bits = match OpenBits(seen.len) {
            OpenBits::UNKNOWN => OpenBits::CREATE.with(OpenBits::TRUNCATE),
            bits => bits,
        };
        let name = seen.file;
        let is_new = bits.has(OpenBits::EXCLUSIVE) || seen.done_len == 1;
        let empties = bits.has(OpenBits::TRUNCATE);
        if is_only_emptied(bits) {
            // An open that only truncates needs an existing file.
            self.was_here(name, EntryKind::File);
        }
        let object = match self.now[name as usize] {
            Now::Here(object) => {
                if empties {
                    self.objects[object as usize].content.resize(0);
                }
                object
            }
            Now::Unknown if is_new => {
                self.was_absent(name, false);
                self.make(name, EntryKind::File)
            }
            Now::Absent => self.make(name, EntryKind::File),
            Now::Unknown if empties => self.make(name, EntryKind::File),
            Now::Unknown => {
                let object = self.used(name);
                self.objects[object as usize].may_be_made = true;
                object
            }
        };
        self.made_in[name as usize] = true;
        if let Some(handle) = seen.handle {
            self.object_of[handle as usize] = object;
            self.appends[handle as usize] = bits.has(OpenBits::APPEND);
        }
    }

    fn content(&mut self, seen: &Seen) {
        let by_handle = seen.handle.map(|handle| (self.object_of[handle as usize], handle));
        let (object, appends) = match by_handle {
            Some((object, handle)) if object != NONE => (object, self.appends[handle as usize]),
            Some(_) => return,
            None => (self.was_here(seen.file, EntryKind::File), false),
        };
        let object = &mut self.objects[object as usize];
        let (offset, len, done) = (seen.offset, u64::from(seen.len), u64::from(seen.done_len));
        match seen.kind {
            OpKind::Write => object.written_bytes = object.written_bytes.saturating_add(done),
            OpKind::Allocate => object.written_bytes = object.written_bytes.saturating_add(len),
            _ => {}
        }
        let spans_before = object.content.spans();
        match seen.kind {
            OpKind::Read => object.content.read(offset, len, done, seen.exact),
            OpKind::Write => object.content.write(offset, done, appends),
            OpKind::Truncate => object.content.resize(offset),
            _ => object.content.reserve(offset.saturating_add(len)),
        }
        if object.initial == NONE && object.content.spans() > 1 {
            // Its original bytes no longer matter.
            object.content.coarsen();
        }
        self.spans = self.spans + object.content.spans() - spans_before;
        if self.spans > SPANS_MAX {
            self.spans -= object.content.spans();
            object.content.coarsen();
            self.spans += object.content.spans();
            self.coarse += 1;
        }
    }

    fn removed(&mut self, name: u32, kind: EntryKind) {
        self.was_here(name, kind);
        self.now[name as usize] = Now::Absent;
    }

    fn made_directory(&mut self, name: u32) {
        self.was_absent(name, false);
        self.make(name, EntryKind::Directory);
        self.made[name as usize] = true;
        self.made_in[name as usize] = true;
    }

    fn renamed(&mut self, from: u32, to: u32) {
        self.touched[to as usize] = true;
        let is_directory = self.is_above(from)
            || self.is_above(to)
            || self.names.says_directory(from)
            || self.names.says_directory(to);
        let object =
            self.was_here(from, if is_directory { EntryKind::Directory } else { EntryKind::Unknown });
        if from == to || self.now[to as usize] == Now::Here(object) {
            // Renaming one name of a file to another of its names changes nothing.
            return;
        }
        if self.objects[object as usize].kind == EntryKind::Directory {
            self.move_below(from, to);
            self.made[to as usize] = true;
        }
        self.now[from as usize] = Now::Absent;
        self.now[to as usize] = Now::Here(object);
        self.made_in[to as usize] = true;
    }

    /// Exchanges the objects of two names.
    fn exchanged(&mut self, one: u32, two: u32) {
        self.touched[two as usize] = true;
        let kind = |walk: &Walk, name| match walk.is_above(name) || walk.names.says_directory(name) {
            true => EntryKind::Directory,
            false => EntryKind::Unknown,
        };
        let objects = [one, two].map(|name| self.was_here(name, kind(self, name)));
        if one == two || objects[0] == objects[1] {
            return;
        }
        let is_directory = |object: u32| self.objects[object as usize].kind == EntryKind::Directory;
        if objects.into_iter().any(is_directory) {
            self.exchange_below(one, two);
        }
        self.now[one as usize] = Now::Here(objects[1]);
        self.now[two as usize] = Now::Here(objects[0]);
        for name in [one, two] {
            self.made[name as usize] |=
                objects.into_iter().any(|object| self.objects[object as usize].kind == EntryKind::Directory);
            self.made_in[name as usize] = true;
        }
        // An object created under either name later is another file.
        self.made_objects.retain(|_, made| !objects.contains(made));
    }

    /// Exchanges the entries below two directories that exchange their names.
    fn exchange_below(&mut self, one: u32, two: u32) {
        self.renamed += self.names.len();
        if self.renamed > RENAMED_MAX {
            self.renames_given_up = true;
            return;
        }
        let [one, two] = [one, two].map(|name| format!("{}/", self.names.name(name)));
        let mut moved = Vec::new();
        for name in 0..self.names.len() as u32 {
            let text = self.names.name(name);
            let other = match (text.strip_prefix(&one), text.strip_prefix(&two)) {
                (Some(rest), _) => format!("{two}{rest}"),
                (None, Some(rest)) => format!("{one}{rest}"),
                (None, None) => continue,
            };
            moved.push((name, other));
        }
        let mut after = HashMap::new();
        for (name, other) in moved {
            let other = self.names.find_or_add(&other);
            self.grow();
            for (new, old) in [(name, other), (other, name)] {
                after.insert(new, (self.now[old as usize], self.first_name(old)));
            }
        }
        for (name, (now, before)) in after {
            self.now[name as usize] = now;
            self.before_rename.insert(name, before);
        }
    }

    /// Adds another name to a file.
    fn linked(&mut self, from: u32, to: u32) {
        self.touched[to as usize] = true;
        let object = self.was_here(from, EntryKind::Unknown);
        self.was_absent(to, false);
        self.now[to as usize] = Now::Here(object);
        self.made_in[to as usize] = true;
        // An object created under either name later is another file.
        self.made_objects.retain(|_, made| *made != object);
    }

    /// Handles a link that is not created: its name then refers to a separate file that exists from the
    /// start.
    pub fn stands_alone(&mut self, name: u32) {
        let is_made = matches!(self.now[name as usize], Now::Here(_));
        let initial = self.first_name(name) as usize;
        if !is_made && !matches!(self.initial[initial], Initial::Was(_)) {
            self.initial[initial] = Initial::Undecided;
            self.now[name as usize] = Now::Unknown;
        }
    }

    /// Records whether a link would move to a level from which its target is another one. Failed
    /// operations count, because they may succeed in the replay.
    fn look_whether_links_rise(&mut self, seen: &Seen) {
        match seen.kind {
            OpKind::SymLink => drop(self.link_names.insert(seen.file)),
            OpKind::Rename | OpKind::Link => {
                let (from, to) = (seen.file, seen.new_name);
                let is_link = self.link_names.contains(&from);
                let is_link = is_link || seen.exchanges && self.link_names.contains(&to);
                if is_link {
                    self.link_names.extend([from, to]);
                }
                let may_hold =
                    |name| self.is_above(name) || self.made[name as usize] || self.names.says_directory(name);
                let depth = |name| self.names.name(name).matches('/').count();
                self.rises |= (is_link || may_hold(from) || may_hold(to))
                    && (depth(to) < depth(from) || seen.exchanges && depth(to) != depth(from));
            }
            _ => {}
        }
    }

    /// Moves the entries below a renamed directory.
    fn move_below(&mut self, from: u32, to: u32) {
        self.renamed += self.names.len();
        if self.renamed > RENAMED_MAX {
            self.renames_given_up = true;
            return;
        }
        let (from, to) = (format!("{}/", self.names.name(from)), format!("{}/", self.names.name(to)));
        let mut moved = Vec::new();
        for name in 0..self.names.len() as u32 {
            let text = self.names.name(name);
            if let Some(rest) = text.strip_prefix(&to) {
                moved.push((format!("{from}{rest}"), name));
            }
        }
        for (old, new) in moved {
            let old = self.names.find_or_add(&old);
            self.grow();
            let before = self.first_name(old);
            self.now[new as usize] = self.now[old as usize];
            self.before_rename.insert(new, before);
        }
        for name in 0..self.names.len() as u32 {
            if self.names.name(name).starts_with(&from) {
                self.now[name as usize] = Now::Absent;
            }
        }
    }

    /// Adds entries for names that were added later.
    fn grow(&mut self) {
        let len = self.names.len();
        self.now.resize(len, Now::Unknown);
        self.initial.resize(len, Initial::Undecided);
        self.touched.resize(len, false);
        self.made_in.resize(len, false);
        self.made.resize(len, false);
        self.above.resize(len, false);
    }

    /// The name that this object had at the start of the trace, unless another object took its place.
    fn first_name(&self, name: u32) -> u32 {
        self.before_rename.get(&name).copied().unwrap_or(name)
    }

    /// Returns the object of a name, which must have existed.
    fn was_here(&mut self, name: u32, kind: EntryKind) -> u32 {
        if self.now[name as usize] == Now::Absent {
            // Created by a process that the trace does not show.
            self.contradictions += 1;
            return self.make(name, kind);
        }
        let object = self.used(name);
        let known = &mut self.objects[object as usize];
        known.proven = true;
        if known.kind == EntryKind::Unknown {
            known.kind = kind;
        }
        object
    }

    /// Returns the object of a name that is used; the use may have created it.
    fn used(&mut self, name: u32) -> u32 {
        match self.now[name as usize] {
            Now::Here(object) => object,
            Now::Absent => self.make(name, EntryKind::File),
            Now::Unknown => {
                let initial = self.first_name(name);
                let object = self.add(initial, EntryKind::Unknown);
                if self.initial[initial as usize] == Initial::Undecided {
                    self.initial[initial as usize] = Initial::Was(object);
                }
                self.now[name as usize] = Now::Here(object);
                object
            }
        }
    }

    /// Records that a name did not exist.
    fn was_absent(&mut self, name: u32, missed: bool) {
        if self.now[name as usize] == Now::Unknown {
            let initial = self.first_name(name);
            if self.initial[initial as usize] == Initial::Undecided {
                self.initial[initial as usize] = Initial::Absent { missed };
            }
        }
        self.now[name as usize] = Now::Absent;
    }

    /// Creates an object under a name.
    fn make(&mut self, name: u32, kind: EntryKind) -> u32 {
        let known = self.made_objects.get(&name).copied();
        let object = known.unwrap_or_else(|| self.add(NONE, kind));
        self.made_objects.insert(name, object);
        self.objects[object as usize].kind = kind;
        self.now[name as usize] = Now::Here(object);
        object
    }

    fn add(&mut self, initial: u32, kind: EntryKind) -> u32 {
        self.objects.push(Object {
            initial,
            kind,
            proven: false,
            known: false,
            known_size: None,
            may_be_made: false,
            unknown_handle: NONE,
            written_bytes: 0,
            content: Content::default(),
            leads_to: None,
        });
        self.objects.len() as u32 - 1
    }

    /// How much the files grow, at most.
    pub(super) fn growth_bytes(&self, entries: &[Prepared]) -> u64 {
        let size_of = |object: &Object| {
            let name = self.names.name(object.initial);
            let at = entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok();
            match at.and_then(|at| entries.get(at)).map(|entry| entry.what) {
                Some(Prepare::File { size_bytes }) => size_bytes,
                _ => 0,
            }
        };
        let growth = self.objects.iter().map(|object| {
            let beyond = object.content.peak_end().saturating_sub(size_of(object));
            beyond.min(object.written_bytes)
        });
        growth.fold(0, u64::saturating_add)
    }
}
