//! What people write down about a run: `notes.json` in its directory.

use std::path::Path;

use reelgauge_record::notes::RunNotes;
use reelgauge_record::run_dir::write_atomically;
use reelgauge_results::page::NOTES_FILE;

use crate::error::ApiError;

/// No more is read again.
const FILE_MAX_BYTES: usize = 64 << 10;
/// Tags of a run.
const TAGS_MAX: usize = 20;
/// Characters of a tag.
const TAG_CHARS: usize = 64;
/// Characters of the note.
const NOTE_CHARS: usize = 10_000;
/// Characters of everything else.
const FIELD_CHARS: usize = 200;

/// Writes it down, in place of what was there.
///
/// # Errors
/// Notes that are too long, and a directory that can't be written to.
pub fn write(run_dir: &Path, notes: &RunNotes) -> Result<(), ApiError> {
    check(notes)?;
    let mut text = serde_json::to_vec_pretty(notes).map_err(ApiError::failed)?;
    text.push(b'\n');
    if text.len() > FILE_MAX_BYTES {
        return Err(ApiError::bad("the notes are too long together; shorten the note"));
    }
    write_atomically(&run_dir.join(NOTES_FILE), &text).map_err(ApiError::failed)
}

fn check(notes: &RunNotes) -> Result<(), ApiError> {
    if notes.tags.len() > TAGS_MAX {
        let tags = notes.tags.len();
        return Err(ApiError::bad(format!("{tags} tags are too many; {TAGS_MAX} is the most")));
    }
    let tags = notes.tags.iter().map(|tag| ("a tag", tag, TAG_CHARS));
    let fields = [
        ("the note", &notes.note, NOTE_CHARS),
        ("the make", &notes.storage_make, FIELD_CHARS),
        ("the model", &notes.storage_model, FIELD_CHARS),
        ("the firmware", &notes.storage_firmware, FIELD_CHARS),
    ];
    for (what, text, max) in tags.chain(fields) {
        let chars = text.chars().count();
        if chars > max {
            return Err(ApiError::bad(format!("{what} has {chars} characters; {max} is the most")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_results::page::read_notes;

    use super::*;

    #[test]
    fn notes_are_kept_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read_notes(dir.path()), None);
        let notes = RunNotes {
            tags: vec!["</script>".to_owned(), "é\n".repeat(32)],
            note: "日".repeat(NOTE_CHARS),
            ..RunNotes::default()
        };
        write(dir.path(), &notes).unwrap();
        assert_eq!(read_notes(dir.path()), Some(notes));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_too_long_changes_nothing() {
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
