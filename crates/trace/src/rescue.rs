//! Makes traces of the directories that killed recorders leave behind.
//!
//! Such a directory (`_NAME-PID.tmp`) can already be opened as a trace. Here its operations are sorted
//! by time of issue, and it gets the trace's intended name.
//!
//! Not here: how these directories are written ([`crate::safety_log`]).

use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_record::OpRecord;

use crate::error::TraceError;
use crate::info::TraceInfo;
use crate::safety_log::take_lock;
use crate::trace::Trace;
use crate::writer::TraceWriter;

/// Entries of a folder that are examined.
const FOLDER_ENTRIES: usize = 10_000;

/// An interrupted recording that was found.
#[derive(Debug)]
pub struct Rescued {
    /// The interrupted recording's folder. It no longer exists if it became a trace.
    pub left: PathBuf,
    /// The new trace, or the error.
    pub trace: Result<Trace, TraceError>,
}

/// Makes traces of all interrupted recordings in a folder, in the same folder. A running recording is
/// not touched. One that was interrupted before any operation was stored is removed silently.
pub fn rescue(folder: &Path) -> Vec<Rescued> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut left: Vec<PathBuf> = entries
        .take(FOLDER_ENTRIES)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_left(path))
        .collect();
    left.sort();
    left.into_iter()
        .filter_map(|left| {
            let trace = one(folder, &left).transpose()?;
            Some(Rescued { left, trace })
        })
        .collect()
}

/// Whether a path has the name of a recorder's temporary directory.
fn is_left(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.starts_with(b"_") && name.ends_with(b".tmp") && path.is_dir()
}

/// `None`: the recording is still running, or it is empty.
fn one(folder: &Path, left: &Path) -> Result<Option<Trace>, TraceError> {
    // Locked until it is removed, so that two processes do not both make a trace of it.
    let Some(_lock) = take_lock(left, false)? else { return Ok(None) };
    let gone = || fs::remove_dir_all(left).map_err(TraceError::io("remove", left));
    let found = match Trace::open(left) {
        // Killed before anything was sealed.
        Err(TraceError::NotATrace { .. }) => return gone().map(|()| None),
        opened => opened?,
    };
    let Some(info) = found.info().filter(|info| info.cut_off).cloned() else { return Ok(None) };
    let trace = in_order(&found, info, folder)?;
    gone()?;
    Ok(Some(trace))
}

/// Writes the operations again, in order.
fn in_order(found: &Trace, info: TraceInfo, folder: &Path) -> Result<Trace, TraceError> {
    let mut writer = TraceWriter::create(folder, &found.name(), found.meta().clone())?;
    let name = writer.target().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut numbers = vec![None; found.files().len()];
    for batch in found.batches() {
        for op in batch? {
            let file = number(&mut writer, found, &mut numbers, u64::from(op.file))?;
            let offset = match op.kind {
                kind if kind.names_two() => u64::from(number(&mut writer, found, &mut numbers, op.offset)?),
                _ => op.offset,
            };
            writer.push(OpRecord { file, offset, ..op })?;
        }
    }
    writer.finish(TraceInfo { name, ..info })
}

