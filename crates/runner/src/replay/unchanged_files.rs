//! Files that a replay leaves unchanged: prepared before it and only read. If one of them is shorter
//! after a pass, another program shortened it, and its reads are no evidence about the storage.
//!
//! Files are excluded if an operation might change them: also through another name, or through a
//! directory.

use std::collections::HashSet;

use reelgauge_record::{OpKind, OpenBits};
use reelgauge_trace::name::without_mark;
use reelgauge_trace::prestate::Prepare;
use reelgauge_trace::replay::packed::PackedOp;

use super::tape::Tape;

/// The numbers of these files in the trace.
pub(super) fn unchanged_files(tape: &Tape) -> Vec<u32> {
    let name = |file: u32| tape.files.get(file as usize).map(|entry| without_mark(&entry.path));
    let (mut changed, mut moved): (HashSet<&str>, Vec<&str>) = (HashSet::new(), Vec::new());
    for op in tape.packed.ops.iter().filter(|op| changes(op)) {
        changed.extend(name(op.file));
        let second = op.kind.names_two().then(|| u32::try_from(op.offset).ok().and_then(name)).flatten();
        changed.extend(second);
        if matches!(op.kind, OpKind::Rename | OpKind::RemoveDir) {
            moved.extend(name(op.file).into_iter().chain(second));
        }
    }
    for handle in tape.packed.handles.iter().filter(|handle| handle.written || handle.makes) {
        changed.extend(name(handle.file));
    }
    // A change through a link changes the file under its other name.
    let links = tape.before.entries.iter().filter_map(|entry| tape.before.target(&entry.name));
    changed.extend(links);
    let is_below =
        |path: &str, directory: &str| path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    let is_unchanged = |path: &str| {
        let prepared = tape.before.of(path).map(|entry| entry.what);
        matches!(prepared, Some(Prepare::File { .. }))
            && !changed.contains(path)
            && !moved.iter().any(|directory| is_below(path, directory))
    };
    (0..tape.files.len() as u32).filter(|&file| name(file).is_some_and(is_unchanged)).collect()
}

/// Whether an operation may change its file.
fn changes(op: &PackedOp) -> bool {
    match op.kind {
        OpKind::Open => {
            let bits = OpenBits(op.len);
            bits != OpenBits::UNKNOWN && (bits.has(OpenBits::WRITE) || bits.has(OpenBits::TRUNCATE))
        }
        OpKind::Read
        | OpKind::Close
        | OpKind::Stat
        | OpKind::Access
        | OpKind::ReadDir
        | OpKind::ReadLink
        | OpKind::Sync => false,
        _ => true,
    }
}
