//! Decides which files must exist before a replay, with which size, and which must not exist.
//!
//! A trace is walked through once, in its order ([`walk`]). Every name has its own history through
//! removals and renames. Every file that existed before collects evidence about its content
//! ([`content`]). The preparation follows from that:
//!
//! | evidence | prepared |
//! |---|---|
//! | the source recorded whether it existed, or its size | that: it overrides every inference |
//! | created new first, or emptied when opened | nothing: the replay creates it |
//! | opened with unknown flags, never read, and written from 0 upwards | nothing (assumed) |
//! | bytes read that the trace had not written | a file with them; a short or empty read shows its end |
//! | read only after the trace wrote it (`faststart`) | nothing |
//! | opened without creating it, queried (stat), removed, renamed | a file; empty unless more is known |
//! | an operation failed because the file did not exist | nothing, and the failure is expected |
//! | the source recorded that two names were one file, or the target of a link | the same |
//! | a directory listed or removed, or the parent of something created | a directory |
//!
//! Not here: creating the files (the engine). Memory is bounded by the number of names and by
//! [`SPANS_MAX`].

mod content;
pub(crate) mod names;
mod spans;
pub(crate) mod walk;

use std::collections::{BTreeMap, BTreeSet};

use crate::name::without_mark;
use crate::replay::ReplayError;
use names::{NONE, parent};
use walk::{EntryKind, Initial, Walk};

/// Limit of the intervals of written bytes, over all files. Beyond it, a file with scattered writes
/// counts as written from the first to the last of them.
pub const SPANS_MAX: usize = 1 << 20;

/// The preparation of a name before a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepare {
    /// The name must not exist.
    Absent,
    Directory,
    /// A file with this size.
    File {
        /// The size before the replay, in bytes.
        size_bytes: u64,
    },
    /// An additional name of a file ([`PreState::target`]).
    HardLink {
        size_bytes: u64,
    },
    /// A symbolic link to another name ([`PreState::target`]).
    SymbolicLink,
}

/// The evidence for a preparation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The source recorded it.
    Known,
    /// The trace creates it.
    Made,
    /// The trace recorded an error because it did not exist.
    Missed,
    /// It was written from its beginning and never read, so it was probably new.
    OnlyWritten,
    /// The trace reads up to this size.
    Read,
    /// A read reached its end there.
    EndSeen,
    /// The first append started there.
    AppendedAt,
    /// It is used, and its size is unknown.
    Used,
    /// It is the parent of another entry.
    Above,
}

/// A name and its preparation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Relative to the root of the trace.
    pub name: String,
    pub what: Prepare,
    pub why: Why,
}

/// The required state of the target before a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreState {
    /// All names with evidence, sorted: a directory comes before its entries.
    pub entries: Vec<Prepared>,
    /// How much the files grow in the replay, at most.
    pub growth_bytes: u64,
    /// Sentences about what was assumed.
    pub notes: Vec<String>,
    /// By name of a link: the other name (hard link) or the target (symbolic link).
    targets: BTreeMap<String, String>,
}

impl PreState {
    /// The file that a hard link shares, or the target of a symbolic link.
    pub fn target(&self, name: &str) -> Option<&str> {
        self.targets.get(without_mark(name)).map(String::as_str)
    }