/// The number that a file gets in the new trace.
fn number(
    writer: &mut TraceWriter,
    found: &Trace,
    numbers: &mut [Option<u32>],
    old: u64,
) -> Result<u32, TraceError> {
    let at = usize::try_from(old).unwrap_or(usize::MAX);
    if let Some(Some(new)) = numbers.get(at) {
        return Ok(*new);
    }
    let entry = found.files().get(at).filter(|entry| !entry.path.is_empty());
    let Some(entry) = entry else { return writer.file(&format!("file-{old}")) };
    let new = writer.file(&entry.path)?;
    if let Some(kept) = writer.entry(new) {
        kept.clone_from(entry);
    }
    numbers[at] = Some(new);
    Ok(new)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::OpKind;
    use reelgauge_record::log::{CaptureLevel, LogMeta};
    use reelgauge_record::test_records::{op, read};

    use super::*;

    /// A running recording with operations out of order. Those after the last seal are missing.
    fn recording(parent: &Path) -> TraceWriter {
        let meta = LogMeta {
            run_ns: 0,
            agent: "local".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: vec![],
        };
        let mut writer = TraceWriter::create(parent, "show", meta).unwrap();
        let info =
            TraceInfo { name: "show".to_owned(), made_by: "record".to_owned(), ..TraceInfo::default() };
        writer.keep_safe(&info).unwrap();
        let (unused, a, b) = (writer.file("unused"), writer.file("a").unwrap(), writer.file("b").unwrap());
        unused.unwrap();
        writer.entry(b).unwrap().size_before_bytes = Some(5);
        writer.tick();
        for (issued_ns, file) in [(30, a), (10, b)] {
            writer.push(read(file, 7, 4096).at_ns(issued_ns).took_ns(10)).unwrap();
        }
        writer.push(op(OpKind::Rename).on_file(a).at_offset(b.into()).at_ns(40).took_ns(10)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(600));
        writer.tick();
        writer.push(read(a, 7, 4096).at_ns(50).took_ns(10)).unwrap();
        writer
    }

    fn only_entry(parent: &Path) -> PathBuf {
        let entries: Vec<_> = fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries[0].clone()
    }

    #[test]
    fn output_of_a_killed_recorder_becomes_a_trace() {
        let parent = tempfile::tempdir().unwrap();
        // Acts like a kill: nothing is cleaned up, and the lock is released.
        let writer = recording(parent.path());
        let left = only_entry(parent.path());
        assert_eq!(Trace::open(&left).unwrap().ops(), 3, "it opens as it is");
        assert!(rescue(parent.path()).is_empty(), "it goes on");
        writer.abandon();
        let rescued = rescue(parent.path());
        let trace = rescued[0].trace.as_ref().unwrap();
        assert_eq!(trace.dir(), parent.path().join("show"));
        let ops: Vec<OpRecord> = trace.batches().flat_map(Result::unwrap).collect();
        assert_eq!(ops.iter().map(|op| op.issued_ns).collect::<Vec<_>>(), [10, 30, 40]);
        let named = |number: usize| trace.files()[number].path.as_str();
        let names: Vec<_> = ops.iter().map(|op| named(op.file as usize)).collect();
        assert_eq!((names, named(ops[2].offset as usize)), (vec!["b", "a", "a"], "b"));
        assert_eq!(trace.files()[ops[0].file as usize].size_before_bytes, Some(5));
        let info = trace.info().unwrap();
        assert!(info.cut_off && info.warnings[0].contains("did not end normally"), "{info:?}");
        assert_eq!((info.ops, info.made_by.as_str()), (3, "record"));
        assert_eq!(only_entry(parent.path()), trace.dir());
        assert!(rescue(parent.path()).is_empty(), "a trace is nothing to rescue");
    }

    #[test]
    fn completed_recording_keeps_only_its_trace() {
        let parent = tempfile::tempdir().unwrap();
        let trace = recording(parent.path()).finish(TraceInfo::default()).unwrap();
        assert_eq!((trace.ops(), trace.info().unwrap().cut_off), (4, false));
        assert_eq!(only_entry(parent.path()), trace.dir());
    }

    #[test]
    fn recording_killed_before_any_data_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let meta = LogMeta {
            run_ns: 0,
            agent: "local".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: vec![],
        };
        let mut writer = TraceWriter::create(parent.path(), "show", meta).unwrap();
        writer.keep_safe(&TraceInfo::default()).unwrap();
        writer.abandon();
        only_entry(parent.path());
        assert!(rescue(parent.path()).is_empty());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        // Directories of other programs with such a name must not be removed.
        fs::create_dir(parent.path().join("_others.tmp")).unwrap();
        assert!(rescue(parent.path()).is_empty());
        only_entry(parent.path());
    }
}
