//! `notes.json` in a run directory: the user's notes on a run and its storage. It exists from the start
//! if flags set notes, and may be changed at any time afterwards; it takes precedence over
//! `summary.json`.

use std::path::{Path, PathBuf};

use reelgauge_analysis::Summary;
use reelgauge_record::notes::RunNotes;
use reelgauge_record::run_dir::{RunDirError, write_atomically};

use crate::small_file::read_json;

/// Name of the file in a run directory.
pub const NOTES_FILE: &str = "notes.json";

/// Bytes that are read, at most.
const FILE_MAX_BYTES: u64 = 64 << 10;

/// The path of the notes of a run.
pub fn path_in(run_dir: &Path) -> PathBuf {
    run_dir.join(NOTES_FILE)
}

/// The notes on a run; `None` if there are none, or they cannot be read.
pub fn read(run_dir: &Path) -> Option<RunNotes> {
    read_json(&path_in(run_dir), FILE_MAX_BYTES)
}

/// Writes the notes, in place of the previous ones. [`fits`] must be checked before.
///
/// # Errors
/// If the directory cannot be written.
pub fn write(run_dir: &Path, notes: &RunNotes) -> Result<(), RunDirError> {
    let path = path_in(run_dir);
    let mut text = serde_json::to_vec_pretty(notes)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    text.push(b'\n');
    write_atomically(&path, &text)
}

/// Whether the notes are short enough to be read again.
pub fn fits(notes: &RunNotes) -> bool {
    serde_json::to_vec_pretty(notes).is_ok_and(|text| (text.len() as u64) < FILE_MAX_BYTES)
}

/// Adds the notes of a run to its summary, in place of older ones.
pub fn put_into(summary: &mut Summary, run_dir: &Path) {
    if let Some(notes) = read(run_dir) {
        summary.storage = notes.storage();
        summary.tags = notes.tags;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::summary::Target;

    use super::*;

    #[test]
    fn latest_notes_are_in_the_summary() {
        let dir = tempfile::tempdir().unwrap();
        let mut summary = Summary::new("0.1.0", "", "mix", Target::default());
        summary.tags = vec!["at the start".to_owned()];
        let before = summary.clone();
        put_into(&mut summary, dir.path());
        assert_eq!(summary, before);
        let notes = RunNotes { storage_make: "Acme".to_owned(), ..RunNotes::default() };
        write(dir.path(), &notes).unwrap();
        put_into(&mut summary, dir.path());
        assert_eq!((summary.storage.make.as_deref(), summary.tags.len()), (Some("Acme"), 0));
    }

    #[test]
    fn overlong_or_broken_notes_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(path_in(dir.path()), "{").unwrap();
        assert_eq!(read(dir.path()), None);
        let long = RunNotes { note: "x".repeat(FILE_MAX_BYTES as usize), ..RunNotes::default() };
        assert!(!fits(&long));
        write(dir.path(), &long).unwrap();
        assert_eq!(read(dir.path()), None);
    }
}
