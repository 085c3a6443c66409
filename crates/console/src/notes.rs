//! The user's notes on a run: `notes.json` in its directory.

use std::path::Path;

use reelgauge_record::notes::RunNotes;
use reelgauge_results::run_notes;

use crate::error::ApiError;

/// The largest number of characters in a note.
const NOTE_CHARS: usize = 10_000;

/// Replaces the notes. Facts about the storage that no form contains stay unchanged.
///
/// # Errors
/// If the notes are too long, or the directory can't be written to.
pub fn write(run_dir: &Path, notes: &RunNotes) -> Result<(), ApiError> {
    let mut notes = notes.clone();
    if notes.storage_other.is_empty() {
        notes.storage_other = run_notes::read(run_dir).unwrap_or_default().storage_other;
    }
    notes.check().map_err(|error| ApiError::bad(error.to_string()))?;
    let chars = notes.note.chars().count();
    if chars > NOTE_CHARS {
        return Err(ApiError::bad(format!(
            "the note has {chars} characters, but at most {NOTE_CHARS} are allowed"
        )));
    }
    if !run_notes::fits(&notes) {
        return Err(ApiError::bad("the notes are too long in total; shorten this note"));
    }
    run_notes::write(run_dir, &notes).map_err(ApiError::failed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::notes::{FIELD_CHARS_MAX as FIELD_CHARS, TAG_CHARS_MAX as TAG_CHARS, TAGS_MAX};

    use super::*;

    #[test]
    fn notes_are_kept_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(run_notes::read(dir.path()), None);
        let notes = RunNotes {
            tags: vec!["</script>".to_owned(), "é\n".repeat(32)],
            note: "日".repeat(NOTE_CHARS),
            ..RunNotes::default()
        };
        write(dir.path(), &notes).unwrap();
        assert_eq!(run_notes::read(dir.path()), Some(notes));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn facts_that_the_form_does_not_know_stay() {
        let dir = tempfile::tempdir().unwrap();
        let other = std::collections::BTreeMap::from([("raid".to_owned(), "6".to_owned())]);
        write(dir.path(), &RunNotes { storage_other: other.clone(), ..RunNotes::default() }).unwrap();
        write(dir.path(), &RunNotes { storage_make: "Acme".to_owned(), ..RunNotes::default() }).unwrap();
        let notes = run_notes::read(dir.path()).unwrap();
        assert_eq!((notes.storage_other, notes.storage_make.as_str()), (other, "Acme"));
    }

    #[test]
    fn notes_that_are_too_long_change_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let long = |chars: usize| "é".repeat(chars);
        let none = RunNotes::default;
        for notes in [
            RunNotes { note: "\u{1}".repeat(NOTE_CHARS), tags: vec!["\u{1}".repeat(64); 20], ..none() },
            RunNotes { tags: vec![String::new(); TAGS_MAX + 1], ..none() },
            RunNotes { tags: vec![long(TAG_CHARS + 1)], ..none() },
            RunNotes { note: long(NOTE_CHARS + 1), ..none() },
            RunNotes { storage_make: long(FIELD_CHARS + 1), ..none() },
            RunNotes { storage_model: long(FIELD_CHARS + 1), ..none() },
            RunNotes { storage_firmware: long(FIELD_CHARS + 1), ..none() },
        ] {
            let error = write(dir.path(), &notes).unwrap_err();
            assert_eq!(error.status, axum::http::StatusCode::BAD_REQUEST);
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
