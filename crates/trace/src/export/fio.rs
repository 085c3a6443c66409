//! A trace as fio's iolog, version 2 or 3, for `fio --read_iolog=FILE`.
//!
//! An iolog holds reads, writes, syncs, opens and closes. Everything else is omitted and counted:
//! operations on names, truncations, preallocations, failed operations, and reads at the end of a file.
//! A read or write is exported with the bytes that it transferred. fio has one handle per file, so a
//! file is open from its first open to its last close. Blanks in names become `%20`, with a note. Names
//! over 256 characters are refused. Absolute names and names that climb with `..` are moved below the
//! directory in which fio runs, with a note: a trace may come from an untrusted source, and fio writes
//! to any path in its log. Times are in microseconds. Version 2 has pauses between operations, however
//! long the operations take.
//!
//! fio opens every file for reading and writing, and creates missing ones. Files that must exist before
//! the replay have to be created by the user.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;

use reelgauge_record::{OpKind, OpRecord};

use crate::export::ExportError;
use crate::name;
use crate::trace::Trace;

/// Which version of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// For every version of fio. fio ignores its pauses below 100 µs.
    Two,
    /// For fio 3.31 and later. Every operation has its time.
    Three,
}

/// The longest name that fio reads.
pub const MAX_NAME_CHARS: usize = 256;

/// Counts of exported and omitted operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Reads, writes and syncs.
    pub ops: u64,
    /// Files with reads or writes.
    pub files: u64,
    /// Names that were changed because fio accepts no blanks.
    pub renamed_files: u64,
    /// Names that were changed, because fio would have written outside the directory in which it runs.
    pub tamed_files: u64,
    /// Omitted operations, by reason.
    pub left_out: BTreeMap<String, u64>,
}

/// Writes a trace as fio's log.
///
/// # Errors
/// If the trace can't be read, the text can't be written, a name is too long for fio, or no data is
/// transferred.
pub fn write(trace: &Trace, version: Version, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut opens = opens_of(trace)?;
    let mut exported = Exported::default();
    let names = names_of(trace, &opens, &mut exported)?;
    let number = if version == Version::Two { 2 } else { 3 };
    writeln!(out, "fio version {number} iolog")?;
    let mut log = Log { out, version, now_us: 0 };
    for name in names.values() {
        log.line(0, name, "add", None)?;
    }
    let mut first_ns = None;
    for batch in trace.batches() {
        for op in batch? {
            let Some(name) = names.get(&op.file) else {
                exported.leave_out("operations on files without any data moved");
                continue;
            };
            // A run's log is ordered by batches of its threads, so an operation may have been issued before
            // the first one.
            let at_us = op.issued_ns.saturating_sub(*first_ns.get_or_insert(op.issued_ns)) / 1000;
            let state = opens.entry(op.file).or_default();
            export(&mut log, &mut exported, state, name, at_us, &op)?;
        }
    }
    for (file, name) in &names {
        if opens.get(file).is_some_and(|state| state.is_open) {
            log.line(log.now_us, name, "close", None)?;
        }
    }
    Ok(exported)
}

/// The handles of a file.
#[derive(Debug, Default)]
struct Opens {
    /// Handles that are opened and closed in the whole trace.
    handles: u32,
    closed: u32,
    is_open: bool,
}

/// Counts the handles of all files with reads or writes.
fn opens_of(trace: &Trace) -> Result<HashMap<u32, Opens>, ExportError> {
    let mut opens: HashMap<u32, Opens> = HashMap::new();
    let mut closes: HashMap<u32, u32> = HashMap::new();
    for batch in trace.batches() {
        for op in batch? {
            if op.kind.moves_data() && op.errno == 0 && op.done_len > 0 {
                opens.entry(op.file).or_default();
            }
            if op.kind == OpKind::Close {
                *closes.entry(op.file).or_default() += 1;
            }
        }
    }
    if opens.is_empty() {
        return Err(ExportError::NoData);
    }
    for (file, state) in &mut opens {
        state.handles = closes.get(file).copied().unwrap_or(0);
    }
    Ok(opens)
}

