//! `notes.json` in a run directory: what people say of a run and its storage. It is there from the start
//! where flags said something, and may be changed at any time afterwards; what it says goes before
//! `summary.json`.

use std::io::Read;
use std::path::{Path, PathBuf};

use reelgauge_analysis::Summary;
use reelgauge_record::notes::RunNotes;
use reelgauge_record::run_dir::{RunDirError, write_atomically};

/// Name of the file in a run directory.
pub const NOTES_FILE: &str = "notes.json";

/// No more is read.
const FILE_MAX_BYTES: u64 = 64 << 10;

/// Where the notes of a run lie.
pub fn path_in(run_dir: &Path) -> PathBuf {
    run_dir.join(NOTES_FILE)
}

/// What was written down about a run; `None` where nothing was, or nothing that can be read.
pub fn read(run_dir: &Path) -> Option<RunNotes> {
    let file = std::fs::File::open(path_in(run_dir)).ok()?;
    let mut text = Vec::new();
    file.take(FILE_MAX_BYTES + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= FILE_MAX_BYTES).then(|| serde_json::from_slice(&text).ok())?
}

/// Writes them down, in place of what was there. Whether they fit is asked before: [`fits`].
///
/// # Errors
/// The directory can't be written to.
pub fn write(run_dir: &Path, notes: &RunNotes) -> Result<(), RunDirError> {
    let path = path_in(run_dir);
    let mut text = serde_json::to_vec_pretty(notes)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    text.push(b'\n');
    write_atomically(&path, &text)
}

/// Whether they would be read again.
pub fn fits(notes: &RunNotes) -> bool {
    serde_json::to_vec_pretty(notes).is_ok_and(|text| (text.len() as u64) < FILE_MAX_BYTES)
}

/// Puts the notes of a run into its summary: they are what was said last.
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
    fn what_was_written_down_last_stands_in_the_summary() {
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
    fn what_is_too_long_or_broken_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(path_in(dir.path()), "{").unwrap();
        assert_eq!(read(dir.path()), None);
        let long = RunNotes { note: "x".repeat(FILE_MAX_BYTES as usize), ..RunNotes::default() };
        assert!(!fits(&long));
        write(dir.path(), &long).unwrap();
        assert_eq!(read(dir.path()), None);
    }
}
