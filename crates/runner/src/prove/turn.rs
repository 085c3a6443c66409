//! One proof changes things at a time: two at once would measure, and undo, each other's changes.
//!
//! The turn is a lock on a file beside what undoes changes, so it is one for everything that a user starts on
//! a machine. The system takes it back when its process ends, however that ends. Proofs that change nothing
//! need no turn.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::left_change::{left_by_others, make_folder};

/// The file's name.
const FILE_NAME: &str = "lock";
/// The longest number of a process.
const NUMBER_MAX_BYTES: u64 = 20;

/// The turn, for as long as this lives.
#[derive(Debug)]
pub struct Turn {
    _file: File,
}

/// Why it is somebody else's.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// Another proof goes on.
    #[error(
        "another proof changes things right now{}; two at once would measure each other's changes: wait for its \
         end",
        process(.0)
    )]
    Taken(Option<u32>),
    /// Another one left its change.
    #[error("an earlier proof left its change in place ({0}); undo that first: reelgauge prove --undo-left")]
    Left(String),
    /// Nobody can take it.
    #[error("{} can't be locked: {source}; set XDG_STATE_HOME to a folder where files can be", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn process(number: &Option<u32>) -> String {
    number.map(|number| format!(" (process {number})")).unwrap_or_default()
}

impl Turn {
    /// Takes the turn to change things. Nobody's change is in place then.
    ///
    /// # Errors
    /// It is somebody else's, or somebody's change is still in place.
    pub(super) fn to_change(folder: &Path) -> Result<Turn, TurnError> {
        let turn = Turn::to_undo(folder)?;
        match left_by_others(folder).first() {
            Some(noted) => Err(TurnError::Left(noted.left.change.clone())),
            None => Ok(turn),
        }
    }

    /// Takes the turn to undo what was left.
    ///
    /// # Errors
    /// It is somebody else's.
    pub fn to_undo(folder: &Path) -> Result<Turn, TurnError> {
        let path = folder.join(FILE_NAME);
        let failed = |source| TurnError::File { path: path.clone(), source };
        make_folder(folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TurnError::Taken(number_in(file))),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // Whom to wait for; the lock is the file's, and not what stands in it.
        let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Turn { _file: file })
    }
}

/// Who has it; `None` where that can't be read.
fn number_in(mut file: File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(NUMBER_MAX_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_turn_is_one_at_a_time_and_ends_with_whoever_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let turn = Turn::to_change(folder.path()).unwrap();
        let refused = Turn::to_change(folder.path()).unwrap_err().to_string();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        assert!(matches!(Turn::to_undo(folder.path()), Err(TurnError::Taken(_))));
        drop(turn);
        assert!(Turn::to_change(folder.path()).is_ok());
    }
}