/// Makes a distinct name that fio accepts for each file.
fn names_of(
    trace: &Trace,
    opens: &HashMap<u32, Opens>,
    exported: &mut Exported,
) -> Result<BTreeMap<u32, String>, ExportError> {
    let mut names = BTreeMap::new();
    let mut taken = HashSet::new();
    let mut files: Vec<u32> = opens.keys().copied().collect();
    files.sort_unstable();
    for file in files {
        let path = trace.files().get(file as usize).map(|entry| entry.path.as_str()).unwrap_or_default();
        let path = if path.is_empty() { format!("file-{file}") } else { path.to_owned() };
        let safe = tame(&path)?;
        let mut name = without_blanks(&safe);
        if !taken.insert(name.clone()) {
            // Two distinct files must not get the same name.
            name = format!("{name}.{file}");
            taken.insert(name.clone());
        }
        // fio's limit is in bytes.
        if name.len() > MAX_NAME_CHARS {
            return Err(ExportError::NameTooLong { name: safe, max_chars: MAX_NAME_CHARS });
        }
        exported.tamed_files += u64::from(safe != path);
        exported.renamed_files += u64::from(name != safe);
        names.insert(file, name);
    }
    exported.files = names.len() as u64;
    Ok(names)
}

/// Makes a name safe: below the directory in which fio runs, and without terminal control characters. A
/// trace may come from an untrusted source, and fio writes to any path in its log.
fn tame(path: &str) -> Result<String, ExportError> {
    if name::check(path).is_ok() && !path.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Ok(path.to_owned());
    }
    name::clean(path.as_bytes()).map_err(|why| ExportError::BadName {
        name: path.chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect(),
        why,
    })
}

/// Replaces every blank with its `%XX` code.
fn without_blanks(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_whitespace() {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| name.push_str(&format!("%{byte:02X}")));
        } else {
            name.push(c);
        }
    }
    name
}

fn export(
    log: &mut Log<'_>,
    exported: &mut Exported,
    state: &mut Opens,
    name: &str,
    at_us: u64,
    op: &OpRecord,
) -> Result<(), ExportError> {
    let action = match op.kind {
        _ if op.errno != 0 => return exported.done_without("operations that failed"),
        OpKind::Open | OpKind::Create => None,
        OpKind::Close => {
            state.closed += 1;
            if state.is_open && state.closed >= state.handles {
                state.is_open = false;
                log.line(at_us, name, "close", None)?;
            }
            return Ok(());
        }
        OpKind::Read | OpKind::Write if op.done_len == 0 => {
            return exported.done_without("reads and writes that moved nothing");
        }
        OpKind::Read => Some(("read", op.offset, op.done_len)),
        OpKind::Write => Some(("write", op.offset, op.done_len)),
        OpKind::Sync => Some(("datasync", 0, 0)),
        kind => return exported.done_without(&format!("{} operations", kind.name())),
    };
    if !state.is_open {
        state.is_open = true;
        log.line(at_us, name, "open", None)?;
    }
    if let Some((action, offset, len)) = action {
        exported.ops += 1;
        log.line(at_us, name, action, Some((offset, len)))?;
    }
    Ok(())
}

impl Exported {
    fn leave_out(&mut self, why: &str) {
        *self.left_out.entry(why.to_owned()).or_default() += 1;
    }

    fn done_without(&mut self, why: &str) -> Result<(), ExportError> {
        self.leave_out(why);
        Ok(())
    }
}

struct Log<'a> {
    out: &'a mut dyn Write,
    version: Version,
    now_us: u64,
}

impl Log<'_> {
    fn line(
        &mut self,
        at_us: u64,
        name: &str,
        action: &str,
        place: Option<(u64, u32)>,
    ) -> std::io::Result<()> {
        // fio refuses times that go backwards. A trace is in order of issue; a run is only nearly so.
        let at_us = at_us.max(self.now_us);
        match self.version {
            Version::Three => write!(self.out, "{at_us} {name} {action}")?,
            Version::Two => {
                if at_us > self.now_us {
                    writeln!(self.out, "{name} wait {} 0", at_us - self.now_us)?;
                }
                write!(self.out, "{name} {action}")?;
            }
        }
        self.now_us = at_us;
        match place {
            Some((offset, len)) => writeln!(self.out, " {offset} {len}"),
            None => writeln!(self.out),
        }
    }
}