    /// Total size of all files that must exist.
    pub fn file_bytes(&self) -> u64 {
        let sizes = self.entries.iter().map(|entry| match entry.what {
            Prepare::File { size_bytes } => size_bytes,
            _ => 0,
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// The preparation of this name, if there is any evidence.
    pub fn of(&self, name: &str) -> Option<&Prepared> {
        let name = without_mark(name);
        let at = self.entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
        self.entries.get(at)
    }
}

/// Completes a walk. Returns the required state, and the handles whose open must create their file.
pub(crate) fn decide(mut walk: Walk) -> Result<(PreState, Vec<u32>), ReplayError> {
    let mut decided: BTreeMap<String, (Prepare, Why)> = BTreeMap::new();
    let mut makes = Vec::new();
    for number in 0..walk.initial.len() as u32 {
        let found = match walk.initial[number as usize] {
            Initial::Was(object) => of_object(&walk, number, object, &mut makes),
            Initial::Absent { missed: true } => (Prepare::Absent, Why::Missed),
            Initial::Absent { missed: false } => (Prepare::Absent, Why::Made),
            Initial::Undecided if walk.touched[number as usize] => (Prepare::Absent, Why::Made),
            Initial::Undecided => continue,
        };
        decided.insert(walk.names.name(number).to_owned(), found);
    }
    let targets = links(&walk, &mut decided);
    for directory in directories(&walk, &decided) {
        match decided.get(&directory) {
            Some((Prepare::File { .. } | Prepare::HardLink { .. }, _)) => {
                return Err(ReplayError::Contradiction { name: directory });
            }
            Some((Prepare::Directory, _)) => {}
            _ => drop(decided.insert(directory, (Prepare::Directory, Why::Above))),
        }
    }
    let entries: Vec<Prepared> =
        decided.into_iter().map(|(name, (what, why))| Prepared { name, what, why }).collect();
    let notes = notes(&mut walk, &entries);
    let growth_bytes = walk.growth_bytes(&entries);
    Ok((PreState { entries, growth_bytes, notes, targets }, makes))
}

/// Collects the names that were links, with their targets.
fn links(walk: &Walk, decided: &mut BTreeMap<String, (Prepare, Why)>) -> BTreeMap<String, String> {
    let mut targets = BTreeMap::new();
    let is_file = |what: Option<&(Prepare, Why)>| matches!(what, Some((Prepare::File { .. }, _)));
    for number in 0..walk.initial.len() as u32 {
        let Initial::Was(object) = walk.initial[number as usize] else { continue };
        let object = &walk.objects[object as usize];
        let (name, first) = (walk.names.name(number), walk.names.name(object.initial));
        match decided.get(name).copied() {
            Some((Prepare::SymbolicLink, _)) => {
                let to = object.leads_to.as_deref().filter(|to| !walk.rises || !climbs(name, to));
                targets.insert(name.to_owned(), to.unwrap_or(name).to_owned());
            }
            Some((Prepare::File { size_bytes }, why))
                if object.initial != number && name != first && is_file(decided.get(first)) =>
            {
                decided.insert(name.to_owned(), (Prepare::HardLink { size_bytes }, why));
                targets.insert(name.to_owned(), first.to_owned());
            }
            _ => {}
        }
    }
    targets
}

/// Whether the relative path from a link to its target goes up before it goes down.
pub(crate) fn climbs(link: &str, target: &str) -> bool {
    let above = parent(link).unwrap_or_default();
    let is_below = target.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
    !above.is_empty() && !is_below
}

/// The state of a name at the start of the trace.
fn of_object(walk: &Walk, number: u32, object: u32, makes: &mut Vec<u32>) -> (Prepare, Why) {
    let object = &walk.objects[object as usize];
    let is_above = walk.is_above(number) && object.kind != EntryKind::File;
    if object.kind == EntryKind::Directory || is_above || walk.names.says_directory(number) {
        return (Prepare::Directory, if object.known { Why::Known } else { Why::Used });
    }
    let file = |size_bytes, why| (Prepare::File { size_bytes }, why);
    if object.kind == EntryKind::Link {
        return (Prepare::SymbolicLink, if object.known { Why::Known } else { Why::Used });
    }
    let content = &object.content;
    if let Some(size_bytes) = object.known_size {
        return file(size_bytes, Why::Known);
    }
    match content.size() {
        Some((size_bytes, why)) => file(size_bytes, why),
        // Seen by name, or used in a way that requires an existing file.
        None if object.proven => file(0, Why::Used),
        None if object.may_be_made => (Prepare::Absent, Why::Made),
        None if content.written_upwards() => {
            makes.extend(Some(object.unknown_handle).filter(|&handle| handle != NONE));
            (Prepare::Absent, Why::OnlyWritten)
        }
        // Scattered writes: an existing file was overwritten.
        None => file(content.grown_end(), Why::Used),
    }
}

/// The directories that must exist because they have entries, at the start or when one is created.
fn directories(walk: &Walk, decided: &BTreeMap<String, (Prepare, Why)>) -> BTreeSet<String> {
    let mut wanted = BTreeSet::new();
    for (name, (what, _)) in decided {
        if *what != Prepare::Absent {
            let above = std::iter::successors(parent(name), |name| parent(name));
            let new = above.map_while(|name| wanted.insert(name.to_owned()).then_some(()));
            new.for_each(drop);
        }
    }
    // A file that the trace does not mark as new is also created by its first writer.
    let is_made_in = |number: usize, name: &str| {
        walk.made_in[number] || matches!(decided.get(name), Some((_, Why::OnlyWritten)))
    };
    for number in 0..walk.made_in.len() {
        let mut name = walk.names.name(number as u32);
        if !is_made_in(number, name) {
            continue;
        }
        while let Some(above) = parent(name) {
            let is_made = walk.names.find(above).is_some_and(|above| walk.is_made(above));
            if is_made || !wanted.insert(above.to_owned()) {
                break;
            }
            name = above;
        }
    }
    wanted
}

/// Notes for the reader about assumptions.
fn notes(walk: &mut Walk, entries: &[Prepared]) -> Vec<String> {
    let mut notes = Vec::new();
    let assumed = |why: Why| entries.iter().filter(|entry| entry.why == why).count();
    let example = |why: Why| {
        let found = entries.iter().find(|entry| entry.why == why);
        found.map_or_else(String::new, |entry| shown(&entry.name))
    };
    let only_written = assumed(Why::OnlyWritten);
    if only_written > 0 {
        let example = example(Why::OnlyWritten);
        notes.push(match only_written {
            1 => format!(
                "{example} is not prepared: the trace only writes it, starting at byte 0, and does not \
                 show whether it was new."
            ),
            many => format!(
                "{many} files are not prepared ({example} is one): the trace only writes them, \
                 starting at byte 0, and does not show whether they were new."
            ),
        });
    }
    let empty = entries
        .iter()
        .filter(|entry| matches!(entry.what, Prepare::File { size_bytes: 0 }) && entry.why == Why::Used);
    if let Some(first) = empty.clone().next() {
        notes.push(format!(
            "{} files are prepared empty ({} is one): the trace uses them, but never reads them.",
            empty.count(),
            shown(&first.name)
        ));
    }
    if walk.contradictions > 0 {
        notes.push(format!(
            "{} operations of the trace found an entry that should no longer have existed; changes that the \
             trace did not see (links, other hosts) cannot be prepared.",
            walk.contradictions
        ));
    }
    if walk.coarse > 0 {
        notes.push(format!(
            "{} files are written in very many places. In each, everything from the first to the last \
             written byte is treated as written, so it may be prepared smaller than it was.",
            walk.coarse
        ));
    }
    if walk.renames_given_up {
        notes.push(
            "Some files below renamed directories could not be followed: there are too many.".to_owned(),
        );
    }
    notes
}

/// Formats a name for a sentence.
fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(60).collect();
    if text.len() < name.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
